/* strs - a list of texts that owns them; see strs.h. */
#include "text/strs.h"

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

void strs_clear(struct strs *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i]);
    vec_clear(l);
}

void strs_add(struct strs *l, const char *s)
{
    strs_take(l, mem_str(s));
}

void strs_take(struct strs *l, char *s)
{
    vec_push(l, s);
}

void strs_split(struct strs *l, const char *text, const char *seps)
{
    const char *pos = str_or(text, "");
    for (char *piece; (piece = str_next(&pos, seps));)
        strs_take(l, piece);
}

bool strs_has(const struct strs *l, const char *s)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->at[i], s))
            return true;
    return false;
}

char *strs_join(const struct strs *l, const char *sep)
{
    auto_buf struct buf b = BUF_INIT;
    for (size_t i = 0; i < l->n; i++) {
        buf_adds(&b, i ? sep : "");
        buf_adds(&b, l->at[i]);
    }
    return buf_take(&b);
}
