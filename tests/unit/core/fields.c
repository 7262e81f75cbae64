/*
 * fields - every field of every record is found again: after snapshot and restore, after the replay of an event, in
 * the reply.
 *
 * Records are filled by the descriptors of the proto, so a new field is tested without a change here: it must be kept,
 * or be marked in job_fields.h or node_fields.h as one that only replies or only snapshots hold.  The replies that ctl
 * makes are in tests/unit/ctl/replies.c.
 */
#include "core/record.h"
#include "random_state.h"
#include "rig.h"

/* ---- which fields a snapshot and a reply hold ---- */

static void test_views(void)
{
    size_t wrong = 0;
    for (size_t i = 0; i < ARRAY_LEN(views); i++) {
        bool is_field = protobuf_c_message_descriptor_get_field_by_name(views[i].message, views[i].field) != NULL;
        bool twice = false;
        for (size_t k = 0; k < i; k++)
            twice |= views[k].message == views[i].message && str_eq(views[k].field, views[i].field);
        if (is_field && !twice)
            continue;
        printf("# %s.%s is no field, or is marked twice\n", views[i].message->short_name, views[i].field);
        wrong++;
    }
    is_int(wrong, 0, "what is marked is a field, and marked once");
}

/* ---- after snapshot and restore ---- */

static struct cluster *restored(const Pb__Snapshot *s)
{
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    struct cluster *c = NULL;
    pb_pack(&b, &s->base);
    if (cluster_decode(&c, b.s, b.len, &err)) {
        (void)ok(false, "a random state is restored: %s", err.text);
        exit(test_done());
    }
    return c;
}

static Pb__Snapshot *encoded(const struct cluster *c)
{
    auto_buf struct buf b = BUF_INIT;
    cluster_encode(c, &b);
    return pb__snapshot__unpack(NULL, b.len, (uint8_t *)b.s);
}

static void test_snapshot(void)
{
    size_t wrong = 0, runs = 20;
    for (size_t i = 0; i < runs; i++) {
        Pb__Snapshot *s = random_snapshot();
        struct cluster *c = restored(s);
        Pb__Snapshot *again = encoded(c);
        wrong += message_differs(&s->base, &again->base);
        pb__snapshot__free_unpacked(again, NULL);
        cluster_free(c);
        pb__snapshot__free_unpacked(s, NULL);
    }
    is_int(wrong, 0, "%zu random states: every field of every record is there after snapshot and restore", runs);
}

/* ---- in the reply ---- */

static void test_reply(void)
{
    Pb__Snapshot *s = random_snapshot();
    struct cluster *c = restored(s);
    size_t wrong = 0;
    for (size_t i = 0; i < s->n_jobs; i++) {
        Pb__Job *reply = cluster_job_message(c, cluster_job(c, s->jobs[i]->id));
        wrong += reply_wrong(&s->jobs[i]->base, &reply->base);
        wrong += !str_eq(reply->spec->name, "name") || !*reply->tres_req || !*reply->nodes || !*reply->alloc[0]->name;
        pb__job__free_unpacked(reply, NULL);
    }
    is_int(wrong, 0, "a job's reply has every replicated field that is not marked, and none that only snapshots have");
    wrong = 0;
    for (size_t i = 0; i < s->n_nodes; i++) {
        auto_buf struct buf b = BUF_INIT;
        cluster_node_bytes(c, &c->node[i], &b);
        Pb__Node *reply = pb__node__unpack(NULL, b.len, (uint8_t *)b.s);
        wrong += reply_wrong(&s->nodes[i]->base, &reply->base);
        pb__node__free_unpacked(reply, NULL);
    }
    is_int(wrong, 0, "so has a node's");
    cluster_free(c);
    pb__snapshot__free_unpacked(s, NULL);
}

