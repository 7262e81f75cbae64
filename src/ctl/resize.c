/* resize - jobs that change their size while they run; see resize.h. */
#include "ctl/resize.h"

#include <signal.h>

#include "ctl/end.h"
#include "ctl/fanout.h"
#include "ctl/reconcile.h"
#include "ctl/usage_charge.h"
#include "text/depend.h"
#include "text/hostlist.h"

static int resize_refuse(struct err *err, int code)
{
    return err_set(err, code, "%s", err_text(code));
}

/* Nothing of the job stays on a node that it leaves; the node may run others at once, as in Slurm. */
static void clear_nodes(struct ctl *t, const struct job *j, const uint32_t *drop, size_t n)
{
    Pb__KillOrder k = PB__KILL_ORDER__INIT;
    k.terminate = true;
    k.signal = SIGKILL;
    fanout_kill(t, j, drop, n, &k);
}

static int resize_emit(struct ctl *t, uint32_t id, uint32_t *drop, size_t n, uint32_t into, struct err *err)
{
    EVENT(ev);
    Pb__EvResize e = PB__EV_RESIZE__INIT;
    e.job_id = id;
    e.drop = drop;
    e.n_drop = n;
    e.into = into;
    usage_charge_before(t, cluster_job(t->c, id));
    BODY(ev, RESIZE, resize, &e);
    return ctl_emit(t, &ev, err);
}

/* The script's node stays, and so does a fixed order of nodes. */
static int resize_shrink(struct ctl *t, struct job *j, uint32_t *drop, size_t n, struct err *err)
{
    if (site_param(t->site->scheduler_parameters, "disable_job_shrink"))
        return resize_refuse(err, ESLURM_NOT_SUPPORTED);
    for (size_t i = 0; i < n; i++)
        if (drop[i] == j->batch_pos && j->spec->kind == PB__JOB_KIND__KIND_BATCH)
            return resize_refuse(err, ESLURM_INVALID_NODE_NAME);
    if (!n)
        return 0;
    /* The order leaves with this turn's entry: the nodes are still known by their places. */
    reconcile_job(t, j);
    clear_nodes(t, j, drop, n);
    return resize_emit(t, j->id, drop, n, 0, err);
}

/* ---- giving everything away ---- */

static uint32_t resize_expands(const struct job *j)
{
    for (uint32_t i = 0; i < j->depend.n; i++)
        if (j->depend.at[i].type == PB__DEPEND_TYPE__DEPEND_EXPAND)
            return j->depend.at[i].job;
    return 0;
}

int resize_may_expand(const struct ctl *t, const struct job *into, uint32_t uid, struct err *err)
{
    if (!site_param(t->site->scheduler_parameters, "permit_job_expansion"))
        return resize_refuse(err, ESLURM_NOT_SUPPORTED);
    if (!into || into->uid != uid || into->state != JOB_RUNNING)
        return resize_refuse(err, ESLURM_DEPENDENCY);
    return 0;
}

static int hand_over(struct ctl *t, struct job *j, struct err *err)
{
    uint32_t into = resize_expands(j);
    if (!into)
        return resize_refuse(err, ESLURM_INVALID_NODE_COUNT);
    if (j->spec->kind == PB__JOB_KIND__KIND_BATCH || j->steps.n) /* processes do not change their job */
        return resize_refuse(err, ESLURMD_STEP_EXISTS);
    int rc = resize_may_expand(t, cluster_job(t->c, into), j->uid, err);
    return rc ? rc : resize_emit(t, j->id, NULL, 0, into, err);
}

/* ---- asked for ---- */

int resize_count(struct ctl *t, struct job *j, const char *count, struct err *err)
{
    uint64_t n;
    if (j->state != JOB_RUNNING)
        return resize_refuse(err, ESLURM_JOB_NOT_RUNNING);
    if (str_ieq(count, "ALL"))
        return 0;
    if (!str_u64(count, 0, UINT32_MAX - 1, &n))
        return err_set(err, EINVAL, "\"%s\" is not a valid node count", count);
    if (!n)
        return hand_over(t, j, err);
    if (n > j->alloc.n)
        return resize_refuse(err, ESLURM_NOT_SUPPORTED);
    auto_free uint32_t *drop = mem_array(j->alloc.n, sizeof(*drop));
    uint32_t batch = j->spec->kind == PB__JOB_KIND__KIND_BATCH ? j->batch_pos : 0, kept = 1, gone = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (i != batch && kept < n)
            kept++;
        else if (i != batch)
            drop[gone++] = i;
    return resize_shrink(t, j, drop, gone, err);
}

int resize_nodes(struct ctl *t, struct job *j, const char *nodes, struct err *err)
{
    auto_strs struct strs names = STRS_INIT;
    auto_bitmap struct bitmap keep = BITMAP_INIT;
    if (j->state != JOB_RUNNING)
        return resize_refuse(err, ESLURM_JOB_NOT_PENDING);
    if (hostlist_expand(nodes, &names, NULL) || !names.n)
        return resize_refuse(err, ESLURM_INVALID_NODE_NAME);
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(t->c, names.at[i]);
        uint32_t pos = n ? alloc_pos(j, n->index) : UINT32_MAX;
        if (pos == UINT32_MAX)
            return resize_refuse(err, ESLURM_INVALID_NODE_NAME);
        bitmap_set(&keep, pos);
    }
    auto_free uint32_t *drop = mem_array(j->alloc.n, sizeof(*drop));
    size_t gone = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!bitmap_has(&keep, i))
            drop[gone++] = i;
    return resize_shrink(t, j, drop, gone, err);
}
