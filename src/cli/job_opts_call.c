/* job_opts_call - options whose argument has a grammar of its own; see job_opts_call.h. */
#include "cli/job_opts_call.h"

#include <grp.h>
#include <pwd.h>
#include <time.h>

#include "base/str.h"
#include "cli/say.h"
#include "mpi/mpi.h"
#include "text/freq.h"
#include "text/gres.h"
#include "text/hostlist.h"
#include "text/signal.h"
#include "text/size.h"
#include "text/time.h"
#include "text/tres.h"

#define NODEFILE_MAX (1u << 20)
#define NICE_DEFAULT 100
#define NICE_MAX 0x7ffffffd

/* An error without a sentence: the engine says "Invalid --NAME specification". */
#define INVALID OPT_EXIT_USAGE

static const char *keep_text(struct job_opts *jo, char *text)
{
    strs_take(&jo->owned, text);
    return text;
}

/* Is `arg` one of the comma-separated `words`, any case?  A word that ends in ':' stands for all that begin so. */
static bool is_word(const char *words, const char *arg)
{
    for (const char *pos = words;;) {
        auto_free char *word = str_next(&pos, ",");
        size_t n = word ? strlen(word) : 0;
        if (!word)
            return false;
        if (str_ieq(word, arg) || (word[n - 1] == ':' && !strncasecmp(word, arg, n)))
            return true;
    }
}

static int refuse_value(const struct opt *o, const char *arg, struct err *err)
{
    return err_set(err, OPT_EXIT_VALUE, "option --%s=%s is not supported by this release of Spur", o->name, arg);
}

/* ---- times ---- */

static int parse_moment(const char *arg, int64_t *at_s)
{
    time_t at;
    struct err why = ERR_INIT;
    if (time_at_parse(arg, time(NULL), &at, &why)) {
        if (*arg)
            fprintf(stderr, "%s\n", why.text);
        return INVALID;
    }
    *at_s = at;
    return 0;
}

int opt_begin(const struct opt *o, void *into, const char *arg, struct err *err)
{
    return parse_moment(arg, &((struct job_opts *)into)->spec.begin_s);
}

int opt_deadline(const struct opt *o, void *into, const char *arg, struct err *err)
{
    return parse_moment(arg, &((struct job_opts *)into)->spec.deadline_s);
}

/* Zero asks for no limit. */
int opt_time(const struct opt *o, void *into, const char *arg, struct err *err)
{
    Pb__JobSpec *spec = &((struct job_opts *)into)->spec;
    if (!*arg || time_limit_parse(arg, &spec->time_limit_min, NULL))
        return INVALID;
    if (!spec->time_limit_min)
        spec->time_limit_min = TIME_INFINITE;
    return 0;
}

int opt_immediate(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint64_t s = 1;
    if (!str_empty(arg) && !str_u64(arg, 0, INT32_MAX, &s))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for immediate.", arg);
    ((struct job_opts *)into)->spec.immediate_s = s ? (uint32_t)s : 1;
    return 0;
}

int opt_wait(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t s;
    if (!str_u64(arg, 0, INT32_MAX, &s))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    jo->wait_s = (uint32_t)s;
    jo->wait_set = true;
    return 0;
}

int opt_signal(const struct opt *o, void *into, const char *arg, struct err *err)
{
    Pb__JobSpec *spec = &((struct job_opts *)into)->spec;
    struct signal_spec s;
    if (signal_spec_parse(arg, &s, NULL))
        return INVALID;
    spec->signal = (uint32_t)s.signo;
    spec->signal_before_s = s.lead_s;
    spec->signal_batch = s.batch;
    spec->signal_resv = s.resv;
    return 0;
}

/* ---- nodes ---- */

/* A number with Slurm's k and m. */
static bool node_number(const char *text, size_t len, uint32_t *out)
{
    auto_free char *s = mem_strn(text, len);
    uint64_t scale = 1, n;
    if (len && strchr("kKmM", s[len - 1])) {
        scale = s[len - 1] == 'k' || s[len - 1] == 'K' ? 1024 : 1048576;
        s[len - 1] = 0;
    }
    if (!str_u64(s, 0, INT32_MAX, &n) || n * scale > INT32_MAX)
        return false;
    *out = (uint32_t)(n * scale);
    return true;
}

