/* job_text - values and texts that several fields of a job share; see job.h. */
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/errnum.h"
#include "base/str.h"
#include "core/job.h"
#include "show/job.h"
#include "text/array.h"
#include "text/gres.h"
#include "text/hostlist.h"
#include "text/size.h"
#include "text/time.h"

#define ID_ROOM 31  /* an array's id is cut after so many bytes, unless SLURM_BITSTR_LEN is set */

bool job_is_pending(const Pb__Job *j)
{
    return (j->state & JOB_STATE_BASE) == JOB_PENDING;
}

/* ---- ids ---- */

static void add_uint(struct buf *out, uint32_t n)
{
    char digits[16], *at = digits + sizeof(digits);
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    buf_add(out, at, (size_t)(digits + sizeof(digits) - at));
}

static void add_shared_tasks(struct buf *out, const struct job_row *r)
{
    const char *text = r->job->array_text;
    size_t max = r->env->array_len;
    if (!max || strlen(text) <= max) {
        buf_adds(out, text);
        return;
    }
    auto_array struct array a = ARRAY_INIT;
    if (array_parse(text, UINT32_MAX, &a, NULL)) {
        buf_adds(out, text);
        return;
    }
    auto_free char *cut = array_text(&a.tasks, a.max_running, max);
    buf_adds(out, cut);
}

void job_put_tasks(struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    if (r->one_task || j->has_task)
        add_uint(out, r->one_task ? r->task : j->array_task);
    else if (*j->array_text)
        add_shared_tasks(out, r);
}

void job_put_het_set(struct buf *out, const Pb__Job *j)
{
    buf_addf(out, j->het_size > 1 ? "%u-%u" : "%u", j->het_job, j->het_job + j->het_size - 1);
}

void job_put_id(struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    if (r->one_task || j->has_task) {
        add_uint(out, j->array_job ? j->array_job : j->id);
        buf_addc(out, '_');
        add_uint(out, r->one_task ? r->task : j->array_task);
        return;
    }
    if (j->het_job) {
        buf_addf(out, "%u+%u", j->het_job, j->het_offset);
        return;
    }
    size_t start = out->len;
    add_uint(out, *j->array_text && j->array_job ? j->array_job : j->id);
    if (!*j->array_text)
        return;
    buf_adds(out, "_[");
    add_shared_tasks(out, r);
    buf_addc(out, ']');
    if (!r->env->array_len_set && out->len - start > ID_ROOM)
        out->len = start + ID_ROOM;
}

/* Unique over all jobs: "s" and 13 digits of base 32, made of the submit time and the id. */
void job_put_sluid(struct buf *out, const Pb__Job *j)
{
    static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    uint64_t n = ((uint64_t)j->submit_s << 32) | j->id;
    char text[15] = "s";
    for (int i = 13; i > 0; i--, n >>= 5)
        text[i] = digits[n & 31];
    text[14] = 0;
    buf_adds(out, text);
}

/* ---- reasons, codes, amounts ---- */

static void add_signal_name(struct buf *out, uint32_t status)
{
    int signo = WTERMSIG((int)status);
    buf_addf(out, "%s:%d(%s)", why_name(WHY_RAISED_SIGNAL), signo, strsignal(signo));
}

void job_put_reason(struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    if (*j->reason_text)
        buf_adds(out, j->reason_text);
    else if (j->reason == WHY_RAISED_SIGNAL)
        add_signal_name(out, j->exit_code);
    else
        buf_adds(out, why_name((enum why_code)j->reason));
    if (j->reason == WHY_NODE_NOT_AVAIL && *j->lost_nodes)
        buf_addf(out, ", UnavailableNodes:%s", j->lost_nodes);
}

void job_put_stamp(struct buf *out, int64_t at, const char *none)
{
    char text[TIME_TEXT];
    buf_adds(out, at > 0 ? time_stamp(text, (time_t)at, none) : none);
}

const char *job_features(const Pb__Job *j)
{
    return j->preferred ? j->spec->prefer : j->spec->constraint;
}

/* ---- resources ---- */

