/* depend - jobs that wait for jobs; see depend.h. */
#include "ctl/depend.h"


#include <sys/wait.h>

#include "ctl/array.h"
#include "ctl/end.h"
#include "ctl/resize.h"
#include "text/depend.h"

struct id_list {
    VEC(uint32_t) ids;
};

struct dependents {
    struct map by_job;   /* job id -> struct id_list of the jobs that wait for it; 0: singletons */
};

void depend_open(struct ctl *t)
{
    t->depend = NEW(struct dependents);
}

static void index_one(struct ctl *t, uint32_t parent, uint32_t child)
{
    struct id_list *l = map_get(&t->depend->by_job, parent);
    if (!l) {
        l = NEW(struct id_list);
        map_put(&t->depend->by_job, parent, l);
    }
    for (size_t i = 0; i < l->ids.n; i++)
        if (l->ids.at[i] == child)
            return;
    vec_push(&l->ids, child);
}

void depend_index(struct ctl *t, const struct job *j)
{
    if (!job_pending(j))
        return;
    for (uint32_t i = 0; i < j->depend.n; i++)
        if (j->depend.at[i].state == PB__DEPEND_STATE__DEPEND_UNFULFILLED)
            index_one(t, j->depend.at[i].job, j->id); /* singletons under 0 */
}

void depend_close(struct ctl *t)
{
    size_t pos = 0;
    for (struct id_list *l; (l = map_next(&t->depend->by_job, &pos, NULL));) {
        vec_clear(&l->ids);
        free(l);
    }
    map_clear(&t->depend->by_job);
    free(take(t->depend));
}

void depend_free(Pb__Depend **d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(d[i]);
    free(d);
}

/* ---- one dependency against one job ---- */

static bool depend_succeeded(const struct job *j)
{
    return job_base(j) == JOB_COMPLETED;
}

static enum depend_state depend_verdict(const Pb__Depend *d, const struct job *p, int64_t now_s)
{
    bool over = job_ended(p) && !(p->state & JOB_COMPLETING);
    switch ((enum depend_type)d->type) {
    case DEPEND_AFTER:
        if (job_ended(p))
            return DEPEND_FULFILLED;
        return p->start_s && !job_pending(p) && p->start_s + (int64_t)d->after_min * 60 <= now_s ? DEPEND_FULFILLED
                                                                                                 : DEPEND_UNFULFILLED;
    case DEPEND_AFTERANY:
    case DEPEND_AFTERBURSTBUFFER: return over ? DEPEND_FULFILLED : DEPEND_UNFULFILLED;
    case DEPEND_AFTERNOTOK: return !over ? DEPEND_UNFULFILLED : depend_succeeded(p) ? DEPEND_FAILED : DEPEND_FULFILLED;
    case DEPEND_AFTEROK:
    case DEPEND_AFTERCORR: return !over ? DEPEND_UNFULFILLED : depend_succeeded(p) ? DEPEND_FULFILLED : DEPEND_FAILED;
    case DEPEND_EXPAND:
        return job_pending(p) ? DEPEND_UNFULFILLED : p->state == JOB_RUNNING ? DEPEND_FULFILLED : DEPEND_FAILED;
    case DEPEND_SINGLETON: break;
    }
    return DEPEND_UNFULFILLED;
}

/* An array as a whole: for afternotok one failure is enough, for every other type all tasks must agree. */
static enum depend_state array_verdict(const Pb__Depend *d, const struct array_group *g, int64_t now_s)
{
    bool open = false, failed = false, met = false;
    for (size_t i = 0; i < g->jobs.n; i++) {
        enum depend_state s = depend_verdict(d, g->jobs.at[i], now_s);
        open |= s == DEPEND_UNFULFILLED;
        failed |= s == DEPEND_FAILED;
        met |= s == DEPEND_FULFILLED;
    }
    if (d->type == PB__DEPEND_TYPE__DEPEND_AFTERNOTOK)
        return open ? DEPEND_UNFULFILLED : met ? DEPEND_FULFILLED : DEPEND_FAILED;
    return failed ? DEPEND_FAILED : open ? DEPEND_UNFULFILLED : DEPEND_FULFILLED;
}

