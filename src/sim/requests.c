/* requests - what users ask for: jobs of all kinds, and later changes. */
#include "sim/world.h"

static uint32_t random_user(struct sim *s)
{
    return SIM_UID + rng_below(&s->request_rng, 4);
}

/* An acknowledged job, more likely a recent one. */
static uint32_t some_job(struct sim *s)
{
    if (!s->acked.n)
        return 0;
    size_t back = rng_below(&s->request_rng, rng_chance(&s->request_rng, 70) ? 20 : 200);
    return s->acked.at[s->acked.n - 1 - MIN(back, s->acked.n - 1)];
}

/* ---- jobs ---- */

struct user_request {
    Pb__JobSpec spec;
    char name[16], array[24], depend[48], program[64], gres[16];
    char *argv[1];
};

static void random_shape(struct sim *s, Pb__JobSpec *p)
{
    uint32_t small = s->conf.nodes < 8;
    switch (rng_below(&s->request_rng, 6)) {
    case 0: p->min_nodes = p->max_nodes = 1 + rng_below(&s->request_rng, MIN(s->conf.nodes, 8u)); break;
    case 1: p->ntasks = 1 + rng_below(&s->request_rng, small ? 6 : 40); break;
    case 2:
        p->ntasks = 1 + rng_below(&s->request_rng, 4);
        p->cpus_per_task = 1 + rng_below(&s->request_rng, 4);
        break;
    case 3:
        p->min_nodes = p->max_nodes = 1 + rng_below(&s->request_rng, MIN(s->conf.nodes, 4u));
        p->exclusive = rng_chance(&s->request_rng, 30) ? (char *)"yes" : p->exclusive;
        p->ntasks_per_node = 1 + rng_below(&s->request_rng, 4);
        break;
    default: p->ntasks = 1; break;
    }
    if (rng_chance(&s->request_rng, 60))
        p->mem_per_cpu_mb = 100 + rng_below(&s->request_rng, 1500);
    else if (rng_chance(&s->request_rng, 50))
        p->mem_per_node_mb = 100 + rng_below(&s->request_rng, 6000);
}

static char *random_dependency(struct sim *s, struct user_request *w)
{
    static const char *const kinds[] = { "afterok:", "afterany:", "afternotok:", "after:" };
    uint32_t a = some_job(s), b = some_job(s);
    if (!a)
        return NULL;
    if (rng_chance(&s->request_rng, 15))
        snprintf(w->depend, sizeof(w->depend), "singleton");
    else if (rng_chance(&s->request_rng, 25))
        snprintf(w->depend, sizeof(w->depend), "afterany:%u%cafterok:%u", a,
                 rng_chance(&s->request_rng, 50) ? '?' : ',', b);
    else if (rng_chance(&s->request_rng, 15))
        snprintf(w->depend, sizeof(w->depend), "after:%u+1", a);
    else
        snprintf(w->depend, sizeof(w->depend), "%s%u", kinds[rng_below(&s->request_rng, 4)], a);
    return w->depend;
}

static void random_times(struct sim *s, Pb__JobSpec *p)
{
    if (rng_chance(&s->request_rng, 50))
        p->time_limit_min = 1 + rng_below(&s->request_rng, 10);
    if (rng_chance(&s->request_rng, 5))
        p->begin_s = SIM_EPOCH_S + s->now_ms / 1000 + rng_below(&s->request_rng, 300);
    if (rng_chance(&s->request_rng, 3))
        p->deadline_s = SIM_EPOCH_S + s->now_ms / 1000 + 30 + rng_below(&s->request_rng, 600);
    if (rng_chance(&s->request_rng, 5) && p->time_limit_min)
        p->signal = 10, p->signal_before_s = rng_below(&s->request_rng, 90),
        p->signal_batch = rng_chance(&s->request_rng, 50);
}

