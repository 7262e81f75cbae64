/*
 * node - one node as a plain value.
 */
#ifndef SPUR_CORE_NODE_H
#define SPUR_CORE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bitmap.h"
#include "base/vec.h"
#include "core/node_fields.h"
#include "record.pb-c.h"

/* Base states and flags, Slurm's numbers. */
enum node_state { NODE_UNKNOWN, NODE_DOWN, NODE_IDLE, NODE_ALLOCATED, NODE_ERROR, NODE_MIXED, NODE_FUTURE };
#define NODE_STATE_BASE 0x0fu
#define NODE_RES 0x0020u /* in a reservation whose time has come */
#define NODE_DRAIN 0x0200u
#define NODE_COMPLETING 0x0400u
#define NODE_NO_RESPOND 0x0800u
#define NODE_FAIL 0x2000u
#define NODE_MAINT 0x8000u
#define NODE_REGISTERED 0x10000u /* seen at least once in this configuration */

struct gres_slot {
    char *name, *type; /* type "" when it has none */
    uint64_t count, used;
    struct bitmap busy; /* device by device */
    struct bitmap *local_cores; /* cores of each of `nlocal` devices; none set: any core.  NULL: nothing is known */
    uint32_t nlocal;
};

struct node {
    Pb__NodeDef *def; /* as configured; owned */
#define X(kind, type, name) type name;
    NODE_FIELDS(X)
    NODE_HW_FIELDS(X)
#undef X

    /* follows from `def` */
    uint32_t index;
    char *name; /* points into def */
    char *features;
    struct gres_slot *gres;
    uint32_t ngres;

    /* in use, by all jobs that hold it */
    uint32_t cpus_used, jobs, exclusive_jobs, suspended_jobs, lent_jobs; /* those that lend their CPUs hold none */
    uint64_t mem_used_mb;
    struct bitmap cores_used;
    uint16_t *core_more; /* jobs on each core beside the first; NULL: no core was ever shared */
    uint32_t ncore_more;
    uint32_t more; /* all of them together */
    uint32_t completing; /* jobs on it that are COMPLETING here */
    VEC(uint32_t) held;  /* the numbers of the jobs, in no order */

    uint32_t resv_state; /* NODE_RES, NODE_MAINT: they follow from the reservations */

    /* not replicated */
    bool snap_queued; /* its snapshot bytes are stale */
    uint32_t load_centi;
    uint64_t free_mem_mb;
    bool has_load;
    int64_t skew_ms; /* its wall clock minus the cluster's time */
    int64_t heard_ms;
    void *link; /* the agent's connection */
};

static inline uint32_t node_base(const struct node *n)
{
    return n->state & NODE_STATE_BASE;
}
/* Can jobs be started on it now? */
static inline bool node_usable(const struct node *n)
{
    return node_base(n) == NODE_IDLE && !(n->state & (NODE_DRAIN | NODE_NO_RESPOND | NODE_FAIL));
}
/* Is it gone, rather than kept from jobs? */
static inline bool node_lost(const struct node *n)
{
    return node_base(n) != NODE_IDLE || (n->state & NODE_NO_RESPOND);
}
/* CPUs in use, each counted once however many jobs share it. */
uint32_t node_busy_cpus(const struct node *n);
/* The state with ALLOCATED, MIXED and COMPLETING worked in, as sinfo shows it. */
uint32_t node_shown_state(const struct node *n);
/* "idle", "mixed", "allocated", "drained", "draining", "down*", ... ; `compact`: "idle", "mix", "alloc", "drain",
 * "drng", "comp", "down*". */
const char *node_state_name(uint32_t shown, bool compact);
/* "IDLE+DRAIN", as scontrol shows it. */
void node_state_flags(uint32_t shown, char *out, size_t room);
void node_free_fields(struct node *n);
void node_free_gres(struct node *n);

#endif
