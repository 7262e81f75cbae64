/* snapfile.c - magic, version, index, length, xxh3 (of the fields before it and the body); little endian. */
#include "store/snapfile.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

#define SNAP_MAGIC 0x50414e5352555053ull /* "SPURSNAP" */
#define SNAP_VERSION 1

struct head {
    uint64_t magic, version, index, len, sum;
};
_Static_assert(sizeof(struct head) == SNAPFILE_HEAD, "the envelope is 40 bytes");

static uint64_t head_sum(const struct head *h, const void *body, size_t len)
{
    uint64_t fields = XXH3_64bits(h, offsetof(struct head, sum));
    return XXH3_64bits_withSeed(body, len, fields);
}

void snapfile_seal(void *head, uint64_t index, const void *body, size_t len)
{
    struct head h = { htole64(SNAP_MAGIC), htole64(SNAP_VERSION), htole64(index), htole64(len), 0 };
    h.sum = htole64(head_sum(&h, body, len));
    memcpy(head, &h, sizeof(h));
}

int snapfile_open(const void *p, size_t size, uint64_t *index, const void **body, size_t *len, struct err *err)
{
    struct head h;
    if (size < sizeof(h))
        return err_set(err, EUCLEAN, "the snapshot is cut short: %zu bytes", size);
    memcpy(&h, p, sizeof(h));
    if (h.magic != htole64(SNAP_MAGIC))
        return err_set(err, EUCLEAN, "the snapshot does not begin like one");
    if (h.version != htole64(SNAP_VERSION))
        return err_set(err, EPROTONOSUPPORT, "the snapshot has version %llu, this program reads %d",
                       (unsigned long long)le64toh(h.version), SNAP_VERSION);
    if (le64toh(h.len) > size - sizeof(h))
        return err_set(err, EUCLEAN, "the snapshot is cut short: %zu bytes of %llu", size - sizeof(h),
                       (unsigned long long)le64toh(h.len));
    *index = le64toh(h.index);
    *len = le64toh(h.len);
    *body = (const char *)p + sizeof(h);
    if (le64toh(h.sum) != head_sum(&h, *body, *len))
        return err_set(err, EUCLEAN, "the snapshot's checksum is wrong");
    return 0;
}
