/* sprio - what the priorities of waiting jobs are made of. */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "client/client.h"
#include "show/prio.h"
#include "text/hostlist.h"
#include "text/opt.h"

struct sprio {
    int federation, help, help_format, local, long_list, no_header, norm, usage, version, weights, user_flag, job_flag;
    unsigned verbose;
    const char *format, *jobs, *partition, *sort, *users;
    VEC(uint32_t) ids;
    VEC(uint32_t) uids;
    struct strs parts;
    struct show_columns columns;
    struct buf out;
};

/* ---- options ---- */

#define AT(member) .at = offsetof(struct sprio, member)
#define ENV(name) .env = { name }

static int set_jobs(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct sprio *s = into;
    s->job_flag = true;
    if (arg)
        s->jobs = arg;
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",       OPT_REFUSED, 0, "NAME", NULL, ENV("SLURM_CLUSTERS") },
    { 1, 0,   "clusters",      OPT_REFUSED, 0, "NAME", NULL },
    { 1, 0,   "federation",    OPT_FLAG, AT(federation), NULL,
              "jobs of the federation, of which this cluster is the only member",
              ENV("SPRIO_FEDERATION") },
    { 1, 'o', "format",        OPT_TEXT, AT(format), "FORMAT", "columns by letter: %[[.]WIDTH]LETTER...",
              ENV("SPRIO_FORMAT") },
    { 1, 0,   "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "helpformat",    OPT_FLAG, AT(help_format), NULL, "the letters that --format knows" },
    { 1, 'j', "jobs",          OPT_CALL, 0, "[IDS]", "these jobs", set_jobs },
    { 1, 0,   "local",         OPT_FLAG, AT(local), NULL, "jobs of this cluster alone", ENV("SPRIO_LOCAL") },
    { 1, 'l', "long",          OPT_FLAG, AT(long_list), NULL, "every column" },
    { 1, 'h', "noheader",      OPT_FLAG, AT(no_header), NULL, "no line of headers" },
    { 1, 'n', "norm",          OPT_FLAG, AT(norm), NULL, "factors before their weights" },
    { 1, 'p', "partition",     OPT_TEXT, AT(partition), "NAMES", "jobs in these partitions" },
    { 1, 0,   "sib",           OPT_REFUSED, 0, NULL, NULL },
    { 1, 0,   "sibling",       OPT_REFUSED, 0, NULL, NULL, ENV("SPRIO_SIBLING") },
    { 1, 'S', "sort",          OPT_TEXT, AT(sort), "LETTERS",
              "order by these columns, a - before one turns it around" },
    { 1, 0,   "usage",         OPT_FLAG, AT(usage), NULL, "a short reminder of the options" },
    { 1, 'u', "user",          OPT_TEXT, AT(users), "NAMES", "jobs of these users" },
    { 1, 0,   "users",         OPT_TEXT, AT(users), "NAMES", "the same" },
    { 1, 'v', "verbose",       OPT_MORE, AT(verbose), NULL, "say what is being asked for" },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    { 1, 'w', "weights",       OPT_FLAG, AT(weights), NULL, "the weights of the factors instead of jobs" },
    { 0 },
};
/* clang-format on */

const struct opt_set sprio_set = { "sprio", 0, options, "[OPTIONS]", true };

/* ---- columns ---- */

static void bad_letter(const char *what)
{
    say_error("Invalid job format specification: %s", what);
}

/* The default columns: the factors that have a weight; all factors with -l. */
static void sprio_usual_columns(struct sprio *s, const Pb__PrioReply *r)
{
    static const struct {
        const char *weighted, *norm;
        int kind; /* -1: always; -2: with -l; -3: with -l or users; -4: TRES */
    } columns[] = {
        { "%.15i %9r", "%.15i %9r", -1 }, { " %.8u", " %.8u", -3 },          { " %.8o", " %.8o", -2 },
        { " %.10Y %.10S", " %10y", -1 },  { " %.10A", " %10a", PRIO_AGE },   { " %.10B", " %10b", PRIO_ASSOC },
        { " %.10F", " %10f", PRIO_FAIRSHARE }, { " %.10J", " %10j", PRIO_SIZE }, { " %.10P", " %10p", PRIO_PART },
        { " %.10n", " %10n", -2 },        { " %.10Q", " %10q", PRIO_QOS },   { " %.11N", "", -2 },
        { " %.20T", " %20t", -4 },
    };
    auto_buf struct buf spec = BUF_INIT;
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
        int k = columns[i].kind;
        bool want = s->long_list || k == -1 || (k == -3 && s->user_flag) || (k == -4 && r->n_tres_name) ||
                    (k >= 0 && (size_t)k < r->n_weight && r->weight[k]);
        if (want)
            buf_adds(&spec, s->norm ? columns[i].norm : columns[i].weighted);
    }
    show_columns_letters(&s->columns, &show_prio, spec.s, bad_letter);
}

/* ---- order ---- */

#define UNSORTED ",tTcs" /* letters that have no order */

struct order {
    const char *letters;
    const Pb__PrioReply *reply;
};

static int cmp_ids(const Pb__PrioJob *a, const Pb__PrioJob *b)
{
    return a->job_id < b->job_id ? -1 : a->job_id > b->job_id;
}

static int cmp_jobs(const void *pa, const void *pb, void *arg)
{
    const struct order *o = arg;
    const struct prio_row a = { o->reply, *(Pb__PrioJob *const *)pa, names_user };
    const struct prio_row b = { o->reply, *(Pb__PrioJob *const *)pb, names_user };
    bool down = false;
    for (const char *s = o->letters; *s; s++) {
        if (*s == '-' || *s == '+') {
            down = *s == '-';
            continue;
        }
        const struct show_field *f = strchr(UNSORTED, *s) ? NULL : show_find_letter(&show_prio, *s);
        int order = f ? show_cmp(f, &a, &b) : 0;
        if (order)
            return down ? -order : order;
        if (*s != ',')
            down = false;
    }
    return cmp_ids(a.job, b.job);
}

