/* events - every kind of event: when it fits, when it does not, and that what does not fit changes nothing. */
#include "core/cluster_priv.h"
#include "core/step.h"
#include "rig.h"

#define NOBODY 99

/* Jobs 1 waits, 2 runs on n1 and n2, 3 is completing on n1 (n2 is clean), 4 has ended, 5 is an array, 6 goes back to
 * the queue. */
static void up_full(struct rig *r)
{
    rig_up(r);
    for (uint32_t id = 1; id <= 4; id++)
        rig_submit(r, id);
    rig_submit_as(r, 5, "array", 3, 0, 1001);
    rig_submit(r, 6);
    rig_start(r, 2, 0, 2);
    rig_start(r, 3, 0, 2);
    rig_start(r, 4, 2, 1);
    rig_start(r, 6, 3, 1);
    r->now_s += 10;
    rig_end(r, 3, JOB_COMPLETED, false);
    rig_node_done(r, 3, 1);
    rig_end(r, 4, JOB_FAILED, true);
    rig_requeue(r, 6, false);
}

/* ---- one table: an event against a job in each state ---- */

static int ev_submit(struct rig *r, uint32_t id) { return rig_submit(r, id); }
static int ev_start(struct rig *r, uint32_t id) { return rig_start_task(r, id, 2, 1, 1, id == 5 ? 50 : 0); }
static int ev_end(struct rig *r, uint32_t id) { return rig_end(r, id, JOB_COMPLETED, false); }
static int ev_node_done(struct rig *r, uint32_t id) { return rig_node_done(r, id, 0); }
static int ev_requeue(struct rig *r, uint32_t id) { return rig_requeue(r, id, true); }

static int ev_split(struct rig *r, uint32_t id)
{
    Pb__EvSplit e = PB__EV_SPLIT__INIT;
    e.job_id = id, e.task = 1, e.new_id = 50;
    return RIG_EVENT(r, SPLIT, split, &e);
}

static int ev_suspend(struct rig *r, uint32_t id)
{
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    e.job_id = id;
    return RIG_EVENT(r, SUSPEND, suspend, &e);
}

static int ev_resume(struct rig *r, uint32_t id)
{
    Pb__EvSuspend e = PB__EV_SUSPEND__INIT;
    e.job_id = id, e.resume = true;
    return RIG_EVENT(r, SUSPEND, suspend, &e);
}

static int ev_hold(struct rig *r, uint32_t id)
{
    Pb__EvHold e = PB__EV_HOLD__INIT;
    e.job_id = id, e.hold = HOLD_USER;
    return RIG_EVENT(r, HOLD, hold, &e);
}

static int ev_update(struct rig *r, uint32_t id)
{
    Pb__EvUpdate e = PB__EV_UPDATE__INIT;
    e.job_id = id, e.has_limit = true, e.time_limit_min = 77;
    return RIG_EVENT(r, UPDATE, update, &e);
}

static int ev_depend(struct rig *r, uint32_t id)
{
    Pb__EvDepend e = PB__EV_DEPEND__INIT;
    e.job_id = id;
    return RIG_EVENT(r, DEPEND, depend, &e);
}

static int ev_warned(struct rig *r, uint32_t id)
{
    Pb__EvWarned e = PB__EV_WARNED__INIT;
    e.job_id = id;
    return RIG_EVENT(r, WARNED, warned, &e);
}

static int ev_step_start(struct rig *r, uint32_t id)
{
    Pb__EvStepStart e = PB__EV_STEP_START__INIT;
    Pb__Step s = PB__STEP__INIT;
    uint32_t node = 0, tasks = 1;
    s.id = 0, s.node = &node, s.n_node = 1, s.tasks = &tasks, s.n_tasks = 1;
    e.job_id = id, e.step = &s;
    return RIG_EVENT(r, STEP_START, step_start, &e);
}

static int ev_step_end(struct rig *r, uint32_t id)
{
    Pb__EvStepEnd e = PB__EV_STEP_END__INIT;
    e.job_id = id;
    return RIG_EVENT(r, STEP_END, step_end, &e);
}

