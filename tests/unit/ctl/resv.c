/* resv - reservations in the controller: decided, begun, moved on, ended, on a clock that the test moves. */
#include "rig.h"

#define NOW(r) ((r)->now_ms / 1000)

/* "Key=value Key2=value2": sent as scontrol would.  The code of the answer. */
static int ask(struct rig *r, uint32_t uid, bool create, bool remove, const char *words)
{
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair pair[16], *pairs[16];
    char *text = mem_str(words), *save = NULL;
    q.kind = PB__UPDATE_KIND__UPDATE_RESV, q.create = create, q.remove = remove, q.pairs = pairs;
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(w, '=');
        Pb__Pair *p = pairs[q.n_pairs] = &pair[q.n_pairs];
        q.n_pairs++;
        pb__pair__init(p);
        bool sign = equals[-1] == '+' || equals[-1] == '-';
        p->op = TEXT(!sign ? "=" : equals[-1] == '+' ? "+=" : "-=");
        equals[sign ? -1 : 0] = '\0';
        p->key = w, p->value = equals + 1;
    }
    rig_ask(r, uid, MSG_UPDATE, &q.base);
    free(text);
    return rig_code(r);
}

static int make(struct rig *r, int from_s, int minutes, const char *words)
{
    auto_free char *all = mem_printf("StartTime=%lld Duration=%d %s", (long long)NOW(r) + from_s, minutes, words);
    return ask(r, ROOT, true, false, all);
}

static const Pb__Resv *resv(const struct rig *r, const char *name)
{
    const struct resv *v = cluster_resv_named(ctl_cluster(r->t), name);
    return v ? v->pb : NULL;
}

/* Does the log alone give the same state? */
static bool replays(struct rig *r)
{
    struct ctl *other = rig_ctl(r, rig_conf);
    for (size_t i = 0; i < r->log.n; i++)
        rig_replay(other, r->log.at[i].s, r->log.at[i].len);
    bool same = cluster_digest(ctl_cluster(other)) == cluster_digest(ctl_cluster(r->t));
    ctl_free(other);
    return same;
}

static void c_in(Pb__SubmitRequest *q)
{
    q->spec->reservation = TEXT("a"), q->spec->time_limit_min = 60, q->spec->ntasks = 4;
}
static void c_other(Pb__SubmitRequest *q) { c_in(q), q->spec->reservation = TEXT("b"); }

