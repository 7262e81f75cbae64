/*
 * squeue_opts - squeue's options, and the question they become.
 */
#include "base/errnum.h"
#include "base/str.h"
#include "cli/jobref.h"
#include "cli/names.h"
#include "cli/query_sets.h"
#include "cli/say.h"
#include "cli/squeue.h"
#include "cli/states.h"
#include "core/job.h"
#include "text/array.h"
#include "text/hostlist.h"
#include "text/time.h"

#define AT(member) .at = offsetof(struct squeue, member)
#define ENV(name) .env = { name }

/* ---- options that are more than a value ---- */

static int set_jobs(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct squeue *q = into;
    q->job_flag = true;
    if (arg)
        q->jobs = arg;
    return 0;
}

static int set_steps(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct squeue *q = into;
    q->step_flag = true;
    if (arg)
        q->steps = arg;
    return 0;
}

/* The later of -o and -O counts. */
static int set_format(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct squeue *q = into;
    q->format = arg;
    q->long_format = NULL;
    return 0;
}

static int set_long_format(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct squeue *q = into;
    q->long_format = arg;
    q->format = NULL;
    return 0;
}

/* clang-format off */
static const struct opt options[] = {
    { 1, 'A', "account",       OPT_TEXT, AT(account), "NAMES", "jobs of these accounts", ENV("SQUEUE_ACCOUNT") },
    { 1, 0,   "accounts",      OPT_TEXT, AT(account), "NAMES", "the same" },
    { 1, 'a', "all",           OPT_FLAG, AT(all), NULL, "jobs in hidden partitions too", ENV("SQUEUE_ALL") },
    { 1, 'r', "array",         OPT_FLAG, AT(array), NULL, "one line for each task of an array", ENV("SQUEUE_ARRAY") },
    { 1, 0,   "autocomplete",  OPT_REFUSED, 0, "OPTION", NULL },
    { 1, 'M', "cluster",       OPT_REFUSED, 0, "NAMES", NULL, ENV("SLURM_CLUSTERS") },
    { 1, 0,   "clusters",      OPT_REFUSED, 0, "NAMES", NULL },
    { 1, 0,   "expand-patterns", OPT_FLAG, AT(expand), NULL, "file names with their patterns filled in" },
    { 1, 0, "federation", OPT_FLAG, AT(federation), NULL,
      "jobs of the federation, of which this cluster is the only member",
              ENV("SQUEUE_FEDERATION") },
    { 1, 'O', "Format",        OPT_CALL, 0, "FIELDS", "columns by name: NAME[:[.]WIDTH],...", set_long_format,
              ENV("SQUEUE_FORMAT2") },
    { 1, 'o', "format",        OPT_CALL, 0, "FORMAT", "columns by letter: %[[.]WIDTH]LETTER...", set_format,
              ENV("SQUEUE_FORMAT") },
    { 1, 0,   "help",          OPT_FLAG, AT(help), NULL, "this text" },
    { 1, 0,   "helpFormat",    OPT_FLAG, AT(help_names), NULL, "the names that --Format knows" },
    { 1, 0,   "helpformat",    OPT_FLAG, AT(help_format), NULL, "the letters that --format knows" },
    { 1, 0,   "helpstate",     OPT_FLAG, AT(help_states), NULL, "the states that --states knows" },
    { 1, 0,   "hide",          OPT_FLAG, AT(hide), NULL, "no jobs in hidden partitions" },
    { 1, 'i', "iterate",       OPT_TEXT, AT(iterate), "SECONDS", "again every SECONDS" },
    { 1, 'j', "jobs",          OPT_CALL, 0, "[IDS]", "these jobs: 12,13_4", set_jobs },
    { 1, 'L', "licenses",      OPT_TEXT, AT(licenses), "NAMES", "jobs that use these licenses",
              ENV("SQUEUE_LICENSES") },
    { 1, 0,   "local",         OPT_FLAG, AT(local), NULL, "jobs of this cluster alone", ENV("SQUEUE_LOCAL") },
    { 1, 'l', "long",          OPT_FLAG, AT(long_list), NULL, "more columns, and the date" },
    { 1, 0,   "me",            OPT_FLAG, AT(me), NULL, "my jobs" },
    { 1, 'n', "name",          OPT_TEXT, AT(name), "NAMES", "jobs with these names", ENV("SQUEUE_NAMES") },
    { 1, 0,   "noconvert",     OPT_FLAG, AT(noconvert), NULL, "amounts in the unit they were given in" },
    { 1, 0,   "node",          OPT_TEXT, AT(nodes), "NODES", "jobs on these nodes" },
    { 1, 0,   "nodes",         OPT_TEXT, AT(nodes), "NODES", "the same" },
    { 1, 'w', "nodelist",      OPT_TEXT, AT(nodes), "NODES", "the same" },
    { 1, 'h', "noheader",      OPT_FLAG, AT(no_header), NULL, "no line of headers" },
    { 1, 0,   "notme",         OPT_FLAG, AT(notme), NULL, "jobs of other users" },
    { 1, 0,   "only-job-state", OPT_FLAG, AT(state_only), NULL, "ids and states alone" },
    { 1, 'p', "partition",     OPT_TEXT, AT(partition), "NAMES", "jobs in these partitions", ENV("SQUEUE_PARTITION") },
    { 1, 0,   "partitions",    OPT_TEXT, AT(partition), "NAMES", "the same" },
    { 1, 'P', "priority",      OPT_FLAG, AT(priority), NULL, "a waiting job once for each of its partitions",
              ENV("SQUEUE_PRIORITY") },
    { 1, 'q', "qos",           OPT_TEXT, AT(qos), "NAMES", "jobs of these qualities of service", ENV("SQUEUE_QOS") },
    { 1, 'R', "reservation",   OPT_TEXT, AT(reservation), "NAMES", "jobs in these reservations" },
    { 1, 0,   "running-over",  OPT_TEXT, AT(running_over), "TIME", "jobs that have run for longer than TIME" },
    { 1, 0,   "running-under", OPT_TEXT, AT(running_under), "TIME", "jobs that have run for less than TIME" },
    { 1, 0,   "sib",           OPT_REFUSED, 0, NULL, NULL },
    { 1, 0,   "sibling",       OPT_REFUSED, 0, NULL, NULL, ENV("SQUEUE_SIBLING") },
    { 1, 'S', "sort",          OPT_TEXT, AT(sort), "LETTERS", "order by these columns, a - before one turns it around",
              ENV("SQUEUE_SORT") },
    { 1, 0,   "start",         OPT_FLAG, AT(start), NULL, "when waiting jobs are expected to start" },
    { 1, 't', "states",        OPT_TEXT, AT(states), "STATES", "jobs in these states; all: in any",
              ENV("SQUEUE_STATES") },
    { 1, 's', "steps",         OPT_CALL, 0, "[IDS]", "job steps: all, or these", set_steps },
    { 1, 0,   "usage",         OPT_FLAG, AT(usage), NULL, "a short reminder of the options" },
    { 1, 'u', "user",          OPT_TEXT, AT(users), "NAMES", "jobs of these users", ENV("SQUEUE_USERS") },
    { 1, 0,   "users",         OPT_TEXT, AT(users), "NAMES", "the same" },
    { 1, 'v', "verbose",       OPT_MORE, AT(verbose), NULL, "say what is being asked for" },
    { 1, 'V', "version",       OPT_FLAG, AT(version), NULL, "the version" },
    DOCUMENT_OPTS(offsetof(struct squeue, doc)),
    { 0 },
};
/* clang-format on */

