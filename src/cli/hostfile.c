/* hostfile - nodes by the lines of a file; see hostfile.h. */
#include "cli/hostfile.h"

#include "base/buf.h"
#include "base/str.h"
#include "cli/say.h"
#include "text/hostlist.h"

#define FILE_MAX (1u << 20)

static int no_file(const char *path, int rc)
{
    say_error("slurm_allocate_resources error opening file %s%s, %s", strchr(path, '/') ? "" : "./", path,
              strerror(rc));
    say_error("Failure getting NodeNames from hostfile");
    return say_exit(1);
}

/* One expression a line; what follows a '#' does not count. */
static int read_names(const char *path, struct strs *out)
{
    auto_buf struct buf text = BUF_INIT;
    struct err err = ERR_INIT;
    int rc = buf_read_file(&text, path, FILE_MAX);
    if (rc)
        return no_file(path, rc);
    const char *pos = text.s ? text.s : "";
    for (char *line; (line = str_next(&pos, "\n")); free(line)) {
        line[strcspn(line, "#")] = '\0';
        rc = hostlist_expand(str_trim(line), out, &err);
        if (!rc)
            continue;
        say_error("%s: %s", path, err.text);
        free(line);
        return say_exit(1);
    }
    return 0;
}

static int names_of(const struct job_opts *o, struct strs *out)
{
    const char *list = o->spec.nodelist, *file = getenv("SLURM_HOSTFILE");
    struct err err = ERR_INIT;
    if (!str_empty(list) && strchr(list, '/'))
        return read_names(list, out);
    if (!str_empty(list)) {
        hostlist_expand(list, out, &err); /* a list that does not parse is reported with the other options */
        return 0;
    }
    if (!str_empty(file))
        return read_names(file, out);
    say_error("With Arbitrary distribution you need to specify a nodelist or hostfile with the -w option");
    return say_exit(1);
}

int hostfile_read(struct job_opts *o, char **hosts)
{
    bool arbitrary = str_has_iprefix(o->spec.distribution, "arbitrary");
    bool file = !str_empty(o->spec.nodelist) && strchr(o->spec.nodelist, '/');
    *hosts = NULL;
    if (!arbitrary && !file)
        return 0;
    auto_strs struct strs names = STRS_INIT;
    int rc = names_of(o, &names);
    if (rc || !names.n)
        return rc;
    if (arbitrary && !o->spec.ntasks)
        o->spec.ntasks = (uint32_t)names.n;
    while (arbitrary && names.n > o->spec.ntasks)
        free(names.at[--names.n]);
    auto_strs struct strs once = STRS_INIT;
    for (size_t i = 0; i < names.n; i++)
        if (!strs_has(&once, names.at[i]))
            strs_add(&once, names.at[i]);
    strs_take(&o->owned, strs_join(&once, ","));
    o->spec.nodelist = o->owned.at[o->owned.n - 1];
    *hosts = arbitrary ? strs_join(&names, ",") : NULL;
    return 0;
}
