/* job_get - the getters of the job table; see job_priv.h. */
#include "base/str.h"
#include "core/job.h"
#include "core/req.h"
#include "show/job_priv.h"
#include "text/time.h"

/* ---- a member of the job or of its spec ---- */

#define MEMBER(type, of) (*(const type *)((const char *)(of) + f->at))

GET(job_get_job_text) { show_set_text(v, MEMBER(char *, JOB(row))); }
GET(job_get_spec_text) { show_set_text(v, MEMBER(char *, SPEC(row))); }
GET(job_get_job_number) { show_set_number(v, MEMBER(uint32_t, JOB(row))); }
GET(job_get_spec_number) { show_set_number(v, MEMBER(uint32_t, SPEC(row))); }
GET(job_get_job_count) { show_set_count(v, MEMBER(uint32_t, JOB(row))); }
GET(job_get_spec_count) { show_set_count(v, MEMBER(uint32_t, SPEC(row))); }
GET(job_get_spec_signed) { show_set_number(v, MEMBER(int32_t, SPEC(row))); }
GET(job_get_job_amount) { show_set_count(v, (int64_t)MEMBER(uint64_t, JOB(row))); }
GET(job_get_spec_amount) { show_set_count(v, (int64_t)MEMBER(uint64_t, SPEC(row))); }
GET(job_get_job_time) { show_set_count(v, MEMBER(int64_t, JOB(row))); }
GET(job_get_spec_time) { show_set_count(v, MEMBER(int64_t, SPEC(row))); }
GET(job_get_job_flag) { show_set_number(v, MEMBER(protobuf_c_boolean, JOB(row))); }
GET(job_get_spec_flag) { show_set_number(v, MEMBER(protobuf_c_boolean, SPEC(row))); }
GET(job_get_word) { show_set_text(v, f->none); }

GET(job_get_ntasks_per) /* none is "infinite" in JSON */
{
    if (MEMBER(uint32_t, SPEC(row)))
        show_set_number(v, MEMBER(uint32_t, SPEC(row)));
    else
        show_set_infinite(v);
}

/* ---- identity ---- */

GET(job_get_id) { job_put_id(show_make(v), JOB_ROW(row)); }
GET(job_get_tasks) { job_put_tasks(show_make(v), JOB_ROW(row)); }
GET(job_get_task_string) { show_set_text(v, JOB_ROW(row)->one_task ? "" : JOB(row)->array_text); }
GET(job_get_throttle) { show_set_count(v, job_throttle(JOB(row))); }
GET(job_get_array_or_id) { show_set_number(v, JOB(row)->array_job ? JOB(row)->array_job : JOB(row)->id); }
GET(job_get_sluid) { job_put_sluid(show_make(v), JOB(row)); }
GET(job_get_cluster) { show_set_text(v, JOB_ROW(row)->env->cluster); }

GET(job_get_task)
{
    const struct job_row *r = JOB_ROW(row);
    if (r->one_task || r->job->has_task)
        show_set_number(v, r->one_task ? r->task : r->job->array_task);
}

/* Sort key of ids: the tasks of an array in their order, the record of its waiting tasks last. */
GET(job_get_id_order)
{
    const struct job_row *r = JOB_ROW(row);
    const Pb__Job *j = r->job;
    uint32_t task = r->one_task ? r->task + 1 : j->has_task ? j->array_task + 1 : *j->array_text ? INT32_MAX : 0;
    show_set_number(v, ((int64_t)(j->array_job ? j->array_job : j->id) << 32) | task);
}

GET(job_get_het_set)
{
    if (JOB(row)->het_job)
        job_put_het_set(show_make(v), JOB(row));
}

GET(job_get_het_offset)
{
    if (JOB(row)->het_job)
        show_set_number(v, JOB(row)->het_offset);
}

static void set_name(struct show_value *v, const char *known, const char *(*find)(uint32_t), uint32_t id)
{
    if (*known || find)
        show_set_text(v, *known ? known : find(id));
    else
        buf_addf(show_make(v), "%u", id);
}

GET(job_get_user) { set_name(v, JOB(row)->user_name, JOB_ROW(row)->env->user, JOB(row)->uid); }
GET(job_get_group) { set_name(v, "", JOB_ROW(row)->env->group, JOB(row)->gid); }