/* Components of one heterogeneous job do not wait for each other. */
static bool same_set(const struct job *a, const struct job *b)
{
    return a->het_job && a->het_job == b->het_job;
}

static bool same_single(const struct job *a, const struct job *b)
{
    return a != b && !same_set(a, b) && a->uid == b->uid && str_eq(a->spec->name, b->spec->name) && !job_ended(a) &&
           a->id < b->id;
}

static enum depend_state single_verdict(const struct ctl *t, const struct job *j)
{
    for (struct job *o = t->c->active.head; o; o = o->next)
        if (o != j && !same_set(o, j) && o->uid == j->uid && str_eq(o->spec->name, j->spec->name))
            return DEPEND_UNFULFILLED;
    for (struct job *o = t->c->pending.head; o; o = o->next)
        if (same_single(o, j))
            return DEPEND_UNFULFILLED;
    return DEPEND_FULFILLED;
}

static enum depend_state depend_judge(const struct ctl *t, const Pb__Depend *d, const struct job *self)
{
    if (d->type == PB__DEPEND_TYPE__DEPEND_SINGLETON)
        return single_verdict(t, self);
    struct array_group *g = cluster_array(t->c, d->job);
    if (d->has_task || (g && d->type == PB__DEPEND_TYPE__DEPEND_AFTERCORR && self->array_task != TASK_NONE)) {
        uint32_t task = d->has_task ? d->task : self->array_task;
        struct job *p = cluster_array_task(t->c, d->job, task);
        return p ? (p->array ? DEPEND_UNFULFILLED : depend_verdict(d, p, NOW_S(t))) : DEPEND_FULFILLED;
    }
    if (g && d->type == PB__DEPEND_TYPE__DEPEND_AFTERCORR && self->array)
        return DEPEND_UNFULFILLED; /* its tasks leave it one by one */
    if (g)
        return array_verdict(d, g, NOW_S(t));
    struct job *p = cluster_job(t->c, d->job);
    /* The job is purged: a dependency that needed only its end is fulfilled. */
    if (!p)
        return d->type == PB__DEPEND_TYPE__DEPEND_AFTEROK || d->type == PB__DEPEND_TYPE__DEPEND_AFTERCORR ||
                       d->type == PB__DEPEND_TYPE__DEPEND_AFTERNOTOK
                   ? DEPEND_FAILED
                   : DEPEND_FULFILLED;
    return depend_verdict(d, p, NOW_S(t));
}

/* ---- when something changed ---- */

static int64_t last_start_s(const struct ctl *t, uint32_t id)
{
    struct array_group *g = cluster_array(t->c, id);
    struct job *p = cluster_job(t->c, id);
    int64_t last = p ? p->start_s : 0;
    for (size_t i = 0; g && i < g->jobs.n; i++)
        last = MAX(last, g->jobs.at[i]->start_s);
    return last;
}

/* after:ID+MINUTES is met when time has passed: look again then.  What is not met by then waits for another start,
 * which tells. */
static void depend_remind(struct ctl *t, const Pb__Depend *d, uint32_t id)
{
    int64_t start = last_start_s(t, d->job), at_ms = (start + (int64_t)d->after_min * 60) * 1000;
    if (start && at_ms > t->now_ms)
        timer_add(&t->timers, at_ms, TIMER_DEPEND, id, 0);
}

static void settle_job(struct ctl *t, struct job *j)
{
    bool changed = false;
    Pb__EvDepend e = PB__EV_DEPEND__INIT;
    Pb__Depend *copy = mem_copy(j->depend.at, j->depend.n * sizeof(*copy));
    e.job_id = j->id;
    e.n_depend = j->depend.n;
    e.depend = mem_array(j->depend.n, sizeof(*e.depend));
    for (uint32_t i = 0; i < j->depend.n; i++) {
        e.depend[i] = &copy[i];
        if (copy[i].state != PB__DEPEND_STATE__DEPEND_UNFULFILLED)
            continue;
        copy[i].state = (Pb__DependState)depend_judge(t, &copy[i], j);
        changed |= copy[i].state != PB__DEPEND_STATE__DEPEND_UNFULFILLED;
        if (copy[i].state == PB__DEPEND_STATE__DEPEND_UNFULFILLED && copy[i].type == PB__DEPEND_TYPE__DEPEND_AFTER &&
            copy[i].after_min)
            depend_remind(t, &copy[i], j->id);
    }
    if (changed) {
        EVENT(ev);
        BODY(ev, DEPEND, depend, &e);
        if (!job_depend_open(j))
            e.eligible_s = 0;
        ctl_emit(t, &ev, NULL);
    }
    free(e.depend);
    free(copy);
}

