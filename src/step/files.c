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

static const char *workdir_of(const struct step *s)
{
    const Pb__StepSpec *step = s->order->step;
    return s->batch || str_empty(step->workdir) ? s->order->spec->workdir : step->workdir;
}

void files_enter_workdir(const struct step *s, struct buf *note)
{
    const char *dir = str_or(workdir_of(s), "/tmp");
    if (!chdir(dir))
        return;
    buf_addf(note, "couldn't chdir to `%s': %s: going to /tmp instead", dir, strerror(errno));
    if (chdir("/tmp") && chdir("/"))
        buf_adds(note, ", which fails, too");
}

struct files files_plan(const struct step *s)
{
    const Pb__StepSpec *step = s->order->step;
    if (s->batch)
        return (struct files){ FILES_LATER, FILES_LATER, FILES_LATER };
    struct files f = { -1, -1, -1 };
    if (!str_empty(step->std_in))
        f.in = FILES_LATER;
    if (!str_empty(step->std_out))
        f.out = f.err = FILES_LATER;
    if (!str_empty(step->std_err))
        f.err = FILES_LATER;
    return f;
}

/* ---- opening ---- */

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

static char *name_of(const struct step *s, const char *name, uint32_t local)
{
    struct pattern_facts facts = facts_of(s, local);
    return pattern_expand(name, &facts);
}

/* A FIFO blocks until it has another end, as for any program that opens one: this process can be killed meanwhile. */
static int open_at(const struct step *s, const char *name, int flags, uint32_t local, int *fd, struct err *err)
{
    auto_free char *path = name_of(s, name, local);
    int how = flags | O_CLOEXEC | O_NOCTTY;
    *fd = open(path, how, 0666);
    if (*fd < 0 && errno == ENOENT && flags & O_CREAT) {
        make_parents(path);
        *fd = open(path, how, 0666);
    }
    return *fd < 0
               ? err_set(err, errno, "could not open %s %s: %m", flags & O_CREAT ? "output file" : "input file", path)
               : 0;
}

/* Always append, so that a task and messages about it do not overwrite each other. */
static int output_flags(const struct step *s)
{
    Pb__OpenMode mode = s->order->step ? s->order->step->open_mode : PB__OPEN_MODE__OPEN_BY_CONFIG;
    if (mode == PB__OPEN_MODE__OPEN_BY_CONFIG)
        mode = s->order->spec->open_mode;
    bool by_config = mode == PB__OPEN_MODE__OPEN_BY_CONFIG;
    bool append = by_config ? s->batch && s->append : mode == PB__OPEN_MODE__OPEN_APPEND;
    return O_WRONLY | O_CREAT | O_APPEND | (append ? 0 : O_TRUNC);
}

/* The names of a task's files; NULL or "": none. */
struct names {
    const char *in, *out, *err;
};

static struct names names_of(const struct step *s)
{
    const Pb__JobSpec *spec = s->order->spec;
    const Pb__StepSpec *step = s->order->step;
    if (!s->batch)
        return (struct names){ step->std_in, step->std_out, step->std_err };
    const char *usual = s->order->has_task ? "slurm-%A_%a.out" : "slurm-%j.out";
    return (struct names){ str_or(spec->std_in, "/dev/null"), str_or(spec->std_out, usual), spec->std_err };
}

int files_open(const struct step *s, uint32_t local, bool fresh, struct files *f, struct err *err)
{
    struct names n = names_of(s);
    int rc = 0, flags = output_flags(s) & ~(fresh ? 0 : O_TRUNC);
    if (f->in == FILES_LATER)
        rc = open_at(s, n.in, O_RDONLY, local, &f->in, err);
    if (!rc && f->out == FILES_LATER)
        rc = open_at(s, n.out, flags, local, &f->out, err);
    if (!rc && f->err == FILES_LATER && !str_empty(n.err))
        rc = open_at(s, n.err, flags, local, &f->err, err);
    else if (!rc && f->err == FILES_LATER)
        f->err = fcntl(f->out, F_DUPFD_CLOEXEC, 0);
    return rc;
}

/* ---- creating them all ---- */

/* A FIFO is only looked at: opened and closed again it would tell its other end that all is over. */
static int check_one(const struct step *s, const char *name, int flags, uint32_t local, struct err *err)
{
    if (str_empty(name))
        return 0;
    auto_free char *path = name_of(s, name, local);
    struct stat st;
    if (!stat(path, &st) && S_ISFIFO(st.st_mode) && !access(path, flags & O_CREAT ? W_OK : R_OK))
        return 0;
    auto_close int fd = -1;
    return open_at(s, name, flags | O_NONBLOCK, local, &fd, err);
}

/* The first of the tasks that share a file truncates it. */
static int flags_among(const struct step *s, const char *name, uint32_t local)
{
    bool own = name && strstr(name, "%t");
    return output_flags(s) & ~(local && !own ? O_TRUNC : 0);
}

int files_create(const struct step *s, struct err *err)
{
    struct names n = names_of(s);
    int rc = 0;
    for (uint32_t i = 0; i < s->ntasks && !rc; i++) {
        rc = check_one(s, n.in, O_RDONLY, i, err);
        if (!rc)
            rc = check_one(s, n.out, flags_among(s, n.out, i), i, err);
        if (!rc)
            rc = check_one(s, n.err, flags_among(s, n.err, i), i, err);
    }
    return rc;
}

int files_open_notice(const struct step *s)
{
    struct names n = names_of(s);
    auto_buf struct buf note = BUF_INIT;
    auto_free char *path = name_of(s, str_or(n.err, str_or(n.out, "/dev/null")), 0);
    files_enter_workdir(s, &note);
    return open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}
