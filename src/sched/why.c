/*
 * why - what each waiting job is told, and only when it is news.
 */
#include "core/het.h"
#include "sched/sched_priv.h"
#include "text/hostlist.h"

#define PREDICTS_A_SECOND 1000 /* looks at nodes, spent on them */
#define PREDICT_LOOKS 50       /* that each counts for at least */

static void tell(const struct job *j, enum why_code code, int64_t planned_s, char *nodes, struct plan *out)
{
    if (j->why.code == code && (!planned_s || j->why.planned_s == planned_s)) {
        free(nodes);
        return;
    }
    struct sched_why w = {
        .job = (struct job *)(uintptr_t)j, .why = { .code = code, .planned_s = planned_s }, .nodes = nodes
    };
    vec_push(&out->whys, w);
}

/*
 * The first blocked job of each partition: it waits for resources, those behind it for their turn.  Those who named
 * their nodes have a first of their own, in the second half.
 */
static void find_first(const struct sched *s, const struct cluster *c, const struct shape **first)
{
    for (size_t i = 0; i < s->shapes.n; i++) {
        const struct shape *sh = s->shapes.at[i];
        if (sh->state != SHAPE_BLOCKED || sh->next >= sh->rank.n || sh->need.resv ||
            license_lacks(s, s->seen, &sh->need, s->now_s))
            continue; /* who lacks a licence waits for that, and others for nodes */
        const struct shape **f = &first[sh->need.part + (why_named(sh) ? c->part.n : 0)];
        if (!*f || rank_before(sh->tier, sh->rank.at[sh->next], (*f)->tier, (*f)->rank.at[(*f)->next]))
            *f = sh;
    }
}

static uint32_t first_id(const struct shape *first)
{
    return first ? rank_id(first->rank.at[first->next]) : 0;
}

static char *names_of(const struct cluster *c, const struct bitmap *nodes)
{
    struct strs names = STRS_INIT;
    bitmap_each(nodes, i)
        strs_add(&names, c->node[i].name);
    char *text = hostlist_compress_sorted(names.at, names.n);
    strs_clear(&names);
    return text;
}

/* Very many may wait for one reservation: who has no place is looked for as often as a busy controller can afford. */
static bool may_search(const struct sched *s, const struct job *j, const struct seat *seat)
{
    bool first = false;
    for (size_t i = 0; i < s->told.n; i++)
        first |= s->told.at[i] == j->id;
    return first || (seat->nshapes && seat->shape[0]->need.resv) ||
           s->predicted <= (s->now_s + 1) * PREDICTS_A_SECOND;
}

/* When and where the first in line could start.  A prediction is kept until its time has come: it is asked for often. */
static int64_t predict(struct sched *s, const struct cluster *c, const struct job *j, struct seat *seat, char **nodes)
{
    if ((j->why.code == WHY_RESOURCES || j->why.code == WHY_LICENSES || j->why.code == WHY_NODE_RESERVED ||
         why_is_topo(j->why.code)) &&
        j->why.planned_s > s->now_s)
        return j->why.planned_s;
    struct pick p = { 0 };
    auto_bitmap struct bitmap where = BITMAP_INIT;
    const struct place *kept = place_of(s, j->id);
    int64_t at = kept ? kept->at_s : 0;
    for (size_t i = 0; kept && i < kept->laid.n; i++)
        if (!kept->laid.at[i].use.shade)
            bitmap_set(&where, kept->laid.at[i].node);
    if (!at && !may_search(s, j, seat))
        return 0;
    uint32_t looks = s->looks;
    s->planned = places_found(s, places_before(s, seat->nshapes ? seat->shape[0]->tier : 0, seat->rank));
    for (uint32_t i = 0; i < seat->nshapes && !at; i++)
        if (seat->shape[i]->state == SHAPE_BLOCKED)
            at = seat->shape[i]->het ? het_when(s, c, seat->shape[i], false)
                                     : backfill_when(s, c, &seat->shape[i]->need, &p);
    for (size_t i = 0; i < p.at.n; i++)
        bitmap_set(&where, p.at.at[i].node);
    if (!kept)
        s->predicted = MAX(s->predicted, s->now_s * PREDICTS_A_SECOND) + (s->looks - looks) + PREDICT_LOOKS;
    vec_clear(&p.at);
    if (at <= s->now_s)
        return 0;
    *nodes = names_of(c, &where);
    return at;
}

