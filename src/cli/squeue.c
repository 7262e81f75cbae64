/*
 * squeue - the jobs there are.
 *
 * Filters are the controller's work.  Each frame of the answer is turned into lines as it comes; what is kept is
 * the text and the sort keys, so that the longest queue costs little more than its output.
 */
#include <time.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "cli/squeue.h"
#include "core/job.h"
#include "core/pbutil.h"
#include "text/array.h"
#include "text/hostlist.h"

#define FORMAT_JOBS  "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
#define FORMAT_LONG  "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
#define FORMAT_START "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
#define FORMAT_STATE "%.18i %.2t"
#define FORMAT_STEPS "%.15i %.8j %.9P %.8u %.9M %N"

#define SORT_JOBS  "P,t,-p"
#define SORT_START "S"
#define SORT_STEPS "P,i"

struct answer {
    struct squeue *q;
    struct sort_lines lines;
    size_t in_document;          /* records of --json */
    VEC(Pb__Job *) waiting;      /* records of arrays whose waiting tasks may share a line; copies */
};

/* ---- lines ---- */

/* The order that is left when all keys are equal: running jobs by id, then the waiting, the newest first. */
static int64_t base_order(const struct squeue *q, const Pb__Job *j)
{
    if (job_is_pending(j) || q->single)
        return ((int64_t)1 << 40) - j->id;
    return j->id;
}

static void add_line(struct answer *a, const struct job_row *row)
{
    size_t at = a->lines.text.len;
    show_columns_row(&a->q->columns, row, &a->lines.text);
    sort_add(&a->lines, at, row, base_order(a->q, row->job));
}

static void add_to_document(struct answer *a, const void *row)
{
    document_row(&a->q->doc, row);
    a->in_document++;
}

/* A waiting job that may go to several partitions, once for each. */
static void add_partitions(struct answer *a, struct job_row *row)
{
    const Pb__Job *j = row->job;
    if (!a->q->priority || !job_is_pending(j) || !strchr(j->partition, ',')) {
        add_line(a, row);
        return;
    }
    for (const char *pos = j->partition;;) {
        auto_free char *name = str_next(&pos, ",");
        if (!name)
            break;
        row->partition = name;
        add_line(a, row);
    }
    row->partition = NULL;
}

static bool task_wanted(const struct squeue *q, const Pb__Job *j, uint32_t task)
{
    for (size_t i = 0; i < q->whole.n; i++)
        if (q->whole.at[i] == j->id || q->whole.at[i] == j->array_job || q->whole.at[i] == j->het_job)
            return true;
    for (size_t i = 0; i < q->task.n; i++)
        if (q->task.at[i].job == (j->array_job ? j->array_job : j->id) && q->task.at[i].task == task)
            return true;
    return !q->task.n;
}

/* An array whose tasks still share a record, task by task. */
static void add_tasks(struct answer *a, struct job_row *row)
{
    auto_array struct array tasks = ARRAY_INIT;
    if (array_parse(row->job->array_text, UINT32_MAX, &tasks, NULL))
        return;
    row->one_task = true;
    bitmap_each(&tasks.tasks, i) {
        row->task = (uint32_t)i;
        if (task_wanted(a->q, row->job, row->task))
            add_partitions(a, row);
    }
}

static bool shown_whole(const struct squeue *q, const Pb__Job *j)
{
    if (!*j->array_text || q->array)
        return !*j->array_text;
    return !q->task.n || task_wanted(q, j, UINT32_MAX);
}

static bool job_wanted(const struct squeue *q, const struct job_row *row)
{
    const Pb__Job *j = row->job;
    if (!squeue_state_wanted(q, j) || (q->notme && j->uid == (uint32_t)getuid()))
        return false;
    if (!*j->array_text && q->task.n && !task_wanted(q, j, j->has_task ? j->array_task : UINT32_MAX))
        return false;
    if (q->over_s < 0 && q->under_s == INT64_MAX)
        return true;
    int64_t ran = job_elapsed_s(row);
    return (j->state & JOB_STATE_BASE) == JOB_RUNNING && ran > q->over_s && ran < q->under_s;
}

