/* config - from the site's files to the state and to the scheduler's policy; see config.h. */
#include "ctl/config.h"

#include "ctl/agent.h"
#include "ctl/config_gres.h"
#include "ctl/usage_charge.h"
#include "ctl/config_topo.h"
#include "ctl/config_words.h"
#include "ctl/gang.h"
#include "ctl/license.h"
#include "ctl/module.h"
#include "ctl/query_cache.h"
#include "sched/priority.h"
#include "text/array.h"
#include "ctl/topology.h"

bool config_limits_safe(const struct site *site)
{
    return str_in_list(site->accounting_enforce, "safe") || str_in_list(site->accounting_enforce, "all");
}

bool config_limits(const struct site *site)
{
    return config_limits_safe(site) || str_in_list(site->accounting_enforce, "limits");
}

void config_sched(const struct site *site, struct sched_conf *out)
{
    const char *cr = site->select_type_parameters ? site->select_type_parameters : "";
    bool said = strcasestr(cr, "CR_CPU") || strcasestr(cr, "CR_Core") || strcasestr(cr, "CR_Socket") ||
                strcasestr(cr, "CR_Memory");
    const char *tests = site_param(site->scheduler_parameters, "bf_max_job_test");
    const char *exempt = site_param(site_value(site, "PreemptParameters"), "min_exempt_priority");
    const char *window = site_param(site->scheduler_parameters, "bf_window");
    *out = (struct sched_conf){
        .backfill = !str_eq(site->scheduler_type, "sched/builtin"),
        .by_core = !strcasestr(cr, "CR_CPU"),
        .by_memory = strcasestr(cr, "Memory") != NULL || (!said && !str_eq(site->select_type, "select/linear")),
        .by_node = str_eq(site->select_type, "select/linear"),
        .by_socket = strcasestr(cr, "CR_Socket") != NULL,
        .one_task_per_core = strcasestr(cr, "CR_ONE_TASK_PER_CORE") != NULL,
        .cores_in_blocks = strcasestr(cr, "CR_CORE_DEFAULT_DIST_BLOCK") != NULL,
        .gang = site->preempt_mode && strcasestr(site->preempt_mode, "GANG"),
        .max_tests = tests ? (uint32_t)strtoul(tests, NULL, 10) : 1000,
        .bf_window_min = window ? (uint32_t)strtoul(window, NULL, 10) : 1440,
        .policy = str_ieq(site->policy, "short") ? POLICY_SHORT : POLICY_PRIORITY,
        .preempt = str_eq(site->preempt_type, "preempt/partition_prio") || str_eq(site->preempt_type, "preempt/qos"),
        .preempt_qos = str_eq(site->preempt_type, "preempt/qos"),
        .youngest_first = site_param(site_value(site, "PreemptParameters"), "youngest_first") != NULL,
        .min_exempt_priority = exempt ? (uint32_t)strtoul(exempt, NULL, 10) : 0,
        .preempt_mode = site->preempt_mode ? site->preempt_mode : "OFF",
        .preempt_exempt_s = site->preempt_exempt_s,
        .limits = config_limits(site),
        .limits_safe = config_limits_safe(site),
        .max_planned = site->planned_starts,
        .yield_after_s = site->yield_after_s,
        .max_switch_wait_s = topo_switch_wait(site),
        .lln = strcasestr(cr, "CR_LLN") != NULL,
        .gres_bind = strcasestr(cr, "ENFORCE_BINDING_GRES") != NULL,
        .serial_at_end = site_param(site->scheduler_parameters, "pack_serial_at_end") != NULL,
    };
    config_words(site, out);
}

/* ---- nodes ---- */

struct node_parts {
    Pb__NodeDef def;
    Pb__NodeHw hw;
};

/* CpuSpecList: CPUs by number; a core of which one is named is kept whole. */
static void spec_list(const struct site_node *s, Pb__NodeDef *d)
{
    auto_array struct array cpus = ARRAY_INIT;
    auto_bitmap struct bitmap cores = BITMAP_INIT;
    if (array_parse(s->cpu_spec_list, 65536, &cpus, NULL))
        return;
    bitmap_each(&cpus.tasks, i)
        bitmap_set(&cores, i / MAX(s->threads, 1u));
    d->core_spec = (uint32_t)bitmap_count(&cores);
    pb_from_bitmap(&d->spec_cores, &cores);
}

static void def_node(const struct site *site, const struct site_node *s, struct node_parts *out)
{
    pb__node_def__init(&out->def);
    pb__node_hw__init(&out->hw);
    Pb__NodeDef *d = &out->def;
    d->name = s->name, d->hostname = s->hostname, d->addr = s->addr, d->port = s->port;
    d->weight = s->weight;
    d->features = s->features, d->gres = s->gres, d->state = s->state, d->reason = s->reason;
    d->core_spec = s->core_spec, d->mem_spec_mb = s->mem_spec_mb;
    if (s->cpu_spec_list)
        spec_list(s, d);
    if (site->devices)
        config_gres(site, (size_t)(s - site->node), d);
    d->spec_first = site_param(site->scheduler_parameters, "spec_cores_first") != NULL;
    d->overrides = site->config_overrides;
    d->hw = &out->hw;
    out->hw.boards = s->boards, out->hw.sockets = s->sockets, out->hw.cores = s->cores, out->hw.threads = s->threads,
    out->hw.cpus = s->cpus;
    out->hw.mem_mb = s->mem_mb, out->hw.tmp_mb = s->tmp_mb;
}

/* ---- partitions ---- */

static Pb__PartState part_state(const char *s)
{
    Pb__PartState state = PB__PART_STATE__PART_UP;
    part_state_parse(s ? s : "", &state);
    return state;
}

