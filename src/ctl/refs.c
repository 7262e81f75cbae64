/* refs - from what the user named to records; see refs.h. */
#include "ctl/refs.h"

#include "ctl/array.h"

#include "core/het.h"
#include "text/array.h"

static int one_task(struct ctl *t, uint32_t array_job, uint32_t task, ref_fn *fn, void *arg, struct err *err)
{
    struct job *j = cluster_array_task(t->c, array_job, task);
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    if (j->array && !(j = array_split(t, j, task, err)))
        return err->code;
    return fn(t, j, arg, err);
}

static int each_ref(struct ctl *t, struct job **jobs, size_t n, ref_fn *fn, void *arg, struct err *err)
{
    int last = 0;
    bool worked = false;
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

static int whole_array(struct ctl *t, struct array_group *g, ref_fn *fn, void *arg, struct err *err)
{
    auto_free struct job **jobs = mem_copy(g->jobs.at, g->jobs.n * sizeof(*jobs));
    return each_ref(t, jobs, g->jobs.n, fn, arg, err);
}

/* The number of a heterogeneous job means all its components; "12+0" the first alone. */
static int whole_set(struct ctl *t, struct job *j, ref_fn *fn, void *arg, struct err *err)
{
    struct job *jobs[HET_MAX];
    size_t n = 0;
    for (uint32_t i = 0; i < j->het_size && i < HET_MAX; i++)
        if ((jobs[n] = het_part(t->c, j, i)))
            n++;
    return each_ref(t, jobs, n, fn, arg, err);
}

int refs_each(struct ctl *t, const Pb__JobRef *ref, ref_fn *fn, void *arg, struct err *err)
{
    if (ref->has_task)
        return one_task(t, ref->job, ref->task, fn, arg, err);
    if (ref->tasks.len && (ref->tasks.len > ARRAY_LARGEST / 8 + 8 || !cluster_array(t->c, ref->job)))
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
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
    if (j && ref->has_het)
        j = het_part(t->c, j, ref->het);
    if (!j)
        return err_set(err, ESLURM_INVALID_JOB_ID, "%s", err_text(ESLURM_INVALID_JOB_ID));
    return het_leads(j) && !ref->has_het ? whole_set(t, j, fn, arg, err) : fn(t, j, arg, err);
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
