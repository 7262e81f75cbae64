/*
 * feature - --constraint: which nodes have what it names.
 *
 * "a&b|c" and parentheses; '&' (or ',') binds closer than '|'.  Counts ("a*2") and
 * matching sets ("[a|b]") are refused with a sentence: they are not scheduled yet.
 */
#include <ctype.h>

#include "base/errnum.h"
#include "base/str.h"
#include "sched/sched_priv.h"

struct walk {
    const char *at;
    bool bad;
    bool (*has)(void *arg, const char *name, size_t len);
    void *arg;
};

static bool either(struct walk *w);

static bool one(struct walk *w)
{
    if (*w->at == '(') {
        w->at++;
        bool yes = either(w);
        if (*w->at == ')')
            w->at++;
        else
            w->bad = true;
        return yes;
    }
    size_t len = strcspn(w->at, "&|,()[]*");
    if (!len) {
        w->bad = true;
        return false;
    }
    bool yes = w->has(w->arg, w->at, len);
    w->at += len;
    return yes;
}

static bool both(struct walk *w)
{
    bool yes = one(w);
    while (!w->bad && (*w->at == '&' || *w->at == ',')) {
        w->at++;
        yes = one(w) && yes;
    }
    return yes;
}

static bool either(struct walk *w)
{
    bool yes = both(w);
    while (!w->bad && *w->at == '|') {
        w->at++;
        yes = both(w) || yes;
    }
    return yes;
}

static bool list_has(void *arg, const char *name, size_t len)
{
    for (const char *p = arg; p && *p;) {
        size_t n = strcspn(p, ",");
        if (n == len && !strncmp(p, name, len))
            return true;
        p += n + (p[n] == ',');
    }
    return false;
}

bool feature_match(const char *expr, const char *features)
{
    struct walk w = { .at = expr, .has = list_has, .arg = (void *)(uintptr_t)features };
    return either(&w) && !w.bad && !*w.at;
}

struct known {
    const struct cluster *c;
    const char *missing;
    size_t len;
};

static bool cluster_has(void *arg, const char *name, size_t len)
{
    struct known *k = arg;
    for (size_t i = 0; i < k->c->nnodes; i++)
        if (list_has(k->c->node[i].features, name, len))
            return true;
    if (!k->missing) {
        k->missing = name;
        k->len = len;
    }
    return false;
}

int feature_check(const struct cluster *c, const char *expr, struct err *err)
{
    struct known known = { .c = c };
    struct walk w = { .at = expr, .has = cluster_has, .arg = &known };
    either(&w);
    if (known.missing)
        return err_set(err, ESLURM_INVALID_FEATURE, "no node has the feature %.*s", (int)known.len, known.missing);
    if (!w.bad && !*w.at)
        return 0;
    if (strpbrk(expr, "*[]"))
        return err_set(err, ESLURM_INVALID_FEATURE, "feature counts and [sets] are not supported: %s", expr);
    return err_set(err, ESLURM_INVALID_FEATURE, "cannot read the constraint %s", expr);
}
