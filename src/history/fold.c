/* fold - events to accounting rows; see fold.h. */
#include "history/fold.h"

#include <signal.h>
#include <stdlib.h>

#include "core/pbutil.h"
#include "core/record.h"
#include "core/step.h"
#include "text/tres.h"

struct fold {
    struct cluster *c;
    struct cluster_watch watch;
    const Pb__Event *ev;     /* being applied */
    bool wants_jobs;         /* the event is of a kind after which the records of jobs are written */
    size_t before_rows, before_jobs, before_bytes; /* as it was before the event */
    VEC(uint32_t) jobs;      /* changed, each once (job.fold_queued); their rows are made at the end of the entry */
    struct map specs;        /* numbers of specs that were handed on since this fold began */
    struct fold_batch *batch;
};

/* ---- rows ---- */

static struct fold_batch *fold_open_batch(struct fold *f)
{
    if (!f->batch)
        f->batch = NEW(struct fold_batch);
    return f->batch;
}

#define SPECS_REMEMBERED 65536 /* a spec that is handed on a second time costs a little and changes nothing */

static void fold_spec(struct fold *f, const struct job *j)
{
    uint64_t id = j->spec->blob->id;
    if (map_get(&f->specs, id))
        return;
    if (f->specs.n >= SPECS_REMEMBERED)
        map_clear(&f->specs);
    map_put(&f->specs, id, f);
    struct fold_batch *b = fold_open_batch(f);
    vec_push(&b->rows, ((struct fold_row){
                           .kind = FOLD_SPEC, .id = id, .at = b->bytes.len, .len = j->spec->shown_len }));
    buf_add(&b->bytes, j->spec->shown, j->spec->shown_len);
}

/* Steps and usage may be reported after the requeue that ended their attempt. */
static uint32_t fold_run(const struct job *j)
{
    return j->restarts - (j->restarts && (j->state & JOB_REQUEUE_FLAG));
}

static void fold_job(struct fold *f, const struct job *j)
{
    fold_spec(f, j);
    struct fold_batch *b = fold_open_batch(f);
    struct fold_row row = { .kind = FOLD_JOB,
                            .id = j->id,
                            .submit_s = j->submit_s,
                            .run = j->restarts,
                            .spec = j->spec->blob->id,
                            .at = b->bytes.len };
    cluster_job_facts(f->c, j, &b->bytes);
    row.len = b->bytes.len - row.at;
    vec_push(&b->rows, row);
}

static char *fold_step_nodes(const struct fold *f, const struct job *j, const Pb__Step *s)
{
    struct alloc part = { (uint32_t)s->n_node, mem_array(s->n_node, sizeof(*part.at)) };
    uint32_t n = 0;
    for (size_t i = 0; i < s->n_node; i++)
        if (s->node[i] < j->alloc.n)
            part.at[n++] = j->alloc.at[s->node[i]];
    part.n = n;
    char *text = alloc_nodes(f->c, &part);
    free(part.at);
    return text;
}

static void fold_step_row(struct fold *f, const struct job *j, const Pb__Step *s)
{
    struct fold_batch *b = fold_open_batch(f);
    struct fold_row row = { .kind = FOLD_STEP, .id = j->id, .submit_s = j->submit_s, .run = fold_run(j) };
    row.step = s->id;
    row.at = b->bytes.len;
    pb_pack(&b->bytes, &s->base);
    row.len = b->bytes.len - row.at;
    vec_push(&b->rows, row);
}

/* What a job or step has of one node. */
static void fold_add_tres(struct tres_list *t, uint64_t cpus, uint64_t mem_mb)
{
    tres_add(t, "cpu", cpus);
    tres_add(t, "mem", mem_mb);
    tres_add(t, "node", 1);
}

static char *fold_step_tres(const Pb__Step *s)
{
    auto_tres struct tres_list t = TRES_INIT;
    for (size_t i = 0; i < s->n_alloc; i++) {
        const Pb__NodeAlloc *a = s->alloc[i];
        fold_add_tres(&t, a->cpus, a->mem_mb);
        for (size_t g = 0; g < a->n_gres; g++) {
            auto_free char *name = mem_printf("gres/%s", a->gres[g]->name);
            tres_add(&t, name, a->gres[g]->count);
        }
    }
    return tres_text(&t);
}

/* Of the node on which the script runs. */
static char *fold_script_tres(const struct fold *f, const struct job *j)
{
    auto_tres struct tres_list t = TRES_INIT;
    const struct node_alloc *a = &j->alloc.at[MIN(j->batch_pos, j->alloc.n - 1)];
    const struct node *n = &f->c->node[a->node];
    fold_add_tres(&t, a->cpus, a->mem_mb);
    for (uint32_t g = 0; g < a->ngres; g++)
        if (a->gres[g].slot < n->ngres) {
            auto_free char *name = mem_printf("gres/%s", n->gres[a->gres[g].slot].name);
            tres_add(&t, name, a->gres[g].count);
        }
    return tres_text(&t);
}

