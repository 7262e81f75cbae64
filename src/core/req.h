/*
 * req - what a job asks of the cluster, in the shape the scheduler walks.
 *
 * Made once per distinct job_spec and shared by all jobs that have it.
 */
#ifndef SPUR_CORE_REQ_H
#define SPUR_CORE_REQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "core/req_fields.h"
#include "record.pb-c.h"
#include "text/license.h"

enum req_scope { REQ_PER_NODE, REQ_PER_JOB, REQ_PER_TASK, REQ_PER_SOCKET };

struct req_gres {
    char *name, *type; /* type may be NULL: any */
    uint64_t count;
    enum req_scope scope;
};

enum req_cores { CORES_DEFAULT, CORES_BLOCK, CORES_CYCLIC }; /* -m: how cores are taken from the sockets */

enum req_gres_bind {
    GRES_BIND_DEFAULT,
    GRES_BIND_ENFORCE,
    GRES_BIND_DISABLE
}; /* --gres-flags: cores near to its devices alone */

/* job_spec.core_spec: 1 + how many; with this bit counted in threads. */
#define REQ_CORE_SPEC_THREADS 0x80000000u
#define REQ_SPEC_MAX 65535u

struct req {
#define X(kind, type, name) type name;
    REQ_FIELDS(X)
#undef X
    uint32_t ngres;
};

/* "2@5:00": how many switches, and how long to wait for them (seconds; -1: not said).  EINVAL: no number in front. */
int req_switches(const char *text, uint32_t *count, int64_t *wait_s);

int req_init(struct req *r, const Pb__JobSpec *spec,
             struct err *err); /* EINVAL... when the text in it does not parse */
void req_clear(struct req *r);
void req_copy(struct req *to, const struct req *from); /* `to` is written over */
/* Append bytes that are equal for equal requests, and for no others. */
void req_signature(const struct req *r, struct buf *out);

/* The fewest nodes / tasks / CPUs the job can run with, for display before it starts (Slurm's NumNodes, NumTasks,
 * NumCPUs). */
uint32_t req_tasks(const struct req *r);
uint32_t req_cpus(const struct req *r);
uint64_t req_gpus(const struct req *r);
/* The size of a job: its GPUs, or its CPUs when it asks for none. */
uint64_t req_size(const struct req *r);

#endif
