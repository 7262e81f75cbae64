/* freq - how often usage is looked at; see freq.h. */
#include "text/freq.h"

#include "base/mem.h"
#include "base/str.h"

#define SECONDS_MAX 0xfffdu

static const char *const kinds[] = { "task", "energy", "network", "filesystem" };

/* The number of its kind; -1: there is none. */
static int kind_of(const char *word, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strlen(kinds[i]) == len && !strncasecmp(kinds[i], word, len))
            return (int)i;
    return -1;
}

bool freq_parse(const char *text, uint32_t *task_s)
{
    const char *pos = text;
    unsigned seen = 0;
    for (char *raw; (raw = str_next(&pos, ","));) {
        auto_free char *word = raw;
        const char *equals = strchr(word, '=');
        int kind = equals ? kind_of(word, (size_t)(equals - word)) : 0;
        uint64_t n;
        if (kind < 0 || !str_u64(equals ? equals + 1 : word, 0, SECONDS_MAX, &n))
            return false;
        seen |= 1u << kind;
        if (kind == 0)
            *task_s = (uint32_t)n;
    }
    return seen;
}
