/*
 * req - what a job asks of the cluster, in the shape the scheduler walks.
 *
 * Made once per distinct job_spec and shared by all jobs that have it.
 */
#ifndef SPUR_CORE_REQ_H
#define SPUR_CORE_REQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record.pb-c.h"
#include "text/license.h"

enum req_scope { REQ_PER_NODE, REQ_PER_JOB, REQ_PER_TASK, REQ_PER_SOCKET };

struct req_gres {
    char *name, *type; /* type may be NULL: any */
    uint64_t count;
    enum req_scope scope;
};

enum req_cores { CORES_DEFAULT, CORES_BLOCK, CORES_CYCLIC }; /* -m: how cores are taken from the sockets */

enum req_near { NEAR_DEFAULT, NEAR_YES, NEAR_NO }; /* --gres-flags: cores near to its devices alone */

/* job_spec.core_spec: 1 + how many; with this bit counted in threads. */
#define REQ_SPEC_THREADS 0x80000000u
#define REQ_SPEC_MAX 65535u

/* Numbers are 0 when not said. */
struct req {
    uint32_t min_nodes, max_nodes; /* min is at least 1; max 0: as few as do */
    uint32_t ntasks;               /* as asked; 0: one per node */
    bool ntasks_set;
    uint32_t cpus_per_task; /* at least 1 */
    uint32_t ntasks_per_node, ntasks_per_socket, ntasks_per_core, threads_per_core;
    uint32_t time_min; /* minutes: its limit may be lowered to this, that it starts; 0: not */
    uint32_t sockets_per_node, cores_per_socket, mincpus, cpus_per_gpu;
    uint64_t mem_per_node_mb, mem_per_cpu_mb, mem_per_gpu_mb, tmp_mb;
    bool mem_all, exclusive, exclusive_user, oversubscribe, overcommit, contiguous, spread, use_min_nodes;
    enum req_cores core_dist;
    enum req_near near;
    uint32_t gives_way; /* --signal=R:SIG@TIME: 1 + TIME in seconds; it leaves when a reservation needs its nodes */
    struct req_gres *gres;
    uint32_t ngres;
    struct license_list licenses; /* -L */
    uint32_t core_spec;      /* as in job_spec */
    uint32_t switches;     /* leaf switches at most ... */
    int64_t switch_wait_s; /* ... for so long; -1: as the site says */
    uint32_t segment;      /* nodes that stand in one block; 0: all */
    bool consolidate_segments, spread_segments, exclusive_topo;
    char *constraint, *prefer, *nodelist, *exclude, *reservation; /* as written; NULL when none */
};

/* "2@5:00": how many switches, and how long to wait for them (seconds; -1: not said).  EINVAL: no number in front. */
int req_switches(const char *text, uint32_t *count, int64_t *wait_s);

int req_init(struct req *r, const Pb__JobSpec *spec,
             struct err *err); /* EINVAL... when the text in it does not parse */
void req_clear(struct req *r);

/* The fewest nodes / tasks / CPUs the job can run with, for display before it starts (Slurm's NumNodes, NumTasks,
 * NumCPUs). */
uint32_t req_tasks(const struct req *r);
uint32_t req_cpus(const struct req *r);
uint64_t req_gpus(const struct req *r);
/* The size of a job: its GPUs, or its CPUs when it asks for none. */
uint64_t req_size(const struct req *r);

#endif
