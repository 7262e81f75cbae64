/* A binding's text reads back as itself; the first byte says which grammar. */
#include "fuzz.h"

#include <string.h>

#include "text/bind.h"

static void cpu(const char *text)
{
    auto_bind_cpu struct bind_cpu a = { 0 }, b = { 0 };
    struct err err = ERR_INIT;
    int rc = bind_cpu_parse(text, &a, &err);
    check(!rc == !err.text[0]);
    auto_free char *once = bind_cpu_text(&a);
    if (rc || !*once)
        return;
    check(!bind_cpu_parse(once, &b, &err));
    auto_free char *twice = bind_cpu_text(&b);
    check(!strcmp(once, twice));
}

static void mem(const char *text)
{
    auto_bind_mem struct bind_mem a = { 0 }, b = { 0 };
    struct err err = ERR_INIT;
    int rc = bind_mem_parse(text, &a, &err);
    check(!rc == !err.text[0]);
    auto_free char *once = bind_mem_text(&a);
    if (rc || !*once)
        return;
    check(!bind_mem_parse(once, &b, &err));
    auto_free char *twice = bind_mem_text(&b);
    check(!strcmp(once, twice));
}

static void dist(const char *text)
{
    struct bind_dist a, b;
    struct err err = ERR_INIT;
    if (bind_dist_parse(text, &a, &err))
        return;
    auto_free char *once = bind_dist_text(&a);
    if (a.node == BIND_PLANE)
        return; /* its size stands elsewhere */
    check(!bind_dist_parse(once, &b, &err));
    check((a.node == b.node || !a.node) && a.core == b.core && a.pack == b.pack && a.nopack == b.nopack);
    check(a.socket == b.socket || !a.socket);
}

static void devices(const char *text)
{
    auto_bind_gres struct bind_gres b = { 0 };
    struct err err = ERR_INIT;
    int rc = bind_tres_parse(text, "gpu", &b, &err);
    check(!rc == !err.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static void (*const grammar[])(const char *) = { cpu, mem, dist, devices };
    if (n > FUZZ_TEXT_MAX || n < 1)
        return 0;
    auto_free char *text = mem_strn((const char *)data + 1, n - 1);
    grammar[data[0] % 4](text);
    return 0;
}