static void test_states(void)
{
    static const struct {
        int (*event)(struct rig *r, uint32_t id);
        const char *name;
        const char *fits;        /* jobs 1 to 6, and nobody: y or n */
    } cases[] = {
        /*                               1 2 3 4 5 6 none */
        { ev_submit,     "submit",      "nnnnnny" }, { ev_start,      "start",       "ynnnynn" },
        { ev_split,      "split",       "nnnnynn" }, { ev_end,        "end",         "yynnyyn" },
        { ev_node_done,  "node done",   "nnynnyn" }, { ev_requeue,    "requeue",     "nynynnn" },
        { ev_suspend,    "suspend",     "nynnnnn" }, { ev_resume,     "resume",      "nnnnnnn" },
        { ev_hold,       "hold",        "yyyyyyn" }, { ev_update,     "update",      "yyyyyyn" },
        { ev_depend,     "depend",      "yyyyyyn" }, { ev_warned,     "warned",      "yyyyyyn" },
        { ev_step_start, "step start",  "nynnnnn" }, { ev_step_end,   "step end",    "nnnnnnn" },
    };
    static const char *const jobs[] = { "waits",       "runs",      "is completing", "has ended",
                                        "is an array", "goes back", "is not there" };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        for (uint32_t id = 1; id <= 7; id++) {
            struct rig r;
            up_full(&r);
            int rc = cases[i].event(&r, id == 7 ? NOBODY : id);
            ok((rc == 0) == (cases[i].fits[id - 1] == 'y'), "%s of a job that %s %s", cases[i].name, jobs[id - 1],
               rc ? "does not fit" : "fits");
            if (!rig_round_trip(&r))
                (void)ok(false, "and what came of it survives a snapshot");
            rig_down(&r);
        }
}

/* ---- events that say nonsense ---- */

static void test_nonsense(void)
{
    struct rig r;
    up_full(&r);
    Pb__Event none = PB__EVENT__INIT;
    ok(rig_apply(&r, &none), "an event without a body");
    static const uint32_t states[] = {
        JOB_PENDING, JOB_RUNNING, JOB_SUSPENDED, JOB_STATE_COUNT, JOB_COMPLETED | JOB_COMPLETING, UINT32_MAX
    };
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        ok(rig_end(&r, 2, states[i], true), "no job ends as %#x", states[i]);
    ok(rig_start(&r, 1, 3, 3), "a start on nodes that are not there");
    Pb__EvPartUpdate part = PB__EV_PART_UPDATE__INIT;
    ok(RIG_EVENT(&r, PART_UPDATE, part_update, &part), "a partition without a name");
    Pb__Part p = PB__PART__INIT;
    p.name = TEXT("nowhere");
    part.part = &p, part.remove = true;
    ok(RIG_EVENT(&r, PART_UPDATE, part_update, &part), "a partition that is not there is not removed");
    Pb__EvStepStart step = PB__EV_STEP_START__INIT;
    step.job_id = 2;
    ok(RIG_EVENT(&r, STEP_START, step_start, &step), "a step without itself");
    Pb__Step s = PB__STEP__INIT;
    uint32_t far = 2;
    s.node = &far, s.n_node = 1, step.step = &s;
    ok(RIG_EVENT(&r, STEP_START, step_start, &step), "a step on a node that is not the job's");
    Pb__EvNodeUp up = PB__EV_NODE_UP__INIT;
    Pb__EvNodeState state = PB__EV_NODE_STATE__INIT;
    Pb__EvNodeUpdate change = PB__EV_NODE_UPDATE__INIT;
    up.node = state.node = change.node = 4;
    ok(RIG_EVENT(&r, NODE_UP, node_up, &up) && RIG_EVENT(&r, NODE_STATE, node_state, &state) &&
           RIG_EVENT(&r, NODE_UPDATE, node_update, &change),
       "a node that is not there");
    rig_down(&r);
}

