/* malformed_requests - messages that none of our commands would send: refused, quickly, and the controller goes on. */
#include "rig.h"

#define QUICK_S 2.0     /* of CPU time; far more than any of these takes, also under the sanitizers */
#define HUGE (9u << 20) /* larger than an entry of the log may be */

/* CPU time: how long it takes by the wall depends on what else the machine does. */
static double clock_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Pairs are KEY, VALUE, KEY, VALUE, ..., NULL. */
static int update(struct rig *r, uint32_t uid, uint32_t kind, bool create, bool remove, const char *const *words)
{
    Pb__UpdateRequest q = PB__UPDATE_REQUEST__INIT;
    Pb__Pair pair[8], *pairs[8];
    q.kind = kind, q.create = create, q.remove = remove, q.pairs = pairs;
    for (; words[0]; words += 2) {
        Pb__Pair *p = pairs[q.n_pairs] = &pair[q.n_pairs];
        pb__pair__init(p);
        p->key = TEXT(words[0]), p->value = TEXT(words[1]);
        q.n_pairs++;
    }
    rig_ask(r, uid, MSG_UPDATE, &q.base);
    return rig_code(r);
}

static void test_made_and_removed(void)
{
    struct rig r;
    rig_up(&r);
    is_int(update(&r, ADA, 4, true, true, (const char *[]){ NULL }), ESLURM_RESERVATION_INVALID,
           "a reservation made and removed at once, without a name");
    is_int(update(&r, ROOT, 4, true, true, (const char *[]){ "ReservationName", "none", NULL }),
           ESLURM_RESERVATION_INVALID, "the same by an administrator, with the name of none");
    is_int(update(&r, ROOT, 2, true, true, (const char *[]){ "PartitionName", "none", NULL }),
           ESLURM_INVALID_PARTITION_NAME, "a partition made and removed at once");
    rig_down(&r);
}

static char key[16] = "0123456789abcdef";

static void c_key(Pb__SubmitRequest *q) { q->key = (ProtobufCBinaryData){ sizeof(key), (uint8_t *)key }; }

static void test_set_without_a_first(void)
{
    struct rig r;
    rig_up(&r);
    ok(rig_submit(&r, ADA, c_key) > 0, "a job with a key");
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT, other = PB__SUBMIT_REQUEST__INIT, *het[] = { &other };
    c_key(&q);
    q.het = het, q.n_het = 1;
    rig_ask(&r, ADA, MSG_SUBMIT, &q.base);
    is_int(rig_code(&r), EBADMSG, "a heterogeneous job of nothing with the key of another");
    rig_down(&r);
}

static void test_many_tasks(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    double from = clock_s();
    auto_free char *ref = mem_printf("%u_[0-4294967294]", id);
    is_int(update(&r, ADA, 0, false, false, (const char *[]){ "JobId", ref, "Comment", "x", NULL }),
           ESLURM_INVALID_JOB_ID, "four thousand million tasks in an update");
    Pb__CancelRequest q = PB__CANCEL_REQUEST__INIT;
    Pb__JobRef job = PB__JOB_REF__INIT, *jobs[] = { &job };
    auto_free uint8_t *all = mem_alloc(HUGE);
    memset(all, 0xff, HUGE);
    job.job = id, job.tasks = (ProtobufCBinaryData){ HUGE, all };
    q.jobs = jobs, q.n_jobs = 1;
    rig_ask(&r, ADA, MSG_CANCEL, &q.base);
    is_int(rig_code(&r), ESLURM_INVALID_JOB_ID, "seventy million in a cancellation");
    ok(clock_s() - from < QUICK_S, "it took no time");
    rig_down(&r);
}

static void test_many_names(void)
{
    struct rig r;
    rig_up(&r);
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT, other = PB__SUBMIT_REQUEST__INIT, *het[] = { &other };
    Pb__JobSpec spec = PB__JOB_SPEC__INIT, second = PB__JOB_SPEC__INIT;
    spec.nodelist = TEXT("a[1-60000]"), second.nodelist = TEXT("b[1-60000]");
    q.spec = &spec, other.spec = &second;
    q.script = (ProtobufCBinaryData){ 10, (uint8_t *)TEXT("#!/bin/sh\n") };
    q.het = het, q.n_het = 1;
    double from = clock_s();
    rig_ask(&r, ADA, MSG_SUBMIT, &q.base);
    is_int(rig_code(&r), ESLURM_INVALID_NODE_NAME, "components that name many nodes that are not there");
    second.nodelist = TEXT("n[1-2]"), spec.nodelist = TEXT("n[2-3]");
    rig_ask(&r, ADA, MSG_SUBMIT, &q.base);
    is_int(rig_code(&r), ESLURM_INVALID_NODE_NAME, "components that name the same node");
    ok(clock_s() - from < QUICK_S, "it took no time");
    rig_down(&r);
}

