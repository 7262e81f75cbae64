/*
 * cluster - the whole state, and the one function that changes it.
 *
 * cluster_apply() reads the state and the event and nothing else: no clock, no file,
 * no configuration.  The same events give the same bytes in cluster_encode(), anywhere.
 */
#ifndef SPUR_CORE_CLUSTER_H
#define SPUR_CORE_CLUSTER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "core/job.h"
#include "core/license.h"
#include "core/name.h"
#include "core/node.h"
#include "core/topology.h"
#include "core/resv.h"
#include "event.pb-c.h"

struct part {
    Pb__Part *pb; /* owned; pb->name is the key */
    uint32_t index;
    struct bitmap nodes; /* indexes in cluster.node */
};

/* "UP", "DOWN", "DRAIN", "INACTIVE". */
const char *part_state_name(Pb__PartState state);
bool part_state_parse(const char *text, Pb__PartState *out); /* false: there is no such state */
/* May jobs be submitted to it?  They may to one that is DOWN, and wait. */
static inline bool part_takes_jobs(const struct part *p)
{
    return p->pb->state == PB__PART_STATE__PART_UP || p->pb->state == PB__PART_STATE__PART_DOWN;
}

struct joblist {
    struct job *head, *tail;
    size_t n;
};

struct snap_cache;

struct key { /* a submission that was taken: a retry gets the same answer */
    uint8_t bytes[16];
    uint32_t uid, job_id;
    int64_t at_s;
};

#define RUNTIME_ESTIMATES 192 /* core/runtime_history.h */

/* The replicated values of the cluster itself: each a member here and a field of pb.Snapshot. */
/* clang-format off */
#define CLUSTER_FIELDS(X) \
    X(bool,     configured) \
    X(uint32_t, next_job) \
    X(uint32_t, first_job) \
    X(uint32_t, max_job) \
    X(uint32_t, next_attempt)    /* of every start: an order of an earlier job with the same id is stale */ \
    X(uint64_t, next_blob) \
    X(uint64_t, events) \
    X(uint64_t, config_digest)   /* of the configuration in force */ \
    X(int64_t,  last_ms) \
    X(bool,     topo_optional)   /* only jobs that ask for switches are placed by them */ \
    X(uint32_t, next_resv) \
    X(bool,     learns)          /* a runtime history is kept; core/runtime_history.h */ \
    X(int64_t,  charged_s)       /* usage is charged up to then */ \
    X(int64_t,  charge_reset_s)  /* when usage was last set to 0 */ \
    X(Pb__Billing, billing) \
    X(uint32_t, level)           /* which events may be written: core/level.h */
/* clang-format on */

/* An observer of cluster_apply; not replicated.  Its functions run inside the call and change nothing. */
struct cluster_watch {
    void *arg;
    void (*job_changed)(void *arg, struct job *j); /* or is new, or is about to be forgotten */
    /* An attempt is over and the job goes back to the queue; its record still has the attempt's nodes and times. */
    void (*attempt_over)(void *arg, struct job *j);
    void (*step_over)(void *arg, struct job *j, const Pb__Step *s); /* its record is about to leave the job's */
};

struct cluster {
    char *name;
#define X(type, name) type name;
    CLUSTER_FIELDS(X)
#undef X

    struct node *node; /* by index; a node keeps its index for ever */
    size_t nnodes;
    struct smap node_by_name;
    VEC(struct part *) part; /* in configured order */
    VEC(struct topo *) topo; /* networks, in configured order; none: nodes stand in a row */
    VEC(struct resv *) resv; /* by number */

    struct name_table names;              /* partitions and users of the jobs */
    struct map jobs;                      /* id -> struct job */
    struct joblist pending, active, done; /* waiting; holding nodes; ended and clean */
    struct map specs;                     /* blob id -> struct spec */
    struct map blobs;                     /* id -> struct blob */
    VEC(struct key) keys;                 /* oldest first */
    uint64_t key_base;                    /* not replicated: keys that were dropped before the first one */
    struct map key_index;                 /* first 8 bytes -> job id + 1, for a quick no */
    struct map arrays;                    /* array_job -> struct array_group */

    struct license_table licenses;

    struct limits *limits;                /* core/limits.h; NULL: no association is known, nothing is limited */
    struct map runtime_classes; /* key -> struct runtime_class */
    struct map runtime_by_serial;
    uint64_t runtime_serial;
    uint32_t estimates[RUNTIME_ESTIMATES], estimates_seen; /* how many jobs started with each estimate */

    uint32_t biggest_cpus; /* of any node, and the most memory of any: they follow from the nodes */
    uint64_t biggest_mem_mb;

