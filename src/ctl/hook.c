/* hook - the scripts around a job; see hook.h. */
#include "ctl/hook.h"

#include "ctl/end.h"
#include "ctl/plan.h"

#define RETRY_S 5 /* a script that fails at once must not keep the controller busy */

struct hook {
    VEC(struct ctl_script) scripts; /* to run when the turn is committed */
};

void hook_open(struct ctl *t)
{
    t->hook = NEW(struct hook);
}

void hook_close(struct ctl *t)
{
    for (size_t i = 0; i < t->hook->scripts.n; i++) {
        buf_clear(&t->hook->scripts.at[i].env);
        free(t->hook->scripts.at[i].resv);
        free(t->hook->scripts.at[i].fence);
    }
    vec_clear(&t->hook->scripts);
    free(take(t->hook));
}

/* The texts are the job's own but for `nodes`. */
static void fill_brief(const struct ctl *t, const struct job *j, const Pb__JobSpec *spec, char *nodes, Pb__HookJob *b)
{
    *b = (Pb__HookJob)PB__HOOK_JOB__INIT;
    b->uid = j->uid, b->gid = j->gid;
    b->user_name = j->user_name;
    b->partition = j->partition;
    b->nodes = nodes;
    b->num_nodes = j->alloc.n;
    b->cluster = t->c->name;
    b->array_job = j->array_job;
    b->has_task = j->array_task != TASK_NONE;
    b->array_task = b->has_task ? j->array_task : 0;
    b->restarts = j->restarts;
    b->exit_code = j->exit_code, b->derived_code = j->derived_code;
    b->start_s = j->start_s;
    b->end_s = j->end_s ? j->end_s : job_limit_s(j);
    hook_job_from_spec(b, spec);
}

void hook_with_brief(const struct ctl *t, const struct job *j, hook_brief_fn *fn, void *arg)
{
    Pb__JobSpec *spec = spec_decode(j->spec);
    auto_free char *nodes = alloc_nodes(t->c, &j->alloc);
    Pb__HookJob b;
    fill_brief(t, j, spec, nodes, &b);
    fn(arg, &b);
    pb__job_spec__free_unpacked(spec, NULL);
}

/* ---- the controller's own ---- */

static void add_env(void *arg, const Pb__HookJob *b)
{
    struct ctl_script *s = arg;
    struct hook_env_words words = { s->epilog ? "epilog_slurmctld" : "prolog_slurmctld", NULL, NULL, s->job_id };
    hook_env_make(&s->env, &words, b);
}

static void hook_run(struct ctl *t, const struct job *j, bool epilog)
{
    struct ctl_script s = { .job_id = j->id, .attempt = j->attempt, .epilog = epilog };
    hook_with_brief(t, j, add_env, &s);
    vec_push(&t->hook->scripts, s);
}

static void add_common_env(const struct ctl *t, struct buf *env)
{
    static const char path[] = "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
    buf_add(env, path, sizeof(path));
    buf_addf(env, "SLURM_CLUSTER_NAME=%s", t->c->name);
    buf_addc(env, '\0');
}

void hook_resv(struct ctl *t, const char *name, bool over)
{
    const char *setting = site_value(t->site, over ? "ResvEpilog" : "ResvProlog");
    if (str_empty(setting))
        return;
    struct ctl_script s = { .epilog = over, .resv = mem_str(name) };
    add_common_env(t, &s.env);
    vec_push(&t->hook->scripts, s);
}

void hook_fence(struct ctl *t, const char *node)
{
    struct ctl_script s = { .fence = mem_str(node) };
    add_common_env(t, &s.env);
    vec_push(&t->hook->scripts, s);
}

bool hook_before_start(const struct ctl *t)
{
    return !str_empty(t->site->prolog_slurmctld);
}

/* Every flag but Serial implies Alloc. */
bool hook_at_once(const struct ctl *t)
{
    return !str_empty(t->site->prolog) && !str_empty(t->site->prolog_flags) &&
           !str_ieq(t->site->prolog_flags, "Serial");
}

