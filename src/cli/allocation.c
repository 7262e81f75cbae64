/* allocation - from a request to a running allocation; see allocation.h. */
#include "cli/allocation.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/say.h"
#include "core/why.h"

#define QUICK_MS 60 /* a start that follows this soon is not worth two lines about waiting */

static void caught_signals(sigset_t *set)
{
    static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH, SIGALRM };
    sigemptyset(set);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++)
        sigaddset(set, signals[i]);
}

int allocation_signals(void)
{
    sigset_t set;
    caught_signals(&set);
    if (sigprocmask(SIG_BLOCK, &set, NULL))
        return -1;
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int allocation_next_signal(int sig_fd)
{
    struct signalfd_siginfo info;
    return read(sig_fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

void allocation_clear(struct allocation *a)
{
    client_free(a->message);
    vec_clear(&a->het);
    vec_clear(&a->parts);
    if (a->sig_fd > 0)
        close(a->sig_fd);
    *a = (struct allocation){ 0 };
}

static void take_start(struct allocation *a, ProtobufCMessage *m)
{
    Pb__StartReply *r = (Pb__StartReply *)m;
    a->message = m;
    a->job = r->job;
    a->step = r->step;
    for (size_t i = 0; !r->code && i < r->n_het; i++)
        if (r->het[i]->job) {
            vec_push(&a->het, r->het[i]);
            if (r->het[i]->step)
                vec_push(&a->parts, r->het[i]->step);
        }
}

/* The controller went away: ask the new leader.  Signals are not read meanwhile, so they have their default action.
 */
static int ask_again(const struct allocation *a, struct client *c, ProtobufCMessage **m, struct err *err)
{
    Pb__WaitRequest w = PB__WAIT_REQUEST__INIT;
    uint32_t job_id = a->job_id;
    w.n_job_id = 1;
    w.job_id = &job_id;
    w.start = 1;
    w.key = a->key;
    sigset_t set;
    caught_signals(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    int rc = client_call(c, MSG_WAIT, &w.base, MSG_START_REPLY, m, err);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return rc;
}

/* One look for the start.  EAGAIN: not yet. */
static int allocation_look(struct allocation *a, struct client *c, int wait_ms, int *code, struct err *err)
{
    ProtobufCMessage *m = NULL;
    int rc = client_more(c, MSG_START_REPLY, &m, wait_ms, err);
    if (rc == ETIMEDOUT || rc == EINTR)
        return EAGAIN;
    if (rc == ECONNRESET)
        rc = ask_again(a, c, &m, err);
    if (rc)
        return rc;
    take_start(a, m);
    *code = ((Pb__StartReply *)m)->code;
    if (*code)
        err_set(err, *code, "%s", ((Pb__StartReply *)m)->text);
    return 0;
}

/* Wait for the start or a signal; closing the connection gives the request up. */
static int wait_start(struct allocation *a, struct client *c, int *code, struct err *err)
{
    for (;;) {
        int rc = allocation_look(a, c, 0, code, err);
        if (rc != EAGAIN)
            return rc;
        struct pollfd p[2] = { { client_fd(c), POLLIN, 0 }, { a->sig_fd, POLLIN, 0 } };
        poll(p, 2, client_wait_ms(c));
        int signo = p[1].revents ? allocation_next_signal(a->sig_fd) : 0;
        if (signo && signo != SIGCONT && signo != SIGUSR1 && signo != SIGUSR2 && signo != SIGWINCH && signo != SIGALRM)
            return ECANCELED;
    }
}

static int allocation_submit(struct allocation *a, struct client *c, const struct request *req, const char *prefix)
{
    Pb__SubmitReply *r = NULL;
    int rc = request_send(req, c, prefix, &r);
    if (rc)
        return rc;
    a->job_id = r->job_id;
    a->key = req->msg.key;
    client_free(&r->base);
    return 0;
}

static void say_queued(const struct allocation *a, const char *pending)
{
    if (pending)
        say_info("%s %u", pending, a->job_id);
    say_info("job %u queued and waiting for resources", a->job_id);
}

static int allocation_refused(const struct allocation *a, bool in_a_hurry, const char *prefix, struct err *err)
{
    if (in_a_hurry && err->code == ESLURM_ALREADY_DONE) {
        bool never = a->job && (a->job->reason == WHY_PART_NODE_LIMIT || a->job->reason == WHY_PART_CONFIG);
        int code = never ? ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE : ESLURM_NODES_BUSY;
        err_set(err, code, "%s", err_text(code));
    }
    if (in_a_hurry)
        prefix = "Unable to allocate resources";
    bool cancelled = err->code == ESLURM_ALREADY_DONE || err->code == ESLURM_JOB_FINISHED;
    if (err->code == ECANCELED && a->says_signal)
        say_info("Job aborted due to signal");
    if (err->code == ECANCELED)
        say_info("Job allocation %u has been revoked%s", a->job_id, a->says_signal ? "." : "");
    if (cancelled) {
        say_info("Job has been cancelled");
        err->code = ESLURM_ALREADY_DONE;
    }
    if (err->code != ECANCELED)
        request_failed(prefix, err);
    return say_exit_by(in_a_hurry ? "SLURM_EXIT_IMMEDIATE" : "SLURM_EXIT_ERROR", 1);
}

int allocation_get(struct allocation *a, struct client *c, const struct request *req, unsigned quiet,
                   const char *prefix, const char *pending)
{
    struct err err = ERR_INIT;
    int code = 0, rc = allocation_submit(a, c, req, prefix);
    if (rc || req->msg.test_only)
        return rc;
    a->sig_fd = allocation_signals();
    rc = allocation_look(a, c, QUICK_MS, &code, &err);
    bool waited = rc == EAGAIN, in_a_hurry = req->msg.spec->immediate_s != 0;
    a->says_signal = pending != NULL;
    bool refusal = !waited && (rc || code); /* it cannot have begun */
    if ((waited || refusal) && !quiet && !in_a_hurry)
        say_queued(a, pending);
    time_t since = time(NULL);
    if (waited)
        rc = wait_start(a, c, &code, &err);
    a->waited_s = (uint32_t)(time(NULL) - since);
    if (rc || code) {
        err.code = rc ? rc : code;
        return allocation_refused(a, in_a_hurry, prefix, &err);
    }
    if (waited && !quiet && !in_a_hurry)
        say_info("job %u has been allocated resources", a->job_id);
    return 0;
}

void allocation_release(struct client *c, uint32_t job_id, int wait_status)
{
    struct err err = ERR_INIT;
    Pb__JobDoneRequest d = PB__JOB_DONE_REQUEST__INIT;
    d.job_id = job_id;
    d.exit_code = (uint32_t)wait_status;
    int rc = client_call(c, MSG_JOB_DONE, &d.base, MSG_DONE, NULL, &err);
    if (rc && rc != ESLURM_ALREADY_DONE && rc != ESLURM_INVALID_JOB_ID && rc != ESLURM_JOB_FINISHED)
        say_error("cannot give back the allocation of job %u: %s", job_id, str_or(err.text, err_text(rc)));
}
