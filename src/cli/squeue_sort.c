/*
 * squeue_sort - the order of squeue's lines.
 *
 * Lines are written while the answer comes in; only their keys are kept, so that 50 000 jobs cost no more than
 * their text.  Equal lines stay in the order of `base`; a few of Slurm's comparisons turn equals around, and so
 * do ours.
 */
#include "base/map.h"
#include "base/str.h"
#include "cli/squeue.h"
#include "core/job.h"

typedef int64_t key_fn(const struct job_row *r);

struct sort_letter {
    char letter;
    key_fn *number;      /* NULL: by the column's text */
    bool turns;          /* equals change places */
};

struct sort_by {
    const struct sort_letter *how;
    const struct field *field;
    bool down;
};

struct sort_spec {
    VEC(struct sort_by) by;
    struct smap texts;   /* interned, so that equal texts are equal pointers */
    struct buf scratch;
    bool steps;
};

static int64_t by_id(const struct job_row *r)
{
    const Pb__Job *j = r->job;
    uint32_t task = r->one_task ? r->task + 1 : j->has_task ? j->array_task + 1 : *j->array_text ? INT32_MAX : 0;
    return ((int64_t)(j->array_job ? j->array_job : j->id) << 32) | task;
}

static int64_t by_start(const struct job_row *r)
{
    int64_t at = job_start_s(r->job);
    return at ? at : INT64_MAX;
}

static int64_t by_left(const struct job_row *r)
{
    uint32_t limit = r->job->time_limit_min;
    return limit == INFINITE_MIN || !limit ? INT64_MAX : (int64_t)limit * 60 - job_elapsed_s(r);
}

static int64_t by_limit(const struct job_row *r)
{
    return r->job->time_limit_min ? r->job->time_limit_min : INFINITE_MIN;
}
static int64_t by_memory(const struct job_row *r)
{
    return (int64_t)(r->job->mem_per_node_mb ? r->job->mem_per_node_mb : r->job->mem_per_cpu_mb);
}
static int64_t by_cores(const struct job_row *r) { return r->job->spec->cores_per_socket; }
static int64_t by_cpus(const struct job_row *r) { return r->job->num_cpus; }
static int64_t by_end(const struct job_row *r) { return job_end_s(r->job); }
static int64_t by_gid(const struct job_row *r) { return r->job->gid; }
static int64_t by_min_cpus(const struct job_row *r) { return job_min_cpus(r->job->spec); }
static int64_t by_nodes(const struct job_row *r) { return job_nodes(r->job); }
static int64_t by_priority(const struct job_row *r) { return r->job->priority; }
static int64_t by_sockets(const struct job_row *r) { return r->job->spec->sockets_per_node; }
static int64_t by_submit(const struct job_row *r) { return r->job->submit_s; }
static int64_t by_threads(const struct job_row *r) { return r->job->spec->threads_per_core; }
static int64_t by_tmp(const struct job_row *r) { return (int64_t)r->job->spec->tmp_mb; }
static int64_t by_uid(const struct job_row *r) { return r->job->uid; }

static int64_t by_state(const struct job_row *r)
{
    return (int64_t)(intptr_t)job_state_name(r->job->state);
}

/* Letters that Slurm sorts by; those without a number go by their column's text. */
static const struct sort_letter job_letters[] = {
    { 'b', NULL, 0 },
    { 'B', NULL, 0 },
    { 'c', by_min_cpus, 0 },
    { 'C', by_cpus, 0 },
    { 'd', by_tmp, 0 },
    { 'D', by_nodes, 0 },
    { 'e', by_end, 0 },
    { 'f', NULL, 0 },
    { 'g', NULL, 0 },
    { 'G', by_gid, 0 },
    { 'h', NULL, 0 },
    { 'H', by_sockets, 0 },
    { 'i', by_id, 0 },
    { 'I', by_cores, 0 },
    { 'j', NULL, 0 },
    { 'J', by_threads, 0 },
    { 'l', by_limit, 0 },
    { 'L', by_left, 0 },
    { 'm', by_memory, 0 },
    { 'M', job_elapsed_s, 0 },
    { 'n', NULL, 0 },
    { 'N', NULL, true },
    { 'O', NULL, 0 },
    { 'p', by_priority, 0 },
    { 'P', NULL, 0 },
    { 'Q', by_priority, 0 },
    { 'S', by_start, true },
    { 't', by_state, 0 },
    { 'T', by_state, 0 },
    { 'u', NULL, 0 },
    { 'U', by_uid, 0 },
    { 'v', NULL, 0 },
    { 'V', by_submit, 0 },
    { 'z', by_sockets, 0 },
    { 0 },
};

static int64_t step_by_id(const struct job_row *r)
{
    return ((int64_t)r->job->id << 32) | CONTAINER_OF(r, const struct step_row, job)->step->id;
}

static int64_t step_by_start(const struct job_row *r)
{
    return CONTAINER_OF(r, const struct step_row, job)->step->start_s;
}

static int64_t step_by_elapsed(const struct job_row *r)
{
    return -step_by_start(r);
}

static const struct sort_letter step_letters[] = {
    { 'i', step_by_id, 0 },
    { 'N', NULL, 0 },
    { 'P', NULL, 0 },
    { 'S', step_by_start, 0 },
    { 'M', step_by_elapsed, 0 },
    { 'j', NULL, 0 },
    { 'u', NULL, 0 },
    { 'U', by_uid, 0 },
    { 'l', by_limit, 0 },
    { 0 },
};

