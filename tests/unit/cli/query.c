/* The commands that ask: every option, column and variable of Slurm's is known, and columns are cut and padded as
 * Slurm's. */
#include <stdlib.h>

#include "base/str.h"
#include "cli/jobref.h"
#include "cli/query_sets.h"
#include "cli/squeue.h"
#include "cli/states.h"
#include "core/job.h"
#include "show/node_group.h"
#include "show/sacct.h"
#include "show/step_usage.h"
#include "test.h"
#include "wire/usage.h"

static FILE *known(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/known/%s", SOURCE_DIR, name);
    FILE *f = fopen(path, "r");
    ok(f != NULL, "%s", path);
    return f;
}

static bool next_line(FILE *f, char *line, size_t size)
{
    if (!f || !fgets(line, (int)size, f))
        return false;
    line[strcspn(line, "\n")] = 0;
    return true;
}

/* ---- options ---- */

static const struct opt_set *const sets[] = { &squeue_set, &sinfo_set, &scancel_set, &scontrol_set,
                                              &sstat_set,  &sacct_set,  &sbcast_set,  &sattach_set,
                                              &sprio_set,  &sdiag_set };

/* The letter stands on one of the rows that do the same. */
static bool letter_is(const struct opt_set *set, char letter, const struct opt *like)
{
    for (const struct opt *o = set->table; o->cmds; o++)
        if (o->letter == letter)
            return o->type == like->type && (o->at == like->at || o->call == like->call);
    return false;
}

/* "-A, --account=<arg>", "--json[=<arg>]"; scontrol's list writes two of them without their argument. */
static void check_option(const struct opt_set *set, const char *line)
{
    char letter = 0, name[64] = "";
    const char *p = line;
    if (p[0] == '-' && p[1] != '-') {
        letter = p[1];
        p += 4;
    }
    sscanf(p, "--%63[^=[]", name);
    const struct opt *o = opt_find(set, name);
    bool takes = o && o->arg;
    bool arg = strchr(p, '=') != NULL;
    ok(o && (!letter || letter_is(set, letter, o) || set == &scontrol_set) && (takes == arg || set == &scontrol_set),
       "%s %s", set->command, line);
    ok(o && (o->type == OPT_REFUSED || o->help), "it does something, or is refused by name");
}

static bool has_env(const struct opt_set *set, const char *var)
{
    for (const struct opt *o = set->table; o->cmds; o++)
        if (o->env[0] && str_eq(o->env[0], var))
            return true;
    return false;
}

static void test_options(void)
{
    char name[64], line[256];
    for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
        snprintf(name, sizeof(name), "%s.options", sets[i]->command);
        auto_file FILE *f = known(name);
        while (next_line(f, line, sizeof(line)))
            check_option(sets[i], line);
        snprintf(name, sizeof(name), "%s.env", sets[i]->command);
        auto_file FILE *e = known(name);
        while (next_line(e, line, sizeof(line)))
            if (str_has_prefix(line, "SQUEUE_") || str_has_prefix(line, "SINFO_") || str_has_prefix(line, "SCANCEL_") ||
                str_has_prefix(line, "SCONTROL_") || str_has_prefix(line, "SBCAST_") ||
                (str_has_prefix(line, "SACCT_") && !str_eq(line, "SACCT_FORMAT"))) /* read where fields are chosen */
                ok(has_env(sets[i], line), "%s reads %s", sets[i]->command, line);
    }
}

/* ---- columns ---- */

static const struct show_field *shown(const struct show_table *t, const char *line)
{
    return line[0] == '%' ? show_find_letter(t, line[1]) : show_find(t, line, strlen(line));
}

/* squeue's list has a few names that even Slurm's squeue refuses for jobs; they are columns of steps. */
static void check_jobs(const char *file)
{
    char line[256];
    auto_file FILE *f = known(file);
    while (next_line(f, line, sizeof(line)))
        ok(shown(&show_job, line) || shown(&show_step, line) || str_eq(line, "Runtime"), "%s: %s", file, line);
}

static void check_table(const char *file, const struct show_table *t)
{
    char line[256];
    auto_file FILE *f = known(file);
    while (next_line(f, line, sizeof(line)))
        ok(shown(t, line), "%s: %s", file, line);
}

static int complaints;
static void complain(const char *what)
{
    complaints++;
}

