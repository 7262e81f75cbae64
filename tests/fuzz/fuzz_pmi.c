/* Bytes of two tasks, in pieces of any size: the PMI server answers or refuses, and stays within its bounds. */
#include "fuzz.h"

#include "base/buf.h"
#include "mpi/pmi.h"

static struct pmi *server;

static void on_reply(void *arg, uint32_t local, const void *p, size_t n)
{
    check(local < 2 && n && n < 2 * PMI_LINE_MAX + 4096);
}

/* The network brings back what was sent, and another node's part. */
static void on_fence(void *arg, uint64_t number, const void *p, size_t n)
{
    struct buf *all = arg;
    check(!n || ((const char *)p)[n - 1] == '\0');
    buf_reset(all);
    buf_add(all, p, n);
    buf_add(all, "x\0y", 4);
}

static void on_abort(void *arg, uint32_t local, int code, const char *why)
{
    check(why);
}

static void on_complaint(void *arg, uint32_t local, const char *text)
{
    check(text && *text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const struct pmi_ops ops = { on_reply, on_fence, on_abort, on_complaint };
    static const uint32_t rank[] = { 0, 1 };
    const struct pmi_place place = { "1.0", "(vector,(0,1,2))", 2, 2, rank };
    struct err err = ERR_INIT;
    auto_buf struct buf all = BUF_INIT;
    server = pmi_new(&place, &ops, &all);
    bool dead[2] = { false, false };
    for (size_t at = 0; at < n;) { /* a byte: which task speaks, and how much */
        uint32_t local = data[at] & 1;
        size_t len = MIN((size_t)(data[at] >> 1) + 1, n - at - 1);
        at++;
        if (!dead[local])
            dead[local] = pmi_input(server, local, data + at, len, &err) != 0;
        at += len;
        if (all.len) {
            pmi_fenced(server, all.s, all.len, (int)(n & 1));
            buf_reset(&all);
        }
    }
    pmi_free(server);
    return 0;
}
