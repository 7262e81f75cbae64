/* work - a request that names many jobs is carried out in slices, and other requests come between. */
#include "ctl/ctl_priv.h"
#include "rig.h"

#define JOBS 200u

static int64_t clock_at, clock_step; /* every look at the clock costs a step */

static int64_t fake_clock(void)
{
    return clock_at += clock_step;
}

static void held(Pb__SubmitRequest *q)
{
    q->spec->hold = true;
}

static void work_up(struct rig *r)
{
    rig_up(r);
    for (uint32_t i = 0; i < JOBS; i++)
        rig_submit(r, i % 2 ? ADA : BOB, held);
    clock_at = 1000000, clock_step = 100;
    r->t->clock_us = fake_clock;
}

/* Turns until the request is answered; a job is submitted in each by root. */
static int work_turns(struct rig *r, uint32_t uid, enum msg_type type, const ProtobufCMessage *m, int *between)
{
    auto_buf struct buf b = BUF_INIT;
    struct ctl_peer peer = { uid, uid, false, NULL };
    struct ctl_work *work = NULL;
    enum ctl_progress p = CTL_UNFINISHED;
    int turns = 0;
    pb_pack(&b, m);
    struct frame f = { type, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    for (*between = 0; p == CTL_UNFINISHED && turns < 1000; turns++) {
        rig_begin(r);
        p = ctl_request_slice(r->t, ASKER, &peer, &f, &work);
        rig_end_turn(r);
        if (p == CTL_UNFINISHED) {
            struct rig keep = *r;
            r->said.n = 0, r->said.cap = 0, r->said.at = NULL;
            *between += rig_submit(r, ROOT, held) != 0;
            rig_forget(r);
            vec_clear(&r->said);
            r->said.at = keep.said.at, r->said.n = keep.said.n, r->said.cap = keep.said.cap;
        }
    }
    ok(!work, "nothing is left when it is answered");
    return turns;
}

static uint32_t work_count(const struct rig *r, uint32_t uid, bool (*is)(const struct job *j))
{
    uint32_t n = 0;
    size_t pos = 0;
    for (const struct job *j; (j = map_next(&r->t->c->jobs, &pos, NULL));)
        n += j->uid == uid && is(j);
    return n;
}

static bool is_cancelled(const struct job *j)
{
    return job_base(j) == JOB_CANCELLED;
}

static bool is_held(const struct job *j)
{
    return j->hold != HOLD_NONE && !job_ended(j);
}

static void test_cancel(void)
{
    struct rig r;
    Pb__CancelRequest c = PB__CANCEL_REQUEST__INIT;
    Pb__JobQuery filter = PB__JOB_QUERY__INIT;
    uint32_t uid[] = { ADA };
    int between;
    work_up(&r);
    filter.uid = uid, filter.n_uid = 1;
    c.filter = &filter, c.by_filter = true;
    ok(work_turns(&r, ADA, MSG_CANCEL, &c.base, &between) > 5 && between > 4,
       "a cancellation of many takes many turns, and other requests are decided between");
    Pb__CancelReply *reply = rig_said(&r, ASKER, MSG_CANCEL_REPLY);
    is_int(reply ? (int)reply->matched : -1, JOBS / 2, "it is answered once, for all");
    is_int(work_count(&r, ADA, is_cancelled), JOBS / 2, "all of Ada's jobs are cancelled");
    is_int(work_count(&r, BOB, is_cancelled), 0, "none of Bob's");
    rig_free(reply);
    rig_down(&r);
}

static void test_names(void)
{
    struct rig r;
    Pb__JobOpRequest op = PB__JOB_OP_REQUEST__INIT;
    char *names[] = { TEXT("none"), TEXT("test"), TEXT("a"), TEXT("b"), TEXT("c"), TEXT("d"), TEXT("test") };
    int between;
    work_up(&r);
    op.op = PB__JOB_OP__OP_RELEASE, op.name = names, op.n_name = ARRAY_LEN(names);
    ok(work_turns(&r, BOB, MSG_JOB_OP, &op.base, &between) > 5, "a release by name takes many turns");
    Pb__JobOpReply *reply = rig_said(&r, ASKER, MSG_JOB_OP_REPLY);
    is_int(reply ? (int)reply->n_results : -1, JOBS / 2, "each job is in the reply once, however often it is named");
    is_int(work_count(&r, BOB, is_held), 0, "Bob's jobs are released");
    is_int(work_count(&r, ADA, is_held), JOBS / 2, "Ada's are not");
    rig_free(reply);
    rig_down(&r);
}

static void test_update(void)
{
    struct rig r;
    Pb__UpdateRequest u = PB__UPDATE_REQUEST__INIT;
    Pb__Pair id = PB__PAIR__INIT, name = PB__PAIR__INIT, *pairs[] = { &id, &name };
    auto_buf struct buf list = BUF_INIT;
    int between;
    work_up(&r);
    for (uint32_t i = 2; i < JOBS; i += 2) /* Ada's */
        buf_addf(&list, "%s%u", i > 2 ? "," : "", i);
    id.key = TEXT("JobId"), id.op = TEXT("="), id.value = list.s;
    name.key = TEXT("JobName"), name.op = TEXT("="), name.value = TEXT("new");
    u.pairs = pairs, u.n_pairs = 2;
    ok(work_turns(&r, ADA, MSG_UPDATE, &u.base, &between) > 5, "an update of many takes many turns");
    is_int(rig_code(&r), 0, "and works");
    ok(str_eq(rig_job(&r, 2)->spec->name, "new") && str_eq(rig_job(&r, 198)->spec->name, "new"),
       "for the first and for the last");
    id.value = TEXT("2,3,4"), name.value = TEXT("newer");
    work_turns(&r, ADA, MSG_UPDATE, &u.base, &between);
    is_int(rig_code(&r), ESLURM_USER_ID_MISSING, "a job of another user ends it");
    ok(str_eq(rig_job(&r, 2)->spec->name, "newer") && str_eq(rig_job(&r, 4)->spec->name, "new"),
       "after the jobs before it");
    rig_down(&r);
}

/* The client has gone, or the controller leads no more. */
static void test_drop(void)
{
    struct rig r;
    Pb__CancelRequest c = PB__CANCEL_REQUEST__INIT;
    Pb__JobQuery filter = PB__JOB_QUERY__INIT;
    auto_buf struct buf b = BUF_INIT;
    struct ctl_work *work = NULL;
    struct ctl_peer peer = { ROOT, ROOT, false, NULL };
    work_up(&r);
    c.filter = &filter, c.by_filter = true;
    pb_pack(&b, &c.base);
    struct frame f = { MSG_CANCEL, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    rig_begin(&r);
    is_int(ctl_request_slice(r.t, ASKER, &peer, &f, &work), CTL_UNFINISHED, "a request under way");
    rig_end_turn(&r);
    ctl_work_free(work);
    ok(work_count(&r, ADA, is_cancelled) > 0 && work_count(&r, ADA, is_cancelled) < JOBS / 2, "may be dropped");
    rig_down(&r);
}

int main(void)
{
    test_cancel();
    test_names();
    test_update();
    test_drop();
    return test_done();
}
