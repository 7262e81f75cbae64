/*
 * record - jobs and nodes as messages.
 *
 * A job changes far less often than it is read, so its bytes are made once per change
 * and sent as they are; the spec, which many jobs share, goes beside them.
 */
#include "core/record.h"
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/pbutil.h"
#include "core/spec.h"
#include "text/array.h"
#include "text/depend.h"
#include "text/hostlist.h"
#include "text/tres.h"

void job_touch(struct job *j)
{
    free(take(j->enc));
}

/* ---- allocations ---- */

void alloc_from_pb(struct alloc *a, Pb__NodeAlloc *const *pb, size_t n)
{
    a->n = (uint32_t)n;
    a->at = n ? mem_array(n, sizeof(*a->at)) : NULL;
    for (size_t i = 0; i < n; i++) {
        struct node_alloc *na = &a->at[i];
        *na = (struct node_alloc){ .node = pb[i]->node,
                                   .cpus = pb[i]->cpus,
                                   .tasks = pb[i]->tasks,
                                   .mem_mb = pb[i]->mem_mb,
                                   .done = pb[i]->done };
        pb_to_bitmap(&na->cores, &pb[i]->cores);
        na->ngres = (uint32_t)pb[i]->n_gres;
        na->gres = na->ngres ? mem_array(na->ngres, sizeof(*na->gres)) : NULL;
        for (uint32_t g = 0; g < na->ngres; g++) {
            /* In the log a share names its slot by number, in `type` nothing stands. */
            na->gres[g].slot = (uint32_t)strtoul(pb[i]->gres[g]->name, NULL, 10);
            na->gres[g].count = pb[i]->gres[g]->count;
            pb_to_bitmap(&na->gres[g].index, &pb[i]->gres[g]->index);
        }
    }
}

static Pb__Gres *gres_to_pb(const struct cluster *c, const struct node_alloc *na, const struct gres_share *share)
{
    Pb__Gres *g = mem_alloc(sizeof(*g));
    pb__gres__init(g);
    g->count = share->count;
    pb_from_bitmap(&g->index, &share->index);
    const struct node *n = c ? &c->node[na->node] : NULL;
    if (n && share->slot < n->ngres) {
        g->name = mem_str(n->gres[share->slot].name);
        g->type = mem_str(n->gres[share->slot].type);
    } else {
        g->name = mem_printf("%u", share->slot);
        g->type = NULL;
    }
    return g;
}

Pb__NodeAlloc **alloc_to_pb(const struct cluster *c, const struct alloc *a)
{
    Pb__NodeAlloc **out = mem_array(a->n, sizeof(*out));
    for (uint32_t i = 0; i < a->n; i++) {
        const struct node_alloc *na = &a->at[i];
        Pb__NodeAlloc *p = out[i] = mem_alloc(sizeof(*p));
        pb__node_alloc__init(p);
        p->node = na->node;
        p->cpus = na->cpus;
        p->tasks = na->tasks;
        p->mem_mb = na->mem_mb;
        p->done = na->done;
        if (c) {
            const struct node *n = &c->node[na->node];
            p->name = mem_str(n->name);
            p->threads = MAX(n->cpus / MAX(n->boards * n->sockets * n->cores, 1u), 1u);
            p->sockets = MAX(n->boards, 1u) * n->sockets;
            p->cores_per_socket = n->cores;
        }
        pb_from_bitmap(&p->cores, &na->cores);
        p->n_gres = na->ngres;
        p->gres = na->ngres ? mem_array(na->ngres, sizeof(*p->gres)) : NULL;
        for (uint32_t g = 0; g < na->ngres; g++)
            p->gres[g] = gres_to_pb(c, na, &na->gres[g]);
    }
    return out;
}

void alloc_pb_free(Pb__NodeAlloc **pb, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t g = 0; g < pb[i]->n_gres; g++) {
            free(pb[i]->gres[g]->name);
            free(pb[i]->gres[g]->type);
            free(pb[i]->gres[g]->index.data);
            free(pb[i]->gres[g]);
        }
        free(pb[i]->gres);
        free(pb[i]->cores.data);
        if (pb[i]->name != (char *)protobuf_c_empty_string)
            free(pb[i]->name);
        free(pb[i]);
    }
    free(pb);
}

