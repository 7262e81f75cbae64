/* clean - nodes without anything of a job; see clean.h. */
#include "ctl/clean.h"

struct clean {
    uint32_t attempt, n;
    bool at[];
};

static struct clean *need(struct ctl *t, const struct job *j)
{
    struct clean *c = map_get(&t->cleans, j->id);
    if (c && c->attempt == j->attempt && c->n == j->alloc.n)
        return c;
    free(c);
    c = mem_alloc(sizeof(*c) + j->alloc.n * sizeof(c->at[0]));
    c->attempt = j->attempt;
    c->n = j->alloc.n;
    map_put(&t->cleans, j->id, c);
    return c;
}

void clean_set(struct ctl *t, const struct job *j, uint32_t pos, bool clean)
{
    if (pos < j->alloc.n && j->alloc.n > 1 && (clean || map_get(&t->cleans, j->id)))
        need(t, j)->at[pos] = clean;
}

size_t clean_list(const struct ctl *t, const struct job *j, uint32_t *out)
{
    const struct clean *c = map_get(&t->cleans, j->id);
    size_t n = 0;
    if (!c || c->attempt != j->attempt || c->n != j->alloc.n || j->steps.n)
        return 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i])
            out[n++] = i;
    return n;
}

void clean_forget(struct ctl *t, uint32_t job_id)
{
    free(map_del(&t->cleans, job_id));
}

void clean_clear(struct ctl *t)
{
    size_t pos = 0;
    uint64_t id;
    for (void *c; (c = map_next(&t->cleans, &pos, &id));)
        free(c);
    map_clear(&t->cleans);
}
