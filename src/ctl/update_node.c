/* update_node - scontrol update nodename=...: state, reason, weight, features, comment. */
#include "ctl/update.h"
#include "ctl/agent.h"
#include "ctl/end.h"
#include "ctl/fence.h"
#include "text/hostlist.h"

/* What `word` makes of a node's state; false when it is no such word. */
static bool new_state(const char *word, const struct ctl *t, const struct node *n, uint32_t *state, bool *clear_reason)
{
    uint32_t s = n->state;
    bool here = agent_session(t, n->index) != 0;
    *clear_reason = false;
    if (str_has_iprefix("DRAINED", word) && str_has_iprefix(word, "DRA")) {
        s |= NODE_DRAIN;
    } else if (str_ieq(word, "UNDRAIN")) {
        s &= ~NODE_DRAIN;
        *clear_reason = true;
    } else if (str_ieq(word, "RESUME") || str_ieq(word, "IDLE")) {
        s = (here ? NODE_IDLE | NODE_REGISTERED : NODE_IDLE | NODE_NO_RESPOND);
        *clear_reason = true;
    } else if (str_ieq(word, "DOWN")) {
        s = NODE_DOWN | (s & (NODE_DRAIN | NODE_REGISTERED));
    } else if (str_ieq(word, "FENCED") && !here) {
        s = NODE_DOWN | NODE_NO_RESPOND | (s & NODE_DRAIN);
    } else if (str_ieq(word, "FAIL") || str_ieq(word, "FAILING")) {
        s |= NODE_FAIL;
    } else {
        return false;
    }
    *state = s;
    return true;
}

static int set_state(struct ctl *t, const struct ctl_peer *peer, struct node *n, const Pb__UpdateRequest *r,
                     struct err *err)
{
    const char *word = update_value(r, "State"), *reason = update_value(r, "Reason");
    EVENT(ev);
    Pb__EvNodeState e = PB__EV_NODE_STATE__INIT;
    bool clear = false;
    e.node = n->index;
    e.state = n->state;
    if (word && !new_state(word, t, n, &e.state, &clear))
        return err_set(err, ESLURM_INVALID_NODE_STATE, "%s", err_text(ESLURM_INVALID_NODE_STATE));
    if (word && str_ieq(word, "RESUME") && node_base(n) == NODE_IDLE &&
        !(n->state & (NODE_DRAIN | NODE_FAIL | NODE_NO_RESPOND)))
        return err_set(err, ESLURM_INVALID_NODE_STATE_TRANSITION, "%s", err_text(ESLURM_INVALID_NODE_STATE_TRANSITION));
    e.has_reason = reason || clear;
    e.reason = (char *)(reason ? reason : "");
    e.reason_uid = peer->uid;
    bool went_down = (e.state & NODE_STATE_BASE) == NODE_DOWN && node_base(n) != NODE_DOWN;
    BODY(ev, NODE_STATE, node_state, &e);
    int rc = ctl_emit(t, &ev, err);
    if (!rc && went_down)
        fence_lost(t, n, "set DOWN by an administrator");
    if (!rc && str_ieq(word, "FENCED"))
        rc = fence_confirm(t, n, "an administrator", err);
    return rc;
}

static bool is_subset(const char *few, const char *many)
{
    const char *pos = few ? few : "";
    bool yes = true;
    for (char *name; (name = str_next(&pos, ",")); free(name))
        yes &= str_in_list(many, name);
    return yes;
}

/* Active features must be available.  An update of the available features alone sets the active ones, too. */
static int check_features(const struct node *n, const Pb__UpdateRequest *r, struct err *err)
{
    const char *all = update_value(r, "AvailableFeatures"), *active = update_value(r, "ActiveFeatures");
    if (!all)
        all = update_value(r, "Features");
    if (!all && !active)
        return 0;
    if (is_subset(active ? active : n->features_active, all ? all : n->features))
        return 0;
    return err_set(err, ESLURM_ACTIVE_FEATURE_NOT_SUBSET, "%s", err_text(ESLURM_ACTIVE_FEATURE_NOT_SUBSET));
}

