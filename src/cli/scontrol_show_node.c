/*
 * scontrol_show_node - scontrol show node and show partition.
 */
#include "base/str.h"
#include "cli/fields_job.h"
#include "cli/fields_node.h"
#include "cli/format.h"
#include "cli/names.h"
#include "cli/scontrol.h"
#include "core/node.h"
#include "text/hostlist.h"
#include "text/time.h"
#include "text/tres.h"

static const char *or_null(const char *text)
{
    return str_or(text, "(null)");
}

static void add_tres(struct buf *out, uint64_t cpus, uint64_t mem_mb, uint64_t nodes, uint64_t billing)
{
    auto_tres struct tres_list t = TRES_INIT;
    tres_set(&t, "cpu", cpus);
    tres_set(&t, "mem", mem_mb);
    tres_set(&t, "node", nodes);
    tres_set(&t, "billing", billing);
    auto_free char *text = tres_text(&t);
    buf_adds(out, text);
}

/* ---- nodes ---- */

static void add_load(struct buf *out, const Pb__Node *n)
{
    if (n->has_load)
        buf_addf(out, "%.2f", (double)n->load_centi / 100);
    else
        buf_adds(out, "N/A");
}

static void add_free(struct buf *out, const Pb__Node *n)
{
    if (n->has_load)
        buf_addf(out, "%llu", (unsigned long long)n->free_mem_mb);
    else
        buf_adds(out, "N/A");
}

static void add_hardware(const struct scontrol *s, struct buf *out, const Pb__Node *n)
{
    const Pb__NodeHw *hw = n->hw;
    const Pb__NodeDef *def = n->def;
    buf_addf(out, "NodeName=%s Arch=%s CoresPerSocket=%u ", def->name, or_null(hw->arch), hw->cores);
    scontrol_line(s, out);
    uint32_t reserved = def->core_spec * MAX(hw->threads, 1);
    buf_addf(out, "CPUAlloc=%u CPUEfctv=%u CPUTot=%u CPULoad=", n->alloc_cpus,
             hw->cpus > reserved ? hw->cpus - reserved : hw->cpus, hw->cpus);
    add_load(out, n);
    scontrol_line(s, out);
    buf_addf(out, "AvailableFeatures=%s", or_null(def->features));
    scontrol_line(s, out);
    buf_addf(out, "ActiveFeatures=%s", or_null(str_empty(n->features_active) ? def->features : n->features_active));
    scontrol_line(s, out);
    buf_addf(out, "Gres=%s", or_null(def->gres));
    if (!s->detail)
        return;
    scontrol_line(s, out);
    buf_adds(out, "GresDrain=N/A");
    scontrol_line(s, out);
    buf_adds(out, "GresUsed=");
    node_put_gres_used(out, n);
}

static void add_address(const struct scontrol *s, struct buf *out, const Pb__Node *n)
{
    const Pb__NodeDef *def = n->def;
    scontrol_line(s, out);
    buf_addf(out, "NodeAddr=%s NodeHostName=%s", str_or(def->addr, def->name), str_or(def->hostname, def->name));
    if (def->port)
        buf_addf(out, " Port=%u", def->port);
    if (!str_empty(n->version))
        buf_addf(out, " Version=%s", n->version);
    if (!str_empty(n->hw->os)) {
        scontrol_line(s, out);
        buf_addf(out, "OS=%s", n->hw->os);
    }
}

static void add_memory(const struct scontrol *s, struct buf *out, const Pb__Node *n)
{
    const Pb__NodeHw *hw = n->hw;
    char flags[160];
    scontrol_line(s, out);
    buf_addf(out, "RealMemory=%llu AllocMem=%llu FreeMem=", (unsigned long long)hw->mem_mb,
             (unsigned long long)n->alloc_mem_mb);
    add_free(out, n);
    buf_addf(out, " Sockets=%u Boards=%u", hw->sockets, MAX(hw->boards, 1));
    if (n->def->core_spec || n->def->mem_spec_mb) {
        scontrol_line(s, out);
        if (n->def->core_spec)
            buf_addf(out, "CoreSpecCount=%u CPUSpecList=%s%s", n->def->core_spec, n->spec_list,
                     n->def->mem_spec_mb ? " " : "");
        if (n->def->mem_spec_mb)
            buf_addf(out, "MemSpecLimit=%llu", (unsigned long long)n->def->mem_spec_mb);
    }
    node_state_flags(node_state_of(n), flags, sizeof(flags));
    scontrol_line(s, out);
    buf_addf(out, "State=%s ThreadsPerCore=%u TmpDisk=%llu Weight=%u Owner=N/A MCS_label=N/A", flags, hw->threads,
             (unsigned long long)hw->tmp_mb, n->weight);
    if (!str_empty(n->parts)) {
        scontrol_line(s, out);
        buf_addf(out, "Partitions=%s ", n->parts);
    }
}

