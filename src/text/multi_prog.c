/* multi_prog - srun's --multi-prog file; see multi_prog.h. */
#include "text/multi_prog.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/bitmap.h"
#include "base/buf.h"
#include "base/str.h"

#define RANK_MAX 10000000u /* more tasks than any step has, and a size that a bitmap can have */

/* ---- lines and words ---- */

struct line {
    unsigned number; /* of its first physical line, from 1 */
    const char *at;  /* its first character that is not blank */
    const char *end; /* its newline, or the end of the text */
};

struct lines {
    const char *pos;
    unsigned number;
};

static const char *end_of_line(const char *p, unsigned *newlines)
{
    for (; *p && *p != '\n'; p++)
        if (*p == '\\' && p[1]) {
            p++;
            *newlines += *p == '\n';
        }
    return p;
}

/* The next line that says something. */
static bool next_line(struct lines *l, struct line *out)
{
    while (*l->pos) {
        unsigned inside = 0;
        const char *p = l->pos, *end = end_of_line(p, &inside);
        *out = (struct line){ ++l->number, p, end };
        l->number += inside;
        l->pos = *end ? end + 1 : end;
        while (out->at < end && isblank((unsigned char)*out->at))
            out->at++;
        if (out->at < end && *out->at != '#')
            return true;
    }
    return false;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p;
}

/* The ranks: up to the first blank, as they are. */
static char *rank_word(struct line *l)
{
    const char *from = l->at;
    while (l->at < l->end && !isspace((unsigned char)*l->at))
        l->at++;
    return mem_strn(from, (size_t)(l->at - from));
}

static void add_percent(struct buf *b, char letter, uint32_t rank, uint32_t offset)
{
    if (letter == 't')
        buf_addf(b, "%u", rank);
    else if (letter == 'o')
        buf_addf(b, "%u", offset);
}

/* One character or more of a word at `p`; where the next one is, or NULL when a quote does not end. */
static const char *add_part(struct buf *b, const char *p, const char *end, uint32_t rank, uint32_t offset)
{
    if (*p == '\'') {
        const char *close = memchr(p + 1, '\'', (size_t)(end - p - 1));
        if (close)
            buf_add(b, p + 1, (size_t)(close - p - 1));
        return close ? close + 1 : NULL;
    }
    if (*p == '\\' && p + 1 < end) {
        if (p[1] != '\n')
            buf_addc(b, p[1]);
        return p + 2;
    }
    if (*p == '%') {
        bool letter = p + 1 < end && !isspace((unsigned char)p[1]);
        if (letter)
            add_percent(b, p[1], rank, offset);
        return p + 1 + letter;
    }
    buf_addc(b, *p);
    return p + 1;
}

/* 1: a word; 0: no more; -1: it does not end. */
static int next_word(struct line *l, uint32_t rank, uint32_t offset, struct buf *out)
{
    const char *p = skip_blanks(l->at, l->end);
    buf_reset(out);
    if (p >= l->end)
        return 0;
    while (p && p < l->end && !isspace((unsigned char)*p))
        p = add_part(out, p, l->end, rank, offset);
    if (!p)
        return -1;
    l->at = p;
    return 1;
}

/* ---- ranks ---- */

struct range {
    bool all;
    long first, last;
};

/* One piece of "0-2,5", numbers read as strtol reads them.  0, or a sentence in `err`. */
static int parse_range(const char *word, struct range *r, struct err *err)
{
    char *end;
    *r = (struct range){ .all = str_eq(word, "*") };
    if (r->all)
        return 0;
    r->first = r->last = strtol(word, &end, 10);
    if (end == word)
        return err_set(err, EINVAL, "Invalid task range specification (%s)", word);
    if (r->first < 0)
        return err_set(err, EINVAL, "Invalid task id, %ld < 0", r->first);
    if (*end == '-')
        r->last = strtol(end + 1, &end, 10);
    if (*end)
        return err_set(err, EINVAL, "Invalid task range specification");
    if (r->last < r->first)
        return err_set(err, EINVAL, "Invalid task range, %ld-%ld", r->first, r->last);
    return r->last > (long)RANK_MAX ? err_set(err, EINVAL, "Invalid task id, %ld > %u", r->last, RANK_MAX) : 0;
}

