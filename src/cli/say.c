/* say - lines to the user on stderr; see say.h. */
#include "cli/say.h"

#include <errno.h>
#include <unistd.h>

#include "base/str.h"
#include "cli/cli.h"

const char *say_name = "spur";
char *const *say_argv = (char *const[]){ NULL };

/* One write a line, so that lines of several commands do not mix. */
static void say_line(const char *kind, const char *fmt, va_list ap)
{
    auto_buf struct buf b = BUF_INIT;
    buf_addf(&b, "%s: %s", say_name, kind);
    buf_addv(&b, fmt, ap);
    buf_addc(&b, '\n');
    fflush(stdout);
    fwrite(b.s, 1, b.len, stderr);
}

#define SAY(kind)         \
    va_list ap;           \
    va_start(ap, fmt);    \
    say_line(kind, fmt, ap);  \
    va_end(ap)

void say_error(const char *fmt, ...)
{
    SAY("error: ");
}

void say_fatal(const char *fmt, ...)
{
    SAY("fatal: ");
}

void say_info(const char *fmt, ...)
{
    SAY("");
}

void say_verbose(unsigned verbose, const char *fmt, ...)
{
    if (!verbose)
        return;
    SAY("");
}

void say_version(struct buf *out)
{
    if (str_eq(say_name, "spur"))
        buf_addf(out, "spur %s\n", SPUR_VERSION);
    else
        buf_addf(out, "slurm %s\n", CLI_SLURM_VERSION);
}

int say_exit_by(const char *variable, int otherwise)
{
    uint64_t n;
    const char *text = getenv(variable);
    return text && str_u64(text, 0, 255, &n) ? (int)n : otherwise;
}

int say_exit(int otherwise)
{
    return say_exit_by("SLURM_EXIT_ERROR", otherwise);
}

bool say_flush(struct buf *out)
{
    size_t done = 0;
    while (done < out->len) {
        ssize_t n = write(STDOUT_FILENO, out->s + done, out->len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    bool all = done == out->len;
    buf_reset(out);
    return all;
}
