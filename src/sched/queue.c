/*
 * queue - the pending jobs and their order.
 *
 * Every pending job has a queue entry.  A job that may start stands in one job class for each partition it asked for,
 * and there for each reservation it may start in.  An entry is computed again only when its job was reported as
 * changed, so a cycle costs what changed, not what is pending.
 */
#include "sched/queue.h"
#include "base/str.h"
#include "core/het.h"
#include "sched/fit_cache.h"
#include "sched/het.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/planned.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"
#include "sched/topo.h"

struct queue_entry *queue_find(const struct sched *s, uint32_t id)
{
    return map_get(&s->entries, id);
}

static enum why_code depend_why(const struct job *j)
{
    uint32_t open = 0, met = 0, failed = 0;
    for (uint32_t i = 0; i < j->depend.n; i++) {
        open += j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_UNFULFILLED;
        met += j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_FULFILLED;
        failed += j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_FAILED;
    }
    if (j->depend.n && j->depend.at[0].any)
        return met ? WHY_NONE : open ? WHY_DEPENDENCY : failed ? WHY_DEPEND_NEVER : WHY_NONE;
    return failed ? WHY_DEPEND_NEVER : open ? WHY_DEPENDENCY : WHY_NONE;
}

/* Why the job cannot be in a class yet, whatever the nodes say. */
static enum why_code entry_why(const struct job *j, int64_t now_s)
{
    if (j->state != JOB_PENDING)
        return WHY_CLEANING;
    if (j->hold)
        return j->reason ? (enum why_code)j->reason : j->hold == HOLD_ADMIN ? WHY_HELD_ADMIN : WHY_HELD_USER;
    enum why_code code = depend_why(j);
    if (code != WHY_NONE)
        return code;
    return j->eligible_s > now_s ? WHY_BEGIN_TIME : WHY_NONE;
}

static void entry_leave_classes(struct queue_entry *entry)
{
    for (uint32_t i = 0; i < entry->nclasses; i++)
        class_remove_key(entry->classes[i], entry->key);
    if (entry->classes != &entry->single)
        free(entry->classes);
    entry->classes = NULL;
    entry->nclasses = 0;
}

static void entry_free(struct queue_entry *entry)
{
    if (entry->classes != &entry->single)
        free(entry->classes);
    free(entry);
}

/* One more class for the entry, unless it is there already (a partition may be named twice). */
static void entry_add_class(const struct cluster *c, struct queue_entry *entry, struct job_class *cls)
{
    for (uint32_t i = 0; i < entry->nclasses; i++)
        if (entry->classes[i] == cls)
            return;
    if (entry->nclasses == 1) {
        entry->classes = mem_array(c->part.n * MIN(c->resv.n + 1, (size_t)RESV_CHOICES), sizeof(*entry->classes));
        entry->classes[0] = entry->single;
    }
    entry->classes[entry->nclasses++] = cls;
    class_add_key(cls, entry->key);
}

/* One class for each reservation that the job may start in, and one outside of reservations. */
static void entry_join_part(struct sched *s, const struct cluster *c, struct queue_entry *entry, const struct job *j,
                            const struct part *p)
{
    struct resv_choice in[RESV_CHOICES] = { { NULL, false } };
    size_t n = s->nresv || j->spec->req.reservation ? resv_choices(s, c, j, p, in) : 1;
    for (size_t i = 0; i < n; i++)
        entry_add_class(c, entry, class_get(s, c, j, p, &in[i]));
}

static void entry_join_classes(struct sched *s, const struct cluster *c, struct queue_entry *entry, const struct job *j)
{
    entry->classes = &entry->single;
    if (!strchr(j->partition, ',')) {
        const struct part *p = cluster_part(c, j->partition);
        if (p)
            entry_join_part(s, c, entry, j, p);
    } else {
        const char *pos = j->partition;
        for (char *name; (name = str_next(&pos, ",")); free(name)) {
            const struct part *p = cluster_part(c, name);
            if (p)
                entry_join_part(s, c, entry, j, p);
        }
    }
    if (!entry->nclasses) /* the partition or the reservation does not exist any more */
        entry->why = j->spec->req.reservation ? WHY_RESERVATION : WHY_PART_DOWN;
}

static void begin_time_add(struct sched *s, int64_t at_s, uint32_t id)
{
    size_t at = s->begin_times.n;
    vec_reserve(&s->begin_times, s->begin_times.n + 1);
    while (at > 0 && s->begin_times.at[at - 1].at_s < at_s) {
        s->begin_times.at[at] = s->begin_times.at[at - 1];
        at--;
    }
    s->begin_times.at[at].at_s = at_s;
    s->begin_times.at[at].id = id;
    s->begin_times.n++;
}