const struct opt_set squeue_set = { "squeue", 0, options, "[OPTIONS]", true };

const char *squeue_usage(void)
{
    return "Usage: squeue [-A account] [--clusters names] [-i seconds] [--job jobid]\n"
           "              [-n name] [-o format] [--only-job-state] [-p partitions]\n"
           "              [--qos qos] [--reservation reservation] [--sort fields] [--start]\n"
           "              [--step step_id] [-t states] [-u user_name] [--usage]\n"
           "              [-L licenses] [-w nodes] [--federation] [--local] [--sibling]\n"
           "              [--expand-patterns] [--json=data_parser] [--yaml=data_parser]\n"
           "              [--running-over=time] [--running-under=time] [-ahjlrsv]\n";
}

/* ---- lists of the question ---- */

/* Each number once. */
static void add_number(uint32_t **list, size_t *n, uint32_t value)
{
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i] == value)
            return;
    *list = mem_grow(*list, *n + 1, sizeof(**list));
    (*list)[(*n)++] = value;
}

/* The words of `text`, kept in q->words, as a list of the question.  Its pointers are set once all words are there. */
static size_t add_words(struct squeue *q, const char *text)
{
    size_t before = q->words.n;
    if (text)
        strs_split(&q->words, text, ",");
    return q->words.n - before;
}

static int bad_id(const char *what)
{
    say_error("Invalid job id: %s", what);
    return 1;
}

static int add_job(struct squeue *q, const char *text)
{
    const char *under = strchr(text, '_'), *plus = strchr(text, '+');
    const char *end = under ? under : plus ? plus : text + strlen(text); /* "12+1": all of heterogeneous job 12 */
    auto_free char *id = mem_strn(text, (size_t)(end - text));
    uint64_t job, task;
    if (!str_u64(id, 1, UINT32_MAX - 1, &job))
        return bad_id(text);
    if (under && !str_u64(under + 1, 0, UINT32_MAX - 2, &task))
        return bad_id(text);
    add_number(&q->query.job, &q->query.n_job, (uint32_t)job);
    if (under)
        vec_push(&q->task, (struct squeue_step){ .job = (uint32_t)job, .task = (uint32_t)task, .has_task = true });
    else
        vec_push(&q->whole, (uint32_t)job);
    return 0;
}

