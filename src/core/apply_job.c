/* apply_job - what happens to jobs: submitted, split, changed, held, purged. */
#include "base/errnum.h"
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/runtime_history.h"
#include "core/pbutil.h"
#include "core/record.h"

static struct job *find_job(struct cluster *c, uint32_t id, struct err *err)
{
    struct job *j = cluster_job(c, id);
    if (!j)
        err_set(err, ESLURM_INVALID_JOB_ID, "there is no job %u", id);
    return j;
}

/* Blobs that came with an event and that no job uses in the end. */
static void drop_unused(struct cluster *c, Pb__Blob *const *blobs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        blob_unref(c, blob_ref(c, blobs[i]->id));
}

/* The spec, with the blobs that come with it; NULL, and nothing has changed, when they do not fit. */
static struct spec *add_spec(struct cluster *c, uint64_t id, Pb__Blob *const *blobs, size_t n, struct err *err)
{
    uint64_t next = c->next_blob;
    size_t added = 0;
    for (; added < n && !map_get(&c->blobs, blobs[added]->id) && blobs[added]->id; added++)
        blob_add(c, blobs[added]->id, blobs[added]->data.data, blobs[added]->data.len);
    struct spec *spec = NULL;
    if (added < n)
        err_set(err, EEXIST, "blob %llu is there already", (unsigned long long)blobs[added]->id);
    else
        spec = spec_ref(c, id, err);
    if (!spec)
        drop_unused(c, blobs, added), c->next_blob = next;
    return spec;
}

static int submit_one(struct cluster *c, const Pb__EvSubmit *e, int64_t at_s, struct err *err)
{
    if (cluster_job(c, e->job_id))
        return err_set(err, EEXIST, "job %u is there already", e->job_id);
    if (!e->job_id)
        return err_set(err, EINVAL, "a job needs a number");
    if (e->is_array && pb_no_bits(&e->array_pending))
        return err_set(err, EINVAL, "job %u is an array without tasks", e->job_id);
    struct spec *spec = add_spec(c, e->spec, e->blobs, e->n_blobs, err);
    if (!spec)
        return err->code;
    struct job *j = NEW(struct job);
    *j = (struct job){
        .id = e->job_id,
        .array_task = TASK_NONE,
        .uid = e->uid,
        .gid = e->gid,
        .priority = e->priority,
        .priority_fixed = e->priority_fixed,
        .hold = e->hold,
        .time_limit_min = e->time_limit_min,
        .limit_set = e->limit_set,
        .requeue = e->requeue,
        .submit_s = at_s,
        .eligible_s = e->eligible_s,
        .mem_per_node_mb = e->mem_per_node_mb,
        .mem_per_cpu_mb = e->mem_per_cpu_mb,
        .spec = spec,
        .script = blob_ref(c, e->script),
        .env = blob_ref(c, e->env),
        .partition = name_ref(&c->names, e->partition),
        .user_name = name_ref(&c->names, e->user_name),
    };
    job_set_depend(j, e->depend, e->n_depend);
    if (e->step)
        j->step = PB_DUP(Pb__StepSpec, e->step);
    if (e->is_array) {
        j->array_job = j->id;
        j->array = array_set_new(&e->array_pending, e->array_max_running);
    }
    cluster_add_job(c, j);
    c->next_job = e->job_id + 1;
    return 0;
}

/* A heterogeneous job: its components follow each other, and know it.  All of them are taken, or none. */
static int submit_set(struct cluster *c, const Pb__EvSubmit *e, int64_t at_s, struct err *err)
{
    uint32_t next_job = c->next_job, size = (uint32_t)e->n_het + 1, made = 0;
    uint64_t next_blob = c->next_blob;
    int rc = 0;
    for (; made < size; made++) {
        const Pb__EvSubmit *one = made ? e->het[made - 1] : e;
        if (one->job_id != e->job_id + made)
            rc = err_set(err, EINVAL, "component %u of job %u has another number", made, e->job_id);
        if (rc || (rc = submit_one(c, one, at_s, err)))
            break;
        struct job *j = cluster_job(c, one->job_id);
        j->het_job = e->job_id, j->het_offset = made, j->het_size = size;
    }
    while (rc && made)
        cluster_drop_job(c, cluster_job(c, e->job_id + --made));
    if (rc)
        c->next_job = next_job, c->next_blob = next_blob;
    return rc;
}

