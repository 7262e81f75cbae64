/* report - what nodes tell: a step ended, a node is clean, a launch failed. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "core/step.h"
#include "ctl/act.h"
#include "ctl/agent.h"
#include "ctl/clean.h"
#include "ctl/end.h"
#include "ctl/het_step.h"
#include "ctl/hook.h"
#include "ctl/request.h"
#include "ctl/wait.h"
#include "ctl/stat.h"
#include "ctl/yield.h"
#include "wire/usage.h"
#include "text/signal.h"

static void send_ack(const struct ctl_call *call, const Pb__Report *r)
{
    Pb__ReportAck a = PB__REPORT_ACK__INIT;
    a.job_id = r->job_id;
    a.step_id = r->step_id;
    a.attempt = r->attempt;
    a.node_clean = r->node_clean;
    ctl_say(call->t, call->session, MSG_REPORT_ACK, 0, call->number, &a.base);
}

static struct end report_verdict(uint32_t status, uint32_t done_node)
{
    struct end e = { .state = JOB_COMPLETED, .exit_code = status, .done_node = done_node };
    if (status == STATUS_OUT_OF_MEMORY) {
        e.state = JOB_OUT_OF_MEMORY;
        e.reason = WHY_OUT_OF_MEMORY;
    } else if (WIFSIGNALED((int)status)) {
        e.state = JOB_FAILED;
        e.reason = WHY_RAISED_SIGNAL;
    } else if (status) {
        e.state = JOB_FAILED;
        e.reason = WHY_NONZERO_EXIT;
    }
    return e;
}

static void launch_failed(struct ctl *t, struct job *j, const Pb__Report *r, uint32_t pos)
{
    struct err err = ERR_INIT;
    uint32_t done = r->node_clean ? pos : UINT32_MAX;
    log_error("launch failed job=%u node=%s: %s", j->id, t->c->node[j->alloc.at[pos].node].name, r->text);
    if (j->requeue && j->spec->kind == PB__JOB_KIND__KIND_BATCH)
        end_requeue(t, j, HOLD_ADMIN, WHY_LAUNCH_FAILED_HELD, r->text, done, &err);
    else
        end_job(t, j,
                &(struct end){ .state = JOB_FAILED,
                               .reason = WHY_LAUNCH_FAILED,
                               .text = r->text,
                               .exit_code = 1 << 8,
                               .done_node = done },
                &err);
}

static void batch_ended(struct ctl *t, struct job *j, const Pb__Report *r, uint32_t pos)
{
    struct err err = ERR_INIT;
    uint32_t done = r->node_clean ? pos : UINT32_MAX;
    if (r->lost) {
        if (j->requeue)
            end_requeue(t, j, HOLD_NONE, WHY_NODE_FAIL, NULL, done, &err);
        else
            end_job(t, j,
                    &(struct end){ .state = JOB_NODE_FAIL,
                                   .reason = WHY_SYSTEM,
                                   .text = str_empty(r->text) ? "the job's supervisor died" : r->text,
                                   .done_node = done },
                    &err);
        return;
    }
    if (yield_ended(t, j, r->exit_code, done))
        return;
    struct end e = report_verdict(r->exit_code, done);
    e.usage = r->usage;
    auto_free uint32_t *clean = mem_array(j->alloc.n, sizeof(*clean));
    clean_set(t, j, pos, r->node_clean);
    e.done_nodes = clean;
    e.ndone = clean_list(t, j, clean);
    end_job(t, j, &e, &err);
}

static void usage_add(Pb__Usage *sum, const Pb__Usage *u)
{
    if (!u)
        return;
    sum->user_us += u->user_us, sum->sys_us += u->sys_us;
    sum->max_rss_kb = MAX(sum->max_rss_kb, u->max_rss_kb), sum->max_vm_kb = MAX(sum->max_vm_kb, u->max_vm_kb);
    sum->read_bytes += u->read_bytes, sum->write_bytes += u->write_bytes, sum->pages += u->pages;
}

/* What one message says of a step: on one node, or on many. */
struct heard {
    uint32_t pos;
    const Pb__Report *r;
};

