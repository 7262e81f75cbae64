/* query_cache - identical queries share one reply, which is never older than the query, and the cache is bounded. */
#include "ctl/ctl_priv.h"
#include "rig.h"

static int64_t clock_at, clock_step; /* every look at the clock costs a step */

static int64_t fake_clock(void)
{
    return clock_at += clock_step;
}

static void ask_as(struct rig *r, uint64_t session, uint32_t uid, uint16_t flags, const Pb__JobQuery *q)
{
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, &q->base);
    struct frame f = { MSG_JOBS, flags, session, (uint8_t *)b.s, (uint32_t)b.len };
    struct ctl_peer peer = { uid, uid, false, NULL };
    ctl_request(r->t, session, &peer, &f);
}

/* As squeue does: all jobs.  The number of a question is its session's. */
static void ask(struct rig *r, uint64_t session, uint16_t flags)
{
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    ask_as(r, session, ROOT, flags, &q);
}

static void ask_of(struct rig *r, uint64_t session, uint32_t uid)
{
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    q.uid = &uid;
    q.n_uid = 1;
    ask_as(r, session, uid, 0, &q);
}

static const struct ctl_out *first(const struct rig *r, uint64_t session)
{
    for (size_t i = 0; i < r->said.n; i++)
        if (r->said.at[i].session == session && r->said.at[i].type == MSG_JOBS_REPLY)
            return &r->said.at[i];
    return NULL;
}

/* How many jobs it was told of; -1: it has not been answered. */
static int jobs_told(const struct rig *r, uint64_t session)
{
    int n = -1;
    for (size_t i = 0; i < r->said.n; i++) {
        const struct ctl_out *o = &r->said.at[i];
        if (o->session != session || o->type != MSG_JOBS_REPLY)
            continue;
        struct frame f = { o->type, o->flags, o->number, (uint8_t *)o->body, (uint32_t)o->len };
        auto_buf struct buf room = BUF_INIT;
        struct err err = ERR_INIT;
        Pb__JobList *l = frame_unpack(&f, &room, &err) ? NULL : pb__job_list__unpack(NULL, f.len, f.body);
        n = l ? MAX(n, 0) + (int)l->n_jobs : -1000000;
        rig_free(l);
    }
    return n;
}

static void held(Pb__SubmitRequest *q)
{
    q->spec->hold = true;
}

static void request_submit(struct rig *r, uint32_t uid)
{
    static char script[] = "#!/bin/sh\n";
    Pb__SubmitRequest q = PB__SUBMIT_REQUEST__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    spec.name = TEXT("more");
    spec.hold = true;
    q.spec = &spec;
    q.script = (ProtobufCBinaryData){ sizeof(script) - 1, (uint8_t *)script };
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, &q.base);
    struct frame f = { MSG_SUBMIT, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    struct ctl_peer peer = { uid, uid, false, NULL };
    ctl_request(r->t, ASKER, &peer, &f);
}

/* ---- sharing ---- */

static void test_share(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, ADA, held), rig_submit(&r, BOB, held), rig_submit(&r, BOB, held);
    rig_begin(&r);
    ask(&r, 11, 0);
    request_submit(&r, ADA);
    ask(&r, 12, 0);
    ask_of(&r, 13, ADA);
    ask_of(&r, 14, BOB);
    rig_end_turn(&r);
    const struct ctl_out *a = first(&r, 11), *b = first(&r, 12);
    ok(a && b && a->shared && a->shared == b->shared && a->number == 11 && b->number == 12,
       "equal queries of a turn get the same bytes");
    is_int(jobs_told(&r, 11), 4, "they tell of what happened after the question, too");
    is_int(jobs_told(&r, 13), 2, "a query for Ada's jobs gets Ada's");
    is_int(jobs_told(&r, 14), 2, "a query for Bob's jobs gets Bob's");
    rig_down(&r);
}

static void test_keep(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, held);
    rig_begin(&r), ask(&r, 11, 0), rig_end_turn(&r);
    struct shared_buf *kept = shared_buf_ref(first(&r, 11)->shared);
    rig_begin(&r), ask(&r, 12, 0), rig_end_turn(&r);
    ok(first(&r, 12) && first(&r, 12)->shared == kept, "nothing has changed: the same bytes again");
    rig_op(&r, ADA, PB__JOB_OP__OP_RELEASE, id);
    rig_begin(&r), ask(&r, 13, 0), rig_end_turn(&r);
    Pb__JobList *l = rig_said(&r, 13, MSG_JOBS_REPLY);
    ok(l && l->n_jobs == 1 && l->jobs[0]->state != JOB_PENDING && first(&r, 13)->shared != kept,
       "something has: others");
    rig_free(l);
    shared_buf_unref(kept);
    kept = shared_buf_ref(first(&r, 13)->shared);
    r.now_ms += 1000;
    rig_begin(&r), ask(&r, 14, 0), rig_end_turn(&r);
    l = rig_said(&r, 14, MSG_JOBS_REPLY);
    ok(l && l->now_s == r.now_ms / 1000 && first(&r, 14)->shared != kept, "another second: the answer says so");
    rig_free(l);
    shared_buf_unref(kept);
    rig_down(&r);
}

