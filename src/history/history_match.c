/* history_match - the exact filter of a query; see history_match.h. */
#include "history/history_match.h"

#include "base/str.h"
#include "core/job.h"
#include "text/array.h"

/* ---- by number ---- */

/* Tasks that have not begun share a row, which names them. */
static bool has_task(const Pb__Job *j, uint32_t task)
{
    if (j->has_task || str_empty(j->array_text))
        return j->has_task && j->array_task == task;
    auto_array struct array waiting = ARRAY_INIT;
    return !array_parse(j->array_text, ARRAY_LARGEST, &waiting, NULL) && bitmap_has(&waiting.tasks, task);
}

static bool ref_match(const Pb__HistoryQuery *q, const Pb__JobRef *ref, const Pb__Job *j)
{
    if (ref->has_task)
        return ref->job == j->array_job && has_task(j, ref->task);
    if (ref->has_het)
        return ref->job == j->het_job && ref->het == j->het_offset;
    if (ref->job == j->id || (j->array_job && ref->job == j->array_job))
        return true;
    return j->het_job && ref->job == j->het_job && !q->exact_het;
}

static bool refs_match(const Pb__HistoryQuery *q, const Pb__Job *j)
{
    for (size_t i = 0; i < q->n_jobs; i++)
        if (ref_match(q, q->jobs[i], j))
            return true;
    return !q->n_jobs;
}

/* ---- by the rest ---- */

static bool listed(char *const *list, size_t n, const char *words)
{
    for (size_t i = 0; i < n; i++)
        if (!str_empty(words) && str_in_list(words, list[i]))
            return true;
    return !n;
}

static bool within(uint32_t value, uint32_t min, uint32_t max)
{
    return value >= min && (!max || value <= max);
}

static bool looks_at_spec(const Pb__HistoryQuery *q)
{
    return q->n_constraint || q->n_reservation;
}

static bool spec_match(const Pb__HistoryQuery *q, const Pb__Job *j, const uint8_t *bytes, size_t len)
{
    Pb__JobSpec *s = pb__job_spec__unpack(NULL, len, bytes);
    bool match = s && listed(q->constraint, q->n_constraint, s->constraint) &&
                 (listed(q->reservation, q->n_reservation, j->resv_name) ||
                  listed(q->reservation, q->n_reservation, s->reservation));
    if (s)
        pb__job_spec__free_unpacked(s, NULL);
    return match;
}

static bool looks_at_job(const Pb__HistoryQuery *q)
{
    return q->n_jobs || q->n_partition || looks_at_spec(q) || q->min_cpus || q->max_cpus || q->min_nodes ||
           q->max_nodes || q->min_limit_min || q->max_limit_min;
}

bool history_match(const Pb__HistoryQuery *q, const uint8_t *job, size_t len, const uint8_t *spec, size_t spec_len)
{
    if (!looks_at_job(q))
        return true;
    Pb__Job *j = pb__job__unpack(NULL, len, job);
    bool match = j && refs_match(q, j) && listed(q->partition, q->n_partition, j->partition) &&
                 within(j->num_cpus, q->min_cpus, q->max_cpus) && within(j->num_nodes, q->min_nodes, q->max_nodes) &&
                 within(j->time_limit_min, q->min_limit_min, q->max_limit_min) &&
                 (!looks_at_spec(q) || spec_match(q, j, spec, spec_len));
    if (j)
        pb__job__free_unpacked(j, NULL);
    return match;
}
