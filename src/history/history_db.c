/* history_db - the tables of the history, in SQLite; see history_db.h. */
#include "history/history_db.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/str.h"
#include "core/job.h"
#include "text/hostlist.h"

enum statement { PUT_JOB, PUT_NODE, DROP_NODE, PUT_STEP, PUT_SPEC, PUT_GAP, PUT_INDEX, STATEMENTS };

struct history_db {
    sqlite3 *sql;
    char *path;
    sqlite3_stmt *put[STATEMENTS];
    uint64_t index;
};

/* clang-format off */
static const char *const migrations[] = {
    /* 1 */
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;"
    "CREATE TABLE gap (first INTEGER PRIMARY KEY, last INTEGER);"
    "CREATE TABLE spec (id INTEGER PRIMARY KEY, name TEXT, account TEXT, qos TEXT, wckey TEXT, bytes BLOB NOT NULL);"
    "CREATE TABLE job (id INTEGER, submit INTEGER, run INTEGER, state INTEGER, uid INTEGER, gid INTEGER, part TEXT,"
    "  account TEXT, eligible INTEGER, start INTEGER, end INTEGER, array INTEGER, het INTEGER, spec INTEGER,"
    "  bytes BLOB NOT NULL, PRIMARY KEY (id, submit, run)) WITHOUT ROWID;"
    "CREATE INDEX job_end ON job (end);"
    "CREATE INDEX job_state ON job (state, end);"
    "CREATE INDEX job_uid ON job (uid, end);"
    "CREATE INDEX job_account ON job (account, end);"
    "CREATE INDEX job_array ON job (array) WHERE array > 0;"
    "CREATE INDEX job_het ON job (het) WHERE het > 0;"
    "CREATE TABLE job_node (node TEXT, end INTEGER, id INTEGER, submit INTEGER, run INTEGER,"
    "  PRIMARY KEY (node, end, id, submit, run)) WITHOUT ROWID;"
    "CREATE TABLE step (job INTEGER, submit INTEGER, run INTEGER, id INTEGER, state INTEGER, start INTEGER,"
    "  end INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (job, submit, run, id)) WITHOUT ROWID;",
};

static const char *const statements[STATEMENTS] = {
    [PUT_JOB] = ("INSERT OR REPLACE INTO job VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
                 " (SELECT account FROM spec WHERE id = ?13), ?8, ?9, ?10, ?11, ?12, ?13, ?14)"),
    [PUT_NODE] = "INSERT OR REPLACE INTO job_node VALUES (?4, ?5, ?1, ?2, ?3)",
    [DROP_NODE] = "DELETE FROM job_node WHERE node = ?4 AND end = ?5 AND id = ?1 AND submit = ?2 AND run = ?3",
    [PUT_STEP] = "INSERT OR REPLACE INTO step VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [PUT_SPEC] = "INSERT OR IGNORE INTO spec VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [PUT_GAP] = "INSERT OR REPLACE INTO gap VALUES (?1, ?2)",
    [PUT_INDEX] = "INSERT OR REPLACE INTO meta VALUES ('index', ?1)",
};
/* clang-format on */

static int db_fail(struct history_db *db, const char *what, struct err *err)
{
    int code = sqlite3_errcode(db->sql);
    int rc = code == SQLITE_FULL                                ? ENOSPC
             : code == SQLITE_CORRUPT || code == SQLITE_NOTADB  ? EILSEQ
             : code == SQLITE_BUSY || code == SQLITE_LOCKED     ? EBUSY
                                                                : EIO;
    return err_set(err, rc, "%s: cannot %s: %s", db->path, what, sqlite3_errmsg(db->sql));
}

static int db_do(struct history_db *db, const char *sql, const char *what, struct err *err)
{
    return sqlite3_exec(db->sql, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_fail(db, what, err);
}

/* ---- opening ---- */

static int64_t db_number(struct history_db *db, const char *sql)
{
    sqlite3_stmt *s = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL) == SQLITE_OK)
        value = sqlite3_step(s) == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
    sqlite3_finalize(s);
    return value;
}

