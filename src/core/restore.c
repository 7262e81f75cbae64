/* restore - the state from the bytes of a snapshot. */
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/runtime_history.h"
#include "core/pbutil.h"
#include "core/record.h"
#include "core/step.h"

static void read_node(struct cluster *c, const Pb__Node *p)
{
    struct node *n = cluster_add_node(c, p->def);
    if (p->hw)
        node_set_hw(c, n, p->hw);
    n->state = p->state;
    n->weight = p->weight;
    mem_set_str(&n->reason, str_empty(p->reason) ? NULL : p->reason);
    n->reason_uid = p->reason_uid, n->reason_s = p->reason_s;
    mem_set_str(&n->boot_id, p->boot_id);
    mem_set_str(&n->version, p->version);
    mem_set_str(&n->features_active, p->features_active);
    mem_set_str(&n->comment, p->comment);
    mem_set_str(&n->extra, p->extra);
    n->boot_s = p->boot_s, n->start_s = p->start_s, n->busy_s = p->busy_s;
}

static int read_job(struct cluster *c, const Pb__Job *p, struct err *err)
{
    if (!p->id || cluster_job(c, p->id))
        return err_set(err, EBADMSG, "job %u is there twice", p->id);
    struct spec *spec = spec_ref(c, p->spec_blob, err);
    if (!spec)
        return err_prefix(err, "job %u", p->id);
    for (size_t i = 0; i < p->n_alloc; i++)
        if (p->alloc[i]->node >= c->nnodes)
            return err_set(err, EBADMSG, "job %u is on a node that is not there", p->id);
    struct job *j = NEW(struct job);
    *j = (struct job){
        .id = p->id,
        .array_job = p->array_job,
        .array_task = p->has_task ? p->array_task : TASK_NONE,
        .uid = p->uid,
        .gid = p->gid,
        .state = p->state,
        .priority = p->priority,
        .priority_fixed = p->priority_fixed,
        .hold = p->hold,
        .time_limit_min = p->time_limit_min,
        .limit_set = p->limit_set,
        .requeue = p->requeue,
        .attempt = p->attempt,
        .restarts = p->restarts,
        .exit_code = p->exit_code,
        .derived_code = p->derived_code,
        .next_step = p->next_step,
        .end_signal = p->end_signal,
        .reason = p->reason,
        .resize_s = p->resize_s,
        .het_job = p->het_job,
        .het_offset = p->het_offset,
        .het_size = p->het_size,
        .cancel_uid = p->cancel_uid,
        .has_cancel_uid = p->has_cancel_uid,
        .resv = p->resv,
        .resv_name = p->resv ? mem_str(p->resv_name) : NULL,
        .warned = p->warned,
        .yield_s = p->yield_s,
        .ran_s = p->ran_s,
        .share = p->share,
        .preempt_s = p->preempt_s,
        .preemptable_s = p->preemptable_s,
        .owner = p->owner,
        .turn = p->turn,
        .unborn = p->unborn,
        .submit_s = p->submit_s,
        .eligible_s = p->eligible_s,
        .accrue_s = p->accrue_s,
        .start_s = p->start_s,
        .end_s = p->end_s,
        .suspend_s = p->suspend_s,
        .suspended_total_s = p->suspended_total_s,
        .mem_per_node_mb = p->mem_per_node_mb,
        .mem_per_cpu_mb = p->mem_per_cpu_mb,
        .preferred = p->preferred,
        .batch_pos = p->batch_pos < p->n_alloc ? p->batch_pos : 0,
        .spec = spec,
        .script = blob_ref(c, p->script_blob),
        .env = blob_ref(c, p->env_blob),
        .partition = mem_str(p->partition),
        .reason_text = str_empty(p->reason_text) ? NULL : mem_str(p->reason_text),
        .user_name = str_empty(p->user_name) ? NULL : mem_str(p->user_name),
    };
    job_use_more(j, p->usage);
    alloc_from_pb(&j->alloc, p->alloc, p->n_alloc);
    j->ndepend = (uint32_t)p->n_depend;
    j->depend = p->n_depend ? mem_array(p->n_depend, sizeof(*j->depend)) : NULL;
    for (size_t i = 0; i < p->n_depend; i++) {
        j->depend[i] = *p->depend[i];
        j->depend[i].base.n_unknown_fields = 0;
        j->depend[i].base.unknown_fields = NULL;
    }
    if (p->array_total) {
        j->array = NEW(struct array_set);
        pb_to_bitmap(&j->array->pending, &p->array_pending);
        j->array->count = (uint32_t)bitmap_count(&j->array->pending);
        j->array->max_running = p->array_max_running;
    }
    if (p->step)
        j->step = PB_DUP(Pb__StepSpec, p->step);
    for (size_t i = 0; i < p->n_steps; i++)
        vec_push(&j->steps, (struct step){ PB_DUP(Pb__Step, p->steps[i]) });
    step_holds_rebuild(j);
    license_set(j, p->licenses, p->n_licenses);
    cluster_add_job(c, j);
    if (job_holds_nodes(j)) {
        use_take(c, j);
        if (!(j->state & JOB_COMPLETING))
            license_take(c, j);
        if (job_base(j) == JOB_SUSPENDED)
            use_suspend(c, j, true);
        if (job_lends(j))
            use_lend(c, j, true);
        for (uint32_t i = 0; j->state & JOB_COMPLETING && i < j->alloc.n; i++)
            if (!j->alloc.at[i].done)
                c->node[j->alloc.at[i].node].completing++;
    }
    return 0;
}

