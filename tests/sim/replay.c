/*
 * replay - the log of a random simulation, replayed elsewhere: byte for byte the same state.
 *
 * Elsewhere is another process, in another time zone, with another site's configuration; the replay begins with the
 * first entry and, again, with each snapshot in between.  TAP.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "sim/sim.h"
#include "test.h"

/* The other process: `replay FILE FROM` writes the state to its standard output. */
static int elsewhere(const char *path, const char *from)
{
    struct sim_log log = { 0 };
    struct err err = ERR_INIT;
    auto_buf struct buf out = BUF_INIT;
    int rc = sim_log_load(&log, path, &err);
    if (!rc)
        rc = sim_replay(&log, (size_t)strtoull(from, NULL, 10), sim_site(0, true), &out, &err);
    if (rc)
        fprintf(stderr, "%s\n", err.text);
    else if (fwrite(out.s, 1, out.len, stdout) != out.len)
        rc = EIO;
    sim_log_clear(&log);
    return rc != 0;
}

static int ask_elsewhere(const char *self, const char *path, size_t from, struct buf *out)
{
    int fds[2], status = 0;
    char number[32];
    snprintf(number, sizeof(number), "%zu", from);
    if (pipe2(fds, O_CLOEXEC))
        return errno;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        dup2(fds[1], 1);
        setenv("TZ", "Pacific/Chatham", 1);
        execl(self, self, path, number, NULL);
        _exit(127);
    }
    close(fds[1]);
    int rc = buf_read(out, fds[0], 1u << 30);
    close(fds[0]);
    return waitpid(pid, &status, 0) == pid && !status ? rc : EIO;
}

static bool same(const struct buf *a, const struct buf *b)
{
    return a->len && a->len == b->len && !memcmp(a->s, b->s, a->len);
}

/* `log` is saved, and read again by others. */
static void test_log(const char *self, const struct sim_log *log, const char *what)
{
    struct err err = ERR_INIT;
    auto_buf struct buf here = BUF_INIT;
    char path[] = "/tmp/spur-replay-XXXXXX";
    int fd = mkstemp(path);
    if (fd >= 0)
        close(fd);
    if (!ok(!sim_replay(log, SIZE_MAX, sim_site(60, false), &here, &err) && !sim_log_save(log, path, &err),
            "%s: %zu entries", what, log->entries.n))
        return;
    size_t wrong = 0;
    for (size_t from = 0; from <= log->snaps.n; from++) {
        auto_buf struct buf there = BUF_INIT;
        wrong += ask_elsewhere(self, path, from, &there) || !same(&here, &there);
    }
    ok(!wrong, "%s: elsewhere, from the start and from each of %zu snapshots, the same %zu bytes", what, log->snaps.n,
       here.len);
    unlink(path);
}

static void test_seed(const char *self, uint64_t seed, enum sim_rules rules)
{
    struct sim_conf conf = { .seed = seed, .nodes = 60, .jobs = 400, .controllers = 2, .faults = true, .rules = rules };
    struct err err = ERR_INIT;
    struct sim *s = sim_new(&conf);
    ok(!sim_run(s, &err), "seed %llu: %s", (unsigned long long)seed,
       err.code ? err.text : "the simulation keeps its promises");
    struct sim_log cut = *sim_log(s);
    test_log(self, &cut, "the whole log");
    /* In the middle the cluster is full: everything is in use. */
    cut.entries.n /= 2;
    while (cut.snaps.n && cut.snaps.at[cut.snaps.n - 1].entries > cut.entries.n)
        cut.snaps.n--;
    test_log(self, &cut, "half of it");
    sim_free(s);
}

int main(int argc, char **argv)
{
    log_open("replay", LOG_FATAL);
    if (argc == 3)
        return elsewhere(argv[1], argv[2]);
    for (uint64_t seed = 1; seed <= 3; seed++)
        test_seed("/proc/self/exe", seed, RULES_NONE);
    test_seed("/proc/self/exe", 4, RULES_QOS);
    test_seed("/proc/self/exe", 5, RULES_SHORT); /* with what was learned of those that ended */
    return test_done();
}
