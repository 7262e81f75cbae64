/* end - jobs end: by themselves, by order, with their node; and go back to the queue where they may. */
#include <time.h>

#include "ctl/access.h"
#include "ctl/usage_charge.h"
#include "ctl/config_words.h"
#include "ctl/het.h"
#include "ctl/end.h"
#include "ctl/reconcile.h"
#include "ctl/request.h"

uint32_t alloc_pos(const struct job *j, uint32_t node)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (j->alloc.at[i].node == node)
            return i;
    return UINT32_MAX;
}

static char *notice_line(const struct ctl *t, const struct job *j, const char *what)
{
    char when[32];
    time_t now = NOW_S(t);
    struct tm tm;
    localtime_r(&now, &tm);
    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
    return mem_printf("*** JOB %u ON %s CANCELLED AT %s %s%s***", j->id,
                      t->c->node[j->alloc.at[j->batch_pos].node].name, when, what ? what : "", what ? " " : "");
}

int end_job(struct ctl *t, struct job *j, const struct end *e, struct err *err)
{
    EVENT(ev);
    Pb__EvEnd end = PB__EV_END__INIT;
    uint32_t done = e->done_node, id = j->id;
    bool ran = job_holds_nodes(j);
    end.job_id = id;
    end.state = e->state;
    bool killed = ran && e->signal && j->spec->kind != PB__JOB_KIND__KIND_SALLOC; /* an allocation is no process */
    end.exit_code = killed ? e->signal : e->exit_code;
    end.end_signal = e->signal;
    end.reason = e->reason ? e->reason
                 : ran     ? WHY_NONE
                 : j->hold ? (j->hold == HOLD_ADMIN ? WHY_HELD_ADMIN : WHY_HELD_USER)
                           : (uint32_t)j->why.code;
    end.reason_text = (char *)e->text;
    end.has_cancel_uid = e->by_user;
    end.cancel_uid = e->uid;
    end.usage = (Pb__Usage *)e->usage;
    end.done_nodes = e->ndone ? (uint32_t *)e->done_nodes : &done;
    end.n_done_nodes = e->ndone ? e->ndone : done != UINT32_MAX;
    end.all_done = e->ndone && e->ndone == j->alloc.n;
    if (end.all_done)
        end.n_done_nodes = 0; /* said shorter */
    auto_free char *notice = ran && e->notice && j->alloc.n ? notice_line(t, j, *e->notice ? e->notice : NULL) : NULL;
    BODY(ev, END, end, &end);
    int rc = ctl_emit(t, &ev, err);
    if (rc)
        return rc;
    j = cluster_job(t->c, id);
    if (j && (j->state & JOB_COMPLETING))
        reconcile_notice(t, j, notice);
    if (j && het_is(j))
        het_ended(t, j, e, !ran);
    return 0;
}

int end_requeue(struct ctl *t, struct job *j, uint32_t hold, enum why_code reason, const char *text, uint32_t done_node,
                struct err *err)
{
    uint32_t delay = (uint32_t)config_number(t->site, "requeue_delay", 0);
    return end_requeue_later(t, j, hold, reason, text, done_node, delay, err);
}

int end_requeue_later(struct ctl *t, struct job *j, uint32_t hold, enum why_code reason, const char *text,
                      uint32_t done_node, uint32_t delay_s, struct err *err)
{
    EVENT(ev);
    Pb__EvRequeue e = PB__EV_REQUEUE__INIT;
    uint32_t id = j->id;
    e.job_id = id;
    e.hold = hold;
    e.reason = hold ? reason : WHY_NONE;
    e.reason_text = (char *)text;
    e.eligible_s = NOW_S(t) + delay_s;
    if (done_node != UINT32_MAX) {
        e.done_nodes = &done_node;
        e.n_done_nodes = 1;
    }
    usage_charge_before(t, j);
    auto_free char *notice = job_holds_nodes(j) ? notice_line(t, j, "DUE TO JOB REQUEUE") : NULL;
    BODY(ev, REQUEUE, requeue, &e);
    int rc = ctl_emit(t, &ev, err);
    if (rc)
        return rc;
    j = cluster_job(t->c, id);
    if (j && (j->state & JOB_COMPLETING))
        reconcile_notice(t, j, notice);
    if (j && het_is(j))
        het_requeued(t, j, hold, reason, text, delay_s);
    return 0;
}

