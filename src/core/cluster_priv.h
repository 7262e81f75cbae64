/*
 * cluster_priv - what the files of core share among themselves.
 */
#ifndef SPUR_CORE_CLUSTER_PRIV_H
#define SPUR_CORE_CLUSTER_PRIV_H

#include "core/cluster.h"
#include "core/snap_cache.h"

#define SNAPSHOT_FORMAT 1
#define SNAPSHOT_BLOBS 10 /* field number in pb.Snapshot */
#define KEY_PIECE 512     /* keys are encoded so many at a time */

/* A replicated field of it changed: what was encoded of it is stale. */
void job_changed(struct cluster *c, struct job *j);
void node_changed(struct cluster *c, struct node *n);

/* blob.c */
struct blob *blob_add(struct cluster *c, uint64_t id, const void *p, size_t len);
struct blob *blob_ref(struct cluster *c, uint64_t id); /* NULL when 0 or unknown */
void blob_unref(struct cluster *c, struct blob *b);    /* NULL is welcome */
struct spec *spec_ref(struct cluster *c, uint64_t blob_id, struct err *err);
void spec_unref(struct cluster *c, struct spec *s);

/* joblist */
void joblist_add(struct joblist *l, struct job *j);
void joblist_remove(struct joblist *l, struct job *j);
struct joblist *cluster_list_of(struct cluster *c, const struct job *j); /* where its state says it belongs */

/* jobs */
void cluster_add_job(struct cluster *c, struct job *j);  /* maps, lists, array group */
void cluster_drop_job(struct cluster *c, struct job *j); /* and frees it */
void cluster_add_key(struct cluster *c, const uint8_t *bytes, uint32_t uid, uint32_t job_id, int64_t at_s);
void cluster_drop_keys(struct cluster *c, int64_t before_s);
void cluster_move_job(struct cluster *c, struct job *j, uint32_t state);

/* use.c: a job's share of its nodes is taken or given back */
void use_take(struct cluster *c, struct job *j);
void use_suspend(struct cluster *c, const struct job *j, bool suspended);
void use_lend(struct cluster *c, const struct job *j, bool lends); /* its CPUs are for others meanwhile */
void use_release(struct cluster *c, struct job *j, uint32_t i); /* alloc position i; again is harmless */

/* nodes */
void cluster_reserve_nodes(struct cluster *c, size_t more); /* before adding: the table may move */
struct node *cluster_add_node(struct cluster *c, const Pb__NodeDef *def);
void node_set_hw(struct cluster *c, struct node *n, const Pb__NodeHw *seen);
void part_set(struct cluster *c, const Pb__Part *pb);
void resv_set(struct cluster *c, const Pb__Resv *pb);

/* one function per kind of event */
int apply_config(struct cluster *c, const Pb__EvConfig *e, struct err *err);
int apply_node_up(struct cluster *c, const Pb__EvNodeUp *e, int64_t at_s, struct err *err);
int apply_node_state(struct cluster *c, const Pb__EvNodeState *e, int64_t at_s, struct err *err);
int apply_node_update(struct cluster *c, const Pb__EvNodeUpdate *e, struct err *err);
int apply_part_update(struct cluster *c, const Pb__EvPartUpdate *e, struct err *err);
int apply_resv(struct cluster *c, const Pb__EvResv *e, struct err *err);
int apply_submit(struct cluster *c, const Pb__EvSubmit *e, int64_t at_s, struct err *err);
int apply_start(struct cluster *c, const Pb__EvStart *e, int64_t at_s, struct err *err);
int apply_split(struct cluster *c, const Pb__EvSplit *e, struct err *err);
int apply_end(struct cluster *c, const Pb__EvEnd *e, int64_t at_s, struct err *err);
int apply_node_done(struct cluster *c, const Pb__EvNodeDone *e, struct err *err);
int apply_requeue(struct cluster *c, const Pb__EvRequeue *e, int64_t at_s, struct err *err);
int apply_resize(struct cluster *c, const Pb__EvResize *e, int64_t at_s, struct err *err);
int apply_ready(struct cluster *c, const Pb__EvReady *e, int64_t at_s, struct err *err);
int apply_suspend(struct cluster *c, const Pb__EvSuspend *e, int64_t at_s, struct err *err);
int apply_hold(struct cluster *c, const Pb__EvHold *e, struct err *err);
int apply_update(struct cluster *c, const Pb__EvUpdate *e, struct err *err);
int apply_depend(struct cluster *c, const Pb__EvDepend *e, struct err *err);
int apply_warned(struct cluster *c, const Pb__EvWarned *e, struct err *err);
int apply_purge(struct cluster *c, const Pb__EvPurge *e, struct err *err);
int apply_assoc_update(struct cluster *c, const Pb__EvAssocUpdate *e, struct err *err);
int apply_usage(struct cluster *c, const Pb__EvUsage *e, struct err *err);
int apply_accrue(struct cluster *c, const Pb__EvAccrue *e, int64_t at_s, struct err *err);
int apply_step_start(struct cluster *c, const Pb__EvStepStart *e, int64_t at_s, struct err *err);
int apply_step_update(struct cluster *c, const Pb__EvStepUpdate *e, struct err *err);
int apply_step_end(struct cluster *c, const Pb__EvStepEnd *e, int64_t at_s, struct err *err);

#endif
