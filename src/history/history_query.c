/* history_query - queries of the history; see history_query.h. */
#include "history/history_query.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/vec.h"
#include "core/job.h"
#include "core/pbutil.h"
#include "history/history_db.h"
#include "history/history_match.h"
#include "history/history_sql.h"

#define STOP_EVERY 20000 /* instructions of SQLite between two looks at `stop` */
#define CACHE_KB "8192"

enum { F_ROWS_JOBS = 1, F_JOB = 1, F_SPEC = 2, F_STEPS = 3 };

struct run {
    const Pb__HistoryQuery *q;
    const char *path;
    sqlite3 *sql;
    sqlite3_stmt *keys, *job, *steps;
    history_portion_fn *portion;
    void *arg;
    struct buf out;  /* the portion under way */
    struct buf last; /* the newest match of job `last_id`, which a later attempt may replace */
    int64_t last_id;
};

static int run_fail(struct run *r, const char *what, struct err *err)
{
    if (sqlite3_errcode(r->sql) == SQLITE_INTERRUPT)
        return err_set(err, ECANCELED, "the query was given up");
    return err_set(err, EIO, "%s: cannot %s: %s", r->path, what, sqlite3_errmsg(r->sql));
}

static int look_for_stop(void *arg)
{
    return __atomic_load_n((const bool *)arg, __ATOMIC_RELAXED);
}

/* ---- one job ---- */

static int add_steps(struct run *r, const int64_t key[3], struct buf *one, struct err *err)
{
    for (int i = 0; i < 3; i++)
        sqlite3_bind_int64(r->steps, i + 1, key[i]);
    int rc;
    while ((rc = sqlite3_step(r->steps)) == SQLITE_ROW)
        pb_add_field(one, F_STEPS, sqlite3_column_blob(r->steps, 0), (size_t)sqlite3_column_bytes(r->steps, 0));
    sqlite3_reset(r->steps);
    return rc == SQLITE_DONE ? 0 : run_fail(r, "read steps", err);
}

static int send_portion(struct run *r, struct err *err)
{
    struct buf rows = r->out;
    r->out = (struct buf)BUF_INIT;
    return r->portion(r->arg, &rows) ? 0 : err_set(err, ECANCELED, "the query was given up");
}

/* The attempt that was found last is the answer for its number. */
static int send_last(struct run *r, struct err *err)
{
    if (!r->last.len)
        return 0;
    pb_add_field(&r->out, F_ROWS_JOBS, r->last.s, r->last.len);
    buf_reset(&r->last);
    return r->out.len < HISTORY_PORTION ? 0 : send_portion(r, err);
}

/* Add the row of `key`, which the statement `job` is at, if it is one that was asked for. */
static int add_job(struct run *r, const int64_t key[3], struct err *err)
{
    const uint8_t *bytes = sqlite3_column_blob(r->job, 0), *spec = sqlite3_column_blob(r->job, 1);
    size_t len = (size_t)sqlite3_column_bytes(r->job, 0), spec_len = (size_t)sqlite3_column_bytes(r->job, 1);
    if (!history_match(r->q, bytes, len, spec, spec_len))
        return 0;
    int rc = r->last_id != key[0] || r->q->duplicates ? send_last(r, err) : 0;
    r->last_id = key[0];
    buf_reset(&r->last);
    pb_add_field(&r->last, F_JOB, bytes, len);
    pb_add_field(&r->last, F_SPEC, spec, spec_len);
    return rc || !r->q->steps ? rc : add_steps(r, key, &r->last, err);
}

static int find_job(struct run *r, struct err *err)
{
    int64_t key[3];
    for (int i = 0; i < 3; i++) {
        key[i] = sqlite3_column_int64(r->keys, i);
        sqlite3_bind_int64(r->job, i + 1, key[i]);
    }
    int rc = sqlite3_step(r->job);
    if (rc == SQLITE_ROW)
        rc = add_job(r, key, err);
    else
        rc = rc == SQLITE_DONE ? 0 : run_fail(r, "read jobs", err);
    sqlite3_reset(r->job);
    return rc;
}

/* ---- the whole ---- */

static int run_open(struct run *r, const bool *stop, struct err *err)
{
    if (sqlite3_open_v2(r->path, &r->sql, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL))
        return run_fail(r, "open it", err);
    sqlite3_busy_timeout(r->sql, 10000);
    sqlite3_progress_handler(r->sql, STOP_EVERY, look_for_stop, (void *)stop);
    if (sqlite3_exec(r->sql, "PRAGMA query_only = 1; PRAGMA cache_size = -" CACHE_KB "; BEGIN", NULL, NULL, NULL))
        return run_fail(r, "open it", err);
    static const char job[] = "SELECT j.bytes, s.bytes FROM job j LEFT JOIN spec s ON s.id = j.spec"
                              " WHERE j.id = ?1 AND j.submit = ?2 AND j.run = ?3";
    static const char steps[] = "SELECT bytes FROM step WHERE job = ?1 AND submit = ?2 AND run = ?3 ORDER BY id";
    if (sqlite3_prepare_v2(r->sql, job, -1, &r->job, NULL) || sqlite3_prepare_v2(r->sql, steps, -1, &r->steps, NULL))
        return run_fail(r, "read it", err);
    return 0;
}

static int run_all(struct run *r, struct err *err)
{
    int rc = 0, step;
    while (!rc && (step = sqlite3_step(r->keys)) == SQLITE_ROW)
        rc = find_job(r, err);
    if (!rc && step != SQLITE_DONE)
        rc = run_fail(r, "find jobs", err);
    if (!rc)
        rc = send_last(r, err);
    return rc || !r->out.len ? rc : send_portion(r, err);
}

int history_query_run(const char *path, const Pb__HistoryQuery *q, history_portion_fn *portion, void *arg,
                      const bool *stop, struct err *err)
{
    struct run r = { .q = q, .path = path, .portion = portion, .arg = arg, .last_id = -1 };
    int rc = run_open(&r, stop, err);
    if (!rc && history_sql_prepare(r.sql, q, &r.keys))
        rc = run_fail(&r, "select jobs", err);
    if (!rc)
        rc = run_all(&r, err);
    sqlite3_finalize(r.keys);
    sqlite3_finalize(r.job);
    sqlite3_finalize(r.steps);
    sqlite3_close(r.sql);
    buf_clear(&r.out);
    buf_clear(&r.last);
    return rc;
}
