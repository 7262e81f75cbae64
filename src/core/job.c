/* job - names of its states, its end; see job.h. */
#include "core/limits.h"
#include "core/job.h"

#include "base/mem.h"
#include "base/str.h"
#include "core/pbutil.h"
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

void job_set_depend(struct job *j, Pb__Depend *const *from, size_t n)
{
    free(j->depend.at);
    j->depend = (struct depend_set){ n ? mem_array(n, sizeof(*j->depend.at)) : NULL, (uint32_t)n };
    for (size_t i = 0; i < n; i++) {
        j->depend.at[i] = *from[i];
        j->depend.at[i].base.n_unknown_fields = 0;
        j->depend.at[i].base.unknown_fields = NULL;
    }
}

struct array_set *array_set_new(const ProtobufCBinaryData *pending, uint32_t max_running)
{
    struct array_set *a = NEW(struct array_set);
    pb_to_bitmap(&a->pending, pending);
    a->count = (uint32_t)bitmap_count(&a->pending);
    a->max_running = max_running;
    return a;
}

void array_set_free(struct array_set *a)
{
    if (a)
        bitmap_clear(&a->pending);
    free(a);
}

void job_use_more(struct job *j, const Pb__Usage *u)
{
    if (!u)
        return;
    if (!j->usage) {
        j->usage = NEW(Pb__Usage);
        pb__usage__init(j->usage);
    }
    j->usage->user_us += u->user_us, j->usage->sys_us += u->sys_us;
    j->usage->read_bytes += u->read_bytes, j->usage->write_bytes += u->write_bytes, j->usage->pages += u->pages;
    j->usage->max_rss_kb = MAX(j->usage->max_rss_kb, u->max_rss_kb);
    j->usage->max_vm_kb = MAX(j->usage->max_vm_kb, u->max_vm_kb);
}

void job_use_none(struct job *j)
{
    free(take(j->usage));
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
    bool any = j->depend.n && j->depend.at[0].any, failed = false, open = false, met = false;
    for (uint32_t i = 0; i < j->depend.n; i++) {
        failed |= j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_FAILED;
        open |= j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_UNFULFILLED;
        met |= j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_FULFILLED;
    }
    return any ? failed && !open && !met : failed;
}

bool job_depend_open(const struct job *j)
{
    bool any = j->depend.n && j->depend.at[0].any, met = !any;
    for (uint32_t i = 0; i < j->depend.n; i++)
        met = any ? met || j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_FULFILLED
                  : met && j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_FULFILLED;
    return j->depend.n && !met;
}
