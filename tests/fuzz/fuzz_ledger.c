/* What lies on the disk is input too: a segment's bytes, a snapshot's envelope. */
#include "store/segment.h"
#include "store/snapfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool clean;
    uint64_t index;
    const void *body;
    size_t len;
    segment_entries(data, size, &clean);
    snapfile_open(data, size, &index, &body, &len, NULL);
    return 0;
}
