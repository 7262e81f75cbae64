/* log - one line per fact; see log.h. */
#include "base/log.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static struct {
    const char *program;
    enum log_level level;
    int fd;
    int to_stderr;
    char path[PATH_MAX]; /* of the file, absolute; "": none */
} out = { "spur", LOG_INFO, -1, 1, "" };

void log_open(const char *program, enum log_level level)
{
    out.program = program;
    out.level = level;
}

int log_file(const char *path, int keep_stderr, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    if (fd < 0)
        return err_set(err, errno, "cannot open log file %s: %m", path);
    if (out.fd >= 0)
        close(out.fd);
    out.fd = fd;
    out.to_stderr = keep_stderr;
    if (path != out.path && !realpath(path, out.path)) /* a daemon changes its working folder later */
        snprintf(out.path, sizeof(out.path), "%s", path);
    return 0;
}

int log_reopen(struct err *err)
{
    return out.path[0] ? log_file(out.path, out.to_stderr, err) : 0;
}

void log_set_level(enum log_level level)
{
    out.level = level;
}

enum log_level log_level_word(const char *word)
{
    static const struct {
        const char *word;
        enum log_level level;
    } words[] = {
        { "quiet", LOG_FATAL }, { "fatal", LOG_FATAL },     { "error", LOG_ERROR },
        { "info", LOG_INFO },   { "verbose", LOG_VERBOSE }, { "debug", LOG_DEBUG },
    };
    for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++)
        if (!strncmp(word, words[i].word, strlen(words[i].word)))
            return words[i].level;
    return LOG_INFO;
}

enum log_level log_get_level(void)
{
    return out.level;
}

void log_line(enum log_level level, const char *fmt, ...)
{
    if (level > out.level)
        return;
    int saved = errno;
    char line[2048];
    struct tm tm;
    int64_t now_ms = clock_wall_ms();
    time_t now_s = (time_t)(now_ms / 1000);
    localtime_r(&now_s, &tm);
    size_t n = strftime(line, sizeof(line), "[%Y-%m-%dT%H:%M:%S", &tm);
    static const char *const words[] = { "fatal: ", "error: ", "", "", "debug: " };
    n += (size_t)snprintf(line + n, sizeof(line) - n, ".%03d] %s: %s", (int)(now_ms % 1000), out.program,
                          words[level]);
    va_list ap;
    va_start(ap, fmt);
    errno = saved;
    int k = vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
    va_end(ap);
    n = k < 0 ? n : (n + (size_t)k < sizeof(line) - 1 ? n + (size_t)k : sizeof(line) - 2);
    line[n++] = '\n';
    if (out.fd >= 0)
        (void)!write(out.fd, line, n);
    if (out.to_stderr)
        (void)!write(2, line, n);
    errno = saved;
}
