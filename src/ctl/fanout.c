/* fanout - orders to many nodes; see fanout.h. */
#include "ctl/fanout.h"

#include "ctl/act.h"
#include "ctl/agent.h"
#include "ctl/clean.h"
#include "ctl/end.h"
#include "ctl/request.h"
#include "ctl/stat.h"
#include "text/hostlist.h"
#include "wire/tree.h"

#define PATIENCE_MS 6000 /* for each level below: longer than the agents' own */

/* A branch that has not answered. */
struct branch {
    uint64_t session;
    uint32_t job_id, attempt, step_id;
    Pb__KillOrder *kill; /* NULL: a launch, whose order is made anew when it is needed again */
    uint32_t *pos;       /* of the job's allocation; the first was sent to, the rest are below it */
    size_t n;
};

struct fanout {
    struct map branches; /* number -> struct branch */
    uint32_t next;
};

struct what { /* is to be told */
    uint32_t step_id;
    const struct buf *order; /* a packed pb.LaunchOrder; NULL: `kill` */
    Pb__KillOrder *kill;
    struct buf signed_once; /* for all branches */
};

static void branch_free(struct branch *s)
{
    if (s->kill)
        pb__kill_order__free_unpacked(s->kill, NULL);
    free(s->pos);
    free(s);
}

void fanout_open(struct ctl *t)
{
    t->fanout = NEW(struct fanout);
}

size_t fanout_waiting(const struct ctl *t)
{
    return t->fanout->branches.n;
}

void fanout_close(struct ctl *t)
{
    size_t pos = 0;
    uint64_t number;
    for (struct branch *s; (s = map_next(&t->fanout->branches, &pos, &number));)
        branch_free(s);
    map_clear(&t->fanout->branches);
    free(take(t->fanout));
}

/* ---- telling ---- */

static char *name_at(const struct ctl *t, const struct job *j, uint32_t pos)
{
    return t->c->node[j->alloc.at[pos].node].name;
}

static void tell_one(struct ctl *t, const struct job *j, uint32_t pos, const struct what *w)
{
    uint64_t session = agent_session(t, j->alloc.at[pos].node);
    stat_order(t, 1);
    if (w->kill) {
        ctl_say(t, session, MSG_KILL, 0, 0, &w->kill->base);
        return;
    }
    struct buf message = BUF_INIT;
    cred_enclose(t->key, CRED_LAUNCH, w->order->s, w->order->len, &message);
    ctl_say_bytes(t, session, MSG_LAUNCH, 0, 0, &message);
}

static char *names_of(const struct ctl *t, const struct job *j, const uint32_t *pos, size_t n)
{
    auto_free char **names = mem_array(n + 1, sizeof(*names));
    for (size_t i = 0; i < n; i++)
        names[i] = name_at(t, j, pos[i]);
    return hostlist_compress(names, n);
}

static uint64_t fanout_remember(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, const struct what *w)
{
    struct branch *s = NEW(struct branch);
    *s = (struct branch){ .session = agent_session(t, j->alloc.at[pos[0]].node),
                          .job_id = j->id,
                          .attempt = j->attempt,
                          .step_id = w->step_id,
                          .kill = w->kill ? PB_DUP(Pb__KillOrder, w->kill) : NULL,
                          .pos = mem_copy(pos, n * sizeof(*pos)),
                          .n = n };
    uint32_t number = ++t->fanout->next ? t->fanout->next : ++t->fanout->next;
    struct branch *old = map_put(&t->fanout->branches, number, s);
    if (old)
        branch_free(old);
    timer_add(&t->timers, t->now_ms + PATIENCE_MS * (1 + tree_levels(n, t->site->tree_width)), TIMER_FANOUT, number, 0);
    return number;
}

/* Agents forward it: each of them must see that a controller said it, to which nodes and when. */
static void sign_for_branches(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, struct what *w)
{
    if (w->order) {
        cred_sign(t->key, CRED_LAUNCH, w->order->s, w->order->len, &w->signed_once);
        return;
    }
    auto_free char *nodes = names_of(t, j, pos, n);
    auto_buf struct buf body = BUF_INIT;
    Pb__KillOrder k = *w->kill;
    k.nodes = nodes;
    k.issued_ms = t->now_ms;
    pb_pack(&body, &k.base);
    cred_sign(t->key, CRED_KILL, body.s, body.len, &w->signed_once);
}

static void tell_branch(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, const struct what *w)
{
    auto_free char *below = names_of(t, j, pos + 1, n - 1);
    Pb__Fanout m = PB__FANOUT__INIT;
    m.to = name_at(t, j, pos[0]);
    m.below = below;
    m.width = t->site->tree_width;
    m.job_id = j->id;
    m.attempt = j->attempt;
    m.step_id = w->step_id;
    struct buf body = BUF_INIT;
    pb_pack(&body, &m.base);
    pb_add_field(&body, w->order ? 5 : 10, w->signed_once.s, w->signed_once.len);
    stat_order(t, n);
    uint64_t number = fanout_remember(t, j, pos, n, w);
    ctl_say_bytes(t, agent_session(t, j->alloc.at[pos[0]].node), MSG_FANOUT, 0, number, &body);
}

