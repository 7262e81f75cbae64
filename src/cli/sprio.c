/* sprio - what the priorities of waiting jobs are made of. */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "client/client.h"
#include "text/hostlist.h"
#include "text/opt.h"

/* In the order in which pb.PrioJob has its factors. */
enum { PRIO_AGE, PRIO_ASSOC, PRIO_FAIRSHARE, PRIO_SIZE, PRIO_PART, PRIO_QOS };

struct sprio {
    int federation, help, help_format, local, long_list, no_header, norm, usage, version, weights, user_flag, job_flag;
    unsigned verbose;
    const char *format, *jobs, *partition, *sort, *users;
    VEC(uint32_t) ids;
    VEC(uint32_t) uids;
    struct strs parts;
    struct format columns;
    struct buf out;
};

struct prio_row {
    const Pb__PrioReply *r;
    const Pb__PrioJob *j; /* NULL: the weights */
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
    { 1, 0,   "federation",    OPT_FLAG, AT(federation), NULL, "jobs of the federation, of which this cluster is the only member",
              ENV("SPRIO_FEDERATION") },
    { 1, 'o', "format",        OPT_TEXT, AT(format), "FORMAT", "columns by letter: %[[.]WIDTH]LETTER...", ENV("SPRIO_FORMAT") },
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
    { 1, 'S', "sort",          OPT_TEXT, AT(sort), "LETTERS", "order by these columns, a - before one turns it around" },
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

#define ROW(p) ((const struct prio_row *)(p))
#define PUT(name) static void name(struct buf *out, const struct field *f, const void *row)

static double factor(const struct prio_row *r, size_t kind)
{
    return r->j && kind < r->j->n_factor ? r->j->factor[kind] : 0;
}

static uint32_t weight(const struct prio_row *r, size_t kind)
{
    return kind < r->r->n_weight ? r->r->weight[kind] : 0;
}

PUT(put_norm)
{
    if (ROW(row)->j && !ROW(row)->j->n_factor)
        buf_adds(out, "0");
    else if (ROW(row)->j)
        buf_addf(out, "%9.7f", factor(ROW(row), f->at));
    else
        buf_addf(out, "%u", weight(ROW(row), f->at));
}

PUT(put_weighted)
{
    double n = ROW(row)->j ? factor(ROW(row), f->at) * weight(ROW(row), f->at) : weight(ROW(row), f->at);
    buf_addf(out, "%.0f", n < 0 ? 0.0 : n);
}

PUT(put_id)
{
    if (ROW(row)->j)
        buf_addf(out, "%u", ROW(row)->j->job_id);
    else
        buf_adds(out, "Weights");
}

static void put_word(struct buf *out, const struct prio_row *r, const char *word)
{
    if (r->j)
        buf_adds(out, str_empty(word) ? "(null)" : word);
}

PUT(put_part)
{
    if (ROW(row)->j)
        buf_adds(out, ROW(row)->j->partition);
}
PUT(put_account) { put_word(out, ROW(row), ROW(row)->j ? ROW(row)->j->account : NULL); }
PUT(put_qos) { put_word(out, ROW(row), ROW(row)->j ? ROW(row)->j->qos : NULL); }
PUT(put_cluster) { put_word(out, ROW(row), NULL); } /* there is no federation */
PUT(put_nothing) { (void)out; }                     /* jobs have no such id here */

PUT(put_user)
{
    if (ROW(row)->j)
        buf_adds(out, names_user(ROW(row)->j->uid));
}

PUT(put_priority)
{
    if (ROW(row)->j)
        buf_addf(out, "%u", ROW(row)->j->priority);
}

PUT(put_priority_norm)
{
    const Pb__PrioJob *j = ROW(row)->j;
    if (j)
        buf_addf(out, "%16.14f", j->fixed ? j->priority : j->priority / 4294967295.0);
}

PUT(put_site)
{
    buf_addf(out, "%d", ROW(row)->j ? ROW(row)->j->site : 1);
}

PUT(put_nice)
{
    if (ROW(row)->j)
        buf_addf(out, "%d", ROW(row)->j->nice);
}

static void put_all_tres(struct buf *out, const struct prio_row *r, bool weighted)
{
    const char *sep = "";
    for (size_t i = 0; i < r->r->n_tres_name && i < r->r->n_tres_weight; i++) {
        double w = r->r->tres_weight[i], f = r->j && i < r->j->n_tres ? r->j->tres[i] : 0;
        if (r->j && f == 0)
            continue;
        if (!r->j || weighted)
            buf_addf(out, "%s%s=%.0f", sep, r->r->tres_name[i], r->j ? f * w : w);
        else
            buf_addf(out, "%s%s=%.2f", sep, r->r->tres_name[i], f);
        sep = ",";
    }
}

PUT(put_tres) { put_all_tres(out, ROW(row), true); }
PUT(put_tres_norm)
{
    if (ROW(row)->j) /* a weight is no share of anything */
        put_all_tres(out, ROW(row), false);
}

/* clang-format off */
static const struct field fields[] = {
    { "age_norm",       'a', "AGE",       put_norm, PRIO_AGE },
    { "age",            'A', "AGE",       put_weighted, PRIO_AGE },
    { "assoc_norm",     'b', "ASSOC",     put_norm, PRIO_ASSOC },
    { "assoc",          'B', "ASSOC",     put_weighted, PRIO_ASSOC },
    { "cluster",        'c', "CLUSTER",   put_cluster },
    { "fairshare_norm", 'f', "FAIRSHARE", put_norm, PRIO_FAIRSHARE },
    { "fairshare",      'F', "FAIRSHARE", put_weighted, PRIO_FAIRSHARE },
    { "jobid",          'i', "JOBID",     put_id },
    { "size_norm",      'j', "JOBSIZE",   put_norm, PRIO_SIZE },
    { "size",           'J', "JOBSIZE",   put_weighted, PRIO_SIZE },
    { "qosname",        'n', "QOSNAME",   put_qos },
    { "nice",           'N', "NICE",      put_nice },
    { "account",        'o', "ACCOUNT",   put_account },
    { "part_norm",      'p', "PARTITION", put_norm, PRIO_PART },
    { "part",           'P', "PARTITION", put_weighted, PRIO_PART },
    { "qos_norm",       'q', "QOS",       put_norm, PRIO_QOS },
    { "qos",            'Q', "QOS",       put_weighted, PRIO_QOS },
    { "partition",      'r', "PARTITION", put_part },
    { "sluid",          's', "SLUID",     put_nothing },
    { "site",           'S', "SITE",      put_site },
    { "tres_norm",      't', "TRES",      put_tres_norm },
    { "tres",           'T', "TRES",      put_tres },
    { "user",           'u', "USER",      put_user },
    { "priority",       'Y', "PRIORITY",  put_priority },
    { "priority_norm",  'y', "PRIORITY",  put_priority_norm },
    { 0 },
};
/* clang-format on */

static void bad_letter(const char *what)
{
    say_error("Invalid job format specification: %s", what);
}

/* Columns of the usual form: those whose factor has a weight; the long form has all. */
static void usual(struct sprio *s, const Pb__PrioReply *r)
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
    format_parse(&s->columns, fields, spec.s, bad_letter);
}

