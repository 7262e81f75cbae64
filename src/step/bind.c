/* bind - tasks bound to CPUs; see bind.h. */
#include "step/bind.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "step/spawner.h"
#include "step/membind.h"
#include "step/device_locality.h"

/* ---- the site's settings ---- */

static enum bind_unit unit_of(const char *word)
{
    auto_bind_cpu struct bind_cpu b = { 0 };
    return *word && !bind_cpu_parse(word, &b, NULL) ? b.unit : BIND_UNIT_ANY;
}

/* The value of `name` among the words, up to the next blank; false: `name` is not there. */
static bool value_of(const char *words, const char *name, char *out, size_t size)
{
    size_t len = strlen(name);
    for (const char *p = words; *p; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        if (strncmp(p, name, len) || (p[len] != '=' && p[len] != ' ' && p[len] != '\0'))
            continue;
        const char *from = p + len + (p[len] == '=');
        if (out)
            snprintf(out, size, "%.*s", (int)strcspn(from, " "), from);
        return true;
    }
    return false;
}

bool bind_site_says(const char *word)
{
    return value_of(str_or(getenv(SPAWNER_BIND), ""), word, NULL, 0);
}

void bind_site_parse(const char *words, const char *partition, struct bind_site *out)
{
    char otherwise[16] = "";
    auto_free char *part = mem_printf("part.%s", partition);
    *out = (struct bind_site){ .affinity = value_of(words, "affinity", NULL, 0),
                               .verbose = value_of(words, "verbose", NULL, 0),
                               .cpus = value_of(words, "cpus", NULL, 0),
                               .dist_block = value_of(words, "block", NULL, 0) };
    (void)(value_of(words, "node", out->unit, sizeof(out->unit)) ||
           value_of(words, part, out->unit, sizeof(out->unit)) ||
           value_of(words, "unit", out->unit, sizeof(out->unit)));
    value_of(words, "auto", otherwise, sizeof(otherwise));
    out->otherwise = unit_of(otherwise);
}

/* ---- before the tasks ---- */

static void cores_of(const Pb__LaunchOrder *o, struct bitmap *out)
{
    const Pb__NodeAlloc *a = o->step_alloc && o->step_alloc->cores.len ? o->step_alloc
                             : o->node_index < o->n_alloc              ? o->alloc[o->node_index]
                                                                       : NULL;
    for (size_t i = 0; a && i < a->cores.len * 8; i++)
        if (a->cores.data[i / 8] >> (i % 8) & 1)
            bitmap_set(out, i);
}

/* The step's own request; the site's default unit where the request gives neither a method nor a unit. */
static void read_asked(struct binding *b, const Pb__StepSpec *step)
{
    if (step && !str_empty(step->cpu_bind))
        bind_cpu_parse(step->cpu_bind, &b->cpu, NULL); /* srun has validated it */
    if (step && !str_empty(step->mem_bind))
        bind_mem_parse(step->mem_bind, &b->mem, NULL);
    if (!step || !b->site.affinity)
        return;
    if (b->cpu.how == BIND_CPU_AUTO && b->cpu.unit == BIND_UNIT_ANY && *b->site.unit) {
        bool verbose = b->cpu.verbose;
        bind_cpu_parse(b->site.unit, &b->cpu, NULL);
        b->cpu.verbose = verbose;
    }
    if (!b->cpu.quiet)
        b->cpu.verbose = b->cpu.verbose || b->site.verbose;
}

static int make_masks(struct step *s, struct binding *b, struct err *err)
{
    const Pb__LaunchOrder *o = s->order;
    auto_bitmap struct bitmap cores = BITMAP_INIT;
    cores_of(o, &cores);
    struct masks_ask ask = { .topo = &b->topo,
                             .cores = &cores,
                             .tasks = s->ntasks,
                             .dist_block = b->site.dist_block,
                             .share_cores = b->site.cpus,
                             .bind = &b->cpu,
                             .otherwise = b->site.otherwise };
    if (s->batch) { /* a script may run on all CPUs of its job on this node */
        ask.cpus_per_task = topo_cpus(&b->topo) + 1;
        ask.otherwise = BIND_UNIT_ANY;
    } else {
        const char *dist = str_or(o->step->distribution, o->spec->distribution);
        ask.cpus_per_task = o->step->cpus_per_task;
        ask.threads_per_core = o->step->threads_per_core;
        ask.ntasks_per_core = o->step->ntasks_per_core;
        if (!str_empty(dist))
            bind_dist_parse(dist, &ask.dist, NULL);
    }
    if (masks_make(&ask, &b->masks))
        return 0;
    auto_free char *had = masks_text(&(struct masks){ .at = &b->masks.had, .n = 1 }, topo_cpus(&b->topo));
    return err_set(err, ESLURMD_CPU_BIND_ERROR, "CPU binding outside of job step allocation, allocated CPUs are: %s.",
                   had);
}

