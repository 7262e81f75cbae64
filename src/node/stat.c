/* stat - usage and processes of the steps of this node, for sstat and scontrol listpids. */
#include "base/errnum.h"
#include "base/mem.h"
#include "node/user_requests.h"
#include "node/inquiry.h"

static bool meant(const struct step_run *r, const Pb__StatRequest *q)
{
    uint32_t id = r->key.step_id;
    if (r->report || id == PB__STEP_NUMBER__STEP_PROLOG || id == PB__STEP_NUMBER__STEP_EPILOG)
        return false;
    return !q->has_step || id == q->step_id;
}

/* Does the job have steps here that this peer may not see?  The first step of the job's list decides. */
static bool is_forbidden(const struct agent *a, uint32_t job_id, const struct link_peer *peer)
{
    const struct step_run *r = map_get(&a->jobs, job_id);
    return r && !inquiry_may(r, peer);
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
