/* level - raise the feature level; see level.h. */
#include "ctl/level.h"

#include "base/log.h"
#include "core/level.h"

void level_open(struct ctl *t) {}
void level_close(struct ctl *t) {}

void level_raise(struct ctl *t)
{
    uint32_t level = MIN(t->facts.level, (uint32_t)FEATURE_LEVEL);
    if (level <= t->c->level)
        return;
    EVENT(ev);
    Pb__EvLevel e = PB__EV_LEVEL__INIT;
    e.level = level;
    BODY(ev, LEVEL, level, &e);
    if (!ctl_emit(t, &ev, NULL))
        log_info("feature level raised level=%u: earlier releases cannot follow from here on", level);
}

/* Each new job brings an event that earlier releases do not know: what a real new kind would do. */
void level_job_new(struct ctl *t, const struct change *ch)
{
    (void)ch;
    if (FEATURE_LEVEL < 2 || t->c->level < 2)
        return;
    EVENT(ev);
    Pb__EvRehearsal e = PB__EV_REHEARSAL__INIT;
    BODY(ev, REHEARSAL, rehearsal, &e);
    ctl_emit(t, &ev, NULL);
}
