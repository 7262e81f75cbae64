/* limits - Slurm's limits as text, by one table of kinds; see limits.h. */
#include "text/limits.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "text/time.h"
#include "text/tres.h"

#define NAMES 3

/* A kind's names; the first is the one that is written. */
static const struct row {
    enum limit_what what;
    enum limit_scope scope;
    const char *qos[NAMES], *assoc[NAMES];
} rows[] = {
    { LIMIT_JOBS, LIMIT_GROUP, { "GrpJobs" }, { "GrpJobs" } },
    { LIMIT_SUBMIT, LIMIT_GROUP, { "GrpSubmitJobs", "GrpSubmit" }, { "GrpSubmitJobs", "GrpSubmit" } },
    { LIMIT_TRES, LIMIT_GROUP, { "GrpTRES" }, { "GrpTRES" } },
    { LIMIT_MINS, LIMIT_GROUP, { "GrpTRESMins" }, { "GrpTRESMins" } },
    { LIMIT_RUN_MINS, LIMIT_GROUP, { "GrpTRESRunMins", "GrpTRESRunMin" }, { "GrpTRESRunMins", "GrpTRESRunMin" } },
    { LIMIT_WALL, LIMIT_GROUP, { "GrpWall" }, { "GrpWall" } },
    { LIMIT_JOBS, LIMIT_USER, { "MaxJobsPerUser", "MaxJobsPU", "MaxJobs" }, { "MaxJobs" } },
    { LIMIT_SUBMIT,
      LIMIT_USER,
      { "MaxSubmitJobsPerUser", "MaxSubmitPU", "MaxSubmitJobs" },
      { "MaxSubmitJobs", "MaxSubmit" } },
    { LIMIT_TRES, LIMIT_USER, { "MaxTRESPerUser", "MaxTRESPU" }, { NULL } },
    { LIMIT_RUN_MINS, LIMIT_USER, { "MaxTRESRunMinsPerUser", "MaxTRESRunMinsPU" }, { NULL } },
    { LIMIT_JOBS, LIMIT_ACCOUNT, { "MaxJobsPerAccount", "MaxJobsPA" }, { NULL } },
    { LIMIT_SUBMIT, LIMIT_ACCOUNT, { "MaxSubmitJobsPerAccount", "MaxSubmitPA" }, { NULL } },
    { LIMIT_TRES, LIMIT_ACCOUNT, { "MaxTRESPerAccount", "MaxTRESPA" }, { NULL } },
    { LIMIT_RUN_MINS, LIMIT_ACCOUNT, { "MaxTRESRunMinsPerAccount", "MaxTRESRunMinsPA" }, { NULL } },
    { LIMIT_TRES, LIMIT_JOB, { "MaxTRESPerJob", "MaxTRES" }, { "MaxTRESPerJob", "MaxTRES" } },
    { LIMIT_TRES, LIMIT_NODE, { "MaxTRESPerNode" }, { "MaxTRESPerNode" } },
    { LIMIT_MINS, LIMIT_JOB, { "MaxTRESMinsPerJob", "MaxTRESMins" }, { "MaxTRESMinsPerJob", "MaxTRESMins" } },
    { LIMIT_WALL, LIMIT_JOB, { "MaxWallDurationPerJob", "MaxWall" }, { "MaxWallDurationPerJob", "MaxWall" } },
    { LIMIT_MIN_TRES, LIMIT_JOB, { "MinTRESPerJob", "MinTRES" }, { NULL } },
    { LIMIT_ACCRUE, LIMIT_GROUP, { "GrpJobsAccrue" }, { "GrpJobsAccrue" } },
    { LIMIT_ACCRUE, LIMIT_USER, { "MaxJobsAccruePU", "MaxJobsAccruePerUser" }, { "MaxJobsAccrue" } },
    { LIMIT_ACCRUE, LIMIT_ACCOUNT, { "MaxJobsAccruePA", "MaxJobsAccruePerAccount" }, { NULL } },
    { LIMIT_MIN_PRIO, LIMIT_JOB, { "MinPrioThreshold", "MinPrioThres" }, { "MinPrioThreshold", "MinPrioThres" } },
};

/* Old spellings of a TRES limit: the rest of the name says which. */
static const struct {
    const char *old, *key, *tres;
} olds[] = {
    { "GrpCPUs", "GrpTRES", "cpu" },           { "GrpNodes", "GrpTRES", "node" },
    { "GrpMem", "GrpTRES", "mem" },            { "GrpCPUMins", "GrpTRESMins", "cpu" },
    { "GrpCPURunMins", "GrpTRESRunMins", "cpu" }, { "MaxCPUsPerJob", "MaxTRESPerJob", "cpu" },
    { "MaxNodesPerJob", "MaxTRESPerJob", "node" }, { "MaxCPUMinsPerJob", "MaxTRESMinsPerJob", "cpu" },
    { "MaxCPUsPerUser", "MaxTRESPerUser", "cpu" }, { "MaxNodesPerUser", "MaxTRESPerUser", "node" },
};

