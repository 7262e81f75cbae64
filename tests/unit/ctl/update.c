/* update - scontrol update of jobs in the controller: all of what is said, or nothing. */
#include "rig.h"

static const char conf[] =
    "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
    "AccountingStorageEnforce=associations,qos\n"
    "NodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
    "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE\n";

/* The user daemon (uid 1) has two accounts; each may use one QOS. */
static const char assoc_text[] =
    "QOS - 'qa'\nQOS - 'qb'\nCluster - 'test'\nParent - 'root'\nAccount - 'a':QOS='qa':DefaultQOS='qa'\n"
    "Account - 'b':QOS='qb':DefaultQOS='qb'\nParent - 'a'\nUser - 'daemon':DefaultAccount='a'\nParent - 'b'\n"
    "User - 'daemon'\n";

#define DAEMON 1

static void up(struct rig *r)
{
    rig_up_conf(r, conf, 4);
    Pb__AssocLoad load = PB__ASSOC_LOAD__INIT;
    load.text = (ProtobufCBinaryData){ sizeof(assoc_text) - 1, (uint8_t *)TEXT(assoc_text) };
    rig_ask(r, ROOT, MSG_ASSOC_LOAD, &load.base);
}

/* "Key=value Key+=value" */
static int update(struct rig *r, uint32_t uid, uint32_t id, const char *words)
{
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair pair[8], *pairs[8];
    auto_free char *text = mem_printf("JobId=%u %s", id, words);
    char *save = NULL;
    q.pairs = pairs;
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
    return rig_code(r);
}

static void c_a(Pb__SubmitRequest *q) { q->spec->account = TEXT("a"); }
static void c_held(Pb__SubmitRequest *q) { c_a(q), q->spec->hold = true, q->spec->time_limit_min = 60; }
static void c_wide(Pb__SubmitRequest *q) { c_a(q), q->spec->min_nodes = q->spec->max_nodes = 3; }

static void test_together(void)
{
    struct rig r;
    up(&r);
    uint32_t id = rig_submit(&r, DAEMON, c_held);
    is_str(rig_job(&r, id)->spec->account, "a", "a job of account a");
    is_int(update(&r, DAEMON, id, "QOS=qb"), ESLURM_INVALID_QOS, "which has not the QOS of b");
    is_int(update(&r, DAEMON, id, "Account=b QOS=qb"), 0, "account and QOS change together");
    is_int(update(&r, DAEMON, id, "QOS=qa Account=a"), 0, "and back, in the other order");
    is_int(update(&r, DAEMON, id, "Account=none"), ESLURM_INVALID_ACCOUNT, "an account that is not the user's");
    is_str(rig_job(&r, id)->spec->account, "a", "changes nothing");
    rig_down(&r);
}

static void test_limit(void)
{
    struct rig r;
    up(&r);
    uint32_t id = rig_submit(&r, DAEMON, c_held);
    is_int(update(&r, DAEMON, id, "TimeLimit+=30"), 0, "half an hour more");
    is_int(rig_job(&r, id)->time_limit_min, 90, "is added");
    is_int(update(&r, DAEMON, id, "TimeLimit-=10"), 0, "ten minutes less");
    is_int(rig_job(&r, id)->time_limit_min, 80, "are taken away");
    is_int(update(&r, DAEMON, id, "TimeLimit+=UNLIMITED"), 0, "more without a limit");
    is_int(rig_job(&r, id)->time_limit_min, INFINITE_MIN, "is no limit, not a minute less");
    rig_down(&r);
}

static void test_size_last(void)
{
    struct rig r;
    up(&r);
    uint32_t id = rig_submit(&r, DAEMON, c_wide);
    is_int(rig_job(&r, id)->alloc.n, 3, "three nodes");
    ok(update(&r, DAEMON, id, "NumNodes=1 Bogus=1") != 0, "a key that is none behind the new size");
    is_int(rig_job(&r, id)->alloc.n, 3, "leaves the nodes alone");
    is_int(update(&r, DAEMON, id, "NumNodes=1 Comment=small"), 0, "with a good one");
    is_int(rig_job(&r, id)->alloc.n, 1, "they are given away");
    rig_down(&r);
}

/* What its owner may change, while it waits and while it runs: asked of Slurm. */
static void test_owner(void)
{
    static const struct {
        const char *words;
        int waiting, running;
    } cases[] = {
        { "Deadline=tomorrow", ESLURM_ACCESS_DENIED, 0 },
        { "Contiguous=yes", ESLURM_ACCESS_DENIED, ESLURM_JOB_NOT_PENDING },
        { "CoreSpec=1", ESLURM_ACCESS_DENIED, ESLURM_JOB_NOT_PENDING },
        { "OverSubscribe=yes", ESLURM_ACCESS_DENIED, ESLURM_JOB_NOT_PENDING },
        { "TasksPerNode=1", ESLURM_ACCESS_DENIED, ESLURM_JOB_NOT_PENDING },
        { "TimeLimit=50", 0, ESLURM_ACCESS_DENIED },
        { "Nice=5", 0, 0 },
        { "Nice=-5", ESLURM_ACCESS_DENIED, ESLURM_ACCESS_DENIED },
        { "AdminComment=a", ESLURM_ACCESS_DENIED, ESLURM_ACCESS_DENIED },
        { "SiteFactor=3", ESLURM_ACCESS_DENIED, ESLURM_ACCESS_DENIED },
        { "Account=b", ESLURM_INVALID_QOS, ESLURM_JOB_NOT_PENDING },
        { "WCKey=w", 0, ESLURM_JOB_NOT_PENDING },
        { "Comment=c", 0, 0 },
        { "BurstBuffer=x", ESLURM_NOT_SUPPORTED, ESLURM_NOT_SUPPORTED },
        { "Reboot=no", ESLURM_ACCESS_DENIED, ESLURM_ACCESS_DENIED },
    };
    struct rig r;
    up(&r);
    uint32_t waits = rig_submit(&r, DAEMON, c_held), runs = rig_submit(&r, DAEMON, c_wide);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        is_int(update(&r, DAEMON, waits, cases[i].words), cases[i].waiting, "%s while it waits", cases[i].words);
        is_int(update(&r, DAEMON, runs, cases[i].words), cases[i].running, "%s while it runs", cases[i].words);
    }
    is_int(update(&r, BOB, waits, "Comment=c"), ESLURM_USER_ID_MISSING, "another user changes nothing");
    is_int(update(&r, ROOT, waits, "Deadline=tomorrow Contiguous=yes"), 0, "an administrator does");
    rig_down(&r);
}

int main(void)
{
    test_together();
    test_limit();
    test_size_last();
    test_owner();
    return test_done();
}