int apply_submit(struct cluster *c, const Pb__EvSubmit *e, int64_t at_s, struct err *err)
{
    int rc = e->n_het ? submit_set(c, e, at_s, err) : submit_one(c, e, at_s, err);
    drop_unused(c, e->blobs, e->n_blobs);
    for (size_t i = 0; i < e->n_het; i++)
        drop_unused(c, e->het[i]->blobs, e->het[i]->n_blobs);
    if (!rc && e->key.len == 16)
        cluster_add_key(c, e->key.data, e->uid, e->job_id, at_s);
    return rc;
}

/* One task leaves the record `j`: a record of its own, or `j` itself when it is the last. */
static struct job *split_array(struct cluster *c, struct job *j, uint32_t task, uint32_t new_id, struct err *err)
{
    if (!j->array || !bitmap_has(&j->array->pending, task)) {
        err_set(err, ESLURM_INVALID_JOB_ID, "job %u has no waiting task %u", j->id, task);
        return NULL;
    }
    if (j->array->count == 1) {
        array_set_free(take(j->array));
        j->array_task = task;
        job_changed(c, j);
        return j;
    }
    if (!new_id || cluster_job(c, new_id)) {
        err_set(err, EEXIST, "job %u is there already", new_id);
        return NULL;
    }
    struct job *t = job_copy_waiting(c, j);
    t->id = new_id;
    t->array_task = task;
    bitmap_unset(&j->array->pending, task);
    j->array->count--;
    limits_count(c, j);
    job_changed(c, j);
    cluster_add_job(c, t);
    c->next_job = new_id + 1;
    return t;
}

int apply_split(struct cluster *c, const Pb__EvSplit *e, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    return j && split_array(c, j, e->task, e->new_id, err) ? 0 : err->code;
}

static int start_check(struct cluster *c, const Pb__EvStart *e, struct err *err)
{
    const struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    if (j->state != JOB_PENDING)
        return err_set(err, ESLURM_INVALID_JOB_ID, "job %u is not waiting", j->id);
    for (size_t i = 0; i < e->n_alloc; i++)
        if (e->alloc[i]->node >= c->nnodes)
            return err_set(err, EINVAL, "job %u would start on a node that is not there", j->id);
    return 0;
}

static int start_one(struct cluster *c, const Pb__EvStart *e, int64_t at_s, struct err *err)
{
    struct job *j = cluster_job(c, e->job_id);
    if (j->array && !(j = split_array(c, j, e->task, e->new_id, err)))
        return err->code;
    alloc_clear(&j->alloc);
    alloc_from_pb(&j->alloc, e->alloc, e->n_alloc);
    name_set(&c->names, &j->partition, e->partition);
    j->resv = e->resv;
    mem_set_str(&j->resv_name, e->resv ? e->resv_name : NULL);
    j->attempt = e->attempt;
    c->next_attempt = e->attempt + 1;
    runtime_history_began(c, e->estimate);
    j->start_s = at_s;
    j->end_s = 0;
    j->suspended_total_s = j->suspend_s = 0;
    j->resize_s = 0;
    j->time_limit_min = e->time_limit_min;
    if (e->priority)
        j->priority = e->priority;
    j->factored = 0;
    j->exit_code = 0;
    j->warned = false;
    j->yield_s = 0;
    j->oversub = e->oversub;
    j->preemptable_s = e->preemptable_s;
    j->preempt_s = 0;
    j->user_exclusive = e->user_exclusive;
    j->gang = j->unlaunched = false;
    j->reason = WHY_NONE;
    j->next_step = 0;
    job_use_none(j);
    free(take(j->reason_text));
    cluster_move_job(c, j, JOB_RUNNING | (e->configuring ? JOB_CONFIGURING : 0));
    use_take(c, j);
    license_set(j, e->licenses, e->n_licenses);
    license_take(c, j);
    j->preferred = e->preferred;
    j->batch_pos = e->batch_pos < j->alloc.n ? e->batch_pos : 0;
    return 0;
}

int apply_start(struct cluster *c, const Pb__EvStart *e, int64_t at_s, struct err *err)
{
    int rc = start_check(c, e, err);
    for (size_t i = 0; !rc && i < e->n_het; i++) {
        rc = start_check(c, e->het[i], err);
        const struct job *j = rc ? NULL : cluster_job(c, e->het[i]->job_id);
        if (j && (j->het_job != e->job_id || j->id != e->job_id + i + 1 || j->array))
            rc = err_set(err, EINVAL, "job %u is not component %zu of job %u", j->id, i + 1, e->job_id);
    }
    if (!rc)
        rc = start_one(c, e, at_s, err);
    for (size_t i = 0; !rc && i < e->n_het; i++)
        rc = start_one(c, e->het[i], at_s, err);
    return rc;
}

