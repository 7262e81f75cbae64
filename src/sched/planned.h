/*
 * planned - planned starts: the start times and nodes that are kept for blocked jobs.
 */
#ifndef SPUR_SCHED_PLANNED_H
#define SPUR_SCHED_PLANNED_H

#include "sched/fit.h"

/* ---- the list (planned_start.c) ---- */

/* Planned starts of jobs before (tier, key). */
size_t planned_before(const struct sched *s, uint32_t tier, uint64_t key);

/* Of the first `most`, how many are not expired, up to the first that is. */
size_t planned_current(const struct sched *s, size_t most);

/* The next planned start, if it belongs to this job; the ones between are dropped.  NULL: the job has none. */
struct planned_start *planned_next(struct sched *s, const struct job_class *cls, uint32_t id);

/* Insert one for this job as the next. */
struct planned_start *planned_new(struct sched *s, struct job_class *cls, uint32_t id, uint64_t key);

/* The trial that begins at index `touched` of sched.touched becomes the planned start. */
void planned_set(struct sched *s, struct planned_start *ps, size_t touched, int64_t at_s);

/* Keep only the first `n`. */
void planned_truncate(struct sched *s, size_t n);

/* Do planned starts outlive a cycle? */
void planned_set_incremental(struct sched *s, bool steady);

/* Anything may have changed. */
void planned_expire(struct sched *s);

/* The order of the jobs changed. */
void planned_sort(struct sched *s);
void planned_store_pick(struct planned_start *ps, const struct pick *pick);
void planned_load_pick(const struct planned_start *ps, struct pick *out);
void planned_drop(struct sched *s, size_t at);

/* All planned starts of a job whose position in the queue changed. */
void planned_drop_job(struct sched *s, uint32_t id);

/* Those of a job in classes that it left; true when there were some. */
bool planned_drop_stale_classes(struct sched *s, const struct queue_entry *entry);

/* The job starts: drop one of its planned starts. */
void planned_consume(struct sched *s, uint32_t id);
const struct planned_start *planned_find(const struct sched *s, uint32_t id);
void planned_release_licenses(struct sched *s, const struct planned_start *ps);

/* Something was taken on the node: mark planned starts from index `from` on that do not fit any more. */
void planned_check_node(struct sched *s, uint32_t node, size_t from);

/* ---- promises (planned_check.c) ---- */

struct trial_start {
    const struct need *need;
    const struct alloc *alloc;
    uint32_t id;
};

/* Are its nodes still free at its time?  For a heterogeneous job: true. */
bool planned_holds(struct sched *s, const struct planned_start *ps);

/* Could it be kept where a search finds only a later time?  Nodes are chosen by heuristics; a job that was given a
 * planned start must not pay for that. */
bool planned_can_keep(struct sched *s, const struct cluster *c, const struct planned_start *ps);

/* May these starts happen without breaking a planned start that counts? */
bool planned_check_start(struct sched *s, const struct trial_start *t, size_t n);

/* ---- which jobs get one (planned_queue.c) ---- */

/* A job of this class is blocked. */
void planned_queue_add(struct sched *s, struct job_class *cls);

/* Give every blocked job before (tier, key) a planned start; then sched.planned_ahead counts them. */
void planned_queue_extend(struct sched *s, const struct cluster *c, uint32_t tier, uint64_t key);

/* A job further ahead is looked at next: begin a new pass. */
void planned_queue_rewind(struct sched *s);

/* The first planned start that should be found again; NULL: none. */
const struct planned_start *planned_queue_due(const struct sched *s);

/* When one will be, without any other event; 0: never. */
int64_t planned_queue_next_s(const struct sched *s);

#endif
