/* step_text - texts that several fields of a step share; see step.h. */
#include "base/str.h"
#include "core/step.h"
#include "show/step.h"
#include "text/gres.h"
#include "text/hostlist.h"
#include "text/tres.h"

void step_put_number(struct buf *out, uint32_t step)
{
    switch (step) {
    case PB__STEP_NUMBER__STEP_BATCH: buf_adds(out, "batch"); break;
    case PB__STEP_NUMBER__STEP_EXTERN: buf_adds(out, "extern"); break;
    case PB__STEP_NUMBER__STEP_INTERACTIVE: buf_adds(out, "interactive"); break;
    case PB__STEP_NUMBER__STEP_PENDING_ID: buf_adds(out, "TBD"); break;
    default: buf_addf(out, "%u", step);
    }
}

void step_put_id(struct buf *out, const struct job_row *r, uint32_t step)
{
    if (r->job->het_job && !r->job->het_offset)
        buf_addf(out, "%u", r->job->id);
    else
        job_put_id(out, r);
    buf_addc(out, '.');
    step_put_number(out, step);
}

void step_of_batch(const Pb__Job *j, Pb__Step *step, Pb__StepSpec *spec)
{
    *step = (Pb__Step)PB__STEP__INIT;
    *spec = (Pb__StepSpec)PB__STEP_SPEC__INIT;
    spec->name = (char *)"batch";
    step->spec = spec;
    step->id = PB__STEP_NUMBER__STEP_BATCH;
    step->start_s = j->start_s;
    step->nodes = j->batch_host;
}

void step_put_nodes(struct buf *out, const struct step_row *r)
{
    const Pb__Step *s = r->step;
    const Pb__Job *j = r->job.job;
    if (*s->nodes) {
        buf_adds(out, s->nodes);
        return;
    }
    auto_free char **names = mem_array(s->n_node, sizeof(*names));
    size_t n = 0;
    for (size_t i = 0; i < s->n_node; i++)
        if (s->node[i] < j->n_alloc)
            names[n++] = j->alloc[s->node[i]]->name;
    auto_free char *text = n ? hostlist_compress(names, n) : mem_str(j->nodes);
    buf_adds(out, text);
}

static void add_gres(struct buf *out, size_t start, const char *words, const char *prefix)
{
    if (str_empty(words))
        return;
    auto_free char *text = gres_spec_prefixed(words, prefix);
    buf_addf(out, "%s%s", out->len > start ? "," : "", text);
}

static bool names_devices(const Pb__StepSpec *s)
{
    return *s->gres || *s->gpus || *s->gpus_per_node || *s->gpus_per_socket || *s->gpus_per_task || *s->tres_per_task;
}

void step_put_tres(struct buf *out, const Pb__Step *s)
{
    auto_tres struct tres_list t = TRES_INIT;
    uint64_t mem = 0;
    for (size_t i = 0; i < s->n_alloc; i++)
        mem += s->alloc[i]->mem_mb;
    tres_set(&t, "cpu", step_cpus(s));
    tres_set(&t, "mem", mem);
    tres_set(&t, "node", s->n_alloc);
    auto_free char *text = tres_text(&t);
    buf_adds(out, s->n_alloc ? text : "");
}

uint32_t step_shown_tasks(const Pb__Step *s)
{
    uint32_t n = step_tasks(s);
    return n ? n : s->spec && s->spec->ntasks ? s->spec->ntasks : 1;
}

/* What was asked for, not what it got: a step without --exact has more. */
static uint64_t asked_cpus(const Pb__Step *s)
{
    uint64_t gpus = 0;
    for (size_t i = 0; i < s->n_alloc; i++)
        for (size_t g = 0; g < s->alloc[i]->n_gres; g++)
            gpus += str_eq(s->alloc[i]->gres[g]->name, "gpu") ? s->alloc[i]->gres[g]->count : 0;
    return MAX((uint64_t)step_shown_tasks(s) * MAX(s->spec->cpus_per_task, 1u), gpus * s->spec->cpus_per_gpu);
}

void step_put_tres_per_step(struct buf *out, const Pb__Step *s)
{
    size_t start = out->len;
    if (!s->spec || !names_devices(s->spec))
        return;
    buf_addf(out, "cpu:%llu", (unsigned long long)asked_cpus(s));
    add_gres(out, start, s->spec->gpus, "gres/gpu:");
}

void step_put_tres_per_node(struct buf *out, const Pb__Step *s, const Pb__JobSpec *job)
{
    size_t start = out->len;
    if (!s->spec)
        return;
    if (names_devices(s->spec)) {
        if (!str_eq(s->spec->gres, "none"))
            add_gres(out, start, s->spec->gres, "gres/");
        add_gres(out, start, s->spec->gpus_per_node, "gres/gpu:");
    } else if (!s->pending) {
        job_put_tres_per_node(out, job);
    }
}

void step_put_tres_per_task(struct buf *out, const Pb__Step *s)
{
    size_t start = out->len;
    if (!s->spec)
        return;
    if (*s->spec->tres_per_task)
        buf_addf(out, "%s", s->spec->tres_per_task);
    add_gres(out, start, s->spec->gpus_per_task, "gres/gpu:");
}

void step_put_tres_bind(struct buf *out, const Pb__Step *s)
{
    if (s->spec && *s->spec->tres_bind)
        buf_adds(out, s->spec->tres_bind);
    else if (s->spec && s->spec->ntasks_per_gpu)
        buf_addf(out, "gres/gpu:single:%u", s->spec->ntasks_per_gpu);
}

const char *step_dist(const Pb__Step *s)
{
    static const char *const names[][2] = {
        { "block", "Block" }, { "cyclic", "Cyclic" }, { "plane", "Plane" }, { "arbitrary", "Arbitrary" }
    };
    const char *dist = s->spec ? s->spec->distribution : "";
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_has_iprefix(dist, names[i][0]))
            return names[i][1];
    return s->pending ? "Unknown" : step_tasks(s) <= s->n_node ? "Cyclic" : "Block";
}
