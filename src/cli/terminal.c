/* terminal - raw mode and back; see terminal.h. */
#include "cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios saved;
static int raw_fd = -1;

int terminal_size(int fd, uint32_t *rows, uint32_t *cols)
{
    struct winsize w;
    if (ioctl(fd, TIOCGWINSZ, &w))
        return errno;
    *rows = w.ws_row;
    *cols = w.ws_col;
    return 0;
}

void terminal_restore(void)
{
    if (raw_fd < 0)
        return;
    tcsetattr(raw_fd, TCSADRAIN, &saved);
    raw_fd = -1;
}

static void terminal_enter(int fd)
{
    struct termios raw = saved;
    cfmakeraw(&raw);
    tcsetattr(fd, TCSANOW, &raw);
}

void terminal_raw(int fd)
{
    static bool registered;
    if (raw_fd >= 0 || tcgetattr(fd, &saved))
        return;
    raw_fd = fd;
    if (!registered)
        atexit(terminal_restore);
    registered = true;
    terminal_enter(fd);
}

/* In the background, touching the terminal would stop us. */
void terminal_resume(void)
{
    if (raw_fd >= 0 && tcgetpgrp(raw_fd) == getpgrp())
        terminal_enter(raw_fd);
}