/* What a waiting job is to be told. */
static enum why_code code_for(struct sched *s, const struct cluster *c, const struct job *j, struct seat *seat,
                              const struct shape **first)
{
    if (!seat->nshapes)
        return seat->waits;
    bool limited, open = false;
    for (uint32_t i = 0; i < seat->nshapes; i++)
        open |= seat->shape[i]->state != SHAPE_BARRED;
    if (open && !array_left(s, c, j, seat, &limited) && limited)
        return WHY_ARRAY_LIMIT;
    enum why_code code = WHY_NONE;
    for (uint32_t i = 0; i < seat->nshapes; i++) {
        struct shape *sh = seat->shape[i];
        if (sh->state == SHAPE_BARRED) {
            code = code == WHY_NONE ? sh->barred : code;
            continue;
        }
        if (sh->state == SHAPE_LIMITED)
            return sh->limited;
        if (sh->deadline_s && s->now_s + least_run_s(&sh->need) > sh->deadline_s)
            return WHY_DEADLINE;
        if (license_lacks(s, c, &sh->need, s->now_s))
            return WHY_LICENSES;
        if (sh->need.resv && resv_first(s, sh, seat->rank) && !sh->need.drawn)
            return WHY_RESOURCES;
        if (s->nresv && resv_why(s, c, sh) != WHY_NONE)
            return sh->resv_why;
        if (why_named(sh))
            return why_of_named(s, sh, seat->rank, first[sh->need.part]);
        if (first_id(first[sh->need.part]) == j->id)
            return why_of_first(s, c, sh, first);
        code = WHY_PRIORITY;
    }
    return code;
}

/* A further component of a heterogeneous job waits with the first, unless it has a reason of its own. */
static bool told_by_first(const struct job *j, const struct seat *seat)
{
    return het_is(j) && !het_leads(j) && seat && seat->waits == WHY_NONE;
}

static void tell_parts(struct sched *s, const struct cluster *c, const struct job *j, enum why_code code,
                       int64_t planned_s, struct plan *out)
{
    for (uint32_t i = 1; het_leads(j) && i < j->het_size; i++) {
        const struct job *p = het_part(c, j, i);
        if (p && job_pending(p) && told_by_first(p, order_seat(s, p->id)))
            tell(p, het_barred(s, c, p, code), planned_s, NULL, out);
    }
}

static void tell_one(struct sched *s, const struct cluster *c, uint32_t id, const struct shape **first,
                     struct plan *out)
{
    const struct job *j = cluster_job(c, id);
    struct seat *seat = order_seat(s, id);
    if (!j || !seat || !job_pending(j) || told_by_first(j, seat))
        return;
    seat_turn(s, seat);
    uint32_t left = j->array ? j->array->count - seat->started : 1 - seat->started;
    if (!left)
        return;
    enum why_code code = code_for(s, c, j, seat, first);
    char *nodes = NULL;
    if (code == WHY_RESOURCES && c->topo.n)
        code = topo_why(s, c, &seat->shape[0]->need);
    bool tells = code == WHY_RESOURCES || why_is_topo(code) || code == WHY_NODE_RESERVED || code == WHY_NODES_RESERVED ||
                 code == WHY_RESV_MAINT || (code == WHY_LICENSES && place_of(s, id));
    int64_t planned_s = tells ? predict(s, c, j, seat, &nodes) : 0;
    tell(j, code, planned_s, nodes, out);
    if (het_is(j))
        tell_parts(s, c, j, seat->nshapes ? code : WHY_NONE, planned_s, out);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void why_tell(struct sched *s, const struct cluster *c, struct plan *out)
{
    auto_free const struct shape **first = mem_array(2 * c->part.n + 1, sizeof(*first));
    find_first(s, c, first);
    bool news = false;
    for (size_t i = 0; i < s->told.n; i++) {
        uint32_t id = first_id(first[i]);
        const struct job *j = id ? cluster_job(c, id) : NULL;
        bool by_block = first[i] && first[i]->need.topo && first[i]->need.topo->kind == TOPO_BLOCK; /* room, or blocks? */
        if (s->told.at[i] == id && !by_block && !(j && j->why.planned_s && j->why.planned_s <= s->now_s))
            continue;
        if (s->told.at[i])
            vec_push(&s->fresh, s->told.at[i]);
        if (id)
            vec_push(&s->fresh, id);
        news = news || s->told.at[i] != id;
        s->told.at[i] = id;
    }
    for (size_t i = 0; news && i < s->told.n; i++) /* who is first here says what the first elsewhere waits for */
        if (s->told.at[i])
            vec_push(&s->fresh, s->told.at[i]);
    if (s->fresh.n)
        qsort(s->fresh.at, s->fresh.n, sizeof(*s->fresh.at), by_id);
    for (size_t i = 0; i < s->fresh.n; i++)
        if (!i || s->fresh.at[i] != s->fresh.at[i - 1])
            tell_one(s, c, s->fresh.at[i], first, out);
    s->fresh.n = 0;
}
