/*
 * daemon_priv - the parts of spurctld's daemon and what they share: loop, sessions, raft_glue, reload.
 */
#ifndef SPUR_CTL_DAEMON_PRIV_H
#define SPUR_CTL_DAEMON_PRIV_H

#include <sys/types.h>
#include <uv.h>

#include "ctl/daemon.h"
#include "ctl/loop.h"
#include "ctl/raft_glue.h"
#include "ctl/reload.h"
#include "ctl/sessions.h"
#include "ctl/timekeeper.h"
#include "history/history.h"
#include "io/account_cache.h"
#include "store/ledger.h"

#define DAEMON_CANNOT_FOLLOW 78 /* exit status: no restart helps, another release is needed (pkg/spurctld.service.in) */

struct daemon {
    const struct daemon_conf *conf;
    uv_loop_t uv;
    struct cred_key key;
    struct account_cache *accounts;
    struct ctl *ctl;
    struct loop loop;
    struct sessions sessions;
    struct ledger *ledger; /* NULL: closed */
    struct fold *fold;
    struct history *history; /* accounting; NULL: closed, or there is none */
    VEC(struct history_serve *) queries; /* of the history (history_serve.c) */
    uv_timer_t query_timer;              /* looks after them */
    struct ledger_peer *peers;
    struct timekeeper time;
    struct map levels; /* controller -> the feature level that it said it reads */
    uv_timer_t stopper;
    uv_signal_t signals[4];
    bool stopping;
    bool reload; /* SIGHUP: read the configuration in the next turn */
    int64_t boot_s;
};

void daemon_stop(struct daemon *d); /* another controller takes over, if there is one; then daemon_run() returns */
/* "host:port" of a configured controller; unchanged when there is none with this id. */
void daemon_address(const struct daemon *d, uint64_t id, char *out, size_t size);
int daemon_make_dir(const char *path, mode_t mode, struct err *err); /* with the folders above it */

#endif
