/* het - components that begin and end together; see het.h. */
#include "ctl/het_step.h"
#include "ctl/end.h"
#include "ctl/wait.h"

bool het_ready(const struct ctl *t, const struct job *j)
{
    for (uint32_t i = 0; i < j->het_size; i++) {
        const struct job *p = het_part(t->c, j, i);
        if (!p || job_pending(p) || (p->state & JOB_CONFIGURING))
            return false;
    }
    return true;
}

void het_begun(struct ctl *t, struct job *j)
{
    uint32_t leader = j->het_job, size = j->het_size;
    struct job *first = cluster_job(t->c, leader);
    if (first && first->step)
        het_step_first(t, first);
    for (uint32_t i = 0; i < size; i++)
        wait_notify(t, leader + i);
}

/* A component that ends by itself, by its own limit or by scancel ends alone, unless it is the first. */
static bool takes_all(const struct job *j, const struct end *e, bool waited)
{
    return het_leads(j) || waited || e->state == JOB_NODE_FAIL || e->state == JOB_BOOT_FAIL ||
           e->state == JOB_PREEMPTED || e->reason == WHY_LAUNCH_FAILED;
}

void het_ended(struct ctl *t, struct job *j, const struct end *e, bool waited)
{
    if (!takes_all(j, e, waited))
        return;
    struct end same = *e;
    same.text = same.notice = NULL;
    same.usage = NULL;
    same.done_node = UINT32_MAX;
    same.done_nodes = NULL;
    same.ndone = 0;
    uint32_t leader = j->het_job, size = j->het_size;
    for (uint32_t i = 0; i < size; i++) {
        struct err err = ERR_INIT;
        struct job *p = cluster_job(t->c, leader + i);
        if (p && p->het_job == leader && !job_ended(p))
            end_job(t, p, &same, &err);
    }
}

void het_requeued(struct ctl *t, struct job *j, uint32_t hold, enum why_code reason, const char *text, uint32_t delay_s)
{
    uint32_t leader = j->het_job, size = j->het_size;
    for (uint32_t i = 0; i < size; i++) {
        struct err err = ERR_INIT;
        struct job *p = cluster_job(t->c, leader + i);
        if (p && p->het_job == leader && !job_pending(p))
            end_requeue_later(t, p, hold, reason, text, UINT32_MAX, delay_s, &err);
    }
}

bool het_lives(const struct ctl *t, const struct job *j)
{
    for (uint32_t i = 0; i < j->het_size; i++) {
        const struct job *p = het_part(t->c, j, i);
        if (p && (!job_ended(p) || (p->state & JOB_COMPLETING)))
            return true;
    }
    return false;
}

int het_check_whole(const struct job *j, struct err *err)
{
    if (!het_is(j) || het_leads(j))
        return 0;
    return err_set(err, ESLURM_NOT_WHOLE_HET_JOB, "%s", err_text(ESLURM_NOT_WHOLE_HET_JOB));
}

/* ---- told to nodes and clients ---- */

static Pb__HetPart *part_of(const struct ctl *t, const struct job *j)
{
    Pb__HetPart *h = NEW(Pb__HetPart);
    pb__het_part__init(h);
    h->job_id = j->id;
    h->nodes = alloc_nodes(t->c, &j->alloc);
    h->num_nodes = j->alloc.n;
    h->partition = mem_str(j->partition);
    h->name = mem_str(j->spec->name);
    h->ntasks = j->spec->req.ntasks_set ? j->spec->req.ntasks : 0;
    h->mem_per_cpu_mb = j->mem_per_cpu_mb;
    h->mem_per_node_mb = j->mem_per_node_mb;
    h->n_cpus = h->n_tasks = j->alloc.n;
    h->cpus = mem_array(j->alloc.n + 1, sizeof(*h->cpus));
    h->tasks = mem_array(j->alloc.n + 1, sizeof(*h->tasks));
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        h->cpus[i] = j->alloc.at[i].cpus;
        h->tasks[i] = MAX(j->alloc.at[i].tasks, 1u);
    }
    return h;
}

size_t het_tell(const struct ctl *t, const struct job *j, Pb__HetPart ***out)
{
    size_t n = 0;
    *out = mem_array(j->het_size + 1, sizeof(**out));
    for (uint32_t i = 0; i < j->het_size; i++) {
        const struct job *p = het_part(t->c, j, i);
        if (p)
            (*out)[n++] = part_of(t, p);
    }
    return n;
}

void het_tell_free(Pb__HetPart **parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pb__het_part__free_unpacked(parts[i], NULL);
    free(parts);
}
