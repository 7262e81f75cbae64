/* signals - stop, start again, reopen the log; see signals.h. */
#include "node/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "text/site.h"

#define RESTARTED "SPURD_RESTARTED" /* set in the environment when HUP restarts the process */

static int first_folder = -1;

bool signals_init(void)
{
    bool restarted = getenv(RESTARTED) != NULL;
    unsetenv(RESTARTED);
    first_folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return restarted;
}

static void start_again(const struct signals *s)
{
    struct err err = ERR_INIT;
    struct site *site;
    if (site_load(&site, s->conf ? s->conf : site_find_conf(), &err)) {
        log_error("reconfigure refused, the configuration in use stays: %s", err.text);
        return;
    }
    site_free(site);
    log_info("starting again to read the configuration anew; running steps go on");
    setenv(RESTARTED, "1", 1);
    if (first_folder < 0 || !fchdir(first_folder)) /* paths of the command line may be relative */
        execv("/proc/self/exe", s->argv);
    log_error("cannot start again: %m");
    unsetenv(RESTARTED);
}

static void reopen_log(void)
{
    struct err err = ERR_INIT;
    if (log_reopen(&err))
        log_error("%s", err.text);
    else
        log_info("log file opened again");
}

static void on_signal(uv_signal_t *h, int signo)
{
    const struct signals *s = h->data;
    if (signo == SIGHUP)
        start_again(s);
    else if (signo == SIGUSR2)
        reopen_log();
    else
        s->stop(s->arg, signo);
}

void signals_watch(uv_loop_t *loop, const struct signals *s)
{
    static uv_signal_t handles[4];
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR2 };
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        uv_signal_init(loop, &handles[i]);
        handles[i].data = (void *)s;
        uv_signal_start(&handles[i], on_signal, signals[i]);
    }
    signal(SIGPIPE, SIG_IGN);
}
