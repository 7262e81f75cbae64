/* job_opts_bind - options that say how tasks are bound; see job_opts_bind.h. */
#include "cli/job_opts_bind.h"

#include "base/errnum.h"
#include "base/str.h"
#include "cli/export.h"
#include "cli/say.h"
#include "text/bind.h"
#include "text/gres.h"

#define ANY_PER_CORE UINT16_MAX /* --hint=multithread: as many tasks on a core as there is room for */

static char *keep_text(struct job_opts *jo, char *text)
{
    strs_take(&jo->owned, text);
    return text;
}

/* What has been said to the user already, and the exit status that goes with it. */
static int already_printed(struct err *err, int status)
{
    err->code = OPT_SAID;
    return status;
}

static int bind_refuse_with_help(const char *text, struct err *err, int status)
{
    fputs(text, stdout);
    return already_printed(err, status);
}

/* ---- options ---- */

int opt_cpu_bind(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    auto_bind_cpu struct bind_cpu b = { 0 };
    struct err why = ERR_INIT;
    if (str_ieq(arg, "help"))
        return bind_refuse_with_help(bind_cpu_help, err, OPT_EXIT_VALUE);
    if (bind_cpu_parse(arg, &b, &why)) {
        say_error("%s", why.text);
        say_fatal("Failed to parse --cpu-bind= values.");
        return already_printed(err, OPT_EXIT_VALUE);
    }
    if (b.rank)
        say_info("Ignoring --cpu-bind=rank. Rank binding is obsolete.");
    jo->cpu_bind = keep_text(jo, bind_cpu_text(&b));
    return 0;
}

int opt_mem_bind(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    auto_bind_mem struct bind_mem b = { 0 };
    if (str_ieq(arg, "help"))
        return bind_refuse_with_help(bind_mem_help, err, OPT_EXIT_USAGE);
    if (bind_mem_parse(arg, &b, err))
        return OPT_EXIT_USAGE;
    jo->mem_bind = keep_text(jo, bind_mem_text(&b));
    return 0;
}

int opt_hint(const struct opt *o, void *into, const char *arg, struct err *err)
{
    enum bind_hint hint;
    if (str_ieq(arg, "help"))
        return bind_refuse_with_help(bind_hint_help, err, OPT_EXIT_VALUE);
    if (bind_hint_parse(arg, &hint, err))
        return OPT_EXIT_VALUE;
    ((struct job_opts *)into)->hint = arg;
    return 0;
}

/* A plane without its size gets it from the environment. */
int opt_distribution(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    struct bind_dist d;
    struct err why = ERR_INIT;
    const char *size = getenv("SLURM_DIST_PLANESIZE"), *text = arg;
    if (str_ieq(arg, "plane"))
        text = keep_text(jo, mem_printf("plane=%s", str_or(size, "")));
    if (bind_dist_parse(text, &d, &why)) {
        if (str_has_iprefix(text, "plane="))
            say_error("%s", why.text);
        return OPT_EXIT_USAGE;
    }
    jo->spec.distribution = (char *)text;
    return 0;
}

int opt_gpu_bind(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    auto_bind_gres struct bind_gres b = { 0 };
    struct err why = ERR_INIT;
    if (bind_gres_parse(arg, &b, &why)) {
        if (str_has_prefix(why.text, "Failed to validate"))
            say_error("%s", why.text);
        return err_set(err, OPT_EXIT_USAGE, "Invalid --gpu-bind argument: %s", arg);
    }
    jo->spec.tres_bind = keep_text(jo, mem_printf("gres/gpu:%s", arg));
    return 0;
}

int opt_tres_bind(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct err why = ERR_INIT;
    if (bind_tres_parse(arg, "gpu", NULL, &why))
        return err_set(err, OPT_EXIT_VALUE, "%s: %s", err_text(ESLURM_INVALID_TRES), why.text);
    ((struct job_opts *)into)->spec.tres_bind = (char *)arg;
    return 0;
}

int opt_accel_bind(const struct opt *o, void *into, const char *arg, struct err *err)
{
    if (!*arg || arg[strspn(arg, "gnv")])
        return OPT_EXIT_USAGE;
    if (strchr(arg, 'n'))
        return err_set(err, OPT_EXIT_VALUE, "option --accel-bind=n is not supported by this release of Spur");
    ((struct job_opts *)into)->accel_bind = arg;
    return 0;
}

/* ---- what follows ---- */

