/*
 * scontrol_show_job - scontrol show job.
 */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/names.h"
#include "core/req.h"
#include "cli/scontrol_listing.h"
#include "core/job.h"
#include "core/pbutil.h"
#include "text/array.h"
#include "text/gres.h"
#include "text/hostlist.h"
#include "text/time.h"

static const char *or_null(const char *text)
{
    return str_or(text, "(null)");
}

static void add_span(struct buf *out, uint64_t seconds)
{
    char text[TIME_TEXT];
    buf_adds(out, time_secs_text(text, seconds));
}

static void add_star(struct buf *out, uint32_t n)
{
    if (n)
        buf_addf(out, "%u", n);
    else
        buf_addc(out, '*');
}

/* ---- the parts of a job ---- */

/* How many tasks may run at once; a task that left the array's record says what was asked for. */
static uint32_t throttle(const Pb__Job *j)
{
    const char *percent = strchr(j->spec->array, '%');
    return j->array_max_running || *j->array_text || !percent ? j->array_max_running
                                                              : (uint32_t)strtoul(percent + 1, NULL, 10);
}

static void add_head(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    buf_addf(out, "JobId=%u ", j->id);
    if (j->array_job) {
        buf_addf(out, "ArrayJobId=%u ArrayTaskId=", j->array_job);
        job_put_tasks(out, r);
        if (throttle(j))
            buf_addf(out, " ArrayTaskThrottle=%u", throttle(j));
        buf_addc(out, ' ');
    }
    if (j->het_job)
        buf_addf(out, "HetJobId=%u HetJobOffset=%u ", j->het_job, j->het_offset);
    buf_addf(out, "JobName=%s", or_null(j->spec->name));
    if (j->het_job) {
        scontrol_line(l->s, out);
        buf_adds(out, "HetJobIdSet=");
        job_put_het_set(out, j);
    }
    if (l->s->detail) {
        scontrol_line(l->s, out);
        buf_adds(out, "SLUID=");
        job_put_sluid(out, j);
    }
    scontrol_line(l->s, out);
    buf_addf(out, "UserId=%s(%u) GroupId=%s(%u) MCS_label=%s", *j->user_name ? j->user_name : names_user(j->uid),
             j->uid, names_group(j->gid), j->gid, str_or(j->spec->mcs_label, "N/A"));
    scontrol_line(l->s, out);
    buf_addf(out, "Priority=%u Nice=%d Account=%s QOS=%s", j->priority, j->spec->nice, or_null(j->spec->account),
             or_null(j->spec->qos));
    if (*j->spec->wckey)
        buf_addf(out, " WCKey=%s", j->spec->wckey);
}

static void add_state(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    scontrol_line(l->s, out);
    buf_addf(out, "JobState=%s Reason=", job_state_name(j->state));
    job_put_reason(out, r, true);
    buf_addf(out, " Dependency=%s", or_null(j->depend_text));
    scontrol_line(l->s, out);
    buf_addf(out, "Requeue=%d Restarts=%u BatchFlag=%d Reboot=%d ExitCode=", j->requeue ? 1 : 0, j->restarts,
             j->spec->kind == PB__JOB_KIND__KIND_BATCH, j->spec->reboot ? 1 : 0);
    job_put_code(out, j->exit_code);
    if (l->s->detail) {
        scontrol_line(l->s, out);
        buf_adds(out, "DerivedExitCode=");
        job_put_code(out, j->derived_code);
    }
}

static void add_limits(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    char limit[TIME_TEXT], min[TIME_TEXT];
    scontrol_line(l->s, out);
    buf_adds(out, "RunTime=");
    add_span(out, (uint64_t)job_elapsed_s(r));
    buf_addf(out, " TimeLimit=%s TimeMin=%s",
             time_limit_text(limit, j->time_limit_min ? j->time_limit_min : TIME_INFINITE),
             j->spec->time_min_min ? time_limit_text(min, j->spec->time_min_min) : "N/A");
    scontrol_line(l->s, out);
    buf_adds(out, "SubmitTime=");
    job_put_stamp(out, j->submit_s, "Unknown");
    buf_adds(out, " EligibleTime=");
    job_put_stamp(out, job_eligible_s(j), "Unknown");
    scontrol_line(l->s, out);
    buf_adds(out, "AccrueTime=");
    int64_t accrue = j->accrue_s ? j->accrue_s : job_eligible_s(j);
    job_put_stamp(out, accrue > r->show->now_s || accrue < 0 ? 0 : accrue, "Unknown");
}