static void add_job(struct answer *a, const Pb__Job *j)
{
    struct job_row row = { .job = j, .env = &a->q->env };
    if (!job_wanted(a->q, &row))
        return;
    if (a->q->doc.format) /* records as they are */
        add_to_document(a, &row);
    else if (j->array_job && job_is_pending(j) && !a->q->array && !a->q->task.n)
        vec_push(&a->waiting, PB_DUP(Pb__Job, j));
    else if (shown_whole(a->q, j))
        add_partitions(a, &row);
    else
        add_tasks(a, &row);
}

/* ---- arrays ---- */

static int cmp_waiting(const void *pa, const void *pb)
{
    const Pb__Job *a = *(Pb__Job *const *)pa, *b = *(Pb__Job *const *)pb;
    if (a->array_job != b->array_job)
        return a->array_job < b->array_job ? -1 : 1;
    int order = strcmp(a->partition, b->partition);
    if (order || !*a->array_text != !*b->array_text)
        return order ? order : !*a->array_text - !*b->array_text; /* a record of several tasks before a record of one */
    return a->id < b->id ? -1 : a->id > b->id;
}

static void add_reason(struct buf *reasons, const Pb__Job *j)
{
    const char *reason = *j->reason_text ? j->reason_text : why_name((enum why_code)j->reason);
    if (reasons->len && str_in_list(reasons->s, reason))
        return;
    buf_addf(reasons, "%s%s", reasons->len ? "," : "", reason);
}

/* `n` records of one array in one line: all their tasks, all their reasons. */
static void add_merged(struct answer *a, Pb__Job *const *jobs, size_t n)
{
    Pb__Job merged = *jobs[0];
    auto_array struct array all = ARRAY_INIT;
    auto_buf struct buf reasons = BUF_INIT;
    for (size_t i = 0; i < n; i++) {
        auto_array struct array some = ARRAY_INIT;
        if (jobs[i]->has_task)
            bitmap_set(&all.tasks, jobs[i]->array_task);
        else if (!array_parse(jobs[i]->array_text, UINT32_MAX, &some, NULL))
            bitmap_or(&all.tasks, &some.tasks);
        add_reason(&reasons, jobs[i]);
    }
    auto_free char *text = array_text(&all.tasks, merged.array_max_running, 0);
    merged.array_text = text;
    merged.has_task = false;
    merged.reason_text = reasons.s;
    struct job_row row = { .job = &merged, .env = &a->q->env };
    add_partitions(a, &row);
}

/* Tasks that wait in records of their own are shown with the rest of their array. */
static void add_waiting(struct answer *a)
{
    size_t n = a->waiting.n;
    if (n > 1)
        qsort(a->waiting.at, n, sizeof(*a->waiting.at), cmp_waiting);
    for (size_t i = 0, end; i < n; i = end) {
        const Pb__Job *first = a->waiting.at[i];
        bool several = first->array_total > 1; /* the last task of a record is a job like any other */
        for (end = i + 1; several && end < n && a->waiting.at[end]->array_job == first->array_job &&
                          str_eq(a->waiting.at[end]->partition, first->partition);)
            end++;
        struct job_row row = { .job = first, .env = &a->q->env };
        if (end - i > 1)
            add_merged(a, a->waiting.at + i, end - i);
        else
            add_partitions(a, &row);
    }
    for (size_t i = 0; i < n; i++)
        pb__job__free_unpacked(a->waiting.at[i], NULL);
    vec_clear(&a->waiting);
}

/* ---- steps ---- */

/* Is it on one of the nodes that were named, and has it one of the names? */
static bool step_matches(const struct squeue *q, const struct step_row *r)
{
    auto_strs struct strs on = STRS_INIT;
    auto_buf struct buf nodes = BUF_INIT;
    if (q->name && !(r->step->spec && str_in_list(q->name, r->step->spec->name)))
        return false;
    if (!q->query.n_node)
        return true;
    step_put_nodes(&nodes, r);
    bool there = hostlist_expand(nodes.s, &on, NULL) != 0;
    for (size_t i = 0; i < q->query.n_node && !there; i++)
        there = strs_has(&on, q->query.node[i]);
    return there;
}

