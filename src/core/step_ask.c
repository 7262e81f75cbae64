/* step_ask - what a step's spec asks for, in numbers; see step_fit.h. */
#include "base/errnum.h"
#include "base/str.h"
#include "core/step_fit.h"
#include "text/hostlist.h"

#define PLENTY (1ull << 31) /* more of anything than there is, yet it can be multiplied by a count of CPUs */

/* "cpu:2,gres/gpu:a100:1" (or with '='): CPUs here, devices for the gres rows.  Yours. */
static char *read_tres(struct step_ask *a, const char *text, bool *bad)
{
    struct buf gpus = BUF_INIT;
    const char *pos = text;
    for (char *word; (word = str_next(&pos, ",")); free(word)) {
        uint64_t n;
        if ((str_has_prefix(word, "cpu:") || str_has_prefix(word, "cpu=")) && str_u64(word + 4, 1, UINT32_MAX, &n)) {
            a->cpus_per_task = (uint32_t)n;
            a->exact = true;
        } else if (str_has_prefix(word, "gres/gpu:") || str_has_prefix(word, "gres/gpu=")) {
            buf_addf(&gpus, "%s%s", gpus.len ? "," : "", word + 9);
        } else {
            *bad = true;
        }
    }
    return buf_take(&gpus);
}

static int read_gres(struct step_ask *a, const Pb__StepSpec *s, struct err *err)
{
    bool bad = false;
    auto_free char *per_task = read_tres(a, s->tres_per_task, &bad);
    if (bad)
        return err_set(err, ESLURM_INVALID_TRES, "%s", err_text(ESLURM_INVALID_TRES));
    Pb__JobSpec job = PB__JOB_SPEC__INIT;
    job.gres = s->gres, job.gpus = s->gpus, job.gpus_per_node = s->gpus_per_node,
    job.gpus_per_socket = s->gpus_per_socket;
    job.gpus_per_task = str_empty(s->gpus_per_task) ? per_task : s->gpus_per_task;
    a->any_gres = !str_empty(s->gres) || !str_empty(s->gpus) || !str_empty(s->gpus_per_node) ||
                  !str_empty(s->gpus_per_socket) || !str_empty(job.gpus_per_task) || s->ntasks_per_gpu;
    int rc = req_init(&a->req, &job, err);
    for (uint32_t i = 0; i < a->req.ngres; i++)
        a->req.gres[i].count = MIN(a->req.gres[i].count, PLENTY);
    return rc;
}

static uint64_t gpus_asked(const struct step_ask *a)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < a->req.ngres; i++)
        if (str_eq(a->req.gres[i].name, "gpu"))
            n += a->req.gres[i].count * (a->req.gres[i].scope == REQ_PER_NODE ? MAX(a->min_nodes, 1u) : 1);
    return n;
}

/* --ntasks-per-gpu: the tasks follow from the GPUs, or the GPUs from the tasks. */
static void per_gpu(struct step_ask *a)
{
    uint64_t gpus = gpus_asked(a);
    if (!a->per_gpu)
        return;
    if (gpus && !a->tasks) {
        a->tasks = (uint32_t)MIN(gpus * a->per_gpu, UINT32_MAX);
    } else if (!gpus && a->tasks) {
        a->req.gres = mem_grow(a->req.gres, a->req.ngres + 1, sizeof(*a->req.gres));
        a->req.gres[a->req.ngres++] =
            (struct req_gres){ mem_str("gpu"), NULL, (a->tasks + a->per_gpu - 1) / a->per_gpu, REQ_PER_JOB };
    }
}

/* -w n3,n3,n1 names two nodes. */
static int read_named(struct step_ask *a, const char *list, struct err *err)
{
    auto_strs struct strs all = STRS_INIT;
    int rc = hostlist_expand(list, &all, err);
    for (size_t i = 0; !rc && i < all.n; i++)
        if (!strs_has(&a->in, all.at[i]))
            strs_add(&a->in, all.at[i]);
    return rc;
}

static int read_hosts(struct step_ask *a, const Pb__StepSpec *s, struct err *err)
{
    int rc = str_empty(s->nodelist) ? 0 : read_named(a, s->nodelist, err);
    if (!rc && !str_empty(s->exclude))
        rc = hostlist_expand(s->exclude, &a->out, err);
    if (!rc && !str_empty(s->hosts))
        rc = hostlist_expand(s->hosts, &a->hosts, err);
    if (!rc)
        rc = layout_parse(s->distribution, &a->dist, err);
    if (!rc && a->dist.dist == LAYOUT_ARBITRARY && !a->hosts.n)
        rc = err_set(err, EINVAL, "an arbitrary distribution needs a list of hosts");
    if (!rc && a->dist.dist == LAYOUT_ARBITRARY)
        a->min_nodes = a->max_nodes = 0; /* its hosts say which */
    if (!rc && a->dist.dist == LAYOUT_ARBITRARY && !a->tasks)
        a->tasks = (uint32_t)a->hosts.n;
    while (!rc && a->hosts.n > a->tasks && a->tasks) /* lines that no task is for */
        free(a->hosts.at[--a->hosts.n]);
    return rc;
}

int step_ask_init(struct step_ask *a, const Pb__StepSpec *s, struct err *err)
{
    *a = (struct step_ask){
        .min_nodes = s->nodes,
        .max_nodes = MAX(s->max_nodes, s->nodes),
        .tasks = s->ntasks,
        .per_node = s->ntasks_per_node,
        .per_core = s->ntasks_per_core,
        .per_gpu = s->ntasks_per_gpu,
        .threads_per_core = s->threads_per_core,
        .cpus_per_task = s->cpus_per_task,
        .cpus_per_gpu = s->cpus_per_gpu,
        .first = s->relative ? s->relative - 1 : 0,
        .mem_per_node_mb = s->mem_all ? 0 : MIN(s->mem_per_node_mb, PLENTY),
        .mem_per_cpu_mb = MIN(s->mem_per_cpu_mb, PLENTY),
        .mem_per_gpu_mb = MIN(s->mem_per_gpu_mb, PLENTY),
        .exact = (s->exact && !s->whole) || s->exclusive || s->cpus_per_task || s->cpus_per_gpu,
        .overlap = s->overlap || s->interactive, /* the shell that others are started from takes nothing away */
        .overcommit = s->overcommit,
    };
    int rc = read_gres(a, s, err);
    if (!rc)
        rc = read_hosts(a, s, err);
    if (rc) {
        step_ask_clear(a);
        return rc;
    }
    a->cpus_per_task = MAX(a->cpus_per_task, 1u);
    per_gpu(a);
    return 0;
}

void step_ask_clear(struct step_ask *a)
{
    req_clear(&a->req);
    strs_clear(&a->in);
    strs_clear(&a->out);
    strs_clear(&a->hosts);
    *a = (struct step_ask){ 0 };
}

void step_ask_whole(struct step_ask *a, const struct job *j)
{
    const struct req *r = &j->spec->req;
    if (a->any_gres || !job_alone(j))
        return;
    a->any_gres = true;
    a->req.gres = mem_grow(a->req.gres, a->req.ngres + r->ngres + 1, sizeof(*a->req.gres));
    for (uint32_t i = 0; i < r->ngres; i++) {
        const struct req_gres *g = &r->gres[i];
        a->req.gres[a->req.ngres++] =
            (struct req_gres){ mem_str(g->name), g->type ? mem_str(g->type) : NULL, g->count, g->scope };
    }
}