static int read_all(struct cluster *c, const Pb__Snapshot *s, struct err *err)
{
    c->name = mem_str(s->cluster);
    c->next_job = s->next_job_id, c->first_job = s->first_job_id, c->max_job = s->max_job_id;
    c->last_ms = s->last_ms, c->events = s->events, c->configured = s->configured;
    c->next_attempt = s->next_attempt, c->config_digest = s->config_digest;
    cluster_reserve_nodes(c, s->n_nodes);
    for (size_t i = 0; i < s->n_nodes; i++) {
        if (!s->nodes[i]->def)
            return err_set(err, EBADMSG, "node %zu has no name", i);
        read_node(c, s->nodes[i]);
    }
    for (size_t i = 0; i < c->nnodes; i++)
        if (node_base(&c->node[i]) != NODE_FUTURE)
            smap_put(&c->node_by_name, c->node[i].name, &c->node[i]);
    for (size_t i = 0; i < s->n_parts; i++)
        part_set(c, s->parts[i]);
    topo_take(c, s->topologies, s->n_topologies, s->topo_optional);
    license_config(c, s->licenses, s->n_licenses);
    for (size_t i = 0; i < s->n_resvs; i++)
        resv_set(c, s->resvs[i]);
    c->next_resv = MAX(s->next_resv, 1u);
    Pb__EvAssocUpdate update = PB__EV_ASSOC_UPDATE__INIT;
    update.qos = s->qos, update.n_qos = s->n_qos;
    update.assoc = s->assocs, update.n_assoc = s->n_assocs;
    c->billing = s->billing;
    c->charged_s = s->charged_s, c->charge_reset_s = s->charge_reset_s;
    int rc = s->n_qos || s->n_assocs ? apply_assoc_update(c, &update, err) : 0;
    if (rc)
        return rc;
    for (size_t i = 0; i < s->n_blobs; i++) {
        if (map_get(&c->blobs, s->blobs[i]->id))
            return err_set(err, EBADMSG, "blob %llu is there twice", (unsigned long long)s->blobs[i]->id);
        blob_add(c, s->blobs[i]->id, s->blobs[i]->data.data, s->blobs[i]->data.len);
    }
    for (size_t i = 0; i < s->n_jobs; i++) {
        rc = read_job(c, s->jobs[i], err);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < s->n_keys; i++)
        if (s->keys[i]->key.len == 16)
            cluster_add_key(c, s->keys[i]->key.data, s->keys[i]->uid, s->keys[i]->job_id, s->keys[i]->at_s);
    /* Busy times were moved by taking and giving back above. */
    for (size_t i = 0; i < s->n_nodes; i++)
        c->node[i].busy_s = s->nodes[i]->busy_s;
    c->next_blob = s->next_blob;
    c->learns = s->learns;
    return runtime_history_decode(c, s, err);
}

int cluster_decode(struct cluster **out, const void *p, size_t len, struct err *err)
{
    Pb__Snapshot *s = pb__snapshot__unpack(NULL, len, p);
    if (!s)
        return err_set(err, EBADMSG, "the snapshot does not parse");
    int rc;
    struct cluster *c = cluster_new();
    if (s->format != SNAPSHOT_FORMAT)
        rc = err_set(err, EPROTONOSUPPORT, "the snapshot has format %u, this release reads %u", s->format, SNAPSHOT_FORMAT);
    else
        rc = read_all(c, s, err);
    pb__snapshot__free_unpacked(s, NULL);
    if (rc)
        cluster_free(c);
    else
        *out = c;
    return rc;
}
