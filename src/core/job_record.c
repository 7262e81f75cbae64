/*
 * job_record - a job as a message and back, a copy of it, its end: all by the rows of job_fields.h.
 *
 * Every kind of row has five macros: OUT (to the message, borrowed where possible), DONE (free what OUT made), IN (from
 * the message), COPY (for a job that waits: it has no nodes, steps or usage) and FREE.
 */
#include "base/str.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/pbutil.h"
#include "core/record.h"
#include "core/step.h"

static char *text_or_null(const char *s)
{
    return str_empty(s) ? NULL : mem_str(s);
}

/* ---- plain values ---- */
#define OUT_NUMBER(name) p->name = j->name;
#define DONE_NUMBER(name)
#define IN_NUMBER(name) j->name = p->name;
#define COPY_NUMBER(name) to->name = j->name;
#define FREE_NUMBER(name)

#define OUT_TEXT(name) p->name = j->name;
#define DONE_TEXT(name)
#define IN_TEXT(name) j->name = text_or_null(p->name);
#define COPY_TEXT(name) to->name = mem_str(j->name);
#define FREE_TEXT(name) free(j->name);

#define OUT_NAME(name) OUT_TEXT(name)
#define DONE_NAME(name)
#define IN_NAME(name) j->name = name_ref(&c->names, p->name);
#define COPY_NAME(name) to->name = name_ref(&c->names, j->name);
#define FREE_NAME(name) name_unref(j->name);

#define OUT_TASK(name) p->has_task = j->name != TASK_NONE, p->name = p->has_task ? j->name : 0;
#define DONE_TASK(name)
#define IN_TASK(name) j->name = p->has_task ? p->name : TASK_NONE;
#define COPY_TASK(name) to->name = j->name;
#define FREE_TASK(name)

/* ---- shared bytes: the cluster counts the references, so FREE has nothing to do ---- */
#define OUT_SPEC(name) p->name##_blob = j->name ? j->name->blob->id : 0;
#define DONE_SPEC(name)
#define IN_SPEC(name) /* job_from_pb() has it */
#define COPY_SPEC(name) to->name = spec_ref(c, j->name->blob->id, NULL);
#define FREE_SPEC(name)

#define OUT_BLOB(name) p->name##_blob = j->name ? j->name->id : 0;
#define DONE_BLOB(name)
#define IN_BLOB(name) j->name = blob_ref(c, p->name##_blob);
#define COPY_BLOB(name) to->name = blob_ref(c, j->name ? j->name->id : 0);
#define FREE_BLOB(name)

