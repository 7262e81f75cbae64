/* update - scontrol update: finds the record that is meant and checks that the user may change it. */
#include "ctl/access.h"
#include "ctl/update.h"

#include "ctl/resv.h"
#include "ctl/request.h"

const char *update_value(const Pb__UpdateRequest *r, const char *key)
{
    for (size_t i = 0; i < r->n_pairs; i++)
        if (str_ieq(r->pairs[i]->key, key))
            return r->pairs[i]->value;
    return NULL;
}

/* A health check on a node drains the node: root of this machine may, and makes it available again nowhere. */
static bool is_own_drain(const struct ctl_call *call, const Pb__UpdateRequest *r)
{
    const char *state = update_value(r, "State");
    bool worse = !state || str_has_iprefix(state, "DRA") || str_has_iprefix(state, "FAIL") || str_ieq(state, "DOWN");
    bool other = false;
    for (size_t i = 0; i < r->n_pairs; i++)
        other |= !str_ieq(r->pairs[i]->key, "NodeName") && !str_ieq(r->pairs[i]->key, "State") &&
                 !str_ieq(r->pairs[i]->key, "Reason");
    return r->kind == PB__UPDATE_KIND__UPDATE_NODE && call->peer->uid == 0 && !str_empty(call->peer->via) &&
           str_eq(update_value(r, "NodeName"), call->peer->via) && worse && !other;
}

static bool may_update(const struct ctl_call *call, const Pb__UpdateRequest *r)
{
    return access_may(call->t, call->peer, is_own_drain(call, r) ? RIGHT_DRAIN_NODE : RIGHT_UPDATE_CLUSTER, NULL);
}

void ctl_update(const struct ctl_call *call)
{
    const Pb__UpdateRequest *r = (Pb__UpdateRequest *)call->m;
    struct err err = ERR_INIT;
    Pb__Done done = PB__DONE__INIT;
    char *name = NULL; /* of a reservation that was made */
    int rc;
    if (r->kind == PB__UPDATE_KIND__UPDATE_JOB) { /* many of them, in slices */
        update_job(call, r);
        return;
    }
    if (r->kind == PB__UPDATE_KIND__UPDATE_STEP)
        rc = update_step(call, r, &err);
    else if (r->kind == PB__UPDATE_KIND__UPDATE_RESV)
        rc = update_resv(call, r, &name, &err);
    else if (!may_update(call, r))
        rc = err_set(&err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    else if (r->kind == PB__UPDATE_KIND__UPDATE_NODE)
        rc = update_node(call->t, call->peer, r, &err);
    else
        rc = update_part(call->t, r, &err);
    done.code = rc;
    done.text = name ? name : err.text;
    ctl_reply(call, MSG_DONE, &done.base);
    free(name);
}