/* What a refused submission brought along is not kept. */
static void test_blobs_of_refused(void)
{
    struct rig r;
    up_full(&r);
    Pb__EvSubmit e = PB__EV_SUBMIT__INIT;
    Pb__Blob b = PB__BLOB__INIT, *blobs[] = { &b, &b };
    uint8_t junk[] = "\xff\xff\xff";
    e.job_id = 60, e.blobs = blobs, e.n_blobs = 1, e.spec = b.id = r.c->next_blob;
    b.data = (ProtobufCBinaryData){ 3, junk };
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "a spec that does not parse");
    b.data.len = 0;
    e.spec = 4711;
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "a spec that is not there");
    e.n_blobs = 2;
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "a blob twice");
    e.n_blobs = 1, e.spec = b.id = cluster_job(r.c, 1)->spec->blob->id;
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "a number that a blob has already");
    e.job_id = 0, e.n_blobs = 0;
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "a job without a number");
    Pb__EvUpdate u = PB__EV_UPDATE__INIT;
    u.job_id = 1, u.spec = b.id = r.c->next_blob, u.blobs = blobs, u.n_blobs = 1, u.has_limit = true;
    b.data = (ProtobufCBinaryData){ 3, junk };
    ok(RIG_EVENT(&r, UPDATE, update, &u), "an update to a spec that does not parse");
    Pb__EvSubmit more = PB__EV_SUBMIT__INIT, *het[] = { &more };
    e.job_id = 60, more.job_id = 61, more.spec = 4711, e.het = het, e.n_het = 1, e.n_blobs = 1;
    e.spec = 1, b.id = r.c->next_blob;
    ok(RIG_EVENT(&r, SUBMIT, submit, &e), "a set whose second component does not fit");
    e.n_het = 0;
    size_t known = r.c->blobs.n;
    ok(!RIG_EVENT(&r, SUBMIT, submit, &e) && r.c->blobs.n == known, "a blob that no job uses is not kept");
    rig_down(&r);
}

/* ---- what events do ---- */

static void test_completing(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 1);
    rig_start(&r, 1, 0, 3);
    is_int(r.c->node[1].cpus_used, 2, "its nodes are in use");
    r.now_s += 100;
    rig_end(&r, 1, JOB_COMPLETED, false);
    is_str(rig_state(&r, 1), "COMPLETING", "it has ended, its nodes are not clean");
    is_int(r.c->node[1].completing, 1, "and say so");
    ok(!rig_node_done(&r, 1, 1) && !rig_node_done(&r, 1, 0), "two come clean");
    is_int(r.c->node[1].cpus_used, 0, "what is clean is free");
    is_int(r.c->node[2].cpus_used, 2, "what is not is not");
    ok(!rig_node_done(&r, 1, 0), "the same node again is harmless");
    ok(rig_round_trip(&r), "in between it survives a snapshot");
    ok(!rig_node_done(&r, 1, 2), "the last comes clean");
    is_str(rig_state(&r, 1), "COMPLETED", "now it is over");
    is_int(r.c->done.n, 1, "it is among those that ended");
    rig_down(&r);
}

/* PrologSlurmctld of an attempt that was given up says nothing of the next one. */
static void test_ready(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 1);
    rig_start(&r, 1, 0, 1);
    struct job *j = cluster_job(r.c, 1);
    cluster_move_job(r.c, j, JOB_RUNNING | JOB_CONFIGURING);
    Pb__EvReady e = PB__EV_READY__INIT;
    e.job_id = 1, e.attempt = j->attempt - 1;
    ok(RIG_EVENT(&r, READY, ready, &e) && (j->state & JOB_CONFIGURING), "an earlier attempt is ready: too late");
    e.attempt = j->attempt;
    ok(!RIG_EVENT(&r, READY, ready, &e) && j->state == JOB_RUNNING, "this one is");
    rig_down(&r);
}

