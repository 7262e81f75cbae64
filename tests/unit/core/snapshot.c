/* snapshot - the state as bytes: after anything that may happen, and as older versions wrote it. */
#include "rig.h"

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* Any event, to any job; most do not fit, and rig_apply() looks after those. */
static void something(struct rig *r)
{
    uint32_t id = 1 + below(30);
    r->now_s += below(20);
    Pb__EvHold hold = PB__EV_HOLD__INIT;
    Pb__EvSplit split = PB__EV_SPLIT__INIT;
    Pb__EvSuspend suspend = PB__EV_SUSPEND__INIT;
    Pb__EvPurge purge = PB__EV_PURGE__INIT;
    Pb__EvNodeState state = PB__EV_NODE_STATE__INIT;
    Pb__EvUpdate update = PB__EV_UPDATE__INIT;
    hold.job_id = split.job_id = suspend.job_id = update.job_id = id;
    switch (below(14)) {
    case 0: case 1:
        rig_submit_as(r, id, below(2) ? "a" : "b", below(3) ? 0 : 1 + below(4), (uint8_t)below(4), 1000 + below(3));
        break;
    case 2: case 3: case 4:
        rig_start_task(r, id, below(2), 1 + below(3), below(4), 1 + below(30));
        break;
    case 5:
        rig_end(r, id, JOB_COMPLETED + below(4), below(2));
        break;
    case 6: case 7:
        rig_node_done(r, id, below(3));
        break;
    case 8:
        rig_requeue(r, id, below(2));
        break;
    case 9:
        hold.hold = below(3), hold.reason_text = TEXT(below(2) ? "because" : "");
        RIG_EVENT(r, HOLD, hold, &hold);
        break;
    case 10:
        split.task = below(4), split.new_id = 1 + below(30);
        RIG_EVENT(r, SPLIT, split, &split);
        break;
    case 11:
        suspend.resume = below(2);
        RIG_EVENT(r, SUSPEND, suspend, &suspend);
        break;
    case 12:
        purge.job_id = &id, purge.n_job_id = 1, purge.keys_before_s = (uint64_t)r->now_s - 500;
        RIG_EVENT(r, PURGE, purge, &purge);
        break;
    default:
        state.node = below(5), state.state = NODE_IDLE | (below(2) ? NODE_DRAIN : 0), state.has_reason = below(2),
        state.reason = TEXT("x");
        RIG_EVENT(r, NODE_STATE, node_state, &state);
        update.has_requeue = true, update.has_array_max = true, update.array_max_running = below(3);
        RIG_EVENT(r, UPDATE, update, &update);
    }
}

/* Jobs in this test are placed without looking: what overlaps is not compared, only the bytes are. */
static bool bytes_same(struct rig *r)
{
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT;
    struct err err = ERR_INIT;
    struct cluster *copy;
    cluster_encode(r->c, &a);
    if (cluster_decode(&copy, a.s, a.len, &err))
        return false;
    cluster_encode(copy, &b);
    bool same = rig_same(&a, &b) && cluster_digest(copy) == cluster_digest(r->c) && rig_kept_bytes_same(r, &a);
    cluster_free(copy);
    return same;
}

static void test_random(void)
{
    for (uint64_t s = 1; s <= 20; s++) {
        struct rig r;
        rig_up(&r);
        seed = s;
        bool same = true;
        for (int i = 0; same && i < 400; i++) {
            something(&r);
            same = i % 10 || bytes_same(&r);
        }
        ok(same, "seed %llu: 400 random events, read back as they were (%zu jobs)", (unsigned long long)s, r.c->jobs.n);
        rig_down(&r);
    }
}

/* Two snapshots at a time, in any order, while the state goes on changing and in the end is gone. */
static void test_kept(void)
{
    struct rig r;
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT, got_a = BUF_INIT, got_b = BUF_INIT;
    rig_up(&r);
    seed = 77;
    for (int i = 0; i < 300; i++)
        something(&r);
    cluster_encode(r.c, &a);
    struct snapshot *first = cluster_snapshot(r.c);
    is_int((long long)cluster_snapshot_prepare(r.c, SIZE_MAX), 0, "after a snapshot nothing is left to encode");
    for (int i = 0; i < 300; i++)
        something(&r);
    size_t left = cluster_snapshot_prepare(r.c, 0);
    ok(left > 3 && cluster_snapshot_prepare(r.c, 3) == left - 3, "changed records are encoded so many at a time");
    cluster_encode(r.c, &b);
    struct snapshot *second = cluster_snapshot(r.c);
    for (int i = 0; i < 300; i++)
        something(&r);
    cluster_snapshot_prepare(r.c, SIZE_MAX);
    snapshot_write(first, &got_a);
    snapshot_free(first);
    rig_down(&r);
    snapshot_write(second, &got_b);
    snapshot_free(second);
    ok(rig_same(&a, &got_a), "a snapshot has the bytes of its moment, whatever happened since");
    ok(rig_same(&b, &got_b), "also when the cluster is gone");
}