static const struct show_env env = { .now_s = 1000, .array_len = 64, .cluster = "c" };

static Pb__JobSpec spec = PB__JOB_SPEC__INIT;

static Pb__Job a_job(void)
{
    Pb__Job j = PB__JOB__INIT;
    pb__job_spec__init(&spec);
    spec.name = (char *)"a_long_job_name";
    j.spec = &spec;
    j.id = 1234;
    j.state = JOB_PENDING;
    j.partition = (char *)"main";
    j.user_name = (char *)"ada";
    j.time_limit_min = 90;
    return j;
}

static void is_text(const struct show_columns *f, const struct job_row *row, const char *head, const char *text,
                    const char *what)
{
    auto_buf struct buf out = BUF_INIT;
    show_columns_head(f, &out);
    is_str(out.s, head, "%s: header", what);
    buf_reset(&out);
    show_columns_row(f, row, &out);
    is_str(out.s, text, "%s: row", what);
}

static void test_letters(void)
{
    static const struct { const char *spec, *head, *row; int bad;
    } cases[] = {
        { "%i|%.10i|%10i|", "JOBID|     JOBID|JOBID     |\n", "1234|      1234|1234      |\n", 0 },
        { "%.4j|%4j|%.20j|%20j|", "NAME|NAME|                NAME|NAME                |\n",
          "a_lo|a_lo|     a_long_job_name|a_long_job_name     |\n", 0 },
        { "plain text", "plain text\n", "plain text\n", 0 },
        { "%%", "\n", "\n", 0 },
        { "100%% %i", "100% JOBID\n", "100% 1234\n", 1 },
        { "%-10i|", "%-10i|\n", "%-10i|\n", 1 },
        { "%_", "%_\n", "%_\n", 1 },
        { "%1", "A\n", "N\n", 0 },
        { "%", "\n", "\n", 0 },
        { "", "\n", "\n", 0 },
        { "%i,%u;%t", "JOBID,USER;ST\n", "1234,ada;PD\n", 0 },
        { "%l %M %P", "TIME_LIMIT TIME PARTITION\n", "1:30:00 0:00 main\n", 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct show_columns f = { 0 };
        Pb__Job j = a_job();
        struct job_row row = { .job = &j, .env = &env };
        complaints = 0;
        show_columns_letters(&f, &show_job, cases[i].spec, complain);
        is_int(complaints, cases[i].bad, "-o '%s' is understood", cases[i].spec);
        is_text(&f, &row, cases[i].head, cases[i].row, cases[i].spec);
        show_columns_clear(&f);
    }
}

static void test_names(void)
{
    static const struct { const char *spec, *head, *row; int bad; } cases[] = {
        { "JobID,Name", "JOBID               NAME                \n", "1234                a_long_job_name     \n", 0 },
        { "jobid:8,name:6", "JOBID   NAME  \n", "1234    a_long\n", 0 },
        { "jobid:.8,name:.6", "   JOBID  NAME\n", "    1234a_long\n", 0 },
        { "jobid:8-,name:4", "JOBID   -NAME\n", "1234    -a_lo\n", 0 },
        { "jobid:6,nosuch", "JOBID \n", "1234  \n", 1 },
        { "jobid ,name:4", "NAME\n", "a_lo\n", 1 },
        { "jobid:", "JOBID\n", "1234\n", 0 },
        { "", "\n", "\n", 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct show_columns f = { 0 };
        Pb__Job j = a_job();
        struct job_row row = { .job = &j, .env = &env };
        complaints = 0;
        show_columns_names(&f, &show_job, cases[i].spec, complain);
        is_int(complaints, cases[i].bad, "-O '%s' is understood", cases[i].spec);
        is_text(&f, &row, cases[i].head, cases[i].row, cases[i].spec);
        show_columns_clear(&f);
    }
}

/* Every column of an empty record has a text and no accident. */
static void test_empty(void)
{
    Pb__Part p = PB__PART__INIT;
    struct part_row part = { .part = &p, .nodes = (char *)"" };
    struct node_group none = { .part = &part };
    for (const struct show_field *f = show_node_group.field; f->type; f++) {
        auto_buf struct buf out = BUF_INIT;
        buf_adds(&out, "|");
        show_text(&out, f, &none, SHOW_COLUMN);
        ok(out.len >= 1, "%s of no node", f->name ? f->name : f->json);
    }
}

/* ---- arrays ---- */

static void test_arrays(void)
{
    static const struct { const char *tasks; bool has_task; size_t max; bool set; const char *id, *task;
    } cases[] = {
        { "", false, 64, false, "1234", "" },
        { "", true, 64, false, "1234_7", "7" },
        { "1-4", false, 64, false, "1234_[1-4]", "1-4" },
        { "1,5,7-9%3", false, 64, false, "1234_[1,5,7-9%3]", "1,5,7-9%3" },
        { "1,3-4,6,8-9,11,13,15,17,19,21,23", false, 64, false, "1234_[1,3-4,6,8-9,11,13,15,17,1",
          "1,3-4,6,8-9,11,13,15,17,19,21,23" },
        { "1,3-4,6,8-9", false, 10, true, "1234_[1,3-4,...]", "1,3-4,..." },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        Pb__Job j = a_job();
        struct show_env how = { .array_len = cases[i].max, .array_len_set = cases[i].set };
        struct job_row row = { .job = &j, .env = &how };
        j.array_job = 1234;
        j.array_text = (char *)cases[i].tasks;
        j.has_task = cases[i].has_task;
        j.array_task = 7;
        auto_buf struct buf id = BUF_INIT, task = BUF_INIT;
        job_put_id(&id, &row);
        buf_addc(&id, 0);
        is_str(id.s, cases[i].id, "the id of '%s'", cases[i].tasks);
        job_put_tasks(&task, &row);
        is_str(task.len ? task.s : "", cases[i].task, "the tasks of '%s'", cases[i].tasks);
    }
}

/* ---- sorting ---- */

struct sample {
    uint32_t id, state, priority, limit;
    const char *name, *part;
};

static void sorted(const char *core_spec_text, const char *want)
{
    static const struct sample samples[] = {
        { 1, JOB_RUNNING, 1, 60, "m", "main" },  { 2, JOB_PENDING, 0, 5, "c", "main" },
        { 3, JOB_PENDING, 0, 20, "a", "short" }, { 4, JOB_PENDING, 1, 7, "b", "main" },
        { 5, JOB_PENDING, 1, 6, "b", "half" },
    };
    char bad = 0;
    struct sort_spec *s = sort_new(core_spec_text, false, &bad);
    struct sort_lines lines = { .spec = s };
    for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
        Pb__Job j = a_job();
        j.id = samples[i].id;
        j.state = samples[i].state;
        j.start_s = j.state == JOB_RUNNING ? 500 : 0;
        j.priority = samples[i].priority;
        j.time_limit_min = samples[i].limit;
        spec.name = (char *)samples[i].name;
        j.partition = (char *)samples[i].part;
        struct job_row row = { .job = &j, .env = &env };
        size_t at = lines.text.len;
        buf_addf(&lines.text, "%u", j.id);
        sort_add(&lines, at, &row, job_is_pending(&j) ? 100 - (int64_t)j.id : (int64_t)j.id);
    }
    sort_lines(&lines);
    auto_buf struct buf out = BUF_INIT;
    for (size_t i = 0; i < lines.line.n; i++)
        buf_add(&out, lines.text.s + lines.line.at[i].at, lines.line.at[i].len);
    is_str(out.s, want, "-S '%s'", core_spec_text);
    sort_clear(&lines);
    sort_free(s);
}

static void test_sort(void)
{
    char bad = 0;
    sorted("i", "12345");
    sorted("-i", "54321");
    sorted("j", "35421");
    sorted("j,i", "34521");
    sorted("-j,i", "12453");
    sorted("t", "54321");
    sorted("P,t,-p", "54213");
    sorted("l", "25431");
    sorted("", "15432");
    sorted("S", "12345");
    ok(!sort_new("r", false, &bad) && bad == 'r', "r is no column to sort by");
    ok(!sort_new("nosuch", false, &bad) && bad == 's', "the last wrong letter is named");
}

/* ---- ids and states ---- */

static void test_refs(void)
{
    static const struct { const char *text; bool steps, good; uint32_t job; bool has_task, has_step;
    } cases[] = {
        { "12", true, true, 12, false, false },
        { "12_3", true, true, 12, true, false },
        { "12_[1-3]", true, true, 12, false, false },
        { "12.0", true, true, 12, false, true },
        { "12_3.batch", true, true, 12, true, true },
        { "12_*", true, true, 12, false, false },
        { "12_", true, true, 12, false, false },
        { "12.0", false, false, 0, 0, 0 },
        { "0", true, false, 0, 0, 0 },
        { "abc", true, false, 0, 0, 0 },
        { "12_x", true, false, 0, 0, 0 },
        { "12_[", true, false, 0, 0, 0 },
        { "12_[3-1]", true, false, 0, 0, 0 },
        { "12.x", true, false, 0, 0, 0 },
        { "", true, false, 0, 0, 0 },
        { "-1", true, false, 0, 0, 0 },
        { "99999999999", true, false, 0, 0, 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct jobrefs refs = { 0 };
        bool good = jobrefs_add(&refs, cases[i].text, cases[i].steps);
        ok(good == cases[i].good, "'%s' is %sa job", cases[i].text, cases[i].good ? "" : "not ");
        if (good)
            ok(refs.ref.at[0]->job == cases[i].job && refs.ref.at[0]->has_task == cases[i].has_task &&
                   refs.ref.at[0]->has_step == cases[i].has_step,
               "'%s' is read", cases[i].text);
        jobrefs_clear(&refs);
    }
}

static void test_states(void)
{
    uint32_t s;
    ok(state_find("PD", &s) && s == JOB_PENDING && state_find("pending", &s) && s == JOB_PENDING, "PD is pending");
    ok(state_find("CG", &s) && state_matches(JOB_COMPLETED | JOB_COMPLETING, s) && !state_matches(JOB_RUNNING, s),
       "CG is a flag");
    ok(state_find("SE", &s) && !state_matches(JOB_RUNNING, s) && !state_matches(JOB_PENDING, s),
       "SE is known, and never");
    ok(!state_find("nosuch", &s), "nosuch is no state");
}

/* ---- sstat ---- */

static void test_sstat(void)
{
    char line[64];
    check_table("sacct.format", &show_sacct);
    auto_file FILE *f = known("sstat.format");
    while (next_line(f, line, sizeof(line)))
        ok(shown(&show_step_usage, line), "sstat shows %s", line);
    struct show_columns c = { 0 }, bars = { 0 };
    struct err err = ERR_INIT;
    auto_buf struct buf out = BUF_INIT;
    struct usage_sum u;
    usage_sum_init(&u);
    usage_sum_task(
        &u, 1, 7, (uint64_t[USAGE_METRICS]){ [USAGE_CPU_MS] = 3725000, [USAGE_RSS_KB] = 2048, [USAGE_READ] = 1000 });
    const char *names[] = { "n1", "n2" };
    struct step_usage_row row = { .job = 123456, .step = 3, .names = names, .nnames = 2,
                                  .usage = &u.pb, .nodes = "n2", .pids = "1,2" };
    static const char fields[] = "jobid%6,maxrss,maxrssn%-5,mincpu,maxdiskread,maxrsstask";
    is_int(show_columns_wide(&c, &show_step_usage, fields, (struct show_wide){ 0 }, &err), 0, "fields by name");
    show_columns_head(&c, &out);
    show_columns_row(&c, &row, &out);
    is_str(out.s,
           " JobID     MaxRSS MaxRS     MinCPU  MaxDiskRead MaxRSSTask \n"
           "------ ---------- ----- ---------- ------------ ---------- \n"
           "12345+         2M n2      01:02:05         1000          7 \n",
           "in columns, cut and padded");
    buf_reset(&out);
    show_columns_wide(&bars, &show_step_usage, fields, (struct show_wide){ .bars = true, .exact = true }, &err);
    show_columns_row(&bars, &row, &out);
    is_str(out.s, "123456.3|2097152|n2|01:02:05|1000|7\n", "or between bars, in bytes");
    is_int(show_columns_wide(&c, &show_step_usage, "bogus%3", (struct show_wide){ 0 }, &err), EINVAL, "no other field");
    is_str(err.text, "Invalid field requested: \"bogus\"", "it is named");
    show_columns_clear(&c);
    show_columns_clear(&bars);
}

int main(void)
{
    test_options();
    check_jobs("squeue.format");
    check_table("sinfo.format", &show_node_group);
    test_letters();
    test_names();
    test_empty();
    test_arrays();
    test_sort();
    test_refs();
    test_states();
    test_sstat();
    return test_done();
}
