/* stepd_spawner - the agent's source of supervisors; see stepd_spawner.h. */
#include "node/stepd_spawner.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/pmix.h"
#include "node/isolate.h"
#include "node/topology.h"
#include "text/strs.h"
#include "wire/hook_env.h"

static void add_env(struct strs *env, const char *name, const char *value)
{
    if (!str_empty(value))
        strs_take(env, mem_printf("%s=%s", name, value));
}

/* Set `name` to the path of a site's program; a relative path is relative to the configuration's folder. */
static void add_program(const struct agent *a, struct strs *env, const char *name, const char *path)
{
    auto_buf struct buf full = BUF_INIT;
    hook_scripts(&full, path, a->conf);
    add_env(env, name, full.s);
}

static void fill_env(const struct agent *a, struct strs *env)
{
    add_env(env, SPAWNER_SPOOL, a->spool_path);
    add_env(env, SPAWNER_CONF, a->conf);
    add_env(env, SPAWNER_TMP, a->site->tmp_fs);
    add_env(env, SPAWNER_APPEND, a->site->job_file_append ? "1" : "");
    bool gather = !str_ieq(site_value(a->site, "JobAcctGatherType"), "jobacct_gather/none");
    add_env(env, SPAWNER_ACCT, gather ? site_value(a->site, "JobAcctGatherFrequency") : "0");
    add_program(a, env, SPAWNER_TASK_PROLOG, a->site->task_prolog);
    add_program(a, env, SPAWNER_TASK_EPILOG, a->site->task_epilog);
    auto_free char *topology = topology_text(a), *bind = topology_bind(a), *gpus = topology_gpus(a);
    add_env(env, SPAWNER_GPUS, gpus);
    add_env(env, SPAWNER_TOPOLOGY, topology);
    add_env(env, SPAWNER_BIND, bind);
    auto_free char *pmix = pmix_helper(a);
    add_env(env, SPAWNER_PMIX, pmix);
    add_env(env, SPAWNER_CGROUP, isolate_cgroup_text(a));
    add_env(env, SPAWNER_TMPFS, isolate_tmpfs_text(a));
    add_env(env, "TZ", getenv("TZ"));
    add_env(env, "ASAN_OPTIONS", getenv("ASAN_OPTIONS"));
    strs_take(env, NULL);
}

/* The spawner inherits one descriptor, no ignored or blocked signals and no terminal. */
static int spawn(const struct agent *a, int theirs, int null)
{
    char *argv[] = { (char *)SPAWNER_TITLE, NULL };
    auto_strs struct strs env = STRS_INIT;
    fill_env(a, &env);
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&fa);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    for (int fd = 0; fd < 3; fd++)
        posix_spawn_file_actions_adddup2(&fa, null, fd);
    posix_spawn_file_actions_adddup2(&fa, theirs, SPAWNER_FD);
    pid_t pid;
    int rc = posix_spawn(&pid, a->stepd, &fa, &attr, argv, env.at);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&fa);
    return rc;
}

static int start(struct agent *a, struct err *err)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return err_set(err, errno, "cannot make a socket for the supervisors: %m");
    /* dup2 onto the same number would keep close-on-exec, so the descriptor must have another one. */
    auto_close int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, SPAWNER_FD + 1);
    auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    close(pair[1]);
    int rc = spawn(a, theirs, null);
    if (rc) {
        close(pair[0]);
        return err_set(err, rc, "cannot start %s: %s", a->stepd, strerror(rc));
    }
    if (a->stepd_spawner >= 0)
        close(a->stepd_spawner);
    a->stepd_spawner = pair[0];
    return 0;
}

int stepd_spawner_order(struct agent *a, const struct spawn_order *o, struct err *err)
{
    if (a->stepd_spawner >= 0 && !spawner_send(a->stepd_spawner, o, err))
        return 0;
    if (a->stepd_spawner >= 0)
        log_error("the spawner of supervisors is gone, starting another: %s", err->text);
    *err = (struct err)ERR_INIT;
    int rc = start(a, err);
    return rc ? rc : spawner_send(a->stepd_spawner, o, err);
}
