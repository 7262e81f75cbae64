/* ledger.c - a ledger's life: what is in the directory and may be believed, start, close, questions. */
#include "store/ledger.h"

#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "base/str.h"
#include "store/heap_guard.h"
#include "store/ledger_priv.h"
#include "store/sync_guard.h"

#define ELECTION_MS 500
#define HEARTBEAT_MS 100
#define SNAPSHOT_ENTRIES 4096
#define SNAPSHOT_BYTES (64u << 20)
#define SEGMENT_BYTES (8u << 20)  /* under 4 MB libraft fails every write */
#define ROOM_KB 4096              /* prepared room below this on a majority: appends are refused with ENOSPC */
#define RECONNECT_MS 200
#define INSTALL_MS 10000          /* a snapshot sent is sent again after so long without a word */
#define DISK_RETRY_MS 100

static const char *ledger_remedy(const struct ledger *l)
{
    return l->npeers > 1 ? "restore it from another controller: move the directory away and start with an empty one "
                           "to rejoin"
                         : "restore the directory from a backup";
}

/* ---- the mark reaches the disk ---- */

static void sync_work(uv_work_t *w)
{
    struct ledger *l = w->data;
    int rc = ledger_mark_sync(&l->mark);
    w->data = rc ? NULL : l; /* the only word that crosses threads: NULL is failure */
}

static void maybe_gone(struct ledger *l);

static void sync_done(uv_work_t *w, int status)
{
    struct ledger *l = CONTAINER_OF(w, struct ledger, sync_work);
    l->syncing = false;
    if (!w->data)
        ledger_break(l, "cannot write %s/mark to the disk", l->dir);
    if (l->closing)
        maybe_gone(l);
    else if (l->mark.dirty)
        ledger_sync_soon(l);
}

static void sync_start(uv_timer_t *t)
{
    struct ledger *l = t->data;
    l->syncing = true;
    l->mark.dirty = false;
    l->sync_work.data = l;
    uv_queue_work(l->loop, &l->sync_work, sync_work, sync_done);
}

void ledger_sync_soon(struct ledger *l)
{
    if (!l->syncing && !l->closing && l->mark.dirty && !uv_is_active((uv_handle_t *)&l->sync_timer))
        uv_timer_start(&l->sync_timer, sync_start, LEDGER_MARK_SYNC_MS, 0);
}

/* ---- the end ---- */

static void maybe_gone(struct ledger *l)
{
    if (l->handles || l->syncing || l->raft_up)
        return;
    void (*closed)(void *) = l->closed;
    void *arg = l->closed_arg;
    ledger_mark_close(&l->mark);
    for (size_t i = 0; i < l->npeers; i++)
        free(l->peers[i].address);
    free(l->peers);
    free(l->dir);
    free(l->log_dir);
    free(l->snap_head);
    if (l->frozen)
        l->fsm.release(l->frozen);
    buf_clear(&l->snap);
    free(l);
    if (closed)
        closed(arg);
}

static void on_handle_closed(uv_handle_t *h)
{
    struct ledger *l = h->data;
    l->handles--;
    maybe_gone(l);
}

static void close_handles(struct ledger *l)
{
    uv_handle_t *all[] = { (uv_handle_t *)&l->before, (uv_handle_t *)&l->after, (uv_handle_t *)&l->soon,
                           (uv_handle_t *)&l->sync_timer };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        uv_close(all[i], on_handle_closed);
}

static void io_free(struct ledger *l)
{
    raft_uv_close(&l->io);
    if (l->net)
        peer_net_free(l->net);
    else
        raft_uv_tcp_close(&l->tcp);
}

static void on_raft_closed(struct raft *r)
{
    struct ledger *l = r->data;
    l->raft_up = false;
    io_free(l);
    close_handles(l);
}

static void close_now(struct ledger *l)
{
    l->closing = true;
    if (l->writing)
        return; /* ledger_close_go_on() follows */
    ledger_snapshot_close(l);
    if (l->raft_up)
        raft_close(l->raft, on_raft_closed);
    else
        close_handles(l);
}

void ledger_close_go_on(struct ledger *l)
{
    close_now(l);
}

void ledger_close(struct ledger *l, void (*closed)(void *arg), void *arg)
{
    l->closed = closed;
    l->closed_arg = arg;
    struct turn *refused = take(l->refused);
    ledger_answer(l, refused ? refused->rc : LEDGER_UNKNOWN);
    free(refused);
    close_now(l);
}

