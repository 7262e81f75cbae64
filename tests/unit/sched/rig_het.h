/* rig_het - heterogeneous jobs for the tests of the scheduler: one event, several components. */
#ifndef SPUR_TEST_SCHED_RIG_HET_H
#define SPUR_TEST_SCHED_RIG_HET_H

#include "rig.h"

#define RIG_PARTS 8

struct rig_part {
    Pb__EvSubmit ev;
    Pb__Blob blob, *blobs[1];
    uint8_t *bytes;
};

static inline void rig_part_fill(struct rig *r, struct rig_part *p, const struct rig_job *j, uint32_t id, uint64_t blob)
{
    Pb__JobSpec spec;
    rig_spec(&spec, j);
    size_t len = pb__job_spec__get_packed_size(&spec);
    p->bytes = mem_alloc(len + 1);
    pb__job_spec__pack(&spec, p->bytes);
    pb__blob__init(&p->blob);
    p->blob.id = blob, p->blob.data.data = p->bytes, p->blob.data.len = len;
    p->blobs[0] = &p->blob;
    pb__ev_submit__init(&p->ev);
    p->ev.job_id = id, p->ev.spec = blob, p->ev.blobs = p->blobs, p->ev.n_blobs = 1, p->ev.uid = j->uid;
    p->ev.partition = (char *)(uintptr_t)(j->part ? j->part : "main");
    p->ev.priority = j->prio ? j->prio : 1000, p->ev.time_limit_min = j->limit_min ? j->limit_min : 60,
    p->ev.limit_set = true, p->ev.hold = j->hold;
    p->ev.eligible_s = j->begin_s ? j->begin_s : r->now_s;
    p->ev.mem_per_node_mb = j->mem, p->ev.mem_per_cpu_mb = j->mem_cpu;
}

/* The id of the first component. */
static inline uint32_t rig_submit_set(struct rig *r, const struct rig_job *jobs, size_t n)
{
    struct rig_part part[RIG_PARTS];
    Pb__EvSubmit *more[RIG_PARTS];
    uint32_t id = r->c->next_job;
    for (size_t i = 0; i < n; i++) {
        rig_part_fill(r, &part[i], &jobs[i], id + (uint32_t)i, r->c->next_blob + i);
        if (i)
            more[i - 1] = &part[i].ev;
    }
    part[0].ev.het = more, part[0].ev.n_het = n - 1;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &part[0].ev;
    rig_apply(r, &ev);
    for (size_t i = 0; i < n; i++) {
        sched_changed(r->s, cluster_job(r->c, id + (uint32_t)i));
        free(part[i].bytes);
    }
    return id;
}

#endif
