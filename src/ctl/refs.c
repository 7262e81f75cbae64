/* refs - from what the user named to records; see refs.h. */
#include "ctl/refs.h"

#include "ctl/array.h"
#include "ctl/directory.h"
#include "ctl/work.h"

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

static void add_array(struct refs_walk *w, const struct array_group *g)
{
    for (size_t i = 0; i < g->jobs.n; i++)
        vec_push(&w->jobs, g->jobs.at[i]->id);
}

/* The number of a heterogeneous job means all its components; "12+0" the first alone. */
static void add_set(struct ctl *t, struct refs_walk *w, const struct job *j)
{
    for (uint32_t i = 0; i < j->het_size && i < HET_MAX; i++) {
        const struct job *part = het_part(t->c, j, i);
        if (part)
            vec_push(&w->jobs, part->id);
    }
}

static int walk_begin(struct ctl *t, struct refs_walk *w, const Pb__JobRef *ref)
{
    struct array_group *g = cluster_array(t->c, ref->job);
    struct job *j = cluster_job(t->c, ref->job);
    w->begun = true;
    w->array = ref->job;
    w->task = BITMAP_END;
    if (ref->has_task) {
        w->task = ref->task; /* the only one */
        return 0;
    }
    if (ref->tasks.len && (ref->tasks.len > ARRAY_LARGEST / 8 + 8 || !g))
        return ESLURM_INVALID_JOB_ID;
    if (ref->tasks.len) {
        pb_to_bitmap(&w->tasks, &ref->tasks);
        w->task = bitmap_next(&w->tasks, 0);
        return 0;
    }
    if (g) {
        add_array(w, g);
        return 0;
    }
    if (j && ref->has_het)
        j = het_part(t->c, j, ref->het);
    if (!j)
        return ESLURM_INVALID_JOB_ID;
    if (het_leads(j) && !ref->has_het)
        add_set(t, w, j);
    else
        vec_push(&w->jobs, j->id);
    return 0;
}

static void walk_result(struct refs_walk *w, int rc, const struct err *err)
{
    w->worked |= !rc;
    if (rc)
        w->err = *err;
}

/* A slice.  True: nothing is left. */
static bool walk_slice(const struct ctl_call *call, struct refs_walk *w, const Pb__JobRef *ref, ref_fn *fn, void *arg)
{
    struct ctl *t = call->t;
    while (w->task != BITMAP_END || w->at < w->jobs.n) {
        struct err err = ERR_INIT;
        if (work_over(call))
            return false;
        bool by_task = w->task != BITMAP_END;
        struct job *j = by_task ? NULL : cluster_job(t->c, w->jobs.at[w->at]);
        int rc = by_task ? one_task(t, w->array, (uint32_t)w->task, fn, arg, &err) : j ? fn(t, j, arg, &err) : 0;
        if (directory_parked(t))
            return false; /* the same record again, when the account is known */
        if (by_task || j)
            walk_result(w, rc, &err);
        if (!by_task)
            w->at++;
        else
            w->task = ref->has_task ? BITMAP_END : bitmap_next(&w->tasks, w->task + 1);
    }
    return true;
}

bool refs_go_on(const struct ctl_call *call, struct refs_walk *w, const Pb__JobRef *ref, ref_fn *fn, void *arg, int *rc,
                struct err *err)
{
    *rc = w->begun ? 0 : walk_begin(call->t, w, ref);
    if (*rc)
        err_set(err, *rc, "%s", err_text(*rc));
    else if (!walk_slice(call, w, ref, fn, arg))
        return false;
    /* Of an array's records one is enough; every task that was named has to be there. */
    if (w->err.code && (!w->worked || ref->has_task || ref->tasks.len)) {
        *rc = w->err.code;
        *err = w->err;
    }
    refs_walk_clear(w);
    return true;
}

void refs_walk_clear(struct refs_walk *w)
{
    vec_clear(&w->jobs);
    bitmap_clear(&w->tasks);
    *w = (struct refs_walk){ 0 };
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

void refs_result_free(Pb__RefResult *r)
{
    pb__job_ref__free_unpacked(r->ref, NULL);
    free(r->text);
    free(r);
}

void refs_results_free(Pb__RefResult **r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        refs_result_free(r[i]);
    free(r);
}
