/* membind - tasks bound to NUMA nodes; see membind.h. */
#include "step/membind.h"

#include <linux/mempolicy.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

/* The NUMA nodes of the CPUs that the task runs on. */
static void local_nodes(const struct topo *t, const struct bitmap *cpus, struct bitmap *out)
{
    for (uint32_t i = 0; i < t->npus; i++)
        if (bitmap_has(cpus, t->pu[i].os))
            bitmap_set(out, t->pu[i].numa);
}

void membind_nodes(const struct bind_mem *b, const struct topo *t, uint32_t local, const struct bitmap *cpus,
                   struct bitmap *out)
{
    uint32_t numas = MAX(topo_numas(t), 1u);
    const char *word = b->list.n ? b->list.at[local % b->list.n] : "0";
    switch (b->how) {
    case BIND_MEM_UNSET:
    case BIND_MEM_NONE: return;
    case BIND_MEM_RANK: bitmap_set(out, local % numas); return;
    case BIND_MEM_LOCAL: local_nodes(t, cpus, out); return;
    case BIND_MEM_MAP:
        if (strtoul(word, NULL, 0) < numas)
            bitmap_set(out, strtoul(word, NULL, 0));
        return;
    case BIND_MEM_MASK: masks_parse(word, numas, out); return;
    }
}

/* The kernel takes words of unsigned long and a bit count that is one too high. */
static bool set_policy(const struct bitmap *nodes, bool prefer)
{
    _Static_assert(sizeof(unsigned long) == sizeof(*nodes->word), "the kernel's words and ours");
    struct bitmap first = BITMAP_INIT;
    const struct bitmap *use = nodes;
    if (prefer) { /* one node is preferred; other nodes stay allowed */
        bitmap_set(&first, bitmap_next(nodes, 0));
        use = &first;
    }
    long rc = syscall(SYS_set_mempolicy, prefer ? MPOL_PREFERRED : MPOL_BIND, use->word, use->words * 64 + 1);
    bitmap_clear(&first);
    return rc == 0;
}

static const char *type_word(enum bind_mem_how how)
{
    static const char *const words[] = { "NULL", "NONE", "RANK", "LOC", "MAP", "MASK" };
    return words[how];
}

void membind_task(const struct step *s, uint32_t local, const struct bitmap *cpus)
{
    const struct binding *b = s->binding;
    auto_bitmap struct bitmap nodes = BITMAP_INIT;
    if (b->mem.how == BIND_MEM_UNSET && !b->mem.verbose)
        return;
    membind_nodes(&b->mem, &b->topo, local, cpus, &nodes);
    bool asked = b->mem.how > BIND_MEM_NONE;
    bool set = asked && !bitmap_none(&nodes) && set_policy(&nodes, b->mem.prefer);
    if (!asked)
        bitmap_set_range(&nodes, 0, MAX(topo_numas(&b->topo), 1u)); /* all nodes */
    if (b->mem.verbose)
        bind_say(s, local, "mem-bind", type_word(b->mem.how), &nodes, set ? " set" : asked ? " set FAILED" : "");
}
