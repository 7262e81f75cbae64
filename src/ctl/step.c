/* step - steps of a running job begin, or wait, or are refused; see step.h. */
#include "ctl/access.h"
#include "ctl/het_step.h"
#include "ctl/act.h"
#include "ctl/end.h"
#include "ctl/request.h"
#include "ctl/spec_fields.h"

#include <signal.h>

#include "text/hostlist.h"
#include "text/time.h"

/* ---- beginning ---- */

static char *names_of(const struct ctl *t, const struct job *j, const struct step_share *share)
{
    auto_free char **names = mem_array(share->n, sizeof(*names));
    for (uint32_t i = 0; i < share->n; i++)
        names[i] = t->c->node[j->alloc.at[share->node[i]].node].name;
    return hostlist_compress(names, share->n);
}

/* Ranks that do not just count up, node by node; borrowed from the layout but for the list.  NULL: they do. */
static Pb__Ranks **ranks_of(const struct layout *l)
{
    if (l->plain)
        return NULL;
    Pb__Ranks **list = mem_array(l->n, sizeof(*list)), *all = mem_array(l->n, sizeof(*all));
    uint32_t at = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        pb__ranks__init(&all[i]);
        all[i].rank = l->rank + at, all[i].n_rank = l->tasks[i];
        at += l->tasks[i];
        list[i] = &all[i];
    }
    return list;
}

static int emit_start(struct ctl *t, struct job *j, const Pb__StepSpec *spec, const struct step_ask *ask,
                      const struct step_share *share, struct err *err)
{
    EVENT(ev);
    Pb__EvStepStart e = PB__EV_STEP_START__INIT;
    Pb__Step s = PB__STEP__INIT;
    auto_free char *nodes = names_of(t, j, share);
    Pb__Ranks **ranks = ranks_of(&share->layout);
    s.id = spec->interactive ? PB__STEP_NUMBER__STEP_INTERACTIVE
           : spec->het       ? spec->het->step_id
           : het_is(j)       ? het_next_step(t, j)
                             : j->next_step;
    s.spec = (Pb__StepSpec *)spec;
    s.node = share->node, s.n_node = share->n;
    s.tasks = share->layout.tasks, s.n_tasks = share->n;
    s.alloc = share->alloc, s.n_alloc = share->n;
    s.ranks = ranks, s.n_ranks = ranks ? share->n : 0;
    s.nodes = nodes;
    s.shared = ask->overlap;
    e.job_id = j->id;
    e.step = &s;
    BODY(ev, STEP_START, step_start, &e);
    int rc = ctl_emit(t, &ev, err);
    if (ranks)
        free(ranks[0]);
    free(ranks);
    return rc;
}

void step_set_timer(struct ctl *t, const struct job *j, const Pb__Step *s)
{
    uint32_t limit = s->spec ? s->spec->time_limit_min : 0;
    if (limit && limit != TIME_INFINITE)
        timer_add(&t->timers, (s->start_s + (int64_t)limit * 60) * 1000, TIMER_STEP, j->id, s->id);
}

void step_lead(struct ctl *t)
{
    for (const struct job *j = t->c->active.head; j; j = j->next)
        for (size_t i = 0; i < j->steps.n; i++)
            step_set_timer(t, j, j->steps.at[i].pb);
}

const Pb__Step *step_begin(struct ctl *t, struct job *j, const Pb__StepSpec *spec, const struct step_ask *ask,
                           struct err *err)
{
    struct step_share share;
    const Pb__Step *made = NULL;
    if (step_fit(t->c, j, ask, &share, err))
        return NULL;
    if (!emit_start(t, j, spec, ask, &share, err)) {
        made = j->steps.at[j->steps.n - 1].pb;
        step_set_timer(t, j, made);
    }
    step_share_clear(&share);
    return made;
}

/* What the configuration says where the step does not. */
static void by_site(const struct ctl *t, struct step_ask *ask)
{
    const char *select = t->site->select_type_parameters;
    ask->most_per_node = t->site->max_tasks_per_node;
    ask->by_topo = !(select && strcasestr(select, "CR_NO_DIST_TOPO_BLOCK"));
    ask->dist.pack |= select && strcasestr(select, "CR_Pack_Nodes") && !ask->dist.no_pack;
}

/* Where srun says no number of tasks: one for each node, unless it says how many a socket, a core or a GPU has. */
static uint32_t own_tasks(const struct job *j)
{
    const struct req *r = &j->spec->req;
    uint32_t tasks = 0;
    for (uint32_t i = 0; i < j->alloc.n && (r->ntasks_per_socket || r->ntasks_per_core || j->step->ntasks_per_gpu); i++)
        tasks += j->alloc.at[i].tasks;
    return MAX(tasks, j->alloc.n);
}

/* srun's own allocation was made for this step: it gets all the nodes, their memory and their devices. */
int step_own_ask(struct ctl *t, struct job *j, struct step_ask *ask, struct err *err)
{
    int rc = step_ask_init(ask, j->step, err);
    if (rc)
        return rc;
    by_site(t, ask);
    if (ask->dist.dist != LAYOUT_ARBITRARY)
        ask->min_nodes = ask->max_nodes = j->alloc.n;
    ask->mem_per_node_mb = ask->mem_per_cpu_mb = ask->mem_per_gpu_mb = 0;
    ask->any_gres = false;
    ask->first = 0;
    req_clear(&ask->req);
    step_ask_whole(ask, j);
    ask->exact = ask->exact || (j->spec->req.exclusive && ask->tasks);
    if (!ask->tasks && !ask->per_node)
        ask->tasks = own_tasks(j);
    return 0;
}

