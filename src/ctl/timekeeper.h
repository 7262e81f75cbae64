/*
 * timekeeper - the cluster's time in spurctld: cluster_clock.h on this machine's clocks.
 *
 * The time and the monotonic clock are noted in StateSaveLocation/ctlID.clock every half minute, with the id of the
 * boot: a controller that is restarted goes on from there, and only one that has just booted has to believe its wall
 * clock, unless the other controllers' clocks say otherwise.
 */
#ifndef SPUR_CTL_TIMEKEEPER_H
#define SPUR_CTL_TIMEKEEPER_H

#include <uv.h>

#include "ctl/cluster_clock.h"

#define TIMEKEEPER_PEERS 16

struct daemon;

struct timekeeper {
    struct cluster_clock clock;
    struct {
        uint64_t id;
        int64_t offset_ms; /* its wall clock minus this machine's clock_boot_ms(), when it connected */
    } peer[TIMEKEEPER_PEERS];
    size_t npeers;
    int64_t resigned_ms; /* when leadership was last given away because of the clock; 0: never */
    char boot_id[64];
    uv_timer_t noter;
};

void timekeeper_start(struct daemon *d); /* the log is open */
void timekeeper_peer(struct timekeeper *k, uint64_t id, int64_t wall_ms);
void timekeeper_follow(struct daemon *d, int64_t entry_ms); /* an entry of another leader was applied */
void timekeeper_lead(struct daemon *d);
int64_t timekeeper_now(struct daemon *d);
/* After a turn: a leader whose clock is off gives leadership away, at most once in ten minutes. */
void timekeeper_check(struct daemon *d);

#endif
