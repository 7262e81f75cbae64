/* fence - lost nodes and their jobs; see fence.h. */
#include "ctl/fence.h"

#include "ctl/agent.h"
#include "ctl/end.h"
#include "ctl/hook.h"

#define PROGRAM_AGAIN_MS 60000 /* a fence program that failed is tried again */
#define LEASE_LEAST_S 8        /* several heartbeats */
#define LEASE_MARGIN_S 10

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

uint32_t fence_lease_s(const struct ctl *t)
{
    if (!str_eq(t->site->fencing, "lease"))
        return 0;
    return t->site->lease_s ? MAX(t->site->lease_s, LEASE_LEAST_S) : MAX(t->site->node_timeout_s, LEASE_LEAST_S);
}

/* When the jobs of a lost node have ended by themselves.  It was lost after its last heartbeat that was answered; a
 * controller that no longer led may have answered one more, within seconds.  The cluster's time may pass faster than
 * the node's, by a tenth. */
static int64_t lease_end_ms(const struct ctl *t, const struct node *n)
{
    int64_t wait_s = fence_lease_s(t) + t->site->kill_wait_s + LEASE_MARGIN_S;
    return agent_lost_ms(t, n->index) + (wait_s + wait_s / 8) * 1000;
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

static bool lease_is_over(const struct ctl *t, const struct node *n)
{
    return fence_lease_s(t) && t->now_ms >= lease_end_ms(t, n);
}

/* A node that is down, is not connected, and may still run jobs: what helps is begun. */
static void fence_wait(struct ctl *t, const struct node *n)
{
    if (!waits(t, n))
        return;
    if (fence_lease_s(t))
        timer_add(&t->timers, lease_end_ms(t, n), TIMER_FENCE, n->index, 0);
    run_program(t, n);
}

void fence_lost(struct ctl *t, struct node *n, const char *why)
{
    bool certain = fence_lease_s(t) ? lease_is_over(t, n) : !confirms(t);
    end_lost_node(t, n, why, certain && !agent_session(t, n->index));
    fence_wait(t, n);
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
    if (n && waits(t, n) && lease_is_over(t, n))
        fence_confirm(t, n, "its lease", NULL);
    else if (n)
        fence_wait(t, n);
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
        fence_wait(t, &t->c->node[i]);
}

bool fence_explain(const struct ctl *t, const struct job *j, struct why_text *out)
{
    for (uint32_t i = 0; (j->state & JOB_COMPLETING) && i < j->alloc.n; i++) {
        const struct node *n = &t->c->node[j->alloc.at[i].node];
        if (j->alloc.at[i].done || !waits(t, n))
            continue;
        out->sentence = mem_printf("node %s is lost, and it is not certain that the job does not run there any more",
                                   n->name);
        if (fence_lease_s(t))
            vec_push(&out->hints, mem_printf("in %lld s its lease is over and it has ended",
                                             (long long)MAX(lease_end_ms(t, n) - t->now_ms, 0) / 1000));
        vec_push(&out->hints, mem_printf("once %s is off: scontrol update nodename=%s state=fenced", n->name, n->name));
        return true;
    }
    return false;
}
