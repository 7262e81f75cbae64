/* query - which rows of the history answer a query. */
#include <stdlib.h>
#include <unistd.h>

#include "core/pbutil.h"
#include "history/history.h"
#include "history/history_query.h"
#include "test.h"

#define TEXT(s) ((char[]){ s })

static char path[] = "/tmp/spur-query.XXXXXX";

/* ---- rows ---- */

struct story { /* a job of user 1000 in partition "main" that was eligible at `eligible` */
    uint32_t id, run, state, uid, array, task, het, offset;
    int64_t eligible, start, end;
    const char *nodes, *waiting, *account, *name;
    uint32_t cpus;
};

static const struct story stories[] = {
    { .id = 1, .state = JOB_COMPLETED, .uid = 1000, .eligible = 100, .start = 110, .end = 200, .nodes = "n[1-2]",
      .account = "physics", .name = "a'b", .cpus = 4 },
    { .id = 2, .state = JOB_FAILED, .uid = 1001, .eligible = 150, .start = 300, .end = 400, .nodes = "n3",
      .account = "bio", .name = "x", .cpus = 1 },
    { .id = 3, .state = JOB_RUNNING, .uid = 1000, .eligible = 350, .start = 360, .nodes = "n1", .account = "physics",
      .name = "x", .cpus = 2 },
    { .id = 4, .state = JOB_PENDING, .uid = 1001, .eligible = 380, .account = "bio", .name = "x", .cpus = 1 },
    { .id = 5, .state = JOB_PENDING, .uid = 1001, .account = "bio", .name = "held", .cpus = 1 },
    { .id = 6, .run = 0, .state = JOB_RUNNING | JOB_REQUEUE_FLAG, .uid = 1000, .eligible = 100, .start = 120,
      .end = 180, .nodes = "n2", .account = "bio", .name = "again", .cpus = 1 },
    { .id = 6, .run = 1, .state = JOB_COMPLETED, .uid = 1000, .eligible = 200, .start = 210, .end = 220, .nodes = "n2",
      .account = "bio", .name = "again", .cpus = 1 },
    { .id = 10, .state = JOB_PENDING, .uid = 1002, .eligible = 500, .array = 10, .waiting = "3-5%2", .account = "bio",
      .name = "arr", .cpus = 1 },
    { .id = 11, .state = JOB_COMPLETED, .uid = 1002, .eligible = 500, .start = 510, .end = 520, .array = 10, .task = 1,
      .nodes = "n1", .account = "bio", .name = "arr", .cpus = 1 },
    { .id = 12, .state = JOB_COMPLETED, .uid = 1002, .eligible = 500, .start = 510, .end = 530, .array = 10, .task = 2,
      .nodes = "n1", .account = "bio", .name = "arr", .cpus = 1 },
    { .id = 20, .state = JOB_TIMEOUT, .uid = 1003, .eligible = 600, .start = 610, .end = 700, .het = 20, .nodes = "n1",
      .account = "bio", .name = "het", .cpus = 8 },
    { .id = 21, .state = JOB_TIMEOUT, .uid = 1003, .eligible = 600, .start = 610, .end = 700, .het = 20, .offset = 1,
      .nodes = "n2", .account = "bio", .name = "het", .cpus = 16 },
};

static void add_row(struct fold_batch *b, struct fold_row row, const ProtobufCMessage *m)
{
    row.at = b->bytes.len;
    pb_pack(&b->bytes, m);
    row.len = b->bytes.len - row.at;
    vec_push(&b->rows, row);
}

