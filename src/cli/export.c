/* export - which variables a job takes along; see export.h. */
#include "cli/export.h"

#include <ctype.h>
#include <fcntl.h>

#include "base/str.h"

#define FILE_MAX_BYTES ((size_t)16 << 20)

void export_clear(struct export *e)
{
    strs_clear(&e->vars);
}

static char **export_find(const struct export *e, const char *name, size_t len)
{
    for (size_t i = 0; i < e->vars.n; i++)
        if (!strncmp(e->vars.at[i], name, len) && e->vars.at[i][len] == '=')
            return &e->vars.at[i];
    return NULL;
}

static void export_put_pair(struct export *e, const char *pair)
{
    const char *eq = strchr(pair, '=');
    if (!eq || eq == pair)
        return;
    char **old = export_find(e, pair, (size_t)(eq - pair));
    if (old)
        mem_set_str(old, pair);
    else
        strs_add(&e->vars, pair);
}

void export_set(struct export *e, const char *name, const char *value)
{
    auto_free char *pair = mem_printf("%s=%s", name, value);
    export_put_pair(e, pair);
}

void export_setf(struct export *e, const char *name, const char *fmt, ...)
{
    auto_buf struct buf value = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_addv(&value, fmt, ap);
    va_end(ap);
    export_set(e, name, value.s ? value.s : "");
}

const char *export_get(const struct export *e, const char *name)
{
    char **pair = export_find(e, name, strlen(name));
    return pair ? *pair + strlen(name) + 1 : NULL;
}

/* An environment has each name once, so nothing is looked up while it is copied whole into an empty set. */
static void add_all(struct export *e, char *const *env)
{
    bool fresh = e->vars.n == 0;
    for (; *env; env++) {
        if (!fresh)
            export_put_pair(e, *env);
        else if (strchr(*env, '='))
            strs_add(&e->vars, *env);
    }
}

static void add_slurm(struct export *e, char *const *env)
{
    for (; *env; env++)
        if (str_has_prefix(*env, "SLURM_") || str_has_prefix(*env, "SPANK_"))
            export_put_pair(e, *env);
}

static void add_named(struct export *e, const char *name, char *const *env)
{
    size_t len = strlen(name);
    for (; *env; env++)
        if (!strncmp(*env, name, len) && (*env)[len] == '=')
            export_put_pair(e, *env);
}

/* The next piece between commas; quotes keep commas and are dropped. */
static char *next_piece(const char **pos)
{
    auto_buf struct buf b = BUF_INIT;
    char quote = 0;
    const char *p = *pos;
    if (!*p)
        return NULL;
    for (; *p && (quote || *p != ','); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? 0 : *p;
        else
            buf_addc(&b, *p);
    }
    *pos = *p ? p + 1 : p;
    return buf_take(&b);
}

void export_fill(struct export *e, const char *spec, char *const *env, bool *login)
{
    *login = false;
    if (!spec || str_ieq(spec, "ALL")) {
        add_all(e, env);
        return;
    }
    *login = !str_ieq(spec, "NIL");
    add_slurm(e, env);
    if (str_ieq(spec, "NONE") || str_ieq(spec, "NIL"))
        return;
    for (const char *pos = spec;;) {
        auto_free char *piece = next_piece(&pos);
        if (!piece)
            return;
        if (str_ieq(piece, "ALL"))
            add_all(e, env);
        else if (strchr(piece, '='))
            export_put_pair(e, piece);
        else if (*piece)
            add_named(e, piece, env);
    }
}

static bool has_piece(const char *spec, const char *word)
{
    for (const char *pos = spec;;) {
        auto_free char *piece = next_piece(&pos);
        if (!piece || str_ieq(piece, word))
            return piece;
    }
}

void export_fill_step(struct export *e, const char *spec, char *const *env)
{
    bool login;
    bool none = spec && has_piece(spec, "NONE");
    export_fill(e, none ? "NONE" : spec, env, &login);
    if (!none && spec && has_piece(spec, "ALL"))
        add_all(e, env);
}

int export_file(struct export *e, const char *name, struct err *err)
{
    uint64_t n;
    auto_buf struct buf text = BUF_INIT;
    auto_close int fd = str_u64(name, 0, 65535, &n) ? dup((int)n) : open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "Could not open user environment file %s", name);
    int rc = buf_read(&text, fd, FILE_MAX_BYTES);
    if (rc)
        return err_set(err, rc, "cannot read the environment file %s: %s", name, err_text(rc));
    for (size_t at = 0; at < text.len; at += strlen(text.s + at) + 1)
        export_put_pair(e, text.s + at);
    return 0;
}

void export_pack(const struct export *e, struct buf *out)
{
    for (size_t i = 0; i < e->vars.n; i++)
        buf_add(out, e->vars.at[i], strlen(e->vars.at[i]) + 1);
}