static void entry_remember(struct queue_entry *entry, const struct job *j)
{
    entry->spec_id = j->spec->blob ? j->spec->blob->id : 0;
    entry->priority = job_priority(j);
    entry->limit_min = j->time_limit_min;
    entry->hold = j->hold;
    entry->ndepend = j->depend.n;
    entry->eligible_s = j->eligible_s;
    entry->mem_mb = j->mem_per_node_mb + j->mem_per_cpu_mb;
}

static bool entry_unchanged(const struct sched *s, const struct queue_entry *entry, const struct job *j)
{
    return j->spec->blob && entry->spec_id == j->spec->blob->id && entry->priority == job_priority(j) &&
           entry->limit_min == j->time_limit_min && entry->hold == j->hold && entry->ndepend == j->depend.n &&
           !j->depend.n && entry->eligible_s == j->eligible_s &&
           entry->mem_mb == j->mem_per_node_mb + j->mem_per_cpu_mb && j->state == JOB_PENDING && entry->nclasses == 1 &&
           !(s->conf.het_prio && het_is(j)) && !j->spec->req.reservation && !s->had_magnetic &&
           str_eq(j->partition, s->part.at[entry->single->need.part]);
}

static void entry_drop(struct sched *s, struct queue_entry *entry)
{
    map_del(&s->entries, entry->id);
    entry_free(entry);
}

static void entry_requeue(struct sched *s, const struct cluster *c, struct queue_entry *entry, const struct job *j,
                          int64_t now_s)
{
    entry_remember(entry, j);
    entry->key = policy_queue_key(s, c, j);
    entry->why = het_is(j) ? het_why(c, j, now_s, entry_why) : entry_why(j, now_s);
    if (entry->why == WHY_NONE && (!het_is(j) || het_leads(j)))
        entry_join_classes(s, c, entry, j); /* the other components of a heterogeneous job start with the first */
    else if (entry->why == WHY_BEGIN_TIME)
        begin_time_add(s, het_is(j) ? het_eligible_s(c, j) : j->eligible_s, j->id);
    entry->switch_until_s = entry->nclasses ? topo_switch_until_s(s, j) : 0;
    if (entry->switch_until_s)
        begin_time_add(s, entry->switch_until_s, j->id); /* the job accepts any number of switches then */
    vec_push(&s->why_changed, j->id);
}

/* Queue the job again.  A job that leaves the queue without a start may let the jobs behind it start. */
static void entry_update(struct sched *s, const struct cluster *c, uint32_t id, int64_t now_s)
{
    struct queue_entry *entry = queue_find(s, id);
    const struct job *j = cluster_job(c, id);
    const struct job_class *was = entry && entry->nclasses ? entry->classes[0] : NULL;
    uint64_t key = entry ? entry->key : 0;
    if (entry)
        entry_leave_classes(entry);
    if (!j || !job_pending(j)) {
        planned_drop_job(s, id);
        if (entry)
            entry_drop(s, entry);
        s->any_freed |= !j || !job_holds_nodes(j);
        return;
    }
    if (!entry) {
        entry = NEW(struct queue_entry);
        entry->id = id;
        map_put(&s->entries, id, entry);
    }
    entry_requeue(s, c, entry, j, now_s);
    bool moved = was && (!entry->nclasses || entry->classes[0] != was || entry->key != key);
    if (moved)
        planned_drop_job(s, id);
    else
        moved = planned_drop_stale_classes(s, entry);
    s->any_freed |= moved;
}

static void queue_note_job(struct sched *s, const struct cluster *c, uint32_t id, int64_t now_s)
{
    const struct job *j = cluster_job(c, id);
    entry_update(s, c, id, now_s);
    if (j && het_is(j) && !het_leads(j))
        entry_update(s, c, j->het_job, now_s);
}

/* ---- reordering ---- */

static int cmp_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void queue_move_front(struct sched *s, uint32_t id, uint32_t at)
{
    struct queue_entry *entry = queue_find(s, id);
    if (!entry || !entry->nclasses)
        return;
    planned_drop_job(s, id);
    for (uint32_t i = 0; i < entry->nclasses; i++)
        class_remove_key(entry->classes[i], entry->key);
    entry->key = (uint64_t)at << 32 | id;
    for (uint32_t i = 0; i < entry->nclasses; i++)
        class_add_key(entry->classes[i], entry->key);
    s->any_freed = true;
}

/* All keys at once: moving them one by one would be quadratic. */
void sched_reorder(struct sched *s, const struct cluster *c)
{
    size_t pos = 0;
    planned_expire(s);
    for (size_t i = 0; i < s->classes.n; i++)
        s->classes.at[i]->keys.n = s->classes.at[i]->head = s->classes.at[i]->fit_cache.key = 0;
    for (struct queue_entry *entry; (entry = map_next(&s->entries, &pos, NULL));) {
        const struct job *j = cluster_job(c, entry->id);
        if (j) {
            entry->key = policy_queue_key(s, c, j);
            entry->priority = job_priority(j);
        }
        for (uint32_t i = 0; i < entry->nclasses; i++)
            vec_push(&entry->classes[i]->keys, entry->key);
    }
    for (size_t i = 0; i < s->classes.n; i++)
        if (s->classes.at[i]->keys.n)
            qsort(s->classes.at[i]->keys.at, s->classes.at[i]->keys.n, sizeof(uint64_t), cmp_key);
    planned_sort(s);
    s->any_freed = true;
}

