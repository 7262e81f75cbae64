/* srun_files - the -i, -o and -e of srun; see srun_files.h. */
#include "cli/srun_files.h"

#include <ctype.h>
#include <fcntl.h>

#include "base/str.h"

enum kind { OURS, NOTHING, ONE_TASK, OUR_FILE, THEIR_FILE };

static enum kind kind_of(const char *name, uint64_t *task)
{
    if (str_empty(name) || str_ieq(name, "all"))
        return OURS;
    if (str_ieq(name, "none"))
        return NOTHING;
    if (str_u64(name, 0, INT32_MAX - 1, task))
        return ONE_TASK;
    for (const char *p = strchr(name, '%'); p && p[1]; p = strchr(p + 2, '%')) {
        const char *letter = p + 1;
        while (isdigit((unsigned char)*letter))
            letter++;
        if (!*letter)
            break;
        if (*letter == 't' || *letter == 'n' || *letter == 'N')
            return THEIR_FILE;
        p = letter - 1;
    }
    return OUR_FILE;
}

static char *for_nodes(const char *name)
{
    uint64_t task;
    switch (kind_of(name, &task)) {
    case NOTHING:
        return "/dev/null";
    case THEIR_FILE:
        return (char *)name;
    case OURS:
    case ONE_TASK:
    case OUR_FILE:
        break;
    }
    return NULL;
}

void srun_files_ask(const struct job_opts *o, Pb__StepSpec *step)
{
    uint64_t task;
    char *in = for_nodes(o->std_in), *out = for_nodes(o->std_out), *err = for_nodes(o->std_err);
    if (in)
        step->std_in = in;
    if (out)
        step->std_out = out;
    if (err)
        step->std_err = err;
    else if (out && str_empty(o->std_err))
        step->std_err = out; /* stderr follows stdout unless it was said otherwise */
    if (kind_of(o->std_in, &task) == ONE_TASK)
        step->stdin_task = (int32_t)task + 1;
}

static void add_part(struct buf *b, char letter, int width, const struct srun_files_names *n)
{
    switch (letter) {
    case 'j':
    case 'A':
        buf_addf(b, "%0*u", width, n->job);
        break;
    case 's':
        buf_addf(b, "%0*u", width, n->step);
        break;
    case 'J':
        buf_addf(b, "%u.%u", n->job, n->step);
        break;
    case 'u':
        buf_adds(b, n->user);
        break;
    case 'x':
        buf_adds(b, n->name);
        break;
    case '%':
        buf_addc(b, '%');
        break;
    default:
        buf_addf(b, "%%%c", letter);
    }
}

char *srun_files_name(const char *pattern, const struct srun_files_names *n)
{
    auto_buf struct buf b = BUF_INIT;
    for (const char *p = pattern; *p; p++) {
        int width = 0;
        const char *letter = p + 1;
        if (*p == '%')
            for (; isdigit((unsigned char)*letter); letter++)
                width = MIN(width * 10 + (*letter - '0'), 10);
        if (*p != '%' || !*letter) {
            buf_addc(&b, *p);
            continue;
        }
        add_part(&b, *letter, width, n);
        p = letter;
    }
    return buf_take(&b);
}

static int open_out(const struct job_opts *o, const struct srun_files_names *n, const char *pattern, int *fd, struct err *err)
{
    auto_free char *name = srun_files_name(pattern, n);
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (o->spec.open_mode == 2 ? O_APPEND : O_TRUNC);
    *fd = open(name, flags, 0666);
    return *fd < 0 ? err_set(err, errno, "Could not open stdout file %s: %m", name) : 0;
}

static int set_stream(const struct job_opts *o, const struct srun_files_names *n, const char *name, unsigned stream, struct stepio *io,
                      struct err *err)
{
    uint64_t task;
    switch (kind_of(name, &task)) {
    case OURS:
        return 0;
    case ONE_TASK:
        io->output->only[stream] = (int64_t)task;
        return 0;
    case NOTHING:
    case THEIR_FILE:
        io->carry[stream] = false;
        return 0;
    case OUR_FILE:
        break;
    }
    return open_out(o, n, name, &io->output->fd[stream], err);
}

static int set_stdin(const char *name, const struct srun_files_names *n, struct stepio *io, struct err *err)
{
    uint64_t task;
    enum kind kind = kind_of(name, &task);
    if (kind == NOTHING || kind == THEIR_FILE) {
        io->in_fd = -1;
        io->in_eof = true;
    }
    if (kind != OUR_FILE)
        return 0;
    auto_free char *path = srun_files_name(name, n);
    io->in_fd = open(path, O_RDONLY | O_CLOEXEC);
    return io->in_fd < 0 ? err_set(err, errno, "Could not open stdin file: %m") : 0;
}

int srun_files_open(const struct job_opts *o, const struct srun_files_names *n, struct stepio *io, struct err *err)
{
    int rc = set_stdin(o->std_in, n, io, err);
    if (!rc)
        rc = set_stream(o, n, o->std_out, 1, io, err);
    if (!rc && !str_empty(o->std_err))
        return set_stream(o, n, o->std_err, 2, io, err);
    if (!rc && !str_empty(o->std_out)) {
        io->output->fd[2] = io->output->fd[1] == STDOUT_FILENO ? STDERR_FILENO : io->output->fd[1];
        io->output->only[2] = io->output->only[1];
        io->carry[2] = io->carry[1];
    }
    return rc;
}
