/* assoc_file - read and write the flat file of sacctmgr; see assoc_file.h. */
#include "text/assoc_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "text/time.h"

enum title { TITLE_QOS, TITLE_CLUSTER, TITLE_PARENT, TITLE_ACCOUNT, TITLE_USER, TITLES };

static const char *const titles[TITLES] = { "QOS", "Cluster", "Parent", "Account", "User" };

static const struct {
    const char *name;
    uint32_t flag; /* 0: known to Slurm, not acted on */
} flags[] = {
    { "DenyOnLimit", QOS_DENY_ON_LIMIT },
    { "OverPartQOS", QOS_OVER_PART },
    { "NoReserve", QOS_NO_RESERVE },
    { "PartitionTimeLimit", QOS_PART_TIME },
    { "PartitionMaxNodes", QOS_PART_MAX_NODES },
    { "PartitionMinNodes", QOS_PART_MIN_NODES },
    { "NoDecay", QOS_NO_DECAY },
    { "EnforceUsageThreshold", QOS_ENFORCE_THRESHOLD },
    { "RequiresReservation", QOS_NEEDS_RESV },
    { "UsageFactorSafe", QOS_FACTOR_SAFE },
    { "Relative", QOS_RELATIVE },
};

struct reader {
    struct assoc_file *r;
    unsigned line;
    char *parent; /* the account that what follows belongs to */
    struct map seen; /* hash of account, user and partition: a second one is an error */
};

static const char *const admin_levels[ADMIN_LEVELS] = { "None", "Operator", "Administrator" };

int admin_level_parse(const char *word)
{
    for (int i = 0; i < ADMIN_LEVELS; i++)
        if (!str_empty(word) && str_has_iprefix(admin_levels[i], word))
            return i;
    return -1;
}

const char *admin_level_text(unsigned level)
{
    return admin_levels[level < ADMIN_LEVELS ? level : ADMIN_LEVEL_NONE];
}

uint32_t qos_flag(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (str_ieq(flags[i].name, word))
            return flags[i].flag;
    return 0;
}

char *qos_flags_text(uint32_t set)
{
    struct buf out = BUF_INIT;
    buf_adds(&out, "");
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (flags[i].flag & set)
            buf_addf(&out, "%s%s", out.len ? "," : "", flags[i].name);
    return out.s;
}

static bool flag_known(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (str_ieq(flags[i].name, word))
            return true;
    return false;
}

static void qos_clear(struct assoc_file_qos *q)
{
    free(q->name);
    free(q->description);
    free(q->preempt);
    free(q->preempt_mode);
    limit_list_clear(&q->limits);
}

static void assoc_clear(struct assoc_file_assoc *a)
{
    free(a->account);
    free(a->parent);
    free(a->user);
    free(a->partition);
    free(a->qos);
    free(a->def_qos);
    free(a->description);
    free(a->organization);
    free(a->coordinates);
    free(a->def_wckey);
    free(a->wckeys);
    limit_list_clear(&a->limits);
}

void assoc_file_clear(struct assoc_file *r)
{
    for (size_t i = 0; i < r->qos.n; i++)
        qos_clear(&r->qos.at[i]);
    for (size_t i = 0; i < r->assoc.n; i++)
        assoc_clear(&r->assoc.at[i]);
    vec_clear(&r->qos);
    vec_clear(&r->assoc);
    strs_clear(&r->warnings);
    free(take(r->cluster));
}

/* ---- one value ---- */

static int assoc_number(const char *key, const char *value, uint64_t max, uint32_t *out, struct err *err)
{
    uint64_t n;
    if (!str_u64(value, 0, max, &n))
        return err_set(err, EINVAL, "%s=%.128s is not a number", key, value);
    *out = (uint32_t)n;
    return 0;
}

/* A number of 0 or more; -1, where that means none. */
static int assoc_fraction(const char *key, const char *value, double none, double *out, struct err *err)
{
    char *end;
    double n = strtod(value, &end);
    if (*end || end == value || !((n >= 0 && n < 1e9) || n == -1))
        return err_set(err, EINVAL, "%s=%.128s is not a number of 0 or more", key, value);
    *out = n < 0 ? none : n;
    return 0;
}

