/* node_states - node states by name; see node_states.h. */
#include "cli/node_states.h"

#include "base/mem.h"
#include "base/str.h"
#include "core/node.h"

/* A node has the state when its base is one of `bases` (a bit each; 0: any) and it has one of `flags` (0: any) and none
 * of `without`. */
static const struct {
    const char *name, *other;
    uint32_t bases, flags, without;
} states[] = {
#define BASE(b) (1u << (b))
#define BUSY (BASE(NODE_ALLOCATED) | BASE(NODE_MIXED))
#define NEVER 0x40000000u
    { "unknown", "unk", BASE(NODE_UNKNOWN), 0, 0 },
    { "down", NULL, BASE(NODE_DOWN), 0, 0 },
    { "idle", NULL, BASE(NODE_IDLE), 0, NODE_DRAIN },
    { "allocated", "alloc", BUSY, 0, NODE_DRAIN },
    { "mixed", "mix", BASE(NODE_MIXED), 0, NODE_DRAIN },
    { "future", "futr", BASE(NODE_FUTURE), 0, 0 },
    { "drain", NULL, 0, NODE_DRAIN, 0 },
    { "drained", NULL, BASE(NODE_IDLE) | BASE(NODE_DOWN) | BASE(NODE_UNKNOWN), NODE_DRAIN, NODE_COMPLETING },
    { "draining", "drng", BUSY, NODE_DRAIN, 0 },
    { "no_respond", NULL, 0, NODE_NO_RESPOND, 0 },
    { "reserved", "resv", 0, NODE_RES, 0 },
    { "planned", "plnd", 0, NEVER, 0 },
    { "blocked", "block", 0, NEVER, 0 },
    { "cloud", NULL, 0, NEVER, 0 },
    { "completing", "comp", 0, NODE_COMPLETING, 0 },
    { "powering_down", NULL, 0, NEVER, 0 },
    { "powered_down", NULL, 0, NEVER, 0 },
    { "power_down", NULL, 0, NEVER, 0 },
    { "powering_up", NULL, 0, NEVER, 0 },
    { "power_up", NULL, 0, NEVER, 0 },
    { "inval", NULL, 0, NEVER, 0 },
    { "fail", NULL, 0, NODE_FAIL, 0 },
    { "maint", NULL, 0, NODE_MAINT, 0 },
    { "reboot", NULL, 0, NEVER, 0 },
    { "reboot^", NULL, 0, NEVER, 0 },
    { "external", NULL, 0, NEVER, 0 },
    { "dynamic_future", NULL, 0, NEVER, 0 },
    { "dynamic_norm", NULL, 0, NEVER, 0 },
};

static bool state_named(size_t i, const char *word)
{
    return str_ieq(states[i].name, word) || str_ieq(states[i].other, word);
}

int node_state_is(const char *word, uint32_t state)
{
    size_t found = ARRAY_LEN(states);
    for (size_t i = 0; i < ARRAY_LEN(states) && found == ARRAY_LEN(states); i++)
        if (state_named(i, word))
            found = i;
    for (size_t i = 0; i < ARRAY_LEN(states) && found == ARRAY_LEN(states); i++)
        if (strlen(word) > 2 && str_has_iprefix(states[i].name, word))
            found = i;
    if (found == ARRAY_LEN(states))
        return -1;
    uint32_t bases = states[found].bases, flags = states[found].flags;
    if (bases && !(bases & BASE(state & NODE_STATE_BASE)))
        return 0;
    return (!flags || (state & flags)) && !(state & states[found].without);
}

void node_state_names(struct buf *out, const char *sep)
{
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        buf_addf(out, "%s%s", states[i].name, i + 1 < ARRAY_LEN(states) ? sep : "");
}
