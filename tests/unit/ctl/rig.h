/*
 * rig - a controller without sockets and disk: one request, one turn, and what it said.
 *
 * Every turn is committed at once.  Sessions: nodes n1.. are 1.., the client of rig_ask() is ASKER.
 */
#ifndef SPUR_TEST_CTL_RIG_H
#define SPUR_TEST_CTL_RIG_H

#include "base/errnum.h"
#include "base/log.h"
#include "base/str.h"
#include "core/pbutil.h"
#include "ctl/ctl.h"
#include "test.h"

#include "accounts.h"

#define ASKER 1000
#define ROOT 0
#define ADA 1001
#define BOB 1002
#define START_MS 1800000000000LL
#define TEXT(s) ((char *)(uintptr_t)(s))

struct rig {
    struct ctl *t;
    struct cred_key key;
    int64_t now_ms;
    uint32_t nodes;
    VEC(struct ctl_out) said;
    VEC(struct buf) log;
    struct fold *fold;               /* NULL: no accounting */
    VEC(struct fold_batch *) folded; /* the rows of each entry */
};

static const char rig_conf[] =
    "ClusterName=test\nSlurmctldHost=localhost\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
    "GresTypes=gpu\nReturnToService=1\nSlurmdTimeout=60\nMinJobAge=100\nKillWait=5\nMaxArraySize=100\n"
    "NodeName=n[1-4] Sockets=1 CoresPerSocket=4 RealMemory=8000\n"
    "PartitionName=main Nodes=ALL Default=YES DefaultTime=10 MaxTime=INFINITE\n"
    "PartitionName=root Nodes=n1 RootOnly=YES\nPartitionName=off Nodes=n1 State=INACTIVE\n";

static inline void rig_forget(struct rig *r)
{
    for (size_t i = 0; i < r->said.n; i++)
        ctl_out_clear(&r->said.at[i]);
    r->said.n = 0;
}

/* ---- turns ---- */

static inline void rig_begin(struct rig *r)
{
    rig_forget(r);
    ctl_begin(r->t, r->now_ms, NULL);
    ctl_timers(r->t);
}

static inline void rig_end_turn(struct rig *r)
{
    const struct buf *e = ctl_end(r->t);
    if (e->len) {
        struct buf copy = BUF_INIT;
        buf_add(&copy, e->s, e->len);
        vec_push(&r->log, copy);
        struct fold_batch *rows = r->fold ? fold_take(r->fold, r->log.n) : NULL;
        if (rows)
            vec_push(&r->folded, rows);
    }
    struct ctl_out *outs;
    size_t n = ctl_outs(r->t, &outs);
    for (size_t i = 0; i < n; i++)
        vec_push(&r->said, outs[i]);
}

static inline void rig_request(struct rig *r, uint64_t session, struct ctl_peer peer, enum msg_type type,
                               const ProtobufCMessage *m)
{
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, m);
    struct frame f = { type, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    rig_begin(r);
    ctl_request(r->t, session, &peer, &f);
    rig_end_turn(r);
}

static inline void rig_ask(struct rig *r, uint32_t uid, enum msg_type type, const ProtobufCMessage *m)
{
    rig_request(r, ASKER, (struct ctl_peer){ uid, uid, false, NULL }, type, m);
}

static inline void rig_node_says(struct rig *r, uint32_t node, enum msg_type type, const ProtobufCMessage *m)
{
    char name[16];
    snprintf(name, sizeof(name), "n%u", node);
    rig_request(r, node, (struct ctl_peer){ 0, 0, true, name }, type, m);
}

/* Let time go by, turn after turn; what was said last stays. */
static inline void rig_pass(struct rig *r, int64_t seconds)
{
    int64_t until = r->now_ms + seconds * 1000;
    for (;;) {
        int64_t next = ctl_next_ms(r->t);
        r->now_ms = next && next < until ? MAX(next, r->now_ms + 1) : until;
        ctl_begin(r->t, r->now_ms, NULL);
        ctl_timers(r->t);
        rig_end_turn(r);
        if (r->now_ms >= until)
            return;
    }
}

/* What was said: the message, yours to free with rig_free(); NULL when nothing of that type was. */
static inline void *rig_said(const struct rig *r, uint64_t session, enum msg_type type)
{
    for (size_t i = r->said.n; i-- > 0;)
        if (r->said.at[i].session == session && r->said.at[i].type == type)
            return protobuf_c_message_unpack(msg_descriptor(type), NULL, r->said.at[i].len,
                                             (uint8_t *)r->said.at[i].body);
    return NULL;
}

static inline size_t rig_count(const struct rig *r, uint64_t session, enum msg_type type)
{
    size_t n = 0;
    for (size_t i = 0; i < r->said.n; i++)
        n += r->said.at[i].session == session && r->said.at[i].type == type;
    return n;
}

static inline void rig_free(void *m)
{
    if (m)
        protobuf_c_message_free_unpacked(m, NULL);
}

/* The code of whatever answer came: of a failure, a DONE, the first result of a list; -1 for none. */
static inline int rig_code(const struct rig *r)
{
    int code = -1;
    Pb__Failure *f = rig_said(r, ASKER, MSG_FAILURE);
    Pb__Done *d = rig_said(r, ASKER, MSG_DONE);
    Pb__SubmitReply *s = rig_said(r, ASKER, MSG_SUBMIT_REPLY);
    Pb__CancelReply *c = rig_said(r, ASKER, MSG_CANCEL_REPLY);
    Pb__JobOpReply *o = rig_said(r, ASKER, MSG_JOB_OP_REPLY);
    if (f)
        code = f->code;
    else if (d)
        code = d->code;
    else if (s)
        code = s->code;
    else if (c && c->n_results)
        code = c->results[0]->code;
    else if (o && o->n_results)
        code = o->results[0]->code;
    rig_free(f), rig_free(d), rig_free(s), rig_free(c), rig_free(o);
    return code;
}

