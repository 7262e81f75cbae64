/*
 * feasible - can one job ever run on the cluster as it is configured?
 */
#include "base/errnum.h"
#include "base/str.h"
#include "sched/feature.h"
#include "sched/fit.h"
#include "sched/gres_bind.h"
#include "sched/need.h"
#include "sched/oversub.h"
#include "sched/profile.h"
#include "sched/resv_claim.h"
#include "text/hostlist.h"

#define FIRST_NODES 64 /* most jobs fit on the first nodes */

static int names_known(const struct cluster *c, const char *text, struct bitmap *out, struct err *err)
{
    auto_strs struct strs names = STRS_INIT;
    if (hostlist_expand(text, &names, err))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "cannot read the node list %s", text);
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(c, names.at[i]);
        if (!n)
            return err_set(err, ESLURM_INVALID_NODE_NAME, "there is no node %s", names.at[i]);
        bitmap_set(out, n->index);
    }
    return 0;
}

static int nodes_known(const struct cluster *c, const struct req *r, struct err *err)
{
    auto_bitmap struct bitmap in = BITMAP_INIT;
    auto_bitmap struct bitmap out = BITMAP_INIT;
    int rc = r->nodelist ? names_known(c, r->nodelist, &in, err) : 0;
    if (!rc && r->exclude)
        rc = names_known(c, r->exclude, &out, err);
    if (rc)
        return rc;
    bitmap_and(&in, &out);
    if (!bitmap_none(&in))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "node %s is both required and excluded",
                       c->node[bitmap_next(&in, 0)].name);
    return 0;
}

static bool gres_known(const struct cluster *c, const char *name)
{
    for (size_t i = 0; i < c->nnodes; i++)
        for (uint32_t g = 0; g < c->node[i].ngres; g++)
            if (str_eq(c->node[i].gres[g].name, name))
                return true;
    return false;
}

static int gres_possible(const struct cluster *c, const struct req *r, struct err *err)
{
    uint32_t per_job = 0;
    for (uint32_t i = 0; i < r->ngres; i++) {
        if (!gres_known(c, r->gres[i].name))
            return err_set(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE, "%s",
                           err_text(ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE));
        per_job += r->gres[i].scope == REQ_PER_JOB;
    }
    if (per_job > 1)
        return err_set(err, ESLURM_INVALID_GRES, "several types in one --gpus are not supported: use --gpus-per-node");
    return 0;
}

/* What no node of the partition has; the sentences are those of Slurm's commands. */
static const char *infeasible_text(const struct cluster *c, const struct need *n)
{
    const struct req *r = n->req;
    bool cpu = false, mem = false, layout = false, tmp = false;
    uint64_t cpus = MAX((uint64_t)MAX(r->ntasks_per_node, 1u) * r->cpus_per_task, r->mincpus);
    bitmap_each (&n->allowed, i) {
        const struct node *node = &c->node[i];
        cpu |= node->cpus >= cpus || r->overcommit;
        mem |= node->mem_mb >= MAX(n->mem_node_mb, n->mem_node_mb ? 0 : n->mem_cpu_mb);
        layout |= node->sockets * node->boards >= r->sockets_per_node && node->cores >= r->cores_per_socket &&
                  MAX(node->threads, 1u) >= r->threads_per_core;
        tmp |= node->tmp_mb >= r->tmp_mb;
    }
    if (bitmap_none(&n->allowed))
        return NULL;
    return !cpu      ? "CPU count per node can not be satisfied"
           : !mem    ? "Memory specification can not be satisfied"
           : !layout ? "Socket, core and/or thread specification can not be satisfied"
           : !tmp    ? "Temporary disk specification can not be satisfied"
                     : NULL;
}

/* What the node could hold of the job if it were empty. */
static bool node_fit_empty(const struct sched *s, const struct cluster *c, const struct need *n, uint32_t node,
                           struct node_fit *nf)
{
    const struct sched_view v = view_now(s);
    struct avail av;
    av = *avail_empty(s, n, node, &av);
    if (n->resv)
        resv_cap(n, &c->node[node], &s->profile[node], &av);
    return fit_node(s, c, n, node, &av, nf) &&
           (!n->gres_bind || gres_bind_fit(&v, c, n, node, &(struct gres_bind_when){ .empty = true }, &av, nf));
}

