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

void ctl_update(const struct ctl_call *call)
{
    const Pb__UpdateRequest *r = (Pb__UpdateRequest *)call->m;
    struct err err = ERR_INIT;
    Pb__Done done = PB__DONE__INIT;
    char *name = NULL; /* of a reservation that was made */
    int rc;
    if (r->kind == PB__UPDATE_KIND__UPDATE_JOB)
        rc = update_job(call, r, &err);
    else if (r->kind == PB__UPDATE_KIND__UPDATE_STEP)
        rc = update_step(call, r, &err);
    else if (r->kind == PB__UPDATE_KIND__UPDATE_RESV)
        rc = update_resv(call, r, &name, &err);
    else if (!access_may(call->t, call->peer, RIGHT_UPDATE_CLUSTER, NULL))
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
