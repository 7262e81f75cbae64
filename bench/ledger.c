/*
 * bench ledger - how many records a single voter makes durable in a second, beside what the disk itself can do.
 *
 *   ledger DIR [SECONDS]
 *
 * The same run measures the machine's own write + fdatasync rate in the same directory, before and after: the
 * unbatched ratio is what a turn costs over the bare disk, and it is the ratio that can be compared across machines.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/ledger.h"

#define RECORD 500

static struct {
    uv_loop_t loop;
    struct ledger *l;
    uint64_t end_ns, entries, records;
    unsigned batch;
    char *turn;
    bool leads, over, closed;
    int rc;
} b;

static void apply(void *arg, uint64_t index, const void *p, size_t len, bool mine)
{
    b.records += mine ? len / RECORD : 0;
}

static void *freeze(void *arg)
{
    return mem_copy(&b.records, sizeof(b.records));
}

static void write_frozen(const void *frozen, struct buf *out)
{
    buf_add(out, frozen, sizeof(b.records));
}

static int restore(void *arg, uint64_t index, const void *p, size_t len, struct err *err)
{
    return 0;
}

static void role(void *arg, enum ledger_role r, uint64_t leader)
{
    b.leads = r == LEDGER_LEADER;
}

static void closed(void *arg)
{
    b.closed = true;
}

static void next(void *arg, int rc)
{
    b.rc = rc;
    b.entries++;
    b.over = rc || uv_hrtime() >= b.end_ns;
    if (!b.over)
        ledger_append(b.l, b.turn, (size_t)b.batch * RECORD, next, NULL);
}

/* Records and entries a second with `batch` records a turn. */
static double appends(unsigned batch, double seconds, double *entries_s)
{
    uint64_t t0 = uv_hrtime(), records = b.records;
    b.end_ns = t0 + (uint64_t)(seconds * 1e9);
    b.batch = batch;
    b.entries = 0;
    b.over = false;
    ledger_append(b.l, b.turn, (size_t)batch * RECORD, next, NULL);
    while (!b.over)
        uv_run(&b.loop, UV_RUN_ONCE);
    double took = (double)(uv_hrtime() - t0) / 1e9;
    *entries_s = (double)b.entries / took;
    return (double)(b.records - records) / took;
}

/* What the disk can do by itself: write a block of a file that is there already, and wait for it. */
static double syncs(const char *dir, double seconds)
{
    auto_free char *path = mem_printf("%s/sync-probe", dir);
    auto_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    static char block[4096] = { 1 };
    uint64_t t0 = uv_hrtime(), end = t0 + (uint64_t)(seconds * 1e9), n = 0;
    if (fd < 0 || posix_fallocate(fd, 0, 1 << 20) || fsync(fd))
        return 0;
    for (; uv_hrtime() < end; n++)
        if (pwrite(fd, block, sizeof(block), (off_t)(n % 256) * 4096) < 0 || fdatasync(fd))
            return 0;
    unlink(path);
    return (double)n / ((double)(uv_hrtime() - t0) / 1e9);
}

static int run(const char *dir, double seconds)
{
    double entries_s, disk = syncs(dir, seconds / 2);
    static const unsigned batches[] = { 1, 10, 100, 1000 };
    printf("%-10s %12s %12s\n", "batch", "entries/s", "records/s");
    double single = 0;
    for (size_t i = 0; i < ARRAY_LEN(batches); i++) {
        double records_s = appends(batches[i], seconds, &entries_s);
        single = single ? single : entries_s;
        printf("%-10u %12.0f %12.0f\n", batches[i], entries_s, records_s);
        if (b.rc)
            return b.rc;
    }
    disk = (disk + syncs(dir, seconds / 2)) / 2;
    struct ledger_stats st = ledger_stats(b.l);
    printf("fdatasync  %12.0f /s of the disk itself\n", disk);
    printf("ratio      %12.2f entries/s unbatched over fdatasync/s\n", disk > 0 ? single / disk : 0);
    printf("snapshots  %12llu, on the loop at most %llu us\n", (unsigned long long)st.snapshots,
           (unsigned long long)st.snapshot_max_us);
    return 0;
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    if (argc < 2)
        return fprintf(stderr, "usage: %s DIR [SECONDS]\n", argv[0]), 2;
    struct ledger_peer me = { 1, (char *)"127.0.0.1:0" };
    struct ledger_conf conf = { .dir = argv[1], .id = 1, .peers = &me, .npeers = 1, .fresh_ok = true };
    struct ledger_fsm fsm = {
        .apply = apply, .freeze = freeze, .write = write_frozen, .release = free, .restore = restore, .role = role
    };
    b.turn = mem_alloc(1000 * RECORD);
    uv_loop_init(&b.loop);
    if (ledger_open(&b.l, &b.loop, &conf, &fsm, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    while (!b.leads)
        uv_run(&b.loop, UV_RUN_ONCE);
    int rc = run(argv[1], argc > 2 ? atof(argv[2]) : 1);
    ledger_close(b.l, closed, NULL);
    while (!b.closed)
        uv_run(&b.loop, UV_RUN_ONCE);
    free(b.turn);
    return rc ? 1 : 0;
}
