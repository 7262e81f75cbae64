/*
 * rig_resv - reservations on the rig: created, begun and ended like the controller does; and what a start must respect.
 *
 * The check is written from what reservations promise, not from how the scheduler keeps it.
 */
#ifndef SPUR_TEST_SCHED_RIG_RESV_H
#define SPUR_TEST_SCHED_RIG_RESV_H

#include "core/pbutil.h"
#include "rig.h"
#include "sched/resv.h"

struct rig_resv { /* zeros: not set */
    const char *name, *part, *gres, *licenses;
    uint32_t nodes, cores;      /* node and core counts; cores 0: whole nodes */
    const struct bitmap *named; /* or these nodes */
    int64_t from_s, to_s;
    uint64_t flags;
    uint32_t uid; /* for this user and root; 0: for all users */
};

static inline void rig_resv_event(struct rig *r, Pb__Resv *pb, bool remove)
{
    Pb__EvResv e = PB__EV_RESV__INIT;
    e.resv = pb, e.remove = remove;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_RESV, ev.resv = &e;
    rig_apply(r, &ev);
    sched_changed(r->s, NULL);
}

/* 0, or the error. */
static inline int rig_reserve(struct rig *r, const struct rig_resv *w)
{
    struct err err = ERR_INIT;
    Pb__Resv pb = PB__RESV__INIT;
    pb.id = r->c->next_resv, pb.name = (char *)(uintptr_t)w->name;
    pb.partition = (char *)(uintptr_t)(w->part ? w->part : "main"), pb.accounts = (char[]){ "" };
    pb.start_s = w->from_s, pb.end_s = w->to_s, pb.flags = w->flags, pb.active = w->from_s <= r->now_s;
    pb.node_cnt = w->nodes, pb.core_cnt = w->cores;
    pb.gres = (char *)(uintptr_t)(w->gres ? w->gres : "");
    pb.licenses = (char *)(uintptr_t)(w->licenses ? w->licenses : "");
    uint32_t uid = w->uid;
    pb.uid = &uid, pb.n_uid = uid ? 1 : 0, pb.users = (char *)(uintptr_t)(uid ? "user" : "");
    int rc = resv_pick(r->c, &pb, w->named, NULL, r->now_s, &err);
    if (!rc)
        rig_resv_event(r, &pb, false);
    resv_nodes_free(&pb);
    return rc;
}

/* The clock moved: some begin, some end.  True when any did. */
static inline bool rig_resv_tick(struct rig *r)
{
    bool any = false;
    for (size_t i = r->c->resv.n; i-- > 0;) {
        Pb__Resv pb = *r->c->resv.at[i]->pb;
        int64_t length = pb.end_s - pb.start_s;
        if (pb.end_s <= r->now_s && !(pb.flags & RESV_REPEATS)) {
            Pb__Resv gone = PB__RESV__INIT;
            gone.id = pb.id;
            rig_resv_event(r, &gone, true);
            any = true;
            continue;
        }
        bool was = pb.active;
        while (pb.end_s <= r->now_s)
            pb.start_s = resv_next(pb.flags, pb.start_s), pb.end_s = pb.start_s + length, was = !pb.active;
        pb.active = pb.start_s <= r->now_s;
        if (pb.active != was || pb.start_s != r->c->resv.at[i]->pb->start_s) {
            rig_resv_event(r, &pb, false);
            any = true;
        }
    }
    return any;
}

/* ---- what a start must respect ---- */

static inline const Pb__ResvNode *resv_share(const struct resv *v, uint32_t node)
{
    for (size_t i = 0; i < v->pb->n_node; i++)
        if (v->pb->node[i]->node == node)
            return v->pb->node[i];
    return NULL;
}

/* Does one of its periods overlap that time? */
static inline bool resv_touches(const struct resv *v, int64_t from_s, int64_t to_s)
{
    int64_t length = v->pb->end_s - v->pb->start_s;
    for (int64_t at = v->pb->start_s; at && at < to_s; at = resv_next(v->pb->flags, at))
        if (at + length > from_s)
            return true;
    return false;
}

static inline bool cores_meet(const struct node_alloc *na, const Pb__ResvNode *rn, bool *within)
{
    auto_bitmap struct bitmap theirs = BITMAP_INIT;
    bool meet = false;
    *within = true;
    pb_to_bitmap(&theirs, &rn->cores);
    bitmap_each (&na->cores, i) {
        meet |= bitmap_has(&theirs, i);
        *within &= bitmap_has(&theirs, i);
    }
    return meet;
}

/* On this node: nothing of other reservations, and of its own no more than that. */
static inline bool resv_node_sound(const struct rig *r, const struct sched_start *st, const struct node_alloc *na)
{
    int64_t to_s = r->now_s + (int64_t)(st->limit_min ? st->limit_min : st->job->time_limit_min) * 60;
    for (size_t i = 0; i < r->c->resv.n; i++) {
        const struct resv *v = r->c->resv.at[i];
        const Pb__ResvNode *rn = resv_share(v, na->node);
        bool within = false, flex = v->pb->flags & RESV_FLEX;
        bool meet = rn && cores_meet(na, rn, &within), part = rn && rn->cpus;
        if (v == st->resv) {
            if (!flex && (!rn || (part && !within)))
                return false;
            continue;
        }
        bool on_top = st->resv && ((st->resv->pb->flags & RESV_MAINT) ||
                                   (st->resv->pb->flags & RESV_OVERLAP && !(v->pb->flags & RESV_MAINT) &&
                                    resv_share(st->resv, na->node)));
        if (rn && !on_top && resv_touches(v, r->now_s, to_s) && (part ? meet : !rn->n_gres))
            return false;
    }
    return true;
}

static inline bool resv_start_sound(const struct rig *r, const struct sched_start *st)
{
    const char *asked = st->job->spec->req.reservation;
    const struct resv *in = st->resv;
    if (asked && (!in || !str_in_list(asked, in->pb->name)))
        return false;
    int64_t to_s = r->now_s + (int64_t)(st->limit_min ? st->limit_min : st->job->time_limit_min) * 60;
    if (in && !(in->pb->flags & RESV_FLEX) && (in->pb->start_s > r->now_s || in->pb->end_s <= r->now_s))
        return false;
    if (in && !asked) { /* magnetic: it may be there, for all of its run time */
        bool mine = !in->pb->n_uid || in->pb->uid[0] == st->job->uid || !st->job->uid;
        if (!(in->pb->flags & RESV_MAGNETIC) || !mine || (!(in->pb->flags & RESV_FLEX) && to_s > in->pb->end_s))
            return false;
    }
    for (uint32_t i = 0; i < st->alloc.n; i++)
        if (!resv_node_sound(r, st, &st->alloc.at[i]))
            return false;
    return true;
}

#endif