static int read_jobs(struct squeue *q)
{
    if (!q->jobs)
        return 0;
    auto_strs struct strs ids = STRS_INIT;
    strs_split(&ids, q->jobs, ",");
    for (size_t i = 0; i < ids.n; i++) {
        int rc = add_job(q, ids.at[i]);
        if (rc)
            return rc;
    }
    q->single = ids.n == 1;
    q->no_match |= !ids.n;
    return 0;
}

static int bad_step(const char *what)
{
    say_error("Invalid job_step id: %s.??", what);
    return 1;
}

/* "12.0", "12_3.batch" */
static int add_step(struct squeue *q, const char *text)
{
    struct squeue_step s = { 0 };
    const char *dot = strchr(text, '.');
    auto_free char *id = mem_strn(text, dot ? (size_t)(dot - text) : strlen(text));
    char *under = strchr(id, '_');
    uint64_t n;
    if (under) {
        *under++ = 0;
        s.has_task = str_u64(under, 0, UINT32_MAX - 2, &n);
        s.task = (uint32_t)(s.has_task ? n : 0);
    }
    if (!dot || !str_u64(id, 1, UINT32_MAX - 1, &n) || (under && !s.has_task) || !jobref_step(dot + 1, &s.step))
        return bad_step(text);
    s.job = (uint32_t)n;
    vec_push(&q->step, s);
    add_number(&q->query.job, &q->query.n_job, s.job);
    return 0;
}

static int read_steps(struct squeue *q)
{
    q->query.steps = q->step_flag;
    auto_strs struct strs ids = STRS_INIT;
    if (q->steps)
        strs_split(&ids, q->steps, ",");
    int rc = 0;
    for (size_t i = 0; i < ids.n && !rc; i++)
        rc = add_step(q, ids.at[i]);
    return rc;
}

static int bad_state(const char *what)
{
    auto_buf struct buf names = BUF_INIT;
    state_names(&names, ",");
    say_error("Invalid job state specified: %s", what);
    say_error("Valid job states include: %s\n", names.s);
    return 1;
}

static int read_states(struct squeue *q)
{
    if (!q->states)
        return 0;
    auto_strs struct strs words = STRS_INIT;
    strs_split(&words, q->states, ",");
    q->no_match |= !words.n;
    for (size_t i = 0; i < words.n; i++) {
        uint32_t state;
        if (str_ieq(words.at[i], "all")) {
            q->state.n = 0;
            q->any_state = true;
            return 0;
        }
        if (!state_find(words.at[i], &state))
            return bad_state(words.at[i]);
        vec_push(&q->state, state);
    }
    return 0;
}

static void read_users(struct squeue *q)
{
    auto_strs struct strs names = STRS_INIT;
    if (q->users)
        strs_split(&names, q->users, ",");
    for (size_t i = 0; i < names.n; i++) {
        uint32_t uid;
        if (names_find_user(names.at[i], &uid))
            add_number(&q->query.uid, &q->query.n_uid, uid);
        else
            say_error("Invalid user: %s\n", names.at[i]);
    }
    if (q->me)
        add_number(&q->query.uid, &q->query.n_uid, (uint32_t)getuid());
    q->no_match |= (q->users || q->me) && !q->query.n_uid;
}

static int read_nodes(struct squeue *q, size_t *n)
{
    struct err err = ERR_INIT;
    size_t before = q->words.n;
    if (q->nodes && hostlist_expand(q->nodes, &q->words, &err)) {
        say_error("Invalid node list: %s", err.text);
        return 1;
    }
    *n = q->words.n - before;
    return 0;
}

/* Lists of words: all are split first, for the words move while their list grows. */
static int read_words(struct squeue *q)
{
    struct {
        const char *text;
        size_t *n;
        char ***list;
    } lists[] = {
        { q->partition, &q->query.n_partition, &q->query.partition },
        { q->step_flag ? NULL : q->name, &q->query.n_name, &q->query.name }, /* names of steps are looked at here */
        { q->account, &q->query.n_account, &q->query.account },
        { q->qos, &q->query.n_qos, &q->query.qos },
        { q->reservation, &q->query.n_reservation, &q->query.reservation },
        { q->licenses, &q->query.n_licenses, &q->query.licenses },
    };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        *lists[i].n = add_words(q, lists[i].text);
    int rc = read_nodes(q, &q->query.n_node);
    char **at = q->words.at;
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        if (*lists[i].n) {
            *lists[i].list = at;
            at += *lists[i].n;
        }
    q->query.node = at;
    return rc;
}

