/*
 * plan - rows of a table as JSON objects; see show.h.
 *
 * Tables stand in the order of -O.  The plan brings fields whose paths share an object together, so that each object is
 * opened once.
 */
#include <signal.h>
#include <sys/wait.h>

#include "base/str.h"
#include "show/show.h"

/* ---- order ---- */

static bool in_version(const struct show_field *f, unsigned parser)
{
    return f->json && (!f->since || parser >= f->since) && (!f->until || parser <= f->until);
}

/* The length of what two paths have in common, in whole words with their dots. */
static size_t common_path(const char *a, const char *b)
{
    size_t same = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.')
            same = i + 1;
    return same;
}

static unsigned count_dots(const char *s)
{
    unsigned n = 0;
    for (; *s; s++)
        n += *s == '.';
    return n;
}

/* Put the field behind the last one with which it shares most of its path. */
static void place_field(struct show_plan *p, const struct show_field *f)
{
    size_t at = p->step.n, best = 0;
    for (size_t i = 0; i < p->step.n; i++) {
        size_t same = common_path(p->step.at[i].field->json, f->json);
        if (same && same >= best) {
            best = same;
            at = i + 1;
        }
    }
    vec_push(&p->step, (struct show_plan_step){ .field = f });
    memmove(&p->step.at[at + 1], &p->step.at[at], (p->step.n - 1 - at) * sizeof(*p->step.at));
    p->step.at[at] = (struct show_plan_step){ .field = f };
}

void show_plan_init(struct show_plan *p, const struct show_table *t, unsigned parser)
{
    *p = (struct show_plan){ 0 };
    for (const struct show_field *f = t->field; f->type; f++)
        if (in_version(f, parser))
            place_field(p, f);
    const char *before = "";
    for (size_t i = 0; i < p->step.n; i++) {
        struct show_plan_step *s = &p->step.at[i];
        size_t same = common_path(before, s->field->json);
        s->path = s->field->json + same;
        s->close = count_dots(before + same);
        before = s->field->json;
        if (s->field->sub) {
            s->sub = NEW(struct show_plan);
            show_plan_init(s->sub, s->field->sub, parser);
        }
    }
    p->close = count_dots(before);
}

void show_plan_clear(struct show_plan *p)
{
    for (size_t i = 0; i < p->step.n; i++)
        if (p->step.at[i].sub) {
            show_plan_clear(p->step.at[i].sub);
            free(p->step.at[i].sub);
        }
    vec_clear(&p->step);
}

/* ---- values ---- */

/* The words of `text` between `sep`; commas inside brackets are part of a word. */
static void put_words(struct show_json *j, const char *text, char sep)
{
    show_json_array(j);
    for (const char *at = text; *at;) {
        size_t len = 0;
        for (int depth = 0; at[len] && (at[len] != sep || depth > 0); len++)
            depth += at[len] == '[' || at[len] == '(' ? 1 : at[len] == ']' || at[len] == ')' ? -1 : 0;
        if (len)
            show_json_text(j, at, len);
        at += len + (at[len] == sep);
    }
    show_json_close(j);
}

static void put_text(struct show_json *j, enum show_type type, const char *text)
{
    if (type == SHOW_TEXT)
        show_json_text(j, text, strlen(text));
    else
        put_words(j, text, type == SHOW_LINES ? '\n' : ',');
}

static void put_number(struct show_json *j, const struct show_field *f, const struct show_value *v)
{
    if (f->type == SHOW_NUMBER || (f->flags & SHOW_PLAIN))
        show_json_int(j, v->state == SHOW_SET ? v->number : v->state == SHOW_UNSET ? 0 : -1);
    else if (v->state == SHOW_UNSET && (f->type == SHOW_TIME || (f->flags & SHOW_ZERO)))
        show_json_number(j, SHOW_SET, 0);
    else
        show_json_number(j, v->state, v->number);
}

