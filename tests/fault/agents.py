#!/usr/bin/env python3
"""Agents are killed, stopped and started again at random, 200 times, under a load of jobs and steps.

  agents.py [--kills N] [--seed S]

No job is lost, no task runs twice, and every exit code is right: the code of each step as its srun saw it, and the code
of each job.
"""
import argparse
import os
import random
import signal
import threading
import time

from cluster import Cluster, Report

JOBS = 6          # at a time
STEPS = 5         # of a job, one after the other

SCRIPT = """#!/bin/bash
bad=0
for step in $(seq {steps}); do
    code=$(((SLURM_JOB_ID + step) % 7))
    srun -N{nodes} -n{tasks} bash -c 'echo run >>{work}/$SLURM_JOB_ID.$SLURM_STEP_ID.$SLURM_PROCID; sleep 0.1; \
[ $SLURM_PROCID != 0 ] || exit '$code
    rc=$?
    [ $rc = $code ] || {{ echo "step $step ended with $rc, not $code" >>{work}/$SLURM_JOB_ID.wrong; bad=1; }}
done
[ $bad = 0 ] || exit 99
exit $((SLURM_JOB_ID % 5))
"""


class Load:
    """A user with some jobs in the queue at all times."""

    def __init__(self, c, rng):
        self.c, self.rng, self.jobs, self.stop = c, rng, [], False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while not self.stop:
            rc, out, _ = self.c.run("squeue", "-h", "-o", "%A")
            for _ in range(max(JOBS - len(out.split()), 0) if rc == 0 else 0):
                nodes = self.rng.choice((1, 2, 3))
                text = SCRIPT.format(steps=STEPS, nodes=nodes, tasks=2 * nodes, work=f"{self.c.dir}/work")
                rc, out, err = self.c.run("sbatch", "--parsable", "-N", str(nodes), "-n", str(2 * nodes), "-o",
                                          "%j.out", text=text)
                if rc == 0:
                    self.jobs.append((int(out), 2 * nodes))
            time.sleep(0.1)

    def finish(self):
        self.stop = True
        self.thread.join()


def restart_one(c, rng):
    name = rng.choice(c.nodes)
    c.kill(name, rng.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
    time.sleep(rng.choice((0, 0, 0.05, 0.3)))
    c.start_node(name)


def lines(path):
    try:
        with open(path) as f:
            return len(f.readlines())
    except FileNotFoundError:
        return 0


def verify(c, load, r):
    wrong, lost, twice = [], [], []
    rc, out, _ = c.run("squeue", "-h", "-t", "all", "-o", "%A %T")
    states = dict(l.split() for l in out.splitlines())
    for job, tasks in load.jobs:
        show = c.run("scontrol", "show", "job", str(job))[1]
        code = next((w[9:] for w in show.split() if w.startswith("ExitCode=")), "gone")
        if states.get(str(job)) not in ("COMPLETED", "FAILED"):
            lost.append((job, states.get(str(job))))
        elif code != f"{job % 5}:0":
            note = f"{c.dir}/work/{job}.wrong"
            said = (open(note).read().strip() if os.path.exists(note)
                    else open(f"{c.dir}/work/{job}.out").read().strip()[-300:])
            wrong.append((job, code, said))
        for step in range(STEPS):
            for rank in range(tasks):
                n = lines(f"{c.dir}/work/{job}.{step}.{rank}")
                if n != 1:
                    (twice if n else lost).append((job, step, rank, n))
    for good, what, why in ((not lost, f"none of {len(load.jobs)} jobs and {len(load.jobs) * STEPS} steps is lost",
                             lost),
                            (not twice, "no task ran twice", twice), (not wrong, "every exit code is right", wrong)):
        if not r.ok(good, what):
            print("#  ", why[:6], flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--kills", type=int, default=200)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    a = p.parse_args()
    rng, r = random.Random(a.seed), Report()
    print(f"# seed {a.seed}", flush=True)
    c = Cluster(nodes=4, cpus=16, extra="SlurmdTimeout=60\nTreeWidth=2\n")
    try:
        c.up()
        load = Load(c, random.Random(a.seed + 1))
        for _ in range(a.kills):
            time.sleep(0.05 + rng.random() * 0.25)
            restart_one(c, rng)
        load.finish()
        r.ok(c.wait_empty(180), f"after {a.kills} restarts of agents the queue empties")
        verify(c, load, r)
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    raise SystemExit(main())
