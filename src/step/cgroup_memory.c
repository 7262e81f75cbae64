/* cgroup_memory - memory limits: computed from the allocation and cgroup.conf, without access to files. */
#include "step/cgroup_priv.h"

#define MB (1024ull * 1024)

static uint64_t part(uint64_t mb, double percent)
{
    return (uint64_t)((double)mb * percent / 100.0 * (double)MB);
}

struct cgroup_memory cgroup_memory(const struct cgroup_rules *r, uint64_t mb)
{
    uint64_t cap = part(r->node_mem_mb, r->max_ram), cap_swap = part(r->node_mem_mb, r->max_swap);
    struct cgroup_memory m = { .soft = mb ? mb * MB : cap };
    m.ram = mb ? part(mb, r->ram ? r->allowed_ram : 100) : cap;
    m.both = m.ram + part(mb, r->allowed_swap);
    if (cap && m.ram > cap)
        m.ram = cap;
    if (cap_swap && m.both > m.ram + cap_swap)
        m.both = m.ram + cap_swap;
    if (!r->ram)
        m.ram = m.both; /* only swap is limited: the sum limits both */
    m.ram = MAX(m.ram, r->min_ram_mb * MB);
    m.both = r->swap ? MAX(m.both, m.ram) : 0;
    m.soft = MIN(m.soft, m.ram);
    return m;
}