/* ---- lists and messages ---- */
#define OUT_ALLOC(name) p->n_##name = j->name.n, p->name = j->name.n ? alloc_to_pb(names, &j->name) : NULL;
#define DONE_ALLOC(name)                                                                                               \
    if (p->name)                                                                                                       \
        alloc_pb_free(p->name, p->n_##name);
#define IN_ALLOC(name) alloc_from_pb(&j->name, p->name, p->n_##name);
#define COPY_ALLOC(name)
/* What the steps hold is kept by place of the allocation: it goes first. */
#define FREE_ALLOC(name) step_holds_clear(j), alloc_clear(&j->name);

#define OUT_LICENSES(name) p->n_##name = j->name.n, p->name = license_to_pb(&j->name);
#define DONE_LICENSES(name) free(p->name);
#define IN_LICENSES(name) license_set(j, p->name, p->n_##name);
#define COPY_LICENSES(name)
#define FREE_LICENSES(name) license_forget(j);

static Pb__Depend **depend_to_pb(const struct depend_set *d)
{
    Pb__Depend **out = d->n ? mem_array(d->n, sizeof(*out)) : NULL;
    for (uint32_t i = 0; i < d->n; i++)
        out[i] = &d->at[i];
    return out;
}
#define OUT_DEPENDS(name) p->n_##name = j->name.n, p->name = depend_to_pb(&j->name);
#define DONE_DEPENDS(name) free(p->name);
#define IN_DEPENDS(name) job_set_depend(j, p->name, p->n_##name);
#define COPY_DEPENDS(name)                                                                                             \
    to->name = (struct depend_set){ j->name.n ? mem_copy(j->name.at, j->name.n * sizeof(*j->name.at)) : NULL,          \
                                    j->name.n };
#define FREE_DEPENDS(name) free(j->name.at);

static void array_to_pb(const struct array_set *a, Pb__Job *p)
{
    if (!a)
        return;
    pb_from_bitmap(&p->array_pending, &a->pending);
    p->array_max_running = a->max_running;
    p->array_total = a->count;
}
static struct array_set *array_from_pb(const Pb__Job *p)
{
    return p->array_total ? array_set_new(&p->array_pending, p->array_max_running) : NULL;
}
#define OUT_ARRAY(name) array_to_pb(j->name, p);
#define DONE_ARRAY(name) free(p->array_pending.data);
#define IN_ARRAY(name) j->name = array_from_pb(p);
#define COPY_ARRAY(name)
#define FREE_ARRAY(name) array_set_free(j->name);

static Pb__Step **steps_to_pb(const struct step_list *l)
{
    Pb__Step **out = l->n ? mem_array(l->n, sizeof(*out)) : NULL;
    for (size_t i = 0; i < l->n; i++)
        out[i] = l->at[i].pb;
    return out;
}
static void steps_from_pb(struct job *j, Pb__Step *const *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        vec_push(&j->steps, (struct step){ PB_DUP(Pb__Step, from[i]) });
    step_holds_rebuild(j);
}
static void steps_free(struct job *j)
{
    step_holds_clear(j);
    for (size_t i = 0; i < j->steps.n; i++)
        pb__step__free_unpacked(j->steps.at[i].pb, NULL);
    vec_clear(&j->steps);
}
#define OUT_STEPS(name) p->n_##name = j->name.n, p->name = steps_to_pb(&j->name);
#define DONE_STEPS(name) free(p->name);
#define IN_STEPS(name) steps_from_pb(j, p->name, p->n_##name);
#define COPY_STEPS(name)
#define FREE_STEPS(name) steps_free(j);

#define OUT_STEP_SPEC(name) p->name = j->name;
#define DONE_STEP_SPEC(name)
#define IN_STEP_SPEC(name) j->name = p->name ? PB_DUP(Pb__StepSpec, p->name) : NULL;
#define COPY_STEP_SPEC(name)
#define FREE_STEP_SPEC(name)                                                                                           \
    if (j->name)                                                                                                       \
        pb__step_spec__free_unpacked(j->name, NULL);

#define OUT_USAGE(name) p->name = j->name;
#define DONE_USAGE(name)
#define IN_USAGE(name) job_use_more(j, p->name);
#define COPY_USAGE(name)
#define FREE_USAGE(name) job_use_none(j);

/* ---- all rows ---- */

void job_to_pb(const struct job *j, Pb__Job *p, const struct cluster *names)
{
    pb__job__init(p);
#define X(kind, type, name) OUT_##kind(name)
    JOB_FIELDS(X)
#undef X
}

void job_pb_done(Pb__Job *p)
{
#define X(kind, type, name) DONE_##kind(name)
    JOB_FIELDS(X)
#undef X
}

struct job *job_from_pb(struct cluster *c, const Pb__Job *p, struct err *err)
{
    if (!p->id || cluster_job(c, p->id)) {
        err_set(err, EBADMSG, "job %u is there twice", p->id);
        return NULL;
    }
    for (size_t i = 0; i < p->n_alloc; i++)
        if (p->alloc[i]->node >= c->nnodes) {
            err_set(err, EBADMSG, "job %u is on a node that is not there", p->id);
            return NULL;
        }
    struct spec *spec = spec_ref(c, p->spec_blob, err);
    if (!spec) {
        err_prefix(err, "job %u", p->id);
        return NULL;
    }
    struct job *j = NEW(struct job);
    j->spec = spec;
#define X(kind, type, name) IN_##kind(name)
    JOB_FIELDS(X)
#undef X
    return j;
}

struct job *job_copy_waiting(struct cluster *c, const struct job *j)
{
    struct job *to = NEW(struct job);
#define X(kind, type, name) COPY_##kind(name)
    JOB_FIELDS(X)
#undef X
    return to;
}

void job_free(struct job *j)
{
#define X(kind, type, name) FREE_##kind(name)
    JOB_FIELDS(X)
#undef X
    limits_forget(j);
    free(j->planned_nodes);
    free(j->enc);
    free(j);
}
