/*
 * json - a writer of JSON and YAML; see show.h.
 *
 * Whether an object or array is empty is known at its first member or at its end, so an opening bracket waits in
 * `empty` until then.  YAML is written in blocks, with JSON's quoted strings.
 */
#include <math.h>

#include "base/str.h"
#include "show/show.h"

void show_json_init(struct show_json *j, struct buf *out, enum show_format format, unsigned parser)
{
    const char *how = getenv(format == SHOW_YAML ? "SLURM_YAML" : "SLURM_JSON");
    *j = (struct show_json){ .out = out, .format = format, .parser = parser, .compact = str_ieq(how, "compact") };
}

void show_json_clear(struct show_json *j)
{
    buf_clear(&j->scratch);
}

/* ---- layout ---- */

static void new_line(struct show_json *j, unsigned depth)
{
    if (j->compact && j->format == SHOW_JSON)
        return;
    buf_addc(j->out, '\n');
    memset(buf_room(j->out, 2 * depth), ' ', 2 * depth);
    j->out->len += 2 * depth;
    j->out->s[j->out->len] = '\0';
}

/* In YAML a member of an array that is itself an object or array stands on the line of its dash. */
static bool after_dash(const struct show_json *j)
{
    return j->depth > 1 && j->level[j->depth - 1].empty && j->level[j->depth - 2].array;
}

static void lead_yaml(struct show_json *j)
{
    bool first = j->level[j->depth - 1].empty, same_line = first && (j->depth == 1 || after_dash(j));
    if (!same_line)
        new_line(j, j->depth - 1);
    if (j->level[j->depth - 1].array)
        buf_adds(j->out, "- ");
}

/* Before a key, or before a member of an array. */
static void lead_member(struct show_json *j)
{
    bool first = j->level[j->depth - 1].empty;
    if (j->format == SHOW_YAML) {
        lead_yaml(j);
    } else {
        buf_addc(j->out, first ? (j->level[j->depth - 1].array ? '[' : '{') : ',');
        new_line(j, j->depth);
    }
    j->level[j->depth - 1].empty = false;
}

/* Before any value; `scalar`: on the line of its key. */
static void lead_value(struct show_json *j, bool scalar)
{
    if (!j->keyed && j->depth)
        lead_member(j);
    else if (j->keyed && j->format == SHOW_YAML && scalar)
        buf_addc(j->out, ' ');
    j->keyed = false;
}

static void open_level(struct show_json *j, bool array)
{
    lead_value(j, false);
    if (j->depth == SHOW_DEPTH)
        abort(); /* tables are not that deep */
    j->level[j->depth].array = array;
    j->level[j->depth++].empty = true;
}

void show_json_object(struct show_json *j)
{
    open_level(j, false);
}

void show_json_array(struct show_json *j)
{
    open_level(j, true);
}

void show_json_close(struct show_json *j)
{
    j->depth--;
    bool array = j->level[j->depth].array, empty = j->level[j->depth].empty;
    if (empty) {
        bool dash = j->depth && j->level[j->depth - 1].array;
        if (j->format == SHOW_YAML && j->depth && !dash)
            buf_addc(j->out, ' ');
        buf_adds(j->out, array ? "[]" : "{}");
    } else if (j->format == SHOW_JSON) {
        new_line(j, j->depth);
        buf_addc(j->out, array ? ']' : '}');
    }
    if (!j->depth)
        buf_addc(j->out, '\n');
}

/* ---- scalars ---- */

/* The length of the UTF-8 sequence at `s`; 0: it is none. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 4;
    if (s[0] >= 0x80 && (s[0] < 0xc2 || s[0] > 0xf4))
        return 0;
    if (n > left || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

static void add_escaped(struct buf *out, unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = strchr(from, c);
    if (at && c)
        buf_add(out, (char[]){ '\\', to[at - from] }, 2);
    else
        buf_addf(out, "\\u%04x", c);
}

static void add_quoted(struct buf *out, const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    buf_addc(out, '"');
    for (size_t i = 0, plain; i < len;) {
        for (plain = i; plain < len && s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '"' && s[plain] != '\\';)
            plain++;
        buf_add(out, s + i, plain - i);
        i = plain;
        if (i == len)
            break;
        size_t n = utf8_len(s + i, len - i);
        if (n > 1)
            buf_add(out, s + i, n);
        else if (n)
            add_escaped(out, s[i]);
        else
            buf_adds(out, "\\ufffd"); /* not UTF-8: JSON cannot hold it */
        i += n ? n : 1;
    }
    buf_addc(out, '"');
}

void show_json_key(struct show_json *j, const char *key, size_t len)
{
    lead_member(j);
    if (j->format == SHOW_YAML)
        buf_add(j->out, key, len);
    else
        add_quoted(j->out, key, len);
    buf_adds(j->out, j->format == SHOW_YAML || j->compact ? ":" : ": ");
    j->keyed = true;
}

void show_json_text(struct show_json *j, const char *text, size_t len)
{
    lead_value(j, true);
    add_quoted(j->out, text, len);
}

void show_json_int(struct show_json *j, int64_t n)
{
    lead_value(j, true);
    buf_addf(j->out, "%lld", (long long)n);
}

/* Always with a fraction or an exponent: readers tell 1.0 from 1. */
void show_json_real(struct show_json *j, double d)
{
    char text[40];
    lead_value(j, true);
    if (!isfinite(d)) {
        buf_adds(j->out, "null");
        return;
    }
    snprintf(text, sizeof(text), "%.15g", d);
    if (strtod(text, NULL) != d)
        snprintf(text, sizeof(text), "%.17g", d);
    buf_adds(j->out, text);
    if (!strpbrk(text, ".e"))
        buf_adds(j->out, ".0");
}

void show_json_bool(struct show_json *j, bool b)
{
    lead_value(j, true);
    buf_adds(j->out, b ? "true" : "false");
}

void show_json_null(struct show_json *j)
{
    lead_value(j, true);
    buf_adds(j->out, "null");
}

/* ---- pieces ---- */

void show_json_key_text(struct show_json *j, const char *key, const char *text)
{
    show_json_key(j, key, strlen(key));
    show_json_text(j, text ? text : "", text ? strlen(text) : 0);
}

void show_json_key_int(struct show_json *j, const char *key, int64_t n)
{
    show_json_key(j, key, strlen(key));
    show_json_int(j, n);
}

void show_json_number(struct show_json *j, enum show_state state, int64_t n)
{
    show_json_object(j);
    show_json_key(j, "set", 3);
    show_json_bool(j, state == SHOW_SET);
    show_json_key(j, "infinite", 8);
    show_json_bool(j, state == SHOW_INFINITE);
    show_json_key_int(j, "number", state == SHOW_SET ? n : 0);
    show_json_close(j);
}
