/* job_json - fields of a job that only JSON has; see job_priv.h. */
#include "base/str.h"
#include "core/job.h"
#include "show/job_priv.h"

static void add_word(struct buf *out, size_t start, const char *word)
{
    if (out->len > start)
        buf_addc(out, ',');
    buf_adds(out, word);
}

/* ---- state ---- */

GET(job_get_states)
{
    static const struct { uint32_t flag; const char *name; } flags[] = {
        { JOB_COMPLETING, "COMPLETING" },
        { JOB_CONFIGURING, "CONFIGURING" },
        { JOB_RESV_DEL_HOLD, "RESV_DEL_HOLD" },
        { JOB_REQUEUE_FLAG, "REQUEUED" },
    };
    struct buf *out = show_make(v);
    size_t start = out->len;
    add_word(out, start, job_state_name(JOB(row)->state & JOB_STATE_BASE));
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (JOB(row)->state & flags[i].flag)
            add_word(out, start, flags[i].name);
}

/* Reasons that are sentences are Slurm's descriptions of a shorter one. */
static const char *short_reason(enum why_code code)
{
    switch (code) {
    case WHY_NODES_RESERVED: case WHY_TOPO_NO_FIT: case WHY_TOPO_SEGMENT: return why_name(WHY_RESOURCES);
    case WHY_NODE_RESERVED: case WHY_RESV_MAINT: return why_name(WHY_NODE_NOT_AVAIL);
    default: return why_name(code);
    }
}

GET(job_get_state_reason) { show_set_text(v, short_reason((enum why_code)JOB(row)->reason)); }

GET(job_get_state_description)
{
    enum why_code code = (enum why_code)JOB(row)->reason;
    bool sentence = short_reason(code) != why_name(code) || code == WHY_RAISED_SIGNAL || *JOB(row)->lost_nodes;
    if (*JOB(row)->reason_text || sentence)
        job_put_reason(show_make(v), JOB_ROW(row));
}

/* ---- flags ---- */

GET(job_get_flags)
{
    const Pb__Job *j = JOB(row);
    const Pb__JobSpec *s = j->spec;
    uint32_t base = j->state & JOB_STATE_BASE;
    bool tried = base == JOB_PENDING && !j->hold && !*j->depend_text && j->reason != WHY_ARRAY_LIMIT &&
                 j->eligible_s <= JOB_ROW(row)->env->now_s;
    const struct { bool set; const char *name; } flags[] = {
        { s->kill_on_invalid_dep, "KILL_INVALID_DEPENDENCY" },
        { s->no_kill_on_invalid_dep, "NO_KILL_INVALID_DEPENDENCY" },
        { strcasestr(s->gres_flags, "enforce-binding") != NULL, "GRES_BINDING_ENFORCED" },
        { s->spread, "SPREAD_JOB" },
        { s->use_min_nodes, "PREFER_MINIMUM_NODE_COUNT" },
        { s->ntasks != 0, "EXACT_TASK_COUNT_REQUESTED" },
        { s->cpus_per_task != 0, "EXACT_CPU_COUNT_REQUESTED" },
        { !job_is_pending(j) && j->start_s, "ACCRUE_COUNT_CLEARED" },
        { strcasestr(s->gres_flags, "disable-binding") != NULL, "GRES_BINDING_DISABLED" },
        { base == JOB_RUNNING || base == JOB_SUSPENDED, "JOB_WAS_RUNNING" },
        { s->mem_per_node_mb || s->mem_per_cpu_mb, "EXACT_MEMORY_REQUESTED" },
        { !*s->account, "USING_DEFAULT_ACCOUNT" },
        { !*s->partition, "USING_DEFAULT_PARTITION" },
        { !*s->qos, "USING_DEFAULT_QOS" },
        { !*s->wckey, "USING_DEFAULT_WCKEY" },
        { job_is_pending(j) && (j->hold || *j->depend_text), "DEPENDENT" },
        { !*s->partition, "PARTITION_ASSIGNED" },
        { tried, "BACKFILL_ATTEMPTED" }, /* one pass of the scheduler does both */
        { tried, "SCHEDULING_ATTEMPTED" },
        { s->ntasks && !s->max_nodes && !f->until, "JOB_IMPLICIT_MAX_NODES" },
    };
    struct buf *out = show_make(v);
    size_t start = out->len;
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (flags[i].set)
            add_word(out, start, flags[i].name);
}

GET(job_get_shared_list)
{
    bool force = str_eq(job_shared(JOB(row)), "YES");
    show_set_text(v, *SPEC(row)->exclusive ? "none" : force ? "oversubscribe" : "");
}

/* "begin,end" as Slurm writes it: in capitals, ALL as what it stands for. */
GET(job_get_mail_types)
{
    static const char all[] = "BEGIN,END,FAIL,REQUEUE,STAGE_OUT";
    const char *asked = SPEC(row)->mail_type;
    struct buf *out = show_make(v);
    if (str_ieq(asked, "none"))
        return;
    if (str_ieq(asked, "all")) {
        buf_adds(out, all);
        return;
    }
    for (; *asked; asked++)
        buf_addc(out, *asked >= 'a' && *asked <= 'z' ? (char)(*asked - 'a' + 'A') : *asked);
}

/* ---- numbers ---- */

/* What the allocation is billed for: "billing" of its TRES. */
GET(job_get_billing)
{
    for (const char *at = JOB(row)->tres_alloc; (at = strstr(at, "billing=")); at++)
        if (at == JOB(row)->tres_alloc || at[-1] == ',') {
            show_set_real(v, strtod(at + strlen("billing="), NULL));
            return;
        }
}

struct priority_row {
    const char *name;
    size_t len;
    uint32_t priority;
};

static GET(get_priority_part)
{
    const struct priority_row *r = row;
    buf_add(show_make(v), r->name, r->len);
}

static GET(get_priority_number) { show_set_number(v, ((const struct priority_row *)row)->priority); }

static const struct show_field priority_fields[] = {
    { .json = "partition", .type = SHOW_TEXT, .get = get_priority_part },
    { .json = "priority", .type = SHOW_NUMBER, .get = get_priority_number },
    { 0 },
};
const struct show_table show_job_priority = { "priority in a partition", priority_fields, "", NULL };

static const void *priority_at(const void *of, size_t i, void *room)
{
    const Pb__Job *j = of;
    struct priority_row *r = room;
    const char *name = j->partition;
    for (; i && *name; i--)
        name += strcspn(name, ",") + 1;
    *r = (struct priority_row){ name, strcspn(name, ","), j->priority };
    return r;
}

/* Of a job that waits for several partitions. */
GET(job_get_priorities)
{
    const Pb__Job *j = JOB(row);
    size_t n = 1;
    for (const char *p = j->partition; *p; p++)
        n += *p == ',';
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ job_is_pending(j) && n > 1 ? n : 0, j, priority_at };
}
