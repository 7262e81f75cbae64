/* err - the sentence that goes with a failure; see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/errnum.h"

int err_set(struct err *err, int code, const char *fmt, ...)
{
    int saved = errno;
    if (!code)
        code = EIO;
    if (!err)
        return code;
    err->code = code;
    errno = saved;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return code;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
    char prefix[256], old[sizeof(err->text)];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(prefix, sizeof(prefix), fmt, ap);
    va_end(ap);
    memcpy(old, err->text, sizeof(old));
    snprintf(err->text, sizeof(err->text), "%s: %s", prefix, old);
    return err->code;
}

static const struct {
    int code;
    const char *text;
} table[] = {
#define X(name, number, text) { number, text },
    SPUR_ERRORS(X)
#undef X
};

const char *err_text(int code)
{
    if (code < 1000)
        return strerror(code);
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].code == code)
            return table[i].text;
    return "Unknown error";
}
