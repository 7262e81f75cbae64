/* reaper - every process that a step started; see reaper.h. */
#include "step/reaper.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"

typedef VEC(pid_t) pids;

int reaper_start(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) ? errno : 0;
}

/* ---- descendants of a process ---- */

/* The pids in one /proc/PID/task/TID/children. */
static bool add_children(const char *path, pids *out)
{
    auto_buf struct buf text = BUF_INIT;
    if (buf_read_file(&text, path, 1 << 22))
        return false;
    char *p = text.s;
    for (char *end; p && *p; p = end + (*end == ' ')) {
        long pid = strtol(p, &end, 10);
        if (end == p)
            break;
        vec_push(out, (pid_t)pid);
    }
    return true;
}

/* Every thread of a process has children of its own.  False: this kernel does not list them. */
static bool children_of(pid_t pid, pids *out)
{
    char path[96];
    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    DIR *dir = opendir(path);
    if (!dir)
        return true; /* the process is gone; its children have other parents */
    bool listed = true;
    for (struct dirent *e; listed && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children", pid, e->d_name);
        listed = add_children(path, out) || errno != ENOENT || access("/proc/thread-self/children", F_OK) == 0;
    }
    closedir(dir);
    return listed;
}

/* The parent in /proc/PID/stat: the second word after the name, which ends at the last ')'. */
static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (n <= 0)
        return -1;
    text[n] = '\0';
    const char *p = strrchr(text, ')');
    int parent;
    return p && sscanf(p + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

struct proc {
    pid_t pid, parent;
};

/* The slow way: read all processes of the machine. */
static void children_by_scan(pids *tree)
{
    VEC(struct proc) all = { 0 };
    DIR *dir = opendir("/proc");
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9') {
            vec_reserve(&all, all.n + 1);
            all.at[all.n].pid = (pid_t)atoi(e->d_name);
            all.at[all.n++].parent = parent_of(e->d_name);
        }
    if (dir)
        closedir(dir);
    for (size_t i = 0; i < tree->n; i++)
        for (size_t k = 0; k < all.n; k++)
            if (all.at[k].parent == tree->at[i])
                vec_push(tree, all.at[k].pid);
    vec_clear(&all);
}

/* `tree` holds the root; its descendants are appended. */
static void add_descendants(pids *tree)
{
    for (size_t i = 0; i < tree->n; i++)
        if (!children_of(tree->at[i], tree)) {
            tree->n = 1;
            children_by_scan(tree);
            return;
        }
}

void reaper_signal_all(int signo)
{
    pids tree = { 0 };
    vec_push(&tree, getpid());
    add_descendants(&tree);
    for (size_t i = 1; i < tree.n; i++)
        kill(tree.at[i], signo);
    vec_clear(&tree);
}

size_t reaper_list(pid_t **out)
{
    pids tree = { 0 };
    vec_push(&tree, getpid());
    add_descendants(&tree);
    vec_remove(&tree, 0);
    *out = tree.at;
    return tree.n;
}

static uint64_t micros(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static void add_usage(Pb__Usage *u, const struct rusage *ru)
{
    u->user_us += micros(ru->ru_utime);
    u->sys_us += micros(ru->ru_stime);
    u->max_rss_kb = MAX(u->max_rss_kb, (uint64_t)ru->ru_maxrss);
    u->read_bytes += (uint64_t)ru->ru_inblock * 512;
    u->write_bytes += (uint64_t)ru->ru_oublock * 512;
    u->pages += (uint64_t)ru->ru_majflt;
}

pid_t reaper_peek(void)
{
    siginfo_t si = { .si_pid = 0 };
    int rc;
    do
        rc = waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT);
    while (rc && errno == EINTR);
    return rc ? 0 : si.si_pid;
}

int reaper_next(struct reaped *out, Pb__Usage *usage)
{
    struct rusage ru;
    pid_t pid;
    do
        pid = wait4(-1, &out->status, WNOHANG, &ru);
    while (pid < 0 && errno == EINTR);
    if (pid <= 0)
        return pid < 0 ? -1 : 0;
    add_usage(usage, &ru);
    pb__usage__init(&out->usage);
    add_usage(&out->usage, &ru);
    out->pid = pid;
    return 1;
}
