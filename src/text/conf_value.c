/* conf_value - the types of conf_keys: text in, a number or a text in the table's spelling out. */
#include <ctype.h>

#include "base/str.h"
#include "text/conf_keys.h"
#include "text/hostlist.h"
#include "text/time.h"

static int bad_value(const struct conf_key *key, const char *value, struct err *err, const char *why)
{
    return err_set(err, EINVAL, "%s=%.100s: %s", key->name, value, why);
}

static bool is_infinite(const char *value)
{
    return str_ieq(value, "INFINITE") || str_ieq(value, "UNLIMITED");
}

/* Slurm's numbers: any C base, and K for 1024 in the wider types. */
static int parse_number(const struct conf_key *key, const char *value, uint64_t max, bool kilo, struct conf_value *out,
                        struct err *err)
{
    if (is_infinite(value)) {
        out->number = max;
        return 0;
    }
    const char *digits = value + (*value == '-');
    char *end;
    errno = 0;
    uint64_t n = strtoull(digits, &end, 0);
    bool overflow = errno == ERANGE;
    if (kilo && (*end == 'k' || *end == 'K')) {
        overflow |= __builtin_mul_overflow(n, (uint64_t)1024, &n);
        end++;
    }
    if (!isdigit((unsigned char)*digits) || *end)
        return bad_value(key, value, err, "not a valid number");
    if (*value == '-' && n)
        return bad_value(key, value, err, "less than zero");
    if (overflow || n > max)
        return err_set(err, EINVAL, "%s=%.100s: greater than %llu", key->name, value, (unsigned long long)max);
    out->number = n;
    return 0;
}

static int parse_bool(const struct conf_key *key, const char *value, struct conf_value *out, struct err *err)
{
    static const char *const words[] = { "no", "yes", "false", "true", "down", "up", "0", "1" };
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (str_ieq(value, words[i])) {
            out->number = i & 1;
            return 0;
        }
    }
    return bad_value(key, value, err, "not a valid option, say yes or no");
}

static int parse_time(const struct conf_key *key, const char *value, struct conf_value *out, struct err *err)
{
    uint32_t n;
    int rc = key->type == CONF_MINUTES ? time_limit_parse(value, &n, err) : time_secs_parse(value, &n, err);
    if (rc)
        return bad_value(
            key, value, err,
            "not a valid time, say minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED");
    out->number = n;
    return 0;
}

static int parse_idle(const struct conf_key *key, const char *value, struct conf_value *out, struct err *err)
{
    if (str_ieq(value, "NONE") || str_eq(value, "-1"))
        value = "INFINITE";
    return parse_number(key, value, UINT32_MAX, false, out, err);
}

static int parse_level(const struct conf_key *key, const char *value, struct conf_value *out, struct err *err)
{
    static const char *const levels[] = { "quiet", "fatal",  "error",  "info",   "verbose",
                                          "debug", "debug2", "debug3", "debug4", "debug5" };
    uint64_t n;
    if (str_u64(value, 0, ARRAY_LEN(levels) - 1, &n)) {
        out->text = levels[n];
        return 0;
    }
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        if (str_ieq(value, levels[i])) {
            out->text = levels[i];
            return 0;
        }
    }
    return bad_value(key, value, err, "not a log level, say quiet, fatal, error, info, verbose or debug to debug5");
}

static int parse_ports(const struct conf_key *key, const char *value, struct conf_value *out, struct err *err)
{
    unsigned long from, to;
    char *end;
    from = to = strtoul(value, &end, 10);
    if (*end == '-' && isdigit((unsigned char)end[1]))
        to = strtoul(end + 1, &end, 10);
    if (!isdigit((unsigned char)*value) || *end || !from || to < from || to > 65535)
        return bad_value(key, value, err, "not a port or a range of ports");
    out->number = from;
    out->text = value;
    return 0;
}

/* The word in words[] that `item` (of `n` bytes) names: its place, or -1.  `*spelling` and `*len` are how it is
 * written. */
static int find_word(const char *words, const char *item, size_t n, const char **spelling, size_t *len)
{
    int i = 0;
    for (const char *w = words; *w; i++) {
        size_t all = strcspn(w, "|"), k = strcspn(w, "|>");
        if (k == n && !strncasecmp(w, item, n)) {
            *spelling = k < all ? w + k + 1 : w;
            *len = k < all ? all - k - 1 : k;
            return i;
        }
        w += all + (w[all] == '|');
    }
    return -1;
}

static int bad_word(const struct conf_key *key, const char *value, const char *item, size_t n, struct err *err)
{
    auto_buf struct buf known = BUF_INIT;
    for (const char *w = key->words; *w; w += strspn(w, "|")) {
        size_t k = strcspn(w, "|");
        if (!memchr(w, '>', k))
            buf_addf(&known, "%s%.*s", known.len ? ", " : "", (int)k, w);
        w += k;
    }
    return err_set(err, EINVAL, "%s=%.60s: \"%.*s\" is not one of %s", key->name, value, (int)MIN(n, (size_t)60), item,
                   known.s);
}