/* ---- waiting ---- */

/* In no time. */
static void submit_many(struct rig *r, int n)
{
    int64_t step = clock_step;
    clock_step = 0;
    rig_begin(r);
    for (int i = 0; i < n; i++)
        request_submit(r, ADA);
    rig_end_turn(r);
    clock_step = step;
}

static void clock_up(struct rig *r, int64_t step_us)
{
    rig_up(r);
    clock_at = 1000000000, clock_step = step_us;
    r->t->clock_us = fake_clock;
}

static void test_wait(void)
{
    struct rig r;
    clock_up(&r, 1000); /* an answer takes milliseconds */
    submit_many(&r, 3);
    rig_begin(&r), ask(&r, 11, 0), rig_end_turn(&r);
    is_int(jobs_told(&r, 11), 3, "the first is answered at once");
    submit_many(&r, 100);
    rig_begin(&r), ask(&r, 12, 0), rig_end_turn(&r);
    is_int(jobs_told(&r, 12), -1, "much has changed since: the next one waits a moment");
    int64_t due = ctl_next_ms(r.t);
    ok(due > r.now_ms && due <= r.now_ms + 100, "for no longer than a tenth of a second");
    submit_many(&r, 1);
    clock_at += 100000, r.now_ms = due;
    rig_begin(&r), ask(&r, 13, 0), rig_end_turn(&r);
    is_int(jobs_told(&r, 12), 104, "then it is told of everything up to then");
    ok(first(&r, 12) && first(&r, 13) && first(&r, 12)->shared == first(&r, 13)->shared,
       "with the queries that came meanwhile");
    rig_down(&r);
}

static void test_no_wait(void)
{
    struct rig r;
    clock_up(&r, 1000);
    submit_many(&r, 3);
    rig_begin(&r), ask(&r, 11, 0), rig_end_turn(&r);
    submit_many(&r, 1);
    clock_at += 10000;
    rig_begin(&r), ask(&r, 12, 0), rig_end_turn(&r);
    is_int(jobs_told(&r, 12), 4, "little has changed: no query waits");
    submit_many(&r, 200);
    rig_begin(&r), ask(&r, 14, 0), rig_end_turn(&r);
    is_int(jobs_told(&r, 14), -1, "(this one would wait)");
    ctl_follow(r.t);
    rig_begin(&r), rig_end_turn(&r);
    is_int(jobs_told(&r, 14), -1, "a query that waits when the controller leads no more goes elsewhere");
    rig_down(&r);
}

/* ---- slices ---- */

static void held_array(Pb__SubmitRequest *q)
{
    q->spec->hold = true;
    q->spec->array = TEXT("0-9");
}

/* One task gets a record of its own. */
static void split_task(struct rig *r, uint32_t array)
{
    Pb__JobOpRequest q = PB__JOB_OP_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = array, ref.has_task = true, ref.task = 3;
    q.op = PB__JOB_OP__OP_HOLD, q.jobs = refs, q.n_jobs = 1;
    auto_buf struct buf b = BUF_INIT;
    pb_pack(&b, &q.base);
    struct frame f = { MSG_JOB_OP, 0, 7, (uint8_t *)b.s, (uint32_t)b.len };
    ctl_request(r->t, ASKER, &(struct ctl_peer){ ROOT, ROOT, false, NULL }, &f);
}

/* Turns until the session has its answer; 0: it never comes. */
static int turns_until(struct rig *r, uint64_t session)
{
    for (int n = 1; n < 1000; n++) {
        rig_begin(r), rig_end_turn(r);
        if (jobs_told(r, session) >= 0)
            return n;
    }
    return 0;
}