/* The spec goes beside the job: all of it but the limits, which only the node needs. */
static void test_spec(void)
{
    Pb__JobSpec *spec = RANDOM_PB(Pb__JobSpec, pb__job_spec);
    char **parsed[] = { &spec->gres,          &spec->gpus,     &spec->gpus_per_node, &spec->gpus_per_task,
                        &spec->gpus_per_socket, &spec->licenses };
    for (size_t i = 0; i < ARRAY_LEN(parsed); i++)
        set_text(parsed[i], parsed[i] == &spec->gres ? "gpu:2" : parsed[i] == &spec->licenses ? "matlab:2" : "2");
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    pb_pack(&b, &spec->base);
    struct spec *made = spec_make(b.s, b.len, &err);
    if (ok(made, "a random spec is taken %s", err.text)) {
        Pb__JobSpec *shown = pb__job_spec__unpack(NULL, made->shown_len, (uint8_t *)made->shown);
        is_int(shown->n_rlimits, 0, "the reply's spec has no limits,");
        for (size_t i = 0; i < spec->n_rlimits; i++)
            pb__rlimit__free_unpacked(spec->rlimits[i], NULL);
        spec->n_rlimits = 0;
        is_int(message_differs(&spec->base, &shown->base), 0, "and everything else");
        pb__job_spec__free_unpacked(shown, NULL);
        spec_free(made);
    }
    pb__job_spec__free_unpacked(spec, NULL);
}

/* ---- after the replay of a log entry ---- */

struct event_field {
    const char *event, *record; /* record NULL: it does not go into the record under a name */
};

/* Every field of the event is in the record, under the same name unless the table says otherwise. */
static size_t replay_wrong(const ProtobufCMessage *ev, const ProtobufCMessage *record, const struct event_field *names,
                           size_t n)
{
    size_t wrong = 0;
    for (unsigned i = 0; i < ev->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &ev->descriptor->fields[i], *to;
        const char *name = f->name;
        for (size_t k = 0; k < n; k++)
            if (str_eq(names[k].event, f->name))
                name = names[k].record;
        if (!name)
            continue;
        to = protobuf_c_message_descriptor_get_field_by_name(record->descriptor, name);
        if (to && field_same(ev, record, f, to))
            continue;
        printf("# %s.%s is not in %s\n", ev->descriptor->short_name, f->name, record->descriptor->short_name);
        wrong++;
    }
    return wrong;
}

/* Through the bytes of an entry, as the log has it. */
static int replay(struct cluster *c, Pb__Event *ev)
{
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    Pb__Entry entry = PB__ENTRY__INIT;
    Pb__Event *events[] = { ev };
    ev->at_ms = AT_S * 1000LL;
    entry.events = events, entry.n_events = 1;
    pb_pack(&b, &entry.base);
    Pb__Entry *read = pb__entry__unpack(NULL, b.len, (uint8_t *)b.s);
    int rc = cluster_apply(c, read->events[0], &err);
    if (rc)
        (void)ok(false, "event %d is applied: %s", ev->body_case, err.text);
    pb__entry__free_unpacked(read, NULL);
    return rc;
}

static size_t job_wrong(struct cluster *c, uint32_t id, const ProtobufCMessage *ev, const struct event_field *names,
                        size_t n)
{
    const struct job *j = cluster_job(c, id);
    Pb__Job p;
    if (!j)
        return 1;
    job_to_pb(j, &p, NULL);
    size_t wrong = replay_wrong(ev, &p.base, names, n);
    job_pb_done(&p);
    return wrong;
}

static const struct event_field submit_fields[] = {
    { "job_id", "id" },     { "spec", "spec_blob" }, { "script", "script_blob" }, { "env", "env_blob" },
    { "blobs", NULL },      /* compared by the numbers above */
    { "is_array", NULL },   /* array_pending is there */
    { "het", NULL },        /* components: submissions of their own */
    { "key", NULL },        /* kept beside the jobs */
};

static void test_replay_submit(struct cluster *c)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvSubmit *e = RANDOM_PB(Pb__EvSubmit, pb__ev_submit);
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    auto_buf struct buf bytes = BUF_INIT;
    spec.name = TEXT("other");
    pb_pack(&bytes, &spec.base);
    e->job_id = 500;
    e->spec = 600, e->script = 2, e->env = 3;
    for (size_t i = 1; i < e->n_blobs; i++)
        pb__blob__free_unpacked(e->blobs[i], NULL);
    e->n_blobs = 1, e->blobs[0]->id = 600;
    set_bytes(&e->blobs[0]->data, bytes.s, bytes.len);
    for (size_t i = 0; i < e->n_het; i++)
        pb__ev_submit__free_unpacked(e->het[i], NULL);
    e->n_het = 0;
    ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = e;
    size_t wrong = replay(c, &ev) ? 1 : job_wrong(c, 500, &e->base, submit_fields, ARRAY_LEN(submit_fields));
    is_int(wrong, 0, "a submission's fields are those of the job");
    pb__ev_submit__free_unpacked(e, NULL);
}

