/* steps - they begin, wait for each other in order, give up, and end with their job, as the controller decides. */
#include <signal.h>

#include "core/step.h"
#include "rig.h"

#define FIRST 2000 /* sessions of srun */

static void c_four(Pb__SubmitRequest *q)
{
    q->spec->ntasks = 4, q->spec->kind = PB__JOB_KIND__KIND_SALLOC, q->spec->min_nodes = 1, q->script.len = 0;
}

/* srun number `srun` asks for a step of `n` tasks; its token is its number. */
static void ask(struct rig *r, uint32_t job, uint64_t srun, uint32_t n, void (*change)(Pb__StepSpec *s))
{
    Pb__StepRequest q = PB__STEP_REQUEST__INIT;
    Pb__StepSpec spec = PB__STEP_SPEC__INIT;
    Pb__IoEndpoint io = PB__IO_ENDPOINT__INIT;
    char *argv[] = { TEXT("true") };
    uint8_t token = (uint8_t)srun;
    io.token = (ProtobufCBinaryData){ 1, &token };
    spec.argv = argv, spec.n_argv = 1, spec.ntasks = n, spec.exact = true, spec.io = &io;
    if (change)
        change(&spec);
    q.job_id = job, q.spec = &spec;
    rig_request(r, FIRST + srun, (struct ctl_peer){ ADA, ADA, false, NULL }, MSG_STEP, &q.base);
}

/* What that srun heard last: the step's number, -1 that it waits, -2 nothing, else minus the error. */
static int heard(const struct rig *r, uint64_t srun)
{
    Pb__StepReply *s = rig_said(r, FIRST + srun, MSG_STEP_REPLY);
    Pb__Failure *f = rig_said(r, FIRST + srun, MSG_FAILURE);
    int what = f ? -f->code : !s || !s->step ? -2 : s->step->pending ? -1 : (int)s->step->id;
    rig_free(s), rig_free(f);
    return what;
}

static void step_ends(struct rig *r, uint32_t job, uint32_t step)
{
    struct job *j = rig_job(r, job);
    rig_report(r, j->alloc.at[0].node + 1, job, j->attempt, step, 0, false);
}

static void i_now(Pb__StepSpec *s) { s->immediate_s = 1; }
static void i_soon(Pb__StepSpec *s) { s->immediate_s = 4; }
static void i_limit(Pb__StepSpec *s) { s->time_limit_min = 1; }
static void i_overlap(Pb__StepSpec *s) { s->overlap = true; }

/* A step over components has a number in its place: of the prolog here. */
static Pb__HetStep het_prolog = PB__HET_STEP__INIT;
static void i_numbered(Pb__StepSpec *s)
{
    het_prolog.step_id = PB__STEP_NUMBER__STEP_PROLOG;
    s->het = &het_prolog;
}
static void i_interactive(Pb__StepSpec *s) { s->interactive = true; }

static Pb__StepSpec own_step = PB__STEP_SPEC__INIT;
static void c_own(Pb__SubmitRequest *q)
{
    static char *argv[] = { (char *)"true" };
    c_four(q);
    own_step.argv = argv, own_step.n_argv = 1;
    q->spec->kind = PB__JOB_KIND__KIND_SRUN;
    q->step = &own_step;
}
static void c_numbered(Pb__SubmitRequest *q)
{
    c_own(q);
    i_numbered(&own_step);
}

static void test_numbers(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_four);
    ask(&r, id, 0, 1, i_numbered);
    is_int(heard(&r, 0), -ESLURM_ACCESS_DENIED, "a user cannot choose a step's number");
    ask(&r, id, 1, 1, NULL);
    is_int(heard(&r, 1), 0, "numbers count from 0 all the same");
    ask(&r, id, 2, 1, i_interactive);
    is_int(heard(&r, 2), (int)PB__STEP_NUMBER__STEP_INTERACTIVE, "an interactive step has its own number");
    ask(&r, id, 3, 1, i_interactive);
    is_int(heard(&r, 3), -EEXIST, "once in a job");
    ok(rig_submit(&r, ADA, c_own), "srun submits a job and its step");
    is_int(rig_submit(&r, ADA, c_numbered), 0, "nor can a user choose it with the job");
    rig_down(&r);
}

