/* parcel: own bytes and sheets come out in the order they went in, from any byte on, and sheets are let go of. */
#include <stdbool.h>

#include "io/parcel.h"
#include "test.h"

static struct sheet *sheet(const char *text)
{
    struct buf b = BUF_INIT;
    buf_adds(&b, text);
    return sheet_new(&b);
}

static void own(struct parcel *p, const char *text)
{
    buf_adds(parcel_own(p, strlen(text)), text);
}

/* All pieces in a row are `want`, from each of its bytes on. */
static bool reads(const struct parcel *p, const char *want)
{
    size_t len = strlen(want);
    for (size_t from = 0; from <= len; from++) {
        uv_buf_t b[16];
        auto_buf struct buf all = BUF_INIT;
        unsigned n = parcel_pieces(p, from, b);
        if (parcel_count(p) > 16 || n > parcel_count(p))
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
    struct parcel p = { 0 };
    struct sheet *a = sheet("SHEET"), *none = sheet("");
    ok(reads(&p, ""), "nothing in it");
    own(&p, "one");
    ok(reads(&p, "one"), "bytes of its own");
    parcel_hang(&p, a);
    parcel_hang(&p, a);
    own(&p, "two");
    parcel_hang(&p, none);
    own(&p, "three");
    parcel_hang(&p, a);
    ok(reads(&p, "oneSHEETSHEETtwothreeSHEET"), "sheets among them, twice the same, one that is empty");
    parcel_before(&p, "hello ", 6);
    ok(reads(&p, "hello oneSHEETSHEETtwothreeSHEET"), "something before all of it");
    is_int(a->holders, 4, "it holds its sheets");
    parcel_reset(&p);
    ok(reads(&p, "") && a->holders == 1, "empty again: it holds none");
    parcel_hang(&p, a);
    ok(reads(&p, "SHEET"), "a sheet alone");
    parcel_clear(&p);
    is_int(a->holders, 1, "and let go");
    sheet_drop(a);
    sheet_drop(none);
    return test_done();
}
