/* cluster - the state as a whole: making, finding, ending.  What changes it is in apply*.c. */
#include "base/str.h"
#include "core/level.h"
#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/runtime_history.h"

struct cluster *cluster_new(void)
{
    struct cluster *c = NEW(struct cluster);
    c->snap = snap_cache_new();
    c->next_blob = 1;
    c->level = LEVEL_FIRST;
    c->next_job = c->first_job = 1;
    c->next_resv = 1;
    c->max_job = 0x03ff0000;
    return c;
}

static void free_list(struct joblist *l)
{
    for (struct job *j = l->head, *next; j; j = next) {
        next = j->next;
        job_free(j);
    }
}

void cluster_free(struct cluster *c)
{
    if (!c)
        return;
    free_list(&c->pending);
    free_list(&c->active);
    free_list(&c->done);
    size_t pos = 0;
    for (struct spec *s; (s = map_next(&c->specs, &pos, NULL));)
        spec_free(s);
    pos = 0;
    for (struct blob *b; (b = map_next(&c->blobs, &pos, NULL));)
        free(b);
    pos = 0;
    for (struct array_group *g; (g = map_next(&c->arrays, &pos, NULL));) {
        vec_clear(&g->jobs);
        free(g);
    }
    for (size_t i = 0; i < c->nnodes; i++)
        node_free_fields(&c->node[i]);
    for (size_t i = 0; i < c->part.n; i++) {
        pb__part__free_unpacked(c->part.at[i]->pb, NULL);
        bitmap_clear(&c->part.at[i]->nodes);
        free(c->part.at[i]);
    }
    vec_clear(&c->part);
    topo_take(c, NULL, 0, false);
    license_clear(&c->licenses);
    for (size_t i = 0; i < c->resv.n; i++)
        resv_free(c->resv.at[i]);
    vec_clear(&c->resv);
    vec_clear(&c->keys);
    limits_clear(c);
    runtime_history_config(c, false);
    name_table_clear(&c->names);
    map_clear(&c->jobs);
    map_clear(&c->specs);
    map_clear(&c->blobs);
    map_clear(&c->blob_by_hash);
    map_clear(&c->key_index);
    map_clear(&c->arrays);
    smap_clear(&c->node_by_name);
    snap_cache_free(c->snap);
    free(c->node);
    free(c->name);
    free(c);
}

struct node *cluster_node(const struct cluster *c, const char *name)
{
    return smap_get(&c->node_by_name, name);
}

struct part *cluster_part(const struct cluster *c, const char *name)
{
    for (size_t i = 0; i < c->part.n; i++)
        if (str_eq(c->part.at[i]->pb->name, name))
            return c->part.at[i];
    return NULL;
}

struct part *cluster_default_part(const struct cluster *c)
{
    for (size_t i = 0; i < c->part.n; i++)
        if (c->part.at[i]->pb->is_default)
            return c->part.at[i];
    return NULL;
}

static const char *const part_states[] = {
    [PB__PART_STATE__PART_UP] = "UP",
    [PB__PART_STATE__PART_DOWN] = "DOWN",
    [PB__PART_STATE__PART_DRAIN] = "DRAIN",
    [PB__PART_STATE__PART_INACTIVE] = "INACTIVE",
};

const char *part_state_name(Pb__PartState state)
{
    return (size_t)state < ARRAY_LEN(part_states) ? part_states[state] : "UP";
}

bool part_state_parse(const char *text, Pb__PartState *out)
{
    for (size_t i = 0; i < ARRAY_LEN(part_states); i++)
        if (str_ieq(text, part_states[i])) {
            *out = (Pb__PartState)i;
            return true;
        }
    return false;
}

struct array_group *cluster_array(const struct cluster *c, uint32_t array_job)
{
    return map_get(&c->arrays, array_job);
}

struct job *cluster_array_task(const struct cluster *c, uint32_t array_job, uint32_t task)
{
    struct array_group *g = cluster_array(c, array_job);
    for (size_t i = 0; g && i < g->jobs.n; i++) {
        struct job *j = g->jobs.at[i];
        if (j->array ? bitmap_has(&j->array->pending, task) : j->array_task == task)
            return j;
    }
    return NULL;
}

static uint64_t key_head(const uint8_t *bytes)
{
    uint64_t head;
    memcpy(&head, bytes, 8);
    return head;
}

uint32_t cluster_key(const struct cluster *c, const uint8_t key[static 16], uint32_t uid)
{
    if (!map_get(&c->key_index, key_head(key)))
        return 0;
    for (size_t i = c->keys.n; i-- > 0;)
        if (c->keys.at[i].uid == uid && !memcmp(c->keys.at[i].bytes, key, 16))
            return c->keys.at[i].job_id;
    return 0;
}

static void key_piece_stale(struct cluster *c, uint64_t piece)
{
    struct snap_table *t = &c->snap->table[SNAP_KEY];
    if (!snap_queued_last(t, piece))
        snap_queue(t, piece);
}

void cluster_add_key(struct cluster *c, const uint8_t *bytes, uint32_t uid, uint32_t job_id, int64_t at_s)
{
    struct key k = { .uid = uid, .job_id = job_id, .at_s = at_s };
    memcpy(k.bytes, bytes, 16);
    key_piece_stale(c, (c->key_base + c->keys.n) / KEY_PIECE);
    vec_push(&c->keys, k);
    map_put(&c->key_index, key_head(bytes), (void *)(uintptr_t)job_id);
}

