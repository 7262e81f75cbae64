/* cluster_clock - a clock that moves evenly and is corrected in bounded steps; see cluster_clock.h. */
#include "ctl/cluster_clock.h"

#include <stdlib.h>

#include "base/mem.h"

#define REBASE_MS 1000 /* corrections are counted from a base of at least this age, so that fractions are not lost */

void cluster_clock_anchor(struct cluster_clock *c, int64_t at_ms, int64_t mono_ms)
{
    *c = (struct cluster_clock){ .at_ms = at_ms, .mono_ms = mono_ms, .last_ms = at_ms, .anchored = true };
}

static int64_t passed_ms(const struct cluster_clock *c, int64_t mono_ms)
{
    return MAX(mono_ms - c->mono_ms, 0);
}

/* Move towards `target_ms` by as much as the time since the base allows. */
static int64_t slew(struct cluster_clock *c, int64_t target_ms, int64_t mono_ms)
{
    int64_t passed = passed_ms(c, mono_ms), at = c->at_ms + passed, most = passed / CLUSTER_CLOCK_SLEW;
    at += MIN(MAX(target_ms - at, -most), most);
    c->last_ms = MAX(at, c->last_ms);
    if (passed >= REBASE_MS)
        c->at_ms = c->last_ms, c->mono_ms = mono_ms;
    return c->last_ms;
}

void cluster_clock_follow(struct cluster_clock *c, int64_t entry_ms, int64_t wall_ms, int64_t mono_ms)
{
    if (!c->anchored) {
        if (llabs(entry_ms - wall_ms) <= CLUSTER_CLOCK_CLOSE_MS)
            cluster_clock_anchor(c, entry_ms, mono_ms);
    } else if (entry_ms > c->at_ms + passed_ms(c, mono_ms)) {
        cluster_clock_anchor(c, entry_ms, mono_ms);
    } else {
        slew(c, entry_ms, mono_ms);
    }
}

void cluster_clock_lead(struct cluster_clock *c, int64_t floor_ms, int64_t wall_ms, int64_t mono_ms)
{
    int64_t at_ms = c->anchored ? MAX(c->at_ms + passed_ms(c, mono_ms), c->last_ms) : wall_ms;
    cluster_clock_anchor(c, MAX(at_ms, floor_ms), mono_ms);
}

int64_t cluster_clock_read(struct cluster_clock *c, int64_t wall_ms, int64_t mono_ms)
{
    return c->anchored ? slew(c, wall_ms, mono_ms) : wall_ms;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t cluster_clock_median(int64_t own, int64_t *others, size_t n)
{
    qsort(others, n, sizeof(*others), by_time);
    /* With `own` put in its place, the n + 1 clocks have one or two in the middle. */
    size_t below = 0;
    while (below < n && others[below] < own)
        below++;
    size_t low = n / 2, high = (n + 1) / 2;
    if (low <= below && below <= high)
        return own;
    return below < low ? others[low - 1] : others[high];
}
