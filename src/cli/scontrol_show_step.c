/*
 * scontrol_show_step - scontrol show step.
 */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/scontrol_listing.h"
#include "core/job.h"
#include "show/step.h"
#include "text/stepid.h"

static void add_step(struct listing *l, const struct step_row *r)
{
    bool by_srun = r->step->id < PB__STEP_NUMBER__STEP_INTERACTIVE || r->step->pending;
    listing_add(l, r, ((uint64_t)r->job.job->id << 32) | (by_srun ? r->step->id + 1 : 0));
}

static void add_steps(struct listing *l, const Pb__Job *j)
{
    uint32_t base = j->state & JOB_STATE_BASE;
    if (base != JOB_RUNNING && base != JOB_SUSPENDED)
        return;
    struct step_row row = { .job = { .job = j, .env = &l->env } };
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
    Pb__Step step;
    Pb__StepSpec spec;
    step_of_batch(j, &step, &spec);
    row.step = &step;
    add_step(l, &row);
}

static int each_steps(void *arg, const ProtobufCMessage *m)
{
    struct listing *l = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    l->env.now_s = list->now_s ? list->now_s : time(NULL);
    for (size_t i = 0; i < list->n_jobs; i++) {
        struct job_row row = { .job = list->jobs[i], .env = &l->env };
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
    listing_init(&l, s, &refs, &show_step, "steps");
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    query.steps = true;
    if (!rc)
        rc = listing_ask(&l, &query, each_steps, &err);
    if (rc)
        rc = scontrol_fail(s, "scontrol: error: scontrol_print_step: slurm_get_job_steps(%s) failed: %s", id ? id : "",
                           scontrol_words(rc, &err));
    else if (s->doc.format)
        listing_document(&l, false);
    else if (!l.record.n && !s->quiet && !id)
        puts("No job steps in the system");
    else if (!l.record.n && id) {
        if (!s->quiet)
            printf("Job step %s not found\n", id);
        rc = 1;
    }
    fflush(stdout);
    if (!s->doc.format)
        listing_print(&l);
    listing_clear(&l);
    jobrefs_clear(&refs);
    return rc;
}
