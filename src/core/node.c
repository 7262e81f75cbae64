/* node - the names of its states; see node.h. */
#include "core/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/record.h"

uint32_t node_busy_cpus(const struct node *n)
{
    uint32_t cores = n->boards * n->sockets * n->cores;
    if (!n->more || !cores)
        return MIN(n->cpus_used, n->cpus);
    return MIN((uint32_t)bitmap_count(&n->cores_used) * MAX(n->cpus / cores, 1u), n->cpus);
}

uint32_t node_shown_state(const struct node *n)
{
    uint32_t flags = (n->state & ~NODE_STATE_BASE) | n->resv_state, base = node_base(n);
    if (n->completing)
        flags |= NODE_COMPLETING;
    if (base != NODE_IDLE)
        return base | flags;
    uint32_t live = n->jobs;
    if (!live || (!n->cpus_used && n->completing && !n->suspended_jobs))
        return NODE_IDLE | flags;
    uint32_t kept = n->def ? n->def->core_spec * MAX(n->threads, 1u) : 0;
    bool full = node_busy_cpus(n) + kept >= n->cpus || (n->exclusive_jobs && !n->lent_jobs);
    return (full ? NODE_ALLOCATED : NODE_MIXED) | flags;
}

static const struct {
    const char *full, *compact;
} names[] = {
    [NODE_UNKNOWN] = { "unknown", "unk" },       [NODE_DOWN] = { "down", "down" },    [NODE_IDLE] = { "idle", "idle" },
    [NODE_ALLOCATED] = { "allocated", "alloc" }, [NODE_ERROR] = { "error", "error" }, [NODE_MIXED] = { "mixed", "mix" },
    [NODE_FUTURE] = { "future", "futr" },
};

static const char *state_word(uint32_t shown, bool compact)
{
    uint32_t base = shown & NODE_STATE_BASE;
    bool busy = base == NODE_ALLOCATED || base == NODE_MIXED || (shown & NODE_COMPLETING);
    if (shown & NODE_MAINT && base == NODE_IDLE && !(shown & (NODE_DRAIN | NODE_FAIL | NODE_COMPLETING)))
        return "maint";
    if (shown & NODE_DRAIN) {
        if (base == NODE_DOWN || base == NODE_UNKNOWN || !busy)
            return compact ? "drain" : "drained";
        return compact ? "drng" : "draining";
    }
    if (shown & NODE_FAIL)
        return busy ? (compact ? "failg" : "failing") : "fail";
    if ((shown & NODE_COMPLETING) && base != NODE_DOWN && base != NODE_ALLOCATED && base != NODE_MIXED)
        return compact ? "comp" : "completing";
    if (base >= ARRAY_LEN(names))
        return "?";
    if (base == NODE_IDLE && shown & NODE_RES)
        return compact ? "resv" : "reserved";
    return compact ? names[base].compact : names[base].full;
}

const char *node_state_name(uint32_t shown, bool compact)
{
    static char text[8][24];
    static unsigned turn;
    char *out = text[turn++ % ARRAY_LEN(text)];
    const char *said = state_word(shown, compact);
    bool maint = shown & NODE_MAINT && strcmp(said, "maint");
    snprintf(out, sizeof(text[0]), "%s%s", said, shown & NODE_NO_RESPOND ? "*" : maint ? "$" : "");
    return out;
}

void node_state_flags(uint32_t shown, char *out, size_t room)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } flags[] = {
        { NODE_DRAIN, "+DRAIN" },       { NODE_COMPLETING, "+COMPLETING" },     { NODE_FAIL, "+FAIL" },
        { NODE_MAINT, "+MAINTENANCE" }, { NODE_RES, "+RESERVED" }, { NODE_NO_RESPOND, "+NOT_RESPONDING" },
    };
    uint32_t base = shown & NODE_STATE_BASE;
    size_t n = 0;
    for (const char *s = base < ARRAY_LEN(names) ? names[base].full : "?"; *s && n + 1 < room; s++)
        out[n++] = (char)(*s >= 'a' && *s <= 'z' ? *s - 32 : *s);
    out[n] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (shown & flags[i].flag)
            n += (size_t)snprintf(out + n, room - MIN(n, room), "%s", flags[i].name);
}

void node_free_gres(struct node *n)
{
    for (uint32_t i = 0; i < n->ngres; i++) {
        struct gres_slot *slot = &n->gres[i];
        free(slot->name);
        free(slot->type);
        bitmap_clear(&slot->busy);
        for (uint32_t k = 0; k < slot->nlocal; k++)
            bitmap_clear(&slot->local_cores[k]);
        free(slot->local_cores);
    }
    free(n->gres);
    n->gres = NULL;
    n->ngres = 0;
}

void node_free_fields(struct node *n)
{
    node_free_gres(n);
    node_free_record(n);
    free(n->features);
    bitmap_clear(&n->cores_used);
    vec_clear(&n->held);
    free(n->core_more);
}