char *alloc_nodes(const struct cluster *c, const struct alloc *a)
{
    if (!a->n)
        return mem_str("");
    if (a->n == 1)
        return mem_str(c->node[a->at[0].node].name);
    auto_free char **names = mem_array(a->n, sizeof(*names));
    for (uint32_t i = 0; i < a->n; i++)
        names[i] = c->node[a->at[i].node].name;
    return hostlist_compress(names, a->n);
}

/* ---- what both a snapshot and a reply hold ---- */

/* A step as everybody may see it: without its environment and the word that opens srun's door.  Freed by free_reply().
 */
static Pb__Step *without_secrets(const Pb__Step *s)
{
    Pb__Step *copy = mem_copy(s, sizeof(*s));
    if (s->spec) {
        copy->spec = mem_copy(s->spec, sizeof(*s->spec));
        copy->spec->env = (ProtobufCBinaryData){ 0, NULL };
        copy->spec->io = NULL;
    }
    return copy;
}

void job_to_pb(const struct cluster *c, const struct job *j, Pb__Job *p, bool reply)
{
    pb__job__init(p);
    p->id = j->id;
    p->uid = j->uid, p->gid = j->gid;
    p->state = j->state;
    p->reason = j->reason;
    p->reason_text = j->reason_text;
    p->submit_s = j->submit_s, p->eligible_s = j->eligible_s, p->start_s = j->start_s, p->end_s = j->end_s;
    p->accrue_s = j->accrue_s;
    p->suspend_s = j->suspend_s, p->suspended_total_s = j->suspended_total_s;
    p->priority = reply ? job_priority(j) : j->priority;
    p->priority_fixed = j->priority_fixed;
    p->hold = j->hold;
    p->time_limit_min = j->time_limit_min, p->limit_set = j->limit_set;
    p->partition = j->partition;
    p->attempt = j->attempt, p->restarts = j->restarts, p->requeue = j->requeue;
    p->array_job = j->array_job;
    p->resize_s = j->resize_s;
    p->het_job = j->het_job, p->het_offset = j->het_offset, p->het_size = j->het_size;
    p->has_task = j->array_task != TASK_NONE;
    p->array_task = p->has_task ? j->array_task : 0;
    p->exit_code = j->exit_code, p->derived_code = j->derived_code, p->end_signal = j->end_signal;
    p->next_step = j->next_step;
    p->usage = j->used;
    p->mem_per_node_mb = j->mem_per_node_mb, p->mem_per_cpu_mb = j->mem_per_cpu_mb;
    p->warned = j->warned;
    p->yield_s = j->yield_s, p->ran_s = j->ran_s;
    p->preempt_s = j->preempt_s, p->preemptable_s = j->preemptable_s;
    p->share = j->share, p->owner = j->owner, p->turn = j->turn, p->unborn = j->unborn;
    p->user_name = j->user_name;
    p->resv = j->resv, p->resv_name = j->resv_name;
    p->has_cancel_uid = j->has_cancel_uid, p->cancel_uid = j->cancel_uid;
    if (j->array)
        p->array_max_running = j->array->max_running;
    p->n_alloc = j->alloc.n;
    p->alloc = j->alloc.n ? alloc_to_pb(reply ? c : NULL, &j->alloc) : NULL;
    p->preferred = j->preferred, p->batch_pos = j->batch_pos;
    p->n_licenses = j->lic.n;
    p->licenses = license_to_pb(&j->lic);
    p->n_depend = j->ndepend;
    p->depend = j->ndepend ? mem_array(j->ndepend, sizeof(*p->depend)) : NULL;
    for (uint32_t i = 0; i < j->ndepend; i++)
        p->depend[i] = &j->depend[i];
    p->n_steps = j->steps.n;
    p->steps = j->steps.n ? mem_array(j->steps.n, sizeof(*p->steps)) : NULL;
    for (size_t i = 0; i < j->steps.n; i++)
        p->steps[i] = reply ? without_secrets(j->steps.at[i].pb) : j->steps.at[i].pb;
}

void job_pb_done(Pb__Job *p)
{
    if (p->alloc)
        alloc_pb_free(p->alloc, p->n_alloc);
    free(p->depend);
    free(p->licenses);
    free(p->steps);
}

/* ---- replies ---- */

