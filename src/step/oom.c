/* oom - out of memory; see oom.h. */
#include "step/oom.h"

#include "base/clock.h"
#include "base/mem.h"
#include "step/cgroup.h"
#include "step/cgroup_priv.h"
#include "text/signal.h"

static void notice(struct step *s)
{
    char name[SPOOL_NAME];
    uint64_t n = s->oom ? 0 : cgroup_oom_kills(s);
    if (!n)
        return;
    s->oom = true;
    step_say(s, "Detected %llu oom_kill event%s in StepId=%u.%s. Some of the step tasks have been OOM Killed.",
             (unsigned long long)n, n == 1 ? "" : "s", s->key.job_id, spool_step_name(name, s->key.step_id));
}

/* The first OOM kill of a step that is to end as a whole. */
static void end_all(struct step *s)
{
    notice(s);
    s->kill_at_ms = clock_mono_ms();
}

void oom_begin(struct step *s)
{
    Pb__Choice said = s->batch ? s->order->spec->oom_kill_step : s->order->step->oom_kill_step;
    if (said == PB__CHOICE__CHOICE_BY_CONFIG)
        said = s->order->spec->oom_kill_step;
    bool by_config = said == PB__CHOICE__CHOICE_BY_CONFIG;
    if (s->cgroup && (by_config ? s->cgroup->node.rules.oom_kill_step : said == PB__CHOICE__CHOICE_YES))
        cgroup_on_oom(s, end_all);
}

int oom_status(struct step *s, int status)
{
    notice(s);
    return s->oom ? (int)STATUS_OUT_OF_MEMORY : status;
}
