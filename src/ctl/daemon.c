/* daemon - the controller's loop: sockets in, turns, the ledger, words out; see daemon.h. */
#include "ctl/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <uv.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/log.h"
#include "base/str.h"
#include "ctl/send_queue.h"
#include "ctl/scripts.h"
#include "io/link.h"
#include "store/ledger.h"
#include "text/site_gres.h"
#include "text/topology.h"

/* The log grows in segments of 8 MB, and three are kept ahead. */
#define DISK_RESERVE (24u << 20)

struct session {
    uint64_t id;
    struct link *link;
    bool known; /* to the controller: it asked for more than a look */
};

struct waiting { /* a request that waits for its turn */
    uint64_t session;
    struct link_peer peer;
    enum msg_type type;
    uint16_t flags;
    uint64_t number;
    char *body;
    uint32_t len;
};

struct ended { /* a script of ours that came to its end */
    uint32_t job_id, attempt;
    bool epilog;
    int status;
};

struct daemon {
    const struct daemon_conf *conf;
    uv_loop_t loop;
    struct ctl *ctl;
    struct ledger *ledger;
    struct ledger_peer *peers;
    struct cred_key key;
    struct link_listener *unix_server, *tcp_server;
    struct map sessions; /* id -> struct session */
    struct send_queue send_queue;
    uint64_t next_session;
    VEC(struct waiting) queue;
    VEC(uint64_t) gone;
    VEC(struct ended) ended;
    uv_check_t turner; /* after the poll: whatever came in together is one turn */
    uv_idle_t awake;   /* keeps the loop from sleeping while a turn is wanted */
    uv_timer_t timer, stopper;
    uv_signal_t sig_term, sig_int, sig_hup, sig_usr2;
    bool wanted, in_flight, lead_wanted, leading, stopping, reload;
    int64_t boot_s;
    int rc;
};

static struct daemon *D;

static void nothing(uv_idle_t *h) {}

static void want_turn(struct daemon *d)
{
    d->wanted = true;
    if (!d->in_flight)
        uv_idle_start(&d->awake, nothing);
}

/* ---- starting again ---- */

/* The state in memory is a guess from here on: the log knows.  Connections close, clients ask again. */
static void start_again(struct daemon *d, const char *why, unsigned wait_ms)
{
    log_error("starting again from the log: %s", why);
    if (wait_ms)
        usleep(wait_ms * 1000);
    execv("/proc/self/exe", d->conf->argv);
    log_line(LOG_FATAL, "cannot start again: %m");
    _exit(1);
}

/* ---- words out ---- */

static void script_done(void *arg, uint32_t job_id, uint32_t attempt, bool epilog, int status)
{
    struct daemon *d = arg;
    vec_push(&d->ended, ((struct ended){ job_id, attempt, epilog, status }));
    want_turn(d);
}

static void run_scripts(struct daemon *d)
{
    struct ctl_script *s;
    size_t n = ctl_scripts(d->ctl, &s);
    for (size_t i = 0; i < n; i++)
        scripts_run(&d->loop, ctl_site(d->ctl), d->conf->conf_path, &s[i], script_done, d);
}

static struct link *link_of(void *arg, uint64_t session)
{
    struct session *s = map_get(&((struct daemon *)arg)->sessions, session);
    return s ? s->link : NULL;
}

static void send_outs(struct daemon *d)
{
    run_scripts(d);
    struct ctl_out *outs;
    size_t n = ctl_outs(d->ctl, &outs);
    for (size_t i = 0; i < n; i++) {
        if (outs[i].shared) {
            send_queue_add(&d->send_queue, &outs[i]);
            continue;
        }
        struct link *c = link_of(d, outs[i].session);
        if (c)
            link_send(c, outs[i].type, outs[i].flags, outs[i].number, outs[i].body, outs[i].len);
        ctl_out_clear(&outs[i]);
    }
}

/* The entry was certainly refused: those who asked are told before we start again. */
static void refuse_outs(struct daemon *d, int rc)
{
    struct ctl_out *outs;
    size_t n = ctl_outs(d->ctl, &outs);
    for (size_t i = 0; i < n; i++) {
        struct session *s = map_get(&d->sessions, outs[i].session);
        if (!s || !outs[i].number)
            continue;
        Pb__Failure f = PB__FAILURE__INIT;
        char text[256];
        snprintf(text, sizeof(text), "the controller cannot write its log, nothing was changed: %s", strerror(rc));
        f.code = rc;
        f.text = text;
        link_send_pb(s->link, MSG_FAILURE, 0, outs[i].number, &f.base);
    }
    for (int i = 0; i < 3; i++)
        uv_run(&d->loop, UV_RUN_NOWAIT);
}

