/* spec_fields - every field of a submission has a row, and the row is obeyed. */
#include "rig.h"

#include "ctl/spec_fields.h"

/* ---- the rows are the descriptor's ---- */

static void test_rows(const ProtobufCMessageDescriptor *d)
{
    size_t n;
    const struct spec_row *rows = spec_rows(d, &n);
    if (!ok(rows && n == d->n_fields, "%s: a row for each of its %u fields", d->short_name, d->n_fields))
        return;
    for (size_t i = 0; i < n; i++) {
        const ProtobufCFieldDescriptor *f = &d->fields[i];
        bool bytes = f->type == PROTOBUF_C_TYPE_STRING || f->type == PROTOBUF_C_TYPE_BYTES;
        bool many = f->label == PROTOBUF_C_LABEL_REPEATED;
        is_str(rows[i].name, f->name, "%s.%s has its row in its place", d->short_name, f->name);
        ok(rows[i].max || !(bytes || many), "%s.%s is bounded", d->short_name, f->name);
        if (f->type == PROTOBUF_C_TYPE_MESSAGE && rows[i].by != SPEC_SERVER)
            test_rows(f->descriptor);
    }
}

/* ---- each field, set by a user and by root ---- */

static char *long_text(size_t n)
{
    char *s = mem_alloc(n + 1);
    memset(s, 'x', n);
    s[n] = '\0';
    return s;
}

static void set_number(char *at, const ProtobufCFieldDescriptor *f, uint64_t n)
{
    bool wide = f->type == PROTOBUF_C_TYPE_INT64 || f->type == PROTOBUF_C_TYPE_UINT64;
    if (wide)
        *(uint64_t *)(at + f->offset) = n;
    else
        *(uint32_t *)(at + f->offset) = (uint32_t)n;
}

static int check(struct rig *r, uint32_t uid, const ProtobufCMessage *m)
{
    struct err err = ERR_INIT;
    struct ctl_peer peer = { uid, uid, false, NULL };
    return spec_check(r->t, &peer, m, &err);
}

static void test_text(struct rig *r, ProtobufCMessage *m, const ProtobufCFieldDescriptor *f, const struct spec_row *row)
{
    char **at = (char **)((char *)m + f->offset), *before = *at;
    auto_free char *fits = long_text(row->max), *over = long_text(row->max + 1);
    *at = fits;
    is_int(check(r, ROOT, m), row->by == SPEC_SERVER ? ESLURM_ACCESS_DENIED : 0, "%s at its bound, from root", f->name);
    is_int(check(r, ADA, m), row->by == SPEC_USER ? 0 : ESLURM_ACCESS_DENIED, "%s at its bound, from a user", f->name);
    *at = over;
    is_int(check(r, ADA, m), row->by == SPEC_USER ? ESLURM_PATHNAME_TOO_LONG : ESLURM_ACCESS_DENIED, "%s over it",
           f->name);
    *at = before;
}

static void test_number(struct rig *r, ProtobufCMessage *m, const ProtobufCFieldDescriptor *f,
                        const struct spec_row *row)
{
    set_number((char *)m, f, 1);
    is_int(check(r, ADA, m), row->by == SPEC_USER ? 0 : ESLURM_ACCESS_DENIED, "%s from a user", f->name);
    is_int(check(r, ROOT, m), row->by == SPEC_SERVER ? ESLURM_ACCESS_DENIED : 0, "%s from root", f->name);
    if (row->max) {
        set_number((char *)m, f, row->max + 1);
        is_int(check(r, ADA, m), EINVAL, "%s over its bound", f->name);
    }
    set_number((char *)m, f, 0);
}

static void test_fields(struct rig *r, ProtobufCMessage *m)
{
    size_t n;
    const struct spec_row *rows = spec_rows(m->descriptor, &n);
    is_int(check(r, ADA, m), 0, "an empty %s", m->descriptor->short_name);
    for (size_t i = 0; i < n; i++) {
        const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
        if (f->label == PROTOBUF_C_LABEL_REPEATED || f->type == PROTOBUF_C_TYPE_MESSAGE ||
            f->type == PROTOBUF_C_TYPE_BYTES)
            continue;
        if (f->type == PROTOBUF_C_TYPE_STRING)
            test_text(r, m, f, &rows[i]);
        else
            test_number(r, m, f, &rows[i]);
    }
}

/* A cluster whose level is below that of a field: the spec would stop controllers of the older release. */
static void test_level(struct rig *r)
{
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    uint32_t level = ctl_cluster(r->t)->level;
    is_int(check(r, ADA, &spec.base), 0, "an empty spec has no level");
    spec.name = TEXT("job");
    is_int(check(r, ADA, &spec.base), 0, "a field of the cluster's level");
    ctl_cluster(r->t)->level = 0;
    is_int(check(r, ADA, &spec.base), EOPNOTSUPP, "a field of a higher level");
    ctl_cluster(r->t)->level = level;
}

/* ---- as a message ---- */

static void set_site_factor(Pb__SubmitRequest *q)
{
    q->spec->site_factor = 1000000;
}

static void set_admin_comment(Pb__SubmitRequest *q)
{
    q->spec->admin_comment = TEXT("approved");
}

static void set_system_comment(Pb__SubmitRequest *q)
{
    q->spec->system_comment = TEXT("approved");
}