static bool of_tres(const struct row *r)
{
    return r->what == LIMIT_TRES || r->what == LIMIT_MIN_TRES || r->what == LIMIT_MINS || r->what == LIMIT_RUN_MINS;
}

static const struct row *row_of(const char *key, bool qos)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (size_t k = 0; k < NAMES; k++) {
            const char *name = qos ? rows[i].qos[k] : rows[i].assoc[k];
            if (name && str_ieq(name, key))
                return &rows[i];
        }
    return NULL;
}

static const char *old_tres(const char **key)
{
    for (size_t i = 0; i < ARRAY_LEN(olds); i++)
        if (str_ieq(olds[i].old, *key)) {
            *key = olds[i].key;
            return olds[i].tres;
        }
    return NULL;
}

bool limit_known(const char *key, bool qos)
{
    old_tres(&key);
    return row_of(key, qos) != NULL;
}

bool limit_is_tres(const char *key, bool qos)
{
    const struct row *r = row_of(key, qos);
    return r && of_tres(r);
}

void limit_list_clear(struct limit_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i].tres);
    vec_clear(l);
}

static struct limit *limit_find(const struct limit_list *l, enum limit_what what, enum limit_scope scope,
                                const char *tres)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].what == what && l->at[i].scope == scope && str_eq(str_or(l->at[i].tres, ""), str_or(tres, "")))
            return &l->at[i];
    return NULL;
}

void limit_set(struct limit_list *l, enum limit_what what, enum limit_scope scope, const char *tres, uint64_t max)
{
    struct limit *old = limit_find(l, what, scope, tres);
    if (old && max != LIMIT_NONE) {
        old->max = max;
    } else if (old) {
        free(old->tres);
        vec_remove(l, (size_t)(old - l->at));
    } else if (max != LIMIT_NONE) {
        struct limit one = { what, scope, tres ? mem_str(tres) : NULL, max };
        vec_push(l, one);
    }
}

uint64_t limit_get(const struct limit_list *l, enum limit_what what, enum limit_scope scope, const char *tres)
{
    const struct limit *one = limit_find(l, what, scope, tres);
    return one ? one->max : LIMIT_NONE;
}

static bool good_name(const char *s)
{
    const char *all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/:.-";
    return *s >= 'A' && !s[strspn(s, all)];
}

static int parse_tres(const struct row *r, const char *tres, const char *value, struct limit_list *into,
                      struct err *err)
{
    auto_tres struct tres_list list = TRES_INIT;
    auto_free char *text = tres ? mem_printf("%s=%s", tres, value) : mem_str(value);
    int rc = tres_parse(text, &list, err);
    for (size_t i = 0; !rc && i < list.n; i++)
        if (!good_name(list.at[i].name))
            rc = err_set(err, EINVAL, "\"%.128s\" is no TRES", list.at[i].name);
    for (size_t i = 0; !rc && i < list.n; i++)
        limit_set(into, r->what, r->scope, list.at[i].name,
                  list.at[i].count == TRES_UNLIMITED ? LIMIT_NONE : list.at[i].count);
    return rc;
}

static int parse_number(const struct row *r, const char *value, uint64_t *out, struct err *err)
{
    uint32_t minutes;
    if (str_eq(value, "-1") || str_ieq(value, "unlimited")) {
        *out = LIMIT_NONE;
        return 0;
    }
    if (r->what != LIMIT_WALL)
        return str_u64(value, 0, LIMIT_NONE - 1, out) ? 0 : err_set(err, EINVAL, "it is not a number");
    int rc = time_limit_parse(value, &minutes, err);
    *out = minutes;
    return rc;
}

int limit_parse(const char *key, const char *value, bool qos, struct limit_list *into, struct err *err)
{
    const char *name = key, *tres = old_tres(&key);
    const struct row *r = row_of(key, qos);
    uint64_t max;
    if (!r)
        return err_set(err, EINVAL, "%s is no limit of %s", name, qos ? "a QOS" : "an association");
    int rc = of_tres(r) ? parse_tres(r, tres, value, into, err) : parse_number(r, value, &max, err);
    if (rc)
        return err_prefix(err, "%s=%s", name, value);
    if (!of_tres(r))
        limit_set(into, r->what, r->scope, NULL, max);
    return 0;
}

static void add_row(struct buf *out, const struct row *r, const struct limit_list *l, const char *name)
{
    auto_tres struct tres_list list = TRES_INIT; /* in Slurm's order */
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].what == r->what && l->at[i].scope == r->scope)
            tres_set(&list, str_or(l->at[i].tres, ""), l->at[i].max);
    for (size_t i = 0; i < list.n; i++) {
        buf_addf(out, i ? "," : ":%s=", name);
        if (*list.at[i].name)
            buf_addf(out, "%s=", list.at[i].name);
        buf_addf(out, "%llu", (unsigned long long)list.at[i].count);
    }
}

char *limit_text(const struct limit_list *l, bool qos)
{
    struct buf out = BUF_INIT;
    buf_adds(&out, "");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *name = qos ? rows[i].qos[0] : rows[i].assoc[0];
        if (name)
            add_row(&out, &rows[i], l, name);
    }
    return out.s;
}