static int set_flags(struct reader *in, struct assoc_file_qos *q, const char *value, struct err *err)
{
    const char *pos = value;
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *word = next;
        if (!flag_known(word))
            return err_set(err, EINVAL, "Flags=%.128s: there is no such flag", word);
        if (!qos_flag(word))
            strs_take(&in->r->warnings, mem_printf("line %u: the flag %s is not acted on", in->line, word));
        q->flags |= qos_flag(word);
    }
    return 0;
}

static int qos_value(struct reader *in, struct assoc_file_qos *q, const char *key, const char *value, struct err *err)
{
    if (limit_known(key, true))
        return limit_parse(key, value, true, &q->limits, err);
    if (str_ieq(key, "Description"))
        mem_set_str(&q->description, value);
    else if (str_ieq(key, "Preempt"))
        mem_set_str(&q->preempt, value);
    else if (str_ieq(key, "PreemptMode"))
        mem_set_str(&q->preempt_mode, value);
    else if (str_ieq(key, "Priority"))
        return assoc_number(key, value, UINT32_MAX, &q->priority, err);
    else if (str_ieq(key, "GraceTime"))
        return assoc_number(key, value, UINT32_MAX, &q->grace_s, err);
    else if (str_ieq(key, "PreemptExemptTime"))
        return time_secs_parse(value, &q->exempt_s, err);
    else if (str_ieq(key, "Flags"))
        return set_flags(in, q, value, err);
    else if (str_ieq(key, "UsageFactor"))
        return assoc_fraction(key, value, 1, &q->usage_factor, err);
    else if (str_ieq(key, "LimitFactor"))
        return assoc_fraction(key, value, 0, &q->limit_factor, err);
    else if (str_ieq(key, "UsageThreshold") || str_ieq(key, "UsageThres"))
        return assoc_fraction(key, value, -1, &q->usage_threshold, err);
    else
        return err_set(err, EINVAL, "%.128s is nothing that a QOS has", key);
    return 0;
}

static int assoc_shares(const char *value, uint32_t *out, struct err *err)
{
    if (str_ieq(value, "parent") || str_eq(value, "2147483647")) { /* so Slurm dumps it */
        *out = SHARES_PARENT;
        return 0;
    }
    return assoc_number("FairShare", value, UINT32_MAX - 1, out, err);
}

static int assoc_admin(const char *value, unsigned *out, struct err *err)
{
    int level = admin_level_parse(value);
    if (level < 0)
        return err_set(err, EINVAL, "AdminLevel=%.128s is none of None, Operator, Administrator", value);
    *out = (unsigned)level;
    return 0;
}

static int assoc_value(struct reader *in, struct assoc_file_assoc *a, const char *key, const char *value,
                       struct err *err)
{
    if (limit_known(key, false))
        return limit_parse(key, value, false, &a->limits, err);
    if (str_ieq(key, "FairShare") || str_ieq(key, "Shares"))
        return assoc_shares(value, &a->shares, err);
    if (str_ieq(key, "Priority"))
        return assoc_number(key, value, UINT32_MAX, &a->priority, err);
    if (str_ieq(key, "QOS") || str_ieq(key, "QosLevel"))
        mem_set_str(&a->qos, value);
    else if (str_ieq(key, "DefaultQOS") || str_ieq(key, "DefQOS"))
        mem_set_str(&a->def_qos, value);
    else if (str_ieq(key, "DefaultAccount"))
        a->is_default = str_eq(value, a->account);
    else if (str_ieq(key, "Partition"))
        mem_set_str(&a->partition, value);
    else if (str_ieq(key, "Description"))
        mem_set_str(&a->description, value);
    else if (str_ieq(key, "Organization"))
        mem_set_str(&a->organization, value);
    else if (a->user && str_ieq(key, "AdminLevel"))
        return assoc_admin(value, &a->admin, err);
    else if (a->user && str_ieq(key, "Coordinator"))
        mem_set_str(&a->coordinates, value);
    else if (a->user && str_ieq(key, "DefaultWCKey"))
        mem_set_str(&a->def_wckey, value);
    else if (a->user && str_ieq(key, "WCKeys"))
        mem_set_str(&a->wckeys, value);
    else if (str_ieq(key, "Classification") || str_ieq(key, "Comment"))
        strs_take(&in->r->warnings, mem_printf("line %u: %s is not acted on", in->line, key));
    else
        return err_set(err, EINVAL, "%.128s is nothing that an association has", key);
    return 0;
}

