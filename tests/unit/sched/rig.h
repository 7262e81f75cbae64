/* rig - a simulated cluster for the tests of the scheduler: events in, plans out, plans applied. */
#ifndef SPUR_TEST_SCHED_RIG_H
#define SPUR_TEST_SCHED_RIG_H

#include "../test.h"
#include "base/str.h"
#include "core/cluster.h"
#include "sched/sched.h"

struct rig {
    struct cluster *c;
    struct sched *s;
    int64_t now_s;
    uint32_t last_starts;
};

/* Networks of the clusters created from now on. */
static Pb__Topology **rig_topologies;
static size_t rig_ntopologies;

/* Licences of the clusters created from now on: "matlab:4,ansys:2"; NULL: none. */
static const char *rig_licenses;

/* Clusters created from now on keep a history of run times. */
static bool rig_learns;

/* Devices attached to some cores, on every node of the clusters created from now on. */
static Pb__GresDevices **rig_devices;
static size_t rig_ndevices;

struct rig_node {
    const char *name, *gres, *features;
    uint32_t sockets, cores, threads, weight;
    uint64_t mem_mb;
    uint32_t core_spec;
};

struct rig_job { /* zeros: not set */
    uint32_t nodes, max_nodes, ntasks, cpus, per_node, mincpus, limit_min, prio, array, array_max, per_socket, tpc;
    uint64_t mem, mem_cpu, mem_gpu;
    const char *gres, *gpus, *gpus_per_node, *gpus_per_task, *constraint, *nodelist, *exclude, *part;
    uint32_t cpus_per_gpu, hold;
    const char *prefer, *licenses, *reservation;
    uint32_t core_spec; /* as in job_spec */
    uint32_t uid;
    const char *qos, *account;
    bool share, user_alone; /* --oversubscribe, --exclusive=user */
    const char *switches;
    uint32_t segment;
    bool consolidate, apart, topo_alone; /* --consolidate-segments, --spread-segments, --exclusive=topo */
    bool exclusive, mem_all, overcommit, contiguous, spread, use_min_nodes;
    int64_t begin_s, deadline_s;
    uint32_t time_min;
    const char *gres_flags;
    uint32_t gives_way_s; /* --signal=R:USR1@SECONDS */
    bool checkpoints;     /* --requeue and --signal */
    bool no_limit;        /* as the partition says */
    uint32_t depend;
};

static inline void rig_apply(struct rig *r, Pb__Event *ev)
{
    struct err err = ERR_INIT;
    ev->at_ms = r->now_s * 1000;
    if (cluster_apply(r->c, ev, &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
}

/* Nodes, all up; partitions as given (nodes as a hostlist). */
static inline void rig_up(struct rig *r, const struct rig_node *nodes, size_t n, Pb__Part **parts, size_t nparts)
{
    static char empty[] = "";
    *r = (struct rig){ .c = cluster_new(), .now_s = 1000000 };
    struct sched_conf conf = { .backfill = true, .by_core = true, .by_memory = true, .max_switch_wait_s = 300 };
    r->s = sched_new(&conf);
    Pb__NodeDef *def = mem_array(n, sizeof(*def)), **defs = mem_array(n, sizeof(*defs));
    Pb__NodeHw *hw = mem_array(n, sizeof(*hw));
    for (size_t i = 0; i < n; i++) {
        pb__node_def__init(&def[i]);
        pb__node_hw__init(&hw[i]);
        hw[i].boards = 1, hw[i].sockets = nodes[i].sockets, hw[i].cores = nodes[i].cores,
        hw[i].threads = nodes[i].threads;
        hw[i].cpus = nodes[i].sockets * nodes[i].cores * nodes[i].threads, hw[i].mem_mb = nodes[i].mem_mb;
        def[i].name = (char *)(uintptr_t)nodes[i].name, def[i].hw = &hw[i], def[i].weight = nodes[i].weight;
        def[i].gres = nodes[i].gres ? (char *)(uintptr_t)nodes[i].gres : empty;
        def[i].core_spec = nodes[i].core_spec;
        def[i].devices = rig_devices, def[i].n_devices = rig_ndevices;
        def[i].features = nodes[i].features ? (char *)(uintptr_t)nodes[i].features : empty;
        defs[i] = &def[i];
    }
    Pb__EvConfig conf_ev = PB__EV_CONFIG__INIT;
    conf_ev.cluster = empty, conf_ev.n_nodes = n, conf_ev.nodes = defs, conf_ev.n_parts = nparts, conf_ev.parts = parts;
    conf_ev.topologies = rig_topologies, conf_ev.n_topologies = rig_ntopologies;
    auto_license struct license_list lic = LICENSE_INIT;
    if (rig_licenses)
        license_parse(rig_licenses, &lic, NULL);
    auto_free Pb__License **lics = license_to_pb(&lic);
    conf_ev.licenses = lics, conf_ev.n_licenses = lic.n;
    conf_ev.learns = rig_learns;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_CONFIG, ev.config = &conf_ev;
    rig_apply(r, &ev);
    for (size_t i = 0; i < n; i++) {
        Pb__EvNodeUp up = PB__EV_NODE_UP__INIT;
        up.node = (uint32_t)i, up.state = NODE_IDLE | NODE_REGISTERED, up.hw = &hw[i];
        ev.body_case = PB__EVENT__BODY_NODE_UP, ev.node_up = &up;
        rig_apply(r, &ev);
    }
    free(def);
    free(defs);
    free(hw);
}

static inline void rig_down(struct rig *r)
{
    sched_free(r->s);
    cluster_free(r->c);
}

/* `n` equal nodes n1..nN and one partition "main". */
static inline void rig_plain(struct rig *r, size_t n, uint32_t sockets, uint32_t cores, uint32_t threads,
                             uint64_t mem_mb, const char *gres)
{
    struct rig_node *nodes = mem_array(n, sizeof(*nodes));
    char(*names)[16] = mem_array(n, sizeof(*names));
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof(names[i]), "n%zu", i + 1);
        nodes[i] = (struct rig_node){ .name = names[i],
                                      .gres = gres,
                                      .sockets = sockets,
                                      .cores = cores,
                                      .threads = threads,
                                      .mem_mb = mem_mb,
                                      .weight = 1 };
    }
    char all[32];
    snprintf(all, sizeof(all), "n[1-%zu]", n);
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    part.name = (char[]){ "main" }, part.nodes = all, part.is_default = true, part.priority_tier = 1;
    rig_up(r, nodes, n, parts, 1);
    free(nodes);
    free(names);
}

