/* license - see license.h. */
#include "core/license.h"

#include <stdlib.h>

#include "base/errnum.h"
#include "base/str.h"
#include "core/cluster_priv.h"

void license_clear(struct license_table *t)
{
    for (size_t i = 0; i < t->n; i++)
        free(t->at[i].name);
    vec_clear(t);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct license *)a)->name, ((const struct license *)b)->name);
}

int license_find(const struct cluster *c, const char *name)
{
    size_t lo = 0, hi = c->licenses.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int way = strcmp(name, c->licenses.at[mid].name);
        if (!way)
            return (int)mid;
        if (way < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return -1;
}

/* ---- the licences of jobs ---- */

static void count_licenses(struct cluster *c, const struct job *j, bool take_it)
{
    for (size_t i = 0; i < j->licenses.n; i++) {
        int at = license_find(c, j->licenses.at[i].name);
        if (at < 0)
            continue; /* no longer configured: not counted */
        uint64_t *used = &c->licenses.at[at].used;
        *used = take_it ? *used + j->licenses.at[i].count : *used - MIN(*used, j->licenses.at[i].count);
    }
}

bool license_held(const struct job *j)
{
    return j->licenses.n && j->licenses_held;
}

void license_take(struct cluster *c, struct job *j)
{
    if (!j->licenses.n || j->licenses_held)
        return;
    j->licenses_held = true;
    count_licenses(c, j, true);
}

void license_return(struct cluster *c, struct job *j)
{
    if (!license_held(j))
        return;
    j->licenses_held = false;
    count_licenses(c, j, false);
}

void license_forget(struct job *j)
{
    license_list_clear(&j->licenses);
    j->licenses_held = false;
}

void license_set(struct job *j, Pb__License *const *pb, size_t n)
{
    license_forget(j);
    for (size_t i = 0; i < n; i++)
        vec_push(&j->licenses, ((struct license_item){ mem_str(pb[i]->name), pb[i]->count }));
}

void license_change(struct cluster *c, struct job *j, Pb__License *const *pb, size_t n)
{
    bool holds = job_holds_nodes(j) && !(j->state & JOB_COMPLETING);
    license_return(c, j);
    license_set(j, pb, n);
    if (holds)
        license_take(c, j);
}

Pb__License **license_to_pb(const struct license_list *l)
{
    if (!l->n)
        return NULL;
    Pb__License **out = mem_alloc(l->n * (sizeof(*out) + sizeof(**out)));
    Pb__License *at = (Pb__License *)(out + l->n);
    for (size_t i = 0; i < l->n; i++) {
        out[i] = &at[i];
        pb__license__init(out[i]);
        out[i]->name = l->at[i].name;
        out[i]->count = l->at[i].count;
    }
    return out;
}

Pb__License **license_given(const struct license_list *l, uint32_t which, size_t *n)
{
    bool one = which && which <= l->n;
    struct license_list some = { one ? &l->at[which - 1] : l->at, one ? 1 : l->n, 0, false };
    *n = some.n;
    return license_to_pb(&some);
}

/* ---- what there is ---- */

void license_config(struct cluster *c, Pb__License *const *pb, size_t n)
{
    license_clear(&c->licenses);
    for (size_t i = 0; i < n; i++)
        vec_push(&c->licenses, ((struct license){ mem_str(pb[i]->name), pb[i]->count, 0 }));
    if (n)
        qsort(c->licenses.at, n, sizeof(*c->licenses.at), by_name);
    for (struct job *j = c->active.head; j; j = j->next)
        if (license_held(j))
            count_licenses(c, j, true);
}

int license_check(const struct cluster *c, const struct license_list *l, bool more, struct err *err)
{
    for (size_t i = 0; i < l->n; i++) {
        int at = license_find(c, l->at[i].name);
        if (at < 0)
            return err_set(err, ESLURM_INVALID_LICENSES, "there is no licence %s", l->at[i].name);
        if (!more && c->licenses.at[at].total < l->at[i].count)
            return err_set(err, ESLURM_INVALID_LICENSES, "there are %llu of licence %s, not %llu",
                           (unsigned long long)c->licenses.at[at].total, l->at[i].name,
                           (unsigned long long)l->at[i].count);
    }
    return 0;
}
