/* scontrol_pids - processes, steps and jobs of this machine, asked of its daemons. */
#include <dirent.h>
#include <time.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "client/agent.h"
#include "show/process.h"
#include "text/hostlist.h"
#include "text/stepid.h"

#define ANSWER_MS 10000

/* ---- the daemons here ---- */

static int by_name(const void *a, const void *b)
{
    return hostlist_cmp(*(char *const *)a, *(char *const *)b);
}

/* The node that is named, else the node of the job around this command, else all nodes of this machine. */
static void local_nodes(const struct site *site, const char *node, struct strs *out)
{
    const char *env = getenv("SLURMD_NODENAME");
    if (node || !str_empty(env)) {
        strs_add(out, node ? node : env);
        return;
    }
    DIR *dir = opendir(site->socket_dir);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (str_has_prefix(e->d_name, "spurd-") && str_has_suffix(e->d_name, ".sock"))
            strs_take(out, mem_strn(e->d_name + 6, strlen(e->d_name) - 11));
    if (dir)
        closedir(dir);
    if (out->n)
        qsort(out->at, out->n, sizeof(*out->at), by_name);
}

static int agent_ask(const struct site *site, const char *node, const struct stepid *id, Pb__StatReply **out,
                     struct err *err)
{
    struct agent_link *link = NULL;
    Pb__StatRequest q = PB__STAT_REQUEST__INIT;
    q.job_id = id->job;
    q.has_step = id->has_step, q.step_id = id->step;
    q.pids = true;
    int rc = agent_open_local(&link, site, node, err);
    if (!rc)
        rc = agent_send(link, MSG_STAT, &q.base, err);
    if (!rc)
        rc = agent_hear(link, MSG_STAT_REPLY, (ProtobufCMessage **)out, ANSWER_MS, err);
    agent_close(link);
    return rc;
}

/* ---- listing ---- */

/* One listing: rows in columns, or in a document. */
struct proc_listing {
    struct scontrol *s;
    const char *key; /* of the array in a document */
    const struct show_table *table;
    struct buf out;
    size_t steps; /* that were found */
    uint32_t last_job;
};

static void listing_begin(struct proc_listing *l)
{
    if (l->s->doc.format) {
        document_begin(&l->s->doc);
        document_rows_begin(&l->s->doc, l->key, l->table);
    }
}

/* No value is cut, however narrow its column. */
static void listing_line(struct proc_listing *l, const struct process_row *row, bool last_blank)
{
    for (const struct show_field *f = l->table->field; f->type; f++) {
        size_t start = l->out.len;
        show_text(&l->out, f, row, SHOW_COLUMN);
        size_t len = l->out.len - start, width = (size_t)abs(f->width);
        buf_addf(&l->out, "%*s", (int)(width - MIN(len, width)) + (last_blank || f[1].type), "");
    }
    buf_addc(&l->out, '\n');
}

static void listing_row(struct proc_listing *l, const Pb__StepStat *step, const Pb__ProcId *proc)
{
    struct process_row row = { step, proc };
    if (l->s->doc.format)
        document_row(&l->s->doc, &row);
    else
        listing_line(l, &row, proc != NULL);
}

static int listing_end(struct proc_listing *l, const char *head)
{
    if (l->s->doc.format) {
        document_rows_end(&l->s->doc);
        document_end(&l->s->doc, l->s->client);
    } else {
        puts(head);
        fflush(stdout);
        say_flush(&l->out);
    }
    buf_clear(&l->out);
    return 0;
}

/* ---- listpids ---- */

/* The tasks of each step, then the processes that they started. */
static void add_processes(struct proc_listing *l, const Pb__StatReply *r)
{
    for (size_t i = 0; i < r->n_steps; i++)
        for (int tasks = 1; tasks >= 0; tasks--)
            for (size_t k = 0; k < r->steps[i]->n_procs; k++)
                if (r->steps[i]->procs[k]->is_task == tasks)
                    listing_row(l, r->steps[i], r->steps[i]->procs[k]);
    l->steps += r->n_steps;
}

static int fail_no_steps(const struct scontrol *s, const struct stepid *id, const char *text, const char *node)
{
    if (id->has_step)
        return scontrol_fail(s, "StepId=%s does not exist on node %s.", text, node);
    return scontrol_fail(s, "There are no steps for job %u on node %s.", id->job, node);
}

/* The daemons know jobs by number: a task of an array has one of its own. */
static int find_job(struct client *c, struct stepid *id)
{
    Pb__PermitRequest ask_job = PB__PERMIT_REQUEST__INIT;
    Pb__PermitReply *r = NULL;
    if (!id->has_task)
        return 0;
    ask_job.job_id = id->job;
    ask_job.has_task = true, ask_job.task = id->task;
    int rc = agent_permit(c, &ask_job, &r, NULL);
    if (!rc)
        id->job = r->job_id;
    client_free((ProtobufCMessage *)r);
    return rc;
}

typedef void add_reply_fn(struct proc_listing *l, const Pb__StatReply *r);

/* Ask the daemon of each node. */
static int listing_ask(struct proc_listing *l, const struct strs *nodes, const struct stepid *id, add_reply_fn *add)
{
    struct err err = ERR_INIT;
    for (size_t i = 0; i < nodes->n; i++) {
        Pb__StatReply *r = NULL;
        int rc = agent_ask(client_site(l->s->client), nodes->at[i], id, &r, &err);
        if (rc)
            return scontrol_fail(l->s, "node %s: %s", nodes->at[i], scontrol_words(rc, &err));
        add(l, r);
        client_free(&r->base);
    }
    return 0;
}

