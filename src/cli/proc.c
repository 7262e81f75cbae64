/* proc - what /proc knows of a process; see proc.h. */
#include "cli/proc.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

#define ENV_MAX ((size_t)4 << 20)

/* The name in /proc/PID/stat may hold blanks and brackets: fields count from the last one. */
bool proc_get(pid_t pid, struct proc *out)
{
    char path[64], state;
    int parent;
    long threads;
    unsigned long long start;
    auto_buf struct buf text = BUF_INIT;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (pid <= 0 || buf_read_file(&text, path, 4096) || !text.s)
        return false;
    const char *rest = strrchr(text.s, ')');
    if (!rest || sscanf(rest + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld %*d %llu",
                        &state, &parent, &threads, &start) != 4)
        return false;
    *out = (struct proc){ pid, parent, start };
    return (state != 'Z' && state != 'X') || threads > 1;
}

bool proc_same(const struct proc *p)
{
    struct proc now;
    return proc_get(p->pid, &now) && now.start == p->start;
}

bool proc_dying(pid_t pid)
{
    char path[64];
    auto_buf struct buf text = BUF_INIT;
    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    if (buf_read_file(&text, path, 65536) || !text.s || strstr(text.s, "\nState:\tZ"))
        return true;
    static const char *const fields[] = { "\nSigPnd:", "\nShdPnd:" };
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        const char *at = strstr(text.s, fields[i]);
        if (at && strtoull(at + strlen(fields[i]), NULL, 16) & 1ull << (SIGKILL - 1))
            return true;
    }
    return false;
}

void procs_read(struct procs *all)
{
    DIR *dir = opendir("/proc");
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct proc p;
        uint64_t pid;
        if (str_u64(e->d_name, 1, INT32_MAX, &pid) && proc_get((pid_t)pid, &p))
            vec_push(&all->list, p);
    }
    if (dir)
        closedir(dir);
}

void procs_clear(struct procs *all)
{
    vec_clear(&all->list);
}

static const struct proc *procs_find(const struct procs *all, pid_t pid)
{
    for (size_t i = 0; i < all->list.n; i++)
        if (all->list.at[i].pid == pid)
            return &all->list.at[i];
    return NULL;
}

bool procs_descends(const struct procs *all, const struct proc *p, pid_t ancestor)
{
    for (size_t depth = 0; p && depth < all->list.n; depth++, p = procs_find(all, p->parent))
        if (p->parent == ancestor)
            return true;
    return false;
}

bool proc_has_env(pid_t pid, const char *prefix)
{
    char path[64];
    auto_buf struct buf env = BUF_INIT;
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    if (buf_read_file(&env, path, ENV_MAX))
        return false;
    for (size_t at = 0; at < env.len; at += strlen(env.s + at) + 1)
        if (str_has_prefix(env.s + at, prefix))
            return true;
    return false;
}
