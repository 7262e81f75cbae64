/* tres - trackable resources as text; see tres.h. */
#include "text/tres.h"

#include <ctype.h>

#include "base/buf.h"
#include "base/errnum.h"
#include "base/str.h"
#include "base/vec.h"
#include "text/size.h"

/* Slurm's fixed ones, in the order it writes them. */
static const char *const fixed[] = { "cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages" };

static size_t tres_rank(const char *name)
{
    size_t i = 0;
    while (i < ARRAY_LEN(fixed) && !str_eq(fixed[i], name))
        i++;
    return i;
}

/* Counted in megabytes, and written so. */
static bool is_memory(const char *name)
{
    return str_eq(name, "mem") || str_eq(name, "vmem") || str_eq(name, "fs/disk") || str_has_prefix(name, "bb/");
}

void tres_clear(struct tres_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->at[i].name);
    vec_clear(l);
}

static struct tres *tres_find_exact(const struct tres_list *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (str_eq(l->at[i].name, name))
            return &l->at[i];
    return NULL;
}

/* The entry of `name`, made with 0 at its place in the order when it is not there. */
static struct tres *tres_add_entry(struct tres_list *l, const char *name)
{
    struct tres *there = tres_find_exact(l, name);
    if (there)
        return there;
    size_t i = l->n;
    vec_push(l, (struct tres){ 0 });
    for (; i && tres_rank(l->at[i - 1].name) > tres_rank(name); i--)
        l->at[i] = l->at[i - 1];
    l->at[i] = (struct tres){ .name = mem_str(name) };
    return &l->at[i];
}

void tres_set(struct tres_list *l, const char *name, uint64_t count)
{
    tres_add_entry(l, name)->count = count;
}

void tres_add(struct tres_list *l, const char *name, uint64_t count)
{
    struct tres *t = tres_add_entry(l, name);
    if (t->count == TRES_UNLIMITED || count == TRES_UNLIMITED)
        t->count = TRES_UNLIMITED;
    else if (__builtin_add_overflow(t->count, count, &t->count) || t->count == TRES_UNLIMITED)
        t->count = TRES_UNLIMITED - 1;
}

uint64_t tres_get(const struct tres_list *l, const char *name, uint64_t when_absent)
{
    const struct tres *t = tres_find_exact(l, name);
    return t ? t->count : when_absent;
}

static uint64_t multiply_capped(uint64_t count, uint64_t times)
{
    uint64_t product;
    if (count == TRES_UNLIMITED)
        return count;
    return __builtin_mul_overflow(count, times, &product) ? TRES_UNLIMITED - 1 : MIN(product, TRES_UNLIMITED - 1);
}

void tres_add_all(struct tres_list *l, const struct tres_list *what, uint64_t times)
{
    for (size_t i = 0; i < what->n; i++)
        tres_add(l, what->at[i].name, multiply_capped(what->at[i].count, times));
}

void tres_sub_all(struct tres_list *l, const struct tres_list *what)
{
    for (size_t i = 0; i < what->n; i++) {
        struct tres *t = tres_find_exact(l, what->at[i].name);
        if (t && t->count != TRES_UNLIMITED)
            t->count -= MIN(t->count, what->at[i].count);
    }
}

/* Slurm writes half a gigabyte as ".50G": read what it writes, in hundredths. */
static int parse_hundredths(const char *text, uint64_t *mb, struct err *err)
{
    const char *dot = strchr(text, '.');
    uint64_t whole, part;
    if (!isdigit((unsigned char)dot[1]) || !isdigit((unsigned char)dot[2]) || isdigit((unsigned char)dot[3]) || !dot[3])
        return err_set(err, EINVAL, "invalid memory size \"%s\"", text);
    auto_free char *a = mem_printf("%.*s%s", (int)(dot - text), text, dot + 3);
    auto_free char *b = mem_printf("%.2s%s", dot + 1, dot + 3);
    int rc = size_mb_parse(a, &whole, err);
    if (!rc)
        rc = size_mb_parse(b, &part, err);
    if (!rc)
        *mb = MIN(whole, TRES_UNLIMITED / 2) + part / 100;
    return rc;
}

static int parse_count(const char *name, const char *text, uint64_t *count, struct err *err)
{
    if (str_eq(text, "-1") || str_ieq(text, "unlimited")) {
        *count = TRES_UNLIMITED;
        return 0;
    }
    if (!is_memory(name))
        return size_count_parse(text, count, err);
    return strchr(text, '.') ? parse_hundredths(text, count, err) : size_mb_parse(text, count, err);
}

static int parse_piece(char *piece, struct tres_list *out, struct err *err)
{
    uint64_t count;
    char *equal = strchr(piece, '=');
    if (!equal || equal == piece)
        return err_set(err, ESLURM_INVALID_TRES, "invalid TRES \"%.128s\": it reads NAME=COUNT", piece);
    *equal = '\0';
    struct err why = ERR_INIT;
    if (parse_count(piece, equal + 1, &count, &why))
        return err_set(err, ESLURM_INVALID_TRES, "invalid TRES \"%.128s\": %.256s", piece, why.text);
    if (tres_find_exact(out, piece))
        return err_set(err, ESLURM_INVALID_TRES, "TRES \"%.128s\" is given twice", piece);
    tres_set(out, piece, count);
    return 0;
}

int tres_parse(const char *text, struct tres_list *out, struct err *err)
{
    const char *pos = str_or(text, "");
    for (char *next; (next = str_next(&pos, ","));) {
        auto_free char *piece = next;
        int rc = parse_piece(piece, out, err);
        if (rc)
            return rc;
    }
    return 0;
}

char *tres_text(const struct tres_list *l)
{
    auto_buf struct buf b = BUF_INIT;
    char size[SIZE_TEXT];
    for (size_t i = 0; i < l->n; i++) {
        const struct tres *t = &l->at[i];
        if (!t->count)
            continue;
        buf_addf(&b, "%s%s=", b.len ? "," : "", t->name);
        if (t->count == TRES_UNLIMITED)
            buf_adds(&b, "-1");
        else if (is_memory(t->name))
            buf_adds(&b, size_mb_text(size, t->count));
        else
            buf_addf(&b, "%llu", (unsigned long long)t->count);
    }
    return buf_take(&b);
}
