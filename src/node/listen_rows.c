/* listen_rows - which messages the agent accepts, and from which peers. */
#include "node/user_requests.h"
#include "node/listen.h"
#include "node/tree.h"

const struct listen_row listen_rows[] = {
    { MSG_CRED, LISTEN_USER, local_cred, true },
    { MSG_STAT, LISTEN_USER, stat_request, false },
    { MSG_ATTACH, LISTEN_USER, attach_request, false },
    { MSG_BCAST_OPEN, LISTEN_USER | LISTEN_AGENT, bcast_open, false },
    { MSG_BCAST_DATA, LISTEN_USER | LISTEN_AGENT, bcast_more, false },
    { MSG_BCAST_CLOSE, LISTEN_USER | LISTEN_AGENT, bcast_more, false },
    { MSG_FANOUT, LISTEN_AGENT, fanout_received, true },
    { MSG_REPORTS, LISTEN_AGENT, gather_received, true },
    { 0 },
};
