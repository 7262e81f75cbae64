/*
 * history_bench - how fast ended jobs are folded into the history, how long queries of it take, and its size.
 *
 *     history_bench [JOBS] [FILE]      default 1000000 jobs with 3 steps each, over a year; FILE is kept if named
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/pbutil.h"
#include "history/history_db.h"
#include "history/history_query.h"

enum { BATCH = 512, USERS = 500, NODES = 1000, YEAR_S = 365 * 86400, STEPS = 3 };
#define BEGIN_S INT64_C(1700000000)

static uint32_t jobs = 1000000;

static int64_t submitted_s(uint32_t i)
{
    return BEGIN_S + (int64_t)i * YEAR_S / jobs;
}

static void add_row(struct fold_batch *b, struct fold_row row, const ProtobufCMessage *m)
{
    row.at = b->bytes.len;
    pb_pack(&b->bytes, m);
    row.len = b->bytes.len - row.at;
    vec_push(&b->rows, row);
}

static void add_spec(struct fold_batch *b, uint32_t user)
{
    Pb__JobSpec s = PB__JOB_SPEC__INIT;
    char name[32], account[32], line[64];
    snprintf(name, sizeof(name), "job-of-%u", user);
    snprintf(account, sizeof(account), "account%u", user % 50);
    snprintf(line, sizeof(line), "sbatch --ntasks=4 script-%u.sh", user);
    s.name = name, s.account = account, s.qos = (char[]){ "normal" }, s.submit_line = line;
    s.workdir = (char[]){ "/home/user/project/run" }, s.ntasks = 4;
    add_row(b, (struct fold_row){ .kind = FOLD_SPEC, .id = user + 1 }, &s.base);
}

static void add_steps(struct fold_batch *b, const Pb__Job *j)
{
    for (uint32_t i = 0; i < STEPS; i++) {
        Pb__Step s = PB__STEP__INIT;
        Pb__StepSpec spec = PB__STEP_SPEC__INIT;
        Pb__StepUsage u = PB__STEP_USAGE__INIT;
        Pb__Metric m = PB__METRIC__INIT;
        m.total = 123456, m.max = 4321, m.min = 17;
        u.ntasks = 4, u.cpu_ms = u.rss_kb = u.vm_kb = &m, u.user_us = 99999;
        spec.name = (char[]){ "work" }, spec.ntasks = 4;
        s.id = i ? i - 1 : PB__STEP_NUMBER__STEP_BATCH, s.spec = &spec, s.stats = &u;
        s.start_s = j->start_s, s.end_s = j->end_s, s.nodes = j->nodes, s.state = PB__STEP_STATE__STEP_COMPLETED;
        add_row(b, (struct fold_row){ .kind = FOLD_STEP, .id = j->id, .submit_s = j->submit_s, .step = s.id }, &s.base);
    }
}

static void add_job(struct fold_batch *b, uint32_t i)
{
    Pb__Job j = PB__JOB__INIT;
    char node[32];
    uint32_t user = i * 7919 % USERS;
    snprintf(node, sizeof(node), "node%04u", i * 31 % NODES);
    j.id = i + 1, j.uid = 1000 + user, j.gid = 100, j.state = i % 20 ? JOB_COMPLETED : JOB_FAILED;
    j.submit_s = submitted_s(i), j.eligible_s = j.submit_s, j.start_s = j.submit_s + 60, j.end_s = j.start_s + 600;
    j.partition = (char[]){ "main" }, j.nodes = j.batch_host = node, j.num_nodes = 1, j.num_cpus = j.num_tasks = 4;
    j.tres_req = j.tres_alloc = (char[]){ "cpu=4,mem=8G,node=1,billing=4" };
    j.time_limit_min = 60, j.priority = 4294901759u - i, j.attempt = 1, j.exit_code = i % 20 ? 0 : 256;
    add_row(b, (struct fold_row){ .kind = FOLD_JOB, .id = j.id, .submit_s = j.submit_s, .spec = user + 1 }, &j.base);
    add_steps(b, &j);
}

static struct fold_batch *make_batch(uint32_t from, uint32_t n)
{
    struct fold_batch *b = NEW(struct fold_batch);
    b->index = from + n;
    for (uint32_t i = 0; !from && i < USERS; i++)
        add_spec(b, i);
    for (uint32_t i = from; i < from + n; i++)
        add_job(b, i);
    return b;
}

static void die(const struct err *err)
{
    fprintf(stderr, "history_bench: %s\n", err->text);
    exit(1);
}

static void fill(const char *path)
{
    struct history_db *db;
    struct err err = ERR_INIT;
    int64_t us = 0;
    if (history_db_open(&db, path, &err))
        die(&err);
    for (uint32_t from = 0; from < jobs; from += BATCH) {
        struct fold_batch *b = make_batch(from, MIN((uint32_t)BATCH, jobs - from));
        int64_t begun = clock_mono_us();
        if (history_db_write(db, &b, 1, &err))
            die(&err);
        us += clock_mono_us() - begun;
        fold_batch_free(b);
    }
    history_db_close(db);
    struct stat st;
    stat(path, &st);
    printf("written: %u jobs with %d steps each, %.0f jobs/s, %.0f bytes a job\n", jobs, STEPS, jobs * 1e6 / (double)us,
           (double)st.st_size / jobs);
}

/* ---- queries ---- */

