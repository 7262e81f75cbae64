/* step_fit - which nodes of its job a step gets; see step_fit.h. */
#include "core/step_fit.h"

#include "base/errnum.h"
#include "base/str.h"
#include "core/step_avail.h"

struct fit { /* one attempt */
    const struct cluster *c;
    const struct job *j;
    const struct step_ask *a;
    bool empty;             /* as if no other step were running */
    struct step_avail *avail; /* the nodes it may use, in order */
    uint32_t n, usable;     /* with room for a task */
    uint32_t required;
    struct step_avail *pick; /* those it gets, in order */
    uint32_t picked, tasks;
    enum step_lack lack; /* of the first node that is of no use */
    const struct topo *net; /* nodes stand in its order; NULL: by their numbers */
};

static int fit_never(struct err *err, int code)
{
    return err_set(err, code, "%s", err_text(code));
}

static const char *name_at(const struct fit *f, uint32_t pos)
{
    return f->c->node[f->j->alloc.at[pos].node].name;
}

/* What a misfit is called. */
static int fit_lacking(const struct fit *f, struct err *err)
{
    static const int codes[] = { [LACK_NOTHING] = ESLURM_TOO_MANY_REQUESTED_CPUS,
                                 [LACK_CPUS] = ESLURM_TOO_MANY_REQUESTED_CPUS,
                                 [LACK_MEMORY] = ESLURM_INVALID_TASK_MEMORY,
                                 [LACK_GRES] = ESLURM_INVALID_GRES };
    return fit_never(err, codes[f->lack]);
}

/* ---- the nodes it may use ---- */

static bool may_use(const struct fit *f, uint32_t pos)
{
    const struct step_ask *a = f->a;
    if (f->j->alloc.at[pos].done || pos < a->first || strs_has(&a->out, name_at(f, pos)))
        return false;
    return a->dist.dist != LAYOUT_ARBITRARY || strs_has(&a->hosts, name_at(f, pos));
}

static void find_avail(struct fit *f)
{
    for (uint32_t pos = 0; pos < f->j->alloc.n; pos++) {
        if (!may_use(f, pos))
            continue;
        struct step_avail *r = &f->avail[f->n++];
        step_avail_find(f->c, f->j, f->a, pos, f->empty, r);
        r->required = f->a->in.n && strs_has(&f->a->in, name_at(f, pos));
        f->required += r->required;
        f->usable += r->tasks > 0;
        if (!r->tasks && !f->lack)
            f->lack = r->lack;
    }
}

/* -w names nodes that it must have: all of them are the job's, and of use. */
static int check_named(const struct fit *f, struct err *err)
{
    const struct step_ask *a = f->a;
    int code = ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
    uint32_t most = f->j->alloc.n, min = MAX(a->min_nodes, 1u);
    if (a->first && a->first + min > most)
        return err_set(err, code, "--relative and --nodes option incompatible with count of allocated nodes (%u+%u>%u)",
                       a->first, min, most);
    if (!f->n)
        return err_set(err, code, "Hostlist is empty!  Can't run job.");
    if (f->required < a->in.n)
        return fit_never(err, code);
    if (min > f->n)
        return err_set(err, code, "Only allocated %u nodes asked for %u%s", f->n, min,
                       a->out.n ? "\nAre required nodes explicitly excluded?" : "");
    for (uint32_t i = 0; i < f->n; i++)
        if (f->avail[i].required && !f->avail[i].tasks)
            return fit_lacking(f, err);
    return 0;
}

/* ---- those it gets ---- */

struct rank { /* smaller is better */
    uint64_t key;
    uint32_t leaf; /* of the network, where nodes stand in its order */
    uint32_t at;
};

static int by_key(const void *x, const void *y)
{
    const struct rank *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->leaf != b->leaf)
        return a->leaf < b->leaf ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

enum order { IN_ORDER, IDLE_FIRST, BIGGEST };