static bool step_wanted(const struct squeue *q, const Pb__Job *j, uint32_t step)
{
    if (!q->step.n)
        return true;
    for (size_t i = 0; i < q->step.n; i++) {
        const struct squeue_step *s = &q->step.at[i];
        bool same = s->has_task ? j->array_job == s->job && j->has_task && j->array_task == s->task
                                : j->id == s->job || j->array_job == s->job;
        if (same && s->step == step)
            return true;
    }
    return false;
}

static void add_step(struct answer *a, const Pb__Job *j, const Pb__Step *step)
{
    if (step->state != PB__STEP_STATE__STEP_RUNNING || !step_wanted(a->q, j, step->id))
        return;
    struct step_row row = { .job = { .job = j, .env = &a->q->env }, .step = step };
    if (!step_matches(a->q, &row))
        return;
    if (a->q->doc.format) {
        add_to_document(a, &row);
        return;
    }
    size_t at = a->lines.text.len;
    show_columns_row(&a->q->columns, &row, &a->lines.text);
    sort_add(&a->lines, at, &row, ((int64_t)j->id << 32) | step->id);
}

static void add_steps(struct answer *a, const Pb__Job *j)
{
    if ((j->state & JOB_STATE_BASE) != JOB_RUNNING && (j->state & JOB_STATE_BASE) != JOB_SUSPENDED)
        return;
    bool batch = false;
    for (size_t i = 0; i < j->n_steps; i++) {
        batch |= j->steps[i]->id == PB__STEP_NUMBER__STEP_BATCH;
        if (!j->steps[i]->pending)
            add_step(a, j, j->steps[i]);
    }
    if (batch || j->spec->kind != PB__JOB_KIND__KIND_BATCH || j->het_offset) /* the script is the first component's */
        return;
    Pb__Step step;
    Pb__StepSpec spec;
    step_of_batch(j, &step, &spec);
    add_step(a, j, &step);
}

/* ---- the answer ---- */

static int squeue_add_frame(void *arg, const ProtobufCMessage *reply)
{
    struct answer *a = arg;
    const Pb__JobList *list = (const Pb__JobList *)reply;
    if (list->now_s)
        a->q->env.now_s = list->now_s;
    for (size_t i = 0; i < list->n_jobs; i++) {
        if (!list->jobs[i]->spec)
            continue;
        if (a->q->step_flag)
            add_steps(a, list->jobs[i]);
        else
            add_job(a, list->jobs[i]);
    }
    return 0;
}

static void add_date(struct buf *out)
{
    char text[64];
    time_t now = time(NULL);
    struct tm tm;
    strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", localtime_r(&now, &tm));
    buf_addf(out, "%s\n", text);
}

static void squeue_print(struct answer *a)
{
    const struct squeue *q = a->q;
    struct buf out = BUF_INIT;
    sort_lines(&a->lines);
    buf_room(&out, a->lines.text.len + 4096);
    if (q->long_list || q->every_s || q->verbose)
        add_date(&out);
    if (!q->no_header)
        show_columns_head(&q->columns, &out);
    for (size_t i = 0; i < a->lines.line.n; i++)
        buf_add(&out, a->lines.text.s + a->lines.line.at[i].at, a->lines.line.at[i].len);
    say_flush(&out);
    buf_clear(&out);
}

static int squeue_failed(int rc, const struct err *err)
{
    fprintf(stderr, "slurm_load_jobs error: %s\n", rc >= 1000 || !err->text[0] ? err_text(rc) : err->text);
    return 1;
}

/* A node that does not exist is a mistake, not an empty answer. */
static int check_nodes(struct client *c, const struct squeue *q)
{
    if (!q->query.n_node)
        return 0;
    struct err err = ERR_INIT;
    Pb__NodeQuery ask = PB__NODE_QUERY__INIT;
    ProtobufCMessage *reply;
    int rc = client_call(c, MSG_NODES, &ask.base, MSG_NODES_REPLY, &reply, &err);
    if (rc)
        return squeue_failed(rc, &err);
    const Pb__NodeList *list = (const Pb__NodeList *)reply;
    for (size_t i = 0; i < q->query.n_node && !rc; i++) {
        bool known = false;
        for (size_t k = 0; k < list->n_nodes && !known; k++)
            known = str_eq(list->nodes[k]->def->name, q->query.node[i]);
        if (!known) {
            say_error("Invalid node name %s", q->query.node[i]);
            rc = 1;
        }
    }
    client_free(reply);
    return rc;
}