    /* not replicated: content hash -> struct blob, so that equal bytes are found again */
    struct map blob_by_hash;
    struct snap_cache *snap; /* not replicated: the encoded records; core/snap_cache.h */
    const struct cluster_watch *watch; /* not replicated; NULL: none */
};

struct array_group { /* every record of one array */
    uint32_t array_job;
    VEC(struct job *) jobs; /* the waiting record first, while it lives */
    uint32_t running;       /* tasks that hold nodes */
};

struct cluster *cluster_new(void);
void cluster_free(struct cluster *c);

/* 0, or the reason why the event does not fit (then nothing changed). */
int cluster_apply(struct cluster *c, const Pb__Event *ev, struct err *err);

/* The whole state as bytes, and back.  Equal states encode to equal bytes. */
void cluster_encode(const struct cluster *c, struct buf *out);
int cluster_decode(struct cluster **out, const void *p, size_t len, struct err *err);
uint64_t cluster_digest(const struct cluster *c);

/*
 * ---- snapshots (core/snapshot.c) ----
 *
 * The same bytes as cluster_encode() gives, without holding up the loop: every record keeps its encoded bytes until it
 * changes.  The loop makes the bytes of changed records again, a few at a time (cluster_snapshot_prepare, in any turn),
 * and collects pointers (cluster_snapshot); a worker thread puts the bytes together (snapshot_write).  What a snapshot
 * points to stays until snapshot_free(), whatever happens to the state meanwhile, even if the cluster is freed.
 */
struct snapshot;
/* Make the bytes of at most `most` changed records; returns how many are left. */
size_t cluster_snapshot_prepare(struct cluster *c, size_t most);
/* The state as it is now, including what is left to prepare.  The loop's thread makes it and frees it. */
struct snapshot *cluster_snapshot(struct cluster *c);
void snapshot_free(struct snapshot *s); /* NULL is welcome */
/* On any thread: */
size_t snapshot_size(const struct snapshot *s);
void snapshot_write(const struct snapshot *s, struct buf *out); /* appends */

/* ---- looking ---- */
static inline struct job *cluster_job(const struct cluster *c, uint32_t id)
{
    return map_get(&c->jobs, id);
}
struct node *cluster_node(const struct cluster *c, const char *name);
struct part *cluster_part(const struct cluster *c, const char *name);
struct part *cluster_default_part(const struct cluster *c);
struct resv *cluster_resv(const struct cluster *c, uint32_t id);
struct resv *cluster_resv_named(const struct cluster *c, const char *name);
struct array_group *cluster_array(const struct cluster *c, uint32_t array_job);
/* The record that stands for one task of an array: its own, or the waiting one. */
struct job *cluster_array_task(const struct cluster *c, uint32_t array_job, uint32_t task);
/* The job id a key was answered with, 0 when it is new. */
uint32_t cluster_key(const struct cluster *c, const uint8_t key[static 16], uint32_t uid);
/* The blob with these bytes, or NULL. */
struct blob *cluster_find_blob(const struct cluster *c, const void *p, size_t len);
/* A spec that is not (yet) part of the state, to look at before deciding.  Free with spec_free(). */
struct spec *spec_make(const void *bytes, size_t len, struct err *err);
void spec_free(struct spec *s);
/* The whole request of a job's spec, by its blob; free with pb__job_spec__free_unpacked. */
Pb__JobSpec *spec_decode(const struct spec *s);
/* The next free job id from `from` on (ids wrap at max_job). */
uint32_t cluster_free_id(const struct cluster *c, uint32_t from);

/* ---- records as messages (core/record.c) ---- */
/* The job as queries send it, but for its spec: a pb.Job, cached until the job changes. */
const char *cluster_job_bytes(struct cluster *c, struct job *j, uint32_t *len);
/* The job with its spec, as a message of its own; free with pb__job__free_unpacked. */
Pb__Job *cluster_job_message(struct cluster *c, struct job *j);
/* The same without what there may be much of: steps, and all nodes but the first. */
Pb__Job *cluster_job_brief(struct cluster *c, const struct job *j);
/* Append what the replicated state alone says of it, without its spec, its steps and its nodes one by one: a pb.Job
 * that is the same on every controller. */
void cluster_job_facts(const struct cluster *c, const struct job *j, struct buf *out);
/* Forget the cached reply after a field changed that is not replicated (why, the calculated priority). */
void job_touch(struct job *j);
/* Allocation <-> message. */
void alloc_from_pb(struct alloc *a, Pb__NodeAlloc *const *pb, size_t n);
Pb__NodeAlloc **alloc_to_pb(const struct cluster *c, const struct alloc *a); /* free with alloc_pb_free */
void alloc_pb_free(Pb__NodeAlloc **pb, size_t n);

#endif