/* ---- what is in the directory ---- */

static int make_dirs(struct ledger *l, struct err *err)
{
    const char *dirs[] = { l->dir, l->log_dir };
    for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
        if (mkdir(dirs[i], 0700) && errno != EEXIST)
            return err_set(err, errno, "cannot create the ledger's directory %s: %m", dirs[i]);
    return 0;
}

static int ledger_begin(struct ledger *l, bool fresh_ok, struct err *err)
{
    if (fresh_ok)
        return ledger_mark_found(&l->mark, l->dir, l->id,
                                 LEDGER_MARK_FOUNDING | (l->npeers > 1 ? LEDGER_MARK_JOINING : 0), err);
    if (l->npeers > 1)
        return ledger_mark_found(&l->mark, l->dir, l->id, LEDGER_MARK_JOINING, err);
    return err_set(err, ENOENT, "there is no ledger in %s, and a new one was not asked for", l->dir);
}

/* May this directory be believed?  Looked at before libraft may change anything in it. */
static int ledger_judge(struct ledger *l, const struct segment_view *v, bool fresh_ok, struct err *err)
{
    const struct ledger_mark *g = &l->mark;
    bool begun = !(g->flags & (LEDGER_MARK_FOUNDING | LEDGER_MARK_JOINING));
    if (!g->existed && v->any)
        return err_set(err, EUCLEAN, "the ledger in %s has a log but its mark %s/mark is gone; %s", l->dir, l->dir,
                       ledger_remedy(l));
    if (!g->existed)
        return ledger_begin(l, fresh_ok, err);
    if (g->id != l->id)
        return err_set(err, EINVAL, "the ledger in %s belongs to controller %llu, not to %llu", l->dir,
                       (unsigned long long)g->id, (unsigned long long)l->id);
    if (!v->metadata && (begun || v->any || g->committed))
        return err_set(err, EUCLEAN, "the log in %s is gone or lacks metadata1 and metadata2; %s", l->log_dir,
                       ledger_remedy(l));
    if (v->last < g->committed)
        return err_set(err, EUCLEAN, "the log in %s ends at entry %llu but entry %llu was committed%s%s; %s",
                       l->log_dir, (unsigned long long)v->last, (unsigned long long)g->committed,
                       v->damaged[0] ? ": damaged file " : "", v->damaged, ledger_remedy(l));
    return 0;
}

/*
 * A beginning that was cut short after libraft's metadata and before its first entry: libraft would take the metadata
 * for a history and wait for ever for members.  It has not been started yet, so it gave no vote: it begins again.
 */
static int forget_half_begun(struct ledger *l, struct segment_view *v, struct err *err)
{
    if (!(l->mark.flags & LEDGER_MARK_FOUNDING) || !v->metadata || v->last)
        return 0;
    for (int i = 1; i <= 2; i++) {
        auto_free char *path = mem_printf("%s/metadata%d", l->log_dir, i);
        if (unlink(path) && errno != ENOENT)
            return err_set(err, errno, "cannot remove %s: %m", path);
    }
    return segment_look(v, l->log_dir, err);
}

static int ledger_examine(struct ledger *l, bool fresh_ok, struct err *err)
{
    struct segment_view v;
    int rc = make_dirs(l, err);
    if (!rc)
        rc = ledger_mark_open(&l->mark, l->dir, err);
    if (rc == EUCLEAN)
        return err_set(err, rc, "the mark %s/mark is damaged; %s", l->dir, ledger_remedy(l));
    if (!rc)
        rc = segment_look(&v, l->log_dir, err);
    if (!rc)
        rc = forget_half_begun(l, &v, err);
    if (rc)
        return rc;
    snprintf(l->newest_snapshot, sizeof(l->newest_snapshot), "%s", v.newest_snapshot);
    l->snapshot_base = v.snapshot;
    return ledger_judge(l, &v, fresh_ok, err);
}

/* ---- the beginning ---- */

static const char *own_address(const struct ledger *l)
{
    for (size_t i = 0; i < l->npeers; i++)
        if (l->peers[i].id == l->id)
            return l->peers[i].address;
    return NULL;
}