static char *open_depends(const struct cluster *c, const struct job *j)
{
    if (!job_depend_open(j))
        return NULL;
    struct depend_list l = DEPEND_INIT;
    l.at = mem_array(j->ndepend, sizeof(*l.at));
    l.n = j->ndepend;
    l.any = j->depend[0].any;
    for (uint32_t i = 0; i < j->ndepend; i++) {
        const Pb__Depend *d = &j->depend[i];
        l.at[i] = (struct depend){ (enum depend_type)d->type, (enum depend_state)d->state, d->job,
                                   d->has_task                ? (int64_t)d->task
                                   : cluster_array(c, d->job) ? DEPEND_ALL_TASKS
                                                              : DEPEND_NO_TASK,
                                   d->after_min };
    }
    char *text = depend_text(&l);
    depend_clear(&l);
    return text;
}

static void add_requested_gres(struct tres_list *t, const struct req *r)
{
    for (uint32_t i = 0; i < r->ngres; i++) {
        const struct req_gres *g = &r->gres[i];
        uint64_t times = g->scope == REQ_PER_JOB ? 1 : g->scope == REQ_PER_TASK ? req_tasks(r) : r->min_nodes;
        char name[128];
        snprintf(name, sizeof(name), "gres/%s", g->name);
        tres_add(t, name, g->count * times);
        if (g->type) {
            snprintf(name, sizeof(name), "gres/%s:%s", g->name, g->type);
            tres_add(t, name, g->count * times);
        }
    }
}

/* The partition it runs in, or the first that it waits for. */
static const struct part *part_of(const struct cluster *c, const struct job *j)
{
    const char *pos = j->partition;
    auto_free char *first = str_next(&pos, ",");
    return first ? cluster_part(c, first) : NULL;
}

char *job_tres_req(const struct cluster *c, const struct job *j)
{
    const struct req *r = &j->spec->req;
    auto_tres struct tres_list t = TRES_INIT;
    uint32_t cpus = req_cpus(r);
    tres_set(&t, "cpu", cpus);
    uint64_t mem = j->mem_per_cpu_mb ? j->mem_per_cpu_mb * cpus : j->mem_per_node_mb * r->min_nodes;
    if (r->mem_all)
        mem = c->biggest_mem_mb * r->min_nodes;
    if (mem)
        tres_set(&t, "mem", mem);
    tres_set(&t, "node", r->min_nodes);
    add_requested_gres(&t, r);
    tres_set(&t, "billing", limits_billing(c, part_of(c, j), &t));
    return tres_text(&t);
}

/* CPUs of one of its nodes that it is charged for: with --core-spec all that others could have. */
static uint32_t charged(const struct cluster *c, const struct job *j, uint32_t i)
{
    const struct node *n = &c->node[j->alloc.at[i].node];
    uint32_t kept = n->def ? n->def->core_spec * MAX(n->threads, 1u) : 0;
    return j->spec->req.core_spec ? n->cpus - MIN(kept, n->cpus) : j->alloc.at[i].cpus;
}

static char *job_tres_alloc(const struct cluster *c, const struct job *j)
{
    if (!j->alloc.n)
        return NULL;
    auto_tres struct tres_list t = TRES_INIT;
    uint64_t cpus = 0, mem = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        cpus += charged(c, j, i);
        mem += j->alloc.at[i].mem_mb;
    }
    tres_set(&t, "cpu", cpus);
    if (mem)
        tres_set(&t, "mem", mem);
    tres_set(&t, "node", j->alloc.n);
    for (uint32_t i = 0; i < j->alloc.n; i++)
        for (uint32_t g = 0; g < j->alloc.at[i].ngres; g++) {
            const struct node *n = &c->node[j->alloc.at[i].node];
            const struct gres_share *share = &j->alloc.at[i].gres[g];
            if (share->slot >= n->ngres)
                continue;
            char name[128];
            snprintf(name, sizeof(name), "gres/%s", n->gres[share->slot].name);
            tres_add(&t, name, share->count);
            if (*n->gres[share->slot].type) {
                snprintf(name, sizeof(name), "gres/%s:%s", n->gres[share->slot].name, n->gres[share->slot].type);
                tres_add(&t, name, share->count);
            }
        }
    tres_set(&t, "billing", limits_billing(c, part_of(c, j), &t));
    return tres_text(&t);
}

