/* refs - from what the user named to records; see refs.h. */
#include "ctl/refs.h"

static int one_task(struct ctl *t, uint32_t array_job, uint32_t task, ref_fn *fn, void *arg, struct err *err)
{
    struct job *j = cluster_array_task(t->c, array_job, task);
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    if (j->array && !(j = array_split(t, j, task, err)))
        return err->code;
    return fn(t, j, arg, err);
}

static int whole_array(struct ctl *t, struct array_group *g, ref_fn *fn, void *arg, struct err *err)
{
    size_t n = g->jobs.n;
    int last = 0;
    bool worked = false;
    auto_free struct job **jobs = mem_copy(g->jobs.at, n * sizeof(*jobs));
    for (size_t i = 0; i < n; i++) {
        struct err one = ERR_INIT;
        int rc = fn(t, jobs[i], arg, &one);
        worked |= !rc;
        if (rc) {
            last = rc;
            *err = one;
        }
    }
    return worked ? 0 : last;
}

int refs_each(struct ctl *t, const Pb__JobRef *ref, ref_fn *fn, void *arg, struct err *err)
{
    if (ref->has_task)
        return one_task(t, ref->job, ref->task, fn, arg, err);
    if (ref->tasks.len) {
        auto_bitmap struct bitmap tasks = BITMAP_INIT;
        int rc = 0;
        pb_to_bitmap(&tasks, &ref->tasks);
        bitmap_each (&tasks, i) {
            int one = one_task(t, ref->job, (uint32_t)i, fn, arg, err);
            rc = one ? one : rc;
        }
        return rc;
    }
    struct array_group *g = cluster_array(t->c, ref->job);
    if (g)
        return whole_array(t, g, fn, arg, err);
    struct job *j = cluster_job(t->c, ref->job);
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    return fn(t, j, arg, err);
}

Pb__RefResult *refs_result(const Pb__JobRef *ref, int code, const struct err *err)
{
    Pb__RefResult *r = mem_alloc(sizeof(*r));
    pb__ref_result__init(r);
    r->ref = PB_DUP(Pb__JobRef, ref);
    r->code = code;
    r->text = mem_str(code ? err->text : "");
    return r;
}

void refs_results_free(Pb__RefResult **r, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pb__job_ref__free_unpacked(r[i]->ref, NULL);
        free(r[i]->text);
        free(r[i]);
    }
    free(r);
}
