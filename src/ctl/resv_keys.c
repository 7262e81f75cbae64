/*
 * resv_keys - what scontrol says of a reservation, pair by pair.
 *
 * Times come as seconds since 1970 and lengths as minutes: scontrol has read what the user wrote.  What does not make
 * sense is refused here again.
 */
#include "core/limits.h"
#include "ctl/license.h"
#include "ctl/resv.h"
#include "text/tres.h"

#define ENDLESS_MIN (RESV_ENDLESS_S / 60)

int resv_code(struct resv_draft *d, int code)
{
    return err_set(d->err, code, "%s", err_text(code));
}

static enum resv_op op_of(const Pb__Pair *p)
{
    return str_eq(p->op, "+=") ? RESV_ADD : str_eq(p->op, "-=") ? RESV_REMOVE : RESV_SET;
}

/* ---- times ---- */

static int set_start(struct resv_draft *d, const Pb__Pair *p)
{
    if (!str_i64(p->value, 1, INT32_MAX * 4LL, &d->r->start_s))
        return resv_code(d, ESLURM_INVALID_TIME_VALUE);
    d->start = true;
    return 0;
}

static int set_end(struct resv_draft *d, const Pb__Pair *p)
{
    if (!str_i64(p->value, 1, INT32_MAX * 4LL, &d->r->end_s))
        return resv_code(d, ESLURM_INVALID_TIME_VALUE);
    d->end = true;
    return 0;
}

static int set_duration(struct resv_draft *d, const Pb__Pair *p)
{
    uint64_t minutes;
    enum resv_op op = op_of(p);
    d->endless = str_ieq(p->value, "UNLIMITED");
    if (d->endless)
        minutes = ENDLESS_MIN;
    else if (!str_u64(p->value, 1, ENDLESS_MIN * 100, &minutes))
        return resv_code(d, ESLURM_INVALID_TIME_VALUE);
    uint64_t now = (uint64_t)(d->r->end_s - d->r->start_s) / 60;
    if (op != RESV_SET && !d->create)
        minutes = op == RESV_ADD ? now + minutes : now - MIN(now, minutes);
    if (!minutes)
        return resv_code(d, ESLURM_INVALID_TIME_VALUE);
    d->duration_min = (uint32_t)minutes;
    return 0;
}

static int set_delay(struct resv_draft *d, const Pb__Pair *p)
{
    uint64_t seconds;
    if (!str_u64(p->value, 0, UINT32_MAX - 2, &seconds))
        return resv_code(d, ESLURM_INVALID_TIME_VALUE);
    d->r->max_start_delay_s = (uint32_t)seconds;
    return 0;
}

/* ---- users, accounts, groups ---- */

static int set_list(struct resv_draft *d, char **field, const Pb__Pair *p)
{
    char *list = resv_list_change(*field, p->value, op_of(p), d->err);
    if (!list) /* Slurm has no better number for a list that says both */
        return d->create ? err_set(d->err, -1, "Unspecified error") : resv_code(d, ESLURM_USER_ID_MISSING);
    pb_set_text(field, list);
    free(list);
    d->access = true;
    return 0;
}

static int set_users(struct resv_draft *d, const Pb__Pair *p)
{
    return set_list(d, &d->r->users, p);
}

static int set_groups(struct resv_draft *d, const Pb__Pair *p)
{
    int rc = set_list(d, &d->r->groups, p);
    return rc ? rc : resv_list_denies(d->r->groups) ? resv_code(d, ESLURM_GROUP_ID_MISSING) : 0;
}

static int set_accounts(struct resv_draft *d, const Pb__Pair *p)
{
    return set_list(d, &d->r->accounts, p);
}

/* Each name of a list that may deny, asked about. */
static bool all_known(const struct resv_draft *d, const char *list,
                      bool known(const struct cluster *c, const char *name))
{
    const char *pos = list;
    bool all = true;
    for (char *name; (name = str_next(&pos, ",")); free(name))
        all &= known(d->t->c, name + (*name == '-'));
    return all;
}