static void set_cpu_env(struct env *e, const struct binding *b)
{
    auto_free char *asked = bind_cpu_type(&b->cpu);
    auto_free char *list = b->masks.how == BIND_CPU_MASK && b->cpu.how != BIND_CPU_MASK && !b->masks.absent
                               ? masks_text(&b->masks, topo_cpus(&b->topo))
                               : bind_list_text(&b->cpu.list);
    const char *type = b->masks.how == BIND_CPU_MASK && !b->masks.absent ? "mask_cpu:" : asked;
    const char *verbose = b->cpu.verbose ? "verbose" : "quiet";
    if (!*type && !b->cpu.verbose)
        return;
    env_set(e, "SLURM_CPU_BIND_VERBOSE", verbose);
    env_set(e, "SLURM_CPU_BIND_TYPE", type);
    env_set(e, "SLURM_CPU_BIND_LIST", list);
    env_setf(e, "SLURM_CPU_BIND", "%s%s%s%s", verbose, *type ? "," : "", type, list);
}

static void set_mem_env(struct env *e, const struct bind_mem *m)
{
    if (m->how == BIND_MEM_UNSET && !m->verbose && !m->prefer)
        return;
    auto_free char *type = bind_mem_type(m), *list = bind_list_text(&m->list), *text = bind_mem_text(m);
    const char *verbose = m->verbose ? "verbose" : "quiet";
    env_set(e, "SLURM_MEM_BIND_VERBOSE", verbose);
    env_set(e, "SLURM_MEM_BIND_TYPE", type);
    env_set(e, "SLURM_MEM_BIND_LIST", list);
    if (m->prefer)
        env_set(e, "SLURM_MEM_BIND_PREFER", "prefer");
    env_setf(e, "SLURM_MEM_BIND", "%s%s", m->verbose || m->quiet ? "" : "quiet,", text);
}

int bind_prepare(struct step *s, struct err *err)
{
    struct binding *b = s->binding = NEW(struct binding);
    const char *topo = getenv(SPAWNER_TOPOLOGY);
    bind_site_parse(str_or(getenv(SPAWNER_BIND), ""), s->order->partition, &b->site);
    if (b->site.affinity && (!topo || topo_parse(topo, &b->topo, NULL)))
        b->site.affinity = false;
    read_asked(b, s->batch ? NULL : s->order->step);
    int rc = b->site.affinity ? make_masks(s, b, err) : 0;
    device_locality_prepare(s);
    if (rc || s->batch)
        return rc;
    set_cpu_env(&s->env, b);
    set_mem_env(&s->env, &b->mem);
    return 0;
}

/* ---- in the task ---- */

void bind_say(const struct step *s, uint32_t local, const char *what, const char *type, const struct bitmap *mask,
              const char *more)
{
    auto_free char *hex = masks_hex(mask);
    auto_free char *line = mem_printf("%s=%s - %s, task %2u %2u [%d]: mask 0x%s%s\n", what, type, s->order->node,
                                      env_rank(s->order, local), local, (int)getpid(), hex, more);
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* a closed stderr is no error */
}

/* A bitmap has the layout of the kernel's CPU set. */
static bool set_cpus(const struct bitmap *cpus)
{
    return sched_setaffinity(0, cpus->words * sizeof(*cpus->word), (const cpu_set_t *)cpus->word) == 0;
}

static void get_cpus(struct bitmap *out)
{
    bitmap_set(out, TOPO_MAX - 1); /* reserve the maximum size */
    bitmap_zero(out);
    if (sched_getaffinity(0, out->words * sizeof(*out->word), (cpu_set_t *)out->word))
        bitmap_zero(out);
}

static const char *type_word(enum bind_cpu_how how)
{
    static const char *const words[] = { "NULL", "NONE", "MAP ", "MASK", "LDRANK", "LDMAP ", "LDMASK" };
    return words[how];
}

static void say_error(void *arg, const char *fmt, ...)
{
    auto_buf struct buf line = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_addv(&line, fmt, ap);
    va_end(ap);
    step_say(arg, "%s", line.s);
}

static void say_devices(struct step *s, uint32_t local)
{
    auto_buf struct buf line = BUF_INIT;
    env_devices_say(s->order, &s->node, local, &line, say_error, s);
    if (line.len && write(STDERR_FILENO, line.s, line.len) < 0)
        return; /* a closed stderr is no error */
}

void bind_task(struct step *s, uint32_t local)
{
    const struct binding *b = s->binding;
    auto_bitmap struct bitmap now = BITMAP_INIT;
    say_devices(s, local);
    if (!b || !b->site.affinity || local >= b->masks.n)
        return;
    const struct bitmap *mine = &b->masks.at[local];
    bool asked = !bitmap_none(mine), set = asked && set_cpus(mine);
    if (!b->cpu.verbose && b->mem.how == BIND_MEM_UNSET && !b->mem.verbose)
        return;
    get_cpus(&now);
    if (b->cpu.verbose)
        bind_say(s, local, "cpu-bind",
                 asked        ? type_word(b->masks.how)
                 : b->cpu.how ? "NONE"
                              : "NULL",
                 asked && !set ? mine : &now,
                 set     ? " set"
                 : asked ? " set FAILED"
                         : "");
    membind_task(s, local, &now);
}
