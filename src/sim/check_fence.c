/* check_fence - the guarantees about time and about lost nodes; see sim.h. */
#include "sim/world.h"

#define EARLY_MS 25000  /* the start was committed so much later than it was decided */
#define TIMEOUT_MS 60000 /* SlurmdTimeout, as configured in replay.c */
#define SLACK_MS 40000  /* a message that was delayed, an entry that was committed late */
#define LATE_MS 240000  /* there was no leader, or its disk was slow */

/* The cluster's time is slewed by a tenth at most; a new leader may be ahead of the last one by as much. */
void check_timeout(struct sim *s, uint32_t job)
{
    const struct track *t = check_track(s, job);
    const struct job *j = s->leader == NO_LEADER ? NULL : cluster_job(ctl_cluster(s->ctl[s->leader].t), job);
    /* A component ends with its set, a job in a reservation with that. */
    if (!j || j->het_job || s->conf.rules || t->updated || j->suspended_total_s || !t->started_ms)
        return;
    int64_t limit_ms = (int64_t)j->time_limit_min * 60000, ran_ms = s->now_ms - t->started_ms;
    if (ran_ms < limit_ms * 8 / 10 - EARLY_MS || ran_ms > limit_ms * 12 / 10 + LATE_MS)
        sim_break(s, "job %u with a limit of %lld s is ended by it after %lld s", job, (long long)limit_ms / 1000,
                  (long long)ran_ms / 1000);
}

/* Does another attempt of the job still run somewhere? */
void check_twice(struct sim *s, uint32_t target, uint32_t job, uint32_t attempt)
{
    for (uint32_t i = 0; i < s->conf.nodes; i++)
        for (size_t k = 0; s->node[i].up && k < s->node[i].runs.n; k++) {
            const struct prun *r = &s->node[i].runs.at[k];
            if (r->job != job || r->attempt == attempt || r->ended)
                continue;
            s->stats.twice++;
            if (s->conf.confirm || s->conf.lease)
                sim_break(s, "attempt %u of job %u begins on %s, and attempt %u runs on %s", attempt, job,
                          s->node[target].name, r->attempt, s->node[i].name);
        }
}

/* A node that is well is never given up, however long a controller was silent. */
void check_node_down(struct sim *s, const Pb__EvNodeState *e)
{
    bool down = (e->state & NODE_STATE_BASE) == NODE_DOWN && e->has_reason && str_eq(e->reason, "Not responding");
    const struct pnode *n = &s->node[e->node];
    int64_t well_ms = s->now_ms - n->fault_ms;
    if (down && well_ms > TIMEOUT_MS + SLACK_MS)
        sim_break(s, "%s is given up and has been well for %lld s", n->name, (long long)well_ms / 1000);
}
