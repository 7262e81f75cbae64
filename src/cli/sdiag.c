/* sdiag - what the controller has done, and how fast. */
#include <time.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "client/client.h"
#include "text/opt.h"

struct sdiag {
    int all, by_id, by_time, by_mean, help, no_trunc, reset, usage, version;
    struct buf out;
};

#define AT(member) .at = offsetof(struct sdiag, member)
#define ENV(name) .env = { name }

/* clang-format off */
static const struct opt options[] = {
    { 1, 'a', "all",           OPT_FLAG, AT(all), NULL, "all statistics; this is usual" },
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",       OPT_REFUSED, 0, "NAME", NULL, ENV("SLURM_CLUSTERS") },
    { 1, 0,   "clusters",      OPT_REFUSED, 0, "NAME", NULL },
    { 1, 'h', "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "json",          OPT_REFUSED, 0, "[PARSER]", NULL, ENV("SLURM_JSON") },
    { 1, 0,   "no-trunc",      OPT_FLAG, AT(no_trunc), NULL, "names of any length; they are never cut here" },
    { 1, 'r', "reset",         OPT_FLAG, AT(reset), NULL, "count from 0 again (administrators)" },
    { 1, 'i', "sort-by-id",    OPT_FLAG, AT(by_id), NULL, "messages and users by their numbers" },
    { 1, 't', "sort-by-time",  OPT_FLAG, AT(by_time), NULL, "by the time they took together" },
    { 1, 'T', "sort-by-time2", OPT_FLAG, AT(by_mean), NULL, "by the time that one takes" },
    { 1, 0,   "usage",         OPT_FLAG, AT(usage), NULL, "a short reminder of the options" },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    { 1, 0,   "yaml",          OPT_REFUSED, 0, "[PARSER]", NULL, ENV("SLURM_YAML") },
    { 0 },
};
/* clang-format on */

const struct opt_set sdiag_set = { "sdiag", 0, options, "[OPTIONS]", true };

/* ---- words ---- */

typedef unsigned long long ull;

static void put_time(struct buf *out, const char *before, int64_t at_s)
{
    char text[64] = "";
    time_t t = (time_t)at_s;
    struct tm tm;
    if (localtime_r(&t, &tm))
        strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &tm);
    buf_addf(out, "%s%s (%lld)\n", before, text, (long long)at_s);
}

static void put_line(struct buf *out, const char *before, uint64_t n)
{
    buf_addf(out, "%s%llu\n", before, (ull)n);
}

static void put_head(struct buf *out, const Pb__DiagReply *r)
{
    static const char stars[] = "*******************************************************\n";
    buf_adds(out, stars);
    put_time(out, "sdiag output at ", r->now_s);
    put_time(out, "Data since      ", r->since_s);
    buf_adds(out, stars);
    buf_adds(out, "Server thread count:  1\nRPC queue enabled:    0\n");
    put_line(out, "Agent queue size:     ", r->branches);
    buf_adds(out, "Agent count:          0\nAgent thread count:   0\nDBD Agent queue size: 0\n\n");
}

static void put_jobs(struct buf *out, const Pb__DiagReply *r)
{
    put_line(out, "Jobs submitted: ", r->submitted);
    put_line(out, "Jobs started:   ", r->started);
    put_line(out, "Jobs completed: ", r->completed);
    put_line(out, "Jobs canceled:  ", r->cancelled);
    put_line(out, "Jobs failed:    ", r->failed);
    put_time(out, "\nJob states ts:  ", r->now_s);
    put_line(out, "Jobs pending:   ", r->pending);
    put_line(out, "Jobs running:   ", r->running);
}

static void put_main(struct buf *out, const Pb__DiagReply *r)
{
    const Pb__DiagCycles *m = r->main;
    int64_t minutes = (r->now_s - r->since_s) / 60;
    buf_adds(out, "\nMain schedule statistics (microseconds):\n");
    put_line(out, "\tLast cycle:   ", m->last_us);
    put_line(out, "\tMax cycle:    ", m->max_us);
    put_line(out, "\tTotal cycles: ", m->n);
    if (m->n) {
        put_line(out, "\tMean cycle:   ", m->us / m->n);
        put_line(out, "\tMean depth cycle:  ", m->depth / m->n);
    }
    if (minutes > 0)
        put_line(out, "\tCycles per minute: ", m->n / (uint64_t)minutes);
    put_line(out, "\tLast queue length: ", m->last_queue);
    buf_addf(out,
             "\nMain scheduler exit:\n\tEnd of job queue:%2llu\n\tHit default_queue_depth: %llu\n"
             "\tHit sched_max_job_start: %llu\n\tBlocked on licenses: 0\n\tHit max_rpc_cnt: 0\n"
             "\tTimeout (max_sched_time): 0\n",
             (ull)m->end_queue, (ull)m->end_depth, (ull)m->end_starts);
}

static void put_means(struct buf *out, const Pb__DiagCycles *f)
{
    put_line(out, "\tDepth Mean: ", f->depth / f->n);
    put_line(out, "\tDepth Mean (try depth): ", f->depth / f->n);
}