static void make_request(struct sim *s, struct user_request *w)
{
    Pb__JobSpec *p = &w->spec;
    pb__job_spec__init(p);
    snprintf(w->name, sizeof(w->name), "job%u", rng_below(&s->request_rng, 12));
    p->name = w->name;
    random_shape(s, p);
    random_times(s, p);
    p->requeue = rng_below(&s->request_rng, 3);
    if (rng_chance(&s->request_rng, 10)) {
        snprintf(w->gres, sizeof(w->gres), "gpu:%u", 1 + rng_below(&s->request_rng, 4));
        p->gres = w->gres;
        p->partition = (char *)"gpu";
    } else if (rng_chance(&s->request_rng, 20)) {
        p->partition = (char *)(rng_chance(&s->request_rng, 50) ? "short,main" : "short");
    }
    if (rng_chance(&s->request_rng, 12)) {
        snprintf(w->array, sizeof(w->array), "0-%u%s", 1 + rng_below(&s->request_rng, 12),
                 rng_chance(&s->request_rng, 40) ? "%2" : "");
        p->array = w->array;
    }
    if (rng_chance(&s->request_rng, 15) && random_dependency(s, w))
        p->dependency = w->depend;
    p->hold = rng_chance(&s->request_rng, 4);
    uint32_t secs = rng_chance(&s->request_rng, 20) ? 60 + rng_below(&s->request_rng, 600)
                                                    : 1 + rng_below(&s->request_rng, 90);
    uint32_t code = rng_chance(&s->request_rng, 80)   ? 0
                    : rng_chance(&s->request_rng, 10) ? 99
                                                      : 1 + rng_below(&s->request_rng, 5);
    snprintf(w->program, sizeof(w->program), "sleep %u exit %u", secs, code);
    uint32_t lengthy = s->conf.rules ? rules_request(s, p) : 0;
    if (lengthy)
        snprintf(w->program, sizeof(w->program), "sleep %u exit %u", lengthy, code);
}

/* Two to four components with one script, or a command for each. */
static void request_set(struct sim *s)
{
    struct user_request w[4];
    Pb__SubmitRequest r[4], *more[3];
    uint8_t key[16];
    size_t n = 2 + rng_below(&s->request_rng, 3);
    s->submitted++;
    for (size_t i = 0; i < n; i++) {
        make_request(s, &w[i]);
        w[i].spec.array = (char *)protobuf_c_empty_string;
        pb__submit_request__init(&r[i]);
        r[i].spec = &w[i].spec;
        if (i)
            more[i - 1] = &r[i];
    }
    for (size_t i = 0; i < sizeof(key); i++)
        key[i] = (uint8_t)rng_next(&s->request_rng);
    auto_free char *script = mem_printf("#!/bin/sh\n%s\n", w[0].program);
    Pb__StepSpec step[4];
    bool srun = rng_chance(&s->request_rng, 25);
    for (size_t i = 0; srun && i < n; i++) {
        pb__step_spec__init(&step[i]);
        w[i].spec.kind = PB__JOB_KIND__KIND_SRUN;
        w[i].argv[0] = w[i].program;
        step[i].argv = w[i].argv, step[i].n_argv = 1;
        r[i].step = &step[i];
    }
    r[0].key = (ProtobufCBinaryData){ sizeof(key), key };
    if (!srun)
        r[0].script = (ProtobufCBinaryData){ strlen(script), (uint8_t *)script };
    r[0].het = more, r[0].n_het = n - 1;
    user_ask(s, OP_KIND_SUBMIT, MSG_SUBMIT, random_user(s), 0, &r[0].base);
}

void wish_submit(struct sim *s)
{
    struct user_request w;
    uint8_t key[16];
    if (s->conf.sets && rng_chance(&s->request_rng, s->conf.sets)) {
        request_set(s);
        return;
    }
    make_request(s, &w);
    s->submitted++;
    for (size_t i = 0; i < sizeof(key); i++)
        key[i] = (uint8_t)rng_next(&s->request_rng);
    Pb__SubmitRequest r = PB__SUBMIT_REQUEST__INIT;
    Pb__StepSpec step = PB__STEP_SPEC__INIT;
    auto_free char *script = mem_printf("#!/bin/sh\n%s\n", w.program);
    r.key = (ProtobufCBinaryData){ sizeof(key), key };
    r.spec = &w.spec;
    if (str_empty(w.spec.array) && rng_chance(&s->request_rng, 15)) {
        w.spec.kind = PB__JOB_KIND__KIND_SRUN;
        w.argv[0] = w.program;
        step.argv = w.argv, step.n_argv = 1;
        r.step = &step;
    } else {
        r.script = (ProtobufCBinaryData){ strlen(script), (uint8_t *)script };
    }
    user_ask(s, OP_KIND_SUBMIT, MSG_SUBMIT, random_user(s), 0, &r.base);
}