int opt_nodes(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint32_t min, max;
    if (strpbrk(arg, ",:"))
        return refuse_value(o, arg, err);
    const char *dash = strchr(arg, '-');
    size_t len = dash ? (size_t)(dash - arg) : strlen(arg);
    if (!node_number(arg, len, &min))
        return err_set(err, OPT_EXIT_USAGE, "\"%s\" is not a valid node count", arg);
    max = min;
    if (dash && !node_number(dash + 1, strlen(dash + 1), &max))
        return err_set(err, OPT_EXIT_USAGE, "\"%s\" is not a valid node count", arg);
    if (max && max < min)
        return err_set(err, OPT_EXIT_USAGE, "Maximum node count %u is less than minimum node count %u", max, min);
    jo->spec.min_nodes = min;
    jo->spec.max_nodes = max;
    jo->nodes_set = true;
    jo->zero_nodes = min == 0;
    return 0;
}

int opt_nodefile(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    auto_buf struct buf text = BUF_INIT;
    int rc = buf_read_file(&text, arg, NODEFILE_MAX);
    if (rc) {
        say_error("slurm_allocate_resources error opening file %s, %s", arg, err_text(rc));
        return err_set(err, OPT_EXIT_USAGE, "Invalid --nodefile node file");
    }
    auto_strs struct strs names = STRS_INIT;
    const char *pos = text.s ? text.s : "";
    for (char *line; (line = str_next(&pos, "\n")); free(line)) {
        line[strcspn(line, "#")] = '\0';
        strs_split(&names, line, " \t\r,");
    }
    if (!names.n) {
        say_error("Hostlist is empty!");
        return err_set(err, OPT_EXIT_USAGE, "Invalid --nodefile node file");
    }
    jo->spec.nodelist = (char *)keep_text(jo, strs_join(&names, ","));
    return 0;
}

int opt_relative(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint64_t n;
    if (!str_u64(arg, 0, INT32_MAX - 1, &n))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    ((struct job_opts *)into)->relative = (uint32_t)n + 1;
    return 0;
}

/* sockets[:cores[:threads]]; a star leaves one open. */
int opt_extra_node_info(const struct opt *o, void *into, const char *arg, struct err *err)
{
    static const char *const which[] = { "first", "second", "third" };
    struct job_opts *jo = into;
    Pb__JobSpec *spec = &jo->spec;
    jo->layout_set = true;
    uint32_t *field[] = { &spec->sockets_per_node, &spec->cores_per_socket, &spec->threads_per_core };
    const char *pos = arg;
    for (size_t i = 0; i < ARRAY_LEN(field); i++) {
        auto_free char *word = str_next(&pos, ":");
        uint64_t n;
        if (!word)
            return i ? 0 : INVALID;
        if (str_eq(word, "*"))
            continue;
        if (!str_u64(word, 1, INT32_MAX, &n))
            return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for %s arg of -B.", word, which[i]);
        *field[i] = (uint32_t)n;
    }
    return *pos ? INVALID : 0;
}

int opt_exclusive(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    if (str_empty(arg) || str_ieq(arg, "exclusive") || str_ieq(arg, "node"))
        jo->spec.exclusive = "yes";
    else if (str_ieq(arg, "user"))
        jo->spec.exclusive = "user";
    else if (str_ieq(arg, "topo"))
        jo->spec.exclusive = "topo";
    else if (str_ieq(arg, "mcs"))
        jo->spec.exclusive = "mcs";
    else
        return INVALID;
    return 0;
}

/* ---- memory and resources of a task ---- */

int opt_mem(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t mb;
    if (size_mb_parse(arg, &mb, NULL))
        return INVALID;
    jo->spec.mem_per_node_mb = mb;
    jo->spec.mem_all = mb == 0;
    jo->mem_set = true;
    return 0;
}

int opt_mem_per_cpu(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t mb;
    if (size_mb_parse(arg, &mb, NULL))
        return INVALID;
    jo->spec.mem_per_cpu_mb = mb;
    jo->spec.mem_all = mb == 0;
    jo->mem_per_cpu_set = true;
    return 0;
}

