/* order - the launch order of a step; see order.h. */
#include "ctl/order.h"

#include "ctl/het.h"
#include "ctl/topology.h"

/* ---- shares, as few as there are different ones ---- */

typedef VEC(Pb__NodeAlloc) share_vec;

/* Equal but for the node's name, which stands elsewhere. */
static Pb__NodeAlloc order_nameless(const Pb__NodeAlloc *a)
{
    Pb__NodeAlloc share = *a;
    share.node = 0;
    share.name = (char *)protobuf_c_empty_string;
    share.done = false;
    share.count = 0;
    return share;
}

static void add_share(share_vec *v, Pb__NodeAlloc share, struct buf *last)
{
    auto_buf struct buf bytes = BUF_INIT;
    pb_pack(&bytes, &share.base);
    if (v->n && bytes.len == last->len && !memcmp(bytes.s ? bytes.s : "", last->s ? last->s : "", last->len)) {
        v->at[v->n - 1].count++;
        return;
    }
    share.count = 1;
    vec_push(v, share);
    struct buf other = *last;
    *last = bytes;
    bytes = other;
}

static Pb__NodeAlloc **list_of(const share_vec *v)
{
    Pb__NodeAlloc **list = mem_array(v->n + 1, sizeof(*list));
    for (size_t i = 0; i < v->n; i++)
        list[i] = &v->at[i];
    return list;
}

static void job_shares(const struct ctl *t, const struct job *j, Pb__NodeAlloc *const *alloc, share_vec *out)
{
    auto_buf struct buf last = BUF_INIT;
    for (uint32_t i = 0; i < j->alloc.n; i++) {
        Pb__NodeAlloc share = order_nameless(alloc[i]);
        share.node_cpus = t->c->node[j->alloc.at[i].node].cpus;
        add_share(out, share, &last);
    }
}

static void step_shares(const Pb__Step *s, share_vec *out)
{
    auto_buf struct buf last = BUF_INIT;
    for (size_t i = 0; i < s->n_alloc; i++)
        add_share(out, order_nameless(s->alloc[i]), &last);
}

/* ---- the rest ---- */

static void fill_job(const struct ctl *t, const struct job *j, Pb__LaunchOrder *o)
{
    o->job_id = j->id;
    o->attempt = j->attempt;
    o->batch_pos = j->batch_pos;
    o->uid = j->uid;
    o->gid = j->gid;
    o->user_name = j->user_name;
    o->array_job = j->array_job;
    o->has_task = j->array_task != TASK_NONE;
    o->array_task = o->has_task ? j->array_task : 0;
    o->array_count = j->spec->array_count, o->array_min = j->spec->array_min;
    o->array_max = j->spec->array_max, o->array_step = j->spec->array_step;
    o->partition = j->partition;
    o->cluster = t->c->name;
    o->restarts = j->restarts;
    o->start_s = j->start_s;
    o->end_s = job_limit_s(j);
    o->time_limit_min = j->time_limit_min;
    o->kill_wait_s = t->site->kill_wait_s;
    o->priority = job_priority(j);
    o->mem_per_node_mb = j->mem_per_node_mb, o->mem_per_cpu_mb = j->mem_per_cpu_mb;
    o->issued_ms = t->now_ms;
}

static void fill_step(const Pb__Step *s, Pb__StepSpec *bare, Pb__LaunchOrder *o)
{
    o->step_id = s->id;
    o->step_node = s->node, o->n_step_node = s->n_node;
    o->step_tasks = s->tasks, o->n_step_tasks = s->n_tasks;
    o->step_ranks = s->ranks, o->n_step_ranks = s->n_ranks;
    o->step_nodes = s->nodes;
    *bare = *s->spec;
    bare->env = (ProtobufCBinaryData){ 0, NULL };
    o->step = bare;
}

/* The big parts go in as they are kept: no unpacking, no second copy. */
static void add_blobs(const struct job *j, const Pb__Step *s, uint32_t step_id, struct buf *body)
{
    pb_add_field(body, 8, j->spec->blob->data, j->spec->blob->len);
    if (j->resv_name && !j->spec->req.reservation) { /* it was drawn in: read as one with what stands before */
        Pb__JobSpec drawn = PB__JOB_SPEC__INIT;
        drawn.reservation = j->resv_name;
        pb_pack_field(body, 8, &drawn.base);
    }
    if (step_id == PB__STEP_NUMBER__STEP_PROLOG)
        return;
    if (j->script && !s)
        pb_add_field(body, 10, j->script->data, j->script->len);
    if (s && s->spec->env.len)
        pb_add_field(body, 11, s->spec->env.data, s->spec->env.len);
    else if (j->env)
        pb_add_field(body, 11, j->env->data, j->env->len);
}

static void order_fill(const struct ctl *t, const struct job *j, const Pb__Step *s, uint32_t step_id, struct buf *out)
{
    Pb__LaunchOrder o = PB__LAUNCH_ORDER__INIT;
    Pb__StepSpec bare = PB__STEP_SPEC__INIT;
    share_vec shares = { 0 }, parts = { 0 };
    auto_free char *nodes = alloc_nodes(t->c, &j->alloc);
    Pb__NodeAlloc **alloc = alloc_to_pb(t->c, &j->alloc);
    job_shares(t, j, alloc, &shares);
    fill_job(t, j, &o);
    o.nodes = nodes;
    o.step_id = step_id;
    if (s) {
        step_shares(s, &parts);
        fill_step(s, &bare, &o);
    }
    if (het_is(j))
        o.n_het_parts = het_tell(t, j, &o.het_parts);
    if (t->c->topo.n)
        o.n_topo = topo_tell(t, j, &o.topo, &o.topo_blocks);
    if (s && s->n_node)
        o.first_addr = t->c->node[j->alloc.at[s->node[0]].node].def->addr;
    o.alloc = list_of(&shares), o.n_alloc = shares.n;
    o.step_allocs = list_of(&parts), o.n_step_allocs = parts.n;
    pb_pack(out, &o.base);
    add_blobs(j, s, o.step_id, out);
    het_tell_free(o.het_parts, o.n_het_parts);
    topo_tell_free(o.topo, o.n_topo);
    free(o.alloc);
    free(o.step_allocs);
    vec_clear(&shares);
    vec_clear(&parts);
    alloc_pb_free(alloc, j->alloc.n);
}

void order_make(const struct ctl *t, const struct job *j, const Pb__Step *s, struct buf *out)
{
    order_fill(t, j, s, PB__STEP_NUMBER__STEP_BATCH, out);
}

void order_prolog(const struct ctl *t, const struct job *j, struct buf *out)
{
    order_fill(t, j, NULL, PB__STEP_NUMBER__STEP_PROLOG, out);
}
