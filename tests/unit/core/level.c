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

int main(void)
{
    test_rows();
    test_unknown();
    test_raise();
    return test_done();
}
