/* limits - limits of associations and QOS; see limits.h. */
#include "core/limits.h"

#include <stdio.h>

#include "base/str.h"
#include "core/cluster.h"

#define KEY_MAX 512

/* ---- names of reasons ---- */

static const char *const tres_order[] = { "cpu", "mem", "node", "billing", "energy" };

/* Which of the nine that each family of reasons has, in the order of why_limits.h. */
static uint32_t tres_index(const char *tres)
{
    for (uint32_t i = 0; i < ARRAY_LEN(tres_order); i++)
        if (str_ieq(tres_order[i], tres))
            return i;
    return str_has_iprefix(tres, "bb/")        ? 5
           : str_has_iprefix(tres, "gres/")    ? 6
           : str_has_iprefix(tres, "license/") ? 7
                                               : 8;
}

static const struct family {
    enum limit_what what;
    enum limit_scope scope;
    enum why_code qos, assoc; /* WHY_NONE: there is no such limit */
} families[] = {
    { LIMIT_TRES, LIMIT_GROUP, WHY_QOS_GRP_CPU, WHY_ASSOC_GRP_CPU },
    { LIMIT_MINS, LIMIT_GROUP, WHY_QOS_GRP_CPU_MINS, WHY_ASSOC_GRP_CPU_MINS },
    { LIMIT_RUN_MINS, LIMIT_GROUP, WHY_QOS_GRP_CPU_RUN_MINS, WHY_ASSOC_GRP_CPU_RUN_MINS },
    { LIMIT_TRES, LIMIT_JOB, WHY_QOS_MAX_CPU_PER_JOB, WHY_ASSOC_MAX_CPU_PER_JOB },
    { LIMIT_TRES, LIMIT_NODE, WHY_QOS_MAX_CPU_PER_NODE, WHY_ASSOC_MAX_CPU_PER_NODE },
    { LIMIT_MINS, LIMIT_JOB, WHY_QOS_MAX_CPU_MINS_PER_JOB, WHY_ASSOC_MAX_CPU_MINS_PER_JOB },
    { LIMIT_TRES, LIMIT_USER, WHY_QOS_MAX_CPU_PER_USER, WHY_NONE },
    { LIMIT_TRES, LIMIT_ACCOUNT, WHY_QOS_MAX_CPU_PER_ACCOUNT, WHY_NONE },
    { LIMIT_RUN_MINS, LIMIT_USER, WHY_QOS_MAX_CPU_RUN_MINS_PER_USER, WHY_NONE },
    { LIMIT_RUN_MINS, LIMIT_ACCOUNT, WHY_QOS_MAX_CPU_RUN_MINS_PER_ACCOUNT, WHY_NONE },
    { LIMIT_MIN_TRES, LIMIT_JOB, WHY_QOS_MIN_CPU, WHY_NONE },
    { LIMIT_JOBS, LIMIT_GROUP, WHY_QOS_GRP_JOBS, WHY_ASSOC_GRP_JOBS },
    { LIMIT_JOBS, LIMIT_USER, WHY_QOS_MAX_JOBS_PER_USER, WHY_MAX_RUNNING },
    { LIMIT_JOBS, LIMIT_ACCOUNT, WHY_QOS_MAX_JOBS_PER_ACCOUNT, WHY_NONE },
    { LIMIT_SUBMIT, LIMIT_GROUP, WHY_QOS_GRP_SUBMIT, WHY_ASSOC_GRP_SUBMIT },
    { LIMIT_SUBMIT, LIMIT_USER, WHY_QOS_MAX_SUBMIT_PER_USER, WHY_ASSOC_MAX_SUBMIT },
    { LIMIT_SUBMIT, LIMIT_ACCOUNT, WHY_QOS_MAX_SUBMIT_PER_ACCOUNT, WHY_NONE },
    { LIMIT_WALL, LIMIT_GROUP, WHY_QOS_GRP_WALL, WHY_ASSOC_GRP_WALL },
    { LIMIT_WALL, LIMIT_JOB, WHY_QOS_MAX_WALL, WHY_ASSOC_MAX_WALL },
};

enum why_code limits_why(bool qos, enum limit_what what, enum limit_scope scope, const char *tres)
{
    for (size_t i = 0; i < ARRAY_LEN(families); i++)
        if (families[i].what == what && families[i].scope == scope) {
            uint32_t base = qos ? families[i].qos : families[i].assoc;
            return (enum why_code)(base + (tres ? tres_index(tres) : 0));
        }
    return WHY_PRIORITY;
}

/* ---- finding ---- */

bool limits_any(const struct cluster *c)
{
    return c->limits != NULL;
}

const struct qos *limits_qos(const struct cluster *c, const char *name)
{
    return c->limits && name ? smap_get(&c->limits->qos, name) : NULL;
}

static const struct assoc *by_key(const struct cluster *c, const char *account, uint32_t uid, const char *partition)
{
    char key[KEY_MAX];
    snprintf(key, sizeof(key), "%s/%u/%s", account, uid, partition);
    return smap_get(&c->limits->by_key, key);
}

const struct assoc *limits_assoc(const struct cluster *c, uint32_t uid, const char *account, const char *partition)
{
    if (!c->limits)
        return NULL;
    if (str_empty(account)) {
        const struct assoc *def = map_get(&c->limits->defaults, (uint64_t)uid + 1);
        if (!def)
            return NULL;
        account = def->pb->account;
    }
    const struct assoc *own = str_empty(partition) ? NULL : by_key(c, account, uid, partition);
    return own ? own : by_key(c, account, uid, "");
}

static void add_qos(struct holders *h, const struct qos *q)
{
    if (q && (!h->nqos || h->qos[0] != q))
        h->qos[h->nqos++] = q;
}

/* Accounts have the number of their own association; an unknown account has one by its name. */
static uint32_t account_number(const struct holders *h, const char *name)
{
    for (uint32_t i = 0; i < h->nassoc; i++)
        if (str_empty(h->assoc[i]->pb->user))
            return h->assoc[i]->pb->id;
    return (uint32_t)map_hash_bytes(name, strlen(name)) | 1u << 31;
}

void limits_holders(const struct cluster *c, const struct job *j, const struct part *p, struct holders *out)
{
    *out = (struct holders){ .uid = j->uid };
    if (!c->limits)
        return;
    const struct qos *own = limits_qos(c, j->spec->qos), *of_part = p ? limits_qos(c, p->pb->qos) : NULL;
    out->own = own;
    bool over = own && (own->pb->flags & QOS_OVER_PART);
    add_qos(out, over ? own : of_part);
    add_qos(out, over ? of_part : own);
    for (const struct assoc *a = limits_assoc(c, j->uid, j->spec->account, p ? p->pb->name : NULL);
         a && out->nassoc < ASSOC_DEPTH; a = a->parent)
        out->assoc[out->nassoc++] = a;
    out->account = account_number(out, str_or(j->spec->account, ""));
}

bool limits_of_part(const struct cluster *c, const struct qos *q)
{
    for (size_t i = 0; i < c->part.n; i++)
        if (limits_qos(c, c->part.at[i]->pb->qos) == q)
            return true;
    return false;
}
