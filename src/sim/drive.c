/* drive - a trace through the real controller; see drive.h. */
#include "sim/drive.h"

#include <math.h>
#include <signal.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "sim/world.h"

#define BEAT_S (4 * 3600)
#define SAMPLE_S 600
#define USER_SESSION 1u /* session of the user; nodes have the numbers above it */
#define NODE_SESSION(i) ((uint64_t)(i) + 2)

struct ending { /* the end of a running job */
    int64_t at_s;
    uint32_t job, attempt;
};

struct progress {   /* of one job of the trace */
    uint32_t id;    /* job id; 0: not yet submitted */
    int64_t left_s; /* run time left */
    int64_t began_s;
    int64_t asked_s; /* asked to yield: from then on it saves its state */
    uint32_t attempt;
    int64_t predicted_s; /* the first predicted start; 0: none yet */
};

struct drive {
    const struct drive_conf *conf;
    struct drive_out *out;
    struct ctl *ctl;
    struct cred_key key;
    int64_t now_s;
    VEC(struct ending) heap;
    struct progress *at;
    VEC(uint32_t) index;        /* job id -> index in the trace */
    VEC(double) errors;         /* of predictions */
    VEC(struct ending) leaving; /* jobs whose other nodes have to report that they are clean */
    struct rng keys;
    uint32_t busy, done;
    bool turning;
    struct err broken;
};

/* ---- a heap of ends ---- */

static bool ending_before(const struct ending *a, const struct ending *b)
{
    return a->at_s != b->at_s ? a->at_s < b->at_s : a->job < b->job;
}

static void push_end(struct drive *d, struct ending e)
{
    vec_push(&d->heap, e);
    struct ending *h = d->heap.at;
    for (size_t i = d->heap.n - 1; i > 0 && ending_before(&h[i], &h[(i - 1) / 2]); i = (i - 1) / 2) {
        struct ending t = h[i];
        h[i] = h[(i - 1) / 2];
        h[(i - 1) / 2] = t;
    }
}

static struct ending pop_end(struct drive *d)
{
    struct ending *h = d->heap.at, top = h[0];
    h[0] = h[--d->heap.n];
    for (size_t i = 0;;) {
        size_t best = i, l = 2 * i + 1;
        if (l < d->heap.n && ending_before(&h[l], &h[best]))
            best = l;
        if (l + 1 < d->heap.n && ending_before(&h[l + 1], &h[best]))
            best = l + 1;
        if (best == i)
            return top;
        struct ending t = h[i];
        h[i] = h[best];
        h[best] = t;
        i = best;
    }
}

/* ---- turns ---- */

static int64_t wall_ms(const struct drive *d)
{
    return (SIM_EPOCH_S + d->now_s) * 1000LL;
}

static void drive_begin(struct drive *d)
{
    if (!d->turning)
        ctl_begin(d->ctl, wall_ms(d), NULL);
    d->turning = true;
}

static void drive_send(struct drive *d, uint64_t session, const struct ctl_peer *peer, enum msg_type type,
                       const ProtobufCMessage *m)
{
    auto_buf struct buf body = BUF_INIT;
    pb_pack(&body, m);
    struct frame f = { type, 0, 1, (uint8_t *)body.s, (uint32_t)body.len };
    drive_begin(d);
    ctl_request(d->ctl, session, peer, &f);
}

static void node_says(struct drive *d, uint32_t node, enum msg_type type, const ProtobufCMessage *m)
{
    struct ctl_peer peer = { 0, 0, true, ctl_cluster(d->ctl)->node[node].name };
    drive_send(d, NODE_SESSION(node), &peer, type, m);
}

static struct progress *of_job(const struct drive *d, uint32_t id)
{
    return id < d->index.n && d->index.at[id] != NO_LEADER ? &d->at[d->index.at[id]] : NULL;
}

static uint32_t job_weight(const struct trace_job *t)
{
    return t->gpus ? t->gpus : t->cpus;
}

