/*
 * sched_priv - what the files of sched do for each other, file by file.
 */
#ifndef SPUR_SCHED_PRIV_H
#define SPUR_SCHED_PRIV_H

#include "sched/sched_state.h"

/* heap.c: classes, the first one at the top */
typedef bool heap_order(const struct job_class *a, const struct job_class *b);
void heap_make(struct heap *h, heap_order *before); /* of what stands there in any order */
void heap_add(struct heap *h, heap_order *before, struct job_class *cls);
void heap_moved(struct heap *h, heap_order *before); /* the top comes later now */
void heap_drop(struct heap *h, heap_order *before);  /* the top */

struct resv_choice;
struct job_class *class_get(struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                            const struct resv_choice *in);
void class_judge(struct sched *s, const struct cluster *c, struct job_class *cls);
void class_free(struct job_class *cls);
void classes_sweep(struct sched *s);
void class_add_key(struct job_class *cls, uint64_t key);
void class_remove_key(struct job_class *cls, uint64_t key);
uint32_t profile_cpus_taken(const struct sched *s, const struct node_profile *prof, const struct node_alloc *na);
void running_clear(struct sched *s);
struct headroom headroom_of(uint32_t cpus, uint64_t mem_mb, const uint64_t gres[static GRES_MAX]);
/* order.c: who is next */
void queue_sync(struct sched *s, const struct cluster *c, int64_t now_s);
void queue_clear(struct sched *s);
/* SpurPolicy=short: before all others, until it starts, as room is being made for it; `at`: its place among these. */
void queue_move_front(struct sched *s, uint32_t id, uint32_t at);
static inline bool queue_key_in_front(uint64_t key)
{
    return key >> 32 < 1000; /* no job's moment is so early */
}
struct queue_entry *queue_find(const struct sched *s, uint32_t id);
static inline size_t class_count(const struct job_class *cls)
{
    return cls->keys.n - cls->head;
}
static inline uint32_t queue_key_id(uint64_t key)
{
    return (uint32_t)key;
}
/* Does (tier, rank) come before? */
static inline bool queue_before(uint32_t tier_a, uint64_t a, uint32_t tier_b, uint64_t b)
{
    return tier_a != tier_b ? tier_a > tier_b : a < b;
}

/* Reservations in the order they were made, then outside of all. */
static inline uint32_t class_resv_order(const struct job_class *cls)
{
    return cls->need.resv ? cls->need.resv->pb->id : UINT32_MAX;
}

/* Does the job at `i` of `a` come before that at `k` of `b`?  One job in two partitions: the first partition. */
static inline bool class_before(const struct job_class *a, size_t i, const struct job_class *b, size_t k)
{
    if (a->tier == b->tier && a->keys.at[i] == b->keys.at[k])
        return a->need.part != b->need.part ? a->need.part < b->need.part : class_resv_order(a) < class_resv_order(b);
    return queue_before(a->tier, a->keys.at[i], b->tier, b->keys.at[k]);
}

/* policy.c: the place of a job in its tier, the smaller the earlier; its last 32 bits are the job's number */
uint64_t policy_queue_key(const struct sched *s, const struct cluster *c, const struct job *j);
/* SpurPolicy=short: its moment, waiting or running */
int64_t policy_key_s(const struct sched *s, const struct cluster *c, const struct job *j);

/* yield.c: who makes room for a while */
void yield_find(struct sched *s, const struct cluster *c, struct plan *out);

/* learn.c: how long jobs like this one ran */
double runtime_left_s(const struct cluster *c, const struct job *j,
                      double ran_s); /* expected, once it has run so long */

/* need.c: from a job and a partition to numbers */
void need_init(struct need *n, const struct sched *s, const struct cluster *c, const struct req *r, const struct job *j,
               const struct part *p);
void need_counts(struct need *n, const struct part *p);     /* anew, after `wish` changed */
void need_refresh(struct need *n, const struct cluster *c); /* nodes or partitions changed */
void need_clear(struct need *n);
/* Why nobody with this need can start in the partition as it is; WHY_NONE when somebody could. */
enum why_code need_unschedulable(const struct sched *s, const struct cluster *c, const struct need *n);

/* lane.c: what the nodes have */
void profiles_sync(struct sched *s, const struct cluster *c);
void profiles_clear(struct sched *s);
void profile_refresh(struct sched *s, const struct cluster *c, uint32_t i);
/* What a start takes of one node; it borrows the names of its cores. */
struct span profile_span(const struct sched *s, const struct node_alloc *na, const struct need *n, int64_t from_s,
                         uint32_t id);