static uint64_t take_first(struct fit *f, uint32_t k, enum order order)
{
    auto_free struct rank *ranks = mem_array(f->n, sizeof(*ranks));
    uint64_t sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const struct step_avail *r = &f->avail[i];
        if (r->tasks)
            ranks[n++] = (struct rank){ r->required            ? 0
                                        : order == IDLE_FIRST ? 1u + !r->idle
                                        : order == BIGGEST    ? 1 + UINT32_MAX - (uint64_t)r->tasks
                                                              : 1,
                                        f->net ? topo_leaf(f->net, f->j->alloc.at[r->pos].node) : 0, i };
    }
    qsort(ranks, n, sizeof(*ranks), by_key);
    f->picked = MIN(k, n);
    for (uint32_t i = 0; i < f->picked; i++) /* the order is forgotten again: nodes stand as in the allocation */
        ranks[i].key = ranks[i].leaf = 0;
    qsort(ranks, f->picked, sizeof(*ranks), by_key);
    for (uint32_t i = 0; i < f->picked; i++) {
        f->pick[i] = f->avail[ranks[i].at];
        sum += f->pick[i].tasks;
    }
    return sum;
}

static uint32_t tasks_on(const struct step_ask *a, uint32_t nodes)
{
    uint64_t tasks = (uint64_t)nodes * MAX(a->per_node, 1u);
    return a->tasks ? a->tasks : (uint32_t)MIN(tasks, UINT32_MAX);
}

static bool per_step(const struct step_ask *a)
{
    for (uint32_t i = 0; i < a->req.ngres; i++)
        if (a->req.gres[i].scope == REQ_PER_JOB)
            return true;
    return false;
}

/* As many nodes as -N says, the most of a range; without it as few as do. */
static int pick_nodes(struct fit *f, struct err *err)
{
    const struct step_ask *a = f->a;
    uint32_t min = MAX(a->min_nodes ? a->min_nodes : 1, f->required), k;
    if (!a->min_nodes && !a->tasks && !f->required)
        min = f->n; /* nothing said: all nodes */
    if (f->usable < min)
        return fit_lacking(f, err);
    if (a->dist.dist == LAYOUT_ARBITRARY) {
        k = f->usable;
    } else if (a->min_nodes) {
        k = MAX(MIN(MAX(a->max_nodes, min), f->usable), min);
    } else {
        for (k = min; k < f->usable; k++)
            if (f->tasks = tasks_on(a, k), take_first(f, k, IN_ORDER) >= f->tasks)
                break;
    }
    f->tasks = tasks_on(a, k);
    k = MIN(k, f->tasks); /* a node without a task is not the step's */
    if (f->tasks / k > (a->most_per_node ? a->most_per_node : UINT16_MAX))
        return fit_never(err, ESLURM_BAD_TASK_COUNT);
    if (take_first(f, k, a->min_nodes && !per_step(a) ? IDLE_FIRST : IN_ORDER) >= f->tasks || a->overcommit)
        return 0;
    if (take_first(f, k, BIGGEST) >= f->tasks)
        return 0;
    return fit_lacking(f, err);
}

/* ---- tasks on them ---- */

static uint32_t *host_list(const struct fit *f, size_t *n)
{
    uint32_t *host = mem_array(f->a->hosts.n + 1, sizeof(*host));
    for (*n = 0; *n < f->a->hosts.n; (*n)++) {
        host[*n] = UINT32_MAX;
        for (uint32_t i = 0; i < f->picked; i++)
            if (str_eq(f->a->hosts.at[*n], name_at(f, f->pick[i].pos)))
                host[*n] = i;
    }
    return host;
}

/* --ntasks-per-node is the most for each, unless the tasks cannot be placed that way. */
static uint32_t *task_rooms(const struct fit *f)
{
    uint32_t *room = mem_array(f->picked, sizeof(*room));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->picked; i++)
        sum += f->a->per_node ? MIN(f->pick[i].tasks, f->a->per_node) : f->pick[i].tasks;
    for (uint32_t i = 0; i < f->picked; i++)
        room[i] = f->a->per_node && sum >= f->tasks ? MIN(f->pick[i].tasks, f->a->per_node) : f->pick[i].tasks;
    return room;
}

/* The step's nodes as the network has them. */
static uint32_t *network_order(const struct fit *f)
{
    auto_free uint32_t *node = mem_array(f->picked + 1, sizeof(*node));
    for (uint32_t i = 0; i < f->picked; i++)
        node[i] = f->j->alloc.at[f->pick[i].pos].node;
    return layout_topo_order(f->net, node, f->picked);
}

