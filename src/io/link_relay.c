/* link_relay - a link on which a machine's daemon carries requests of users; see link.h. */
#include "io/link_priv.h"

bool link_relays(const struct link *l)
{
    return l->relays;
}

int link_act_for(struct link *l, uint32_t uid, uint32_t gid, struct err *err)
{
    if (!l->relays)
        return err_set(err, EPERM, "this peer carries no requests of users");
    l->peer.use = CRED_CLIENT;
    l->peer.uid = uid;
    l->peer.gid = gid;
    l->class = LINK_CLIENT;
    return 0;
}

void link_act_for_none(struct link *l)
{
    l->peer.use = CRED_RELAY;
    l->class = link_peer_class(&l->peer);
}