/* Why it waits: what the state says comes before what the scheduler last said. */
static enum why_code shown_reason(const struct job *j)
{
    if (!job_pending(j) || (j->state & JOB_COMPLETING))
        return (enum why_code)j->reason;
    if (j->hold)
        return j->reason ? (enum why_code)j->reason : j->hold == HOLD_ADMIN ? WHY_HELD_ADMIN : WHY_HELD_USER;
    return j->why.code;
}

/* What its partition says about sharing; of several the first. */
static void fill_part(const struct cluster *c, const struct job *j, Pb__Job *p)
{
    const char *pos = j->partition;
    auto_free char *name = str_next(&pos, ",");
    const struct part *part = name ? cluster_part(c, name) : NULL;
    if (!part)
        return;
    const char *mode = part->pb->oversubscribe;
    p->part_share = str_has_iprefix(mode, "YES")     ? 1
                    : str_has_iprefix(mode, "FORCE") ? 2
                    : str_has_iprefix(mode, "EXCL")  ? 3
                                                     : 0;
    p->part_owner = part->pb->exclusive_user;
}

/* Those of the nodes it named that are down. */
static char *lost_nodes(const struct cluster *c, const struct job *j)
{
    auto_strs struct strs names = STRS_INIT, lost = STRS_INIT;
    if (hostlist_expand(j->spec->req.nodelist, &names, NULL))
        return NULL;
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(c, names.at[i]);
        if (n && node_lost(n))
            strs_add(&lost, names.at[i]);
    }
    return hostlist_compress_sorted(lost.at, lost.n);
}

static void fill_reply(const struct cluster *c, const struct job *j, Pb__Job *p)
{
    const struct req *r = &j->spec->req;
    fill_part(c, j, p);
    if (job_lends(j))
        p->priority = 0;
    p->reason = shown_reason(j);
    p->lost_nodes = p->reason == WHY_NODE_NOT_AVAIL && j->spec->req.nodelist ? lost_nodes(c, j) : NULL;
    p->state = job_shown_state(j);
    if (p->reason == WHY_RESERVATION) /* it cannot be eligible before that */
        p->eligible_s = 0;
    p->nodes = alloc_nodes(c, &j->alloc);
    p->tres_alloc = job_tres_alloc(c, j);
    p->tres_req = job_tres_req(c, j);
    p->depend_text = open_depends(c, j);
    p->planned_start_s = j->why.planned_s;
    p->planned_nodes = j->planned_nodes;
    p->array_text = j->array ? array_text(&j->array->pending, j->array->max_running, 0) : NULL;
    p->array_total = j->array ? j->array->count : 0;
    p->num_nodes = j->alloc.n ? j->alloc.n : r->min_nodes;
    p->num_tasks = req_tasks(r);
    p->num_cpus = req_cpus(r);
    if (!j->alloc.n && c->biggest_cpus) /* it cannot be fewer */
        p->num_nodes = MAX(p->num_nodes, (p->num_cpus + c->biggest_cpus - 1) / c->biggest_cpus);
    if (j->alloc.n) {
        p->num_cpus = 0;
        uint32_t tasks = 0;
        for (uint32_t i = 0; i < j->alloc.n; i++) {
            p->num_cpus += charged(c, j, i);
            tasks += j->alloc.at[i].tasks;
        }
        p->num_tasks = tasks ? tasks : p->num_tasks;
        p->batch_host = c->node[j->alloc.at[MIN(j->batch_pos, j->alloc.n - 1)].node].name;
    }
}

static void free_reply(Pb__Job *p)
{
    free(p->nodes);
    free(p->lost_nodes);
    free(p->tres_alloc);
    free(p->tres_req);
    free(p->depend_text);
    if (p->array_text != (char *)protobuf_c_empty_string)
        free(p->array_text);
    for (size_t i = 0; i < p->n_steps; i++) {
        free(p->steps[i]->spec);
        free(p->steps[i]);
    }
    job_pb_done(p);
}

const char *cluster_job_bytes(struct cluster *c, struct job *j, uint32_t *len)
{
    if (!j->enc) {
        Pb__Job p;
        job_to_pb(c, j, &p, true);
        fill_reply(c, j, &p);
        auto_buf struct buf b = BUF_INIT;
        pb_pack(&b, &p.base);
        free_reply(&p);
        j->enc = mem_copy(b.s, b.len);
        j->enc_len = (uint32_t)b.len;
    }
    *len = j->enc_len;
    return j->enc;
}