static void test_damaged(void)
{
    struct rig r;
    auto_buf struct buf a = BUF_INIT;
    rig_up(&r);
    rig_submit_as(&r, 1, "a", 3, 1, 1001);
    rig_start_task(&r, 1, 0, 2, 1, 2);
    cluster_encode(r.c, &a);
    size_t refused = 0;
    for (size_t n = 0; n < a.len; n++) {
        struct cluster *c = NULL;
        struct err err = ERR_INIT;
        if (cluster_decode(&c, a.s, n, &err))
            refused += err.text[0] != '\0';
        else
            cluster_free(c);
    }
    ok(refused > a.len / 2, "%zu of %zu shortened snapshots are refused with a reason, none crashes", refused, a.len);
    struct cluster *c;
    struct err err = ERR_INIT;
    Pb__Snapshot newer = PB__SNAPSHOT__INIT;
    auto_buf struct buf b = BUF_INIT;
    newer.format = 2;
    pb_pack(&b, &newer.base);
    is_int(cluster_decode(&c, b.s, b.len, &err), EPROTONOSUPPORT, "a format from the future is refused");
    rig_down(&r);
}

/* ---- old data: u32 kind (0 an entry, else a snapshot after so many entries), u32 length, bytes ---- */

struct old {
    struct buf file;
    VEC(struct buf) entries;     /* borrowed from the file */
    struct buf snap;
    size_t snap_after;
};

static bool read_old(struct old *o, const char *dir, const char *name)
{
    auto_free char *path = mem_printf("%s/%s", dir, name);
    uint32_t head[2];
    if (buf_read_file(&o->file, path, 1u << 24))
        return false;
    for (size_t at = 0; at + sizeof(head) <= o->file.len; at += sizeof(head) + head[1]) {
        memcpy(head, o->file.s + at, sizeof(head));
        struct buf piece = { o->file.s + at + sizeof(head), head[1], 0 };
        if (!head[0])
            vec_push(&o->entries, piece);
        else if (!o->snap_after)
            o->snap = piece, o->snap_after = head[0];
    }
    return o->entries.n && o->snap_after;
}

static size_t follow(struct cluster *c, const struct old *o, size_t from)
{
    size_t bad = 0;
    for (size_t i = from; i < o->entries.n; i++) {
        Pb__Entry *e = pb__entry__unpack(NULL, o->entries.at[i].len, (uint8_t *)o->entries.at[i].s);
        bad += !e;
        for (size_t k = 0; e && k < e->n_events; k++) {
            struct err err = ERR_INIT;
            bad += cluster_apply(c, e->events[k], &err) != 0;
        }
        if (e)
            pb__entry__free_unpacked(e, NULL);
    }
    return bad;
}

static void test_old(const char *dir, const char *name)
{
    struct old o = { 0 };
    struct err err = ERR_INIT;
    struct cluster *all = cluster_new(), *rest = NULL;
    auto_buf struct buf a = BUF_INIT, b = BUF_INIT;
    if (ok(read_old(&o, dir, name), "%s is there", name) &&
        ok(!cluster_decode(&rest, o.snap.s, o.snap.len, &err), "its snapshot is read")) {
        is_int(follow(all, &o, 0), 0, "every event of %zu entries fits", o.entries.n);
        is_int(follow(rest, &o, o.snap_after), 0, "also those after the snapshot");
        cluster_encode(all, &a);
        cluster_encode(rest, &b);
        ok(rig_same(&a, &b), "both ways lead to the same %zu bytes", a.len);
    }
    cluster_free(all);
    cluster_free(rest);
    vec_clear(&o.entries);
    buf_clear(&o.file);
}

int main(int argc, char **argv)
{
    test_random();
    test_kept();
    test_damaged();
    test_old(argc > 1 ? argv[1] : "data", "v1.log");
    return test_done();
}
