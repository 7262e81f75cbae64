/* license - see license.h. */
#include "text/license.h"

#include "base/buf.h"
#include "base/errnum.h"
#include "base/str.h"
#include "base/vec.h"

#define ITEMS_MAX 256
#define COUNT_MAX 0x7fffffffu
#define NAME_MAX_LEN 255

void license_list_clear(struct license_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i].name);
    vec_clear(l);
    l->any = false;
}

static int license_fail(struct err *err, const char *text, const char *what, const char *piece)
{
    return err_set(err, ESLURM_INVALID_LICENSES, "licences %.100s: %s \"%.60s\"", text, what, piece);
}

static void license_add(struct license_list *l, const char *name, uint64_t count)
{
    for (size_t i = 0; !l->any && i < l->n; i++)
        if (str_eq(l->at[i].name, name)) {
            l->at[i].count = MIN(l->at[i].count + count, (uint64_t)COUNT_MAX);
            return;
        }
    vec_push(l, ((struct license_item){ mem_str(name), count }));
}

/* NAME, NAME:COUNT or NAME=COUNT */
static int read_piece(const char *text, char *piece, struct license_list *out, struct err *err)
{
    uint64_t count = 1;
    size_t len = strcspn(piece, ":=");
    if (strchr(piece, '@'))
        return license_fail(err, text, "licences of another server are not supported:", piece);
    if (!len || len > NAME_MAX_LEN)
        return license_fail(err, text, "not a name:", piece);
    if (piece[len] && !str_u64(piece + len + 1, 0, COUNT_MAX, &count))
        return license_fail(err, text, "not a count:", piece);
    piece[len] = '\0';
    if (count)
        license_add(out, piece, count);
    return out->n > ITEMS_MAX ? license_fail(err, text, "too many with", piece) : 0;
}

int license_parse(const char *text, struct license_list *out, struct err *err)
{
    out->any = strchr(text, '|') != NULL;
    if (out->any && strpbrk(text, ",;"))
        return license_fail(err, text, "either , or | stands between them, not both:", text);
    const char *pos = text;
    int rc = 0;
    for (char *piece; !rc && (piece = str_next(&pos, ",;|")); free(piece))
        rc = read_piece(text, str_trim(piece), out, err);
    if (rc)
        license_list_clear(out);
    return rc;
}

char *license_text(const struct license_list *l, char sep)
{
    auto_buf struct buf b = BUF_INIT;
    buf_adds(&b, "");
    for (size_t i = 0; i < l->n; i++) {
        if (i)
            buf_addc(&b, sep);
        buf_addf(&b, "%s:%llu", l->at[i].name, (unsigned long long)l->at[i].count);
    }
    return buf_take(&b);
}