GET(job_get_user_and_id)
{
    job_get_user(v, f, row);
    if (v->text)
        buf_adds(v->scratch, v->text);
    buf_addf(show_make(v), "(%u)", JOB(row)->uid);
}

GET(job_get_group_and_id)
{
    job_get_group(v, f, row);
    if (v->text)
        buf_adds(v->scratch, v->text);
    buf_addf(show_make(v), "(%u)", JOB(row)->gid);
}

GET(job_get_alloc_node)
{
    buf_addf(show_make(v), "%s:%u", str_or(SPEC(row)->alloc_host, "(null)"), SPEC(row)->alloc_sid);
}

/* ---- what runs ---- */

GET(job_get_batch) { show_set_number(v, SPEC(row)->kind == PB__JOB_KIND__KIND_BATCH); }
GET(job_get_command) { show_set_text(v, SPEC(row)->n_argv ? SPEC(row)->argv[0] : ""); }
GET(job_get_file) { job_put_file(show_make(v), JOB_ROW(row), (int)f->at, JOB_ROW(row)->env->expand); }
GET(job_get_file_asked) { job_put_file(show_make(v), JOB_ROW(row), (int)f->at, false); }
GET(job_get_file_expanded) { job_put_file(show_make(v), JOB_ROW(row), (int)f->at, true); }

/* scontrol has the files of batch jobs, also one without a name. */
GET(job_get_batch_file)
{
    if (SPEC(row)->kind != PB__JOB_KIND__KIND_BATCH)
        return;
    size_t start = v->scratch->len;
    job_put_file(show_make(v), JOB_ROW(row), (int)f->at, true);
    if (v->scratch->len == start)
        v->text = "";
}

/* ---- state ---- */

GET(job_get_state) { show_set_text(v, job_state_name(JOB(row)->state)); }
GET(job_get_state_code) { show_set_text(v, job_state_code(JOB(row)->state)); }
GET(job_get_reason) { job_put_reason(show_make(v), JOB_ROW(row)); }
GET(job_get_exit_code) { show_set_number(v, MEMBER(uint32_t, JOB(row))); }
GET(job_get_hold) { show_set_number(v, JOB(row)->hold != 0); }

GET(job_get_reason_word) /* one word, for scontrol */
{
    struct buf *out = show_make(v);
    size_t start = out->len;
    job_put_reason(out, JOB_ROW(row));
    for (size_t i = start; i < out->len; i++)
        if (out->s[i] == ' ')
            out->s[i] = '_';
}

static bool reason_stands_for_nodes(uint32_t state)
{
    if (state & JOB_COMPLETING)
        return false;
    switch (state & JOB_STATE_BASE) {
    case JOB_PENDING: case JOB_TIMEOUT: case JOB_OUT_OF_MEMORY: case JOB_DEADLINE: case JOB_FAILED:
        return true;
    default:
        return false;
    }
}

GET(job_get_reason_list)
{
    if (!reason_stands_for_nodes(JOB(row)->state)) {
        show_set_text(v, JOB(row)->nodes);
        return;
    }
    struct buf *out = show_make(v);
    buf_addc(out, '(');
    job_put_reason(out, JOB_ROW(row));
    buf_addc(out, ')');
}

GET(job_get_priority_share) { show_set_real(v, (double)JOB(row)->priority / 4294967295.0); }

/* ---- time ---- */

GET(job_get_elapsed) { show_set_number(v, job_elapsed_s(JOB_ROW(row))); }
GET(job_get_start) { show_set_count(v, job_start_s(JOB(row))); }
GET(job_get_last_look) { show_set_count(v, job_last_look_s(JOB(row))); }
GET(job_get_eligible) { show_set_count(v, job_eligible_s(JOB(row))); }
GET(job_get_accrue) { show_set_count(v, job_accrue_s(JOB_ROW(row))); }
GET(job_get_delay_boot) { show_set_number(v, (int64_t)SPEC(row)->delay_boot_min * 60); }

GET(job_get_end)
{
    int64_t end = job_end_s(JOB(row));
    if (end == INT64_MAX)
        show_set_infinite(v);
    else
        show_set_count(v, end);
}

GET(job_get_limit)
{
    uint32_t limit = JOB(row)->time_limit_min;
    if (limit == INFINITE_MIN || !limit)
        show_set_infinite(v);
    else
        show_set_number(v, limit);
}

