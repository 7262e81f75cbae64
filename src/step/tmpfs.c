/* tmpfs - private folders: a job's mount namespace, created and entered; see tmpfs.h. */
#include "step/tmpfs.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "step/spawner.h"
#include "step/tmpfs_priv.h"

/* The step that creates the namespace. */
struct maker {
    struct step_key key;
    const char *script; /* path of the batch script; NULL: none */
    int job_fd;         /* its folder */
};

struct plan {
    char *base, *dirs, *init, *clone; /* scripts: "-" for none */
    int shared, entire;
    unsigned long long wait_s;
    char *job; /* <base>/<job>.<attempt> */
};

#define auto_plan __attribute__((cleanup(plan_clear)))

static void plan_clear(struct plan *p)
{
    char *texts[] = { p->base, p->dirs, p->init, p->clone, p->job };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
}

static bool parse(struct plan *p, const char *text, struct step_key key)
{
    const char *pos = text;
    p->base = str_next(&pos, "\n");
    p->dirs = str_next(&pos, "\n");
    auto_free char *numbers = str_next(&pos, "\n");
    p->init = str_next(&pos, "\n");
    p->clone = str_next(&pos, "\n");
    p->job = mem_printf("%s/%u.%u", p->base ? p->base : "", key.job_id, key.attempt);
    return p->clone && sscanf(numbers, "%d %d %llu", &p->shared, &p->entire, &p->wait_s) == 3;
}

/* ---- inside the new namespace ---- */

/* "/var/tmp" -> "<job>/_var_tmp", writable for all users like the folder that it replaces. */
static int bind_private(const struct plan *p, const char *dir)
{
    auto_free char *name = mem_str(dir);
    for (char *c = name; *c; c++)
        *c = *c == '/' ? '_' : *c;
    auto_free char *from = mem_printf("%s/%s", p->job, name);
    if ((mkdir(from, 0700) && errno != EEXIST) || chmod(from, 01777))
        return errno;
    return mount(from, dir, NULL, MS_BIND, NULL) ? errno : 0;
}

static int make_private(const struct plan *p, const char *dir)
{
    if (str_eq(dir, "/dev/shm"))
        return mount("tmpfs", dir, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") ? errno : 0;
    return bind_private(p, dir);
}

/* The batch script must be visible at its path, even when the spool is below a folder that is private now. */
static void show_spool(const struct maker *s, const char *dir)
{
    auto_free char *path = mem_str(s->script);
    char *slash = path ? strrchr(path, '/') : NULL, from[64];
    size_t len = strlen(dir);
    if (!slash || strncmp(path, dir, len) || path[len] != '/')
        return;
    *slash = '\0';
    for (char *c = path + len + 1; (c = strchr(c, '/')); *c++ = '/') {
        *c = '\0';
        mkdir(path, 0755);
    }
    mkdir(path, 0755);
    snprintf(from, sizeof(from), "/proc/self/fd/%d", s->job_fd);
    mount(from, path, NULL, MS_BIND, NULL);
}

static int fill(const struct maker *s, const struct plan *p)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | (p->shared ? MS_SLAVE : MS_PRIVATE), NULL))
        return errno;
    int rc = 0;
    const char *pos = p->dirs;
    for (char *dir; !rc && (dir = str_next(&pos, ",")); free(dir)) {
        rc = make_private(p, dir);
        if (!rc)
            show_spool(s, dir);
    }
    return rc;
}

/* ---- creating it ---- */

/* A short-lived process that creates the namespace and waits until it is bound to the file. */
static _Noreturn void lender(const struct maker *s, const struct plan *p, int cpu, int tell, int wait)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(MAX(cpu, 0), &only);
    if (cpu >= 0)
        sched_setaffinity(0, sizeof(only), &only);
    int rc = fill(s, p);
    char end;
    if (write(tell, &rc, sizeof(rc)) == sizeof(rc))
        while (read(wait, &end, 1) < 0 && errno == EINTR)
            ;
    _exit(0);
}

static int keep(const char *file, pid_t pid)
{
    char from[64];
    snprintf(from, sizeof(from), "/proc/%d/ns/mnt", pid);
    auto_close int fd = open(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0400);
    return fd < 0 || mount(from, file, NULL, MS_BIND, NULL) ? errno : 0;
}