static uint32_t code_of(const Pb__Report *r)
{
    return r->launch_error ? 1u << 8 : r->exit_code;
}

/* A node that says it again has been counted. */
static bool is_counted(const Pb__Step *s, uint32_t pos)
{
    for (size_t i = 0; s && i < s->n_done; i++)
        if (s->done[i] == pos)
            return true;
    return false;
}

static int emit_step_end(struct ctl *t, struct job *j, uint32_t step_id, const struct heard *h, uint32_t *pos, size_t n)
{
    EVENT(ev);
    Pb__EvStepEnd e = PB__EV_STEP_END__INIT;
    Pb__Usage usage = PB__USAGE__INIT;
    struct usage_sum stats;
    bool measured = false;
    usage_sum_init(&stats);
    const Pb__Step *s = step_find(j, step_id);
    usage_sum_add(&stats, s ? s->stats : NULL, -1); /* of nodes that were heard before */
    e.job_id = j->id;
    e.attempt = j->attempt;
    e.step_id = step_id;
    for (size_t i = 0; i < n; i++) {
        pos[i] = h[i].pos;
        if (is_counted(s, h[i].pos))
            continue;
        e.exit_code = status_worst(e.exit_code, code_of(h[i].r));
        usage_add(&usage, h[i].r->usage);
        usage_sum_add(&stats, h[i].r->stats, h[i].pos);
        measured |= h[i].r->stats != NULL;
    }
    e.node = pos[0];
    e.nodes = n > 1 ? pos : NULL;
    e.n_nodes = n > 1 ? n : 0;
    e.usage = &usage;
    e.stats = measured ? &stats.pb : NULL;
    BODY(ev, STEP_END, step_end, &e);
    return ctl_emit(t, &ev, NULL);
}

/* --oom-kill-step, or the site's word: want of memory on one node ends the step on all. */
static bool ends_whole(const struct ctl *t, const Pb__Step *s, uint32_t code)
{
    uint32_t said = s->spec ? s->spec->oom_kill_step : 0;
    const char *param = site_value(t->site, "TaskPluginParam");
    return code == STATUS_OUT_OF_MEMORY && (said ? said == 2 : param && site_param(param, "OOMKillStep"));
}

/* With several components the allocation ends with the last of its steps. */
static void het_srun_over(struct ctl *t, struct job *j, uint32_t code)
{
    struct err err = ERR_INIT;
    struct job *first = het_part(t->c, j, 0);
    if (!first || !het_steps_over(t, j))
        return;
    for (uint32_t i = 0; i < j->het_size; i++) {
        const struct job *p = het_part(t->c, j, i);
        code = p ? status_worst(code, p->derived_code) : code;
    }
    struct end end = report_verdict(code, UINT32_MAX);
    end_job(t, first, &end, &err);
}

static void step_ended(struct ctl *t, struct job *j, const struct heard *h, size_t n)
{
    uint32_t id = h[0].r->step_id;
    const Pb__Step *s = step_find(j, id);
    if (!s)
        return;
    uint32_t code = s->exit_code;
    for (size_t i = 0; i < n; i++)
        if (!is_counted(s, h[i].pos))
            code = status_worst(code, code_of(h[i].r));
    auto_free uint32_t *pos = mem_array(n, sizeof(*pos));
    if (emit_step_end(t, j, id, h, pos, n))
        return;
    for (size_t i = 0; i < n; i++)
        clean_set(t, j, h[i].pos, h[i].r->node_clean);
    s = step_find(j, id);
    if (s && ends_whole(t, s, code))
        act_signal_step(t, j, id, SIGKILL);
    /* srun's own allocation ends with its only step. */
    if (j->spec->kind != PB__JOB_KIND__KIND_SRUN || !j->step || id != 0 || step_find(j, 0))
        return;
    if (het_is(j)) {
        het_srun_over(t, j, code);
        return;
    }
    struct err err = ERR_INIT;
    struct end end = report_verdict(code, j->alloc.n == 1 && h[0].r->node_clean ? h[0].pos : UINT32_MAX);
    auto_free uint32_t *clean = mem_array(j->alloc.n, sizeof(*clean));
    end.done_nodes = clean;
    end.ndone = clean_list(t, j, clean);
    end_job(t, j, &end, &err);
}

