/*
 * snapshot - the whole state as bytes.
 *
 * Records are written in the order of their numbers, never in the order of a hash table, so equal states give equal
 * bytes.  cluster_encode() makes everything anew; a snapshot takes the bytes that snap_cache kept.  Both give the same.
 */
#include <stdlib.h>

#include "core/cluster_priv.h"
#include "core/limits.h"
#include "core/runtime_history.h"
#include "core/pbutil.h"
#include "core/record.h"

/* Field numbers of pb.Snapshot. */
enum {
    F_NODES = 8,
    F_PARTS = 9,
    F_JOBS = 11,
    F_KEYS = 12,
    F_TOPOLOGIES = 17,
    F_RESVS = 19,
    F_LICENSES = 21,
    F_QOS = 22,
    F_ASSOCS = 23,
    F_RUNTIME_CLASSES = 27,
    F_ACCT_USERS = 40,
    F_TXNS = 41
};

/* ---- the kinds with few records: made anew for every snapshot ---- */

static void encode_head(const struct cluster *c, struct buf *out)
{
    Pb__Snapshot head = PB__SNAPSHOT__INIT;
    head.format = SNAPSHOT_FORMAT;
    head.cluster = c->name;
#define X(type, name) head.name = c->name;
    CLUSTER_FIELDS(X)
#undef X
    head.estimates = (uint32_t *)(uintptr_t)c->estimates, head.n_estimates = c->estimates_seen ? RUNTIME_ESTIMATES : 0;
    pb_pack(out, &head.base);
}

static void encode_few(const struct cluster *c, struct buf *out)
{
    for (size_t i = 0; i < c->part.n; i++)
        pb_pack_field(out, F_PARTS, &c->part.at[i]->pb->base);
    for (size_t i = 0; i < c->topo.n; i++)
        pb_pack_field(out, F_TOPOLOGIES, &c->topo.at[i]->pb->base);
    for (size_t i = 0; i < c->resv.n; i++)
        pb_pack_field(out, F_RESVS, &c->resv.at[i]->pb->base);
    for (size_t i = 0; i < c->licenses.n; i++) {
        Pb__License l = PB__LICENSE__INIT;
        l.name = c->licenses.at[i].name, l.count = c->licenses.at[i].total;
        pb_pack_field(out, F_LICENSES, &l.base);
    }
    limits_encode_qos(c, out, F_QOS);
    acct_encode(c, out, F_ACCT_USERS, F_TXNS);
}

/* ---- the kinds with many: one record, or one piece of the keys ---- */

static void encode_node(const struct node *n, struct buf *out)
{
    Pb__Node p;
    Pb__NodeHw hw;
    node_to_pb(n, &p, &hw);
    pb_pack_field(out, F_NODES, &p.base);
}

static void encode_blob(const struct blob *b, struct buf *out)
{
    Pb__Blob p = PB__BLOB__INIT;
    p.id = b->id;
    p.data = (ProtobufCBinaryData){ b->len, (uint8_t *)b->data };
    pb_pack_field(out, SNAPSHOT_BLOBS, &p.base);
}

static void encode_job(const struct job *j, struct buf *out)
{
    Pb__Job p;
    job_to_pb(j, &p, NULL);
    pb_pack_field(out, F_JOBS, &p.base);
    job_pb_done(&p);
}

static bool encode_keys(const struct cluster *c, uint64_t piece, struct buf *out)
{
    uint64_t from = MAX(piece * KEY_PIECE, c->key_base), to = MIN((piece + 1) * KEY_PIECE, c->key_base + c->keys.n);
    for (uint64_t at = from; at < to; at++) {
        struct key *key = &c->keys.at[at - c->key_base];
        Pb__Key k = PB__KEY__INIT;
        k.key = (ProtobufCBinaryData){ 16, key->bytes };
        k.uid = key->uid, k.job_id = key->job_id, k.at_s = key->at_s;
        pb_pack_field(out, F_KEYS, &k.base);
    }
    return from < to;
}

/* Returns the record's mark that its bytes are stale; NULL when there is no such record (any more). */
static bool *encode_record(const struct cluster *c, enum snap_kind kind, uint64_t number, struct buf *out)
{
    static bool unused;
    struct job *j;
    struct blob *b;
    struct assoc *a;
    switch (kind) {
    case SNAP_NODE:
        encode_node(&c->node[number], out);
        return &c->node[number].snap_queued;
    case SNAP_BLOB:
        if (!(b = map_get(&c->blobs, number)))
            return NULL;
        encode_blob(b, out);
        return &unused;
    case SNAP_JOB:
        if (!(j = cluster_job(c, (uint32_t)number)))
            return NULL;
        encode_job(j, out);
        return &j->snap_queued;
    case SNAP_ASSOC:
        if (!c->limits || !(a = map_get(&c->limits->assoc, number)))
            return NULL;
        pb_pack_field(out, F_ASSOCS, &a->pb->base);
        return &a->snap_queued;
    case SNAP_HISTORY:
        return runtime_class_encode(c, number, out, F_RUNTIME_CLASSES);
    case SNAP_KEY:
        return encode_keys(c, number, out) ? &unused : NULL;
    case SNAP_KINDS: break;
    }
    return NULL;
}

