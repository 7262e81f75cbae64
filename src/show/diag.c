/* diag - the fields of sdiag; see diag.h. */
#include "show/diag.h"

#include <time.h>

#include "base/str.h"
#include "show/row.h"

#define REPLY(row) (((const struct diag_row *)(row))->reply)
#define MAIN(row) (REPLY(row)->main)
#define FILL(row) (REPLY(row)->fill)

typedef unsigned long long ull;

/* ---- counts by message type and by user ---- */

struct count_row {
    const Pb__DiagCount *count;
    show_user_fn *user;
};
_Static_assert(sizeof(struct count_row) <= SHOW_ROOM, "it is built in the room of a row");
#define COUNT(row) (((const struct count_row *)(row))->count)

static const void *rpc_at(const void *of, size_t i, void *room)
{
    *(struct count_row *)room = (struct count_row){ REPLY(of)->rpc[i], NULL };
    return room;
}

static const void *user_at(const void *of, size_t i, void *room)
{
    *(struct count_row *)room = (struct count_row){ REPLY(of)->users[i], ((const struct diag_row *)of)->user };
    return room;
}

GET(get_rpcs)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ REPLY(row)->n_rpc, row, rpc_at };
}

GET(get_users)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ REPLY(row)->n_users, row, user_at };
}

GET(get_none)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ 0, NULL, NULL };
}

GET_NUMBER(get_id, COUNT(row)->id)
GET_NUMBER(get_count, COUNT(row)->count)
GET_NUMBER(get_total, COUNT(row)->us)
GET_TEXT(get_message, COUNT(row)->name)

GET(get_average)
{
    if (COUNT(row)->us && COUNT(row)->count)
        show_set_number(v, (int64_t)(COUNT(row)->us / COUNT(row)->count));
}

GET(get_user)
{
    const struct count_row *r = row;
    if (r->user)
        show_set_text(v, r->user(r->count->id));
    else
        buf_addf(show_make(v), "%u", r->count->id);
}

/* clang-format off */
static const struct show_field rpc_fields[] = {
    ROW(NULL, "type_id",      NUMBER,     get_id, .of = "id"),
    ROW(NULL, "message_type", TEXT,       get_message, .of = "name"),
    ROW(NULL, "count",        NUMBER,     get_count, .of = "count"),
    ROW(NULL, "queued",       NUMBER,     show_get_unset),
    ROW(NULL, "dropped",      NUMBER,     show_get_unset),
    ROW(NULL, "cycle_last",   NUMBER,     show_get_unset),
    ROW(NULL, "cycle_max",    NUMBER,     show_get_unset),
    ROW(NULL, "total_time",   NUMBER,     get_total, .of = "us"),
    ROW(NULL, "average_time", NUMBER_SET, get_average),
    { 0 },
};
static const struct show_field user_fields[] = {
    ROW(NULL, "user_id",      NUMBER,     get_id),
    ROW(NULL, "user",         TEXT,       get_user),
    ROW(NULL, "count",        NUMBER,     get_count),
    ROW(NULL, "total_time",   NUMBER,     get_total),
    ROW(NULL, "average_time", NUMBER_SET, get_average),
    { 0 },
};
/* clang-format on */
static const struct show_table show_rpcs = { "messages", rpc_fields, "", NULL };
static const struct show_table show_users = { "users", user_fields, "", NULL };

/* ---- the controller ---- */

GET_NUMBER(get_one, 1)
GET_NUMBER(get_now, REPLY(row)->now_s)
GET_NUMBER(get_since, REPLY(row)->since_s)
GET_NUMBER(get_branches, REPLY(row)->branches)
GET_NUMBER(get_submitted, REPLY(row)->submitted)
GET_NUMBER(get_started, REPLY(row)->started)
GET_NUMBER(get_completed, REPLY(row)->completed)
GET_NUMBER(get_cancelled, REPLY(row)->cancelled)
GET_NUMBER(get_failed, REPLY(row)->failed)
GET_NUMBER(get_pending, REPLY(row)->pending)
GET_NUMBER(get_running, REPLY(row)->running)
GET_NUMBER(get_filled, REPLY(row)->filled)
GET_NUMBER(get_filled_ever, REPLY(row)->filled_ever)
GET_NUMBER(get_het, REPLY(row)->het)

/* A mean exists once there was a cycle. */
static void set_mean(struct show_value *v, uint64_t sum, uint64_t n)
{
    if (n)
        show_set_number(v, (int64_t)(sum / n));
}

