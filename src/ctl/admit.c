/* admit - what partitions, accounts and qualities of service say to a submission; see admit.h. */
#include "ctl/admit.h"

#include "base/num.h"
#include "core/limits.h"
#include "ctl/access.h"
#include "ctl/resv.h"
#include "text/array.h"
#include "text/hostlist.h"

static int admit_refuse(struct err *err, int code)
{
    return err_set(err, code, "%s", err_text(code));
}

static bool admit_enforced(const struct ctl *t, const char *what)
{
    const char *list = t->site->accounting_enforce;
    return list && (str_in_list(list, what) || str_in_list(list, "all"));
}

/* ---- account and QOS ---- */

/* The nearest value that an association or one above it sets. */
static const char *default_qos(const struct assoc *a)
{
    for (; a; a = a->parent)
        if (!str_empty(a->pb->def_qos))
            return a->pb->def_qos;
    return "normal";
}

static bool may_use(const struct assoc *a, const char *qos)
{
    for (; a; a = a->parent)
        if (!str_empty(a->pb->qos))
            return str_in_list(a->pb->qos, qos);
    return true;
}

/* Is there such a QOS, is it the association's, and does the job have what it asks for? */
static int check_qos(const struct ctl *t, const struct assoc *a, const char *qos, const char *reservation)
{
    if (str_empty(qos))
        return 0;
    const struct qos *q = limits_qos(t->c, qos);
    if ((!q && limits_any(t->c)) || (admit_enforced(t, "qos") && (!q || !may_use(a, qos))))
        return ESLURM_INVALID_QOS;
    if (q && (q->pb->flags & QOS_NEEDS_RESV) && str_empty(reservation))
        return ESLURM_INVALID_QOS;
    /* Percents of a partition are for its own use. */
    return q && (q->pb->flags & QOS_RELATIVE) && limits_of_part(t->c, q) ? ESLURM_INVALID_QOS : 0;
}

static bool must_be_known(const struct ctl *t)
{
    return admit_enforced(t, "associations") || admit_enforced(t, "limits") || admit_enforced(t, "safe") ||
           admit_enforced(t, "qos");
}

/* An administrator without an account may submit without one, but not name an account of other users. */
static bool is_stranger(const struct ctl_call *call, const struct assoc *a, const char *account)
{
    if (a || !must_be_known(call->t))
        return false;
    return !access_has(call->t, call->peer, RIGHT_SUBMIT_AS, NULL) || (!str_empty(account) && limits_any(call->t->c));
}

int admit_assoc(struct submission *s, struct err *err)
{
    const struct ctl *t = s->call->t;
    const char *pos = s->spec->partition;
    auto_free char *first = str_next(&pos, ",");
    const struct assoc *a = limits_assoc(t->c, s->uid, s->spec->account, first);
    if (is_stranger(s->call, a, s->spec->account))
        return admit_refuse(err, ESLURM_INVALID_ACCOUNT);
    if (a && str_empty(s->spec->account))
        pb_set_text(&s->spec->account, a->pb->account);
    if (a && str_empty(s->spec->qos) && limits_qos(t->c, default_qos(a)))
        pb_set_text(&s->spec->qos, default_qos(a));
    int rc = check_qos(t, a, s->spec->qos, s->spec->reservation);
    return rc ? admit_refuse(err, rc) : 0;
}

/* ---- which partitions ---- */

/* Submissions come from these hosts alone.  The client names its host itself, as in Slurm: users that must be kept out
 * are kept out by AllowGroups or AllowAccounts. */
static bool from_elsewhere(const struct submission *s, const Pb__Part *pb)
{
    auto_strs struct strs hosts = { 0 };
    if (str_empty(pb->alloc_nodes) || str_ieq(pb->alloc_nodes, "ALL") || hostlist_expand(pb->alloc_nodes, &hosts, NULL))
        return false;
    for (size_t i = 0; i < hosts.n; i++)
        if (str_eq(hosts.at[i], s->spec->alloc_host))
            return false;
    return true;
}

static bool qos_barred(const char *name, const Pb__Part *pb)
{
    const char *qos = str_or(name, "");
    if (!str_empty(pb->allow_qos) && !str_ieq(pb->allow_qos, "ALL"))
        return !str_in_list(pb->allow_qos, qos);
    return !str_empty(pb->deny_qos) && str_in_list(pb->deny_qos, qos);
}