static char *huge(void)
{
    char *text = mem_alloc(HUGE + 1);
    memset(text, 'x', HUGE);
    return text;
}

/* A request that does not fit into an entry of the log is refused; the other requests of the turn are served. */
static void test_too_long(void)
{
    struct rig r;
    rig_up(&r);
    auto_free char *text = huge();
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    spec.comment = text, q.spec = &spec;
    q.script = (ProtobufCBinaryData){ 10, (uint8_t *)TEXT("#!/bin/sh\n") };
    size_t entries = r.log.n;
    rig_ask(&r, ADA, MSG_SUBMIT, &q.base);
    is_int(rig_code(&r), ESLURM_PATHNAME_TOO_LONG, "a job with a comment of megabytes");
    uint32_t id = rig_submit(&r, ADA, NULL);
    entries = r.log.n;
    auto_free char *number = mem_printf("%u", id);
    is_int(update(&r, ADA, 0, false, false, (const char *[]){ "JobId", number, "Comment", text, NULL }),
           ESLURM_PATHNAME_TOO_LONG, "an update with one");
    is_int(update(&r, ROOT, 4, true, false,
                  (const char *[]){ "StartTime", "1800000000", "Duration", "60", "Users", "root", "Nodes", "n4",
                                    "Comment", text, NULL }),
           E2BIG, "a reservation with one");
    is_int(update(&r, ROOT, 1, false, false, (const char *[]){ "NodeName", "n1", "Comment", text, NULL }), E2BIG,
           "a node with one");
    ok(r.log.n == entries, "nothing of it is in the log");
    rig_down(&r);
}

static void test_many_ids(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.n_job = 1000000;
    q.job = mem_array(q.n_job, sizeof(*q.job));
    for (size_t i = 0; i < q.n_job; i++)
        q.job[i] = id;
    double from = clock_s();
    rig_ask(&r, ADA, MSG_JOBS, &q.base);
    free(q.job);
    Pb__JobList *l = rig_said(&r, ASKER, MSG_JOBS_REPLY);
    ok(l && l->n_jobs == 1 && r.said.n == 1, "a job that is named a million times is told once");
    ok(clock_s() - from < QUICK_S, "it took no time");
    rig_free(l);
    rig_down(&r);
}

/* A large site: a query of the shares (sshare) does not delay other clients. */
static void test_many_users(void)
{
    struct rig r;
    rig_up(&r);
    auto_buf struct buf text = BUF_INIT;
    buf_adds(&text, "Cluster - 'test'\nParent - 'root'\n");
    for (int i = 0; i < 200; i++)
        buf_addf(&text, "Account - 'a%d'\n", i);
    for (int i = 0; i < 40000; i++) {
        if (i % 200 == 0)
            buf_addf(&text, "Parent - 'a%d'\n", i / 200);
        buf_addf(&text, "User - 'nosuch%d':Fairshare=%d\n", i, i % 7 + 1);
    }
    Pb__AssocLoad load = PB__ASSOC_LOAD__INIT;
    load.text = (ProtobufCBinaryData){ text.len, (uint8_t *)text.s };
    rig_ask(&r, ROOT, MSG_ASSOC_LOAD, &load.base);
    Pb__AssocQuery q = PB__ASSOC_QUERY__INIT;
    double from = clock_s();
    rig_ask(&r, ADA, MSG_ASSOC, &q.base);
    double took = clock_s() - from;
    Pb__AssocReply *reply = rig_said(&r, ASKER, MSG_ASSOC_REPLY);
    bool ordered = reply != NULL;
    for (size_t i = 0; ordered && i + 1 < reply->n_assocs; i++) {
        const Pb__Assoc *a = reply->assocs[i], *b = reply->assocs[i + 1];
        ordered = str_empty(b->user) || str_eq(a->account, b->account);
    }
    ok(reply && reply->n_assocs == 40201 && ordered, "each account stands before its users");
    ok(took < QUICK_S / 2, "shares of 40,000 users are told in %.2f s", took);
    rig_free(reply);
    rig_down(&r);
}