static void take_report(struct ctl *t, struct job *j, const Pb__Report *r, uint32_t pos)
{
    if (job_ended(j) || (j->state & JOB_COMPLETING)) {
        /* How a job ended that its node took along is decided already. */
        bool script = r->step_id == PB__STEP_NUMBER__STEP_BATCH && !r->launch_error && !r->lost &&
                      job_base(j) != JOB_NODE_FAIL;
        if (j->state & JOB_COMPLETING)
            end_node_done(t, j, pos, r->node_clean, script ? &r->exit_code : NULL, r->usage);
        return;
    }
    if (r->launch_error)
        wait_launch_refused(t, j, pos, r);
    if (r->launch_error == ESLURMD_PROLOG_FAILED)
        hook_prolog_failed(t, j, pos, r->node_clean);
    else if (r->launch_error && (r->step_id == PB__STEP_NUMBER__STEP_BATCH || j->spec->kind == PB__JOB_KIND__KIND_SRUN))
        launch_failed(t, j, r, pos);
    else if (r->step_id == PB__STEP_NUMBER__STEP_BATCH)
        batch_ended(t, j, r, pos);
    else
        step_ended(t, j, &(struct heard){ pos, r }, 1);
}

/* An old attempt, or a job that is gone: nothing to change, but the node may forget it. */
static bool is_news(const struct job *j, const Pb__Report *r, uint32_t pos)
{
    return j && pos != UINT32_MAX && j->attempt == r->attempt && job_holds_nodes(j);
}

/* A node tells what happened on it.  For another node it may speak only as a node of the same job, by the tree. */
static bool may_tell(const struct job *j, uint32_t from, uint32_t node)
{
    return from == node || (j && alloc_pos(j, from) != UINT32_MAX);
}

static void report_distrust(const struct ctl *t, uint32_t from, uint32_t node, const Pb__Report *r)
{
    log_error("report refused: the node is not part of the job that it reports for node=%s for=%s job=%u",
              t->c->node[from].name, t->c->node[node].name, r->job_id);
}

/* `from`: the node that told it.  False: not believed. */
static bool report_hear(struct ctl *t, uint32_t from, uint32_t node, const Pb__Report *r)
{
    struct job *j = cluster_job(t->c, r->job_id);
    uint32_t pos = j ? alloc_pos(j, node) : UINT32_MAX;
    bool news = is_news(j, r, pos);
    if (news ? !may_tell(j, from, node) : r->epilog_failed && from != node) {
        report_distrust(t, from, node, r);
        return false;
    }
    stat_reported(t, 1);
    if (r->epilog_failed)
        hook_epilog_failed(t, node);
    if (news)
        take_report(t, j, r, pos);
    return true;
}

void ctl_report(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__Report *r = (Pb__Report *)call->m;
    const struct node *node = agent_node(t, call->session);
    if (!node)
        return; /* it has not registered: it will say it again when it has */
    stat_report(t);
    report_hear(t, node->index, node->index, r);
    send_ack(call, r);
}

/* ---- of many nodes at once ---- */

typedef VEC(struct heard) heard_vec;

/* Ends that go into one event with others; whatever else a node has to tell is looked at alone. */
static bool is_plain(const Pb__Report *r)
{
    return !r->launch_error && !r->epilog_failed && r->step_id != PB__STEP_NUMBER__STEP_BATCH;
}

