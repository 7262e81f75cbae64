/* resv_text - flags and lists of a reservation, as they are written; see resv.h. */
#include <ctype.h>

#include "base/errnum.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/resv.h"
#include "text/strs.h"
#include "text/time.h"

/* What may be written for a flag: the shortest beginning that is enough is known from Slurm. */
static const struct {
    const char *word;
    unsigned min;
    uint64_t flag;
} flag_words[] = {
    { "MAINTENANCE", 3, RESV_MAINT },
    { "OVERLAP", 1, RESV_OVERLAP },
    { "FLEX", 1, RESV_FLEX },
    { "IGNORE_JOBS", 1, RESV_IGNORE_JOBS },
    { "HOURLY", 1, RESV_HOURLY },
    { "DAILY", 1, RESV_DAILY },
    { "WEEKDAY", 5, RESV_WEEKDAY },
    { "WEEKEND", 5, RESV_WEEKEND },
    { "WEEKLY", 5, RESV_WEEKLY },
    { "ANY_NODES", 1, RESV_ANY_NODES },
    { "LICENSE_ONLY", 1, RESV_ANY_NODES },
    { "STATIC_ALLOC", 1, RESV_STATIC },
    { "PART_NODES", 2, RESV_PART_NODES },
    { "PURGE_COMP", 2, RESV_PURGE_COMP },
    { "TIME_FLOAT", 1, RESV_TIME_FLOAT },
    { "REPLACE", 7, RESV_REPLACE },
    { "REPLACE_DOWN", 8, RESV_REPLACE_DOWN },
    { "NO_HOLD_JOBS_AFTER_END", 1, RESV_NO_HOLD },
    { "MAGNETIC", 3, RESV_MAGNETIC },
    { "USER_DELETE", 1, RESV_USER_DELETE },
    { "FORCE_START", 6, RESV_FORCE_START },
    { "SPEC_NODES", 2, RESV_SPEC_NODES }, /* shown by scontrol, so accepted in input that was copied from it */
    { "ALL_NODES", 2, RESV_ALL_NODES },
};

static uint64_t find_flag(const char *word, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(flag_words); i++)
        if (len == strlen(flag_words[i].word) && !strncasecmp(flag_words[i].word, word, len))
            return flag_words[i].flag;
    for (size_t i = 0; i < ARRAY_LEN(flag_words); i++)
        if (len >= flag_words[i].min && len < strlen(flag_words[i].word) && !strncasecmp(flag_words[i].word, word, len))
            return flag_words[i].flag;
    return 0;
}

int resv_flags_parse(const char *text, uint64_t *flags, uint32_t *purge_s, struct err *err)
{
    auto_strs struct strs list = STRS_INIT;
    strs_split(&list, text, ",");
    for (size_t i = 0; i < list.n; i++) {
        char *word = list.at[i], *equals = strchr(word, '=');
        uint64_t flag = find_flag(word, equals ? (size_t)(equals - word) : strlen(word));
        uint32_t seconds;
        if (!flag || (equals && flag != RESV_PURGE_COMP))
            return err_set(err, EINVAL, "Error parsing flags %s.", text);
        if (equals) {
            if (time_secs_parse(equals + 1, &seconds, NULL) || seconds >= TIME_NO_VAL)
                return err_set(err, EINVAL, "Error parsing flags %s.", text);
            *purge_s = seconds;
        }
        *flags |= flag;
    }
    return 0;
}

void resv_flags_text(uint64_t flags, uint32_t purge_s, struct buf *out)
{
    static const struct {
        uint64_t flag;
        const char *name;
    } names[] = {
#define X(flag, name) { flag, name },
        RESV_FLAGS(X)
#undef X
    };
    char time[TIME_TEXT];
    const char *sep = "";
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!(flags & names[i].flag))
            continue;
        buf_addf(out, "%s%s", sep, names[i].name);
        if (names[i].flag == RESV_PURGE_COMP && purge_s)
            buf_addf(out, "=%s", time_secs_text(time, purge_s));
        sep = ",";
    }
}

/* ---- lists of names ---- */

static void drop_name(struct strs *l, size_t i)
{
    free(l->at[i]);
    memmove(l->at + i, l->at + i + 1, (l->n - i - 1) * sizeof(*l->at));
    l->n--;
}

static size_t name_position(const struct strs *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->at[i], name))
            return i;
    return l->n;
}

/* One step up or down: denied, not said, allowed. */
static void move_name(struct strs *may, struct strs *may_not, const char *name, bool up)
{
    struct strs *from = up ? may_not : may, *to = up ? may : may_not;
    size_t at = name_position(from, name);
    if (at < from->n)
        drop_name(from, at);
    else if (name_position(to, name) == to->n)
        strs_add(to, name);
}

static void split_names(const char *list, struct strs *may, struct strs *may_not)
{
    auto_strs struct strs all = STRS_INIT;
    strs_split(&all, list ? list : "", ",");
    for (size_t i = 0; i < all.n; i++)
        strs_add(*all.at[i] == '-' ? may_not : may, all.at[i] + (*all.at[i] == '-'));
}

static char *join_names(const struct strs *l, const char *before)
{
    auto_buf struct buf b = BUF_INIT;
    for (size_t i = 0; i < l->n; i++)
        buf_addf(&b, "%s%s%s", i ? "," : "", before, l->at[i]);
    return b.len ? buf_take(&b) : mem_str("");
}

char *resv_list_change(const char *old, const char *text, enum resv_op op, struct err *err)
{
    auto_strs struct strs may = STRS_INIT;
    auto_strs struct strs may_not = STRS_INIT;
    auto_strs struct strs words = STRS_INIT;
    strs_split(&words, text, ",");
    bool steps = op != RESV_SET;
    for (size_t i = 0; i < words.n; i++)
        steps |= *words.at[i] == '+' || *words.at[i] == '-';
    if (steps)
        split_names(old, &may, &may_not);
    for (size_t i = 0; i < words.n; i++) {
        const char *w = words.at[i];
        bool sign = *w == '+' || *w == '-';
        if (w[sign] == '+' || w[sign] == '-') {
            err_set(err, EINVAL, "a name does not begin with %c: %s", w[sign], w);
            return NULL;
        }
        if (w[sign])
            move_name(&may, &may_not, w + sign, sign ? *w == '+' : op != RESV_REMOVE);
    }
    if (may.n && may_not.n) {
        err_set(err, EINVAL, "a list cannot name both what may and what may not use a reservation: %s", text);
        return NULL;
    }
    return may.n ? join_names(&may, "") : join_names(&may_not, "-");
}