static void test_requeue(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 1);
    rig_start(&r, 1, 0, 2);
    uint32_t first = cluster_job(r.c, 1)->attempt;
    rig_requeue(&r, 1, false);
    is_str(rig_state(&r, 1), "COMPLETING", "it leaves its nodes first");
    ok(rig_start(&r, 1, 2, 1), "until then it does not start again");
    rig_node_done(&r, 1, 0);
    rig_node_done(&r, 1, 1);
    is_str(rig_state(&r, 1), "PENDING", "then it waits");
    is_int(cluster_job(r.c, 1)->restarts, 1, "and counts it");
    ok(!rig_start(&r, 1, 0, 1), "it starts again");
    ok(cluster_job(r.c, 1)->attempt > first, "as another attempt");
    rig_requeue(&r, 1, false);
    uint32_t pos = 0;
    Pb__EvNodeDone old = PB__EV_NODE_DONE__INIT;
    old.job_id = 1, old.attempt = first, old.node = &pos, old.n_node = 1;
    ok(RIG_EVENT(&r, NODE_DONE, node_done, &old), "a node that is clean of the first attempt is not news");
    is_str(rig_state(&r, 1), "COMPLETING", "it is not clean of this one");
    ok(!rig_end(&r, 1, JOB_CANCELLED, false), "cancelled on its way back to the queue");
    is_str(rig_state(&r, 1), "COMPLETING", "its node is not clean yet");
    rig_node_done(&r, 1, 0);
    is_str(rig_state(&r, 1), "CANCELLED", "it does not come back");
    is_int(r.c->node[0].completing + r.c->node[0].jobs, 0, "and has left nothing");
    rig_down(&r);
}

static void test_keys(void)
{
    struct rig r;
    uint8_t key[16], other[16];
    memset(key, 7, 16);
    memset(other, 8, 16);
    rig_up(&r);
    rig_submit_as(&r, 1, "job", 0, 7, 1001);
    is_int(cluster_key(r.c, key, 1001), 1, "a key leads to its job");
    is_int(cluster_key(r.c, key, 1002), 0, "for the user that sent it");
    is_int(cluster_key(r.c, other, 1001), 0, "another leads nowhere");
    other[0] = 7, memset(other, 7, 8);
    is_int(cluster_key(r.c, other, 1001), 0, "also one that begins alike");
    ok(rig_round_trip(&r), "keys survive a snapshot");
    is_int(cluster_key(r.c, key, 1001), 1, "and are found after it");
    rig_end(&r, 1, JOB_CANCELLED, false);
    Pb__EvPurge p = PB__EV_PURGE__INIT;
    uint32_t ids[] = { 1, NOBODY };
    p.job_id = ids, p.n_job_id = 2, p.keys_before_s = AT_S;
    ok(!RIG_EVENT(&r, PURGE, purge, &p), "the job is forgotten");
    is_int(cluster_key(r.c, key, 1001), 1, "its key is not: a late retry gets the same answer");
    p.n_job_id = 0, p.keys_before_s = AT_S + 1;
    RIG_EVENT(&r, PURGE, purge, &p);
    is_int(cluster_key(r.c, key, 1001), 0, "until it is old");
    rig_down(&r);
}

/* After a failover srun asks for its pending job with the key: it is kept until the job starts. */
static void test_keys_of_pending(void)
{
    struct rig r;
    uint8_t key[16];
    rig_up(&r);
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    Pb__Blob b = PB__BLOB__INIT, *blobs[] = { &b };
    auto_buf struct buf bytes = BUF_INIT;
    spec.kind = PB__JOB_KIND__KIND_SRUN, spec.name = TEXT("interactive");
    pb_pack(&bytes, &spec.base);
    for (uint32_t id = 1; id <= 5; id++) {
        Pb__EvSubmit e = PB__EV_SUBMIT__INIT;
        memset(key, (int)id, sizeof(key));
        e.job_id = id, e.uid = 1001, e.spec = b.id = 1, e.partition = TEXT("main");
        e.blobs = blobs, e.n_blobs = id == 1;
        e.key = (ProtobufCBinaryData){ 16, key }, b.data = (ProtobufCBinaryData){ bytes.len, (uint8_t *)bytes.s };
        RIG_EVENT(&r, SUBMIT, submit, &e);
        r.now_s += 10;
    }
    rig_submit_as(&r, 6, "batch", 0, 6, 1001);
    rig_start(&r, 2, 0, 1);
    Pb__EvPurge p = PB__EV_PURGE__INIT;
    for (int round = 0; round < 2; round++) {
        p.keys_before_s = (uint64_t)(round ? r.now_s + 10 : AT_S + 35);
        RIG_EVENT(&r, PURGE, purge, &p);
        ok(rig_round_trip(&r), "the keys that are left survive a snapshot");
        for (uint32_t id = 1; id <= 6; id++) {
            memset(key, (int)id, sizeof(key));
            bool gone = id == 2 || (round && id == 6);
            is_int(cluster_key(r.c, key, 1001), gone ? 0 : id, "round %d: the key of job %u is %s", round, id,
                   gone ? "gone" : "kept");
        }
    }
    rig_down(&r);
}

