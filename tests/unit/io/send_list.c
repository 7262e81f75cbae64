/* send_list: own bytes and sheets come out in the order they went in, from any byte on, and sheets are let go of. */
#include <stdbool.h>

#include "io/send_list.h"
#include "test.h"

static struct sheet *sheet(const char *text)
{
    struct buf b = BUF_INIT;
    buf_adds(&b, text);
    return sheet_new(&b);
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
    struct sheet *a = sheet("SHEET"), *none = sheet("");
    ok(reads(&p, ""), "nothing in it");
    own(&p, "one");
    ok(reads(&p, "one"), "bytes of its own");
    send_list_hang(&p, a);
    send_list_hang(&p, a);
    own(&p, "two");
    send_list_hang(&p, none);
    own(&p, "three");
    send_list_hang(&p, a);
    ok(reads(&p, "oneSHEETSHEETtwothreeSHEET"), "sheets among them, twice the same, one that is empty");
    send_list_before(&p, "hello ", 6);
    ok(reads(&p, "hello oneSHEETSHEETtwothreeSHEET"), "something before all of it");
    is_int(a->holders, 4, "it holds its sheets");
    send_list_reset(&p);
    ok(reads(&p, "") && a->holders == 1, "empty again: it holds none");
    send_list_hang(&p, a);
    ok(reads(&p, "SHEET"), "a sheet alone");
    send_list_clear(&p);
    is_int(a->holders, 1, "and let go");
    sheet_drop(a);
    sheet_drop(none);
    return test_done();
}