/* ---- the turn ---- */

static struct ctl_facts facts(struct daemon *d)
{
    return (struct ctl_facts){
        .leader_id = ledger_leader(d->ledger),
        .term = ledger_term(d->ledger),
        .applied = ledger_applied(d->ledger),
        .committed = ledger_committed(d->ledger),
        .role = ledger_role(d->ledger),
        .boot_s = d->boot_s,
        .disk_low = ledger_disk_free(d->ledger) < DISK_RESERVE,
    };
}

_Static_assert(CTL_ENTRY_MAX <= LEDGER_ENTRY_MAX, "what a turn may grow to fits into the log");

static void set_timer(struct daemon *d);

static void committed(void *arg, int rc)
{
    struct daemon *d = arg;
    d->in_flight = false;
    if (rc == LEDGER_UNKNOWN && d->stopping)
        return;
    if (rc == LEDGER_UNKNOWN)
        start_again(d, "leadership was lost with an entry under way", 0);
    if (rc) {
        refuse_outs(d, rc);
        start_again(d, strerror(rc), 1000);
    }
    send_outs(d);
    if (d->queue.n || d->gone.n || d->ended.n || d->wanted || d->lead_wanted || ctl_again(d->ctl))
        want_turn(d);
    set_timer(d);
}

/* All the files of the configuration; none of them counts when one has a mistake. */
static int load(struct site **site, const char *path, struct err *err)
{
    int rc = site_load(site, path, err);
    if (!rc && ((rc = topo_load(*site, err)) || (rc = site_gres_load(*site, err)))) {
        site_free(*site);
        *site = NULL;
    }
    return rc;
}

static void reconfigure(struct daemon *d, uint64_t session, uint64_t number)
{
    struct err err = ERR_INIT;
    struct site *site;
    int rc = load(&site, d->conf->conf_path, &err);
    if (!rc)
        rc = ctl_reconfigure(d->ctl, site, &err);
    if (rc)
        log_error("reconfigure refused: %s", err.text);
    else
        log_info("reconfigured");
    if (session)
        ctl_answer(d->ctl, session, number, rc, err.text);
}

static void stop(struct daemon *d);

static bool is_admin(const struct link_peer *p)
{
    return p->use == CRED_CLIENT && (p->uid == 0 || p->uid == getuid());
}

/* Messages about the daemon itself rather than about the cluster. */
static bool own_message(struct daemon *d, const struct waiting *w)
{
    if (w->type != MSG_RECONFIGURE && w->type != MSG_SHUTDOWN && w->type != MSG_TAKEOVER)
        return false;
    if (!is_admin(&w->peer)) {
        ctl_answer(d->ctl, w->session, w->number, ESLURM_USER_ID_MISSING, err_text(ESLURM_USER_ID_MISSING));
    } else if (w->type == MSG_RECONFIGURE) {
        reconfigure(d, w->session, w->number);
    } else if (w->type == MSG_SHUTDOWN) {
        ctl_answer(d->ctl, w->session, w->number, 0, NULL);
        stop(d);
    } else {
        int rc = ledger_transfer(d->ledger, NULL, NULL);
        ctl_answer(d->ctl, w->session, w->number, rc, rc ? "there is no other controller that could take over" : NULL);
    }
    return true;
}

static void process_queue(struct daemon *d)
{
    size_t i = 0;
    for (; i < d->queue.n && !ctl_full(d->ctl); i++) {
        struct waiting *w = &d->queue.at[i];
        struct ctl_peer peer = { w->peer.uid, w->peer.gid, w->peer.use == CRED_AGENT, w->peer.node };
        struct frame f = { w->type, w->flags, w->number, (uint8_t *)w->body, w->len };
        if (!own_message(d, w))
            ctl_request(d->ctl, w->session, &peer, &f);
        free(w->body);
    }
    if (i)
        memmove(d->queue.at, d->queue.at + i, (d->queue.n - i) * sizeof(*d->queue.at));
    d->queue.n -= i;
}

static void lead(struct daemon *d)
{
    struct err err = ERR_INIT;
    struct site *site = NULL;
    if (load(&site, d->conf->conf_path, &err)) {
        log_error("leading with the configuration of the start, the file has a mistake now: %s", err.text);
        site = NULL;
    }
    ctl_lead(d->ctl, clock_wall_ms(), site);
}