static bool part_known(const struct cluster *c, const char *name)
{
    return cluster_part(c, name) != NULL;
}

static bool qos_known(const struct cluster *c, const char *name)
{
    return limits_qos(c, name) != NULL;
}

static int set_qos(struct resv_draft *d, const Pb__Pair *p)
{
    int rc = set_list(d, &d->r->qos, p);
    return rc ? rc : all_known(d, d->r->qos, qos_known) ? 0 : resv_code(d, ESLURM_INVALID_QOS);
}

static int set_allowed(struct resv_draft *d, const Pb__Pair *p)
{
    int rc = set_list(d, &d->r->partitions, p);
    return rc ? rc : all_known(d, d->r->partitions, part_known) ? 0 : resv_code(d, ESLURM_INVALID_PARTITION_NAME);
}

/* ---- what ---- */

static int set_partition(struct resv_draft *d, const Pb__Pair *p)
{
    if (!cluster_part(d->t->c, p->value))
        return resv_code(d, ESLURM_INVALID_PARTITION_NAME);
    pb_set_text(&d->r->partition, p->value);
    d->counts |= !d->create;
    return 0;
}

static int set_features(struct resv_draft *d, const Pb__Pair *p)
{
    pb_set_text(&d->r->features, p->value);
    d->counts |= !d->create;
    return 0;
}

static int set_licenses(struct resv_draft *d, const Pb__Pair *p)
{
    if (!license_allowed(d->t, p->value) || strchr(p->value, '|'))
        return resv_code(d, ESLURM_INVALID_LICENSES);
    pb_set_text(&d->r->licenses, p->value);
    return 0;
}

static int set_comment(struct resv_draft *d, const Pb__Pair *p)
{
    pb_set_text(&d->r->comment, p->value);
    return 0;
}

static int set_node_cnt(struct resv_draft *d, const Pb__Pair *p)
{
    uint64_t n;
    if (!str_u64(p->value, 1, 1u << 24, &n))
        return resv_code(d, ESLURM_INVALID_NODE_COUNT);
    d->r->node_cnt = (uint32_t)n;
    d->counts = true;
    return 0;
}

static int set_core_cnt(struct resv_draft *d, const Pb__Pair *p)
{
    uint64_t n;
    if (!str_u64(p->value, 1, 1u << 24, &n))
        return resv_code(d, ESLURM_INVALID_CPU_COUNT);
    if (!d->create && !d->r->core_cnt) /* whole nodes stay whole */
        return resv_code(d, ESLURM_CORE_RESERVATION_UPDATE);
    d->r->core_cnt = (uint32_t)n;
    d->counts = true;
    return 0;
}

static int set_nodes(struct resv_draft *d, const Pb__Pair *p)
{
    free(d->node_text);
    d->node_text = mem_str(p->value);
    d->node_op = op_of(p);
    d->nodes = true;
    return 0;
}

/* Flags are added; a flag written with -= is removed. */
static int set_flags(struct resv_draft *d, const Pb__Pair *p)
{
    uint64_t flags = 0;
    uint32_t purge_s = 0;
    if (resv_flags_parse(p->value, &flags, &purge_s, d->err))
        return d->err->code;
    if (purge_s || (flags & RESV_PURGE_COMP && !d->r->purge_s))
        d->r->purge_s = purge_s ? purge_s : RESV_PURGE_S;
    if (op_of(p) == RESV_REMOVE)
        d->r->flags &= ~flags;
    else
        d->r->flags |= flags;
    return 0;
}

/* ---- TRES=cpu=4,node=2,license/foo=1,gres/gpu=2 ---- */

static bool resv_key_counted(const struct resv_draft *d, const char *name)
{
    auto_free char *base = mem_strn(name, strcspn(name, ":"));
    return str_in_list(d->t->site->accounting_tres, name) || str_in_list(d->t->site->accounting_tres, base);
}

