/*
 * random_state - a state of the cluster with a random value in every field of every record, as a snapshot that fits
 * together, and the table that says which fields a snapshot and a reply hold.
 */
#ifndef SPUR_TEST_RANDOM_STATE_H
#define SPUR_TEST_RANDOM_STATE_H

#include "base/str.h"
#include "core/cluster.h"
#include "core/level.h"
#include "core/pbutil.h"
#include "core/runtime_history.h"
#include "random_pb.h"
#include "test.h"

#define NODES 3
#define TEXT(s) ((char *)(uintptr_t)(s))

/* ---- which fields a snapshot and a reply hold ---- */

enum view { VIEW_BOTH, VIEW_REPLY, VIEW_STATE, VIEW_DERIVED };

struct field_view {
    const ProtobufCMessageDescriptor *message;
    enum view view;
    const char *field;
};

static const struct field_view views[] = {
#define X(view, name) { &pb__job__descriptor, VIEW_##view, #name },
    JOB_FIELD_VIEWS(X)
#undef X
#define X(view, name) { &pb__node__descriptor, VIEW_##view, #name },
    NODE_FIELD_VIEWS(X)
#undef X
#define X(view, name) { &pb__node_alloc__descriptor, VIEW_##view, #name },
    NODE_ALLOC_FIELD_VIEWS(X)
#undef X
#define X(view, name) { &pb__gres__descriptor, VIEW_##view, #name },
    GRES_FIELD_VIEWS(X)
#undef X
#define X(view, name) { &pb__license__descriptor, VIEW_##view, #name },
    LICENSE_FIELD_VIEWS(X)
#undef X
    /* of the partition's nodes */
    { &pb__part__descriptor, VIEW_REPLY, "total_cpus" },
    { &pb__part__descriptor, VIEW_REPLY, "total_nodes" },
    /* of the reservation's nodes; `node` and `uid` are numbers that only the controller reads: replies have names */
    { &pb__resv__descriptor, VIEW_REPLY, "nodes" },
    { &pb__resv__descriptor, VIEW_REPLY, "shown_cores" },
    { &pb__resv__descriptor, VIEW_REPLY, "tres" },
    { &pb__resv__descriptor, VIEW_REPLY, "core_text" },
    { &pb__resv__descriptor, VIEW_STATE, "node" },
    { &pb__resv__descriptor, VIEW_STATE, "uid" },
    { &pb__resv__descriptor, VIEW_DERIVED, "node_cnt" }, /* that it has, not that it asked for */
    { &pb__resv__descriptor, VIEW_DERIVED, "start_s" },  /* TIME_FLOAT moves with the clock */
    { &pb__resv__descriptor, VIEW_DERIVED, "end_s" },
    /* a step that waits is not in the state */
    { &pb__step__descriptor, VIEW_REPLY, "pending" },
    { &pb__step__descriptor, VIEW_DERIVED, "spec" }, /* compared on its own */
    /* secrets of the user */
    { &pb__step_spec__descriptor, VIEW_STATE, "env" },
    { &pb__step_spec__descriptor, VIEW_STATE, "io" },
};

static inline enum view view_of(const ProtobufCMessageDescriptor *d, const char *field)
{
    for (size_t i = 0; i < ARRAY_LEN(views); i++)
        if (views[i].message == d && str_eq(views[i].field, field))
            return views[i].view;
    return VIEW_BOTH;
}

static inline void clear_reply_fields(ProtobufCMessage *m)
{
    for (unsigned i = 0; i < m->descriptor->n_fields; i++)
        if (view_of(m->descriptor, m->descriptor->fields[i].name) == VIEW_REPLY)
            random_clear_field(m, &m->descriptor->fields[i]);
}

/* ---- a random state that fits together ---- */

static inline void set_text(char **where, const char *text)
{
    free(*where);
    *where = mem_str(text);
}

static inline void set_bytes(ProtobufCBinaryData *b, const void *p, size_t len)
{
    free(b->data);
    *b = (ProtobufCBinaryData){ len, mem_copy(p, len) };
}

static inline void fit_nodes(Pb__Snapshot *s)
{
    for (size_t i = 0; i < s->n_nodes; i++) {
        Pb__Node *n = s->nodes[i];
        n->state = NODE_IDLE | NODE_DRAIN;
        free(n->def->name);
        n->def->name = mem_printf("n%zu", i);
        set_text(&n->def->gres, "gpu:4");
        clear_reply_fields(&n->base);
    }
}

static inline void fit_alloc(Pb__NodeAlloc *a, size_t i)
{
    a->node = (uint32_t)(i % NODES);
    for (size_t g = 0; g < a->n_gres; g++) {
        a->gres[g]->slot = 1;
        clear_reply_fields(&a->gres[g]->base);
    }
    clear_reply_fields(&a->base);
}

