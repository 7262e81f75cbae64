/*
 * job_reply - jobs as queries send them.
 *
 * A job changes far less often than it is read, so its bytes are made once per change and sent as they are; the spec,
 * which many jobs share, goes beside them.
 */
#include "base/num.h"
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/pbutil.h"
#include "core/record.h"
#include "text/array.h"
#include "text/depend.h"
#include "text/hostlist.h"
#include "text/tres.h"

struct job_enc {
    uint32_t len;
    char bytes[];
};

void job_touch(struct job *j)
{
    free(take(j->enc));
}

static char *open_depends(const struct cluster *c, const struct job *j)
{
    if (!job_depend_open(j))
        return NULL;
    struct depend_list l = DEPEND_INIT;
    l.at = mem_array(j->depend.n, sizeof(*l.at));
    l.n = j->depend.n;
    l.any = j->depend.at[0].any;
    for (uint32_t i = 0; i < j->depend.n; i++) {
        const Pb__Depend *d = &j->depend.at[i];
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
    uint64_t mem = j->mem_per_cpu_mb ? mul_cap(j->mem_per_cpu_mb, cpus) : mul_cap(j->mem_per_node_mb, r->min_nodes);
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
static uint32_t charged_cpus(const struct cluster *c, const struct job *j, uint32_t i)
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
        cpus += charged_cpus(c, j, i);
        mem += j->alloc.at[i].mem_mb;
    }
    tres_set(&t, "cpu", cpus);
    if (mem)
        tres_set(&t, "mem", mem);
    tres_set(&t, "node", j->alloc.n);
    for (uint32_t i = 0; i < j->alloc.n; i++)
        for (uint32_t g = 0; g < j->alloc.at[i].ngres; g++) {
            const struct node *n = &c->node[j->alloc.at[i].node];
            const struct gres_alloc *share = &j->alloc.at[i].gres[g];
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
    const struct part *part = part_of(c, j);
    if (!part)
        return;
    const char *mode = part->pb->oversubscribe;
    p->part_oversub = str_has_iprefix(mode, "YES")     ? PB__PART_OVERSUB__PART_OVERSUB_YES
                      : str_has_iprefix(mode, "FORCE") ? PB__PART_OVERSUB__PART_OVERSUB_FORCE
                      : str_has_iprefix(mode, "EXCL")  ? PB__PART_OVERSUB__PART_OVERSUB_EXCLUSIVE
                                                       : PB__PART_OVERSUB__PART_OVERSUB_NO;
    p->part_user_exclusive = part->pb->exclusive_user;
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
    p->priority = job_lends(j) ? 0 : job_priority(j);
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
    p->num_nodes = j->alloc.n ? j->alloc.n : r->min_nodes;
    p->num_tasks = req_tasks(r);
    p->num_cpus = req_cpus(r);
    if (!j->alloc.n && c->biggest_cpus) /* it cannot be fewer */
        p->num_nodes = MAX(p->num_nodes, (p->num_cpus + c->biggest_cpus - 1) / c->biggest_cpus);
    if (j->alloc.n) {
        p->num_cpus = 0;
        uint32_t tasks = 0;
        for (uint32_t i = 0; i < j->alloc.n; i++) {
            p->num_cpus += charged_cpus(c, j, i);
            tasks += j->alloc.at[i].tasks;
        }
        p->num_tasks = tasks ? tasks : p->num_tasks;
        p->batch_host = c->node[j->alloc.at[MIN(j->batch_pos, j->alloc.n - 1)].node].name;
    }
}

/* Steps without their environments and the tokens of srun's sockets. */
static void hide_secrets(Pb__Job *p)
{
    for (size_t i = 0; i < p->n_steps; i++) {
        Pb__Step *copy = p->steps[i] = mem_copy(p->steps[i], sizeof(*copy));
        if (!copy->spec)
            continue;
        copy->spec = mem_copy(copy->spec, sizeof(*copy->spec));
        copy->spec->env = (ProtobufCBinaryData){ 0, NULL };
        copy->spec->io = NULL;
    }
}

/* The message without what only snapshots hold (STATE in job_fields.h). */
static void start_reply(const struct cluster *c, const struct job *j, Pb__Job *p)
{
    job_to_pb(j, p, c);
    hide_secrets(p);
    p->spec_blob = p->script_blob = p->env_blob = 0;
    p->step = NULL;
    free(take(p->array_pending.data));
    p->array_pending.len = 0;
}

static void free_reply(Pb__Job *p)
{
    pb_free_text(p->nodes);
    pb_free_text(p->lost_nodes);
    pb_free_text(p->tres_alloc);
    pb_free_text(p->tres_req);
    pb_free_text(p->depend_text);
    pb_free_text(p->array_text);
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
        start_reply(c, j, &p);
        fill_reply(c, j, &p);
        auto_buf struct buf b = BUF_INIT;
        pb_pack(&b, &p.base);
        free_reply(&p);
        j->enc = mem_alloc(sizeof(*j->enc) + b.len);
        j->enc->len = (uint32_t)b.len;
        memcpy(j->enc->bytes, b.s, b.len);
    }
    *len = j->enc->len;
    return j->enc->bytes;
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
    start_reply(c, &few, &p);
    p.priority = job_priority(j);
    pb_add_field(&b, 2, j->spec->shown, j->spec->shown_len);
    pb_pack(&b, &p.base);
    free_reply(&p);
    return pb__job__unpack(NULL, b.len, (uint8_t *)b.s);
}

void cluster_job_facts(const struct cluster *c, const struct job *j, struct buf *out)
{
    struct job bare = *j;
    Pb__Job p;
    bare.why = (struct why){ 0 };
    bare.factored = 0;
    bare.planned_nodes = NULL;
    bare.steps.n = 0;
    start_reply(c, &bare, &p);
    fill_reply(c, &bare, &p);
    size_t n_alloc = p.n_alloc;
    p.n_alloc = 0;
    pb_pack(out, &p.base);
    p.n_alloc = n_alloc;
    free_reply(&p);
}
