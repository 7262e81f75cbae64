/* order - reading launch orders; see order.h. */
#include "node/order.h"

#include <errno.h>
#include <stdlib.h>

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/launched_log.h"
#include "text/hostlist.h"

/* ---- shares, written out ---- */

static Pb__NodeAlloc *copy_share(const Pb__NodeAlloc *a, const char *name)
{
    Pb__NodeAlloc one = *a;
    auto_buf struct buf bytes = BUF_INIT;
    one.count = 0;
    one.name = (char *)name;
    size_t n = pb__node_alloc__get_packed_size(&one);
    pb__node_alloc__pack(&one, (uint8_t *)buf_room(&bytes, n));
    return pb__node_alloc__unpack(NULL, n, (uint8_t *)bytes.s);
}

/* The share of the `at`-th node; each of the `n` shares counts for several nodes.  NULL: none. */
static const Pb__NodeAlloc *share_at(Pb__NodeAlloc *const *share, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++) {
        size_t count = MAX(share[i]->count, 1u);
        if (at < count)
            return share[i];
        at -= count;
    }
    return NULL;
}

static void free_shares(Pb__NodeAlloc **share, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pb__node_alloc__free_unpacked(share[i], NULL);
    free(share);
}

static int write_out(Pb__LaunchOrder *o, const struct strs *names, struct err *err)
{
    Pb__NodeAlloc **full = mem_array(names->n + 1, sizeof(*full));
    size_t n = 0;
    for (size_t i = 0; i < o->n_alloc; i++)
        for (size_t k = MAX(o->alloc[i]->count, 1u); k && n < names->n; k--, n++)
            full[n] = copy_share(o->alloc[i], names->at[n]);
    if (n < names->n) {
        free_shares(full, n);
        return err_set(err, EBADMSG, "the launch order of job %u has shares for %zu of its %zu nodes", o->job_id, n,
                       names->n);
    }
    free_shares(o->alloc, o->n_alloc);
    o->alloc = full;
    o->n_alloc = n;
    return 0;
}

/* ---- this node's part ---- */

static int find_self(const struct strs *names, const char *node, uint32_t *at)
{
    for (*at = 0; *at < names->n; ++*at)
        if (str_eq(names->at[*at], node))
            return 0;
    return ENOENT;
}

/* This node's place in the step; a batch script runs on one node, the first unless the order names another. */
static bool step_place(const Pb__LaunchOrder *o, uint32_t *at)
{
    for (*at = 0; *at < o->n_step_node; ++*at)
        if (o->step_node[*at] == o->node_index)
            return true;
    return !o->n_step_node && o->node_index == (o->step_id == PB__STEP_NUMBER__STEP_BATCH ? o->batch_pos : 0);
}

static void take_part(Pb__LaunchOrder *o, uint32_t at)
{
    const Pb__NodeAlloc *share = share_at(o->step_allocs, o->n_step_allocs, at);
    for (uint32_t i = 0; i < at && i < o->n_step_tasks; i++)
        o->first_task += o->step_tasks[i];
    if (at < o->n_step_ranks && !o->n_ranks) {
        const Pb__Ranks *r = o->step_ranks[at];
        o->n_ranks = r->n_rank;
        o->ranks = r->n_rank ? mem_copy(r->rank, r->n_rank * sizeof(*r->rank)) : NULL;
    }
    uint32_t before = o->step && o->step->het ? o->step->het->first_task : 0; /* tasks of earlier components */
    o->first_task += before;
    for (size_t i = 0; i < o->n_ranks; i++)
        o->ranks[i] += before;
    if (share && !o->step_alloc)
        o->step_alloc = copy_share(share, o->node);
    free_shares(take(o->step_allocs), o->n_step_allocs);
    o->n_step_allocs = 0;
    o->node_cpus = o->alloc[o->node_index]->node_cpus;
}