static int borrow(const struct maker *s, const struct plan *p, int cpu, const char *file)
{
    int up[2], down[2], rc = 0;
    if (pipe2(up, O_CLOEXEC))
        return errno;
    if (pipe2(down, O_CLOEXEC)) {
        rc = errno;
        close(up[0]), close(up[1]);
        return rc;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(up[0]), close(down[1]);
        lender(s, p, cpu, up[1], down[0]);
    }
    close(up[1]), close(down[0]);
    if (pid < 0)
        rc = errno;
    else if (read(up[0], &rc, sizeof(rc)) != sizeof(rc))
        rc = EPIPE;
    if (!rc)
        rc = keep(file, pid);
    close(up[0]), close(down[1]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return rc;
}

/* A mount namespace can be bound to a file only in an older namespace, by number.  New kernels allocate these numbers
 * in blocks per CPU: where this process is not in the machine's first namespace, a new one may have a lower number, and
 * is created again on another CPU. */
static int make(const struct maker *s, const struct plan *p, const char *file, struct err *err)
{
    int rc = str_eq(p->init, "-") ? 0 : tmpfs_script(p->init, s->key.job_id, NULL, p->wait_s);
    if (rc)
        return err_set(err, rc, "InitScript %s failed", p->init);
    rc = borrow(s, p, -1, file);
    for (int cpu = 0; rc == EINVAL && cpu < MIN(sysconf(_SC_NPROCESSORS_CONF), CPU_SETSIZE); cpu++)
        rc = borrow(s, p, cpu, file);
    if (rc)
        return err_set(err, rc, "cannot make private folders (%s) below %s: %s", p->dirs, p->job, strerror(rc));
    rc = str_eq(p->clone, "-") ? 0 : tmpfs_script(p->clone, s->key.job_id, file, p->wait_s);
    return rc ? err_set(err, rc, "CloneNSScript %s failed", p->clone) : 0;
}

static bool is_made(const char *file)
{
    struct stat here, ours;
    return !stat(file, &here) && !stat("/proc/self/ns/mnt", &ours) && here.st_dev == ours.st_dev;
}

/* A lock serializes the steps of a job that start together: the first creates the namespace. */
static int ensure(const struct maker *s, const struct plan *p, const char *file, struct err *err)
{
    auto_free char *lock = mem_printf("%s/" TMPFS_LOCK, p->job);
    if (is_made(file))
        return 0;
    if (mkdir(p->job, 0700) && errno != EEXIST)
        return err_set(err, errno, "cannot make %s: %m", p->job);
    auto_close int fd = open(lock, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX))
        return err_set(err, errno, "cannot lock %s: %m", lock);
    return is_made(file) ? 0 : make(s, p, file, err);
}

/* Open the namespace, created if need be. */
static int open_ns(const struct maker *m, const char *text, int *fd, bool *entire, struct err *err)
{
    auto_plan struct plan p = { 0 };
    if (!parse(&p, text, m->key))
        return err_set(err, EBADMSG, "the agent's word about private folders does not parse");
    auto_free char *file = mem_printf("%s/" TMPFS_NS, p.job);
    int rc = ensure(m, &p, file, err);
    *entire = p.entire;
    *fd = rc ? -1 : open(file, O_RDONLY | O_CLOEXEC);
    return rc || *fd >= 0 ? rc : err_set(err, errno, "cannot open %s: %m", file);
}

int tmpfs_prepare(struct step *s, struct err *err)
{
    const char *text = getenv(SPAWNER_TMPFS);
    struct maker m = { s->key, s->script, s->job_fd };
    bool entire = false;
    s->tmpfs_ns = -1;
    int rc = str_empty(text) ? 0 : open_ns(&m, text, &s->tmpfs_ns, &entire, err);
    if (!rc && entire && setns(s->tmpfs_ns, CLONE_NEWNS))
        rc = err_set(err, errno, "cannot enter the job's private folders: %m");
    return rc;
}

int tmpfs_join(const char *text, struct step_key key, struct err *err)
{
    struct maker m = { key, NULL, -1 };
    auto_close int fd = -1;
    bool entire;
    int rc = str_empty(text) ? 0 : open_ns(&m, text, &fd, &entire, err);
    return !rc && fd >= 0 && setns(fd, CLONE_NEWNS) ? err_set(err, errno, "cannot enter the job's private folders: %m")
                                                    : rc;
}

int tmpfs_enter(const struct step *s)
{
    return s->tmpfs_ns >= 0 && setns(s->tmpfs_ns, CLONE_NEWNS) ? errno : 0;
}
