/* size - amounts of memory and disk; see size.h. */
#include "text/size.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/* A number and the power of 1024 its suffix says: -1 for none.  A 'B' after the suffix is decoration. */
static bool parse_number(const char *text, const char *suffixes, uint64_t *number, int *power)
{
    const char *s = str_or(text, "");
    while (isspace((unsigned char)*s))
        s++;
    if (!isdigit((unsigned char)*s))
        return false;
    char *end;
    errno = 0;
    *number = strtoull(s, &end, 10);
    *power = -1;
    if (errno)
        return false;
    if (!*end)
        return true;
    const char *at = strchr(suffixes, toupper((unsigned char)*end));
    if (!at)
        return false;
    *power = (int)(at - suffixes) + 1;
    return !end[1] || str_ieq(end + 1, "B");
}

static bool scale_number(uint64_t *v, int power)
{
    for (; power > 0; power--)
        if (__builtin_mul_overflow(*v, 1024, v))
            return false;
    return true;
}

int size_mb_parse(const char *text, uint64_t *mb, struct err *err)
{
    uint64_t v;
    int power;
    if (!parse_number(text, "KMGT", &v, &power))
        return err_set(err, EINVAL, "invalid memory size \"%s\"", str_or(text, ""));
    if (power == 1) /* kilobytes */
        v = v / 1024 + (v % 1024 != 0);
    else if (!scale_number(&v, power - 2))
        return err_set(err, ERANGE, "memory size \"%s\" is too large", text);
    *mb = v;
    return 0;
}

int size_count_parse(const char *text, uint64_t *count, struct err *err)
{
    uint64_t v;
    int power;
    if (!parse_number(text, "KMGTP", &v, &power))
        return err_set(err, EINVAL, "invalid count \"%s\"", str_or(text, ""));
    if (!scale_number(&v, power))
        return err_set(err, ERANGE, "count \"%s\" is too large", text);
    *count = v;
    return 0;
}

/* Slurm divides as long as half a unit divides the whole part of what is left. */
char *size_mb_text(char out[static SIZE_TEXT], uint64_t mb)
{
    const char *unit = "MGTPE";
    double left = (double)mb;
    for (uint64_t whole = mb; unit[1] && whole >= 1024 && whole % 512 == 0; whole = (uint64_t)left) {
        left /= 1024;
        unit++;
    }
    if (*unit == 'M')
        snprintf(out, SIZE_TEXT, mb ? "%lluM" : "0", (unsigned long long)mb);
    else
        snprintf(out, SIZE_TEXT, "%.*f%c", (double)(uint64_t)left == left ? 0 : 2, left, *unit);
    return out;
}

char *size_count_text(char out[static SIZE_TEXT], uint64_t count)
{
    const char *unit = " KMGTP";
    while (unit[1] && count && count % 1024 == 0) {
        count /= 1024;
        unit++;
    }
    snprintf(out, SIZE_TEXT, "%llu%.*s", (unsigned long long)count, *unit != ' ', unit);
    return out;
}

char *size_in_unit(char out[static SIZE_TEXT], uint64_t count, char unit)
{
    static const char units[] = "KMGTP";
    const char *found = strchr(units, unit);
    double left = (double)count;
    for (const char *u = units; found && u <= found; u++)
        left /= 1024;
    if (!count)
        snprintf(out, SIZE_TEXT, "0");
    else
        snprintf(out, SIZE_TEXT, "%.*f%c", left == (double)(uint64_t)left ? 0 : 2, left, unit);
    return out;
}
