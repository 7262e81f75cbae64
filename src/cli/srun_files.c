/* srun_files - the -i, -o and -e of srun; see srun_files.h. */
#include "cli/srun_files.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/str.h"

enum kind { OURS, NOTHING, ONE_TASK, OUR_FILE, THEIR_FILE };

/* A number is a task's if there is such a task, else a name; nothing at all is a number, too: 0. */
static enum kind kind_of(const char *name, uint32_t ntasks, uint64_t *task)
{
    if (!name || str_ieq(name, "all"))
        return OURS;
    if (str_ieq(name, "none"))
        return NOTHING;
    *task = 0;
    if (!*name || (str_u64(name, 0, INT32_MAX - 1, task) && *task < ntasks))
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

static bool is_theirs(const char *name)
{
    uint64_t task;
    return kind_of(name, 0, &task) == THEIR_FILE;
}

/* A node that writes stdout itself takes stderr along, unless it has a file of its own: so that file is the node's too.
 */
static bool err_is_theirs(const struct job_opts *o)
{
    uint64_t task;
    enum kind kind = kind_of(o->std_err, 0, &task);
    return kind == THEIR_FILE || (is_theirs(o->std_out) && (kind == OUR_FILE || kind == NOTHING));
}

void srun_files_ask(const struct job_opts *o, Pb__StepSpec *step)
{
    uint64_t task;
    if (is_theirs(o->std_in))
        step->std_in = (char *)o->std_in;
    if (is_theirs(o->std_out))
        step->std_out = (char *)o->std_out;
    if (err_is_theirs(o))
        step->std_err = str_ieq(o->std_err, "none") ? "/dev/null" : (char *)o->std_err;
    else if (is_theirs(o->std_out))
        step->std_err = (char *)o->std_out;
    if (kind_of(o->std_in, MAX(MAX(o->spec.ntasks, o->spec.min_nodes), 1u), &task) == ONE_TASK)
        step->stdin_task = (int32_t)task + 1;
}

static void add_part(struct buf *b, char letter, int width, const struct srun_files_names *n)
{
    switch (letter) {
    case 'j': buf_addf(b, "%0*u", width, n->job); break;
    case 'A': buf_addf(b, "%0*u", width, n->array_job ? n->array_job : n->job); break;
    case 'a': buf_addf(b, "%0*u", width, n->array_task); break;
    case 's': buf_addf(b, "%0*u", width, n->step); break;
    case 'J': buf_addf(b, "%u.%u", n->job, n->step); break;
    case 'u': buf_adds(b, n->user); break;
    case 'x': buf_adds(b, n->name); break;
    case '%': buf_addc(b, '%'); break;
    default: buf_addf(b, "%%%c", letter);
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

static void make_parents(const char *path)
{
    auto_free char *copy = mem_str(path);
    for (char *p = copy + 1; *copy && (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        mkdir(copy, 0777);
    }
}

static int open_out(const struct job_opts *o, const struct srun_files_names *n, const char *pattern, int *fd,
                    struct err *err)
{
    auto_free char *name = srun_files_name(pattern, n);
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (o->spec.open_mode == PB__OPEN_MODE__OPEN_APPEND ? O_APPEND : O_TRUNC);
    *fd = open(name, flags, 0666);
    if (*fd < 0 && errno == ENOENT) {
        make_parents(name);
        *fd = open(name, flags, 0666);
    }
    return *fd < 0 ? err_set(err, errno, "Could not open stdout file: %m") : 0;
}

static int set_stream(const struct job_opts *o, const struct srun_files_names *n, const char *name, unsigned stream,
                      struct stepio *io, struct err *err)
{
    uint64_t task;
    switch (kind_of(name, io->tasks->n, &task)) {
    case OURS: return 0;
    case ONE_TASK: io->output->only[stream] = (int64_t)task; return 0;
    case NOTHING: io->output->fd[stream] = -1; return 0;
    case THEIR_FILE: io->carry[stream] = false; return 0;
    case OUR_FILE: break;
    }
    return open_out(o, n, name, &io->output->fd[stream], err);
}

static int set_stdin(const char *name, const struct srun_files_names *n, struct stepio *io, struct err *err)
{
    uint64_t task;
    enum kind kind = kind_of(name, io->tasks->n, &task);
    if (kind == ONE_TASK)
        io->stdin_task = (int64_t)task;
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

/* stderr follows stdout unless it was said otherwise. */
static void follow_stdout(struct stepio *io)
{
    if (io->output->fd[1] != STDOUT_FILENO || io->output->only[1] >= 0)
        io->output->fd[2] = io->output->fd[1];
    io->output->only[2] = io->output->only[1];
    io->carry[2] = io->carry[1];
}

int srun_files_open(const struct job_opts *o, const struct srun_files_names *n, struct stepio *io, struct err *err)
{
    int rc = set_stdin(o->std_in, n, io, err);
    if (!rc)
        rc = set_stream(o, n, o->std_out, 1, io, err);
    if (!rc && err_is_theirs(o))
        io->carry[2] = false;
    else if (!rc && o->std_err)
        rc = set_stream(o, n, o->std_err, 2, io, err);
    else if (!rc && o->std_out)
        follow_stdout(io);
    return rc;
}