static int read_names(const Pb__LaunchOrder *o, struct strs *names, struct err *err)
{
    size_t n;
    if (hostlist_count(o->nodes, &n, err))
        return err->code;
    if (!n || n > ORDER_NODES_MAX)
        return err_set(err, EBADMSG, "the launch order of job %u names %zu nodes", o->job_id, n);
    return hostlist_expand(o->nodes, names, err);
}

int order_localize(Pb__LaunchOrder *o, const char *node, struct err *err)
{
    uint32_t at = 0;
    if (!str_empty(o->node) && !str_eq(o->node, node))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "the launch order is for node %s, this is %s", o->node, node);
    if (!str_empty(o->node) && o->node_index >= o->n_alloc)
        return err_set(err, EBADMSG, "the launch order of job %u has no allocation for node %s", o->job_id, o->node);
    if (!str_empty(o->node))
        return 0;
    auto_strs struct strs names = { 0 };
    int rc = read_names(o, &names, err);
    if (!rc && (find_self(&names, node, &o->node_index) || !step_place(o, &at)))
        rc = err_set(err, ESLURM_INVALID_NODE_NAME, "the launch order is for nodes %s, this is %s",
                     str_or(o->step_nodes, o->nodes), node);
    if (!rc)
        rc = write_out(o, &names, err);
    if (rc)
        return rc;
    if (o->node != protobuf_c_empty_string)
        free(o->node);
    o->node = mem_str(node);
    take_part(o, at);
    return 0;
}

/* ---- verification ---- */

static int check_age(int64_t issued_ms, int64_t now_ms, struct err *err)
{
    int64_t off_ms = now_ms - issued_ms;
    if (off_ms > LAUNCHED_LOG_WINDOW_MS || off_ms < -LAUNCHED_LOG_WINDOW_MS)
        return err_set(err, ETIME, "the order is %lld s old by this node's clock (are the clocks right?)",
                       (long long)off_ms / 1000);
    return 0;
}

Pb__LaunchOrder *order_open(const struct cred_key *key, const Pb__Signed *s, const char *node, int64_t now_ms,
                            struct step_key *about, struct err *err)
{
    *about = (struct step_key){ 0 };
    if (key && !cred_verify(key, CRED_LAUNCH, s)) {
        err_set(err, ESLURM_INVALID_JOB_CREDENTIAL, "the launch order is not signed by a controller of this cluster");
        return NULL;
    }
    Pb__LaunchOrder *o = pb__launch_order__unpack(NULL, s->body.len, s->body.data);
    if (!o) {
        err_set(err, EBADMSG, "the launch order does not parse");
        return NULL;
    }
    *about = (struct step_key){ o->job_id, o->step_id, o->attempt };
    if (!check_age(o->issued_ms, now_ms, err) && !order_localize(o, node, err))
        return o;
    pb__launch_order__free_unpacked(o, NULL);
    return NULL;
}

static int check_kill(const Pb__KillOrder *k, const char *node, int64_t now_ms, struct err *err)
{
    auto_strs struct strs names = { 0 };
    uint32_t at;
    size_t n = 0;
    if (hostlist_count(k->nodes, &n, err) || n > ORDER_NODES_MAX || hostlist_expand(k->nodes, &names, err) ||
        find_self(&names, node, &at))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "the order is for nodes %s, this is %s", k->nodes, node);
    return now_ms ? check_age(k->issued_ms, now_ms, err) : 0;
}

Pb__KillOrder *order_open_kill(const struct cred_key *key, const Pb__Signed *s, const char *node, int64_t now_ms,
                               struct err *err)
{
    if (!cred_verify(key, CRED_KILL, s)) {
        err_set(err, ESLURM_INVALID_JOB_CREDENTIAL, "the order is not signed by a controller of this cluster");
        return NULL;
    }
    Pb__KillOrder *k = pb__kill_order__unpack(NULL, s->body.len, s->body.data);
    if (!k) {
        err_set(err, EBADMSG, "the order does not parse");
    } else if (check_kill(k, node, now_ms, err)) {
        pb__kill_order__free_unpacked(k, NULL);
        k = NULL;
    }
    return k;
}
