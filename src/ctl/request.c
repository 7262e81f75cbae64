/* request - the function that answers each message; see request.h. */
#include "ctl/request.h"

#include "ctl/access.h"
#include "ctl/directory.h"
#include "ctl/stat.h"
#include "ctl/watchdog.h"
#include "ctl/work.h"

/*
 * One row for each message that a controller takes.  Which peers may send it, and about which records, is in the table
 * of access.h.
 */
static const struct row {
    enum msg_type type;
    unsigned flags;
    request_fn *answer; /* NULL: CTL_DAEMON */
} rows[] = {
    { MSG_SUBMIT, CTL_CHANGE, ctl_submit },
    { MSG_STEP, CTL_CHANGE, ctl_step },
    { MSG_JOB_DONE, CTL_CHANGE, ctl_job_done },
    { MSG_CANCEL, CTL_CHANGE, ctl_cancel },
    { MSG_JOB_OP, CTL_CHANGE, ctl_job_op },
    { MSG_UPDATE, CTL_CHANGE, ctl_update },
    { MSG_WAIT, CTL_READ, ctl_wait },
    { MSG_JOBS, CTL_READ | CTL_LIST, ctl_jobs },
    { MSG_NODES, CTL_READ | CTL_LIST, ctl_nodes },
    { MSG_CLUSTER, CTL_READ | CTL_LIST, ctl_cluster_list },
    { MSG_PARTS, CTL_READ, ctl_parts },
    { MSG_RESVS, CTL_READ, ctl_resvs },
    { MSG_LICENSES, CTL_READ, ctl_licenses },
    { MSG_TOPOLOGY, CTL_READ, ctl_topology },
    { MSG_CONFIG, CTL_READ, ctl_config_text },
    { MSG_SCRIPT, CTL_READ, ctl_script },
    { MSG_STATUS, CTL_READ | CTL_ANYWHERE, ctl_status },
    { MSG_WHY, CTL_READ, ctl_why },
    { MSG_PRIO, CTL_READ, ctl_prio },
    { MSG_DIAG, CTL_READ, ctl_diag },
    { MSG_ASSOC, CTL_READ, ctl_assoc_list },
    { MSG_CRED, CTL_READ | CTL_ANYWHERE, ctl_cred },
    { MSG_PERMIT, CTL_READ, ctl_permit },
    { MSG_ASSOC_LOAD, CTL_CHANGE, ctl_assoc_load },
    { MSG_HISTORY, CTL_DAEMON, NULL },
    { MSG_RECONFIGURE, CTL_DAEMON, NULL },
    { MSG_SHUTDOWN, CTL_DAEMON, NULL },
    { MSG_TAKEOVER, CTL_DAEMON, NULL },
    { MSG_REGISTER, CTL_CHANGE, ctl_register },
    { MSG_HEARTBEAT, CTL_CHANGE, ctl_heartbeat },
    { MSG_LAUNCH_REPLY, CTL_CHANGE, ctl_launch_reply },
    { MSG_REPORT, CTL_CHANGE, ctl_report },
    { MSG_REPORTS, CTL_CHANGE, ctl_reports },
    { MSG_FANOUT_REPLY, CTL_CHANGE, ctl_fanout_reply },
};

static const struct row *find_row(enum msg_type type)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].type == type)
            return &rows[i];
    return NULL;
}

unsigned ctl_request_flags(enum msg_type type)
{
    const struct row *r = find_row(type);
    return r ? r->flags : 0;
}

static bool check_sender(const struct ctl_call *call)
{
    call->t->denied = RIGHTS;
    if (access_may_send(call->t, call->peer, call->f->type))
        return true;
    bool agents = access_rows[call->t->denied].may == MAY_AGENTS;
    if (!agents && !access_vouched(call->t, call->peer)) {
        ctl_fail(call, ESLURM_USER_ID_MISSING,
                 "node %s vouches for the users of its jobs alone (a machine with the role host vouches for all: "
                 "spur key issue)",
                 call->peer->via);
        return false;
    }
    ctl_fail(call, ESLURM_USER_ID_MISSING, "%s",
             agents ? "only a node's daemon may send this" : err_text(ESLURM_USER_ID_MISSING));
    return false;
}

