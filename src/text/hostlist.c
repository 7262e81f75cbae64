/* hostlist - "n[1-3,5],login" and the names it stands for; see hostlist.h. */
#include "text/hostlist.h"

#include <ctype.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

#define BRACKETS_MAX 8     /* in one name */
#define DIGITS_MAX   18    /* of a number that is counted with; longer ones are text */

/* One range inside brackets: 01-04. */
struct range {
    uint64_t lo, hi;
    uint64_t from; /* how many hosts the ranges before it hold */
    int width;     /* of the first number: leading zeros are kept to it */
};

/* One comma-separated piece: text [ranges] text [ranges] ... text. */
struct piece {
    struct {
        const char *text; /* what stands before the bracket */
        size_t len;
        VEC(struct range) ranges;
        uint64_t count;
    } part[BRACKETS_MAX];
    size_t parts;
    const char *tail; /* after the last bracket */
    size_t tail_len;
    size_t name_len; /* of the longest name */
    uint64_t count;
};

static void piece_clear(struct piece *p)
{
    for (size_t i = 0; i < p->parts; i++)
        vec_clear(&p->part[i].ranges);
}

static int parse_number(const char **s, uint64_t *out, int *width)
{
    const char *from = *s;
    uint64_t v = 0;
    while (isdigit((unsigned char)**s) && *s - from < DIGITS_MAX)
        v = v * 10 + (uint64_t)(*(*s)++ - '0');
    *out = v;
    *width = (int)(*s - from);
    return *width && !isdigit((unsigned char)**s) ? 0 : EINVAL;
}

/* One range, up to `end`. */
static int parse_range(const char *s, const char *end, struct range *r, struct err *err)
{
    const char *p = s;
    int n = (int)(end - s), width;
    int bad = parse_number(&p, &r->lo, &r->width);
    r->hi = r->lo;
    if (!bad && p < end && *p == '-') {
        p++;
        bad = parse_number(&p, &r->hi, &width);
    }
    if (bad || p != end || r->hi < r->lo)
        return err_set(err, EINVAL, "invalid range \"%.*s\" in hostlist", n, s);
    if (r->hi - r->lo >= HOSTLIST_MAX)
        return err_set(err, EINVAL, "too many hosts in range \"%.*s\"", n, s);
    return 0;
}

/* The ranges between `s` and the closing bracket at `end` become the piece's next part. */
static int parse_brackets(struct piece *p, const char *s, const char *end, struct err *err)
{
    __auto_type part = &p->part[p->parts - 1];
    int longest = 0;
    for (const char *stop; s <= end; s = stop + 1) {
        struct range r;
        stop = memchr(s, ',', (size_t)(end - s));
        stop = stop ? stop : end;
        int rc = parse_range(s, stop, &r, err);
        if (rc)
            return rc;
        r.from = part->count;
        part->count += r.hi - r.lo + 1;
        if (part->count > HOSTLIST_MAX)
            return err_set(err, EINVAL, "more than %d hosts in one bracket", HOSTLIST_MAX);
        longest = MAX(longest, MAX(r.width, (int)(stop - s)));
        vec_push(&part->ranges, r);
    }
    p->name_len += (size_t)longest;
    return 0;
}

static bool plain_name(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("{}[]", s[i]) || iscntrl((unsigned char)s[i]))
            return false;
    return true;
}

/* Is the measured piece one whose names we want to see? */
static int check_piece(const struct piece *p, const char *s, int n, struct err *err)
{
    bool good = plain_name(p->tail, p->tail_len);
    for (size_t i = 0; i < p->parts; i++)
        good = good && plain_name(p->part[i].text, p->part[i].len);
    if (!good)
        return err_set(err, EINVAL, "invalid hostlist \"%.*s\": braces, stray brackets or control characters", n, s);
    if (p->name_len > HOSTLIST_NAME_MAX)
        return err_set(err, ENAMETOOLONG, "host name \"%.32s...\" is over %d bytes", s, HOSTLIST_NAME_MAX);
    return 0;
}