/* A pending srun or salloc shows its key after a failover, however long it has been pending. */
static bool key_needed(const struct cluster *c, const struct key *k)
{
    const struct job *j = cluster_job(c, k->job_id);
    return j && job_pending(j) && j->spec->kind != PB__JOB_KIND__KIND_BATCH;
}

void cluster_drop_keys(struct cluster *c, int64_t before_s)
{
    size_t old = 0, kept = 0;
    for (; old < c->keys.n && c->keys.at[old].at_s < before_s; old++)
        kept += key_needed(c, &c->keys.at[old]);
    if (old == kept)
        return;
    for (uint64_t piece = c->key_base / KEY_PIECE; piece <= (c->key_base + old) / KEY_PIECE; piece++)
        key_piece_stale(c, piece);
    /* From the end: a key that stays moves up to the newer ones, whose numbers do not change. */
    size_t to = old;
    for (size_t i = old; i-- > 0;)
        if (key_needed(c, &c->keys.at[i]))
            c->keys.at[--to] = c->keys.at[i];
    memmove(c->keys.at, c->keys.at + to, (c->keys.n - to) * sizeof(*c->keys.at));
    c->keys.n -= to;
    c->key_base += to;
    map_clear(&c->key_index);
    for (size_t i = 0; i < c->keys.n; i++)
        map_put(&c->key_index, key_head(c->keys.at[i].bytes), (void *)(uintptr_t)c->keys.at[i].job_id);
}

/* Slurm's ids count up, start again at FirstJobId after MaxJobId, and skip those in use. */
uint32_t cluster_free_id(const struct cluster *c, uint32_t from)
{
    for (;; from++) {
        if (from < c->first_job || from > c->max_job)
            from = c->first_job;
        if (!map_get(&c->jobs, from) && !map_get(&c->arrays, from))
            return from;
    }
}

void job_changed(struct cluster *c, struct job *j)
{
    job_touch(j);
    snap_stale(c->snap, SNAP_JOB, j->id, &j->snap_queued);
    if (c->watch)
        c->watch->job_changed(c->watch->arg, j);
}

void node_changed(struct cluster *c, struct node *n)
{
    snap_stale(c->snap, SNAP_NODE, n->index, &n->snap_queued);
}

/* ---- lists ---- */

void joblist_add(struct joblist *l, struct job *j)
{
    j->prev = l->tail;
    j->next = NULL;
    if (l->tail)
        l->tail->next = j;
    else
        l->head = j;
    l->tail = j;
    l->n++;
}

void joblist_remove(struct joblist *l, struct job *j)
{
    if (j->prev)
        j->prev->next = j->next;
    else
        l->head = j->next;
    if (j->next)
        j->next->prev = j->prev;
    else
        l->tail = j->prev;
    j->prev = j->next = NULL;
    l->n--;
}

struct joblist *cluster_list_of(struct cluster *c, const struct job *j)
{
    if (job_holds_nodes(j))
        return &c->active;
    return job_pending(j) ? &c->pending : &c->done;
}

static void group_add(struct cluster *c, struct job *j)
{
    if (!j->array_job)
        return;
    struct array_group *g = map_get(&c->arrays, j->array_job);
    if (!g) {
        g = NEW(struct array_group);
        g->array_job = j->array_job;
        map_put(&c->arrays, g->array_job, g);
    }
    vec_push(&g->jobs, j);
    g->running += job_holds_nodes(j);
}

static void group_remove(struct cluster *c, struct job *j)
{
    struct array_group *g = j->array_job ? map_get(&c->arrays, j->array_job) : NULL;
    if (!g)
        return;
    for (size_t i = 0; i < g->jobs.n; i++)
        if (g->jobs.at[i] == j) {
            g->jobs.at[i] = g->jobs.at[--g->jobs.n];
            break;
        }
    if (!g->jobs.n) {
        map_del(&c->arrays, g->array_job);
        vec_clear(&g->jobs);
        free(g);
    }
}

void cluster_add_job(struct cluster *c, struct job *j)
{
    map_put(&c->jobs, j->id, j);
    joblist_add(cluster_list_of(c, j), j);
    group_add(c, j);
    limits_count(c, j);
    job_changed(c, j);
}

void cluster_drop_job(struct cluster *c, struct job *j)
{
    joblist_remove(cluster_list_of(c, j), j);
    group_remove(c, j);
    limits_uncount(c, j);
    map_del(&c->jobs, j->id);
    job_changed(c, j);
    spec_unref(c, j->spec);
    blob_unref(c, j->script);
    blob_unref(c, j->env);
    job_free(j);
}

void cluster_move_job(struct cluster *c, struct job *j, uint32_t state)
{
    bool held = job_holds_nodes(j);
    joblist_remove(cluster_list_of(c, j), j);
    j->state = state;
    joblist_add(cluster_list_of(c, j), j);
    struct array_group *g = j->array_job ? map_get(&c->arrays, j->array_job) : NULL;
    if (g)
        g->running += (uint32_t)job_holds_nodes(j) - (uint32_t)held;
    limits_count(c, j);
    job_changed(c, j);
}