static uint32_t config_known(uint32_t v)
{
    return v == SITE_NONE ? 0 : v;
}

static void def_part(const struct site *site, const struct site_part *s, Pb__Part *p, struct buf *nodes)
{
    pb__part__init(p);
    p->name = s->name;
    for (size_t i = 0; i < s->nnodes; i++)
        buf_addf(nodes, "%s%s", i ? "," : "", site->node[s->node[i]].name);
    p->nodes = nodes->s;
    p->is_default = s->is_default, p->hidden = s->hidden, p->root_only = s->root_only,
    p->exclusive_user = s->exclusive_user;
    p->lln = s->lln, p->req_resv = s->req_resv, p->disable_root_jobs = s->disable_root_jobs,
    p->power_down_on_idle = s->power_down_on_idle;
    p->state = part_state(s->state);
    p->max_time_min = s->max_time_min, p->default_time_min = config_known(s->default_time_min);
    p->min_nodes = s->min_nodes, p->max_nodes = s->max_nodes;
    p->def_mem_per_cpu_mb = s->def_mem_per_cpu_mb, p->def_mem_per_node_mb = s->def_mem_per_node_mb;
    bool own = s->max_mem_per_cpu_mb || s->max_mem_per_node_mb;
    p->max_mem_per_cpu_mb = own ? s->max_mem_per_cpu_mb : site->max_mem_per_cpu_mb;
    p->max_mem_per_node_mb = own ? s->max_mem_per_node_mb : site->max_mem_per_node_mb;
    p->def_cpu_per_gpu = s->def_cpu_per_gpu ? s->def_cpu_per_gpu : site->def_cpu_per_gpu;
    p->def_mem_per_gpu_mb = s->def_mem_per_gpu_mb ? s->def_mem_per_gpu_mb : site->def_mem_per_gpu_mb;
    p->priority_tier = s->priority_tier, p->priority_job_factor = s->priority_job_factor;
    p->oversubscribe = s->oversubscribe, p->preempt_mode = s->preempt_mode, p->allow_groups = s->allow_groups;
    p->allow_accounts = s->allow_accounts, p->allow_qos = s->allow_qos, p->deny_accounts = s->deny_accounts,
    p->deny_qos = s->deny_qos;
    p->alloc_nodes = s->alloc_nodes, p->qos = s->qos, p->alternate = s->alternate,
    p->tres_billing_weights = s->tres_billing_weights;
    p->max_cpus_per_node = s->max_cpus_per_node == SITE_INFINITE ? 0 : s->max_cpus_per_node;
    p->max_cpus_per_socket = s->max_cpus_per_socket == SITE_INFINITE ? 0 : s->max_cpus_per_socket;
    p->grace_s = s->grace_s, p->over_time_limit_min = config_known(s->over_time_limit_min);
    p->select_type_parameters = s->select_type_parameters;
    p->node_sets = s->node_sets;
    p->topology = s->topology;
    p->exclusive_topo = str_ieq(s->exclusive, "TOPO");
}

/* The configuration in force becomes part of the state: a replay needs no file. */
void config_emit(struct ctl *t, bool always)
{
    const struct site *s = t->site;
    EVENT(ev);
    Pb__EvConfig c = PB__EV_CONFIG__INIT;
    struct node_parts *nodes = mem_array(s->nnodes, sizeof(*nodes));
    Pb__Part *parts = mem_array(s->nparts, sizeof(*parts));
    struct buf *lists = mem_array(s->nparts, sizeof(*lists));
    c.cluster = s->cluster;
    c.first_job_id = s->first_job_id;
    c.max_job_id = s->max_job_id;
    c.n_nodes = s->nnodes;
    c.nodes = mem_array(s->nnodes, sizeof(*c.nodes));
    for (size_t i = 0; i < s->nnodes; i++) {
        def_node(s, &s->node[i], &nodes[i]);
        c.nodes[i] = &nodes[i].def;
    }
    c.n_parts = s->nparts;
    c.parts = mem_array(s->nparts, sizeof(*c.parts));
    for (size_t i = 0; i < s->nparts; i++) {
        def_part(s, &s->part[i], &parts[i], &lists[i]);
        c.parts[i] = &parts[i];
    }
    c.billing = priority_billing(s->priority_flags);
    config_topo_begin(s, &c);
    auto_license struct license_list lic = LICENSE_INIT;
    license_config_begin(s, &lic, &c);
    c.learns = str_ieq(s->policy, "short");
    auto_buf struct buf bytes = BUF_INIT;
    pb_pack(&bytes, &c.base);
    c.digest = map_hash_bytes(bytes.s, bytes.len);
    if (!t->c->configured)
        cred_random(&c.attempt_base, sizeof(c.attempt_base));
    BODY(ev, CONFIG, config, &c);
    if (always || !t->c->configured || c.digest != t->c->config_digest)
        ctl_emit(t, &ev, NULL);
    for (size_t i = 0; i < s->nparts; i++)
        buf_clear(&lists[i]);
    config_topo_done(&c);
    free(c.licenses);
    for (size_t i = 0; i < s->nnodes; i++) {
        free(nodes[i].def.spec_cores.data);
        config_gres_done(&nodes[i].def);
    }
    free(c.nodes);
    free(c.parts);
    free(nodes);
    free(parts);
    free(lists);
}

void config_use(struct ctl *t, struct site *site)
{
    site_free(t->site);
    t->site = site;
    query_cache_stir(t);
    modules_configure(t);
}

int ctl_reconfigure(struct ctl *t, struct site *site, struct err *err)
{
    config_use(t, site);
    config_emit(t, true);
    agent_fit(t);
    gang_end(t);
    usage_charge_configured(t);
    return 0;
}