static void add_since(const struct scontrol *s, struct buf *out, const Pb__Node *n)
{
    scontrol_line(s, out);
    buf_adds(out, "BootTime=");
    job_put_stamp(out, n->boot_s, "None");
    buf_adds(out, " SlurmdStartTime=");
    job_put_stamp(out, n->start_s, "None");
    scontrol_line(s, out);
    buf_adds(out, "LastBusyTime=");
    job_put_stamp(out, n->busy_s, "Unknown");
    buf_adds(out, " ResumeAfterTime=None SuspendTime=INFINITE");
}

static void add_use(const struct scontrol *s, struct buf *out, const Pb__Node *n)
{
    scontrol_line(s, out);
    buf_adds(out, "CfgTRES=");
    uint32_t kept = MIN(n->def->core_spec * MAX(n->hw->threads, 1), n->hw->cpus);
    add_tres(out, n->hw->cpus - kept, n->hw->mem_mb, 0, n->hw->cpus - kept);
    scontrol_line(s, out);
    buf_adds(out, "AllocTRES=");
    add_tres(out, n->alloc_cpus, n->alloc_mem_mb, 0, 0);
    scontrol_line(s, out);
    buf_adds(out, "CurrentWatts=0 AveWatts=0");
    if (*n->reservation) {
        scontrol_line(s, out);
        buf_addf(out, "ReservationName=%s", n->reservation);
    }
    if (node_has_reason(n)) {
        scontrol_line(s, out);
        buf_addf(out, "Reason=%s", n->reason);
        if (n->reason_s) {
            buf_addf(out, " [%s@", names_user(n->reason_uid));
            job_put_stamp(out, n->reason_s, "Unknown");
            buf_addc(out, ']');
        }
    }
    if (!str_empty(n->comment)) {
        scontrol_line(s, out);
        buf_addf(out, "Comment=%s", n->comment);
    }
    if (!str_empty(n->extra)) {
        scontrol_line(s, out);
        buf_addf(out, "Extra=%s", n->extra);
    }
}

static void add_node(const struct scontrol *s, struct buf *out, const Pb__Node *n)
{
    add_hardware(s, out, n);
    add_address(s, out, n);
    add_memory(s, out, n);
    add_since(s, out, n);
    add_use(s, out, n);
    scontrol_end(s, out);
}

static const Pb__Node *find_node(const Pb__ClusterList *list, const char *name)
{
    for (size_t i = 0; i < list->n_nodes; i++)
        if (str_eq(list->nodes[i]->def->name, name))
            return list->nodes[i];
    return NULL;
}

static void print(struct buf *out)
{
    format_flush(out);
    buf_clear(out);
}

static int ask(struct scontrol *s, ProtobufCMessage **reply, const char *what)
{
    struct err err = ERR_INIT;
    Pb__NodeQuery query = PB__NODE_QUERY__INIT;
    int rc = scontrol_call(s, MSG_CLUSTER, &query.base, MSG_CLUSTER_REPLY, reply, &err);
    return rc ? scontrol_fail(s, "%s error: %s", what, scontrol_words(rc, &err)) : 0;
}

static int named_nodes(struct scontrol *s, const Pb__ClusterList *list, const char *id, struct buf *out)
{
    auto_strs struct strs names = STRS_INIT;
    struct err err = ERR_INIT;
    int rc = 0;
    if (hostlist_expand(id, &names, &err))
        return scontrol_fail(s, "%s", err.text);
    for (size_t i = 0; i < names.n; i++) {
        const Pb__Node *n = find_node(list, names.at[i]);
        if (n)
            add_node(s, out, n);
        else if (rc = 1, !s->quiet)
            buf_addf(out, "Node %s not found\n", names.at[i]);
    }
    return rc;
}

int show_nodes(struct scontrol *s, const char *id)
{
    struct buf out = BUF_INIT;
    ProtobufCMessage *reply;
    int rc = ask(s, &reply, "slurm_load_node");
    if (rc)
        return rc;
    const Pb__ClusterList *list = (const Pb__ClusterList *)reply;
    if (id)
        rc = named_nodes(s, list, id, &out);
    for (size_t i = 0; !id && i < list->n_nodes; i++)
        if (s->future || (list->nodes[i]->state & NODE_STATE_BASE) != NODE_FUTURE)
            add_node(s, &out, list->nodes[i]);
    if (!id && !list->n_nodes && !s->quiet)
        buf_adds(&out, "No nodes in the system\n");
    print(&out);
    client_free(reply);
    return rc;
}

