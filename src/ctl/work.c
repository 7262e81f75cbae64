/* work - a request that touches many records, in slices; see work.h. */
#include "ctl/work.h"

#include "ctl/directory.h"
#include "ctl/stat.h"

struct ctl_work {
    ProtobufCMessage *m; /* the request */
    void *state;
    work_fn *go_on;
    void (*state_free)(void *state);
};

void ctl_work_free(struct ctl_work *w)
{
    if (!w)
        return;
    w->state_free(w->state);
    if (w->m)
        protobuf_c_message_free_unpacked(w->m, NULL);
    free(w);
}

void work_run(const struct ctl_call *call, void *state, work_fn *go_on, void (*state_free)(void *state))
{
    if (go_on(call, state) || !call->work) {
        state_free(state);
        return;
    }
    struct ctl_work *w = NEW(struct ctl_work);
    *w = (struct ctl_work){ call->m, state, go_on, state_free };
    *call->work = w;
}

bool work_over(const struct ctl_call *call)
{
    if (directory_parked(call->t))
        return true;
    return call->until_us && (stat_clock(call->t) >= call->until_us || ctl_full(call->t));
}

bool work_resume(struct ctl_call *call, struct ctl_work *w)
{
    call->m = w->m;
    return w->go_on(call, w->state);
}