static void job_started(struct drive *d, const Pb__EvStart *e)
{
    struct progress *p = of_job(d, e->job_id);
    if (!p)
        return;
    size_t i = (size_t)(p - d->at);
    const struct trace_job *t = &d->conf->trace->job.at[i];
    struct drive_job *out = &d->out->job[i];
    if (!out->starts++)
        out->first_s = d->now_s;
    if (p->predicted_s && out->starts == 1)
        vec_push(&d->errors, fabs((double)(p->predicted_s - SIM_EPOCH_S - d->now_s)));
    p->began_s = d->now_s;
    p->asked_s = 0;
    p->attempt = e->attempt;
    d->busy += job_weight(t);
    push_end(d, (struct ending){ d->now_s + p->left_s, e->job_id, e->attempt });
}

/* The nodes of a job become free when each has reported. */
static void drive_job_stopped(struct drive *d, uint32_t id, bool again)
{
    struct progress *p = of_job(d, id);
    if (!p || !p->attempt)
        return;
    size_t i = (size_t)(p - d->at);
    d->busy -= job_weight(&d->conf->trace->job.at[i]);
    vec_push(&d->leaving, ((struct ending){ d->now_s, id, p->attempt }));
    p->left_s -= (p->asked_s ? p->asked_s : d->now_s) - p->began_s;
    p->attempt = 0;
    d->out->preemptions += again;
    if (again)
        return;
    d->out->job[i].end_s = d->out->last_s = d->now_s;
    d->done++;
}

/* From now on the job only saves its state, until it is requeued. */
static void drive_job_asked(struct drive *d, const Pb__EvWarned *e)
{
    struct progress *p = of_job(d, e->job_id);
    if (p && e->yield_s && p->attempt)
        p->asked_s = d->now_s;
}

static void drive_read_entry(struct drive *d, const struct buf *entry)
{
    Pb__Entry *e = pb__entry__unpack(NULL, entry->len, (uint8_t *)entry->s);
    for (size_t i = 0; e && i < e->n_events; i++) {
        const Pb__Event *ev = e->events[i];
        if (ev->body_case == PB__EVENT__BODY_START)
            job_started(d, ev->start);
        else if (ev->body_case == PB__EVENT__BODY_WARNED)
            drive_job_asked(d, ev->warned);
        else if (ev->body_case == PB__EVENT__BODY_END)
            drive_job_stopped(d, ev->end->job_id, false);
        else if (ev->body_case == PB__EVENT__BODY_REQUEUE)
            drive_job_stopped(d, ev->requeue->job_id, true);
    }
    if (e)
        pb__entry__free_unpacked(e, NULL);
}

static void job_clean(struct drive *d, const struct ending *e)
{
    const struct job *j = cluster_job(ctl_cluster(d->ctl), e->job);
    if (!j || !(j->state & JOB_COMPLETING) || j->attempt != e->attempt)
        return;
    Pb__Report r = PB__REPORT__INIT;
    r.job_id = e->job, r.attempt = e->attempt;
    r.step_id = PB__STEP_NUMBER__STEP_EXTERN;
    r.node_clean = true;
    auto_free uint32_t *node = mem_array(j->alloc.n + 1, sizeof(*node));
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->alloc.n; i++)
        if (!j->alloc.at[i].done)
            node[n++] = j->alloc.at[i].node;
    for (uint32_t i = 0; i < n; i++)
        node_says(d, node[i], MSG_REPORT, &r.base);
}

/* Run turns until nothing more happens at this time. */
static void drive_settle(struct drive *d)
{
    do {
        drive_begin(d);
        ctl_timers(d->ctl);
        const struct buf *entry = ctl_end(d->ctl);
        d->turning = false;
        d->out->turns++;
        drive_read_entry(d, entry);
        struct ctl_out *outs;
        size_t n = ctl_outs(d->ctl, &outs);
        for (size_t i = 0; i < n; i++)
            ctl_out_clear(&outs[i]);
        for (size_t i = 0; i < d->leaving.n; i++)
            job_clean(d, &d->leaving.at[i]);
        d->leaving.n = 0;
    } while (d->turning || ctl_again(d->ctl));
}

/* ---- jobs ---- */