/* A job that ended by itself may be told of before its last step; a job that was ended took its steps along. */
static bool fold_was_cut(const struct job *j)
{
    uint32_t base = job_base(j);
    return base != JOB_RUNNING && base != JOB_SUSPENDED && base != JOB_COMPLETED && base != JOB_FAILED;
}

/* The job ended before this step: what nodes say of it later belongs to no record.  SIGTERM is what the step got. */
static void fold_cut_step(const struct job *j, Pb__Step *row)
{
    row->state = PB__STEP_STATE__STEP_CANCELLED;
    if (!row->exit_code && job_base(j) != JOB_NODE_FAIL)
        row->exit_code = SIGTERM;
}

/* A step without its environment, its token and the cores it has of each node. */
static void fold_step(struct fold *f, const struct job *j, const Pb__Step *s, bool over)
{
    Pb__Step row = *s;
    Pb__StepSpec spec;
    if (s->spec) {
        spec = *s->spec;
        spec.env = (ProtobufCBinaryData){ 0, NULL };
        spec.io = NULL;
        spec.n_rlimits = 0;
        row.spec = &spec;
    }
    auto_free char *nodes = fold_step_nodes(f, j, s);
    auto_free char *tres = fold_step_tres(s);
    row.nodes = nodes;
    row.tres_alloc = tres;
    row.n_alloc = row.n_ranks = row.n_done = row.n_node = 0;
    if (over) {
        row.end_s = f->c->last_ms / 1000;
        if (row.state == PB__STEP_STATE__STEP_RUNNING && fold_was_cut(j))
            fold_cut_step(j, &row);
        else if (row.state == PB__STEP_STATE__STEP_RUNNING)
            row.state = row.exit_code ? PB__STEP_STATE__STEP_FAILED : PB__STEP_STATE__STEP_COMPLETED;
    }
    fold_step_row(f, j, &row);
}

/* ---- the batch script: to accounting it is a step ---- */

static bool fold_has_script(const struct job *j)
{
    return j->spec->kind == PB__JOB_KIND__KIND_BATCH && j->alloc.n && j->start_s && !j->het_offset;
}

static void metric_of_one(Pb__Metric *m, uint64_t value)
{
    *m = (Pb__Metric)PB__METRIC__INIT;
    m->total = m->max = m->min = value;
}

static void fold_script(struct fold *f, struct job *j, const Pb__Usage *u)
{
    Pb__Step s = PB__STEP__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    Pb__StepUsage stats = PB__STEP_USAGE__INIT;
    Pb__Metric cpu, rss, vm, pages, in, out;
    uint32_t one = 1;
    bool over = j->end_s != 0;
    auto_free char *tres = fold_script_tres(f, j);
    s.tres_alloc = tres;
    s.id = PB__STEP_NUMBER__STEP_BATCH, s.spec = &spec, s.tasks = &one, s.n_tasks = 1;
    spec.name = (char[]){ "batch" }, spec.ntasks = 1;
    s.start_s = j->start_s, s.end_s = j->end_s, s.exit_code = j->exit_code;
    s.state = !over                         ? PB__STEP_STATE__STEP_RUNNING
              : j->has_cancel_uid           ? PB__STEP_STATE__STEP_CANCELLED
              : j->exit_code                ? PB__STEP_STATE__STEP_FAILED
                                            : PB__STEP_STATE__STEP_COMPLETED;
    s.nodes = (char *)f->c->node[j->alloc.at[MIN(j->batch_pos, j->alloc.n - 1)].node].name;
    if (u) {
        metric_of_one(&cpu, (u->user_us + u->sys_us) / 1000), metric_of_one(&rss, u->max_rss_kb);
        metric_of_one(&vm, u->max_vm_kb), metric_of_one(&pages, u->pages);
        metric_of_one(&in, u->read_bytes), metric_of_one(&out, u->write_bytes);
        stats.ntasks = 1, stats.cpu_ms = &cpu, stats.rss_kb = &rss, stats.vm_kb = &vm, stats.pages = &pages;
        stats.read_bytes = &in, stats.write_bytes = &out, stats.user_us = u->user_us, stats.sys_us = u->sys_us;
        s.stats = &stats;
    }
    fold_step_row(f, j, &s);
}

static void fold_script_of(struct fold *f, uint32_t id, const Pb__Usage *u)
{
    struct job *j = cluster_job(f->c, id);
    if (j && fold_has_script(j))
        fold_script(f, j, u);
}

static void fold_started(struct fold *f, const Pb__EvStart *e)
{
    fold_script_of(f, e->new_id ? e->new_id : e->job_id, NULL);
    for (size_t i = 0; i < e->n_het; i++)
        fold_started(f, e->het[i]);
}

/* ---- what cluster_apply() tells ---- */

static void on_job_changed(void *arg, struct job *j)
{
    struct fold *f = arg;
    if (!f->wants_jobs || j->fold_queued)
        return;
    j->fold_queued = true;
    vec_push(&f->jobs, j->id);
}