static void test_wait(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_four);
    is_str(rig_state(&r, id), "RUNNING", "an allocation of four CPUs");
    ask(&r, id, 0, 3, NULL);
    is_int(heard(&r, 0), 0, "a step of three begins at once");
    ask(&r, id, 1, 2, NULL);
    is_int(heard(&r, 1), -1, "one of two hears that it waits");
    ask(&r, id, 2, 4, NULL);
    is_int(heard(&r, 2), -1, "so does one of four");
    ask(&r, id, 3, 1, NULL);
    is_int(heard(&r, 3), 1, "one of a single task fits beside the first");
    ask(&r, id, 4, 2, i_now);
    rig_pass(&r, 1);
    is_int(heard(&r, 4), -ESLURM_NODES_BUSY, "a step that does not want to wait is refused within the second");
    ask(&r, id, 5, 5, NULL);
    is_int(heard(&r, 5), -ESLURM_TOO_MANY_REQUESTED_CPUS, "a step that can never fit, too");
    ask(&r, id, 6, 4, i_overlap);
    is_int(heard(&r, 6), 2, "a step that shares need not wait");
    step_ends(&r, id, 1);
    is_int(heard(&r, 1), -2, "one CPU is not enough for two");
    step_ends(&r, id, 0);
    is_int(heard(&r, 1), 3, "the first that waits begins when the three are free");
    is_int(heard(&r, 2), -2, "the next does not");
    ask(&r, id, 7, 2, NULL);
    is_int(heard(&r, 7), 4, "a later one that fits goes before it");
    step_ends(&r, id, 3), step_ends(&r, id, 4);
    is_int(heard(&r, 2), 5, "then its time has come");
    is_int(rig_job(&r, id)->steps.n, 2, "steps that have ended are gone");
    rig_down(&r);
}

static void i_all(Pb__StepSpec *s) { s->ntasks = 0, s->nodes = 0; }
static void i_two_nodes(Pb__StepSpec *s) { s->nodes = 2; }
static void i_crowd(Pb__StepSpec *s) { s->overcommit = true; }
static void c_two_nodes(Pb__SubmitRequest *q)
{
    c_four(q), q->spec->ntasks = 8, q->spec->min_nodes = q->spec->max_nodes = 2;
}

/* One that is refused says nothing about those that ask for less, or for something else. */
static void test_others(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_two_nodes);
    is_int(rig_job(&r, id)->alloc.n, 2, "an allocation of two nodes");
    ask(&r, id, 0, 8, NULL);
    ask(&r, id, 1, 0, i_all);
    ask(&r, id, 2, 8, i_two_nodes);
    ask(&r, id, 3, 6, NULL);
    ask(&r, id, 4, 9, i_crowd);
    ask(&r, id, 5, 1, NULL);
    is_int(heard(&r, 5), -1, "all wait for the first");
    struct job *j = rig_job(&r, id);
    for (uint32_t i = 0; i < 2; i++) /* on both nodes */
        rig_report(&r, j->alloc.at[i].node + 1, id, j->attempt, 0, 0, false);
    is_int(heard(&r, 1), 1, "it wants a task on each node, and gets them");
    is_int(heard(&r, 2), -2, "all eight CPUs are no longer free");
    is_int(heard(&r, 3), 2, "six are");
    is_int(heard(&r, 5), -2, "then none");
    is_int(j->held[0].cpus + j->held[1].cpus, 8, "all are held");
    rig_down(&r);
}

static void test_give_up(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_four);
    ask(&r, id, 0, 4, NULL);
    ask(&r, id, 1, 1, i_soon);
    is_int(heard(&r, 1), -1, "it waits for three seconds");
    rig_pass(&r, 2);
    is_int(heard(&r, 1), -1, "not less");
    rig_pass(&r, 2);
    is_int(heard(&r, 1), -ESLURM_NODES_BUSY, "and no more");
    ask(&r, id, 2, 1, NULL);
    rig_gone(&r, FIRST + 2);
    ask(&r, id, 3, 1, i_now);
    step_ends(&r, id, 0);
    is_int(heard(&r, 2), -2, "whose srun went away is forgotten");
    is_int(heard(&r, 3), 1, "and does not stand in the way; an end that is heard of a little late is no refusal");
    ask(&r, id, 4, 4, NULL);
    rig_cancel(&r, ADA, id);
    is_int(heard(&r, 4), -ESLURM_ALREADY_DONE, "a step that waits ends with its job");
    ask(&r, id, 5, 1, NULL);
    is_int(heard(&r, 5), -ESLURM_ALREADY_DONE, "and none comes after");
    rig_down(&r);
}

static void test_suspended(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_four);
    rig_op(&r, ROOT, PB__JOB_OP__OP_SUSPEND, id);
    ask(&r, id, 0, 1, NULL);
    is_int(heard(&r, 0), -1, "a step of a suspended job waits");
    ask(&r, id, 1, 1, i_now);
    rig_pass(&r, 1);
    is_int(heard(&r, 1), -ESLURM_NODES_BUSY, "unless it does not want to");
    rig_op(&r, ROOT, PB__JOB_OP__OP_RESUME, id);
    is_int(heard(&r, 0), 0, "it begins when the job goes on");
    rig_down(&r);
}

/* The reply is lost with its controller: the new leader gives the same one. */
static void test_again(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_four);
    ask(&r, id, 0, 4, NULL);
    rig_failover(&r);
    ask(&r, id, 0, 4, NULL);
    is_int(heard(&r, 0), 0, "asked again, it is the same step");
    is_int(rig_job(&r, id)->steps.n, 1, "and the only one");
    is_int(rig_job(&r, id)->held[0].cpus, 4, "what it holds is known from the log");
    ask(&r, id, 1, 1, NULL);
    is_int(heard(&r, 1), -1, "another waits for it");
    rig_register(&r, 1, "boot", NULL, 0);
    step_ends(&r, id, 0);
    is_int(heard(&r, 1), 1, "and begins after it");
    rig_down(&r);
}