static int db_migrate(struct history_db *db, struct err *err)
{
    int64_t version = db_number(db, "PRAGMA user_version"), newest = ARRAY_LEN(migrations);
    if (version < 0)
        return db_fail(db, "read its version", err);
    if (version > newest)
        return err_set(err, EPROTO, "%s was written by a newer release (schema %lld, this release has %lld)", db->path,
                       (long long)version, (long long)newest);
    for (; version < newest; version++) {
        auto_free char *sql = mem_printf("BEGIN IMMEDIATE; %s PRAGMA user_version = %lld; COMMIT;", migrations[version],
                                         (long long)version + 1);
        if (db_do(db, sql, "bring it to this release", err)) {
            sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
            return err->code;
        }
    }
    return 0;
}

static int db_prepare(struct history_db *db, struct err *err)
{
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(db->sql, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &db->put[i], NULL) != SQLITE_OK)
            return db_fail(db, "prepare a statement", err);
    return 0;
}

int history_db_open(struct history_db **out, const char *path, struct err *err)
{
    struct err mine = ERR_INIT;
    err = err ? err : &mine;
    struct history_db *db = NEW(struct history_db);
    db->path = mem_str(path);
    int rc = 0;
    auto_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600); /* SQLite gives its other files this mode */
    if (fd < 0)
        rc = err_set(err, errno, "cannot open %s: %m", path);
    if (!rc && sqlite3_open_v2(path, &db->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL))
        rc = db_fail(db, "open it", err);
    if (!rc)
        sqlite3_busy_timeout(db->sql, 10000);
    if (!rc) /* the log is kept until the rows are on disk: a commit syncs */
        rc = db_do(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", "open it", err);
    if (!rc)
        rc = db_migrate(db, err);
    if (!rc)
        rc = db_prepare(db, err);
    if (!rc)
        db->index = (uint64_t)db_number(db, "SELECT value FROM meta WHERE key = 'index'");
    if (rc)
        history_db_close(take(db));
    *out = db;
    return rc;
}

void history_db_close(struct history_db *db)
{
    if (!db)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(db->put[i]);
    sqlite3_close(db->sql);
    free(db->path);
    free(db);
}

uint64_t history_db_index(const struct history_db *db)
{
    return db->index;
}

/* ---- writing ---- */

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    sqlite3_bind_text(s, at, text ? text : "", -1, SQLITE_STATIC);
}

static void bind_numbers(sqlite3_stmt *s, int at, const int64_t *number, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sqlite3_bind_int64(s, at + (int)i, number[i]);
}

static int db_step(struct history_db *db, sqlite3_stmt *s, struct err *err)
{
    int rc = sqlite3_step(s) == SQLITE_DONE ? 0 : db_fail(db, "write a row", err);
    sqlite3_reset(s);
    return rc;
}

static int64_t end_or_never(int64_t end_s)
{
    return end_s ? end_s : HISTORY_NOT_OVER;
}

/* A job that waits again has a start and an end of an earlier attempt. */
static int64_t job_row_end(const Pb__Job *j)
{
    bool over = (j->state & JOB_REQUEUE_FLAG) || (j->state & JOB_STATE_BASE) > JOB_SUSPENDED;
    return over ? end_or_never(j->end_s) : HISTORY_NOT_OVER;
}

static int unparsed(const struct fold_row *r, struct err *err)
{
    static const char *const names[] = { [FOLD_JOB] = "job", [FOLD_STEP] = "a step of job", [FOLD_SPEC] = "spec" };
    return err_set(err, EBADMSG, "the row of %s %llu does not parse", names[r->kind], (unsigned long long)r->id);
}

/* Which jobs a node had, by their ends. */
static int put_nodes(struct history_db *db, const struct fold_row *r, const char *nodes, int64_t end, struct err *err)
{
    auto_strs struct strs names = STRS_INIT;
    int rc = hostlist_expand(nodes, &names, err);
    const int64_t key[] = { (int64_t)r->id, r->submit_s, r->run };
    for (size_t i = 0; !rc && i < names.n; i++)
        for (enum statement k = PUT_NODE; !rc && k <= DROP_NODE; k++) {
            if (k == DROP_NODE && end == HISTORY_NOT_OVER)
                continue;
            bind_numbers(db->put[k], 1, key, ARRAY_LEN(key));
            bind_text(db->put[k], 4, names.at[i]);
            sqlite3_bind_int64(db->put[k], 5, k == PUT_NODE ? end : HISTORY_NOT_OVER);
            rc = db_step(db, db->put[k], err);
        }
    return rc;
}

