/* clean - nodes without anything of a job; see clean.h. */
#include "ctl/clean.h"

struct clean_nodes {
    uint32_t attempt, n;
    bool at[];
};

struct clean {
    struct map by_job; /* job id -> struct clean_nodes */
};

static struct clean_nodes *clean_need(struct ctl *t, const struct job *j)
{
    struct clean_nodes *c = map_get(&t->clean->by_job, j->id);
    if (c && c->attempt == j->attempt && c->n == j->alloc.n)
        return c;
    free(c);
    c = mem_alloc(sizeof(*c) + j->alloc.n * sizeof(c->at[0]));
    c->attempt = j->attempt;
    c->n = j->alloc.n;
    map_put(&t->clean->by_job, j->id, c);
    return c;
}

void clean_set(struct ctl *t, const struct job *j, uint32_t pos, bool clean)
{
    if (pos < j->alloc.n && j->alloc.n > 1 && (clean || map_get(&t->clean->by_job, j->id)))
        clean_need(t, j)->at[pos] = clean;
}

size_t clean_list(const struct ctl *t, const struct job *j, uint32_t *out)
{
    const struct clean_nodes *c = map_get(&t->clean->by_job, j->id);
    size_t n = 0;
    if (!c || c->attempt != j->attempt || c->n != j->alloc.n || j->steps.n)
        return 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i])
            out[n++] = i;
    return n;
}

void clean_changed(struct ctl *t, const struct change *ch)
{
    free(map_del(&t->clean->by_job, ch->job->id));
}

void clean_open(struct ctl *t)
{
    t->clean = NEW(struct clean);
}

void clean_close(struct ctl *t)
{
    size_t pos = 0;
    uint64_t id;
    for (void *c; (c = map_next(&t->clean->by_job, &pos, &id));)
        free(c);
    map_clear(&t->clean->by_job);
    free(take(t->clean));
}
