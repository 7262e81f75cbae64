/* states - job states by name; see states.h. */
#include "cli/states.h"

#include "base/mem.h"
#include "base/str.h"
#include "core/job.h"

static const struct {
    const char *name, *code;
    uint32_t state;
} states[] = {
    { "pending", "PD", JOB_PENDING },
    { "running", "R", JOB_RUNNING },
    { "suspended", "S", JOB_SUSPENDED },
    { "completed", "CD", JOB_COMPLETED },
    { "cancelled", "CA", JOB_CANCELLED },
    { "failed", "F", JOB_FAILED },
    { "timeout", "TO", JOB_TIMEOUT },
    { "node_fail", "NF", JOB_NODE_FAIL },
    { "preempted", "PR", JOB_PREEMPTED },
    { "boot_fail", "BF", JOB_BOOT_FAIL },
    { "deadline", "DL", JOB_DEADLINE },
    { "out_of_memory", "OOM", JOB_OUT_OF_MEMORY },
    { "completing", "CG", JOB_COMPLETING },
    { "configuring", "CF", JOB_CONFIGURING },
    { "expediting", "EX", STATE_NEVER },
    { "resizing", "RS", STATE_NEVER },
    { "resv_del_hold", "RD", JOB_RESV_DEL_HOLD },
    { "requeued", "RQ", JOB_REQUEUE_FLAG },
    { "requeue_fed", "RF", STATE_NEVER },
    { "requeue_hold", "RH", STATE_NEVER },
    { "revoked", "RV", STATE_NEVER },
    { "signaling", "SI", STATE_NEVER },
    { "special_exit", "SE", STATE_NEVER },
    { "stage_out", "SO", STATE_NEVER },
    { "stopped", "ST", STATE_NEVER },
};

bool state_find(const char *text, uint32_t *state)
{
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        if (str_ieq(states[i].name, text) || str_ieq(states[i].code, text)) {
            *state = states[i].state;
            return true;
        }
    return false;
}

void state_names(struct buf *out, const char *sep)
{
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        buf_addf(out, "%s%s", states[i].name, i + 1 < ARRAY_LEN(states) ? sep : "");
}

bool state_matches(uint32_t state, uint32_t wanted)
{
    if (wanted == STATE_NEVER)
        return false;
    if (wanted > JOB_STATE_BASE)
        return state & wanted;
    return (state & JOB_STATE_BASE) == wanted;
}