static bool kills_invalid(const struct ctl *t, const struct job *j)
{
    if (j->spec->kill_invalid_dep)
        return j->spec->kill_invalid_dep == PB__CHOICE__CHOICE_YES;
    return site_param(t->site->dependency_parameters, "kill_invalid_depend") ||
           site_param(t->site->scheduler_parameters, "kill_invalid_depend");
}

static bool by_tasks(const struct ctl *t, const struct job *j)
{
    for (uint32_t i = 0; i < j->depend.n; i++)
        if (j->depend.at[i].type == PB__DEPEND_TYPE__DEPEND_AFTERCORR && !j->depend.at[i].has_task &&
            cluster_array(t->c, j->depend.at[i].job))
            return true;
    return false;
}

/* Has its own counterpart decided about this task? */
static bool task_settled(const struct ctl *t, const struct job *j, uint32_t task)
{
    for (uint32_t i = 0; i < j->depend.n; i++) {
        const Pb__Depend *d = &j->depend.at[i];
        if (d->type != PB__DEPEND_TYPE__DEPEND_AFTERCORR || d->state != PB__DEPEND_STATE__DEPEND_UNFULFILLED ||
            !cluster_array(t->c, d->job))
            continue;
        struct job *p = cluster_array_task(t->c, d->job, task);
        if (!p || (!p->array && depend_verdict(d, p, NOW_S(t)) != DEPEND_UNFULFILLED))
            return true;
    }
    return false;
}

/* aftercorr: each task of an array waits for its own, and goes its own way when that is decided. */
static void split_settled(struct ctl *t, struct job *j)
{
    auto_bitmap struct bitmap tasks = BITMAP_INIT;
    bitmap_copy(&tasks, &j->array->pending);
    bitmap_each(&tasks, i) {
        struct err err = ERR_INIT;
        if (!j->array)
            return;
        if (task_settled(t, j, (uint32_t)i) && !array_split(t, j, (uint32_t)i, &err))
            return;
    }
}

void depend_settle(struct ctl *t, struct job *j)
{
    if (!j->depend.n || !job_pending(j))
        return;
    if (j->array && by_tasks(t, j))
        split_settled(t, j);
    settle_job(t, j);
    if (job_depend_failed(j) && kills_invalid(t, j)) {
        struct err err = ERR_INIT;
        end_job(t, j, &(struct end){ .state = JOB_CANCELLED, .reason = WHY_DEPEND_NEVER, .done_node = UINT32_MAX },
                &err);
    }
}

static void depend_tell(struct ctl *t, uint32_t parent)
{
    struct id_list *l = map_get(&t->depend->by_job, parent);
    if (!l)
        return;
    /* Settling may add to the index: walk a copy. */
    size_t n = l->ids.n;
    auto_free uint32_t *ids = mem_copy(l->ids.at, n * sizeof(*ids));
    for (size_t i = 0; i < n; i++) {
        struct job *j = cluster_job(t->c, ids[i]);
        if (j)
            depend_settle(t, j);
    }
    /* The task that kept an array's number may be forgotten before its siblings have ended. */
    bool gone = parent && !cluster_job(t->c, parent) && !cluster_array(t->c, parent);
    if (gone && (l = map_get(&t->depend->by_job, parent))) {
        map_del(&t->depend->by_job, parent);
        vec_clear(&l->ids);
        free(l);
    }
}

static void job_decided(struct ctl *t, const struct job *j)
{
    uint32_t id = j->id, array = j->array_job;
    bool over = job_ended(j);
    depend_tell(t, id);
    if (array && array != id)
        depend_tell(t, array);
    if (over && map_get(&t->depend->by_job, 0))
        depend_tell(t, 0);
}