/* A node that is not connected is told everything when it registers. */
static void fanout_tell(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, struct what *w)
{
    auto_free uint32_t *here = mem_array(n + 1, sizeof(*here));
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (agent_session(t, j->alloc.at[pos[i]].node))
            here[k++] = pos[i];
    size_t branches = k ? tree_branches(k, t->site->tree_width) : 0;
    for (size_t i = 0; i < branches; i++) {
        struct tree_cut cut = tree_branch(k, t->site->tree_width, i);
        if (cut.count > 1 && !w->signed_once.len)
            sign_for_branches(t, j, here, k, w);
        if (cut.count == 1)
            tell_one(t, j, here[cut.first], w);
        else
            tell_branch(t, j, here + cut.first, cut.count, w);
    }
    buf_clear(&w->signed_once);
}

void fanout_launch(struct ctl *t, const struct job *j, uint32_t step_id, const uint32_t *pos, size_t n,
                   const struct buf *order)
{
    for (size_t i = 0; i < n; i++)
        clean_set(t, j, pos[i], false);
    fanout_tell(t, j, pos, n, &(struct what){ .step_id = step_id, .order = order });
}

/* The number of a step says what the nodes will report: that of the job's own container stands for its cleaning. */
void fanout_kill(struct ctl *t, const struct job *j, const uint32_t *pos, size_t n, Pb__KillOrder *k)
{
    k->job_id = j->id;
    k->attempt = j->attempt;
    fanout_tell(t, j, pos, n,
                &(struct what){ .step_id = k->one_step ? k->step_id : PB__STEP_NUMBER__STEP_EXTERN, .kill = k });
}

/* ---- nodes that did not get it ---- */

static bool still_wanted(const struct ctl *t, const struct branch *s, const struct job *j)
{
    return j && j->attempt == s->attempt && job_holds_nodes(j) && t->leading;
}

static void tell_again(struct ctl *t, const struct branch *s, const uint32_t *pos, size_t n)
{
    struct job *j = cluster_job(t->c, s->job_id);
    if (!n || !still_wanted(t, s, j))
        return;
    if (!s->kill) {
        act_launch_again(t, j, s->step_id, pos, n);
        return;
    }
    auto_free uint32_t *open = mem_array(n, sizeof(*open));
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (!j->alloc.at[pos[i]].done)
            open[k++] = pos[i];
    fanout_kill(t, j, open, k, s->kill);
}

/* The first node of the branch is gone or silent: the nodes below it may have the order or not. */
static void told_in_vain(struct ctl *t, uint64_t number)
{
    struct branch *s = map_del(&t->fanout->branches, number);
    if (!s)
        return;
    log_info("a branch of the tree did not answer: the order is sent to its nodes directly job=%u nodes=%zu", s->job_id,
             s->n - 1);
    tell_again(t, s, s->pos + 1, s->n - 1);
    branch_free(s);
}

void fanout_timer(struct ctl *t, const struct timer_entry *e)
{
    told_in_vain(t, e->id);
}

void fanout_session_lost(struct ctl *t, uint64_t session)
{
    VEC(uint64_t) lost = { 0 };
    size_t pos = 0;
    uint64_t number;
    for (struct branch *s; (s = map_next(&t->fanout->branches, &pos, &number));)
        if (s->session == session)
            vec_push(&lost, number);
    for (size_t i = 0; i < lost.n; i++)
        told_in_vain(t, lost.at[i]);
    vec_clear(&lost);
}

/* Nodes that other nodes cannot reach may still be connected here: they are told one by one. */
static void tell_unreached(struct ctl *t, const struct branch *s, const char *list)
{
    auto_strs struct strs names = { 0 };
    struct job *j = cluster_job(t->c, s->job_id);
    if (!still_wanted(t, s, j) || hostlist_expand(list, &names, NULL))
        return;
    log_info("nodes could not be reached through the tree: the order is sent to them directly job=%u nodes=%s",
             s->job_id, list);
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = cluster_node(t->c, names.at[i]);
        uint32_t pos = n ? alloc_pos(j, n->index) : UINT32_MAX;
        if (pos != UINT32_MAX)
            tell_again(t, s, &pos, 1);
    }
}

void ctl_fanout_reply(const struct ctl_call *call)
{
    const Pb__FanoutReply *r = (Pb__FanoutReply *)call->m;
    struct branch *s = map_get(&call->t->fanout->branches, call->number);
    if (!s || s->session != call->session)
        return;
    map_del(&call->t->fanout->branches, call->number);
    if (!str_empty(r->unreached))
        tell_unreached(call->t, s, r->unreached);
    branch_free(s);
}