Pb__Job *cluster_job_message(struct cluster *c, struct job *j)
{
    auto_buf struct buf b = BUF_INIT;
    uint32_t len;
    const char *bytes = cluster_job_bytes(c, j, &len);
    pb_add_field(&b, 2, j->spec->shown, j->spec->shown_len);
    buf_add(&b, bytes, len);
    return pb__job__unpack(NULL, b.len, (uint8_t *)b.s);
}

Pb__Job *cluster_job_brief(struct cluster *c, const struct job *j)
{
    auto_buf struct buf b = BUF_INIT;
    struct job few = *j;
    Pb__Job p;
    few.alloc.n = MIN(j->alloc.n, 1u);
    few.steps.n = 0;
    job_to_pb(c, &few, &p, true);
    pb_add_field(&b, 2, j->spec->shown, j->spec->shown_len);
    pb_pack(&b, &p.base);
    job_pb_done(&p);
    return pb__job__unpack(NULL, b.len, (uint8_t *)b.s);
}

/* ---- nodes ---- */

void node_hw_pb(const struct node *n, Pb__NodeHw *hw)
{
    pb__node_hw__init(hw);
    hw->boards = n->boards, hw->sockets = n->sockets, hw->cores = n->cores, hw->threads = n->threads,
    hw->cpus = n->cpus;
    hw->mem_mb = n->mem_mb, hw->tmp_mb = n->tmp_mb;
    hw->arch = n->arch, hw->os = n->os;
}

void node_to_pb(const struct node *n, Pb__Node *p, Pb__NodeHw *hw)
{
    pb__node__init(p);
    node_hw_pb(n, hw);
    p->def = n->def;
    p->hw = hw;
    p->state = n->state;
    p->reason = n->reason, p->reason_uid = n->reason_uid, p->reason_s = n->reason_s;
    p->boot_id = n->boot_id, p->boot_s = n->boot_s, p->start_s = n->start_s, p->busy_s = n->busy_s;
    p->version = n->version, p->features_active = n->features_active, p->comment = n->comment, p->extra = n->extra;
    p->weight = n->weight;
}

static void node_gres(const struct node *n, Pb__Node *p)
{
    p->n_alloc_gres = n->ngres;
    p->alloc_gres = n->ngres ? mem_array(n->ngres, sizeof(*p->alloc_gres)) : NULL;
    for (uint32_t i = 0; i < n->ngres; i++) {
        Pb__Gres *g = p->alloc_gres[i] = mem_alloc(sizeof(*g));
        pb__gres__init(g);
        g->name = n->gres[i].name;
        g->type = n->gres[i].type;
        g->count = n->gres[i].used;
        pb_from_bitmap(&g->index, &n->gres[i].busy);
    }
}

void cluster_node_bytes(const struct cluster *c, const struct node *n, struct buf *out)
{
    Pb__Node p;
    Pb__NodeHw hw;
    node_to_pb(n, &p, &hw);
    p.state = node_shown_state(n);
    p.alloc_cpus = node_busy_cpus(n), p.alloc_mem_mb = n->mem_used_mb, p.jobs = n->jobs;
    p.load_centi = n->load_centi, p.free_mem_mb = n->free_mem_mb, p.has_load = n->has_load;
    auto_buf struct buf parts = BUF_INIT;
    for (size_t i = 0; i < c->part.n; i++)
        if (bitmap_has(&c->part.at[i]->nodes, n->index))
            buf_addf(&parts, "%s%s", parts.len ? "," : "", c->part.at[i]->pb->name);
    p.parts = parts.s;
    for (size_t i = 0; n->resv_state && !p.reservation[0] && i < c->resv.n; i++)
        if (c->resv.at[i]->pb->active && bitmap_has(&c->resv.at[i]->nodes, n->index))
            p.reservation = c->resv.at[i]->pb->name;
    auto_free char *spec = n->def && n->def->core_spec ? spec_text(n) : NULL;
    p.spec_list = spec;
    node_gres(n, &p);
    pb_pack(out, &p.base);
    for (uint32_t i = 0; i < n->ngres; i++) {
        free(p.alloc_gres[i]->index.data);
        free(p.alloc_gres[i]);
    }
    free(p.alloc_gres);
}
