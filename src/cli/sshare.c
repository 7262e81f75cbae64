/* sshare - shares of the cluster: what was promised to whom, what they used, and what that makes of their priority. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/names.h"
#include "cli/say.h"
#include "client/client.h"
#include "core/limits.h"
#include "text/opt.h"

struct sshare {
    int all, help, help_format, long_list, no_header, parsable, parsable2, partition, usage, users_only, version;
    unsigned verbose;
    const char *accounts, *format, *users;
};

struct share_row {
    const Pb__Assoc *a;
    const Pb__ShareRow *s;
    double all_raw; /* of the whole cluster */
    const char *cluster;
    uint32_t depth; /* below accounts that are shown */
    bool classic;   /* shares are not those of the fair tree */
};

#define AT(member) .at = offsetof(struct sshare, member)

/* clang-format off */
static const struct opt options[] = {
    { 1, 'A', "accounts",     OPT_TEXT, AT(accounts), "NAMES", "these accounts" },
    { 1, 'a', "all",          OPT_FLAG, AT(all), NULL, "all users, not just yourself" },
    { 1, 0,   "autocomplete", OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",      OPT_REFUSED, 0, "NAME", NULL },
    { 1, 0,   "clusters",     OPT_REFUSED, 0, "NAME", NULL },
    { 1, 'o', "format",       OPT_TEXT, AT(format), "FIELDS", "columns by name: NAME[%WIDTH],...; a negative width stands to the left" },
    { 1, 0,   "help",         OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'e', "helpformat",   OPT_FLAG, AT(help_format), NULL, "the names that --format knows" },
    { 1, 0,   "json",         OPT_REFUSED, 0, "PARSER", NULL },
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
    { 1, 0,   "yaml",         OPT_REFUSED, 0, "PARSER", NULL },
    { 0 },
};
/* clang-format on */

const struct opt_set sshare_set = { "sshare", 0, options, "[OPTIONS]", true };

/* ---- columns ---- */

typedef void put_fn(struct buf *out, const struct share_row *r);

static bool is_user(const struct share_row *r)
{
    return !str_empty(r->a->user);
}

static void put_account(struct buf *out, const struct share_row *r)
{
    buf_addf(out, "%*s%s", (int)r->depth, "", r->a->account);
}

static void put_user(struct buf *out, const struct share_row *r)
{
    buf_adds(out, str_or(r->a->user, ""));
}

static void put_partition(struct buf *out, const struct share_row *r)
{
    buf_adds(out, str_or(r->a->partition, ""));
}

static void put_shares(struct buf *out, const struct share_row *r)
{
    if (r->a->shares == SHARES_PARENT)
        buf_adds(out, "parent");
    else if (r->a->parent)
        buf_addf(out, "%u", r->a->shares);
}

static void put_norm_shares(struct buf *out, const struct share_row *r)
{
    buf_addf(out, "%f", r->a->parent || r->classic ? r->s->promise : 0.0);
}

static void put_raw(struct buf *out, const struct share_row *r)
{
    buf_addf(out, "%.0f", r->s->raw);
}

static void put_norm_usage(struct buf *out, const struct share_row *r)
{
    if (r->a->parent)
        buf_addf(out, "%f", r->all_raw > 0 ? r->s->raw / r->all_raw : 0.0);
}

static void put_effective(struct buf *out, const struct share_row *r)
{
    buf_addf(out, "%f", r->a->parent ? r->s->used : 1.0);
}

static void put_factor(struct buf *out, const struct share_row *r)
{
    if (is_user(r))
        buf_addf(out, "%f", r->s->factor);
}

static void put_level(struct buf *out, const struct share_row *r)
{
    if (!r->a->parent || r->a->shares == SHARES_PARENT || r->classic)
        return;
    if (isinf(r->s->level))
        buf_adds(out, "inf");
    else
        buf_addf(out, "%f", r->s->level);
}

static void put_mins(struct buf *out, const struct share_row *r)
{
    bool any = false;
    for (size_t i = 0; i < r->a->n_limits; i++) {
        const Pb__Limit *l = r->a->limits[i];
        if (l->what != LIMIT_MINS || l->who != LIMIT_GROUP)
            continue;
        buf_addf(out, "%s%s=%llu", any ? "," : "", l->tres, (unsigned long long)l->max);
        any = true;
    }
}

static void put_tres_raw(struct buf *out, const struct share_row *r)
{
    for (size_t i = 0; r->a->charged && i < r->a->charged->n_tres; i++)
        buf_addf(out, "%s%s=%.0f", i ? "," : "", r->a->charged->tres[i]->name, r->a->charged->tres[i]->seconds / 60);
}

static void put_run_mins(struct buf *out, const struct share_row *r)
{
    buf_adds(out, str_or(r->s->run_mins, ""));
}

static void put_cluster(struct buf *out, const struct share_row *r)
{
    buf_adds(out, str_or(r->cluster, ""));
}

static void put_id(struct buf *out, const struct share_row *r)
{
    buf_addf(out, "%u", r->a->id);
}

/* clang-format off */
static const struct column {
    const char *name, *head;
    int width; /* negative: to the left */
    put_fn *put;
} columns[] = {
    { "Account",      "Account",      -20, put_account },
    { "Cluster",      "Cluster",       10, put_cluster },
    { "EffectvUsage", "EffectvUsage",  13, put_effective },
    { "FairShare",    "FairShare",     10, put_factor },
    { "GrpTRESMins",  "GrpTRESMins",   30, put_mins },
    { "GrpTRESRaw",   "GrpTRESRaw",    30, put_tres_raw },
    { "ID",           "ID",             6, put_id },
    { "LevelFS",      "LevelFS",       10, put_level },
    { "NormShares",   "NormShares",    11, put_norm_shares },
    { "NormUsage",    "NormUsage",     11, put_norm_usage },
    { "Partition",    "Partition",     12, put_partition },
    { "RawShares",    "RawShares",     10, put_shares },
    { "RawUsage",     "RawUsage",      11, put_raw },
    { "TRESRunMins",  "TRESRunMins",   30, put_run_mins },
    { "User",         "User",          10, put_user },
};
/* clang-format on */

#define SHORT "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare"
#define SHORT_PART "Account,User,Partition,RawShares,NormShares,RawUsage,EffectvUsage,FairShare"
#define LONG "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS,GrpTRESMins,TRESRunMins"

struct chosen {
    VEC(struct column) at;
};

static int choose(const struct sshare *s, struct chosen *out, struct err *err)
{
    const char *pos = s->format ? s->format : s->long_list ? LONG : s->partition ? SHORT_PART : SHORT;
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *word = next;
        char *percent = strchr(word, '%');
        int64_t width = 0;
        if (percent)
            *percent++ = '\0';
        const struct column *found = NULL;
        for (size_t i = 0; i < ARRAY_LEN(columns) && !found; i++)
            if (str_has_iprefix(columns[i].name, word))
                found = &columns[i];
        if (!found)
            return err_set(err, EINVAL, "Invalid field requested: \"%s\"", word);
        if (percent && !str_i64(percent, -1000, 1000, &width))
            return err_set(err, EINVAL, "Invalid width for field %s: \"%s\"", word, percent);
        struct column c = *found;
        c.width = width ? (int)width : c.width;
        vec_push(&out->at, c);
    }
    return 0;
}

