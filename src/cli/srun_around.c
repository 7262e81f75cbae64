/* srun_around - before and after a step; see srun_around.h. */
#include "cli/srun_around.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/str.h"
#include "cli/bcast.h"
#include "cli/env_alloc.h"
#include "cli/say.h"

/* ---- the program ---- */

static bool can_run(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *srun_around_program(const char *name, const char *workdir, const char *search, bool *found)
{
    char *path = name[0] == '.' ? mem_printf("%s/%s", str_eq(workdir, "/") ? "" : workdir, name) : mem_str(name);
    *found = can_run(path);
    if (strchr(name, '/') || name[0] == '.' || !*name)
        return path;
    const char *pos = str_or(search, "");
    for (char *dir; (dir = str_next(&pos, ":")); free(dir)) {
        char *full = mem_printf("%s/%s", dir, name);
        if (can_run(full)) {
            *found = true;
            free(dir);
            free(path);
            return full;
        }
        free(full);
    }
    return path;
}

/* ---- its copies ---- */

/* --bcast=FILE, or a name of our own in the folder that was named, or in the working folder.  Two sruns of a job that
 * begin together must not write to the same file, so it is the process that makes the name its own. */
static char *bcast_target(const struct job_opts *o, const struct allocation *g)
{
    const char *to = str_or(o->bcast_dest, ""), *dir = o->spec.workdir;
    size_t n = strlen(to);
    if (to[0] == '/' && to[n - 1] != '/')
        return mem_str(to);
    const char *node = g->job && g->job->n_alloc ? g->job->alloc[0]->name : "node";
    bool folder = to[0] == '/';
    return mem_printf("%s%sslurm_bcast_%u.%d_%s", folder ? to : dir, folder ? "" : "/", g->job_id, (int)getpid(), node);
}

int srun_around_bcast(const struct srun_around *a, struct client *c, const struct allocation *g, const char *program,
                      char **path)
{
    bool found;
    auto_free char *source = srun_around_program(program, a->o->spec.workdir, getenv("PATH"), &found);
    if (!found) {
        say_fatal("Can not execute %s", program);
        return say_exit(1);
    }
    struct bcast_job b = { .id = { .job = g->job_id },
                           .force = true,
                           .preserve = true,
                           .packed = a->o->compress != NULL,
                           .libs = a->o->send_libs,
                           .exclude = a->o->bcast_exclude,
                           .verbose = a->o->verbose };
    auto_free char *dest = bcast_target(a->o, g);
    if (bcast_file(c, &b, source, dest)) {
        say_fatal("Failed to broadcast '%s'. Step launch aborted.", source);
        return say_exit(1);
    }
    *path = take(dest);
    return 0;
}

/* ---- scripts ---- */

static _Noreturn void exec_script(const struct srun_around *a, const struct allocation *g, const char *path,
                                  const char *context)
{
    sigset_t none;
    char step[16];
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    env_alloc_set(a->env, g->job, a->cluster);
    snprintf(step, sizeof(step), "%u", g->step ? g->step->id : 0);
    setenv("SLURM_STEP_ID", step, 1);
    setenv("SLURM_STEPID", step, 1);
    setenv("SLURM_SCRIPT_CONTEXT", context, 1);
    execl(path, path, (char *)NULL);
    _exit(127);
}

/* Its wait status; 0 when there is nothing to run. */
static int run_script(const struct srun_around *a, const struct allocation *g, const char *path, const char *context)
{
    int status = 0;
    if (str_empty(path) || str_ieq(path, "none"))
        return 0;
    if (access(path, X_OK)) {
        say_info("Access denied for %s: %m", path);
        return 0;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        exec_script(a, g, path, context);
    if (pid < 0)
        say_error("fork: %m");
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return pid < 0 ? 1 << 8 : status;
}

static int code_of(int status)
{
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

int srun_around_before(const struct srun_around *a, const struct allocation *g)
{
    int status = run_script(a, g, a->prolog, "prolog_srun");
    if (!status)
        return 0;
    say_error("srun prolog failed rc = %d. Aborting step.", code_of(status));
    return say_exit(1);
}

void srun_around_after(const struct srun_around *a, const struct allocation *g)
{
    int status = run_script(a, g, a->epilog, "epilog_srun");
    if (status)
        say_error("srun epilog failed status=%d", code_of(status));
}
