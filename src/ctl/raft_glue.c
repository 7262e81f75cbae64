/* raft_glue - the ledger's callbacks; see raft_glue.h. */
#include "ctl/raft_glue.h"

#include "base/clock.h"
#include "base/log.h"
#include "core/level.h"
#include "ctl/daemon_priv.h"

#define PREPARE_LEAST 64 /* records that are encoded again with each entry before a snapshot */

static void on_apply(void *arg, uint64_t index, const void *entry, size_t len, bool mine)
{
    struct daemon *d = arg;
    struct err err = ERR_INIT;
    int rc = mine ? 0 : ctl_replay(d->ctl, entry, len, &err);
    if (!rc) {
        if (!mine)
            timekeeper_follow(d, ctl_cluster(d->ctl)->last_ms);
        if (d->history)
            history_feed(d->history, index, fold_take(d->fold, index));
        return;
    }
    log_line(LOG_FATAL, "cannot follow the log entry=%llu: %s", (unsigned long long)index, err.text);
    log_line(LOG_FATAL,
             "this is release %s of feature level %u: start the release that the other controllers run, or a newer "
             "one; the log on disk is as it was",
             SPUR_VERSION, FEATURE_LEVEL);
    _exit(DAEMON_CANNOT_FOLLOW);
}

/* ---- snapshots: kept bytes are collected on the loop and put together in a worker ---- */

static void *on_freeze(void *arg)
{
    int64_t from = clock_mono_us();
    struct daemon *d = arg;
    struct snapshot *s = cluster_snapshot(ctl_cluster(d->ctl));
    if (d->history)
        history_want(d->history);
    log_info("snapshot bytes=%zu loop_us=%lld", snapshot_size(s), (long long)(clock_mono_us() - from));
    return s;
}

static void on_write(const void *frozen, struct buf *out)
{
    snapshot_write(frozen, out);
}

static void on_release(void *frozen)
{
    snapshot_free(frozen);
}

/* The records that changed since the last snapshot, in equal parts until the next one. */
static void on_prepare(void *arg, uint64_t entries)
{
    struct cluster *c = ctl_cluster(((struct daemon *)arg)->ctl);
    size_t stale = cluster_snapshot_prepare(c, 0);
    cluster_snapshot_prepare(c, stale / (entries + 1) + PREPARE_LEAST);
}

/* A snapshot of later entries than the history has: what it says of jobs is kept, what they did before is not here. */
static int on_restore(void *arg, uint64_t index, const void *p, size_t len, struct err *err)
{
    struct daemon *d = arg;
    int rc = ctl_decode(d->ctl, p, len, err);
    if (rc || !d->history || history_fed(d->history) >= index)
        return rc;
    log_error("accounting has no entries from %llu to %llu of the log: jobs that began and ended in them are missing",
              (unsigned long long)history_fed(d->history) + 1, (unsigned long long)index);
    fold_all(d->fold);
    history_feed(d->history, index, fold_take(d->fold, index));
    return 0;
}

static void on_role(void *arg, enum ledger_role role, uint64_t leader)
{
    struct daemon *d = arg;
    static const char *const names[] = { "follower", "candidate", "leader", "broken" };
    log_info("role=%s leader=%llu", names[role], (unsigned long long)leader);
    if (role == LEDGER_LEADER && !d->loop.leading) {
        loop_lead(d);
    } else if (role != LEDGER_LEADER && d->loop.leading) {
        if (d->loop.in_flight && !d->stopping)
            return; /* the end of the append tells */
        loop_follow(d);
    }
    if (role == LEDGER_BROKEN && !d->stopping)
        loop_start_again(d, ledger_trouble(d->ledger) ? ledger_trouble(d->ledger) : "the log cannot be followed", 500);
}

static void on_kept(void *arg, uint64_t index, bool again)
{
    struct daemon *d = arg;
    if (again && !d->stopping)
        loop_start_again(d, "rows of accounting are made again", 0);
    if (d->ledger)
        ledger_kept(d->ledger, index);
}

int raft_glue_open(struct daemon *d, struct err *err)
{
    const struct site *site = ctl_site(d->ctl);
    static char address[160];
    static struct link_claim claim;
    auto_free char *dir = mem_printf("%s/ctl%llu", site->state_dir, (unsigned long long)d->conf->id);
    if (daemon_make_dir(site->state_dir, 0700, err) || daemon_make_dir(dir, 0700, err))
        return err->code;
    d->peers = mem_array(site->nctl, sizeof(*d->peers));
    for (size_t i = 0; i < site->nctl; i++)
        d->peers[i] = (struct ledger_peer){ site->ctl[i].id,
                                            mem_printf("%s:%u", site->ctl[i].host, site->ctl[i].port) };
    daemon_address(d, d->conf->id, address, sizeof(address));
    claim = (struct link_claim){ .key = &d->key, .use = CRED_PEER, .raft_id = d->conf->id, .address = address,
                                  .level = FEATURE_LEVEL };
    struct ledger_conf conf = {
        .dir = dir,
        .id = d->conf->id,
        .peers = d->peers,
        .npeers = site->nctl,
        .claim = &claim,
        .fresh_ok = true,
        .keeps = true,
    };
    struct ledger_fsm fsm = {
        .apply = on_apply,
        .freeze = on_freeze,
        .write = on_write,
        .release = on_release,
        .prepare = on_prepare,
        .restore = on_restore,
        .role = on_role,
        .arg = d,
    };
    auto_free char *path = mem_printf("%s/history.db", dir);
    int rc = history_open(&d->history, &d->uv, path, on_kept, d, err);
    if (rc) {
        auto_free char *why = mem_str(err->text);
        return err_set(err, rc, "%s; move the file away to go on with an empty history", why);
    }
    rc = ledger_open(&d->ledger, &d->uv, &conf, &fsm, err);
    if (!rc)
        ledger_kept(d->ledger, history_index(d->history));
    return rc;
}
