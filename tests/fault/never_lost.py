#!/usr/bin/env python3
"""Submit in a loop while controllers are killed with SIGKILL at random moments: every acknowledged job is there exactly
once and runs exactly once; a job that was not acknowledged is there once or not at all.

  never_lost.py --mode one|leader|all|agent --kills N [--seed S]

agent: the node's daemon instead of a controller; the jobs it started run on, and their ends are told by the next one.
"""
import argparse
import collections
import os
import sys
import threading
import time

from cluster import Cluster, Report, seed_from


class Load:
    """Submitters: each job appends one line to a file of its own name, so that a second run shows."""

    def __init__(self, cluster, workers):
        self.c = cluster
        self.acked, self.tried = {}, []
        self.lock = threading.Lock()
        self.stop = False
        os.mkdir(f"{cluster.dir}/ran")
        self.threads = [threading.Thread(target=self.work, args=(i,)) for i in range(workers)]
        for t in self.threads:
            t.start()

    def work(self, worker):
        n = 0
        while not self.stop:
            name = f"w{worker}-{n}"
            n += 1
            with self.lock:
                self.tried.append(name)
            rc, out, err = self.c.run("sbatch", "--parsable", "-J", name, "-o", "/dev/null", "--wrap",
                                      f"echo $SLURM_JOB_ID >> {self.c.dir}/ran/{name}")
            if rc == 0:
                with self.lock:
                    self.acked[name] = out.strip()
            time.sleep(0.01)

    def finish(self):
        self.stop = True
        for t in self.threads:
            t.join()


def kill_some(c, mode, rng):
    if mode == "agent":
        c.kill("n1")
        if rng.random() < 0.5:
            time.sleep(rng.random() * 0.2)
        c.start_node("n1")
        return
    if mode == "one":
        which = [1]
    elif mode == "all":
        which = list(c.ids)
    else:
        which = [c.wait_leader()]
    for i in which:
        c.kill(i)
    if rng.random() < 0.5:
        time.sleep(rng.random() * 0.2)
    for i in which:
        c.start_ctl(i)


def verify(c, load, r, what):
    r.ok(c.wait_empty(), f"{what}: the queue drains")
    rc, out, _ = c.run("squeue", "-h", "-t", "all", "-o", "%A %j %T")
    there = collections.defaultdict(list)
    for line in out.splitlines():
        job, name, state = line.split()
        there[name].append((job, state))
    ran = {name: open(f"{c.dir}/ran/{name}").read().split() for name in os.listdir(f"{c.dir}/ran")}
    lost = [n for n in load.acked if n not in there]
    twice = [n for n in there if len(there[n]) > 1]
    wrong = [n for n in load.acked if n in there and there[n][0][0] != load.acked[n]]
    not_run = [n for n in there if len(ran.get(n, [])) != 1]
    r.ok(len(load.acked) > 0, f"{what}: {len(load.acked)} of {len(load.tried)} submissions were acknowledged")
    r.ok(not lost, f"{what}: no acknowledged job is lost {lost[:5]}")
    r.ok(not twice, f"{what}: no job is there twice {twice[:5]}")
    r.ok(not wrong, f"{what}: each has the id it was acknowledged with {wrong[:5]}")
    r.ok(not not_run, f"{what}: each ran exactly once {[(n, ran.get(n), there[n]) for n in not_run[:5]]}")
    bad = [(n, there[n]) for n in there if there[n][0][1] != "COMPLETED"]
    r.ok(not bad, f"{what}: each is COMPLETED {bad[:5]}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mode", choices=["one", "leader", "all", "agent"], default="one")
    p.add_argument("--kills", type=int, default=20)
    p.add_argument("--workers", type=int, default=3)
    p.add_argument("--seed", type=int)
    args = p.parse_args()
    rng, seed = seed_from(args)
    r = Report()
    c = Cluster(controllers=1 if args.mode in ("one", "agent") else 3)
    try:
        c.up()
        load = Load(c, args.workers)
        for k in range(args.kills):
            time.sleep(0.05 + rng.random() * (0.35 if args.mode in ("one", "agent") else 0.9))
            kill_some(c, args.mode, rng)
        time.sleep(1)
        load.finish()
        verify(c, load, r, f"{args.mode}, {args.kills} kills, seed {seed}")
        if r.failed:
            c.fail("see above")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
