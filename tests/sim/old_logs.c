/*
 * old_logs - logs and snapshots that earlier releases wrote are read: `sim_old_logs FOLDER`.  TAP.
 *
 * Each NAME.log of the folder is replayed, whole and to its middle, where the cluster is full; from its first entry and
 * from each snapshot in it, which give the same state.  NAME.txt says what is in both states: tests/data/logs/record
 * writes it by `sim_old_logs --tell FILE`.
 */
#include <dirent.h>
#include <string.h>

#include "base/log.h"
#include "base/str.h"
#include "sim/sim.h"
#include "test.h"

#define TEXT_MAX (64u << 10)

static void describe(const struct cluster *c, struct buf *out)
{
    size_t states[16] = { 0 }, pos = 0;
    for (struct job *j; (j = map_next(&c->jobs, &pos, NULL));)
        states[j->state & 15]++;
    buf_addf(out, "events %llu\nnodes %zu\njobs %zu\nnext job %u\nreservations %zu\n", (unsigned long long)c->events,
             c->nnodes, c->jobs.n, c->next_job, c->resv.n);
    for (unsigned i = 0; i < 16; i++)
        if (states[i])
            buf_addf(out, "%s %zu\n", job_state_name(i), states[i]);
}

/* The state after all entries, from the first (SIZE_MAX) or a snapshot on. */
static int replay(const struct sim_log *log, size_t from, struct buf *bytes, struct err *err)
{
    return sim_replay(log, from, sim_site(0, true), bytes, err);
}

static struct sim_log first_half(const struct sim_log *log)
{
    struct sim_log half = *log;
    half.entries.n /= 2;
    while (half.snaps.n && half.snaps.at[half.snaps.n - 1].entries > half.entries.n)
        half.snaps.n--;
    return half;
}

/* What is in the state at the end. */
static int describe_log(const struct sim_log *log, struct buf *text, struct err *err)
{
    auto_buf struct buf bytes = BUF_INIT;
    struct cluster *c;
    int rc = replay(log, SIZE_MAX, &bytes, err);
    if (!rc)
        rc = cluster_decode(&c, bytes.s, bytes.len, err);
    if (rc)
        return rc;
    describe(c, text);
    cluster_free(c);
    return 0;
}

static int describe_both(const struct sim_log *log, struct buf *text, struct err *err)
{
    struct sim_log half = first_half(log);
    int rc = describe_log(&half, text, err);
    buf_adds(text, "--\n");
    return rc ? rc : describe_log(log, text, err);
}

static int tell(const char *path)
{
    struct sim_log log = { 0 };
    struct err err = ERR_INIT;
    auto_buf struct buf text = BUF_INIT;
    int rc = sim_log_load(&log, path, &err);
    if (!rc)
        rc = describe_both(&log, &text, &err);
    if (rc)
        fprintf(stderr, "%s: %s\n", path, err.text);
    else
        fputs(text.s, stdout);
    sim_log_clear(&log);
    return rc != 0;
}

static size_t count_wrong(const struct sim_log *log, struct err *err)
{
    auto_buf struct buf whole = BUF_INIT;
    size_t wrong = replay(log, SIZE_MAX, &whole, err) != 0;
    for (size_t i = 0; i < log->snaps.n; i++) {
        auto_buf struct buf there = BUF_INIT;
        wrong += replay(log, i, &there, err) || there.len != whole.len || memcmp(there.s, whole.s, whole.len);
    }
    return wrong;
}

static void test_file(const char *folder, const char *name)
{
    auto_free char *path = mem_printf("%s/%s", folder, name);
    auto_free char *want_path = mem_printf("%.*s.txt", (int)strlen(path) - 4, path);
    auto_buf struct buf text = BUF_INIT, want = BUF_INIT;
    struct sim_log log = { 0 };
    struct err err = ERR_INIT;
    if (!ok(!sim_log_load(&log, path, &err) && !describe_both(&log, &text, &err), "%s is read: %s", name, err.text))
        return;
    ok(!buf_read_file(&want, want_path, TEXT_MAX), "%s: what is in it", name);
    is_str(text.s, want.s, "%s: %zu entries give that", name, log.entries.n);
    struct sim_log half = first_half(&log);
    ok(log.snaps.n && !count_wrong(&log, &err) && !count_wrong(&half, &err),
       "%s: so do its %zu snapshots with what follows them %s", name, log.snaps.n, err.text);
    sim_log_clear(&log);
}

int main(int argc, char **argv)
{
    log_open("old_logs", LOG_FATAL);
    if (argc == 3 && str_eq(argv[1], "--tell"))
        return tell(argv[2]);
    DIR *d = opendir(argc > 1 ? argv[1] : ".");
    size_t n = 0;
    for (struct dirent *e; d && (e = readdir(d));)
        if (str_has_suffix(e->d_name, ".log")) {
            test_file(argv[1], e->d_name);
            n++;
        }
    if (d)
        closedir(d);
    ok(n > 0, "%zu logs of this release and of earlier ones", n);
    return test_done();
}
