/* receiver - a process that writes a file as a user; see receiver.h. */
#include "node/receiver.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/isolate.h"
#include "step/receive.h"

/* The receiver inherits one socket and nothing else; of the environment, only the sanitizers' settings. */
static int spawn(const struct agent *a, int theirs, int null)
{
    char *argv[] = { (char *)RECEIVE_TITLE, (char *)RECEIVE_WORD, NULL };
    auto_free char *asan = getenv("ASAN_OPTIONS") ? mem_printf("ASAN_OPTIONS=%s", getenv("ASAN_OPTIONS")) : NULL;
    char *env[] = { asan, NULL };
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
    posix_spawn_file_actions_adddup2(&fa, theirs, RECEIVE_FD);
    pid_t pid;
    int rc = posix_spawn(&pid, a->stepd, &fa, &attr, argv, env);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&fa);
    return rc;
}

int receiver_start(struct agent *a, const Pb__Permit *p, struct err *err)
{
    int pair[2];
    if (geteuid() && geteuid() != p->uid) {
        err_set(err, EPERM, "spurd on %s runs as user %u, not root: it cannot write files of user %u", a->name,
                geteuid(), p->uid);
        return -1;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        err_set(err, errno, "cannot make a socket for a receiver: %m");
        return -1;
    }
    /* dup2 onto the same number would keep close-on-exec, so the descriptor must have another one. */
    auto_close int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, RECEIVE_FD + 1);
    auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    close(pair[1]);
    int rc = spawn(a, theirs, null);
    if (rc) {
        close(pair[0]);
        err_set(err, rc, "cannot start %s: %s", a->stepd, strerror(rc));
        return -1;
    }
    return pair[0];
}

void receiver_as(const struct agent *a, struct link *c, const Pb__Permit *p, const struct groups *g)
{
    Pb__BcastAs as = PB__BCAST_AS__INIT;
    VEC(uint32_t) list = { 0 };
    const char *pos = g->list;
    for (char *one; (one = str_next(&pos, ",")); free(one))
        vec_push(&list, (uint32_t)strtoul(one, NULL, 10));
    as.uid = p->uid;
    as.gid = p->gid;
    as.job_id = p->job_id, as.attempt = p->attempt;
    as.tmpfs = p->job_id ? (char *)isolate_tmpfs_text(a) : (char *)"";
    as.group = list.at, as.n_group = list.n;
    link_send_pb(c, MSG_BCAST_AS, 0, 0, &as.base);
    vec_clear(&list);
}
