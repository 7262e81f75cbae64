/* kill - orders to signal or end the step. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/cgroup.h"
#include "step/reaper.h"
#include "step/step.h"

#define KILL_PAUSE_MIN_MS 20
#define KILL_PAUSE_MAX_MS 1000

/*
 * "*** JOB 12 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT ***", once a step, by its first node.
 * Of the controller's reason only the last part counts, from "DUE" on: the same order ends script and steps.
 */
static void say_reason(struct step *s, const char *reason)
{
    if (str_empty(reason) || (!s->batch && env_rank(s->order, 0)) || s->end_told)
        return;
    s->end_told = !s->batch; /* srun and the controller may both order the end of a step */
    const char *due = strstr(reason, "DUE ");
    size_t len = due ? strcspn(due, "*\n") : 0;
    while (len && due[len - 1] == ' ')
        len--;
    char id[32], at[64];
    time_t now = time(NULL);
    struct tm tm;
    snprintf(id, sizeof(id), s->batch ? "JOB %u" : "STEP %u.%u", s->key.job_id, s->key.step_id);
    strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &tm));
    if (!due) {
        due = "DUE to SIGNAL Terminated";
        len = strlen(due);
    }
    step_say(s, "*** %s ON %s CANCELLED AT %s %.*s ***", id, s->order->node, at, (int)len, due);
}

/* Send SIGTERM to every process; a preempted script gets it later than its steps. */
void step_term_due(struct step *s)
{
    s->term_at_ms = 0;
    reaper_signal_all(SIGCONT);
    reaper_signal_all(SIGTERM);
}

static void terminate(struct step *s, const Pb__KillOrder *k)
{
    int64_t ask_at = clock_mono_ms() + (int64_t)k->warn_s * 1000, at = ask_at + (int64_t)k->grace_s * 1000;
    if (s->terminating) { /* ordered again: only an earlier time counts */
        s->kill_at_ms = s->kill_at_ms && !s->over ? MIN(s->kill_at_ms, at) : s->kill_at_ms;
        s->term_at_ms = s->term_at_ms ? MIN(s->term_at_ms, ask_at) : 0;
        return;
    }
    s->terminating = true;
    s->stop_at_ms = 0;
    say_reason(s, k->reason);
    cgroup_freeze(s, false);
    if (k->signal == SIGKILL) { /* no grace */
        step_kill_due(s);
        return;
    }
    if (!k->warn_s || !s->batch)
        step_term_due(s);
    s->term_at_ms = k->warn_s ? ask_at : 0;
    s->kill_at_ms = at;
}

/* Freeze the whole step, so that no process can continue another. */
void step_stop_due(struct step *s)
{
    s->stop_at_ms = 0;
    if (!cgroup_freeze(s, true))
        reaper_signal_all(SIGSTOP);
}

/* Suspend the whole job, after a warning if there is a grace time, or resume it; true: nothing else is to be done. */
static bool pace(struct step *s, const Pb__KillOrder *k)
{
    if (k->signal == SIGCONT) {
        s->stop_at_ms = 0;
        cgroup_freeze(s, false);
        return false; /* SIGCONT itself is still to be sent */
    }
    if (k->signal != SIGSTOP)
        return false;
    if (!k->grace_s) {
        step_stop_due(s);
        return true;
    }
    reaper_signal_all(SIGTSTP);
    s->stop_at_ms = clock_mono_ms() + (int64_t)k->grace_s * 1000;
    return true;
}

void step_kill(struct step *s, const Pb__KillOrder *k)
{
    if (s->over) {
        s->terminating |= k->terminate; /* stop waiting for an srun that does not take the last output */
        if (!k->terminate)
            say_reason(s, k->reason); /* the tasks ended by ^C before this order arrived */
        return;
    }
    if (k->terminate) {
        terminate(s, k);
        return;
    }
    if (!k->signal || k->signal >= NSIG)
        return;
    say_reason(s, k->reason);
    if (k->full && pace(s, k))
        return;
    if (!k->batch_only || !s->batch)
        reaper_signal_all((int)k->signal);
    else if (s->task[0].running)
        kill(s->task[0].pid, (int)k->signal); /* it is not reaped, so its pid is its own */
}

void step_kill_due(struct step *s)
{
    if (!cgroup_kill(s) || s->kill_pause_ms) /* second attempt: what is left is not in the cgroup */
        reaper_signal_all(SIGKILL);
    s->kill_pause_ms = MIN(MAX(s->kill_pause_ms * 2, KILL_PAUSE_MIN_MS), KILL_PAUSE_MAX_MS);
    s->kill_at_ms = clock_mono_ms() + s->kill_pause_ms;
}
