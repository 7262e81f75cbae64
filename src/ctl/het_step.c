/*
 * het_step - one step over several components of a heterogeneous job.
 *
 * Each component gets a step of its own, all with one number.  Where its tasks and nodes stand among all of them is in
 * the step (HetStep): the tasks count themselves over all, and all speak to one srun.
 */
#include "ctl/het_step.h"

#include "ctl/end.h"

#include "text/hostlist.h"

struct comp {
    struct job *j;
    const Pb__StepSpec *spec;
    struct step_ask ask;
    Pb__HetStep het;
};

struct parts {
    struct comp at[HET_MAX];
    uint32_t n;
};

uint32_t het_next_step(const struct ctl *t, const struct job *j)
{
    uint32_t next = j->next_step;
    for (uint32_t i = 0; i < j->het_size; i++) {
        const struct job *p = het_part(t->c, j, i);
        next = p ? MAX(next, p->next_step) : next;
    }
    return next;
}

static void parts_clear(struct parts *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        step_ask_clear(&p->at[i].ask);
    p->n = 0;
}

/* Does each fit?  Then the place of every task is known. */
static int parts_fit(struct ctl *t, struct parts *p, char **names, struct err *err)
{
    auto_strs struct strs nodes = STRS_INIT;
    uint32_t tasks = 0, nnodes = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        struct step_share share;
        struct comp *one = &p->at[i];
        int rc = step_fit(t->c, one->j, &one->ask, &share, err);
        if (rc)
            return rc;
        one->het.first_task = tasks;
        one->het.first_node = nnodes;
        for (uint32_t k = 0; k < share.n; k++) {
            tasks += share.layout.tasks[k];
            strs_add(&nodes, t->c->node[one->j->alloc.at[share.node[k]].node].name);
        }
        nnodes += share.n;
        step_share_clear(&share);
    }
    *names = hostlist_compress(nodes.at, nodes.n);
    uint32_t id = het_next_step(t, p->at[0].j);
    for (uint32_t i = 0; i < p->n; i++) {
        Pb__HetStep *h = &p->at[i].het;
        h->job_id = p->at[0].j->het_job;
        h->tasks = tasks, h->nodes = nnodes, h->parts = p->n, h->step_id = id;
        h->node_names = *names;
    }
    return 0;
}

static int parts_begin(struct ctl *t, struct parts *p, struct err *err)
{
    char *names = NULL;
    int rc = parts_fit(t, p, &names, err);
    for (uint32_t i = 0; !rc && i < p->n; i++) {
        Pb__StepSpec spec = *p->at[i].spec;
        spec.het = &p->at[i].het;
        if (!step_begin(t, p->at[i].j, &spec, &p->at[i].ask, err))
            rc = err->code ? err->code : EINVAL;
    }
    free(names);
    return rc;
}

/* ---- srun's own allocation ---- */

void het_step_first(struct ctl *t, struct job *leader)
{
    struct parts p = { .n = 0 };
    struct err err = ERR_INIT;
    int rc = 0;
    for (uint32_t i = 0; !rc && i < leader->het_size; i++) {
        struct comp *one = &p.at[p.n];
        *one = (struct comp){ .j = het_part(t->c, leader, i), .het = PB__HET_STEP__INIT };
        if (!one->j || !one->j->step)
            continue;
        one->spec = one->j->step;
        rc = step_own_ask(t, one->j, &one->ask, &err);
        p.n += !rc;
    }
    if (!rc)
        rc = parts_begin(t, &p, &err);
    parts_clear(&p);
    if (rc)
        end_job(t, leader,
                &(struct end){ .state = JOB_FAILED,
                               .reason = WHY_LAUNCH_FAILED,
                               .text = err.text,
                               .exit_code = 1 << 8,
                               .done_node = UINT32_MAX },
                &err);
}

bool het_steps_over(const struct ctl *t, const struct job *j)
{
    for (uint32_t i = 0; i < j->het_size; i++) {
        const struct job *p = het_part(t->c, j, i);
        if (p && p->state == JOB_RUNNING && step_find(p, 0))
            return false;
    }
    return true;
}

/* ---- asked for inside an allocation ---- */

