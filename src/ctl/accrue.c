/* accrue - which waiting jobs gain age priority; see accrue.h. */
#include "ctl/accrue.h"

#include "core/limits.h"
#include "ctl/config.h"
#include "ctl/priority_update.h"

static bool accrue_limited(const struct ctl *t)
{
    return t->c->limits && t->c->limits->accrues && config_limits(t->site) && t->leading &&
           !(priority_update_conf(t)->flags & PRIO_ACCRUE_ALWAYS);
}

static void accrue_emit(struct ctl *t, struct job *j, bool stop)
{
    EVENT(ev);
    Pb__EvAccrue e = PB__EV_ACCRUE__INIT;
    e.job_id = j->id;
    e.stop = stop;
    BODY(ev, ACCRUE, accrue, &e);
    ctl_emit(t, &ev, NULL);
}

/* Does any association or QOS of the job limit how many of its jobs may gain age? */
static bool accrue_concerned(const struct holders *h)
{
    static const enum limit_scope whose[] = { LIMIT_GROUP, LIMIT_USER, LIMIT_ACCOUNT };
    for (size_t i = 0; i < ARRAY_LEN(whose); i++)
        if (limits_of(h, LIMIT_ACCRUE, whose[i], NULL) != LIMIT_NONE)
            return true;
    return false;
}

static void accrue_settle(struct ctl *t, struct job *j)
{
    bool ages = priority_ages(j, NOW_S(t));
    if (j->accrue_s > 0 && ages)
        return;
    struct holders h;
    const char *pos = j->partition;
    auto_free char *first = str_next(&pos, ",");
    limits_holders(t->c, j, cluster_part(t->c, first), &h);
    bool may = ages && limits_may_accrue(t->c, &h);
    if (may && j->accrue_s == 0 && !accrue_concerned(&h))
        return; /* as old as it is */
    if (may || j->accrue_s != ACCRUE_NEVER)
        accrue_emit(t, j, !may);
}

void accrue_job(struct ctl *t, struct job *j)
{
    if (accrue_limited(t) && job_pending(j))
        accrue_settle(t, j);
}

void accrue_all(struct ctl *t)
{
    for (struct job *j = accrue_limited(t) ? t->c->pending.head : NULL; j; j = j->next)
        accrue_settle(t, j);
}