static const Pb__Step *begin_own(struct ctl *t, struct job *j, struct err *err)
{
    struct step_ask ask;
    if (step_own_ask(t, j, &ask, err))
        return NULL;
    const Pb__Step *s = step_begin(t, j, j->step, &ask, err);
    step_ask_clear(&ask);
    return s;
}

void step_first(struct ctl *t, struct job *j)
{
    struct err err = ERR_INIT;
    if (!begin_own(t, j, &err))
        end_job(t, j,
                &(struct end){ .state = JOB_FAILED,
                               .reason = WHY_LAUNCH_FAILED,
                               .text = err.text,
                               .exit_code = 1 << 8,
                               .done_node = UINT32_MAX },
                &err);
}

/* ---- asking ---- */

void step_answer(struct ctl *t, uint64_t session, uint64_t number, struct job *j, const Pb__Step *s)
{
    Pb__StepReply reply = PB__STEP_REPLY__INIT;
    Pb__Step step = *s;
    Pb__StepSpec bare = *s->spec; /* srun has its environment and the endpoint of its streams */
    bare.env = (ProtobufCBinaryData){ 0, NULL };
    bare.io = NULL;
    step.spec = &bare;
    reply.job_id = j->id;
    reply.step = &step;
    reply.job = cluster_job_brief(t->c, j);
    ctl_say(t, session, MSG_STEP_REPLY, 0, number, &reply.base);
    pb__job__free_unpacked(reply.job, NULL);
}

/* The token of srun's socket is unique: a request that is repeated after a lost reply gets the step that was made. */
const Pb__Step *step_made_before(const struct job *j, const Pb__StepSpec *spec)
{
    if (!spec->io || !spec->io->token.len)
        return NULL;
    for (size_t i = 0; i < j->steps.n; i++) {
        const Pb__StepSpec *other = j->steps.at[i].pb->spec;
        if (other && other->io && other->io->token.len == spec->io->token.len &&
            !memcmp(other->io->token.data, spec->io->token.data, spec->io->token.len))
            return j->steps.at[i].pb;
    }
    return NULL;
}

int step_check(const struct ctl_call *call, const struct job *j, const Pb__StepRequest *r, struct err *err)
{
    int code = 0;
    if (!j || !r->spec || !r->spec->n_argv)
        code = ESLURM_INVALID_JOB_ID;
    else if (!access_may(call->t, call->peer, RIGHT_STEP, j))
        code = ESLURM_ACCESS_DENIED;
    else if (j->state == JOB_PENDING)
        code = ESLURM_JOB_PENDING;
    else if (job_ended(j) || (j->state & JOB_COMPLETING))
        code = ESLURM_ALREADY_DONE;
    else if (r->env.len > SPEC_ENV_MAX)
        code = E2BIG;
    else if (r->spec->env.len) /* the request has it */
        code = EINVAL;
    return code ? err_set(err, code, "%s", err_text(code)) : spec_check(call->t, call->peer, &r->spec->base, err);
}

int step_read_ask(struct ctl *t, const Pb__StepSpec *spec, struct step_ask *ask, struct err *err)
{
    int rc = step_ask_init(ask, spec, err);
    if (!rc)
        by_site(t, ask);
    return rc;
}

static void ask_step(const struct ctl_call *call, struct job *j, const Pb__StepSpec *spec, struct err *err)
{
    struct step_ask ask;
    if (step_read_ask(call->t, spec, &ask, err))
        return;
    step_ask_whole(&ask, j);
    bool ready = j->state == JOB_RUNNING; /* not suspended, its nodes prepared */
    const Pb__Step *s = ready ? step_begin(call->t, j, spec, &ask, err) : NULL;
    if (s) {
        step_answer(call->t, call->session, call->number, j, s);
    } else if (!ready || err->code == ESLURM_NODES_BUSY) {
        *err = (struct err)ERR_INIT;
        step_wait_add(call, j, spec, &ask);
        return;
    }
    step_ask_clear(&ask);
}

/* Over several components of a heterogeneous job; what does not fit now waits as a whole. */
static void ask_het(const struct ctl_call *call, const Pb__StepRequest *r, struct err *err)
{
    if (het_step_try(call->t, call->session, call->number, r, call->peer, err) || err->code != ESLURM_NODES_BUSY)
        return;
    *err = (struct err)ERR_INIT;
    step_wait_het(call, r);
}

void ctl_step(const struct ctl_call *call)
{
    const Pb__StepRequest *r = (Pb__StepRequest *)call->m;
    struct job *j = cluster_job(call->t->c, r->job_id);
    struct err err = ERR_INIT;
    const Pb__Step *before = NULL;
    if (r->n_het) {
        ask_het(call, r, &err);
        if (err.code)
            ctl_fail_err(call, &err);
        return;
    }
    if (!step_check(call, j, r, &err)) {
        r->spec->env = r->env; /* borrowed for as long as this takes */
        if ((before = step_made_before(j, r->spec)))
            step_answer(call->t, call->session, call->number, j, before);
        else
            ask_step(call, j, r->spec, &err);
        r->spec->env = (ProtobufCBinaryData){ 0, NULL };
    }
    if (err.code)
        ctl_fail_err(call, &err);
}

/* ---- ending ---- */

void step_timer(struct ctl *t, const struct timer_entry *e)
{
    struct job *j = cluster_job(t->c, e->id);
    uint32_t id = e->attempt;
    const Pb__Step *s = j && j->state == JOB_RUNNING ? step_find(j, id) : NULL;
    uint32_t limit = s && s->spec ? s->spec->time_limit_min : 0;
    if (!limit || limit == TIME_INFINITE || s->start_s + (int64_t)limit * 60 > NOW_S(t))
        return; /* a step of that number, but another one */
    log_info("step reached its time limit job=%u step=%u", j->id, id);
    act_end_step(t, j, s, SIGTERM, "DUE TO TIME LIMIT");
}
