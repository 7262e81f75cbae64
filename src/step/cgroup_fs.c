/* cgroup_fs - reading and writing the kernel's files, killing the processes of a folder; see cgroup_priv.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "step/cgroup_priv.h"

#define KILL_ROUNDS 100 /* enough for processes that keep forking; newer kernels freeze or kill a cgroup as a whole */
#define RMDIR_TRIES 20
#define RMDIR_PAUSE_NS 500000L

static int open_in(const char *dir, const char *file, int flags)
{
    char path[CGROUP_PATH + 64];
    snprintf(path, sizeof(path), "%s/%s", dir, file);
    return open(path, flags | O_CLOEXEC);
}

int cgroup_write(const char *dir, const char *file, const char *text)
{
    auto_close int fd = open_in(dir, file, O_WRONLY);
    return fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
}

int cgroup_writef(const char *dir, const char *file, const char *fmt, ...)
{
    char text[4096];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return cgroup_write(dir, file, text);
}

bool cgroup_read(const char *dir, const char *file, char *out, size_t room)
{
    auto_close int fd = open_in(dir, file, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, out, room - 1);
    out[MAX(n, 0)] = '\0';
    return n >= 0;
}

bool cgroup_number(const char *dir, const char *file, const char *key, uint64_t *out)
{
    char text[8192];
    if (!cgroup_read(dir, file, text, sizeof(text)))
        return false;
    size_t len = key ? strlen(key) : 0;
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (!key || (!strncmp(p, key, len) && p[len] == ' ')) {
            *out = strtoull(p + len, NULL, 10);
            return true;
        }
    return false;
}

bool cgroup_has(const char *dir, const char *file)
{
    char path[CGROUP_PATH + 64];
    snprintf(path, sizeof(path), "%s/%s", dir, file);
    return !access(path, F_OK);
}

void cgroup_copy_cpuset(const char *parent, const char *dir)
{
    static const char *const files[] = { "cpuset.cpus", "cpuset.mems" };
    char text[4096];
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (cgroup_read(parent, files[i], text, sizeof(text)))
            cgroup_write(dir, files[i], str_trim(text));
}

/* ---- ending ---- */

static void pause_ns(long ns)
{
    struct timespec t = { 0, ns };
    nanosleep(&t, NULL);
}

/* Send SIGKILL to each listed process; returns their number. */
static size_t kill_listed(const char *dir)
{
    auto_buf struct buf text = BUF_INIT;
    auto_close int fd = open_in(dir, "cgroup.procs", O_RDONLY);
    size_t n = 0;
    if (fd < 0 || buf_read(&text, fd, 1 << 24) || !text.s)
        return 0;
    char *p = text.s;
    for (char *end; *p; p = end + (*end == '\n')) {
        long pid = strtol(p, &end, 10);
        if (end == p)
            break;
        if (pid > 1 && pid != getpid() && !kill((pid_t)pid, SIGKILL))
            n++;
    }
    return n;
}

bool cgroup_freeze_dir(const char *dir, bool v2, bool frozen)
{
    return !(v2 ? cgroup_write(dir, "cgroup.freeze", frozen ? "1" : "0")
                : cgroup_write(dir, "freezer.state", frozen ? "FROZEN" : "THAWED"));
}

/* Frozen processes cannot fork; a killed process dies when it thaws. */
bool cgroup_kill_dir(const char *dir, bool v2)
{
    if (v2 && !cgroup_write(dir, "cgroup.kill", "1"))
        return true;
    bool frozen = cgroup_freeze_dir(dir, v2, true);
    int rounds = 0;
    while (kill_listed(dir) && !frozen && ++rounds < KILL_ROUNDS)
        ;
    cgroup_freeze_dir(dir, v2, false);
    return frozen || cgroup_has(dir, "cgroup.procs");
}

int cgroup_rmdir(const char *dir)
{
    for (int i = 0;; i++) {
        if (!rmdir(dir) || errno == ENOENT)
            return 0;
        if (errno != EBUSY || i == RMDIR_TRIES)
            return errno;
        pause_ns(RMDIR_PAUSE_NS);
    }
}

/* ---- names ---- */

/* A tree without limits needs no folder per job: most jobs are short, and folders are half of the cost of cgroups. */
static bool is_flat(const struct cgroup_tree *t)
{
    return t->what == 1u << CGROUP_TRACK;
}

void cgroup_job_dir(char out[static CGROUP_PATH], const struct cgroup_tree *t, struct step_key key)
{
    if (is_flat(t))
        cgroup_step_dir(out, t, key);
    else
        snprintf(out, CGROUP_PATH, "%s/job_%u.%u", t->dir, key.job_id, key.attempt);
}

void cgroup_step_dir(char out[static CGROUP_PATH], const struct cgroup_tree *t, struct step_key key)
{
    char name[SPOOL_NAME];
    spool_step_name(name, key.step_id);
    if (!is_flat(t) && !t->v2 && key.step_id == PB__STEP_NUMBER__STEP_BATCH)
        cgroup_job_dir(out, t, key); /* the batch step has the job's limits */
    else
        snprintf(out, CGROUP_PATH, "%s/job_%u.%u%cstep_%s", t->dir, key.job_id, key.attempt, is_flat(t) ? '.' : '/',
                 name);
}