int scontrol_listpids(struct scontrol *s, int argc, char **argv)
{
    struct proc_listing l = { .s = s, .key = "pids", .table = &show_process };
    struct stepid id = { 0 };
    struct err err = ERR_INIT;
    const char *node = argc > 2 ? argv[2] : NULL;
    struct client *c = scontrol_client(s, &err);
    if (!c)
        return scontrol_fail(s, "%s", err.text);
    if (argc > 1 && !str_eq(argv[1], "*") && stepid_parse(argv[1], &id))
        return scontrol_fail(s, "\"%s\" does not look like a jobid", argv[1]);
    auto_strs struct strs nodes = STRS_INIT;
    local_nodes(client_site(c), node, &nodes);
    listing_begin(&l);
    int rc = find_job(c, &id) ? 0 : listing_ask(&l, &nodes, &id, add_processes);
    if (!rc && id.job && !l.steps && !s->doc.format)
        rc = fail_no_steps(s, &id, argv[1], nodes.n == 1 ? nodes.at[0] : "(null)");
    return rc ? rc : listing_end(&l, "PID      JOBID    STEPID   LOCALID GLOBALID");
}

/* ---- listjobs, liststeps ---- */

static void add_step_rows(struct proc_listing *l, const Pb__StatReply *r)
{
    for (size_t i = 0; i < r->n_steps; i++)
        listing_row(l, r->steps[i], NULL);
    l->steps += r->n_steps;
}

/* A daemon answers job by job. */
static void add_job_rows(struct proc_listing *l, const Pb__StatReply *r)
{
    for (size_t i = 0; i < r->n_steps; i++) {
        if (r->steps[i]->job_id != l->last_job)
            listing_row(l, r->steps[i], NULL);
        l->last_job = r->steps[i]->job_id;
    }
    l->steps += r->n_steps;
}

static int list_here(struct proc_listing *l, const char *node, const char *head, add_reply_fn *add)
{
    static const struct stepid all = { 0 };
    struct err err = ERR_INIT;
    auto_strs struct strs nodes = STRS_INIT;
    struct client *c = scontrol_client(l->s, &err);
    if (!c)
        return scontrol_fail(l->s, "%s", err.text);
    local_nodes(client_site(c), node, &nodes);
    listing_begin(l);
    int rc = listing_ask(l, &nodes, &all, add);
    if (!rc && !l->steps && !l->s->doc.format)
        rc = scontrol_fail(l->s, "No slurmstepd's found on this node");
    return rc ? rc : listing_end(l, head);
}

int scontrol_listjobs(struct scontrol *s, int argc, char **argv)
{
    struct proc_listing l = { .s = s, .key = "jobs", .table = &show_process_job };
    return list_here(&l, argc > 1 ? argv[1] : NULL, "JOBID", add_job_rows);
}

int scontrol_liststeps(struct scontrol *s, int argc, char **argv)
{
    struct proc_listing l = { .s = s, .key = "steps", .table = &show_process_step };
    return list_here(&l, argc > 1 ? argv[1] : NULL, "JOBID    STEPID  ", add_step_rows);
}

/* ---- pidinfo ---- */

static uint32_t job_of(const Pb__StatReply *r, uint64_t pid)
{
    for (size_t i = 0; i < r->n_steps; i++)
        for (size_t k = 0; k < r->steps[i]->n_procs; k++)
            if (r->steps[i]->procs[k]->pid == pid)
                return r->steps[i]->job_id;
    return 0;
}

static uint32_t find_pid(const struct site *site, uint64_t pid)
{
    static const struct stepid all = { 0 };
    auto_strs struct strs nodes = STRS_INIT;
    uint32_t job = 0;
    local_nodes(site, NULL, &nodes);
    for (size_t i = 0; !job && i < nodes.n; i++) {
        Pb__StatReply *r = NULL;
        if (!agent_ask(site, nodes.at[i], &all, &r, NULL)) {
            job = job_of(r, pid);
            client_free(&r->base);
        }
    }
    return job;
}

static int show_job_end(void *arg, const ProtobufCMessage *m)
{
    const Pb__JobList *l = (const Pb__JobList *)m;
    for (size_t i = 0; i < l->n_jobs; i++) {
        char at[64] = "never";
        const Pb__Job *j = l->jobs[i];
        time_t end = j->end_s;
        struct tm tm;
        if (end)
            strftime(at, sizeof(at), "%a %b %d %H:%M:%S %Y", localtime_r(&end, &tm));
        printf("Slurm JobId=%u ends at %s\n", j->id, at);
        if (end)
            printf("slurm_get_rem_time is %lld\n", (long long)(end - l->now_s));
    }
    return 0;
}

int scontrol_pidinfo(struct scontrol *s, int argc, char **argv)
{
    struct err err = ERR_INIT;
    uint64_t pid;
    struct client *c = scontrol_client(s, &err);
    if (!c)
        return scontrol_fail(s, "%s", err.text);
    if (!str_u64(argv[1], 1, INT32_MAX, &pid))
        return scontrol_fail(s, "invalid process id: %s", argv[1]);
    uint32_t job = find_pid(client_site(c), pid);
    if (!job)
        return scontrol_fail(s, "Failed to locate job for requested pid");
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.job = &job, q.n_job = 1;
    int rc = client_stream(c, MSG_JOBS, &q.base, MSG_JOBS_REPLY, show_job_end, NULL, &err);
    return rc ? scontrol_fail(s, "%s", scontrol_words(rc, &err)) : 0;
}
