/* sync_guard - see sync_guard.h. */
#include "store/sync_guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 5000 /* for the restart: the loop notices within a heartbeat */

enum { GUARD_QUIET, GUARD_NOTING, GUARD_FAILED };
static struct {
    size_t segment_bytes;
    atomic_int state;
    char path[PATH_MAX];
} guard;

void sync_guard_install(size_t segment_bytes)
{
    guard.segment_bytes = segment_bytes;
}

const char *sync_guard_failed(const char *dir)
{
    if (atomic_load(&guard.state) != GUARD_FAILED || !dir)
        return NULL;
    size_t n = strlen(dir);
    return !strncmp(guard.path, dir, n) && guard.path[n] == '/' ? guard.path + n + 1 : NULL;
}

static bool sync_guard_note(int fd)
{
    char link[64], path[PATH_MAX];
    struct stat st;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof(path) - 1);
    if (n < 0 || fstat(fd, &st) || (size_t)st.st_size == guard.segment_bytes)
        return false;
    path[n] = '\0';
    const char *slash = strrchr(path, '/');
    int quiet = GUARD_QUIET;
    if (!slash || strncmp(slash, "/open-", 6) || !atomic_compare_exchange_strong(&guard.state, &quiet, GUARD_NOTING))
        return false;
    memcpy(guard.path, path, (size_t)n + 1);
    atomic_store(&guard.state, GUARD_FAILED);
    return true;
}

/* At a start libraft closes segments on the main thread, and refuses to start when that fails. */
static int sync_guard_check(int fd, int rc)
{
    int code = errno;
    if (rc && guard.segment_bytes && gettid() != getpid() && sync_guard_note(fd))
        for (int ms = 0; ms < WAIT_MS; ms += 50)
            nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
    errno = code;
    return rc;
}

typedef int sync_fn(int fd);

/* The next definition is libc's, or that of a library which lets calls fail for a test. */
static int sync_guard_call(const char *name, int fd)
{
    sync_fn *next;
    *(void **)&next = dlsym(RTLD_NEXT, name);
    if (!next) {
        errno = ENOSYS;
        return -1;
    }
    return sync_guard_check(fd, next(fd));
}

int fsync(int fd)
{
    return sync_guard_call("fsync", fd);
}

int fdatasync(int fd)
{
    return sync_guard_call("fdatasync", fd);
}