static inline void rig_spec(Pb__JobSpec *s, const struct rig_job *j)
{
#define TEXT(field, from)                                                                                              \
    if (from)                                                                                                          \
    s->field = (char *)(uintptr_t)(from)
    pb__job_spec__init(s);
    s->min_nodes = j->nodes, s->max_nodes = j->max_nodes ? j->max_nodes : j->nodes, s->ntasks = j->ntasks,
    s->cpus_per_task = j->cpus;
    s->ntasks_per_node = j->per_node, s->mincpus = j->mincpus, s->ntasks_per_socket = j->per_socket,
    s->threads_per_core = j->tpc;
    s->mem_per_node_mb = j->mem, s->mem_per_cpu_mb = j->mem_cpu, s->mem_per_gpu_mb = j->mem_gpu,
    s->mem_all = j->mem_all;
    s->overcommit = j->overcommit, s->contiguous = j->contiguous, s->spread = j->spread,
    s->use_min_nodes = j->use_min_nodes;
    s->cpus_per_gpu = j->cpus_per_gpu, s->deadline_s = j->deadline_s, s->time_min_min = j->time_min;
    TEXT(account, j->account);
    TEXT(gres, j->gres);
    TEXT(gpus, j->gpus);
    TEXT(gpus_per_node, j->gpus_per_node);
    TEXT(gpus_per_task, j->gpus_per_task);
    TEXT(constraint, j->constraint);
    TEXT(nodelist, j->nodelist);
    TEXT(prefer, j->prefer);
    TEXT(licenses, j->licenses);
    TEXT(reservation, j->reservation);
    s->core_spec = j->core_spec;
    TEXT(exclude, j->exclude);
    TEXT(exclusive, j->exclusive ? "yes" : j->user_alone ? "user" : j->topo_alone ? "topo" : NULL);
    TEXT(switches, j->switches);
    s->segment = j->segment, s->consolidate_segments = j->consolidate, s->spread_segments = j->apart;
    s->oversubscribe = j->share;
    s->requeue = j->checkpoints ? PB__REQUEUE__REQUEUE_YES : PB__REQUEUE__REQUEUE_BY_CONFIG;
    s->signal = j->checkpoints ? 10 : 0, s->signal_before_s = j->checkpoints ? 60 : 0;
    TEXT(qos, j->qos);
    TEXT(gres_flags, j->gres_flags);
    if (j->gives_way_s)
        s->signal = 10, s->signal_before_s = j->gives_way_s, s->signal_resv = true;
#undef TEXT
}

