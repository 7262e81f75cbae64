/* rmtree - removal without following links; see rmtree.h. */
#include "step/rmtree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"

#define PASSES_MAX 64 /* passes that left something: a process still writes, or a mount is there */

/* The folder `name` in `dir`: neither a link to one nor a mount point. */
static int open_folder(int dir, const char *name)
{
    struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                            .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH };
    int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
        return fd;
    /* Kernels before 5.6 and some sandboxes lack openat2: then only mounts of another file system are detected. */
    struct stat here, there;
    fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (!fstat(dir, &here) && !fstat(fd, &there) && here.st_dev == there.st_dev))
        return fd;
    close(fd);
    errno = EXDEV;
    return -1;
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* A stream over `dir` from its first entry; the caller keeps the descriptor. */
static DIR *list(int dir)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    if (!d && copy >= 0)
        close(copy);
    return d;
}

/* Empty the folder `sub` of `top`: delete its files, move its folders up into `top`.  So no path is ever deeper than
 * two. */
static void flatten(int top, int sub, uint64_t *moved)
{
    DIR *d = list(sub);
    for (struct dirent *e; d && (e = readdir(d));) {
        char name[32];
        if (is_dots(e->d_name) || !unlinkat(sub, e->d_name, 0) || errno != EISDIR)
            continue;
        if (!unlinkat(sub, e->d_name, AT_REMOVEDIR))
            continue;
        snprintf(name, sizeof(name), ".removed%llu", (unsigned long long)++*moved);
        renameat2(sub, e->d_name, top, name, RENAME_NOREPLACE);
    }
    if (d)
        closedir(d);
}

static void remove_entry(int top, const char *name, uint64_t *moved)
{
    if (!unlinkat(top, name, 0) || errno != EISDIR || !unlinkat(top, name, AT_REMOVEDIR))
        return;
    auto_close int sub = open_folder(top, name);
    if (sub < 0)
        return;
    flatten(top, sub, moved);
    unlinkat(top, name, AT_REMOVEDIR);
}

static void remove_all(int top, uint64_t *moved)
{
    DIR *d = list(top);
    for (struct dirent *e; d && (e = readdir(d));)
        if (!is_dots(e->d_name))
            remove_entry(top, e->d_name, moved);
    if (d)
        closedir(d);
}

int rmtree(int dir, const char *name)
{
    auto_close int top = open_folder(dir, name);
    if (top < 0)
        return errno == ENOENT ? 0 : errno;
    uint64_t moved = 0;
    for (int idle = 0; idle < PASSES_MAX;) {
        uint64_t before = moved;
        remove_all(top, &moved);
        if (!unlinkat(dir, name, AT_REMOVEDIR) || errno == ENOENT)
            return 0;
        if (errno != ENOTEMPTY && errno != EEXIST)
            return errno;
        idle += moved == before;
    }
    return ENOTEMPTY;
}
