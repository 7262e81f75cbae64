/* job_class - every field of a job_spec that the scheduler reads puts jobs that differ in it into different classes. */
#include "core/req.h"
#include "rig.h"
#include "sched/sched_state.h"

/* A valid value of the fields whose text is parsed; any other text is "x". */
static const char *const texts[][2] = {
    { "gres", "gpu:1" },
    { "gpus", "2" },
    { "gpus_per_node", "1" },
    { "gpus_per_task", "1" },
    { "gpus_per_socket", "1" },
    { "constraint", "fast" },
    { "prefer", "fast" },
    { "nodelist", "n1" },
    { "exclude", "n2" },
    { "licenses", "matlab:1" },
    { "switches", "1@10" },
    { "distribution", "block:cyclic" },
    { "gres_flags", "enforce-binding" },
};

static const char *text_for(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (str_eq(texts[i][0], name))
            return texts[i][1];
    return "x";
}

/* Change one field, whatever its type.  False: a list or a message, which no request follows from. */
static bool change(Pb__JobSpec *s, const ProtobufCFieldDescriptor *f)
{
    char *at = (char *)s + f->offset;
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        return false;
    switch (f->type) {
    case PROTOBUF_C_TYPE_STRING: *(char **)at = (char *)(uintptr_t)text_for(f->name); return true;
    case PROTOBUF_C_TYPE_BOOL: *(protobuf_c_boolean *)at = !*(protobuf_c_boolean *)at; return true;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_ENUM: *(uint32_t *)at += 2; return true;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64: *(uint64_t *)at += 2; return true;
    default: return false;
    }
}

static void base_spec(Pb__JobSpec *s)
{
    pb__job_spec__init(s);
    s->signal = 10, s->signal_resv = true, s->signal_before_s = 60; /* gives_way follows from the three */
}

static void submit(struct rig *r, const Pb__JobSpec *spec)
{
    size_t len = pb__job_spec__get_packed_size(spec);
    auto_free uint8_t *bytes = mem_alloc(len + 1);
    pb__job_spec__pack(spec, bytes);
    Pb__Blob blob = PB__BLOB__INIT, *blobs[] = { &blob };
    struct blob *known = cluster_find_blob(r->c, bytes, len);
    blob.id = known ? known->id : r->c->next_blob;
    blob.data = (ProtobufCBinaryData){ len, bytes };
    Pb__EvSubmit sub = PB__EV_SUBMIT__INIT;
    sub.job_id = cluster_free_id(r->c, r->c->next_job), sub.spec = blob.id;
    sub.blobs = blobs, sub.n_blobs = known ? 0 : 1;
    sub.partition = (char[]){ "main" }, sub.priority = 1000, sub.time_limit_min = 60, sub.limit_set = true;
    sub.eligible_s = r->now_s;
    Pb__Event ev = PB__EVENT__INIT;
    ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &sub;
    rig_apply(r, &ev);
    sched_changed(r->s, cluster_job(r->c, sub.job_id));
}

/* How many classes two pending jobs with these specs are in. */
static size_t classes(const Pb__JobSpec *a, const Pb__JobSpec *b)
{
    struct rig r;
    rig_licenses = "matlab:4";
    rig_plain(&r, 2, 1, 4, 1, 1000, "gpu:4");
    rig_submit(&r, (struct rig_job){ .nodes = 2, .exclusive = true });
    rig_plan(&r);
    submit(&r, a);
    submit(&r, b);
    rig_plan(&r);
    size_t n = 0, pos = 0;
    uint64_t key;
    for (struct job_class *first; (first = map_next(&r.s->class_by_hash, &pos, &key));)
        for (struct job_class *cls = first; cls; cls = cls->hash_next)
            n += cls->keys.n > cls->head;
    rig_down(&r);
    return n;
}

/* ---- which members of a request differ ---- */

enum row {
#define ROW(kind, type, name) ROW_##name,
    REQ_FIELDS(ROW) ROWS
};
static const char *const row_names[] = {
#define NAME(kind, type, name) #name,
    REQ_FIELDS(NAME)
};
static bool reached[ROWS];

static bool equal_NUMBER(const void *a, const void *b, size_t n)
{
    return !memcmp(a, b, n);
}
#define equal_SPEC equal_NUMBER
static bool equal_TEXT(const void *a, const void *b, size_t n)
{
    (void)n;
    return !strcmp(str_or(*(char *const *)a, ""), str_or(*(char *const *)b, ""));
}
static bool equal_GRES(const void *a, const void *b, size_t n)
{
    (void)n;
    return !*(void *const *)a == !*(void *const *)b;
}
static bool equal_LICENSES(const void *a, const void *b, size_t n)
{
    (void)n;
    return ((const struct license_list *)a)->n == ((const struct license_list *)b)->n;
}

/* Marks the rows that differ; true if there is one. */
static bool compare(const struct req *a, const struct req *b)
{
    bool differs = false;
#define COMPARE(kind, type, name)                                                                                      \
    if (!equal_##kind(&a->name, &b->name, sizeof(a->name))) {                                                          \
        differs = reached[ROW_##name] = true;                                                                          \
    }
    REQ_FIELDS(COMPARE)
    return differs;
}

static void test_field(const ProtobufCFieldDescriptor *f)
{
    Pb__JobSpec a, b;
    base_spec(&a);
    base_spec(&b);
    if (!change(&b, f) || str_eq(f->name, "reservation"))
        return; /* a job with a reservation that is not there is in no class: see the tests of reservations */
    struct req ra, rb;
    auto_buf struct buf sa = BUF_INIT, sb = BUF_INIT;
    ok(!req_init(&ra, &a, NULL) && !req_init(&rb, &b, NULL), "the request of a spec with another %s parses", f->name);
    req_signature(&ra, &sa);
    req_signature(&rb, &sb);
    bool differs = compare(&ra, &rb), other = sa.len != sb.len || memcmp(sa.s, sb.s, sa.len);
    ok(differs == other, "%s: the signature changes if and only if a member of the request does", f->name);
    bool by_job = str_eq(f->name, "deadline_s");
    ok(classes(&a, &b) == (differs || by_job ? 2 : 1), "%s: jobs that differ in it are in %s", f->name,
       differs || by_job ? "two classes" : "one class");
    req_clear(&ra);
    req_clear(&rb);
}

/* "user" and "topo" are further members than "yes". */
static void test_exclusive(const char *word)
{
    Pb__JobSpec a, b;
    base_spec(&a);
    base_spec(&b);
    b.exclusive = (char *)(uintptr_t)word;
    struct req ra, rb;
    req_init(&ra, &a, NULL);
    req_init(&rb, &b, NULL);
    ok(compare(&ra, &rb) && classes(&a, &b) == 2, "--exclusive=%s puts a job into another class", word);
    req_clear(&ra);
    req_clear(&rb);
}

int main(void)
{
    const ProtobufCMessageDescriptor *d = &pb__job_spec__descriptor;
    for (unsigned i = 0; i < d->n_fields; i++)
        test_field(&d->fields[i]);
    test_exclusive("yes");
    test_exclusive("user");
    test_exclusive("topo");
    for (size_t i = 0; i < ROWS; i++)
        if (i != ROW_reservation)
            ok(reached[i], "%s follows from a field of job_spec", row_names[i]);
    return test_done();
}