GET(job_get_left_order)
{
    uint32_t limit = JOB(row)->time_limit_min;
    if (limit == INFINITE_MIN || !limit)
        show_set_infinite(v);
    else
        show_set_number(v, (int64_t)limit * 60 - job_elapsed_s(JOB_ROW(row)));
}

GET(job_get_left)
{
    job_get_left_order(v, f, row);
    if (v->state == SHOW_SET)
        v->number = MAX(v->number, 0);
}

GET(job_get_pending_time)
{
    const Pb__Job *j = JOB(row);
    int64_t until = j->start_s && !job_is_pending(j) ? j->start_s : JOB_ROW(row)->env->now_s;
    show_set_number(v, MAX(until - j->submit_s, 0));
}

/* Either time is shown where one of the two is known. */
GET(job_get_preempt_pair)
{
    if (JOB(row)->preemptable_s || JOB(row)->preempt_s)
        show_set_number(v, MEMBER(int64_t, JOB(row)));
}

GET(job_get_pre_suspend) { show_set_number(v, JOB(row)->suspend_s ? job_elapsed_s(JOB_ROW(row)) : 0); }

/* ---- resources ---- */

GET(job_get_partition) { show_set_text(v, JOB_ROW(row)->partition ? JOB_ROW(row)->partition : JOB(row)->partition); }
GET(job_get_planned_nodes) { show_set_text(v, job_is_pending(JOB(row)) ? JOB(row)->planned_nodes : ""); }
GET(job_get_nodes) { show_set_number(v, job_nodes(JOB(row))); }
GET(job_get_min_cpus) { show_set_number(v, job_min_cpus(SPEC(row))); }
GET(job_get_max_nodes) { show_set_number(v, job_max_nodes(SPEC(row))); }
GET(job_get_exclusive) { show_set_text(v, job_exclusive(JOB(row))); }
GET(job_get_shared) { show_set_text(v, job_shared(JOB(row))); }
GET(job_get_cpus_per_task) { show_set_number(v, MAX(SPEC(row)->cpus_per_task, 1)); }
GET(job_get_features) { show_set_text(v, job_features(JOB(row))); }
GET(job_get_prefer) { show_set_text(v, JOB(row)->preferred ? "" : SPEC(row)->prefer); }
GET(job_get_tres) { show_set_text(v, *JOB(row)->tres_alloc ? JOB(row)->tres_alloc : JOB(row)->tres_req); }
GET(job_get_tres_per_node) { job_put_tres_per_node(show_make(v), SPEC(row)); }
GET(job_get_tres_per_task) { job_put_tres_per_task(show_make(v), SPEC(row)); }
GET(job_get_gpus) { job_put_gpus(show_make(v), MEMBER(char *, SPEC(row))); }
GET(job_get_switches) { show_set_number(v, (int64_t)strtoul(SPEC(row)->switches, NULL, 10)); }
GET(job_get_resv) { show_set_text(v, *SPEC(row)->reservation ? SPEC(row)->reservation : JOB(row)->resv_name); }

GET(job_get_max_nodes_asked) /* while it waits */
{
    show_set_count(v, job_is_pending(JOB(row)) ? SPEC(row)->max_nodes : 0);
}

GET(job_get_node_range)
{
    const Pb__Job *j = JOB(row);
    uint32_t min = job_nodes(j), max = MAX(job_max_nodes(j->spec), min);
    buf_addf(show_make(v), job_is_pending(j) ? "%u-%u" : "%u", min, max);
}

GET(job_get_memory)
{
    const Pb__Job *j = JOB(row);
    show_set_count(v, (int64_t)(j->mem_per_node_mb ? j->mem_per_node_mb : j->mem_per_cpu_mb));
}

GET(job_get_memory_node) /* scontrol has one of the two, this one when neither is set */
{
    if (JOB(row)->mem_per_node_mb || !JOB(row)->mem_per_cpu_mb)
        show_set_number(v, (int64_t)JOB(row)->mem_per_node_mb);
}

GET(job_get_memory_cpu) { show_set_count(v, JOB(row)->mem_per_node_mb ? 0 : (int64_t)JOB(row)->mem_per_cpu_mb); }