static void add_times(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    int64_t end = job_end_s(j);
    if (j->resize_s) {
        scontrol_line(l->s, out);
        buf_adds(out, "ResizeTime=");
        job_put_stamp(out, j->resize_s, "Unknown");
    }
    scontrol_line(l->s, out);
    buf_adds(out, "StartTime=");
    job_put_stamp(out, job_start_s(j), "Unknown");
    buf_adds(out, " EndTime=");
    job_put_stamp(out, end == INT64_MAX ? 0 : end, "Unknown");
    buf_adds(out, " Deadline=");
    job_put_stamp(out, j->spec->deadline_s, "N/A");
    if (j->preemptable_s || j->preempt_s) {
        scontrol_line(l->s, out);
        buf_adds(out, "PreemptEligibleTime=");
        job_put_stamp(out, j->preemptable_s, "None");
        buf_adds(out, " PreemptTime=");
        job_put_stamp(out, j->preempt_s, "None");
    }
    scontrol_line(l->s, out);
    buf_adds(out, "SuspendTime=");
    job_put_stamp(out, j->suspend_s, "None");
    buf_addf(out, " SecsPreSuspend=%lld LastSchedEval=", j->suspend_s ? (long long)job_elapsed_s(r) : 0);
    job_put_stamp(out, job_last_look_s(j), "Unknown");
    buf_adds(out, " Scheduler=Main");
}

static void add_count_of_nodes(struct buf *out, const Pb__Job *j)
{
    uint32_t max = job_max_nodes(j->spec);
    uint32_t min = job_nodes(j);
    buf_addf(out, "NumNodes=%u", min);
    if (job_is_pending(j))
        buf_addf(out, "-%u", MAX(max, min));
}

static void add_place(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    const Pb__JobSpec *s = j->spec;
    scontrol_line(l->s, out);
    buf_addf(out, "Partition=%s AllocNode:Sid=%s:%u", j->partition, or_null(s->alloc_host), s->alloc_sid);
    scontrol_line(l->s, out);
    buf_addf(out, "ReqNodeList=%s ExcNodeList=%s", or_null(s->nodelist), or_null(s->exclude));
    scontrol_line(l->s, out);
    buf_addf(out, "NodeList=%s", j->nodes);
    if (job_is_pending(j) && *j->planned_nodes)
        buf_addf(out, " SchedNodeList=%s", j->planned_nodes);
    if (*s->batch_features) {
        scontrol_line(l->s, out);
        buf_addf(out, "BatchFeatures=%s", s->batch_features);
    }
    if (*j->batch_host) {
        scontrol_line(l->s, out);
        buf_addf(out, "BatchHost=%s", j->batch_host);
    }
    scontrol_line(l->s, out);
    add_count_of_nodes(out, j);
    buf_addf(out, " NumCPUs=%u NumTasks=%u CPUs/Task=%u ReqB:S:C:T=0:0:", j->num_cpus, j->num_tasks,
             MAX(s->cpus_per_task, 1));
    add_star(out, s->cores_per_socket);
    buf_addc(out, ':');
    add_star(out, s->threads_per_core);
}

static void add_tres(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__JobSpec *s = r->job->spec;
    scontrol_line(l->s, out);
    buf_addf(out, "ReqTRES=%s", or_null(r->job->tres_req));
    scontrol_line(l->s, out);
    buf_addf(out, "AllocTRES=%s", or_null(r->job->tres_alloc));
    scontrol_line(l->s, out);
    buf_adds(out, "Socks/Node=");
    add_star(out, s->sockets_per_node);
    buf_addf(out, " NtasksPerN:B:S:C=%u:%u:", s->ntasks_per_node, s->ntasks_per_board);
    add_star(out, s->ntasks_per_socket);
    buf_addc(out, ':');
    add_star(out, s->ntasks_per_core);
    buf_adds(out, s->core_spec & REQ_SPEC_THREADS ? " ThreadSpec=" : " CoreSpec=");
    if (s->core_spec)
        buf_addf(out, "%u", (s->core_spec & ~REQ_SPEC_THREADS) - 1);
    else
        buf_addc(out, '*');
}

/* "0-1,4": which of the node's CPUs. */
static void add_bits(struct buf *out, const ProtobufCBinaryData *bits)
{
    auto_bitmap struct bitmap map = BITMAP_INIT;
    pb_to_bitmap(&map, bits);
    auto_free char *text = array_text(&map, 0, 0);
    buf_adds(out, text);
}

/* All that the job has of each kind, over its nodes. */
static void add_job_gres(const struct listing *l, struct buf *out, const Pb__Job *j)
{
    auto_gres struct gres_list sum = GRES_INIT;
    for (size_t i = 0; i < j->n_alloc; i++)
        for (size_t g = 0; g < j->alloc[i]->n_gres; g++)
            gres_add(&sum, j->alloc[i]->gres[g]->name, *j->alloc[i]->gres[g]->type ? j->alloc[i]->gres[g]->type : NULL,
                     j->alloc[i]->gres[g]->count);
    auto_free char *text = gres_text(&sum);
    scontrol_line(l->s, out);
    buf_addf(out, "JOB_GRES=%s", or_null(text));
}