void profile_start(struct sched *s, const struct alloc *a, const struct need *n, int64_t from_s, uint32_t id);
void running_note(struct sched *s, const struct cluster *c, uint32_t id);
void running_sync(struct sched *s, const struct cluster *c);
void running_overdue(struct sched *s, const struct cluster *c);

typedef bool span_gone_fn(void *arg, uint32_t id);

/* fit.c: how much of a job one node can hold, and what it gets there */
struct node_fit { /* what one node could give */
    uint32_t node;
    uint32_t tasks; /* at most; 0: cannot be used */
    uint32_t min_tasks;
    uint32_t gpus; /* of a per-job count, at most */
    uint32_t cpus; /* free for it */
};
bool fit_node(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node,
              const struct avail *r, struct node_fit *out);
uint32_t fit_cpus(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, uint32_t tasks,
                  uint32_t gpus);
/* Cores that so many of its CPUs take; are they dealt round over the sockets? */
uint32_t fit_cores(const struct sched *s, const struct need *n, uint32_t node, uint32_t cpus);
bool fit_spreads(const struct sched *s, const struct need *n);
uint64_t fit_mem(const struct cluster *c, const struct need *n, uint32_t node, uint32_t cpus, uint32_t gpus);
uint64_t fit_gres_ask(const struct need *n, const struct req_gres *g, uint32_t tasks, uint32_t job_gpus);
bool fit_slot_matches(const struct gres_slot *slot, const struct req_gres *g);
bool fit_is_gpu(const struct req_gres *g);
uint32_t fit_gpus(const struct need *n, uint32_t tasks, uint32_t job_gpus); /* GPUs on a node with these */

/* A quick no, without looking closer. */
static inline bool fit_excluded(const struct sched *s, const struct need *n, const struct avail *r)
{
    return r->cpus < n->least_cpus || (s->conf.by_memory && r->mem_mb < n->least_mem_mb);
}

/* pick.c: which nodes */
struct node_part { /* one node's part of a pick */
    uint32_t node, cap, tasks, cpus, gpus;
    uint64_t mem_mb;
};
struct pick {
    VEC(struct node_part) at;
    bool preferred; /* on the nodes of --prefer */
    uint32_t level; /* share.c: how busy the cores may be that it was found with */
};
/* Choose among `h` (ascending by node).  False when they do not do. */
/* Could this node do it alone, and then it gets it all? */
bool pick_alone(const struct sched *s, const struct cluster *c, const struct need *n, const struct node_fit *h,
                struct pick *out);
bool pick_nodes(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct node_fit *h,
                size_t nh, struct pick *out);

/* Which way of choosing is the partition's and the site's. */
void need_pick(struct need *n, const struct sched *s, const struct cluster *c);

/* topo_need.c: what it asks of the network */
int64_t topo_switch_until_s(const struct sched *s,
                            const struct job *j); /* it insists on few switches until then; 0: no more */
void need_topo(struct need *n, const struct cluster *c);
enum why_code topo_why_code(const struct sched *s, const struct cluster *c,
                            const struct need *n); /* blocks, or resources */

/* Is somebody there, or comes, within its time? */
bool topo_node_in_use(const struct sched_view *v, const struct need *n, uint32_t node, int64_t at_s);

/* topo_say.c: switches and blocks by name, in the sentence that explains */
void topo_explain(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b, struct why_text *out);

/* topo_alone.c: blocks for one job alone.  A run, a start or a planned start lays its shade on its blocks. */
void topo_exclude_running(struct sched *s, const struct cluster *c, const struct job *j, struct running_job *r);
bool topo_any_exclusive(const struct sched *s, const struct cluster *c); /* does anybody want that? */
void topo_exclude_now(struct node_profile *l); /* the shades of runs count in what is free now */
void topo_exclude_trial(struct sched *s, const struct cluster *c, const struct need *n, const struct bitmap *own,
                        int64_t from_s, uint32_t id);
/* Without those of `h` in whose blocks somebody is; how many are left. */
size_t topo_drop_shared(const struct sched_view *v, const struct cluster *c, const struct need *n, int64_t at_s,
                        struct node_fit *h, size_t nh);

/* give.c: the very cores and devices */
/* How much of each gres slot a share takes, out of `r`. */
void assign_gres_counts(const struct sched *s, const struct cluster *c, const struct need *n,
                        const struct node_part *sh, const struct avail *r, uint64_t out[static GRES_MAX]);
