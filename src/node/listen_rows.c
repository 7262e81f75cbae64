/* listen_rows - what the agent takes at its doors, and from whom. */
#include "node/listen.h"

const struct listen_row listen_rows[] = {
    { MSG_CRED, LISTEN_USER, local_cred, true },
    { 0 },
};