void hook_changed(struct ctl *t, const struct change *ch)
{
    bool ended = ch->event->body_case == PB__EVENT__BODY_END && ch->job->alloc.n;
    if (ch->kind == CHANGE_JOB_BEGAN && (ch->job->state & JOB_CONFIGURING))
        hook_run(t, ch->job, false);
    else if (ended && !str_empty(t->site->epilog_slurmctld))
        hook_run(t, ch->job, true);
}

void hook_lead(struct ctl *t)
{
    for (struct job *j = t->c->active.head; j; j = j->next)
        if (j->state & JOB_CONFIGURING)
            hook_run(t, j, false);
}

size_t ctl_scripts(struct ctl *t, struct ctl_script **out)
{
    size_t n = t->hook->scripts.n;
    *out = t->hook->scripts.at;
    t->hook->scripts.n = 0;
    return n;
}

static void hook_ready(struct ctl *t, struct job *j)
{
    EVENT(ev);
    Pb__EvReady e = PB__EV_READY__INIT;
    e.job_id = j->id;
    e.attempt = j->attempt;
    BODY(ev, READY, ready, &e);
    if (!ctl_emit(t, &ev, NULL))
        plan_begun(t, j);
}

void ctl_script_done(struct ctl *t, uint32_t job_id, uint32_t attempt, bool epilog, int status)
{
    struct job *j = cluster_job(t->c, job_id);
    struct err err = ERR_INIT;
    if (status)
        log_error("%s failed job=%u status=%d", epilog ? "EpilogSlurmctld" : "PrologSlurmctld", job_id, status);
    if (epilog || !t->leading || !j || j->attempt != attempt || !(j->state & JOB_CONFIGURING))
        return;
    if (!status)
        hook_ready(t, j);
    else if (j->spec->kind == PB__JOB_KIND__KIND_BATCH)
        end_requeue_later(t, j, HOLD_NONE, WHY_NONE, NULL, UINT32_MAX, RETRY_S, &err);
    else
        end_job(t, j,
                &(struct end){ .state = JOB_CANCELLED,
                               .reason = WHY_LAUNCH_FAILED,
                               .text = "PrologSlurmctld failed",
                               .done_node = UINT32_MAX },
                &err);
}

/* ---- a node's failed ---- */

static void hook_drain(struct ctl *t, const struct node *n, const char *reason)
{
    EVENT(ev);
    Pb__EvNodeState s = PB__EV_NODE_STATE__INIT;
    if (n->state & NODE_DRAIN)
        return;
    s.node = n->index;
    s.state = n->state | NODE_DRAIN;
    s.has_reason = true;
    s.reason = (char *)reason;
    BODY(ev, NODE_STATE, node_state, &s);
    log_error("node is drained node=%s why=\"%s\"", n->name, reason);
    ctl_emit(t, &ev, NULL);
}

void hook_epilog_failed(struct ctl *t, uint32_t node)
{
    hook_drain(t, &t->c->node[node], "Epilog error");
}

/* The node is drained, the job goes back to wait (held, so that it does not eat one node after the other), or ends. */
void hook_prolog_failed(struct ctl *t, struct job *j, uint32_t pos, bool clean)
{
    struct err err = ERR_INIT;
    bool batch = j->spec->kind == PB__JOB_KIND__KIND_BATCH;
    bool again = batch && (j->requeue || str_in_list(t->site->prolog_flags, "ForceRequeueOnFail"));
    bool hold = !site_param(t->site->scheduler_parameters, "nohold_on_prolog_fail");
    uint32_t done = clean ? pos : UINT32_MAX;
    hook_drain(t, &t->c->node[j->alloc.at[pos].node], "Prolog error");
    if (again)
        end_requeue(t, j, hold ? HOLD_ADMIN : HOLD_NONE, hold ? WHY_LAUNCH_FAILED_HELD : WHY_NONE, NULL, done,
                    &err);
    else
        end_job(t, j,
                &(struct end){ .state = JOB_FAILED,
                               .reason = WHY_LAUNCH_FAILED,
                               .text = "Prolog error",
                               .exit_code = 1 << 8,
                               .done_node = done },
                &err);
}