static inline uint32_t rig_submit(struct rig *r, struct rig_job j)
{
    Pb__JobSpec spec;
    rig_spec(&spec, &j);
    size_t len = pb__job_spec__get_packed_size(&spec);
    auto_free uint8_t *bytes = mem_alloc(len + 1);
    pb__job_spec__pack(&spec, bytes);
    Pb__Blob blob = PB__BLOB__INIT, *blobs[] = { &blob };
    struct blob *known = cluster_find_blob(r->c, bytes, len);
    blob.id = known ? known->id : r->c->next_blob;
    blob.data.data = bytes, blob.data.len = len;

    Pb__EvSubmit sub = PB__EV_SUBMIT__INIT;
    sub.job_id = cluster_free_id(r->c, r->c->next_job), sub.spec = blob.id;
    sub.blobs = blobs, sub.n_blobs = known ? 0 : 1, sub.uid = j.uid;
    sub.partition = (char *)(uintptr_t)(j.part ? j.part : "main");
    sub.priority = j.prio ? j.prio : 1000, sub.time_limit_min = j.limit_min ? j.limit_min : 60,
    sub.limit_set = !j.no_limit, sub.hold = j.hold;
    sub.eligible_s = j.begin_s ? j.begin_s : r->now_s, sub.mem_per_node_mb = j.mem, sub.mem_per_cpu_mb = j.mem_cpu;
    sub.requeue = j.checkpoints;
    Pb__Depend dep = PB__DEPEND__INIT, *deps[] = { &dep };
    dep.job = j.depend;
    sub.depend = deps, sub.n_depend = j.depend ? 1 : 0;
    auto_free uint8_t *bits = NULL;
    if (j.array) {
        sub.is_array = true, sub.array_max_running = j.array_max;
        sub.array_pending.len = (j.array + 7) / 8;
        bits = sub.array_pending.data = mem_alloc(sub.array_pending.len);
        for (uint32_t i = 0; i < j.array; i++)
            bits[i / 8] |= (uint8_t)(1u << (i % 8));
    }
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &sub;
    rig_apply(r, &ev);
    sched_changed(r->s, cluster_job(r->c, sub.job_id));
    return sub.job_id;
}

static inline uint32_t rig_start(struct rig *r, const struct sched_start *st)
{
    Pb__EvStart start = PB__EV_START__INIT;
    start.job_id = st->job->id, start.attempt = st->job->attempt + 1, start.partition = st->part->pb->name;
    start.time_limit_min = st->limit_min ? st->limit_min : st->job->time_limit_min;
    start.alloc = alloc_to_pb(NULL, &st->alloc), start.n_alloc = st->alloc.n;
    start.oversub = st->oversub, start.user_exclusive = st->owner;
    if (st->resv)
        start.resv = st->resv->pb->id, start.resv_name = st->resv->pb->name;
    auto_free Pb__License **lics = license_given(&st->job->spec->req.licenses, st->license, &start.n_licenses);
    start.licenses = lics, start.preferred = st->preferred;
    uint32_t id = st->job->id;
    if (st->task != TASK_NONE) {
        start.split = true, start.task = st->task;
        if (st->job->array->count > 1)
            id = start.new_id = cluster_free_id(r->c, r->c->next_job);
    }
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_START, ev.start = &start;
    uint32_t record = st->job->id;
    rig_apply(r, &ev);
    alloc_pb_free(start.alloc, start.n_alloc);
    sched_changed(r->s, cluster_job(r->c, record));
    sched_changed(r->s, cluster_job(r->c, id));
    return id;
}

/* Run one cycle and apply it; returns the number of starts. */
static inline uint32_t rig_plan(struct rig *r)
{
    struct plan p;
    sched_plan(r->s, r->c, r->now_s, NULL, &p);
    uint32_t n = (uint32_t)p.starts.n;
    for (size_t i = 0; i < p.whys.n; i++) /* before the starts, which may end the record */
        p.whys.at[i].job->why = p.whys.at[i].why;
    for (size_t i = 0; i < p.starts.n; i++)
        rig_start(r, &p.starts.at[i]);
    plan_clear(&p);
    return n;
}

static inline void rig_end(struct rig *r, uint32_t id)
{
    Pb__EvEnd end = PB__EV_END__INIT;
    end.job_id = id, end.state = JOB_COMPLETED, end.all_done = true;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_END, ev.end = &end;
    rig_apply(r, &ev);
    sched_changed(r->s, cluster_job(r->c, id));
}

/* By an administrator, which frees the CPUs, or at the end of a time slice. */
static inline void rig_suspend(struct rig *r, uint32_t id, bool resume, bool gang)
{
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    e.job_id = id, e.resume = resume, e.gang = gang;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_SUSPEND, ev.suspend = &e;
    rig_apply(r, &ev);
    sched_changed(r->s, cluster_job(r->c, id));
}

static inline void rig_node_state(struct rig *r, uint32_t node, uint32_t state)
{
    Pb__EvNodeState st = PB__EV_NODE_STATE__INIT;
    st.node = node, st.state = state;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_NODE_STATE, ev.node_state = &st;
    rig_apply(r, &ev);
    sched_changed(r->s, NULL);
}

/* "n1:cpus/tasks ..." of a running job, "-" of a pending one. */
static inline const char *rig_where(const struct rig *r, uint32_t id)
{
    static char text[8][512];
    static unsigned turn;
    char *out = text[turn++ % 8];
    const struct job *j = cluster_job(r->c, id);
    size_t n = 0;
    if (!j || job_base(j) != JOB_RUNNING)
        return "-";
    for (uint32_t i = 0; i < j->alloc.n; i++)
        n += (size_t)snprintf(out + n, sizeof(text[0]) - n, "%s%s:%u/%u", i ? " " : "",
                              r->c->node[j->alloc.at[i].node].name, j->alloc.at[i].cpus, j->alloc.at[i].tasks);
    return out;
}

static inline const char *rig_why(const struct rig *r, uint32_t id)
{
    return why_name(cluster_job(r->c, id)->why.code);
}

#endif