/* ---- the spec ---- */

static const struct sort_letter *find(const struct sort_letter *table, char c)
{
    for (; table->letter; table++)
        if (table->letter == c)
            return table;
    return NULL;
}

static const struct field *column(const struct field *table, char c)
{
    for (; table->name; table++)
        if (table->letter == c)
            return table;
    return NULL;
}

/* The letter at the end is looked at first, as Slurm does: it is the one named in an error. */
struct sort_spec *sort_new(const char *text, bool steps, char *bad)
{
    struct sort_spec *s = NEW(struct sort_spec);
    s->steps = steps;
    for (size_t i = strlen(text); i-- > 0;) {
        if (strchr(",+-# ", text[i]))
            continue;
        struct sort_by by = { .how = find(steps ? step_letters : job_letters, text[i]),
                              .down = i > 0 && text[i - 1] == '-' };
        if (!by.how && steps)
            continue;
        if (!by.how) {
            *bad = text[i];
            sort_free(s);
            return NULL;
        }
        by.field = column(steps ? fields_step : fields_job, text[i]);
        vec_push(&s->by, by);
    }
    for (size_t i = 0; i < s->by.n / 2; i++) {
        struct sort_by swap = s->by.at[i];
        s->by.at[i] = s->by.at[s->by.n - 1 - i];
        s->by.at[s->by.n - 1 - i] = swap;
    }
    return s;
}

void sort_free(struct sort_spec *s)
{
    if (!s)
        return;
    size_t pos = 0;
    const char *key;
    for (void *value; (value = smap_next(&s->texts, &pos, &key));)
        free(value);
    smap_clear(&s->texts);
    buf_clear(&s->scratch);
    vec_clear(&s->by);
    free(s);
}

/* ---- keys ---- */

static const char *intern(struct sort_spec *s, const char *text)
{
    char *known = smap_get(&s->texts, text);
    if (!known) {
        known = mem_str(text);
        smap_put(&s->texts, known, known);
    }
    return known;
}

static int64_t key_of(struct sort_spec *s, const struct sort_by *by, const struct job_row *job, const void *row)
{
    if (by->how->number)
        return by->how->number(job);
    buf_reset(&s->scratch);
    buf_addc(&s->scratch, 0); /* so that an empty text is a text */
    s->scratch.len = 0;
    by->field->put(&s->scratch, by->field, row);
    return (int64_t)(intptr_t)intern(s, s->scratch.s);
}

void sort_add(struct sort_lines *lines, size_t at, const void *row, int64_t base)
{
    struct sort_spec *s = (struct sort_spec *)lines->spec;
    const struct job_row *job = s->steps ? &((const struct step_row *)row)->job : row;
    for (size_t i = 0; i < s->by.n; i++)
        vec_push(&lines->key, key_of(s, &s->by.at[i], job, row));
    uint32_t index = (uint32_t)lines->line.n;
    vec_push(&lines->line, (struct sort_line){ at, (uint32_t)(lines->text.len - at), index, base });
}

static int cmp_key(const struct sort_by *by, int64_t a, int64_t b)
{
    if (a == b)
        return 0;
    bool text = !by->how->number || by->how->number == by_state;
    int order = text ? strcmp((const char *)(intptr_t)a, (const char *)(intptr_t)b) : a < b ? -1 : 1;
    if (!order)
        return 0;
    return (order < 0) == by->down ? 1 : -1;
}

static int cmp_lines(const void *pa, const void *pb, void *arg)
{
    const struct sort_line *a = pa, *b = pb;
    const struct sort_lines *lines = arg;
    const struct sort_spec *s = lines->spec;
    const size_t ka = (size_t)a->index * s->by.n, kb = (size_t)b->index * s->by.n;
    int sign = 1;
    for (size_t i = 0; i < s->by.n; i++) {
        int order = cmp_key(&s->by.at[i], lines->key.at[ka + i], lines->key.at[kb + i]);
        if (order)
            return sign * order;
        if (s->by.at[i].how->turns)
            sign = -sign;
    }
    if (a->base != b->base)
        return sign * (a->base < b->base ? -1 : 1);
    return sign * (a->index < b->index ? -1 : a->index > b->index);
}

/* Is every line before (sign -1) or after (1) the next? */
static bool in_order(struct sort_lines *lines, int sign)
{
    for (size_t i = 1; i < lines->line.n; i++)
        if (cmp_lines(&lines->line.at[i - 1], &lines->line.at[i], lines) != sign)
            return false;
    return true;
}

static void turn_around(struct sort_lines *lines)
{
    for (size_t i = 0, k = lines->line.n - 1; i < k; i++, k--) {
        struct sort_line swap = lines->line.at[i];
        lines->line.at[i] = lines->line.at[k];
        lines->line.at[k] = swap;
    }
}

/* A queue comes in an order of its own, which is often the one asked for, or its reverse. */
void sort_lines(struct sort_lines *lines)
{
    if (lines->line.n < 2 || in_order(lines, -1))
        return;
    if (in_order(lines, 1))
        turn_around(lines);
    else
        qsort_r(lines->line.at, lines->line.n, sizeof(*lines->line.at), cmp_lines, lines);
}

void sort_clear(struct sort_lines *lines)
{
    buf_clear(&lines->text);
    vec_clear(&lines->line);
    vec_clear(&lines->key);
}
