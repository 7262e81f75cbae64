/* privacy - PrivateData: what each reply shows to the owner, to another user and to an administrator. */
#include "rig.h"

static const char accounts_text[] = "Cluster - test\nParent - root\nAccount - physics\nAccount - biology\n"
                                    "Parent - physics\nUser - ada:DefaultAccount=physics\n"
                                    "Parent - biology\nUser - bob:DefaultAccount=biology\n";

static void up(struct rig *r, const char *words)
{
    auto_free char *conf = mem_printf("%sPrivateData=%s\n", rig_conf, words);
    rig_up_conf(r, conf, 4);
    Pb__AssocLoad load = PB__ASSOC_LOAD__INIT;
    load.text = (ProtobufCBinaryData){ sizeof(accounts_text) - 1, (uint8_t *)TEXT(accounts_text) };
    rig_ask(r, ROOT, MSG_ASSOC_LOAD, &load.base);
}

/* Jobs that a query shows: all, of one number, or with steps, which is not cached. */
static int jobs(struct rig *r, uint32_t uid, uint32_t id, uint32_t of_uid, bool steps)
{
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.n_job = id ? 1 : 0, q.job = &id, q.steps = steps;
    q.n_uid = of_uid ? 1 : 0, q.uid = &of_uid;
    rig_ask(r, uid, MSG_JOBS, &q.base);
    Pb__JobList *l = rig_said(r, ASKER, MSG_JOBS_REPLY);
    int n = l ? (int)l->n_jobs : -rig_code(r);
    rig_free(l);
    return n;
}

static int code_of(struct rig *r, uint32_t uid, enum msg_type type, const ProtobufCMessage *m)
{
    rig_ask(r, uid, type, m);
    Pb__Failure *f = rig_said(r, ASKER, MSG_FAILURE);
    int code = f ? f->code : 0;
    rig_free(f);
    return code;
}

static int why(struct rig *r, uint32_t uid, uint32_t id)
{
    Pb__WhyRequest q = PB__WHY_REQUEST__INIT;
    q.job_id = id;
    return code_of(r, uid, MSG_WHY, &q.base);
}

static int permit(struct rig *r, uint32_t uid, uint32_t id)
{
    Pb__PermitRequest q = PB__PERMIT_REQUEST__INIT;
    q.job_id = id;
    return code_of(r, uid, MSG_PERMIT, &q.base);
}

static void test_jobs(const char *words, bool hidden)
{
    struct rig r;
    up(&r, words);
    uint32_t hers = rig_submit(&r, ADA, NULL), his = rig_submit(&r, BOB, NULL);
    is_int(jobs(&r, ADA, 0, 0, false), hidden ? 1 : 2, "%s: a list", words);
    is_int(jobs(&r, BOB, 0, 0, false), hidden ? 1 : 2, "%s: the same query of another user", words);
    is_int(jobs(&r, ROOT, 0, 0, false), 2, "%s: of root", words);
    is_int(jobs(&r, ADA, 0, 0, true), hidden ? 1 : 2, "%s: with steps", words);
    is_int(jobs(&r, ADA, 0, BOB, false), hidden ? 0 : 1, "%s: the jobs of another user", words);
    is_int(jobs(&r, ADA, his, 0, false), hidden ? -ESLURM_INVALID_JOB_ID : 1, "%s: another user's job", words);
    is_int(jobs(&r, ADA, hers, 0, false), 1, "%s: the own job", words);
    is_int(jobs(&r, 500, his, 0, false), 1, "%s: any job, for SlurmUser", words);
    is_int(why(&r, ADA, his), hidden ? ESLURM_INVALID_JOB_ID : 0, "%s: why another user's job waits", words);
    is_int(why(&r, ADA, hers), 0, "%s: why the own job waits", words);
    is_int(permit(&r, ADA, his), hidden ? ESLURM_INVALID_JOB_ID : 0, "%s: the nodes of another user's job", words);
    rig_down(&r);
}

static void test_nodes(const char *words, bool nodes, bool parts)
{
    struct rig r;
    up(&r, words);
    Pb__NodeQuery q = PB__NODE_QUERY__INIT;
    Pb__PartQuery p = PB__PART_QUERY__INIT;
    is_int(code_of(&r, ADA, MSG_NODES, &q.base), nodes ? ESLURM_ACCESS_DENIED : 0, "%s: nodes", words);
    is_int(code_of(&r, ADA, MSG_PARTS, &p.base), parts ? ESLURM_ACCESS_DENIED : 0, "%s: partitions", words);
    is_int(code_of(&r, ADA, MSG_CLUSTER, &q.base), nodes || parts ? ESLURM_ACCESS_DENIED : 0, "%s: both", words);
    is_int(code_of(&r, ROOT, MSG_CLUSTER, &q.base), 0, "%s: both, for root", words);
    rig_down(&r);
}

