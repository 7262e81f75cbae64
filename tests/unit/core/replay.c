/*
 * replay - every kind of event, with random values in every field: a state after it survives snapshot and restore, a
 * refused event changes nothing, and no field of an event is without effect.
 *
 * Kinds and fields come from the descriptors of the proto: a new one is tested without a change here.  A field that
 * changes no state stands in `without_effect`, with a reason.
 */
#include "core/level.h"
#include "core/record.h"
#include "random_pb.h"
#include "rig.h"

#ifndef SEEDS
#define SEEDS 20
#endif
#define SEEDS_MOST 3000 /* until each field has shown its effect */
#define NODES 4

/* ---- a state in which every kind of event fits ---- */

enum { WAITS = 1, RUNS, ENDED, ARRAY, SUSPENDED, COMPLETING, CONFIGURING, SMALL, HET, HET2, JOBS };

static void submit_set(struct rig *r)
{
    Pb__EvSubmit e = PB__EV_SUBMIT__INIT, more = PB__EV_SUBMIT__INIT, *het[] = { &more };
    e.job_id = HET, more.job_id = HET2, e.spec = more.spec = 1, e.partition = more.partition = TEXT("main");
    e.het = het, e.n_het = 1;
    RIG_EVENT(r, SUBMIT, submit, &e);
}

static void start_configuring(struct rig *r)
{
    Pb__EvStart e = PB__EV_START__INIT;
    Pb__NodeAlloc at = PB__NODE_ALLOC__INIT, *list[] = { &at };
    e.job_id = CONFIGURING, e.attempt = CONFIGURING, e.partition = TEXT("main"), e.configuring = true;
    at.node = 3, at.cpus = 1, e.alloc = list, e.n_alloc = 1;
    RIG_EVENT(r, START, start, &e);
}

static void start_step(struct rig *r, uint32_t job, uint32_t id)
{
    Pb__EvStepStart e = PB__EV_STEP_START__INIT;
    Pb__Step s = PB__STEP__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    uint32_t nodes[] = { 0, 1 }, tasks[] = { 1, 1 };
    s.id = id, s.spec = &spec, s.node = nodes, s.n_node = 2, s.tasks = tasks, s.n_tasks = 2;
    e.job_id = job, e.step = &s;
    RIG_EVENT(r, STEP_START, step_start, &e);
}

static void add_records(struct rig *r)
{
    Pb__EvResv resv = PB__EV_RESV__INIT;
    Pb__Resv one = PB__RESV__INIT;
    one.id = 1, one.name = TEXT("r1"), resv.resv = &one;
    RIG_EVENT(r, RESV, resv, &resv);
    Pb__EvAssocUpdate e = PB__EV_ASSOC_UPDATE__INIT;
    Pb__Qos qos = PB__QOS__INIT, *all_qos[] = { &qos };
    Pb__Assoc assoc = PB__ASSOC__INIT, *all_assoc[] = { &assoc };
    qos.id = 1, qos.name = TEXT("q1"), assoc.id = 1, assoc.account = TEXT("a1");
    Pb__AcctUser user = PB__ACCT_USER__INIT, *all_user[] = { &user };
    user.name = TEXT("u1");
    e.qos = all_qos, e.n_qos = 1, e.assoc = all_assoc, e.n_assoc = 1, e.user = all_user, e.n_user = 1;
    RIG_EVENT(r, ASSOC_UPDATE, assoc_update, &e);
}

/* A node whose hardware is not configured: it is what the node reports. */
static void add_plain_node(struct rig *r)
{
    Pb__EvConfig e = PB__EV_CONFIG__INIT;
    Pb__NodeDef def[NODES], *defs[NODES];
    Pb__NodeHw hw = PB__NODE_HW__INIT;
    char names[NODES][8];
    hw.boards = 1, hw.sockets = 1, hw.cores = 4, hw.threads = 1, hw.cpus = 4, hw.mem_mb = 8000;
    for (size_t i = 0; i < NODES; i++) {
        pb__node_def__init(&def[i]);
        snprintf(names[i], sizeof(names[i]), "n%zu", i + 1);
        def[i].name = names[i], def[i].gres = TEXT("gpu:2"), def[i].hw = i < NODES - 1 ? &hw : NULL;
        defs[i] = &def[i];
    }
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    part.name = TEXT("main"), part.nodes = TEXT("n[1-4]");
    e.nodes = defs, e.n_nodes = NODES, e.parts = parts, e.n_parts = 1, e.learns = true;
    RIG_EVENT(r, CONFIG, config, &e);
}

