/* user - acting as the job's user; see user.h. */
#include "step/user.h"

#include <grp.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/mem.h"

static bool is_us(const struct step *s)
{
    return geteuid() != 0 || (s->order->uid == 0 && s->order->gid == 0);
}

int user_enter(const struct step *s, struct err *err)
{
    if (is_us(s))
        return 0;
    if (setgroups(s->ngroups, s->group) || setegid(s->order->gid) || seteuid(s->order->uid)) {
        int rc = errno;
        user_leave(s);
        errno = rc;
        return err_set(err, rc, "cannot act as user %u: %m", s->order->uid);
    }
    return 0;
}

void user_leave(const struct step *s)
{
    if (getuid() != 0 || (s->order->uid == 0 && s->order->gid == 0))
        return;
    /* Restore this process's own ids: if that fails, it must not continue with mixed rights. */
    if (seteuid(0) || setegid(0) || setgroups(0, NULL))
        _exit(1);
}

int user_become(const struct step *s)
{
    const int ours[] = { s->record_fd, s->agent.fd, s->listen_fd };
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (ours[i] >= 0)
            close(ours[i]);
    if (is_us(s))
        return 0;
    if (setgroups(s->ngroups, s->group) || setresgid(s->order->gid, s->order->gid, s->order->gid) ||
        setresuid(s->order->uid, s->order->uid, s->order->uid))
        return errno;
    return 0;
}

void user_quiet_child(void)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3; fd++)
        dup2(null, fd);
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