static int transport_start(struct ledger *l, const struct ledger_conf *conf, struct err *err)
{
    struct raft_uv_transport *t = &l->tcp;
    heap_guard_install();
    sync_guard_install(SEGMENT_BYTES);
    if (conf->claim) {
        l->net = peer_net_new(l->loop, conf->claim, l->peers, l->npeers);
        t = peer_net_transport(l->net);
    } else {
        t->version = 1;
        if (raft_uv_tcp_init(t, l->loop))
            return err_set(err, EIO, "cannot start the ledger's network: %s", t->errmsg);
    }
    int rv = raft_uv_init(&l->io, l->loop, l->log_dir, t);
    if (!rv)
        return 0;
    if (l->net)
        peer_net_free(l->net);
    else
        raft_uv_tcp_close(t);
    return err_set(err, EIO, "cannot use the ledger's directory %s: %s", l->log_dir, l->io.errmsg);
}

static void ledger_tune(struct ledger *l, const struct ledger_conf *conf)
{
    struct raft *r = l->raft;
    unsigned seed = 0;
    if (getrandom(&seed, sizeof(seed), 0) == (ssize_t)sizeof(seed))
        raft_seed(r, seed);
    raft_set_election_timeout(r, conf->election_ms ? conf->election_ms : ELECTION_MS);
    raft_set_heartbeat_timeout(r, conf->heartbeat_ms ? conf->heartbeat_ms : HEARTBEAT_MS);
    raft_set_snapshot_threshold(r, l->snapshot_entries);
    raft_set_snapshot_trailing(r, l->snapshot_entries);
    raft_set_capacity_threshold(r, ROOM_KB);
    raft_set_install_snapshot_timeout(r, INSTALL_MS);
    raft_set_pre_vote(r, true);
}

/* libraft's words, and what to do about them. */
static int ledger_failed(struct ledger *l, const char *what, int rv, struct err *err)
{
    const char *said = raft_errmsg(l->raft);
    if (rv == RAFT_CORRUPT || rv == RAFT_MALFORMED)
        return err_set(err, EUCLEAN, "the log in %s is damaged: %s; %s", l->log_dir, said, ledger_remedy(l));
    if (rv == RAFT_NOSPACE || ledger_disk_free(l) < SEGMENT_BYTES)
        return err_set(err, ENOSPC, "cannot %s the ledger in %s, its disk is full: %s", what, l->dir, said);
    return err_set(err, EIO, "cannot %s the ledger in %s: %s (%s)", what, l->dir, raft_strerror(rv), said);
}

static int raft_up(struct ledger *l, const struct ledger_conf *conf, struct err *err)
{
    int rc = transport_start(l, conf, err);
    if (rc)
        return rc;
    raft_uv_set_auto_recovery(&l->io, false);
    raft_uv_set_segment_size(&l->io, SEGMENT_BYTES);
    raft_uv_set_connect_retry_delay(&l->io, RECONNECT_MS);
    raft_uv_set_disk_retry(&l->io, DISK_RETRY_MS);
    ledger_fsm_bind(l);
    ledger_join_bind(l);
    int rv = raft_init(l->raft, &l->io, &l->raft_fsm, l->id, own_address(l));
    if (rv) {
        rc = ledger_failed(l, "open", rv, err);
        io_free(l);
        return rc;
    }
    l->raft->data = l;
    l->raft_up = true;
    ledger_tune(l, conf);
    return 0;
}

/* A new history begins with one entry: its members.  A beginning that was cut short is begun again. */
static int ledger_found(struct ledger *l, struct err *err)
{
    struct raft_configuration c;
    raft_configuration_init(&c);
    int rv = 0;
    for (size_t i = 0; i < l->npeers && !rv; i++)
        rv = raft_configuration_add(&c, l->peers[i].id, l->peers[i].address, RAFT_VOTER);
    if (!rv)
        rv = raft_bootstrap(l->raft, &c);
    raft_configuration_close(&c);
    if (rv && rv != RAFT_CANTBOOTSTRAP)
        return ledger_failed(l, "begin", rv, err);
    return ledger_mark_set_flags(&l->mark, l->mark.flags & ~(uint32_t)LEDGER_MARK_FOUNDING, err);
}

static int ledger_start(struct ledger *l, struct err *err)
{
    int rc = l->mark.flags & LEDGER_MARK_FOUNDING ? ledger_found(l, err) : 0;
    if (rc)
        return rc;
    l->opening = true;
    int rv = raft_start(l->raft);
    l->opening = false;
    if (l->trouble.code)
        return err_set(err, EUCLEAN, "the ledger in %s is damaged: %s; %s", l->dir, l->trouble.text, ledger_remedy(l));
    return rv ? ledger_failed(l, "start", rv, err) : 0;
}

