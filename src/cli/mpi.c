/* mpi - srun as the place where the MPI servers of its step meet; see mpi.h. */
#include "cli/mpi.h"

#include "base/str.h"
#include "cli/job_opts_call.h"
#include "cli/say.h"

static void send_to(void *arg, uint32_t node, const Pb__Mpi *m)
{
    struct srun_mpi *mpi = arg;
    stepio_send(mpi->io, node, MSG_MPI, &m->base);
}

static void take_frame(struct stepio *io, uint32_t node, const struct frame *f, void *arg)
{
    struct srun_mpi *mpi = arg;
    struct err err = ERR_INIT;
    Pb__Mpi *m = f->type == MSG_MPI ? pb__mpi__unpack(NULL, f->len, f->body) : NULL;
    if (!m)
        return;
    if (hub_take(mpi->hub, node, m, &err))
        say_error("MPI: %s", err.text);
    pb__mpi__free_unpacked(m, NULL);
}

void srun_mpi_begin(struct srun_mpi *m, struct stepio *io)
{
    *m = (struct srun_mpi){ .io = io };
    m->hub = hub_new(io->nodes, send_to, m);
    io->on_frame = take_frame;
    io->frame_arg = m;
}

void srun_mpi_end(struct srun_mpi *m)
{
    hub_free(m->hub);
    m->hub = NULL;
}

/* Nodes that are gone will not bring their part. */
static void look_for_lost(struct srun_mpi *m)
{
    const struct tasks *t = m->io->tasks;
    if (t->ended == m->seen)
        return;
    m->seen = t->ended;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->at[i].lost)
            hub_lose(m->hub, t->at[i].node);
}

static const char *node_name(const struct srun_mpi *m, uint32_t node)
{
    const struct tasks *t = m->io->tasks;
    return node < t->nodes.n ? str_or(t->nodes.at[node], "?") : "?";
}

bool srun_mpi_abort(struct srun_mpi *m)
{
    int code;
    uint32_t node;
    const char *why;
    look_for_lost(m);
    if (m->told || !hub_aborted(m->hub, &code, &node, &why))
        return false;
    m->told = true;
    if (!str_empty(why) && strcmp(why, "N/A")) /* Open MPI's word for nothing */
        say_error("%s: %.400s", node_name(m, node), why);
    return true;
}

int srun_mpi_code(const struct srun_mpi *m, int code)
{
    int own;
    uint32_t node;
    const char *why;
    return hub_aborted(m->hub, &own, &node, &why) && own > 0 && own < 256 ? own : code;
}

int opt_external_launcher(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct job_opts *)into)->external_launcher = true;
    return str_empty(arg)
               ? 0
               : err_set(err, EINVAL, "--external-launcher=%s: arguments for a launcher are not supported", arg);
}

void srun_mpi_external(Pb__StepSpec *step)
{
    char *const nothing = (char *)"";
    step->overlap = step->whole = step->overcommit = true;
    step->exact = step->exclusive = step->mem_all = false;
    step->ntasks_per_node = step->ntasks_per_socket = step->ntasks_per_core = step->ntasks_per_gpu = 0;
    step->cpus_per_task = step->cpus_per_gpu = step->threads_per_core = 0;
    step->mem_per_node_mb = step->mem_per_cpu_mb = step->mem_per_gpu_mb = 0;
    step->gres = step->gpus = step->gpus_per_node = step->gpus_per_task = step->gpus_per_socket = nothing;
    step->tres_per_task = nothing;
    step->cpu_bind = (char *)"none"; /* its processes bind themselves */
}