/* Limits of partitions that its QOS lifts. */
static uint32_t admit_lifts(const struct submission *s)
{
    const struct qos *q = limits_qos(s->call->t->c, s->spec->qos);
    return q ? q->pb->flags : 0;
}

static int check_part(struct submission *s, const struct part *p)
{
    bool least = p->pb->min_nodes && !(admit_lifts(s) & QOS_PART_MIN_NODES);
    if (least && s->spec->ntasks && !s->spec->min_nodes && s->spec->ntasks < p->pb->min_nodes)
        return ESLURM_BAD_TASK_COUNT;
    if (from_elsewhere(s, p->pb))
        return ESLURM_ACCESS_DENIED;
    if (qos_barred(s->spec->qos, p->pb))
        return ESLURM_INVALID_QOS;
    return access_part(s->call->t, p, s->uid, s->gid, s->spec->account);
}

/* A partition that is closed may name another one; no further than there are partitions. */
static struct part *open_part(const struct cluster *c, struct part *p)
{
    for (size_t i = 0; i < c->part.n && p && !part_takes_jobs(p) && !str_empty(p->pb->alternate); i++)
        p = cluster_part(c, p->pb->alternate);
    return p;
}

static int one_part(struct submission *s, const char *name, struct err *err)
{
    struct ctl *t = s->call->t;
    struct part *p = open_part(t->c, cluster_part(t->c, name));
    if (!p) {
        strs_take(&s->messages, mem_printf("invalid partition specified: %s", name));
        return admit_refuse(err, ESLURM_INVALID_PARTITION_NAME);
    }
    int rc = check_part(s, p);
    if (rc)
        return admit_refuse(err, rc);
    buf_addf(&s->partition, "%s%s", s->partition.len ? "," : "", p->pb->name);
    return 0;
}

int admit_parts(struct submission *s, struct err *err)
{
    if (str_empty(s->spec->partition)) {
        const char *reserved = resv_partition(s->call->t, s->spec);
        struct part *p = reserved ? cluster_part(s->call->t->c, reserved) : cluster_default_part(s->call->t->c);
        return p ? one_part(s, p->pb->name, err) : admit_refuse(err, ESLURM_DEFAULT_PARTITION_NOT_SET);
    }
    const char *pos = s->spec->partition;
    for (char *name; (name = str_next(&pos, ","));) {
        int rc = one_part(s, name, err);
        free(name);
        if (rc)
            return rc;
    }
    return s->partition.len ? 0 : admit_refuse(err, ESLURM_INVALID_PARTITION_NAME);
}

int admit_change(const struct ctl_call *call, const struct job *j, const Pb__JobSpec *spec)
{
    const struct ctl *t = call->t;
    const char *parts = str_empty(spec->partition) ? j->partition : spec->partition, *pos = parts;
    auto_free char *first = str_next(&pos, ",");
    const struct assoc *a = limits_assoc(t->c, j->uid, spec->account, first);
    int rc = is_stranger(call, a, spec->account) ? ESLURM_INVALID_ACCOUNT
                                                 : check_qos(t, a, spec->qos, spec->reservation);
    pos = parts;
    for (char *next; !rc && (next = str_next(&pos, ","));) {
        auto_free char *name = next;
        const struct part *p = cluster_part(t->c, name);
        rc = !p                             ? ESLURM_INVALID_PARTITION_NAME
             : qos_barred(spec->qos, p->pb) ? ESLURM_INVALID_QOS
                                            : access_part(t, p, j->uid, j->gid, spec->account);
    }
    return rc;
}

/* ---- memory and GPUs ---- */

static bool wants_gpus(const Pb__JobSpec *j)
{
    const char *asks[] = { j->gres, j->gpus, j->gpus_per_node, j->gpus_per_task, j->gpus_per_socket };
    for (size_t i = 0; i < ARRAY_LEN(asks); i++)
        if (!str_empty(asks[i]) && (i || strstr(asks[i], "gpu")))
            return true;
    return false;
}

/* So many times the CPUs, so that none has more memory than it may. */
static uint32_t admit_times(uint64_t mem, uint64_t most)
{
    return most && mem > most ? (uint32_t)MIN((mem + most - 1) / most, 65535u) : 1;
}

