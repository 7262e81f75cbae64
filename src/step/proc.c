/* proc - one process as /proc shows it; see proc.h. */
#include "step/proc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define TEXT_MAX 1024

static bool slurp(pid_t pid, const char *name, char text[static TEXT_MAX])
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT_MAX - 1);
    text[MAX(n, 0)] = '\0';
    return n > 0;
}

static uint64_t ticks_us(uint64_t ticks)
{
    static uint64_t hz;
    if (!hz)
        hz = (uint64_t)MAX(sysconf(_SC_CLK_TCK), 1);
    return ticks * 1000000 / hz;
}

bool proc_parse_stat(const char *text, struct proc *out)
{
    const char *p = strrchr(text, ')');
    uint64_t majflt, cmajflt, user, sys, cuser, csys, vm;
    int64_t rss;
    int parent, group;
    if (!p || sscanf(p + 1,
                     " %*c %d %d %*d %*d %*d %*u %*u %*u %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                     " %" SCNu64 " %*d %*d %*d %*d %*u %" SCNu64 " %" SCNd64,
                     &parent, &group, &majflt, &cmajflt, &user, &sys, &cuser, &csys, &vm, &rss) != 10)
        return false;
    out->parent = parent;
    out->group = group;
    out->user_us = ticks_us(user + cuser);
    out->sys_us = ticks_us(sys + csys);
    out->pages = majflt + cmajflt;
    out->vm_kb = vm / 1024;
    out->rss_kb = (uint64_t)MAX(rss, 0) * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    return true;
}

bool proc_read_io(pid_t pid, struct proc *out)
{
    char text[TEXT_MAX];
    return slurp(pid, "io", text) &&
           sscanf(text, "rchar: %" SCNu64 " wchar: %" SCNu64, &out->read_bytes, &out->write_bytes) == 2;
}

bool proc_read(pid_t pid, struct proc *out)
{
    char text[TEXT_MAX];
    *out = (struct proc){ .pid = pid };
    if (!slurp(pid, "stat", text) || !proc_parse_stat(text, out))
        return false;
    proc_read_io(pid, out);
    return true;
}
