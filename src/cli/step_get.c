/* step_get - srun inside an allocation gets its step; see step_get.h. */
#include "cli/step_get.h"

#include <poll.h>
#include <signal.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/str.h"
#include "cli/say.h"

#define QUICK_MS 300 /* a step that only waited for the last one to be put away is not worth a line */

struct step_env step_env_take(struct job_opts *o)
{
    Pb__JobSpec *s = &o->spec;
    struct step_env m = { s->mem_per_node_mb, s->mem_per_cpu_mb, s->mem_per_gpu_mb,  s->ntasks,   s->ntasks_per_node,
                          s->mem_all,         o->mem_set,        o->mem_per_cpu_set, o->nodes_set };
    s->ntasks = s->ntasks_per_node = 0;
    s->mem_per_node_mb = s->mem_per_cpu_mb = s->mem_per_gpu_mb = 0;
    s->mem_all = o->mem_set = o->mem_per_cpu_set = o->nodes_set = false;
    return m;
}

static void memory_back(struct job_opts *o, const struct step_env *m)
{
    Pb__JobSpec *s = &o->spec;
    if (o->mem_set || o->mem_per_cpu_set || s->mem_per_gpu_mb)
        return;
    s->mem_per_node_mb = m->per_node_mb, s->mem_per_cpu_mb = m->per_cpu_mb, s->mem_per_gpu_mb = m->per_gpu_mb;
    s->mem_all = m->all, o->mem_set = m->node_set, o->mem_per_cpu_set = m->cpu_set;
}

bool step_env_back(struct job_opts *o, const struct step_env *m)
{
    Pb__JobSpec *s = &o->spec;
    bool by_env = m->nodes_set && !o->nodes_set;
    memory_back(o, m);
    if (!s->ntasks && (!s->ntasks_per_node || !o->nodes_set))
        s->ntasks = m->ntasks;
    if (!s->ntasks_per_node)
        s->ntasks_per_node = m->ntasks_per_node;
    o->nodes_set |= m->nodes_set;
    return by_env;
}

void step_get_ask(const Pb__JobSpec *spec, Pb__StepSpec *step)
{
    step->max_nodes = step->nodes ? spec->max_nodes : 0;
    step->ntasks_per_core = spec->ntasks_per_core;
    step->ntasks_per_socket = spec->ntasks_per_socket;
    step->ntasks_per_gpu = spec->ntasks_per_gpu;
    step->threads_per_core = spec->threads_per_core;
    step->gpus_per_node = spec->gpus_per_node;
    step->gpus_per_task = spec->gpus_per_task;
    step->gpus_per_socket = spec->gpus_per_socket;
    step->cpus_per_gpu = spec->cpus_per_gpu;
    step->mem_per_gpu_mb = spec->mem_per_gpu_mb;
    step->mem_all = spec->mem_all;
    step->tres_per_task = spec->tres_per_task;
    step->gres_flags = spec->gres_flags;
    step->immediate_s = spec->immediate_s > 1 ? spec->immediate_s + 1 : spec->immediate_s; /* 1: at once */
}

/* The job itself is not what it was taken for. */
static bool no_job(uint32_t job_id, int code, unsigned quiet)
{
    if (code == ESLURM_ALREADY_DONE)
        say_error("Slurm job %u has expired", job_id);
    else if (code == ESLURM_INVALID_JOB_ID || code == ESLURM_JOB_PENDING)
        say_error("Unable to confirm allocation for job %u: %s", job_id, err_text(code));
    else
        return false;
    if (!quiet)
        say_info("Check SLURM_JOB_ID environment variable. Expired or invalid job %u", job_id);
    return true;
}

static void say_lines(const char *text)
{
    const char *pos = text;
    for (char *line; (line = str_next(&pos, "\n")); free(line))
        say_error("%s", line);
}

#define RELATIVE "--relative and "

static int step_refused(const Pb__StepRequest *req, const struct err *err, bool waited, unsigned quiet,
                        bool nodes_by_env)
{
    const char *words = err_text(err->code);
    if (!waited && no_job(req->job_id, err->code, quiet))
        return say_exit(1);
    if (nodes_by_env && str_has_prefix(err->text, RELATIVE "--nodes"))
        say_error(RELATIVE "SLURM_JOB_NUM_NODES%s", err->text + strlen(RELATIVE "--nodes"));
    else if (err->text[0] && !str_eq(err->text, words)) /* what says it all, in a sentence or two */
        say_lines(err->text);
    else
        say_error("Unable to create step for job %u: %s", req->job_id, words);
    return req->spec->immediate_s && err->code == ESLURM_NODES_BUSY ? say_exit_by("SLURM_EXIT_IMMEDIATE", 1)
                                                                    : say_exit(1);
}

static bool step_waits(const ProtobufCMessage *m)
{
    const Pb__StepReply *r = (const Pb__StepReply *)m;
    return r->step && r->step->pending;
}

/* A signal that gives the wait up; 0 for any other signal. */
static int stop_signal(int sig_fd)
{
    int signo = allocation_next_signal(sig_fd);
    return signo == SIGCONT || signo == SIGUSR1 || signo == SIGUSR2 ? 0 : signo;
}

/* Closing the connection gives the request up.  After a failover the new leader is asked: a step
 * that had begun is found by srun's token in the request. */
static int wait_step(struct allocation *a, struct client *c, const Pb__StepRequest *req, ProtobufCMessage **m,
                     struct err *err)
{
    for (;;) {
        int rc = client_more(c, MSG_STEP_REPLY, m, 0, err);
        if (rc == ECONNRESET)
            rc = client_call(c, MSG_STEP, &req->base, MSG_STEP_REPLY, m, err);
        if (!rc && !step_waits(*m))
            return 0;
        if (!rc)
            client_free(take(*m));
        else if (rc != ETIMEDOUT && rc != EINTR)
            return rc;
        struct pollfd p[2] = { { client_fd(c), POLLIN, 0 }, { a->sig_fd, POLLIN, 0 } };
        poll(p, 2, -1);
        int signo = p[1].revents ? stop_signal(a->sig_fd) : 0;
        if (!signo)
            continue;
        say_info("Cancelled pending job step with signal %d", signo);
        return err_set(err, ESLURM_ALREADY_DONE, "%s", err_text(ESLURM_ALREADY_DONE));
    }
}

int step_get(struct allocation *a, struct client *c, const Pb__StepRequest *req, unsigned quiet, bool nodes_by_env)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *m = NULL;
    bool waited = false;
    int64_t began = clock_mono_ms();
    int rc = client_call(c, MSG_STEP, &req->base, MSG_STEP_REPLY, &m, &err);
    a->sig_fd = allocation_signals();
    if (!rc && step_waits(m)) {
        waited = true;
        client_free(take(m));
        rc = wait_step(a, c, req, &m, &err);
    }
    if (rc)
        return step_refused(req, &err, waited, quiet, nodes_by_env);
    Pb__StepReply *r = (Pb__StepReply *)m;
    a->message = m;
    a->job_id = r->job_id;
    a->job = r->job;
    a->step = r->step;
    for (size_t i = 0; i < r->n_het; i++)
        if (r->het[i]->step)
            vec_push(&a->parts, r->het[i]->step);
    if (waited && !quiet && clock_mono_ms() - began >= QUICK_MS)
        say_info("Step created for StepId=%u.%u", r->job_id, r->step->id);
    return 0;
}
