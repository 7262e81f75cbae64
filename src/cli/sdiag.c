/* sdiag - what the controller has done, and how fast. */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "client/client.h"
#include "show/diag.h"
#include "text/opt.h"

struct sdiag {
    int all, by_id, by_time, by_mean, help, no_trunc, reset, usage, version;
    struct buf out;
    struct document doc;
};

#define WRONG_PARSER 253 /* exit status, as Slurm has it */

#define AT(member) .at = offsetof(struct sdiag, member)
#define ENV(name) .env = { name }

/* clang-format off */
static const struct opt options[] = {
    { 1, 'a', "all",           OPT_FLAG, AT(all), NULL, "all statistics; this is usual" },
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",       OPT_REFUSED, 0, "NAME", NULL, ENV("SLURM_CLUSTERS") },
    { 1, 0,   "clusters",      OPT_REFUSED, 0, "NAME", NULL },
    { 1, 'h', "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "no-trunc",      OPT_FLAG, AT(no_trunc), NULL, "names of any length; they are never cut here" },
    { 1, 'r', "reset",         OPT_FLAG, AT(reset), NULL, "count from 0 again (administrators)" },
    { 1, 'i', "sort-by-id",    OPT_FLAG, AT(by_id), NULL, "messages and users by their numbers" },
    { 1, 't', "sort-by-time",  OPT_FLAG, AT(by_time), NULL, "by the time they took together" },
    { 1, 'T', "sort-by-time2", OPT_FLAG, AT(by_mean), NULL, "by the time that one takes" },
    { 1, 0,   "usage",         OPT_FLAG, AT(usage), NULL, "a short reminder of the options" },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    DOCUMENT_OPTS(offsetof(struct sdiag, doc)),
    { 0 },
};
/* clang-format on */

const struct opt_set sdiag_set = { "sdiag", 0, options, "[OPTIONS]", true };

/* ---- the order of messages and users ---- */

static int by_id(const void *a, const void *b)
{
    const Pb__DiagCount *x = *(Pb__DiagCount *const *)a, *y = *(Pb__DiagCount *const *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int cmp_descending(uint64_t x, uint64_t y, const void *a, const void *b)
{
    return x != y ? (x > y ? -1 : 1) : by_id(a, b);
}

static int by_count(const void *a, const void *b)
{
    return cmp_descending((*(Pb__DiagCount *const *)a)->count, (*(Pb__DiagCount *const *)b)->count, a, b);
}

static int by_time(const void *a, const void *b)
{
    return cmp_descending((*(Pb__DiagCount *const *)a)->us, (*(Pb__DiagCount *const *)b)->us, a, b);
}

static uint64_t mean_us(const Pb__DiagCount *c)
{
    return c->count ? c->us / c->count : 0;
}

static int by_mean(const void *a, const void *b)
{
    return cmp_descending(mean_us(*(Pb__DiagCount *const *)a), mean_us(*(Pb__DiagCount *const *)b), a, b);
}

static void sort_counts(const struct sdiag *s, Pb__DiagCount **at, size_t n)
{
    if (n)
        qsort(at, n, sizeof(*at), s->by_id ? by_id : s->by_time ? by_time : s->by_mean ? by_mean : by_count);
}

/* ---- the command ---- */

static void diag_print(struct sdiag *s, Pb__DiagReply *r, const struct client *c)
{
    struct diag_row row = { r, names_user };
    sort_counts(s, r->rpc, r->n_rpc);
    sort_counts(s, r->users, r->n_users);
    if (!s->doc.format) {
        diag_report(&row, &s->out);
        return;
    }
    document_begin(&s->doc);
    document_record(&s->doc, "statistics", &show_diag, &row);
    document_end(&s->doc, c);
}

static int sdiag_run(struct sdiag *s, struct err *err)
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
        diag_print(s, r, c);
    }
    if (r)
        client_free(&r->base);
    client_close(c);
    say_flush(&s->out);
    return rc;
}

static int sdiag_help(struct sdiag *s)
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
    if (!rc && (s.help || s.usage || s.version))
        return sdiag_help(&s);
    int said = rc ? rc : document_check(&s.doc, WRONG_PARSER);
    if (!rc && said >= 0)
        return said;
    if (!rc)
        rc = sdiag_run(&s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    buf_clear(&s.out);
    return rc ? s.reset ? 255 : 1 : 0;
}