/* ---- synchronisation ---- */

static bool parts_changed(const struct sched *s, const struct cluster *c)
{
    if (s->cluster != c || s->part.n != c->part.n)
        return true;
    for (size_t i = 0; i < c->part.n; i++)
        if (!str_eq(s->part.at[i], c->part.at[i]->pb->name) || c->part.at[i]->index != i)
            return true;
    return false;
}

void queue_clear(struct sched *s)
{
    size_t pos = 0;
    planned_truncate(s, 0);
    for (struct queue_entry *entry; (entry = map_next(&s->entries, &pos, NULL));)
        entry_free(entry);
    map_clear(&s->entries);
    for (size_t i = 0; i < s->classes.n; i++)
        class_free(s->classes.at[i]);
    vec_clear(&s->classes);
    map_clear(&s->class_by_hash);
    for (size_t i = 0; i < s->part.n; i++)
        free(s->part.at[i]);
    vec_clear(&s->part);
    vec_clear(&s->reported);
    vec_clear(&s->begin_times);
    vec_clear(&s->why_changed);
}

static void parts_reset(struct sched *s, const struct cluster *c)
{
    queue_clear(s);
    for (size_t i = 0; i < c->part.n; i++) {
        vec_push(&s->part, mem_str(c->part.at[i]->pb->name));
        vec_push(&s->reported, 0);
        vec_push(&s->reported, 0);
    }
    s->cluster = c;
}

/* Anything may have changed: look at everything, but queue again only what differs. */
static void queue_sync_all(struct sched *s, const struct cluster *c, int64_t now_s)
{
    if (parts_changed(s, c))
        parts_reset(s, c);
    planned_expire(s);
    oversub_sync(s, c);
    profiles_sync(s, c);
    running_sync(s, c);
    s->free_count++;
    for (size_t i = 0; i < s->classes.n; i++) {
        fit_cache_invalidate(s->classes.at[i]);
        need_refresh(&s->classes.at[i]->need, c);
        need_pick(&s->classes.at[i]->need, s, c);
        need_oversub(&s->classes.at[i]->need, s, c);
        class_judge(s, c, s->classes.at[i]);
    }
    VEC(uint32_t) gone = { 0 };
    size_t pos = 0;
    for (struct queue_entry *entry; (entry = map_next(&s->entries, &pos, NULL));) {
        const struct job *j = cluster_job(c, entry->id);
        if (!j || !job_pending(j))
            vec_push(&gone, entry->id);
    }
    for (size_t i = 0; i < gone.n; i++)
        queue_note_job(s, c, gone.at[i], now_s);
    vec_clear(&gone);
    for (const struct job *j = c->pending.head; j; j = j->next) {
        const struct queue_entry *entry = queue_find(s, j->id);
        if (!entry || !entry_unchanged(s, entry, j))
            queue_note_job(s, c, j->id, now_s);
    }
    planned_sort(s);
    s->any_freed = true;
}

static void queue_sync_begin_times(struct sched *s, const struct cluster *c, int64_t now_s)
{
    while (s->begin_times.n && s->begin_times.at[s->begin_times.n - 1].at_s <= now_s) {
        uint32_t id = s->begin_times.at[--s->begin_times.n].id;
        const struct queue_entry *entry = queue_find(s, id);
        bool insisted = entry && entry->switch_until_s && entry->switch_until_s <= now_s;
        if (insisted || (entry && entry->why == WHY_BEGIN_TIME && !entry->nclasses))
            queue_note_job(s, c, id, now_s);
    }
}

void queue_sync(struct sched *s, const struct cluster *c, int64_t now_s)
{
    if (oversub_user_appeared(s, c)) {
        s->by_user = s->resync = true;
        s->cluster = NULL; /* the user becomes part of the class signature */
    }
    if (s->resync || parts_changed(s, c) || s->nprofiles != c->nnodes)
        queue_sync_all(s, c, now_s);
    for (size_t i = 0; i < s->changed_jobs.n; i++) {
        running_note(s, c, s->changed_jobs.at[i]);
        queue_note_job(s, c, s->changed_jobs.at[i], now_s);
    }
    s->changed_jobs.n = 0;
    map_clear(&s->changed_job_set);
    s->resync = false;
    queue_sync_begin_times(s, c, now_s);
    classes_sweep(s);
}
