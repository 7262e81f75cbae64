/* cgroup_limits - the limits of a job and a step on this node, from the order and cgroup.conf. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "step/cgroup_priv.h"
#include "step/spawner.h"
#include "step/topo.h"

#define QUOTA_PERIOD_US 100000ull

/* The job's share of this node; NULL: not in the order. */
static const Pb__NodeAlloc *job_share(const struct step *s)
{
    const Pb__LaunchOrder *o = s->order;
    return o->node_index < o->n_alloc ? o->alloc[o->node_index] : NULL;
}

static const Pb__NodeAlloc *step_share(const struct step *s)
{
    return s->order->step_alloc && !s->batch ? s->order->step_alloc : job_share(s);
}

static int failed(struct err *err, int rc, const char *what, const char *dir)
{
    return rc ? err_set(err, rc, "cannot set the limit of %s in %s: %s", what, dir, strerror(rc)) : 0;
}

/* ---- memory ---- */

static int memory_v1(const struct cgroup_rules *r, const char *dir, struct cgroup_memory m)
{
    int rc = cgroup_writef(dir, "memory.limit_in_bytes", "%llu", (unsigned long long)m.ram);
    if (!rc && m.soft < m.ram)
        rc = cgroup_writef(dir, "memory.soft_limit_in_bytes", "%llu", (unsigned long long)m.soft);
    if (!rc && m.both)
        rc = cgroup_writef(dir, "memory.memsw.limit_in_bytes", "%llu", (unsigned long long)m.both);
    if (!rc && m.both && r->swappiness != UINT64_MAX)
        rc = cgroup_writef(dir, "memory.swappiness", "%llu", (unsigned long long)r->swappiness);
    return rc;
}

/* Above the soft limit v2 throttles the job heavily, so it is set only where it differs from the hard limit. */
static int memory_v2(const char *dir, struct cgroup_memory m)
{
    int rc = cgroup_writef(dir, "memory.max", "%llu", (unsigned long long)m.ram);
    if (!rc && m.soft < m.ram)
        rc = cgroup_writef(dir, "memory.high", "%llu", (unsigned long long)m.soft);
    if (!rc && m.both)
        rc = cgroup_writef(dir, "memory.swap.max", "%llu", (unsigned long long)(m.both - m.ram));
    return rc;
}

static int set_memory(const struct cgroup *c, const struct cgroup_box *b, const char *dir, uint64_t mb, struct err *err)
{
    struct cgroup_memory m = cgroup_memory(&c->node.rules, mb);
    if (!m.ram)
        return 0;
    return failed(err, b->tree->v2 ? memory_v2(dir, m) : memory_v1(&c->node.rules, dir, m), "memory", dir);
}

static int limit_memory(const struct step *s, struct err *err)
{
    const struct cgroup *c = s->cgroup;
    const struct cgroup_box *b = cgroup_box_of(c, CGROUP_MEMORY);
    const Pb__NodeAlloc *job = job_share(s), *step = step_share(s);
    if (!b)
        return 0;
    uint64_t job_mb = job ? job->mem_mb : 0, step_mb = step && step->mem_mb ? step->mem_mb : job_mb;
    int rc = b->job_made ? set_memory(c, b, b->job, job_mb, err) : 0;
    /* A step limit that equals the job's limit is enforced by the job's cgroup. */
    return rc || !strcmp(b->job, b->step) || step_mb == job_mb ? rc : set_memory(c, b, b->step, step_mb, err);
}

/* ---- CPUs ---- */

static bool has_bit(const ProtobufCBinaryData *bits, size_t i)
{
    return i / 8 < bits->len && bits->data[i / 8] >> i % 8 & 1;
}

/* "0-3,8": the machine's CPUs of the share's cores; NULL when the node's cores are not (all) those of this machine. */
static char *cpu_list(const struct topo *t, const Pb__NodeAlloc *share)
{
    auto_bitmap struct bitmap cpus = BITMAP_INIT, os = BITMAP_INIT;
    auto_buf struct buf list = BUF_INIT;
    for (uint32_t core = 0; core < topo_cores(t); core++)
        if (has_bit(&share->cores, core))
            bitmap_set_range(&cpus, (size_t)core * t->threads, t->threads);
    if (bitmap_none(&cpus) || !topo_os(t, &cpus, &os))
        return NULL;
    bitmap_each (&os, i)
        buf_addf(&list, "%s%zu", list.len ? "," : "", i);
    return buf_take(&list);
}