static int set_rest(struct ctl *t, struct node *n, const Pb__UpdateRequest *r, struct err *err)
{
    EVENT(ev);
    Pb__EvNodeUpdate e = PB__EV_NODE_UPDATE__INIT;
    const char *weight = update_value(r, "Weight");
    uint64_t w = 0;
    if (weight && !str_u64(weight, 0, UINT32_MAX, &w))
        return err_set(err, EINVAL, "Invalid Weight value: %s", weight);
    e.node = n->index;
    e.has_weight = weight != NULL, e.weight = (uint32_t)w;
    e.features = (char *)update_value(r, "AvailableFeatures");
    if (!e.features)
        e.features = (char *)update_value(r, "Features");
    e.features_active = (char *)update_value(r, "ActiveFeatures");
    if (!e.features_active)
        e.features_active = e.features;
    e.comment = (char *)update_value(r, "Comment");
    e.extra = (char *)update_value(r, "Extra");
    e.gres = (char *)update_value(r, "Gres");
    e.has_features = e.features != NULL, e.has_features_active = e.features_active != NULL;
    e.has_comment = e.comment != NULL, e.has_extra = e.extra != NULL, e.has_gres = e.gres != NULL;
    if (!e.has_weight && !e.has_features && !e.has_features_active && !e.has_comment && !e.has_extra && !e.has_gres)
        return 0;
    BODY(ev, NODE_UPDATE, node_update, &e);
    return ctl_emit(t, &ev, err);
}

static int check_keys(const Pb__UpdateRequest *r, struct err *err)
{
    static const char *const known[] = { "NodeName",          "State",          "Reason",  "Weight", "Features",
                                         "AvailableFeatures", "ActiveFeatures", "Comment", "Extra",  "Gres" };
    for (size_t i = 0; i < r->n_pairs; i++) {
        bool found = false;
        for (size_t k = 0; k < ARRAY_LEN(known); k++)
            found |= str_ieq(r->pairs[i]->key, known[k]);
        if (!found)
            return err_set(err, EINVAL, "a node's %s cannot be updated", r->pairs[i]->key);
    }
    return 0;
}

int update_node(struct ctl *t, const struct ctl_peer *peer, const Pb__UpdateRequest *r, struct err *err)
{
    auto_strs struct strs names = { 0 };
    const char *list = update_value(r, "NodeName"), *state = update_value(r, "State");
    if (check_keys(r, err))
        return err->code;
    if (str_ieq(list, "ALL"))
        for (size_t i = 0; i < t->c->nnodes; i++)
            strs_add(&names, t->c->node[i].name);
    else if (str_empty(list) || hostlist_expand(list, &names, NULL))
        return err_set(err, ESLURM_INVALID_NODE_NAME, "%s", err_text(ESLURM_INVALID_NODE_NAME));
    for (size_t i = 0; i < names.n; i++)
        if (!cluster_node(t->c, names.at[i]))
            return err_set(err, ESLURM_INVALID_NODE_NAME, "%s", err_text(ESLURM_INVALID_NODE_NAME));
        else if (check_features(cluster_node(t->c, names.at[i]), r, err))
            return err->code;
    if (state && (str_has_iprefix(state, "DRA") || str_has_iprefix(state, "FAIL") || str_ieq(state, "DOWN")) &&
        str_empty(update_value(r, "Reason")))
        return err_set(err, EINVAL, "You must specify a reason when %s a node.",
                       str_ieq(state, "DOWN") ? "DOWNING" : "DRAINING");
    for (size_t i = 0; i < names.n; i++) {
        struct node *n = cluster_node(t->c, names.at[i]);
        bool touch = state || update_value(r, "Reason");
        int rc = touch ? set_state(t, peer, n, r, err) : 0;
        if (!rc)
            rc = set_rest(t, n, r, err);
        if (rc)
            return rc;
    }
    return 0;
}