static void world_up(struct rig *r)
{
    rig_learns = true;
    rig_up(r);
    add_plain_node(r);
    for (uint32_t id = WAITS; id < HET; id++)
        rig_submit_as(r, id, "job", id == ARRAY ? 3 : 0, (uint8_t)id, 1001);
    submit_set(r);
    rig_start(r, RUNS, 0, 2);
    rig_start(r, ENDED, 2, 1), rig_end(r, ENDED, JOB_COMPLETED, true);
    rig_start(r, SUSPENDED, 2, 1);
    Pb__EvSuspend stop = PB__EV_SUSPEND__INIT;
    stop.job_id = SUSPENDED;
    RIG_EVENT(r, SUSPEND, suspend, &stop);
    rig_start(r, COMPLETING, 2, 2), rig_end(r, COMPLETING, JOB_FAILED, false);
    start_configuring(r);
    rig_start(r, SMALL, 3, 1);
    start_step(r, RUNS, 0);
    start_step(r, RUNS, 1);
    add_records(r);
    r->now_s += 60;
}

/* ---- random values that may fit ---- */

static void fit_message(const struct cluster *c, ProtobufCMessage *m);

static uint32_t fit_number(const struct cluster *c, const char *message, const char *name, uint32_t value)
{
    static const uint32_t node_states[] = { NODE_IDLE, NODE_DOWN, NODE_IDLE | NODE_DRAIN, NODE_IDLE | NODE_REGISTERED };
    if (str_eq(message, "EvSubmit") && str_eq(name, "job_id"))
        return c->next_job;
    if (str_has_prefix(message, "EvStep") && str_eq(name, "job_id") && random_below(4))
        return RUNS;
    if (str_eq(message, "EvResize") && random_below(4))
        return str_eq(name, "job_id") ? SMALL - random_below(2) * (SMALL - RUNS) : str_eq(name, "into") ? RUNS : 0;
    if (str_eq(name, "job_id") || str_eq(name, "into"))
        return 1 + random_below(JOBS - 1);
    if (str_eq(name, "new_id"))
        return c->next_job;
    if (str_eq(name, "keys_before_s"))
        return AT_S + 30;
    if (str_eq(name, "spec") || str_eq(name, "script") || str_eq(name, "env"))
        return 1 + random_below(3);
    if (str_eq(name, "slot"))
        return 1;
    if (str_eq(name, "level"))
        return FEATURE_LEVEL;
    if (str_eq(message, "EvEnd") && str_eq(name, "state"))
        return random_below(JOB_STATE_COUNT);
    if (str_has_prefix(message, "EvNode") && str_eq(name, "state"))
        return node_states[random_below(ARRAY_LEN(node_states))];
    if (str_eq(message, "Resv") && str_eq(name, "id"))
        return random_below(2) ? 1 : c->next_resv;
    if (str_eq(name, "node") || str_eq(name, "nodes") || str_eq(name, "done_nodes") || str_eq(name, "drop") ||
        str_eq(name, "task") || str_eq(name, "id") || str_eq(name, "step_id") || str_eq(name, "batch_pos") ||
        str_eq(name, "drop_assoc") || str_eq(name, "estimate") || str_eq(name, "done"))
        return random_below(NODES);
    return value;
}

static const char *fit_text(const char *message, const char *name)
{
    static const char *const node_names[] = { "n1", "n2", "n5" };
    if (str_eq(name, "partition"))
        return random_below(2) ? "main" : "second";
    if (str_eq(name, "gres"))
        return random_below(2) ? "tape:1,gpu:2" : "gpu:4";
    if (str_eq(message, "NodeDef") && str_eq(name, "name"))
        return node_names[random_below(3)];
    if (str_eq(message, "Part") && str_eq(name, "name") && random_below(2))
        return "main";
    if (str_eq(message, "Part") && str_eq(name, "nodes"))
        return "n[1-3]";
    if (str_eq(message, "Qos") && str_eq(name, "name"))
        return random_below(2) ? "q1" : "q2";
    if (str_eq(message, "AcctUser") && str_eq(name, "name"))
        return random_below(2) ? "u1" : "u2";
    if (str_eq(name, "drop_qos"))
        return "q1";
    if (str_eq(name, "drop_user"))
        return "u1";
    return NULL;
}

