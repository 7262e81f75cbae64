/* The files of a ledger: what reaches the disk and when, and that damage is noticed, byte by byte. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/ledger_mark.h"
#include "store/segment.h"
#include "store/snapfile.h"
#include "test.h"

/* ---- syncs are written down: these stand before libc's ---- */

static char synced[512];

static int note_sync(int fd, long number)
{
    char link[64], target[256] = "";
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, target, sizeof(target) - 1);
    const char *name = n > 0 ? strrchr(target, '/') : NULL;
    size_t len = strlen(synced);
    snprintf(synced + len, sizeof(synced) - len, "%s ", name ? name + 1 : "?");
    return (int)syscall(number, fd);
}

int fsync(int fd)
{
    return note_sync(fd, SYS_fsync);
}

int fdatasync(int fd)
{
    return note_sync(fd, SYS_fdatasync);
}

static char top[] = "/tmp/spur-files.XXXXXX";

static void test_mark_syncs(void)
{
    struct err err = ERR_INIT;
    struct ledger_mark g;
    char want[64];
    ok(ledger_mark_open(&g, top, &err) == 0 && !g.existed, "a new folder has no mark: %s", err.text);
    synced[0] = '\0';
    is_int(ledger_mark_found(&g, top, 7, 0, &err), 0, "a mark is founded");
    snprintf(want, sizeof(want), "mark.new %s ", strrchr(top, '/') + 1);
    ok(!strcmp(synced, want), "its bytes are synced, then its name: %s", synced);
    synced[0] = '\0';
    is_int(ledger_mark_note(&g, 41), 0, "an index is noted");
    ok(!synced[0], "which waits for no disk");
    is_int(ledger_mark_sync(&g), 0, "and brought to the disk");
    ok(!strcmp(synced, "mark "), "by a sync of the mark: %s", synced);
    synced[0] = '\0';
    is_int(ledger_mark_set_flags(&g, LEDGER_MARK_JOINING, &err), 0, "flags change");
    ok(!strcmp(synced, "mark "), "durably: %s", synced);
    synced[0] = '\0';
    ledger_mark_note(&g, 42);
    ledger_mark_close(&g);
    ok(!strcmp(synced, "mark "), "closing brings what was noted to the disk: %s", synced);
}

/* Each byte of each slot in turn: the other slot, or a refusal, never a wrong number. */
static void test_mark_damage(void)
{
    auto_free char *path = mem_printf("%s/mark", top);
    auto_close int fd = open(path, O_RDWR | O_CLOEXEC);
    unsigned wrong = 0, fell_back = 0;
    for (off_t at = 0; at < 72; at++) {
        for (off_t slot = 0; slot < 2; slot++) {
            char was, now;
            struct ledger_mark g;
            struct err err = ERR_INIT;
            pread(fd, &was, 1, slot * 4096 + at);
            now = (char)(was ^ 0x10);
            pwrite(fd, &now, 1, slot * 4096 + at);
            int rc = ledger_mark_open(&g, top, &err);
            wrong += !rc && !(g.id == 7 && (g.committed == 41 || g.committed == 42));
            fell_back += !rc && g.committed == 41;
            g.dirty = false;
            ledger_mark_close(&g);
            pwrite(fd, &was, 1, slot * 4096 + at);
        }
    }
    is_int(wrong, 0, "no flipped bit of the mark becomes a number");
    ok(fell_back >= 60, "the other slot counts instead: %u times", fell_back);
}

/* ---- a segment, as libraft writes it ---- */

static uint32_t crc(const uint8_t *p, size_t n)
{
    uint32_t c = 0;
    while (n--) {
        c ^= (uint32_t)*p++ << 24;
        for (int k = 0; k < 8; k++)
            c = c & 0x80000000u ? 0x04c11db7u ^ c << 1 : c << 1;
    }
    return c;
}

static void put(uint8_t *at, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(v >> 8 * i);
}

/* One batch of one entry of 16 bytes after the format word; its length. */
static size_t make_segment(uint8_t *p)
{
    put(p, 1, 8);
    uint8_t *batch = p + 8, *head = batch + 8, *body = head + 24;
    put(head, 1, 8);
    put(head + 8, 3, 8);
    put(head + 16, 1, 8);
    put(head + 20, 16, 4);
    memset(body, 'x', 16);
    put(batch, crc(head, 24), 4);
    put(batch + 4, crc(body, 16), 4);
    return 8 + 8 + 24 + 16;
}

static void test_segment(void)
{
    uint8_t file[4096] = { 0 };
    bool clean = false;
    size_t len = make_segment(file);
    ok(segment_entries(file, sizeof(file), &clean) == 1 && clean, "a whole batch is counted");
    unsigned counted = 0, called_clean = 0;
    for (size_t at = 8; at < len; at++) {
        file[at] ^= 0x04;
        counted += segment_entries(file, sizeof(file), &clean) != 0;
        called_clean += clean;
        file[at] ^= 0x04;
    }
    is_int(counted, 0, "no batch with a flipped bit is counted, in its head or in its data");
    is_int(called_clean, 0, "nor called clean");
    ok(segment_entries(file, len - 1, &clean) == 0, "nor one that is cut short");
}

static void test_snapshot(void)
{
    char file[SNAPFILE_HEAD + 100];
    const void *body;
    uint64_t index;
    size_t len;
    struct err err = ERR_INIT;
    memset(file + SNAPFILE_HEAD, 's', 100);
    snapfile_seal(file, 12, file + SNAPFILE_HEAD, 100);
    is_int(snapfile_open(file, sizeof(file), &index, &body, &len, &err), 0, "a snapshot opens");
    unsigned taken = 0;
    for (size_t size = 0; size < sizeof(file); size += 7)
        taken += snapfile_open(file, size, &index, &body, &len, &err) != EUCLEAN;
    is_int(taken, 0, "not when it is shorter");
    ok(strstr(err.text, "cut short"), "one that is cut short says so: %s", err.text);
    unsigned opened = 0;
    for (size_t at = 0; at < sizeof(file); at++) {
        file[at] ^= 0x20;
        opened += !snapfile_open(file, sizeof(file), &index, &body, &len, &err);
        file[at] ^= 0x20;
    }
    is_int(opened, 0, "none opens with a flipped bit");
}

int main(void)
{
    if (!mkdtemp(top))
        return 1;
    test_mark_syncs();
    test_mark_damage();
    test_segment();
    test_snapshot();
    auto_free char *mark = mem_printf("%s/mark", top), *lock = mem_printf("%s/lock", top);
    unlink(mark);
    unlink(lock);
    rmdir(top);
    return test_done();
}