GET_NUMBER(get_main_last, MAIN(row)->last_us)
GET_NUMBER(get_main_max, MAIN(row)->max_us)
GET_NUMBER(get_main_sum, MAIN(row)->us)
GET_NUMBER(get_main_n, MAIN(row)->n)
GET_NUMBER(get_main_depth, MAIN(row)->depth)
GET_NUMBER(get_main_queue, MAIN(row)->last_queue)
GET_NUMBER(get_main_end, MAIN(row)->end_queue)
GET_NUMBER(get_main_end_depth, MAIN(row)->end_depth)
GET_NUMBER(get_main_end_starts, MAIN(row)->end_starts)
GET(get_main_mean) { set_mean(v, MAIN(row)->us, MAIN(row)->n); }
GET(get_main_mean_depth) { set_mean(v, MAIN(row)->depth, MAIN(row)->n); }
GET(get_main_per_minute)
{
    int64_t minutes = (REPLY(row)->now_s - REPLY(row)->since_s) / 60;
    if (minutes > 0)
        show_set_number(v, (int64_t)MAIN(row)->n / minutes);
}

GET_NUMBER(get_fill_n, FILL(row)->n)
GET_COUNT(get_fill_when, FILL(row)->last_s)
GET_NUMBER(get_fill_last, FILL(row)->last_us)
GET_NUMBER(get_fill_max, FILL(row)->max_us)
GET_NUMBER(get_fill_sum, FILL(row)->us)
GET_NUMBER(get_fill_last_depth, FILL(row)->last_depth)
GET_NUMBER(get_fill_depth, FILL(row)->depth)
GET_NUMBER(get_fill_last_queue, FILL(row)->last_queue)
GET_NUMBER(get_fill_queue, FILL(row)->queue)
GET_NUMBER(get_fill_last_table, FILL(row)->last_table)
GET_NUMBER(get_fill_table, FILL(row)->table)
GET_NUMBER(get_fill_end, FILL(row)->end_queue)
GET_NUMBER(get_fill_end_starts, FILL(row)->end_starts)
GET_NUMBER(get_fill_end_depth, FILL(row)->end_depth)
GET(get_fill_mean) { set_mean(v, FILL(row)->us, FILL(row)->n); }
GET(get_fill_mean_depth) { set_mean(v, FILL(row)->depth, FILL(row)->n); }
GET(get_fill_mean_queue) { set_mean(v, FILL(row)->queue, FILL(row)->n); }
GET(get_fill_mean_table) { set_mean(v, FILL(row)->table, FILL(row)->n); }