static void fit_value(const struct cluster *c, const ProtobufCFieldDescriptor *f, const char *message, void *at)
{
    const char *text = f->type == PROTOBUF_C_TYPE_STRING ? fit_text(message, f->name) : NULL;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE && *(void **)at)
        fit_message(c, *(ProtobufCMessage **)at);
    else if (f->type == PROTOBUF_C_TYPE_BOOL)
        *(protobuf_c_boolean *)at = random_below(2) != 0;
    else if (f->type == PROTOBUF_C_TYPE_ENUM)
        *(int *)at = random_below(2) ? *(int *)at : 0;
    else if (f->type == PROTOBUF_C_TYPE_UINT32)
        *(uint32_t *)at = fit_number(c, message, f->name, *(uint32_t *)at);
    else if (f->type == PROTOBUF_C_TYPE_UINT64)
        *(uint64_t *)at = fit_number(c, message, f->name, (uint32_t)*(uint64_t *)at);
    else if (text)
        free(*(char **)at), *(char **)at = mem_str(text);
}

static void fit_blobs(const struct cluster *c, Pb__Blob **blobs, size_t n, uint64_t first, uint64_t *spec)
{
    Pb__JobSpec other = PB__JOB_SPEC__INIT;
    auto_buf struct buf bytes = BUF_INIT;
    other.name = TEXT("other");
    pb_pack(&bytes, &other.base);
    for (size_t i = 0; i < n; i++) {
        blobs[i]->id = first + i;
        free(blobs[i]->data.data);
        blobs[i]->data = (ProtobufCBinaryData){ bytes.len, mem_copy(bytes.s, bytes.len) };
    }
    if (n && random_below(2))
        *spec = first;
}

static void fit_submit(const struct cluster *c, Pb__EvSubmit *e)
{
    fit_blobs(c, e->blobs, e->n_blobs, c->next_blob, &e->spec);
    for (size_t i = 0; i < e->n_het; i++) {
        e->het[i]->job_id = e->job_id + 1 + (uint32_t)i;
        fit_blobs(c, e->het[i]->blobs, e->het[i]->n_blobs, c->next_blob + 10 * (i + 1), &e->het[i]->spec);
    }
    free(e->key.data);
    e->key = (ProtobufCBinaryData){ 16, mem_copy("0123456789abcdef", 16) };
}

static void fit_start(Pb__EvStart *e)
{
    const ProtobufCFieldDescriptor *het = protobuf_c_message_descriptor_get_field_by_name(e->base.descriptor, "het");
    if (e->job_id == HET && e->n_het == 1)
        e->het[0]->job_id = HET2;
    else
        random_clear_field(&e->base, het);
}

static void fit_update(const struct cluster *c, Pb__EvUpdate *e)
{
    fit_blobs(c, e->blobs, e->n_blobs, c->next_blob, &e->spec);
}

static void fit_resize(Pb__EvResize *e)
{
    e->n_drop = MIN(e->n_drop, (size_t)1);
    if (random_below(2))
        e->into = 0;
}

/* Reports are mostly of the job's current attempt. */
static void fit_attempt(const struct cluster *c, ProtobufCMessage *m)
{
    const ProtobufCFieldDescriptor *id = protobuf_c_message_descriptor_get_field_by_name(m->descriptor, "job_id"),
                                   *attempt =
                                       protobuf_c_message_descriptor_get_field_by_name(m->descriptor, "attempt");
    const struct job *j = id && attempt ? cluster_job(c, *(uint32_t *)field_value(m, id, 0)) : NULL;
    if (j && random_below(4))
        *(uint32_t *)field_value(m, attempt, 0) = j->attempt;
}

static void fit_message(const struct cluster *c, ProtobufCMessage *m)
{
    const ProtobufCMessageDescriptor *d = m->descriptor;
    for (unsigned i = 0; i < d->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &d->fields[i];
        if (f->label == PROTOBUF_C_LABEL_REPEATED && !random_below(4))
            random_clear_field(m, f);
        for (size_t k = 0; k < field_count(m, f); k++)
            fit_value(c, f, d->short_name, field_value(m, f, k));
    }
    fit_attempt(c, m);
    if (d == &pb__ev_submit__descriptor)
        fit_submit(c, (Pb__EvSubmit *)m);
    if (d == &pb__ev_start__descriptor)
        fit_start((Pb__EvStart *)m);
    if (d == &pb__ev_update__descriptor)
        fit_update(c, (Pb__EvUpdate *)m);
    if (d == &pb__ev_resize__descriptor)
        fit_resize((Pb__EvResize *)m);
}