static void drive_make_spec(const struct drive *d, const struct trace_job *t, Pb__JobSpec *spec, char text[static 32])
{
    uint32_t per = d->conf->gpus ? d->conf->gpus : d->conf->cpus, want = job_weight(t);
    spec->name = (char *)"trace";
    spec->kind = PB__JOB_KIND__KIND_BATCH;
    spec->time_limit_min = t->limit_min;
    spec->min_nodes = spec->max_nodes = (want + per - 1) / per;
    spec->cpus_per_task = 1;
    if (t->checkpoints)
        spec->requeue = PB__REQUEUE__REQUEUE_YES, spec->signal = SIGUSR1, spec->signal_before_s = d->conf->save_s;
    snprintf(text, 32, "%u", spec->min_nodes == 1 ? want : per);
    if (t->gpus && (spec->min_nodes == 1 || want % per == 0)) {
        spec->gpus_per_node = text;
        spec->ntasks = spec->min_nodes;
    } else if (t->gpus) {
        snprintf(text, 32, "%u", want);
        spec->gpus = text;
        spec->ntasks = spec->min_nodes;
    } else {
        spec->ntasks = want;
    }
}

static void drive_submit(struct drive *d, size_t i)
{
    const struct trace_job *t = &d->conf->trace->job.at[i];
    Pb__SubmitRequest r = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    struct ctl_peer peer = { .uid = SIM_UID + t->user, .gid = SIM_UID };
    uint8_t key[16];
    char text[32];
    for (size_t k = 0; k < sizeof(key); k++)
        key[k] = (uint8_t)rng_next(&d->keys);
    drive_make_spec(d, t, &spec, text);
    r.key = (ProtobufCBinaryData){ sizeof(key), key };
    r.spec = &spec;
    r.script = (ProtobufCBinaryData){ 10, (uint8_t *)"#!/bin/sh\n" };
    uint32_t before = ctl_cluster(d->ctl)->next_job;
    drive_send(d, USER_SESSION, &peer, MSG_SUBMIT, &r.base);
    uint32_t id = ctl_cluster(d->ctl)->next_job;
    if (id == before) {
        d->out->job[i].refused = true;
        d->done++;
        return;
    }
    while (d->index.n <= before)
        vec_push(&d->index, NO_LEADER);
    d->index.at[before] = (uint32_t)i;
    d->at[i].id = before;
    d->at[i].left_s = t->run_s;
}

static void run_ends(struct drive *d, const struct ending *e)
{
    const struct job *j = cluster_job(ctl_cluster(d->ctl), e->job);
    const struct progress *p = of_job(d, e->job);
    if (!j || !p || p->attempt != e->attempt || p->asked_s || !job_holds_nodes(j))
        return;
    Pb__Report r = PB__REPORT__INIT;
    r.job_id = e->job, r.attempt = e->attempt;
    r.step_id = PB__STEP_NUMBER__STEP_BATCH;
    r.node_clean = true;
    node_says(d, j->alloc.at[0].node, MSG_REPORT, &r.base);
}

/* ---- the cluster ---- */

static int make_cluster(struct drive *d, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    const struct drive_conf *c = d->conf;
    buf_addf(&text,
             "ClusterName=trace\nSlurmctldHost=localhost\nSlurmdTimeout=65000\nSlurmdParameters=config_overrides\n");
    buf_addf(&text, "SelectTypeParameters=CR_Core\nOverTimeLimit=UNLIMITED\nMaxJobCount=1000000\nMinJobAge=2\n");
    if (c->gpus)
        buf_addf(&text, "GresTypes=gpu\n");
    buf_addf(&text, "%s\nNodeName=n[1-%u] CPUs=%u RealMemory=1000", c->lines ? c->lines : "", c->nodes, c->cpus);
    if (c->gpus)
        buf_addf(&text, " Gres=gpu:%u", c->gpus);
    buf_addf(&text, "\nPartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE\n");
    struct ctl_conf conf = { .key = &d->key, .id = 1 };
    int rc = site_load_text(&conf.site, text.s, text.len, "trace.conf", err);
    if (rc)
        return rc;
    d->ctl = ctl_new(&conf);
    drive_begin(d);
    ctl_lead(d->ctl, wall_ms(d), NULL);
    drive_settle(d);
    for (uint32_t i = 0; i < c->nodes; i++) {
        Pb__RegisterRequest r = PB__REGISTER_REQUEST__INIT;
        r.node = ctl_cluster(d->ctl)->node[i].name;
        r.boot_id = (char *)"1", r.version = (char *)"sim", r.start_s = 1;
        node_says(d, i, MSG_REGISTER, &r.base);
    }
    drive_settle(d);
    return 0;
}

