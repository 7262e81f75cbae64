/*
 * limit - what QOS and associations allow, asked before a start.
 *
 * Jobs under other limits stand in other shapes, so a limit that stops one stops the shape: nobody in it is looked at
 * again in this plan, and no place is kept for them.  Starts of this plan count at once, in a book of the plan's own.
 */
#include "core/limits.h"
#include "sched/sched_priv.h"

void limit_begin(struct sched *s, const struct cluster *c)
{
    uint64_t serial = s->conf.limits && limits_any(c) ? c->limits->serial : 0;
    s->limits = serial != 0;
    book_clear(&s->limit_more);
    if (serial == s->limit_serial)
        return;
    s->limit_serial = serial; /* who stands in which shape may be different from now on */
    s->all = true;
    s->seen = NULL;
}

/* Whose limits it is under: part of what makes a shape. */
void limit_key(const struct sched *s, const struct cluster *c, const struct job *j, const struct part *p,
               struct buf *key)
{
    if (!s->conf.limits || !limits_any(c))
        return;
    struct holders h;
    limits_holders(c, j, p, &h);
    uint32_t numbers[] = { h.uid, h.nassoc ? h.assoc[0]->pb->id : 0, h.nqos ? h.qos[0]->pb->id : 0,
                           h.nqos > 1 ? h.qos[1]->pb->id : 0 };
    buf_add(key, numbers, sizeof(numbers));
    buf_add(key, h.account, strlen(h.account) + 1);
}

static bool stops(struct sched *s, const struct cluster *c, struct shape *sh, const struct job *j,
                  const struct limit_ask *ask)
{
    struct holders h;
    limits_holders(c, j, c->part.at[sh->need.part], &h);
    enum why_code was = sh->limited;
    sh->limited = limits_block(c, &s->limit_more, &h, ask);
    for (size_t i = sh->head; sh->limited != was && i < sh->rank.n; i++)
        vec_push(&s->fresh, rank_id(sh->rank.at[i]));
    return sh->limited != WHY_NONE;
}

/* What any place gives it at least. */
static void least_tres(const struct req *r, struct tres_list *out)
{
    tres_set(out, "cpu", req_cpus(r));
    tres_set(out, "node", MAX(r->min_nodes, 1u));
    for (uint32_t i = 0; i < r->ngres; i++) {
        auto_free char *name = mem_printf("gres/%s", r->gres[i].name);
        uint32_t times = r->gres[i].scope == REQ_PER_NODE   ? MAX(r->min_nodes, 1u)
                         : r->gres[i].scope == REQ_PER_TASK ? req_tasks(r)
                                                            : 1;
        tres_add(out, name, r->gres[i].count * times);
    }
}

/* Who asks for more than is left keeps no place, and nobody has to go for it. */
bool limit_early(struct sched *s, const struct cluster *c, struct shape *sh, const struct job *j)
{
    auto_tres struct tres_list least = TRES_INIT;
    least_tres(sh->need.req, &least);
    struct limit_ask ask = { .tres = &least, .limit_min = sh->need.limit_min, .now_s = s->now_s, .least = true };
    return stops(s, c, sh, j, &ask);
}

bool limit_late(struct sched *s, const struct cluster *c, struct shape *sh, const struct job *j, const struct alloc *a)
{
    auto_tres struct tres_list all = TRES_INIT, most = TRES_INIT;
    limits_tres(c, c->part.at[sh->need.part], a, &all);
    limits_node_tres(c, a, &most);
    struct limit_ask ask = { .tres = &all, .node_tres = &most, .limit_min = sh->need.limit_min, .now_s = s->now_s };
    return stops(s, c, sh, j, &ask);
}

void limit_started(struct sched *s, const struct cluster *c, const struct shape *sh, const struct job *j,
                   const struct alloc *a)
{
    auto_tres struct tres_list all = TRES_INIT;
    struct holders h;
    limits_tres(c, c->part.at[sh->need.part], a, &all);
    limits_holders(c, j, c->part.at[sh->need.part], &h);
    book_start(&s->limit_more, &h, &all, sh->need.limit_min);
}

void limit_unstarted(struct sched *s, const struct cluster *c, const struct shape *sh, const struct job *j,
                     const struct alloc *a)
{
    auto_tres struct tres_list all = TRES_INIT;
    struct holders h;
    limits_tres(c, c->part.at[sh->need.part], a, &all);
    limits_holders(c, j, c->part.at[sh->need.part], &h);
    book_unstart(&s->limit_more, &h, &all, sh->need.limit_min);
}

/* QOS flag NoReserve: it takes what is free and keeps nothing from others. */
bool limit_no_place(const struct sched *s, const struct cluster *c, const struct job *j)
{
    const struct qos *q = s->limits ? limits_qos(c, j->spec->qos) : NULL;
    return q && (q->pb->flags & QOS_NO_RESERVE);
}

char *limit_say(const struct cluster *c, const struct job *j, const struct part *p)
{
    struct holders h;
    auto_tres struct tres_list least = TRES_INIT;
    limits_holders(c, j, p, &h);
    least_tres(&j->spec->req, &least);
    struct limit_ask ask = { .tres = &least, .limit_min = j->time_limit_min, .least = true };
    return limits_tell(c, &h, &ask, j->why.code);
}
