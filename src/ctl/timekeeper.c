/* timekeeper - reads this machine's clocks for cluster_clock; see timekeeper.h. */
#include "ctl/timekeeper.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "ctl/daemon_priv.h"

#define NOTE_MS 30000
#define RESIGN_AGAIN_MS 600000
#define FAR_MS 5000 /* a difference between the wall clock and the cluster's time that is worth a line */

void timekeeper_peer(struct timekeeper *k, uint64_t id, int64_t wall_ms)
{
    size_t i = 0;
    while (i < k->npeers && k->peer[i].id != id)
        i++;
    if (!wall_ms || i == TIMEKEEPER_PEERS) /* an earlier release does not tell it */
        return;
    k->npeers = MAX(k->npeers, i + 1);
    k->peer[i].id = id;
    k->peer[i].offset_ms = wall_ms - clock_boot_ms();
}

static struct ctl_clock vote(struct daemon *d, int64_t wall_ms, int64_t mono_ms)
{
    int64_t peers[TIMEKEEPER_PEERS];
    for (size_t i = 0; i < d->time.npeers; i++)
        peers[i] = mono_ms + d->time.peer[i].offset_ms;
    return ctl_clock(d->ctl, wall_ms, mono_ms, peers, d->time.npeers);
}

/* The wall clock, corrected by the other machines' where it is off. */
static int64_t right_wall_ms(struct daemon *d, int64_t mono_ms)
{
    int64_t wall_ms = clock_wall_ms();
    return wall_ms + vote(d, wall_ms, mono_ms).correct_ms;
}

/* ---- the file ---- */

static char *note_path(const struct daemon *d)
{
    return mem_printf("%s/ctl%llu.clock", ctl_site(d->ctl)->state_dir, (unsigned long long)d->conf->id);
}

static void timekeeper_note(struct daemon *d)
{
    if (!d->time.clock.anchored || !d->time.boot_id[0])
        return;
    auto_free char *path = note_path(d), *tmp = mem_printf("%s.new", path);
    int64_t mono_ms = clock_boot_ms();
    FILE *f = fopen(tmp, "we");
    if (!f)
        return; /* a note that is missing costs nothing but the anchor */
    fprintf(f, "%s %lld %lld\n", d->time.boot_id,
            (long long)cluster_clock_read(&d->time.clock, right_wall_ms(d, mono_ms), mono_ms), (long long)mono_ms);
    if (fclose(f) || rename(tmp, path))
        remove(tmp);
}

/* ---- following and leading ---- */

void timekeeper_follow(struct daemon *d, int64_t entry_ms)
{
    int64_t mono_ms = clock_boot_ms();
    if (entry_ms && !d->loop.leading)
        cluster_clock_follow(&d->time.clock, entry_ms, right_wall_ms(d, mono_ms), mono_ms);
}

void timekeeper_lead(struct daemon *d)
{
    int64_t mono_ms = clock_boot_ms(), wall_ms = right_wall_ms(d, mono_ms);
    cluster_clock_lead(&d->time.clock, ctl_cluster(d->ctl)->last_ms, wall_ms, mono_ms);
    int64_t off_ms = clock_wall_ms() - d->time.clock.at_ms;
    if (llabs(off_ms) > FAR_MS)
        log_error("the wall clock is not the cluster's time, which is corrected by 1 s in %d wall_s=%+lld",
                  CLUSTER_CLOCK_SLEW, (long long)off_ms / 1000);
    timekeeper_note(d);
}

int64_t timekeeper_now(struct daemon *d)
{
    int64_t mono_ms = clock_boot_ms();
    int64_t now_ms = cluster_clock_read(&d->time.clock, right_wall_ms(d, mono_ms), mono_ms);
    clock_set_cluster(now_ms);
    return now_ms;
}

void timekeeper_check(struct daemon *d)
{
    int64_t mono_ms = clock_boot_ms();
    bool early = d->time.resigned_ms && mono_ms - d->time.resigned_ms < RESIGN_AGAIN_MS;
    if (!d->loop.leading || d->loop.in_flight || early || d->stopping || !vote(d, clock_wall_ms(), mono_ms).off)
        return;
    d->time.resigned_ms = mono_ms;
    if (!ledger_transfer(d->ledger, NULL, NULL))
        log_error("this machine's clock is off: another controller is to lead");
}

/* ---- the start ---- */

static void on_noter(uv_timer_t *t)
{
    timekeeper_note(t->data);
}

static void read_note(struct daemon *d)
{
    auto_free char *path = note_path(d);
    char boot[64] = "";
    long long at_ms, mono_ms;
    FILE *f = fopen(path, "re");
    if (!f)
        return;
    if (fscanf(f, "%63s %lld %lld", boot, &at_ms, &mono_ms) == 3 && str_eq(boot, d->time.boot_id) &&
        mono_ms <= clock_boot_ms())
        cluster_clock_anchor(&d->time.clock, at_ms, mono_ms);
    fclose(f);
}

void timekeeper_start(struct daemon *d)
{
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (f && fscanf(f, "%63s", d->time.boot_id) != 1)
        d->time.boot_id[0] = '\0';
    if (f)
        fclose(f);
    read_note(d);
    uv_timer_init(&d->uv, &d->time.noter);
    d->time.noter.data = d;
    uv_timer_start(&d->time.noter, on_noter, NOTE_MS, NOTE_MS);
}
