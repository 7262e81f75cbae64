/* why - the reason that each pending job is given, computed only when it may have changed. */
#include "sched/why.h"
#include "core/het.h"
#include "sched/fit.h"
#include "sched/het.h"
#include "sched/license.h"
#include "sched/need.h"
#include "sched/planned.h"
#include "sched/queue.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"
#include "text/hostlist.h"

#define PREDICTS_A_SECOND 1000 /* node tests for predictions */
#define PREDICT_LOOKS 50       /* that a prediction counts for at least */

static void why_push(const struct job *j, enum why_code code, int64_t planned_s, char *nodes, struct plan *out)
{
    if (j->why.code == code && (!planned_s || j->why.planned_s == planned_s)) {
        free(nodes);
        return;
    }
    struct sched_why w = { .job = (struct job *)(uintptr_t)j,
                           .why = { .code = code, .planned_s = planned_s },
                           .nodes = nodes };
    vec_push(&out->whys, w);
}

/* The first blocked class of each partition waits for resources, the jobs behind it for priority.  Classes that named
 * their nodes have a first one of their own, in the second half of the array. */
static void why_find_first(const struct sched *s, const struct cluster *c, const struct job_class **first)
{
    for (size_t i = 0; i < s->classes.n; i++) {
        const struct job_class *cls = s->classes.at[i];
        if (cls->state != CLASS_BLOCKED || cls->next >= cls->keys.n || cls->need.resv ||
            license_lacks(s, s->cluster, &cls->need, s->now_s))
            continue; /* a job without its licence does not wait for nodes */
        const struct job_class **f = &first[cls->need.part + (why_named(cls) ? c->part.n : 0)];
        if (!*f || queue_before(cls->tier, cls->keys.at[cls->next], (*f)->tier, (*f)->keys.at[(*f)->next]))
            *f = cls;
    }
}

static uint32_t first_id(const struct job_class *first)
{
    return first ? queue_key_id(first->keys.at[first->next]) : 0;
}

static char *nodes_text(const struct cluster *c, const struct bitmap *nodes)
{
    struct strs names = STRS_INIT;
    bitmap_each (nodes, i)
        strs_add(&names, c->node[i].name);
    char *text = hostlist_compress_sorted(names.at, names.n);
    strs_clear(&names);
    return text;
}

/* Very many jobs may wait for one reservation: predictions for jobs without a planned start are limited per second. */
static bool predict_allowed(const struct sched *s, const struct job *j, const struct queue_entry *entry)
{
    bool first = false;
    for (size_t i = 0; i < s->reported.n; i++)
        first |= s->reported.at[i] == j->id;
    return first || (entry->nclasses && entry->classes[0]->need.resv) ||
           s->predict_spent <= (s->now_s + 1) * PREDICTS_A_SECOND;
}

/* When and where the job could start.  A prediction is kept until its time has come, as it is asked for often. */
static int64_t why_predict(struct sched *s, const struct cluster *c, const struct job *j, struct queue_entry *entry,
                           char **nodes)
{
    if ((j->why.code == WHY_RESOURCES || j->why.code == WHY_LICENSES || j->why.code == WHY_NODE_RESERVED ||
         why_is_topo(j->why.code)) &&
        j->why.planned_s > s->now_s)
        return j->why.planned_s;
    struct pick p = { 0 };
    auto_bitmap struct bitmap where = BITMAP_INIT;
    const struct planned_start *kept = planned_find(s, j->id);
    int64_t at = kept ? kept->at_s : 0;
    for (size_t i = 0; kept && i < kept->spans.n; i++)
        if (!kept->spans.at[i].span.topo_exclusion)
            bitmap_set(&where, kept->spans.at[i].node);
    if (!at && !predict_allowed(s, j, entry))
        return 0;
    uint32_t looks = s->node_tests;
    s->planned_ahead = planned_current(s, planned_before(s, entry->nclasses ? entry->classes[0]->tier : 0, entry->key));
    for (uint32_t i = 0; i < entry->nclasses && !at; i++)
        if (entry->classes[i]->state == CLASS_BLOCKED)
            at = entry->classes[i]->het ? het_start_s(s, c, entry->classes[i], false)
                                        : backfill_start_s(s, c, &entry->classes[i]->need, &p);
    for (size_t i = 0; i < p.at.n; i++)
        bitmap_set(&where, p.at.at[i].node);
    if (!kept)
        s->predict_spent = MAX(s->predict_spent, s->now_s * PREDICTS_A_SECOND) + (s->node_tests - looks) +
                           PREDICT_LOOKS;
    vec_clear(&p.at);
    if (at <= s->now_s)
        return 0;
    *nodes = nodes_text(c, &where);
    return at;
}