static void test_limit(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_four);
    ask(&r, id, 0, 1, i_limit);
    uint32_t node = rig_job(&r, id)->alloc.at[0].node + 1;
    rig_forget(&r);
    rig_pass(&r, 59);
    Pb__KillOrder *early = rig_said(&r, node, MSG_KILL);
    ok(!early, "before its minute is over a step runs");
    rig_pass(&r, 2);
    Pb__KillOrder *k = rig_said(&r, node, MSG_KILL);
    ok(k && k->one_step && k->step_id == 0 && k->terminate && k->signal == SIGTERM, "then its node ends it");
    ok(k && strstr(k->reason, "DUE TO TIME LIMIT"), "and says why");
    is_str(rig_state(&r, id), "RUNNING", "the job goes on");
    rig_free(early), rig_free(k);
    rig_down(&r);
}

static void test_cancel(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, c_four);
    ask(&r, id, 0, 1, NULL);
    uint32_t node = rig_job(&r, id)->alloc.at[0].node + 1;
    Pb__CancelRequest q = PB__CANCEL_REQUEST__INIT;
    Pb__JobRef ref = PB__JOB_REF__INIT, *refs[] = { &ref };
    ref.job = id, ref.has_step = true;
    q.jobs = refs, q.n_jobs = 1;
    rig_ask(&r, BOB, MSG_CANCEL, &q.base);
    is_int(rig_code(&r), ESLURM_USER_ID_MISSING, "not another user's step");
    rig_ask(&r, ADA, MSG_CANCEL, &q.base);
    is_int(rig_code(&r), 0, "a step is cancelled by its number");
    Pb__KillOrder *k = rig_said(&r, node, MSG_KILL);
    ok(k && k->one_step && k->signal == SIGKILL && strstr(k->reason, "SIGNAL Killed"), "at once, and it is said");
    ref.step = 9;
    rig_ask(&r, ADA, MSG_CANCEL, &q.base);
    is_int(rig_code(&r), ESLURM_INVALID_JOB_ID, "one that is not there is not");
    rig_free(k);
    rig_down(&r);
}

/* ---- a node refuses to launch a step ---- */

static void refuse_step(struct rig *r, uint32_t job, uint32_t step)
{
    const struct job *j = rig_job(r, job);
    Pb__LaunchReply no = PB__LAUNCH_REPLY__INIT;
    no.job_id = job, no.step_id = step, no.attempt = j->attempt, no.code = EIO, no.text = TEXT("the spool is full");
    rig_node_says(r, j->alloc.at[0].node + 1, MSG_LAUNCH_REPLY, &no.base);
}

static void wait_for_step(struct rig *r, uint64_t srun, uint32_t job, uint32_t step)
{
    Pb__WaitRequest w = PB__WAIT_REQUEST__INIT;
    w.job_id = &job, w.n_job_id = 1, w.has_step = true, w.step = step;
    rig_request(r, FIRST + srun, (struct ctl_peer){ ADA, ADA, false, NULL }, MSG_WAIT, &w.base);
}

/* -1: no reply; 0: the step is over; else the error of the node that refused it */
static int step_reply(const struct rig *r, uint64_t srun)
{
    Pb__WaitReply *w = rig_said(r, FIRST + srun, MSG_WAIT_REPLY);
    int code = w ? (int)w->code : -1;
    if (w && w->code)
        ok(str_eq(w->text, "the spool is full") && w->node[0] == 'n' && !w->n_jobs, "node and reason are told");
    rig_free(w);
    return code;
}

static void test_refused_launch(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t job = rig_submit(&r, ADA, c_four);
    ask(&r, job, 1, 1, NULL);
    wait_for_step(&r, 1, job, 0);
    is_int(step_reply(&r, 1), -1, "srun waits for its step");
    refuse_step(&r, job, 0);
    is_int(step_reply(&r, 1), EIO, "a node refuses it: srun is told");
    is_int(rig_job(&r, job)->steps.n, 0, "and the step is over");
    is_str(rig_state(&r, job), "RUNNING", "its job is not");
    ask(&r, job, 2, 1, NULL);
    refuse_step(&r, job, 1);
    wait_for_step(&r, 2, job, 1);
    is_int(step_reply(&r, 2), EIO, "an srun that begins to wait afterwards is told as well");
    wait_for_step(&r, 2, job, 1);
    is_int(step_reply(&r, 2), 0, "once; then the step is over");
    rig_down(&r);
}

int main(void)
{
    test_refused_launch();
    test_numbers();
    test_wait();
    test_others();
    test_give_up();
    test_suspended();
    test_again();
    test_limit();
    test_cancel();
    return test_done();
}
