/* daemon - spurctld's start, signals and end; see daemon.h. */
#include "ctl/daemon.h"

#include <errno.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "ctl/daemon_priv.h"
#include "ctl/history_serve.h"
#include "io/keys.h"

#define STOP_WAIT_MS 50 /* a stop waits so long for the last messages to leave */

int daemon_make_dir(const char *path, mode_t mode, struct err *err)
{
    if (!mkdir(path, mode) || errno == EEXIST)
        return 0;
    if (errno == ENOENT) {
        auto_free char *up = mem_str(path);
        char *slash = strrchr(up, '/');
        if (slash && slash != up) {
            *slash = '\0';
            if (!daemon_make_dir(up, 0755, err) && (!mkdir(path, mode) || errno == EEXIST))
                return 0;
        }
    }
    return err_set(err, errno, "cannot make %s: %m", path);
}

void daemon_address(const struct daemon *d, uint64_t id, char *out, size_t size)
{
    const struct site *site = ctl_site(d->ctl);
    for (size_t i = 0; i < site->nctl; i++)
        if (site->ctl[i].id == id)
            snprintf(out, size, "%s:%u", site->ctl[i].host, site->ctl[i].port);
}

/* ---- the end ---- */

static void ledger_closed(void *arg)
{
    uv_stop(&((struct daemon *)arg)->uv);
}

static void close_ledger(struct daemon *d)
{
    if (d->ledger)
        ledger_close(take(d->ledger), ledger_closed, d);
}

static void on_stopper(uv_timer_t *t)
{
    close_ledger(t->data);
}

static void on_transferred(void *arg, int rc)
{
    close_ledger(arg);
}

void daemon_stop(struct daemon *d)
{
    if (d->stopping)
        return;
    d->stopping = true;
    log_info("stopping");
    sessions_stop_listening(&d->sessions);
    /* With other controllers around, one of them leads before this one stops. */
    if (!ledger_is_leader(d->ledger) || ledger_transfer(d->ledger, on_transferred, d))
        uv_timer_start(&d->stopper, on_stopper, STOP_WAIT_MS, 0);
}

/* ---- the start ---- */

static void on_signal(uv_signal_t *h, int number)
{
    struct daemon *d = h->data;
    struct err err = ERR_INIT;
    if (number == SIGHUP) {
        if (reload_keys(d, &err)) /* the leader reads the configuration, each controller its keys */
            log_error("the keys stay as they were: %s", err.text);
        d->reload = true;
        loop_want_turn(d);
    } else if (number == SIGUSR2) {
        if (log_reopen(&err))
            log_error("%s", err.text);
    } else {
        daemon_stop(d);
    }
}

static void init_handles(struct daemon *d)
{
    static const int numbers[ARRAY_LEN(d->signals)] = { SIGTERM, SIGINT, SIGHUP, SIGUSR2 };
    loop_init(d);
    uv_timer_init(&d->uv, &d->stopper);
    d->stopper.data = d;
    uv_timer_init(&d->uv, &d->query_timer);
    d->query_timer.data = d;
    for (size_t i = 0; i < ARRAY_LEN(d->signals); i++) {
        uv_signal_init(&d->uv, &d->signals[i]);
        d->signals[i].data = d;
        uv_signal_start(&d->signals[i], on_signal, numbers[i]);
    }
}

static uint32_t admin_uid(const struct site *site)
{
    struct passwd *pw = str_empty(site->slurm_user) ? NULL : getpwnam(site->slurm_user);
    return getuid() || !pw ? getuid() : pw->pw_uid;
}

/* The keys of this machine, or the cluster's one key. */
static int open_keys(struct daemon *d, const struct site *site, struct err *err)
{
    if (!site_uses_tls(site)) {
        log_info("SpurTransport=plain: connections are not encrypted, and a holder of %s is trusted", site->key_file);
        return cred_key_ensure(&d->key, site->key_file, site_owner(site), err);
    }
    char role[32];
    snprintf(role, sizeof(role), "controller/%llu", (unsigned long long)d->conf->id);
    struct keys_conf conf = { site->key_dir, site->cluster, role, site_founds(site), site_owner(site) };
    return keys_open(&d->key, &conf, err);
}

static void on_accounts(void *arg, uint64_t ended)
{
    sessions_unpark(arg, ended);
}

static int start_daemon(struct daemon *d, struct err *err)
{
    int rc = raft_glue_open(d, err);
    if (rc)
        return rc;
    init_handles(d);
    timekeeper_start(d);
    return sessions_listen(d, err);
}

int daemon_run(const struct daemon_conf *conf, struct site *site)
{
    static struct daemon d;
    struct err err = ERR_INIT;
    d.conf = conf;
    d.boot_s = time(NULL);
    /* Long replies come and go: their memory is used again, and goes back to the system when it is much. */
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
    mallopt(M_TRIM_THRESHOLD, 8 * 1024 * 1024);
    signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&d.uv);
    int rc = open_keys(&d, site, &err);
    reload_warnings(site);
    d.accounts = account_cache_new(&d.uv, on_accounts, &d);
    d.fold = fold_new();
    d.ctl = ctl_new(&(struct ctl_conf){ .site = site,
                                        .key = &d.key,
                                        .admin_uid = admin_uid(site),
                                        .id = conf->id,
                                        .accounts = account_cache_accounts(d.accounts),
                                        .clock_us = clock_mono_us,
                                        .fold = d.fold });
    if (!rc)
        rc = start_daemon(&d, &err);
    if (rc) {
        log_line(LOG_FATAL, "%s", err.text);
        return 1;
    }
    log_info("spurctld %s started id=%llu jobs=%zu", SPUR_VERSION, (unsigned long long)conf->id,
             ctl_cluster(d.ctl)->jobs.n);
    loop_want_turn(&d);
    uv_run(&d.uv, UV_RUN_DEFAULT);
    log_info("stopped");
    loop_close(&d);
    history_serve_close(&d);
    history_close(take(d.history));
    uv_run(&d.uv, UV_RUN_NOWAIT);
    ctl_free(d.ctl);
    fold_free(d.fold);
    account_cache_free(take(d.accounts));
    return 0;
}