/* A job that was cancelled while it waited has a start and no nodes. */
static int64_t job_row_start(const Pb__Job *j)
{
    return str_empty(j->nodes) ? 0 : j->start_s;
}

/* A job that was held until its end was never eligible. */
static int64_t job_row_eligible(const Pb__Job *j)
{
    return j->hold && str_empty(j->nodes) ? 0 : j->eligible_s;
}

static int put_job(struct history_db *db, const struct fold_row *r, const uint8_t *bytes, struct err *err)
{
    Pb__Job *j = pb__job__unpack(NULL, r->len, bytes);
    if (!j)
        return unparsed(r, err);
    sqlite3_stmt *s = db->put[PUT_JOB];
    int64_t end = job_row_end(j);
    const int64_t key[] = { j->id, r->submit_s, r->run, history_state(j->state), j->uid, j->gid };
    const int64_t when[] = { job_row_eligible(j), job_row_start(j), end, j->array_job, j->het_job, (int64_t)r->spec };
    bind_numbers(s, 1, key, ARRAY_LEN(key));
    bind_text(s, 7, j->partition);
    bind_numbers(s, 8, when, ARRAY_LEN(when));
    sqlite3_bind_blob(s, 14, bytes, (int)r->len, SQLITE_STATIC);
    int rc = db_step(db, s, err);
    if (!rc && !str_empty(j->nodes))
        rc = put_nodes(db, r, j->nodes, end, err);
    pb__job__free_unpacked(j, NULL);
    return rc;
}

static int put_step(struct history_db *db, const struct fold_row *r, const uint8_t *bytes, struct err *err)
{
    Pb__Step *p = pb__step__unpack(NULL, r->len, bytes);
    if (!p)
        return unparsed(r, err);
    sqlite3_stmt *s = db->put[PUT_STEP];
    const int64_t number[] = { (int64_t)r->id, r->submit_s, r->run, p->id, p->state, p->start_s,
                               end_or_never(p->end_s) };
    bind_numbers(s, 1, number, ARRAY_LEN(number));
    sqlite3_bind_blob(s, 8, bytes, (int)r->len, SQLITE_STATIC);
    int rc = db_step(db, s, err);
    pb__step__free_unpacked(p, NULL);
    return rc;
}

static int put_spec(struct history_db *db, const struct fold_row *r, const uint8_t *bytes, struct err *err)
{
    Pb__JobSpec *p = pb__job_spec__unpack(NULL, r->len, bytes);
    if (!p)
        return unparsed(r, err);
    sqlite3_stmt *s = db->put[PUT_SPEC];
    sqlite3_bind_int64(s, 1, (int64_t)r->id);
    bind_text(s, 2, p->name);
    bind_text(s, 3, p->account);
    bind_text(s, 4, p->qos);
    bind_text(s, 5, p->wckey);
    sqlite3_bind_blob(s, 6, bytes, (int)r->len, SQLITE_STATIC);
    int rc = db_step(db, s, err);
    pb__job_spec__free_unpacked(p, NULL);
    return rc;
}

static int put_row(struct history_db *db, const struct fold_batch *b, const struct fold_row *r, struct err *err)
{
    const uint8_t *bytes = (const uint8_t *)b->bytes.s + r->at;
    return r->kind == FOLD_JOB    ? put_job(db, r, bytes, err)
           : r->kind == FOLD_STEP ? put_step(db, r, bytes, err)
                                  : put_spec(db, r, bytes, err);
}

static int put_index(struct history_db *db, uint64_t index, struct err *err)
{
    sqlite3_bind_int64(db->put[PUT_INDEX], 1, (int64_t)index);
    return db_step(db, db->put[PUT_INDEX], err);
}

static int db_commit(struct history_db *db, int rc, uint64_t index, struct err *err)
{
    if (!rc)
        rc = put_index(db, index, err);
    if (!rc)
        rc = db_do(db, "COMMIT", "commit", err);
    if (rc)
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    else
        db->index = index;
    return rc;
}