/* ---- nodes ---- */

static inline void rig_register(struct rig *r, uint32_t node, const char *boot, Pb__Running **running, size_t n)
{
    char name[16];
    snprintf(name, sizeof(name), "n%u", node);
    Pb__RegisterRequest q = PB__REGISTER_REQUEST__INIT;
    q.node = name, q.boot_id = TEXT(boot), q.version = TEXT("t"), q.start_s = 1;
    q.running = running, q.n_running = n;
    rig_node_says(r, node, MSG_REGISTER, &q.base);
}

static inline void rig_gone(struct rig *r, uint64_t session)
{
    rig_begin(r);
    ctl_gone(r->t, session);
    rig_end_turn(r);
}

static inline void rig_report(struct rig *r, uint32_t node, uint32_t job, uint32_t attempt, uint32_t step,
                              uint32_t status, bool clean)
{
    Pb__Report q = PB__REPORT__INIT;
    q.job_id = job, q.attempt = attempt, q.step_id = step, q.exit_code = status, q.node_clean = clean;
    rig_node_says(r, node, MSG_REPORT, &q.base);
}

/* ---- coming and going ---- */

static inline struct ctl *rig_ctl(struct rig *r, const char *conf)
{
    struct err err = ERR_INIT;
    struct site *site;
    if (site_load_text(&site, conf, strlen(conf), "test.conf", &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    struct ctl_conf c = {
        .site = site, .key = &r->key, .admin_uid = 500, .id = 1, .accounts = &rig_accounts, .fold = r->fold
    };
    return ctl_new(&c);
}

static inline void rig_replay(struct ctl *t, const void *entry, size_t len)
{
    struct err err = ERR_INIT;
    if (ctl_replay(t, entry, len, &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
}

static inline void rig_lead(struct rig *r)
{
    rig_forget(r);
    ctl_begin(r->t, r->now_ms, NULL);
    ctl_lead(r->t, r->now_ms, NULL);
    rig_end_turn(r);
}

static inline void rig_up_conf(struct rig *r, const char *conf, uint32_t nodes)
{
    *r = (struct rig){ .now_ms = START_MS, .nodes = nodes };
    memset(r->key.bytes, 42, sizeof(r->key.bytes));
    log_open("test", LOG_FATAL);
    r->t = rig_ctl(r, conf);
    rig_lead(r);
    for (uint32_t i = 1; i <= nodes; i++)
        rig_register(r, i, "boot", NULL, 0);
}

static inline void rig_up(struct rig *r)
{
    rig_up_conf(r, rig_conf, 4);
}

/* Another controller takes over: from the log alone. */
static inline void rig_failover(struct rig *r)
{
    struct ctl *next = rig_ctl(r, rig_conf);
    for (size_t i = 0; i < r->log.n; i++)
        rig_replay(next, r->log.at[i].s, r->log.at[i].len);
    ctl_free(r->t);
    r->t = next;
    rig_lead(r);
}

static inline void rig_down(struct rig *r)
{
    rig_forget(r);
    vec_clear(&r->said);
    for (size_t i = 0; i < r->log.n; i++)
        buf_clear(&r->log.at[i]);
    vec_clear(&r->log);
    for (size_t i = 0; i < r->folded.n; i++)
        fold_batch_free(r->folded.at[i]);
    vec_clear(&r->folded);
    ctl_free(r->t);
}

/* ---- jobs ---- */

/* Submit as `uid`; `change` may set what it likes.  The job's number, or 0. */
static inline uint32_t rig_submit(struct rig *r, uint32_t uid, void (*change)(Pb__SubmitRequest *q))
{
    static char script[] = "#!/bin/sh\ntrue\n";
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    spec.name = TEXT("test");
    q.spec = &spec;
    q.script = (ProtobufCBinaryData){ sizeof(script) - 1, (uint8_t *)script };
    if (change)
        change(&q);
    rig_ask(r, uid, MSG_SUBMIT, &q.base);
    Pb__SubmitReply *a = rig_said(r, ASKER, MSG_SUBMIT_REPLY);
    uint32_t id = a ? a->job_id : 0;
    rig_free(a);
    return id;
}

static inline struct job *rig_job(const struct rig *r, uint32_t id)
{
    return cluster_job(ctl_cluster(r->t), id);
}

static inline const char *rig_state(const struct rig *r, uint32_t id)
{
    struct job *j = rig_job(r, id);
    return j ? job_state_name(j->state) : "gone";
}

/* Its script ended with `status` on its first node. */
static inline void rig_finish(struct rig *r, uint32_t id, uint32_t status)
{
    struct job *j = rig_job(r, id);
    rig_report(r, j->alloc.at[0].node + 1, id, j->attempt, PB__STEP_NUMBER__STEP_BATCH, status, true);
}

static inline int rig_op(struct rig *r, uint32_t uid, Pb__JobOp op, uint32_t id)
{
    Pb__JobOpRequest q = PB__JOB_OP_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = id;
    q.op = op, q.jobs = refs, q.n_jobs = 1;
    rig_ask(r, uid, MSG_JOB_OP, &q.base);
    return rig_code(r);
}

static inline int rig_cancel(struct rig *r, uint32_t uid, uint32_t id)
{
    Pb__CancelRequest q = PB__CANCEL_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = id;
    q.jobs = refs, q.n_jobs = 1;
    rig_ask(r, uid, MSG_CANCEL, &q.base);
    return rig_code(r);
}

#endif