/* Levels are the fair tree's: other shares have none. */
static void without_level(struct chosen *c)
{
    for (size_t i = c->at.n; i-- > 0;)
        if (c->at.at[i].put == put_level)
            vec_remove(&c->at, i);
}

/* ---- lines ---- */

static void cell(struct buf *out, const struct sshare *s, const struct column *c, const char *text, bool last)
{
    int width = c->width < 0 ? -c->width : c->width, len = (int)strlen(text);
    if (s->parsable || s->parsable2)
        buf_addf(out, "%s%s", text, last && s->parsable2 ? "" : "|");
    else if (len > width)
        buf_addf(out, "%.*s+ ", width - 1, text);
    else
        buf_addf(out, c->width < 0 ? "%-*s " : "%*s ", width, text);
}

static void header(struct buf *out, const struct sshare *s, const struct chosen *c)
{
    for (size_t i = 0; i < c->at.n; i++) {
        const struct column *one = &c->at.at[i];
        int width = one->width < 0 ? -one->width : one->width;
        if (s->parsable || s->parsable2)
            cell(out, s, one, one->head, i + 1 == c->at.n);
        else
            buf_addf(out, one->width < 0 ? "%-*.*s " : "%*.*s ", width, width, one->head);
    }
    buf_addc(out, '\n');
    if (s->parsable || s->parsable2)
        return;
    for (size_t i = 0; i < c->at.n; i++) {
        int width = c->at.at[i].width < 0 ? -c->at.at[i].width : c->at.at[i].width;
        for (int k = 0; k < width; k++)
            buf_addc(out, '-');
        buf_addc(out, ' ');
    }
    buf_addc(out, '\n');
}

