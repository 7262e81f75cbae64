/* history - what a user may ask the history; the answer is made outside the turn (ctl/history_serve.h). */
#include "ctl/access.h"
#include "ctl/privacy.h"

/* With PrivateData=jobs a user sees the user's own. */
void ctl_history_restrict(struct ctl *t, const struct ctl_peer *peer, Pb__HistoryQuery *q)
{
    struct ctl_peer as = access_identity(t, peer);
    if (!(privacy_hidden(t, &as) & PRIVATE_JOBS))
        return;
    bool asked = !q->n_uid;
    for (size_t i = 0; i < q->n_uid; i++)
        asked |= q->uid[i] == as.uid;
    free(q->uid);
    q->uid = mem_alloc(sizeof(*q->uid));
    q->uid[0] = asked ? as.uid : UINT32_MAX; /* no user has this number */
    q->n_uid = 1;
}
