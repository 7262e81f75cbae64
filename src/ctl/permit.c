/* permit - a job's user on the way to the agents of its nodes: where they are, what runs there, and leave to put files.
 */
#include "core/step.h"
#include "ctl/access.h"
#include "ctl/privacy.h"
#include "ctl/ctl_priv.h"
#include "ctl/request.h"
#include "text/hostlist.h"

#define PERMIT_MS ((int64_t)5 * 60 * 1000)

struct answer {
    Pb__PermitReply reply;
    VEC(Pb__AgentAddr *) nodes;
    VEC(char *) names;
};

static void add_node(struct answer *a, const struct node *n)
{
    Pb__AgentAddr *at = NEW(Pb__AgentAddr);
    pb__agent_addr__init(at);
    at->name = n->name;
    at->addr = (char *)str_or(n->def->addr, str_or(n->def->hostname, n->name));
    at->port = n->def->port;
    vec_push(&a->nodes, at);
    vec_push(&a->names, n->name);
}

/* Signed for this user and these nodes; the agents believe nothing else. */
static void permit_sign(const struct ctl_call *call, const struct job *j, struct answer *a)
{
    auto_free char *nodes = hostlist_compress(a->names.at, a->names.n);
    Pb__Permit p = PB__PERMIT__INIT;
    p.job_id = j ? j->id : 0;
    p.attempt = j ? j->attempt : 0;
    p.uid = call->peer->uid;
    p.gid = j && call->peer->uid == j->uid ? j->gid : call->peer->gid;
    p.user_name = j && call->peer->uid == j->uid ? j->user_name : NULL;
    p.nodes = nodes;
    p.issued_ms = call->t->now_ms;
    p.expires_ms = p.issued_ms + PERMIT_MS;
    auto_buf struct buf body = BUF_INIT, out = BUF_INIT;
    pb_pack(&body, &p.base);
    cred_sign(call->t->key, CRED_PERMIT, body.s, body.len, &out);
    a->reply.permit = pb__signed__unpack(NULL, out.len, (uint8_t *)out.s);
}

/* The nodes of the job, or of the one step that is meant. */
static int add_nodes(const struct ctl *t, const struct job *j, const Pb__PermitRequest *r, struct answer *a)
{
    const Pb__Step *s = r->has_step ? step_find(j, r->step) : NULL;
    bool batch = r->has_step && r->step == PB__STEP_NUMBER__STEP_BATCH;
    if (r->has_step && !s && !(batch && j->spec->kind == PB__JOB_KIND__KIND_BATCH))
        return ESLURM_INVALID_JOB_ID;
    size_t n = s ? s->n_node : batch ? 1 : j->alloc.n;
    for (size_t i = 0; i < n; i++) {
        uint32_t pos = s ? s->node[i] : batch ? j->batch_pos : (uint32_t)i;
        if (pos < j->alloc.n)
            add_node(a, &t->c->node[j->alloc.at[pos].node]);
    }
    return 0;
}

/* For an administrator: nodes by name, whatever runs there. */
static int add_named(struct ctl *t, const struct ctl_peer *peer, const Pb__PermitRequest *r, struct answer *a,
                     struct err *err)
{
    if (!access_may(t, peer, RIGHT_PERMIT_ANY, NULL))
        return err_set(err, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
    for (size_t i = 0; i < r->n_node; i++) {
        const struct node *n = cluster_node(t->c, r->node[i]);
        if (!n)
            return err_set(err, ESLURM_INVALID_NODE_NAME, "there is no node %s", r->node[i]);
        add_node(a, n);
    }
    return a->nodes.n ? 0 : err_set(err, EINVAL, "no node is named");
}

static int job_state(const struct job *j)
{
    if (!j)
        return ESLURM_INVALID_JOB_ID;
    if (job_pending(j))
        return ESLURM_JOB_PENDING;
    return job_ended(j) || j->state & JOB_COMPLETING ? ESLURM_ALREADY_DONE : 0;
}

static void send_reply(const struct ctl_call *call, struct job *j, struct answer *a)
{
    Pb__Job *m = j ? cluster_job_message(call->t->c, j) : NULL;
    a->reply.nodes = a->nodes.at, a->reply.n_nodes = a->nodes.n;
    if (m) {
        a->reply.job_id = j->id;
        a->reply.attempt = j->attempt;
        a->reply.uid = j->uid;
        a->reply.batch = j->spec->kind == PB__JOB_KIND__KIND_BATCH;
        a->reply.batch_host = m->batch_host;
        a->reply.steps = m->steps, a->reply.n_steps = m->n_steps;
    }
    ctl_reply(call, MSG_PERMIT_REPLY, &a->reply.base);
    if (m)
        pb__job__free_unpacked(m, NULL);
}

static void permit_clear(struct answer *a)
{
    for (size_t i = 0; i < a->nodes.n; i++)
        free(a->nodes.at[i]);
    vec_clear(&a->nodes);
    vec_clear(&a->names);
    if (a->reply.permit)
        pb__signed__free_unpacked(a->reply.permit, NULL);
}

void ctl_permit(const struct ctl_call *call)
{
    struct ctl *t = call->t;
    const Pb__PermitRequest *r = (Pb__PermitRequest *)call->m;
    struct job *j = r->no_job     ? NULL
                    : r->has_task ? cluster_array_task(t->c, r->job_id, r->task)
                                  : cluster_job(t->c, r->job_id);
    struct answer a = { .reply = PB__PERMIT_REPLY__INIT };
    struct err err = ERR_INIT;
    if (j && !privacy_shows_job(t, call->peer, j))
        j = NULL;
    int rc = r->no_job ? add_named(t, call->peer, r, &a, &err) : job_state(j);
    if (!rc && j)
        rc = add_nodes(t, j, r, &a);
    if (rc) {
        ctl_fail(call, rc, "%s", err.text[0] ? err.text : err_text(rc));
    } else {
        /* What runs where is no secret (squeue -s tells); files are the owner's alone. */
        if (!j || access_has(t, call->peer, RIGHT_PERMIT, j))
            permit_sign(call, j, &a);
        send_reply(call, j, &a);
    }
    permit_clear(&a);
}
