/* attach - connect one more client to a step's streams: permission is checked here, the step's supervisor connects. */
#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "node/user_requests.h"
#include "node/inquiry.h"

static struct step_run *attach_step(const struct agent *a, const Pb__AttachRequest *r)
{
    struct step_run *run = map_get(&a->jobs, r->job_id);
    while (run && (run->report || run->key.step_id != r->step_id))
        run = run->next;
    return run;
}

static void attach_stream(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer,
                          Pb__AttachRequest *r)
{
    const char *address;
    struct step_run *run = attach_step(a, r);
    if (!run || !run->answering) {
        listen_refuse(c, f->number, ESLURM_JOB_NOT_RUNNING, "no tasks running");
        return;
    }
    if (!inquiry_may(run, peer)) {
        listen_refuse(c, f->number, ESLURM_USER_ID_MISSING, "%s", err_text(ESLURM_USER_ID_MISSING));
        return;
    }
    if (!launch_address(a, r->io, &address)) {
        listen_park(c, f);
        return;
    }
    struct inquiry *q = inquiry_new(a, c, f->number, MSG_DONE);
    if (!q)
        return;
    char *said = r->host;
    r->host = (char *)address;
    inquiry_ask(q, run, MSG_ATTACH, &r->base);
    r->host = said;
    inquiry_begin(q);
}

void attach_request(struct agent *a, struct link *c, const struct frame *f, const struct link_peer *peer)
{
    Pb__AttachRequest *r = pb__attach_request__unpack(NULL, f->len, f->body);
    if (!r || !r->io)
        listen_refuse(c, f->number, EBADMSG, "a request to attach that does not parse");
    else
        attach_stream(a, c, f, peer, r);
    if (r)
        pb__attach_request__free_unpacked(r, NULL);
}