static void add_spec(struct buf *out, const char *spec, const char *prefix)
{
    auto_free char *text = gres_spec_prefixed(spec, prefix);
    buf_adds(out, text);
}

void job_put_gpus(struct buf *out, const char *gpus)
{
    if (*gpus)
        add_spec(out, gpus, "gres/gpu:");
}

void job_put_tres_per_node(struct buf *out, const Pb__JobSpec *s)
{
    if (*s->gres)
        add_spec(out, s->gres, "gres/");
    if (*s->gres && *s->gpus_per_node)
        buf_addc(out, ',');
    job_put_gpus(out, s->gpus_per_node);
}

void job_put_tres_per_task(struct buf *out, const Pb__JobSpec *s)
{
    size_t start = out->len;
    if (*s->tres_per_task)
        buf_adds(out, s->tres_per_task);
    else if (s->cpus_per_task)
        buf_addf(out, "cpu=%u", s->cpus_per_task);
    if (*s->gpus_per_task) {
        if (out->len > start)
            buf_addc(out, ',');
        size_t gpus = out->len;
        job_put_gpus(out, s->gpus_per_task);
        char *count = strrchr(out->s + gpus, ':');
        if (count && count[1] >= '0' && count[1] <= '9')
            *count = '=';
    }
}

uint32_t job_min_cpus(const Pb__JobSpec *s)
{
    uint32_t per_node = MAX(s->cpus_per_task, 1) * MAX(s->ntasks_per_node, 1);
    return MAX(per_node, s->mincpus);
}

uint32_t job_nodes(const Pb__Job *j)
{
    size_t planned = 0;
    if (job_is_pending(j) && *j->planned_nodes && !hostlist_count(j->planned_nodes, &planned, NULL))
        return MAX((uint32_t)planned, j->num_nodes);
    return j->num_nodes;
}

uint32_t job_throttle(const Pb__Job *j)
{
    /* a task that left the array's record: as was asked for */
    const char *percent = strchr(j->spec->array, '%');
    return j->array_max_running || *j->array_text || !percent ? j->array_max_running
                                                              : (uint32_t)strtoul(percent + 1, NULL, 10);
}

uint32_t job_max_nodes(const Pb__JobSpec *s)
{
    if (s->max_nodes)
        return MAX(s->max_nodes, s->min_nodes);
    uint32_t each = MAX(s->ntasks_per_node, 1u);
    return MAX(MAX((s->ntasks + each - 1) / each, s->min_nodes), 1u);
}


const char *job_shared(const Pb__Job *j)
{
    if (j->spec->oversubscribe || j->part_oversub == PB__PART_OVERSUB__PART_OVERSUB_FORCE)
        return "YES";
    return j->part_oversub == PB__PART_OVERSUB__PART_OVERSUB_YES && !*j->spec->exclusive ? "OK" : "NO";
}

const char *job_exclusive(const Pb__Job *j)
{
    const Pb__JobSpec *s = j->spec;
    if (!*s->exclusive)
        return s->core_spec || j->part_oversub == PB__PART_OVERSUB__PART_OVERSUB_EXCLUSIVE ||
                       j->oversub == OVERSUB_EXCLUSIVE
                   ? "NODE"
               : j->part_user_exclusive ? "USER"
                                        : "NO";
    if (j->part_oversub == PB__PART_OVERSUB__PART_OVERSUB_FORCE && str_ieq(s->exclusive, "yes"))
        return "NO";
    if (str_ieq(s->exclusive, "user"))
        return "USER";
    if (str_ieq(s->exclusive, "mcs"))
        return "MCS";
    return str_ieq(s->exclusive, "topo") ? "TOPO" : "NODE";
}

/* ---- time ---- */

int64_t job_start_s(const Pb__Job *j)
{
    if (!job_is_pending(j))
        return j->start_s;
    if (j->planned_start_s)
        return j->planned_start_s;
    return j->spec->begin_s > j->submit_s ? j->spec->begin_s : 0;
}

int64_t job_end_s(const Pb__Job *j)
{
    uint32_t base = j->state & JOB_STATE_BASE;
    if (base > JOB_SUSPENDED)
        return j->end_s;
    int64_t start = job_start_s(j);
    if (!start)
        return 0;
    if (j->time_limit_min == INFINITE_MIN || !j->time_limit_min)
        return base == JOB_PENDING ? 0 : INT64_MAX;
    return start + (int64_t)j->time_limit_min * 60 + j->suspended_total_s;
}

