/* hw - the hardware of this machine; see hw.h. */
#include "node/hw.h"

#include <hwloc.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "base/buf.h"

static uint32_t count_objects(hwloc_topology_t t, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(t, type);
    return n > 0 ? (uint32_t)n : 0;
}

static struct buf pus;

/* In hwloc's order: package, core, thread. */
static void list_pus(hwloc_topology_t t)
{
    for (hwloc_obj_t pu = NULL; (pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu));) {
        int numa = pu->nodeset ? hwloc_bitmap_first(pu->nodeset) : 0;
        buf_addf(&pus, "%s%u.%d", pus.len ? " " : "", pu->os_index, MAX(numa, 0));
    }
}

const char *hw_pus(void)
{
    hw_find();
    return pus.len ? pus.s : "";
}

static void find_cpus(struct hw *hw)
{
    hwloc_topology_t t;
    uint32_t cores = 0;
    if (hwloc_topology_init(&t))
        return;
    if (!hwloc_topology_load(t)) {
        hw->sockets = count_objects(t, HWLOC_OBJ_PACKAGE);
        cores = count_objects(t, HWLOC_OBJ_CORE);
        hw->cpus = count_objects(t, HWLOC_OBJ_PU);
        list_pus(t);
    }
    hwloc_topology_destroy(t);
    hw->cpus = MAX(hw->cpus, 1u);
    hw->sockets = MAX(hw->sockets, 1u);
    cores = cores ? cores : hw->cpus;
    hw->cores = MAX(cores / hw->sockets, 1u);
    hw->threads = MAX(hw->cpus / cores, 1u);
    hw->boards = 1;
}

const struct hw *hw_find(void)
{
    static struct hw hw;
    if (hw.cpus)
        return &hw;
    find_cpus(&hw);
    struct sysinfo si;
    if (!sysinfo(&si))
        hw.mem_mb = (uint64_t)si.totalram * si.mem_unit >> 20;
    struct statvfs fs;
    if (!statvfs("/tmp", &fs))
        hw.tmp_mb = (uint64_t)fs.f_blocks * fs.f_frsize >> 20;
    return &hw;
}

void hw_report(Pb__NodeHw *out, const struct site_node *def)
{
    static struct utsname uts;
    static char os[sizeof(uts.sysname) + sizeof(uts.release) + sizeof(uts.version) + 2];
    const struct hw *hw = hw_find();
    bool file = def;
    uname(&uts);
    snprintf(os, sizeof(os), "%s %s %s", uts.sysname, uts.release, uts.version);
    *out = (Pb__NodeHw)PB__NODE_HW__INIT;
#define PICK(field) (file && def->field ? def->field : hw->field)
    out->boards = PICK(boards);
    out->sockets = PICK(sockets);
    out->cores = PICK(cores);
    out->threads = PICK(threads);
    out->cpus = PICK(cpus);
    out->mem_mb = PICK(mem_mb);
    out->tmp_mb = PICK(tmp_mb);
#undef PICK
    out->arch = uts.machine;
    out->os = os;
}

void hw_print(const char *name)
{
    const struct hw *hw = hw_find();
    struct sysinfo si;
    printf("NodeName=%s CPUs=%u Boards=%u SocketsPerBoard=%u CoresPerSocket=%u ThreadsPerCore=%u RealMemory=%llu\n",
           name, hw->cpus, hw->boards, hw->sockets, hw->cores, hw->threads, (unsigned long long)hw->mem_mb);
    if (!sysinfo(&si))
        printf("UpTime=%ld-%02ld:%02ld:%02ld\n", si.uptime / 86400, si.uptime / 3600 % 24, si.uptime / 60 % 60,
               si.uptime % 60);
}