/* The piece from `s` to `end`; nothing is expanded, only measured. */
static int parse_piece(struct piece *p, const char *s, const char *end, struct err *err)
{
    int n = (int)(end - s);
    const char *whole = s;
    p->count = 1;
    for (const char *open; (open = memchr(s, '[', (size_t)(end - s)));) {
        const char *close = memchr(open, ']', (size_t)(end - open));
        if (!close)
            return err_set(err, EINVAL, "invalid hostlist \"%.*s\": ']' is missing", n, whole);
        if (p->parts == BRACKETS_MAX)
            return err_set(err, EINVAL, "invalid hostlist \"%.*s\": more than %d brackets", n, whole, BRACKETS_MAX);
        __auto_type part = &p->part[p->parts++];
        *part = (__typeof__(*part)){ .text = s, .len = (size_t)(open - s) };
        p->name_len += part->len;
        int rc = parse_brackets(p, open + 1, close, err);
        if (rc)
            return rc;
        p->count *= part->count;
        if (p->count > HOSTLIST_MAX)
            return err_set(err, EINVAL, "hostlist \"%.*s\" is more than %d hosts", n, whole, HOSTLIST_MAX);
        s = close + 1;
    }
    p->tail = s;
    p->tail_len = (size_t)(end - s);
    p->name_len += p->tail_len;
    return check_piece(p, whole, n, err);
}

/* The range that holds the host number `at`. */
static const struct range *range_of(const struct range *r, size_t n, uint64_t at)
{
    size_t lo = 0, hi = n;
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        if (r[mid].from <= at)
            lo = mid;
        else
            hi = mid;
    }
    return &r[lo];
}

/* Add the name number `i` of the piece: the last bracket runs fastest. */
static void add_name(const struct piece *p, uint64_t i, struct strs *out)
{
    char number[BRACKETS_MAX][DIGITS_MAX + 3];
    for (size_t k = p->parts; k-- > 0;) {
        uint64_t at = i % p->part[k].count;
        i /= p->part[k].count;
        const struct range *r = range_of(p->part[k].ranges.at, p->part[k].ranges.n, at);
        snprintf(number[k], sizeof(number[k]), "%0*llu", r->width, (unsigned long long)(r->lo + at - r->from));
    }
    struct buf b = BUF_INIT;
    for (size_t k = 0; k < p->parts; k++) {
        buf_add(&b, p->part[k].text, p->part[k].len);
        buf_adds(&b, number[k]);
    }
    buf_add(&b, p->tail, p->tail_len);
    strs_take(out, buf_take(&b));
}

/* The end of the piece that starts at `s`: a separator outside brackets. */
static const char *piece_end(const char *s)
{
    for (bool inside = false; *s; s++) {
        inside = *s == '[' || (inside && *s != ']');
        if (!inside && (*s == ',' || isspace((unsigned char)*s)))
            break;
    }
    return s;
}

/* Walk the pieces: count them, and give the names to `out` when there is one. */
static int hostlist_walk(const char *expr, size_t *count, struct strs *out, struct err *err)
{
    *count = 0;
    for (const char *s = str_or(expr, ""), *end; *s; s = end + (*end != '\0')) {
        end = piece_end(s);
        if (end == s)
            continue;
        struct piece __attribute__((cleanup(piece_clear))) p = { 0 };
        int rc = parse_piece(&p, s, end, err);
        if (rc)
            return rc;
        *count += p.count;
        if (*count > HOSTLIST_MAX)
            return err_set(err, EINVAL, "hostlist \"%.64s%s\" is more than %d hosts", expr,
                           strlen(expr) > 64 ? "..." : "", HOSTLIST_MAX);
        for (uint64_t i = 0; out && i < p.count; i++)
            add_name(&p, i, out);
    }
    return 0;
}

int hostlist_count(const char *expr, size_t *count, struct err *err)
{
    return hostlist_walk(expr, count, NULL, err);
}

int hostlist_expand(const char *expr, struct strs *out, struct err *err)
{
    size_t count;
    int rc = hostlist_walk(expr, &count, NULL, err);
    return rc ? rc : hostlist_walk(expr, &count, out, err);
}

/* A name cut into what stands before its last digits, and those. */
struct host {
    const char *name;
    size_t prefix;       /* bytes before the digits */
    int digits;          /* how many; 0: none */
    uint64_t number;
};

