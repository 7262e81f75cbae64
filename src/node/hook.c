/* hook - Prolog and Epilog of this node; see hook.h. */
#include "node/hook.h"

#include <unistd.h>

#include "base/errnum.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/isolate.h"
#include "wire/hook_env.h"

struct hook_order { /* an order that waits for the prolog of its job */
    uint32_t job_id, attempt;
    struct frame frame; /* owns its body */
};

#define NO_LIMIT 65534u

struct hook_kind {
    uint32_t step_id;
    const char *name, *context;
};
static const struct hook_kind prolog = { PB__STEP_NUMBER__STEP_PROLOG, "Prolog", "prolog_slurmd" };
static const struct hook_kind epilog = { PB__STEP_NUMBER__STEP_EPILOG, "Epilog", "epilog_slurmd" };

bool hook_wanted(const struct agent *a)
{
    return !a->emulated && (!str_empty(a->site->prolog) || !str_empty(a->site->epilog) || isolate_has_tmpfs(a));
}

/* ---- running one ---- */

static uint32_t timeout_s(const struct agent *a, const struct hook_kind *kind)
{
    uint16_t own = kind == &prolog ? a->site->prolog_timeout_s : a->site->epilog_timeout_s;
    uint16_t s = own == NO_LIMIT ? a->site->prolog_epilog_timeout_s : own;
    return s == NO_LIMIT ? 0 : s;
}

static int hand_over(struct agent *a, struct step_key key, Pb__LaunchOrder *o, struct err *err)
{
    auto_buf struct buf packed = BUF_INIT;
    size_t n = pb__launch_order__get_packed_size(o);
    pb__launch_order__pack(o, (uint8_t *)buf_room(&packed, n));
    ProtobufCBinaryData bytes = { n, (uint8_t *)packed.s };
    auto_close int jobdir = -1, record = -1;
    int rc = pool_claim(a, key, &bytes, &jobdir, &record, err);
    if (rc)
        return rc;
    struct step_run *r = run_add(a, key);
    r->uid = o->uid;
    rc = launch_supervisor(r, o, record, jobdir, err);
    if (rc)
        run_drop(r);
    return rc;
}

static int start(struct agent *a, const struct hook_kind *kind, uint32_t job_id, uint32_t attempt,
                 const Pb__HookJob *job, struct err *err)
{
    struct hook_env_words words = { kind->context, a->name, a->conf, job_id };
    auto_buf struct buf env = BUF_INIT, scripts = BUF_INIT;
    hook_env_make(&env, &words, job);
    hook_scripts(&scripts, kind == &prolog ? a->site->prolog : a->site->epilog, a->conf);
    Pb__LaunchOrder o = PB__LAUNCH_ORDER__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    o.node = (char *)a->name;
    o.job_id = job_id, o.attempt = attempt, o.step_id = kind->step_id;
    o.uid = geteuid(), o.gid = getegid();
    o.spec = &spec;
    o.script = (ProtobufCBinaryData){ scripts.len, (uint8_t *)scripts.s };
    o.env = (ProtobufCBinaryData){ env.len, (uint8_t *)env.s };
    o.hook_timeout_s = timeout_s(a, kind);
    log_verbose("%s starts job=%u", kind->name, job_id);
    return hand_over(a, (struct step_key){ job_id, kind->step_id, attempt }, &o, err);
}

static bool failed(const struct step_run *r)
{
    return r->report && (r->report->exit_code || r->report->lost || r->report->launch_error);
}

/* ---- before a job ---- */

enum hook_answer hook_wait(struct agent *a, const Pb__LaunchOrder *o, const struct frame *f)
{
    struct hook_order w = { o->job_id, o->attempt, *f };
    w.frame.body = mem_copy(f->body, f->len);
    vec_push(&a->hooked, w);
    return HOOK_WAIT;
}

enum hook_answer hook_prolog(struct agent *a, const Pb__LaunchOrder *o, const struct frame *f, struct err *err)
{
    if (str_empty(a->site->prolog))
        return HOOK_GO;
    struct step_key key = { o->job_id, prolog.step_id, o->attempt };
    Pb__HookJob job;
    hook_job_from_order(&job, o);
    if (!run_find(a, key) && start(a, &prolog, o->job_id, o->attempt, &job, err))
        return HOOK_FAILED;
    const struct step_run *r = run_find(a, key);
    if (!r->report)
        return hook_wait(a, o, f);
    if (!failed(r))
        return HOOK_GO;
    err_set(err, ESLURMD_PROLOG_FAILED, "%s", err_text(ESLURMD_PROLOG_FAILED));
    return HOOK_FAILED;
}

/* Remove the waiting orders of one job from the list; execute or drop them. */
static void take_waiting(struct agent *a, uint32_t job_id, uint32_t attempt, bool follow)
{
    for (size_t i = 0; i < a->hooked.n;) {
        struct hook_order w = a->hooked.at[i];
        if (w.job_id != job_id || w.attempt != attempt) {
            i++;
            continue;
        }
        vec_remove(&a->hooked, i);
        if (follow)
            launch_order(a, &w.frame);
        free((void *)w.frame.body);
    }
}

void hook_drop_waiting(struct agent *a, uint32_t job_id, uint32_t attempt)
{
    take_waiting(a, job_id, attempt, false);
}

void hook_follow_waiting(struct agent *a)
{
    __typeof__(a->hooked) waiting = a->hooked;
    a->hooked = (__typeof__(a->hooked)){ 0 };
    for (size_t i = 0; i < waiting.n; i++) {
        launch_order(a, &waiting.at[i].frame);
        free((void *)waiting.at[i].frame.body);
    }
    vec_clear(&waiting);
}

/* ---- after a job ---- */

bool hook_epilog(struct agent *a, const struct clean *c)
{
    if (a->emulated || str_empty(a->site->epilog) || c->epilog_broken)
        return true;
    struct step_key key = { c->job_id, epilog.step_id, c->attempt };
    const struct step_run *r = run_find(a, key);
    if (r)
        return r->report;
    struct err err = ERR_INIT;
    Pb__HookJob none = PB__HOOK_JOB__INIT;
    if (!start(a, &epilog, c->job_id, c->attempt, c->job ? c->job : &none, &err))
        return false;
    log_error("Epilog cannot be started job=%u why=%s", c->job_id, err.text);
    ((struct clean *)c)->epilog_broken = true;
    return true;
}

bool hook_epilog_failed(const struct agent *a, const struct clean *c)
{
    const struct step_run *r = run_find(a, (struct step_key){ c->job_id, epilog.step_id, c->attempt });
    return c->epilog_broken || (r && failed(r));
}

/* ---- their ends ---- */

void hook_ended(struct step_run *r)
{
    struct agent *a = r->agent;
    struct step_key key = r->key;
    bool before = key.step_id == prolog.step_id;
    if (failed(r))
        log_error("%s failed job=%u status=%u%s%s", before ? prolog.name : epilog.name, key.job_id,
                  r->report->exit_code, str_empty(r->report->text) ? "" : " why=", r->report->text);
    if (before)
        take_waiting(a, key.job_id, key.attempt, true);
    report_check_clean(a, key.job_id, key.attempt);
}

void hook_forget(struct agent *a, uint32_t job_id, uint32_t attempt)
{
    const struct hook_kind *const all[] = { &prolog, &epilog };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct step_run *r = run_find(a, (struct step_key){ job_id, all[i]->step_id, attempt });
        if (r && r->report)
            run_drop(r);
    }
}