/* ---- partitions ---- */

struct sums {
    char *nodes;                  /* "n[1-4]"; yours */
    uint64_t cpus, mem_mb, count;
    bool all;                     /* configured as Nodes=ALL, and so it is still */
};

static bool says_all(const struct conf *conf, const char *part)
{
    for (size_t i = 0; i < conf->line.n; i++) {
        const char *name = conf_line_value(conf, &conf->line.at[i], "PartitionName");
        const char *nodes = conf_line_value(conf, &conf->line.at[i], "Nodes");
        if (name && nodes && str_in_list(name, part) && str_ieq(nodes, "ALL"))
            return true;
    }
    return false;
}

static struct sums sum(const struct scontrol *s, const Pb__ClusterList *list, const Pb__Part *p)
{
    struct sums t = { 0 };
    auto_free char **names = mem_array(list->n_nodes, sizeof(*names));
    for (size_t i = 0; i < list->n_nodes; i++) {
        if (!str_in_list(list->nodes[i]->parts, p->name))
            continue;
        names[t.count++] = list->nodes[i]->def->name;
        t.cpus += list->nodes[i]->hw->cpus;
        t.mem_mb += list->nodes[i]->hw->mem_mb;
    }
    t.nodes = hostlist_compress_sorted(names, t.count);
    t.all = t.count == list->n_nodes && says_all(&client_site(s->client)->conf, p->name);
    return t;
}

static const char *yes(bool b)
{
    return b ? "YES" : "NO";
}

static void add_count(struct buf *out, const char *name, uint64_t n)
{
    if (!n || n == TIME_INFINITE || n == UINT64_MAX)
        buf_addf(out, "%s=UNLIMITED", name);
    else
        buf_addf(out, "%s=%llu", name, (unsigned long long)n);
}

static void add_access(const struct scontrol *s, struct buf *out, const Pb__Part *p)
{
    buf_addf(out, "PartitionName=%s", p->name);
    scontrol_line(s, out);
    buf_addf(out, "AllowGroups=%s", str_or(p->allow_groups, "ALL"));
    if (!str_empty(p->deny_accounts))
        buf_addf(out, " DenyAccounts=%s", p->deny_accounts);
    else
        buf_addf(out, " AllowAccounts=%s", str_or(p->allow_accounts, "ALL"));
    if (!str_empty(p->deny_qos))
        buf_addf(out, " DenyQos=%s", p->deny_qos);
    else
        buf_addf(out, " AllowQos=%s", str_or(p->allow_qos, "ALL"));
    scontrol_line(s, out);
    buf_addf(out, "AllocNodes=%s Default=%s QoS=%s", str_or(p->alloc_nodes, "ALL"), yes(p->is_default),
             str_or(p->qos, "N/A"));
    if (!str_empty(p->alternate)) {
        scontrol_line(s, out);
        buf_addf(out, "Alternate=%s", p->alternate);
    }
}

static void add_limits(const struct scontrol *s, struct buf *out, const Pb__Part *p)
{
    char text[TIME_TEXT];
    bool none = !p->default_time_min || p->default_time_min == TIME_NO_VAL;
    scontrol_line(s, out);
    buf_addf(out, "DefaultTime=%s DisableRootJobs=%s Exclusive=%s GraceTime=%u Hidden=%s",
             none ? "NONE" : time_limit_text(text, p->default_time_min), yes(p->disable_root_jobs),
             p->exclusive_user                        ? "USER"
             : p->exclusive_topo                      ? "TOPO"
             : str_ieq(p->oversubscribe, "EXCLUSIVE") ? "NODE"
                                                      : "NO",
             p->grace_s, yes(p->hidden));
    scontrol_line(s, out);
    add_count(out, "MaxNodes", p->max_nodes);
    buf_addf(out, " MaxTime=%s MinNodes=%u LLN=%s ",
             time_limit_text(text, p->max_time_min ? p->max_time_min : TIME_INFINITE), p->min_nodes, yes(p->lln));
    add_count(out, "MaxCPUsPerNode", p->max_cpus_per_node);
    buf_addc(out, ' ');
    add_count(out, "MaxCPUsPerSocket", p->max_cpus_per_socket);
}