/* A job that fits on the first nodes fits: only larger jobs look at the whole cluster. */
static bool fits_empty(const struct sched *s, const struct cluster *c, const struct need *n)
{
    VEC(struct node_fit) holds = { 0 };
    struct node_fit nf;
    struct pick p = { 0 };
    bool found = false;
    for (size_t i = bitmap_next(&n->allowed, 0); i < s->nprofiles && !found; i = bitmap_next(&n->allowed, i + 1)) {
        if (!node_fit_empty(s, c, n, (uint32_t)i, &nf))
            continue;
        vec_push(&holds, nf);
        found = holds.n == FIRST_NODES && pick_nodes(s, c, n, 0, holds.at, holds.n, &p);
    }
    found = found || pick_nodes(s, c, n, 0, holds.at, holds.n, &p);
    vec_clear(&holds);
    vec_clear(&p.at);
    return found;
}

/* --prefer must be possible as well: like Slurm, a preference that no node can meet is taken for a mistake. */
static bool prefer_fits(const struct sched *s, const struct cluster *c, const struct need *n)
{
    struct need m;
    feature_prefer_need(c, n, &m);
    bool fits = fits_empty(s, c, &m);
    bitmap_clear(&m.allowed);
    return fits;
}

static int feasible_with(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                         const struct req *r, struct err *err)
{
    struct need n;
    need_init(&n, s, c, r, j, p);
    n.switch_until_s = 0; /* after --switches has timed out */
    int rc = 0;
    bitmap_each (&n.required, i)
        if (!bitmap_has(&p->nodes, i))
            rc = err_set(err, ESLURM_REQUESTED_NODES_NOT_IN_PARTITION, "node %s is not in partition %s",
                         c->node[i].name, p->pb->name);
    bool waits = need_unschedulable(s, c, &n) == WHY_PART_CONFIG || n.min_nodes > bitmap_count(&p->nodes);
    bool insists = n.prefer && !s->conf.any_prefer;
    if (!rc && !waits && (!fits_empty(s, c, &n) || (insists && !prefer_fits(s, c, &n)))) {
        const char *said = infeasible_text(c, &n);
        rc = ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
        err_set(err, rc, "%s", said ? said : err_text(rc));
    }
    need_clear(&n);
    return rc;
}

/* In one of the reservations that the job names, if it names any. */
static int feasible_in_part(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
                            struct err *err)
{
    if (!j->spec->req.reservation)
        return feasible_with(s, c, j, p, &j->spec->req, err);
    struct resv_choice in[RESV_CHOICES];
    size_t n = resv_choices(s, c, j, p, in);
    int rc = err_set(err, ESLURM_RESERVATION_INVALID, "there is no reservation %s", j->spec->req.reservation);
    for (size_t i = 0; rc && i < n; i++) {
        struct req one = resv_req(j, in[i].resv);
        rc = feasible_with(s, c, j, p, &one, err);
    }
    return rc;
}

/* With ignore_constraint_validation, nodes with the features may come later: it is sufficient that the job could run
 * without them. */
static int feasible_without_features(const struct sched *s, const struct cluster *c, const struct job *j,
                                     const struct part *p, struct err *err)
{
    int rc = feasible_in_part(s, c, j, p, err);
    if (!rc || !s->conf.any_feature || !j->spec->req.constraint)
        return rc;
    struct req plain = j->spec->req;
    plain.constraint = NULL;
    return feasible_with(s, c, j, p, &plain, err);
}

static int job_feasible(const struct sched *s, const struct cluster *c, const struct job *j, struct err *err)
{
    int rc = ESLURM_INVALID_PARTITION_NAME;
    const char *pos = j->partition;
    err_set(err, rc, "there is no partition %s", str_or(j->partition, "by default"));
    for (char *name; rc && (name = str_next(&pos, ",")); free(name)) {
        const struct part *p = cluster_part(c, name);
        if (p)
            rc = feasible_without_features(s, c, j, p, err);
    }
    return rc;
}

int sched_feasible(const struct sched *s, const struct cluster *c, const struct job *job, struct err *err)
{
    const struct req *r = &job->spec->req;
    int rc = nodes_known(c, r, err);
    if (!rc && r->constraint)
        rc = feature_check(s->conf.any_feature ? NULL : c, r->constraint, err);
    if (!rc && r->prefer && feature_check(s->conf.any_prefer ? NULL : c, r->prefer, err))
        rc = err_set(err, ESLURM_INVALID_PREFER, "%s", err_text(ESLURM_INVALID_PREFER));
    if (!rc)
        rc = license_check(c, &r->licenses, s->conf.more_licenses, err);
    if (!rc)
        rc = gres_possible(c, r, err);
    if (rc)
        return rc;
    if (s->cluster == c && s->nprofiles == c->nnodes && !s->resync)
        return job_feasible(s, c, job, err);
    struct sched fresh = { .conf = s->conf }; /* nodes changed since the last cycle: read them as they are */
    oversub_sync(&fresh, c);
    profiles_sync(&fresh, c);
    rc = job_feasible(&fresh, c, job, err);
    profiles_clear(&fresh);
    oversub_clear(&fresh);
    return rc;
}
