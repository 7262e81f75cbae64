/*
 * assoc_load - sacctmgr load: accounts, users and QOS with their limits and shares.
 *
 * A load is one event: all of the file, or nothing.  A known association keeps its number and what was charged to it.
 */
#include <stdlib.h>

#include "core/limits.h"
#include "ctl/directory.h"
#include "ctl/request.h"
#include "text/assoc_file.h"

struct load {
    struct ctl *t;
    struct assoc_file r;
    Pb__EvAssocUpdate ev;
    uint32_t next_qos, next_assoc;
    struct smap accounts; /* by name: the number of the account's own association */
    struct map known;     /* associations there are, by a hash of account, user and partition */
    struct map named;     /* numbers of the associations in the file */
    struct smap users;    /* records of the event, by name */
};

static uint64_t assoc_hash(const char *account, const char *user, const char *partition)
{
    auto_free char *key = mem_printf("%s/%s/%s", account, str_or(user, ""), str_or(partition, ""));
    return map_hash_bytes(key, strlen(key));
}

static void learn_known(struct load *l)
{
    size_t pos = 0;
    for (const struct assoc *a; l->t->c->limits && (a = map_next(&l->t->c->limits->assoc, &pos, NULL));)
        map_put(&l->known, assoc_hash(a->pb->account, a->pb->user, a->pb->partition), (void *)(uintptr_t)a->pb->id);
}

static Pb__Limit **limits_to_pb(const struct limit_list *l, size_t *n)
{
    Pb__Limit **out = mem_array(l->n + 1, sizeof(Pb__Limit *));
    for (size_t i = 0; i < l->n; i++) {
        out[i] = NEW(Pb__Limit);
        pb__limit__init(out[i]);
        out[i]->what = l->at[i].what, out[i]->scope = l->at[i].scope, out[i]->max = l->at[i].max;
        out[i]->tres = mem_str(str_or(l->at[i].tres, ""));
    }
    *n = l->n;
    return out;
}

static char *assoc_load_text(const char *s)
{
    return mem_str(str_or(s, ""));
}

static void add_qos(struct load *l, const struct assoc_file_qos *q)
{
    Pb__Qos *pb = NEW(Pb__Qos);
    const struct qos *old = limits_qos(l->t->c, q->name);
    pb__qos__init(pb);
    pb->id = old ? old->pb->id : l->next_qos++;
    pb->name = assoc_load_text(q->name), pb->description = assoc_load_text(q->description);
    pb->preempt = assoc_load_text(q->preempt), pb->preempt_mode = assoc_load_text(q->preempt_mode);
    pb->priority = q->priority, pb->flags = q->flags, pb->grace_s = q->grace_s;
    pb->has_exempt = q->exempt_s != EXEMPT_UNSET;
    pb->exempt_s = pb->has_exempt ? q->exempt_s : 0;
    pb->usage_factor = q->usage_factor, pb->limit_factor = q->limit_factor;
    pb->has_threshold = q->usage_threshold >= 0;
    pb->usage_threshold = pb->has_threshold ? q->usage_threshold : 0;
    pb->limits = limits_to_pb(&q->limits, &pb->n_limits);
    l->ev.qos[l->ev.n_qos++] = pb;
}

static void add_assoc(struct load *l, const struct assoc_file_assoc *a)
{
    Pb__Assoc *pb = NEW(Pb__Assoc);
    uint32_t old = (uint32_t)(uintptr_t)map_get(&l->known, assoc_hash(a->account, a->user, a->partition));
    pb__assoc__init(pb);
    pb->id = old ? old : l->next_assoc++;
    map_put(&l->named, pb->id, l);
    pb->account = assoc_load_text(a->account), pb->user = assoc_load_text(a->user),
    pb->partition = assoc_load_text(a->partition);
    pb->qos = assoc_load_text(a->qos), pb->def_qos = assoc_load_text(a->def_qos);
    pb->description = assoc_load_text(a->description), pb->organization = assoc_load_text(a->organization);
    pb->shares = a->shares, pb->priority = a->priority, pb->is_default = a->is_default;
    pb->limits = limits_to_pb(&a->limits, &pb->n_limits);
    const char *above = a->user ? a->account : a->parent;
    pb->parent = above ? (uint32_t)(uintptr_t)smap_get(&l->accounts, above) : 0;
    pb->has_uid = a->user && directory_uid(l->t, a->user, &pb->uid);
    if (a->user && !pb->has_uid)
        strs_take(&l->r.warnings,
                  mem_printf("user %s is not known to this machine: limits of that name apply to no job", a->user));
    if (!a->user)
        smap_put(&l->accounts, pb->account, (void *)(uintptr_t)pb->id);
    l->ev.assoc[l->ev.n_assoc++] = pb;
}

/* ---- users ---- */

static char **list_to_pb(const char *list, size_t *n)
{
    struct strs words = STRS_INIT;
    strs_split(&words, str_or(list, ""), ",");
    *n = words.n;
    return words.at;
}

static void replace_list(char ***at, size_t *n, const char *list)
{
    for (size_t i = 0; i < *n; i++)
        free((*at)[i]);
    free(*at);
    *at = list_to_pb(list, n);
}

/* The record of this load: a user may stand in several lines. */
static Pb__AcctUser *user_record(struct load *l, const char *name)
{
    Pb__AcctUser *u = smap_get(&l->users, name);
    const Pb__AcctUser *old = acct_user(l->t->c, name);
    if (u)
        return u;
    if (old) {
        u = PB_DUP(Pb__AcctUser, old);
    } else {
        u = NEW(Pb__AcctUser);
        pb__acct_user__init(u);
        u->name = mem_str(name);
    }
    u->has_uid = directory_uid(l->t, name, &u->uid);
    smap_put(&l->users, u->name, u);
    l->ev.user[l->ev.n_user++] = u;
    return u;
}