bool ctl_request_permitted(struct ctl *t, uint64_t session, const struct ctl_peer *peer, const struct frame *f)
{
    struct ctl_peer as = access_identity(t, peer);
    struct ctl_call call = { t, session, f->number, &as, f };
    return check_sender(&call);
}

static void request_took(const struct ctl_call *call, int64_t us, bool counted)
{
    watchdog_request(call->t, call->f->type, us);
    if (directory_parked(call->t)) /* a parked request is counted when it is answered */
        return;
    if (counted)
        stat_rpc(call->t, call->f->type, call->peer->uid, us);
    else
        stat_rpc_took(call->t, call->f->type, us);
}

static void request_begin(struct ctl_call *call, const struct row *r)
{
    const struct frame *f = call->f;
    call->m = protobuf_c_message_unpack(msg_descriptor(f->type), NULL, f->len, f->body);
    if (!call->m) {
        ctl_fail(call, EBADMSG, "a %s message that does not parse", msg_name(f->type));
        return;
    }
    if (call->peer->agent) /* its reports go into events: see core/level.h */
        pb_drop_unknown(call->m);
    r->answer(call);
    if (!call->work || !*call->work)
        protobuf_c_message_free_unpacked(call->m, NULL);
}

/* The first slice of a request, or a further one. */
static void request_slice(struct ctl_call *call, const struct row *r)
{
    int64_t before = stat_clock(call->t);
    bool first = !call->work || !*call->work;
    if (call->work && call->t->clock_us)
        call->until_us = before + WORK_SLICE_US;
    if (first)
        request_begin(call, r);
    else if (work_resume(call, *call->work))
        ctl_work_free(take(*call->work));
    request_took(call, stat_clock(call->t) - before, first);
}

static void request_run(struct ctl_call *call)
{
    const struct row *r = find_row(call->f->type);
    if (!r || !r->answer)
        ctl_fail(call, SLURM_UNEXPECTED_MSG_ERROR, "this controller does not answer messages of type %u",
                 call->f->type);
    else if (check_sender(call))
        request_slice(call, r);
    else if (call->work)
        ctl_work_free(take(*call->work)); /* the sender has lost the right meanwhile */
}

bool ctl_request(struct ctl *t, uint64_t session, const struct ctl_peer *peer, const struct frame *f)
{
    struct ctl_peer as = access_identity(t, peer);
    request_run(&(struct ctl_call){ t, session, f->number, &as, f });
    return !directory_unpark(t);
}

enum ctl_progress ctl_request_slice(struct ctl *t, uint64_t session, const struct ctl_peer *peer, const struct frame *f,
                                    struct ctl_work **work)
{
    struct ctl_peer as = access_identity(t, peer);
    request_run(&(struct ctl_call){ t, session, f->number, &as, f, .work = work });
    if (directory_unpark(t))
        return CTL_PARKED;
    return *work ? CTL_UNFINISHED : CTL_ANSWERED;
}

/* A local user's identity, vouched for towards another controller. */
void ctl_cred(const struct ctl_call *call)
{
    const Pb__CredRequest *r = (Pb__CredRequest *)call->m;
    if (r->nonce.len != CRED_NONCE_LEN || r->use != CRED_CLIENT || call->peer->agent) {
        ctl_fail(call, EINVAL, "a credential is for a client and one connection");
        return;
    }
    Pb__Cred cred = PB__CRED__INIT;
    cred.uid = call->peer->uid;
    cred.gid = call->peer->gid;
    cred.issued_ms = call->t->now_ms;
    cred.expires_ms = cred.issued_ms + CRED_TTL_MS;
    cred.nonce = r->nonce;
    cred.use = CRED_CLIENT;
    auto_buf struct buf s = BUF_INIT;
    cred_make(call->t->key, &cred, &s);
    Pb__CredReply reply = PB__CRED_REPLY__INIT;
    reply.cred = pb__signed__unpack(NULL, s.len, (uint8_t *)s.s);
    ctl_reply(call, MSG_CRED_REPLY, &reply.base);
    pb__signed__free_unpacked(reply.cred, NULL);
}
