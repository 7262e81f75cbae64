/* env - the environment of a job's processes; see env.h. */
#include "step/env.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"

#define ENV_MAX_VARS 65536

void env_clear(struct env *e)
{
    for (size_t i = 0; i < e->var.n; i++)
        free(e->var.at[i]);
    vec_clear(&e->var);
}

static char **find(const struct env *e, const char *name, size_t len)
{
    for (size_t i = 0; i < e->var.n; i++)
        if (e->var.at[i] && !strncmp(e->var.at[i], name, len) && e->var.at[i][len] == '=')
            return &e->var.at[i];
    return NULL;
}

static void put(struct env *e, char *pair, size_t name_len)
{
    char **at = find(e, pair, name_len);
    if (at) {
        free(*at);
        *at = pair;
    } else {
        vec_push(&e->var, pair);
    }
}

void env_set(struct env *e, const char *name, const char *value)
{
    put(e, mem_printf("%s=%s", name, value), strlen(name));
}

void env_unset(struct env *e, const char *name)
{
    char **at = find(e, name, strlen(name));
    if (!at)
        return;
    free(*at);
    *at = e->var.at[--e->var.n];
}

void env_setf(struct env *e, const char *name, const char *fmt, ...)
{
    auto_buf struct buf out = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_adds(&out, name);
    buf_addc(&out, '=');
    buf_addv(&out, fmt, ap);
    va_end(ap);
    put(e, buf_take(&out), strlen(name));
}

const char *env_get(const struct env *e, const char *name)
{
    size_t len = strlen(name);
    char **at = find(e, name, len);
    return at ? *at + len + 1 : NULL;
}

void env_load(struct env *e, const void *text, size_t len)
{
    const char *p = text, *end = p + len;
    while (p < end && e->var.n < ENV_MAX_VARS) {
        size_t n = strnlen(p, (size_t)(end - p));
        const char *eq = memchr(p, '=', n);
        if (eq && eq != p)
            vec_push(&e->var, mem_strn(p, n));
        p += n + 1;
    }
}

void env_add(struct env *e, const void *text, size_t len)
{
    if (!e->var.n) { /* empty: no duplicates possible */
        env_load(e, text, len);
        return;
    }
    auto_env struct env more = { 0 };
    env_load(&more, text, len);
    for (size_t i = 0; i < more.var.n; i++) {
        char *pair = take(more.var.at[i]);
        put(e, pair, strcspn(pair, "="));
    }
}

char **env_vector(struct env *e)
{
    vec_reserve(&e->var, e->var.n + 1);
    e->var.at[e->var.n] = NULL;
    return e->var.at;
}

/* ---- the order ---- */

uint32_t env_rank(const Pb__LaunchOrder *o, uint32_t local)
{
    return local < o->n_ranks ? o->ranks[local] : o->first_task + local;
}

bool env_is_batch(const Pb__LaunchOrder *o)
{
    return o->step_id == PB__STEP_NUMBER__STEP_BATCH;
}

uint32_t env_step_index(const Pb__LaunchOrder *o)
{
    for (size_t i = 0; i < o->n_step_node; i++)
        if (o->step_node[i] == o->node_index)
            return (uint32_t)i;
    return 0;
}

uint32_t env_local_tasks(const Pb__LaunchOrder *o)
{
    uint32_t i = env_step_index(o);
    if (env_is_batch(o) || i >= o->n_step_tasks)
        return 1;
    return o->step_tasks[i];
}

uint32_t env_tasks(const Pb__LaunchOrder *o)
{
    uint32_t n = 0;
    for (size_t i = 0; i < o->n_step_tasks; i++)
        n += o->step_tasks[i];
    return n ? n : 1;
}

const Pb__NodeAlloc *env_here(const Pb__LaunchOrder *o)
{
    return o->node_index < o->n_alloc ? o->alloc[o->node_index] : NULL;
}

const Pb__NodeAlloc *env_share(const Pb__LaunchOrder *o)
{
    return !env_is_batch(o) && o->step_alloc ? o->step_alloc : env_here(o);
}
