/* level - the kinds of events, each with the level that introduced it; see level.h. */
#include "core/level.h"

#include <errno.h>
#include <stdbool.h>

#include "core/pbutil.h"

#define ROW(Kind, name, level) [PB__EVENT__BODY_##Kind] = { name, level }

static const struct {
    const char *name;
    uint32_t level;
} rows[] = {
    ROW(CONFIG, "config", 1),
    ROW(SUBMIT, "submit", 1),
    ROW(START, "start", 1),
    ROW(SPLIT, "split", 1),
    ROW(END, "end", 1),
    ROW(NODE_DONE, "node_done", 1),
    ROW(REQUEUE, "requeue", 1),
    ROW(SUSPEND, "suspend", 1),
    ROW(HOLD, "hold", 1),
    ROW(UPDATE, "update", 1),
    ROW(DEPEND, "depend", 1),
    ROW(WARNED, "warned", 1),
    ROW(PURGE, "purge", 1),
    ROW(STEP_START, "step_start", 1),
    ROW(STEP_END, "step_end", 1),
    ROW(NODE_UP, "node_up", 1),
    ROW(NODE_STATE, "node_state", 1),
    ROW(NODE_UPDATE, "node_update", 1),
    ROW(PART_UPDATE, "part_update", 1),
    ROW(READY, "ready", 1),
    ROW(STEP_UPDATE, "step_update", 1),
    ROW(RESV, "resv", 1),
    ROW(ASSOC_UPDATE, "assoc_update", 1),
    ROW(USAGE, "usage", 1),
    ROW(RESIZE, "resize", 1),
    ROW(ACCRUE, "accrue", 1),
    ROW(LEVEL, "level", 1),
    ROW(REHEARSAL, "rehearsal", 2),
};

static bool has_row(const Pb__Event *ev)
{
    size_t kind = (size_t)ev->body_case;
    return kind < sizeof(rows) / sizeof(rows[0]) && rows[kind].level;
}

uint32_t level_of_event(const Pb__Event *ev)
{
    return has_row(ev) ? rows[ev->body_case].level : 0;
}

const char *level_event_name(const Pb__Event *ev)
{
    return has_row(ev) ? rows[ev->body_case].name : "?";
}

int level_check(const Pb__Event *ev, struct err *err)
{
    unsigned tag = !has_row(ev) && ev->base.n_unknown_fields ? ev->base.unknown_fields[0].tag : (unsigned)ev->body_case;
    if (level_of_event(ev) > FEATURE_LEVEL || !has_row(ev))
        return err_set(err, EBADMSG, "an event of a kind that this release does not know (number %u)", tag);
    if (!pb_all_known(&ev->base))
        return err_set(err, EBADMSG, "an event of kind %s with a field that this release does not know",
                       level_event_name(ev));
    return 0;
}
