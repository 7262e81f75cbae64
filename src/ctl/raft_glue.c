/* raft_glue - the ledger's callbacks; see raft_glue.h. */
#include "ctl/raft_glue.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "ctl/daemon_priv.h"

#define PREPARE_LEAST 64 /* records that are encoded again with each entry before a snapshot */

static void on_apply(void *arg, uint64_t index, const void *entry, size_t len, bool mine)
{
    struct daemon *d = arg;
    if (!mine)
        ctl_replay(d->ctl, entry, len);
}

/* ---- snapshots: kept bytes are collected on the loop and put together in a worker ---- */

static void *on_freeze(void *arg)
{
    int64_t from = clock_mono_us();
    struct snapshot *s = cluster_snapshot(ctl_cluster(((struct daemon *)arg)->ctl));
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

static int on_restore(void *arg, const void *p, size_t len, struct err *err)
{
    return ctl_decode(((struct daemon *)arg)->ctl, p, len, err);
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

static void make_hello(struct daemon *d, const Pb__Challenge *ch, struct buf *out)
{
    char address[160] = "";
    daemon_address(d, d->conf->id, address, sizeof(address));
    Pb__Cred cred = PB__CRED__INIT;
    auto_buf struct buf s = BUF_INIT;
    cred.uid = getuid();
    cred.issued_ms = clock_wall_ms();
    cred.expires_ms = cred.issued_ms + CRED_TTL_MS;
    cred.nonce = ch->nonce;
    cred.use = CRED_PEER;
    cred.raft_id = d->conf->id;
    cred_make(&d->key, &cred, &s);
    Pb__Hello hello = PB__HELLO__INIT;
    hello.address = address;
    hello.version = SPUR_VERSION;
    hello.cred = pb__signed__unpack(NULL, s.len, (uint8_t *)s.s);
    frame_add_pb(out, MSG_HELLO, 0, 0, &hello.base);
    pb__signed__free_unpacked(hello.cred, NULL);
}

/* Answer another controller's challenge with a signed credential. */
static int greet(void *arg, uint64_t to, const void *heard, size_t len, struct buf *out)
{
    struct frame f;
    size_t used;
    struct err err = ERR_INIT;
    int rc = frame_find(heard, len, FRAME_MAX_HELLO, &f, &used, &err);
    if (rc <= 0)
        return rc;
    Pb__Challenge *ch = f.type == MSG_CHALLENGE ? pb__challenge__unpack(NULL, f.len, f.body) : NULL;
    if (!ch)
        return -1;
    make_hello(arg, ch, out);
    pb__challenge__free_unpacked(ch, NULL);
    return 1;
}

int raft_glue_open(struct daemon *d, struct err *err)
{
    const struct site *site = ctl_site(d->ctl);
    static struct ledger_transport transport;
    auto_free char *dir = mem_printf("%s/ctl%llu", site->state_dir, (unsigned long long)d->conf->id);
    if (daemon_make_dir(site->state_dir, 0700, err) || daemon_make_dir(dir, 0700, err))
        return err->code;
    d->peers = mem_array(site->nctl, sizeof(*d->peers));
    for (size_t i = 0; i < site->nctl; i++)
        d->peers[i] = (struct ledger_peer){ site->ctl[i].id,
                                            mem_printf("%s:%u", site->ctl[i].host, site->ctl[i].port) };
    transport = (struct ledger_transport){ .greet = greet, .arg = d };
    struct ledger_conf conf = {
        .dir = dir,
        .id = d->conf->id,
        .peers = d->peers,
        .npeers = site->nctl,
        .transport = &transport,
        .fresh_ok = true,
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
    return ledger_open(&d->ledger, &d->uv, &conf, &fsm, err);
}
