/* launch - launch orders: checked, claimed in the spool, passed to a supervisor. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errnum.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/account_cache.h"
#include "io/link_sock.h"
#include "node/agent.h"
#include "node/emulate.h"
#include "node/groups.h"
#include "node/stepd_spawner.h"
#include "node/inquiry.h"
#include "node/hook.h"
#include "node/order.h"
#include "node/tree.h"
#include "step/lease.h"

/* ---- checks ---- */

/* Unsupported features are refused by name, before anything runs. */
static int check_features(const Pb__LaunchOrder *o, struct err *err)
{
    const char *what = !str_empty(o->spec->container) ? "--container" : NULL;
    return what ? err_set(err, ESLURM_NOT_SUPPORTED, "this node cannot run a step with %s", what) : 0;
}

static int check_order(const struct agent *a, const Pb__LaunchOrder *o, struct err *err)
{
    struct step_key key = { o->job_id, o->step_id, o->attempt };
    bool batch = o->step_id == PB__STEP_NUMBER__STEP_BATCH, prolog = o->step_id == PB__STEP_NUMBER__STEP_PROLOG;
    bool runs = batch ? o->script.len : prolog || (o->step && o->step->n_argv);
    if (!o->spec || !o->job_id || !runs)
        return err_set(err, EBADMSG, "the launch order of job %u says nothing to run", o->job_id);
    if (geteuid() != 0 && o->uid != geteuid())
        return err_set(err, ESLURM_USER_ID_MISSING,
                       "spurd on %s runs as user %u, not root: it cannot run a job of user %u", a->name, geteuid(),
                       o->uid);
    if (launched_log_has(&a->launched, key))
        return err_set(err, EALREADY, "step %s attempt %u has been run here before", run_text(key), o->attempt);
    if (launched_log_job_ended(&a->launched, o->job_id, o->attempt))
        return err_set(err, EALREADY, "attempt %u of job %u has been ended here", o->attempt, o->job_id);
    return check_features(o, err);
}

/* ---- the supervisor ---- */

/* A supervisor uses no name service: the name is looked up here.  The path of a Unix socket is the user's and is not
 * touched: an srun of this machine is known by the name of the machine. */
bool launch_address(struct agent *a, const Pb__IoEndpoint *io, const char **out)
{
    static char here[256];
    struct sockaddr_storage any;
    *out = "";
    if (!here[0] && gethostname(here, sizeof(here) - 1))
        snprintf(here, sizeof(here), "localhost");
    if (!io || str_empty(io->host) || link_address_parse(io->host, 0, &any))
        return true;
    if (str_eq(io->host, here)) {
        *out = "127.0.0.1";
        return true;
    }
    return account_cache_host(a->accounts, io->host, out) != EAGAIN;
}

/* The user's account and srun's address, which the supervisor needs, may have to be looked up first. */
static bool names_known(struct agent *a, const Pb__LaunchOrder *o)
{
    struct groups g;
    const char *address;
    bool user = groups_of(a, o->uid, o->gid, o->user_name, &g);
    return launch_address(a, o->step ? o->step->io : NULL, &address) && user;
}

int launch_supervisor(struct step_run *r, const Pb__LaunchOrder *o, int record, int jobdir, struct err *err)
{
    struct agent *a = r->agent;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return err_set(err, errno, "cannot make a socket for the supervisor: %m");
    auto_close int theirs = pair[1];
    auto_free char *title = mem_printf("spurstepd: [%s]", run_text(r->key));
    struct groups g;
    const char *io_host;
    if (!launch_address(a, o->step ? o->step->io : NULL, &io_host) ||
        !groups_of(a, o->uid, o->gid, o->user_name, &g)) {
        close(pair[0]);
        return err_set(err, EAGAIN, "user %u of the step is not looked up yet", o->uid);
    }
    struct spawn_order h = { .record = record,
                             .agent = theirs,
                             .job = jobdir,
                             .groups = g.list,
                             .group = g.name,
                             .user = g.user,
                             .home = g.home,
                             .shell = g.shell,
                             .io_host = io_host,
                             .title = title };
    int rc = stepd_spawner_order(a, &h, err);
    if (rc) {
        close(pair[0]);
        return rc;
    }
    r->supervisor = link_from_fd(a->loop, pair[0], &supervisor_ops, r);
    r->answering = true;
    return 0;
}

/* EEXIST with `err` unset: the step was claimed before this agent started, and has been adopted.  A claim without a
 * supervisor is replaced. */
static int claim(struct agent *a, struct step_key key, const ProtobufCBinaryData *order, int *jobdir, int *record,
                 struct err *err)
{
    int rc = pool_claim(a, key, order, jobdir, record, err);
    if (rc != EEXIST)
        return rc;
    *err = (struct err)ERR_INIT;
    adopt_step(a, key);
    if (run_find(a, key))
        return EEXIST;
    close(take_fd(*jobdir));
    rc = pool_claim(a, key, order, jobdir, record, err);
    return rc == EEXIST ? err_set(err, EIO, "the place of step %s in the spool cannot be emptied", run_text(key)) : rc;
}

/* The claim comes first: while it is in the spool, this order is not executed again, even after a restart. */
static int launch(struct agent *a, const Pb__LaunchOrder *o, struct err *err)
{
    struct step_key key = { o->job_id, o->step_id, o->attempt };
    auto_close int jobdir = -1, record = -1;
    auto_buf struct buf packed = BUF_INIT;
    size_t n = pb__launch_order__get_packed_size(o);
    pb__launch_order__pack(o, (uint8_t *)buf_room(&packed, n));
    ProtobufCBinaryData bytes = { n, (uint8_t *)packed.s };
    int rc = claim(a, key, &bytes, &jobdir, &record, err);
    if (rc)
        return rc == EEXIST ? 0 : rc;
    struct step_run *r = run_add(a, key);
    r->uid = o->uid;
    r->nodes = mem_str(o->nodes);
    rc = launch_supervisor(r, o, record, jobdir, err);
    if (rc)
        run_drop(r);
    else
        launched_log_add(&a->launched, key, clock_cluster_ms());
    return rc;
}

