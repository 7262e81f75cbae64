/* rlimits - the resource limits of the submitting shell, given to the job; see rlimits.h. */
#include "step/rlimits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/str.h"

/* clang-format off */
static const struct {
    const char *name;
    int what;
} table[] = {
    { "AS", RLIMIT_AS },         { "CORE", RLIMIT_CORE },       { "CPU", RLIMIT_CPU },     { "DATA", RLIMIT_DATA },
    { "FSIZE", RLIMIT_FSIZE },   { "MEMLOCK", RLIMIT_MEMLOCK }, { "NOFILE", RLIMIT_NOFILE }, { "NPROC", RLIMIT_NPROC },
    { "RSS", RLIMIT_RSS },       { "STACK", RLIMIT_STACK },
};
/* clang-format on */

/* Set as much of `soft` as this node allows; with privilege the hard limit is raised, too. */
static int apply_one(int what, rlim_t soft)
{
    struct rlimit now;
    if (getrlimit(what, &now) || now.rlim_cur == soft)
        return 0;
    struct rlimit want = { soft, MAX(now.rlim_max, soft) };
    if (!setrlimit(what, &want))
        return 0;
    int rc = errno;
    want = (struct rlimit){ MIN(soft, now.rlim_max), now.rlim_max };
    setrlimit(what, &want);
    return rc;
}

void rlimits_apply(Pb__Rlimit *const *limits, size_t n, rlimits_say_fn *say, void *arg)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ARRAY_LEN(table); k++) {
            if (!str_eq(table[k].name, limits[i]->name))
                continue;
            rlim_t soft = limits[i]->soft == UINT64_MAX ? RLIM_INFINITY : (rlim_t)limits[i]->soft;
            int rc = apply_one(table[k].what, soft);
            char text[160];
            if (!rc || !limits[i]->asked)
                continue;
            snprintf(text, sizeof(text), "Can't propagate RLIMIT_%s of %llu from submit host: %s", table[k].name,
                     (unsigned long long)limits[i]->soft, strerror(rc));
            say(arg, text);
        }
}
