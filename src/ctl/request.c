/* request - which function answers which message, and who may send it. */
#include "ctl/license.h"
#include "ctl/topology.h"
#include "ctl/priority_fairshare.h"
#include "ctl/priority_update.h"
#include "ctl/resv.h"
#include "ctl/fanout.h"

enum who { ANYBODY, AGENTS };

static const struct {
    enum msg_type type;
    enum who who;
    void (*answer)(const struct ctl_call *call);
} table[] = {
    { MSG_SUBMIT, ANYBODY, ctl_submit },
    { MSG_STEP, ANYBODY, ctl_step },
    { MSG_JOB_DONE, ANYBODY, ctl_job_done },
    { MSG_WAIT, ANYBODY, ctl_wait },
    { MSG_JOBS, ANYBODY, ctl_jobs },
    { MSG_NODES, ANYBODY, ctl_nodes },
    { MSG_PARTS, ANYBODY, ctl_parts },
    { MSG_CLUSTER, ANYBODY, ctl_cluster_list },
    { MSG_RESVS, ANYBODY, ctl_resvs },
    { MSG_LICENSES, ANYBODY, ctl_licenses },
    { MSG_TOPOLOGY, ANYBODY, ctl_topology },
    { MSG_CONFIG, ANYBODY, ctl_config_text },
    { MSG_SCRIPT, ANYBODY, ctl_script },
    { MSG_STATUS, ANYBODY, ctl_status },
    { MSG_WHY, ANYBODY, ctl_why },
    { MSG_PRIO, ANYBODY, ctl_prio },
    { MSG_ASSOC, ANYBODY, ctl_assoc_list },
    { MSG_ASSOC_LOAD, ANYBODY, ctl_assoc_load },
    { MSG_DIAG, ANYBODY, ctl_diag },
    { MSG_CANCEL, ANYBODY, ctl_cancel },
    { MSG_JOB_OP, ANYBODY, ctl_job_op },
    { MSG_UPDATE, ANYBODY, ctl_update },
    { MSG_CRED, ANYBODY, ctl_cred },
    { MSG_PERMIT, ANYBODY, ctl_permit },
    { MSG_REGISTER, AGENTS, ctl_register },
    { MSG_HEARTBEAT, AGENTS, ctl_heartbeat },
    { MSG_LAUNCH_REPLY, AGENTS, ctl_launch_reply },
    { MSG_REPORT, AGENTS, ctl_report },
    { MSG_REPORTS, AGENTS, ctl_reports },
    { MSG_SPREAD_REPLY, AGENTS, ctl_fanout_reply },
};

void ctl_request(struct ctl *t, uint64_t session, const struct ctl_peer *peer, const struct frame *f)
{
    struct ctl_call call = { t, session, f->number, peer, f, NULL };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (table[i].type != f->type)
            continue;
        if (table[i].who == AGENTS && !peer->agent) {
            ctl_fail(&call, ESLURM_USER_ID_MISSING, "only a node's daemon may send this");
            return;
        }
        call.m = protobuf_c_message_unpack(msg_descriptor(f->type), NULL, f->len, f->body);
        if (!call.m) {
            ctl_fail(&call, EBADMSG, "a %s message that does not parse", msg_name(f->type));
            return;
        }
        int64_t before = stat_clock(t);
        table[i].answer(&call);
        stat_rpc(t, f->type, peer->uid, stat_clock(t) - before);
        protobuf_c_message_free_unpacked(call.m, NULL);
        return;
    }
    ctl_fail(&call, SLURM_UNEXPECTED_MSG_ERROR, "this controller does not answer messages of type %u", f->type);
}

void ctl_gone(struct ctl *t, uint64_t session)
{
    agent_lost(t, session);
    fanout_session_lost(t, session);
    wait_gone(t, session);
    step_wait_gone(t, session);
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