static void test_purge(void)
{
    struct rig r;
    rig_up(&r);
    for (uint32_t id = 1; id <= 3; id++)
        rig_submit(&r, id);
    is_int(r.c->blobs.n, 3, "three jobs share one spec, one script, one environment");
    rig_start(&r, 2, 0, 1);
    rig_end(&r, 1, JOB_CANCELLED, false);
    Pb__EvPurge p = PB__EV_PURGE__INIT;
    uint32_t ids[] = { 1, 2, 3 };
    p.job_id = ids, p.n_job_id = 3;
    RIG_EVENT(&r, PURGE, purge, &p);
    is_int(r.c->jobs.n, 2, "only what has ended is forgotten");
    rig_end(&r, 2, JOB_COMPLETED, true);
    rig_end(&r, 3, JOB_CANCELLED, false);
    RIG_EVENT(&r, PURGE, purge, &p);
    is_int(r.c->jobs.n + r.c->blobs.n + r.c->specs.n + r.c->blob_by_hash.n, 0, "with the last job go the bytes");
    ok(!rig_submit(&r, 9), "the same bytes come again");
    rig_down(&r);
}

static void test_suspend(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 1);
    rig_start(&r, 1, 0, 1);
    int64_t limit = job_limit_s(cluster_job(r.c, 1));
    r.now_s += 10;
    ev_suspend(&r, 1);
    r.now_s += 50;
    ok(ev_suspend(&r, 1), "a suspended job is not suspended again");
    ev_resume(&r, 1);
    is_int(job_limit_s(cluster_job(r.c, 1)), limit + 50, "time asleep is not counted");
    is_int(r.c->node[0].cpus_used, 2, "and its nodes stay its own");
    rig_down(&r);
}

/* A node's table of devices may change its order while jobs hold some. */
static void test_gres_moves(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 1);
    rig_start(&r, 1, 0, 1);
    uint32_t on = 0, tasks = 1;
    Pb__EvStepStart e = PB__EV_STEP_START__INIT;
    Pb__Step step = PB__STEP__INIT;
    Pb__NodeAlloc part = PB__NODE_ALLOC__INIT, *parts[] = { &part };
    Pb__Gres gpu = PB__GRES__INIT, *gpus[] = { &gpu };
    gpu.slot = 1, gpu.count = 1, part.gres = gpus, part.n_gres = 1;
    step.node = &on, step.n_node = 1, step.tasks = &tasks, step.n_tasks = 1, step.alloc = parts, step.n_alloc = 1;
    e.job_id = 1, e.step = &step;
    ok(!RIG_EVENT(&r, STEP_START, step_start, &e), "a step uses the job's device");
    rig_config(&r, "shard:4,gpu:2", 4);
    is_int(cluster_job(r.c, 1)->steps.at[0].pb->alloc[0]->gres[0]->slot, 2, "the step names it by its new place");
    is_str(r.c->node[0].gres[1].name, "gpu", "the devices have another place in the table");
    is_int(r.c->node[0].gres[1].used, 1, "the job's is counted there");
    is_int(r.c->node[0].gres[0].used, 0, "and not where it was");
    ok(rig_round_trip(&r), "the same after a snapshot");
    is_int(cluster_job(r.c, 1)->held[0].gres[0], 1, "also that the step holds it");
    Pb__EvStepEnd ends = PB__EV_STEP_END__INIT;
    ends.job_id = 1, ends.all = true;
    RIG_EVENT(&r, STEP_END, step_end, &ends);
    is_int(cluster_job(r.c, 1)->held[0].gres[0], 0, "until it ends");
    rig_end(&r, 1, JOB_COMPLETED, true);
    is_int(r.c->node[0].gres[1].used + r.c->node[0].gres[0].used, 0, "it is given back there");
    rig_down(&r);
}

