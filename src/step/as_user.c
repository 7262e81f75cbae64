/* as_user - work on what a user made, done by a process that has become the user; see as_user.h. */
#include "step/as_user.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "step/user.h"
#include "step/watch.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

/* ---- starting and ending ---- */

/* A fork whose child is our sibling; the descriptor of its process comes with it, so that no pid is ever used twice. */
static pid_t fork_sibling(int *process)
{
    return (pid_t)syscall(SYS_clone, CLONE_PARENT | CLONE_PIDFD, 0, process, 0, 0);
}

static _Noreturn void as_user_run(struct step *s, as_user_fn *fn, void *arg, int fd)
{
    struct err err = ERR_INIT;
    setpgid(0, 0);
    /* A helper that hangs must not hold the lock of the step's record, or any other descriptor of the supervisor. */
    if (fd > 3)
        close_range(3, (unsigned)fd - 1, 0);
    close_range((unsigned)fd + 1, ~0u, 0);
    int rc = user_become(s);
    if (rc) {
        err_set(&err, rc, "cannot become user %u: %s", s->order->uid, strerror(rc));
        as_user_send(fd, &err, -1);
        _exit(1);
    }
    fn(s, fd, arg);
    _exit(0);
}

int as_user_start(struct as_user *w, struct step *s, as_user_fn *fn, void *arg, struct err *err)
{
    int pair[2];
    *w = (struct as_user)AS_USER_INIT;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return err_set(err, errno, "cannot make a socket for a helper: %m");
    pid_t pid = fork_sibling(&w->process);
    if (pid == 0) {
        close(pair[0]);
        as_user_run(s, fn, arg, pair[1]);
    }
    int rc = pid < 0 ? errno : 0;
    close(pair[1]);
    if (rc) {
        close(pair[0]);
        return err_set(err, rc, "cannot start a helper: %s", strerror(rc));
    }
    w->fd = pair[0];
    return 0;
}

bool as_user_runs(const struct as_user *w)
{
    return w->fd >= 0;
}

void as_user_end(struct as_user *w)
{
    if (w->process >= 0) {
        syscall(SYS_pidfd_send_signal, w->process, SIGKILL, NULL, 0);
        close(take_fd(w->process));
    }
    if (w->fd >= 0)
        close(take_fd(w->fd));
}

/* ---- replies ---- */

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

int as_user_send(int fd, const struct err *reply, int pass)
{
    union control c = { 0 };
    struct iovec iov = { (void *)reply, sizeof(*reply) };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
    if (pass >= 0) {
        m.msg_control = c.room;
        m.msg_controllen = sizeof(c.room);
        struct cmsghdr *h = CMSG_FIRSTHDR(&m);
        *h = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
        memcpy(CMSG_DATA(h), &pass, sizeof(pass));
    }
    return sendmsg(fd, &m, MSG_NOSIGNAL) < 0 ? errno : 0;
}

/* The helper ran as the user and was never dumpable, but its reply is data all the same: it is bounded and ended. */
int as_user_receive(const struct as_user *w, struct err *reply, int *passed)
{
    union control c = { 0 };
    struct iovec iov = { reply, sizeof(*reply) };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = c.room, .msg_controllen = sizeof(c.room) };
    ssize_t n;
    *passed = -1;
    do
        n = recvmsg(w->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN)
        return EAGAIN;
    const struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (h && h->cmsg_type == SCM_RIGHTS && h->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(passed, CMSG_DATA(h), sizeof(*passed));
    if (n == (ssize_t)sizeof(*reply)) {
        reply->text[sizeof(reply->text) - 1] = '\0';
        return 0;
    }
    if (*passed >= 0)
        close(take_fd(*passed));
    return EPIPE;
}

/* ---- waiting ---- */

bool as_user_wait(const struct as_user *w, int ms)
{
    struct pollfd p = { w->fd, 0, 0 }; /* only its end is of interest: POLLHUP */
    return poll(&p, 1, ms) > 0;
}

struct as_user_question {
    struct as_user helper;
    bool answered;
    struct err reply;
};

static void as_user_answered(struct step *s, int fd, short revents, void *arg)
{
    struct as_user_question *q = arg;
    int none, rc = as_user_receive(&q->helper, &q->reply, &none);
    (void)revents;
    if (rc == EAGAIN)
        return;
    if (none >= 0)
        close(none);
    if (rc)
        err_set(&q->reply, EIO, "the helper for the user's files has died");
    q->answered = true;
    watch_drop(s, fd);
}

int as_user_ask(struct step *s, as_user_fn *fn, void *arg, struct err *err)
{
    struct as_user_question q = { .helper = AS_USER_INIT };
    int rc = as_user_start(&q.helper, s, fn, arg, err);
    if (rc)
        return rc;
    watch_fd(s, q.helper.fd, POLLIN, as_user_answered, &q);
    while (!q.answered && !s->terminating)
        step_wait(s, -1);
    watch_drop(s, q.helper.fd);
    as_user_end(&q.helper);
    if (!q.answered)
        return err_set(err, ECANCELED, "the step was ended before it began");
    return q.reply.code ? err_set(err, q.reply.code, "%s", q.reply.text) : 0;
}