static Pb__StepSpec *own_step(void)
{
    static Pb__StepSpec step;
    static char *argv[] = { TEXT("true") };
    pb__step_spec__init(&step);
    step.argv = argv, step.n_argv = 1;
    return &step;
}

static void set_step_number(Pb__SubmitRequest *q)
{
    static Pb__HetStep het;
    pb__het_step__init(&het);
    het.step_id = PB__STEP_NUMBER__STEP_PROLOG;
    q->spec->kind = PB__JOB_KIND__KIND_SRUN;
    q->step = own_step();
    q->step->het = &het;
}

static void set_long_token(Pb__SubmitRequest *q)
{
    static Pb__IoEndpoint io;
    static uint8_t token[65];
    pb__io_endpoint__init(&io);
    io.token = (ProtobufCBinaryData){ sizeof(token), token };
    q->step = own_step();
    q->step->io = &io;
}

static void set_long_limit(Pb__SubmitRequest *q)
{
    static Pb__Rlimit limit, *limits[] = { &limit };
    pb__rlimit__init(&limit);
    limit.name = TEXT("NOFILENOFILENOFILENOFILENOFILENOFILE");
    q->spec->rlimits = limits, q->spec->n_rlimits = 1;
}

static void set_long_comment(Pb__SubmitRequest *q)
{
    static char text[2000];
    memset(text, 'c', sizeof(text) - 1);
    q->spec->comment = text;
}

static void test_submissions(void)
{
    static const struct {
        void (*change)(Pb__SubmitRequest *q);
        int user, root;
        const char *name;
    } cases[] = {
        { set_site_factor, ESLURM_ACCESS_DENIED, 0, "site_factor" },
        { set_admin_comment, ESLURM_ACCESS_DENIED, 0, "admin_comment" },
        { set_system_comment, ESLURM_ACCESS_DENIED, ESLURM_ACCESS_DENIED, "system_comment" },
        { set_step_number, ESLURM_ACCESS_DENIED, ESLURM_ACCESS_DENIED, "het" },
        { set_long_token, ESLURM_PATHNAME_TOO_LONG, ESLURM_PATHNAME_TOO_LONG, "token" },
        { set_long_limit, ESLURM_PATHNAME_TOO_LONG, ESLURM_PATHNAME_TOO_LONG, "name" },
        { set_long_comment, ESLURM_PATHNAME_TOO_LONG, ESLURM_PATHNAME_TOO_LONG, "comment" },
    };
    struct rig r;
    rig_up(&r);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        rig_submit(&r, ADA, cases[i].change);
        Pb__SubmitReply *a = rig_said(&r, ASKER, MSG_SUBMIT_REPLY);
        is_int(a ? a->code : -1, cases[i].user, "%s in a user's submission", cases[i].name);
        ok(a && str_has_prefix(a->text, cases[i].name), "%s is named", cases[i].name);
        rig_free(a);
        rig_submit(&r, ROOT, cases[i].change);
        is_int(rig_code(&r), cases[i].root, "%s in root's", cases[i].name);
    }
    rig_down(&r);
}

/* A step inside an allocation, and an update, obey the same rows. */
static void test_later(void)
{
    struct rig r;
    rig_up(&r);
    uint32_t id = rig_submit(&r, ADA, NULL);
    Pb__StepRequest q = PB__STEP_REQUEST__INIT;
    Pb__HetStep het = PB__HET_STEP__INIT;
    static uint8_t env[16];
    q.job_id = id, q.spec = own_step();
    rig_ask(&r, ADA, MSG_STEP, &q.base);
    is_int(rig_code(&r), -1, "a plain step is no failure");
    het.step_id = 7;
    q.spec->het = &het;
    rig_ask(&r, ADA, MSG_STEP, &q.base);
    is_int(rig_code(&r), ESLURM_ACCESS_DENIED, "a step that chooses its number");
    q.spec->het = NULL;
    q.spec->env = (ProtobufCBinaryData){ sizeof(env), env };
    rig_ask(&r, ADA, MSG_STEP, &q.base);
    is_int(rig_code(&r), EINVAL, "a step with a second environment");

    auto_free char *comment = long_text(1025);
    Pb__UpdateRequest u = PB__UPDATE_REQUEST__INIT;
    char number[16];
    snprintf(number, sizeof(number), "%u", id);
    Pb__Pair pair[] = { PB__PAIR__INIT, PB__PAIR__INIT }, *pairs[] = { &pair[0], &pair[1] };
    pair[0].key = TEXT("JobId"), pair[0].value = number;
    pair[1].key = TEXT("Comment"), pair[1].value = comment;
    u.pairs = pairs, u.n_pairs = 2;
    rig_ask(&r, ADA, MSG_UPDATE, &u.base);
    is_int(rig_code(&r), ESLURM_PATHNAME_TOO_LONG, "an update to a comment that is too long");
    comment[1024] = '\0';
    rig_ask(&r, ADA, MSG_UPDATE, &u.base);
    is_int(rig_code(&r), 0, "an update to the longest comment");
    rig_down(&r);
}

int main(void)
{
    Pb__JobSpec job = PB__JOB_SPEC__INIT;
    Pb__StepSpec step = PB__STEP_SPEC__INIT;
    struct rig r;
    test_rows(&pb__job_spec__descriptor);
    test_rows(&pb__step_spec__descriptor);
    rig_up(&r);
    test_fields(&r, &job.base);
    test_fields(&r, &step.base);
    test_level(&r);
    rig_down(&r);
    test_submissions();
    test_later();
    return test_done();
}
