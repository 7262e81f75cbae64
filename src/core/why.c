/* why - the reasons' names; see why.h. */
#include "core/why.h"

static const char *const names[] = {
#define X(code, name) name,
    WHY_CODES(X)
#undef X
};

const char *why_name(enum why_code code)
{
    return code < WHY_COUNT ? names[code] : "None";
}
