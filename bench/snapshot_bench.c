/*
 * snapshot_bench - the loop's share of a snapshot, beside a plain encoding of the whole state.
 *
 *     snapshot_bench JOBS
 *
 * Every job has its own spec, script and key, as jobs of different users have: three records and a key each.  Between
 * two snapshots CHANGED jobs change, as many as 4,096 entries of the log would touch; their records are encoded in
 * parts, as the daemon does it.  Printed, in milliseconds: the plain encoding; the first snapshot after a start, when
 * every record has to be encoded: its longest part and its end; later snapshots: the longest part, the longest end on
 * the loop, and the worker's share.  The last line is the plain encoding divided by the longest time on the loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/str.h"
#include "core/cluster.h"
#include "core/pbutil.h"

#define ENTRIES 1024  /* of the log, in which a snapshot is prepared: a quarter of 4,096 */
#define CHANGED 8192  /* jobs that change between two snapshots */
#define LEAST 64      /* records of a part, at least */
#define ROUNDS 20

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* the machine may be busy */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void apply(struct cluster *c, Pb__Event *ev)
{
    struct err err = ERR_INIT;
    ev->at_ms = 1800000000000;
    if (!cluster_apply(c, ev, &err))
        return;
    fprintf(stderr, "snapshot_bench: %s\n", err.text);
    exit(1);
}

static void configure(struct cluster *c)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvConfig e = PB__EV_CONFIG__INIT;
    Pb__NodeDef def = PB__NODE_DEF__INIT, *defs[] = { &def };
    Pb__NodeHw hw = PB__NODE_HW__INIT;
    Pb__Part part = PB__PART__INIT, *parts[] = { &part };
    hw.boards = hw.sockets = hw.threads = 1, hw.cores = hw.cpus = 4, hw.mem_mb = 8000;
    def.name = (char *)"n1", def.hw = &hw;
    part.name = (char *)"main", part.nodes = (char *)"n1", part.is_default = true;
    e.cluster = (char *)"bench", e.nodes = defs, e.n_nodes = 1, e.parts = parts, e.n_parts = 1;
    ev.body_case = PB__EVENT__BODY_CONFIG, ev.config = &e;
    apply(c, &ev);
}

static void submit(struct cluster *c, uint32_t id)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvSubmit e = PB__EV_SUBMIT__INIT;
    Pb__JobSpec spec = PB__JOB_SPEC__INIT;
    Pb__Blob blob[2], *blobs[2] = { &blob[0], &blob[1] };
    auto_buf struct buf bytes = BUF_INIT, script = BUF_INIT;
    char name[32], key[17];
    snprintf(name, sizeof(name), "experiment-%u", id);
    snprintf(key, sizeof(key), "%016u", id);
    spec.name = name, spec.workdir = (char *)"/home/ada/experiments";
    pb_pack(&bytes, &spec.base);
    buf_addf(&script, "#!/bin/sh\nsrun ./solve --input /home/ada/experiments/%s.in\n", name);
    for (size_t i = 0; i < 2; i++) {
        pb__blob__init(&blob[i]);
        blob[i].id = c->next_blob + i;
        blob[i].data = i ? (ProtobufCBinaryData){ script.len, (uint8_t *)script.s }
                         : (ProtobufCBinaryData){ bytes.len, (uint8_t *)bytes.s };
    }
    e.job_id = id, e.uid = e.gid = 1001, e.spec = blob[0].id, e.script = blob[1].id, e.blobs = blobs, e.n_blobs = 2;
    e.partition = (char *)"main", e.priority = 1, e.time_limit_min = 10, e.user_name = (char *)"ada";
    e.key = (ProtobufCBinaryData){ 16, (uint8_t *)key };
    ev.body_case = PB__EVENT__BODY_SUBMIT, ev.submit = &e;
    apply(c, &ev);
}

static void hold(struct cluster *c, uint32_t id, bool hold)
{
    Pb__Event ev = PB__EVENT__INIT;
    Pb__EvHold e = PB__EV_HOLD__INIT;
    e.job_id = id, e.hold = hold, e.priority = !hold;
    ev.body_case = PB__EVENT__BODY_HOLD, ev.hold = &e;
    apply(c, &ev);
}

struct cost {
    double part, end, worker; /* the longest, ms */
};

/* As the daemon takes it: parts with each of the last entries, then the rest and the pointers; bytes in a worker. */
static void take_snapshot(struct cluster *c, struct cost *cost, size_t *bytes)
{
    for (size_t left = ENTRIES; left; left--) {
        double from = now_ms();
        size_t stale = cluster_snapshot_prepare(c, 0);
        cluster_snapshot_prepare(c, stale / (left + 1) + LEAST);
        cost->part = MAX(cost->part, now_ms() - from);
    }
    double from = now_ms();
    struct snapshot *s = cluster_snapshot(c);
    double end = now_ms() - from;
    auto_buf struct buf out = BUF_INIT;
    from = now_ms();
    snapshot_write(s, &out);
    cost->worker = MAX(cost->worker, now_ms() - from);
    *bytes = out.len;
    from = now_ms();
    snapshot_free(s);
    cost->end = MAX(cost->end, end + now_ms() - from);
}

static double plain_encode(struct cluster *c)
{
    auto_buf struct buf out = BUF_INIT;
    double from = now_ms();
    cluster_encode(c, &out);
    return now_ms() - from;
}

int main(int argc, char **argv)
{
    uint32_t jobs = argc > 1 ? (uint32_t)atoi(argv[1]) : 100000, at = 0;
    struct cluster *c = cluster_new();
    struct cost first = { 0 }, later = { 0 };
    size_t bytes = 0;
    configure(c);
    for (uint32_t id = 1; id <= jobs; id++)
        submit(c, id);
    plain_encode(c); /* the first one meets a cold cache */
    double plain = plain_encode(c);
    take_snapshot(c, &first, &bytes);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < MIN(CHANGED, jobs); i++, at++)
            hold(c, at % jobs + 1, at / jobs % 2 == 0);
        take_snapshot(c, &later, &bytes);
    }
    printf("jobs %u\nbytes %zu\nplain %.3f\nfirst_part %.3f\nfirst_end %.3f\n", jobs, bytes, plain, first.part,
           first.end);
    printf("part %.3f\nend %.3f\nworker %.3f\nratio %.1f\n", later.part, later.end, later.worker,
           plain / MAX(later.part, later.end));
    cluster_free(c);
    return 0;
}
