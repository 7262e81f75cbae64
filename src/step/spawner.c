/* spawner - the process that forks supervisors; see spawner.h. */
#include "step/spawner.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define MESSAGE_MAX 196608 /* fits into a socket's buffer; enough for 16,000 groups */

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(3 * sizeof(int))];
};

int spawner_send(int fd, const struct spawn_order *o, struct err *err)
{
    const char *const words[] = { o->title, o->io_host, o->user, o->home, o->shell, o->group, o->groups };
    auto_buf struct buf text = BUF_INIT;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        buf_add(&text, words[i], strlen(words[i]) + 1);
    if (text.len > MESSAGE_MAX)
        return err_set(err, E2BIG, "the user is in too many groups");
    union control c = { 0 };
    struct iovec iov = { text.s, text.len };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = c.room, .msg_controllen = sizeof(c.room) };
    struct cmsghdr *h = CMSG_FIRSTHDR(&m);
    h->cmsg_level = SOL_SOCKET;
    h->cmsg_type = SCM_RIGHTS;
    h->cmsg_len = CMSG_LEN(3 * sizeof(int));
    memcpy(CMSG_DATA(h), (int[]){ o->record, o->agent, o->job }, 3 * sizeof(int));
    ssize_t n;
    do
        n = sendmsg(fd, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? err_set(err, errno, "cannot reach the spawner of supervisors: %m") : 0;
}

/* Read one message into `text`; false: the agent is gone. */
static bool receive(char *text, size_t *len, int fds[3])
{
    union control c = { 0 };
    struct iovec iov = { text, MESSAGE_MAX };
    struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = c.room, .msg_controllen = sizeof(c.room) };
    ssize_t n;
    do
        n = recvmsg(SPAWNER_FD, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    struct cmsghdr *h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (!h || h->cmsg_type != SCM_RIGHTS || h->cmsg_len != CMSG_LEN(3 * sizeof(int)))
        return false;
    memcpy(fds, CMSG_DATA(h), 3 * sizeof(int));
    *len = (size_t)n;
    return true;
}

static void parse(struct spawn_order *o, const char *text, const int fds[3])
{
    *o = (struct spawn_order){ .record = fds[0], .agent = fds[1], .job = fds[2] };
    const char **words[] = { &o->title, &o->io_host, &o->user, &o->home, &o->shell, &o->group, &o->groups };
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        *words[i] = text;
        text += strlen(text) + 1;
    }
}

void spawner_serve(struct spawn_order *out)
{
    char *text = mem_alloc(MESSAGE_MAX + 1);
    size_t len;
    int fds[3];
    signal(SIGCHLD, SIG_IGN); /* the kernel reaps supervisors; the agent watches their sockets */
    while (receive(text, &len, fds)) {
        text[len] = '\0';
        if (fork() == 0) {
            close(SPAWNER_FD);
            setsid();
            parse(out, text, fds);
            return;
        }
        for (int i = 0; i < 3; i++)
            close(fds[i]);
    }
    _exit(0);
}
