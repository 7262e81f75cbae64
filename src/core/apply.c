/* apply - state + event -> state.  Reads its arguments and nothing else. */
#include "core/cluster_priv.h"
#include "core/level.h"

static int apply_level(struct cluster *c, const Pb__EvLevel *e, struct err *err)
{
    if (e->level <= c->level || e->level > FEATURE_LEVEL)
        return err_set(err, EBADMSG, "feature level %u follows %u; this release reads up to %u", e->level, c->level,
                       FEATURE_LEVEL);
    c->level = e->level;
    return 0;
}

static int apply_dispatch(struct cluster *c, const Pb__Event *ev, struct err *err)
{
    int64_t at_s = ev->at_ms / 1000;
    switch (ev->body_case) {
    case PB__EVENT__BODY_CONFIG: return apply_config(c, ev->config, err);
    case PB__EVENT__BODY_SUBMIT: return apply_submit(c, ev->submit, at_s, err);
    case PB__EVENT__BODY_START: return apply_start(c, ev->start, at_s, err);
    case PB__EVENT__BODY_SPLIT: return apply_split(c, ev->split, err);
    case PB__EVENT__BODY_END: return apply_end(c, ev->end, at_s, err);
    case PB__EVENT__BODY_NODE_DONE: return apply_node_done(c, ev->node_done, err);
    case PB__EVENT__BODY_REQUEUE: return apply_requeue(c, ev->requeue, at_s, err);
    case PB__EVENT__BODY_SUSPEND: return apply_suspend(c, ev->suspend, at_s, err);
    case PB__EVENT__BODY_HOLD: return apply_hold(c, ev->hold, err);
    case PB__EVENT__BODY_UPDATE: return apply_update(c, ev->update, err);
    case PB__EVENT__BODY_DEPEND: return apply_depend(c, ev->depend, err);
    case PB__EVENT__BODY_WARNED: return apply_warned(c, ev->warned, err);
    case PB__EVENT__BODY_PURGE: return apply_purge(c, ev->purge, err);
    case PB__EVENT__BODY_STEP_START: return apply_step_start(c, ev->step_start, at_s, err);
    case PB__EVENT__BODY_STEP_UPDATE: return apply_step_update(c, ev->step_update, err);
    case PB__EVENT__BODY_STEP_END: return apply_step_end(c, ev->step_end, at_s, err);
    case PB__EVENT__BODY_NODE_UP: return apply_node_up(c, ev->node_up, at_s, err);
    case PB__EVENT__BODY_NODE_STATE: return apply_node_state(c, ev->node_state, at_s, err);
    case PB__EVENT__BODY_NODE_UPDATE: return apply_node_update(c, ev->node_update, err);
    case PB__EVENT__BODY_PART_UPDATE: return apply_part_update(c, ev->part_update, err);
    case PB__EVENT__BODY_RESV: return apply_resv(c, ev->resv, err);
    case PB__EVENT__BODY_RESIZE: return apply_resize(c, ev->resize, at_s, err);
    case PB__EVENT__BODY_READY: return apply_ready(c, ev->ready, at_s, err);
    case PB__EVENT__BODY_ASSOC_UPDATE: return apply_assoc_update(c, ev->assoc_update, err);
    case PB__EVENT__BODY_USAGE: return apply_usage(c, ev->usage, err);
    case PB__EVENT__BODY_ACCRUE: return apply_accrue(c, ev->accrue, at_s, err);
    case PB__EVENT__BODY_LEVEL: return apply_level(c, ev->level, err);
    case PB__EVENT__BODY_REHEARSAL: return 0;
    case PB__EVENT__BODY__NOT_SET:
    case _PB__EVENT__BODY__CASE_IS_INT_SIZE: break;
    }
    return err_set(err, EBADMSG, "an event of a kind this release does not know");
}

int cluster_apply(struct cluster *c, const Pb__Event *ev, struct err *err)
{
    int64_t before = c->last_ms;
    c->last_ms = ev->at_ms;
    int rc = apply_dispatch(c, ev, err);
    if (rc)
        c->last_ms = before;
    else
        c->events++;
    return rc;
}