static void add_user(struct load *l, const struct assoc_file_assoc *a)
{
    Pb__AcctUser *u = user_record(l, a->user);
    if (a->admin)
        u->admin = (Pb__AdminLevel)a->admin;
    if (a->coordinates)
        replace_list(&u->coordinates, &u->n_coordinates, a->coordinates);
    if (a->wckeys)
        replace_list(&u->wckeys, &u->n_wckeys, a->wckeys);
    if (a->def_wckey) {
        free(u->def_wckey == protobuf_c_empty_string ? NULL : u->def_wckey);
        u->def_wckey = mem_str(a->def_wckey);
    }
}

static void drop_other_users(struct load *l)
{
    const struct smap *old = &l->t->c->limits->acct.user;
    size_t pos = 0;
    l->ev.drop_user = mem_array(old->n + 1, sizeof(*l->ev.drop_user));
    for (const Pb__AcctUser *u; (u = smap_next(old, &pos, NULL));)
        if (!smap_get(&l->users, u->name))
            l->ev.drop_user[l->ev.n_drop_user++] = mem_str(u->name);
}

static void drop_others(struct load *l)
{
    const struct limits *old = l->t->c->limits;
    size_t pos = 0;
    l->ev.drop_assoc = mem_array(old->assoc.n + 1, sizeof(*l->ev.drop_assoc));
    for (const struct assoc *a; (a = map_next(&old->assoc, &pos, NULL));)
        if (!map_get(&l->named, a->pb->id))
            l->ev.drop_assoc[l->ev.n_drop_assoc++] = a->pb->id;
    pos = 0;
    l->ev.drop_qos = mem_array(old->qos.n + 1, sizeof(*l->ev.drop_qos));
    for (const struct qos *q; (q = smap_next(&old->qos, &pos, NULL));) {
        bool kept = false;
        for (size_t i = 0; i < l->r.qos.n; i++)
            kept |= str_eq(l->r.qos.at[i].name, q->pb->name);
        if (!kept)
            l->ev.drop_qos[l->ev.n_drop_qos++] = mem_str(q->pb->name);
    }
}

static void assoc_load_build(struct load *l, bool clean)
{
    const struct limits *old = l->t->c->limits;
    l->next_qos = old ? old->next_qos : 1;
    l->next_assoc = old ? old->next_assoc : 1;
    l->ev.qos = mem_array(l->r.qos.n + 1, sizeof(Pb__Qos *));
    l->ev.assoc = mem_array(l->r.assoc.n + 1, sizeof(Pb__Assoc *));
    l->ev.user = mem_array(l->r.assoc.n + 1, sizeof(Pb__AcctUser *));
    learn_known(l);
    for (size_t i = 0; i < l->r.qos.n; i++)
        add_qos(l, &l->r.qos.at[i]);
    for (size_t i = 0; i < l->r.assoc.n; i++)
        add_assoc(l, &l->r.assoc.at[i]);
    for (size_t i = 0; i < l->r.assoc.n; i++)
        if (l->r.assoc.at[i].user)
            add_user(l, &l->r.assoc.at[i]);
    if (clean && old) {
        drop_others(l);
        drop_other_users(l);
    }
}

static void load_clear(struct load *l)
{
    for (size_t i = 0; i < l->ev.n_qos; i++)
        pb__qos__free_unpacked(l->ev.qos[i], NULL);
    for (size_t i = 0; i < l->ev.n_assoc; i++)
        pb__assoc__free_unpacked(l->ev.assoc[i], NULL);
    for (size_t i = 0; i < l->ev.n_drop_qos; i++)
        free(l->ev.drop_qos[i]);
    for (size_t i = 0; i < l->ev.n_user; i++)
        pb__acct_user__free_unpacked(l->ev.user[i], NULL);
    for (size_t i = 0; i < l->ev.n_drop_user; i++)
        free(l->ev.drop_user[i]);
    free(l->ev.user);
    free(l->ev.drop_user);
    smap_clear(&l->users);
    free(l->ev.qos);
    free(l->ev.assoc);
    free(l->ev.drop_qos);
    free(l->ev.drop_assoc);
    smap_clear(&l->accounts);
    map_clear(&l->known);
    map_clear(&l->named);
    assoc_file_clear(&l->r);
}

void ctl_assoc_load(const struct ctl_call *call)
{
    const Pb__AssocLoad *m = (Pb__AssocLoad *)call->m;
    struct load l = { .t = call->t };
    struct err err = ERR_INIT;
    Pb__AssocLoaded r = PB__ASSOC_LOADED__INIT;
    pb__ev_assoc_update__init(&l.ev);
    int rc = assoc_file_parse((const char *)m->text.data, m->text.len, &l.r, &err);
    if (!rc) {
        EVENT(ev);
        assoc_load_build(&l, m->remove_unlisted);
        BODY(ev, ASSOC_UPDATE, assoc_update, &l.ev);
        rc = m->only_check ? 0 : ctl_emit(call->t, &ev, &err);
    }
    r.warnings = l.r.warnings.at, r.n_warnings = l.r.warnings.n;
    r.qos = (uint32_t)l.ev.n_qos, r.assocs = (uint32_t)l.ev.n_assoc;
    r.dropped = (uint32_t)(l.ev.n_drop_qos + l.ev.n_drop_assoc);
    if (rc)
        ctl_fail(call, rc, "%s", err.text);
    else
        ctl_reply(call, MSG_ASSOC_LOADED, &r.base);
    load_clear(&l);
}
