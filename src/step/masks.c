/* masks - which CPUs each task gets; see masks.h. */
#include "step/masks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- text ---- */

void masks_parse(const char *hex, size_t max, struct bitmap *out)
{
    size_t len = strlen(hex);
    for (size_t i = 0; i < len; i++) {
        char c = (char)tolower((unsigned char)hex[len - 1 - i]);
        unsigned digit = c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(c - '0');
        for (size_t k = 0; k < 4; k++)
            if (digit >> k & 1 && i * 4 + k < max)
                bitmap_set(out, i * 4 + k);
    }
}

static unsigned digit_at(const struct bitmap *b, size_t i)
{
    unsigned digit = 0;
    for (size_t k = 0; k < 4; k++)
        digit |= (unsigned)bitmap_has(b, i * 4 + k) << k;
    return digit;
}

char *masks_hex(const struct bitmap *b)
{
    auto_buf struct buf out = BUF_INIT;
    for (size_t i = b->words * 16; i-- > 0;) {
        unsigned digit = digit_at(b, i);
        if (digit || out.len || !i)
            buf_addf(&out, "%x", digit);
    }
    return out.len ? buf_take(&out) : mem_str("0");
}

char *masks_text(const struct masks *m, uint32_t cpus)
{
    auto_buf struct buf out = BUF_INIT;
    for (uint32_t i = 0; i < m->n; i++) {
        buf_adds(&out, i ? ",0x" : "0x");
        for (size_t k = MAX((cpus + 3) / 4, 1u); k-- > 0;)
            buf_addf(&out, "%X", digit_at(&m->at[i], k));
    }
    return buf_take(&out);
}

/* ---- available CPUs ---- */

struct assignment { /* the assignment of CPUs to tasks; CPUs by the node's shape */
    const struct masks_ask *ask;
    const struct topo *t;
    struct bitmap avail, used;
    uint32_t *core_tasks; /* tasks that have a CPU of this core */
    uint32_t *at;         /* for each socket: where the search continues, from its first CPU */
    uint32_t socket;
    enum bind_level by_socket, by_core;
    enum bind_unit unit;
};

static uint32_t threads_used(const struct masks_ask *ask)
{
    uint32_t n = ask->threads_per_core;
    return n ? MIN(n, ask->topo->threads) : ask->topo->threads;
}

static void find_avail(const struct masks_ask *ask, struct bitmap *out)
{
    const struct topo *t = ask->topo;
    bitmap_each (ask->cores, core) {
        if (core < topo_cores(t))
            bitmap_set_range(out, core * t->threads, threads_used(ask));
    }
}

/* How many groups of `size` CPUs are wholly available; `*part`: how many in part. */
static uint32_t count_whole(const struct bitmap *avail, uint32_t all, uint32_t size, uint32_t *part)
{
    uint32_t whole = 0;
    for (uint32_t from = 0; from < all; from += size) {
        uint32_t n = 0;
        for (uint32_t i = from; i < from + size; i++)
            n += bitmap_has(avail, i);
        whole += n == size;
        *part += n && n < size;
    }
    return whole;
}

/* The unit whose number of sockets, cores or threads equals the number of the tasks' CPUs. */
static enum bind_unit auto_unit(const struct masks_ask *ask, const struct bitmap *avail)
{
    const struct topo *t = ask->topo;
    uint32_t want = ask->tasks * MAX(ask->cpus_per_task, 1u), all = topo_cpus(t), part = 0;
    if (count_whole(avail, all, topo_per_socket(t), &part) == want && !part)
        return BIND_SOCKETS;
    part = 0;
    if (count_whole(avail, all, t->threads, &part) == want && !part)
        return BIND_CORES;
    return bitmap_count(avail) == want ? BIND_THREADS : ask->otherwise;
}

/* ---- assignment ---- */

static bool can_have(const struct assignment *a, uint32_t cpu)
{
    uint32_t most = a->ask->ntasks_per_core;
    return bitmap_has(&a->avail, cpu) && !bitmap_has(&a->used, cpu) &&
           (!most || a->core_tasks[cpu / a->t->threads] < most);
}

/* The next free CPU of a socket, searched once around from where the last search ended. */
static bool find_in(struct assignment *a, uint32_t socket, uint32_t *cpu)
{
    uint32_t size = topo_per_socket(a->t);
    for (uint32_t i = 0; i < size; i++) {
        *cpu = socket * size + (a->at[socket] + i) % size;
        if (can_have(a, *cpu))
            return true;
    }
    return false;
}

