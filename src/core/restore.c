/* restore - the state from the bytes of a snapshot. */
#include "base/str.h"
#include "core/level.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/runtime_history.h"
#include "core/pbutil.h"
#include "core/record.h"
#include "core/step.h"

static void restore_node(struct cluster *c, const Pb__Node *p)
{
    struct node *n = cluster_add_node(c, p->def);
    node_from_pb(n, p);
    c->biggest_cpus = MAX(c->biggest_cpus, n->cpus);
    c->biggest_mem_mb = MAX(c->biggest_mem_mb, n->mem_mb);
}

/* What it holds of the cluster follows from its fields. */
static void restore_use(struct cluster *c, struct job *j)
{
    if (!job_holds_nodes(j))
        return;
    use_take(c, j);
    if (!(j->state & JOB_COMPLETING))
        license_take(c, j);
    if (job_base(j) == JOB_SUSPENDED)
        use_suspend(c, j, true);
    if (job_lends(j))
        use_lend(c, j, true);
    for (uint32_t i = 0; j->state & JOB_COMPLETING && i < j->alloc.n; i++)
        if (!j->alloc.at[i].done)
            c->node[j->alloc.at[i].node].completing++;
}

static int restore_job(struct cluster *c, const Pb__Job *p, struct err *err)
{
    struct job *j = job_from_pb(c, p, err);
    if (!j)
        return err->code;
    cluster_add_job(c, j);
    restore_use(c, j);
    return 0;
}

static void restore_fields(struct cluster *c, const Pb__Snapshot *s)
{
#define X(type, name) c->name = s->name;
    CLUSTER_FIELDS(X)
#undef X
    c->level = MAX(c->level, LEVEL_FIRST); /* snapshots from before there were levels */
}

static int restore_all(struct cluster *c, const Pb__Snapshot *s, struct err *err)
{
    c->name = mem_str(s->cluster);
    restore_fields(c, s);
    cluster_reserve_nodes(c, s->n_nodes);
    for (size_t i = 0; i < s->n_nodes; i++) {
        if (!s->nodes[i]->def)
            return err_set(err, EBADMSG, "node %zu has no name", i);
        restore_node(c, s->nodes[i]);
    }
    for (size_t i = 0; i < c->nnodes; i++)
        if (node_base(&c->node[i]) != NODE_FUTURE)
            smap_put(&c->node_by_name, c->node[i].name, &c->node[i]);
    for (size_t i = 0; i < s->n_parts; i++)
        part_set(c, s->parts[i]);
    topo_take(c, s->topologies, s->n_topologies, s->topo_optional);
    license_config(c, s->licenses, s->n_licenses);
    for (size_t i = 0; i < s->n_resvs; i++)
        resv_set(c, s->resvs[i]);
    Pb__EvAssocUpdate update = PB__EV_ASSOC_UPDATE__INIT;
    update.qos = s->qos, update.n_qos = s->n_qos;
    update.assoc = s->assocs, update.n_assoc = s->n_assocs;
    update.user = s->acct_users, update.n_user = s->n_acct_users;
    update.txn = s->txns, update.n_txn = s->n_txns;
    bool any = s->n_qos || s->n_assocs || s->n_acct_users || s->n_txns;
    int rc = any ? apply_assoc_update(c, &update, err) : 0;
    if (rc)
        return rc;
    for (size_t i = 0; i < s->n_blobs; i++) {
        if (map_get(&c->blobs, s->blobs[i]->id))
            return err_set(err, EBADMSG, "blob %llu is there twice", (unsigned long long)s->blobs[i]->id);
        blob_add(c, s->blobs[i]->id, s->blobs[i]->data.data, s->blobs[i]->data.len);
    }
    for (size_t i = 0; i < s->n_jobs; i++) {
        rc = restore_job(c, s->jobs[i], err);
        if (rc)
            return rc;
    }
    for (size_t i = 0; i < s->n_keys; i++)
        if (s->keys[i]->key.len == 16)
            cluster_add_key(c, s->keys[i]->key.data, s->keys[i]->uid, s->keys[i]->job_id, s->keys[i]->at_s);
    rc = runtime_history_decode(c, s, err);
    if (rc)
        return rc;
    /* Making the records has moved some of these. */
    restore_fields(c, s);
    for (size_t i = 0; i < s->n_nodes; i++)
        c->node[i].busy_s = s->nodes[i]->busy_s;
    return 0;
}

int cluster_decode(struct cluster **out, const void *p, size_t len, struct err *err)
{
    Pb__Snapshot *s = pb__snapshot__unpack(NULL, len, p);
    if (!s)
        return err_set(err, EBADMSG, "the snapshot does not parse");
    int rc;
    struct cluster *c = cluster_new();
    if (s->format != SNAPSHOT_FORMAT)
        rc = err_set(err, EPROTONOSUPPORT, "the snapshot has format %u, this release reads %u", s->format,
                     SNAPSHOT_FORMAT);
    else if (s->level > FEATURE_LEVEL)
        rc = err_set(err, EPROTONOSUPPORT, "the snapshot has feature level %u, this release reads up to %u", s->level,
                     FEATURE_LEVEL);
    else if (!pb_all_known(&s->base))
        rc = err_set(err, EPROTONOSUPPORT, "the snapshot has a field that this release does not know");
    else
        rc = restore_all(c, s, err);
    pb__snapshot__free_unpacked(s, NULL);
    if (rc)
        cluster_free(c);
    else
        *out = c;
    return rc;
}
