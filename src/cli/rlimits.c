/* rlimits - which limits go with a job; see rlimits.h. */
#include "cli/rlimits.h"

#include <sys/resource.h>

#include "base/str.h"
#include "cli/say.h"
#include "text/opt.h"

static const struct limit {
    const char *name;
    int resource;
} limits[] = {
    { "CPU", RLIMIT_CPU },     { "FSIZE", RLIMIT_FSIZE }, { "DATA", RLIMIT_DATA },   { "STACK", RLIMIT_STACK },
    { "CORE", RLIMIT_CORE },   { "RSS", RLIMIT_RSS },     { "NPROC", RLIMIT_NPROC }, { "NOFILE", RLIMIT_NOFILE },
    { "MEMLOCK", RLIMIT_MEMLOCK }, { "AS", RLIMIT_AS },
};

#define ALL ((1u << ARRAY_LEN(limits)) - 1)

static const char *rlimit_bare_name(const char *name)
{
    return str_has_iprefix(name, "RLIMIT_") ? name + strlen("RLIMIT_") : name;
}

/* The bits of a list; false and the word in `*wrong` when one is unknown. */
static bool rlimits_parse(const char *list, unsigned *bits, char **wrong)
{
    *bits = 0;
    if (str_empty(list) || str_ieq(list, "ALL")) {
        *bits = ALL;
        return true;
    }
    if (str_ieq(list, "NONE"))
        return true;
    for (const char *pos = list;;) {
        auto_free char *word = str_next(&pos, ", ");
        size_t i = 0;
        if (!word)
            return true;
        while (i < ARRAY_LEN(limits) && !str_ieq(limits[i].name, rlimit_bare_name(word)))
            i++;
        if (i == ARRAY_LEN(limits)) {
            *wrong = take(word);
            return false;
        }
        *bits |= 1u << i;
    }
}

static unsigned by_configuration(const struct site *site)
{
    unsigned bits = ALL, except = 0;
    auto_free char *wrong = NULL;
    if (!site)
        return ALL;
    if (!str_empty(site->propagate_limits_except))
        return rlimits_parse(site->propagate_limits_except, &except, &wrong) ? ALL & ~except : ALL;
    return rlimits_parse(site->propagate_limits, &bits, &wrong) ? bits : ALL;
}

static void rlimits_push(rlimits_vec *out, const struct limit *l, bool asked)
{
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)l->resource, &now))
        return;
    Pb__Rlimit *r = mem_alloc(sizeof(*r));
    pb__rlimit__init(r);
    r->name = (char *)l->name;
    r->soft = now.rlim_cur;
    r->hard = now.rlim_max;
    r->asked = asked;
    vec_push(out, r);
}

int rlimits_fill(rlimits_vec *out, const char *propagate, const struct site *site, struct err *err)
{
    unsigned bits;
    auto_free char *wrong = NULL;
    if (!propagate)
        bits = by_configuration(site);
    else if (!rlimits_parse(propagate, &bits, &wrong)) {
        say_error("Bad rlimit name: %s", wrong);
        return err_set(err, OPT_EXIT_VALUE, "--propagate=%s is not valid.", propagate);
    }
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        if (bits & (1u << i))
            rlimits_push(out, &limits[i], propagate != NULL);
    return 0;
}

void rlimits_clear(rlimits_vec *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->at[i]);
    vec_clear(v);
}
