/* A single voter: open, append, reopen, snapshots; and every refusal that guards what was committed. */
#include "rig.h"

static uv_loop_t loop;
static char *top;

static char *path(const char *name)
{
    return mem_printf("%s/%s", top, name);
}

static void test_life(void)
{
    struct rig r;
    auto_free char *dir = path("life");
    rig_init(&r, &loop, 1, dir);
    ok(rig_open(&r) == 0, "an empty directory becomes a ledger: %s", r.err.text);
    ok(rig_append(&r, "early", 5) == ENOTCONN, "an append before it leads certainly did not happen");
    ok(rig_lead(&r), "a single voter leads");
    is_int(ledger_leader(r.l), 1, "and knows it");
    is_int(rig_appends(&r, 50), 0, "appends of all lengths are committed");
    is_int(rig_append(&r, "", 0), 0, "an empty one too");
    is_int(r.mine, 51, "own entries come back marked as such");
    is_int(r.foreign, 0, "and none other");
    uint64_t hash = r.hash, applied = ledger_applied(r.l), term = ledger_term(r.l);
    ok(ledger_committed(r.l) == applied && r.index == applied, "indexes agree");
    ok(ledger_disk_free(r.l) > 0, "there is room on the disk");
    auto_free char *big = mem_alloc(LEDGER_ENTRY_MAX + 1);
    is_int(rig_append(&r, big, LEDGER_ENTRY_MAX + 1), EMSGSIZE, "an entry beyond the limit is refused");
    ok(r.hash == hash, "and nothing happened");
    is_int(rig_append(&r, big, LEDGER_ENTRY_MAX), 0, "the largest one is committed");
    is_int(rig_append(&r, "after", 5), 0, "and what follows it");
    hash = r.hash;
    rig_close(&r);

    ok(rig_open(&r) == 0, "it opens again: %s", r.err.text);
    ok(rig_lead(&r), "and leads");
    is_int(r.count, 53, "with all entries");
    ok(r.hash == hash, "as they were, byte by byte");
    ok(r.mine == 0 && r.foreign == 53, "entries of a former life are not its own");
    ok(ledger_term(r.l) >= term, "terms never go back");
    rig_close(&r);
}

static void test_close_answers(void)
{
    struct rig r;
    auto_free char *dir = path("close");
    rig_init(&r, &loop, 1, dir);
    rig_open(&r);
    rig_lead(&r);
    ledger_append(r.l, "x", 1, rig_done, &r);
    is_int(r.done, 0, "an append never answers at once");
    rig_close(&r);
    ok(r.closed, "it closes with an append under way");
    ok(r.done == 1 && r.rc == LEDGER_UNKNOWN, "which is answered once: unknown");
    rig_open(&r);
    ledger_append(r.l, "x", 1, rig_done, &r);
    rig_close(&r);
    ok(r.done == 2 && r.rc == ENOTCONN, "one that was refused says so, also when closed first");
}

static void test_snapshots(void)
{
    struct rig r;
    auto_free char *dir = path("snap");
    rig_init(&r, &loop, 1, dir);
    r.snapshot_entries = 64;
    rig_open(&r);
    rig_lead(&r);
    is_int(rig_appends(&r, 1000), 0, "a thousand entries");
    RIG_UNTIL(&r, ledger_stats(r.l).snapshots >= 10, 60000);
    struct ledger_stats st = ledger_stats(r.l);
    ok(st.snapshots >= 10, "snapshots are taken under load: %d", (int)st.snapshots);
    ok(r.prepared >= st.snapshots && r.prepared <= (unsigned)r.count / 3, "each is prepared shortly before: %u",
       r.prepared);
    ok(st.snapshot_max_us < 1000000 && st.snapshot_bytes == sizeof(struct rig_state) + 3, "their cost is known");
    uint64_t hash = r.hash;
    rig_close(&r);
    ok(rig_open(&r) == 0, "it opens from a snapshot: %s", r.err.text);
    rig_lead(&r);
    ok(ledger_stats(r.l).restores == 1 && r.foreign < 300, "and a short log");
    ok(r.count == 1000 && r.hash == hash, "to the same state, though it was changed ahead of each commit");
    rig_close(&r);
}

