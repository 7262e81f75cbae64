/*
 * scontrol_show_step - scontrol show step.
 */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/scontrol_listing.h"
#include "cli/squeue.h"
#include "cli/step_text.h"
#include "core/job.h"
#include "text/time.h"
#include "text/stepid.h"

static const struct field *step_field(const char *name)
{
    const struct field *f = fields_step;
    while (f->name && !str_eq(f->name, name))
        f++;
    return f;
}

static void put(struct buf *out, const char *name, const struct step_row *r)
{
    const struct field *f = step_field(name);
    f->put(out, f, r);
}

/* "TresPerNode=gres/gpu:2", on a line of its own, where there is something to say. */
static void put_tres(struct listing *l, const char *key, const struct buf *value)
{
    if (!value->len)
        return;
    scontrol_line(l->s, &l->text);
    buf_addf(&l->text, "%s=%s", key, value->s);
}

static void add_tres(struct listing *l, const struct step_row *r)
{
    const Pb__StepSpec *s = r->step->spec;
    auto_buf struct buf cpus = BUF_INIT, mem = BUF_INIT, bind = BUF_INIT, step = BUF_INIT, node = BUF_INIT, task = BUF_INIT;
    if (s && s->cpus_per_gpu)
        buf_addf(&cpus, "gres/gpu:%u", s->cpus_per_gpu);
    if (s && s->mem_per_gpu_mb)
        buf_addf(&mem, "gres/gpu:%llu", (unsigned long long)s->mem_per_gpu_mb);
    step_put_tres_bind(&bind, r->step);
    step_put_tres_per_step(&step, r->step);
    step_put_tres_per_node(&node, r->step, r->job.job->spec);
    step_put_tres_per_task(&task, r->step);
    put_tres(l, "CpusPerTres", &cpus);
    put_tres(l, "MemPerTres", &mem);
    put_tres(l, "TresBind", &bind);
    put_tres(l, "TresPerStep", &step);
    put_tres(l, "TresPerNode", &node);
    put_tres(l, "TresPerTask", &task);
}

static void put_limit(struct buf *out, const Pb__StepSpec *s)
{
    char text[TIME_TEXT];
    buf_adds(out, time_limit_text(text, s && s->time_limit_min ? s->time_limit_min : TIME_INFINITE));
}

static void add_step(struct listing *l, const struct step_row *r)
{
    struct buf *out = &l->text;
    size_t at = out->len;
    const Pb__StepSpec *s = r->step->spec;
    const Pb__Job *j = r->job.job;
    bool plain = r->step->id < PB__STEP_NUMBER__STEP_INTERACTIVE || r->step->pending;
    buf_adds(out, "StepId=");
    step_put_id(out, &r->job, r->step->id);
    buf_addf(out, " UserId=%u StartTime=", j->uid);
    job_put_stamp(out, r->step->start_s, "Unknown");
    buf_adds(out, " TimeLimit=");
    put_limit(out, s);
    scontrol_line(l->s, out);
    buf_adds(out, "State=");
    put(out, "StepState", r);
    buf_addf(out, " Partition=%s NodeList=", j->partition);
    step_put_nodes(out, r);
    scontrol_line(l->s, out);
    buf_addf(out, "Nodes=%zu CPUs=", MAX(r->step->n_node, 1));
    put(out, "NumCPUs", r);
    buf_adds(out, " Tasks=");
    put(out, "NumTasks", r);
    buf_adds(out, " Name=");
    if (r->step->pending)
        buf_adds(out, "(null)");
    else
        put(out, "StepName", r);
    buf_adds(out, " Network=(null)");
    scontrol_line(l->s, out);
    buf_adds(out, "TRES=");
    step_put_tres(out, r->step);
    scontrol_line(l->s, out);
    buf_adds(out, "ResvPorts=(null)");
    scontrol_line(l->s, out);
    buf_adds(out, "CPUFreqReq=Default");
    if (plain) {
        buf_adds(out, " Dist=");
        step_put_dist(out, r->step);
    }
    scontrol_line(l->s, out);
    buf_addf(out, "SrunHost:Pid=%s:%u", s ? str_or(s->host, "(null)") : "(null)", s ? s->pid : 0);
    add_tres(l, r);
    scontrol_end(l->s, out);
    listing_add(l, at, ((uint64_t)j->id << 32) | (plain ? r->step->id + 1 : 0));
}

static void add_steps(struct listing *l, const Pb__Job *j)
{
    uint32_t base = j->state & JOB_STATE_BASE;
    if (base != JOB_RUNNING && base != JOB_SUSPENDED)
        return;
    struct step_row row = { .job = { .job = j, .show = &l->show } };
    bool batch = j->spec->kind == PB__JOB_KIND__KIND_BATCH;
    for (size_t i = 0; i < j->n_steps; i++) {
        row.step = j->steps[i];
        batch &= row.step->id != PB__STEP_NUMBER__STEP_BATCH;
        bool named = !l->ref || !l->ref->has_step || l->ref->step == row.step->id;
        if (named && row.step->state == PB__STEP_STATE__STEP_RUNNING)
            add_step(l, &row);
    }
    if (!batch || (l->ref && l->ref->has_step && l->ref->step != PB__STEP_NUMBER__STEP_BATCH))
        return;
    Pb__Step step = PB__STEP__INIT;
    step.id = PB__STEP_NUMBER__STEP_BATCH;
    step.start_s = j->start_s;
    step.nodes = j->batch_host;
    row.step = &step;
    add_step(l, &row);
}

static int each_steps(void *arg, const ProtobufCMessage *m)
{
    struct listing *l = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    l->show.now_s = list->now_s ? list->now_s : time(NULL);
    for (size_t i = 0; i < list->n_jobs; i++) {
        struct job_row row = { .job = list->jobs[i], .show = &l->show };
        if (listing_wants(l, &row))
            add_steps(l, list->jobs[i]);
    }
    return 0;
}

int show_steps(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    struct jobrefs refs = { 0 };
    int rc = id && !jobrefs_add(&refs, id, true) ? stepid_parse(id, &(struct stepid){ 0 }) : 0;
    struct listing l;
    listing_init(&l, s, &refs);
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    query.steps = true;
    if (!rc)
        rc = listing_ask(&l, &query, each_steps, &err);
    if (rc)
        rc = scontrol_fail(s, "scontrol: error: scontrol_print_step: slurm_get_job_steps(%s) failed: %s", id ? id : "",
                           scontrol_words(rc, &err));
    else if (!l.record.n && !s->quiet && !id)
        puts("No job steps in the system");
    else if (!l.record.n && id) {
        if (!s->quiet)
            printf("Job step %s not found\n", id);
        rc = 1;
    }
    fflush(stdout);
    listing_print(&l);
    listing_clear(&l);
    jobrefs_clear(&refs);
    return rc;
}