/* ---- one line ---- */

struct pair {
    char *key, *value;
};

struct pairs {
    struct pair *at;
    size_t n, cap;
};

static void pairs_clear(struct pairs *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->at[i].key);
        free(p->at[i].value);
    }
    vec_clear(p);
}

/* The next piece up to a ':' outside quotes, without its quotes; NULL at the end, or when a quote does not end. */
static char *next_piece(const char **pos, struct err *err)
{
    struct buf out = BUF_INIT;
    const char *s = *pos;
    char quote = '\0';
    if (!s || !*s)
        return NULL;
    buf_adds(&out, "");
    for (; *s && (quote || *s != ':'); s++) {
        if (quote ? *s == quote : (*s == '\'' || *s == '"'))
            quote = quote ? '\0' : *s;
        else
            buf_addc(&out, *s);
    }
    *pos = *s ? s + 1 : s;
    if (quote) {
        err_set(err, EINVAL, "a %c that does not end", quote);
        buf_clear(&out);
    }
    return out.s;
}

static bool any_key(const char *key, bool qos)
{
    static const char *const words[] = {
        "Description", "Preempt", "PreemptMode", "Priority", "GraceTime", "PreemptExemptTime", "Flags", "UsageFactor",
        "LimitFactor", "UsageThreshold", "UsageThres", "FairShare", "Shares", "QOS", "QosLevel", "DefaultQOS", "DefQOS",
        "DefaultAccount", "Partition", "Organization", "AdminLevel", "Coordinator", "DefaultWCKey", "WCKeys", "Comment",
        "Classification"
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_ieq(words[i], key))
            return true;
    return limit_known(key, qos);
}

/* A value may have a ':' of its own: a time, or "gres/gpu:a100=2", where what follows is no key. */
static bool value_continues(const struct pairs *p, const char *key, bool qos)
{
    return p->n && limit_is_tres(p->at[p->n - 1].key, qos) && !any_key(key, qos);
}

static int split_line(const char *pos, bool qos, struct pairs *out, struct err *err)
{
    for (char *next; (next = next_piece(&pos, err));) {
        auto_free char *text = next;
        char *equal = strchr(text, '=');
        if (!*str_trim(text))
            continue;
        if (!equal && !out->n)
            return err_set(err, EINVAL, "\"%.128s\" reads KEY=VALUE", text);
        if (strchr(text, '\'') && strchr(text, '"'))
            return err_set(err, EINVAL, "\"%.128s\" has quotes of both kinds", text);
        if (equal)
            *equal = '\0';
        if (!equal || value_continues(out, text, qos)) {
            struct pair *last = &out->at[out->n - 1];
            char *glued = mem_printf("%s:%s%s%s", last->value, text, equal ? "=" : "", equal ? equal + 1 : "");
            free(last->value);
            last->value = glued;
            continue;
        }
        struct pair one = { mem_str(text), mem_str(equal + 1) };
        vec_push(out, one);
    }
    return err->code;
}

static struct assoc_file_assoc *account_of(struct assoc_file *r, const char *name)
{
    for (size_t i = 0; i < r->assoc.n; i++)
        if (!r->assoc.at[i].user && str_eq(r->assoc.at[i].account, name))
            return &r->assoc.at[i];
    return NULL;
}

static int take_qos(struct reader *in, const char *name, const struct pairs *p, struct err *err)
{
    struct assoc_file_qos q = {
        .name = mem_str(name), .exempt_s = EXEMPT_UNSET, .usage_factor = 1, .usage_threshold = -1
    };
    int rc = 0;
    for (size_t i = 0; i < in->r->qos.n && !rc; i++)
        if (str_eq(in->r->qos.at[i].name, name))
            rc = err_set(err, EINVAL, "the QOS %.128s is there twice", name);
    for (size_t i = 0; i < p->n && !rc; i++)
        rc = qos_value(in, &q, p->at[i].key, p->at[i].value, err);
    if (rc)
        qos_clear(&q);
    else
        vec_push(&in->r->qos, q);
    return rc;
}