static int one_tres(struct resv_draft *d, const struct tres *t, struct buf *gres, struct buf *licenses)
{
    if (str_ieq(t->name, "node"))
        d->r->node_cnt = (uint32_t)MIN(t->count, UINT32_MAX), d->counts = true;
    else if (str_ieq(t->name, "cpu"))
        d->r->core_cnt = (uint32_t)MIN(t->count, UINT32_MAX), d->counts = true;
    else if (str_has_iprefix(t->name, "license/"))
        buf_addf(licenses, "%s%s:%lu", licenses->len ? "," : "", t->name + 8, (unsigned long)t->count);
    else if (str_has_iprefix(t->name, "gres/") && resv_key_counted(d, t->name))
        buf_addf(gres, "%s%s:%lu", gres->len ? "," : "", t->name + 5, (unsigned long)t->count);
    else if (str_has_iprefix(t->name, "bb/"))
        return err_set(d->err, ESLURM_NOT_SUPPORTED, "burst buffers are not supported: %s", t->name);
    else
        return resv_code(d, ESLURM_INVALID_TRES);
    return 0;
}

static int set_tres_of(struct resv_draft *d, const Pb__Pair *p, char **gres_field)
{
    auto_tres struct tres_list list = TRES_INIT;
    auto_buf struct buf gres = BUF_INIT, licenses = BUF_INIT;
    if (tres_parse(p->value, &list, NULL))
        return resv_code(d, ESLURM_INVALID_TRES);
    int rc = 0;
    for (size_t i = 0; i < list.n && !rc; i++)
        rc = one_tres(d, &list.at[i], &gres, &licenses);
    if (!rc && gres.len) {
        pb_set_text(gres_field, gres.s);
        d->counts = true;
    }
    Pb__Pair pair = PB__PAIR__INIT;
    pair.value = licenses.s;
    return !rc && licenses.len && set_licenses(d, &pair) ? resv_code(d, ESLURM_INVALID_TRES) : rc;
}

static int set_tres(struct resv_draft *d, const Pb__Pair *p)
{
    return set_tres_of(d, p, &d->r->gres);
}

static int set_tres_per_node(struct resv_draft *d, const Pb__Pair *p)
{
    return set_tres_of(d, p, &d->r->tres_per_node);
}

/* ---- the rest ---- */

static int set_name(struct resv_draft *d, const Pb__Pair *p)
{
    if (d->create)
        pb_set_text(&d->r->name, p->value);
    return 0;
}

static int set_skip(struct resv_draft *d, const Pb__Pair *p)
{
    d->skip = true;
    return 0;
}

static int resv_key_refuse(struct resv_draft *d, const Pb__Pair *p)
{
    return err_set(d->err, ESLURM_NOT_SUPPORTED, "%s of a reservation is not supported", p->key);
}

static const struct {
    const char *key;
    int (*set)(struct resv_draft *d, const Pb__Pair *p);
} rows[] = {
    { "ReservationName", set_name },
    { "StartTime", set_start },
    { "EndTime", set_end },
    { "Duration", set_duration },
    { "MaxStartDelay", set_delay },
    { "Users", set_users },
    { "Groups", set_groups },
    { "Accounts", set_accounts },
    { "QOS", set_qos },
    { "AllowedPartitions", set_allowed },
    { "PartitionName", set_partition },
    { "Features", set_features },
    { "Licenses", set_licenses },
    { "Comment", set_comment },
    { "NodeCnt", set_node_cnt },
    { "CoreCnt", set_core_cnt },
    { "Nodes", set_nodes },
    { "Flags", set_flags },
    { "TRES", set_tres },
    { "TRESPerNode", set_tres_per_node },
    { "Skip", set_skip },
    { "BurstBuffer", resv_key_refuse },
};

int resv_key(struct resv_draft *d, const Pb__Pair *pair)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_ieq(rows[i].key, pair->key))
            return rows[i].set(d, pair);
    return err_set(d->err, EINVAL, "a reservation's %s cannot be set", pair->key);
}
