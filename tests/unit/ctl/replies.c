/*
 * replies - every field of every record is in the reply of its query, but for the fields that random_state.h lists
 * with a reason.
 *
 * The records are filled by the descriptors of the proto, so a new field is tested without a change here.  Jobs and
 * nodes, whose bytes core makes, are in tests/unit/core/fields.c.
 */
#include "rig.h"

#include "random_state.h"

static Pb__Snapshot *state;

/* A controller with a random state.  It does not lead: nothing changes the records. */
static void up(struct rig *r)
{
    auto_buf struct buf b = BUF_INIT;
    struct err err = ERR_INIT;
    *r = (struct rig){ .now_ms = START_MS };
    log_open("test", LOG_FATAL);
    r->t = rig_ctl(r, rig_conf);
    state = random_snapshot();
    pb_pack(&b, &state->base);
    if (ctl_decode(r->t, b.s, b.len, &err)) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
}

static void down(struct rig *r)
{
    rig_down(r);
    pb__snapshot__free_unpacked(state, NULL);
}

/* Compare the lists `state` and `reply`; a record is found again by the text or the number in its field `name`. */
static size_t list_wrong(void *state_list, size_t nstate, void *reply_list, size_t nreply, const char *name)
{
    ProtobufCMessage **want = state_list, **got = reply_list;
    size_t wrong = nstate != nreply;
    if (wrong)
        printf("# %zu records, %zu in the reply\n", nstate, nreply);
    for (size_t i = 0; i < nstate; i++) {
        const ProtobufCFieldDescriptor *f =
            protobuf_c_message_descriptor_get_field_by_name(want[i]->descriptor, name);
        size_t at = 0;
        while (at < nreply && !field_same(want[i], got[at], f, f))
            at++;
        wrong += at < nreply ? reply_wrong(want[i], got[at]) : 1;
    }
    return wrong;
}

static void test_parts(struct rig *r)
{
    Pb__PartQuery q = PB__PART_QUERY__INIT;
    rig_ask(r, ROOT, MSG_PARTS, &q.base);
    Pb__PartList *l = rig_said(r, ASKER, MSG_PARTS_REPLY);
    if (ok(l && l->n_parts, "partitions are shown")) {
        is_int(list_wrong(state->parts, state->n_parts, l->parts, l->n_parts, "name"), 0, "with every field,");
        ok(l->parts[0]->total_nodes == NODES && l->parts[0]->total_cpus, "and the sums of their nodes");
    }
    rig_free(l);
}

static void test_resvs(struct rig *r)
{
    Pb__PartQuery q = PB__PART_QUERY__INIT;
    rig_ask(r, ROOT, MSG_RESVS, &q.base);
    Pb__ResvList *l = rig_said(r, ASKER, MSG_RESVS_REPLY);
    if (ok(l && l->n_resvs, "reservations are shown")) {
        is_int(list_wrong(state->resvs, state->n_resvs, l->resvs, l->n_resvs, "id"), 0, "with every field,");
        const Pb__Resv *v = l->resvs[0];
        ok(*v->nodes && v->node_cnt && *v->tres && v->start_s && v->end_s, "and what follows from their nodes");
    }
    rig_free(l);
}

static void test_assocs(struct rig *r)
{
    Pb__AssocQuery q = PB__ASSOC_QUERY__INIT;
    q.shares = q.txns = true;
    rig_ask(r, ROOT, MSG_ASSOC, &q.base);
    Pb__AssocReply *l = rig_said(r, ASKER, MSG_ASSOC_REPLY);
    if (ok(l && l->n_qos && l->n_assocs, "QOS and associations are shown")) {
        is_int(list_wrong(state->qos, state->n_qos, l->qos, l->n_qos, "id"), 0, "every field of a QOS,");
        is_int(list_wrong(state->assocs, state->n_assocs, l->assocs, l->n_assocs, "id"), 0,
               "every field of an association,");
        is_int(l->n_shares, l->n_assocs, "and the share of each");
        is_int(list_wrong(state->acct_users, state->n_acct_users, l->users, l->n_users, "name"), 0,
               "every field of a user of accounting,");
        is_int(l->n_txns, state->n_txns, "and every change");
    }
    rig_free(l);
}

static void test_licenses(struct rig *r)
{
    Pb__LicenseQuery q = PB__LICENSE_QUERY__INIT;
    rig_ask(r, ROOT, MSG_LICENSES, &q.base);
    Pb__LicenseList *l = rig_said(r, ASKER, MSG_LICENSES_REPLY);
    if (ok(l && l->n_licenses, "licences are shown"))
        is_int(list_wrong(state->licenses, state->n_licenses, l->licenses, l->n_licenses, "name"), 0,
               "with every field");
    rig_free(l);
}

static const Pb__Job *job_in(const Pb__JobList *l, uint32_t id)
{
    for (size_t i = 0; i < l->n_jobs; i++)
        if (l->jobs[i]->id == id)
            return l->jobs[i];
    return NULL;
}

static size_t steps_wrong(const Pb__Job *want, const Pb__Job *got)
{
    size_t wrong = list_wrong(want->steps, want->n_steps, got->steps, got->n_steps, "id");
    for (size_t i = 0; i < want->n_steps && i < got->n_steps; i++)
        wrong += reply_wrong(&want->steps[i]->spec->base, &got->steps[i]->spec->base);
    return wrong;
}

static void test_steps(struct rig *r)
{
    Pb__JobQuery q = PB__JOB_QUERY__INIT;
    size_t wrong = 0;
    q.steps = true, q.with_done = true;
    rig_ask(r, ROOT, MSG_JOBS, &q.base);
    Pb__JobList *l = rig_said(r, ASKER, MSG_JOBS_REPLY);
    if (ok(l && l->n_jobs == state->n_jobs, "the jobs are shown with their steps")) {
        for (size_t i = 0; i < state->n_jobs; i++) {
            const Pb__Job *got = job_in(l, state->jobs[i]->id);
            wrong += got ? steps_wrong(state->jobs[i], got) : 1;
        }
        is_int(wrong, 0, "with every field of a step but its secrets");
    }
    rig_free(l);
}

/* The comparison itself: a record that the reply lacks, and a field. */
static void test_comparison(void)
{
    Pb__Qos *a = RANDOM_PB(Pb__Qos, pb__qos), *b = RANDOM_PB(Pb__Qos, pb__qos), *list[] = { a, b };
    is_int(list_wrong(list, 2, list, 2, "id"), 0, "a list equals itself,");
    ok(list_wrong(list, 2, list, 1, "id"), "not one without a record,");
    Pb__Qos other = *b, *changed[] = { a, &other };
    other.grace_s++;
    ok(list_wrong(list, 2, changed, 2, "id"), "nor one with another value in a field");
    pb__qos__free_unpacked(a, NULL);
    pb__qos__free_unpacked(b, NULL);
}

int main(void)
{
    test_comparison();
    for (int i = 0; i < 5; i++) {
        struct rig r;
        up(&r);
        test_parts(&r);
        test_resvs(&r);
        test_assocs(&r);
        test_licenses(&r);
        test_steps(&r);
        down(&r);
    }
    return test_done();
}
