/* str - questions about text; see str.h. */
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

bool str_has_prefix(const char *s, const char *prefix)
{
    return s && !strncmp(s, prefix, strlen(prefix));
}

bool str_has_iprefix(const char *s, const char *prefix)
{
    return s && !strncasecmp(s, prefix, strlen(prefix));
}

bool str_has_suffix(const char *s, const char *suffix)
{
    size_t n = s ? strlen(s) : 0, k = strlen(suffix);
    return s && n >= k && !strcmp(s + n - k, suffix);
}

bool str_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
    if (!s || !isdigit((unsigned char)*s))
        return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, 10);
    if (errno || *end || v < min || v > max)
        return false;
    *out = v;
    return true;
}

bool str_i64(const char *s, int64_t min, int64_t max, int64_t *out)
{
    if (!s || !(isdigit((unsigned char)*s) || (*s == '-' && isdigit((unsigned char)s[1]))))
        return false;
    char *end;
    errno = 0;
    long long v = strtoll(s, &end, 10);
    if (errno || *end || v < min || v > max)
        return false;
    *out = v;
    return true;
}

char *str_next(const char **pos, const char *seps)
{
    const char *s = *pos + strspn(*pos, seps);
    if (!*s)
        return NULL;
    size_t n = strcspn(s, seps);
    *pos = s + n;
    return mem_strn(s, n);
}

bool str_in_list(const char *list, const char *word)
{
    size_t k = strlen(word);
    while (list && *list) {
        size_t n = strcspn(list, ",");
        if (n == k && !memcmp(list, word, n))
            return true;
        list += n;
        list += *list == ',';
    }
    return false;
}

char *str_trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
    return s;
}
