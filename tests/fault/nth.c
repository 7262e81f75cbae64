/*
 * nth - a library for LD_PRELOAD that lets the n-th call of one kind fail, once.
 *
 *   NTH_OP      write (to a regular file), sync, fork (or posix_spawn), connect
 *   NTH         which call of that kind, counted in each process from 1
 *   NTH_ERRNO   the error it fails with
 *   NTH_MARK    a file that is made by the failing call: there is one failure, however many processes have this library
 *   NTH_PROG    name of the program that it is for; other programs are left alone
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long count;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static bool is_file(int fd)
{
    struct stat st;
    return fd > 2 && !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Whether this call is the one; errno is set then. */
static bool hit(const char *op)
{
    const char *want = getenv("NTH_OP"), *n = getenv("NTH"), *mark = getenv("NTH_MARK"), *prog = getenv("NTH_PROG");
    if (!want || strcmp(want, op) || !n || !mark || (prog && strcmp(prog, program_invocation_short_name)))
        return false;
    if (atomic_fetch_add(&count, 1) + 1 != atol(n))
        return false;
    int fd = (int)REAL(syscall)(SYS_openat, AT_FDCWD, mark, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    close(fd);
    const char *error = getenv("NTH_ERRNO");
    errno = error ? atoi(error) : EIO;
    return true;
}

#define FAIL_OR(op, test, call)     \
    do {                            \
        if ((test) && hit(op))      \
            return -1;              \
        return call;                \
    } while (0)

ssize_t write(int fd, const void *p, size_t n)
{
    FAIL_OR("write", is_file(fd), REAL(write)(fd, p, n));
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
    FAIL_OR("write", is_file(fd), REAL(writev)(fd, v, n));
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    FAIL_OR("write", is_file(fd), REAL(pwrite)(fd, p, n, at));
}

ssize_t pwrite64(int fd, const void *p, size_t n, off_t at)
{
    FAIL_OR("write", is_file(fd), REAL(pwrite64)(fd, p, n, at));
}

ssize_t pwritev(int fd, const struct iovec *v, int n, off_t at)
{
    FAIL_OR("write", is_file(fd), REAL(pwritev)(fd, v, n, at));
}

ssize_t pwritev64(int fd, const struct iovec *v, int n, off_t at)
{
    FAIL_OR("write", is_file(fd), REAL(pwritev64)(fd, v, n, at));
}

int fsync(int fd)
{
    FAIL_OR("sync", true, REAL(fsync)(fd));
}

int fdatasync(int fd)
{
    FAIL_OR("sync", true, REAL(fdatasync)(fd));
}

int connect(int fd, const struct sockaddr *a, socklen_t n)
{
    FAIL_OR("connect", true, REAL(connect)(fd, a, n));
}

pid_t fork(void)
{
    FAIL_OR("fork", true, REAL(fork)());
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *acts, const posix_spawnattr_t *attr,
                char *const argv[], char *const envp[])
{
    return hit("fork") ? errno : REAL(posix_spawn)(pid, path, acts, attr, argv, envp);
}

/* libraft writes its segments by Linux AIO, which libc has no function for: submitted, and done with an error. */
long syscall(long number, ...)
{
    va_list ap;
    va_start(ap, number);
    long a[6];
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (number == SYS_io_submit && hit("write"))
        return -1;
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