/* The cores as Slurm counts CPUs: every thread of a core. */
static void add_cpus(struct buf *out, const Pb__NodeAlloc *a)
{
    auto_bitmap struct bitmap cores = BITMAP_INIT, cpus = BITMAP_INIT;
    pb_to_bitmap(&cores, &a->cores);
    size_t threads = MAX(a->threads, 1u);
    bitmap_each(&cores, i)
        bitmap_set_range(&cpus, i * threads, threads);
    auto_free char *text = array_text(&cpus, 0, 0);
    buf_adds(out, text);
}

/* What the job has of a node: " CPU_IDs=0-1 Mem=200 GRES=". */
static void add_share(struct buf *out, const Pb__NodeAlloc *a)
{
    buf_adds(out, " CPU_IDs=");
    add_cpus(out, a);
    buf_addf(out, " Mem=%llu GRES=", (unsigned long long)a->mem_mb);
    for (size_t g = 0; g < a->n_gres; g++) {
        const Pb__Gres *gres = a->gres[g];
        buf_addf(out, "%s%s%s%s:%llu", g ? "," : "", gres->name, *gres->type ? ":" : "", gres->type,
                 (unsigned long long)gres->count);
        if (gres->index.len) {
            buf_adds(out, "(IDX:");
            add_bits(out, &gres->index);
            buf_addc(out, ')');
        }
    }
}

/* Nodes in a row of which the job has the same are told together. */
static void add_allocation(const struct listing *l, struct buf *out, const Pb__Job *j)
{
    auto_free char *share = NULL;
    auto_strs struct strs names = STRS_INIT;
    if (j->n_alloc)
        add_job_gres(l, out, j);
    for (size_t i = 0; i <= j->n_alloc; i++) {
        auto_buf struct buf next = BUF_INIT;
        if (i < j->n_alloc)
            add_share(&next, j->alloc[i]);
        if (names.n && (i == j->n_alloc || !str_eq(share, next.s))) {
            auto_free char *list = hostlist_compress(names.at, names.n);
            buf_addf(out, "%sNodes=%s%s", l->s->one_line ? " " : "\n     ", list, share);
            strs_clear(&names);
        }
        if (i < j->n_alloc)
            strs_add(&names, j->alloc[i]->name);
        free(share);
        share = buf_take(&next);
    }
}

static void add_needs(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__Job *j = r->job;
    const Pb__JobSpec *s = j->spec;
    if (l->s->detail)
        add_allocation(l, out, j);
    scontrol_line(l->s, out);
    bool per_cpu = j->mem_per_cpu_mb && !j->mem_per_node_mb;
    buf_addf(out, "MinCPUsNode=%u MinMemory%s=", job_min_cpus(s), per_cpu ? "CPU" : "Node");
    job_put_mb(out, per_cpu ? j->mem_per_cpu_mb : j->mem_per_node_mb);
    buf_adds(out, " MinTmpDiskNode=");
    job_put_mb(out, s->tmp_mb);
    scontrol_line(l->s, out);
    buf_addf(out, "Features=%s DelayBoot=", or_null(job_features(j)));
    add_span(out, (uint64_t)s->delay_boot_min * 60);
    if (*s->prefer && !j->preferred) {
        scontrol_line(l->s, out);
        buf_addf(out, "Prefer=%s", s->prefer);
    }
    if (*s->reservation || *j->resv_name) {
        scontrol_line(l->s, out);
        buf_addf(out, "Reservation=%s", *s->reservation ? s->reservation : j->resv_name);
    }
    scontrol_line(l->s, out);
    buf_addf(out, "OverSubscribe=%s Exclusive=%s Contiguous=%d Licenses=%s LicensesAlloc=",
             job_shared(j), job_exclusive(j), s->contiguous ? 1 : 0, or_null(s->licenses));
    job_put_licenses(out, j);
    buf_addf(out, " Network=%s", or_null(s->network));
}

static void add_texts(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__JobSpec *s = r->job->spec;
    const struct {
        const char *name, *value;
    } texts[] = { { "AdminComment", s->admin_comment },
                  { "SystemComment", s->system_comment },
                  { "Comment", s->comment },
                  { "Extra", s->extra } };
    scontrol_line(l->s, out);
    buf_adds(out, "Command=");
    job_put_command(out, s);
    scontrol_line(l->s, out);
    buf_addf(out, "SubmitLine=%s", or_null(s->submit_line));
    scontrol_line(l->s, out);
    buf_addf(out, "WorkDir=%s", s->workdir);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (*texts[i].value) {
            scontrol_line(l->s, out);
            buf_addf(out, "%s=%s", texts[i].name, texts[i].value);
        }
    if (s->kind != PB__JOB_KIND__KIND_BATCH)
        return;
    static const struct { const char *name; int which; } files[] = { { "StdErr", 2 }, { "StdIn", 0 }, { "StdOut", 1 } };
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        scontrol_line(l->s, out);
        buf_addf(out, "%s=", files[i].name);
        job_put_file(out, r, files[i].which, true);
    }
}

