/* emulate - many nodes in one process; see emulate.h. */
#include "node/emulate.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/listen.h"
#include "node/signals.h"
#include "node/tree.h"
#include "text/hostlist.h"

#define CONNECTS_PER_S 4000u

/* An emulated step: a timer. */
struct pretend {
    uv_timer_t timer;
    struct emulate_io *io;
    int64_t start_ms;
    uint64_t left_ms; /* remaining time while the step is stopped */
    bool stopped;
    uint32_t status;
};

static struct {
    double time_s;
    struct agent *agents;
    size_t n;
} emulated;

/* ---- a step ---- */

static void pretend_closed(uv_handle_t *h)
{
    free(CONTAINER_OF(h, struct pretend, timer));
}

void emulate_drop(struct step_run *r)
{
    struct pretend *p = take(r->pretend);
    if (!p)
        return;
    if (p->io)
        emulate_io_drop(take(p->io));
    uv_close((uv_handle_t *)&p->timer, pretend_closed);
}

/* As with a real supervisor, the launcher receives the end before the controller does. */
static void emulate_ended(uv_timer_t *timer)
{
    struct step_run *r = timer->data;
    struct pretend *p = r->pretend;
    if (p->io)
        emulate_io_end(p->io, p->status);
    else
        emulate_notified(r);
}

void emulate_notified(struct step_run *r)
{
    struct pretend *p = r->pretend;
    Pb__Report rep = PB__REPORT__INIT;
    rep.job_id = r->key.job_id, rep.step_id = r->key.step_id, rep.attempt = r->key.attempt;
    rep.exit_code = p->status;
    rep.start_ms = p->start_ms;
    rep.end_ms = clock_wall_ms();
    p->io = NULL;
    auto_buf struct buf packed = BUF_INIT;
    size_t n = pb__report__get_packed_size(&rep);
    pb__report__pack(&rep, (uint8_t *)buf_room(&packed, n));
    report_end(r, pb__report__unpack(NULL, n, (uint8_t *)packed.s));
}

static void emulate_start(struct agent *a, const struct emulate_part *part)
{
    struct step_run *r = run_add(a, part->key);
    struct pretend *p = NEW(struct pretend);
    r->uid = part->uid;
    r->pretend = p;
    p->status = part->status;
    p->start_ms = clock_wall_ms();
    uv_timer_init(a->loop, &p->timer);
    p->timer.data = r;
    p->io = emulate_io_new(r, part);
    uv_timer_start(&p->timer, emulate_ended, part->run_ms, 0);
    launched_log_add(&a->launched, part->key, p->start_ms);
}

void emulate_order(struct agent *a, const struct frame *f)
{
    struct err err = ERR_INIT;
    struct emulate_part part = { 0 };
    Pb__Signed *s = pb__signed__unpack(NULL, f->len, f->body);
    if (!s)
        err_set(&err, EBADMSG, "the launch order does not parse");
    else if (!emulate_plan(launch_key(a, f), s, a->name, emulated.time_s, clock_cluster_ms(), &part, &err) &&
             !run_find(a, part.key)) {
        if (launched_log_has(&a->launched, part.key))
            err_set(&err, EALREADY, "step %s attempt %u has been run here before", run_text(part.key),
                    part.key.attempt);
        else if (part.key.step_id != PB__STEP_NUMBER__STEP_PROLOG)
            emulate_start(a, &part);
    }
    if (err.code)
        log_error("launch order refused node=%s why=%s", a->name, err.text);
    launch_answer(a, f, part.key, &err);
    if (s)
        pb__signed__free_unpacked(s, NULL);
}

static void stop_or_go(struct pretend *p, bool stop)
{
    if (stop && !p->stopped) {
        p->left_ms = uv_timer_get_due_in(&p->timer);
        uv_timer_stop(&p->timer);
    } else if (!stop && p->stopped) {
        uv_timer_start(&p->timer, emulate_ended, p->left_ms, 0);
    }
    p->stopped = stop;
}

/* Signals that `sleep` ignores by default have no effect. */
void emulate_kill(struct step_run *r, const Pb__KillOrder *k)
{
    struct pretend *p = r->pretend;
    uint32_t signal = k->terminate && !k->signal ? SIGTERM : k->signal;
    if (r->report || !p)
        return;
    switch (signal) {
    case SIGSTOP:
    case SIGTSTP: stop_or_go(p, true); return;
    case SIGCONT: stop_or_go(p, false); return;
    case 0:
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH: return;
    default: break;
    }
    p->status = signal & 0x7f;
    p->stopped = false;
    uv_timer_start(&p->timer, emulate_ended, 0, 0);
}