/* -B and its kin: are there sockets with so many idle cores now? */
bool assign_sockets_idle(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node);
void assign_alloc(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p,
                  struct alloc *out);

/* near.c: devices together with the cores that are near to them; only asked where need.near is set */
struct gres_bind_when {
    int64_t at_s;
    bool empty;         /* the node, as if nobody were on it */
    span_gone_fn *gone; /* those for whom this is true have left; NULL: nobody has */
    void *arg;
};
bool gres_bind_applies(const struct sched *s, const struct need *n, const struct node *node);
/* fit_node() has said yes to `r`: is there as much on sockets that will do?  `out` is what there is. */
bool gres_bind_fit(const struct sched_view *v, const struct cluster *c, const struct need *n, uint32_t node,
                   const struct gres_bind_when *w, const struct avail *r, struct node_fit *out);
static inline bool gres_bind_fits_at(const struct sched_view *v, const struct cluster *c, const struct need *n,
                                     uint32_t node, int64_t at_s, const struct avail *r, struct node_fit *out)
{
    return !n->gres_bind || gres_bind_fit(v, c, n, node, &(struct gres_bind_when){ .at_s = at_s }, r, out);
}
/* The sockets that a share gets now, as a mask, and their room; 0: any. */
uint64_t gres_bind_sockets(const struct sched_view *v, const struct cluster *c, const struct need *n,
                           const struct node_part *cls, struct avail *r);
void gres_bind_mask_cores(const struct node_profile *l, uint64_t sockets,
                          struct bitmap *busy); /* all others are busy */
void gres_bind_add_cores(const struct sched *s, const struct cluster *c, const struct need *n, uint64_t sockets,
                         const struct bitmap *busy, struct node_alloc *na);
/* So many free devices as `out` says: one of each of `sockets`, then those near to `cores`, then any. */
void gres_bind_devices(const struct node_profile *l, const struct gres_slot *slot, const struct bitmap *cores,
                       uint64_t sockets, const struct bitmap *off, struct gres_share *out);
bool gres_bind_any(const struct sched *s); /* does anybody wait who wants that? */

/* preempt.c: how a job is asked to go, as its partition or QOS says */
const char *preempt_mode(const struct sched *s, const struct cluster *c, const struct job *v);
/* who has to go so that this one can start; true when somebody does */
bool preempt_for(struct sched *s, const struct cluster *c, const struct job_class *cls, const struct job *j,
                 struct plan *out);

/* backfill.c: the future */
void avail_subtract(struct avail *r, const struct span *u);
void avail_at(const struct sched_view *v, const struct node_profile *l, int64_t at_s, struct avail *out);
void avail_lower(struct avail *r, const struct avail *by);
bool avail_over(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct avail *out);
bool fits_among(const struct sched_view *v, const struct cluster *c, const struct need *n, const struct bitmap *among,
                int64_t at_s, struct pick *out);
/* Could it start now and run its time without touching what is planned? */
bool fits_free(const struct sched_view *v, const struct cluster *c, const struct need *n, struct pick *out);
static inline bool fits_now(const struct sched *s, const struct cluster *c, const struct need *n, struct pick *out)
{
    const struct sched_view v = view_now(s);
    return fits_free(&v, c, n, out);
}
/* The same on one node alone. */
bool fits_node(struct sched *s, const struct cluster *c, const struct need *n, uint32_t node, struct pick *out);
int64_t backfill_start_s(struct sched *s, const struct cluster *c, const struct need *n, struct pick *out);
/* Could it start at a later moment, beside what is planned? */
bool fits_at(struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, struct pick *out);
void trial_add(struct sched *s, const struct cluster *c, const struct need *n, const struct pick *p, int64_t at_s,
               uint32_t id);
void trial_remove(struct sched *s, const struct need *n, const struct pick *p, int64_t at_s, uint32_t id);
/* There may be more on the node from then on; and this much, as somebody who starts in this plan will end. */
void point_add_end(struct sched *s, uint32_t node, int64_t at_s);
void point_add_release(struct sched *s, uint32_t node, const struct span *u);
/* fits_free(), remembering what was seen when it does not. */
bool fits_class(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *out);
void trials_reset(struct sched *s, const struct cluster *c);
static inline int64_t need_run_s(const struct need *n)
{
    return n->limit_min == INFINITE_MIN || !n->limit_min ? FOREVER / 2 : (int64_t)n->limit_min * 60;
}

