/* step - steps of a running job: which nodes, how many tasks on each, launched at once. */
#include "ctl/ctl_priv.h"
#include "text/hostlist.h"

struct layout {
    uint32_t *node, *tasks; /* allocation positions, tasks on each */
    uint32_t n;
};

static bool wanted(const struct strs *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (str_eq(names->at[i], name))
            return true;
    return false;
}

/* The nodes of the allocation the step may use, in order. */
static int choose_nodes(const struct ctl *t, const struct job *j, const Pb__StepSpec *s, struct layout *l,
                        struct err *err)
{
    auto_strs struct strs in = { 0 }, out = { 0 };
    if (!str_empty(s->nodelist) && hostlist_expand(s->nodelist, &in, err))
        return err->code;
    if (!str_empty(s->exclude) && hostlist_expand(s->exclude, &out, err))
        return err->code;
    for (size_t i = 0; i < in.n; i++) {
        struct node *n = cluster_node(t->c, in.at[i]);
        if (!n || alloc_pos(j, n->index) == UINT32_MAX)
            return err_set(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "%s",
                           err_text(ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE));
    }
    l->node = mem_array(j->alloc.n, sizeof(*l->node));
    l->tasks = mem_array(j->alloc.n, sizeof(*l->tasks));
    for (uint32_t i = s->relative ? s->relative - 1 : 0; i < j->alloc.n; i++) {
        const char *name = t->c->node[j->alloc.at[i].node].name;
        if (!j->alloc.at[i].done && (!in.n || wanted(&in, name)) && !wanted(&out, name))
            l->node[l->n++] = i;
    }
    return l->n ? 0
                : err_set(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "%s",
                          err_text(ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE));
}

static uint32_t room_on(const struct job *j, uint32_t pos, const Pb__StepSpec *s)
{
    uint32_t cpus = MAX(s->cpus_per_task, 1u);
    return s->overcommit ? UINT32_MAX : MAX(j->alloc.at[pos].cpus / cpus, 1u);
}

/* How many tasks: as asked, else as the job has them, else one per node. */
static uint32_t task_count(const struct job *j, const Pb__StepSpec *s, const struct layout *l)
{
    if (s->ntasks)
        return s->ntasks;
    if (s->ntasks_per_node)
        return s->ntasks_per_node * l->n;
    if (s->nodes)
        return MAX(l->n, 1u);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < l->n; i++)
        sum += j->alloc.at[l->node[i]].tasks;
    return MAX(sum, l->n);
}

static int lay_out(const struct job *j, const Pb__StepSpec *s, struct layout *l, struct err *err)
{
    if (s->nodes && s->nodes > l->n)
        return err_set(err, ESLURM_NODES_BUSY, "%s", err_text(ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE));
    if (s->nodes)
        l->n = s->nodes;
    uint32_t total = task_count(j, s, l), left = total, cap = 0;
    if (!s->nodes && !s->ntasks_per_node)
        l->n = MIN(l->n, total);
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t room = room_on(j, l->node[i], s);
        cap = room > UINT32_MAX - cap ? UINT32_MAX : cap + room;
    }
    if (total > cap)
        return err_set(err, ESLURM_TOO_MANY_REQUESTED_CPUS, "%s", err_text(ESLURM_TOO_MANY_REQUESTED_CPUS));
    /* One on each, then block by block. */
    for (uint32_t i = 0; i < l->n && left; i++, left--)
        l->tasks[i] = 1;
    for (uint32_t i = 0; i < l->n && left; i++) {
        uint32_t room = s->ntasks_per_node ? s->ntasks_per_node
                        : s->overcommit    ? (total + l->n - 1) / l->n
                                           : room_on(j, l->node[i], s);
        uint32_t more = MIN(left, room > l->tasks[i] ? room - l->tasks[i] : 0);
        l->tasks[i] += more;
        left -= more;
    }
    for (uint32_t i = 0; left; i = (i + 1) % l->n, left--)
        l->tasks[i]++;
    return 0;
}

static char *names_of(const struct ctl *t, const struct job *j, const struct layout *l)
{
    auto_free char **names = mem_array(l->n, sizeof(*names));
    for (uint32_t i = 0; i < l->n; i++)
        names[i] = t->c->node[j->alloc.at[l->node[i]].node].name;
    return hostlist_compress(names, l->n);
}

static const Pb__Step *step_begin(struct ctl *t, struct job *j, const Pb__StepSpec *spec, struct err *err)
{
    struct layout l = { 0 };
    int rc = choose_nodes(t, j, spec, &l, err);
    if (!rc)
        rc = lay_out(j, spec, &l, err);
    const Pb__Step *made = NULL;
    if (!rc) {
        EVENT(ev);
        Pb__EvStepStart e = PB__EV_STEP_START__INIT;
        Pb__Step s = PB__STEP__INIT;
        auto_free char *nodes = names_of(t, j, &l);
        s.id = j->next_step;
        s.spec = (Pb__StepSpec *)spec;
        s.node = l.node, s.n_node = l.n;
        s.tasks = l.tasks, s.n_tasks = l.n;
        s.nodes = nodes;
        e.job_id = j->id;
        e.step = &s;
        BODY(ev, STEP_START, step_start, &e);
        if (!ctl_emit(t, &ev, err))
            made = j->steps.at[j->steps.n - 1].pb;
    }
    free(l.node);
    free(l.tasks);
    if (made)
        act_step(t, j, made);
    return made;
}

void step_first(struct ctl *t, struct job *j)
{
    struct err err = ERR_INIT;
    if (!step_begin(t, j, j->step, &err))
        end_job(t, j,
                &(struct end){ .state = JOB_FAILED,
                               .reason = WHY_LAUNCH_FAILED,
                               .text = err.text,
                               .exit_code = 1 << 8,
                               .done_node = UINT32_MAX },
                &err);
}

void ctl_step(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__StepRequest *r = (Pb__StepRequest *)call->m;
    struct job *j = cluster_job(t->c, r->job_id);
    struct err err = ERR_INIT;
    if (!j || !r->spec || !r->spec->n_argv)
        err_set(&err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    else if (!ctl_may_touch(t, call->peer, j))
        err_set(&err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    else if (j->state == JOB_PENDING)
        err_set(&err, ESLURM_JOB_PENDING, "%s", err_text(ESLURM_JOB_PENDING));
    else if (j->state != JOB_RUNNING)
        err_set(&err, ESLURM_ALREADY_DONE, "%s", err_text(ESLURM_ALREADY_DONE));
    if (!err.code)
        r->spec->env = r->env;
    const Pb__Step *s = err.code ? NULL : step_begin(t, j, r->spec, &err);
    if (r->spec)
        r->spec->env = (ProtobufCBinaryData){ 0, NULL };
    if (!s) {
        ctl_fail_err(call, &err);
        return;
    }
    Pb__StepReply reply = PB__STEP_REPLY__INIT;
    reply.job_id = j->id;
    reply.step = (Pb__Step *)s;
    reply.job = cluster_job_message(t->c, j);
    ctl_reply(call, MSG_STEP_REPLY, &reply.base);
    pb__job__free_unpacked(reply.job, NULL);
}