static const struct event_field start_fields[] = {
    { "job_id", NULL }, { "new_id", "id" }, { "task", "array_task" }, { "split", NULL },
    { "configuring", NULL }, /* a flag of the state */
    { "estimate", NULL },    /* counted in the cluster's estimates */
    { "het", NULL },
};

static void test_replay_start(struct cluster *c)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvStart *e = RANDOM_PB(Pb__EvStart, pb__ev_start);
    const struct job *waiting = cluster_job(c, 500);
    e->job_id = 500, e->new_id = waiting->array->count > 1 ? 501 : 500;
    e->task = (uint32_t)bitmap_next(&waiting->array->pending, 0);
    e->batch_pos = 0;
    for (size_t i = 0; i < e->n_alloc; i++)
        fit_alloc(e->alloc[i], i);
    for (size_t i = 0; i < e->n_licenses; i++)
        clear_reply_fields(&e->licenses[i]->base);
    for (size_t i = 0; i < e->n_het; i++)
        pb__ev_start__free_unpacked(e->het[i], NULL);
    e->n_het = 0;
    uint32_t id = e->new_id;
    ev.body_case = PB__EVENT__BODY_START, ev.start = e;
    size_t wrong = replay(c, &ev) ? 1 : job_wrong(c, id, &e->base, start_fields, ARRAY_LEN(start_fields));
    is_int(wrong, 0, "a start's fields are those of the job");
    is_int(cluster_job(c, id) ? cluster_job(c, id)->state : 0, JOB_RUNNING | JOB_CONFIGURING,
           "which is being configured");
    pb__ev_start__free_unpacked(e, NULL);
}

static const struct event_field node_up_fields[] = {
    { "node", NULL },
    { "hw", NULL },       /* weighed against the configuration */
    { "rebooted", NULL }, /* for the controller: jobs of before are gone */
};

static void test_replay_node(struct cluster *c)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvNodeUp *e = RANDOM_PB(Pb__EvNodeUp, pb__ev_node_up);
    Pb__Node p;
    Pb__NodeHw hw;
    e->node = 1;
    ev.body_case = PB__EVENT__BODY_NODE_UP, ev.node_up = e;
    int rc = replay(c, &ev);
    node_to_pb(&c->node[1], &p, &hw);
    size_t wrong = rc ? 1 : replay_wrong(&e->base, &p.base, node_up_fields, ARRAY_LEN(node_up_fields));
    is_int(wrong, 0, "a registration's fields are those of the node");
    pb__ev_node_up__free_unpacked(e, NULL);
}

/* Events that carry a whole record. */
static void test_replay_records(struct cluster *c)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvResv *r = RANDOM_PB(Pb__EvResv, pb__ev_resv);
    r->remove = false, r->resv->id = c->next_resv;
    for (size_t i = 0; i < r->resv->n_node; i++)
        r->resv->node[i]->node = (uint32_t)i;
    ev.body_case = PB__EVENT__BODY_RESV, ev.resv = r;
    size_t wrong = replay(c, &ev) ? 1 : message_differs(&r->resv->base, &cluster_resv(c, r->resv->id)->pb->base);
    is_int(wrong, 0, "a reservation is as its event has it");
    pb__ev_resv__free_unpacked(r, NULL);
    Pb__EvPartUpdate *p = RANDOM_PB(Pb__EvPartUpdate, pb__ev_part_update);
    p->remove = false;
    fit_part_nodes(p->part);
    ev.body_case = PB__EVENT__BODY_PART_UPDATE, ev.part_update = p;
    wrong = replay(c, &ev) ? 1 : message_differs(&p->part->base, &cluster_part(c, p->part->name)->pb->base);
    is_int(wrong, 0, "so is a partition");
    pb__ev_part_update__free_unpacked(p, NULL);
}

static void test_replay(void)
{
    for (int i = 0; i < 3; i++) {
        Pb__Snapshot *s = random_snapshot();
        struct cluster *c = restored(s);
        test_replay_submit(c);
        test_replay_start(c);
        test_replay_node(c);
        test_replay_records(c);
        cluster_free(c);
        pb__snapshot__free_unpacked(s, NULL);
    }
}

int main(void)
{
    test_views();
    test_snapshot();
    test_reply();
    test_spec();
    test_replay();
    return test_done();
}