static bool report_like(const Pb__Report *a, const Pb__Report *b)
{
    return a->job_id == b->job_id && a->step_id == b->step_id && a->attempt == b->attempt;
}

/* Where the nodes of a job are in its allocation, for many of them: node index -> place + 1. */
static void index_alloc(const struct job *j, struct map *out)
{
    for (uint32_t i = 0; i < j->alloc.n; i++)
        map_put(out, j->alloc.at[i].node, (void *)(uintptr_t)(i + 1));
}

static void hear_many(struct ctl *t, struct job *j, const heard_vec *v)
{
    if (!v->n)
        return;
    if (!job_ended(j) && !(j->state & JOB_COMPLETING)) {
        step_ended(t, j, v->at, v->n);
        return;
    }
    auto_free uint32_t *clean = mem_array(v->n, sizeof(*clean));
    size_t n = 0;
    Pb__Usage usage = PB__USAGE__INIT;
    for (size_t i = 0; i < v->n; i++) {
        if (v->at[i].r->node_clean)
            clean[n++] = v->at[i].pos;
        usage_add(&usage, v->at[i].r->usage);
    }
    if (j->state & JOB_COMPLETING)
        end_nodes_done(t, j, clean, n, usage.user_us || usage.sys_us ? &usage : NULL);
}

static void sort_out(struct ctl *t, uint32_t from, const Pb__Reports *m, struct job *j, heard_vec *plain,
                     heard_vec *other)
{
    struct map place = MAP_INIT;
    if (j)
        index_alloc(j, &place);
    bool of_job = map_get(&place, from);
    for (size_t i = 0; i < m->n_nodes; i++) {
        const Pb__Report *r = m->nodes[i]->report;
        const struct node *n = cluster_node(t->c, m->nodes[i]->node);
        uintptr_t at = n ? (uintptr_t)map_get(&place, n->index) : 0;
        if (!r || !n)
            continue;
        if (at && of_job && report_like(r, m->nodes[0]->report) && is_plain(r) && is_news(j, r, (uint32_t)at - 1))
            vec_push(plain, (struct heard){ (uint32_t)at - 1, r });
        else
            vec_push(other, (struct heard){ n->index, r });
    }
    map_clear(&place);
}

void ctl_reports(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__Reports *m = (Pb__Reports *)call->m;
    const struct node *from = agent_node(t, call->session);
    if (!from || !m->n_nodes || !m->nodes[0]->report)
        return;
    heard_vec plain = { 0 }, other = { 0 };
    struct job *j = cluster_job(t->c, m->nodes[0]->report->job_id);
    bool believed = true;
    sort_out(t, from->index, m, j, &plain, &other);
    stat_report(t);
    stat_reported(t, plain.n);
    hear_many(t, j, &plain);
    for (size_t i = 0; i < other.n; i++)
        believed &= report_hear(t, from->index, other.at[i].pos, other.at[i].r);
    vec_clear(&plain);
    vec_clear(&other);
    if (!believed)
        return; /* not acknowledged: each node that told it keeps it, and tells it without the tree */
    Pb__ReportsAck done = PB__REPORTS_ACK__INIT;
    ctl_reply(call, MSG_REPORTS_ACK, &done.base);
}

void ctl_launch_reply(const struct ctl_call *call)
{
    const Pb__LaunchReply *r = (Pb__LaunchReply *)call->m;
    stat_report(call->t);
    if (!r->code)
        return;
    Pb__Report report = PB__REPORT__INIT;
    report.job_id = r->job_id;
    report.step_id = r->step_id;
    report.attempt = r->attempt;
    report.launch_error = r->code;
    report.text = r->text;
    /* What the prolog did, the epilog undoes; an order that came twice says nothing about what runs there. */
    report.node_clean = r->code != ESLURMD_PROLOG_FAILED && r->code != EALREADY;
    struct ctl_call again = *call;
    again.m = &report.base;
    ctl_report(&again);
}