static void on_before(uv_prepare_t *h)
{
    ledger_watch(h->data);
}

static void on_after(uv_check_t *h)
{
    ledger_watch(h->data);
}

static struct ledger *ledger_new(uv_loop_t *loop, const struct ledger_conf *conf, const struct ledger_fsm *fsm)
{
    struct ledger *l = NEW(struct ledger);
    l->raft = &l->own;
    l->loop = loop;
    l->fsm = *fsm;
    l->id = conf->id;
    l->dir = mem_str(conf->dir);
    l->log_dir = mem_printf("%s/log", conf->dir);
    l->mark = (struct ledger_mark)LEDGER_MARK_INIT;
    l->snapshot_entries = conf->snapshot_entries ? conf->snapshot_entries : SNAPSHOT_ENTRIES;
    l->keeps = conf->keeps;
    l->snapshot_bytes = conf->snapshot_bytes ? conf->snapshot_bytes : SNAPSHOT_BYTES;
    l->npeers = conf->npeers;
    l->peers = mem_array(conf->npeers, sizeof(*l->peers));
    for (size_t i = 0; i < conf->npeers; i++)
        l->peers[i] = (struct ledger_peer){ conf->peers[i].id, mem_str(conf->peers[i].address) };
    while (!l->origin && getrandom(&l->origin, sizeof(l->origin), 0) != (ssize_t)sizeof(l->origin))
        l->origin = 0;
    l->before.data = l->after.data = l->soon.data = l->sync_timer.data = l;
    uv_prepare_init(loop, &l->before);
    uv_check_init(loop, &l->after);
    uv_timer_init(loop, &l->soon);
    uv_timer_init(loop, &l->sync_timer);
    l->handles = 4;
    return l;
}

static void set_flag(void *arg)
{
    *(bool *)arg = true;
}

int ledger_open(struct ledger **out, uv_loop_t *loop, const struct ledger_conf *conf, const struct ledger_fsm *fsm,
                struct err *err)
{
    struct ledger *l = ledger_new(loop, conf, fsm);
    signal(SIGPIPE, SIG_IGN);
    int rc = own_address(l)
                 ? ledger_examine(l, conf->fresh_ok, err)
                 : err_set(err, EINVAL, "controller %llu is not among the controllers", (unsigned long long)conf->id);
    if (!rc)
        rc = raft_up(l, conf, err);
    if (!rc)
        rc = ledger_start(l, err);
    if (rc) {
        bool gone = false;
        l->closed = set_flag;
        l->closed_arg = &gone;
        close_now(l);
        while (!gone)
            uv_run(loop, UV_RUN_ONCE);
        return rc;
    }
    uv_prepare_start(&l->before, on_before);
    uv_check_start(&l->after, on_after);
    *out = l;
    return 0;
}

void ledger_accept(struct ledger *l, uint64_t from, const char *address, uv_stream_t *stream)
{
    peer_accept(l->closing ? NULL : l->net, from, address, stream);
}

/* ---- questions ---- */

bool ledger_is_leader(const struct ledger *l) { return l->role == LEDGER_LEADER; }
enum ledger_role ledger_role(const struct ledger *l) { return l->role; }
uint64_t ledger_leader(const struct ledger *l) { return l->leader; }
uint64_t ledger_applied(const struct ledger *l) { return raft_last_applied(l->raft); }
uint64_t ledger_committed(const struct ledger *l) { return raft_commit_index(l->raft); }
uint64_t ledger_term(const struct ledger *l) { return raft_current_term(l->raft); }
const char *ledger_trouble(const struct ledger *l) { return l->trouble.code ? l->trouble.text : NULL; }
struct ledger_stats ledger_stats(const struct ledger *l) { return l->stats; }

uint64_t ledger_disk_free(const struct ledger *l)
{
    struct ledger *cache = (struct ledger *)l; /* remembering is not changing */
    uint64_t now_ms = (uint64_t)clock_mono_ms();
    struct statvfs s;
    if (now_ms - l->free_at_ms > 1000 && !statvfs(l->log_dir, &s)) {
        cache->free_bytes = (uint64_t)s.f_bavail * s.f_frsize;
        cache->free_at_ms = now_ms;
    }
    return l->free_bytes;
}
