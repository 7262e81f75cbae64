/* stat - usage and processes of the steps of this node, for sstat and scontrol listpids. */
#include "base/errnum.h"
#include "base/mem.h"
#include "node/user_requests.h"
#include "node/inquiry.h"

/* Prolog and epilog run as root and belong to no user. */
static bool is_hook(const struct step_run *r)
{
    return r->key.step_id == PB__STEP_NUMBER__STEP_PROLOG || r->key.step_id == PB__STEP_NUMBER__STEP_EPILOG;
}

static bool meant(const struct step_run *r, const Pb__StatRequest *q)
{
    return !r->report && !is_hook(r) && (!q->has_step || r->key.step_id == q->step_id);
}

/* Does the job have steps here that this peer may not see? */
static bool is_forbidden(const struct agent *a, uint32_t job_id, const struct link_peer *peer)
{
    for (const struct step_run *r = map_get(&a->jobs, job_id); r; r = r->next)
        if (!is_hook(r) && !inquiry_may(r, peer))
            return true;
    return false;
}

static void ask_all(struct inquiry *q, struct step_run *first, const struct link_peer *peer, const Pb__StatRequest *r)
{
    for (struct step_run *run = first; run; run = run->next)
        if (inquiry_may(run, peer) && meant(run, r))
            inquiry_ask(q, run, MSG_STAT, &r->base);
}

static void stat_ask(struct agent *a, struct link *c, uint64_t number, const struct link_peer *peer,
                     const Pb__StatRequest *r)
{
    if (r->job_id && is_forbidden(a, r->job_id, peer)) {
        listen_refuse(c, number, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
        return;
    }
    struct inquiry *q = inquiry_new(a, c, number, MSG_STAT_REPLY);
    if (!q)
        return;
    size_t pos = 0;
    uint64_t key;
    if (r->job_id)
        ask_all(q, map_get(&a->jobs, r->job_id), peer, r);
    else
        for (struct step_run *run; (run = map_next(&a->jobs, &pos, &key));)
            ask_all(q, run, peer, r);
    inquiry_begin(q);
}

void stat_request(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer)
{
    Pb__StatRequest *r = pb__stat_request__unpack(NULL, f->len, f->body);
    if (!r) {
        listen_refuse(c, f->number, EBADMSG, "a question about steps that does not parse");
        return;
    }
    stat_ask(a, c, f->number, peer, r);
    pb__stat_request__free_unpacked(r, NULL);
}