/* Few large entries: their bytes make a snapshot due, and the log does not keep thousands of them. */
static void test_snapshots_by_bytes(void)
{
    struct rig r;
    auto_free char *dir = path("bytes");
    auto_free char *entry = mem_alloc(16384);
    memset(entry, 'x', 16384);
    rig_init(&r, &loop, 1, dir);
    r.snapshot_bytes = 256 * 1024;
    rig_open(&r);
    rig_lead(&r);
    int rc = 0;
    for (int i = 0; i < 200 && !rc; i++)
        rc = rig_append(&r, entry, 16384);
    is_int(rc, 0, "200 entries of 16 KB");
    RIG_UNTIL(&r, ledger_stats(r.l).snapshots >= 5, 60000);
    ok(ledger_stats(r.l).snapshots >= 5, "by their bytes: %d snapshots", (int)ledger_stats(r.l).snapshots);
    uint64_t hash = r.hash;
    rig_close(&r);
    rig_open(&r);
    rig_lead(&r);
    ok(r.count == 200 && r.hash == hash && r.foreign < 100, "the log after the last one is short: %d entries",
       (int)r.foreign);
    rig_close(&r);
}

/* A close waits for the worker that makes a snapshot's bytes, at whatever moment it comes. */
static void test_close_in_snapshot(void)
{
    struct rig r;
    auto_free char *dir = path("midway");
    rig_init(&r, &loop, 1, dir);
    r.snapshot_entries = 16;
    bool closed = true, same = true;
    uint64_t count = 0, hash = 0;
    unsigned midway = 0;
    for (int round = 0; round < 20; round++) {
        r.frozen = 0;
        rig_open(&r);
        rig_lead(&r);
        same &= r.count == count && r.hash == hash;
        unsigned frozen = r.frozen;
        while (r.frozen == frozen && !rig_append(&r, &r.count, sizeof(r.count)))
            ;
        midway += ledger_stats(r.l).snapshots < r.frozen;
        count = r.count, hash = r.hash;
        rig_close(&r);
        closed &= r.closed;
    }
    ok(closed && midway, "it closes while a snapshot is taken: %u times", midway);
    ok(same, "and nothing is lost");
}

static void test_lock(void)
{
    struct rig r, second;
    auto_free char *dir = path("life");
    rig_init(&r, &loop, 1, dir);
    rig_init(&second, &loop, 1, dir);
    ok(rig_open(&r) == 0, "one process opens a ledger");
    ok(rig_open(&second) == EBUSY && rig_says(&second, "in use by another process"), "a second is refused");
    rig_close(&r);
    ok(rig_open(&second) == 0, "until the first is gone");
    rig_close(&second);
}

static void test_whose(void)
{
    struct rig r;
    auto_free char *dir = path("none");
    rig_init(&r, &loop, 1, dir);
    r.fresh_ok = false;
    ok(rig_open(&r) == ENOENT && rig_says(&r, "a new one was not asked for"), "no ledger is made unasked");
    auto_free char *life = path("life");
    rig_init(&r, &loop, 7, life);
    struct ledger_peer seven = { 7, (char *)"127.0.0.1:1" };
    r.peers = &seven;
    ok(rig_open(&r) == EINVAL && rig_says(&r, "belongs to controller 1"), "another controller's is not taken");
    r.id = 8;
    ok(rig_open(&r) == EINVAL && rig_says(&r, "not among"), "a controller must be one of the controllers");
}

static struct rig damaged(const char *name)
{
    auto_free char *from = path("victim"), *to = path(name);
    rig_copy(from, to);
    struct rig r;
    rig_init(&r, &loop, 1, to);
    return r;
}