/* ":a100" and 2 are "a100:2" */
static char *gpus_text(struct job_opts *jo, const char *type, uint64_t count)
{
    const char *name = *type ? type + 1 : "";
    return (char *)keep_text(jo, mem_printf("%s%s%llu", name, *name ? ":" : "", (unsigned long long)count));
}

/* "cpu:2,gres/gpu:a100:1" is "cpu=2,gres/gpu:a100=1".  Yours. */
static char *with_equals(const char *arg)
{
    char *words = mem_str(arg);
    for (char *at = words, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",");
        char *colon = memchr(at, '=', (size_t)(end - at)) ? NULL : memrchr(at, ':', (size_t)(end - at));
        if (colon)
            *colon = '=';
    }
    return words;
}

int opt_tres_per_task(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    auto_tres struct tres_list list = TRES_INIT;
    auto_free char *words = with_equals(arg);
    if (tres_parse(words, &list, NULL))
        return INVALID;
    jo->tres_per_task = arg;
    for (size_t i = 0; i < list.n; i++) {
        const char *name = list.at[i].name;
        if (str_eq(name, "cpu"))
            jo->spec.cpus_per_task = (uint32_t)MIN(list.at[i].count, (uint64_t)INT32_MAX);
        else if (str_eq(name, "gres/gpu") || str_has_prefix(name, "gres/gpu:"))
            jo->spec.gpus_per_task = gpus_text(jo, name + strlen("gres/gpu"), list.at[i].count);
        else
            return err_set(err, OPT_EXIT_VALUE, "--tres-per-task: %s is not supported by this release of Spur", name);
    }
    return 0;
}

/* ---- user and priority ---- */

int opt_uid(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t n;
    const struct passwd *pw = str_u64(arg, 0, UINT32_MAX - 2, &n) ? getpwuid((uid_t)n) : getpwnam(arg);
    if (!pw)
        return INVALID;
    if (geteuid() != 0)
        return err_set(err, OPT_EXIT_VALUE, "--uid only permitted by root user");
    jo->uid = pw->pw_uid;
    jo->has_uid = true;
    if (!jo->has_gid)
        jo->gid = pw->pw_gid;
    return 0;
}

int opt_gid(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t n;
    const struct group *gr = str_u64(arg, 0, UINT32_MAX - 2, &n) ? getgrgid((gid_t)n) : getgrnam(arg);
    if (!gr)
        return INVALID;
    if (geteuid() != 0)
        return err_set(err, OPT_EXIT_VALUE, "--gid only permitted by root user");
    jo->gid = gr->gr_gid;
    jo->has_gid = true;
    return 0;
}

/* What is not a number counts as 0: so does Slurm. */
int opt_nice(const struct opt *o, void *into, const char *arg, struct err *err)
{
    long long n = str_empty(arg) ? NICE_DEFAULT : strtoll(arg, NULL, 10);
    if (n > NICE_MAX || n < -NICE_MAX)
        return err_set(err, OPT_EXIT_VALUE, "Nice value out of range (+/- %u). Value ignored", (unsigned)NICE_MAX);
    ((struct job_opts *)into)->spec.nice = (int32_t)n;
    return 0;
}

int opt_priority(const struct opt *o, void *into, const char *arg, struct err *err)
{
    Pb__JobSpec *spec = &((struct job_opts *)into)->spec;
    unsigned long long n = str_ieq(arg, "TOP") ? UINT32_MAX - 1 : strtoull(arg, NULL, 10);
    if (n >= UINT32_MAX)
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    spec->priority = (uint32_t)n;
    spec->has_priority = 1;
    return 0;
}

/* ---- words ---- */

int opt_job_name(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    jo->spec.name = (char *)arg;
    jo->name_set = true;
    return 0;
}

static int yes_no(const char *arg, int *yes, int *no)
{
    *yes = str_ieq(arg, "yes");
    *no = str_ieq(arg, "no");
    return *yes || *no ? 0 : INVALID;
}

int opt_kill_invalid(const struct opt *o, void *into, const char *arg, struct err *err)
{
    Pb__JobSpec *spec = &((struct job_opts *)into)->spec;
    return yes_no(arg, &spec->kill_on_invalid_dep, &spec->no_kill_on_invalid_dep);
}

