/*
 * scontrol_job - what scontrol does to single jobs: hold, release, requeue, suspend, resume; their scripts; waiting for
 * them.
 */
#include <fcntl.h>
#include <time.h>

#include "base/errnum.h"
#include "base/str.h"
#include "show/job.h"
#include "cli/jobref.h"
#include "cli/say.h"
#include "cli/scontrol.h"
#include "core/job.h"
#include "text/strs.h"

/* ---- operations ---- */

static const struct {
    const char *keyword;
    Pb__JobOp op;
    bool holds;                   /* a failure is told twice, as Slurm does; jobs may be named */
} operations[] = {
    { "hold", PB__JOB_OP__OP_HOLD, true },        { "uhold", PB__JOB_OP__OP_UHOLD, true },
    { "holdu", PB__JOB_OP__OP_UHOLD, true },      { "release", PB__JOB_OP__OP_RELEASE, true },
    { "requeue", PB__JOB_OP__OP_REQUEUE, false }, { "requeuehold", PB__JOB_OP__OP_REQUEUE_HOLD, false },
    { "suspend", PB__JOB_OP__OP_SUSPEND, false }, { "resume", PB__JOB_OP__OP_RESUME, false },
    { "top", PB__JOB_OP__OP_TOP, false },
};

struct request {
    Pb__JobOpRequest r;
    struct jobrefs refs;
    struct strs names;
    bool holds;
};

static int bad_job(const struct scontrol *s, const struct request *q, const char *text, int code)
{
    if (code == ESLURM_USER_ID_MISSING && !q->holds)
        code = ESLURM_ACCESS_DENIED;
    const char *words = err_text(code);
    const char *under = strchr(text, '_');
    if (under && under[1])
        return scontrol_fail(s, "%.*s_%s%s%s: %s", (int)(under - text), text, under[1] == '[' ? "" : "[", under + 1,
                             under[1] == '[' ? "" : "]", words);
    scontrol_fail(s, "%s for job %s", words, text);
    return q->holds ? scontrol_fail(s, "slurm_suspend error:%s", words) : 1;
}

/* "12,13_4", "jobname=x", "state=SpecialExit", "incomplete" */
static int read_arg(const struct scontrol *s, struct request *q, char *arg)
{
    const char *equals = strchr(arg, '=');
    if (equals && (str_has_iprefix(arg, "name=") || str_has_iprefix(arg, "jobname="))) {
        strs_split(&q->names, equals + 1, ",");
        return 0;
    }
    if (str_has_iprefix(arg, "state=")) {
        q->r.state = (char *)equals + 1;
        return 0;
    }
    if (!q->holds && str_ieq(arg, "incomplete")) {
        q->r.incomplete = true;
        return 0;
    }
    int rc = 0;
    for (const char *pos = arg; *pos;) {
        size_t len = 0;
        for (int depth = 0; pos[len] && (depth || pos[len] != ','); len++)
            depth += (pos[len] == '[') - (pos[len] == ']');
        auto_free char *id = mem_strn(pos, len);
        pos += len + (pos[len] == ',');
        if (*id && !jobrefs_add(&q->refs, id, false))
            rc = bad_job(s, q, id, ESLURM_INVALID_JOB_ID);
    }
    return rc;
}

static int send_ops(struct scontrol *s, struct request *q)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *m;
    q->r.jobs = q->refs.ref.at;
    q->r.n_jobs = q->refs.ref.n;
    q->r.name = q->names.at;
    q->r.n_name = q->names.n;
    if (!q->r.n_jobs && !q->r.n_name)
        return 0;
    int rc = scontrol_call(s, MSG_JOB_OP, &q->r.base, MSG_JOB_OP_REPLY, &m, &err);
    if (rc)
        return scontrol_fail(s, "%s", scontrol_words(rc, &err));
    const Pb__JobOpReply *reply = (const Pb__JobOpReply *)m;
    for (size_t i = 0; i < reply->n_results; i++) {
        char id[16];
        snprintf(id, sizeof(id), "%u", reply->results[i]->ref->job);
        if (reply->results[i]->code)
            rc = bad_job(s, q, i < q->refs.text.n ? q->refs.text.at[i] : id, reply->results[i]->code);
    }
    client_free(m);
    return rc;
}

int scontrol_job_op(struct scontrol *s, int argc, char **argv)
{
    struct request q = { 0 };
    pb__job_op_request__init(&q.r);
    for (size_t i = 0; i < ARRAY_LEN(operations); i++)
        if (str_eq(operations[i].keyword, argv[0])) {
            q.r.op = operations[i].op;
            q.holds = operations[i].holds;
        }
    int rc = 0;
    for (int i = 1; i < argc; i++)
        rc |= read_arg(s, &q, argv[i]);
    rc |= send_ops(s, &q);
    jobrefs_clear(&q.refs);
    strs_clear(&q.names);
    return rc;
}

/* ---- scripts ---- */