/* A victim that died without closing: its last entries are in an open segment. */
static void make_victim(void)
{
    struct rig r;
    auto_free char *dir = path("running"), *victim = path("victim");
    rig_init(&r, &loop, 1, dir);
    r.snapshot_entries = 64;
    rig_open(&r);
    rig_lead(&r);
    rig_appends(&r, 100);
    RIG_UNTIL(&r, ledger_stats(r.l).snapshots >= 1, 60000);
    rig_close(&r); /* a closed segment */
    rig_open(&r);
    rig_lead(&r);
    rig_appends(&r, 20); /* an open one */
    rig_copy(dir, victim);
    rig_close(&r);
}

static void test_victim(void)
{
    struct rig r = damaged("whole");
    ok(rig_open(&r) == 0, "one that was killed opens: %s", r.err.text);
    ok(rig_lead(&r) && r.count == 120, "with all it said it had");
    rig_close(&r);
}

static void test_damage(void)
{
    static const struct {
        const char *file, *sub;
        off_t at;
        const char *words, *what;
    } cases[] = {
        { "0", "log", 70, "data checksum mismatch", "a flipped bit in a closed segment" },
        { "0", "log", 0, "damaged", "in a closed segment's first byte" },
        { "open-", "log", 200, "damaged file open-", "in an open segment, which libraft would cut off" },
        { "open-", "log", 900, "damaged file open-", "further behind in it" },
        { "open-", "log", 0, "damaged file open-", "in its first byte" },
        { "snapshot-", "log", 10, "snapshot-", "in a snapshot's head" },
        { "snapshot-", "log", 50, "checksum is wrong", "in its body" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r = damaged("hurt");
        auto_free char *dir = mem_printf("%s/%s", r.dir, cases[i].sub);
        auto_free char *file = rig_find(dir, cases[i].file, ".meta");
        ok(rig_flip(file, cases[i].at), "%s: %s", cases[i].what, file ? strrchr(file, '/') : "no file");
        is_int(rig_open(&r), EUCLEAN, "is refused");
        ok(rig_says(&r, cases[i].words) && rig_says(&r, "restore the directory from a backup"), "in words that help");
        is_int(rig_open(&r), EUCLEAN, "is refused again");
    }
}

static void test_missing(void)
{
    static const struct {
        const char *rm, *words, *what;
    } cases[] = {
        { "log/metadata1 log/metadata2", "lacks metadata1 and metadata2", "a log without its metadata" },
        { "log", "is gone", "a log that is gone altogether" },
        { "mark", "its mark", "a mark that is gone" },
        { "log/open-*", "but entry", "an open segment that is gone" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r = damaged("hurt");
        auto_free char *cmd = mem_printf("cd '%s' && rm -rf %s", r.dir, cases[i].rm);
        ok(system(cmd) == 0, "%s", cases[i].what);
        ok(rig_open(&r) == EUCLEAN && rig_says(&r, cases[i].words), "is refused, and nothing is begun over it");
    }
    struct rig r = damaged("hurt");
    auto_free char *mark = mem_printf("%s/mark", r.dir);
    ok(rig_flip(mark, 8), "one bad half of the mark");
    ok(rig_open(&r) == 0, "leaves the other: %s", r.err.text);
    rig_close(&r);
    r = damaged("hurt");
    ok(rig_flip(mark, 8) && rig_flip(mark, 4096 + 8), "two bad halves");
    ok(rig_open(&r) == EUCLEAN && rig_says(&r, "mark is damaged"), "are refused");
}

int main(void)
{
    uv_loop_init(&loop);
    top = rig_tmp();
    test_life();
    test_close_answers();
    test_snapshots();
    test_snapshots_by_bytes();
    test_close_in_snapshot();
    test_lock();
    test_whose();
    make_victim();
    test_victim();
    test_damage();
    test_missing();
    ok(uv_loop_close(&loop) == 0, "nothing is left on the loop");
    rig_rm(top);
    free(top);
    return test_done();
}