/* ---- order ---- */

static const char *sort_letters;
static const Pb__PrioReply *sort_reply;

static int compare_numbers(double a, double b)
{
    return a < b ? -1 : a > b;
}

static int compare_by(char letter, const Pb__PrioJob *a, const Pb__PrioJob *b)
{
    static const char kinds[] = { [PRIO_AGE] = 'a', [PRIO_ASSOC] = 'b', [PRIO_FAIRSHARE] = 'f',
                                  [PRIO_SIZE] = 'j', [PRIO_PART] = 'p', [PRIO_QOS] = 'q' };
    struct prio_row ra = { sort_reply, a }, rb = { sort_reply, b };
    for (size_t k = 0; k < sizeof(kinds); k++)
        if ((letter | 0x20) == kinds[k])
            return compare_numbers(factor(&ra, k), factor(&rb, k));
    switch (letter) {
    case 'Y':
    case 'y': return compare_numbers(a->priority, b->priority);
    case 'N': return compare_numbers(a->nice, b->nice);
    case 'S': return compare_numbers(a->site, b->site);
    case 'r': return strcmp(a->partition, b->partition);
    case 'u': return strcmp(names_user(a->uid), names_user(b->uid));
    case 'o': return strcmp(a->account, b->account);
    case 'n': return strcmp(a->qos, b->qos);
    case 'i': return compare_numbers(a->job_id, b->job_id);
    default: return 0;
    }
}

