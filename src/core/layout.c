/* layout - which task runs where; see layout.h. */
#include "core/layout.h"

#include "base/mem.h"
#include "base/str.h"

/* ---- what -m says ---- */

static int parse_first(const char *word, struct layout_dist_of *out, struct err *err)
{
    uint64_t plane;
    if (str_empty(word) || str_eq(word, "*") || str_ieq(word, "block"))
        out->dist = LAYOUT_BLOCK;
    else if (str_ieq(word, "cyclic"))
        out->dist = LAYOUT_CYCLIC;
    else if (str_ieq(word, "arbitrary"))
        out->dist = LAYOUT_ARBITRARY;
    else if (str_has_iprefix(word, "plane=") && str_u64(word + 6, 1, UINT32_MAX, &plane))
        *out = (struct layout_dist_of){ .dist = LAYOUT_PLANE, .plane = (uint32_t)plane };
    else
        return err_set(err, EINVAL, "invalid distribution of tasks \"%s\"", word);
    return 0;
}

int layout_parse(const char *text, struct layout_dist_of *out, struct err *err)
{
    *out = (struct layout_dist_of){ 0 };
    const char *comma = text ? strchr(text, ',') : NULL;
    size_t len = text ? strcspn(text, ":,") : 0;
    auto_free char *first = mem_strn(text ? text : "", len);
    int rc = parse_first(first, out, err);
    if (rc || !comma)
        return rc;
    out->pack = str_ieq(comma + 1, "pack");
    out->no_pack = str_ieq(comma + 1, "nopack");
    return out->pack || out->no_pack ? 0 : err_set(err, EINVAL, "invalid distribution of tasks \"%s\"", text);
}

/* ---- how many on each ---- */

static uint64_t room_of(const struct layout_ask *a)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->n; i++)
        sum += a->room[i];
    return sum;
}

static uint32_t add_tasks(struct layout *l, const struct layout_ask *a, uint32_t i, uint32_t most)
{
    uint32_t free = a->room[i] > l->tasks[i] ? a->room[i] - l->tasks[i] : 0;
    uint32_t more = MIN(free, most);
    l->tasks[i] += more;
    return more;
}

/* Packed: every node gets one, then they are filled one after the other. */
static void count_packed(struct layout *l, const struct layout_ask *a)
{
    uint32_t left = a->tasks;
    for (uint32_t i = 0; i < a->n && left; i++)
        left -= add_tasks(l, a, i, 1);
    for (uint32_t i = 0; i < a->n && left; i++)
        left -= add_tasks(l, a, i, left);
}

/* Round by round, `plane` tasks at a time while there is room.  A block distribution counts so, too (one at a time):
 * it spreads tasks over the nodes and differs in the ranks alone. */
static void count_rounds(struct layout *l, const struct layout_ask *a, uint32_t plane)
{
    uint32_t left = a->tasks;
    bool any = true;
    for (uint32_t round = 0; left && any; round++) {
        any = false;
        for (uint32_t i = 0; i < a->n && left; i++) {
            uint32_t later = round ? 0 : a->n - i - 1; /* one for each that has none yet */
            uint32_t got = add_tasks(l, a, i, MIN(plane, left > later ? left - later : 1));
            left -= got;
            any |= got > 0;
        }
    }
}

/* More than there is room for: the rest is dealt evenly over all nodes. */
static void count_rest(struct layout *l, const struct layout_ask *a)
{
    uint32_t left = a->tasks;
    for (uint32_t i = 0; i < a->n; i++)
        left -= l->tasks[i];
    for (uint32_t i = 0; i < a->n; i++)
        l->tasks[i] += left / a->n + (i < left % a->n);
}

static int count_hosts(struct layout *l, const struct layout_ask *a, struct err *err)
{
    if (a->nhosts < a->tasks)
        return err_set(err, EINVAL, "%zu nodes are named for %u tasks", a->nhosts, a->tasks);
    for (uint32_t t = 0; t < a->tasks; t++) {
        if (a->host[t] >= a->n)
            return err_set(err, EINVAL, "task %u is for a node that is not the step's", t);
        l->tasks[a->host[t]]++;
    }
    return 0;
}

/* ---- which ranks ---- */

static uint32_t *layout_starts(const struct layout *l)
{
    uint32_t *at = mem_array(l->n + 1, sizeof(*at));
    for (uint32_t i = 0; i < l->n; i++)
        at[i + 1] = at[i] + l->tasks[i];
    return at;
}

static void rank_rounds(struct layout *l, uint32_t tasks, uint32_t plane)
{
    auto_free uint32_t *at = layout_starts(l), *end = layout_starts(l);
    for (uint32_t rank = 0; rank < tasks;)
        for (uint32_t i = 0; i < l->n && rank < tasks; i++)
            for (uint32_t k = 0; k < plane && at[i] < end[i + 1]; k++)
                l->rank[at[i]++] = rank++;
}

static void rank_hosts(struct layout *l, const struct layout_ask *a)
{
    auto_free uint32_t *at = layout_starts(l);
    for (uint32_t t = 0; t < a->tasks; t++)
        l->rank[at[a->host[t]]++] = t;
}

static void rank_all(struct layout *l, const struct layout_ask *a)
{
    l->rank = mem_array(MAX(a->tasks, 1u), sizeof(*l->rank));
    if (a->dist.dist == LAYOUT_CYCLIC)
        rank_rounds(l, a->tasks, 1);
    else if (a->dist.dist == LAYOUT_PLANE)
        rank_rounds(l, a->tasks, MAX(a->dist.plane, 1u));
    else if (a->dist.dist == LAYOUT_ARBITRARY)
        rank_hosts(l, a);
    else
        for (uint32_t t = 0; t < a->tasks; t++)
            l->rank[t] = t;
    l->plain = true;
    for (uint32_t t = 0; t < a->tasks; t++)
        l->plain &= l->rank[t] == t;
}

int layout_make(const struct layout_ask *a, struct layout *out, struct err *err)
{
    *out = (struct layout){ .n = a->n, .tasks = mem_array(MAX(a->n, 1u), sizeof(*out->tasks)) };
    bool tight = room_of(a) < a->tasks;
    int rc = 0;
    if (!a->n || (tight && !a->overcommit) || a->tasks / a->n > LAYOUT_NODE_TASKS_MAX)
        rc = err_set(err, ENOSPC, "%u tasks do not fit on %u nodes", a->tasks, a->n);
    else if (a->dist.dist == LAYOUT_ARBITRARY)
        rc = count_hosts(out, a, err);
    else if (a->dist.dist == LAYOUT_BLOCK && a->dist.pack)
        count_packed(out, a);
    else
        count_rounds(out, a, a->dist.dist == LAYOUT_PLANE ? MAX(a->dist.plane, 1u) : 1);
    if (!rc && a->dist.dist != LAYOUT_ARBITRARY)
        count_rest(out, a);
    if (!rc)
        rank_all(out, a);
    else
        layout_clear(out);
    return rc;
}

void layout_clear(struct layout *l)
{
    free(l->tasks);
    free(l->rank);
    *l = (struct layout){ 0 };
}