static int script_save(const char *path, const ProtobufCBinaryData *script)
{
    auto_close int fd = str_eq(path, "-") ? dup(STDOUT_FILENO)
                                          : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (fd < 0)
        return errno;
    for (size_t done = 0; done < script->len;) {
        ssize_t n = write(fd, script->data + done, script->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        done += (size_t)n;
    }
    return 0;
}

/* Its failures leave the exit status alone, as in Slurm. */
static int write_script(struct scontrol *s, const char *id, const char *path)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *m;
    uint64_t n;
    Pb__ScriptRequest ask = PB__SCRIPT_REQUEST__INIT;
    if (!str_u64(id, 1, UINT32_MAX - 1, &n)) {
        scontrol_fail(s, "job script retrieval failed: %s", err_text(ESLURM_INVALID_JOB_ID));
        return 0;
    }
    ask.job_id = (uint32_t)n;
    int rc = scontrol_call(s, MSG_SCRIPT, &ask.base, MSG_SCRIPT_REPLY, &m, &err);
    if (rc) {
        scontrol_fail(s, "job script retrieval failed: %s", scontrol_words(rc, &err));
        return 0;
    }
    auto_free char *name = path ? mem_str(path) : mem_printf("slurm-%s.sh", id);
    rc = script_save(name, &((const Pb__ScriptReply *)m)->script);
    client_free(m);
    if (rc)
        scontrol_fail(s, "failed to open file `%s`: %s", name, strerror(rc));
    else if (!str_eq(name, "-") && !s->quiet)
        printf("batch script for job %s written to %s\n", id, name);
    return 0;
}

int scontrol_write(struct scontrol *s, int argc, char **argv)
{
    if (str_has_iprefix("config", argv[1])) {
        say_error("write config is not supported by this release of Spur");
        return 1;
    }
    if (strlen(argv[1]) < 3 || !str_has_iprefix("batch_script", argv[1]))
        return scontrol_fail(s, "invalid write argument:%s", argv[1]);
    if (argc < 3)
        return scontrol_fail(s, "too few arguments for keyword:%s", argv[0]);
    return write_script(s, argv[2], argc > 3 ? argv[3] : NULL);
}

/* ---- waiting ---- */

struct found {
    bool any;
    uint32_t state;
};

static int wait_look(void *arg, const ProtobufCMessage *m)
{
    struct found *f = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    if (list->n_jobs)
        *f = (struct found){ true, list->jobs[0]->state };
    return 0;
}

int scontrol_wait_job(struct scontrol *s, int argc, char **argv)
{
    struct err err = ERR_INIT;
    uint64_t n;
    if (!str_u64(argv[1], 1, UINT32_MAX - 1, &n))
        return scontrol_fail(s, "Invalid job_id %s", argv[1]);
    uint32_t id = (uint32_t)n;
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    query.job = &id;
    query.n_job = 1;
    query.with_done = true;
    for (unsigned wait_ms = 50;; wait_ms = MIN(wait_ms * 2, 2000)) {
        struct found f = { 0 };
        struct client *c = scontrol_client(s, &err);
        int rc = c ? client_stream(c, MSG_JOBS, &query.base, MSG_JOBS_REPLY, wait_look, &f, &err) : err.code;
        uint32_t base = f.state & JOB_STATE_BASE;
        if (rc || !f.any || base > JOB_SUSPENDED) {
            say_info("Problem running job %u", id);
            return 1;
        }
        if (base != JOB_PENDING && !(f.state & JOB_CONFIGURING))
            return 0;
        nanosleep(&(struct timespec){ wait_ms / 1000, (long)(wait_ms % 1000) * 1000000 }, NULL);
    }
}

/* ---- jobs that are being cleaned up ---- */

static int each_completing(void *arg, const ProtobufCMessage *m)
{
    struct buf *out = arg;
    const Pb__JobList *list = (const Pb__JobList *)m;
    for (size_t i = 0; i < list->n_jobs; i++) {
        const Pb__Job *j = list->jobs[i];
        char nodes[64];
        buf_addf(out, "JobId=%u EndTime=", j->id);
        job_put_stamp(out, j->end_s, "Unknown");
        int64_t span = MAX(list->now_s - j->end_s, 0);
        snprintf(nodes, sizeof(nodes), "%02lld:%02lld:%02lld", (long long)span / 3600, (long long)span / 60 % 60,
                 (long long)span % 60);
        buf_addf(out, " CompletingTime=%s Nodes(COMPLETING)=", nodes);
        bool first = true;
        for (size_t k = 0; k < j->n_alloc; k++)
            if (!j->alloc[k]->done) {
                buf_addf(out, "%s%s", first ? "" : ",", j->alloc[k]->name);
                first = false;
            }
        buf_addc(out, '\n');
    }
    return 0;
}

int scontrol_completing(struct scontrol *s, int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT;
    uint32_t state = JOB_COMPLETING;
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    query.state = &state;
    query.n_state = 1;
    struct client *c = scontrol_client(s, &err);
    int rc = c ? client_stream(c, MSG_JOBS, &query.base, MSG_JOBS_REPLY, each_completing, &out, &err) : err.code;
    if (rc)
        rc = scontrol_fail(s, "slurm_load_jobs error: %s", scontrol_words(rc, &err));
    say_flush(&out);
    buf_clear(&out);
    return rc;
}
