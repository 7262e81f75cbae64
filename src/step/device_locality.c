/* device_locality - which GPUs are close to which task; see device_locality.h. */
#include "step/device_locality.h"

#include "base/mem.h"
#include "base/str.h"
#include "step/bind.h"
#include "step/spawner.h"
#include "text/array.h"

void device_locality_lists(struct step *s)
{
    static const char *const words[] = { "cuda", "opencl", "rocr", "ze" }; /* in the order of env_gpu.c */
    const char *text = str_or(getenv(SPAWNER_GPUS), "all");
    auto_free char *first = mem_strn(text, strcspn(text, " "));
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_eq(first, "all") || str_in_list(first, words[i]))
            s->node.gpu_lists |= 1u << i;
}

/* The CPUs of a list of cores, by the system's numbers; false: not a list. */
static bool cpus_of(const struct topo *t, const char *cores, struct bitmap *os)
{
    auto_array struct array list = ARRAY_INIT;
    auto_bitmap struct bitmap cpus = BITMAP_INIT;
    if (array_parse(cores, topo_cores(t), &list, NULL))
        return false;
    bitmap_each (&list.tasks, core)
        bitmap_set_range(&cpus, core * t->threads, t->threads);
    topo_os(t, &cpus, os);
    return true;
}

static bool meet(const struct bitmap *a, const struct bitmap *b)
{
    auto_bitmap struct bitmap both = BITMAP_INIT;
    bitmap_copy(&both, a);
    bitmap_and(&both, b);
    return !bitmap_none(&both);
}

/* A task that is not bound is close to every GPU. */
static void add_gpu(struct step *s, uint32_t gpu, const char *cores)
{
    const struct binding *b = s->binding;
    auto_bitmap struct bitmap os = BITMAP_INIT;
    bool any = !cpus_of(&b->topo, cores, &os);
    for (uint32_t i = 0; i < s->ntasks; i++) {
        const struct bitmap *task = i < b->masks.n ? &b->masks.at[i] : NULL;
        if (any || !task || bitmap_none(task) || meet(task, &os))
            bitmap_set(&s->node.near[i], gpu);
    }
}

void device_locality_prepare(struct step *s)
{
    const char *text = str_or(getenv(SPAWNER_GPUS), "");
    const Pb__StepSpec *step = s->batch ? NULL : s->order->step;
    if (!step || (str_empty(step->tres_bind) && str_empty(step->accel_bind)) || !strchr(text, ' '))
        return;
    s->node.near = mem_array(s->ntasks, sizeof(*s->node.near));
    s->node.nnear = s->ntasks;
    const char *pos = strchr(text, ' ');
    uint32_t gpu = 0;
    for (char *cores; (cores = str_next(&pos, " ")); free(cores))
        add_gpu(s, gpu++, cores);
}
