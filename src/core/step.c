/* step - what steps hold of their job's nodes; see step.h. */
#include "core/step.h"

#include "core/pbutil.h"

static struct step_hold *hold_at(struct job *j, uint32_t pos)
{
    if (!j->held)
        j->held = mem_array(j->alloc.n, sizeof(*j->held));
    struct step_hold *h = &j->held[pos];
    uint32_t n = j->alloc.at[pos].ngres;
    if (n && !h->gres) {
        h->ngres = n;
        h->gres = mem_array(n, sizeof(*h->gres));
        h->device = mem_array(n, sizeof(*h->device));
    }
    return h;
}

static uint32_t share_of(const struct node_alloc *na, const Pb__Gres *g)
{
    for (uint32_t i = 0; i < na->ngres; i++)
        if (na->gres[i].slot + 1 == g->slot)
            return i;
    return UINT32_MAX;
}

static void move_bits(struct bitmap *held, const ProtobufCBinaryData *bytes, bool take_it)
{
    auto_bitmap struct bitmap bits = BITMAP_INIT;
    pb_to_bitmap(&bits, bytes);
    if (take_it)
        bitmap_or(held, &bits);
    else
        bitmap_minus(held, &bits);
}

static void move_gres(struct step_hold *h, const struct node_alloc *na, const Pb__NodeAlloc *a, bool take_it)
{
    for (size_t i = 0; i < a->n_gres; i++) {
        uint32_t at = share_of(na, a->gres[i]);
        if (at == UINT32_MAX)
            continue;
        h->gres[at] += take_it ? a->gres[i]->count : -MIN(a->gres[i]->count, h->gres[at]);
        move_bits(&h->device[at], &a->gres[i]->index, take_it);
    }
}

/* Memory that was not asked for is lent, not held: the step may use what the job has. */
static bool holds_memory(const Pb__StepSpec *s)
{
    return s && !s->mem_all && (s->mem_per_node_mb || s->mem_per_cpu_mb || s->mem_per_gpu_mb);
}

static void count_held(struct job *j, const Pb__Step *s, bool take_it)
{
    if (s->shared)
        return;
    for (size_t i = 0; i < s->n_alloc && i < s->n_node; i++) {
        if (s->node[i] >= j->alloc.n)
            continue;
        const Pb__NodeAlloc *a = s->alloc[i];
        struct step_hold *h = hold_at(j, s->node[i]);
        h->steps += take_it ? 1u : -1u;
        h->cpus += take_it ? a->cpus : -a->cpus;
        if (holds_memory(s->spec))
            h->mem_mb += take_it ? a->mem_mb : -a->mem_mb;
        move_bits(&h->cores, &a->cores, take_it);
        move_gres(h, &j->alloc.at[s->node[i]], a, take_it);
    }
}

void step_take(struct job *j, const Pb__Step *s)
{
    count_held(j, s, true);
}

void step_release(struct job *j, const Pb__Step *s)
{
    if (j->held)
        count_held(j, s, false);
}

void step_holds_clear(struct job *j)
{
    for (uint32_t i = 0; j->held && i < j->alloc.n; i++) {
        struct step_hold *h = &j->held[i];
        bitmap_clear(&h->cores);
        for (uint32_t g = 0; g < h->ngres; g++)
            bitmap_clear(&h->device[g]);
        free(h->device);
        free(h->gres);
    }
    free(take(j->held));
}

void step_holds_rebuild(struct job *j)
{
    step_holds_clear(j);
    for (size_t i = 0; i < j->steps.n; i++)
        step_take(j, j->steps.at[i].pb);
}

Pb__Step *step_find(const struct job *j, uint32_t id)
{
    for (size_t i = 0; i < j->steps.n; i++)
        if (j->steps.at[i].pb->id == id)
            return j->steps.at[i].pb;
    return NULL;
}

uint32_t step_cpus(const Pb__Step *s)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < s->n_alloc; i++)
        sum += s->alloc[i]->cpus;
    return sum;
}

uint32_t step_tasks(const Pb__Step *s)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < s->n_tasks; i++)
        sum += s->tasks[i];
    return sum;
}