static void start_again(struct assignment *a)
{
    bitmap_zero(&a->used);
    memset(a->core_tasks, 0, topo_cores(a->t) * sizeof(*a->core_tasks));
    memset(a->at, 0, topo_sockets(a->t) * sizeof(*a->at));
}

/* A free CPU of the current socket, or of the next one that has any; when none has, all CPUs are assigned once more. */
static uint32_t next_free_cpu(struct assignment *a)
{
    uint32_t sockets = topo_sockets(a->t), cpu = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < sockets; i++) {
            uint32_t s = (a->socket + i) % sockets;
            if (!find_in(a, s, &cpu))
                continue;
            a->socket = s;
            return cpu;
        }
        start_again(a);
    }
    return (uint32_t)bitmap_next(&a->avail, 0); /* no core can take a task: use any CPU */
}

static void next_core(struct assignment *a, uint32_t cpu)
{
    a->at[a->socket] = (cpu % topo_per_socket(a->t) / a->t->threads + 1) * a->t->threads;
}

static void next_socket(struct assignment *a)
{
    a->socket = (a->socket + 1) % topo_sockets(a->t);
}

static void take_cpu(struct assignment *a, uint32_t cpu, struct bitmap *mask)
{
    bitmap_set(mask, cpu);
    bitmap_set(&a->used, cpu);
    a->at[a->socket] = cpu % topo_per_socket(a->t) + 1;
    if (a->by_core == BIND_FCYCLIC)
        next_core(a, cpu);
    if (a->by_socket == BIND_FCYCLIC)
        next_socket(a);
}

/* Unless tasks are bound to threads, the rest of a task's last core is not given to another task. */
static void end_task(struct assignment *a, uint32_t last)
{
    uint32_t threads = a->t->threads, core = last / threads;
    a->core_tasks[core]++;
    if (a->unit != BIND_THREADS && !a->ask->share_cores)
        bitmap_set_range(&a->used, (size_t)core * threads, threads);
    if (a->by_socket == BIND_FCYCLIC)
        return;
    if (a->by_core == BIND_CYCLIC)
        next_core(a, last);
    if (a->by_socket == BIND_CYCLIC)
        next_socket(a);
}

/* With fewer CPUs than requested (overcommit) a task gets fewer, but at least one. */
static uint32_t cpus_of_task(const struct masks_ask *ask, const struct bitmap *avail)
{
    uint32_t want = MAX(ask->cpus_per_task, 1u), have = (uint32_t)bitmap_count(avail);
    return (uint64_t)want * ask->tasks <= have ? want : MAX(have / MAX(ask->tasks, 1u), 1u);
}

static enum bind_level socket_level(const struct masks_ask *ask)
{
    const struct bind_dist *d = &ask->dist;
    if (d->socket != BIND_DEFAULT)
        return d->socket;
    return d->node == BIND_PLANE || ask->dist_block ? BIND_BLOCK : BIND_CYCLIC;
}

static void assign_cpus(const struct masks_ask *ask, const struct bitmap *avail, enum bind_unit unit,
                        struct bitmap *mask)
{
    const struct topo *t = ask->topo;
    struct assignment a = {
        .ask = ask, .t = t, .unit = unit, .by_socket = socket_level(ask), .by_core = ask->dist.core
    };
    bitmap_copy(&a.avail, avail);
    a.core_tasks = mem_array(topo_cores(t), sizeof(*a.core_tasks));
    a.at = mem_array(topo_sockets(t), sizeof(*a.at));
    uint32_t each = cpus_of_task(ask, avail);
    for (uint32_t i = 0; i < ask->tasks; i++) {
        uint32_t cpu = 0;
        if (a.by_socket == BIND_BLOCK)
            a.socket = 0;
        for (uint32_t k = 0; k < each; k++) {
            cpu = next_free_cpu(&a);
            take_cpu(&a, cpu, &mask[i]);
        }
        end_task(&a, cpu);
    }
    bitmap_clear(&a.avail);
    bitmap_clear(&a.used);
    free(a.core_tasks);
    free(a.at);
}

/* ---- extension to units ---- */

static uint32_t group_of(const struct topo *t, enum bind_unit unit, uint32_t cpu)
{
    switch (unit) {
    case BIND_SOCKETS: return cpu / topo_per_socket(t);
    case BIND_CORES: return cpu / t->threads;
    case BIND_LDOMS: return topo_domain(t, cpu);
    case BIND_THREADS:
    case BIND_UNIT_ANY: break;
    }
    return cpu;
}