static void begin_document(struct squeue *q)
{
    document_begin(&q->doc);
    document_rows_begin(&q->doc, q->step_flag ? "steps" : "jobs", q->step_flag ? &show_step : &show_job);
}

static void end_document(const struct answer *a, const struct client *c)
{
    struct squeue *q = a->q;
    if (!a->in_document)
        q->doc.warning = q->step_flag ? "Zero steps to dump" : "Zero jobs to dump";
    document_rows_end(&q->doc);
    if (!q->step_flag)
        document_time(&q->doc, "last_backfill", q->env.now_s);
    document_time(&q->doc, "last_update", q->env.now_s);
    document_end(&q->doc, c);
}

static int ask_once(struct client *c, struct squeue *q, struct sort_spec *sort)
{
    struct answer a = { .q = q, .lines = { .spec = sort } };
    struct err err = ERR_INIT;
    if (q->doc.format)
        begin_document(q);
    int rc = q->no_match ? 0 : client_stream(c, MSG_JOBS, &q->query.base, MSG_JOBS_REPLY, squeue_add_frame, &a, &err);
    if (rc == ESLURM_INVALID_JOB_ID && !q->single)
        rc = 0; /* of several jobs, the existing ones */
    add_waiting(&a);
    if (rc && q->doc.format)
        document_abandon(&q->doc);
    if (rc)
        squeue_failed(rc, &err);
    else if (q->doc.format)
        end_document(&a, c);
    else
        squeue_print(&a);
    sort_clear(&a.lines);
    return rc ? 1 : 0;
}

/* ---- columns ---- */

static void bad_job_field(const char *what)
{
    say_error("Invalid job format specification: %s", what);
}

static void bad_step_field(const char *what)
{
    say_error("Invalid job step format specification: %s", what);
}

static void choose_columns(struct squeue *q)
{
    const struct show_table *table = q->step_flag ? &show_step : &show_job;
    show_bad_fn *bad = q->step_flag ? bad_step_field : bad_job_field;
    const char *ready = q->step_flag    ? FORMAT_STEPS
                        : q->start      ? FORMAT_START
                        : q->state_only ? FORMAT_STATE
                        : q->long_list  ? FORMAT_LONG
                                        : FORMAT_JOBS;
    if (q->long_format)
        show_columns_names(&q->columns, table, q->long_format, bad);
    else
        show_columns_letters(&q->columns, table, q->format ? q->format : ready, bad);
}

static int squeue_ask(struct squeue *q, struct sort_spec *sort)
{
    struct err err = ERR_INIT;
    struct client *c;
    int rc = client_open(&c, &err);
    if (rc)
        return squeue_failed(rc, &err);
    q->env.cluster = client_site(c)->cluster;
    q->env.now_s = time(NULL);
    rc = check_nodes(c, q);
    while (!rc) {
        rc = ask_once(c, q, sort);
        if (!q->every_s)
            break;
        puts("");
        fflush(stdout);
        sleep(q->every_s);
        rc = 0;
    }
    client_close(c);
    return rc;
}

int cli_squeue(int argc, char **argv)
{
    struct squeue q = { 0 };
    int rc = squeue_options(&q, argc, argv);
    if (rc < 0) {
        char bad = 0;
        const char *order = q.sort ? q.sort : q.step_flag ? SORT_STEPS : q.start ? SORT_START : SORT_JOBS;
        struct sort_spec *sort = sort_new(order, q.step_flag, &bad);
        if (sort) {
            choose_columns(&q);
            rc = squeue_ask(&q, sort);
        } else {
            say_error("Invalid sort specification: %c", bad);
            rc = 1;
        }
        sort_free(sort);
    }
    squeue_clear(&q);
    return rc;
}