static int take_assoc(struct reader *in, struct assoc_file_assoc *a, const struct pairs *p, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < p->n && !rc; i++)
        rc = assoc_value(in, a, p->at[i].key, p->at[i].value, err);
    auto_free char *key = mem_printf("%s/%s/%s", a->account, str_or(a->user, ""), str_or(a->partition, ""));
    if (!rc && map_put(&in->seen, map_hash_bytes(key, strlen(key)), in))
        rc = err_set(err, EINVAL, "%.128s %.128s is there twice", a->account, str_or(a->user, ""));
    if (rc)
        assoc_clear(a);
    else
        vec_push(&in->r->assoc, *a);
    return rc;
}

static int take_line(struct reader *in, enum title title, const char *name, const struct pairs *p, struct err *err)
{
    struct assoc_file_assoc a = { .shares = 1 };
    switch (title) {
    case TITLE_QOS: return take_qos(in, name, p, err);
    case TITLE_CLUSTER:
        if (in->r->cluster)
            return err_set(err, EINVAL, "a second cluster: %.128s", name);
        in->r->cluster = mem_str(name);
        a.account = mem_str("root");
        return take_assoc(in, &a, p, err);
    case TITLE_PARENT:
        if (!account_of(in->r, name))
            return err_set(err, EINVAL, "the account %.128s was not there before", name);
        mem_set_str(&in->parent, name);
        return 0;
    case TITLE_ACCOUNT:
        a.account = mem_str(name);
        a.parent = mem_str(str_or(in->parent, "root"));
        return take_assoc(in, &a, p, err);
    case TITLE_USER:
        a.account = mem_str(str_or(in->parent, "root"));
        a.user = mem_str(name);
        return take_assoc(in, &a, p, err);
    case TITLES: break;
    }
    return 0;
}

static int title_of(const char *word)
{
    for (int i = 0; i < TITLES; i++)
        if (str_ieq(titles[i], word))
            return i;
    return -1;
}

static int read_line(struct reader *in, char *text, struct err *err)
{
    char *line = str_trim(text);
    if (!*line || *line == '#')
        return 0;
    char *dash = strstr(line, " - ");
    if (!dash)
        return err_set(err, EINVAL, "it reads TITLE - NAME:KEY=VALUE...");
    *dash = '\0';
    int title = title_of(str_trim(line));
    if (title < 0)
        return err_set(err, EINVAL, "\"%.64s\" is none of QOS, Cluster, Parent, Account, User", line);
    const char *pos = str_trim(dash + 3);
    auto_free char *name = next_piece(&pos, err);
    if (err->code)
        return err->code;
    if (str_empty(name) || strpbrk(name, "'\""))
        return err_set(err, EINVAL, "%s without a name", titles[title]);
    struct pairs p = { 0 };
    int rc = title != TITLE_QOS && title != TITLE_CLUSTER && !in->r->cluster
                 ? err_set(err, EINVAL, "the line of the cluster comes before %s", titles[title])
                 : split_line(pos, title == TITLE_QOS, &p, err);
    if (!rc)
        rc = take_line(in, (enum title)title, name, &p, err);
    pairs_clear(&p);
    return rc;
}

int assoc_file_parse(const char *text, size_t len, struct assoc_file *out, struct err *err)
{
    struct reader in = { .r = out };
    int rc = 0;
    *err = (struct err)ERR_INIT;
    for (size_t at = 0; at < len && !rc;) {
        const char *nl = memchr(text + at, '\n', len - at);
        size_t n = nl ? (size_t)(nl - text) - at : len - at;
        in.line++;
        if (n > ASSOC_FILE_LINE || memchr(text + at, '\0', n)) {
            rc = err_set(err, EINVAL, "it is too long, or no text");
        } else {
            auto_free char *line = mem_strn(text + at, n);
            rc = read_line(&in, line, err);
        }
        if (rc)
            err_prefix(err, "line %u", in.line);
        at += n + 1;
    }
    free(in.parent);
    map_clear(&in.seen);
    return rc;
}

