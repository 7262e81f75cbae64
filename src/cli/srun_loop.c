/* srun_loop - srun while its step runs; see srun_loop.h. */
#include "cli/srun_loop.h"

#include <signal.h>

#include "base/clock.h"
#include "base/str.h"
#include "cli/allocation.h"
#include "cli/say.h"
#include "cli/terminal.h"

#define TELL_MS 100       /* tasks that end this close to each other share a line */
#define INTERRUPT_MS 1000 /* two ^C within this time end the step */
#define LATE_MS 2000      /* output of a job that has ended comes within this time */
#define KILLED "DUE to SIGNAL Killed"
#define WATCH_PATIENCE_S 2 /* the streams wait as long as a controller does not answer */
#define WATCH_MS 30000 /* nodes that are silent this long are asked about */

/* ---- ending the step ---- */

/* Supervisors that are connected; one that connects later gets it then. */
static void tell_end(struct srun_loop *l)
{
    stepio_kill(l->io, l->killed, l->io->kill_wait_s, l->killed ? "DUE TO TASK FAILURE" : KILLED);
    l->told_hellos = l->io->hellos;
}

static void terminate_step(struct srun_loop *l, int64_t now)
{
    if (l->terminating)
        return;
    l->terminating = true;
    tell_end(l);
    l->kill_ms = now + (int64_t)l->io->kill_wait_s * 1000;
}

/* At once: SIGKILL, and srun does not wait for ever. */
static void abort_step(struct srun_loop *l, int64_t now)
{
    struct stepio *io = l->io;
    if (!l->terminating && io->hellos < io->nodes)
        say_info("StepId=%u.%u aborted before step completely launched.", io->job, io->step);
    if (!io->cancelled)
        say_info("Job step aborted: Waiting up to %u seconds for job step to finish.", io->kill_wait_s + 2);
    io->cancelled = true;
    if (!l->end_ms)
        l->end_ms = now + ((int64_t)io->kill_wait_s + 2) * 1000;
    terminate_step(l, now);
}

static void force_end(struct srun_loop *l, int64_t now)
{
    say_info("forcing job termination");
    abort_step(l, now);
}

static void srun_interrupted(struct srun_loop *l, int64_t now)
{
    const struct stepio *io = l->io;
    bool twice = l->interrupted_ms && now - l->interrupted_ms < INTERRUPT_MS;
    l->interrupted_ms = now;
    if (l->terminating && twice) { /* enough of waiting */
        l->revoked = true;
        return;
    }
    if (l->disable_status || twice || l->quit_on_interrupt) {
        say_info("sending Ctrl-C to StepId=%u.%u", io->job, io->step);
        bool end = twice || l->quit_on_interrupt;
        stepio_signal(l->io, SIGINT, end ? KILLED : NULL); /* tasks that end by it have no time to print the reason */
        if (end)
            force_end(l, now);
        return;
    }
    say_info("interrupt (one more within 1 sec to abort)");
    tasks_status(io->tasks, io->job, io->step);
}

static void window_changed(struct srun_loop *l)
{
    Pb__IoWindow w = PB__IO_WINDOW__INIT;
    if (l->pty_fd >= 0 && !terminal_size(l->pty_fd, &w.rows, &w.cols))
        stepio_send_all(l->io, MSG_IO_WINDOW, &w.base);
}

static void take_signal(struct srun_loop *l, int signo, int64_t now)
{
    switch (signo) {
    case SIGINT: srun_interrupted(l, now); break;
    case SIGCONT:
        say_info("got SIGCONT");
        terminal_resume();
        window_changed(l);
        break;
    case SIGWINCH: window_changed(l); break;
    case SIGUSR1:
    case SIGUSR2: stepio_signal(l->io, signo, NULL); break;
    case SIGALRM: /* not forwarded */ break;
    case SIGQUIT:
        say_info("Quit");
        force_end(l, now);
        break;
    default: force_end(l, now);
    }
}

static void take_signals(struct srun_loop *l, int64_t now)
{
    for (int signo; (signo = allocation_next_signal(l->sig_fd)) != 0;)
        if (!(l->ignored & 1u << signo))
            take_signal(l, signo, now);
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
    if (l->end_ms)
        tasks_expected(t, SIGINT);
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
        l->killed = l->io->cancelled = true; /* the notice that follows is no news */
        terminate_step(l, now);
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
    l->end_ms = now + ((int64_t)l->io->kill_wait_s + 2) * 1000;
    terminate_step(l, now); /* that it was aborted is said when the notice comes */
}

/* ---- nodes that do not answer ---- */

/* The controller reports the end of job or step, or that a node refused the step; tasks that have not reported soon
 * after never will. */
static void ask_for_end(struct srun_loop *l)
{
    Pb__WaitRequest w = PB__WAIT_REQUEST__INIT;
    w.n_job_id = 1;
    w.job_id = &l->io->job;
    w.has_step = !l->step_over;
    w.step = l->io->step;
    l->deaf = client_post(l->client, MSG_WAIT, &w.base, NULL) != 0;
}

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