/* One "Name=value" line, left out when there is no value. */
static void add_optional(const struct listing *l, struct buf *out, const char *name, const struct buf *value)
{
    if (!value->len)
        return;
    scontrol_line(l->s, out);
    buf_addf(out, "%s=%s", name, value->s);
}

static void add_segments(const struct listing *l, struct buf *out, const Pb__JobSpec *s)
{
    if (!s->segment)
        return;
    scontrol_line(l->s, out);
    buf_addf(out, "SegmentSize=%u%s%s", s->segment, s->spread_segments ? " SpreadSegments=Yes" : "",
             s->consolidate_segments ? " ConsolidateSegments=Yes" : "");
}

/* What was said, and what was said not to be. */
static void add_flags(const struct listing *l, struct buf *out, const Pb__JobSpec *s)
{
    bool yes = strcasestr(s->gres_flags, "enforce-binding"), no = strcasestr(s->gres_flags, "disable-binding");
    bool kill = s->kill_on_invalid_dep || s->no_kill_on_invalid_dep;
    if (!yes && !no && !kill)
        return;
    scontrol_line(l->s, out);
    if (yes || no)
        buf_addf(out, "GresEnforceBind=%s%s", yes ? "Yes" : "No", kill ? " " : "");
    if (kill)
        buf_addf(out, "KillOnInvalidDependent=%s", s->kill_on_invalid_dep ? "Yes" : "No");
}

static void add_rest(const struct listing *l, struct buf *out, const struct job_row *r)
{
    const Pb__JobSpec *s = r->job->spec;
    add_flags(l, out, s);
    add_segments(l, out, s);
    auto_buf struct buf job = BUF_INIT, node = BUF_INIT, socket = BUF_INIT, task = BUF_INIT;
    job_put_gpus(&job, s->gpus);
    job_put_tres_per_node(&node, s);
    job_put_gpus(&socket, s->gpus_per_socket);
    job_put_tres_per_task(&task, s);
    add_optional(l, out, "TresPerJob", &job);
    add_optional(l, out, "TresPerNode", &node);
    add_optional(l, out, "TresPerSocket", &socket);
    add_optional(l, out, "TresPerTask", &task);
    if (*s->mail_user && *s->mail_type) {
        scontrol_line(l->s, out);
        buf_addf(out, "MailUser=%s MailType=%s", s->mail_user, s->mail_type);
    }
    scontrol_end(l->s, out);
}

/* ---- jobs ---- */

static void add_job(struct listing *l, const struct job_row *r)
{
    size_t at = l->text.len;
    add_head(l, &l->text, r);
    add_state(l, &l->text, r);
    add_limits(l, &l->text, r);
    add_times(l, &l->text, r);
    add_place(l, &l->text, r);
    add_tres(l, &l->text, r);
    add_needs(l, &l->text, r);
    add_texts(l, &l->text, r);
    add_rest(l, &l->text, r);
    /* A named array: the tasks that wait come first, then the newest. */
    uint64_t id = r->job->id;
    listing_add(l, at, !l->ref || r->job->het_job ? id : *r->job->array_text ? 0 : UINT32_MAX - id);
}

static int each_job(void *arg, const ProtobufCMessage *m)
{
    struct listing *l = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    l->show.now_s = list->now_s ? list->now_s : time(NULL);
    for (size_t i = 0; i < list->n_jobs; i++) {
        struct job_row row = { .job = list->jobs[i], .show = &l->show };
        if (listing_wants(l, &row))
            add_job(l, &row);
    }
    return 0;
}

int show_jobs(struct scontrol *s, const char *id)
{
    struct err err = ERR_INIT;
    struct jobrefs refs = { 0 };
    if (id && (!jobrefs_add(&refs, id, false) || refs.ref.at[0]->tasks.len)) {
        jobrefs_clear(&refs);
        return scontrol_fail(s, "scontrol_print_job error: %s", err_text(ESLURM_INVALID_JOB_ID));
    }
    struct listing l;
    listing_init(&l, s, &refs);
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    int rc = listing_ask(&l, &query, each_job, &err);
    if (rc)
        rc = scontrol_fail(s, "slurm_load_jobs error: %s", scontrol_words(rc, &err));
    else if (id && !l.record.n)
        rc = scontrol_fail(s, "Job %s not found", id);
    else if (!l.record.n && !s->quiet)
        puts("No jobs in the system");
    listing_print(&l);
    listing_clear(&l);
    jobrefs_clear(&refs);
    return rc;
}