static int read_part(const struct ctl_call *call, const Pb__StepRequest *r, struct comp *one, const struct job *first,
                     struct err *err)
{
    *one = (struct comp){ .j = cluster_job(call->t->c, r->job_id), .spec = r->spec, .het = PB__HET_STEP__INIT };
    int rc = step_check(call, one->j, r, err);
    if (!rc && (!het_is(one->j) || (first && first->het_job != one->j->het_job)))
        rc = err_set(err, ESLURM_NOT_HET_JOB, "%s", err_text(ESLURM_NOT_HET_JOB));
    if (!rc)
        r->spec->env = r->env; /* borrowed for as long as this takes */
    return rc ? rc : step_read_ask(call->t, r->spec, &one->ask, err);
}

static int read_parts(const struct ctl_call *call, const Pb__StepRequest *r, struct parts *p, struct err *err)
{
    if (r->n_het >= HET_MAX)
        return err_set(err, EINVAL, "a step over %zu components", r->n_het + 1);
    int rc = 0;
    for (size_t i = 0; !rc && i <= r->n_het; i++) {
        rc = read_part(call, i ? r->het[i - 1] : r, &p->at[i], i ? p->at[0].j : NULL, err);
        p->n += !rc;
    }
    return rc;
}

static void fill_reply(struct ctl *t, const struct comp *p, Pb__StepReply *r, Pb__Step *step, Pb__StepSpec *bare)
{
    const Pb__Step *s = step_made_before(p->j, p->spec);
    pb__step_reply__init(r);
    r->job_id = p->j->id;
    if (!s)
        return;
    *step = *s;
    *bare = *s->spec; /* srun has its environment and the endpoint of its streams */
    bare->env = (ProtobufCBinaryData){ 0, NULL };
    bare->io = NULL;
    step->spec = bare;
    r->step = step;
    r->job = cluster_job_brief(t->c, p->j);
}

static void het_step_answer(struct ctl *t, uint64_t session, uint64_t number, const struct parts *p)
{
    auto_free Pb__StepReply *r = mem_array(p->n, sizeof(*r));
    auto_free Pb__StepReply **more = mem_array(p->n, sizeof(*more));
    auto_free Pb__Step *steps = mem_array(p->n, sizeof(*steps));
    auto_free Pb__StepSpec *bare = mem_array(p->n, sizeof(*bare));
    for (uint32_t i = 0; i < p->n; i++) {
        fill_reply(t, &p->at[i], &r[i], &steps[i], &bare[i]);
        if (i)
            more[i - 1] = &r[i];
    }
    r[0].het = more;
    r[0].n_het = p->n - 1;
    ctl_say(t, session, MSG_STEP_REPLY, 0, number, &r[0].base);
    for (uint32_t i = 0; i < p->n; i++)
        if (r[i].job)
            pb__job__free_unpacked(r[i].job, NULL);
}

bool het_step_try(struct ctl *t, uint64_t session, uint64_t number, const Pb__StepRequest *r,
                  const struct ctl_peer *peer, struct err *err)
{
    struct parts p = { .n = 0 };
    struct ctl_call call = { .t = t, .session = session, .number = number, .peer = peer };
    int rc = site_param(t->site->scheduler_parameters, "disable_hetjob_steps")
                 ? err_set(err, ESLURM_NOT_SUPPORTED,
                           "steps over several components are switched off (disable_hetjob_steps)")
                 : read_parts(&call, r, &p, err);
    bool made = !rc && step_made_before(p.at[0].j, p.at[0].spec);
    bool ready = !rc;
    for (uint32_t i = 0; i < p.n; i++)
        ready &= p.at[i].j->state == JOB_RUNNING;
    if (!rc && !made)
        rc = ready ? parts_begin(t, &p, err) : err_set(err, ESLURM_NODES_BUSY, "%s", err_text(ESLURM_NODES_BUSY));
    if (!rc)
        het_step_answer(t, session, number, &p);
    for (size_t i = 0; i <= r->n_het; i++) { /* what was borrowed */
        const Pb__StepRequest *one = i ? r->het[i - 1] : r;
        if (one->spec)
            one->spec->env = (ProtobufCBinaryData){ 0, NULL };
    }
    parts_clear(&p);
    return !rc;
}