/* share.c: CPUs held by several, nodes of one user, CPUs that a partition may use of a node */
void oversub_sync(struct sched *s, const struct cluster *c); /* partitions or jobs may have changed */
bool oversub_user_appeared(const struct sched *s,
                           const struct cluster *c); /* users matter from now on: all shapes change */
void need_oversub(struct need *n, const struct sched *s, const struct cluster *c);
uint32_t oversub_qos(const struct sched *s, const struct cluster *c,
                     const struct job *j); /* 0 where it does not matter */
/* What a node has left for this need: `out`, which says nothing of CPUs yet, is lowered.  False: nothing. */
bool oversub_avail(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                   span_gone_fn *gone, void *arg, struct avail *out);
static inline bool avail_for(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s,
                             int64_t to_s, struct avail *out)
{
    return v->s->oversub ? oversub_avail(v, n, node, from_s, to_s, NULL, NULL, out) : out->cpus > 0;
}
/* --core-spec: may its partition use what it takes of a node? */
bool oversub_core_spec_fits(const struct sched *s, const struct need *n, const struct node *node);
void oversub_empty(const struct sched *s, const struct need *n, uint32_t node, struct avail *out);
/* What an empty node has for it; what it has now.  `r` is room for the answer. */
static inline const struct avail *avail_empty(const struct sched *s, const struct need *n, uint32_t node,
                                              struct avail *r)
{
    if (!s->oversub)
        return &s->profile[node].total;
    oversub_empty(s, n, node, r);
    return r;
}
static inline const struct avail *avail_now(const struct sched_view *v, const struct need *n, uint32_t node,
                                            struct avail *r)
{
    if (!v->s->oversub)
        return &v->s->profile[node].now;
    *r = v->s->profile[node].now;
    avail_for(v, n, node, v->s->now_s, v->s->now_s, r);
    return r;
}
void oversub_cores(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s,
                   struct bitmap *busy);
const struct bitmap *oversub_trial_cores(struct sched *s, const struct need *n, const struct node_part *sh,
                                         uint32_t level, int64_t at_s);
/* May they be on one node at all, when the need begins at that time? */
bool oversub_compatible(const struct sched *s, const struct need *n, const struct span *u, int64_t start_s);
/* share_why.c: nodes that look free and are none for it */
void oversub_explain(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b);
void oversub_drop_trials(struct sched *s); /* the trials of this plan */
void oversub_cores_take(struct sched *s,
                        const struct bitmap *cores); /* those of share_keep() are the caller's from now on */
void oversub_cores_free(const struct bitmap *cores); /* to be given back so */
void oversub_clear(struct sched *s);
static inline uint32_t need_job_share(const struct need *n)
{
    return n->oversub ? SHARE_CPUS : n->exclusive ? SHARE_ALONE : SHARE_NO;
}

/* plan.c */
/* In step with the cluster, nothing planned yet. */
void plan_begin(struct sched *s, const struct cluster *c, int64_t now_s);
/* What is said of this plan alone starts anew with each. */
static inline void queue_entry_begin_cycle(const struct sched *s, struct queue_entry *entry)
{
    if (entry->cycle == s->cycle)
        return;
    entry->cycle = s->cycle;
    entry->started = 0;
    entry->next_task = 0;
}
/* How many more may start: 1 or 0 for a job, the tasks left for an array (`limited`: its %limit stands in the way). */
uint32_t array_tasks_left(const struct sched *s, const struct cluster *c, const struct job *j,
                          const struct queue_entry *entry, bool *limited);

/* why.c */
void why_update(struct sched *s, const struct cluster *c, struct plan *out);

/* why_nodes.c: `first` holds the first blocked shape of each partition that named no nodes */
static inline bool why_named(const struct job_class *cls)
{
    return !cls->het && !bitmap_none(&cls->need.required);
}
enum why_code why_of_named(const struct sched *s, const struct job_class *cls, uint64_t key,
                           const struct job_class *first);
enum why_code why_of_first(const struct sched *s, const struct cluster *c, const struct job_class *cls,
                           const struct job_class **first);

/* ask.c: with places kept for those before it; after plan_begin() */
int64_t estimate_start(struct sched *s, const struct cluster *c, const struct job *j, struct need *n, struct pick *out);

/* timemin.c: the least time it needs; the longest limit it could begin with now, when its own is too long (0: none) */
int64_t need_least_run_s(const struct need *n);
uint32_t timemin_fit(struct sched *s, const struct cluster *c, struct job_class *cls, struct pick *out);