static enum why_code why_code_of(struct sched *s, const struct cluster *c, const struct job *j,
                                 struct queue_entry *entry, const struct job_class **first)
{
    if (!entry->nclasses)
        return entry->why;
    bool limited, open = false;
    for (uint32_t i = 0; i < entry->nclasses; i++)
        open |= entry->classes[i]->state != CLASS_UNSCHEDULABLE;
    if (open && !array_tasks_left(s, c, j, entry, &limited) && limited)
        return WHY_ARRAY_LIMIT;
    enum why_code code = WHY_NONE;
    for (uint32_t i = 0; i < entry->nclasses; i++) {
        struct job_class *cls = entry->classes[i];
        if (cls->state == CLASS_UNSCHEDULABLE) {
            code = code == WHY_NONE ? cls->unschedulable : code;
            continue;
        }
        if (cls->state == CLASS_LIMITED)
            return cls->limited;
        if (cls->deadline_s && s->now_s + need_least_run_s(&cls->need) > cls->deadline_s)
            return WHY_DEADLINE;
        if (license_lacks(s, c, &cls->need, s->now_s))
            return WHY_LICENSES;
        if (cls->need.resv && resv_first(s, cls, entry->key) && !cls->need.magnetic)
            return WHY_RESOURCES;
        if (s->nresv && resv_why(s, c, cls) != WHY_NONE)
            return cls->resv_why;
        if (why_named(cls))
            return why_of_named(s, cls, entry->key, first[cls->need.part]);
        if (first_id(first[cls->need.part]) == j->id)
            return why_of_first(s, c, cls, first);
        code = WHY_PRIORITY;
    }
    return code;
}

/* The other components of a heterogeneous job have the reason of the first, unless they have one of their own. */
static bool why_shared_with_leader(const struct job *j, const struct queue_entry *entry)
{
    return het_is(j) && !het_leads(j) && entry && entry->why == WHY_NONE;
}

static void why_update_components(struct sched *s, const struct cluster *c, const struct job *j, enum why_code code,
                                  int64_t planned_s, struct plan *out)
{
    for (uint32_t i = 1; het_leads(j) && i < j->het_size; i++) {
        const struct job *p = het_part(c, j, i);
        if (p && job_pending(p) && why_shared_with_leader(p, queue_find(s, p->id)))
            why_push(p, het_unschedulable(s, c, p, code), planned_s, NULL, out);
    }
}

static void why_update_job(struct sched *s, const struct cluster *c, uint32_t id, const struct job_class **first,
                           struct plan *out)
{
    const struct job *j = cluster_job(c, id);
    struct queue_entry *entry = queue_find(s, id);
    if (!j || !entry || !job_pending(j) || why_shared_with_leader(j, entry))
        return;
    queue_entry_begin_cycle(s, entry);
    uint32_t left = j->array ? j->array->count - entry->started : 1 - entry->started;
    if (!left)
        return;
    enum why_code code = why_code_of(s, c, j, entry, first);
    char *nodes = NULL;
    if (code == WHY_RESOURCES && c->topo.n)
        code = topo_why_code(s, c, &entry->classes[0]->need);
    bool tells = code == WHY_RESOURCES || why_is_topo(code) || code == WHY_NODE_RESERVED ||
                 code == WHY_NODES_RESERVED || code == WHY_RESV_MAINT || (code == WHY_LICENSES && planned_find(s, id));
    int64_t planned_s = tells ? why_predict(s, c, j, entry, &nodes) : 0;
    why_push(j, code, planned_s, nodes, out);
    if (het_is(j))
        why_update_components(s, c, j, entry->nclasses ? code : WHY_NONE, planned_s, out);
}

static int cmp_id(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void why_update(struct sched *s, const struct cluster *c, struct plan *out)
{
    auto_free const struct job_class **first = mem_array(2 * c->part.n + 1, sizeof(*first));
    why_find_first(s, c, first);
    bool news = false;
    for (size_t i = 0; i < s->reported.n; i++) {
        uint32_t id = first_id(first[i]);
        const struct job *j = id ? cluster_job(c, id) : NULL;
        bool by_block = first[i] && first[i]->need.topo &&
                        first[i]->need.topo->kind == TOPO_BLOCK; /* the reason may change between nodes and blocks */
        if (s->reported.at[i] == id && !by_block && !(j && j->why.planned_s && j->why.planned_s <= s->now_s))
            continue;
        if (s->reported.at[i])
            vec_push(&s->why_changed, s->reported.at[i]);
        if (id)
            vec_push(&s->why_changed, id);
        news = news || s->reported.at[i] != id;
        s->reported.at[i] = id;
    }
    for (size_t i = 0; news && i < s->reported.n;
         i++) /* the first job of one partition can be the reason of the first in another */
        if (s->reported.at[i])
            vec_push(&s->why_changed, s->reported.at[i]);
    if (s->why_changed.n)
        qsort(s->why_changed.at, s->why_changed.n, sizeof(*s->why_changed.at), cmp_id);
    for (size_t i = 0; i < s->why_changed.n; i++)
        if (!i || s->why_changed.at[i] != s->why_changed.at[i - 1])
            why_update_job(s, c, s->why_changed.at[i], first, out);
    s->why_changed.n = 0;
}