static void add_story(struct fold_batch *b, const struct story *s, uint64_t spec_id)
{
    Pb__Job j = PB__JOB__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    Pb__Step step = PB__STEP__INIT;
    spec.name = (char *)s->name, spec.account = (char *)s->account, spec.qos = TEXT("normal");
    j.id = s->id, j.state = s->state, j.uid = s->uid, j.gid = 50, j.restarts = s->run;
    j.eligible_s = s->eligible, j.start_s = s->start, j.end_s = s->end, j.partition = TEXT("main");
    j.array_job = s->array, j.has_task = s->task, j.array_task = s->task, j.het_job = s->het, j.het_offset = s->offset;
    j.array_text = (char *)(s->waiting ? s->waiting : ""), j.nodes = (char *)(s->nodes ? s->nodes : "");
    j.num_cpus = s->cpus, j.num_nodes = 1, j.time_limit_min = s->id * 10;
    step.id = PB__STEP_NUMBER__STEP_BATCH, step.start_s = s->start, step.end_s = s->end;
    add_row(b, (struct fold_row){ .kind = FOLD_SPEC, .id = spec_id }, &spec.base);
    struct fold_row row = { .kind = FOLD_JOB, .id = s->id, .submit_s = 90, .run = s->run, .spec = spec_id };
    add_row(b, row, &j.base);
    if (s->start)
        add_row(b, (struct fold_row){ .kind = FOLD_STEP, .id = s->id, .submit_s = 90, .run = s->run, .step = step.id },
                &step.base);
}

static void write_stories(void)
{
    struct history_db *db;
    struct err err = ERR_INIT;
    struct fold_batch *b = NEW(struct fold_batch);
    b->index = 7;
    for (size_t i = 0; i < ARRAY_LEN(stories); i++)
        add_story(b, &stories[i], i + 1);
    ok(!history_db_open(&db, path, &err) && !history_db_write(db, &b, 1, &err), "the stories are written %s", err.text);
    fold_batch_free(b);
    history_db_close(db);
}

/* ---- answers ---- */

struct answer {
    char text[512]; /* "1 2.1 6": numbers, and attempts after the first */
    size_t portions, steps;
    bool refuse;
};

static bool on_portion(void *arg, struct buf *rows)
{
    struct answer *a = arg;
    Pb__HistoryRows *r = pb__history_rows__unpack(NULL, rows->len, (uint8_t *)rows->s);
    buf_clear(rows);
    a->portions++;
    for (size_t i = 0; r && i < r->n_jobs; i++) {
        size_t n = strlen(a->text);
        const Pb__Job *j = r->jobs[i]->job;
        n += (size_t)snprintf(a->text + n, sizeof(a->text) - n, "%s%u", n ? " " : "", j->id);
        if (j->restarts)
            snprintf(a->text + n, sizeof(a->text) - n, ".%u", j->restarts);
        a->steps += r->jobs[i]->n_steps;
        if (!r->jobs[i]->spec || !*r->jobs[i]->spec->name)
            strcat(a->text, "?");
    }
    pb__history_rows__free_unpacked(r, NULL);
    return !a->refuse;
}

static struct answer ask(const Pb__HistoryQuery *q)
{
    static const bool never = false;
    struct answer a = { .text = "" };
    struct err err = ERR_INIT;
    int rc = history_query_run(path, q, on_portion, &a, &never, &err);
    if (rc)
        snprintf(a.text, sizeof(a.text), "error %d: %s", rc, err.text);
    return a;
}

static void asks(const Pb__HistoryQuery *q, const char *want, const char *what)
{
    is_str(ask(q).text, want, "%s", what);
}

#define QUERY(name) Pb__HistoryQuery name = PB__HISTORY_QUERY__INIT

static void test_window(void)
{
    QUERY(q);
    asks(&q, "1 2 3 4 6.1 10 11 12 20 21", "everything but jobs that never were eligible, the last attempt of each");
    q.duplicates = true, q.end_s = 200;
    asks(&q, "1 2 6 6.1", "what was eligible until then, each attempt");
    q.duplicates = false, q.start_s = 205, q.end_s = 390;
    asks(&q, "2 3 4 6.1", "a window: not ended before it, eligible within or before it");
    q.end_s = 190, q.start_s = 100;
    asks(&q, "1 2 6", "an earlier attempt is the answer where the last is outside of the window");
}

