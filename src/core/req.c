/* req - from a job_spec's text to numbers the scheduler can walk; see req.h. */
#include "core/req.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/gres.h"
#include "text/time.h"

static void add_gres(struct req *r, const struct gres_list *list, enum req_scope scope)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct gres *g = &list->at[i];
        r->gres = mem_grow(r->gres, r->ngres + 1, sizeof(*r->gres));
        r->gres[r->ngres++] = (struct req_gres){ mem_str(g->name), mem_str(g->type), g->count, scope };
    }
}

static int parse_gres(struct req *r, const char *text, bool gpus, enum req_scope scope, struct err *err)
{
    if (str_empty(text))
        return 0;
    auto_gres struct gres_list list = GRES_INIT;
    int rc = gpus ? gres_parse_gpus(text, &list, err) : gres_parse(text, &list, err);
    if (!rc)
        add_gres(r, &list, scope);
    return rc;
}

/* The second word of -m: "block:cyclic", "*:block"... */
static enum req_cores core_dist(const char *text)
{
    const char *second = str_empty(text) ? NULL : strchr(text, ':');
    if (!second)
        return CORES_DEFAULT;
    return str_has_iprefix(second + 1, "block")    ? CORES_BLOCK
           : str_has_iprefix(second + 1, "cyclic") ? CORES_CYCLIC
           : str_has_iprefix(second + 1, "fcyclic") ? CORES_CYCLIC
                                                    : CORES_DEFAULT;
}

static enum req_gres_bind gres_bind_of(const char *flags)
{
    if (str_empty(flags))
        return GRES_BIND_DEFAULT;
    return strcasestr(flags, "enforce-binding")   ? GRES_BIND_ENFORCE
           : strcasestr(flags, "disable-binding") ? GRES_BIND_DISABLE
                                                  : GRES_BIND_DEFAULT;
}

static char *text_or_null(const char *s)
{
    return str_empty(s) ? NULL : mem_str(s);
}

/* A time that does not parse is none: so does Slurm. */
int req_switches(const char *text, uint32_t *count, int64_t *wait_s)
{
    size_t n = strcspn(text, "@");
    auto_free char *number = mem_strn(text, n);
    uint64_t v;
    uint32_t secs;
    if (!str_u64(number, 1, UINT32_MAX - 1, &v))
        return EINVAL;
    *count = (uint32_t)v;
    *wait_s = text[n] && !time_secs_parse(text + n + 1, &secs, NULL) ? (int64_t)secs : -1;
    return 0;
}

/* Rows that the spec has under the same name; the other rows follow below. */
#define INIT_SPEC(name) .name = s->name,
#define INIT_TEXT(name) .name = text_or_null(s->name),
#define INIT_NUMBER(name)
#define INIT_GRES(name)
#define INIT_LICENSES(name)

int req_init(struct req *r, const Pb__JobSpec *s, struct err *err)
{
    *r = (struct req){
#define X(kind, type, name) INIT_##kind(name)
        REQ_FIELDS(X)
#undef X
        .min_nodes = MAX(s->min_nodes, 1u),
        .time_min = s->time_min_min,
        .ntasks_set = s->ntasks > 0,
        .cpus_per_task = MAX(s->cpus_per_task, 1u),
        .exclusive = str_eq(s->exclusive, "yes") || s->core_spec,
        .exclusive_user = str_eq(s->exclusive, "user"),
        .exclusive_topo = str_eq(s->exclusive, "topo"),
        .core_dist = core_dist(s->distribution),
        .gres_bind = gres_bind_of(s->gres_flags),
        .gives_way = s->signal_resv && s->signal ? s->signal_before_s + 1 : 0,
    };
    const struct {
        const char *text;
        bool gpus;
        enum req_scope scope;
    } asks[] = {
        { s->gres, false, REQ_PER_NODE },
        { s->gpus, true, REQ_PER_JOB },
        { s->gpus_per_node, true, REQ_PER_NODE },
        { s->gpus_per_task, true, REQ_PER_TASK },
        { s->gpus_per_socket, true, REQ_PER_SOCKET },
    };
    if (str_empty(s->switches) || req_switches(s->switches, &r->switches, &r->switch_wait_s))
        r->switches = 0;
    int rc = str_empty(s->licenses) ? 0 : license_parse(s->licenses, &r->licenses, err);
    for (size_t i = 0; !rc && i < ARRAY_LEN(asks); i++)
        rc = parse_gres(r, asks[i].text, asks[i].gpus, asks[i].scope, err);
    if (rc)
        req_clear(r);
    return rc;
}

/* ---- by the rows of req_fields.h ---- */

static void req_gres_clear(struct req *r)
{
    for (uint32_t i = 0; i < r->ngres; i++) {
        free(r->gres[i].name);
        free(r->gres[i].type);
    }
    free(r->gres);
}

