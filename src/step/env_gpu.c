/*
 * env_gpu - which GPUs a process sees: the variables that the vendors' libraries read.
 *
 * By default every task sees all GPUs of its step on the node; --gpu-bind gives each task its own.
 */
#include "step/env_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/buf.h"
#include "base/str.h"
#include "step/masks.h"
#include "text/bind.h"

/* The bits of env_node.gpu_lists are in this order. */
static const char *const gpu_lists[] = { "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES",
                                         "ZE_AFFINITY_MASK" };

/* The numbers of the GPUs of a share, ascending, and how many there are. */
static uint64_t gpus_of(const Pb__NodeAlloc *a, struct bitmap *out, uint64_t *shards)
{
    uint64_t count = 0;
    for (size_t i = 0; a && i < a->n_gres; i++) {
        const Pb__Gres *g = a->gres[i];
        if (shards && str_eq(g->name, "shard"))
            *shards += g->count;
        if (!str_eq(g->name, "gpu"))
            continue;
        count += g->count;
        for (size_t k = 0; k < g->index.len * 8; k++)
            if (g->index.data[k / 8] >> (k % 8) & 1)
                bitmap_set(out, k);
    }
    return count;
}

/* "0,2"; relative: as indices among `all`. */
static void list_text(const struct bitmap *set, const struct bitmap *all, bool relative, struct buf *out)
{
    size_t place = 0;
    bitmap_each (all, i) {
        if (bitmap_has(set, i))
            buf_addf(out, "%s%zu", out->len ? "," : "", relative ? place : i);
        place++;
    }
}

/* Set the variables of a process that has `mine` of `all` GPUs. */
static void set_lists(struct env *e, const struct bitmap *mine, const struct bitmap *all, const struct env_node *node)
{
    auto_buf struct buf global = BUF_INIT, seen = BUF_INIT;
    list_text(mine, all, false, &global);
    list_text(mine, all, node->own_devices, &seen);
    for (size_t i = 0; i < ARRAY_LEN(gpu_lists); i++)
        if (node->gpu_lists >> i & 1)
            env_set(e, gpu_lists[i], seen.s);
    env_set(e, "SLURM_STEP_GPUS", global.s);
}

/* A step without GPUs must not inherit the batch script's list. */
static void unset_lists(struct env *e)
{
    for (size_t i = 0; i < ARRAY_LEN(gpu_lists); i++)
        env_unset(e, gpu_lists[i]);
    env_unset(e, "SLURM_STEP_GPUS");
    env_unset(e, "SLURM_GPUS_ON_NODE");
}

static void set_bind(struct env *e, const Pb__LaunchOrder *o)
{
    const char *bind = o->step ? o->step->tres_bind : NULL;
    env_text(e, "SLURM_TRES_BIND", bind);
    env_text(e, "SLURMD_TRES_BIND", bind);
}

void env_devices(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node)
{
    auto_bitmap struct bitmap gpus = BITMAP_INIT, jobs = BITMAP_INIT;
    uint64_t shards = 0, count = gpus_of(env_share(o), &gpus, &shards);
    if (!count && gpus_of(env_here(o), &jobs, NULL))
        unset_lists(e);
    if (!bitmap_none(&gpus))
        set_lists(e, &gpus, &gpus, node);
    if (!bitmap_none(&gpus) && env_is_batch(o)) {
        env_set(e, "SLURM_JOB_GPUS", env_get(e, "SLURM_STEP_GPUS"));
        env_unset(e, "SLURM_STEP_GPUS");
    }
    env_number(e, "SLURM_GPUS_ON_NODE", count);
    env_number(e, "SLURM_SHARDS_ON_NODE", shards);
    set_bind(e, o);
}

/* ---- each task its own ---- */

struct pick {
    struct bind_gres bind;
    struct bitmap all, mine; /* of the step; of the task */
    bool outside;            /* the requested GPU is not available: the task gets the first one */
    bool few, around;        /* fewer GPUs than each task needs; more tasks than GPUs, so tasks share */
};

static void pick_clear(struct pick *p)
{
    bind_gres_clear(&p->bind);
    bitmap_clear(&p->all);
    bitmap_clear(&p->mine);
}

/* Add the GPU at index `place` of a set, if there is one. */
static void add_place(const struct bitmap *from, uint64_t place, struct bitmap *out)
{
    bitmap_each (from, i) {
        if (place-- == 0) {
            bitmap_set(out, i);
            return;
        }
    }
}

/* Numbers in maps and masks are the node's; where a job sees only its own devices, they are indices among those. */
static void add_number(struct pick *p, uint64_t number, bool relative)
{
    if (relative)
        add_place(&p->all, number, &p->mine);
    else if (bitmap_has(&p->all, number))
        bitmap_set(&p->mine, number);
}

/* The step's GPUs that are close to a task; all when none is close or the locality is unknown. */
static void close_to(const struct pick *p, const struct env_node *node, uint32_t local, struct bitmap *out)
{
    bitmap_copy(out, &p->all);
    if (local < node->nnear)
        bitmap_and(out, &node->near[local]);
    if (bitmap_none(out))
        bitmap_copy(out, &p->all);
}

static bool same(const struct bitmap *a, const struct bitmap *b)
{
    auto_bitmap struct bitmap rest = BITMAP_INIT;
    bitmap_copy(&rest, a);
    bitmap_minus(&rest, b);
    return bitmap_none(&rest) && bitmap_count(a) == bitmap_count(b);
}

