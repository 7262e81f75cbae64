/* What is packed comes back; what is unpacked stays in its room, whatever the bytes are. */
#include "fuzz.h"

#include <string.h>

#include "wire/lz4.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    auto_buf struct buf small = BUF_INIT;
    auto_free uint8_t *room = mem_alloc(MAX(n * 4, 1u));
    if (lz4_pack(data, n, &small)) {
        check(small.len < n);
        check(lz4_unpack(small.s, small.len, room, n) && !memcmp(room, data, n));
    }
    lz4_unpack(data, n, room, n * 4);
    if (n)
        lz4_unpack(data, n, room, MIN((size_t)data[0], n * 4));
    return 0;
}