/* ---- the nodes ---- */

static int fit_limits(size_t n, struct err *err)
{
    struct rlimit lim;
    rlim_t want = n + n / 8 + 512;
    if (getrlimit(RLIMIT_NOFILE, &lim))
        return 0;
    lim.rlim_cur = lim.rlim_max;
    if (lim.rlim_max < want)
        return err_set(err, EMFILE, "%zu nodes need %llu open files, this process may have %llu", n,
                       (unsigned long long)want, (unsigned long long)lim.rlim_max);
    setrlimit(RLIMIT_NOFILE, &lim);
    return 0;
}

static int make_one(struct agent *a, const struct agent *like, const char *name, struct err *err)
{
    *a = *like;
    a->def = site_node(a->site, name);
    if (!a->def)
        return err_set(err, ENOENT, "no node %s in the configuration", name);
    a->name = a->def->name;
    a->emulated = true;
    a->spool = a->spool_lock = -1;
    a->launched.fd = -1;
    return 0;
}

/* Nodes with the same address share a listener: each request names its node. */
static int open_listeners(struct err *err)
{
    struct smap addresses = { 0 };
    int rc = 0;
    for (size_t i = 0; !rc && i < emulated.n; i++) {
        const struct site_node *def = emulated.agents[i].def;
        char *address = mem_printf("%s:%u", str_or(def->addr, def->name), def->port);
        if (smap_get(&addresses, address)) {
            free(address);
            continue;
        }
        smap_put(&addresses, address, address);
        rc = listen_start(&emulated.agents[i], err);
    }
    size_t pos = 0;
    const char *key;
    for (char *address; (address = smap_next(&addresses, &pos, &key));)
        free(address);
    smap_clear(&addresses);
    return rc;
}

static int make_all(struct agent *like, const char *list, struct err *err)
{
    auto_strs struct strs names = { 0 };
    int rc = hostlist_expand(list, &names, err);
    if (!rc && !names.n)
        rc = err_set(err, EINVAL, "no node to emulate");
    if (!rc)
        rc = fit_limits(names.n, err);
    emulated.agents = mem_array(names.n + 1, sizeof(*emulated.agents));
    struct tree *tree = tree_new(like->loop, like->site, &like->key);
    for (size_t i = 0; !rc && i < names.n; i++) {
        struct agent *a = &emulated.agents[i];
        rc = make_one(a, like, names.at[i], err);
        if (!rc && tree_agent(tree, a->name))
            rc = err_set(err, EEXIST, "node %s is named twice", a->name);
        if (!rc)
            tree_add(tree, a);
        emulated.n = i + !rc;
    }
    return rc;
}

static void emulate_stop(void *arg, int signo)
{
    log_info("stopping signal=%d; the emulated steps end", signo);
    for (size_t i = 0; i < emulated.n; i++) {
        emulated.agents[i].stopping = true;
        register_stop(&emulated.agents[i]);
        listen_stop(&emulated.agents[i]);
    }
    if (emulated.agents[0].local)
        link_listener_close(take(emulated.agents[0].local));
    uv_stop(arg);
}

int emulate_serve(struct agent *like, const char *list, double time_s, char **argv, struct err *err)
{
    static struct signals signals;
    emulated.time_s = time_s;
    int rc = make_all(like, list, err);
    if (!rc)
        rc = local_start(&emulated.agents[0], err);
    if (!rc)
        rc = open_listeners(err);
    if (rc)
        return rc;
    signals = (struct signals){ .argv = argv, .conf = like->conf, .stop = emulate_stop, .arg = like->loop };
    signals_watch(like->loop, &signals);
    log_info("spurd %s emulates %zu nodes pid=%d", SPUR_VERSION, emulated.n, getpid());
    for (size_t i = 0; i < emulated.n; i++) {
        emulated.agents[i].first_connect_ms = (unsigned)(i * 1000 / CONNECTS_PER_S);
        register_start(&emulated.agents[i]);
    }
    return uv_run(like->loop, UV_RUN_DEFAULT) < 0 ? EIO : 0;
}
