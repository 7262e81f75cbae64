/* conf_keys - finding a key, or the one that was meant; see conf_keys.h. */
#include "text/conf_keys.h"

#include "base/mem.h"
#include "base/str.h"

#define NAME_MAX_LEN 40 /* longer than any key */

enum conf_kind conf_line_kind(const char *first_key)
{
    static const char *const names[CONF_KINDS] = {
        [CONF_NODE] = "NodeName",   [CONF_PART] = "PartitionName", [CONF_DOWN] = "DownNodes",
        [CONF_NODESET] = "NodeSet", [CONF_POWER] = "PowerAction",
    };
    for (enum conf_kind k = CONF_NODE; k < CONF_KINDS; k++)
        if (str_ieq(names[k], first_key))
            return k;
    return CONF_GLOBAL;
}

static const struct conf_key *key_search(enum conf_kind kind, const char *name)
{
    size_t n, low = 0;
    const struct conf_key *row = conf_keys(kind, &n);
    for (size_t high = n; low < high;) {
        size_t mid = (low + high) / 2;
        int cmp = strcasecmp(name, row[mid].name);
        if (!cmp)
            return &row[mid];
        if (cmp < 0)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}

const struct conf_key *conf_key_find(enum conf_kind kind, const char *name)
{
    const struct conf_key *row = key_search(kind, name);
    return row && row->alias ? key_search(kind, row->alias) : row;
}

static unsigned char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : (unsigned char)c;
}

/* How many letters must be put in, taken out or changed to make `b` of `a`. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    unsigned row[NAME_MAX_LEN + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned change = diagonal + (to_lower(a[i - 1]) != to_lower(b[j - 1]));
            diagonal = row[j];
            unsigned cheapest = MIN(row[j], row[j - 1]) + 1;
            row[j] = MIN(change, cheapest);
        }
    }
    return row[m];
}

const char *conf_key_nearest(enum conf_kind kind, const char *name)
{
    size_t n, len = strlen(name);
    const struct conf_key *row = conf_keys(kind, &n);
    const char *best = NULL;
    unsigned best_distance = (unsigned)(len / 3 + 1); /* further away it is another word */
    if (len > NAME_MAX_LEN)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        unsigned d = strlen(row[i].name) <= NAME_MAX_LEN ? edit_distance(name, row[i].name) : best_distance;
        if (d < best_distance) {
            best_distance = d;
            best = row[i].name;
        }
    }
    return best;
}
