/* sshare - the shares of each association, its usage, and the fair-share factor that follows. */
#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/names.h"
#include "cli/say.h"
#include "client/client.h"
#include "show/share.h"
#include "text/opt.h"

#define WRONG_PARSER 253 /* exit status, as Slurm has it */

struct sshare {
    int all, help, help_format, long_list, no_header, parsable, parsable2, partition, usage, users_only, version;
    unsigned verbose;
    const char *accounts, *format, *users;
    struct document doc;
};

#define AT(member) .at = offsetof(struct sshare, member)

/* clang-format off */
static const struct opt options[] = {
    { 1, 'A', "accounts",     OPT_TEXT, AT(accounts), "NAMES", "these accounts" },
    { 1, 'a', "all",          OPT_FLAG, AT(all), NULL, "all users, not just yourself" },
    { 1, 0,   "autocomplete", OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",      OPT_REFUSED, 0, "NAME", NULL },
    { 1, 0,   "clusters",     OPT_REFUSED, 0, "NAME", NULL },
    { 1, 'o', "format",       OPT_TEXT, AT(format), "FIELDS",
              "columns by name: NAME[%WIDTH],...; a negative width stands to the left" },
    { 1, 0,   "help",         OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'e', "helpformat",   OPT_FLAG, AT(help_format), NULL, "the names that --format knows" },
    { 1, 'l', "long",         OPT_FLAG, AT(long_list), NULL, "more columns" },
    { 1, 'n', "noheader",     OPT_FLAG, AT(no_header), NULL, "no line of headers" },
    { 1, 'p', "parsable",     OPT_FLAG, AT(parsable), NULL, "columns apart by '|', and one at the end" },
    { 1, 'P', "parsable2",    OPT_FLAG, AT(parsable2), NULL, "columns apart by '|'" },
    { 1, 'm', "partition",    OPT_FLAG, AT(partition), NULL, "partitions of associations that are for one alone" },
    { 1, 0,   "usage",        OPT_FLAG, AT(usage), NULL, "a short reminder of the options" },
    { 1, 'U', "Users",        OPT_FLAG, AT(users_only), NULL, "users without the accounts above them" },
    { 1, 'u', "users",        OPT_TEXT, AT(users), "NAMES", "these users" },
    { 1, 'v', "verbose",      OPT_MORE, AT(verbose), NULL, "say what is being asked for" },
    { 1, 'V', "version",      OPT_FLAG, AT(version), NULL, "the version" },
    DOCUMENT_OPTS(offsetof(struct sshare, doc)),
    { 0 },
};
/* clang-format on */

const struct opt_set sshare_set = { "sshare", 0, options, "[OPTIONS]", true };

/* ---- columns ---- */

#define SHORT "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare"
#define SHORT_PART "Account,User,Partition,RawShares,NormShares,RawUsage,EffectvUsage,FairShare"
#define LONG "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,"
#define LONG_TAIL "GrpTRESMins,TRESRunMins"

/* Levels are the fair tree's: classic shares have none. */
static const char *columns_wanted(const struct sshare *s, bool classic)
{
    if (s->format)
        return s->format;
    if (s->long_list)
        return classic ? LONG LONG_TAIL : LONG "LevelFS," LONG_TAIL;
    return s->partition ? SHORT_PART : SHORT;
}

static int columns_choose(const struct sshare *s, bool classic, struct show_columns *columns, struct err *err)
{
    struct show_wide how = { .bars = s->parsable || s->parsable2, .ends = !s->parsable2 };
    return show_columns_wide(columns, &show_share, columns_wanted(s, classic), how, err);
}

/* ---- rows ---- */

/* What Slurm counts on every cluster; then what the configuration adds. */
static void tres_names(const struct site *site, struct strs *out)
{
    strs_split(out, "cpu,mem,energy,node,billing,fs/disk,vmem,pages", ",");
    const char *pos = str_or(site->accounting_tres, "");
    for (char *one; (one = str_next(&pos, ","));) {
        if (strs_has(out, one))
            free(one);
        else
            strs_take(out, one);
    }
}

static bool assoc_shown(const struct sshare *s, const Pb__Assoc *a)
{
    bool user = !str_empty(a->user);
    if (s->accounts && !str_in_list(s->accounts, a->account))
        return false;
    if (!user)
        return !s->users_only;
    if (s->users)
        return str_in_list(s->users, a->user);
    return s->all || str_eq(a->user, names_user(getuid()));
}

static const Pb__Assoc *assoc_find(const Pb__AssocReply *r, uint32_t id)
{
    for (size_t i = 0; i < r->n_assocs; i++)
        if (r->assocs[i]->id == id)
            return r->assocs[i];
    return NULL;
}

/* How many of the accounts above this one are shown. */
static uint32_t depth_shown(const struct sshare *s, const Pb__AssocReply *r, const Pb__Assoc *a)
{
    uint32_t depth = 0;
    for (uint32_t up = a->parent; up;) {
        const Pb__Assoc *found = assoc_find(r, up);
        depth += found && assoc_shown(s, found);
        up = found ? found->parent : 0;
    }
    return depth;
}

typedef void each_share_fn(void *arg, const struct share_row *row);

static void each_share(const struct sshare *s, const Pb__AssocReply *r, const struct strs *tres, each_share_fn *each,
                       void *arg)
{
    bool all = !s->accounts && !s->users_only; /* then all accounts above are shown */
    for (size_t i = 0; i < r->n_assocs && i < r->n_shares; i++) {
        const Pb__Assoc *a = r->assocs[i], *parent = assoc_find(r, a->parent);
        if (!assoc_shown(s, a))
            continue;
        struct share_row row = {
            .assoc = a,
            .share = r->shares[i],
            .all_raw = r->shares[0]->raw,
            .cluster = r->cluster,
            .parent = parent ? parent->account : NULL,
            .tres = tres,
            .depth = all ? r->shares[i]->depth : depth_shown(s, r, a),
            .classic = r->classic,
        };
        each(arg, &row);
    }
}

/* ---- printing ---- */

struct share_table {
    struct show_columns columns;
    struct buf out;
};

static void table_row(void *arg, const struct share_row *row)
{
    struct share_table *t = arg;
    show_columns_row(&t->columns, row, &t->out);
}

static int sshare_print_table(const struct sshare *s, const Pb__AssocReply *r, struct err *err)
{
    struct share_table t = { 0 };
    int rc = columns_choose(s, r->classic, &t.columns, err);
    if (!rc && !s->no_header)
        show_columns_head(&t.columns, &t.out);
    if (!rc)
        each_share(s, r, NULL, table_row, &t);
    if (t.out.len)
        fwrite(t.out.s, 1, t.out.len, stdout);
    show_columns_clear(&t.columns);
    buf_clear(&t.out);
    return rc;
}

static void document_share(void *arg, const struct share_row *row)
{
    struct document *d = arg;
    if (share_level_infinite(row))
        d->warning = "Dumping (0xffffffffffffffff) as place holder for Infinity";
    document_row(d, row);
}

static void sshare_print_document(struct sshare *s, const Pb__AssocReply *r, const struct client *c)
{
    auto_strs struct strs tres = STRS_INIT;
    struct document *d = &s->doc;
    tres_names(client_site(c), &tres);
    document_begin(d);
    show_json_key(&d->json, "shares", 6);
    show_json_object(&d->json);
    document_rows_begin(d, "shares", &show_share);
    each_share(s, r, &tres, document_share, d);
    document_rows_end(d);
    show_json_key_int(&d->json, "total_shares", 0);
    show_json_close(&d->json);
    document_end(d, c);
}

static int shares_ask(struct client *c, Pb__AssocReply **reply, struct err *err)
{
    Pb__AssocQuery q = PB__ASSOC_QUERY__INIT;
    q.shares = true;
    return client_call(c, MSG_ASSOC, &q.base, MSG_ASSOC_REPLY, (ProtobufCMessage **)reply, err);
}

static int sshare_run(struct sshare *s, struct err *err)
{
    struct client *c = NULL;
    struct show_columns columns = { 0 };
    Pb__AssocReply *r = NULL;
    int rc = columns_choose(s, false, &columns, err); /* a wrong field needs no controller */
    show_columns_clear(&columns);
    if (!rc)
        rc = client_open(&c, err);
    if (!rc)
        rc = shares_ask(c, &r, err);
    if (!rc && s->doc.format)
        sshare_print_document(s, r, c);
    else if (!rc)
        rc = sshare_print_table(s, r, err);
    if (r)
        pb__assoc_reply__free_unpacked(r, NULL);
    client_close(c);
    return rc;
}

static int sshare_help(const struct sshare *s)
{
    auto_buf struct buf out = BUF_INIT;
    if (s->version)
        say_version(&out);
    else if (s->help_format)
        show_help_wide(&show_share, &out);
    else
        opt_help(&sshare_set, &out);
    fwrite(out.s, 1, out.len, stdout);
    return 0;
}

int cli_sshare(int argc, char **argv)
{
    struct sshare s = { 0 };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_argv(&sshare_set, argc, argv, &first, &s, &err);
    if (!rc && first < argc)
        rc = err_set(&err, EINVAL, "Unrecognized option: %s", argv[first]);
    if (!rc && (s.help || s.usage || s.version || s.help_format))
        return sshare_help(&s);
    int said = rc ? rc : document_check(&s.doc, WRONG_PARSER);
    if (!rc && said >= 0)
        return said;
    if (!rc)
        rc = sshare_run(&s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    return rc ? 1 : 0;
}