static void drive_heartbeats(struct drive *d)
{
    for (uint32_t i = 0; i < d->conf->nodes; i++) {
        Pb__Heartbeat h = PB__HEARTBEAT__INIT;
        h.now_ms = wall_ms(d);
        node_says(d, i, MSG_HEARTBEAT, &h.base);
    }
}

static void take_sample(struct drive *d)
{
    const struct cluster *c = ctl_cluster(d->ctl);
    struct drive_sample s = { .at_s = d->now_s, .busy = d->busy, .waiting = (uint32_t)c->pending.n };
    for (const struct job *j = c->pending.head; j; j = j->next) {
        struct progress *p = of_job(d, j->id);
        if (p && !p->predicted_s && j->why.planned_s)
            p->predicted_s = j->why.planned_s;
    }
    vec_push(&d->out->sample, s);
}

/* ---- the clock ---- */

struct clock {
    size_t next; /* index in the trace */
    int64_t beat_s, sample_s;
};

static int64_t next_moment(const struct drive *d, const struct clock *k)
{
    const struct trace *t = d->conf->trace;
    int64_t at = MIN(k->beat_s, k->sample_s), due = ctl_next_ms(d->ctl);
    if (k->next < t->job.n)
        at = MIN(at, t->job.at[k->next].arrive_s);
    if (d->heap.n)
        at = MIN(at, d->heap.at[0].at_s);
    if (due)
        at = MIN(at, MAX((due + 999) / 1000 - SIM_EPOCH_S, d->now_s + 1));
    return MAX(at, d->now_s);
}

static void drive_advance(struct drive *d, struct clock *k)
{
    const struct trace *t = d->conf->trace;
    d->now_s = next_moment(d, k);
    while (d->heap.n && d->heap.at[0].at_s <= d->now_s) {
        struct ending e = pop_end(d);
        run_ends(d, &e);
    }
    for (; k->next < t->job.n && t->job.at[k->next].arrive_s <= d->now_s; k->next++)
        drive_submit(d, k->next);
    if (d->now_s >= k->beat_s) {
        drive_heartbeats(d);
        k->beat_s += BEAT_S;
    }
    drive_settle(d);
    if (d->now_s >= k->sample_s) {
        take_sample(d);
        k->sample_s = d->now_s + SAMPLE_S;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now_wall(void)
{
    return (double)clock_mono_us() / 1e6;
}

static void drive_watch(const struct drive *d, double since)
{
    if (d->conf->watch && d->done % 1000 == 0)
        fprintf(stderr, "\r%u of %zu jobs, day %.1f, %zu wait, %.0f s ", d->done, d->conf->trace->job.n,
                (double)d->now_s / 86400, ctl_cluster(d->ctl)->pending.n, now_wall() - since);
}

int drive_run(const struct drive_conf *conf, struct drive_out *out, struct err *err)
{
    size_t n = conf->trace->job.n;
    double began = now_wall();
    *out = (struct drive_out){ .job = mem_array(n + 1, sizeof(*out->job)) };
    struct drive drive = { .conf = conf, .out = out, .keys = { 42 } }, *d = &drive;
    d->at = mem_array(n + 1, sizeof(*d->at));
    for (size_t i = 0; i < n; i++)
        out->job[i] = (struct drive_job){ .first_s = -1, .end_s = -1 };
    int rc = make_cluster(d, err);
    struct clock k = { .beat_s = BEAT_S };
    for (uint32_t last = 0; !rc && d->done < n;) {
        drive_advance(d, &k);
        if (d->done != last)
            drive_watch(d, began);
        last = d->done;
    }
    if (conf->watch)
        fputc('\n', stderr);
    if (d->errors.n) {
        qsort(d->errors.at, d->errors.n, sizeof(double), by_value);
        out->predicted = d->errors.at[d->errors.n / 2];
        out->predicted_p90 = d->errors.at[d->errors.n * 9 / 10];
    }
    out->wall_s = now_wall() - began;
    ctl_free(d->ctl);
    free(d->at);
    vec_clear(&d->heap);
    vec_clear(&d->index);
    vec_clear(&d->errors);
    vec_clear(&d->leaving);
    return rc;
}

void drive_clear(struct drive_out *out)
{
    free(out->job);
    vec_clear(&out->sample);
}