GET(job_get_licenses)
{
    const Pb__Job *j = JOB(row);
    struct buf *out = show_make(v);
    for (size_t i = 0; i < j->n_licenses; i++)
        buf_addf(out, "%s%s:%llu", i ? ";" : "", j->licenses[i]->name, (unsigned long long)j->licenses[i]->count);
}

/* "2 Threads" */
GET(job_get_core_spec)
{
    uint32_t asked = SPEC(row)->core_spec;
    if (asked)
        buf_addf(show_make(v), "%u%s", (asked & ~REQ_CORE_SPEC_THREADS) - 1,
                 asked & REQ_CORE_SPEC_THREADS ? " Threads" : "");
}

/* scontrol has CoreSpec, or ThreadSpec where it was counted in threads: `at` 1. */
GET(job_get_spec_pair)
{
    uint32_t asked = SPEC(row)->core_spec;
    bool threads = asked & REQ_CORE_SPEC_THREADS;
    if (threads != (bool)f->at)
        return;
    if (asked)
        buf_addf(show_make(v), "%u", (asked & ~REQ_CORE_SPEC_THREADS) - 1);
    else
        show_set_text(v, "*");
}

/* JSON has both numbers; Slurm's "not set" is a number of threads. */
#define THREADS_UNSET 32766
GET(job_get_spec_number_of)
{
    uint32_t asked = SPEC(row)->core_spec;
    bool threads = asked & REQ_CORE_SPEC_THREADS;
    if (!asked)
        show_set_number(v, f->at ? THREADS_UNSET : 0);
    else
        show_set_number(v, threads == (bool)f->at ? (asked & ~REQ_CORE_SPEC_THREADS) - 1 : 0);
}

static void add_star(struct buf *out, const char *before, uint32_t n)
{
    if (n)
        buf_addf(out, "%s%u", before, n);
    else
        buf_addf(out, "%s*", before);
}

GET(job_get_sct)
{
    add_star(show_make(v), "", SPEC(row)->sockets_per_node);
    add_star(v->scratch, ":", SPEC(row)->cores_per_socket);
    add_star(v->scratch, ":", SPEC(row)->threads_per_core);
}

GET(job_get_bsct)
{
    add_star(show_make(v), "0:0:", SPEC(row)->cores_per_socket);
    add_star(v->scratch, ":", SPEC(row)->threads_per_core);
}

GET(job_get_ntasks_per_nbsc)
{
    buf_addf(show_make(v), "%u:%u", SPEC(row)->ntasks_per_node, SPEC(row)->ntasks_per_board);
    add_star(v->scratch, ":", SPEC(row)->ntasks_per_socket);
    add_star(v->scratch, ":", SPEC(row)->ntasks_per_core);
}

GET(job_get_sockets_order) { show_set_number(v, SPEC(row)->sockets_per_node); }
GET(job_get_priority_order) { show_set_number(v, JOB(row)->priority); }

GET(job_get_per_gpu)
{
    uint64_t n = f->at ? SPEC(row)->mem_per_gpu_mb : SPEC(row)->cpus_per_gpu;
    if (n)
        buf_addf(show_make(v), "gres/gpu:%llu", (unsigned long long)n);
}

GET(job_get_switch_wait) /* "--switches=count[@time]" */
{
    const char *at = strchr(SPEC(row)->switches, '@');
    uint32_t seconds = 0;
    if (at && time_secs_parse(at + 1, &seconds, NULL))
        seconds = 0;
    show_set_number(v, seconds);
}

/* ---- flags and mail of scontrol ---- */

GET(job_get_gres_bind)
{
    const char *flags = SPEC(row)->gres_flags;
    show_set_text(v, strcasestr(flags, "enforce-binding") ? "Yes" : strcasestr(flags, "disable-binding") ? "No" : "");
}

GET(job_get_kill_invalid)
{
    show_set_text(v, SPEC(row)->kill_on_invalid_dep ? "Yes" : SPEC(row)->no_kill_on_invalid_dep ? "No" : "");
}

GET(job_get_segment_flag)
{
    show_set_text(v, SPEC(row)->segment && MEMBER(protobuf_c_boolean, SPEC(row)) ? "Yes" : "");
}

GET(job_get_mail)
{
    show_set_text(v, *SPEC(row)->mail_user && *SPEC(row)->mail_type ? MEMBER(char *, SPEC(row)) : "");
}
