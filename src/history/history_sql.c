/* history_sql - which rows a query looks at; see history_sql.h. */
#include "history/history_sql.h"

#include "base/buf.h"
#include "base/vec.h"
#include "core/job.h"
#include "history/history_db.h"

struct value { /* of a parameter; text is borrowed from the query */
    const char *text;
    int64_t number;
};

struct sql {
    struct buf text;
    VEC(struct value) values;
};

static void add_number(struct sql *s, int64_t number)
{
    buf_adds(&s->text, "?");
    vec_push(&s->values, ((struct value){ NULL, number }));
}

static void add_numbers(struct sql *s, const char *column, const uint32_t *at, size_t n)
{
    buf_addf(&s->text, "%s IN (", column);
    for (size_t i = 0; i < n; i++) {
        buf_adds(&s->text, i ? ", " : "");
        add_number(s, at[i]);
    }
    buf_adds(&s->text, ")");
}

static void add_texts(struct sql *s, const char *column, char *const *at, size_t n)
{
    buf_addf(&s->text, "%s IN (", column);
    for (size_t i = 0; i < n; i++) {
        buf_adds(&s->text, i ? ", ?" : "?");
        vec_push(&s->values, ((struct value){ at[i], 0 }));
    }
    buf_adds(&s->text, ")");
}

/* ---- conditions ---- */

static int64_t window_end(const Pb__HistoryQuery *q)
{
    return q->end_s ? q->end_s : HISTORY_NOT_OVER;
}

static void add_condition(struct sql *s, const char *before, int64_t number)
{
    buf_adds(&s->text, before);
    add_number(s, number);
}

/* "12" is a job, an array or a heterogeneous job. */
static void where_jobs(struct sql *s, const Pb__HistoryQuery *q)
{
    uint32_t *id = mem_array(q->n_jobs, sizeof(*id));
    for (size_t i = 0; i < q->n_jobs; i++)
        id[i] = q->jobs[i]->job;
    buf_adds(&s->text, " AND (");
    add_numbers(s, "j.id", id, q->n_jobs);
    add_numbers(s, " OR j.array > 0 AND j.array", id, q->n_jobs);
    add_numbers(s, " OR j.het > 0 AND j.het", id, q->n_jobs);
    buf_adds(&s->text, ")");
    free(id);
}

/* A state that a job is in for a while: the job was in it at some time of the window. */
static bool where_open_state(struct sql *s, const Pb__HistoryQuery *q, uint32_t state)
{
    if (state == JOB_PENDING) {
        add_condition(s, "(j.eligible > 0 AND j.eligible <= ", window_end(q));
        add_condition(s, " AND (j.start = 0 OR j.start >= ", q->start_s);
        buf_adds(&s->text, "))");
    } else if (state == JOB_RUNNING || state == JOB_SUSPENDED) {
        add_condition(s, "(j.start > 0 AND j.start <= ", window_end(q));
        add_condition(s, " AND j.end >= ", q->start_s);
        buf_adds(&s->text, ")");
    } else {
        return false;
    }
    return true;
}

static void where_states(struct sql *s, const Pb__HistoryQuery *q)
{
    VEC(uint32_t) ended = { 0 };
    const char *or = "";
    buf_adds(&s->text, " AND (");
    for (size_t i = 0; i < q->n_state; i++) {
        size_t before = s->text.len;
        buf_adds(&s->text, or);
        if (where_open_state(s, q, q->state[i])) {
            or = " OR ";
            continue;
        }
        s->text.len = before;
        vec_push(&ended, q->state[i]);
    }
    if (ended.n) {
        buf_adds(&s->text, or);
        add_numbers(s, "(j.state", ended.at, ended.n);
        add_condition(s, " AND j.end >= ", q->start_s);
        add_condition(s, " AND j.end <= ", window_end(q));
        buf_adds(&s->text, ")");
    }
    buf_adds(&s->text, ")");
    vec_clear(&ended);
}

/* It waited, ran or ended within the window; a job asked for by its number need not have been eligible ever. */
static void where_window(struct sql *s, const Pb__HistoryQuery *q)
{
    if (q->start_s)
        add_condition(s, " AND j.end >= ", q->start_s);
    if (q->end_s)
        add_condition(s, " AND j.eligible <= ", q->end_s);
    if (!q->n_jobs)
        buf_adds(&s->text, " AND j.eligible > 0");
}

static void where_nodes(struct sql *s, const Pb__HistoryQuery *q)
{
    buf_adds(&s->text, " AND (j.id, j.submit, j.run) IN (SELECT id, submit, run FROM job_node WHERE ");
    add_texts(s, "node", q->node, q->n_node);
    add_condition(s, " AND end >= ", q->start_s);
    add_condition(s, ") AND j.start > 0 AND j.start <= ", window_end(q));
}

/* Found by an index of another column than the number: sorted by number afterwards, instead of looking at all. */
static bool is_selective(const Pb__HistoryQuery *q)
{
    return q->n_jobs || q->n_uid || q->n_account || q->n_node || q->n_state || q->start_s;
}

static void write_statement(struct sql *s, const Pb__HistoryQuery *q)
{
    bool by_spec = q->n_qos || q->n_name || q->n_wckey;
    buf_addf(&s->text, "SELECT j.id, j.submit, j.run FROM job j%s WHERE 1",
             by_spec ? " JOIN spec s ON s.id = j.spec" : "");
    if (q->n_jobs)
        where_jobs(s, q);
    if (q->n_uid)
        add_numbers(s, " AND j.uid", q->uid, q->n_uid);
    if (q->n_gid)
        add_numbers(s, " AND j.gid", q->gid, q->n_gid);
    if (q->n_account)
        add_texts(s, " AND j.account", q->account, q->n_account);
    if (q->n_qos)
        add_texts(s, " AND s.qos", q->qos, q->n_qos);
    if (q->n_name)
        add_texts(s, " AND s.name", q->name, q->n_name);
    if (q->n_wckey)
        add_texts(s, " AND s.wckey", q->wckey, q->n_wckey);
    if (q->n_node)
        where_nodes(s, q);
    if (q->n_state)
        where_states(s, q);
    else
        where_window(s, q);
    buf_adds(&s->text, is_selective(q) ? " ORDER BY +j.id, +j.submit, +j.run" : " ORDER BY j.id, j.submit, j.run");
}

int history_sql_prepare(sqlite3 *sql, const Pb__HistoryQuery *q, sqlite3_stmt **out)
{
    struct sql s = { .text = BUF_INIT };
    write_statement(&s, q);
    int rc = sqlite3_prepare_v2(sql, s.text.s, (int)s.text.len, out, NULL);
    for (size_t i = 0; !rc && i < s.values.n; i++)
        rc = s.values.at[i].text ? sqlite3_bind_text(*out, (int)i + 1, s.values.at[i].text, -1, SQLITE_STATIC)
                                 : sqlite3_bind_int64(*out, (int)i + 1, s.values.at[i].number);
    buf_clear(&s.text);
    vec_clear(&s.values);
    return rc;
}