static void on_attempt_over(void *arg, struct job *j)
{
    struct fold *f = arg;
    if (!f->ev || job_ended(j)) /* how it ended is known */
        return;
    struct job ended = *j;
    ended.state = JOB_REQUEUE_FLAG | job_base(j);
    fold_job(f, &ended);
    if (fold_has_script(j))
        fold_script(f, j, j->usage);
}

static void on_step_over(void *arg, struct job *j, const Pb__Step *s)
{
    struct fold *f = arg;
    if (f->ev)
        fold_step(f, j, s, true);
}

static bool changes_jobs(const Pb__Event *ev)
{
    switch (ev->body_case) {
    case PB__EVENT__BODY_SUBMIT:
    case PB__EVENT__BODY_START:
    case PB__EVENT__BODY_SPLIT:
    case PB__EVENT__BODY_END:
    case PB__EVENT__BODY_NODE_DONE:
    case PB__EVENT__BODY_REQUEUE:
    case PB__EVENT__BODY_SUSPEND:
    case PB__EVENT__BODY_HOLD:
    case PB__EVENT__BODY_UPDATE:
    case PB__EVENT__BODY_DEPEND:
    case PB__EVENT__BODY_READY:
    case PB__EVENT__BODY_RESIZE: return true;
    default: return false;
    }
}

void fold_begin(struct fold *f, const Pb__Event *ev)
{
    f->ev = ev;
    f->wants_jobs = changes_jobs(ev);
    f->before_jobs = f->jobs.n;
    f->before_rows = f->batch ? f->batch->rows.n : 0;
    f->before_bytes = f->batch ? f->batch->bytes.len : 0;
}

/* An event that does not fit changes nothing; it may have been told in part. */
static void fold_undo(struct fold *f)
{
    for (size_t i = f->before_jobs; i < f->jobs.n; i++) {
        struct job *j = cluster_job(f->c, f->jobs.at[i]);
        if (j)
            j->fold_queued = false;
    }
    f->jobs.n = f->before_jobs;
    if (f->batch)
        f->batch->rows.n = f->before_rows, f->batch->bytes.len = f->before_bytes;
}

void fold_end(struct fold *f, bool applied)
{
    const Pb__Event *ev = f->ev;
    if (!applied)
        fold_undo(f);
    else if (ev->body_case == PB__EVENT__BODY_START)
        fold_started(f, ev->start);
    else if (ev->body_case == PB__EVENT__BODY_END)
        fold_script_of(f, ev->end->job_id, ev->end->usage);
    else if (ev->body_case == PB__EVENT__BODY_NODE_DONE && (ev->node_done->has_exit || ev->node_done->usage))
        fold_script_of(f, ev->node_done->job_id, ev->node_done->usage);
    else if (ev->body_case == PB__EVENT__BODY_STEP_START) {
        const struct job *j = cluster_job(f->c, ev->step_start->job_id);
        fold_step(f, j, step_find(j, ev->step_start->step->id), false);
    }
    f->ev = NULL;
    f->wants_jobs = false;
}

static void fold_list(struct fold *f, struct joblist *list)
{
    for (struct job *j = list->head; j; j = j->next) {
        if (!(j->state & JOB_REQUEUE_FLAG))
            fold_job(f, j);
        if (fold_has_script(j))
            fold_script(f, j, j->usage);
        for (size_t i = 0; i < j->steps.n; i++)
            fold_step(f, j, j->steps.at[i].pb, false);
    }
}

void fold_all(struct fold *f)
{
    fold_list(f, &f->c->pending);
    fold_list(f, &f->c->active);
    fold_list(f, &f->c->done);
    fold_open_batch(f)->after_gap = true;
}

struct fold_batch *fold_take(struct fold *f, uint64_t index)
{
    for (size_t i = 0; i < f->jobs.n; i++) {
        struct job *j = cluster_job(f->c, f->jobs.at[i]);
        if (!j)
            continue;
        j->fold_queued = false;
        if (!(j->state & JOB_REQUEUE_FLAG)) /* its next attempt begins when its nodes are clean */
            fold_job(f, j);
    }
    f->jobs.n = 0;
    struct fold_batch *b = take(f->batch);
    if (b)
        b->index = index;
    return b;
}

void fold_batch_free(struct fold_batch *b)
{
    if (!b)
        return;
    buf_clear(&b->bytes);
    vec_clear(&b->rows);
    free(b);
}

struct fold *fold_new(void)
{
    struct fold *f = NEW(struct fold);
    f->watch = (struct cluster_watch){ f, on_job_changed, on_attempt_over, on_step_over };
    return f;
}

void fold_watch(struct fold *f, struct cluster *c)
{
    f->c = c;
    c->watch = &f->watch;
    f->jobs.n = 0;
    fold_batch_free(take(f->batch));
    map_clear(&f->specs);
}

void fold_free(struct fold *f)
{
    if (!f)
        return;
    vec_clear(&f->jobs);
    map_clear(&f->specs);
    fold_batch_free(f->batch);
    free(f);
}
