/* num - products of numbers that a user chose do not wrap. */
#include "base/num.h"

#include "test.h"

int main(void)
{
    ok(mul_cap(3, 4) == 12, "3 times 4");
    ok(mul_cap(0, UINT64_MAX) == 0, "nothing times much");
    ok(mul_cap(UINT64_MAX, 1) == UINT64_MAX, "the largest number");
    ok(mul_cap(1ull << 63, 2) == UINT64_MAX, "memory for two GPUs that would wrap to nothing");
    ok(mul_cap(1ull << 32, 1ull << 32) == UINT64_MAX, "a product of one bit too many");
    return test_done();
}
