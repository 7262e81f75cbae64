/* job_filter - which jobs a query means; see job_filter.h. */
#include "ctl/job_filter.h"

#define SHORT 4u /* lists up to here are compared one by one */

/* ---- names ---- */

void name_set_init(struct name_set *s, char *const *list, size_t n)
{
    *s = (struct name_set){ .list = list, .n = n };
    for (size_t i = n; n > SHORT && i-- > 0;)
        smap_put(&s->at, list[i], (void *)&list[i]); /* from the end: the first mention stays */
}

void name_set_clear(struct name_set *s)
{
    smap_clear(&s->at);
}

size_t name_set_find(const struct name_set *s, const char *name)
{
    if (s->n > SHORT) {
        char *const *at = smap_get(&s->at, str_or(name, ""));
        return at ? (size_t)(at - s->list) + 1 : 0;
    }
    for (size_t i = 0; i < s->n; i++)
        if (str_eq(s->list[i], str_or(name, "")))
            return i + 1;
    return 0;
}

bool name_set_has(const struct name_set *s, const char *name)
{
    return !s->n || name_set_find(s, name);
}

/* Is a word of the list "a,b" in the set? */
static bool name_set_any(const struct name_set *s, const char *list)
{
    if (!s->n || !strchr(str_or(list, ""), ','))
        return name_set_has(s, list);
    for (char *word; (word = str_next(&list, ","));) {
        bool found = name_set_find(s, word);
        free(word);
        if (found)
            return true;
    }
    return false;
}

/* ---- the filter ---- */

struct job_filter {
    const Pb__JobQuery *q;
    struct map uids, jobs, tasks; /* number + 1; of tasks the array's, and above it the task's */
    bool state[JOB_STATE_BASE + 1];
    uint32_t state_flags;
    struct name_set partition, name, account, node, qos, reservation, licenses, wckey;
};

static uint64_t task_key(uint32_t job, uint32_t task)
{
    return ((uint64_t)task + 1) << 32 | job;
}

static void filter_states(struct job_filter *f, const Pb__JobQuery *q)
{
    for (size_t i = 0; i < q->n_state; i++) {
        if (q->state[i] > JOB_STATE_BASE)
            f->state_flags |= q->state[i];
        else
            f->state[q->state[i]] = true;
    }
}

struct job_filter *job_filter_new(const Pb__JobQuery *q)
{
    struct job_filter *f = NEW(struct job_filter);
    f->q = q;
    for (size_t i = 0; i < q->n_uid; i++)
        map_put(&f->uids, (uint64_t)q->uid[i] + 1, f);
    for (size_t i = 0; i < q->n_job; i++)
        map_put(&f->jobs, (uint64_t)q->job[i] + 1, f);
    for (size_t i = 0; i < q->n_task; i++)
        map_put(&f->tasks, task_key(q->task[i]->job, q->task[i]->task), f);
    filter_states(f, q);
    name_set_init(&f->partition, q->partition, q->n_partition);
    name_set_init(&f->name, q->name, q->n_name);
    name_set_init(&f->account, q->account, q->n_account);
    name_set_init(&f->node, q->node, q->n_node);
    name_set_init(&f->qos, q->qos, q->n_qos);
    name_set_init(&f->reservation, q->reservation, q->n_reservation);
    name_set_init(&f->licenses, q->licenses, q->n_licenses);
    name_set_init(&f->wckey, q->wckey, q->n_wckey);
    return f;
}

void job_filter_free(struct job_filter *f)
{
    if (!f)
        return;
    struct name_set *sets[] = { &f->partition, &f->name,        &f->account,  &f->node,
                                &f->qos,       &f->reservation, &f->licenses, &f->wckey };
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        name_set_clear(sets[i]);
    map_clear(&f->uids);
    map_clear(&f->jobs);
    map_clear(&f->tasks);
    free(f);
}

bool job_filter_part(const struct job_filter *f, const char *part)
{
    return name_set_has(&f->partition, part);
}

/* ---- one job ---- */

static bool match_state(const struct job_filter *f, const struct job *j)
{
    if (!f->q->n_state)
        return f->q->with_done || !job_ended(j) || (j->state & JOB_COMPLETING);
    return f->state[job_base(j) & JOB_STATE_BASE] || (job_shown_state(j) & f->state_flags);
}

static bool match_node(const struct ctl *t, const struct job_filter *f, const struct job *j)
{
    if (!f->node.n)
        return true;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (name_set_find(&f->node, t->c->node[j->alloc.at[i].node].name))
            return true;
    return false;
}

/* A record that stands for many tasks matches by any of them. */
static bool match_array(const Pb__JobQuery *q, const struct job *j)
{
    for (size_t i = 0; i < q->n_task; i++)
        if (q->task[i]->job == j->array_job && bitmap_has(&j->array->pending, q->task[i]->task))
            return true;
    return false;
}

static bool match_number(const struct job_filter *f, const struct job *j)
{
    const Pb__JobQuery *q = f->q;
    if (!q->n_job && !q->n_task)
        return true;
    if (q->n_job && (map_get(&f->jobs, (uint64_t)j->id + 1) ||
                     (j->array_job && map_get(&f->jobs, (uint64_t)j->array_job + 1)) ||
                     (j->het_job && map_get(&f->jobs, (uint64_t)j->het_job + 1))))
        return true;
    return q->n_task && (j->array ? match_array(q, j) : map_get(&f->tasks, task_key(j->array_job, j->array_task)) != 0);
}

static bool match_reservation(const struct job_filter *f, const struct job *j)
{
    return !f->reservation.n || name_set_find(&f->reservation, j->resv_name) ||
           (j->spec->req.reservation && name_set_any(&f->reservation, j->spec->req.reservation));
}

static bool match_license(const struct job_filter *f, const struct job *j)
{
    const struct license_list *l = &j->spec->req.licenses;
    if (!f->licenses.n)
        return true;
    for (size_t i = 0; i < l->n; i++)
        if (name_set_find(&f->licenses, l->at[i].name))
            return true;
    return false;
}

/* Asked for seldom: read from the spec's bytes. */
static bool match_spec(const struct job_filter *f, const struct job *j)
{
    if (!f->qos.n && !f->wckey.n)
        return true;
    Pb__JobSpec *s = spec_decode(j->spec);
    bool found = name_set_has(&f->qos, s->qos) && name_set_has(&f->wckey, s->wckey);
    pb__job_spec__free_unpacked(s, NULL);
    return found;
}

bool job_filter_match(const struct ctl *t, const struct job_filter *f, const struct job *j)
{
    return match_state(f, j) && (!f->q->n_uid || map_get(&f->uids, (uint64_t)j->uid + 1)) && match_number(f, j) &&
           name_set_any(&f->partition, j->partition) && name_set_has(&f->name, j->spec->name) &&
           name_set_has(&f->account, j->spec->account) && match_node(t, f, j) && match_reservation(f, j) &&
           match_license(f, j) && match_spec(f, j);
}
