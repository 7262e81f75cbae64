/* pty - terminals of tasks; see pty.h. */
#define _XOPEN_SOURCE 700
#include "step/pty.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/mem.h"
#include "step/user.h"

bool pty_has(const struct step *s, const struct task *t)
{
    return !s->batch && s->order->step->pty && t->rank == s->order->step->pty_task;
}

/* Open both ends as the user, so that the user owns the device. */
static int open_pair(const struct step *s, int *master, int *slave, struct err *err)
{
    char name[64] = "";
    int rc = user_enter(s, err);
    if (rc)
        return rc;
    auto_close int m = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (m >= 0 && !grantpt(m) && !unlockpt(m) && !ptsname_r(m, name, sizeof(name)))
        *slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    rc = *slave < 0 ? errno : 0;
    user_leave(s);
    if (rc)
        return err_set(err, rc, "cannot open a terminal: %s", err_text(rc));
    fcntl(m, F_SETFL, O_NONBLOCK);
    *master = take_fd(m);
    return 0;
}

static void set_size(int fd, uint32_t rows, uint32_t cols)
{
    struct winsize w = { .ws_row = (unsigned short)MIN(rows, 0xffffu), .ws_col = (unsigned short)MIN(cols, 0xffffu) };
    (void)!ioctl(fd, TIOCSWINSZ, &w);
}

int pty_open(const struct step *s, struct task *t, struct files *f, struct err *err)
{
    const Pb__StepSpec *spec = s->order->step;
    int rc = open_pair(s, &t->out, &f->in, err);
    if (rc)
        return rc;
    t->pty = true;
    if (spec->pty_rows)
        set_size(t->out, spec->pty_rows, spec->pty_cols);
    t->in = fcntl(t->out, F_DUPFD_CLOEXEC, 0);
    if (f->out < 0)
        f->out = fcntl(f->in, F_DUPFD_CLOEXEC, 0);
    if (f->err < 0)
        f->err = fcntl(f->in, F_DUPFD_CLOEXEC, 0);
    return 0;
}

int pty_unbuffered(const struct step *s, struct task *t, struct files *f, struct err *err)
{
    struct termios tio;
    int rc = open_pair(s, &t->out, &f->out, err);
    if (rc || tcgetattr(f->out, &tio))
        return rc;
    tio.c_oflag &= ~(tcflag_t)OPOST;
    tio.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(f->out, TCSANOW, &tio);
    return 0;
}

void pty_enter(void)
{
    setsid();
    (void)!ioctl(0, TIOCSCTTY, 0);
}

void pty_resize(const struct step *s, uint32_t rows, uint32_t cols)
{
    for (uint32_t i = 0; i < s->ntasks; i++)
        if (s->task[i].pty && s->task[i].out >= 0)
            set_size(s->task[i].out, rows, cols);
}