static struct host cut_name(const char *name)
{
    struct host h = { .name = name, .prefix = strlen(name) };
    while (h.prefix && h.digits < DIGITS_MAX && isdigit((unsigned char)name[h.prefix - 1])) {
        h.prefix--;
        h.digits++;
    }
    h.number = h.digits ? strtoull(name + h.prefix, NULL, 10) : 0;
    return h;
}

static bool same_prefix(const struct host *a, const struct host *b)
{
    return a->digits && b->digits && a->prefix == b->prefix && !memcmp(a->name, b->name, a->prefix);
}

/* Does `b` read as `a` plus `step`, written at the width of `a`?  n09 n10 do, n9 n010 do not. */
static bool name_follows(const struct host *a, const struct host *b, uint64_t step)
{
    if (b->number != a->number + step || b->digits < a->digits)
        return false;
    return b->digits == a->digits || b->name[b->prefix] != '0';
}

/* "n[1-2,10,3]" for the hosts that share a prefix, starting at `i`; returns where the next begin. */
static size_t add_group(struct buf *b, const struct host *host, size_t i, size_t n)
{
    size_t end = i + 1;
    while (end < n && same_prefix(&host[i], &host[end]))
        end++;
    if (end == i + 1) {
        buf_adds(b, host[i].name);
        return end;
    }
    buf_add(b, host[i].name, host[i].prefix);
    for (size_t first = i, last; first < end; first = last + 1) {
        last = first;
        while (last + 1 < end && name_follows(&host[first], &host[last + 1], last + 1 - first))
            last++;
        buf_addc(b, first == i ? '[' : ',');
        buf_adds(b, host[first].name + host[first].prefix);
        if (last > first)
            buf_addf(b, "-%s", host[last].name + host[last].prefix);
    }
    buf_addc(b, ']');
    return end;
}

static char *compress_names(const struct host *host, size_t n)
{
    auto_buf struct buf b = BUF_INIT;
    for (size_t i = 0; i < n;) {
        if (i)
            buf_addc(&b, ',');
        i = add_group(&b, host, i, n);
    }
    return buf_take(&b);
}

static struct host *cut_all(char *const *names, size_t n)
{
    struct host *host = mem_array(n + 1, sizeof(*host));
    for (size_t i = 0; i < n; i++)
        host[i] = cut_name(names[i]);
    return host;
}

char *hostlist_compress(char *const *names, size_t n)
{
    auto_free struct host *host = cut_all(names, n);
    return compress_names(host, n);
}

/* Numbers inside the text by value: r2 before r10; those with leading zeros as fractions, before the others. */
static int cmp_number(const char **a, const char **b, const char *a_end, const char *b_end)
{
    const char *x = *a, *y = *b;
    while (*a < a_end && isdigit((unsigned char)**a))
        ++*a;
    while (*b < b_end && isdigit((unsigned char)**b))
        ++*b;
    size_t nx = (size_t)(*a - x), ny = (size_t)(*b - y);
    bool fraction = *x == '0' || *y == '0';
    if (!fraction && nx != ny)
        return nx < ny ? -1 : 1;
    int c = memcmp(x, y, MIN(nx, ny));
    return c ? c : (nx > ny) - (nx < ny);
}

static int cmp_prefix(const struct host *a, const struct host *b)
{
    const char *x = a->name, *y = b->name, *x_end = x + a->prefix, *y_end = y + b->prefix;
    while (x < x_end && y < y_end) {
        int c;
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y))
            c = cmp_number(&x, &y, x_end, y_end);
        else
            c = (unsigned char)*x++ - (unsigned char)*y++;
        if (c)
            return c;
    }
    return (x < x_end) - (y < y_end);
}

static int cmp_host(const void *pa, const void *pb)
{
    const struct host *a = pa, *b = pb;
    int c = cmp_prefix(a, b);
    if (c)
        return c;
    if (a->digits != b->digits)
        return a->digits < b->digits ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

char *hostlist_compress_sorted(char *const *names, size_t n)
{
    auto_free struct host *host = cut_all(names, n);
    qsort(host, n, sizeof(*host), cmp_host);
    return compress_names(host, n);
}

int hostlist_cmp(const char *a, const char *b)
{
    struct host x = cut_name(a), y = cut_name(b);
    return cmp_host(&x, &y);
}
