/* wait - MSG_WAIT and pending srun and salloc requests: which users may wait, what a reply holds, what a hang-up
 * cancels. */
#include "rig.h"

#define OTHER 3000 /* a session besides ASKER */

static char key[16] = "0123456789abcdef";
static char secret[] = "PASSWORD=swordfish";
static uint8_t token[] = "token-of-the-stream";

/* An srun that has to wait: it is held. */
static void c_srun(Pb__SubmitRequest *q)
{
    static Pb__StepSpec step;
    static Pb__IoEndpoint io;
    static char *argv[] = { TEXT("true") };
    pb__step_spec__init(&step);
    pb__io_endpoint__init(&io);
    io.token = (ProtobufCBinaryData){ sizeof(token), token };
    step.argv = argv, step.n_argv = 1, step.io = &io;
    step.env = (ProtobufCBinaryData){ sizeof(secret), (uint8_t *)secret };
    q->spec->kind = PB__JOB_KIND__KIND_SRUN, q->script.len = 0;
    q->spec->hold = true;
    q->step = &step;
    q->want_start = true;
    q->key = (ProtobufCBinaryData){ sizeof(key), (uint8_t *)key };
}

static void wait_for(struct rig *r, uint64_t session, uint32_t uid, uint32_t id, bool start, bool with_key)
{
    Pb__WaitRequest w = PB__WAIT_REQUEST__INIT;
    w.job_id = &id, w.n_job_id = 1, w.start = start;
    if (with_key)
        w.key = (ProtobufCBinaryData){ sizeof(key), (uint8_t *)key };
    rig_request(r, session, (struct ctl_peer){ uid, uid, false, NULL }, MSG_WAIT, &w.base);
}

static int refused(const struct rig *r, uint64_t session)
{
    Pb__Failure *f = rig_said(r, session, MSG_FAILURE);
    int code = f ? f->code : 0;
    rig_free(f);
    return code;
}

static bool said_bytes(const struct rig *r, const void *bytes, size_t len)
{
    for (size_t i = 0; i < r->said.n; i++)
        if ((r->said.at[i].type == MSG_START_REPLY || r->said.at[i].type == MSG_STEP_REPLY) &&
            memmem(r->said.at[i].body, r->said.at[i].len, bytes, len))
            return true;
    return false;
}

static void test_owner(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_srun), batch = rig_submit(&r, ADA, NULL);
    wait_for(&r, OTHER, BOB, id, true, false);
    is_int(refused(&r, OTHER), ESLURM_USER_ID_MISSING, "another user may not wait for the start of a job");
    wait_for(&r, OTHER, BOB, id, true, true);
    is_int(refused(&r, OTHER), ESLURM_USER_ID_MISSING, "nor with the key of its submission");
    wait_for(&r, OTHER, BOB, batch, false, false);
    is_int(refused(&r, OTHER), ESLURM_USER_ID_MISSING, "nor for its end");
    wait_for(&r, OTHER, ROOT, id, true, false);
    is_int(refused(&r, OTHER), 0, "root may");
    wait_for(&r, OTHER + 1, 500, batch, false, false);
    is_int(refused(&r, OTHER + 1), 0, "an administrator may");
    wait_for(&r, OTHER + 2, BOB, 77777, true, false);
    is_int(refused(&r, OTHER + 2), ESLURM_INVALID_JOB_ID, "a job that does not exist");
    rig_down(&r);
}

static void test_secrets(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_srun);
    wait_for(&r, OTHER, ROOT, id, true, false);
    wait_for(&r, OTHER + 1, ADA, id, true, true);
    is_int(rig_op(&r, ADA, PB__JOB_OP__OP_RELEASE, id), 0, "the job is released");
    is_str(rig_state(&r, id), "RUNNING", "and runs");
    for (uint64_t s = ASKER; s <= OTHER + 1; s = s == ASKER ? OTHER : s + 1) {
        Pb__StartReply *m = rig_said(&r, s, MSG_START_REPLY);
        ok(m && m->step && m->step->spec && m->step->spec->n_argv == 1, "session %u hears of the first step",
           (unsigned)s);
        rig_free(m);
    }
    ok(!said_bytes(&r, secret, sizeof(secret)), "no reply holds the environment");
    ok(!said_bytes(&r, token, sizeof(token)), "no reply holds the token of the streams");
    rig_down(&r);
}

static void test_hang_up(void)
{
    static const struct {
        const char *name;
        uint64_t session;
        uint32_t uid;
        bool with_key;
        const char *state;
    } cases[] = {
        { "root's wait", OTHER, ROOT, false, "PENDING" },
        { "another connection of the owner", OTHER, ADA, false, "PENDING" },
        { "the owner's connection that shows the submission's key", OTHER, ADA, true, "CANCELLED" },
        { "the connection that submitted", ASKER, ADA, false, "CANCELLED" },
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct rig r;
        rig_up(&r);
        uint32_t id = rig_submit(&r, ADA, c_srun);
        if (cases[i].session != ASKER)
            wait_for(&r, cases[i].session, cases[i].uid, id, true, cases[i].with_key);
        rig_gone(&r, cases[i].session);
        is_str(rig_state(&r, id), cases[i].state, "after the end of %s the job is %s", cases[i].name, cases[i].state);
        rig_down(&r);
    }
}

int main(void)
{
    test_owner();
    test_secrets();
    test_hang_up();
    return test_done();
}
