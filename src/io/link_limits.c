/* link_limits - what a peer may cost; see link_limits.h. */
#include "io/link_limits.h"

#include "wire/frame.h"

#define MIB ((size_t)1 << 20)

const struct link_limits link_limits[LINK_CLASSES] = {
    /*                     name          frame_max        queue_max  pause_at  dead_ms */
    [LINK_STRANGER] = { "stranger", FRAME_MAX_HELLO, MIB / 16, 0, 30000 },
    [LINK_CLIENT] = { "client", FRAME_MAX, 256 * MIB, MIB, 30000 },
    [LINK_AGENT] = { "agent", FRAME_MAX, 256 * MIB, 0, 30000 },
    [LINK_CONTROLLER] = { "controller", FRAME_MAX, 256 * MIB, 0, 30000 },
    [LINK_SUPERVISOR] = { "supervisor", FRAME_MAX, 256 * MIB, 0, 20000 },
    [LINK_SRUN] = { "srun", 4 * MIB, 256 * MIB, 0, 20000 },
    [LINK_CHILD] = { "child process", FRAME_MAX, 256 * MIB, 0, 0 },
};