static int resvs(struct rig *r, uint32_t uid)
{
    Pb__PartQuery q = PB__PART_QUERY__INIT;
    rig_ask(r, uid, MSG_RESVS, &q.base);
    Pb__ResvList *l = rig_said(r, ASKER, MSG_RESVS_REPLY);
    int n = l ? (int)l->n_resvs : -1;
    rig_free(l);
    return n;
}

static void test_resvs(const char *words, bool hidden)
{
    struct rig r;
    up(&r, words);
    const char *keys[] = { "ReservationName", "a", "StartTime", "1800003600", "Duration", "60", "Users", "ada", "Nodes",
                           "n1" };
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair pair[5], *pairs[5];
    q.kind = PB__UPDATE_KIND__UPDATE_RESV, q.create = true, q.pairs = pairs, q.n_pairs = 5;
    for (int i = 0; i < 5; i++) {
        pb__pair__init(&pair[i]);
        pair[i].key = TEXT(keys[2 * i]), pair[i].value = TEXT(keys[2 * i + 1]), pair[i].op = TEXT("=");
        pairs[i] = &pair[i];
    }
    rig_ask(&r, ROOT, MSG_UPDATE, &q.base);
    is_int(rig_code(&r), 0, "%s: a reservation for a user", words);
    is_int(resvs(&r, ADA), 1, "%s: shown to the user", words);
    is_int(resvs(&r, BOB), hidden ? 0 : 1, "%s: shown to another", words);
    is_int(resvs(&r, ROOT), 1, "%s: shown to root", words);
    rig_down(&r);
}

/* Accounts (root, physics, biology) and users of them. */
static void test_assocs(const char *words, int accounts, int users)
{
    struct rig r;
    up(&r, words);
    for (int root = 0; root < 2; root++) {
        Pb__AssocQuery q = PB__ASSOC_QUERY__INIT;
        q.shares = true;
        rig_ask(&r, root ? ROOT : ADA, MSG_ASSOC, &q.base);
        Pb__AssocReply *l = rig_said(&r, ASKER, MSG_ASSOC_REPLY);
        int na = 0, nu = 0;
        for (size_t i = 0; l && i < l->n_assocs; i++)
            str_empty(l->assocs[i]->user) ? na++ : nu++;
        is_int(na, root ? 3 : accounts, "%s: accounts that %s sees", words, root ? "root" : "a user");
        is_int(nu, root ? 2 : users, "%s: users that %s sees", words, root ? "root" : "a user");
        ok(l && l->n_shares == l->n_assocs, "%s: a share for each", words);
        bool all = root || !strstr("users all", words);
        is_int(l ? l->n_users : 0, all ? 2 : 1, "%s: records of users that %s sees", words, root ? "root" : "a user");
        rig_free(l);
    }
    rig_down(&r);
}

/* The users whose history a peer is shown: the only one, 0 for all, UINT32_MAX for none. */
static uint32_t history_of(struct rig *r, uint32_t uid, const char *via, uint32_t asked)
{
    Pb__HistoryQuery q = PB__HISTORY_QUERY__INIT;
    if (asked) {
        q.uid = mem_alloc(sizeof(*q.uid));
        q.uid[0] = asked, q.n_uid = 1;
    }
    ctl_history_restrict(r->t, &(struct ctl_peer){ uid, uid, false, NULL, via }, &q);
    uint32_t only = q.n_uid ? q.uid[0] : 0;
    free(q.uid);
    return only;
}

static void test_history(void)
{
    struct rig r;
    up(&r, "none");
    is_int(history_of(&r, BOB, NULL, 0), 0, "without PrivateData a user is shown the jobs of all users");
    rig_down(&r);
    up(&r, "jobs");
    is_int(history_of(&r, ROOT, NULL, 0), 0, "root is shown the jobs of all users");
    is_int(history_of(&r, BOB, NULL, 0), BOB, "PrivateData=jobs: a user is shown the user's own");
    is_int(history_of(&r, BOB, NULL, BOB), BOB, "also when the user asks for them");
    ok(history_of(&r, BOB, NULL, ADA) == UINT32_MAX, "and none of another user");
    ok(history_of(&r, BOB, "n1", ADA) == UINT32_MAX && history_of(&r, ADA, "n1", ADA) == UINT32_MAX,
       "a node without a job of the user gets none of the user's");
    ok(history_of(&r, ROOT, "n1", 0) == ROOT, "root of a node is shown root's own");
    rig_down(&r);
}

int main(void)
{
    test_history();
    test_jobs("none", false);
    test_jobs("jobs", true);
    test_jobs("nodes,usage", false);
    test_jobs("all", true);
    test_nodes("none", false, false);
    test_nodes("nodes", true, false);
    test_nodes("partitions", false, true);
    test_nodes("all", true, true);
    test_resvs("none", false);
    test_resvs("reservations", true);
    test_assocs("none", 3, 2);
    test_assocs("accounts", 2, 2);
    test_assocs("users", 3, 1);
    test_assocs("usage", 3, 1);
    test_assocs("all", 2, 1);
    return test_done();
}
