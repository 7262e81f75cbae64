/*
 * check_limits - what is held under each limit, summed over the jobs.
 *
 * A limit may be lowered below what is held.  Then no further job may start: a sum above its limit never grows.
 */
#include "core/limits.h"
#include "sim/world.h"

struct group {              /* the jobs under one limit */
    const Pb__Qos *qos;     /* of this QOS, */
    const Pb__Assoc *assoc; /* or of this account or user */
    uint32_t uid;           /* and only of this user; 0: of any */
    const char *account;    /* and only of this account; NULL: of any */
};

/* Is `above` the association itself, or an account above it? */
static bool assoc_is_below(const struct cluster *c, uint32_t id, const Pb__Assoc *above)
{
    for (const struct assoc *a; id && (a = map_get(&c->limits->assoc, id)); id = a->pb->parent)
        if (id == above->id)
            return true;
    return false;
}

static uint32_t assoc_of(const struct cluster *c, const struct job *j)
{
    size_t pos = 0;
    for (const struct assoc *a; (a = map_next(&c->limits->assoc, &pos, NULL));)
        if (a->pb->has_uid && a->pb->uid == j->uid && str_eq(a->pb->account, j->spec->account))
            return a->pb->id;
    return 0;
}

static bool in_group(const struct cluster *c, const struct group *g, const struct job *j)
{
    const char *pos = j->partition;
    auto_free char *first = str_next(&pos, ",");
    const struct part *p = cluster_part(c, first);
    if ((g->uid && j->uid != g->uid) || (g->account && !str_eq(j->spec->account, g->account)))
        return false;
    return g->assoc ? assoc_is_below(c, assoc_of(c, j), g->assoc)
                    : str_eq(j->spec->qos, g->qos->name) || (p && str_eq(p->pb->qos, g->qos->name));
}

/* ---- sums ---- */

static uint64_t limit_amount(const struct cluster *c, const struct job *j, const char *tres)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        const struct node_alloc *na = &j->alloc.at[i];
        if (str_eq(tres, "cpu"))
            sum += na->cpus;
        else if (str_eq(tres, "node"))
            sum++;
        for (uint32_t k = 0; str_eq(tres, "gres/gpu") && k < na->ngres; k++)
            sum += na->gres[k].count;
    }
    return sum;
}

static bool job_runs(const struct job *j)
{
    return job_base(j) == JOB_RUNNING || job_base(j) == JOB_SUSPENDED;
}

static uint64_t group_held(const struct cluster *c, const struct group *g, const Pb__Limit *l)
{
    uint64_t sum = 0;
    for (const struct job *j = c->active.head; j; j = j->next)
        if (job_runs(j) && in_group(c, g, j))
            sum += l->what == PB__LIMIT_WHAT__LIMIT_TRES ? limit_amount(c, j, l->tres) : 1;
    for (const struct job *j = c->active.head; j && l->what == PB__LIMIT_WHAT__LIMIT_SUBMIT; j = j->next)
        sum += job_pending(j) && in_group(c, g, j); /* on its way back to the queue */
    for (const struct job *j = c->pending.head; j && l->what == PB__LIMIT_WHAT__LIMIT_SUBMIT; j = j->next)
        sum += in_group(c, g, j) ? (j->array ? j->array->count : 1) : 0;
    return sum;
}

/* ---- one limit ---- */

static void check_group(struct sim *s, const struct cluster *c, const struct group *g, const Pb__Limit *l)
{
    char key[160];
    snprintf(key, sizeof(key), "%s/%u/%u/%s/%u/%u/%s", g->qos ? g->qos->name : "", g->assoc ? g->assoc->id : 0, g->uid,
             g->account ? g->account : "", l->what, l->scope, l->tres);
    uint64_t now = group_held(c, g, l), name = map_hash_bytes(key, strlen(key));
    uint64_t before = (uintptr_t)map_get(&s->held, name);
    bool told = s->loaded || (l->what == PB__LIMIT_WHAT__LIMIT_SUBMIT &&
                              s->moved); /* another limit was set, or jobs changed in another way than by submission */
    map_put(&s->held, name, (void *)(uintptr_t)now);
    s->stats.limited += now == l->max;
    if (now > l->max && now > before && !told)
        sim_break(s, "%s %s allows %llu (%u, %u, %s), and %llu are held where %llu were",
                  g->qos ? "QOS" : "association", g->qos ? g->qos->name : g->assoc->account, (unsigned long long)l->max,
                  l->what, l->scope, l->tres, (unsigned long long)now, (unsigned long long)before);
}

/* No job starts with more than one job may have. */
static void check_each(struct sim *s, const struct cluster *c, const struct group *g, const Pb__Limit *l)
{
    for (const struct job *j = c->active.head; j; j = j->next)
        if (job_runs(j) && in_group(c, g, j) && check_track(s, j->id)->looked != j->attempt && !s->loaded &&
            limit_amount(c, j, l->tres) > l->max)
            sim_break(s, "job %u has %llu of %s, and may have %llu", j->id,
                      (unsigned long long)limit_amount(c, j, l->tres), l->tres, (unsigned long long)l->max);
}

static void check_limit(struct sim *s, const struct cluster *c, struct group g, const Pb__Limit *l)
{
    static const char *const accounts[] = { "physics", "biology" };
    if (l->what != PB__LIMIT_WHAT__LIMIT_JOBS && l->what != PB__LIMIT_WHAT__LIMIT_SUBMIT &&
        l->what != PB__LIMIT_WHAT__LIMIT_TRES)
        return;
    if (l->scope == PB__LIMIT_SCOPE__LIMIT_GROUP)
        check_group(s, c, &g, l);
    else if (l->scope == PB__LIMIT_SCOPE__LIMIT_JOB)
        check_each(s, c, &g, l);
    for (g.uid = SIM_UID; l->scope == PB__LIMIT_SCOPE__LIMIT_USER && g.uid < SIM_UID + SIM_USERS; g.uid++)
        check_group(s, c, &g, l);
    g.uid = 0;
    for (size_t i = 0; l->scope == PB__LIMIT_SCOPE__LIMIT_ACCOUNT && i < ARRAY_LEN(accounts); i++) {
        g.account = accounts[i];
        check_group(s, c, &g, l);
    }
}

void check_limits(struct sim *s, const struct cluster *c)
{
    size_t pos = 0;
    for (const struct qos *q; c->limits && (q = smap_next(&c->limits->qos, &pos, NULL));)
        for (size_t i = 0; i < q->pb->n_limits; i++)
            check_limit(s, c, (struct group){ .qos = q->pb }, q->pb->limits[i]);
    pos = 0;
    for (const struct assoc *a; c->limits && (a = map_next(&c->limits->assoc, &pos, NULL));)
        for (size_t i = 0; i < a->pb->n_limits; i++)
            check_limit(s, c, (struct group){ .assoc = a->pb }, a->pb->limits[i]);
    for (const struct job *j = c->active.head; j; j = j->next)
        check_track(s, j->id)->looked = j->attempt;
    s->loaded = s->moved = false;
}
