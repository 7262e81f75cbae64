/* The words every room speaks: buf, str, map, bitmap, err. */
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

#include "base/bitmap.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/errnum.h"
#include "base/log.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

static void test_buf(void)
{
    auto_buf struct buf b = BUF_INIT;
    for (int i = 0; i < 1000; i++)
        buf_addf(&b, "%d,", i);
    is_int(b.len, 3890, "a thousand numbers are all there");
    buf_cut(&b, 2);
    ok(str_has_prefix(b.s, "1,2,"), "cut drops the front");
    buf_cut(&b, 99999);
    is_str(b.s, "", "cutting more than there is empties it");
}

static void test_str(void)
{
    uint64_t u;
    int64_t i;
    ok(str_u64("42", 0, 100, &u) && u == 42, "a number");
    ok(!str_u64("42x", 0, 100, &u) && !str_u64("-1", 0, 100, &u) && !str_u64("", 0, 9, &u), "not a number");
    ok(!str_u64("18446744073709551616", 0, UINT64_MAX, &u), "too big is not wrapped");
    ok(str_i64("-7", -10, 10, &i) && i == -7, "a negative number");
    ok(str_in_list("a,bb,c", "bb") && !str_in_list("a,bb,c", "b"), "whole words of a list");
    const char *pos = ",a,,b";
    auto_free char *a = str_next(&pos, ",");
    auto_free char *b = str_next(&pos, ",");
    ok(str_eq(a, "a") && str_eq(b, "b") && !str_next(&pos, ","), "pieces, empty ones skipped");
}

static void test_map(void)
{
    struct map m = MAP_INIT;
    static int v[5000];
    for (uint64_t k = 0; k < 5000; k++)
        map_put(&m, k * 64, &v[k]);
    for (uint64_t k = 0; k < 5000; k += 2)
        map_del(&m, k * 64);
    bool right = m.n == 2500;
    for (uint64_t k = 0; k < 5000; k++)
        right &= map_get(&m, k * 64) == (k % 2 ? &v[k] : NULL);
    ok(right, "deleting every second key leaves exactly the others");
    map_clear(&m);

    struct smap s = { 0 };
    smap_put(&s, "n1", &v[1]);
    smap_put(&s, "n2", &v[2]);
    ok(smap_get(&s, "n2") == &v[2] && !smap_get(&s, "n3"), "text keys");
    ok(smap_del(&s, "n1") == &v[1] && s.n == 1, "del returns what was there");
    smap_clear(&s);
}

static void test_bitmap(void)
{
    auto_bitmap struct bitmap b = BITMAP_INIT;
    bitmap_set_range(&b, 60, 10);
    is_int(bitmap_count(&b), 10, "a range over a word border");
    bitmap_unset(&b, 63);
    size_t n = 0;
    bitmap_each(&b, i)
        n += i;
    is_int(n, 60 + 61 + 62 + 64 + 65 + 66 + 67 + 68 + 69, "walking visits each set bit");
    is_int(bitmap_next_unset(&b, 60), 63, "first free");
}

static void test_log_reopen(void)
{
    char dir[] = "/tmp/spur-log.XXXXXX";
    ok(mkdtemp(dir) && !log_reopen(NULL), "without a log file there is nothing to reopen");
    auto_free char *path = mem_printf("%s/log", dir), *old = mem_printf("%s/log.1", dir);
    ok(!log_file(path, 0, NULL) && !rename(path, old), "a log is rotated");
    log_error("to the old file");
    ok(access(path, F_OK) != 0, "lines go to the old file");
    ok(!log_reopen(NULL), "the log is opened again");
    log_error("to the new file");
    auto_buf struct buf text = BUF_INIT;
    ok(!buf_read_file(&text, path, 4096) && strstr(text.s, "to the new file") && !strstr(text.s, "old"),
       "lines go to the new file");
    unlink(path), unlink(old), rmdir(dir);
}

int main(void)
{
    test_buf();
    test_str();
    test_map();
    test_bitmap();
    struct err e = ERR_INIT;
    is_int(err_set(&e, ENOENT, "cannot open %s", "x"), ENOENT, "err_set returns the code");
    err_prefix(&e, "conf");
    is_str(e.text, "conf: cannot open x", "prefix goes in front");
    is_str(err_text(ESLURM_INVALID_PARTITION_NAME), "Invalid partition name specified",
           "Slurm's words for its numbers");
    test_log_reopen();
    return test_done();
}