static void test_refused(void)
{
    struct rig r;
    rig_up(&r);
    static const struct {
        const char *words;
        int from_s, code;
    } cases[] = {
        { "Users=root Nodes=n9", 0, ESLURM_INVALID_NODE_NAME },
        { "Users=nosuchuser Nodes=n1", 0, -1 },
        { "Nodes=n1", 0, ESLURM_RESERVATION_EMPTY },
        { "Users=root Groups=root Nodes=n1", 0, ESLURM_RESERVATION_USER_GROUP },
        { "Users=root Nodes=n1", -7200, ESLURM_INVALID_TIME_VALUE },
        { "Users=root NodeCnt=5", 0, ESLURM_NODES_BUSY },
        { "Users=root NodeCnt=1 PartitionName=nosuch", 0, ESLURM_INVALID_PARTITION_NAME },
        { "Users=root NodeCnt=1 Flags=REPLACE,MAINT", 0, ESLURM_NOT_SUPPORTED },
        { "Users=root NodeCnt=1 Flags=DAILY,WEEKLY", 0, ESLURM_NOT_SUPPORTED },
        { "Users=root Nodes=n1 Flags=REPLACE", 0, ESLURM_INVALID_NODE_NAME },
        { "Users=root NodeCnt=1 BurstBuffer=1G", 0, ESLURM_NOT_SUPPORTED },
        { "Users=root Licenses=lab:1 Flags=ANY_NODES", 0, ESLURM_INVALID_LICENSES },
        { "Users=root TRES=gres/gpu=1", 0, ESLURM_INVALID_TRES },
        { "Users=root NodeCnt=1 Bogus=1", 0, EINVAL },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        is_int(make(&r, cases[i].from_s, 60, cases[i].words), cases[i].code, "%s", cases[i].words);
    is_int(ask(&r, ADA, true, false, "StartTime=1800000000 Duration=60 Users=root Nodes=n1"), ESLURM_USER_ID_MISSING,
           "a user makes none");
    is_int(ctl_cluster(r.t)->resv.n, 0, "nothing of it is there");
    rig_down(&r);
}

static void test_life(void)
{
    struct rig r;
    rig_up(&r);
    is_int(make(&r, 100, 10, "ReservationName=a Users=root Nodes=n1"), 0, "ten minutes of n1, soon");
    uint32_t first = rig_submit(&r, ROOT, c_in), second = rig_submit(&r, ROOT, c_in);
    ok(first && second, "two jobs for it");
    is_int(rig_submit(&r, ADA, c_in), 0, "others are not let in");
    is_int(rig_code(&r), ESLURM_RESERVATION_ACCESS, "and are told so");
    is_int(ask(&r, ROOT, false, true, "ReservationName=a"), ESLURM_RESERVATION_BUSY, "it is waited for");
    rig_pass(&r, 99);
    is_str(rig_state(&r, first), "PENDING", "before its time");
    rig_pass(&r, 2);
    ok(resv(&r, "a")->active, "its time comes by itself");
    is_str(rig_state(&r, first), "RUNNING", "and a job runs");
    is_int(ask(&r, ROOT, false, false, "ReservationName=a StartTime=1900000000"), ESLURM_RSV_ALREADY_STARTED,
           "its beginning is past");
    rig_failover(&r);
    for (uint32_t i = 1; i <= 4; i++)
        rig_register(&r, i, "boot", NULL, 0);
    rig_pass(&r, 597);
    is_str(rig_state(&r, first), "RUNNING", "another leader has not ended it too early");
    rig_pass(&r, 3);
    is_str(rig_state(&r, first), "COMPLETING", "when it is over the job is ended");
    is_int(rig_job(&r, second)->hold, HOLD_ADMIN, "one that waits is held");
    is_str(rig_job(&r, second)->reason_text, "Reservation a was deleted", "and says why");
    ok(!rig_job(&r, second)->spec->req.reservation, "it does not ask for it any more");
    ok(resv(&r, "a") && !resv(&r, "a")->active, "as long as a job is in it, it is remembered");
    rig_finish(&r, first, 15);
    rig_pass(&r, 1);
    ok(!resv(&r, "a"), "then it is gone");
    ok(replays(&r), "the log gives the same state");
    rig_down(&r);
}

static void test_given_away(void)
{
    struct rig r;
    rig_up(&r);
    is_int(make(&r, 100, 10, "ReservationName=a Users=-root Nodes=n1"), 0, "ten minutes of n1 for all but one");
    uint32_t job = rig_submit(&r, ADA, c_in);
    is_int(ask(&r, ROOT, false, false, "ReservationName=a Users=root"), ESLURM_RESERVATION_BUSY,
           "it is not given to others while a job waits for it");
    rig_cancel(&r, ROOT, job);
    is_int(ask(&r, ROOT, false, false, "ReservationName=a Users=root"), 0, "then it is");
    rig_down(&r);
}

static void test_turns(void)
{
    struct rig r;
    rig_up(&r);
    is_int(make(&r, 0, 10, "ReservationName=h Users=root NodeCnt=2 Flags=HOURLY"), 0, "ten minutes of every hour");
    int64_t start = resv(&r, "h")->start_s;
    rig_pass(&r, 601);
    ok(resv(&r, "h")->start_s == start + 3600 && !resv(&r, "h")->active, "after a turn it waits for the next");
    rig_pass(&r, 3000);
    ok(resv(&r, "h")->active, "which comes");
    rig_pass(&r, 86400);
    is_int(resv(&r, "h")->start_s, start + 25 * 3600, "a day later it is where it should be");
    is_int(ask(&r, ROOT, false, false, "ReservationName=h Skip=1"), 0, "a turn is left out");
    is_int(resv(&r, "h")->start_s, start + 26 * 3600, "and the next one is next");
    ok(replays(&r), "the log gives the same state");
    rig_down(&r);
}

static void test_nodes(void)
{
    struct rig r;
    rig_up(&r);
    is_int(make(&r, 0, 600, "ReservationName=a Users=root NodeCnt=2"), 0, "two nodes");
    ok(resv(&r, "a")->node[0]->node == 0 && resv(&r, "a")->node[1]->node == 1, "the first ones");
    rig_gone(&r, 1);
    rig_pass(&r, 15);
    ok(resv(&r, "a")->node[0]->node == 1 && resv(&r, "a")->node[1]->node == 2, "one that does not answer is replaced");
    is_int(make(&r, 0, 600, "ReservationName=b Users=root Nodes=n4 Flags=PURGE_COMP=1:00"), 0,
           "one that wants company");
    rig_pass(&r, 59);
    ok(resv(&r, "b") != NULL, "it waits a minute");
    rig_pass(&r, 2);
    ok(!resv(&r, "b"), "and gives up");
    is_int(make(&r, 0, 600, "ReservationName=b Users=root Nodes=n4 Flags=PURGE_COMP=1:00"), 0, "another one");
    uint32_t id = rig_submit(&r, ROOT, c_other);
    is_str(rig_state(&r, id), "RUNNING", "is used");
    rig_pass(&r, 300);
    ok(resv(&r, "b") != NULL, "as long as a job is in it, it stays");
    ok(replays(&r), "the log gives the same state");
    rig_down(&r);
}

int main(void)
{
    test_refused();
    test_life();
    test_given_away();
    test_turns();
    test_nodes();
    return test_done();
}
