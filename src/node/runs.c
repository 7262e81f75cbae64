/* runs - the steps on this node, by job. */
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "node/emulate.h"

struct step_run *run_find(const struct agent *a, struct step_key key)
{
    struct step_run *r = map_get(&a->jobs, key.job_id);
    while (r && !step_key_eq(r->key, key))
        r = r->next;
    return r;
}

struct step_run *run_add(struct agent *a, struct step_key key)
{
    struct step_run *r = NEW(struct step_run);
    r->agent = a;
    r->key = key;
    r->next = map_get(&a->jobs, key.job_id);
    map_put(&a->jobs, key.job_id, r);
    register_keep_house(a);
    return r;
}

static void unlink_run(struct step_run *r)
{
    struct agent *a = r->agent;
    struct step_run *first = map_get(&a->jobs, r->key.job_id);
    if (first == r && !r->next) {
        map_del(&a->jobs, r->key.job_id);
    } else if (first == r) {
        map_put(&a->jobs, r->key.job_id, r->next);
    } else {
        while (first->next != r)
            first = first->next;
        first->next = r->next;
    }
}

static void timer_closed(uv_handle_t *h)
{
    free(h);
}

void run_drop(struct step_run *r)
{
    unlink_run(r);
    if (r->agent->emulated)
        emulate_drop(r);
    else
        pool_release(r);
    if (r->supervisor) {
        link_set_arg(r->supervisor, NULL);
        link_close(r->supervisor);
    }
    if (r->retry)
        uv_close((uv_handle_t *)r->retry, timer_closed);
    free(r->nodes);
    if (r->report)
        pb__report__free_unpacked(r->report, NULL);
    buf_clear(&r->waiting);
    free(r);
}

void run_each(struct agent *a, run_each_fn *each, void *arg)
{
    VEC(struct step_run *) all = { 0 };
    size_t pos = 0;
    uint64_t key;
    for (struct step_run *r; (r = map_next(&a->jobs, &pos, &key));)
        for (; r; r = r->next)
            vec_push(&all, r);
    for (size_t i = 0; i < all.n; i++)
        each(all.at[i], arg);
    vec_clear(&all);
}

bool run_any_alive(const struct agent *a, uint32_t job_id, uint32_t attempt)
{
    for (const struct step_run *r = map_get(&a->jobs, job_id); r; r = r->next)
        if (r->key.attempt == attempt && !r->report)
            return true;
    return false;
}

const char *run_text(struct step_key key)
{
    static char text[SPOOL_NAME * 2];
    char step[SPOOL_NAME];
    snprintf(text, sizeof(text), "%u.%s", key.job_id, spool_step_name(step, key.step_id));
    return text;
}
