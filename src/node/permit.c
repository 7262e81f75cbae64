/* permit - a controller's permission for a user to put files on this node; see permit.h. */
#include "node/permit.h"

#include "base/errnum.h"
#include "base/str.h"
#include "text/hostlist.h"
#include "text/strs.h"

#define SKEW_MS 60000 /* allowed difference of clocks */

static bool list_has(const char *list, const char *node)
{
    auto_strs struct strs all = STRS_INIT;
    if (hostlist_expand(list, &all, NULL))
        return false;
    for (size_t i = 0; i < all.n; i++)
        if (str_eq(all.at[i], node))
            return true;
    return false;
}

static int permit_fits(const Pb__Permit *p, const char *node, const struct link_peer *peer, int64_t now_ms,
                       struct err *err)
{
    if (peer->use != CRED_AGENT && peer->uid != p->uid)
        return err_set(err, ESLURM_USER_ID_MISSING, "the permit is another user's");
    if (now_ms > p->expires_ms || now_ms < p->issued_ms - SKEW_MS)
        return err_set(err, ETIME, "the permit is over by the clock of %s", node);
    if (!list_has(p->nodes, node))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "the permit is for %s, this is %s", p->nodes, node);
    return 0;
}

Pb__Permit *permit_open(const struct cred_key *key, const Pb__Signed *s, const char *node, const struct link_peer *peer,
                        int64_t now_ms, struct err *err)
{
    if (!s || !cred_verify(key, CRED_PERMIT, s)) {
        err_set(err, ESLURM_INVALID_JOB_CREDENTIAL, "the permit is not signed with this cluster's key");
        return NULL;
    }
    Pb__Permit *p = pb__permit__unpack(NULL, s->body.len, s->body.data);
    if (!p) {
        err_set(err, EBADMSG, "the permit does not parse");
    } else if (permit_fits(p, node, peer, now_ms, err)) {
        pb__permit__free_unpacked(p, NULL);
        p = NULL;
    }
    return p;
}