/* ---- the rest ---- */

static int read_span(const char *text, int64_t *seconds)
{
    uint32_t n;
    if (!text)
        return 0;
    if (time_secs_parse(text, &n, NULL)) {
        say_fatal("Invalid time limit specification");
        return 1;
    }
    *seconds = n;
    return 0;
}

static int read_every(struct squeue *q)
{
    if (!q->iterate)
        return 0;
    long n = strtol(q->iterate, NULL, 10);
    if (n <= 0 || n > INT32_MAX) {
        say_error("--iterate=%s\n", q->iterate);
        return 1;
    }
    q->every_s = (unsigned)n;
    return 0;
}

static void read_show(struct squeue *q)
{
    const char *len = getenv("SLURM_BITSTR_LEN");
    uint64_t n;
    q->env.array_len = ARRAY_TEXT_LEN;
    q->env.array_len_set = len && str_u64(len, 0, 1 << 20, &n);
    if (q->env.array_len_set)
        q->env.array_len = (size_t)n;
    q->env.expand = q->expand;
    q->env.user = names_user;
    q->env.group = names_group;
}

static void print_and_clear(struct buf *out)
{
    say_flush(out);
    buf_clear(out);
}

/* -1: none of them was asked for. */
static int squeue_print_info(struct squeue *q)
{
    struct buf out = BUF_INIT;
    if (q->help)
        opt_help(&squeue_set, &out);
    else if (q->usage)
        buf_adds(&out, squeue_usage());
    else if (q->version)
        say_version(&out);
    else if (q->help_format)
        show_help_letters(&show_job, &out);
    else if (q->help_names)
        show_help_names(&show_job, &out);
    else if (q->help_states) {
        state_names(&out, "\n");
        buf_addc(&out, '\n');
    } else
        return document_check(&q->doc, 1);
    print_and_clear(&out);
    return 0;
}

/* `-j 12`: getopt gives an optional argument only when it is glued on, so it comes as an argument of its own. */
static int read_rest(struct squeue *q, int argc, char **argv, int first)
{
    for (int i = first; i < argc; i++) {
        if (q->job_flag && !q->jobs)
            q->jobs = argv[i];
        else if (q->step_flag && !q->steps)
            q->steps = argv[i];
        else {
            say_error("Unrecognized option: %s", argv[i]);
            fputs(squeue_usage(), stdout);
            return 1;
        }
    }
    return 0;
}

/* The controller filters by state, unless one job is asked for: an unknown job differs from an ended one. */
static void ask_states(struct squeue *q)
{
    q->single &= !q->step_flag;
    q->query.with_done = q->single || q->any_state;
    for (size_t i = 0; i < q->state.n; i++)
        q->query.with_done |= q->state.at[i] > JOB_SUSPENDED && q->state.at[i] <= JOB_STATE_BASE;
    q->query.state = q->single ? NULL : q->state.at;
    q->query.n_state = q->single ? 0 : q->state.n;
}

static int read_lists(struct squeue *q)
{
    if (read_jobs(q) || read_steps(q) || read_states(q) || read_words(q) || read_every(q))
        return 1;
    if (read_span(q->running_over, &q->over_s) || read_span(q->running_under, &q->under_s))
        return 1;
    read_users(q);
    read_show(q);
    if (q->start && !q->state.n)
        vec_push(&q->state, JOB_PENDING);
    q->query.hidden = q->all;
    ask_states(q);
    return -1;
}

int squeue_options(struct squeue *q, int argc, char **argv)
{
    struct err err = ERR_INIT;
    int first = 1;
    q->under_s = INT64_MAX;
    q->over_s = -1;
    pb__job_query__init(&q->query);
    int rc = opt_env(&squeue_set, q, &err);
    if (!rc)
        rc = opt_argv(&squeue_set, argc, argv, &first, q, &err);
    if (rc) {
        if (err.text[0])
            say_error("%s", err.text);
        return 1;
    }
    rc = squeue_print_info(q);
    if (rc < 0 && read_rest(q, argc, argv, first))
        rc = 1;
    return rc < 0 ? read_lists(q) : rc;
}

bool squeue_state_wanted(const struct squeue *q, const Pb__Job *j)
{
    if (!q->state.n)
        return q->any_state || (j->state & JOB_STATE_BASE) <= JOB_SUSPENDED || (j->state & JOB_COMPLETING);
    for (size_t i = 0; i < q->state.n; i++)
        if (state_matches(j->state, q->state.at[i]))
            return true;
    return false;
}

void squeue_clear(struct squeue *q)
{
    vec_clear(&q->whole);
    vec_clear(&q->task);
    vec_clear(&q->step);
    free(q->query.job);
    free(q->query.uid);
    vec_clear(&q->state);
    strs_clear(&q->words);
    show_columns_clear(&q->columns);
}
