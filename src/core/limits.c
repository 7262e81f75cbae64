/* limits - who may have how much; see limits.h. */
#include "core/limits.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "core/cluster.h"
#include "core/pbutil.h"

#define KEY_MAX 512

/* ---- names of reasons ---- */

static const char *const tres_order[] = { "cpu", "mem", "node", "billing", "energy" };

/* Which of the nine that each family of reasons has, in the order of why_limits.h. */
static uint32_t tres_index(const char *tres)
{
    for (uint32_t i = 0; i < ARRAY_LEN(tres_order); i++)
        if (str_ieq(tres_order[i], tres))
            return i;
    return str_has_iprefix(tres, "bb/") ? 5 : str_has_iprefix(tres, "gres/") ? 6 : str_has_iprefix(tres, "license/") ? 7 : 8;
}

static const struct family {
    enum limit_what what;
    enum limit_who who;
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

enum why_code limits_why(bool qos, enum limit_what what, enum limit_who who, const char *tres)
{
    for (size_t i = 0; i < ARRAY_LEN(families); i++)
        if (families[i].what == what && families[i].who == who) {
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
    char user[16];
    if (!c->limits)
        return NULL;
    if (str_empty(account)) {
        snprintf(user, sizeof(user), "%u", uid);
        const struct assoc *def = smap_get(&c->limits->defaults, user);
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

void limits_holders(const struct cluster *c, const struct job *j, const struct part *p, struct holders *out)
{
    *out = (struct holders){ .uid = j->uid, .account = str_or(j->spec->account, "") };
    if (!c->limits)
        return;
    const struct qos *own = limits_qos(c, j->spec->qos), *of_part = p ? limits_qos(c, p->pb->qos) : NULL;
    bool over = own && (own->pb->flags & QOS_OVER_PART);
    add_qos(out, over ? own : of_part);
    add_qos(out, over ? of_part : own);
    for (const struct assoc *a = limits_assoc(c, j->uid, j->spec->account, p ? p->pb->name : NULL);
         a && out->nassoc < ASSOC_DEPTH; a = a->parent)
        out->assoc[out->nassoc++] = a;
    if (out->nassoc && !*out->account)
        out->account = out->assoc[0]->pb->account;
}

/* ---- what is held ---- */

static struct limit_use *use_of(struct limit_book *b, const char *key)
{
    struct limit_use *u = smap_get(&b->uses, key);
    if (u)
        return u;
    u = NEW(struct limit_use);
    u->key = mem_str(key);
    smap_put(&b->uses, u->key, u);
    return u;
}

void book_clear(struct limit_book *b)
{
    size_t pos = 0;
    for (struct limit_use *u; (u = smap_next(&b->uses, &pos, NULL));) {
        tres_clear(&u->tres);
        tres_clear(&u->mins);
        free(u->key);
        free(u);
    }
    smap_clear(&b->uses);
}

/* The name that holds what `who` means, of a QOS or an association. */
static void qos_key(char out[static KEY_MAX], const struct qos *q, const struct holders *h, enum limit_who who)
{
    int n = snprintf(out, KEY_MAX, "q/%s", q->pb->name);
    if (n < 0 || n >= KEY_MAX)
        return;
    if (who == LIMIT_USER)
        snprintf(out + n, KEY_MAX - (size_t)n, "/u/%u", h->uid);
    else if (who == LIMIT_ACCOUNT)
        snprintf(out + n, KEY_MAX - (size_t)n, "/a/%s", h->account);
}

static void assoc_key(char out[static KEY_MAX], const struct assoc *a)
{
    snprintf(out, KEY_MAX, "s/%u", a->pb->id);
}

typedef void use_fn(struct limit_use *u, const void *arg);

static void each_use(struct limit_book *b, const struct holders *h, use_fn *fn, const void *arg)
{
    static const enum limit_who whose[] = { LIMIT_GROUP, LIMIT_USER, LIMIT_ACCOUNT };
    char key[KEY_MAX];
    for (uint32_t i = 0; i < h->nqos; i++)
        for (size_t k = 0; k < ARRAY_LEN(whose); k++) {
            qos_key(key, h->qos[i], h, whose[k]);
            fn(use_of(b, key), arg);
        }
    for (uint32_t i = 0; i < h->nassoc; i++) {
        assoc_key(key, h->assoc[i]);
        fn(use_of(b, key), arg);
    }
}

struct share { /* what one job counts for */
    uint32_t jobs, submitted, mins;
    const struct tres_list *tres;
};

static void add_share(struct limit_use *u, const void *arg)
{
    const struct share *s = arg;
    u->jobs += s->jobs;
    u->submitted += s->submitted;
    if (s->tres)
        tres_add_all(&u->tres, s->tres, 1);
    if (s->mins)
        tres_add_all(&u->mins, s->tres, s->mins);
}

void book_start(struct limit_book *b, const struct holders *h, const struct tres_list *tres, uint32_t limit_min)
{
    struct share s = { .jobs = 1, .tres = tres, .mins = limit_min };
    each_use(b, h, add_share, &s);
}

static void sub_share(struct limit_use *u, const void *arg)
{
    const struct share *s = arg;
    auto_tres struct tres_list mins = TRES_INIT;
    tres_add_all(&mins, s->tres, s->mins);
    u->jobs -= MIN(u->jobs, s->jobs);
    tres_sub_all(&u->tres, s->tres);
    tres_sub_all(&u->mins, &mins);
}

void book_unstart(struct limit_book *b, const struct holders *h, const struct tres_list *tres, uint32_t limit_min)
{
    struct share s = { .jobs = 1, .tres = tres, .mins = limit_min };
    each_use(b, h, sub_share, &s);
}

void book_submit(struct limit_book *b, const struct holders *h)
{
    struct share s = { .submitted = 1 };
    each_use(b, h, add_share, &s);
}

static void add_alloc(const struct cluster *c, const struct node_alloc *na, struct tres_list *out)
{
    const struct node *n = &c->node[na->node];
    tres_add(out, "cpu", na->cpus);
    tres_add(out, "mem", na->mem_mb);
    tres_add(out, "node", 1);
    for (uint32_t i = 0; i < na->ngres; i++) {
        const struct gres_share *g = &na->gres[i];
        if (g->slot >= n->ngres)
            continue;
        auto_free char *name = mem_printf("gres/%s", n->gres[g->slot].name);
        tres_add(out, name, g->count);
        if (str_empty(n->gres[g->slot].type))
            continue;
        auto_free char *typed = mem_printf("%s:%s", name, n->gres[g->slot].type);
        tres_add(out, typed, g->count);
    }
}

/* ---- what a second costs ---- */

static double unit(const char *suffix, bool memory)
{
    if (!memory)
        return 1;
    switch (*suffix | 0x20) {
    case 't': return 1024.0 * 1024;
    case 'g': return 1024;
    case 'k': return 1.0 / 1024;
    default: return 1;
    }
}

static double weighed(const char *word, const struct tres_list *tres)
{
    const char *equal = strchr(word, '=');
    if (!equal)
        return 0;
    auto_free char *name = mem_strn(word, (size_t)(equal - word));
    char *end;
    double weight = strtod(equal + 1, &end);
    for (size_t i = 0; i < tres->n; i++)
        if (str_ieq(tres->at[i].name, name))
            return weight * (double)tres->at[i].count / unit(end, str_ieq(name, "mem"));
    return 0;
}

double limits_rate(const char *weights, const struct tres_list *tres, bool max)
{
    double sum = 0;
    if (str_empty(weights))
        return (double)tres_get(tres, "cpu", 0);
    const char *pos = weights;
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *word = next;
        double one = weighed(word, tres);
        sum = max ? MAX(sum, one) : sum + one;
    }
    return sum;
}

void limits_tres(const struct cluster *c, const struct part *p, const struct alloc *a, struct tres_list *out)
{
    for (uint32_t i = 0; i < a->n; i++)
        add_alloc(c, &a->at[i], out);
    tres_set(out, "billing", (uint64_t)MAX(limits_rate(p ? p->pb->tres_billing_weights : NULL, out, false), 0.0));
}

void limits_node_tres(const struct cluster *c, const struct alloc *a, struct tres_list *out)
{
    for (uint32_t i = 0; i < a->n; i++) {
        auto_tres struct tres_list one = TRES_INIT;
        add_alloc(c, &a->at[i], &one);
        for (size_t k = 0; k < one.n; k++)
            if (one.at[k].count > tres_get(out, one.at[k].name, 0))
                tres_set(out, one.at[k].name, one.at[k].count);
    }
}

/* ---- jobs come and go ---- */

struct limit_counted { /* what a job counts for now, and where */
    VEC(struct limit_use *) at;
    uint32_t jobs, submitted;
    struct tres_list tres;
};

static void note_use(struct limit_use *u, const void *arg)
{
    struct limit_counted *n = (struct limit_counted *)(uintptr_t)arg;
    struct share s = { .jobs = n->jobs, .submitted = n->submitted, .tres = &n->tres };
    add_share(u, &s);
    vec_push(&n->at, u);
}

void limits_forget(struct job *j)
{
    struct limit_counted *n = take(j->counted);
    if (!n)
        return;
    vec_clear(&n->at);
    tres_clear(&n->tres);
    free(n);
}

void limits_uncount(struct cluster *c, struct job *j)
{
    struct limit_counted *n = c->limits ? j->counted : NULL;
    for (size_t i = 0; n && i < n->at.n; i++) {
        n->at.at[i]->jobs -= n->jobs;
        n->at.at[i]->submitted -= n->submitted;
        tres_sub_all(&n->at.at[i]->tres, &n->tres);
    }
    limits_forget(j);
}

void limits_count(struct cluster *c, struct job *j)
{
    if (!c->limits)
        return;
    limits_uncount(c, j);
    if (job_ended(j))
        return;
    struct holders h;
    const char *pos = j->partition;
    auto_free char *first = str_next(&pos, ",");
    const struct part *p = cluster_part(c, first);
    limits_holders(c, j, p, &h);
    if (!h.nqos && !h.nassoc)
        return;
    struct limit_counted *n = j->counted = NEW(struct limit_counted);
    n->submitted = j->array ? j->array->count : 1;
    if (!job_pending(j)) {
        n->jobs = 1;
        limits_tres(c, p, &j->alloc, &n->tres);
    }
    each_use(&c->limits->book, &h, note_use, n);
}
