/* send_list: own bytes and shared buffers come out in the order in which they were added, from any offset on; the
 * references to the buffers are dropped. */
#include <stdbool.h>

#include "io/send_list.h"
#include "test.h"

static struct shared_buf *buffer(const char *text)
{
    struct buf b = BUF_INIT;
    buf_adds(&b, text);
    return shared_buf_new(&b);
}

static void own(struct send_list *p, const char *text)
{
    buf_adds(send_list_own(p, strlen(text)), text);
}

/* All pieces in a row are `want`, from each of its bytes on. */
static bool reads(const struct send_list *p, const char *want)
{
    size_t len = strlen(want);
    for (size_t from = 0; from <= len; from++) {
        uv_buf_t b[16];
        auto_buf struct buf all = BUF_INIT;
        unsigned n = send_list_pieces(p, from, b);
        if (send_list_count(p) > 16 || n > send_list_count(p))
            return false;
        for (unsigned i = 0; i < n; i++) {
            if (!b[i].len)
                return false; /* the kernel would be asked for nothing */
            buf_add(&all, b[i].base, b[i].len);
        }
        if (all.len != len - from || (all.len && memcmp(all.s, want + from, all.len)))
            return false;
    }
    return p->len == len;
}

int main(void)
{
    struct send_list p = { 0 };
    struct shared_buf *a = buffer("SHEET"), *none = buffer("");
    ok(reads(&p, ""), "nothing in it");
    own(&p, "one");
    ok(reads(&p, "one"), "bytes of its own");
    send_list_share(&p, a);
    send_list_share(&p, a);
    own(&p, "two");
    send_list_share(&p, none);
    own(&p, "three");
    send_list_share(&p, a);
    ok(reads(&p, "oneSHEETSHEETtwothreeSHEET"), "shared buffers among them, twice the same, one that is empty");
    is_int(a->refs, 4, "it holds its shared buffers");
    send_list_reset(&p);
    ok(reads(&p, "") && a->refs == 1, "empty again: it holds none");
    send_list_share(&p, a);
    ok(reads(&p, "SHEET"), "a shared buffer alone");
    send_list_clear(&p);
    is_int(a->refs, 1, "and let go");
    shared_buf_unref(a);
    shared_buf_unref(none);
    return test_done();
}