void admit_shape(struct submission *s)
{
    const char *pos = s->partition.s;
    auto_free char *first = str_next(&pos, ",");
    const Pb__Part *pb = cluster_part(s->call->t->c, first)->pb;
    Pb__JobSpec *j = s->spec;
    if (wants_gpus(j)) {
        if (!j->cpus_per_gpu && !j->cpus_per_task)
            j->cpus_per_gpu = (uint32_t)pb->def_cpu_per_gpu;
        if (!j->mem_per_gpu_mb && !j->mem_per_cpu_mb && !j->mem_per_node_mb && !j->mem_all)
            j->mem_per_gpu_mb = pb->def_mem_per_gpu_mb;
    }
    uint32_t more = admit_times(j->mem_per_cpu_mb, pb->max_mem_per_cpu_mb);
    if (more > 1) {
        j->cpus_per_task = MAX(j->cpus_per_task, 1u) * more;
        j->mem_per_cpu_mb = (j->mem_per_cpu_mb + more - 1) / more;
    }
    uint32_t least = admit_times(j->mem_per_node_mb, pb->max_mem_per_cpu_mb);
    if (least > 1 && j->ntasks <= 1)
        j->cpus_per_task = MAX(j->cpus_per_task, least);
    else if (least > 1)
        j->mincpus = MAX(j->mincpus, least);
}

/* ---- counts ---- */

/* Tasks that a node could be given: as many as MaxTasksPerNode says, or as it has CPUs. */
static uint64_t most_per_node(const struct ctl *t)
{
    uint64_t most = MAX(t->site->max_tasks_per_node, 1u);
    for (uint32_t i = 0; i < t->c->nnodes; i++)
        most = MAX(most, t->c->node[i].cpus);
    return most;
}

int admit_counts(const struct ctl *t, const Pb__JobSpec *j)
{
    uint64_t nodes = MAX(t->c->nnodes, 1u), least = MAX(j->min_nodes, 1u);
    uint64_t tasks = MAX((uint64_t)j->ntasks, least * MAX(j->ntasks_per_node, 1u));
    if (j->max_nodes)
        nodes = MIN(nodes, j->max_nodes);
    bool fits = tasks * MAX(j->cpus_per_task, 1u) <= INT32_MAX && least * MAX(j->mincpus, 1u) <= INT32_MAX &&
                (!j->overcommit || tasks <= nodes * t->site->max_tasks_per_node || tasks <= nodes * most_per_node(t));
    return fits ? 0 : ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
}

uint64_t admit_gres_max(const char *name)
{
    return str_eq(name, "gpu") ? UINT16_MAX : 1ull << 48;
}

/* ---- limits ---- */

static int part_limits(const struct submission *s, const struct part *p)
{
    const struct req *r = &s->trial.spec->req;
    const Pb__Part *pb = p->pb;
    uint32_t lifted = admit_lifts(s), min_nodes = lifted & QOS_PART_MIN_NODES ? 0 : pb->min_nodes;
    uint32_t max_nodes = pb->max_nodes && !(lifted & QOS_PART_MAX_NODES) ? pb->max_nodes : UINT32_MAX;
    bool ends = pb->max_time_min && pb->max_time_min != INFINITE_MIN && !(lifted & QOS_PART_TIME);
    uint64_t cpus = (uint64_t)MAX(r->cpus_per_task, 1u) * MAX(r->ntasks_per_node, 1u);
    uint64_t mem = s->ev.mem_per_node_mb ? s->ev.mem_per_node_mb : mul_cap(s->ev.mem_per_cpu_mb, MAX(cpus, r->mincpus));
    if (ends && s->ev.limit_set && s->ev.time_limit_min > pb->max_time_min)
        return ESLURM_INVALID_TIME_LIMIT;
    if (r->min_nodes > max_nodes || (s->spec->min_nodes && r->max_nodes && r->max_nodes < min_nodes))
        return ESLURM_INVALID_NODE_COUNT;
    if (pb->max_mem_per_node_mb && mem > pb->max_mem_per_node_mb)
        return ESLURM_INVALID_TASK_MEMORY;
    return 0;
}

/* EnforcePartLimits=ALL: every partition must do; ANY: one. */
static int check_parts(const struct submission *s)
{
    const char *how = s->call->t->site->enforce_part_limits, *pos = s->partition.s;
    bool any = str_ieq(how, "ANY"), good = false;
    int first = 0;
    if (str_empty(how) || str_ieq(how, "NO"))
        return 0;
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *name = next;
        int rc = part_limits(s, cluster_part(s->call->t->c, name));
        good |= !rc;
        first = first ? first : rc;
    }
    return any && good ? 0 : first;
}

