/* job_opts_hosts - nodes by file, and a node for each task; see job_opts_hosts.h. */
#include "cli/job_opts_hosts.h"

#include "base/buf.h"
#include "base/str.h"
#include "cli/say.h"
#include "text/hostlist.h"

#define FILE_MAX (1u << 20)
#define TIMES_MAX 65536

static const char *keep(struct job_opts *o, char *text)
{
    strs_take(&o->owned, text);
    return text;
}

/* "n1" or "n1*3"; false: it is neither. */
static bool add_word(struct strs *out, char *word)
{
    uint64_t times = 1;
    char *star = strchr(word, '*');
    if (star && !str_u64(star + 1, 1, TIMES_MAX, &times))
        return false;
    if (star)
        *star = 0;
    auto_strs struct strs names = STRS_INIT;
    if (hostlist_expand(word, &names, NULL))
        return false;
    for (uint64_t i = 0; i < times; i++)
        for (size_t k = 0; k < names.n; k++)
            strs_add(out, names.at[k]);
    return true;
}

/* Names between blanks, line ends and commas; a # begins a comment. */
static int read_file(const char *path, struct strs *out, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    int rc = buf_read_file(&text, path, FILE_MAX);
    if (rc) {
        say_error("slurm_allocate_resources error opening file %s%s, %s", strchr(path, '/') ? "" : "./", path, err_text(rc));
        return err_set(err, OPT_EXIT_VALUE, "Failure getting NodeNames from hostfile");
    }
    const char *lines = text.s ? text.s : "";
    for (char *line; (line = str_next(&lines, "\r\n")); free(line)) {
        line[strcspn(line, "#")] = 0;
        const char *pos = line;
        for (char *word; (word = str_next(&pos, " \t")); free(word))
            if (!add_word(out, word))
                rc = err_set(err, OPT_EXIT_VALUE, "Invalid node name \"%s\" in %s", word, path);
    }
    return rc;
}

static bool is_arbitrary(const struct job_opts *o)
{
    const char *how = str_or(o->spec.distribution, "");
    size_t n = strcspn(how, ":,");
    return n == strlen("arbitrary") && !strncasecmp(how, "arbitrary", n);
}

static char *once_each(const struct strs *names)
{
    auto_strs struct strs each = STRS_INIT;
    for (size_t i = 0; i < names->n; i++)
        if (!strs_has(&each, names->at[i]))
            strs_add(&each, names->at[i]);
    return strs_join(&each, ",");
}

/* The list is a node for each task: as many tasks as are asked for, or all. */
static void one_each(struct job_opts *o, struct strs *names)
{
    Pb__JobSpec *spec = &o->spec;
    while (spec->ntasks && names->n > spec->ntasks)
        free(names->at[--names->n]);
    if (!spec->ntasks)
        spec->ntasks = (uint32_t)names->n;
    o->hosts = keep(o, strs_join(names, ","));
}

int job_opts_hosts(struct job_opts *o, struct err *err)
{
    Pb__JobSpec *spec = &o->spec;
    const char *file = getenv("SLURM_HOSTFILE");
    bool each = is_arbitrary(o), by_file = !str_empty(spec->nodelist) && strchr(spec->nodelist, '/');
    auto_strs struct strs names = STRS_INIT;
    int rc = 0;
    if (by_file)
        rc = read_file(spec->nodelist, &names, err);
    else if (each && !str_empty(spec->nodelist))
        rc = hostlist_expand(spec->nodelist, &names, err) ? OPT_EXIT_VALUE : 0;
    else if (each && !str_empty(file))
        rc = read_file(file, &names, err);
    else if (each)
        return err_set(err, OPT_EXIT_VALUE, "With Arbitrary distribution you need to specify a nodelist or hostfile with the -w option");
    if (rc || !names.n)
        return rc;
    if (each)
        one_each(o, &names);
    spec->nodelist = (char *)keep(o, once_each(&names));
    return 0;
}