static void test_states(void)
{
    QUERY(q);
    uint32_t state[3] = { JOB_COMPLETED };
    q.state = state, q.n_state = 1;
    asks(&q, "1 6.1 11 12", "completed");
    q.start_s = 150, q.end_s = 225;
    asks(&q, "1 6.1", "completed within the window");
    state[0] = JOB_FAILED, state[1] = JOB_TIMEOUT, q.n_state = 2, q.start_s = q.end_s = 0;
    asks(&q, "2 20 21", "two states of ended jobs");
    state[0] = JOB_RUNNING, q.n_state = 1, q.start_s = 190, q.end_s = 350;
    asks(&q, "1 2 6.1", "ran within the window, whatever became of it");
    state[0] = JOB_PENDING, q.start_s = 250, q.end_s = 390;
    asks(&q, "2 3 4", "waited within the window");
    state[1] = JOB_COMPLETED, q.n_state = 2, q.start_s = 190, q.end_s = 205;
    asks(&q, "1 2 6.1", "a waiting state and one of ended jobs");
    state[0] = JOB_REQUEUE_FLAG, q.n_state = 1, q.start_s = q.end_s = 0;
    asks(&q, "6", "attempts that were requeued");
}

static void test_refs(void)
{
    QUERY(q);
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    q.jobs = refs, q.n_jobs = 1;
    ref.job = 5;
    asks(&q, "5", "a held job, by its number");
    ref.job = 10;
    asks(&q, "10 11 12", "an array: its tasks, and those that wait");
    ref.has_task = true, ref.task = 2;
    asks(&q, "12", "a task that ran");
    ref.task = 4;
    asks(&q, "10", "a task that waits is in the row of all that wait");
    ref.task = 6;
    asks(&q, "", "no such task");
    ref.has_task = false, ref.job = 20;
    asks(&q, "20 21", "a heterogeneous job");
    q.exact_het = true;
    asks(&q, "20", "its first component alone");
    q.exact_het = false, ref.has_het = true, ref.het = 1;
    asks(&q, "21", "its second component");
    ref.has_het = false, ref.job = 21;
    asks(&q, "21", "a component by its own number");
    ref.job = 6, q.duplicates = true;
    asks(&q, "6 6.1", "every attempt");
}

static void test_lists(void)
{
    QUERY(q);
    uint32_t id[2] = { 1001, 1003 };
    char *words[2] = { TEXT("physics"), TEXT("none") };
    q.uid = id, q.n_uid = 2;
    asks(&q, "2 4 20 21", "two users");
    q.n_uid = 0, q.account = words, q.n_account = 2;
    asks(&q, "1 3", "an account");
    q.n_account = 0, words[0] = TEXT("a'b"), q.name = words, q.n_name = 1;
    asks(&q, "1", "a name with a quote");
    words[0] = TEXT("') OR 1 --");
    asks(&q, "", "a name that would be SQL");
    q.n_name = 0, words[0] = TEXT("n2"), q.node = words, q.n_node = 1;
    asks(&q, "1 6.1 21", "a node");
    q.start_s = 205, q.end_s = 300;
    asks(&q, "6.1", "a node within a window");
    q.n_node = 0, q.start_s = q.end_s = 0, q.partition = words, q.n_partition = 1;
    asks(&q, "", "a partition that no job was in");
    words[0] = TEXT("main");
    q.min_cpus = 4, q.max_cpus = 8;
    asks(&q, "1 20", "a range of CPUs");
    q.min_cpus = q.max_cpus = 0, q.min_limit_min = 25, q.max_limit_min = 40;
    asks(&q, "3 4", "a range of time limits");
    q.gid = id, q.n_gid = 1;
    asks(&q, "", "a group");
}

static void test_portions(void)
{
    QUERY(q);
    struct err err = ERR_INIT;
    bool stop = true;
    q.steps = true;
    struct answer a = ask(&q);
    is_int(a.steps, 8, "the steps of each job");
    is_int(a.portions, 1, "few rows are one portion");
    a = (struct answer){ .refuse = true };
    is_int(history_query_run(path, &q, on_portion, &a, &stop, &err), ECANCELED, "a portion that is not wanted ends it");
    is_int(history_query_run("/nonexistent/history.db", &q, on_portion, &a, &stop, &err), EIO, "no file, no answer");
}

int main(void)
{
    close(mkstemp(path));
    write_stories();
    test_window();
    test_states();
    test_refs();
    test_lists();
    test_portions();
    static const char *const suffix[] = { "", "-wal", "-shm" };
    for (size_t i = 0; i < ARRAY_LEN(suffix); i++) {
        char name[64];
        snprintf(name, sizeof(name), "%s%s", path, suffix[i]);
        unlink(name);
    }
    return test_done();
}