static void turn(struct daemon *d)
{
    struct ctl_facts f = facts(d);
    d->wanted = false;
    ctl_begin(d->ctl, clock_wall_ms(), &f);
    if (d->lead_wanted) {
        d->lead_wanted = false;
        d->leading = true;
        lead(d);
    }
    if (d->leading) {
        for (size_t i = 0; i < d->gone.n; i++)
            ctl_gone(d->ctl, d->gone.at[i]);
        ctl_timers(d->ctl);
        for (size_t i = 0; i < d->ended.n; i++)
            ctl_script_done(d->ctl, d->ended.at[i].job_id, d->ended.at[i].attempt, d->ended.at[i].epilog,
                            d->ended.at[i].status);
    }
    d->gone.n = d->ended.n = 0;
    if (d->reload && d->leading)
        reconfigure(d, 0, 0);
    d->reload = false;
    process_queue(d);
    const struct buf *entry = ctl_end(d->ctl);
    if (entry->len) {
        d->in_flight = true;
        ledger_append(d->ledger, entry->s, entry->len, committed, d);
    }
    ctl_read(d->ctl); /* while the disk writes */
    if (!d->in_flight)
        send_outs(d);
    if (d->queue.n || ctl_again(d->ctl))
        d->wanted = true;
    set_timer(d);
}

static void after_poll(uv_check_t *h)
{
    struct daemon *d = h->data;
    if (d->wanted && !d->in_flight && !d->stopping)
        turn(d);
    if (!d->wanted || d->in_flight)
        uv_idle_stop(&d->awake);
}

static void timer_due(uv_timer_t *h)
{
    want_turn(h->data);
}

static void set_timer(struct daemon *d)
{
    int64_t next = ctl_next_ms(d->ctl), now = clock_wall_ms();
    if (!next || !d->leading)
        uv_timer_stop(&d->timer);
    else
        uv_timer_start(&d->timer, timer_due, next > now ? (uint64_t)MIN(next - now, 3600000) : 0, 0);
}

/* ---- frames in ---- */

static void redirect(struct daemon *d, struct link *c, uint64_t number)
{
    Pb__Redirect r = PB__REDIRECT__INIT;
    const struct site *site = ctl_site(d->ctl);
    char address[160] = "";
    r.leader_id = d->ledger ? ledger_leader(d->ledger) : 0;
    if (r.leader_id == d->conf->id)
        r.leader_id = 0; /* we lead but are not ready yet: ask again */
    for (size_t i = 0; i < site->nctl; i++)
        if (site->ctl[i].id == r.leader_id)
            snprintf(address, sizeof(address), "%s:%u", site->ctl[i].host, site->ctl[i].port);
    r.address = address;
    link_send_pb(c, MSG_REDIRECT, 0, number, &r.base);
}

static void on_ready(struct link *c)
{
    struct session *s = NEW(struct session);
    s->id = ++D->next_session;
    s->link = c;
    link_set_arg(c, s);
    map_put(&D->sessions, s->id, s);
}

static void on_frame(struct link *c, const struct frame *f)
{
    struct session *s = link_arg(c);
    s->known |= f->type != MSG_JOBS && f->type != MSG_CLUSTER && f->type != MSG_NODES;
    bool anywhere = f->type == MSG_STATUS || f->type == MSG_CRED;
    if (!D->leading && !anywhere) {
        redirect(D, c, f->number);
        return;
    }
    vec_push(&D->queue,
             (struct waiting){ s->id, *link_peer(c), f->type, f->flags, f->number, mem_copy(f->body, f->len), f->len });
    want_turn(D);
}

static void on_closed(struct link *c, const struct err *why)
{
    struct session *s = link_arg(c);
    if (!s || (void *)s == D)
        return;
    map_del(&D->sessions, s->id);
    if (s->known) {
        vec_push(&D->gone, s->id);
        want_turn(D);
    }
    free(s);
}

static void free_stream(uv_handle_t *h)
{
    free(h);
}

static void on_raft_peer(void *arg, uint64_t id, const char *address, uv_stream_t *stream)
{
    if (D->ledger)
        ledger_accept(D->ledger, id, address, stream);
    else
        uv_close((uv_handle_t *)stream, free_stream); /* it came while we are going */
}

static const struct link_ops ops = { on_ready, on_frame, on_closed };

/* ---- the ledger's side ---- */

static void fsm_apply(void *arg, uint64_t index, const void *entry, size_t len, bool mine)
{
    struct daemon *d = arg;
    if (!mine)
        ctl_replay(d->ctl, entry, len);
}

