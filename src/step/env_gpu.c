/*
 * env_gpu - which devices a process sees: the lists that the vendors' libraries read.
 *
 * By default every task sees all GPUs of its step on the node; --gpu-bind gives each its own.
 */
#include "step/env_parts.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/bitmap.h"
#include "base/buf.h"
#include "base/str.h"
#include "step/masks.h"
#include "text/bind.h"

/* Without a word in gres.conf Slurm sets them all. */
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

/* "0,2"; relative: as places among `all`. */
static void list_text(const struct bitmap *set, const struct bitmap *all, bool relative, struct buf *out)
{
    size_t place = 0;
    bitmap_each(all, i)
    {
        if (bitmap_has(set, i))
            buf_addf(out, "%s%zu", out->len ? "," : "", relative ? place : i);
        place++;
    }
}

/* What a process with `mine` of `all` GPUs is told. */
static void set_lists(struct env *e, const struct bitmap *mine, const struct bitmap *all, const struct env_node *node)
{
    auto_buf struct buf global = BUF_INIT, seen = BUF_INIT;
    list_text(mine, all, false, &global);
    list_text(mine, all, node->own_devices, &seen);
    for (size_t i = 0; i < ARRAY_LEN(gpu_lists); i++)
        env_set(e, gpu_lists[i], seen.s);
    env_set(e, "SLURM_STEP_GPUS", global.s);
}

/* A step that has none of its job's GPUs must not find the script's list. */
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
    bool outside;            /* what was asked for is not there: it gets the first one */
    bool few, around;        /* fewer than each task was promised; more tasks than places, they share */
};

static void pick_clear(struct pick *p)
{
    bind_gres_clear(&p->bind);
    bitmap_clear(&p->all);
    bitmap_clear(&p->mine);
}

/* The GPU at `place`; none when there are fewer. */
static void add_place(struct pick *p, uint64_t place)
{
    bitmap_each(&p->all, i)
    {
        if (place-- == 0) {
            bitmap_set(&p->mine, i);
            return;
        }
    }
}

/* Numbers of maps and masks are the node's; where a job sees only its own devices they count those. */
static void add_number(struct pick *p, uint64_t number, bool relative)
{
    if (relative)
        add_place(p, number);
    else if (bitmap_has(&p->all, number))
        bitmap_set(&p->mine, number);
}

static void choose(struct pick *p, bool relative, uint32_t local)
{
    const struct bind_gres *b = &p->bind;
    auto_bitmap struct bitmap mask = BITMAP_INIT;
    const char *word = b->list.n ? b->list.at[local % b->list.n] : "0";
    uint64_t n = bitmap_count(&p->all), each = MAX(b->n, 1u);
    p->few = b->how == BIND_GRES_PER_TASK && (local + 1) * each > n;
    p->around = b->how == BIND_GRES_SINGLE && local / each >= n;
    if (b->how == BIND_GRES_SINGLE)
        add_place(p, local / each % n);
    for (uint64_t i = 0; b->how == BIND_GRES_PER_TASK && !p->few && i < each; i++)
        add_place(p, local * each + i);
    if (b->how == BIND_GRES_MAP)
        add_number(p, strtoul(word, NULL, 0), relative);
    if (b->how == BIND_GRES_MASK)
        masks_parse(word, TOPO_MAX, &mask);
    bitmap_each(&mask, i)
        add_number(p, i, relative);
    if (b->how <= BIND_GRES_CLOSEST)
        bitmap_copy(&p->mine, &p->all);
    p->outside = bitmap_none(&p->mine);
    if (p->outside)
        add_place(p, 0);
}

/* False: nothing was said about the GPUs of tasks, or there are none. */
static bool pick_gpus(const Pb__LaunchOrder *o, const struct env_node *node, uint32_t local, struct pick *p)
{
    if (env_is_batch(o) || !o->step || str_empty(o->step->tres_bind) ||
        bind_tres_parse(o->step->tres_bind, "gpu", &p->bind, NULL) || p->bind.how == BIND_GRES_UNSET)
        return false;
    gpus_of(env_share(o), &p->all, NULL);
    if (bitmap_none(&p->all))
        return false;
    choose(p, node->own_devices, local);
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
