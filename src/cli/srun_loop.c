/* srun_loop - srun while its step runs; see srun_loop.h. */
#include "cli/srun_loop.h"

#include <signal.h>
#include <time.h>

#include "base/str.h"
#include "cli/grant.h"
#include "cli/say.h"

#define TELL_MS 100        /* tasks that end this close to each other share a line */
#define INTERRUPT_MS 1000  /* two ^C within this time end the step */
#define WATCH_MS 30000     /* nodes that are silent this long are asked about */

static int64_t now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- ending the step ---- */

static void terminate(struct srun_loop *l, int64_t now)
{
    if (l->terminating)
        return;
    l->terminating = true;
    stepio_signal(l->io, SIGCONT);
    stepio_signal(l->io, SIGTERM);
    l->kill_ms = now + (int64_t)l->io->kill_wait_s * 1000;
}

static void abort_step(struct srun_loop *l, int64_t now)
{
    if (!l->io->cancelled)
        say_info("Job step aborted: Waiting up to %u seconds for job step to finish.", l->io->kill_wait_s + 2);
    l->io->cancelled = true;
    terminate(l, now);
}

static void interrupted(struct srun_loop *l, int64_t now)
{
    const struct stepio *io = l->io;
    bool twice = l->interrupted_ms && now - l->interrupted_ms < INTERRUPT_MS;
    l->interrupted_ms = now;
    if (l->disable_status && !twice) {
        stepio_signal(l->io, SIGINT);
        return;
    }
    if (twice || l->quit_on_interrupt) {
        say_info("sending Ctrl-C to StepId=%u.%u", io->job, io->step);
        stepio_signal(l->io, SIGINT);
        abort_step(l, now);
        return;
    }
    say_info("interrupt (one more within 1 sec to abort)");
    tasks_status(io->tasks, io->job, io->step);
}

static void take_signals(struct srun_loop *l, int64_t now)
{
    for (int signo; (signo = grant_next_signal(l->sig_fd)) != 0;) {
        switch (signo) {
        case SIGINT:
            interrupted(l, now);
            break;
        case SIGCONT:
            break;
        case SIGUSR1:
        case SIGUSR2:
            stepio_signal(l->io, signo);
            break;
        default:
            say_info("forcing job termination");
            abort_step(l, now);
        }
    }
}

/* ---- what follows from tasks that ended ---- */

static bool any_bad(const struct tasks *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].ended && t->at[i].status)
            return true;
    return false;
}

static void after_ends(struct srun_loop *l, int64_t now)
{
    struct tasks *t = l->io->tasks;
    bool over = t->ended == t->n;
    if (!t->untold)
        l->tell_ms = 0;
    else if (!l->tell_ms)
        l->tell_ms = now + TELL_MS;
    if (t->untold && (over || now >= l->tell_ms || (l->kill_on_bad_exit && !l->terminating))) {
        tasks_tell(t);
        l->tell_ms = 0;
    }
    if (over || l->terminating)
        return;
    if (l->kill_on_bad_exit && any_bad(t)) {
        say_info("Terminating StepId=%u.%u", l->io->job, l->io->step);
        l->killed = true;
        terminate(l, now);
    } else if (l->wait_s && t->ended && !l->wait_ms) {
        l->wait_ms = now + (int64_t)l->wait_s * 1000;
    }
}

static void first_task_is_long_gone(struct srun_loop *l, int64_t now)
{
    say_info("First task exited %us ago", l->wait_s);
    tasks_status(l->io->tasks, l->io->job, l->io->step);
    say_info("Terminating StepId=%u.%u", l->io->job, l->io->step);
    l->wait_ms = 0;
    abort_step(l, now);
}

/* ---- nodes that do not answer ---- */

struct lookup {
    uint32_t job;
    bool runs;
};

static int see_job(void *arg, const ProtobufCMessage *m)
{
    struct lookup *look = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    for (size_t i = 0; i < list->n_jobs; i++)
        look->runs |= list->jobs[i]->id == look->job && !list->jobs[i]->end_s;
    return 0;
}

/* Does the job still run?  When nobody can say, yes. */
static void watch(struct srun_loop *l, int64_t now)
{
    struct err err = ERR_INIT;
    struct lookup look = { l->io->job, false };
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.n_job = 1;
    q.job = &l->io->job;
    q.with_done = 1;
    l->watch_ms = now + WATCH_MS;
    int rc = client_stream(l->client, MSG_JOBS, &q.base, MSG_JOBS_REPLY, see_job, &look, &err);
    if (!rc && !look.runs) {
        say_info("Force Terminated JobId=%u", l->io->job);
        l->revoked = true;
    }
}

/* ---- the loop ---- */

static int wait_time(const struct srun_loop *l, int64_t now)
{
    const int64_t when[] = { l->tell_ms, l->wait_ms, l->kill_ms, l->watch_ms, l->due_ms };
    int64_t first = -1;
    for (size_t i = 0; i < ARRAY_LEN(when); i++)
        if (when[i] && (first < 0 || when[i] < first))
            first = when[i];
    return first < 0 ? -1 : (int)MAX(first - now, 0);
}

static void on_time(struct srun_loop *l, int64_t now)
{
    if (l->wait_ms && now >= l->wait_ms && !l->terminating)
        first_task_is_long_gone(l, now);
    if (l->kill_ms && now >= l->kill_ms) {
        stepio_signal(l->io, SIGKILL);
        l->kill_ms = now + (int64_t)l->io->kill_wait_s * 1000;
    }
    if (now >= l->watch_ms)
        watch(l, now);
}

/* Tasks that somebody killed, other than by cancelling the step. */
static void say_forced(const struct srun_loop *l)
{
    const struct tasks *t = l->io->tasks;
    bool forced = false;
    for (uint32_t i = 0; i < t->n; i++)
        forced |= t->at[i].ended && (t->at[i].status == SIGKILL || t->at[i].status == SIGTERM);
    if (forced && (!l->io->cancelled || l->killed))
        say_info("Force Terminated StepId=%u.%u", l->io->job, l->io->step);
}

void srun_loop_run(struct srun_loop *l)
{
    l->watch_ms = now_ms() + WATCH_MS;
    while (!stepio_done(l->io) && !l->revoked) {
        size_t room = stepio_room(l->io) + 1;
        auto_free struct pollfd *fds = mem_array(room, sizeof(*fds));
        nfds_t n = stepio_poll(l->io, fds);
        fds[n] = (struct pollfd){ l->sig_fd, POLLIN, 0 };
        poll(fds, n + 1, wait_time(l, now_ms()));
        int64_t now = now_ms();
        if (fds[n].revents)
            take_signals(l, now);
        stepio_handle(l->io, fds, n);
        l->due_ms = stepio_due(l->io, now);
        if (l->mpi && srun_mpi_abort(l->mpi) && !l->terminating) {
            l->killed = l->io->cancelled = true;
            terminate(l, now);
        }
        after_ends(l, now);
        on_time(l, now);
    }
    tasks_tell(l->io->tasks);
    if (!l->quiet)
        say_forced(l);
}
