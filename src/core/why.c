/* why - the reasons' names; see why.h. */
#include "core/why.h"

static const char *const names[] = {
#define X(code, name) name,
    WHY_CODES(X)
#undef X
};

static const char *const limit_names[] = {
#define X(code, name) name,
    WHY_LIMIT_CODES(X)
#undef X
};

const char *why_name(enum why_code code)
{
    if (code > WHY_LIMIT_FIRST && code < WHY_LIMIT_END)
        return limit_names[code - WHY_LIMIT_FIRST - 1];
    return code < WHY_COUNT ? names[code] : "None";
}