/* Does the job still run?  Yes, while no controller answers. */
static void srun_watch(struct srun_loop *l, int64_t now)
{
    struct err err = ERR_INIT;
    struct lookup look = { l->io->job, false };
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.n_job = 1;
    q.job = &l->io->job;
    q.with_done = 1;
    unsigned patience_s = client_patience(l->client, WATCH_PATIENCE_S);
    int rc = client_stream(l->client, MSG_JOBS, &q.base, MSG_JOBS_REPLY, see_job, &look, &err);
    client_patience(l->client, patience_s);
    l->watch_ms = now + (rc ? LATE_MS : WATCH_MS);
    if (!rc && !look.runs) {
        say_info("Force Terminated JobId=%u", l->io->job);
        l->revoked = true;
    } else if (!rc && l->step_over && !l->het && l->io->hellos < l->io->nodes) {
        say_error("StepId=%u.%u has ended, and not all of its nodes have connected", l->io->job, l->io->step);
        l->revoked = true;
    } else if (!rc && l->deaf) {
        ask_for_end(l);
    }
}

/* The step does not end: its nodes do not answer.  The controller has other ways to them. */
static void wait_no_more(struct srun_loop *l)
{
    struct err err = ERR_INIT;
    Pb__CancelRequest c = PB__CANCEL_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = l->io->job;
    ref.has_step = 1;
    ref.step = l->io->step;
    c.jobs = refs;
    c.n_jobs = 1;
    c.signal = SIGKILL;
    say_error("Timed out waiting for job step to complete");
    client_call(l->client, MSG_CANCEL, &c.base, MSG_CANCEL_REPLY, NULL, &err);
    l->revoked = true;
}

/* ---- the loop ---- */

static int wait_time(const struct srun_loop *l, int64_t now)
{
    const int64_t live_ms = l->deaf ? 0 : now + client_wait_ms(l->client);
    const int64_t when[] = { l->tell_ms, l->wait_ms, l->kill_ms, l->watch_ms, l->due_ms, l->end_ms, live_ms };
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
    if (l->end_ms && now >= l->end_ms)
        wait_no_more(l);
    if (l->kill_ms && now >= l->kill_ms) {
        stepio_signal(l->io, SIGKILL, NULL);
        l->kill_ms = now + (int64_t)l->io->kill_wait_s * 1000;
    }
    if (now >= l->watch_ms)
        srun_watch(l, now);
}

/* Tasks that were killed, other than by cancelling the step. */
static void say_forced(const struct srun_loop *l)
{
    const struct tasks *t = l->io->tasks;
    bool forced = false;
    for (uint32_t i = 0; i < t->n; i++)
        forced |= t->at[i].ended && (t->at[i].status == SIGKILL || t->at[i].status == SIGTERM);
    if (forced && (!l->io->cancelled || l->killed))
        say_info("Force Terminated StepId=%u.%u", l->io->job, l->io->step);
}

static void hear_of_end(struct srun_loop *l, int64_t now)
{
    ProtobufCMessage *m = NULL;
    int rc = client_more(l->client, MSG_WAIT_REPLY, &m, 0, NULL);
    const Pb__WaitReply *r = rc ? NULL : (Pb__WaitReply *)m;
    if (rc == ETIMEDOUT || rc == EINTR)
        return;
    if (r && r->code) {
        stepio_refused(l->io, r->node_index, r->node, r->code, r->text);
        terminate_step(l, now);
        ask_for_end(l);
        client_free(m);
        return;
    }
    l->step_over |= r && !r->n_jobs;
    if (m)
        client_free(m);
    l->deaf = true;
    l->watch_ms = now + LATE_MS; /* the job has ended, or another controller is asked */
}

void srun_loop_run(struct srun_loop *l)
{
    l->watch_ms = clock_mono_ms() + WATCH_MS;
    ask_for_end(l);
    while (!stepio_done(l->io) && !l->revoked) {
        size_t room = stepio_room(l->io) + 2;
        auto_free struct pollfd *fds = mem_array(room, sizeof(*fds));
        nfds_t n = stepio_poll(l->io, fds);
        fds[n] = (struct pollfd){ l->sig_fd, POLLIN, 0 };
        fds[n + 1] = (struct pollfd){ l->deaf ? -1 : client_fd(l->client), POLLIN, 0 };
        poll(fds, n + 2, wait_time(l, clock_mono_ms()));
        int64_t now = clock_mono_ms();
        if (!l->deaf)
            hear_of_end(l, now);
        if (fds[n].revents)
            take_signals(l, now);
        stepio_handle(l->io, fds, n);
        l->due_ms = stepio_due(l->io, now);
        if (l->terminating && l->io->hellos != l->told_hellos)
            tell_end(l);
        if (l->mpi && srun_mpi_abort(l->mpi) && !l->terminating) {
            l->killed = l->io->cancelled = true;
            terminate_step(l, now);
        }
        after_ends(l, now);
        on_time(l, now);
    }
    terminal_restore();
    tasks_tell(l->io->tasks);
    if (!l->quiet)
        say_forced(l);
}