static int lay_out(const struct fit *f, struct layout *out, struct err *err)
{
    size_t nhosts = 0;
    auto_free uint32_t *room = task_rooms(f), *host = f->a->hosts.n ? host_list(f, &nhosts) : NULL;
    struct layout_ask ask = { .n = f->picked,
                              .room = room,
                              .tasks = f->tasks,
                              .overcommit = f->a->overcommit,
                              .dist = f->a->dist,
                              .host = host,
                              .nhosts = nhosts };
    auto_free uint32_t *order = f->net ? network_order(f) : NULL;
    int rc = layout_make_ordered(&ask, order, out, err);
    if (rc == ENOSPC)
        return fit_never(err, ESLURM_TOO_MANY_REQUESTED_CPUS);
    return rc ? fit_never(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE) : 0;
}

/* ---- devices that are counted over the whole step ---- */

/* Row by row, a share for each node: every one gets something, the first ones more. */
static int share_out(const struct fit *f, uint64_t *per_step, struct err *err)
{
    uint32_t rows = f->a->req.ngres;
    for (uint32_t g = 0; g < rows; g++) {
        const struct req_gres *row = &f->a->req.gres[g];
        if (row->scope != REQ_PER_JOB)
            continue;
        uint64_t left = row->count;
        for (uint32_t i = 0; i < f->picked; i++) {
            uint64_t later = f->picked - i - 1, free = step_avail_gres(f->c, f->j, f->a, f->pick[i].pos, f->empty, row);
            uint64_t got = MIN(free, left > later ? left - later : MIN(left, 1u));
            per_step[(size_t)i * rows + g] = got;
            left -= got;
        }
        if (left)
            return fit_never(err, ESLURM_INVALID_GRES);
    }
    return 0;
}

/* ---- all together ---- */

static int fit_attempt(struct fit *f, struct step_share *out, struct err *err)
{
    uint32_t n = f->j->alloc.n;
    auto_free struct step_avail *avail = mem_array(n, sizeof(*avail)), *pick = mem_array(n, sizeof(*pick));
    auto_free uint64_t *per_step = mem_array((size_t)n * MAX(f->a->req.ngres, 1u), sizeof(*per_step));
    f->avail = avail, f->pick = pick;
    find_avail(f);
    int rc = check_named(f, err);
    if (!rc)
        rc = pick_nodes(f, err);
    if (!rc)
        rc = share_out(f, per_step, err);
    if (rc || !out)
        return rc;
    rc = lay_out(f, &out->layout, err);
    if (rc)
        return rc;
    out->n = f->picked;
    out->node = mem_array(out->n, sizeof(*out->node));
    out->alloc = mem_array(out->n, sizeof(*out->alloc));
    for (uint32_t i = 0; i < out->n; i++) {
        out->node[i] = pick[i].pos;
        out->alloc[i] = step_assign(f->c, f->j, f->a, &pick[i], out->layout.tasks[i],
                                    per_step + (size_t)i * f->a->req.ngres);
    }
    return 0;
}

/* The network whose order the job's nodes stand in: not where it named them itself. */
static const struct topo *job_network(const struct cluster *c, const struct job *j)
{
    const struct part *p = cluster_part(c, j->partition);
    return p && !j->spec->req.nodelist ? topo_of_part(c, p) : NULL;
}

int step_fit(const struct cluster *c, const struct job *j, const struct step_ask *a, struct step_share *out,
             struct err *err)
{
    const struct topo *net = c->topo.n && a->by_topo ? job_network(c, j) : NULL;
    struct fit now = { .c = c, .j = j, .a = a, .net = net };
    struct fit ever = { .c = c, .j = j, .a = a, .net = net, .empty = true };
    *out = (struct step_share){ 0 };
    if (!j->alloc.n)
        return fit_never(err, ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE);
    if (!fit_attempt(&now, out, err))
        return 0;
    step_share_clear(out);
    return fit_attempt(&ever, NULL, err) ? err->code : fit_never(err, ESLURM_NODES_BUSY);
}

void step_share_clear(struct step_share *s)
{
    if (s->alloc)
        alloc_pb_free(s->alloc, s->n);
    layout_clear(&s->layout);
    free(s->node);
    *s = (struct step_share){ 0 };
}
