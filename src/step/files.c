/* files - the standard streams of a job's processes as files; see files.h. */
#include "step/files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "step/pattern.h"

/* mkdir -p of the folders above the last name. */
static void make_parents(const char *path)
{
    auto_free char *copy = mem_str(path);
    for (char *p = copy + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(copy, 0777);
    }
}

void files_enter_workdir(const char *dir, struct buf *note)
{
    if (!chdir(dir))
        return;
    buf_addf(note, "couldn't chdir to `%s': %s: going to /tmp instead", dir, strerror(errno));
    if (chdir("/tmp") && chdir("/"))
        buf_adds(note, ", which fails, too");
}

static struct pattern_facts facts_of(const struct step *s, uint32_t local)
{
    const Pb__LaunchOrder *o = s->order;
    return (struct pattern_facts){
        .job_id = o->job_id,
        .batch = s->batch,
        .step_id = o->step_id,
        .array_job = o->has_task ? o->array_job : 0,
        .has_task = o->has_task,
        .array_task = o->array_task,
        .node_index = env_step_index(o),
        .rank = env_rank(o, local),
        .node = o->node,
        .user = o->user_name,
        .job_name = o->spec->name,
    };
}

static int open_at(const struct step *s, const char *name, int flags, uint32_t local, int *fd, struct err *err)
{
    struct pattern_facts facts = facts_of(s, local);
    auto_free char *path = pattern_expand(name, &facts);
    int how = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK; /* a FIFO without a reader must not block the supervisor */
    *fd = open(path, how, 0666);
    if (*fd < 0 && errno == ENOENT && flags & O_CREAT) {
        make_parents(path);
        *fd = open(path, how, 0666);
    }
    if (*fd >= 0)
        fcntl(*fd, F_SETFL, flags & O_APPEND);
    return *fd < 0
               ? err_set(err, errno, "could not open %s %s: %m", flags & O_CREAT ? "output file" : "input file", path)
               : 0;
}

/* Always append, so that a task and messages about it do not overwrite each other. */
static int output_flags(const struct step *s)
{
    uint32_t mode = s->order->step && s->order->step->open_mode ? s->order->step->open_mode : s->order->spec->open_mode;
    bool append = mode ? mode == 2 : s->batch && s->append;
    return O_WRONLY | O_CREAT | O_APPEND | (append ? 0 : O_TRUNC);
}

static int open_batch(const struct step *s, struct files *f, struct err *err)
{
    const Pb__JobSpec *spec = s->order->spec;
    const char *usual = s->order->has_task ? "slurm-%A_%a.out" : "slurm-%j.out";
    int rc = open_at(s, str_or(spec->std_in, "/dev/null"), O_RDONLY, 0, &f->in, err);
    if (!rc)
        rc = open_at(s, str_or(spec->std_out, usual), output_flags(s), 0, &f->out, err);
    if (!rc && !str_empty(spec->std_err))
        rc = open_at(s, spec->std_err, output_flags(s), 0, &f->err, err);
    else if (!rc)
        f->err = fcntl(f->out, F_DUPFD_CLOEXEC, 0);
    return rc;
}

/* The first of the tasks that share a file truncates it. */
static int step_flags(const struct step *s, const char *name, uint32_t local)
{
    bool own = strstr(name, "%t");
    return output_flags(s) & ~(local && !own ? O_TRUNC : 0);
}

static int open_srun(const struct step *s, uint32_t local, struct files *f, struct err *err)
{
    const Pb__StepSpec *spec = s->order->step;
    int rc = 0;
    if (!str_empty(spec->std_in))
        rc = open_at(s, spec->std_in, O_RDONLY, local, &f->in, err);
    if (!rc && !str_empty(spec->std_out))
        rc = open_at(s, spec->std_out, step_flags(s, spec->std_out, local), local, &f->out, err);
    if (!rc && !str_empty(spec->std_err))
        rc = open_at(s, spec->std_err, step_flags(s, spec->std_err, local), local, &f->err, err);
    else if (!rc && f->out >= 0)
        f->err = fcntl(f->out, F_DUPFD_CLOEXEC, 0);
    return rc;
}

int files_open(const struct step *s, uint32_t local, struct files *f, struct err *err)
{
    *f = (struct files){ -1, -1, -1 };
    int rc = s->batch ? open_batch(s, f, err) : open_srun(s, local, f, err);
    if (!rc)
        return 0;
    for (int i = 0; i < 3; i++) {
        int *fd = &(&f->in)[i];
        if (*fd >= 0)
            close(take_fd(*fd));
    }
    return rc;
}