int opt_kill_on_bad_exit(const struct opt *o, void *into, const char *arg, struct err *err)
{
    struct job_opts *jo = into;
    uint64_t n = 1;
    if (!str_empty(arg) && !str_u64(arg, 0, INT32_MAX, &n))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    jo->kill_on_bad_exit = n != 0;
    jo->kill_set = true;
    return 0;
}

int opt_no_kill(const struct opt *o, void *into, const char *arg, struct err *err)
{
    if (!str_empty(arg) && !is_word("set,off,no,yes,0,1", arg))
        return INVALID;
    ((struct job_opts *)into)->spec.no_kill = !str_ieq(arg, "off") && !str_ieq(arg, "no");
    return 0;
}

int opt_requeue(const struct opt *o, void *into, const char *arg, struct err *err)
{
    if (str_ieq(arg, "expedite"))
        return refuse_value(o, arg, err);
    if (arg)
        return INVALID;
    ((struct job_opts *)into)->spec.requeue = PB__REQUEUE__REQUEUE_YES;
    return 0;
}

int opt_no_requeue(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct job_opts *)into)->spec.requeue = PB__REQUEUE__REQUEUE_NO;
    return 0;
}

int opt_open_mode(const struct opt *o, void *into, const char *arg, struct err *err)
{
    Pb__JobSpec *spec = &((struct job_opts *)into)->spec;
    if (*arg && strchr("aA", *arg))
        spec->open_mode = PB__OPEN_MODE__OPEN_APPEND;
    else if (*arg && strchr("tT", *arg))
        spec->open_mode = PB__OPEN_MODE__OPEN_TRUNCATE;
    else
        return INVALID;
    return 0;
}

int opt_overlap(const struct opt *o, void *into, const char *arg, struct err *err)
{
    ((struct job_opts *)into)->overlap = !str_ieq(arg, "no");
    return 0;
}

int opt_wait_all_nodes(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint64_t n;
    if (!str_u64(arg, 0, 1, &n))
        return err_set(err, OPT_EXIT_VALUE, "Invalid numeric value \"%s\" for --%s.", arg, o->name);
    ((struct job_opts *)into)->spec.wait_all_nodes = n ? PB__CHOICE__CHOICE_YES : PB__CHOICE__CHOICE_NO;
    return 0;
}

int opt_mail_type(const struct opt *o, void *into, const char *arg, struct err *err)
{
    static const char known[] = "NONE,BEGIN,END,FAIL,REQUEUE,ALL,INVALID_DEPEND,STAGE_OUT,TIME_LIMIT,TIME_LIMIT_50,"
                                "TIME_LIMIT_80,TIME_LIMIT_90,ARRAY_TASKS";
    for (const char *pos = arg;;) {
        auto_free char *word = str_next(&pos, ",");
        if (!word)
            break;
        for (char *p = word; *p; p++)
            *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
        if (!str_in_list(known, word))
            return INVALID;
    }
    ((struct job_opts *)into)->spec.mail_type = (char *)arg;
    return 0;
}

int opt_mpi(const struct opt *o, void *into, const char *arg, struct err *err)
{
    if (str_ieq(arg, "list"))
        ((struct job_opts *)into)->mpi_list = true;
    else
        ((struct job_opts *)into)->mpi = arg; /* srun looks whether it is here once it knows its command */
    return 0;
}

/* ---- options of which this release knows the harmless half ---- */

int opt_acctg_freq(const struct opt *o, void *into, const char *arg, struct err *err)
{
    uint32_t every_s;
    if (!freq_parse(arg, &every_s))
        return err_set(err, OPT_EXIT_USAGE, "Invalid --acctg-freq specification: %s", arg);
    ((struct job_opts *)into)->spec.acctg_freq = (char *)arg;
    return 0;
}

int opt_profile(const struct opt *o, void *into, const char *arg, struct err *err)
{
    if (is_word("all,energy,task,filesystem,lustre,network", arg) || strchr(arg, ','))
        return refuse_value(o, arg, err);
    if (!str_ieq(arg, "none"))
        return err_set(err, OPT_EXIT_USAGE, "invalid --profile=%s option", arg);
    ((struct job_opts *)into)->spec.profile = "None";
    return 0;
}