/* ---- the order ---- */

/* Refuse by the tree an order that came by the tree.  An order that was executed before came twice because an
 * acknowledgement was lost: that is no failure. */
static bool refuse_by_tree(struct agent *a, struct step_key key, const struct err *err)
{
    Pb__Report no = PB__REPORT__INIT;
    if (!gather_has(a, key))
        return false;
    if (err->code == EALREADY)
        return true;
    no.job_id = key.job_id, no.step_id = key.step_id, no.attempt = key.attempt;
    no.launch_error = err->code;
    no.text = (char *)err->text;
    no.node_clean = err->code != ESLURMD_PROLOG_FAILED; /* after a failed prolog the epilog must run first */
    return gather_report(a, &no);
}

void launch_answer(struct agent *a, const struct frame *f, struct step_key key, const struct err *err)
{
    Pb__LaunchReply reply = PB__LAUNCH_REPLY__INIT;
    if (err->code && refuse_by_tree(a, key, err))
        return;
    if (!err->code && (f->flags & LAUNCH_BY_TREE))
        return; /* the reply of the fan-out acknowledges it */
    if (!a->controller)
        return; /* the next leading controller asks what runs here, and orders anew */
    reply.job_id = key.job_id;
    reply.step_id = key.step_id;
    reply.attempt = key.attempt;
    reply.code = err->code;
    reply.text = (char *)err->text;
    link_send_pb(a->controller, MSG_LAUNCH_REPLY, 0, f->number, &reply.base);
}

const struct cred_key *launch_key(const struct agent *a, const struct frame *f)
{
    return a->key.trust && !(f->flags & LAUNCH_BY_TREE) ? NULL : &a->key;
}

/*
 * Not for this node as it is now.  An order that was issued before its last registration is late: the controller has
 * ordered anew what is still to run, and may run the rest elsewhere.  Without a lease nothing may begin: a node that is
 * connected registers again, and is ordered anew, too.
 */
static bool is_outdated(struct agent *a, const Pb__LaunchOrder *o)
{
    bool late = o->issued_ms < a->registered_ms, unleased = a->leased && (!a->lease || lease_is_over(a->lease));
    if (!late && !unleased)
        return false;
    log_info("launch order dropped job=%u attempt=%u why=%s", o->job_id, o->attempt,
             late ? "it was issued before this node registered" : "this node has no lease");
    if (unleased && a->controller)
        link_close(a->controller);
    return true;
}

void launch_order(struct agent *a, const struct frame *f)
{
    if (a->emulated) {
        emulate_order(a, f);
        return;
    }
    struct err err = ERR_INIT;
    Pb__Signed *s = pb__signed__unpack(NULL, f->len, f->body);
    struct step_key key = { 0 };
    Pb__LaunchOrder *o = s ? order_open(launch_key(a, f), s, a->name, clock_cluster_ms(), &key, &err) : NULL;
    if (!s)
        err_set(&err, EBADMSG, "the launch order does not parse");
    /* A step that is already here, running or ended: the same reply as the first time, and nothing is started. */
    enum hook_answer may = HOOK_GO;
    if (o && !run_find(a, key) && is_outdated(a, o)) {
        may = HOOK_WAIT;
    } else if (o && !run_find(a, key) && !check_order(a, o, &err)) {
        may = names_known(a, o) ? hook_prolog(a, o, f, &err) : hook_wait(a, o, f);
        if (may == HOOK_GO && !hook_step(o->step_id))
            launch(a, o, &err);
    }
    if (err.code)
        log_error("launch order refused step=%s why=%s", key.job_id ? run_text(key) : "?", err.text);
    else if (may == HOOK_GO)
        log_verbose("step started step=%s attempt=%u uid=%u", run_text(key), key.attempt, o->uid);
    if (may != HOOK_WAIT)
        launch_answer(a, f, key, &err);
    if (o)
        pb__launch_order__free_unpacked(o, NULL);
    if (s)
        pb__signed__free_unpacked(s, NULL);
}

/* ---- messages of supervisors ---- */

static void supervisor_ready(struct link *c)
{
    struct step_run *r = link_arg(c);
    if (!r)
        return;
    r->answering = true;
    struct frame f;
    size_t used;
    while (frame_find(r->waiting.s, r->waiting.len, FRAME_MAX, &f, &used, NULL) > 0) {
        link_send(c, f.type, 0, 0, f.body, f.len);
        buf_cut(&r->waiting, used);
    }
}

static void supervisor_frame(struct link *c, const struct frame *f)
{
    struct step_run *r = link_arg(c);
    if (r && f->type != MSG_REPORT)
        inquiry_answer(r, f);
    Pb__Report *rep = r && f->type == MSG_REPORT ? pb__report__unpack(NULL, f->len, f->body) : NULL;
    if (rep)
        inquiry_gone(r);
    if (rep)
        report_end(r, rep);
}

static void supervisor_closed(struct link *c, const struct err *why)
{
    (void)why;
    struct step_run *r = link_arg(c);
    if (!r)
        return;
    r->supervisor = NULL;
    r->answering = false;
    inquiry_gone(r);
    if (!r->report && !r->agent->stopping)
        adopt_ended(r);
}

const struct link_ops supervisor_ops = { supervisor_ready, supervisor_frame, supervisor_closed };
