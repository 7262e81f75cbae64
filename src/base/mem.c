/* mem - allocation that does not fail; see mem.h. */
#include "base/mem.h"

#include <stdarg.h>
#include <string.h>

static void *mem_checked(void *p)
{
    if (!p) {
        static const char text[] = "out of memory\n";
        (void)!write(2, text, sizeof(text) - 1);
        abort();
    }
    return p;
}

void *mem_alloc(size_t n)
{
    return mem_checked(calloc(1, n ? n : 1));
}

void *mem_array(size_t n, size_t size)
{
    return mem_checked(calloc(n ? n : 1, size ? size : 1));
}

void *mem_grow(void *p, size_t n, size_t size)
{
    return mem_checked(reallocarray(p, n ? n : 1, size));
}

char *mem_str(const char *s)
{
    return s ? mem_checked(strdup(s)) : NULL;
}

char *mem_strn(const char *s, size_t n)
{
    char *copy = mem_checked(malloc(n + 1));
    if (n)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

void *mem_copy(const void *p, size_t n)
{
    void *copy = mem_checked(malloc(n ? n : 1));
    if (n)
        memcpy(copy, p, n);
    return copy;
}

char *mem_printf(const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&text, fmt, ap);
    va_end(ap);
    return mem_checked(n < 0 ? NULL : text);
}

void mem_set_str(char **where, const char *s)
{
    char *copy = mem_str(s);
    free(*where);
    *where = copy;
}