static uint64_t row_hash(const struct fold_row *r)
{
    const uint64_t key[] = { r->kind, r->id, (uint64_t)r->submit_s, (uint64_t)r->run << 32 | r->step };
    return map_hash_bytes(key, sizeof(key));
}

static bool row_same_key(const struct fold_row *a, const struct fold_row *b)
{
    return a->kind == b->kind && a->id == b->id && a->submit_s == b->submit_s && a->run == b->run && a->step == b->step;
}

/* A job that is submitted, started and ended within one transaction is written once: in `last` is the last row of each
 * key. */
static void find_last_rows(struct fold_batch *const *batch, size_t n, struct map *last)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < batch[i]->rows.n; k++)
            map_put(last, row_hash(&batch[i]->rows.at[k]), &batch[i]->rows.at[k]);
}

static int put_batch(struct history_db *db, const struct fold_batch *b, const struct map *last, struct err *err)
{
    int rc = 0;
    if (b->after_gap) {
        const int64_t gap[] = { (int64_t)db->index + 1, (int64_t)b->index };
        bind_numbers(db->put[PUT_GAP], 1, gap, ARRAY_LEN(gap));
        rc = db_step(db, db->put[PUT_GAP], err);
    }
    for (size_t k = 0; !rc && k < b->rows.n; k++) {
        const struct fold_row *r = &b->rows.at[k], *newest = map_get(last, row_hash(r));
        if (r == newest || !row_same_key(r, newest))
            rc = put_row(db, b, r, err);
    }
    return rc;
}

int history_db_write(struct history_db *db, struct fold_batch *const *batch, size_t n, struct err *err)
{
    struct err mine = ERR_INIT;
    err = err ? err : &mine;
    while (n && (*batch)->index <= db->index)
        batch++, n--;
    if (!n)
        return 0;
    struct map last = MAP_INIT;
    find_last_rows(batch, n, &last);
    int rc = db_do(db, "BEGIN IMMEDIATE", "begin", err);
    for (size_t i = 0; !rc && i < n; i++)
        rc = put_batch(db, batch[i], &last, err);
    map_clear(&last);
    return db_commit(db, rc, batch[n - 1]->index, err);
}

int history_db_mark(struct history_db *db, uint64_t index, struct err *err)
{
    struct err mine = ERR_INIT;
    err = err ? err : &mine;
    if (index <= db->index)
        return 0;
    int rc = db_do(db, "BEGIN IMMEDIATE", "begin", err);
    return db_commit(db, rc, index, err);
}

/* ---- comparing ---- */

static void dump_row(sqlite3_stmt *s, const char *table, struct buf *out)
{
    buf_adds(out, table);
    for (int i = 0; i < sqlite3_column_count(s); i++) {
        buf_adds(out, "|");
        if (sqlite3_column_type(s, i) != SQLITE_BLOB) {
            buf_adds(out, (const char *)sqlite3_column_text(s, i));
            continue;
        }
        const uint8_t *p = sqlite3_column_blob(s, i);
        for (int k = 0; k < sqlite3_column_bytes(s, i); k++)
            buf_addf(out, "%02x", p[k]);
    }
    buf_adds(out, "\n");
}

int history_db_dump(struct history_db *db, struct buf *out, struct err *err)
{
    static const char *const tables[][2] = {
        { "job", "SELECT * FROM job ORDER BY id, submit, run" },
        { "step", "SELECT * FROM step ORDER BY job, submit, run, id" },
        { "spec", "SELECT * FROM spec ORDER BY id" },
        { "gap", "SELECT * FROM gap ORDER BY first" },
    };
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        sqlite3_stmt *s = NULL;
        if (sqlite3_prepare_v2(db->sql, tables[i][1], -1, &s, NULL) != SQLITE_OK)
            return db_fail(db, "read it", err);
        int step;
        while ((step = sqlite3_step(s)) == SQLITE_ROW)
            dump_row(s, tables[i][0], out);
        sqlite3_finalize(s);
        if (step != SQLITE_DONE)
            return db_fail(db, "read it", err);
    }
    return 0;
}
