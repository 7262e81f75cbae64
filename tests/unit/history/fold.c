/* fold - the rows that accounting keeps: the same on every controller, and written once. */
#include <stdlib.h>
#include <unistd.h>

#include "history/history.h"
#include "rig.h"

static char folder[] = "/tmp/spur-history.XXXXXX";

static struct history_db *db_at(const char *name)
{
    struct err err = ERR_INIT;
    struct history_db *db;
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (history_db_open(&db, path, &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return db;
}

static void remove_db(const char *name)
{
    static const char *const suffix[] = { "", "-wal", "-shm" };
    for (size_t i = 0; i < ARRAY_LEN(suffix); i++) {
        char path[128];
        snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix[i]);
        unlink(path);
    }
}

static char *dump(struct history_db *db)
{
    struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    if (history_db_dump(db, &b, &err))
        printf("Bail out! %s\n", err.text);
    buf_addc(&b, '\0');
    return buf_take(&b);
}

/* ---- a story ---- */

static void two_tasks(Pb__SubmitRequest *q)
{
    q->spec->array = TEXT("1-3");
}

static void says_requeue(Pb__SubmitRequest *q)
{
    q->spec->requeue = 1;
}

static uint32_t begin_step(struct rig *r, uint32_t job)
{
    Pb__StepRequest q = PB__STEP_REQUEST__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    static uint8_t secret[] = "TOKEN-OF-SRUN";
    Pb__IoEndpoint io = PB__IO_ENDPOINT__INIT;
    io.token = (ProtobufCBinaryData){ sizeof(secret) - 1, secret };
    spec.name = TEXT("work"), spec.nodes = 1, spec.ntasks = 1, spec.io = &io;
    spec.env = (ProtobufCBinaryData){ sizeof(secret) - 1, secret };
    q.job_id = job, q.spec = &spec;
    rig_ask(r, ADA, MSG_STEP, &q.base);
    return rig_job(r, job)->next_step - 1;
}

static void tell_story(struct rig *r)
{
    uint32_t a = rig_submit(r, ADA, NULL);
    r->now_ms += 5000;
    uint32_t step = begin_step(r, a);
    r->now_ms += 5000;
    rig_report(r, rig_job(r, a)->alloc.at[0].node + 1, a, rig_job(r, a)->attempt, step, 256, false);
    rig_finish(r, a, 0);
    uint32_t b = rig_submit(r, BOB, says_requeue);
    r->now_ms += 1000;
    rig_op(r, BOB, PB__JOB_OP__OP_REQUEUE, b);
    rig_finish(r, b, 9);
    rig_pass(r, 200);
    rig_submit(r, ADA, two_tasks);
    r->now_ms += 1000;
    uint32_t c = rig_submit(r, ADA, NULL);
    rig_cancel(r, ADA, c);
    rig_pass(r, 1);
}

static void take_up(struct rig *r)
{
    *r = (struct rig){ .now_ms = START_MS, .nodes = 4, .fold = fold_new() };
    memset(r->key.bytes, 42, sizeof(r->key.bytes));
    log_open("test", LOG_FATAL);
    r->t = rig_ctl(r, rig_conf);
    rig_lead(r);
    for (uint32_t i = 1; i <= r->nodes; i++)
        rig_register(r, i, "boot", NULL, 0);
}

/* What a follower's fold makes of the log: a batch for each entry, NULL where there is none. */
typedef VEC(struct fold_batch *) batches;

static void fold_log(const struct rig *r, batches *out)
{
    struct rig other = { .fold = fold_new() };
    struct ctl *t = rig_ctl(&other, rig_conf);
    for (size_t i = 0; i < r->log.n; i++) {
        rig_replay(t, r->log.at[i].s, r->log.at[i].len);
        struct fold_batch *b = fold_take(other.fold, i + 1);
        if (b)
            vec_push(out, b);
    }
    ctl_free(t);
    fold_free(other.fold);
}

static void free_batches(batches *b)
{
    for (size_t i = 0; i < b->n; i++)
        fold_batch_free(b->at[i]);
    vec_clear(b);
}

/* ---- tests ---- */

static size_t lines_with(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, word)); p++)
        n++;
    return n;
}

static void test_rows(const struct rig *r, const char *text)
{
    is_int(lines_with(text, "\njob|") + !strncmp(text, "job|", 4), 7, "a row for each job, task and attempt");
    ok(lines_with(text, "\nstep|") >= 4, "rows for scripts and for the step");
    ok(!strstr(text, "544f4b454e"), "no token and no environment is in a row");
    (void)r;
}

