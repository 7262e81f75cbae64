/* update_step - scontrol update StepId=...: the time limit of a step, or of all steps of a job. */
#include "core/step.h"
#include "ctl/access.h"
#include "ctl/step.h"
#include "ctl/update.h"
#include "text/time.h"

static int set_limit(struct ctl *t, struct job *j, const Pb__Step *s, uint32_t minutes, struct err *err)
{
    EVENT(ev);
    Pb__EvStepUpdate e = PB__EV_STEP_UPDATE__INIT;
    e.job_id = j->id;
    e.step_id = s->id;
    e.time_limit_min = minutes;
    BODY(ev, STEP_UPDATE, step_update, &e);
    int rc = ctl_emit(t, &ev, err);
    if (!rc)
        step_set_timer(t, j, s);
    return rc;
}

/* "12.0", "12_3.0", or the job alone. */
static struct job *step_update_find(const struct ctl *t, const char *text, bool *one, uint32_t *step)
{
    const char *dot = strchr(text, '.'), *under = strchr(text, '_');
    size_t len = strcspn(text, "._");
    auto_free char *id = mem_strn(text, len), *task = NULL;
    uint64_t job = 0, number = 0;
    *one = dot != NULL;
    if (!str_u64(id, 1, UINT32_MAX, &job) || (dot && !str_u64(dot + 1, 0, UINT32_MAX, &number)))
        return NULL;
    *step = (uint32_t)number;
    if (!under)
        return cluster_job(t->c, (uint32_t)job);
    task = mem_strn(under + 1, dot ? (size_t)(dot - under - 1) : strlen(under + 1));
    return str_u64(task, 0, UINT32_MAX, &number) ? cluster_array_task(t->c, (uint32_t)job, (uint32_t)number) : NULL;
}

static int step_update_change(const struct ctl_call *call, struct job *j, bool one, uint32_t step, const char *limit,
                              struct err *err)
{
    uint32_t minutes, changed = 0;
    int rc = 0;
    if (str_empty(limit))
        return err_set(err, EINVAL, "No changes specified");
    if (time_limit_parse(limit, &minutes, NULL))
        return err_set(err, EINVAL, "Invalid time specification");
    if (!access_may(call->t, call->peer, RIGHT_UPDATE_STEP, j))
        return err_set(err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    for (size_t i = 0; !rc && i < j->steps.n; i++) {
        const Pb__Step *s = j->steps.at[i].pb;
        if (one && s->id != step)
            continue;
        rc = set_limit(call->t, j, s, minutes, err);
        changed++;
    }
    return rc || changed ? rc : err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
}

int update_step(const struct ctl_call *call, const Pb__UpdateRequest *r, struct err *err)
{
    const char *id = update_value(r, "StepId");
    uint32_t step = 0;
    bool one = false;
    struct job *j = id ? step_update_find(call->t, id, &one, &step) : NULL;
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    return step_update_change(call, j, one, step, update_value(r, "TimeLimit"), err);
}
