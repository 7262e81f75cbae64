/*
 * segment.c - the format as raft/uv.h describes it: an 8-byte version, then batches of
 * crc(header) crc(data) | count | count x (term 8, type 1, unused 3, size 4) | data; little endian.
 * Files: FIRST-LAST are closed, open-N are not, snapshot-TERM-INDEX-TIME (and its .meta), metadata1/2.
 */
#include "store/segment.h"

#include <dirent.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

#define SEGMENT_MAX (64u << 20)
#define SEGMENT_FORMAT 1

struct open_file {
    unsigned long long counter;
    char name[80];
};

struct listing {
    VEC(struct open_file) open;
    unsigned long long closed_last;
};

static uint32_t crc_table[256];

static void crc_init(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i << 24;
        for (int k = 0; k < 8; k++)
            c = c & 0x80000000u ? 0x04c11db7u ^ c << 1 : c << 1;
        crc_table[i] = c;
    }
}

/* The usual polynomial, but most significant bit first and without inversions. */
static uint32_t crc32_of(const uint8_t *p, size_t n)
{
    uint32_t c = 0;
    while (n--)
        c = crc_table[c >> 24 ^ *p++] ^ c << 8;
    return c;
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof(v));
    return le32toh(v);
}

static uint64_t get64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof(v));
    return le64toh(v);
}

/* The length of the whole batch at `p`, and how many entries it holds; 0 when there is none. */
static size_t batch_at(const uint8_t *p, size_t room, uint64_t *count)
{
    if (room < 16)
        return 0;
    uint64_t n = get64(p + 8);
    if (!n || n > room / 16)
        return 0;
    size_t head = 8 + 16 * n, data = 0;
    if (room - 8 < head || crc32_of(p + 8, head) != get32(p))
        return 0;
    for (uint64_t i = 0; i < n; i++)
        data += get32(p + 16 + 16 * i + 12);
    if (room - 8 - head < data || crc32_of(p + 8 + head, data) != get32(p + 4))
        return 0;
    *count = n;
    return 8 + head + data;
}

static bool all_zero(const uint8_t *p, size_t n)
{
    return !n || (!p[0] && !memcmp(p, p + 1, n - 1));
}

uint64_t segment_entries(const void *file, size_t size, bool *clean)
{
    const uint8_t *p = file;
    size_t at = 8;
    uint64_t total = 0, n = 0;
    if (!crc_table[1])
        crc_init();
    if (size < 8 || get64(p) != SEGMENT_FORMAT) {
        *clean = all_zero(p, size);
        return 0;
    }
    for (size_t len; (len = batch_at(p + at, size - at, &n)); at += len)
        total += n;
    *clean = all_zero(p + at, size - at);
    return total;
}

static void note_snapshot(struct segment_view *v, const char *name)
{
    unsigned long long term, index, time;
    int used = 0;
    if (sscanf(name, "snapshot-%llu-%llu-%llu%n", &term, &index, &time, &used) != 3 || name[used])
        return;
    v->any = true;
    if (index < v->snapshot)
        return;
    v->snapshot = index;
    snprintf(v->newest_snapshot, sizeof(v->newest_snapshot), "%s", name);
}

static void note_segment(struct segment_view *v, struct listing *l, const char *name)
{
    unsigned long long first, last;
    int used = 0;
    struct open_file f = { 0 };
    if (sscanf(name, "open-%llu%n", &f.counter, &used) == 1 && !name[used]) {
        snprintf(f.name, sizeof(f.name), "%s", name);
        vec_push(&l->open, f);
        v->any = true;
    } else if (sscanf(name, "%llu-%llu%n", &first, &last, &used) == 2 && !name[used]) {
        l->closed_last = MAX(l->closed_last, last);
        v->any = true;
    }
}

static int by_counter(const void *a, const void *b)
{
    const struct open_file *x = a, *y = b;
    return x->counter < y->counter ? -1 : x->counter > y->counter;
}

static int count_open(struct segment_view *v, struct listing *l, const char *dir, struct err *err)
{
    if (l->open.n)
        qsort(l->open.at, l->open.n, sizeof(*l->open.at), by_counter);
    for (size_t i = 0; i < l->open.n; i++) {
        auto_free char *path = mem_printf("%s/%s", dir, l->open.at[i].name);
        auto_buf struct buf b = BUF_INIT;
        int rc = buf_read_file(&b, path, SEGMENT_MAX);
        if (rc)
            return err_set(err, rc, "cannot read %s: %s", path, strerror(rc));
        bool clean = true;
        v->last += segment_entries(b.s, b.len, &clean);
        if (!clean && !v->damaged[0])
            snprintf(v->damaged, sizeof(v->damaged), "%s", l->open.at[i].name);
    }
    return 0;
}

int segment_look(struct segment_view *v, const char *dir, struct err *err)
{
    *v = (struct segment_view){ 0 };
    DIR *d = opendir(dir);
    if (!d)
        return errno == ENOENT ? 0 : err_set(err, errno, "cannot read %s: %m", dir);
    struct listing l = { 0 };
    for (struct dirent *e; (e = readdir(d));) {
        if (str_eq(e->d_name, "metadata1") || str_eq(e->d_name, "metadata2"))
            v->metadata = v->any = true;
        note_snapshot(v, e->d_name);
        note_segment(v, &l, e->d_name);
    }
    closedir(d);
    /* Open segments go on where the closed ones end; without any, where the snapshot ends. */
    v->last = l.closed_last ? l.closed_last : v->snapshot;
    int rc = count_open(v, &l, dir, err);
    vec_clear(&l.open);
    v->last = MAX(v->last, v->snapshot);
    return rc;
}