/* The leader folds while it decides, a follower when it replays. */
static void test_same_everywhere(const struct rig *r, const batches *follower)
{
    struct history_db *a = db_at("leader"), *b = db_at("follower");
    ok(!history_db_write(a, r->folded.at, r->folded.n, NULL), "the leader's rows are written");
    ok(!history_db_write(b, follower->at, follower->n, NULL), "and those of a follower");
    auto_free char *x = dump(a), *y = dump(b);
    ok(!strcmp(x, y) && *x, "they are the same rows");
    test_rows(r, x);
    ok(!history_db_write(b, follower->at, follower->n, NULL), "entries that are in the file are skipped");
    is_int(history_db_index(b), follower->at[follower->n - 1]->index, "the file has the index of the last entry");
    history_db_close(a), history_db_close(b);
}

/* After any prefix the file is closed; what comes then may begin earlier. */
static void test_any_stop(const batches *log)
{
    struct history_db *whole = db_at("follower");
    auto_free char *want = dump(whole);
    history_db_close(whole);
    size_t same = 0;
    for (size_t stop = 0; stop <= log->n; stop++) {
        remove_db("stopped");
        struct history_db *db = db_at("stopped");
        history_db_write(db, log->at, stop, NULL);
        history_db_close(db);
        db = db_at("stopped");
        size_t from = stop / 2;
        history_db_write(db, log->at + from, log->n - from, NULL);
        auto_free char *got = dump(db);
        same += !strcmp(got, want);
        history_db_close(db);
    }
    is_int(same, log->n + 1, "stopped after any entry, and fed again from an earlier one: the same rows");
}

static void count_up(void *arg, uint64_t index, bool again)
{
    *(uint64_t *)arg = index;
}

static void on_awake(uv_timer_t *t)
{
}

static void test_worker(const struct rig *r)
{
    char path[128];
    struct history *h;
    struct err err = ERR_INIT;
    snprintf(path, sizeof(path), "%s/worker", folder);
    uv_loop_t loop;
    uint64_t told = 0;
    uv_timer_t awake; /* the history alone does not keep a loop alive */
    uv_loop_init(&loop);
    uv_timer_init(&loop, &awake);
    uv_timer_start(&awake, on_awake, 3600000, 0);
    ok(!history_open(&h, &loop, path, count_up, &told, &err), "a worker %s", err.text);
    batches log = { 0 };
    fold_log(r, &log);
    for (size_t i = 0; i < log.n; i++)
        history_feed(h, log.at[i]->index, log.at[i]);
    uint64_t last = log.at[log.n - 1]->index;
    history_feed(h, last + 3, NULL);
    vec_clear(&log);
    history_want(h);
    for (int i = 0; told < last + 3 && i < 60000; i++) {
        uv_run(&loop, UV_RUN_NOWAIT);
        usleep(1000);
    }
    is_int(told, last + 3, "the loop is told what is on disk, entries without rows included");
    history_close(h);
    uv_close((uv_handle_t *)&awake, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    struct history_db *a = db_at("worker"), *b = db_at("follower");
    auto_free char *x = dump(a), *y = dump(b);
    ok(!strcmp(x, y), "the worker writes all of it before it ends");
    is_int(history_db_index(a), last + 3, "and how far that is");
    history_db_close(a), history_db_close(b);
}

/* Entries alone, none of which has rows. */
static void test_idle(void)
{
    char path[128];
    struct history *h;
    struct err err = ERR_INIT;
    uv_loop_t loop;
    uint64_t told = 0;
    snprintf(path, sizeof(path), "%s/idle", folder);
    uv_loop_init(&loop);
    history_open(&h, &loop, path, count_up, &told, &err);
    history_feed(h, 5, NULL);
    history_close(h);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    struct history_db *db = db_at("idle");
    is_int(history_db_index(db), 5, "the index of entries without rows is written as well");
    history_db_close(db);
}

static void test_refused(void)
{
    struct err err = ERR_INIT;
    struct history_db *db;
    char path[128];
    snprintf(path, sizeof(path), "%s/noise", folder);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 4096; i++)
        fputc(i * 7 % 251, f);
    fclose(f);
    is_int(history_db_open(&db, path, &err), EILSEQ, "a file that is no database is refused");
    ok(strstr(err.text, path) && !db, "by name: %s", err.text);
}

int main(void)
{
    struct rig r;
    batches log = { 0 };
    if (!mkdtemp(folder))
        return 1;
    take_up(&r);
    tell_story(&r);
    fold_log(&r, &log);
    test_same_everywhere(&r, &log);
    test_any_stop(&log);
    test_worker(&r);
    test_idle();
    test_refused();
    free_batches(&log);
    struct fold *f = r.fold;
    rig_down(&r);
    fold_free(f);
    static const char *const names[] = { "leader", "follower", "stopped", "worker", "noise", "idle" };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        remove_db(names[i]);
    rmdir(folder);
    return test_done();
}