/* ---- properties ---- */

static struct cluster *copied(const struct cluster *c)
{
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    struct cluster *copy = NULL;
    cluster_encode(c, &b);
    if (cluster_decode(&copy, b.s, b.len, &err)) {
        (void)ok(false, "the state is restored: %s", err.text);
        exit(test_done());
    }
    return copy;
}

static Pb__Event *random_event(const struct cluster *c, const ProtobufCFieldDescriptor *kind)
{
    Pb__Event *ev = mem_alloc(sizeof(*ev));
    pb__event__init(ev);
    ev->body_case = (Pb__Event__BodyCase)kind->id;
    ev->config = (Pb__EvConfig *)random_message(kind->descriptor, 0); /* whichever it is, of the union */
    fit_message(c, &ev->config->base);
    return ev;
}

/* ---- fields without effect ---- */

/* What only replies and orders hold: core/job_fields.h. */
static const struct {
    const ProtobufCMessageDescriptor *message;
    const char *field;
} reply_fields[] = {
#define X(view, name) { &pb__node_alloc__descriptor, #name },
    NODE_ALLOC_FIELD_VIEWS(X)
#undef X
#define X(view, name) { &pb__gres__descriptor, #name },
        GRES_FIELD_VIEWS(X)
#undef X
#define X(view, name) { &pb__license__descriptor, #name },
            LICENSE_FIELD_VIEWS(X)
#undef X
};

static const struct {
    int kind;
    const char *message, *field, *reason; /* field NULL: all but `charged` */
} without_effect[] = {
    { PB__EVENT__BODY_CONFIG, "Part", "node", "follows from its nodes' names" },
    { PB__EVENT__BODY_PART_UPDATE, "Part", "node", "follows from its nodes' names" },
    { PB__EVENT__BODY_START, "EvStart", "split", "follows from the record, which is an array or not" },
    { PB__EVENT__BODY_STEP_START, "Step", "start_s", "the event's time" },
    { PB__EVENT__BODY_STEP_END, "EvStepEnd", "attempt", "compared before the event is made" },
    { PB__EVENT__BODY_NODE_UP, "NodeHw", "cpus", "follows from sockets, cores and threads" },
    { PB__EVENT__BODY_NODE_UP, "NodeHw", "tmp_mb", "only what is configured counts" },
    { PB__EVENT__BODY_USAGE, "Qos", NULL, "an event of usage has name and usage alone" },
    { PB__EVENT__BODY_USAGE, "Limit", NULL, "likewise" },
    { PB__EVENT__BODY_USAGE, "Assoc", NULL, "an event of usage has number and usage alone" },
};

struct effect {
    int kind;
    const ProtobufCMessageDescriptor *message;
    const ProtobufCFieldDescriptor *field;
    bool found;
};

static VEC(struct effect) effects;

static struct effect *effect_of(int kind, const ProtobufCMessageDescriptor *m, const ProtobufCFieldDescriptor *f)
{
    for (size_t i = 0; i < effects.n; i++)
        if (effects.at[i].kind == kind && effects.at[i].message == m && effects.at[i].field == f)
            return &effects.at[i];
    vec_push(&effects, ((struct effect){ kind, m, f, false }));
    return &effects.at[effects.n - 1];
}

/* Field number `*k` of a message, counting those of the messages in it; `*owner` is the message that has it. */
static const ProtobufCFieldDescriptor *kth_field(ProtobufCMessage *m, size_t *k, ProtobufCMessage **owner)
{
    const ProtobufCFieldDescriptor *found = NULL;
    *owner = m;
    for (unsigned i = 0; !found && i < m->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        if (!(*k)--)
            return f;
        if (f->type == PROTOBUF_C_TYPE_MESSAGE && field_count(m, f))
            found = kth_field(*(ProtobufCMessage **)field_value(m, f, 0), k, owner);
        if (!found)
            *owner = m;
    }
    return found;
}