/* clang-format off */
static const struct show_field fields[] = {
    ROW(NULL, "parts_packed",                      NUMBER,  get_one, .until = 44),
    ROW(NULL, "req_time",                          TIME,    get_now, .of = "now_s"),
    ROW(NULL, "req_time_start",                    TIME,    get_since, .of = "since_s"),
    ROW(NULL, "server_thread_count",               NUMBER,  get_one),
    ROW(NULL, "agent_queue_size",                  NUMBER,  get_branches, .of = "branches"),
    ROW(NULL, "agent_count",                       NUMBER,  show_get_unset),
    ROW(NULL, "agent_thread_count",                NUMBER,  show_get_unset),
    ROW(NULL, "dbd_agent_queue_size",              NUMBER,  show_get_unset),
    ROW(NULL, "gettimeofday_latency",              NUMBER,  show_get_unset),
    ROW(NULL, "schedule_cycle_max",                NUMBER,  get_main_max, .of = "main.max_us"),
    ROW(NULL, "schedule_cycle_last",               NUMBER,  get_main_last, .of = "main.last_us"),
    ROW(NULL, "schedule_cycle_sum",                NUMBER,  get_main_sum, .of = "main.us"),
    ROW(NULL, "schedule_cycle_total",              NUMBER,  get_main_n, .of = "main.n"),
    ROW(NULL, "schedule_cycle_mean",               NUMBER,  get_main_mean),
    ROW(NULL, "schedule_cycle_mean_depth",         NUMBER,  get_main_mean_depth),
    ROW(NULL, "schedule_cycle_per_minute",         NUMBER,  get_main_per_minute),
    ROW(NULL, "schedule_cycle_depth",              NUMBER,  get_main_depth, .of = "main.depth"),
    ROW(NULL, "schedule_exit.end_job_queue",       NUMBER,  get_main_end, .of = "main.end_queue"),
    ROW(NULL, "schedule_exit.default_queue_depth", NUMBER,  get_main_end_depth, .of = "main.end_depth"),
    ROW(NULL, "schedule_exit.max_job_start",       NUMBER,  get_main_end_starts, .of = "main.end_starts"),
    ROW(NULL, "schedule_exit.max_rpc_cnt",         NUMBER,  show_get_unset),
    ROW(NULL, "schedule_exit.max_sched_time",      NUMBER,  show_get_unset),
    ROW(NULL, "schedule_exit.licenses",            NUMBER,  show_get_unset),
    ROW(NULL, "schedule_queue_length",             NUMBER,  get_main_queue, .of = "main.last_queue"),
    ROW(NULL, "jobs_submitted",                    NUMBER,  get_submitted, .of = "submitted"),
    ROW(NULL, "jobs_started",                      NUMBER,  get_started, .of = "started"),
    ROW(NULL, "jobs_completed",                    NUMBER,  get_completed, .of = "completed"),
    ROW(NULL, "jobs_canceled",                     NUMBER,  get_cancelled, .of = "cancelled"),
    ROW(NULL, "jobs_failed",                       NUMBER,  get_failed, .of = "failed"),
    ROW(NULL, "jobs_pending",                      NUMBER,  get_pending, .of = "pending"),
    ROW(NULL, "jobs_running",                      NUMBER,  get_running, .of = "running"),
    ROW(NULL, "job_states_ts",                     TIME,    get_now),
    ROW(NULL, "bf_backfilled_jobs",                NUMBER,  get_filled_ever, .of = "filled_ever"),
    ROW(NULL, "bf_last_backfilled_jobs",           NUMBER,  get_filled, .of = "filled"),
    ROW(NULL, "bf_backfilled_het_jobs",            NUMBER,  get_het, .of = "het"),
    ROW(NULL, "bf_cycle_counter",                  NUMBER,  get_fill_n, .of = "fill.n"),
    ROW(NULL, "bf_cycle_mean",                     NUMBER,  get_fill_mean),
    ROW(NULL, "bf_depth_mean",                     NUMBER,  get_fill_mean_depth),
    ROW(NULL, "bf_depth_mean_try",                 NUMBER,  get_fill_mean_depth),
    ROW(NULL, "bf_cycle_sum",                      NUMBER,  get_fill_sum, .of = "fill.us"),
    ROW(NULL, "bf_cycle_last",                     NUMBER,  get_fill_last, .of = "fill.last_us"),
    ROW(NULL, "bf_cycle_max",                      NUMBER,  get_fill_max, .of = "fill.max_us"),
    ROW(NULL, "bf_exit.end_job_queue",             NUMBER,  get_fill_end, .of = "fill.end_queue"),
    ROW(NULL, "bf_exit.bf_max_job_start",          NUMBER,  get_fill_end_starts, .of = "fill.end_starts"),
    ROW(NULL, "bf_exit.bf_max_job_test",           NUMBER,  get_fill_end_depth, .of = "fill.end_depth"),
    ROW(NULL, "bf_exit.bf_max_time",               NUMBER,  show_get_unset),
    ROW(NULL, "bf_exit.bf_node_space_size",        NUMBER,  show_get_unset),
    ROW(NULL, "bf_exit.state_changed",             NUMBER,  show_get_unset),
    ROW(NULL, "bf_last_depth",                     NUMBER,  get_fill_last_depth, .of = "fill.last_depth"),
    ROW(NULL, "bf_last_depth_try",                 NUMBER,  get_fill_last_depth),
    ROW(NULL, "bf_depth_sum",                      NUMBER,  get_fill_depth, .of = "fill.depth"),
    ROW(NULL, "bf_depth_try_sum",                  NUMBER,  get_fill_depth),
    ROW(NULL, "bf_queue_len",                      NUMBER,  get_fill_last_queue, .of = "fill.last_queue"),
    ROW(NULL, "bf_queue_len_mean",                 NUMBER,  get_fill_mean_queue),
    ROW(NULL, "bf_queue_len_sum",                  NUMBER,  get_fill_queue, .of = "fill.queue"),
    ROW(NULL, "bf_table_size",                     NUMBER,  get_fill_last_table, .of = "fill.last_table"),
    ROW(NULL, "bf_table_size_sum",                 NUMBER,  get_fill_table, .of = "fill.table"),
    ROW(NULL, "bf_table_size_mean",                NUMBER,  get_fill_mean_table),
    ROW(NULL, "bf_when_last_cycle",                TIME,    get_fill_when, .of = "fill.last_s"),
    ROW(NULL, "bf_active",                         BOOL,    show_get_unset),
    ROW(NULL, "rpcs_by_message_type",              RECORDS, get_rpcs, .of = "rpc", .sub = &show_rpcs),
    ROW(NULL, "rpcs_by_user",                      RECORDS, get_users, .of = "users", .sub = &show_users),
    ROW(NULL, "pending_rpcs",                      RECORDS, get_none, .sub = &show_empty),
    ROW(NULL, "pending_rpcs_by_hostlist",          RECORDS, get_none, .sub = &show_empty),
    { 0 },
};