/* Extend the mask to all available CPUs of each unit that the task has a part of. */
static void widen(const struct topo *t, enum bind_unit unit, const struct bitmap *avail, struct bitmap *mask)
{
    auto_bitmap struct bitmap groups = BITMAP_INIT;
    bitmap_each (mask, i)
        bitmap_set(&groups, group_of(t, unit, (uint32_t)i));
    bitmap_each (avail, i) {
        if (bitmap_has(&groups, group_of(t, unit, (uint32_t)i)))
            bitmap_set(mask, i);
    }
}

/* ---- all tasks ---- */

static void settle(const struct masks_ask *ask, const struct bitmap *cpus, struct masks *out, uint32_t task)
{
    if (topo_os(ask->topo, cpus, &out->at[task]))
        return;
    bitmap_zero(&out->at[task]);
    out->absent = true;
}

static void make_units(const struct masks_ask *ask, const struct bitmap *avail, enum bind_unit unit, struct masks *out)
{
    auto_free struct bitmap *mask = mem_array(MAX(ask->tasks, 1u), sizeof(*mask));
    assign_cpus(ask, avail, unit, mask);
    for (uint32_t i = 0; i < ask->tasks; i++) {
        widen(ask->topo, unit, avail, &mask[i]);
        settle(ask, &mask[i], out, i);
        bitmap_clear(&mask[i]);
    }
}

static void make_asked(const struct masks_ask *ask, struct masks *out)
{
    const struct bind_list *l = &ask->bind->list;
    uint32_t numas = MAX(topo_numas(ask->topo), 1u);
    for (uint32_t i = 0; i < ask->tasks; i++) {
        const char *word = l->n ? l->at[i % l->n] : "0";
        unsigned long number = strtoul(word, NULL, 0);
        auto_bitmap struct bitmap domains = BITMAP_INIT;
        if (out->how == BIND_CPU_MAP && number < TOPO_MAX)
            bitmap_set(&out->at[i], number);
        else if (out->how == BIND_CPU_MASK)
            masks_parse(word, TOPO_MAX, &out->at[i]);
        else if (out->how == BIND_CPU_LD_MASK)
            masks_parse(word, numas, &domains);
        else if (out->how == BIND_CPU_LD_RANK)
            bitmap_set(&domains, i % numas);
        else if (out->how == BIND_CPU_LD_MAP && number < numas)
            bitmap_set(&domains, number);
        bitmap_each (&domains, numa)
            topo_numa_os(ask->topo, (uint32_t)numa, &out->at[i]);
    }
}

static bool has_whole_node(const struct masks_ask *ask)
{
    return bitmap_count(ask->cores) >= topo_cores(ask->topo);
}

/* Maps and masks may name only the step's CPUs.  Where configured CPUs do not exist, this cannot be checked. */
static bool within(const struct masks_ask *ask, const struct bitmap *avail, struct masks *out)
{
    bool known = topo_os(ask->topo, avail, &out->had), all = true;
    for (uint32_t i = 0; known && i < out->n; i++) {
        auto_bitmap struct bitmap outside = BITMAP_INIT;
        bitmap_copy(&outside, &out->at[i]);
        bitmap_minus(&outside, &out->had);
        if (out->how == BIND_CPU_MASK) /* a mask may be in part outside of the step */
            bitmap_and(&out->at[i], &out->had);
        all = all && (out->how == BIND_CPU_MASK ? !bitmap_none(&out->at[i]) : bitmap_none(&outside));
    }
    return all;
}

bool masks_make(const struct masks_ask *ask, struct masks *out)
{
    auto_bitmap struct bitmap avail = BITMAP_INIT;
    find_avail(ask, &avail);
    *out = (struct masks){ .n = ask->tasks, .at = mem_array(MAX(ask->tasks, 1u), sizeof(*out->at)) };
    out->how = ask->bind->how;
    if (out->how == BIND_CPU_NONE || bitmap_none(&avail))
        return true;
    bool named = out->how == BIND_CPU_MAP || out->how == BIND_CPU_MASK;
    if (out->how != BIND_CPU_AUTO && (named || has_whole_node(ask))) {
        make_asked(ask, out);
        return !named || within(ask, &avail, out);
    }
    enum bind_unit unit = ask->bind->unit;
    if (out->how == BIND_CPU_AUTO && unit == BIND_UNIT_ANY)
        unit = auto_unit(ask, &avail);
    out->how = BIND_CPU_MASK;
    if (unit != BIND_UNIT_ANY)
        make_units(ask, &avail, unit, out);
    for (uint32_t i = 0; unit == BIND_UNIT_ANY && i < ask->tasks; i++)
        settle(ask, &avail, out, i);
    return true;
}

void masks_clear(struct masks *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        bitmap_clear(&m->at[i]);
    bitmap_clear(&m->had);
    free(m->at);
    *m = (struct masks){ 0 };
}