/* What it asks for, as limits count it; spread over its nodes in `node`. */
static void ask_tres(const struct submission *s, const struct part *p, struct tres_list *out, struct tres_list *node)
{
    const struct cluster *c = s->call->t->c;
    const struct req *r = &s->trial.spec->req;
    auto_free char *text = job_tres_req(c, &s->trial);
    tres_parse(text, out, NULL);
    tres_set(out, "billing", limits_billing(c, p, out));
    for (size_t i = 0; i < out->n; i++)
        tres_set(node, out->at[i].name, out->at[i].count / MAX(r->min_nodes, 1u));
}

/* A QOS with DenyOnLimit refuses at once what could never run under it, were it alone. */
static enum why_code admit_never(const struct submission *s, const struct holders *h, const struct part *p)
{
    const struct ctl *t = s->call->t;
    auto_tres struct tres_list tres = TRES_INIT, node = TRES_INIT;
    bool deny = false;
    for (uint32_t i = 0; i < h->nqos; i++)
        deny |= (h->qos[i]->pb->flags & QOS_DENY_ON_LIMIT) != 0;
    if (!deny)
        return WHY_NONE;
    ask_tres(s, p, &tres, &node);
    struct limit_ask ask = { .tres = &tres,
                             .node_tres = &node,
                             .limit_min = s->ev.time_limit_min,
                             .now_s = NOW_S(t),
                             .safe = admit_enforced(t, "safe") };
    return limits_never(t->c, h, &ask);
}

/* Components that start together hold together: what all so far ask for has to be allowed. */
static bool admit_together(const struct submission *s, const struct holders *h, const struct part *p)
{
    auto_tres struct tres_list all = TRES_INIT;
    for (const struct submission *one = s; one; one = one->before) {
        auto_tres struct tres_list tres = TRES_INIT, node = TRES_INIT;
        if (!str_eq(str_or(one->spec->account, ""), str_or(s->spec->account, "")) ||
            !str_eq(str_or(one->spec->qos, ""), str_or(s->spec->qos, "")))
            continue;
        ask_tres(one, p, &tres, &node);
        tres_add_all(&all, &tres, 1);
    }
    return limits_together(s->call->t->c, h, &all);
}

/* The components before it, which come with it. */
static void count_components(const struct submission *s, struct limit_usage *out)
{
    for (const struct submission *b = s->before; b; b = b->before) {
        struct holders h;
        const char *pos = b->partition.s;
        auto_free char *first = str_next(&pos, ",");
        limits_holders(b->call->t->c, &b->trial, cluster_part(b->call->t->c, first), &h);
        limit_usage_submit(out, &h);
    }
}

int admit_limits(struct submission *s, struct err *err)
{
    struct ctl *t = s->call->t;
    int rc = check_parts(s);
    if (rc)
        return admit_refuse(err, rc);
    if (!limits_any(t->c) || !(admit_enforced(t, "limits") || admit_enforced(t, "safe")))
        return 0;
    struct holders h;
    auto_array struct array tasks = ARRAY_INIT;
    const char *pos = s->partition.s;
    auto_free char *first = str_next(&pos, ",");
    const struct part *p = cluster_part(t->c, first);
    limits_holders(t->c, &s->trial, p, &h);
    uint32_t wall = limits_wall_min(&h), n = 1;
    if (!s->ev.limit_set && !p->pb->default_time_min && wall < s->ev.time_limit_min) {
        s->ev.time_limit_min = s->trial.time_limit_min = wall;
        s->ev.limit_set = true;
    }
    if (!str_empty(s->spec->array) && !array_parse(s->spec->array, t->site->max_array_size, &tasks, NULL))
        n = (uint32_t)bitmap_count(&tasks.tasks);
    struct limit_usage more = { 0 };
    count_components(s, &more);
    enum why_code why = limits_submit(t->c, &more, &h, MAX(n, 1u));
    limit_usage_clear(&more);
    if (why == WHY_NONE)
        why = admit_never(s, &h, p);
    if (why != WHY_NONE)
        strs_add(&s->messages, why_name(why));
    return why != WHY_NONE || (s->before && !admit_together(s, &h, p)) ? admit_refuse(err, ESLURM_ACCOUNTING_POLICY)
                                                                       : 0;
}