/* het.c: shapes of heterogeneous jobs */
bool het_fits(struct sched *s, const struct cluster *c, const struct job_class *cls); /* all of it, now */
bool het_start(struct sched *s, const struct cluster *c, struct job_class *cls, struct plan *out);
int64_t het_start_s(struct sched *s, const struct cluster *c, const struct job_class *cls,
                    bool keep); /* 0: cannot be told */
/* Which component keeps the job from beginning now, said in `b`; NULL when that says it all. */
const struct job *het_blocker(struct sched *s, const struct cluster *c, const struct job *j, struct buf *b);
/* Why a component could not begin in its partition in any case; `code` when it could. */
enum why_code het_unschedulable(struct sched *s, const struct cluster *c, const struct job *j, enum why_code code);
/* bf_hetjob_prio: the least, the mean or the highest of its components. */
uint32_t het_priority(const struct sched *s, const struct cluster *c, const struct job *j);
/* When the last of its components may begin; what keeps one of them from standing in the order. */
int64_t het_eligible_s(const struct cluster *c, const struct job *j);
enum why_code het_why(const struct cluster *c, const struct job *j, int64_t now_s,
                      enum why_code (*waits)(const struct job *j, int64_t now_s));

/* spec.c: cores left to the system */
uint32_t core_spec_cpus(const struct need *n,
                        const struct node *node); /* that a job with --core-spec may use; the node is empty */
void core_spec_add_busy(const struct need *n, const struct node *node, struct bitmap *busy); /* add those it may not */

/* license.c: licences over time; only asked where a job names some */
static inline uint32_t need_resv_id(const struct need *n)
{
    return n->resv ? n->resv->pb->id : 0; /* the reservation that it runs in */
}
void licenses_sync(struct sched *s, const struct cluster *c);
void licenses_reset(struct sched *s); /* forget what the last plan wrote */
void licenses_clear(struct sched *s);
void license_running_add(struct sched *s, const struct cluster *c, const struct job *j, int64_t end_s);
void license_running_drop(struct sched *s, uint32_t id);
/* A reservation has so many for a time; those of all reservations are forgotten. */
void license_reserve(struct sched *s, const struct cluster *c, const char *name, uint64_t count, int64_t from_s,
                     int64_t to_s, uint32_t resv);
void license_unreserve(struct sched *s);
/* Could it have its licences from `at_s` on, for its time?  `which` (may be NULL): 1 + the one of several that it would
 * get, 0: all. */
bool license_fits(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s, uint32_t *which);
/* Could it have them all now, once those for whom `gone` is true have left?  No when there is any doubt. */
bool license_fits_without(const struct sched *s, const struct cluster *c, const struct need *n, span_gone_fn *gone,
                          void *arg);
/* They are its from `from_s` on, in this plan; as `which` of license_fits(). */
uint32_t license_trial_add(struct sched *s, const struct cluster *c, const struct need *n, int64_t from_s, uint32_t id);
void license_trial_drop(struct sched *s, uint32_t id,
                        int64_t from_s); /* what this plan kept for it from that moment on */
void license_trial_undo(struct sched *s,
                        uint32_t id); /* the last that were kept for it: a trial that came to nothing */
void license_update_class(struct sched *s, const struct cluster *c,
                          struct job_class *cls); /* it is blocked: is a licence the reason now? */
/* "needs 2 of licence matlab; 1 of 4 matlab is free, job 41 returns 2 at 14:20" */
void license_explain(const struct sched *s, const struct cluster *c, const struct need *n, struct buf *b);
static inline bool license_lacks(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s)
{
    return n->req->lic.n && !license_fits(s, c, n, at_s, NULL);
}