/* Tasks that are close to the same GPUs share these in blocks of bind.n tasks per GPU. */
static void pick_single(struct pick *p, const struct env_node *node, uint32_t local)
{
    auto_bitmap struct bitmap mine = BITMAP_INIT;
    uint64_t before = 0, each = MAX(p->bind.n, 1u);
    close_to(p, node, local, &mine);
    for (uint32_t i = 0; i < local; i++) {
        auto_bitmap struct bitmap other = BITMAP_INIT;
        close_to(p, node, i, &other);
        before += same(&mine, &other);
    }
    p->around = before / each >= bitmap_count(&mine);
    add_place(&mine, before / each % bitmap_count(&mine), &p->mine);
}

static uint64_t take_some(struct bitmap *from, uint64_t n, struct bitmap *out)
{
    for (; n && !bitmap_none(from); n--) {
        size_t gpu = bitmap_next(from, 0);
        bitmap_set(out, gpu);
        bitmap_unset(from, gpu);
    }
    return n;
}

/* Assign GPUs task by task: close ones first, then any that is left. */
static void pick_own(struct pick *p, const struct env_node *node, uint32_t local)
{
    auto_bitmap struct bitmap left = BITMAP_INIT;
    bitmap_copy(&left, &p->all);
    for (uint32_t i = 0; i <= local; i++) {
        auto_bitmap struct bitmap near = BITMAP_INIT, got = BITMAP_INIT;
        p->few = bitmap_count(&left) < p->bind.n;
        if (p->few)
            return;
        close_to(p, node, i, &near);
        bitmap_and(&near, &left);
        uint64_t more = take_some(&near, p->bind.n, &got);
        bitmap_minus(&left, &got);
        take_some(&left, more, &got);
        if (i == local)
            bitmap_copy(&p->mine, &got);
    }
}

static void pick_listed(struct pick *p, bool relative, uint32_t local)
{
    const struct bind_list *l = &p->bind.list;
    const char *word = l->n ? l->at[local % l->n] : "0";
    auto_bitmap struct bitmap mask = BITMAP_INIT;
    if (p->bind.how == BIND_GRES_MAP)
        add_number(p, strtoul(word, NULL, 0), relative);
    else
        masks_parse(word, TOPO_MAX, &mask);
    bitmap_each (&mask, i)
        add_number(p, i, relative);
}

static void choose(struct pick *p, const struct env_node *node, uint32_t local)
{
    switch (p->bind.how) {
    case BIND_GRES_UNSET:
    case BIND_GRES_NONE: bitmap_copy(&p->mine, &p->all); break;
    case BIND_GRES_CLOSEST: close_to(p, node, local, &p->mine); break;
    case BIND_GRES_SINGLE: pick_single(p, node, local); break;
    case BIND_GRES_PER_TASK: pick_own(p, node, local); break;
    case BIND_GRES_MAP:
    case BIND_GRES_MASK: pick_listed(p, node->own_devices, local); break;
    }
    p->outside = bitmap_none(&p->mine);
    if (p->outside)
        add_place(&p->all, 0, &p->mine);
}

/* False: no binding is requested, or the step has no GPUs. */
static bool pick_gpus(const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, struct pick *p)
{
    if (env_is_batch(o) || !o->step)
        return false;
    if (!str_empty(o->step->tres_bind)) {
        if (bind_tres_parse(o->step->tres_bind, "gpu", &p->bind, NULL))
            return false;
    } else if (!str_empty(o->step->accel_bind)) { /* the older option */
        p->bind.how = strchr(o->step->accel_bind, 'g') ? BIND_GRES_CLOSEST : BIND_GRES_UNSET;
        p->bind.verbose = strchr(o->step->accel_bind, 'v');
    }
    if (p->bind.how == BIND_GRES_UNSET)
        return false;
    gpus_of(env_share(o), &p->all, NULL);
    if (bitmap_none(&p->all))
        return false;
    choose(p, node, local);
    return true;
}

void env_devices_task(struct env *e, const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local)
{
    __attribute__((cleanup(pick_clear))) struct pick p = { 0 };
    if (pick_gpus(o, node, local, &p))
        set_lists(e, &p.mine, &p.all, node);
}

static void say_picked(const struct pick *p, bool relative, struct buf *out)
{
    auto_free char *mine = masks_hex(&p->mine), *all = masks_hex(&p->all);
    auto_buf struct buf global = BUF_INIT, seen = BUF_INIT;
    list_text(&p->mine, &p->all, false, &global);
    list_text(&p->mine, &p->all, relative, &seen);
    for (char *c = mine; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    for (char *c = all; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    buf_addf(out, "gpu-bind: usable_gres=0x%s; bit_alloc=0x%s; local_inx=0; global_list=%s; local_list=%s\n", mine, all,
             global.s, seen.s);
}

void env_devices_say(const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, struct buf *out,
                     env_error_fn *error, void *arg)
{
    __attribute__((cleanup(pick_clear))) struct pick p = { 0 };
    if (!pick_gpus(o, node, local, &p))
        return;
    if (p.few)
        error(arg, "Not enough gres to bind %u per task", p.bind.n);
    if (p.around)
        error(arg, "Can't find free slot for local_proc_id = %u, continue using block distribution", local);
    if (p.outside)
        error(arg,
              "Bind request %s does not specify any devices within the allocation for task %u. Binding to the first "
              "device in the allocation instead.",
              o->step->tres_bind, env_rank(o, local));
    if (p.bind.verbose)
        say_picked(&p, node->own_devices, out);
}
