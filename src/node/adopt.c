/* adopt - find steps that were started before: by an earlier spurd, or by this one when it loses a supervisor. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/agent.h"
#include "node/isolate.h"

#define RETRY_MS 50

static int open_record(const struct agent *a, struct step_key key, int *jobdir)
{
    char name[SPOOL_NAME];
    if (spool_job_open(jobdir, a->spool, key, false, NULL))
        return -1;
    return openat(*jobdir, spool_file_name(name, key.step_id, "step"), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- a supervisor that is dead ---- */

/* Does /proc/PID/environ hold `word` as one of its variables? */
static bool has_variable(const char *pid, const char *word)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    auto_buf struct buf env = BUF_INIT;
    if (buf_read_file(&env, path, 1 << 22))
        return false;
    for (size_t at = 0; at < env.len; at += strlen(env.s + at) + 1)
        if (!strcmp(env.s + at, word))
            return true;
    return false;
}

/* The tasks died with their supervisor; processes that they left behind are found by a variable of their
 * environment. */
static void kill_orphans(const struct step_run *r)
{
    char mark[SPOOL_MARK];
    isolate_end_step(r->agent, r->key);
    auto_free char *word = mem_printf(SPOOL_STEP_VARIABLE "=%s", spool_step_mark(mark, r->key, r->agent->name));
    DIR *dir = opendir("/proc");
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[64];
        struct stat st;
        snprintf(path, sizeof(path), "/proc/%.20s", e->d_name);
        if (e->d_name[0] < '1' || e->d_name[0] > '9' || stat(path, &st) || st.st_uid != r->uid)
            continue;
        if (has_variable(e->d_name, word))
            kill(atoi(e->d_name), SIGKILL);
    }
    if (dir)
        closedir(dir);
}

static void retry_cb(uv_timer_t *t)
{
    adopt_ended(t->data);
}

static void try_again(struct step_run *r)
{
    if (!r->retry) {
        r->retry = NEW(uv_timer_t);
        uv_timer_init(r->agent->loop, r->retry);
        r->retry->data = r;
    }
    uv_timer_start(r->retry, retry_cb, RETRY_MS, 0);
}

/* The step's lock is held, so its supervisor is alive and will listen as soon as it notices that its agent is gone. */
static void reconnect(struct step_run *r, int jobdir)
{
    char name[SPOOL_NAME], path[SPOOL_NAME + 64];
    spool_file_name(name, r->key.step_id, "sock");
    if (faccessat(jobdir, name, F_OK, 0)) {
        try_again(r);
        return;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", jobdir, name);
    r->supervisor = link_connect_unix(r->agent->loop, path, LINK_CHILD, &supervisor_ops, r);
}

void adopt_ended(struct step_run *r)
{
    int dir = -1;
    auto_close int record = open_record(r->agent, r->key, &dir);
    auto_close int jobdir = dir;
    if (record < 0) {
        report_lost(r, "its place in the spool is gone");
        return;
    }
    bool alive = spool_alive(record); /* before reading: the supervisor writes the report before it exits */
    auto_buf struct buf text = BUF_INIT;
    struct spool_record rec;
    Pb__Report *report = NULL;
    if (!spool_read(record, &text, &rec, NULL) && rec.report.data)
        report = pb__report__unpack(NULL, rec.report.len, rec.report.data);
    if (report) {
        report_end(r, report);
    } else if (alive) {
        reconnect(r, jobdir);
    } else {
        kill_orphans(r);
        report_lost(r, "its supervisor died");
    }
}

/* ---- after a restart ---- */

/* Read the step's user from the order.  False: the agent died between the claim and the start of a supervisor, so
 * nothing has run. */
static bool look(int jobdir, struct step_run *r)
{
    char name[SPOOL_NAME];
    auto_close int fd = openat(jobdir, spool_file_name(name, r->key.step_id, "step"), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    auto_buf struct buf text = BUF_INIT;
    struct spool_record rec = { 0 };
    bool alive = fd >= 0 && spool_alive(fd); /* before reading: it may record its start and exit meanwhile */
    if (fd >= 0)
        spool_read(fd, &text, &rec, NULL);
    Pb__LaunchOrder *o = rec.order.data ? pb__launch_order__unpack(NULL, rec.order.len, rec.order.data) : NULL;
    r->uid = o ? o->uid : UINT32_MAX;
    r->nodes = o ? mem_str(o->nodes) : NULL;
    if (o)
        pb__launch_order__free_unpacked(o, NULL);
    return alive || rec.started;
}

static bool adopt_one(void *arg, int jobdir, struct step_key key)
{
    struct agent *a = arg;
    struct step_run *r = run_add(a, key);
    bool started = look(jobdir, r);
    r->adopted = true;
    if (!started) {
        log_info("step was claimed and never started: the order may come again step=%s attempt=%u", run_text(key),
                 key.attempt);
        launched_log_forget(&a->launched, key);
        run_drop(r);
        return true;
    }
    if (!launched_log_has(&a->launched, key))
        launched_log_add(&a->launched, key, a->start_s * 1000);
    adopt_ended(r);
    log_info("step found again step=%s attempt=%u %s", run_text(key), key.attempt,
             !r->report        ? "running"
             : r->report->lost ? "lost"
                               : "ended");
    return true;
}

void adopt_step(struct agent *a, struct step_key key)
{
    auto_close int jobdir = -1;
    if (!spool_job_open(&jobdir, a->spool, key, false, NULL))
        adopt_one(a, jobdir, key);
}

/* After a reboot no lock is held, so every step without a report is found dead; this only writes a log line. */
static void note_boot(const struct agent *a)
{
    char before[64] = "";
    auto_close int fd = openat(a->spool, "boot_id", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    ssize_t n = fd < 0 ? 0 : pread(fd, before, sizeof(before) - 1, 0);
    before[MAX(n, 0)] = '\0';
    if (n > 0 && !str_eq(before, a->boot_id))
        log_info("the node has been rebooted since spurd ran last before=%s now=%s", before, a->boot_id);
    if (fd >= 0 && (ftruncate(fd, 0) || pwrite(fd, a->boot_id, strlen(a->boot_id), 0) < 0))
        log_error("cannot note the boot id in the spool: %m");
}

int adopt_all(struct agent *a, struct err *err)
{
    note_boot(a);
    return spool_each(a->spool, adopt_one, a, err);
}