/* resv.c: what reservations leave to whom */
#define RESV_CHOICES 32 /* reservations that one job may start in */
struct resv_choice {
    const struct resv *resv; /* NULL: outside of all */
    bool magnetic;
};
/* Where this job may start in a partition, in the order they are tried; none: what it asked for is not there. */
size_t resv_choices(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                    struct resv_choice out[static RESV_CHOICES]);
/* Is it one of those whose reservation it is now, whoever's it was when the job came? */
bool resv_usable_by(const struct sched *s, const struct resv *r, const struct job *j, const struct part *p);
const struct resv *resv_of(const struct cluster *c, const char *names); /* the first that is there */
void resv_sync(struct sched *s, const struct cluster *c);               /* nodes or reservations changed */
void resv_begin_cycle(struct sched *s, const struct cluster *c);        /* a plan begins */
void resv_claims_clear(struct node_profile *l);
void need_resv_init(struct need *n, const struct cluster *c); /* narrow it to its reservation */
void need_resv_narrow(struct need *n);                        /* which it has */
enum why_code resv_unschedulable(const struct need *n);
bool resv_avail(const struct sched_view *v, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                struct avail *out);
/* FLEX: as much as can be on the nodes of the reservation. */
bool resv_fits_preferred(const struct sched_view *v, const struct cluster *c, const struct need *n, struct pick *out);
/* Does it let jobs by that will go when they are asked?  --signal=R: and MaxStartDelay */
bool resv_admits_preemptible(const struct resv *r, const struct req *q);
bool resv_closed(const struct sched *s, const struct need *n, uint32_t node); /* to somebody who would preempt */
/* The most there ever is. */
void resv_cap(const struct need *n, const struct node *node, const struct node_profile *l, struct avail *r);
/* Cores that it may not have in that time. */
void resv_add_busy_cores(const struct sched *s, const struct need *n, uint32_t node, int64_t from_s, int64_t to_s,
                         struct bitmap *off);
/* Would it start now, were there no reservations?  Then the code to tell it; WHY_NONE otherwise. */
enum why_code resv_why(struct sched *s, const struct cluster *c, struct job_class *cls);
bool resv_first(const struct sched *s, const struct job_class *cls, uint64_t key); /* in its reservation */
void resv_explain(struct sched *s, const struct cluster *c, const struct need *n, struct buf *b, struct why_text *out);
void resv_explain_own(const struct sched *s, const struct need *n, struct buf *b);
/* The job's wish with this one reservation; borrows from the job. */
static inline struct req resv_req(const struct job *j, const struct resv *in)
{
    struct req r = j->spec->req;
    r.reservation = in ? in->pb->name : NULL;
    return r;
}

/* limit.c */
void limit_begin_cycle(struct sched *s, const struct cluster *c);
void limit_signature(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                     struct buf *key);
/* Is there a limit in the way, before it is known what it would get, and after? */
bool limit_check_request(struct sched *s, const struct cluster *c, struct job_class *cls, const struct job *j);
bool limit_check_alloc(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                       const struct job *j, const struct alloc *a);
void limit_add_start(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                     const struct job *j, const struct alloc *a);
/* The shape waits for this limit, or for none: who stands in it hears of it. */
void limit_set_class(struct sched *s, struct job_class *cls, enum why_code limited);
/* It does not start after all. */
void limit_remove_start(struct sched *s, const struct cluster *c, struct job_class *cls, const struct need *n,
                        const struct job *j, const struct alloc *a);
/* Limits of partitions that its QOS lifts: enum qos_flag. */
uint32_t limit_lifted(const struct cluster *c, const struct job *j);
/* The limit that it waits for, in words; yours, NULL when it is none. */
char *limit_explain(const struct cluster *c, const struct job *j, const struct part *p, int64_t now_s);
bool limit_denies_planned_start(const struct sched *s, const struct cluster *c, const struct job *j);

/* feature.c */
/* The nodes of `among` that a constraint asks for; free with feature_wish_free(). */
struct constraint_nodes *feature_nodes(const struct cluster *c, const char *text, const struct bitmap *among);
void feature_nodes_free(struct constraint_nodes *w); /* NULL is welcome */
/* Can it be read, and does some node of `c` (NULL: that is not asked) have each feature?  ESLURM_INVALID_FEATURE when
 * not. */
int feature_check(const struct cluster *c, const char *expr, struct err *err);
/* A feature with nearly that name, malloc'd; NULL when there is none. */
char *feature_similar(const struct cluster *c, const char *name);
/* pick_nodes() for a need with sets. */
bool feature_pick(const struct sched *s, const struct cluster *c, const struct need *n, int64_t at_s,
                  struct node_fit *h, size_t nh, struct pick *out);
/* The need as it would be, were what it prefers its constraint; `allowed` is the caller's to clear, the rest is
 * borrowed. */
void feature_prefer_need(const struct cluster *c, const struct need *n, struct need *out);
/* fits_free() on the nodes that are preferred. */
bool feature_fits_preferred(const struct sched_view *v, const struct cluster *c, const struct need *n,
                            struct pick *out);

#include "sched/steady.h"

#endif
