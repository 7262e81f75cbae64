/* pmi - what PMI-1 and PMI-2 share: splitting input into commands, keys and values, the fence; see pmi.h. */
#include "mpi/pmi.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "mpi/pmi_priv.h"

#define LENGTH 6 /* digits and blanks before a command of PMI-2 */

struct pmi_entry {
    char *key, *value;
};

struct pmi *pmi_new(const struct pmi_place *place, const struct pmi_ops *ops, void *arg)
{
    struct pmi *p = NEW(struct pmi);
    const char *why;
    p->place = *place;
    p->place.job = mem_str(place->job);
    p->place.mapping = mem_str(place->mapping);
    p->place.rank = mem_copy(place->rank, place->ntasks * sizeof(*place->rank));
    p->ops = ops;
    p->arg = arg;
    p->task = mem_array(place->ntasks, sizeof(*p->task));
    if (strlen(place->mapping) <= PMI_MAPPING_MAX) /* without a mapping a library compares host names */
        pmi_put(p, &p->kvs, "PMI_process_mapping", place->mapping, &why);
    return p;
}

static void store_clear(struct pmi_store *s)
{
    size_t pos = 0;
    for (struct pmi_entry *e; (e = smap_next(&s->map, &pos, NULL));) {
        free(e->key);
        free(e->value);
        free(e);
    }
    smap_clear(&s->map);
}

void pmi_free(struct pmi *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->place.ntasks; i++) {
        buf_clear(&p->task[i].in);
        free(p->task[i].attr);
        free(p->task[i].thread);
        free(p->task[i].fence_thread);
        free(p->task[i].attr_thread);
    }
    store_clear(&p->kvs);
    store_clear(&p->attrs);
    buf_clear(&p->fresh);
    free((char *)p->place.job);
    free((char *)p->place.mapping);
    free((uint32_t *)p->place.rank);
    free(p->task);
    free(p);
}

/* ---- keys and values ---- */

const char *pmi_get(const struct pmi_store *s, const char *key)
{
    const struct pmi_entry *e = smap_get(&s->map, key);
    return e ? e->value : NULL;
}

static void store_put(struct pmi_store *s, const char *key, const char *value)
{
    struct pmi_entry *e = smap_get(&s->map, key);
    s->bytes += strlen(value);
    if (e) {
        s->bytes -= strlen(e->value);
        mem_set_str(&e->value, value);
        return;
    }
    e = NEW(struct pmi_entry);
    e->key = mem_str(key);
    e->value = mem_str(value);
    s->bytes += strlen(key);
    smap_put(&s->map, e->key, e);
}

int pmi_put(struct pmi *p, struct pmi_store *s, const char *key, const char *value, const char **why)
{
    size_t n = strlen(key) + strlen(value);
    *why = !*key                                             ? "there_is_no_key"
           : strlen(key) > PMI_KEY_MAX                       ? "the_key_is_too_long"
           : strlen(value) > PMI_VALUE_MAX                   ? "the_value_is_too_long"
           : s->bytes + p->fresh.len + n + 2 > PMI_STORE_MAX ? "too_much_was_put"
                                                             : NULL;
    if (*why)
        return 1;
    store_put(s, key, value);
    return 0;
}

/* ---- the fence ---- */

void pmi_fence(struct pmi *p, uint32_t local)
{
    struct pmi_task *t = &p->task[local];
    if (t->fencing)
        return; /* the task is in the fence already */
    t->fencing = true;
    if (++p->nfencing < p->place.ntasks)
        return;
    p->fence_out = true;
    auto_buf struct buf part = p->fresh;
    p->fresh = (struct buf)BUF_INIT;
    p->ops->fence(p->arg, p->fences++, part.s ? part.s : "", part.len);
}

/* The parts of all nodes: key NUL value NUL each.  A truncated pair is ignored. */
static void take_parts(struct pmi *p, const char *at, size_t n)
{
    const char *end = at + n;
    while (at < end) {
        const char *key = at, *value = memchr(key, '\0', (size_t)(end - key));
        const char *last = value ? memchr(value + 1, '\0', (size_t)(end - value - 1)) : NULL;
        if (!last || p->kvs.bytes > PMI_STORE_MAX)
            return;
        store_put(&p->kvs, key, value + 1);
        at = last + 1;
    }
}

void pmi_fenced(struct pmi *p, const void *parts, size_t n, int status)
{
    if (!p->fence_out)
        return;
    p->fence_out = false;
    p->nfencing = 0;
    take_parts(p, parts, status ? 0 : n);
    for (uint32_t i = 0; i < p->place.ntasks; i++) {
        p->task[i].fencing = false;
        if (p->task[i].dialect == PMI_TWO)
            pmi2_fenced(p, i, status);
        else
            pmi1_fenced(p, i, status);
    }
}

/* ---- commands ---- */

const char *pmi_value(const struct pmi_msg *m, const char *key)
{
    for (size_t i = 0; i < m->n; i++)
        if (!strcmp(m->pair[i].key, key))
            return m->pair[i].value;
    return NULL;
}

bool pmi_dispatch(const struct pmi_command *rows, const char *name, struct pmi *p, uint32_t local,
                  const struct pmi_msg *m)
{
    for (; rows->name; rows++)
        if (!strcmp(rows->name, name)) {
            rows->fn(p, local, m);
            return true;
        }
    return false;
}

void pmi_reply(struct pmi *p, uint32_t local, const struct buf *text)
{
    p->ops->reply(p->arg, local, text->s, text->len);
}

void pmi_no_spawn(struct pmi *p, uint32_t local)
{
    p->ops->complain(p->arg, local, "MPI_Comm_spawn is not supported: a step keeps the tasks it began with");
}

/* ---- bytes ---- */

/* Handle a line of PMI-1, or the first line of either version.  Returns its length; 0: the line is incomplete. */
static size_t line_of(struct pmi *p, uint32_t local, const struct buf *in)
{
    const char *end = memchr(in->s, '\n', in->len);
    if (!end)
        return 0;
    auto_free char *line = mem_strn(in->s, (size_t)(end - in->s));
    pmi1_line(p, local, line);
    return (size_t)(end - in->s) + 1;
}

static int text_of(struct pmi *p, uint32_t local, const struct buf *in, size_t *used, struct err *err)
{
    char digits[LENGTH + 1] = "", *end;
    *used = 0;
    if (in->len < LENGTH)
        return 0;
    memcpy(digits, in->s, LENGTH);
    unsigned long n = strtoul(digits, &end, 10);
    if (end == digits || end[strspn(end, " ")] || strchr(digits, '-') || !n || n > PMI_LINE_MAX)
        return err_set(err, EBADMSG, "\"%.6s\" is not the length of a PMI-2 command", digits);
    if (in->len < LENGTH + n)
        return 0;
    auto_free char *text = mem_strn(in->s + LENGTH, n);
    *used = LENGTH + n;
    pmi2_text(p, local, text);
    return 0;
}

int pmi_input(struct pmi *p, uint32_t local, const void *bytes, size_t n, struct err *err)
{
    struct pmi_task *t = &p->task[local];
    buf_add(&t->in, bytes, n);
    for (size_t used = 1; used && t->in.len; buf_cut(&t->in, used)) {
        int rc = 0;
        if (t->dialect == PMI_TWO)
            rc = text_of(p, local, &t->in, &used, err);
        else
            used = line_of(p, local, &t->in);
        if (rc)
            return rc;
    }
    return t->in.len > PMI_LINE_MAX + LENGTH ? err_set(err, EBADMSG, "a PMI command has no end") : 0;
}