static void line(struct buf *out, const struct sshare *s, const struct chosen *c, const struct share_row *r)
{
    for (size_t i = 0; i < c->at.n; i++) {
        auto_buf struct buf text = BUF_INIT;
        buf_adds(&text, "");
        c->at.at[i].put(&text, r);
        cell(out, s, &c->at.at[i], text.s, i + 1 == c->at.n);
    }
    buf_addc(out, '\n');
}

static bool shown(const struct sshare *s, const Pb__Assoc *a)
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

/* An account stands below those above it that are shown, too. */
static uint32_t depth_of(const struct sshare *s, const Pb__AssocReply *r, const Pb__Assoc *a)
{
    uint32_t depth = 0;
    for (uint32_t up = a->parent; up;) {
        const Pb__Assoc *found = NULL;
        for (size_t i = 0; i < r->n_assocs && !found; i++)
            if (r->assocs[i]->id == up)
                found = r->assocs[i];
        depth += found && shown(s, found);
        up = found ? found->parent : 0;
    }
    return depth;
}

static int run(const struct sshare *s, struct err *err)
{
    struct client *c = NULL;
    struct chosen want = { 0 };
    Pb__AssocQuery q = PB__ASSOC_QUERY__INIT;
    Pb__AssocReply *r = NULL;
    auto_buf struct buf out = BUF_INIT;
    int rc = choose(s, &want, err);
    if (!rc)
        rc = client_open(&c, err);
    q.shares = true;
    if (!rc)
        rc = client_call(c, MSG_ASSOC, &q.base, MSG_ASSOC_REPLY, (ProtobufCMessage **)&r, err);
    if (!rc && r->classic && s->long_list && !s->format)
        without_level(&want);
    if (!rc && !s->no_header)
        header(&out, s, &want);
    for (size_t i = 0; !rc && i < r->n_assocs && i < r->n_shares; i++) {
        const Pb__Assoc *a = r->assocs[i];
        bool all = !s->accounts && !s->users_only; /* then everybody above is there */
        if (!shown(s, a))
            continue;
        uint32_t depth = all ? r->shares[i]->depth : depth_of(s, r, a);
        struct share_row row = { a, r->shares[i], r->shares[0]->raw, r->cluster, depth, r->classic };
        line(&out, s, &want, &row);
    }
    if (out.len)
        fwrite(out.s, 1, out.len, stdout);
    if (r)
        pb__assoc_reply__free_unpacked(r, NULL);
    client_close(c);
    vec_clear(&want.at);
    return rc;
}

static int help(const struct sshare *s)
{
    auto_buf struct buf out = BUF_INIT;
    if (s->version)
        say_version(&out);
    else if (s->help_format)
        for (size_t i = 0; i < ARRAY_LEN(columns); i++)
            buf_addf(&out, "%-17s%s", columns[i].name, (i + 1) % 4 && i + 1 < ARRAY_LEN(columns) ? " " : "\n");
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
    if (!rc)
        rc = s.help || s.usage || s.version || s.help_format ? help(&s) : run(&s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    return rc ? 1 : 0;
}
