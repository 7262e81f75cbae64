/* clock - the two clocks of the system; see clock.h. */
#include "base/clock.h"

#include <stdbool.h>
#include <time.h>

static int64_t read_us(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

int64_t clock_mono_ms(void)
{
    return read_us(CLOCK_MONOTONIC) / 1000;
}

int64_t clock_mono_us(void)
{
    return read_us(CLOCK_MONOTONIC);
}

int64_t clock_boot_ms(void)
{
    return read_us(CLOCK_BOOTTIME) / 1000;
}

int64_t clock_wall_ms(void)
{
    return read_us(CLOCK_REALTIME) / 1000;
}

/* The cluster's time minus clock_boot_ms(). */
static struct {
    bool known;
    int64_t ms;
} cluster_offset;

void clock_set_cluster(int64_t now_ms)
{
    cluster_offset.known = true;
    cluster_offset.ms = now_ms - clock_boot_ms();
}

int64_t clock_cluster_ms(void)
{
    return cluster_offset.known ? clock_boot_ms() + cluster_offset.ms : clock_wall_ms();
}
