/* tmpfs_node - private folders: their base on this node, and their removal; see tmpfs.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "step/rmtree.h"
#include "step/tmpfs_priv.h"

static bool is_mount(const char *path)
{
    auto_file FILE *f = setmntent("/proc/self/mounts", "re");
    for (struct mntent *m; f && (m = getmntent(f));)
        if (str_eq(m->mnt_dir, path))
            return true;
    return false;
}

static bool holds_namespace(const char *file)
{
    struct statfs fs;
    return !statfs(file, &fs) && fs.f_type == NSFS_MAGIC;
}

/* Remove a job's folder of `base`; processes of the job may still write to it. */
static int remove_job(const char *base, const char *name)
{
    auto_close int dir = open(base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return dir < 0 ? errno : rmtree(dir, name);
}

/* "12.1" */
static bool is_job(const char *name)
{
    uint32_t job, attempt;
    int end = 0;
    return sscanf(name, "%u.%u%n", &job, &attempt, &end) == 2 && !name[end];
}

/* After a reboot files are left without namespaces: remove them, their jobs are over. */
static void sweep(const char *base)
{
    DIR *dir = opendir(base);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        auto_free char *ns = mem_printf("%s/%s/" TMPFS_NS, base, e->d_name);
        if (is_job(e->d_name) && !holds_namespace(ns))
            remove_job(base, e->d_name);
    }
    if (dir)
        closedir(dir);
}

int tmpfs_open_base(const char *base, bool create, struct err *err)
{
    struct stat st;
    if (create && mkdir(base, 0755) && errno != EEXIST)
        return err_set(err, errno, "cannot make BasePath=%s of job_container.conf: %m", base);
    if (lstat(base, &st))
        return err_set(err, errno, "BasePath=%s of job_container.conf: %m (AutoBasePath=true makes it)", base);
    if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
        return err_set(err, EPERM,
                       "BasePath=%s of job_container.conf must be a folder of root's that only root may write", base);
    if (!is_mount(base) && mount(base, base, NULL, MS_BIND, NULL))
        return err_set(err, errno, "cannot mount BasePath=%s of job_container.conf: %m", base);
    if (mount(NULL, base, NULL, MS_PRIVATE, NULL))
        return err_set(err, errno, "cannot make the mount of BasePath=%s private: %m", base);
    sweep(base);
    return 0;
}

void tmpfs_close_base(const char *base)
{
    DIR *dir = opendir(base);
    bool used = !dir;
    for (struct dirent *e; dir && (e = readdir(dir));)
        used |= e->d_name[0] != '.';
    if (dir)
        closedir(dir);
    if (!used)
        umount2(base, MNT_DETACH);
}

char *tmpfs_text(const struct container_conf *c, const char *base)
{
    return mem_printf("%s\n%s\n%d %d %llu\n%s\n%s\n", base, c->dirs, c->shared, c->entire_step,
                      (unsigned long long)c->clone_script_wait_s, c->init_script ? c->init_script : "-",
                      c->clone_script ? c->clone_script : "-");
}

bool tmpfs_is_there(const char *base, uint32_t job_id, uint32_t attempt)
{
    auto_free char *dir = mem_printf("%s/%u.%u", base, job_id, attempt);
    return !access(dir, F_OK);
}

int tmpfs_remove(const struct container_conf *c, const char *base, uint32_t job_id, uint32_t attempt)
{
    auto_free char *name = mem_printf("%u.%u", job_id, attempt), *ns = mem_printf("%s/%s/" TMPFS_NS, base, name);
    if (c->clone_epilog && holds_namespace(ns))
        tmpfs_script(c->clone_epilog, job_id, ns, c->clone_epilog_wait_s);
    umount2(ns, MNT_DETACH | UMOUNT_NOFOLLOW);
    return remove_job(base, name);
}

/* ---- scripts ---- */

static _Noreturn void exec_script(const char *path, uint32_t job_id, const char *ns)
{
    char job[48], space[1100] = "SLURM_NS=";
    char *argv[] = { (char *)path, NULL };
    char *env[] = { job, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", ns ? space : NULL, NULL };
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGCHLD, SIG_DFL);
    setpgid(0, 0);
    snprintf(job, sizeof(job), "SLURM_JOB_ID=%u", job_id);
    snprintf(space, sizeof(space), "SLURM_NS=%s", ns ? ns : "");
    execve(path, argv, env);
    _exit(127);
}

int tmpfs_script(const char *path, uint32_t job_id, const char *ns, uint64_t wait_s)
{
    pid_t pid = fork();
    if (pid == 0)
        exec_script(path, job_id, ns);
    if (pid < 0)
        return errno;
    auto_close int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd p = { fd, POLLIN, 0 };
    int ms = (int)MIN(wait_s * 1000, 3600000ull), status = 0;
    if (fd >= 0 && poll(&p, 1, ms) == 0) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return ETIMEDOUT;
    }
    if (waitpid(pid, &status, 0) < 0)
        return 0; /* reaped elsewhere: its status is unknown */
    return status ? ECHILD : 0;
}
