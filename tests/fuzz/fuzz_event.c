/*
 * The first byte says what the rest is: a snapshot, or an entry for a cluster that has seen some life.
 * Neither crashes or leaks; an event that does not fit changes nothing; what is left survives a snapshot.
 */
#include <string.h>

#include "fuzz.h"

#include "core/cluster.h"
#include "core/level.h"
#include "core/pbutil.h"

#define LARGE (64u << 10)

static char text[] = "main", node_name[] = "n1", cores_text[] = "gpu:2";

static void apply(struct cluster *c, Pb__Event *ev)
{
    struct err err = ERR_INIT;
    ev->at_ms = 1000;
    check(!cluster_apply(c, ev, &err));
}

/* One node, three jobs: one waits as an array, one runs, one has ended. */
static struct cluster *lived(void)
{
    struct cluster *c = cluster_new();
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvConfig conf = PB__EV_CONFIG__INIT;
    Pb__NodeDef def = PB__NODE_DEF__INIT, *defs[] = { &def };
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    def.name = node_name, def.gres = cores_text, part.name = text, part.nodes = node_name;
    conf.nodes = defs, conf.n_nodes = 1, conf.parts = parts, conf.n_parts = 1;
    ev.body_case = PB__EVENT__BODY_CONFIG, ev.config = &conf;
    apply(c, &ev);
    uint8_t bits = 7;
    for (uint32_t id = 1; id <= 3; id++) {
        Pb__EvSubmit sub = PB__EV_SUBMIT__INIT;
        Pb__Blob blob = PB__BLOB__INIT, *blobs[] = { &blob };
        blob.id = sub.spec = 1, sub.blobs = blobs, sub.n_blobs = id == 1;
        sub.job_id = id, sub.partition = text, sub.is_array = id == 3;
        sub.array_pending = (ProtobufCBinaryData){ id == 3, &bits };
        ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &sub;
        apply(c, &ev);
    }
    for (uint32_t id = 1; id <= 2; id++) {
        Pb__EvStart start = PB__EV_START__INIT;
        Pb__NodeAlloc at = PB__NODE_ALLOC__INIT, *list[] = { &at };
        at.cpus = 1, start.job_id = id, start.attempt = id, start.partition = text, start.alloc = list,
        start.n_alloc = 1;
        ev.body_case = PB__EVENT__BODY_START, ev.start = &start;
        apply(c, &ev);
    }
    Pb__EvEnd end = PB__EV_END__INIT;
    end.job_id = 1, end.state = JOB_COMPLETED, end.all_done = true;
    ev.body_case = PB__EVENT__BODY_END, ev.end = &end;
    apply(c, &ev);
    return c;
}

static void same(const struct buf *a, const struct buf *b)
{
    check(a->len == b->len && !memcmp(a->s, b->s, a->len));
}

static void survives(const struct cluster *c)
{
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT;
    struct err err = ERR_INIT;
    struct cluster *copy = NULL;
    cluster_encode(c, &a);
    check(!cluster_decode(&copy, a.s, a.len, &err));
    cluster_encode(copy, &b);
    same(&a, &b);
    cluster_free(copy);
}

static void snapshot(const uint8_t *data, size_t n)
{
    struct cluster *c = NULL;
    struct err err = ERR_INIT;
    if (cluster_decode(&c, data, n, &err)) {
        check(err.code && err.text[0]);
        return;
    }
    auto_buf struct buf b = BUF_INIT;
    cluster_encode(c, &b);
    cluster_free(c);
}

static void entry(const uint8_t *data, size_t n)
{
    Pb__Entry *e = pb__entry__unpack(NULL, n, data);
    if (!e)
        return;
    struct cluster *c = lived();
    for (size_t i = 0; i < e->n_events && i < 16; i++) {
        auto_buf struct buf before = BUF_INIT, after = BUF_INIT;
        struct err err = ERR_INIT;
        if (level_check(e->events[i], &err)) { /* a controller stops at such an event */
            check(err.code && err.text[0]);
            break;
        }
        cluster_encode(c, &before);
        if (!cluster_apply(c, e->events[i], &err))
            continue;
        check(err.code && err.text[0]);
        cluster_encode(c, &after);
        same(&before, &after);
    }
    survives(c);
    size_t pos = 0;
    uint32_t len;
    for (struct job *j; (j = map_next(&c->jobs, &pos, NULL));)
        cluster_job_bytes(c, j, &len);
    cluster_free(c);
    pb__entry__free_unpacked(e, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n || n > LARGE)
        return 0;
    if (data[0] & 1)
        snapshot(data + 1, n - 1);
    else
        entry(data + 1, n - 1);
    return 0;
}