static void test_node_update(void)
{
    struct rig r;
    rig_up(&r);
    Pb__EvNodeUpdate e = PB__EV_NODE_UPDATE__INIT;
    e.node = 1, e.has_features = e.has_gres = true, e.features = TEXT("fast,big"), e.gres = TEXT("gpu:8");
    ok(!RIG_EVENT(&r, NODE_UPDATE, node_update, &e), "an administrator changes a node");
    ok(rig_round_trip(&r), "the change survives a snapshot");
    is_str(r.c->node[1].features, "fast,big", "its features");
    is_int(r.c->node[1].gres[0].count, 8, "its devices");
    rig_down(&r);
}

/* The text of an array is measured before room is made for it. */
static void test_huge_array(void)
{
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    spec.array = TEXT("0-4294967294");
    pb_pack(&b, &spec.base);
    struct spec *s = spec_make(b.s, b.len, &err);
    ok(s && !s->array_count, "an array beyond every limit takes no room");
    spec_free(s);
}

/* A description is read again, with a node named twice: names are looked up while descriptions are replaced. */
static void test_config_twice(void)
{
    struct rig r;
    rig_up(&r);
    Pb__EvConfig e = PB__EV_CONFIG__INIT;
    Pb__NodeDef a = PB__NODE_DEF__INIT, b = PB__NODE_DEF__INIT, *defs[] = { &a, &a, &b, &b };
    a.name = TEXT("n2"), b.name = TEXT("new");
    e.nodes = defs, e.n_nodes = 4;
    ok(!RIG_EVENT(&r, CONFIG, config, &e), "a configuration that names nodes twice");
    is_int(r.c->nnodes, 5, "has each of them once");
    ok(cluster_node(r.c, "n2") == &r.c->node[1] && cluster_node(r.c, "new") == &r.c->node[4], "and finds them");
    ok(!cluster_node(r.c, "n1"), "a node that is not named any more is not found");
    ok(rig_round_trip(&r), "also after a snapshot");
    rig_down(&r);
}

/* A job that is still completing elsewhere gave these cores back, and another job has them now: a restart must see
 * that. */
static void test_given_back(void)
{
    struct rig r;
    rig_up(&r);
    rig_submit(&r, 1);
    rig_submit(&r, 3);
    rig_start(&r, 3, 0, 2);
    rig_end(&r, 3, JOB_COMPLETED, false);
    rig_node_done(&r, 3, 0);
    rig_start(&r, 1, 0, 1);
    ok(rig_round_trip(&r), "what was given back is not given back again by a snapshot");
    is_int(bitmap_count(&r.c->node[0].cores_used), 2, "its cores are in use");
    is_int(bitmap_count(&r.c->node[0].gres[0].busy), 1, "so is its device");
    ok(!rig_end(&r, 1, JOB_COMPLETED, true) && !rig_node_done(&r, 3, 1), "both end");
    is_int(r.c->node[0].cpus_used + r.c->node[1].cpus_used + bitmap_count(&r.c->node[0].cores_used), 0,
           "and nothing is in use");
    rig_down(&r);
}

int main(void)
{
    test_states();
    test_nonsense();
    test_blobs_of_refused();
    test_completing();
    test_ready();
    test_requeue();
    test_keys();
    test_keys_of_pending();
    test_purge();
    test_suspend();
    test_gres_moves();
    test_node_update();
    test_huge_array();
    test_config_twice();
    test_given_back();
    return test_done();
}
