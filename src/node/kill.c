/* kill - orders to signal or end what runs here, passed on to the supervisors. */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "node/emulate.h"
#include "step/hook.h"

static bool meant(const struct step_run *r, const Pb__KillOrder *k)
{
    bool batch = r->key.step_id == PB__STEP_NUMBER__STEP_BATCH;
    if (r->report || r->key.attempt != k->attempt || hook_step(r->key.step_id)) /* prologs and epilogs are not killed */
        return false;
    if (k->one_step)
        return r->key.step_id == k->step_id;
    if (k->batch_only)
        return batch;
    return !(k->steps_only && batch);
}

void kill_run(struct step_run *r, const Pb__KillOrder *k)
{
    if (r->agent->emulated)
        emulate_kill(r, k);
    else if (r->answering) {
        link_send_pb(r->supervisor, MSG_KILL, 0, 0, &k->base);
        link_flush(r->supervisor);
    } else
        frame_add_pb(&r->waiting, MSG_KILL, 0, 0, &k->base);
}

static size_t send_to_steps(struct agent *a, const Pb__KillOrder *k, bool batch)
{
    size_t told = 0;
    for (struct step_run *r = map_get(&a->jobs, k->job_id); r; r = r->next)
        if ((r->key.step_id == PB__STEP_NUMBER__STEP_BATCH) == batch && meant(r, k)) {
            kill_run(r, k);
            told++;
        }
    return told;
}

/* The steps are signalled before the batch script: an srun in the script would end its step in another way. */
void kill_follow(struct agent *a, const Pb__KillOrder *k)
{
    size_t sent = send_to_steps(a, k, false) + send_to_steps(a, k, true);
    log_verbose("signal ordered job=%u attempt=%u signal=%u terminate=%d steps=%zu", k->job_id, k->attempt, k->signal,
                k->terminate, sent);
    if (k->terminate && !k->one_step) {
        launched_log_end_job(&a->launched, k->job_id, k->attempt, clock_cluster_ms());
        report_clean(a, k);
    }
}

void kill_order(struct agent *a, const struct frame *f)
{
    Pb__KillOrder *k = pb__kill_order__unpack(NULL, f->len, f->body);
    if (!k)
        return;
    kill_follow(a, k);
    pb__kill_order__free_unpacked(k, NULL);
}