static void fsm_snapshot(void *arg, struct buf *out)
{
    int64_t from = clock_mono_us();
    ctl_encode(((struct daemon *)arg)->ctl, out);
    log_info("snapshot encoded bytes=%zu us=%lld", out->len, (long long)(clock_mono_us() - from));
}

static int fsm_restore(void *arg, const void *p, size_t len, struct err *err)
{
    return ctl_decode(((struct daemon *)arg)->ctl, p, len, err);
}

static void drop_sessions(struct daemon *d)
{
    size_t pos = 0;
    for (struct session *s; (s = map_next(&d->sessions, &pos, NULL));)
        link_close(s->link);
}

static void fsm_role(void *arg, enum ledger_role role, uint64_t leader)
{
    struct daemon *d = arg;
    static const char *const names[] = { "follower", "candidate", "leader", "broken" };
    log_info("role=%s leader=%llu", names[role], (unsigned long long)leader);
    if (role == LEDGER_LEADER && !d->leading) {
        d->lead_wanted = true;
        want_turn(d);
    } else if (role != LEDGER_LEADER && d->leading) {
        if (d->in_flight && !d->stopping)
            return; /* its end will tell */
        d->leading = false;
        ctl_follow(d->ctl);
        drop_sessions(d);
    }
    if (role == LEDGER_BROKEN && !d->stopping)
        start_again(d, ledger_trouble(d->ledger) ? ledger_trouble(d->ledger) : "the log cannot be followed", 500);
}

/* What we say to another controller: its challenge, answered and signed. */
static int greet(void *arg, uint64_t to, const void *heard, size_t len, struct buf *out)
{
    struct daemon *d = arg;
    struct frame f;
    size_t used;
    struct err err = ERR_INIT;
    int rc = frame_find(heard, len, FRAME_MAX_HELLO, &f, &used, &err);
    if (rc <= 0)
        return rc;
    Pb__Challenge *ch = f.type == MSG_CHALLENGE ? pb__challenge__unpack(NULL, f.len, f.body) : NULL;
    if (!ch)
        return -1;
    const struct site *site = ctl_site(d->ctl);
    char address[160] = "";
    for (size_t i = 0; i < site->nctl; i++)
        if (site->ctl[i].id == d->conf->id)
            snprintf(address, sizeof(address), "%s:%u", site->ctl[i].host, site->ctl[i].port);
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
    pb__challenge__free_unpacked(ch, NULL);
    return 1;
}

/* ---- coming up ---- */

static int make_dir(const char *path, mode_t mode, struct err *err)
{
    if (!mkdir(path, mode) || errno == EEXIST)
        return 0;
    if (errno == ENOENT) {
        auto_free char *up = mem_str(path);
        char *slash = strrchr(up, '/');
        if (slash && slash != up) {
            *slash = '\0';
            if (!make_dir(up, 0755, err) && (!mkdir(path, mode) || errno == EEXIST))
                return 0;
        }
    }
    return err_set(err, errno, "cannot make %s: %m", path);
}

static int open_ledger(struct daemon *d, struct err *err)
{
    const struct site *site = ctl_site(d->ctl);
    static struct ledger_transport transport;
    auto_free char *dir = mem_printf("%s/ctl%llu", site->state_dir, (unsigned long long)d->conf->id);
    if (make_dir(site->state_dir, 0700, err) || make_dir(dir, 0700, err))
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
    struct ledger_fsm fsm = { fsm_apply, fsm_snapshot, fsm_restore, fsm_role, d };
    return ledger_open(&d->ledger, &d->loop, &conf, &fsm, err);
}

static int open_sockets(struct daemon *d, struct err *err)
{
    const struct site *site = ctl_site(d->ctl);
    struct link_listen_conf sc = { .loop = &d->loop, .key = &d->key, .ops = &ops, .arg = d, .raft_peer = on_raft_peer };
    auto_free char *path = mem_printf("%s/ctl%llu.sock", site->socket_dir, (unsigned long long)d->conf->id);
    const struct site_ctl *me = NULL;
    for (size_t i = 0; i < site->nctl; i++)
        if (site->ctl[i].id == d->conf->id)
            me = &site->ctl[i];
    if (make_dir(site->socket_dir, 0755, err))
        return err->code;
    /* On loopback only where that is how it is reached. */
    bool loopback = str_has_prefix(me->host, "127.") || str_eq(me->host, "localhost");
    int rc = link_listen_tcp(&d->tcp_server, &sc, loopback ? "127.0.0.1" : "0.0.0.0", me->port, err);
    return rc ? rc : link_listen_unix(&d->unix_server, &sc, path, err);
}

