/*
 * queue - the order of pending jobs: queue keys, job classes, queue entries.
 */
#ifndef SPUR_SCHED_QUEUE_H
#define SPUR_SCHED_QUEUE_H

#include "sched/sched_state.h"

struct resv_choice;

/* ---- queue keys (policy.c) ---- */

/* The key of a job within its tier: a smaller key is scheduled earlier.  The low 32 bits are the job id. */
uint64_t policy_queue_key(const struct sched *s, const struct cluster *c, const struct job *j);

/* SpurPolicy=short: the time that a job is ordered by, pending or running. */
int64_t policy_key_s(const struct sched *s, const struct cluster *c, const struct job *j);

/* SpurPolicy=short: how long a job that has run for `ran_s` is expected to run on, from jobs like it (runtime.c). */
double runtime_left_s(const struct cluster *c, const struct job *j, double ran_s);
static inline uint32_t queue_key_id(uint64_t key)
{
    return (uint32_t)key;
}

/* Is (tier_a, a) scheduled before (tier_b, b)? */
static inline bool queue_before(uint32_t tier_a, uint64_t a, uint32_t tier_b, uint64_t b)
{
    return tier_a != tier_b ? tier_a > tier_b : a < b;
}

/* ---- job classes (job_class.c) ---- */

/* The class of a job in one partition and reservation, created if it is the first such job. */
struct job_class *class_get(struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                            const struct resv_choice *in);

/* Compute again whether jobs of the class can start in the partition at all. */
void class_judge(struct sched *s, const struct cluster *c, struct job_class *cls);
void class_free(struct job_class *cls);

/* Drop empty classes when they become many. */
void classes_sweep(struct sched *s);
void class_add_key(struct job_class *cls, uint64_t key);
void class_remove_key(struct job_class *cls, uint64_t key);

/* Jobs in the class. */
static inline size_t class_count(const struct job_class *cls)
{
    return cls->keys.n - cls->head;
}

/* Classes of a reservation come before classes outside, in the order in which the reservations were made. */
static inline uint32_t class_resv_order(const struct job_class *cls)
{
    return cls->need.resv ? cls->need.resv->pb->id : UINT32_MAX;
}

/* Is the job at index `i` of `a` scheduled before the one at index `k` of `b`?  For one job in two partitions, the
 * first partition comes first. */
static inline bool class_before(const struct job_class *a, size_t i, const struct job_class *b, size_t k)
{
    if (a->tier == b->tier && a->keys.at[i] == b->keys.at[k])
        return a->need.part != b->need.part ? a->need.part < b->need.part : class_resv_order(a) < class_resv_order(b);
    return queue_before(a->tier, a->keys.at[i], b->tier, b->keys.at[k]);
}

/* ---- a heap of classes (heap.c) ---- */

typedef bool heap_order(const struct job_class *a, const struct job_class *b);

/* Build the heap from an array in any order. */
void heap_make(struct heap *h, heap_order *before);
void heap_add(struct heap *h, heap_order *before, struct job_class *cls);

/* The first class has moved back in the order. */
void heap_moved(struct heap *h, heap_order *before);

/* Remove the first class. */
void heap_drop(struct heap *h, heap_order *before);

/* ---- the queue (queue.c) ---- */

/* Apply the changes since the last cycle. */
void queue_sync(struct sched *s, const struct cluster *c, int64_t now_s);
void queue_clear(struct sched *s);
struct queue_entry *queue_find(const struct sched *s, uint32_t id);

/* SpurPolicy=short: move a job, for which other jobs yield, to position `at` before all others until it starts. */
void queue_move_front(struct sched *s, uint32_t id, uint32_t at);
static inline bool queue_key_in_front(uint64_t key)
{
    return key >> 32 < 1000; /* no policy_key_s() is so small */
}

/* Reset what an entry says of the current cycle, once per cycle. */
static inline void queue_entry_begin_cycle(const struct sched *s, struct queue_entry *entry)
{
    if (entry->cycle == s->cycle)
        return;
    entry->cycle = s->cycle;
    entry->started = 0;
    entry->next_task = 0;
}

/* Tasks that may still start: 1 or 0 for a job, the tasks left for an array.  `limited`: the %limit of the array is
 * reached. */
uint32_t array_tasks_left(const struct sched *s, const struct cluster *c, const struct job *j,
                          const struct queue_entry *entry, bool *limited);

#endif