/* What --hint stands for, unless the user has said it in other words. */
static enum bind_unit take_hint(struct job_opts *o)
{
    enum bind_hint hint = BIND_HINT_NONE;
    Pb__JobSpec *s = &o->spec;
    if (s->ntasks_per_core || s->threads_per_core || s->cores_per_socket || s->sockets_per_node) {
        o->hint = NULL;
        return BIND_UNIT_ANY;
    }
    bind_hint_parse(o->hint, &hint, NULL);
    if (hint == BIND_MULTITHREAD)
        s->ntasks_per_core = ANY_PER_CORE;
    else
        s->threads_per_core = 1;
    if (hint == BIND_MEMORY_BOUND)
        s->cores_per_socket = 1;
    return hint == BIND_MULTITHREAD || hint == BIND_NOMULTITHREAD ? BIND_THREADS : BIND_CORES;
}

static enum bind_unit bind_implied(const struct job_opts *o)
{
    const Pb__JobSpec *s = &o->spec;
    if (s->threads_per_core)
        return BIND_THREADS;
    if (o->layout_set)
        return s->cores_per_socket ? BIND_CORES : BIND_SOCKETS;
    if (s->ntasks_per_core)
        return s->ntasks_per_core == 1 ? BIND_CORES : BIND_THREADS;
    return s->ntasks_per_socket ? BIND_SOCKETS : BIND_UNIT_ANY;
}

static void settle_cpus(struct job_opts *o)
{
    auto_bind_cpu struct bind_cpu b = { 0 };
    if (!str_empty(o->cpu_bind))
        bind_cpu_parse(o->cpu_bind, &b, NULL);
    if (b.how != BIND_CPU_AUTO || b.unit != BIND_UNIT_ANY) {
        o->hint = NULL;
        return;
    }
    if (o->hint)
        b.unit = take_hint(o);
    if (b.unit == BIND_UNIT_ANY)
        b.unit = bind_implied(o);
    if (b.unit != BIND_UNIT_ANY)
        o->cpu_bind = keep_text(o, bind_cpu_text(&b));
}

/* GPUs for each task are each task's own, unless the user wants it otherwise. */
static void settle_gpus(struct job_opts *o)
{
    auto_gres struct gres_list l = GRES_INIT;
    if (!str_empty(o->spec.tres_bind))
        return;
    if (!str_empty(o->spec.gpus_per_task) && !gres_parse_gpus(o->spec.gpus_per_task, &l, NULL))
        o->spec.tres_bind = keep_text(
            o, mem_printf("gres/gpu:per_task:%llu", (unsigned long long)gres_count(&l, "gpu", NULL)));
    else if (o->spec.ntasks_per_gpu)
        o->spec.tres_bind = keep_text(o, mem_printf("gres/gpu:single:%u", o->spec.ntasks_per_gpu));
}

void job_opts_bind_settle(struct job_opts *o)
{
    settle_cpus(o);
    settle_gpus(o);
}

static char *text_of(const char *s)
{
    return (char *)(s ? s : "");
}

void job_opts_bind_ask(const struct job_opts *o, Pb__StepSpec *step)
{
    step->cpu_bind = text_of(o->cpu_bind);
    step->mem_bind = text_of(o->mem_bind);
    step->hint = text_of(o->hint);
    step->tres_bind = o->spec.tres_bind;
    step->accel_bind = text_of(o->accel_bind);
    step->distribution = o->spec.distribution;
    step->threads_per_core = o->spec.threads_per_core;
    step->ntasks_per_core = o->spec.ntasks_per_core;
    step->ntasks_per_socket = o->spec.ntasks_per_socket;
}

void job_opts_bind_env(struct export *env, const struct job_opts *o, enum job_command command)
{
    struct bind_dist d;
    if (!str_empty(o->spec.distribution) && !bind_dist_parse(o->spec.distribution, &d, NULL)) {
        auto_free char *text = bind_dist_text(&d);
        export_set(env, "SLURM_DISTRIBUTION", text);
        if (d.plane)
            export_setf(env, "SLURM_DIST_PLANESIZE", "%u", d.plane);
    }
    if (!str_empty(o->spec.tres_bind))
        export_set(env, "SLURM_TRES_BIND", o->spec.tres_bind);
    if (command == CMD_SRUN)
        return; /* the supervisor reports the rest */
    if (o->hint)
        export_set(env, "SLURM_HINT", o->hint);
    if (str_empty(o->mem_bind))
        return;
    export_set(env, "SLURM_MEM_BIND", o->mem_bind);
    export_set(env, "SLURM_MEM_BIND_VERBOSE", str_has_prefix(o->mem_bind, "verbose") ? "verbose" : "quiet");
}