/* ---- going down ---- */

static void finished(void *arg)
{
    uv_stop(&((struct daemon *)arg)->loop);
}

static void close_ledger(struct daemon *d)
{
    if (d->ledger)
        ledger_close(take(d->ledger), finished, d);
}

static void stop_now(uv_timer_t *t)
{
    close_ledger(t->data);
}

static void transferred(void *arg, int rc)
{
    close_ledger(arg);
}

static void stop(struct daemon *d)
{
    if (d->stopping)
        return;
    d->stopping = true;
    log_info("stopping");
    link_listener_close(take(d->tcp_server));
    link_listener_close(take(d->unix_server));
    /* With others around, one of them leads before we go; a moment is left for the last words to leave. */
    if (!ledger_is_leader(d->ledger) || ledger_transfer(d->ledger, transferred, d))
        uv_timer_start(&d->stopper, stop_now, 50, 0);
}

static void on_signal(uv_signal_t *h, int number)
{
    struct daemon *d = h->data;
    const struct site *site = ctl_site(d->ctl);
    if (number == SIGHUP) {
        d->reload = true;
        want_turn(d);
    } else if (number == SIGUSR2) {
        if (site->ctl_log_file)
            (void)log_file(site->ctl_log_file, 0, NULL);
    } else {
        stop(d);
    }
}

static void watch(struct daemon *d, uv_signal_t *h, int number)
{
    uv_signal_init(&d->loop, h);
    h->data = d;
    uv_signal_start(h, on_signal, number);
}

static void init_handles(struct daemon *d)
{
    uv_check_init(&d->loop, &d->turner);
    uv_idle_init(&d->loop, &d->awake);
    uv_timer_init(&d->loop, &d->timer);
    uv_timer_init(&d->loop, &d->stopper);
    send_queue_init(&d->send_queue, &d->loop, link_of, d);
    d->turner.data = d->awake.data = d->timer.data = d->stopper.data = d;
    uv_check_start(&d->turner, after_poll);
    watch(d, &d->sig_term, SIGTERM);
    watch(d, &d->sig_int, SIGINT);
    watch(d, &d->sig_hup, SIGHUP);
    watch(d, &d->sig_usr2, SIGUSR2);
}

static void say_unused(void *arg, const char *key, const char *file, uint32_t line)
{
    log_info("%s:%u: %s is known, but this release of Spur does not act on it", file, line, key);
}

static void say_doubt(void *arg, const char *sentence)
{
    log_error("%s", sentence);
}

static uint32_t admin_uid(const struct site *site)
{
    struct passwd *pw = str_empty(site->slurm_user) ? NULL : getpwnam(site->slurm_user);
    return getuid() || !pw ? getuid() : pw->pw_uid;
}

void daemon_doubts(const struct site *site)
{
    conf_unused(site, say_unused, NULL);
    site_doubts(site, say_doubt, NULL);
    topo_doubts(site, say_doubt, NULL);
}

int daemon_run(const struct daemon_conf *conf, struct site *site)
{
    static struct daemon d;
    struct err err = ERR_INIT;
    D = &d;
    d.conf = conf;
    d.boot_s = time(NULL);
    /* Long answers come and go: what they took is used again, and goes back to the system when it is much. */
    mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
    mallopt(M_TRIM_THRESHOLD, 8 * 1024 * 1024);
    signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&d.loop);
    int rc = cred_key_ensure(&d.key, site->key_file, &err);
    struct ctl_conf cc = {
        .site = site, .key = &d.key, .admin_uid = admin_uid(site), .id = conf->id, .clock_us = clock_mono_us
    };
    daemon_doubts(site);
    d.ctl = ctl_new(&cc);
    if (!rc)
        rc = open_ledger(&d, &err);
    if (!rc) {
        init_handles(&d);
        rc = open_sockets(&d, &err);
    }
    if (rc) {
        log_line(LOG_FATAL, "%s", err.text);
        return 1;
    }
    log_info("spurctld %s started id=%llu jobs=%zu", SPUR_VERSION, (unsigned long long)conf->id,
             ctl_cluster(d.ctl)->jobs.n);
    want_turn(&d);
    uv_run(&d.loop, UV_RUN_DEFAULT);
    log_info("stopped");
    send_queue_close(&d.send_queue);
    ctl_free(d.ctl);
    return d.rc;
}