static int parse_word(const struct conf_key *key, const char *value, struct conf_value *out, struct buf *scratch,
                      struct err *err)
{
    const char *spelling;
    size_t len;
    if (find_word(key->words, value, strlen(value), &spelling, &len) < 0)
        return bad_word(key, value, value, strlen(value), err);
    buf_add(scratch, spelling, len);
    out->text = scratch->s;
    return 0;
}

/* Add those of the `chosen` words that are in the table, in the table's order. */
static void add_chosen(const char *words, uint64_t chosen, struct buf *out)
{
    const char *sep = "";
    for (const char *w = words; *w; chosen >>= 1) {
        size_t k = strcspn(w, "|");
        if (chosen & 1) {
            buf_addf(out, "%s%.*s", sep, (int)k, w);
            sep = ",";
        }
        w += k + (w[k] == '|');
    }
}

static int parse_words(const struct conf_key *key, const char *value, struct conf_value *out, struct buf *scratch,
                       struct err *err)
{
    uint64_t chosen = 0; /* no key has more than 64 words */
    for (const char *s = value; *s;) {
        size_t n = strcspn(s, ","), len;
        const char *spelling;
        int i = find_word(key->words, s, n, &spelling, &len);
        if (i >= 0)
            chosen |= (uint64_t)1 << i;
        else if (key->type == CONF_WORDS && n)
            return bad_word(key, value, s, n, err);
        s += n + (s[n] == ',');
    }
    buf_reset(scratch);
    buf_add(scratch, "", 0);
    add_chosen(key->words, chosen, scratch);
    out->text = chosen || !key->dflt ? scratch->s : key->dflt;
    return 0;
}

static int parse_hosts(const struct conf_key *key, const char *value, struct conf_value *out, struct err *err)
{
    size_t n;
    struct err why = ERR_INIT;
    out->text = value;
    if (strchr(value, '{')) /* feature{...}: known once the nodes are */
        return 0;
    int rc = hostlist_count(value, &n, &why);
    return rc ? err_set(err, EINVAL, "%s=%.100s: %s", key->name, value, why.text) : 0;
}

int conf_value_parse(const struct conf_key *key, const char *value, struct conf_value *out, struct buf *scratch,
                     struct err *err)
{
    buf_reset(scratch);
    *out = (struct conf_value){ 0, NULL };
    switch (key->type) {
    case CONF_TEXT:
    case CONF_LIST:
    case CONF_MANY:
        out->text = value;
        return 0;
    case CONF_HOSTS:
        return parse_hosts(key, value, out, err);
    case CONF_WORD:
        return parse_word(key, value, out, scratch, err);
    case CONF_WORDS:
    case CONF_FLAGS:
        return parse_words(key, value, out, scratch, err);
    case CONF_LEVEL:
        return parse_level(key, value, out, err);
    case CONF_BOOL:
        return parse_bool(key, value, out, err);
    case CONF_U16:
        return parse_number(key, value, UINT16_MAX, false, out, err);
    case CONF_U32:
        return parse_number(key, value, UINT32_MAX, true, out, err);
    case CONF_U64:
        return parse_number(key, value, UINT64_MAX, true, out, err);
    case CONF_MINUTES:
    case CONF_SECONDS:
        return parse_time(key, value, out, err);
    case CONF_IDLE:
        return parse_idle(key, value, out, err);
    case CONF_PORTS:
        return parse_ports(key, value, out, err);
    case CONF_GONE:
        return err_set(err, EINVAL, "%s is no longer a key of slurm.conf: use %s", key->name, key->words);
    }
    return 0;
}

void conf_value_store(const struct conf_key *key, const struct conf_value *value, void *base)
{
    if (!key->at)
        return;
    void *to = (char *)base + key->at - 1;
    switch (key->type) {
    case CONF_BOOL:
        *(bool *)to = value->number != 0;
        return;
    case CONF_U16:
        *(uint16_t *)to = (uint16_t)value->number;
        return;
    case CONF_U32:
    case CONF_MINUTES:
    case CONF_SECONDS:
    case CONF_IDLE:
        *(uint32_t *)to = (uint32_t)value->number;
        return;
    case CONF_U64:
        *(uint64_t *)to = value->number;
        return;
    case CONF_TEXT:
    case CONF_LIST:
    case CONF_HOSTS:
    case CONF_WORD:
    case CONF_WORDS:
    case CONF_FLAGS:
    case CONF_LEVEL:
        *(char **)to = (char *)value->text;
        return;
    case CONF_PORTS:
    case CONF_MANY:
    case CONF_GONE:
        return;
    }
}