static void c_overcommit(Pb__SubmitRequest *q)
{
    q->spec->min_nodes = q->spec->max_nodes = 2, q->spec->overcommit = true, q->spec->ntasks = 4294967294u;
}
static void c_many_each(Pb__SubmitRequest *q)
{
    q->spec->overcommit = true, q->spec->min_nodes = 4, q->spec->ntasks_per_node = UINT32_MAX;
}
static void c_wraps(Pb__SubmitRequest *q) { q->spec->ntasks = 65537, q->spec->cpus_per_task = 65536; }
static void c_within(Pb__SubmitRequest *q)
{
    q->spec->min_nodes = q->spec->max_nodes = 2, q->spec->overcommit = true, q->spec->ntasks = 1024;
}

/* Counts whose arrays would take gigabytes are refused when the job comes, not when it starts. */
static void test_counts(void)
{
    static const struct {
        void (*change)(Pb__SubmitRequest *q);
        int code;
        const char *name;
    } cases[] = {
        { c_overcommit, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "-N2 -O -n 4294967294" },
        { c_many_each, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "four thousand million tasks on each of four nodes" },
        { c_wraps, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "65537 tasks of 65536 CPUs, which are 65536 in 32 bits" },
        { c_within, 0, "MaxTasksPerNode tasks on each of two nodes" },
    };
    struct rig r;
    rig_up(&r);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        rig_submit(&r, ADA, cases[i].change);
        is_int(rig_code(&r), cases[i].code, "%s", cases[i].name);
    }
    uint32_t id = rig_submit(&r, ADA, c_within);
    auto_free char *number = mem_printf("%u", id);
    rig_op(&r, ADA, PB__JOB_OP__OP_REQUEUE, id);
    rig_op(&r, ADA, PB__JOB_OP__OP_HOLD, id);
    int code = update(&r, ADA, 0, false, false, (const char *[]){ "JobId", number, "NumTasks", "4294967294", NULL });
    ok(code != 0, "nor does an update bring them in");
    rig_down(&r);
}

static char *text_of; /* for the two below */
static void c_depend(Pb__SubmitRequest *q) { q->spec->dependency = text_of; }
static void c_array(Pb__SubmitRequest *q) { q->spec->array = text_of; }

static void test_long_texts(void)
{
    struct rig r;
    rig_up(&r);
    auto_buf struct buf depend = BUF_INIT, array = BUF_INIT, many = BUF_INIT;
    buf_adds(&depend, "afterany");
    for (unsigned i = 0; i < 60001; i++)
        buf_addf(&depend, ":%u", 1000 + i);
    for (unsigned i = 0; i < 200; i++)
        buf_adds(&array, "0-4000000,"), buf_adds(&many, "0-99,");
    double from = clock_s();
    text_of = depend.s;
    rig_submit(&r, ADA, c_depend);
    is_int(rig_code(&r), ESLURM_PATHNAME_TOO_LONG, "60,001 dependencies");
    text_of = array.s;
    rig_submit(&r, ADA, c_array);
    is_int(rig_code(&r), ESLURM_INVALID_ARRAY, "ranges over MaxArraySize, two hundred times");
    text_of = many.s;
    rig_submit(&r, ADA, c_array);
    is_int(rig_code(&r), ESLURM_INVALID_ARRAY, "the whole array two hundred times");
    auto_free char *ref = mem_printf("1_[%s]", array.s);
    is_int(update(&r, ADA, 0, false, false, (const char *[]){ "JobId", ref, "Comment", "x", NULL }),
           ESLURM_INVALID_JOB_ID, "the same in the name of a job to update");
    ok(clock_s() - from < QUICK_S, "all of it quickly");
    rig_down(&r);
}

int main(void)
{
    test_made_and_removed();
    test_set_without_a_first();
    test_many_tasks();
    test_many_names();
    test_too_long();
    test_many_ids();
    test_many_users();
    test_counts();
    test_long_texts();
    return test_done();
}