/* Does the event have another outcome with one of its fields set back to its default?  False: it has no such field. */
static bool try_without(const struct cluster *before, const struct buf *after, const Pb__Event *ev, size_t k)
{
    Pb__Event *less = PB_DUP(Pb__Event, ev);
    ProtobufCMessage *owner;
    const ProtobufCFieldDescriptor *f = kth_field(&less->config->base, &k, &owner);
    struct effect *e = f ? effect_of((int)ev->body_case, owner->descriptor, f) : NULL;
    if (e && !e->found) {
        struct cluster *c = copied(before);
        struct err err = ERR_INIT;
        auto_buf struct buf b = BUF_INIT;
        random_clear_field(owner, f);
        bool refused = cluster_apply(c, less, &err);
        cluster_encode(c, &b);
        e->found = refused || !rig_same(&b, after);
        cluster_free(c);
    }
    pb__event__free_unpacked(less, NULL);
    return f;
}

/* Returns whether the event was applied; `*wrong` counts broken promises. */
static bool try_event(const struct cluster *world, const ProtobufCFieldDescriptor *kind, size_t *wrong)
{
    struct rig r = { copied(world), AT_S + 60 };
    struct cluster *before = copied(world);
    if (kind->id == PB__EVENT__BODY_LEVEL)
        r.c->level = before->level = 0;
    Pb__Event *ev = random_event(world, kind);
    bool applied = !rig_apply(&r, ev);
    if (applied) {
        auto_buf struct buf after = BUF_INIT;
        cluster_encode(r.c, &after);
        *wrong += !rig_round_trip(&r);
        for (size_t k = 0; try_without(before, &after, ev, k); k++)
            ;
    }
    pb__event__free_unpacked(ev, NULL);
    cluster_free(before);
    rig_down(&r);
    return applied;
}

static bool excused(const struct effect *e)
{
    for (size_t i = 0; i < ARRAY_LEN(reply_fields); i++)
        if (reply_fields[i].message == e->message && str_eq(reply_fields[i].field, e->field->name))
            return true;
    for (size_t i = 0; i < ARRAY_LEN(without_effect); i++)
        if (without_effect[i].kind == e->kind && str_eq(without_effect[i].message, e->message->short_name) &&
            (!without_effect[i].field || str_eq(without_effect[i].field, e->field->name)))
            return true;
    return false;
}

static bool all_found(int kind)
{
    for (size_t i = 0; i < effects.n; i++)
        if (effects.at[i].kind == kind && !effects.at[i].found && !excused(&effects.at[i]))
            return false;
    return true;
}

static void test_kind(const struct cluster *world, const ProtobufCFieldDescriptor *kind)
{
    struct cluster *empty = cluster_new();
    size_t applied = 0, wrong = 0;
    int i = 0;
    for (; i < SEEDS || (i < SEEDS_MOST && !(applied && all_found((int)kind->id))); i++) {
        bool first = kind->id == PB__EVENT__BODY_CONFIG && i % 2;
        unsigned long long seed = random_pb_seed;
        size_t before = wrong;
        applied += try_event(first ? empty : world, kind, &wrong);
        if (wrong > before)
            printf("# %s with seed %llu\n", kind->name, seed);
    }
    cluster_free(empty);
    ok(applied, "%s: %zu of %d random events are applied", kind->name, applied, i);
    is_int(wrong, 0, "%s: the state after each survives snapshot and restore", kind->name);
}

static void test_effects(void)
{
    size_t wrong = 0;
    for (size_t i = 0; i < effects.n; i++) {
        const struct effect *e = &effects.at[i];
        if (e->found || excused(e))
            continue;
        printf("# kind %d: %s.%s changes nothing\n", e->kind, e->message->short_name, e->field->name);
        wrong++;
    }
    is_int(wrong, 0, "every field of every event changes the state, or stands in the list of those that do not");
    wrong = 0;
    for (size_t i = 0; i < ARRAY_LEN(without_effect); i++)
        for (size_t k = 0; k < effects.n; k++)
            wrong += effects.at[k].found && without_effect[i].field && effects.at[k].kind == without_effect[i].kind &&
                     str_eq(effects.at[k].message->short_name, without_effect[i].message) &&
                     str_eq(effects.at[k].field->name, without_effect[i].field);
    is_int(wrong, 0, "and no field of that list changes it");
}

int main(void)
{
    struct rig r;
    world_up(&r);
    const ProtobufCMessageDescriptor *d = &pb__event__descriptor;
    for (unsigned i = 0; i < d->n_fields; i++)
        if (d->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
            test_kind(r.c, &d->fields[i]);
    test_effects();
    rig_down(&r);
    vec_clear(&effects);
    return test_done();
}
