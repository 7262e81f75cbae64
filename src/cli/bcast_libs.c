/* bcast_libs - the shared libraries that a program needs; see bcast_libs.h. */
#include "cli/bcast_libs.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "cli/say.h"

#define LDD_MAX (1u << 20)

extern char **environ;

/* "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x...)"; the loader itself stands without an arrow. */
char *bcast_lib_of(const char *line)
{
    const char *arrow = strstr(line, "=> ");
    const char *path = arrow ? arrow + 3 : line + strspn(line, " \t");
    if (*path != '/')
        return NULL;
    const char *end = strstr(path, " (0x");
    return mem_strn(path, end ? (size_t)(end - path) : strcspn(path, "\n"));
}

static bool path_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    return !strncmp(path, folder, n) && (path[n] == '/' || n == 1);
}

static bool path_excluded(const char *path, const struct strs *folders)
{
    for (size_t i = 0; i < folders->n; i++)
        if (path_below(path, folders->at[i]))
            return true;
    return false;
}

static void read_exclude(const char *text, struct strs *out)
{
    const char *pos = text;
    if (str_ieq(text, "none"))
        return;
    for (char *one; (one = str_next(&pos, ","));) {
        if (*one == '/') {
            strs_take(out, one);
        } else {
            say_error("Ignoring non-absolute excluded path: '%s'", one);
            free(one);
        }
    }
}

/* What ldd prints. */
static void ask_ldd(const char *program, struct buf *out)
{
    int fd[2];
    if (pipe2(fd, O_CLOEXEC))
        return;
    auto_close int from = fd[0];
    char *argv[] = { "ldd", "--", (char *)program, NULL };
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_adddup2(&fa, fd[1], 1);
    posix_spawn_file_actions_addopen(&fa, 2, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int rc = posix_spawnp(&pid, "ldd", &fa, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&fa);
    close(fd[1]);
    if (rc) {
        say_error("cannot run ldd to find the libraries of %s: %s", program, strerror(rc));
        return;
    }
    buf_read(out, from, LDD_MAX);
    while (waitpid(pid, &rc, 0) < 0 && errno == EINTR)
        ;
}

void bcast_libs(const char *program, const char *exclude, struct strs *out)
{
    auto_strs struct strs folders = STRS_INIT;
    auto_buf struct buf text = BUF_INIT;
    auto_free char *full = realpath(program, NULL);
    read_exclude(exclude, &folders);
    ask_ldd(full ? full : program, &text);
    const char *pos = text.s;
    for (char *line; pos && (line = str_next(&pos, "\n")); free(line)) {
        char *path = bcast_lib_of(line);
        if (path && !path_excluded(path, &folders))
            strs_take(out, path);
        else
            free(path);
    }
}