/* ---- and back ---- */

static void add_text(struct buf *out, const char *key, const char *value)
{
    char quote = value && strchr(value, '\'') ? '"' : '\'';
    if (!str_empty(value))
        buf_addf(out, ":%s=%c%s%c", key, quote, value, quote);
}

static void add_qos(struct buf *out, const struct assoc_file_qos *q)
{
    auto_free char *set = qos_flags_text(q->flags), *limits = limit_text(&q->limits, true);
    buf_addf(out, "QOS - '%s'", q->name);
    add_text(out, "Description", q->description);
    add_text(out, "Flags", set);
    if (q->grace_s)
        buf_addf(out, ":GraceTime=%u", q->grace_s);
    buf_adds(out, limits);
    add_text(out, "Preempt", q->preempt);
    add_text(out, "PreemptMode", q->preempt_mode);
    char exempt[TIME_TEXT];
    if (q->exempt_s != EXEMPT_UNSET)
        buf_addf(out, ":PreemptExemptTime='%s'", time_secs_text(exempt, q->exempt_s));
    if (q->priority)
        buf_addf(out, ":Priority=%u", q->priority);
    if (q->limit_factor > 0)
        buf_addf(out, ":LimitFactor=%f", q->limit_factor);
    if (q->usage_threshold >= 0)
        buf_addf(out, ":UsageThreshold=%f", q->usage_threshold);
    buf_addf(out, ":UsageFactor=%f\n", q->usage_factor);
}

static void add_assoc(struct buf *out, const struct assoc_file_assoc *a, const char *title, const char *name)
{
    auto_free char *limits = limit_text(&a->limits, false);
    buf_addf(out, "%s - '%s'", title, name);
    if (a->is_default)
        add_text(out, "DefaultAccount", a->account);
    if (a->admin)
        add_text(out, "AdminLevel", admin_level_text(a->admin));
    add_text(out, "Coordinator", a->coordinates);
    add_text(out, "DefaultWCKey", a->def_wckey);
    add_text(out, "WCKeys", a->wckeys);
    add_text(out, "Partition", a->partition);
    add_text(out, "Description", a->description);
    add_text(out, "Organization", a->organization);
    if (a->shares == SHARES_PARENT)
        buf_adds(out, ":Fairshare=parent");
    else
        buf_addf(out, ":Fairshare=%u", a->shares);
    if (a->priority)
        buf_addf(out, ":Priority=%u", a->priority);
    add_text(out, "DefaultQOS", a->def_qos);
    add_text(out, "QOS", a->qos);
    buf_addf(out, "%s\n", limits);
}

/* An account's users, then the accounts in it, each with its own. */
static void add_below(struct buf *out, const struct assoc_file *r, const char *account, unsigned depth)
{
    buf_addf(out, "Parent - '%s'\n", account);
    for (size_t i = 0; i < r->assoc.n; i++)
        if (r->assoc.at[i].user && str_eq(r->assoc.at[i].account, account))
            add_assoc(out, &r->assoc.at[i], "User", r->assoc.at[i].user);
    for (size_t i = 0; i < r->assoc.n; i++)
        if (!r->assoc.at[i].user && str_eq(r->assoc.at[i].parent, account))
            add_assoc(out, &r->assoc.at[i], "Account", r->assoc.at[i].account);
    for (size_t i = 0; i < r->assoc.n && depth < 64; i++)
        if (!r->assoc.at[i].user && str_eq(r->assoc.at[i].parent, account))
            add_below(out, r, r->assoc.at[i].account, depth + 1);
}

char *assoc_file_text(const struct assoc_file *r)
{
    struct buf out = BUF_INIT;
    buf_adds(&out, "");
    for (size_t i = 0; i < r->qos.n; i++)
        add_qos(&out, &r->qos.at[i]);
    if (!r->cluster || !r->assoc.n)
        return out.s;
    for (size_t i = 0; i < r->assoc.n; i++)
        if (!r->assoc.at[i].user && str_eq(r->assoc.at[i].account, "root"))
            add_assoc(&out, &r->assoc.at[i], "Cluster", r->cluster);
    add_below(&out, r, "root", 0);
    return out.s;
}
