/*
 * members.c - the leader takes in controllers that the configuration names and the history does not know yet.
 *
 * One change at a time: first the newcomer is told of, then it is given the log, and once it holds all of it, a vote.
 * No member is ever removed here: a controller whose configuration is out of date must not decide that.
 */
#include "store/ledger_priv.h"

#define AGAIN_MS 2000 /* after a newcomer could not be reached */

static const struct raft_server *server_of(const struct ledger *l, uint64_t id)
{
    const struct raft_configuration *c = &l->raft->configuration;
    for (unsigned i = 0; i < c->n; i++)
        if (c->servers[i].id == id)
            return &c->servers[i];
    return NULL;
}

static void on_changed(struct raft_change *req, int status)
{
    struct ledger *l = req->data;
    l->changing = false;
    l->change_after_ms = status ? uv_now(l->loop) + AGAIN_MS : 0;
}

static int members_change(struct ledger *l, const struct ledger_peer *p)
{
    const struct raft_server *s = server_of(l, p->id);
    l->change = (struct raft_change){ .data = l };
    return s ? raft_assign(l->raft, &l->change, p->id, RAFT_VOTER, on_changed)
             : raft_add(l->raft, &l->change, p->id, p->address, on_changed);
}

void ledger_grow(struct ledger *l)
{
    if (l->changing || l->transferring || uv_now(l->loop) < l->change_after_ms)
        return;
    for (size_t i = 0; i < l->npeers; i++) {
        const struct raft_server *s = server_of(l, l->peers[i].id);
        if (s && s->role == RAFT_VOTER)
            continue;
        l->changing = !members_change(l, &l->peers[i]);
        if (!l->changing)
            l->change_after_ms = uv_now(l->loop) + AGAIN_MS;
        return;
    }
}