static int compare(const void *pa, const void *pb)
{
    const Pb__PrioJob *a = *(Pb__PrioJob *const *)pa, *b = *(Pb__PrioJob *const *)pb;
    bool down = false;
    for (const char *s = sort_letters; *s; s++) {
        if (*s == '-' || *s == '+') {
            down = *s == '-';
            continue;
        }
        int order = *s == ',' ? 0 : compare_by(*s, a, b);
        if (order)
            return down ? -order : order;
        if (*s != ',')
            down = false;
    }
    return compare_numbers(a->job_id, b->job_id);
}

static int check_sort(const char *letters)
{
    for (const char *s = letters; *s; s++) {
        if (strchr("+-,tTcs", *s))
            continue;
        bool known = false;
        for (const struct field *f = fields; f->name; f++)
            known |= f->letter == *s;
        if (!known) {
            say_error("Invalid sort specification: %c", *s);
            return 1;
        }
    }
    return 0;
}

/* ---- the question ---- */

static int read_ids(struct sprio *s)
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

/* Somebody unknown has no jobs: nobody's are shown, not everybody's. */
static void read_users(struct sprio *s)
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

static void print(struct sprio *s, Pb__PrioReply *r)
{
    struct prio_row row = { r, NULL };
    sort_letters = s->sort ? s->sort : "i";
    sort_reply = r;
    if (s->format)
        format_parse(&s->columns, fields, s->format, bad_letter);
    else
        usual(s, r);
    if (!s->no_header)
        format_head(&s->columns, &s->out);
    if (s->weights) {
        format_row(&s->columns, &row, &s->out);
        return;
    }
    if (r->n_jobs)
        qsort(r->jobs, r->n_jobs, sizeof(*r->jobs), compare);
    for (size_t i = 0; i < r->n_jobs; i++) {
        row.j = r->jobs[i];
        format_row(&s->columns, &row, &s->out);
    }
}

/* Jobs that are named and gone are no error: there is nothing to show of them. */
static bool wanted(const struct sprio *s, uint32_t id)
{
    for (size_t i = 0; i < s->ids.n; i++)
        if (s->ids.at[i] == id)
            return true;
    return !s->ids.n;
}

static int ask(struct sprio *s, Pb__PrioReply **out, struct err *err)
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

static int run(struct sprio *s, struct err *err)
{
    Pb__PrioReply *r = NULL;
    if (read_ids(s) || (s->sort && check_sort(s->sort)))
        return 1;
    read_users(s);
    int rc = ask(s, &r, err);
    if (rc)
        return rc;
    if (r->basic) {
        say_error("sprio needs PriorityType=priority/multifactor: with priority/basic there are no factors");
        rc = 1;
    } else {
        size_t n = 0;
        for (size_t i = 0; i < r->n_jobs; i++) {
            Pb__PrioJob *j = r->jobs[i];
            if (wanted(s, j->job_id))
                r->jobs[i] = r->jobs[n], r->jobs[n++] = j;
        }
        size_t all = r->n_jobs;
        r->n_jobs = n;
        print(s, r);
        r->n_jobs = all;
    }
    client_free(&r->base);
    say_flush(&s->out);
    return rc;
}

static int help(struct sprio *s)
{
    if (s->help_format)
        format_help(fields, &s->out);
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
        rc = s.help || s.usage || s.version || s.help_format ? help(&s) : run(&s, &err);
    if (err.text[0])
        say_error("%s", err.text);
    format_clear(&s.columns);
    vec_clear(&s.ids);
    vec_clear(&s.uids);
    strs_clear(&s.parts);
    buf_clear(&s.out);
    return rc ? 1 : 0;
}