static const struct show_skip skips[] = {
    { "main fill", "their members have rows" },
    { "turns", "Spur's own lines, after those of Slurm" },
    { "main.last_s main.queue main.table main.last_depth main.last_table", "of the backfill cycles only" },
    { NULL, NULL },
};
/* clang-format on */

const struct show_table show_diag = { "diag", fields, "", skips };

/* ---- the report ---- */

#define STARS "*******************************************************\n"

/* A line is its text and the value at the path; the text alone without a path; nothing without a value. */
/* clang-format off */
static const struct {
    const char *text, *path;
} report[] = {
    { STARS }, { "sdiag output at ", "req_time" }, { "Data since      ", "req_time_start" }, { STARS },
    { "Server thread count:  ", "server_thread_count" },
    { "RPC queue enabled:    0\n" },
    { "Agent queue size:     ", "agent_queue_size" },
    { "Agent count:          ", "agent_count" },
    { "Agent thread count:   ", "agent_thread_count" },
    { "DBD Agent queue size: ", "dbd_agent_queue_size" },
    { "\n" },
    { "Jobs submitted: ", "jobs_submitted" },
    { "Jobs started:   ", "jobs_started" },
    { "Jobs completed: ", "jobs_completed" },
    { "Jobs canceled:  ", "jobs_canceled" },
    { "Jobs failed:    ", "jobs_failed" },
    { "\nJob states ts:  ", "job_states_ts" },
    { "Jobs pending:   ", "jobs_pending" },
    { "Jobs running:   ", "jobs_running" },
    { "\nMain schedule statistics (microseconds):\n" },
    { "\tLast cycle:   ", "schedule_cycle_last" },
    { "\tMax cycle:    ", "schedule_cycle_max" },
    { "\tTotal cycles: ", "schedule_cycle_total" },
    { "\tMean cycle:   ", "schedule_cycle_mean" },
    { "\tMean depth cycle:  ", "schedule_cycle_mean_depth" },
    { "\tCycles per minute: ", "schedule_cycle_per_minute" },
    { "\tLast queue length: ", "schedule_queue_length" },
    { "\nMain scheduler exit:\n" },
    { "\tEnd of job queue:", "schedule_exit.end_job_queue" },
    { "\tHit default_queue_depth: ", "schedule_exit.default_queue_depth" },
    { "\tHit sched_max_job_start: ", "schedule_exit.max_job_start" },
    { "\tBlocked on licenses: ", "schedule_exit.licenses" },
    { "\tHit max_rpc_cnt: ", "schedule_exit.max_rpc_cnt" },
    { "\tTimeout (max_sched_time): ", "schedule_exit.max_sched_time" },
    { "\nBackfilling stats\n" },
    { "\tTotal backfilled jobs (since last slurm start): ", "bf_backfilled_jobs" },
    { "\tTotal backfilled jobs (since last stats cycle start): ", "bf_last_backfilled_jobs" },
    { "\tTotal backfilled heterogeneous job components: ", "bf_backfilled_het_jobs" },
    { "\tTotal cycles: ", "bf_cycle_counter" },
    { "\tLast cycle when: ", "bf_when_last_cycle" },
    { "\tLast cycle: ", "bf_cycle_last" },
    { "\tMax cycle:  ", "bf_cycle_max" },
    { "\tMean cycle: ", "bf_cycle_mean" },
    { "\tLast depth cycle: ", "bf_last_depth" },
    { "\tLast depth cycle (try sched): ", "bf_last_depth_try" },
    { "\tDepth Mean: ", "bf_depth_mean" },
    { "\tDepth Mean (try depth): ", "bf_depth_mean_try" },
    { "\tLast queue length: ", "bf_queue_len" },
    { "\tQueue length mean: ", "bf_queue_len_mean" },
    { "\tLast table size: ", "bf_table_size" },
    { "\tMean table size: ", "bf_table_size_mean" },
    { "\nBackfill exit\n" },
    { "\tEnd of job queue:", "bf_exit.end_job_queue" },
    { "\tHit bf_max_job_start: ", "bf_exit.bf_max_job_start" },
    { "\tHit bf_max_job_test: ", "bf_exit.bf_max_job_test" },
    { "\tSystem state changed: ", "bf_exit.state_changed" },
    { "\tHit table size limit (bf_node_space_size): ", "bf_exit.bf_node_space_size" },
    { "\tTimeout (bf_max_time): ", "bf_exit.bf_max_time" },
};
/* clang-format on */