static void put_float(struct show_json *j, const struct show_field *f, const struct show_value *v)
{
    double d = v->state == SHOW_SET ? v->real : 0;
    if (f->type == SHOW_FLOAT || (f->flags & SHOW_PLAIN)) {
        show_json_real(j, d);
        return;
    }
    show_json_object(j);
    show_json_key(j, "set", 3);
    show_json_bool(j, v->state == SHOW_SET);
    show_json_key(j, "infinite", 8);
    show_json_bool(j, v->state == SHOW_INFINITE);
    show_json_key(j, "number", 6);
    show_json_real(j, d);
    show_json_close(j);
}

/* How a process ended: {"status": ["SUCCESS"], "return_code": 0, "signal": {"id", "name"}}. */
static void put_exit_code(struct show_json *j, const struct show_value *v)
{
    int status = v->state == SHOW_SET ? (int)v->number : 0;
    bool signalled = WIFSIGNALED(status);
    const char *ended = signalled ? "SIGNALED" : WEXITSTATUS(status) ? "ERROR" : "SUCCESS";
    show_json_object(j);
    show_json_key(j, "status", 6);
    put_words(j, v->state == SHOW_SET ? ended : "PENDING", ',');
    show_json_key(j, "return_code", 11);
    show_json_number(j, signalled ? SHOW_UNSET : SHOW_SET, WEXITSTATUS(status));
    show_json_key(j, "signal", 6);
    show_json_object(j);
    show_json_key(j, "id", 2);
    show_json_number(j, signalled ? SHOW_SET : SHOW_UNSET, signalled ? WTERMSIG(status) : 0);
    show_json_key_text(j, "name", signalled ? sigabbrev_np(WTERMSIG(status)) : "");
    show_json_close(j);
    show_json_close(j);
}

static void put_rows(struct show_json *j, const struct show_plan_step *s, const struct show_value *v)
{
    _Alignas(max_align_t) char room[SHOW_ROOM];
    size_t n = v->state == SHOW_SET ? v->rows.n : 0;
    if (s->field->type == SHOW_RECORDS)
        show_json_array(j);
    else if (!n)
        show_json_null(j);
    for (size_t i = 0; i < n; i++)
        show_plan_row(s->sub, v->rows.at(v->rows.of, i, room), j);
    if (s->field->type == SHOW_RECORDS)
        show_json_close(j);
}

static void put_value(struct show_json *j, const struct show_plan_step *s, const void *row)
{
    const struct show_field *f = s->field;
    struct show_value v;
    buf_reset(&j->scratch);
    show_get(&v, f, row, &j->scratch);
    switch (f->type) {
    case SHOW_TEXT: case SHOW_LIST: case SHOW_LINES: put_text(j, f->type, v.state == SHOW_SET ? v.text : ""); break;
    case SHOW_NUMBER: case SHOW_NUMBER_SET: case SHOW_TIME: case SHOW_SECONDS: case SHOW_MINUTES:
    case SHOW_MEMORY_MB: case SHOW_BYTES:
        put_number(j, f, &v);
        break;
    case SHOW_BOOL: show_json_bool(j, v.state == SHOW_SET && v.number); break;
    case SHOW_FLOAT: case SHOW_FLOAT_SET: put_float(j, f, &v); break;
    case SHOW_EXIT_CODE: put_exit_code(j, &v); break;
    case SHOW_RECORDS: case SHOW_RECORD: put_rows(j, s, &v); break;
    case SHOW_END: break;
    }
}

void show_plan_row(const struct show_plan *p, const void *row, struct show_json *j)
{
    show_json_object(j);
    for (size_t i = 0; i < p->step.n; i++) {
        const struct show_plan_step *s = &p->step.at[i];
        for (unsigned k = 0; k < s->close; k++)
            show_json_close(j);
        const char *key = s->path;
        for (size_t len; key[len = strcspn(key, ".")]; key += len + 1) {
            show_json_key(j, key, len);
            show_json_object(j);
        }
        show_json_key(j, key, strlen(key));
        put_value(j, s, row);
    }
    for (unsigned k = 0; k < p->close; k++)
        show_json_close(j);
    show_json_close(j);
}