void depend_changed(struct ctl *t, const struct change *ch)
{
    if (ch->kind != CHANGE_JOB_QUEUED) {
        job_decided(t, ch->job);
    } else if (job_depend_open(ch->job)) {
        depend_index(t, ch->job);
        depend_settle(t, ch->job);
    }
}

void depend_timer(struct ctl *t, const struct timer_entry *e)
{
    struct job *j = cluster_job(t->c, e->id);
    if (j && job_pending(j))
        depend_settle(t, j);
}

void depend_lead(struct ctl *t)
{
    VEC(uint32_t) ids = { 0 };
    for (struct job *j = t->c->pending.head; j; j = j->next) {
        depend_index(t, j);
        if (job_depend_open(j))
            vec_push(&ids, j->id);
    }
    for (size_t i = 0; i < ids.n; i++) {
        struct job *j = cluster_job(t->c, ids.at[i]);
        if (j)
            depend_settle(t, j);
    }
    vec_clear(&ids);
}

/* ---- a new one ---- */

/* Does `from`, or a job that it waits for, wait for `self`? */
static bool leads_to(const struct ctl *t, uint32_t from, uint32_t self)
{
    VEC(uint32_t) open = { 0 };
    struct map seen = { 0 };
    bool found = false;
    vec_push(&open, from);
    for (size_t i = 0; i < open.n && !found; i++) {
        const struct job *j = cluster_job(t->c, open.at[i]);
        if (!j || !job_pending(j) || map_get(&seen, j->id))
            continue;
        map_put(&seen, j->id, (void *)j);
        for (uint32_t k = 0; k < j->depend.n; k++) {
            found |= j->depend.at[k].job == self;
            if (j->depend.at[k].job && j->depend.at[k].state == PB__DEPEND_STATE__DEPEND_UNFULFILLED)
                vec_push(&open, j->depend.at[k].job);
        }
    }
    vec_clear(&open);
    map_clear(&seen);
    return found;
}

int depend_check(struct ctl *t, const struct job *self, const char *text, Pb__Depend ***out, size_t *n, struct err *err)
{
    auto_depend struct depend_list l = DEPEND_INIT;
    *out = NULL;
    *n = 0;
    if (str_empty(text))
        return 0;
    int rc = depend_parse(text, &l, err);
    if (rc)
        return rc;
    Pb__Depend **d = mem_array(l.n, sizeof(*d));
    for (size_t i = 0; i < l.n; i++) {
        d[i] = mem_alloc(sizeof(*d[i]));
        pb__depend__init(d[i]);
        d[i]->type = (Pb__DependType)l.at[i].type;
        d[i]->job = l.at[i].job;
        d[i]->has_task = l.at[i].task >= 0;
        d[i]->task = d[i]->has_task ? (uint32_t)l.at[i].task : 0;
        d[i]->after_min = l.at[i].minutes;
        d[i]->any = l.any;
        bool known = !d[i]->job || cluster_job(t->c, d[i]->job) || cluster_array(t->c, d[i]->job);
        bool needs = d[i]->type == PB__DEPEND_TYPE__DEPEND_AFTEROK ||
                     d[i]->type == PB__DEPEND_TYPE__DEPEND_AFTERNOTOK ||
                     d[i]->type == PB__DEPEND_TYPE__DEPEND_AFTERCORR;
        const struct job *grows = d[i]->type == PB__DEPEND_TYPE__DEPEND_EXPAND ? cluster_job(t->c, d[i]->job) : NULL;
        if (d[i]->type == PB__DEPEND_TYPE__DEPEND_EXPAND && resize_may_expand(t, grows, grows ? grows->uid : 0, err)) {
            depend_free(d, i + 1);
            return err->code;
        }
        if ((!known && needs) || (self && d[i]->job == self->id)) {
            depend_free(d, i + 1);
            return err_set(err, ESLURM_DEPENDENCY, "%s", err_text(ESLURM_DEPENDENCY));
        }
        if (self && d[i]->job && leads_to(t, d[i]->job, self->id)) {
            depend_free(d, i + 1);
            return err_set(err, ESLURM_CIRCULAR_DEPENDENCY, "%s", err_text(ESLURM_CIRCULAR_DEPENDENCY));
        }
    }
    *out = d;
    *n = l.n;
    return 0;
}
