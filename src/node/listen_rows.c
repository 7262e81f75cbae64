/* listen_rows - what the agent takes at its doors, and from whom. */
#include "node/guests.h"
#include "node/listen.h"

const struct listen_row listen_rows[] = {
    { MSG_CRED, LISTEN_USER, local_cred, true },
    { MSG_STAT, LISTEN_USER, stat_request, false },
    { MSG_ATTACH, LISTEN_USER, attach_request, false },
    { 0 },
};