static void req_gres_copy(struct req *to, const struct req *from)
{
    to->ngres = from->ngres;
    to->gres = from->ngres ? mem_array(from->ngres, sizeof(*to->gres)) : NULL;
    for (uint32_t i = 0; i < from->ngres; i++) {
        to->gres[i] = from->gres[i];
        to->gres[i].name = mem_str(from->gres[i].name);
        to->gres[i].type = mem_str(from->gres[i].type);
    }
}

static void licenses_copy(struct license_list *to, const struct license_list *from)
{
    *to = (struct license_list){ .any = from->any };
    for (size_t i = 0; i < from->n; i++)
        vec_push(to, ((struct license_item){ mem_str(from->at[i].name), from->at[i].count }));
}

/* A text that is not there differs from an empty one. */
static void sign_text(struct buf *b, const char *s)
{
    buf_addc(b, s ? 't' : '-');
    if (s)
        buf_add(b, s, strlen(s) + 1);
}

static void sign_gres(struct buf *b, const struct req *r)
{
    buf_add(b, &r->ngres, sizeof(r->ngres));
    for (uint32_t i = 0; i < r->ngres; i++) {
        sign_text(b, r->gres[i].name);
        sign_text(b, r->gres[i].type);
        buf_add(b, &r->gres[i].count, sizeof(r->gres[i].count));
        buf_addc(b, (char)r->gres[i].scope);
    }
}

static void sign_licenses(struct buf *b, const struct license_list *l)
{
    buf_add(b, &l->n, sizeof(l->n));
    buf_addc(b, l->any ? '|' : ',');
    for (size_t i = 0; i < l->n; i++) {
        sign_text(b, l->at[i].name);
        buf_add(b, &l->at[i].count, sizeof(l->at[i].count));
    }
}

#define CLEAR_SPEC(name)
#define CLEAR_NUMBER(name)
#define CLEAR_TEXT(name) free(r->name);
#define CLEAR_GRES(name) req_gres_clear(r);
#define CLEAR_LICENSES(name) license_list_clear(&r->name);

void req_clear(struct req *r)
{
#define X(kind, type, name) CLEAR_##kind(name)
    REQ_FIELDS(X)
#undef X
    *r = (struct req){ 0 };
}

#define COPY_SPEC(name) to->name = from->name;
#define COPY_NUMBER(name) to->name = from->name;
#define COPY_TEXT(name) to->name = mem_str(from->name);
#define COPY_GRES(name) req_gres_copy(to, from);
#define COPY_LICENSES(name) licenses_copy(&to->name, &from->name);

void req_copy(struct req *to, const struct req *from)
{
#define X(kind, type, name) COPY_##kind(name)
    REQ_FIELDS(X)
#undef X
}

/* The numbers go in one piece, what has a length follows. */
#define NUMBER_SPEC(name) (uint64_t)r->name,
#define NUMBER_NUMBER(name) (uint64_t)r->name,
#define NUMBER_TEXT(name)
#define NUMBER_GRES(name)
#define NUMBER_LICENSES(name)
#define SIGN_SPEC(name)
#define SIGN_NUMBER(name)
#define SIGN_TEXT(name) sign_text(out, r->name);
#define SIGN_GRES(name) sign_gres(out, r);
#define SIGN_LICENSES(name) sign_licenses(out, &r->name);

void req_signature(const struct req *r, struct buf *out)
{
    const uint64_t numbers[] = {
#define X(kind, type, name) NUMBER_##kind(name)
        REQ_FIELDS(X)
#undef X
    };
    buf_add(out, numbers, sizeof(numbers));
#define X(kind, type, name) SIGN_##kind(name)
    REQ_FIELDS(X)
#undef X
}

uint32_t req_tasks(const struct req *r)
{
    if (r->ntasks)
        return r->ntasks;
    return r->min_nodes * MAX(r->ntasks_per_node, 1u);
}

uint32_t req_cpus(const struct req *r)
{
    uint32_t cpus = r->overcommit ? r->min_nodes : req_tasks(r) * r->cpus_per_task;
    return MAX(cpus, r->min_nodes * MAX(r->mincpus, 1u));
}

uint64_t req_gpus(const struct req *r)
{
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < r->ngres; i++) {
        const struct req_gres *g = &r->gres[i];
        uint32_t times = g->scope == REQ_PER_JOB ? 1 : g->scope == REQ_PER_TASK ? req_tasks(r) : r->min_nodes;
        if (str_eq(g->name, "gpu"))
            gpus += g->count * times;
    }
    return gpus;
}

uint64_t req_size(const struct req *r)
{
    uint64_t gpus = req_gpus(r);
    return gpus ? gpus : req_cpus(r);
}
