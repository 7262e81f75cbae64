/* lz4 - what was packed comes back; what was not packed by us is refused, not believed. */
#include <stdlib.h>

#include "test.h"
#include "wire/lz4.h"
#include "wire/sum.h"

static bool round_trip(const char *p, size_t n)
{
    auto_buf struct buf small = BUF_INIT;
    if (!lz4_pack(p, n, &small))
        return small.len == 0;
    auto_free char *back = mem_alloc(n);
    return small.len < n && lz4_unpack(small.s, small.len, back, n) && !memcmp(p, back, n) &&
           !lz4_unpack(small.s, small.len, back, n - 1) && !lz4_unpack(small.s, small.len - 1, back, n);
}

static void test_texts(void)
{
    auto_buf struct buf text = BUF_INIT;
    for (int i = 0; i < 3000; i++)
        buf_addf(&text, "line %d of a text that repeats itself\n", i % 50);
    auto_buf struct buf small = BUF_INIT;
    ok(lz4_pack(text.s, text.len, &small) && small.len < text.len / 10, "a text that repeats itself gets small");
    size_t good = 0;
    for (size_t n = 1; n <= 600; n++)
        good += round_trip(text.s, n);
    is_int(good, 600, "beginnings of every length come back");
    auto_free char *zeros = mem_alloc(300000);
    ok(round_trip(zeros, 300000), "long runs come back");
}

static void test_random(void)
{
    auto_free char *p = mem_alloc(5000);
    size_t good = 0;
    srand(1);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 5000; i++)
            p[i] = (char)(rand() % (round % 8 + 1));
        good += round_trip(p, (size_t)(rand() % 5000));
    }
    is_int(good, 200, "random bytes of few and many kinds come back");
    auto_buf struct buf none = BUF_INIT;
    for (int i = 0; i < 5000; i++)
        p[i] = (char)rand();
    ok(!lz4_pack(p, 5000, &none) && !none.len, "what does not get smaller is left alone");
}

static void test_wrong(void)
{
    static const struct {
        const char *bytes;
        size_t n, want;
        const char *name;
    } cases[] = {
        { "", 0, 4, "nothing" },
        { "\xf0", 1, 100, "a length that is not there" },
        { "\x40"
          "ab",
          3, 4, "fewer bytes than it says" },
        { "\x14"
          "a\x09\x00",
          4, 9, "a reference before the beginning" },
        { "\x14"
          "a\x00\x00",
          4, 9, "a reference to itself" },
        { "\x1f"
          "a\x01\x00\xff\xff\xff",
          7, 9, "a match that is longer than the room" },
    };
    char out[128];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        ok(!lz4_unpack(cases[i].bytes, cases[i].n, out, cases[i].want), "refused: %s", cases[i].name);
}

static void test_sum(void)
{
    struct sum *a = sum_new(), *b = sum_new();
    sum_add(a, "hello world", 11);
    sum_add(b, "hello", 5);
    sum_add(b, " world", 6);
    ok(sum_value(a) == sum_value(b), "a checksum is the same in pieces");
    sum_add(b, "!", 1);
    ok(sum_value(a) != sum_value(b), "and another for other bytes");
    sum_free(a);
    sum_free(b);
}

int main(void)
{
    test_texts();
    test_random();
    test_wrong();
    test_sum();
    return test_done();
}