struct answer {
    int64_t begun_us, first_us;
    size_t bytes;
};

static bool on_portion(void *arg, struct buf *rows)
{
    struct answer *a = arg;
    if (!a->first_us)
        a->first_us = clock_mono_us() - a->begun_us;
    a->bytes += rows->len;
    buf_clear(rows);
    return true;
}

static void ask(const char *path, const Pb__HistoryQuery *q, const char *what)
{
    static const bool never = false;
    struct err err = ERR_INIT;
    struct answer a = { .begun_us = clock_mono_us() };
    if (history_query_run(path, q, on_portion, &a, &never, &err))
        die(&err);
    printf("%-32s first rows %8.1f ms, all %8.1f ms, %9zu bytes\n", what, (double)a.first_us / 1e3,
           (double)(clock_mono_us() - a.begun_us) / 1e3, a.bytes);
}

static void ask_all(const char *path)
{
    int64_t end_s = BEGIN_S + YEAR_S;
    uint32_t uid = 1007, failed = JOB_FAILED;
    char *node = (char[]){ "node0031" };
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs = &ref;
    ref.job = jobs / 2;
    Pb__HistoryQuery q = PB__HISTORY_QUERY__INIT;
    q.steps = true, q.start_s = end_s - 86400, q.end_s = end_s, q.uid = &uid, q.n_uid = 1;
    ask(path, &q, "a user's last day");
    q.n_uid = 0, q.node = &node, q.n_node = 1;
    ask(path, &q, "a node's last day");
    q.n_node = 0;
    ask(path, &q, "all jobs of the last day");
    q.start_s = end_s - 30 * 86400, q.state = &failed, q.n_state = 1;
    ask(path, &q, "failed jobs of the last month");
    q.n_state = 0, q.start_s = q.end_s = 0, q.jobs = &refs, q.n_jobs = 1;
    ask(path, &q, "one job");
    q.n_jobs = 0, q.uid = &uid, q.n_uid = 1;
    ask(path, &q, "a user's year");
    q.n_uid = 0, q.steps = false;
    ask(path, &q, "all jobs, without steps");
}

int main(int argc, char **argv)
{
    char path[64] = "/tmp/spur-history-bench.XXXXXX";
    const char *file = argc > 2 ? argv[2] : path;
    if (argc > 1)
        jobs = (uint32_t)strtoul(argv[1], NULL, 10);
    if (argc <= 2)
        close(mkstemp(path));
    fill(file);
    ask_all(file);
    if (argc <= 2)
        unlink(path);
    return 0;
}