static const struct show_field *field_at(const char *path)
{
    for (const struct show_field *f = fields; f->type; f++)
        if (str_eq(f->json, path))
            return f;
    abort(); /* the report names a path that the table does not have */
}

static void put_time(struct buf *out, int64_t at_s)
{
    char text[64] = "";
    time_t t = (time_t)at_s;
    struct tm tm;
    if (localtime_r(&t, &tm))
        strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &tm);
    buf_addf(out, "%s (%lld)\n", text, (long long)at_s);
}

/* Counters that are always 0 here are shown; means that do not exist are not. */
static void put_line(struct buf *out, const char *text, const struct show_field *f, const struct diag_row *r)
{
    struct show_value v = { 0 };
    f->get(&v, f, r);
    if (v.state != SHOW_SET && f->get != show_get_unset && f->type != SHOW_TIME)
        return;
    buf_adds(out, text);
    if (f->type == SHOW_TIME && v.state == SHOW_SET)
        put_time(out, v.number);
    else if (f->type == SHOW_TIME)
        buf_adds(out, "N/A\n");
    else
        buf_addf(out, text[strlen(text) - 1] == ':' ? "%2lld\n" : "%lld\n", (long long)v.number);
}

static void put_counts(struct buf *out, const struct diag_row *r, bool users)
{
    size_t n = users ? r->reply->n_users : r->reply->n_rpc;
    for (size_t i = 0; i < n; i++) {
        const Pb__DiagCount *c = users ? r->reply->users[i] : r->reply->rpc[i];
        if (users)
            buf_addf(out, "\t%-16s(%8u)", r->user ? r->user(c->id) : "", c->id);
        else
            buf_addf(out, "\t%-40s(%5u)", c->name, c->id);
        buf_addf(out, " count:%-6llu ave_time:%-6llu total_time:%llu\n", (ull)c->count,
                 (ull)(c->count ? c->us / c->count : 0), (ull)c->us);
    }
}

/* Lines of Spur's own, after those of Slurm. */
static void put_turns(struct buf *out, const Pb__DiagTurns *t)
{
    if (!t)
        return;
    buf_adds(out, "\nController turns (microseconds)\n");
    buf_addf(out, "\tTotal:  %llu\n", (unsigned long long)t->n);
    buf_addf(out, "\tOver 20 ms:  %llu\n", (unsigned long long)t->over_20ms);
    buf_addf(out, "\tOver 100 ms: %llu\n", (unsigned long long)t->over_100ms);
    if (t->worst_us) {
        buf_addf(out, "\tWorst:  %llu (%s) at ", (unsigned long long)t->worst_us, t->worst_cause);
        put_time(out, t->worst_s);
    }
    buf_addf(out, "\tConnections of users: %llu\n", (unsigned long long)t->user_connections);
    buf_addf(out, "\tTold to slow down:    %llu\n", (unsigned long long)t->slowed_down);
}

void diag_report(const struct diag_row *r, struct buf *out)
{
    for (size_t i = 0; i < ARRAY_LEN(report); i++)
        if (report[i].path)
            put_line(out, report[i].text, field_at(report[i].path), r);
        else
            buf_adds(out, report[i].text);
    buf_adds(out, "\nRemote Procedure Call statistics by message type\n");
    put_counts(out, r, false);
    buf_adds(out, "\nRemote Procedure Call statistics by user\n");
    put_counts(out, r, true);
    buf_adds(out, "\nPending RPC statistics\n\tNo pending RPCs\n");
    put_turns(out, r->reply->turns);
}