/* ---- changes ---- */

static void request_job_ref(struct sim *s, Pb__JobRef *ref)
{
    ref->job = some_job(s);
    const struct track *t = check_track(s, ref->job);
    if (t->array && rng_chance(&s->request_rng, 60))
        ref->has_task = true, ref->task = rng_below(&s->request_rng, 8);
    if (t->het && rng_chance(&s->request_rng, 40))
        ref->has_het = true, ref->het = rng_below(&s->request_rng, t->het);
}

static void wish_cancel(struct sim *s)
{
    Pb__CancelRequest r = PB__CANCEL_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    request_job_ref(s, &ref);
    r.jobs = refs, r.n_jobs = 1;
    r.signal = rng_chance(&s->request_rng, 10) ? 10 : 0;
    user_ask(s, OP_KIND_OTHER, MSG_CANCEL, rng_chance(&s->request_rng, 80) ? 0 : random_user(s), ref.job, &r.base);
}

static void wish_op(struct sim *s)
{
    static const Pb__JobOp ops[] = { PB__JOB_OP__OP_HOLD,    PB__JOB_OP__OP_UHOLD,   PB__JOB_OP__OP_RELEASE,
                                     PB__JOB_OP__OP_RELEASE, PB__JOB_OP__OP_REQUEUE, PB__JOB_OP__OP_REQUEUE_HOLD,
                                     PB__JOB_OP__OP_SUSPEND, PB__JOB_OP__OP_RESUME };
    Pb__JobOpRequest r = PB__JOB_OP_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    request_job_ref(s, &ref);
    r.op = ops[rng_below(&s->request_rng, ARRAY_LEN(ops))];
    r.jobs = refs, r.n_jobs = 1;
    user_ask(s, OP_KIND_OTHER, MSG_JOB_OP, rng_chance(&s->request_rng, 80) ? 0 : random_user(s), ref.job, &r.base);
}

static void wish_update(struct sim *s)
{
    static const struct {
        const char *key, *value;
    } changes[] = { { "TimeLimit", "3" }, { "TimeLimit", "20" }, { "Priority", "500" }, { "Partition", "short" },
                    { "Nice", "10" },     { "Requeue", "1" },    { "NumNodes", "1" },   { "NumNodes", "2" } };
    Pb__UpdateRequest r = PB__UPDATE_REQUEST__INIT;
    Pb__Pair id = PB__PAIR__INIT, what = PB__PAIR__INIT, *pairs[] = { &id, &what };
    char number[16];
    uint32_t job = some_job(s);
    size_t i = rng_below(&s->request_rng, ARRAY_LEN(changes) - (s->conf.sets ? 0 : 2));
    snprintf(number, sizeof(number), "%u", job);
    id.key = (char *)"JobId", id.value = number;
    what.key = (char *)(uintptr_t)changes[i].key, what.value = (char *)(uintptr_t)changes[i].value;
    r.pairs = pairs, r.n_pairs = 2;
    user_ask(s, OP_KIND_OTHER, MSG_UPDATE, 0, job, &r.base);
}

static void wish_node(struct sim *s)
{
    static const char *const states[] = { "DRAIN", "RESUME", "RESUME", "DOWN" };
    Pb__UpdateRequest r = PB__UPDATE_REQUEST__INIT;
    Pb__Pair name = PB__PAIR__INIT, state = PB__PAIR__INIT, why = PB__PAIR__INIT, *pairs[] = { &name, &state, &why };
    name.key = (char *)"NodeName", name.value = s->node[rng_below(&s->request_rng, s->conf.nodes)].name;
    state.key = (char *)"State", state.value = (char *)(uintptr_t)states[rng_below(&s->request_rng, ARRAY_LEN(states))];
    why.key = (char *)"Reason", why.value = (char *)"a look inside";
    r.kind = 1, r.pairs = pairs, r.n_pairs = 3;
    user_ask(s, OP_KIND_OTHER, MSG_UPDATE, 0, 0, &r.base);
}

void wish_other(struct sim *s)
{
    if (!s->acked.n)
        return;
    uint32_t which = rng_below(&s->request_rng, 10);
    if (which < 4)
        wish_cancel(s);
    else if (which < 8)
        wish_op(s);
    else if (which < 9)
        wish_update(s);
    else
        wish_node(s);
}
