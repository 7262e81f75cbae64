/* level - every kind of event has a level, and what a release does not know stops it. */
#include "core/level.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "core/cluster.h"
#include "test.h"

static int check(const void *bytes, size_t len, struct err *err)
{
    *err = (struct err)ERR_INIT;
    Pb__Event *ev = pb__event__unpack(NULL, len, bytes);
    int rc = ev ? level_check(ev, err) : EINVAL;
    if (ev)
        pb__event__free_unpacked(ev, NULL);
    return rc;
}

static void test_rows(void)
{
    const ProtobufCMessageDescriptor *d = &pb__event__descriptor;
    for (unsigned i = 0; i < d->n_fields; i++) {
        Pb__Event ev = PB__EVENT__INIT;
        if (!(d->fields[i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF))
            continue;
        ev.body_case = (Pb__Event__BodyCase)d->fields[i].id;
        ok(level_of_event(&ev) >= LEVEL_FIRST, "the event %s has a level", d->fields[i].name);
        is_str(level_event_name(&ev), d->fields[i].name, "and its name");
    }
}

static void test_unknown(void)
{
    struct err err;
    /* at_ms = 1, then field 1999 with an empty message: a kind of a release to come */
    is_int(check("\x08\x01\xfa\x7c\x00", 5, &err), EBADMSG, "an event of an unknown kind");
    ok(strstr(err.text, "1999") != NULL, "is named by its number: %s", err.text);
    /* hold { job_id = 7 } and hold { job_id = 7, field 100 = 1 } */
    is_int(check("\x52\x02\x08\x07", 4, &err), 0, "an event that is known");
    is_int(check("\x52\x05\x08\x07\xa0\x06\x01", 7, &err), EBADMSG, "the same with an unknown field");
    ok(strstr(err.text, "hold") != NULL, "is named: %s", err.text);
    /* resv { resv { field 1000 = 1 } } */
    is_int(check("\xba\x01\x05\x0a\x03\xc0\x3e\x01", 8, &err), EBADMSG, "an unknown field deeper inside");
    is_int(check("\x08\x01", 2, &err), EBADMSG, "an event without a body");
}

static int raise_to(struct cluster *c, uint32_t level)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvLevel e = PB__EV_LEVEL__INIT;
    e.level = level;
    ev.body_case = PB__EVENT__BODY_LEVEL, ev.level = &e;
    return cluster_apply(c, &ev, NULL);
}

static void test_raise(void)
{
    struct cluster *c = cluster_new(), *d = NULL;
    struct err err = ERR_INIT;
    auto_buf struct buf bytes = BUF_INIT;
    is_int(c->level, LEVEL_FIRST, "a cluster begins at the first level");
    ok(raise_to(c, LEVEL_FIRST) != 0, "a level that is there is not raised to");
    ok(raise_to(c, FEATURE_LEVEL + 1) != 0, "nor is one that this release does not read");
    is_int(c->level, LEVEL_FIRST, "nothing has changed");
    cluster_encode(c, &bytes);
    is_int(cluster_decode(&d, bytes.s, bytes.len, &err), 0, "a snapshot of it is read");
    is_int(d ? d->level : 0, LEVEL_FIRST, "with its level");
    cluster_free(d);
    c->level = FEATURE_LEVEL + 1;
    buf_reset(&bytes);
    cluster_encode(c, &bytes);
    ok(cluster_decode(&d, bytes.s, bytes.len, &err) != 0, "a snapshot of a higher level is refused: %s", err.text);
    cluster_free(c);
}

/* A spec is a blob in an event and in a snapshot: level_check() does not see into it. */
static void test_spec(void)
{
    struct err err = ERR_INIT;
    /* name = "x"; the same with field 1000 = 1; with rlimits { field 1000 = 1 } */
    struct spec *s = spec_make("\x0a\x01x", 3, &err);
    if (ok(s != NULL, "a spec that is known"))
        spec_free(s);
    ok(!spec_make("\x0a\x01x\xc0\x3e\x01", 6, &err), "one with an unknown field is refused: %s", err.text);
    ok(strstr(err.text, "does not know") != NULL, "by its reason");
    ok(!spec_make("\x0a\x01x\x92\x01\x03\xc0\x3e\x01", 9, &err), "so is one with an unknown field deeper inside");
}

static int submit_with(struct cluster *c, const char *spec, size_t len, struct err *err)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvSubmit e = PB__EV_SUBMIT__INIT;
    Pb__Blob blob = PB__BLOB__INIT, *blobs[] = { &blob };
    blob.id = 1, blob.data = (ProtobufCBinaryData){ len, (uint8_t *)(uintptr_t)spec };
    e.job_id = 1, e.spec = 1, e.blobs = blobs, e.n_blobs = 1;
    ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &e;
    return level_check(&ev, err) ? 1 : cluster_apply(c, &ev, err);
}

static void test_blob(void)
{
    struct cluster *c = cluster_new(), *d = NULL;
    struct err err = ERR_INIT;
    auto_buf struct buf bytes = BUF_INIT;
    ok(submit_with(c, "\x0a\x01x\xc0\x3e\x01", 6, &err) && !cluster_job(c, 1),
       "a submission with an unknown field in its spec stops a replay: %s", err.text);
    is_int(submit_with(c, "\x0a\x01x", 3, &err), 0, "one without is applied");
    cluster_encode(c, &bytes);
    is_int(cluster_decode(&d, bytes.s, bytes.len, &err), 0, "its snapshot is read");
    cluster_free(d);
    buf_add(&bytes, "\xc0\x3e\x01", 3); /* field 1000 = 1 */
    ok(cluster_decode(&d, bytes.s, bytes.len, &err), "a snapshot with an unknown field is refused: %s", err.text);
    cluster_free(c);
}

int main(void)
{
    test_rows();
    test_unknown();
    test_spec();
    test_blob();
    test_raise();
    return test_done();
}
