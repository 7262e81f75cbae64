/* fence - lost nodes and their jobs; see fence.h. */
#include "ctl/fence.h"

#include "ctl/agent.h"
#include "ctl/end.h"
#include "ctl/hook.h"

#define PROGRAM_AGAIN_MS 60000 /* a fence program that failed is tried again */

struct fence {
    struct map running; /* node index + 1 -> its fence program runs */
};

void fence_open(struct ctl *t)
{
    t->fence = NEW(struct fence);
}

void fence_close(struct ctl *t)
{
    map_clear(&t->fence->running);
    free(take(t->fence));
}

static bool confirms(const struct ctl *t)
{
    return str_eq(t->site->fencing, "confirm");
}

/* Does a job still hold this node? */
static bool has_jobs(const struct ctl *t, const struct node *n)
{
    for (size_t i = 0; i < n->held.n; i++) {
        const struct job *j = cluster_job(t->c, n->held.at[i]);
        uint32_t pos = j ? alloc_pos(j, n->index) : UINT32_MAX;
        if (pos != UINT32_MAX && !j->alloc.at[pos].done)
            return true;
    }
    return false;
}

static bool waits(const struct ctl *t, const struct node *n)
{
    return node_base(n) == NODE_DOWN && !agent_session(t, n->index) && has_jobs(t, n);
}

static void run_program(struct ctl *t, const struct node *n)
{
    if (!confirms(t) || str_empty(t->site->fence_program) || map_get(&t->fence->running, n->index + 1))
        return;
    log_info("fence program started node=%s", n->name);
    map_put(&t->fence->running, n->index + 1, t);
    hook_fence(t, n->name);
}

void fence_lost(struct ctl *t, struct node *n, const char *why)
{
    bool here = agent_session(t, n->index) != 0, gone = !here && !confirms(t);
    end_lost_node(t, n, why, gone);
    if (waits(t, n))
        run_program(t, n);
}

int fence_confirm(struct ctl *t, struct node *n, const char *by, struct err *err)
{
    if (agent_session(t, n->index))
        return err_set(err, ESLURM_INVALID_NODE_STATE, "node %s is connected: its agent ends the jobs", n->name);
    log_info("node is fenced node=%s by=\"%s\"", n->name, by);
    end_lost_node(t, n, "fenced", true);
    return 0;
}

void fence_timer(struct ctl *t, const struct timer_entry *e)
{
    struct node *n = e->id < t->c->nnodes ? &t->c->node[e->id] : NULL;
    if (n && waits(t, n))
        run_program(t, n);
}

void ctl_fence_done(struct ctl *t, const char *node, int status)
{
    struct node *n = cluster_node(t->c, node);
    if (!n || !t->leading)
        return;
    map_del(&t->fence->running, n->index + 1);
    if (status)
        log_error("fence program failed node=%s status=%d", node, status);
    if (!waits(t, n))
        return;
    if (!status)
        fence_confirm(t, n, "the fence program", NULL);
    else
        timer_add(&t->timers, t->now_ms + PROGRAM_AGAIN_MS, TIMER_FENCE, n->index, 0);
}

/* An earlier leader's programs are not known: they run again. */
void fence_lead(struct ctl *t)
{
    for (size_t i = 0; i < t->c->nnodes; i++)
        if (waits(t, &t->c->node[i]))
            run_program(t, &t->c->node[i]);
}

bool fence_explain(const struct ctl *t, const struct job *j, struct why_text *out)
{
    for (uint32_t i = 0; (j->state & JOB_COMPLETING) && i < j->alloc.n; i++) {
        const struct node *n = &t->c->node[j->alloc.at[i].node];
        if (j->alloc.at[i].done || !waits(t, n))
            continue;
        out->sentence = mem_printf("node %s is lost, and it is not certain that the job does not run there any more",
                                   n->name);
        vec_push(&out->hints, mem_printf("once %s is off: scontrol update nodename=%s state=fenced", n->name, n->name));
        return true;
    }
    return false;
}
