/* steps - steps that users run inside jobs, and the guarantee that no two steps have the same resource. */
#include "core/step.h"

#include "sim/world.h"

/* ---- requests ---- */

void steps_start(struct sim *s)
{
    for (uint32_t i = 0; i < s->conf.steps; i++)
        sim_push(s, rng_range(&s->steps, 10000, 700000), W_STEP, 0, 0, NULL);
}

/* A running job, as its owner knows it. */
static const struct job *running_job(struct sim *s)
{
    if (s->leader == NO_LEADER)
        return NULL;
    const struct cluster *c = ctl_cluster(s->ctl[s->leader].t);
    size_t skip = rng_below(&s->steps, (uint32_t)MAX(c->active.n, 1u)) / (1 + rng_below(&s->steps, 4));
    for (const struct job *j = c->active.head; j; j = j->next)
        if (j->state == JOB_RUNNING && skip-- == 0)
            return j;
    return NULL;
}

static void step_shape(struct sim *s, Pb__StepSpec *p)
{
    struct rng *r = &s->steps;
    p->ntasks = 1 + rng_below(r, 4);
    p->cpus_per_task = rng_chance(r, 20) ? 1 + rng_below(r, 2) : 0;
    p->nodes = rng_chance(r, 40) ? 1 + rng_below(r, 3) : 0;
    p->max_nodes = p->nodes && rng_chance(r, 30) ? p->nodes + 1 : 0;
    p->exact = rng_chance(r, 70);
    p->overlap = rng_chance(r, 10);
    p->overcommit = rng_chance(r, 5);
    p->mem_per_node_mb = rng_chance(r, 30) ? 10 + rng_below(r, 300) : 0;
    p->gres = (char *)(rng_chance(r, 20) ? "gpu:1" : rng_chance(r, 20) ? "none" : "");
    p->distribution = (char *)(rng_chance(r, 30) ? "cyclic" : "");
    p->immediate_s = rng_chance(r, 30) ? 1 + rng_below(r, 20) : 0;
    p->time_limit_min = rng_chance(r, 15) ? 1 : 0;
}

void wish_step(struct sim *s)
{
    const struct job *j = running_job(s);
    if (!j)
        return;
    Pb__StepRequest q = PB__STEP_REQUEST__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    Pb__IoEndpoint io = PB__IO_ENDPOINT__INIT;
    uint64_t token = rng_next(&s->steps);
    char program[48], *argv[] = { program };
    snprintf(program, sizeof(program), "sleep %u exit %u", rng_below(&s->steps, rng_chance(&s->steps, 10) ? 120 : 15),
             rng_chance(&s->steps, 90) ? 0 : 3);
    step_shape(s, &spec);
    io.token = (ProtobufCBinaryData){ sizeof(token), (uint8_t *)&token };
    spec.argv = argv, spec.n_argv = 1, spec.io = &io;
    q.job_id = j->id, q.spec = &spec;
    user_ask(s, OP_KIND_STEP, MSG_STEP, j->uid, j->id, &q.base);
}

/* True while the step waits. */
bool step_reply_received(struct sim *s, uint32_t op, const Pb__StepReply *r)
{
    bool waits = r->step && r->step->pending;
    if (!r->step)
        sim_break(s, "a step of job %u was granted without a word about it", r->job_id);
    s->ops.at[op].waits = waits;
    s->stats.steps += !waits;
    return waits;
}

/* ---- the guarantee ---- */

static void add_bits(struct bitmap *seen, const ProtobufCBinaryData *bytes, const struct bitmap *of, bool *bad)
{
    auto_bitmap struct bitmap bits = BITMAP_INIT;
    pb_to_bitmap(&bits, bytes);
    bitmap_each (&bits, i) {
        *bad |= bitmap_has(seen, i) || !bitmap_has(of, i);
        bitmap_set(seen, i);
    }
}

struct held { /* by the steps on one node of a job */
    uint64_t cpus, gres;
    struct bitmap cores, device;
    bool bad;
};

static void add_step(struct held *h, const struct node_alloc *na, const Pb__NodeAlloc *a)
{
    h->cpus += a->cpus;
    add_bits(&h->cores, &a->cores, &na->cores, &h->bad);
    for (size_t g = 0; g < a->n_gres; g++) {
        h->gres += a->gres[g]->count;
        if (na->ngres == 1)
            add_bits(&h->device, &a->gres[g]->index, &na->gres[0].index, &h->bad);
    }
}

static void check_node(struct sim *s, const struct job *j, uint32_t pos)
{
    const struct node_alloc *na = &j->alloc.at[pos];
    const struct step_hold *known = &j->held[pos];
    struct held h = { 0 };
    uint64_t gres = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        const Pb__Step *p = j->steps.at[i].pb;
        for (size_t k = 0; !p->shared && k < p->n_alloc; k++)
            if (p->node[k] == pos)
                add_step(&h, na, p->alloc[k]);
    }
    for (uint32_t g = 0; g < na->ngres; g++)
        gres += na->gres[g].count;
    if (h.bad || h.cpus > na->cpus || h.gres > gres || known->mem_mb > na->mem_mb)
        sim_break(s, "job %u: its steps have more of a node than the job, or the same thing twice", j->id);
    if (h.cpus != known->cpus || bitmap_count(&h.cores) != bitmap_count(&known->cores))
        sim_break(s, "job %u: its steps have %llu CPUs of a node, %u are taken for held", j->id,
                  (unsigned long long)h.cpus, known->cpus);
    bitmap_clear(&h.cores);
    bitmap_clear(&h.device);
}

void check_steps(struct sim *s, const struct cluster *c)
{
    for (const struct job *j = c->active.head; j; j = j->next)
        for (uint32_t pos = 0; j->held && pos < j->alloc.n; pos++)
            check_node(s, j, pos);
}

/* One request is one step, however often it was sent, until the step has ended. */
void check_step_start(struct sim *s, const Pb__EvStepStart *e)
{
    const Pb__IoEndpoint *io = e->step->spec ? e->step->spec->io : NULL;
    const struct job *j = s->leader == NO_LEADER ? NULL : cluster_job(ctl_cluster(s->ctl[s->leader].t), e->job_id);
    size_t same = 0;
    for (size_t i = 0; j && io && i < j->steps.n; i++) {
        const Pb__StepSpec *other = j->steps.at[i].pb->spec;
        same += other && other->io && other->io->token.len == io->token.len &&
                !memcmp(other->io->token.data, io->token.data, io->token.len);
    }
    if (same > 1)
        sim_break(s, "job %u: one request became two steps", e->job_id);
}