static inline void fit_job(Pb__Job *p, uint32_t id)
{
    p->id = id;
    p->state = JOB_RUNNING | JOB_CONFIGURING;
    p->spec_blob = 1, p->script_blob = 2, p->env_blob = 3;
    for (size_t i = 0; i < p->n_alloc; i++)
        fit_alloc(p->alloc[i], i);
    for (size_t i = 0; i < p->n_licenses; i++)
        clear_reply_fields(&p->licenses[i]->base);
    for (size_t i = 0; i < p->n_steps; i++) {
        p->steps[i]->id = (uint32_t)i;
        clear_reply_fields(&p->steps[i]->base);
    }
    p->array_total = 0;
    for (size_t i = 0; i < p->array_pending.len; i++)
        p->array_total += (uint32_t)__builtin_popcount(p->array_pending.data[i]);
    clear_reply_fields(&p->base);
}

static inline void fit_blobs(Pb__Snapshot *s)
{
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    auto_buf struct buf bytes = BUF_INIT;
    spec.name = TEXT("name");
    pb_pack(&bytes, &spec.base);
    for (size_t i = 0; i < s->n_blobs; i++)
        s->blobs[i]->id = i + 1;
    set_bytes(&s->blobs[0]->data, bytes.s, bytes.len);
}

static inline void fit_part_nodes(Pb__Part *p)
{
    set_text(&p->nodes, "n[0-2]");
    free(p->node);
    p->n_node = NODES, p->node = mem_array(NODES, sizeof(*p->node));
    for (uint32_t i = 0; i < NODES; i++)
        p->node[i] = i;
}

static inline void fit_part(Pb__Part *p, size_t i)
{
    free(p->name);
    p->name = mem_printf("p%zu", i);
    fit_part_nodes(p);
    clear_reply_fields(&p->base);
}

static inline void fit_resv(Pb__Resv *r, uint32_t id)
{
    r->id = id;
    for (size_t i = 0; i < r->n_node; i++)
        r->node[i]->node = (uint32_t)i % NODES;
    clear_reply_fields(&r->base);
}

static inline void fit_others(Pb__Snapshot *s)
{
    for (size_t i = 0; i < s->n_parts; i++)
        fit_part(s->parts[i], i);
    for (size_t i = 0; i < s->n_resvs; i++)
        fit_resv(s->resvs[i], (uint32_t)i + 1);
    for (size_t i = 0; i < s->n_licenses; i++) {
        free(s->licenses[i]->name), s->licenses[i]->name = mem_printf("l%zu", i);
        clear_reply_fields(&s->licenses[i]->base);
    }
    for (size_t i = 0; i < s->n_qos; i++)
        free(s->qos[i]->name), s->qos[i]->name = mem_printf("q%zu", i), s->qos[i]->id = (uint32_t)i + 1;
    for (size_t i = 0; i < s->n_assocs; i++)
        s->assocs[i]->id = (uint32_t)i + 1, s->assocs[i]->parent = 0;
    for (size_t i = 0; i < s->n_acct_users; i++)
        free(s->acct_users[i]->name), s->acct_users[i]->name = mem_printf("u%zu", i);
    for (size_t i = 0; i < s->n_keys; i++)
        set_bytes(&s->keys[i]->key, "0123456789abcdef", 16);
    for (size_t i = 0; i < s->n_runtime_classes; i++) {
        Pb__RuntimeClass *r = s->runtime_classes[i];
        r->key = i + 1;
        r->n_bucket = r->n_n = r->n_sum_s = 1;
        r->bucket[0] = random_below(RUNTIME_BUCKETS);
    }
    free(s->estimates);
    s->estimates = mem_array(RUNTIME_ESTIMATES, sizeof(*s->estimates));
    s->n_estimates = RUNTIME_ESTIMATES;
    for (size_t i = 0; i < s->n_estimates; i++)
        s->estimates[i] = 1 + random_below(20);
}

/* Lists as long as the checks above need them. */
static inline Pb__Snapshot *random_snapshot(void)
{
    for (;; random_pb_seed++) {
        Pb__Snapshot *s = RANDOM_PB(Pb__Snapshot, pb__snapshot);
        if (s->n_nodes == NODES && s->n_blobs == 3) {
            s->format = 1, s->level = FEATURE_LEVEL;
            fit_nodes(s);
            fit_blobs(s);
            for (size_t i = 0; i < s->n_jobs; i++)
                fit_job(s->jobs[i], (uint32_t)i + 1);
            fit_others(s);
            return s;
        }
        pb__snapshot__free_unpacked(s, NULL);
    }
}

/* ---- a record and its reply ---- */

static inline size_t reply_wrong(const ProtobufCMessage *state, const ProtobufCMessage *reply)
{
    size_t wrong = 0;
    ProtobufCMessage *none = mem_alloc(state->descriptor->sizeof_message);
    protobuf_c_message_init(state->descriptor, none);
    for (unsigned i = 0; i < state->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &state->descriptor->fields[i];
        enum view view = view_of(state->descriptor, f->name);
        const ProtobufCMessage *want = view == VIEW_BOTH ? state : view == VIEW_STATE ? none : NULL;
        if (!want || field_same(want, reply, f, f))
            continue;
        printf("# %s.%s of a reply is wrong\n", state->descriptor->short_name, f->name);
        wrong++;
    }
    free(none);
    return wrong;
}

#endif
