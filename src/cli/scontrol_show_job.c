/*
 * scontrol_show_job - scontrol show job.
 */
#include "base/errnum.h"
#include "cli/scontrol_listing.h"

static void add_job(struct listing *l, const struct job_row *r)
{
    /* A named array: the tasks that wait come first, then the newest. */
    uint64_t id = r->job->id;
    listing_add(l, r, !l->ref || r->job->het_job ? id : *r->job->array_text ? 0 : UINT32_MAX - id);
}

static int each_job(void *arg, const ProtobufCMessage *m)
{
    struct listing *l = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    l->env.now_s = list->now_s ? list->now_s : time(NULL);
    for (size_t i = 0; i < list->n_jobs; i++) {
        struct job_row row = { .job = list->jobs[i], .env = &l->env };
        if (listing_wants(l, &row))
            add_job(l, &row);
    }
    return 0;
}

int show_jobs(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    struct jobrefs refs = { 0 };
    if (id && (!jobrefs_add(&refs, id, false) || refs.ref.at[0]->tasks.len)) {
        jobrefs_clear(&refs);
        return scontrol_fail(s, "scontrol_print_job error: %s", err_text(ESLURM_INVALID_JOB_ID));
    }
    struct listing l;
    listing_init(&l, s, &refs, &show_job, "jobs");
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    int rc = listing_ask(&l, &query, each_job, &err);
    if (rc == ESLURM_INVALID_JOB_ID && s->doc.format)
        rc = 0; /* a document without jobs */
    if (rc)
        rc = scontrol_fail(s, "slurm_load_jobs error: %s", scontrol_words(rc, &err));
    else if (s->doc.format)
        listing_document(&l, true);
    else if (id && !l.record.n)
        rc = scontrol_fail(s, "Job %s not found", id);
    else if (!l.record.n && !s->quiet)
        puts("No jobs in the system");
    if (!s->doc.format)
        listing_print(&l);
    listing_clear(&l);
    jobrefs_clear(&refs);
    return rc;
}
