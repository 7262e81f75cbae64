/* job - names of its states, its end; see job.h. */
#include "core/limits.h"
#include "core/job.h"

#include "base/mem.h"
#include "base/str.h"
#include "core/license.h"
#include "core/step.h"
#include "text/depend.h"

static const struct {
    const char *name, *code;
} states[] = {
    [JOB_PENDING] = { "PENDING", "PD" },     [JOB_RUNNING] = { "RUNNING", "R" },
    [JOB_SUSPENDED] = { "SUSPENDED", "S" },  [JOB_COMPLETED] = { "COMPLETED", "CD" },
    [JOB_CANCELLED] = { "CANCELLED", "CA" }, [JOB_FAILED] = { "FAILED", "F" },
    [JOB_TIMEOUT] = { "TIMEOUT", "TO" },     [JOB_NODE_FAIL] = { "NODE_FAIL", "NF" },
    [JOB_PREEMPTED] = { "PREEMPTED", "PR" }, [JOB_BOOT_FAIL] = { "BOOT_FAIL", "BF" },
    [JOB_DEADLINE] = { "DEADLINE", "DL" },   [JOB_OUT_OF_MEMORY] = { "OUT_OF_MEMORY", "OOM" },
};

uint32_t job_shown_state(const struct job *j)
{
    return j->state | (j->state == JOB_PENDING && j->hold && j->reason == WHY_RESV_DELETED ? JOB_RESV_DEL_HOLD : 0);
}

const char *job_state_name(uint32_t state)
{
    if (state & JOB_RESV_DEL_HOLD)
        return "RESV_DEL_HOLD";
    if (state & JOB_COMPLETING)
        return "COMPLETING";
    if (state & JOB_CONFIGURING)
        return "CONFIGURING";
    state &= JOB_STATE_BASE;
    return state < JOB_STATE_COUNT ? states[state].name : "?";
}

const char *job_state_code(uint32_t state)
{
    if (state & JOB_RESV_DEL_HOLD)
        return "RD";
    if (state & JOB_COMPLETING)
        return "CG";
    if (state & JOB_CONFIGURING)
        return "CF";
    state &= JOB_STATE_BASE;
    return state < JOB_STATE_COUNT ? states[state].code : "?";
}

int job_state_parse(const char *text)
{
    for (int i = 0; i < JOB_STATE_COUNT; i++)
        if (str_ieq(text, states[i].name) || str_ieq(text, states[i].code))
            return i;
    if (str_ieq(text, "COMPLETING") || str_ieq(text, "CG"))
        return JOB_COMPLETING;
    if (str_ieq(text, "CONFIGURING") || str_ieq(text, "CF"))
        return JOB_CONFIGURING;
    return -1;
}

void alloc_clear(struct alloc *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        struct node_alloc *na = &a->at[i];
        bitmap_clear(&na->cores);
        for (uint32_t g = 0; g < na->ngres; g++)
            bitmap_clear(&na->gres[g].index);
        free(na->gres);
    }
    free(a->at);
    *a = (struct alloc){ 0 };
}

void job_use_more(struct job *j, const Pb__Usage *u)
{
    if (!u)
        return;
    if (!j->used) {
        j->used = NEW(Pb__Usage);
        pb__usage__init(j->used);
    }
    j->used->user_us += u->user_us, j->used->sys_us += u->sys_us;
    j->used->read_bytes += u->read_bytes, j->used->write_bytes += u->write_bytes, j->used->pages += u->pages;
    j->used->max_rss_kb = MAX(j->used->max_rss_kb, u->max_rss_kb);
    j->used->max_vm_kb = MAX(j->used->max_vm_kb, u->max_vm_kb);
}

void job_use_none(struct job *j)
{
    free(take(j->used));
}

void job_free(struct job *j)
{
    job_use_none(j);
    step_holds_clear(j);
    alloc_clear(&j->alloc);
    license_forget(j);
    limits_forget(j);
    if (j->array) {
        bitmap_clear(&j->array->pending);
        free(j->array);
    }
    for (size_t i = 0; i < j->steps.n; i++)
        pb__step__free_unpacked(j->steps.at[i].pb, NULL);
    vec_clear(&j->steps);
    if (j->step)
        pb__step_spec__free_unpacked(j->step, NULL);
    free(j->partition);
    free(j->reason_text);
    free(j->resv_name);
    free(j->user_name);
    free(j->depend);
    free(j->planned_nodes);
    free(j->enc);
    free(j);
}

uint32_t job_limit_in(const struct job *j, const Pb__Part *p)
{
    if (j->limit_set)
        return j->time_limit_min;
    uint32_t def = p->default_time_min ? p->default_time_min : p->max_time_min;
    return def ? def : INFINITE_MIN;
}

int64_t job_limit_s(const struct job *j)
{
    if (j->time_limit_min == INFINITE_MIN || !j->start_s)
        return 0;
    return j->start_s + (int64_t)j->time_limit_min * 60 + j->suspended_total_s;
}

bool job_depend_failed(const struct job *j)
{
    bool any = j->ndepend && j->depend[0].any, failed = false, open = false, met = false;
    for (uint32_t i = 0; i < j->ndepend; i++) {
        failed |= j->depend[i].state == DEPEND_FAILED;
        open |= j->depend[i].state == DEPEND_UNFULFILLED;
        met |= j->depend[i].state == DEPEND_FULFILLED;
    }
    return any ? failed && !open && !met : failed;
}

bool job_depend_open(const struct job *j)
{
    bool any = j->ndepend && j->depend[0].any, met = !any;
    for (uint32_t i = 0; i < j->ndepend; i++)
        met = any ? met || j->depend[i].state == DEPEND_FULFILLED : met && j->depend[i].state == DEPEND_FULFILLED;
    return j->ndepend && !met;
}