/* ---- everything anew ---- */

typedef VEC(uint64_t) numbers_t;

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void add_map_keys(numbers_t *out, const struct map *m)
{
    size_t pos = 0;
    uint64_t key;
    vec_reserve(out, m->n);
    while (map_next(m, &pos, &key))
        vec_push(out, key);
    if (out->n)
        qsort(out->at, out->n, sizeof(*out->at), by_number);
}

static void add_numbers(const struct cluster *c, enum snap_kind kind, numbers_t *out)
{
    switch (kind) {
    case SNAP_NODE:
        for (size_t i = 0; i < c->nnodes; i++)
            vec_push(out, i);
        break;
    case SNAP_BLOB: add_map_keys(out, &c->blobs); break;
    case SNAP_JOB: add_map_keys(out, &c->jobs); break;
    case SNAP_ASSOC:
        if (c->limits)
            add_map_keys(out, &c->limits->assoc);
        break;
    case SNAP_HISTORY: add_map_keys(out, &c->runtime_by_serial); break;
    case SNAP_KEY:
        for (uint64_t i = c->key_base / KEY_PIECE; i * KEY_PIECE < c->key_base + c->keys.n; i++)
            vec_push(out, i);
        break;
    case SNAP_KINDS: break;
    }
}

void cluster_encode(const struct cluster *c, struct buf *out)
{
    encode_head(c, out);
    encode_few(c, out);
    for (int kind = 0; kind < SNAP_KINDS; kind++) {
        numbers_t numbers = { 0 };
        add_numbers(c, (enum snap_kind)kind, &numbers);
        for (size_t i = 0; i < numbers.n; i++)
            encode_record(c, (enum snap_kind)kind, numbers.at[i], out);
        vec_clear(&numbers);
    }
}

uint64_t cluster_digest(const struct cluster *c)
{
    auto_buf struct buf b = BUF_INIT;
    cluster_encode(c, &b);
    return map_hash_bytes(b.s, b.len);
}

/* ---- only what changed ---- */

static void encode_stale(struct cluster *c, enum snap_kind kind, uint64_t number, struct buf *scratch)
{
    buf_reset(scratch);
    bool *queued = encode_record(c, kind, number, scratch);
    if (!queued) {
        snap_remove(c->snap, kind, number);
        return;
    }
    *queued = false;
    snap_put(c->snap, kind, number, mem_copy(scratch->s, scratch->len), scratch->len);
}

size_t cluster_snapshot_prepare(struct cluster *c, size_t most)
{
    auto_buf struct buf scratch = BUF_INIT;
    size_t left = 0;
    for (int kind = 0; kind < SNAP_KINDS; kind++) {
        struct snap_table *t = &c->snap->table[kind];
        /* Oldest first: numbers mostly count up, and a new one then goes to the end of its table. */
        size_t cost = kind == SNAP_KEY ? KEY_PIECE / 16 : 1; /* a piece of keys is many small records */
        for (; t->nstale && most; most -= MIN(most, cost))
            encode_stale(c, (enum snap_kind)kind, snap_next(t), &scratch);
        left += t->nstale;
    }
    return left;
}

struct snapshot {
    struct snap_cache *cache; /* keeps the bytes of the pieces */
    struct buf few;
    struct snap_piece *piece;
    size_t npieces, size;
};

struct snapshot *cluster_snapshot(struct cluster *c)
{
    struct snapshot *s = NEW(struct snapshot);
    size_t n = 0;
    cluster_snapshot_prepare(c, SIZE_MAX);
    encode_head(c, &s->few);
    encode_few(c, &s->few);
    s->size = s->few.len;
    for (int kind = 0; kind < SNAP_KINDS; kind++)
        n += c->snap->table[kind].at.n;
    s->piece = mem_grow(NULL, MAX(n, (size_t)1), sizeof(*s->piece));
    for (int kind = 0; kind < SNAP_KINDS; kind++) {
        const struct snap_table *t = &c->snap->table[kind];
        if (t->at.n)
            memcpy(s->piece + s->npieces, t->at.at, t->at.n * sizeof(*s->piece));
        s->npieces += t->at.n;
    }
    for (size_t i = 0; i < s->npieces; i++)
        s->size += s->piece[i].bytes ? s->piece[i].len : 0;
    s->cache = c->snap;
    s->cache->snapshots++;
    return s;
}

size_t snapshot_size(const struct snapshot *s)
{
    return s->size;
}

void snapshot_write(const struct snapshot *s, struct buf *out)
{
    buf_room(out, s->size);
    buf_add(out, s->few.s, s->few.len);
    for (size_t i = 0; i < s->npieces; i++)
        if (s->piece[i].bytes)
            buf_add(out, s->piece[i].bytes, s->piece[i].len);
}

void snapshot_free(struct snapshot *s)
{
    if (!s)
        return;
    snap_cache_release(s->cache);
    buf_clear(&s->few);
    free(s->piece);
    free(s);
}
