/*
 * why - spur why: what a job waits for, in words, and what would help.
 */
#include <time.h>

#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "show/job.h"
#include "cli/jobref.h"
#include "cli/say.h"
#include "client/client.h"
#include "core/job.h"
#include "text/opt.h"
#include "text/time.h"

struct why_options {
    int help, version;
};

#define AT(member) .at = offsetof(struct why_options, member)

static const struct opt options[] = {
    { 1, 'h', "help", OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 'V', "version", OPT_FLAG, AT(version), NULL, "the version" },
    { 0 },
};

static const struct opt_set set = { "spur why", 0, options, "[JOB...]   (none: all my waiting jobs)", true };

/* "in 2:05:00", "now" */
static void add_start(struct buf *out, int64_t at)
{
    char stamp[TIME_TEXT], span[TIME_TEXT];
    int64_t left = at - time(NULL);
    buf_addf(out, "  expected to start %s", time_stamp(stamp, (time_t)at, "later"));
    if (left > 0)
        buf_addf(out, ", in %s", time_elapsed(span, left));
}

static void add_reply(struct buf *out, const char *id, const Pb__WhyReply *r)
{
    buf_addf(out, "Job %s (%s", id, r->state);
    if (*r->reason && !str_eq(r->reason, "None"))
        buf_addf(out, ", %s", r->reason);
    buf_addf(out, ")%s%s\n", *r->detail ? ": " : "", r->detail);
    if (r->planned_start_s) {
        add_start(out, r->planned_start_s);
        if (*r->planned_nodes)
            buf_addf(out, " on %s", r->planned_nodes);
        buf_addc(out, '\n');
    }
    if (r->ahead)
        buf_addf(out, "  %u job%s before it\n", r->ahead, r->ahead == 1 ? " is" : "s are");
    for (size_t i = 0; i < r->n_hints; i++)
        buf_addf(out, "  hint: %s\n", r->hints[i]);
}

static int why_failed(const char *what, int rc, const struct err *err)
{
    const char *words = rc >= 1000 || !err->text[0] ? err_text(rc) : err->text;
    if (what)
        say_error("job %s: %s", what, words);
    else
        say_error("%s", words);
    return 1;
}

static int why_explain(struct client *c, const Pb__JobRef *ref, const char *id, struct buf *out)
{
    struct err err = ERR_INIT;
    ProtobufCMessage *m;
    Pb__WhyRequest ask = PB__WHY_REQUEST__INIT;
    ask.job_id = ref->job;
    ask.has_task = ref->has_task;
    ask.task = ref->task;
    int rc = client_call(c, MSG_WHY, &ask.base, MSG_WHY_REPLY, &m, &err);
    if (rc)
        return why_failed(id, rc, &err);
    add_reply(out, id, (const Pb__WhyReply *)m);
    client_free(m);
    return 0;
}

/* ---- all of mine ---- */

static int why_add_frame(void *arg, const ProtobufCMessage *m)
{
    struct jobrefs *refs = arg;
    static const struct show_env env = { 0 };
    const Pb__JobList *list = (const Pb__JobList *)m;
    for (size_t i = 0; i < list->n_jobs; i++) {
        auto_buf struct buf id = BUF_INIT;
        char number[16];
        struct job_row row = { .job = list->jobs[i], .env = &env };
        job_put_id(&id, &row);
        snprintf(number, sizeof(number), "%u", list->jobs[i]->id);
        if (jobrefs_add(refs, number, false)) {
            free(refs->text.at[refs->text.n - 1]);
            refs->text.at[refs->text.n - 1] = buf_take(&id);
        }
    }
    return 0;
}

static int my_jobs(struct client *c, struct jobrefs *refs)
{
    struct err err = ERR_INIT;
    uint32_t uid = (uint32_t)getuid(), state = JOB_PENDING;
    Pb__JobQuery query = PB__JOB_QUERY__INIT;
    query.uid = &uid;
    query.n_uid = 1;
    query.state = &state;
    query.n_state = 1;
    int rc = client_stream(c, MSG_JOBS, &query.base, MSG_JOBS_REPLY, why_add_frame, refs, &err);
    if (rc)
        return why_failed(NULL, rc, &err);
    if (!refs->ref.n)
        puts("You have no waiting jobs.");
    return 0;
}

static int explain_all(struct jobrefs *refs)
{
    struct err err = ERR_INIT;
    struct client *c;
    struct buf out = BUF_INIT;
    int rc = client_open(&c, &err);
    if (rc)
        return why_failed(NULL, rc, &err);
    if (!refs->ref.n)
        rc = my_jobs(c, refs);
    for (size_t i = 0; i < refs->ref.n; i++)
        rc |= why_explain(c, refs->ref.at[i], refs->text.at[i], &out);
    fflush(stdout);
    say_flush(&out);
    buf_clear(&out);
    client_close(c);
    return rc;
}

int cli_why(int argc, char **argv)
{
    struct why_options o = { 0 };
    struct err err = ERR_INIT;
    struct jobrefs refs = { 0 };
    int first = 1;
    int rc = opt_argv(&set, argc, argv, &first, &o, &err);
    if (rc) {
        if (err.text[0])
            say_error("%s", err.text);
        return 1;
    }
    if (o.help || o.version) {
        struct buf out = BUF_INIT;
        if (o.help)
            opt_help(&set, &out);
        else
            say_version(&out);
        say_flush(&out);
        buf_clear(&out);
        return 0;
    }
    for (int i = first; i < argc && !rc; i++)
        if (!jobrefs_add(&refs, argv[i], false)) {
            say_error("%s is not a job id", argv[i]);
            rc = 1;
        }
    if (!rc)
        rc = explain_all(&refs);
    jobrefs_clear(&refs);
    return rc;
}