static void test_slices(void)
{
    struct rig r;
    clock_up(&r, 0);
    uint32_t early = rig_submit(&r, ADA, held_array);
    submit_many(&r, 600);
    uint32_t late = rig_submit(&r, ADA, held_array);
    clock_step = 1000; /* a slice is over after some looks at the clock */
    rig_begin(&r), ask(&r, 11, 0), rig_end_turn(&r);
    ok(jobs_told(&r, 11) == -1 && ctl_again(r.t), "a long reply is not made in one turn");
    rig_begin(&r);
    split_task(&r, early), split_task(&r, late), request_submit(&r, ADA), ask(&r, 12, 0);
    rig_end_turn(&r);
    ok(turns_until(&r, 11) > 1, "it takes several");
    is_int(jobs_told(&r, 11), 602 + 2, "a task of an array whose record was listed before is not listed again, and a "
           "task of an array that was listed after is");
    ok(jobs_told(&r, 12) == -1 && ctl_again(r.t), "a query that came meanwhile does not get it");
    ok(turns_until(&r, 12) > 0, "but a reply of its own");
    is_int(jobs_told(&r, 12), 602 + 3, "with everything");
    rig_begin(&r), rig_end_turn(&r);
    ok(!ctl_again(r.t), "then the loop rests");
    rig_down(&r);
}

/* Bob's one query does not wait for all of Ada's. */
static void test_fair(void)
{
    struct rig r;
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    clock_up(&r, 0);
    submit_many(&r, 600);
    clock_step = 1000;
    rig_begin(&r);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t uid[] = { 5000 + i, ADA };
        q.uid = uid, q.n_uid = 2;
        ask_as(&r, 11 + i, ADA, 0, &q);
    }
    rig_end_turn(&r);
    rig_begin(&r);
    q.n_uid = 0;
    ask_as(&r, 20, BOB, 0, &q);
    rig_end_turn(&r);
    ok(turns_until(&r, 20) > 0, "a query of another user is answered");
    for (uint32_t i = 1; i < 5; i++)
        is_int(jobs_told(&r, 11 + i), -1, "before query %u of a user that asks a lot", i);
    ok(turns_until(&r, 15) > 0, "which are answered later");
    rig_down(&r);
}

/* ---- many users ---- */

static void test_users(void)
{
    struct rig r;
    rig_up(&r);
    for (uint32_t i = 0; i < 40; i++)
        rig_submit(&r, 2000 + i % 10, i % 3 ? held : NULL);
    struct shared_buf *alone[12];
    for (uint32_t i = 0; i < 12; i++) {
        rig_begin(&r), ask_of(&r, 100 + i, 2000 + i), rig_end_turn(&r);
        alone[i] = first(&r, 100 + i) ? shared_buf_ref(first(&r, 100 + i)->shared) : NULL;
    }
    rig_op(&r, ROOT, PB__JOB_OP__OP_HOLD, 2); /* what was kept holds no longer */
    rig_begin(&r);
    for (uint32_t i = 0; i < 12; i++)
        ask_of(&r, 100 + i, 2000 + i);
    rig_end_turn(&r);
    int same = 0, fresh = 0;
    for (uint32_t i = 0; i < 12; i++) {
        const struct ctl_out *o = first(&r, 100 + i);
        same += o && alone[i] && i != 1 && o->len == alone[i]->len && !memcmp(o->body, alone[i]->s, o->len);
        fresh += o && o->shared != alone[i];
        shared_buf_unref(alone[i]);
    }
    is_int(same, 11, "users who ask for their own jobs all at once get what each gets alone");
    is_int(fresh, 12, "(it was made anew for each)");
    is_int(jobs_told(&r, 101), 4, "and so does one whose job was held meanwhile");
    is_int(jobs_told(&r, 111), 0, "a user without jobs gets none");
    rig_down(&r);
}

/* ---- packing ---- */

static void test_pack(void)
{
    struct rig r;
    rig_up(&r);
    submit_many(&r, 1500);
    rig_begin(&r);
    for (uint64_t s = 11; s < 15; s++)
        ask(&r, s, FRAME_PACKS);
    for (uint64_t s = 15; s < 19; s++)
        ask(&r, s, 0);
    rig_end_turn(&r);
    const struct ctl_out *small = first(&r, 11), *plain = first(&r, 15);
    ok(small && (small->flags & FRAME_PACKED) && plain && !(plain->flags & FRAME_PACKED),
       "four can unpack, four cannot");
    ok(small && plain && small->len * 3 < plain->len, "it gets much smaller");
    is_int(jobs_told(&r, 14), 1500, "everything is in it");
    is_int(jobs_told(&r, 18), 1500, "as for the others");
    r.now_ms += 1000;
    rig_begin(&r), ask(&r, 20, FRAME_PACKS), rig_end_turn(&r);
    ok(first(&r, 20) && !(first(&r, 20)->flags & FRAME_PACKED), "for one alone that is not worth the time");
    rig_down(&r);
}

int main(void)
{
    test_share();
    test_keep();
    test_wait();
    test_no_wait();
    test_slices();
    test_fair();
    test_users();
    test_pack();
    return test_done();
}
