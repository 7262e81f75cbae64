/*
 * A step's spec as a client may send it, against a job of two nodes: it is refused with a reason, or what it gets is
 * the job's, its tasks are all there, and the state takes it.
 */
#include "fuzz.h"

#include "core/cluster.h"
#include "core/pbutil.h"
#include "core/step_fit.h"

static char part_text[] = "main", nodes_text[] = "n[1-2]", gres_text[] = "gpu:2", slot[] = "0";

static void apply(struct cluster *c, Pb__Event *ev)
{
    struct err err = ERR_INIT;
    ev->at_ms = 1000;
    check(!cluster_apply(c, ev, &err));
}

static struct cluster *with_job(void)
{
    struct cluster *c = cluster_new();
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvConfig conf = PB__EV_CONFIG__INIT;
    Pb__NodeDef def[2] = { PB__NODE_DEF__INIT, PB__NODE_DEF__INIT }, *defs[] = { &def[0], &def[1] };
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    Pb__EvSubmit sub = PB__EV_SUBMIT__INIT;
    Pb__Blob blob = PB__BLOB__INIT, *blobs[] = { &blob };
    Pb__EvStart start = PB__EV_START__INIT;
    Pb__NodeAlloc at[2] = { PB__NODE_ALLOC__INIT, PB__NODE_ALLOC__INIT }, *list[] = { &at[0], &at[1] };
    Pb__Gres gres = PB__GRES__INIT, *shares[] = { &gres };
    uint8_t bits = 3;
    def[0].name = (char[]){ "n1" }, def[1].name = (char[]){ "n2" }, def[0].gres = def[1].gres = gres_text;
    part.name = part_text, part.nodes = nodes_text;
    conf.nodes = defs, conf.n_nodes = 2, conf.parts = parts, conf.n_parts = 1;
    ev.body_case = PB__EVENT__BODY_CONFIG, ev.config = &conf;
    apply(c, &ev);
    blob.id = sub.spec = 1, sub.blobs = blobs, sub.n_blobs = 1, sub.job_id = 1, sub.partition = part_text;
    ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &sub;
    apply(c, &ev);
    gres.name = slot, gres.count = 2, gres.index = (ProtobufCBinaryData){ 1, &bits };
    for (uint32_t i = 0; i < 2; i++) {
        at[i].node = i, at[i].cpus = 2 + 2 * i, at[i].mem_mb = 100, at[i].cores = (ProtobufCBinaryData){ 1, &bits };
        at[i].gres = shares, at[i].n_gres = 1;
    }
    start.job_id = 1, start.attempt = 1, start.partition = part_text, start.alloc = list, start.n_alloc = 2;
    ev.body_case = PB__EVENT__BODY_START, ev.start = &start;
    apply(c, &ev);
    return c;
}

static void begin(struct cluster *c, const Pb__StepSpec *spec, const struct step_ask *ask, struct step_share *share)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvStepStart e = PB__EV_STEP_START__INIT;
    Pb__Step s = PB__STEP__INIT;
    uint64_t tasks = 0;
    for (uint32_t i = 0; i < share->n; i++) {
        check(share->node[i] < 2 && share->alloc[i]->cpus && share->alloc[i]->cpus <= 2 + 2 * share->node[i]);
        tasks += share->layout.tasks[i];
    }
    check(share->n && tasks && (!ask->tasks || tasks == ask->tasks));
    s.spec = (Pb__StepSpec *)(uintptr_t)spec, s.shared = ask->overlap;
    s.node = share->node, s.n_node = share->n, s.tasks = share->layout.tasks, s.n_tasks = share->n;
    s.alloc = share->alloc, s.n_alloc = share->n;
    e.job_id = 1, e.step = &s;
    ev.body_case = PB__EVENT__BODY_STEP_START, ev.step_start = &e;
    apply(c, &ev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    Pb__StepSpec *spec = n <= FUZZ_TEXT_MAX ? pb__step_spec__unpack(NULL, n, data) : NULL;
    if (!spec)
        return 0;
    struct cluster *c = with_job();
    struct err err = ERR_INIT;
    struct step_ask ask;
    int rc = step_ask_init(&ask, spec, &err);
    for (int again = 0; !rc && again < 2; again++) { /* beside itself, it may have to wait */
        struct step_share share;
        rc = step_fit(c, cluster_job(c, 1), &ask, &share, &err);
        if (!rc && !again)
            begin(c, spec, &ask, &share);
        step_share_clear(&share);
        if (again || rc)
            step_ask_clear(&ask);
    }
    check(!rc || (err.code && err.text[0]));
    cluster_free(c);
    pb__step_spec__free_unpacked(spec, NULL);
    return 0;
}