static int set_cpus(const char *dir, const Pb__NodeAlloc *share, struct err *err)
{
    auto_topo struct topo t = TOPO_INIT;
    if (!share || topo_parse(str_or(getenv(SPAWNER_TOPOLOGY), ""), &t, NULL))
        return 0;
    auto_free char *list = cpu_list(&t, share);
    return str_empty(list) ? 0 : failed(err, cgroup_write(dir, "cpuset.cpus", list), "CPUs", dir);
}

static int limit_cpus(const struct step *s, struct err *err)
{
    const struct cgroup_box *b = cgroup_box_of(s->cgroup, CGROUP_CPUSET);
    int rc = b && b->job_made ? set_cpus(b->job, job_share(s), err) : 0;
    if (rc || !b || !strcmp(b->job, b->step))
        return rc;
    if (!b->tree->v2)
        cgroup_copy_cpuset(b->job, b->step); /* after the job's cpuset: the step's must be a subset */
    return set_cpus(b->step, step_share(s), err);
}

static int set_quota(const struct cgroup_box *b, const char *dir, const Pb__NodeAlloc *share, struct err *err)
{
    unsigned long long us = share ? share->cpus * QUOTA_PERIOD_US : 0;
    if (!us)
        return 0;
    int rc = b->tree->v2 ? cgroup_writef(dir, "cpu.max", "%llu %llu", us, QUOTA_PERIOD_US)
                         : cgroup_writef(dir, "cpu.cfs_quota_us", "%llu", us);
    return failed(err, rc, "CPU time", dir);
}

static int limit_quota(const struct step *s, struct err *err)
{
    const struct cgroup_box *b = cgroup_box_of(s->cgroup, CGROUP_CPU);
    int rc = b && b->job_made ? set_quota(b, b->job, job_share(s), err) : 0;
    return rc || !b || !strcmp(b->job, b->step) ? rc : set_quota(b, b->step, step_share(s), err);
}

/* ---- processes ---- */

static int limit_processes(const struct step *s, struct err *err)
{
    const struct cgroup_box *b = cgroup_box_of(s->cgroup, CGROUP_PIDS);
    unsigned long long n = s->cgroup->node.rules.max_processes;
    return b && b->job_made && n ? failed(err, cgroup_writef(b->job, "pids.max", "%llu", n), "processes", b->job) : 0;
}

/* ---- devices ---- */

/* Is the device, given its index by name and by type, in the share?  Where the share has no indices, every device
 * is. */
static bool given(const Pb__NodeAlloc *share, const struct cgroup_device *d, size_t by_name, size_t by_type)
{
    for (size_t i = 0; share && i < share->n_gres; i++) {
        const Pb__Gres *g = share->gres[i];
        bool typed = !str_empty(g->type);
        if (!str_eq(g->name, d->name) || (typed && !str_eq(g->type, d->type)))
            continue;
        if (g->index.len ? has_bit(&g->index, typed ? by_type : by_name) : g->count > 0)
            return true;
    }
    return false;
}

static void find_mine(const struct cgroup *c, const Pb__NodeAlloc *share, bool *mine)
{
    const struct cgroup_device *d = c->node.device.at;
    for (size_t i = 0; i < c->node.device.n; i++) {
        size_t by_name = 0, by_type = 0;
        for (size_t k = 0; k < i; k++) {
            by_name += str_eq(d[k].name, d[i].name);
            by_type += str_eq(d[k].name, d[i].name) && str_eq(d[k].type, d[i].type);
        }
        mine[i] = given(share, &d[i], by_name, by_type);
    }
    /* One device file may belong to two entries: a job that has one of them may open it. */
    for (size_t i = 0; i < c->node.device.n; i++)
        for (size_t k = 0; k < c->node.device.n; k++)
            mine[i] |= mine[k] && d[i].kind == d[k].kind && d[i].major == d[k].major && d[i].minor == d[k].minor;
}

static int limit_devices(const struct step *s, struct err *err)
{
    const struct cgroup *c = s->cgroup;
    const struct cgroup_box *b = cgroup_box_of(c, CGROUP_DEVICES);
    if (!b || !c->node.device.n)
        return 0;
    auto_free bool *mine = mem_array(c->node.device.n, sizeof(*mine));
    find_mine(c, job_share(s), mine);
    int rc = b->job_made ? cgroup_devices(c, b->job, b->tree->v2, mine, err) : 0;
    if (rc || !strcmp(b->job, b->step) || step_share(s) == job_share(s))
        return rc;
    find_mine(c, step_share(s), mine);
    return cgroup_devices(c, b->step, b->tree->v2, mine, err);
}

int cgroup_limits(struct step *s, struct err *err)
{
    static int (*const all[])(const struct step *, struct err *) = { limit_memory, limit_cpus, limit_quota,
                                                                     limit_processes, limit_devices };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        int rc = all[i](s, err);
        if (rc)
            return rc;
    }
    return 0;
}