int64_t job_eligible_s(const Pb__Job *j)
{
    return job_is_pending(j) && j->hold && j->spec->begin_s <= j->submit_s ? 0 : j->eligible_s;
}

int64_t job_accrue_s(const struct job_row *r)
{
    int64_t at = r->job->accrue_s ? r->job->accrue_s : job_eligible_s(r->job);
    return at < 0 || at > r->env->now_s ? 0 : at;
}

/* The scheduler considers a job when it is submitted and when it starts. */
int64_t job_last_look_s(const Pb__Job *j)
{
    return !job_is_pending(j) && j->start_s ? j->start_s : j->submit_s;
}

int64_t job_elapsed_s(const struct job_row *r)
{
    const Pb__Job *j = r->job;
    uint32_t base = j->state & JOB_STATE_BASE;
    if (base == JOB_PENDING || !j->start_s)
        return 0;
    int64_t until = base == JOB_RUNNING ? r->env->now_s : base == JOB_SUSPENDED ? j->suspend_s : j->end_s;
    int64_t span = until - j->start_s - j->suspended_total_s;
    return MAX(span, 0);
}

/* ---- files ---- */

static const char *first_host(const Pb__Job *j)
{
    return *j->batch_host ? j->batch_host : "";
}

/* The value of pattern `c`, padded to `width` where it is a number; false: no such pattern. */
static bool add_pattern(struct buf *out, const struct job_row *r, char c, unsigned width)
{
    const Pb__Job *j = r->job;
    uint32_t task = r->one_task ? r->task : j->has_task ? j->array_task : UINT32_MAX - 1;
    switch (c) {
    case 'j': case 'J': buf_addf(out, "%0*u", (int)width, j->id); return true;
    case 'A': buf_addf(out, "%0*u", (int)width, j->array_job ? j->array_job : j->id); return true;
    case 'a': buf_addf(out, "%0*u", (int)width, task); return true;
    case 'n': case 't': buf_addf(out, "%0*u", (int)width, 0u); return true;
    case 's': buf_adds(out, "batch"); return true;
    case 'N': buf_adds(out, first_host(j)); return true;
    case 'u': buf_adds(out, *j->user_name ? j->user_name : r->env->user ? r->env->user(j->uid) : ""); return true;
    case 'x': buf_adds(out, j->spec->name); return true;
    case '%': buf_addc(out, '%'); return true;
    default: return false;
    }
}

static void add_expanded(struct buf *out, const struct job_row *r, const char *text)
{
    for (const char *p = text; *p; p++) {
        unsigned width = 0;
        const char *q = p + 1;
        for (; *p == '%' && *q >= '0' && *q <= '9' && width < 10; q++)
            width = width * 10 + (unsigned)(*q - '0');
        if (*p == '%' && *q && add_pattern(out, r, *q, MIN(width, 10u)))
            p = q;
        else
            buf_addc(out, *p);
    }
}

static const char *file_asked(const struct job_row *r, int which)
{
    const Pb__JobSpec *s = r->job->spec;
    const char *asked = which == 0 ? s->std_in : which == 1 ? s->std_out : s->std_err;
    if (*asked || which == 2 || s->kind != PB__JOB_KIND__KIND_BATCH)
        return asked;
    if (which == 0)
        return "/dev/null";
    return r->job->array_job ? "slurm-%A_%a.out" : "slurm-%j.out";
}

void job_put_file(struct buf *out, const struct job_row *r, int which, bool expanded)
{
    const Pb__JobSpec *s = r->job->spec;
    const char *asked = file_asked(r, which);
    bool said = which == 1 ? *s->std_out : true;
    if (*asked && *asked != '/' && (expanded || said))
        buf_addf(out, "%s%s", s->workdir, str_has_suffix(s->workdir, "/") ? "" : "/");
    if (expanded)
        add_expanded(out, r, asked);
    else
        buf_adds(out, asked);
}