void end_node_done(struct ctl *t, struct job *j, uint32_t pos, bool clean, const uint32_t *exit_code,
                   const Pb__Usage *usage)
{
    EVENT(ev);
    Pb__EvNodeDone e = PB__EV_NODE_DONE__INIT;
    if (pos == UINT32_MAX || j->alloc.at[pos].done || !(clean || exit_code || usage))
        return;
    e.job_id = j->id;
    e.attempt = j->attempt;
    e.node = &pos;
    e.n_node = clean;
    e.has_exit = exit_code != NULL;
    e.exit_code = exit_code ? *exit_code : 0;
    e.usage = (Pb__Usage *)usage;
    BODY(ev, NODE_DONE, node_done, &e);
    ctl_emit(t, &ev, NULL);
}

void end_nodes_done(struct ctl *t, struct job *j, uint32_t *pos, size_t n, const Pb__Usage *usage)
{
    EVENT(ev);
    Pb__EvNodeDone e = PB__EV_NODE_DONE__INIT;
    size_t open = 0;
    for (size_t i = 0; i < n; i++)
        if (!j->alloc.at[pos[i]].done)
            pos[open++] = pos[i];
    if (!open && !usage)
        return;
    e.job_id = j->id;
    e.attempt = j->attempt;
    e.node = pos;
    e.n_node = open;
    e.usage = (Pb__Usage *)usage;
    BODY(ev, NODE_DONE, node_done, &e);
    ctl_emit(t, &ev, NULL);
}

static void lose_node(struct ctl *t, struct job *j, const struct node *n, uint32_t pos, const char *why, bool gone)
{
    struct err err = ERR_INIT;
    uint32_t done = gone ? pos : UINT32_MAX;
    log_info("job lost its node job=%u node=%s why=\"%s\" gone=%d", j->id, n->name, why, gone);
    if ((j->state & JOB_COMPLETING) && gone)
        end_node_done(t, j, pos, true, NULL, NULL);
    else if (j->state & JOB_COMPLETING)
        return;
    else if (j->requeue && j->spec->kind == PB__JOB_KIND__KIND_BATCH)
        end_requeue(t, j, HOLD_NONE, WHY_NODE_FAIL, NULL, done, &err);
    else
        end_job(t, j,
                &(struct end){ .state = JOB_NODE_FAIL, .reason = WHY_NODE_DOWN, .exit_code = 1, .done_node = done },
                &err);
}

void end_lost_node(struct ctl *t, struct node *n, const char *why, bool gone)
{
    /* One may take others along, which then are elsewhere: gather first. */
    VEC(uint32_t) ids = { 0 };
    for (const struct job *j = t->c->active.head; j; j = j->next)
        if (alloc_pos(j, n->index) != UINT32_MAX)
            vec_push(&ids, j->id);
    for (size_t i = 0; i < ids.n; i++) {
        struct job *j = cluster_job(t->c, ids.at[i]);
        uint32_t pos = j && job_holds_nodes(j) ? alloc_pos(j, n->index) : UINT32_MAX;
        if (pos != UINT32_MAX && !j->alloc.at[pos].done)
            lose_node(t, j, n, pos, why, gone);
    }
    vec_clear(&ids);
}

void ctl_job_done(const struct ctl_call *call)
{
    const Pb__JobDoneRequest *r = (Pb__JobDoneRequest *)call->m;
    struct job *j = cluster_job(call->t->c, r->job_id);
    struct err err = ERR_INIT;
    Pb__Done done = PB__DONE__INIT;
    if (!j || !access_may(call->t, call->peer, RIGHT_JOB_DONE, j))
        err_set(&err, j ? ESLURM_USER_ID_MISSING : ESLURM_INVALID_JOB_ID, "%s",
                err_text(j ? ESLURM_USER_ID_MISSING : ESLURM_INVALID_JOB_ID));
    else if (!job_ended(j) && j->state == JOB_PENDING)
        end_job(
            call->t, j,
            &(struct end){ .state = JOB_CANCELLED, .by_user = true, .uid = call->peer->uid, .done_node = UINT32_MAX },
            &err);
    else if (!job_ended(j))
        end_job(call->t, j,
                &(struct end){ .state = r->exit_code ? JOB_FAILED : JOB_COMPLETED,
                               .exit_code = r->exit_code,
                               .reason = r->exit_code ? WHY_NONZERO_EXIT : WHY_NONE,
                               .done_node = UINT32_MAX },
                &err);
    done.code = err.code;
    done.text = err.text;
    ctl_reply(call, MSG_DONE, &done.base);
}