static int check_sort(const char *letters)
{
    for (const char *s = letters; *s; s++) {
        if (!strchr("+-" UNSORTED, *s) && !show_find_letter(&show_prio, *s)) {
            say_error("Invalid sort specification: %c", *s);
            return 1;
        }
    }
    return 0;
}

/* ---- the question ---- */

static int sprio_read_ids(struct sprio *s)
{
    const char *pos = s->jobs ? s->jobs : "";
    uint64_t id;
    for (char *one; (one = str_next(&pos, ",")); free(one)) {
        if (!str_u64(one, 1, UINT32_MAX, &id)) {
            say_error("Invalid job id: %s", one);
            free(one);
            return 1;
        }
        vec_push(&s->ids, (uint32_t)id);
    }
    return 0;
}

/* An unknown user has no jobs; an empty filter would show the jobs of all users. */
static void sprio_read_users(struct sprio *s)
{
    const char *pos = s->users ? s->users : "";
    uint32_t uid;
    s->user_flag = s->users != NULL;
    for (char *one; (one = str_next(&pos, ",")); free(one)) {
        bool known = names_find_user(one, &uid);
        if (!known)
            say_error("Invalid user: %s\n", one);
        vec_push(&s->uids, known ? uid : UINT32_MAX);
    }
}

static void sprio_print(struct sprio *s, Pb__PrioReply *r)
{
    struct prio_row row = { r, NULL, names_user };
    struct order order = { s->sort ? s->sort : "i", r };
    if (s->format)
        show_columns_letters(&s->columns, &show_prio, s->format, bad_letter);
    else
        sprio_usual_columns(s, r);
    if (!s->no_header)
        show_columns_head(&s->columns, &s->out);
    if (s->weights) {
        show_columns_row(&s->columns, &row, &s->out);
        return;
    }
    if (r->n_jobs)
        qsort_r(r->jobs, r->n_jobs, sizeof(*r->jobs), cmp_jobs, &order);
    for (size_t i = 0; i < r->n_jobs; i++) {
        row.job = r->jobs[i];
        show_columns_row(&s->columns, &row, &s->out);
    }
}

/* A job id that no job has is no error: no line is printed for it. */
static bool sprio_job_wanted(const struct sprio *s, uint32_t id)
{
    for (size_t i = 0; i < s->ids.n; i++)
        if (s->ids.at[i] == id)
            return true;
    return !s->ids.n;
}

static int sprio_ask(struct sprio *s, Pb__PrioReply **out, struct err *err)
{
    struct client *c = NULL;
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    const char *pos = s->partition ? s->partition : "";
    for (char *one; (one = str_next(&pos, ","));)
        strs_take(&s->parts, one);
    q.n_uid = s->uids.n, q.uid = s->uids.at;
    q.n_partition = s->parts.n, q.partition = s->parts.at;
    int rc = client_open(&c, err);
    if (!rc)
        rc = client_call(c, MSG_PRIO, &q.base, MSG_PRIO_REPLY, (ProtobufCMessage **)out, err);
    client_close(c);
    return rc;
}

static int sprio_run(struct sprio *s, struct err *err)
{
    Pb__PrioReply *r = NULL;
    if (sprio_read_ids(s) || (s->sort && check_sort(s->sort)))
        return 1;
    sprio_read_users(s);
    int rc = sprio_ask(s, &r, err);
    if (rc)
        return rc;
    if (r->basic) {
        say_error("sprio needs PriorityType=priority/multifactor: with priority/basic there are no factors");
        rc = 1;
    } else {
        size_t n = 0;
        for (size_t i = 0; i < r->n_jobs; i++) {
            Pb__PrioJob *j = r->jobs[i];
            if (sprio_job_wanted(s, j->job_id))
                r->jobs[i] = r->jobs[n], r->jobs[n++] = j;
        }
        size_t all = r->n_jobs;
        r->n_jobs = n;
        sprio_print(s, r);
        r->n_jobs = all;
    }
    client_free(&r->base);
    say_flush(&s->out);
    return rc;
}

static int sprio_help(struct sprio *s)
{
    if (s->help_format)
        show_help_letters(&show_prio, &s->out);
    else if (s->version)
        say_version(&s->out);
    else if (s->usage)
        buf_adds(&s->out, "Usage: sprio [-j jid[s]] [-u user_name[s]] [-o format] [-p partitions]\n"
                          "   [--federation] [--local] [--sibling] [--usage] [-hlnvVw]\n");
    else
        opt_help(&sprio_set, &s->out);
    say_flush(&s->out);
    return 0;
}

int cli_sprio(int argc, char **argv)
{
    struct sprio s = { 0 };
    struct err err = ERR_INIT;
    int first = 1;
    int rc = opt_env(&sprio_set, &s, &err);
    if (!rc)
        rc = opt_argv(&sprio_set, argc, argv, &first, &s, &err);
    if (!rc && first < argc && s.job_flag && !s.jobs) /* "-j 12": the number may stand apart */
        s.jobs = argv[first++];
    if (!rc && first < argc)
        rc = err_set(&err, EINVAL, "Unrecognized option: %s", argv[first]);
    if (!rc)
        rc = s.help || s.usage || s.version || s.help_format ? sprio_help(&s) : sprio_run(&s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    show_columns_clear(&s.columns);
    vec_clear(&s.ids);
    vec_clear(&s.uids);
    strs_clear(&s.parts);
    buf_clear(&s.out);
    return rc ? 1 : 0;
}