static void add_rules(const struct scontrol *s, struct buf *out, const Pb__Part *p, const struct sums *t)
{
    static const char *const states[] = { "UP", "DOWN", "DRAIN", "INACTIVE" };
    if (t->all || *p->node_sets) {
        scontrol_line(s, out);
        buf_addf(out, "NodeSets=%s", *p->node_sets ? p->node_sets : "ALL");
    }
    scontrol_line(s, out);
    buf_addf(out, "Nodes=%s", *t->nodes ? t->nodes : "(null)");
    scontrol_line(s, out);
    buf_addf(out, "PriorityJobFactor=%u PriorityTier=%u RootOnly=%s ReqResv=%s OverSubscribe=%s",
             p->priority_job_factor, p->priority_tier, yes(p->root_only), yes(p->req_resv),
             str_empty(p->oversubscribe) || str_ieq(p->oversubscribe, "EXCLUSIVE") ? "NO" : p->oversubscribe);
    scontrol_line(s, out);
    bool none = !p->over_time_limit_min || p->over_time_limit_min == TIME_NO_VAL;
    buf_adds(out, "OverTimeLimit=");
    if (none)
        buf_adds(out, "NONE");
    else
        buf_addf(out, "%u", p->over_time_limit_min);
    buf_addf(out, " PreemptMode=%s", str_or(p->preempt_mode, "OFF"));
    scontrol_line(s, out);
    if (!str_empty(p->topology)) {
        buf_addf(out, "Topology=%s", p->topology);
        scontrol_line(s, out);
    }
    buf_addf(out, "State=%s TotalCPUs=%llu TotalNodes=%llu SelectTypeParameters=%s",
             p->state < ARRAY_LEN(states) ? states[p->state] : "UP", (unsigned long long)t->cpus,
             (unsigned long long)t->count, str_or(p->select_type_parameters, "NONE"));
}

/* What each GPU comes with. */
static void add_job_defaults(struct buf *out, const Pb__Part *p)
{
    buf_adds(out, "JobDefaults=");
    if (p->def_cpu_per_gpu)
        buf_addf(out, "DefCpuPerGPU=%llu", (unsigned long long)p->def_cpu_per_gpu);
    if (p->def_mem_per_gpu_mb)
        buf_addf(out, "%sDefMemPerGPU=%llu", p->def_cpu_per_gpu ? "," : "", (unsigned long long)p->def_mem_per_gpu_mb);
    if (!p->def_cpu_per_gpu && !p->def_mem_per_gpu_mb)
        buf_adds(out, "(null)");
}

static void add_defaults(const struct scontrol *s, struct buf *out, const Pb__Part *p, const struct sums *t)
{
    scontrol_line(s, out);
    add_job_defaults(out, p);
    scontrol_line(s, out);
    if (p->def_mem_per_cpu_mb)
        add_count(out, "DefMemPerCPU", p->def_mem_per_cpu_mb);
    else
        add_count(out, "DefMemPerNode", p->def_mem_per_node_mb);
    buf_addc(out, ' ');
    if (p->max_mem_per_cpu_mb)
        add_count(out, "MaxMemPerCPU", p->max_mem_per_cpu_mb);
    else
        add_count(out, "MaxMemPerNode", p->max_mem_per_node_mb);
    scontrol_line(s, out);
    buf_adds(out, "TRES=");
    add_tres(out, t->cpus, t->mem_mb, t->count, t->cpus);
    if (!str_empty(p->tres_billing_weights)) {
        scontrol_line(s, out);
        buf_addf(out, "TRESBillingWeights=%s", p->tres_billing_weights);
    }
}

static void add_part(const struct scontrol *s, struct buf *out, const Pb__ClusterList *list, const Pb__Part *p)
{
    struct sums t = sum(s, list, p);
    add_access(s, out, p);
    add_limits(s, out, p);
    add_rules(s, out, p, &t);
    add_defaults(s, out, p, &t);
    scontrol_end(s, out);
    free(t.nodes);
}

int show_parts(struct scontrol *s, const char *id)
{
    struct buf out = BUF_INIT;
    ProtobufCMessage *reply;
    int rc = ask(s, &reply, "slurm_load_partitions");
    if (rc)
        return rc;
    const Pb__ClusterList *list = (const Pb__ClusterList *)reply;
    bool any = false;
    for (size_t i = 0; i < list->n_parts; i++) {
        const Pb__Part *p = list->parts[i];
        if (id ? !str_eq(p->name, id) : p->hidden && !s->all)
            continue;
        any = true;
        add_part(s, &out, list, p);
    }
    if (!any && id)
        rc = 1;
    if (!any && !s->quiet)
        buf_addf(&out, id ? "Partition %s not found\n" : "No partitions in the system\n", id);
    print(&out);
    client_free(reply);
    return rc;
}
