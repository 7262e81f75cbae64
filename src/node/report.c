/* report - the reports of steps, sent to the controller until it acknowledges them. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/agent.h"
#include "node/hook.h"
#include "node/isolate.h"
#include "node/tree.h"

#define AGAIN_MS 10000 /* the controller may have lost a report before committing it */

static bool can_tell(const struct agent *a)
{
    return a->controller && a->registered;
}

static uint64_t clean_key(uint32_t job_id, uint32_t attempt)
{
    return (uint64_t)job_id << 32 | attempt;
}

static void send_report(struct step_run *r)
{
    struct agent *a = r->agent;
    if (hook_step(r->key.step_id))
        return;
    if (!gather_report(a, r->report)) {
        if (!can_tell(a))
            return;
        link_send_pb(a->controller, MSG_REPORT, 0, 0, &r->report->base);
    }
    r->sent_ms = uv_now(a->loop);
}

/* The report of a clean node concerns no step, so it has the number of the job's extern step. */
static void send_clean(struct agent *a, struct clean *c)
{
    Pb__Report rep = PB__REPORT__INIT;
    rep.job_id = c->job_id;
    rep.attempt = c->attempt;
    rep.step_id = PB__STEP_NUMBER__STEP_EXTERN;
    rep.node_clean = true;
    rep.epilog_failed = hook_epilog_failed(a, c);
    if (!a->emulated)
        isolate_job_over(a, c->job_id, c->attempt);
    if (!gather_report(a, &rep)) {
        if (!can_tell(a))
            return;
        link_send_pb(a->controller, MSG_REPORT, 0, 0, &rep.base);
    }
    c->sent_ms = uv_now(a->loop);
}

void report_end(struct step_run *r, Pb__Report *report)
{
    struct agent *a = r->agent;
    struct step_key key = r->key;
    if (r->report) {
        pb__report__free_unpacked(report, NULL);
        return;
    }
    r->report = report;
    /* If nothing else of the job runs here, this message also reports the node as clean. */
    report->node_clean = !hook_wanted(a) && !run_any_alive(a, key.job_id, key.attempt);
    log_verbose("step ended step=%s attempt=%u status=%u%s%s", run_text(key), key.attempt, report->exit_code,
                str_empty(report->text) ? "" : " why=", report->text);
    if (hook_step(key.step_id)) {
        hook_ended(r);
        return;
    }
    send_report(r);
    report_check_clean(a, key.job_id, key.attempt);
}

void report_lost(struct step_run *r, const char *why)
{
    Pb__Report lost = PB__REPORT__INIT;
    lost.job_id = r->key.job_id;
    lost.step_id = r->key.step_id;
    lost.attempt = r->key.attempt;
    lost.lost = true;
    lost.exit_code = 9;
    lost.text = (char *)why;
    log_error("step was lost step=%s attempt=%u why=%s", run_text(r->key), r->key.attempt, why);
    /* The generated code frees an unpacked message as a whole: make the copy by packing and unpacking. */
    auto_buf struct buf packed = BUF_INIT;
    size_t n = pb__report__get_packed_size(&lost);
    pb__report__pack(&lost, (uint8_t *)buf_room(&packed, n));
    report_end(r, pb__report__unpack(NULL, n, (uint8_t *)packed.s));
}

static void clean_free(struct clean *c)
{
    if (c && c->job)
        pb__hook_job__free_unpacked(c->job, NULL);
    free(c);
}

/* The generated code frees an unpacked message as a whole: make the copy by packing and unpacking. */
static Pb__HookJob *copy_job(const Pb__HookJob *b)
{
    auto_buf struct buf packed = BUF_INIT;
    size_t n = pb__hook_job__get_packed_size(b);
    pb__hook_job__pack(b, (uint8_t *)buf_room(&packed, n));
    return pb__hook_job__unpack(NULL, n, (uint8_t *)packed.s);
}

void report_clean(struct agent *a, const Pb__KillOrder *k)
{
    uint64_t key = clean_key(k->job_id, k->attempt);
    struct clean *c = map_get(&a->cleans, key);
    if (!c) {
        c = NEW(struct clean);
        *c = (struct clean){ .job_id = k->job_id, .attempt = k->attempt };
        map_put(&a->cleans, key, c);
    }
    if (!c->job && k->job)
        c->job = copy_job(k->job);
    c->sent_ms = 0; /* requested again: send again */
    register_keep_house(a);
    hook_drop_waiting(a, k->job_id, k->attempt);
    report_check_clean(a, k->job_id, k->attempt);
}

void report_check_clean(struct agent *a, uint32_t job_id, uint32_t attempt)
{
    struct clean *c = map_get(&a->cleans, clean_key(job_id, attempt));
    if (c && !c->sent_ms && !run_any_alive(a, job_id, attempt) && hook_epilog(a, c))
        send_clean(a, c);
}

void report_acked(struct agent *a, struct step_key key, bool node_clean)
{
    if (key.step_id == PB__STEP_NUMBER__STEP_EXTERN && node_clean) {
        clean_free(map_del(&a->cleans, clean_key(key.job_id, key.attempt)));
        hook_forget(a, key.job_id, key.attempt);
    }
    struct step_run *r = run_find(a, key);
    if (r && r->report)
        run_drop(r);
}

void report_ack(struct agent *a, const struct frame *f)
{
    Pb__ReportAck *ack = pb__report_ack__unpack(NULL, f->len, f->body);
    if (!ack)
        return;
    report_acked(a, (struct step_key){ ack->job_id, ack->step_id, ack->attempt }, ack->node_clean);
    pb__report_ack__free_unpacked(ack, NULL);
}

static bool due(const struct agent *a, uint64_t sent_ms, bool again)
{
    return !sent_ms || (again && uv_now(a->loop) - sent_ms >= AGAIN_MS);
}

static void report_one(struct step_run *r, void *arg)
{
    if (r->report && due(r->agent, r->sent_ms, *(bool *)arg))
        send_report(r);
}

void report_all(struct agent *a, bool again)
{
    run_each(a, report_one, &again);
    size_t pos = 0;
    uint64_t key;
    for (struct clean *c; (c = map_next(&a->cleans, &pos, &key));)
        if (due(a, c->sent_ms, again) && !run_any_alive(a, c->job_id, c->attempt) && hook_epilog(a, c))
            send_clean(a, c);
}
