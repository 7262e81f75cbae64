/* job_alloc - what a job has of its nodes: scontrol --details, and job_resources of JSON; see job_priv.h. */
#include "base/bitmap.h"
#include "base/str.h"
#include "core/pbutil.h"
#include "show/job_priv.h"
#include "text/array.h"
#include "text/gres.h"
#include "text/hostlist.h"
#include "text/strs.h"

/* ---- scontrol ---- */

GET(job_get_gres)
{
    const Pb__Job *j = JOB(row);
    if (!j->n_alloc)
        return;
    auto_gres struct gres_list sum = GRES_INIT;
    for (size_t i = 0; i < j->n_alloc; i++)
        for (size_t g = 0; g < j->alloc[i]->n_gres; g++) {
            const Pb__Gres *gres = j->alloc[i]->gres[g];
            gres_add(&sum, gres->name, *gres->type ? gres->type : NULL, gres->count);
        }
    auto_free char *text = gres_text(&sum);
    buf_adds(show_make(v), str_or(text, "(null)"));
}

/* "0-1,4" */
static void add_bits(struct buf *out, const struct bitmap *map)
{
    auto_free char *text = array_text(map, 0, 0);
    buf_adds(out, text);
}

/* "gpu:a100:2(IDX:0-1)", several by comma. */
static void add_node_gres(struct buf *out, const Pb__NodeAlloc *a)
{
    for (size_t g = 0; g < a->n_gres; g++) {
        const Pb__Gres *gres = a->gres[g];
        buf_addf(out, "%s%s%s%s:%llu", g ? "," : "", gres->name, *gres->type ? ":" : "", gres->type,
                 (unsigned long long)gres->count);
        if (!gres->index.len)
            continue;
        auto_bitmap struct bitmap index = BITMAP_INIT;
        pb_to_bitmap(&index, &gres->index);
        buf_adds(out, "(IDX:");
        add_bits(out, &index);
        buf_addc(out, ')');
    }
}

/* " CPU_IDs=0-1 Mem=200 GRES=", with CPUs as Slurm counts them: every thread of a core. */
static void add_node_part(struct buf *out, const Pb__NodeAlloc *a)
{
    auto_bitmap struct bitmap cores = BITMAP_INIT, cpus = BITMAP_INIT;
    size_t threads = MAX(a->threads, 1u);
    pb_to_bitmap(&cores, &a->cores);
    bitmap_each(&cores, i)
        bitmap_set_range(&cpus, i * threads, threads);
    buf_adds(out, " CPU_IDs=");
    add_bits(out, &cpus);
    buf_addf(out, " Mem=%llu GRES=", (unsigned long long)a->mem_mb);
    add_node_gres(out, a);
}

/* Nodes in a row of which the job has the same share a line. */
GET(job_get_alloc_lines)
{
    const Pb__Job *j = JOB(row);
    struct buf *out = show_make(v);
    auto_free char *part = NULL;
    auto_strs struct strs names = STRS_INIT;
    for (size_t i = 0; i <= j->n_alloc; i++) {
        auto_buf struct buf next = BUF_INIT;
        if (i < j->n_alloc)
            add_node_part(&next, j->alloc[i]);
        if (names.n && (i == j->n_alloc || !str_eq(part, next.s))) {
            auto_free char *list = hostlist_compress(names.at, names.n);
            buf_addf(out, "Nodes=%s%s\n", list, part);
            strs_clear(&names);
        }
        if (i < j->n_alloc)
            strs_add(&names, j->alloc[i]->name);
        free(part);
        part = buf_take(&next);
    }
}

GET(job_get_gres_detail)
{
    const Pb__Job *j = JOB(row);
    struct buf *out = show_make(v);
    for (size_t i = 0; i < j->n_alloc; i++)
        if (j->alloc[i]->n_gres) {
            add_node_gres(out, j->alloc[i]);
            buf_addc(out, '\n');
        }
}

/* ---- job_resources of JSON ---- */

struct core_row { /* a core, or with `core` unused a socket, of a node */
    const Pb__NodeAlloc *alloc;
    uint32_t socket, core;
};

static uint32_t core_count(const Pb__NodeAlloc *a)
{
    return MAX((uint32_t)a->cores.len * 8, 1u);
}

static uint32_t cores_per_socket(const Pb__NodeAlloc *a)
{
    return a->cores_per_socket ? a->cores_per_socket : core_count(a);
}

static uint32_t alloc_sockets(const Pb__NodeAlloc *a)
{
    return MAX(a->sockets, 1u);
}

static bool has_core(const struct core_row *r)
{
    size_t bit = (size_t)r->socket * cores_per_socket(r->alloc) + r->core;
    return bit / 8 < r->alloc->cores.len && (r->alloc->cores.data[bit / 8] >> bit % 8 & 1);
}

static GET(get_socket_index) { show_set_number(v, ((const struct core_row *)row)->socket); }
static GET(get_core_index) { show_set_number(v, ((const struct core_row *)row)->core); }
static GET(get_core_status) { show_set_text(v, has_core(row) ? "ALLOCATED" : "UNALLOCATED"); }

static const void *core_at(const void *of, size_t i, void *room)
{
    struct core_row *r = room;
    *r = *(const struct core_row *)of;
    r->core = (uint32_t)i;
    return r;
}

static GET(get_cores)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ cores_per_socket(((const struct core_row *)row)->alloc), row, core_at };
}