/* Is `rank` among them?  Then its place there.  The star's places are the ranks themselves. */
static bool has_rank(const char *ranks, uint32_t rank, uint32_t *offset)
{
    uint64_t before = 0;
    const char *pos = ranks;
    for (;;) {
        auto_free char *word = str_next(&pos, ",");
        struct range r;
        if (!word || parse_range(word, &r, NULL))
            return false;
        if (r.all || (rank >= (unsigned long)r.first && rank <= (unsigned long)r.last)) {
            *offset = r.all ? rank : (uint32_t)(before + rank - (uint64_t)r.first);
            return true;
        }
        before += (uint64_t)(r.last - r.first) + 1;
    }
}

uint32_t multi_prog_tasks(const char *text)
{
    struct lines lines = { .pos = text };
    struct line l;
    long most = 0;
    while (next_line(&lines, &l)) {
        auto_free char *ranks = rank_word(&l);
        const char *pos = ranks;
        struct range r;
        for (char *word; (word = str_next(&pos, ",")); free(word))
            if (!parse_range(word, &r, NULL) && !r.all)
                most = MAX(most, r.last);
    }
    return (uint32_t)most + 1;
}

/* ---- is it good? ---- */

static int claim_ranks(struct bitmap *seen, const struct range *r, uint32_t ntasks, struct err *err)
{
    if (r->last >= (long)ntasks)
        return err_set(err, EINVAL, "Invalid task id, %ld >= ntasks", r->last);
    for (long i = r->first; i <= r->last; i++) {
        if (bitmap_has(seen, (size_t)i))
            return err_set(err, EEXIST, "Duplicate record for task %ld", i);
        bitmap_set(seen, (size_t)i);
    }
    return 0;
}

static int check_ranks(const char *ranks, struct bitmap *seen, uint32_t ntasks, bool *all, struct err *err)
{
    const char *pos = ranks;
    for (;;) {
        auto_free char *word = str_next(&pos, ",");
        struct range r;
        if (!word)
            return 0;
        int rc = parse_range(word, &r, err);
        if (rc)
            return rc;
        if (*all && !r.all)
            return err_set(err, EINVAL, "Task range specification with asterisk must be last");
        *all |= r.all;
        rc = r.all ? 0 : claim_ranks(seen, &r, ntasks, err);
        if (rc)
            return rc;
    }
}

static int check_line(struct line *l, struct bitmap *seen, uint32_t ntasks, bool *all, struct err *err)
{
    auto_free char *ranks = rank_word(l);
    int rc = check_ranks(ranks, seen, ntasks, all, err);
    if (rc)
        return rc;
    return skip_blanks(l->at, l->end) < l->end ? 0 : err_set(err, EINVAL, "%s", "");
}

int multi_prog_check(const char *text, const char *name, uint32_t ntasks, struct err *err)
{
    auto_bitmap struct bitmap seen = BITMAP_INIT;
    struct lines lines = { .pos = text };
    struct line l;
    bool all = false;
    while (next_line(&lines, &l)) {
        struct err why = ERR_INIT;
        int rc = check_line(&l, &seen, ntasks, &all, &why);
        if (rc)
            return err_set(err, rc, "%s\nLine %u of configuration file %s invalid", why.text, l.number, name);
    }
    for (uint32_t i = 0; i < ntasks && !all; i++)
        if (!bitmap_has(&seen, i))
            return err_set(err, ENOENT, "Configuration file %s invalid, no record for task id %u", name, i);
    return 0;
}

int multi_prog_argv(const char *text, uint32_t rank, struct strs *argv)
{
    struct lines lines = { .pos = text };
    struct line l;
    uint32_t offset;
    while (next_line(&lines, &l)) {
        auto_free char *ranks = rank_word(&l);
        if (!has_rank(ranks, rank, &offset))
            continue;
        auto_buf struct buf word = BUF_INIT;
        size_t before = argv->n;
        int rc;
        while ((rc = next_word(&l, rank, offset, &word)) > 0)
            strs_add(argv, word.s ? word.s : "");
        return rc < 0 || argv->n == before ? ENOENT : 0;
    }
    return ENOENT;
}
