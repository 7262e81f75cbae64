/* link_limits - what a peer may cost; see link_limits.h. */
#include "io/link_limits.h"

#include "wire/frame.h"

#define MIB ((size_t)1 << 20)

/* clang-format off */
const struct link_limits link_limits[LINK_CLASSES] = {
    /*                      name            frame_max        queue_max  pause_at hello_ms probe_ms unacked_ms */
    [LINK_STRANGER]   = { "stranger",      FRAME_MAX_HELLO, MIB / 16,  0,       10000,   30000,   30000 },
    [LINK_CLIENT]     = { "command",       FRAME_MAX,       256 * MIB, MIB,     10000,   30000,   0 }, /* a pager */
    [LINK_AGENT]      = { "node",          FRAME_MAX,       256 * MIB, 0,       10000,   30000,   30000 },
    [LINK_CONTROLLER] = { "controller",    FRAME_MAX,       256 * MIB, 0,       10000,   30000,   30000 },
    [LINK_RAFT]       = { "controller",    FRAME_MAX_HELLO, MIB / 16,  0,       2000,    3000,    3000 },
    [LINK_SUPERVISOR] = { "supervisor",    FRAME_MAX,       256 * MIB, 0,       10000,   20000,   20000 },
    [LINK_SRUN]       = { "srun",          4 * MIB,         256 * MIB, 0,       10000,   20000,   20000 },
    [LINK_CHILD]      = { "child process", FRAME_MAX,       256 * MIB, 0,       0,       0,       0 },
};
/* clang-format on */
