/* conf - slurm.conf split into lines and pairs, in the file's own bytes; see conf.h. */
#include "text/conf.h"

#include <stdbool.h>

#include "base/str.h"

/* What one conf_read or conf_parse_text carries through its Includes. */
struct reader {
    struct conf *conf;
    conf_open_fn *open;
    void *arg;
    char *dir; /* of the first file: relative Includes start there, at any depth */
    unsigned depth, files;
};

/* A file on its way from bytes to lines.  Text is taken apart in place: what is written never overtakes what is read.
 */
struct source {
    const char *file;
    char *at, *end;
    uint32_t number; /* of the physical line at `at` */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static char *skip_blanks(char *s)
{
    while (is_blank(*s))
        s++;
    return s;
}

void conf_clear(struct conf *c)
{
    for (size_t i = 0; i < c->text.n; i++)
        free(c->text.at[i]);
    vec_clear(&c->text);
    vec_clear(&c->line);
    vec_clear(&c->pair);
    c->cluster = NULL;
}

/* Does the backslash at `s` end its physical line (blanks and a comment may follow it)?  Then the place after that
 * line. */
static char *joins_next(const struct source *src, char *s)
{
    char *p = s + 1;
    while (p < src->end && is_blank(*p))
        p++;
    if (p < src->end && *p == '#' && p > s + 1)
        while (p < src->end && *p != '\n')
            p++;
    if (p == src->end)
        return p;
    return *p == '\n' ? p + 1 : NULL;
}

/* Cut the next logical line out of the source, without comment, joins and backslashes; NULL at the end. */
static char *next_line(struct source *src, uint32_t *number)
{
    if (src->at >= src->end)
        return NULL;
    char *start = src->at, *to = start, *s = start, *joined;
    *number = src->number;
    while (s < src->end && *s != '\n') {
        if (*s == '#') {
            while (s < src->end && *s != '\n')
                s++;
        } else if (*s != '\\') {
            *to++ = *s++;
        } else if ((joined = joins_next(src, s))) {
            s = joined;
            src->number++;
        } else {
            *to++ = s[1];
            s += 2;
        }
    }
    src->at = s + 1;
    src->number++;
    *to = '\0'; /* at worst over the newline, or over the byte that buf keeps behind the end */
    return start;
}

/* Where the value at `s` ends: behind a quoted text, or at the next blank.  `*value` is what it says. */
static char *cut_value(char *s, char **value)
{
    char *close = *s == '"' ? strchr(s + 1, '"') : NULL;
    if (close && (is_blank(close[1]) || !close[1])) {
        *close = '\0';
        *value = s + 1;
        return close + 1;
    }
    *value = s;
    while (*s && !is_blank(*s))
        s++;
    if (!*s)
        return s;
    *s = '\0';
    return s + 1;
}

/* Take one pair off the front of `*rest`.  False when it does not look like one. */
static bool next_pair(char **rest, struct conf_pair *pair)
{
    char *key = skip_blanks(*rest), *s = key;
    while (is_key_char(*s))
        s++;
    char *key_end = s;
    s = skip_blanks(s);
    if (*s && strchr("+-*/", *s))
        s++;
    if (key_end == key || *s != '=')
        return false;
    s = skip_blanks(s + 1);
    if (!*s)
        return false;
    char *value;
    *rest = cut_value(s, &value);
    *key_end = '\0';
    *pair = (struct conf_pair){ key, value };
    return true;
}

static int add_line(struct conf *c, char *text, const char *file, uint32_t number, struct err *err)
{
    struct conf_line line = { file, number, (uint32_t)c->pair.n, 0 };
    for (char *rest = skip_blanks(text); *rest; rest = skip_blanks(rest)) {
        struct conf_pair pair;
        if (!next_pair(&rest, &pair))
            return err_set(err, EINVAL, "%s:%u: parse error at \"%.100s\": expected key=value", file, number, rest);
        vec_push(&c->pair, pair);
        line.n++;
        if (line.n == 1 && str_ieq(pair.key, "ClusterName"))
            c->cluster = pair.value;
    }
    if (line.n)
        vec_push(&c->line, line);
    return 0;
}

/* The file name of an Include line, blanks cut; NULL when the line is another. */
static char *include_name(char *text)
{
    char *s = skip_blanks(text);
    if (!str_has_iprefix(s, "include") || !is_blank(s[7]))
        return NULL;
    s = skip_blanks(s + 7);
    return *s == '=' ? NULL : str_trim(s);
}

/* The path of an included file: %c is the cluster's name, and what does not start with / lies beside the first file. */
static int include_path(const struct reader *r, const char *name, char **out, struct err *err)
{
    auto_buf struct buf path = BUF_INIT;
    if (*name != '/' && *r->dir)
        buf_addf(&path, "%s/", r->dir);
    for (const char *s = name; *s; s++) {
        if (s[0] != '%' || s[1] != 'c') {
            buf_addc(&path, *s);
            continue;
        }
        if (!r->conf->cluster)
            return err_set(err, EINVAL, "Include %.200s: %%c stands before ClusterName", name);
        buf_adds(&path, r->conf->cluster);
        s++;
    }
    *out = buf_take(&path);
    return 0;
}

static int read_text(struct reader *r, struct buf *text, const char *file, struct err *err);

static int conf_include(struct reader *r, const char *name, struct err *err)
{
    if (!*name || strpbrk(name, " \t"))
        return err_set(err, EINVAL, "Include takes one file name, not \"%.100s\"", name);
    if (!r->open)
        return err_set(err, EINVAL, "Include %.200s: there is no file to include from", name);
    if (r->depth >= CONF_DEPTH_MAX)
        return err_set(err, EINVAL, "Include %.200s: more than %d files deep", name, CONF_DEPTH_MAX);
    if (r->files >= CONF_FILES_MAX)
        return err_set(err, EINVAL, "Include %.200s: more than %d files", name, CONF_FILES_MAX);
    auto_free char *path = NULL;
    int rc = include_path(r, name, &path, err);
    auto_buf struct buf text = BUF_INIT;
    if (!rc)
        rc = r->open(r->arg, path, &text, err);
    if (rc)
        return rc;
    r->depth++;
    r->files++;
    rc = read_text(r, &text, path, err);
    r->depth--;
    return rc;
}

static int read_line(struct reader *r, char *text, const char *file, uint32_t number, struct err *err)
{
    char *name = include_name(text);
    if (!name)
        return add_line(r->conf, text, file, number, err);
    unsigned before = r->files;
    int rc = conf_include(r, name, err);
    if (rc && err && r->files == before) /* a mistake inside the file has its own place */
        err_prefix(err, "%s:%u", file, number);
    return rc;
}

/* All lines of `text`, whose bytes become the conf's. */
static int read_text(struct reader *r, struct buf *text, const char *file, struct err *err)
{
    if (text->len > CONF_FILE_MAX)
        return err_set(err, EFBIG, "%s: larger than %zu MB", file, CONF_FILE_MAX >> 20);
    size_t len = text->len;
    char *bytes = buf_take(text), *name = mem_str(file), *line;
    vec_push(&r->conf->text, bytes);
    vec_push(&r->conf->text, name);

    struct source src = { name, bytes, bytes + len, 1 };
    const char *nul = memchr(bytes, '\0', len);
    if (nul)
        return err_set(err, EINVAL, "%s: byte %zu is NUL: this is no text file", file, (size_t)(nul - bytes));
    uint32_t number;
    int rc = 0;
    while (!rc && (line = next_line(&src, &number)))
        rc = read_line(r, line, name, number, err);
    return rc;
}

static int read_lines(struct reader *r, struct buf *text, const char *file, struct err *err)
{
    const char *slash = strrchr(file, '/');
    auto_free char *dir = slash ? mem_strn(file, slash > file ? (size_t)(slash - file) : 1) : mem_str("");
    r->dir = dir;
    r->files = 1;
    return read_text(r, text, file, err);
}

static int open_file(void *arg, const char *path, struct buf *out, struct err *err)
{
    (void)arg;
    int rc = buf_read_file(out, path, CONF_FILE_MAX);
    if (rc == EFBIG)
        return err_set(err, rc, "cannot read %s: larger than %zu MB", path, CONF_FILE_MAX >> 20);
    return rc ? err_set(err, rc, "cannot read %s: %s", path, err_text(rc)) : 0;
}

int conf_read(struct conf *c, const char *path, struct err *err)
{
    auto_buf struct buf text = BUF_INIT;
    int rc = open_file(NULL, path, &text, err);
    struct reader r = { .conf = c, .open = open_file };
    return rc ? rc : read_lines(&r, &text, path, err);
}

int conf_parse_text(struct conf *c, const char *text, size_t len, const char *file, conf_open_fn *open, void *arg,
                    struct err *err)
{
    if (len > CONF_FILE_MAX)
        return err_set(err, EFBIG, "%s: larger than %zu MB", file, CONF_FILE_MAX >> 20);
    auto_buf struct buf copy = BUF_INIT;
    buf_add(&copy, text, len);
    struct reader r = { .conf = c, .open = open, .arg = arg };
    return read_lines(&r, &copy, file, err);
}

const char *conf_line_value(const struct conf *c, const struct conf_line *line, const char *key)
{
    for (uint32_t i = line->n; i-- > 0;)
        if (str_ieq(c->pair.at[line->first + i].key, key))
            return c->pair.at[line->first + i].value;
    return NULL;
}