/* Its limits count from here: what made its nodes ready was not its own time. */
int apply_ready(struct cluster *c, const Pb__EvReady *e, int64_t at_s, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    if (!(j->state & JOB_CONFIGURING) || j->attempt != e->attempt)
        return err_set(err, ESLURM_INVALID_JOB_ID, "job %u is not being configured", j->id);
    j->start_s = at_s;
    cluster_move_job(c, j, JOB_RUNNING);
    return 0;
}

int apply_suspend(struct cluster *c, const Pb__EvSuspend *e, int64_t at_s, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    bool stays = !e->resume && !e->gang && j->state == JOB_SUSPENDED && j->gang; /* not its turn, and now not at all */
    if (!stays && j->state != (e->resume ? JOB_SUSPENDED : JOB_RUNNING))
        return err_set(err, ESLURM_JOB_NOT_RUNNING, "job %u is not %s", j->id, e->resume ? "suspended" : "running");
    if (e->resume ? !j->gang : !e->gang)
        use_lend(c, j, !e->resume);
    j->gang = e->gang && !e->resume;
    j->unlaunched = e->resume ? false : j->unlaunched || e->unlaunched;
    if (stays) {
        job_changed(c, j);
        return 0;
    }
    if (e->resume)
        j->suspended_total_s += at_s - j->suspend_s;
    j->suspend_s = at_s;
    use_suspend(c, j, !e->resume);
    cluster_move_job(c, j, e->resume ? JOB_RUNNING : JOB_SUSPENDED);
    return 0;
}

int apply_hold(struct cluster *c, const Pb__EvHold *e, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    j->hold = e->hold;
    j->priority = e->priority;
    j->priority_fixed = false;
    j->reason = e->reason;
    mem_set_str(&j->reason_text, str_empty(e->reason_text) ? NULL : e->reason_text);
    job_changed(c, j);
    return 0;
}

int apply_update(struct cluster *c, const Pb__EvUpdate *e, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    if (e->spec) {
        struct spec *s = add_spec(c, e->spec, e->blobs, e->n_blobs, err);
        if (!s)
            return err->code;
        spec_unref(c, j->spec);
        j->spec = s;
        drop_unused(c, e->blobs, e->n_blobs);
    }
    if (e->has_priority) {
        j->priority = e->priority;
        j->priority_fixed = e->priority != 0;
    }
    if (e->has_limit) {
        j->time_limit_min = e->time_limit_min;
        j->limit_set = true;
    }
    if (!str_empty(e->partition))
        name_set(&c->names, &j->partition, e->partition);
    if (e->has_eligible)
        j->eligible_s = e->eligible_s;
    if (e->has_depend)
        job_set_depend(j, e->depend, e->n_depend);
    if (e->has_requeue)
        j->requeue = e->requeue;
    if (e->has_hold)
        j->hold = e->hold;
    if (e->has_mem) {
        j->mem_per_node_mb = e->mem_per_node_mb;
        j->mem_per_cpu_mb = e->mem_per_cpu_mb;
    }
    if (e->has_licenses)
        license_change(c, j, e->licenses, e->n_licenses);
    if (e->has_array_max && j->array)
        j->array->max_running = e->array_max_running;
    limits_count(c, j);
    job_changed(c, j);
    return 0;
}

int apply_depend(struct cluster *c, const Pb__EvDepend *e, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    job_set_depend(j, e->depend, e->n_depend);
    if (e->eligible_s)
        j->eligible_s = e->eligible_s;
    job_changed(c, j);
    return 0;
}

int apply_warned(struct cluster *c, const Pb__EvWarned *e, struct err *err)
{
    struct job *j = find_job(c, e->job_id, err);
    if (!j)
        return err->code;
    j->warned = true;
    j->yield_s = e->yield_s;
    job_changed(c, j);
    return 0;
}

int apply_purge(struct cluster *c, const Pb__EvPurge *e, struct err *err)
{
    for (size_t i = 0; i < e->n_job_id; i++) {
        struct job *j = cluster_job(c, e->job_id[i]);
        if (j && job_ended(j) && !(j->state & JOB_COMPLETING))
            cluster_drop_job(c, j);
    }
    cluster_drop_keys(c, (int64_t)e->keys_before_s);
    return 0;
}