static void put_fill(struct buf *out, const Pb__DiagReply *r)
{
    const Pb__DiagCycles *f = r->fill;
    buf_adds(out, "\nBackfilling stats\n");
    put_line(out, "\tTotal backfilled jobs (since last slurm start): ", r->filled_ever);
    put_line(out, "\tTotal backfilled jobs (since last stats cycle start): ", r->filled);
    put_line(out, "\tTotal backfilled heterogeneous job components: ", r->het);
    put_line(out, "\tTotal cycles: ", f->n);
    if (f->last_s)
        put_time(out, "\tLast cycle when: ", f->last_s);
    else
        buf_adds(out, "\tLast cycle when: N/A\n");
    put_line(out, "\tLast cycle: ", f->last_us);
    put_line(out, "\tMax cycle:  ", f->max_us);
    if (f->n)
        put_line(out, "\tMean cycle: ", f->us / f->n);
    put_line(out, "\tLast depth cycle: ", f->last_depth);
    put_line(out, "\tLast depth cycle (try sched): ", f->last_depth);
    if (f->n)
        put_means(out, f);
    put_line(out, "\tLast queue length: ", f->last_queue);
    if (f->n)
        put_line(out, "\tQueue length mean: ", f->queue / f->n);
    put_line(out, "\tLast table size: ", f->last_table);
    if (f->n)
        put_line(out, "\tMean table size: ", f->table / f->n);
    buf_addf(out,
             "\nBackfill exit\n\tEnd of job queue:%2llu\n\tHit bf_max_job_start: %llu\n\tHit bf_max_job_test: %llu\n"
             "\tSystem state changed: 0\n\tHit table size limit (bf_node_space_size): 0\n\tTimeout (bf_max_time): 0\n",
             (ull)f->end_queue, (ull)f->end_starts, (ull)f->end_depth);
}

/* ---- messages ---- */

static int by_id(const void *a, const void *b)
{
    const Pb__DiagCount *x = *(Pb__DiagCount *const *)a, *y = *(Pb__DiagCount *const *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int downwards(uint64_t x, uint64_t y, const void *a, const void *b)
{
    return x != y ? (x > y ? -1 : 1) : by_id(a, b);
}

static int by_count(const void *a, const void *b)
{
    return downwards((*(Pb__DiagCount *const *)a)->count, (*(Pb__DiagCount *const *)b)->count, a, b);
}

static int by_time(const void *a, const void *b)
{
    return downwards((*(Pb__DiagCount *const *)a)->us, (*(Pb__DiagCount *const *)b)->us, a, b);
}

static uint64_t mean_us(const Pb__DiagCount *c)
{
    return c->count ? c->us / c->count : 0;
}

static int by_mean(const void *a, const void *b)
{
    return downwards(mean_us(*(Pb__DiagCount *const *)a), mean_us(*(Pb__DiagCount *const *)b), a, b);
}

static void put_count(struct buf *out, const Pb__DiagCount *c, bool user)
{
    if (user)
        buf_addf(out, "\t%-16s(%8u)", names_user(c->id), c->id);
    else
        buf_addf(out, "\t%-40s(%5u)", c->name, c->id);
    buf_addf(out, " count:%-6llu ave_time:%-6llu total_time:%llu\n", (ull)c->count, (ull)mean_us(c), (ull)c->us);
}

static void put_counts(const struct sdiag *s, struct buf *out, Pb__DiagCount **at, size_t n, bool user)
{
    if (n)
        qsort(at, n, sizeof(*at), s->by_id ? by_id : s->by_time ? by_time : s->by_mean ? by_mean : by_count);
    for (size_t i = 0; i < n; i++)
        put_count(out, at[i], user);
}

static void print(struct sdiag *s, Pb__DiagReply *r)
{
    struct buf *out = &s->out;
    put_head(out, r);
    put_jobs(out, r);
    put_main(out, r);
    put_fill(out, r);
    buf_adds(out, "\nRemote Procedure Call statistics by message type\n");
    put_counts(s, out, r->rpc, r->n_rpc, false);
    buf_adds(out, "\nRemote Procedure Call statistics by user\n");
    put_counts(s, out, r->users, r->n_users, true);
    buf_adds(out, "\nPending RPC statistics\n\tNo pending RPCs\n");
}

/* ---- the command ---- */

static int run(struct sdiag *s, struct err *err)
{
    struct client *c = NULL;
    Pb__DiagRequest q = PB__DIAG_REQUEST__INIT;
    Pb__DiagReply *r = NULL;
    q.reset = s->reset;
    int rc = client_open(&c, err);
    if (!rc)
        rc = client_call(c, MSG_DIAG, &q.base, MSG_DIAG_REPLY, (ProtobufCMessage **)&r, err);
    if (rc && s->reset) {
        fprintf(stderr, "slurm_reset_statistics: %s\n", err->text);
        err->text[0] = '\0';
    } else if (!rc && s->reset) {
        buf_adds(&s->out, "Reset scheduling statistics\n");
    } else if (!rc && r->main && r->fill) {
        print(s, r);
    }
    if (r)
        client_free(&r->base);
    client_close(c);
    say_flush(&s->out);
    return rc;
}

static int help(struct sdiag *s)
{
    if (s->version)
        say_version(&s->out);
    else if (s->usage)
        buf_adds(&s->out, "Usage: sdiag [-M cluster] [-aritT]\n");
    else
        opt_help(&sdiag_set, &s->out);
    say_flush(&s->out);
    return 0;
}

int cli_sdiag(int argc, char **argv)
{
    struct sdiag s = { 0 };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_env(&sdiag_set, &s, &err);
    if (!rc)
        rc = opt_argv(&sdiag_set, argc, argv, &first, &s, &err);
    if (!rc)
        rc = s.help || s.usage || s.version ? help(&s) : run(&s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    buf_clear(&s.out);
    return rc ? s.reset ? 255 : 1 : 0;
}