static const void *socket_at(const void *of, size_t i, void *room)
{
    struct core_row *r = room;
    *r = (struct core_row){ .alloc = of, .socket = (uint32_t)i };
    return r;
}

struct alloc_row {
    const Pb__Job *job;
    size_t index;
};
#define ALLOC(p) (((const struct alloc_row *)(p))->job->alloc[((const struct alloc_row *)(p))->index])

static GET(get_sockets)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ alloc_sockets(ALLOC(row)), ALLOC(row), socket_at };
}

static GET(get_alloc_index) { show_set_number(v, (int64_t)((const struct alloc_row *)row)->index); }
static GET(get_alloc_name) { show_set_text(v, ALLOC(row)->name); }
static GET(get_alloc_cpus) { show_set_number(v, ALLOC(row)->cpus); }
static GET(get_alloc_mem) { show_set_number(v, (int64_t)ALLOC(row)->mem_mb); }

/* What the steps of the job use of the node. */
static uint64_t used_by_steps(const struct alloc_row *r, bool memory)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < r->job->n_steps; s++) {
        const Pb__Step *step = r->job->steps[s];
        for (size_t i = 0; i < step->n_alloc && i < step->n_node; i++)
            if (step->node[i] == r->index && !step->shared && !step->pending)
                sum += memory ? step->alloc[i]->mem_mb : step->alloc[i]->cpus;
    }
    return sum;
}

static GET(get_used) { show_set_number(v, (int64_t)used_by_steps(row, f->at)); }

static const void *alloc_at(const void *of, size_t i, void *room)
{
    struct alloc_row *r = room;
    *r = (struct alloc_row){ of, i };
    return r;
}

static GET(get_allocs)
{
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ ((const Pb__Job *)row)->n_alloc, row, alloc_at };
}

static GET(get_node_count) { show_set_number(v, (int64_t)((const Pb__Job *)row)->n_alloc); }
static GET(get_node_list) { show_set_text(v, ((const Pb__Job *)row)->nodes); }
static GET(get_all_cpus) { show_set_number(v, ((const Pb__Job *)row)->num_cpus); }
static GET(get_whole) { show_set_number(v, str_eq(job_exclusive(row), "NODE")); }
static GET(get_threads) { show_set_count(v, ((const Pb__Job *)row)->spec->threads_per_core); }
static GET(get_select) { show_set_text(v, f->until ? "CORE" : "CR_CORE_MEMORY"); }
static GET(get_node_select) { show_set_text(v, str_eq(job_shared(row), "YES") ? "AVAILABLE" : "ONE_ROW"); }

/* clang-format off */
static const struct show_field core_fields[] = {
    { .json = "index",  .type = SHOW_NUMBER, .get = get_core_index },
    { .json = "status", .type = SHOW_LIST,   .get = get_core_status },
    { 0 },
};
static const struct show_table core_table = { "core", core_fields, "", NULL };

static const struct show_field socket_fields[] = {
    { .json = "index", .type = SHOW_NUMBER,  .get = get_socket_index },
    { .json = "cores", .type = SHOW_RECORDS, .get = get_cores, .sub = &core_table },
    { 0 },
};
static const struct show_table socket_table = { "socket", socket_fields, "", NULL };

static const struct show_field alloc_fields[] = {
    { .json = "index",            .type = SHOW_NUMBER,  .get = get_alloc_index },
    { .json = "name",             .type = SHOW_TEXT,    .get = get_alloc_name },
    { .json = "cpus.count",       .type = SHOW_NUMBER,  .get = get_alloc_cpus },
    { .json = "cpus.used",        .type = SHOW_NUMBER,  .get = get_used, .at = false },
    { .json = "memory.used",      .type = SHOW_NUMBER,  .get = get_used, .at = true },
    { .json = "memory.allocated", .type = SHOW_NUMBER,  .get = get_alloc_mem },
    { .json = "sockets",          .type = SHOW_RECORDS, .get = get_sockets, .sub = &socket_table },
    { 0 },
};
static const struct show_table alloc_table = { "node allocation", alloc_fields, "", NULL };

static const struct show_field resources_fields[] = {
    { .json = "select_type",       .type = SHOW_LIST,       .get = get_select, .until = 44 },
    { .json = "select_type",       .type = SHOW_LIST,       .get = get_select, .since = 45 },
    { .json = "nodes.count",       .type = SHOW_NUMBER,     .get = get_node_count },
    { .json = "nodes.select_type", .type = SHOW_LIST,       .get = get_node_select },
    { .json = "nodes.list",        .type = SHOW_TEXT,       .get = get_node_list },
    { .json = "nodes.whole",       .type = SHOW_BOOL,       .get = get_whole },
    { .json = "nodes.allocation",  .type = SHOW_RECORDS,    .get = get_allocs, .sub = &alloc_table },
    { .json = "cpus",              .type = SHOW_NUMBER,     .get = get_all_cpus },
    { .json = "threads_per_core",  .type = SHOW_NUMBER_SET, .get = get_threads },
    { 0 },
};
/* clang-format on */
const struct show_table show_job_resources = { "job resources", resources_fields, "", NULL };

static const void *job_at(const void *of, size_t i, void *room)
{
    return of;
}

GET(job_get_resources)
{
    if (!JOB(row)->n_alloc)
        return;
    v->state = SHOW_SET;
    v->rows = (struct show_rows){ 1, JOB(row), job_at };
}
