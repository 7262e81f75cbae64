#!/usr/bin/env python3
"""Agents are killed or restarted at random under a load of steps over several nodes, launched by the tree: no job is
lost, no task runs twice, every exit code arrives.  --kills N (default 200), --seed S."""
import argparse
import os
import signal
import sys
import time

from cluster import Cluster, Report, seed_from

NODES, STEPS = 6, 3
SCRIPT = """#!/bin/bash
# $1: nodes of each step, $2: exit codes
n=($1) code=($2)
for i in ${!n[@]}; do
    srun -N ${n[i]} sh -c 'echo $SLURM_JOB_ID.$SLURM_STEP_ID.$SLURM_PROCID >>DIR/work/marks; \
sleep 0.'$((RANDOM % 4))'; exit '${code[i]}
    echo "$SLURM_JOB_ID.$i ${n[i]} ${code[i]} $?" >>DIR/work/codes
done
exit ${code[0]}
"""


def submit(c, rng):
    n = [rng.randint(1, NODES) for _ in range(STEPS)]
    codes = [rng.choice([0, 0, 1, 7, 42]) for _ in range(STEPS)]
    rc, out, err = c.run("sbatch", "--parsable", "-N", str(max(n)), "-c1", "-o", f"{c.dir}/work/%j.out",
                         f"{c.dir}/work/load.sh",
                         " ".join(map(str, n)), " ".join(map(str, codes)))
    if rc:
        c.fail(f"sbatch: {err}")
    return int(out), (n, codes)


def running(c):
    return len(c.run("squeue", "-h", "-t", "PD,R,CG", "-o", "%A")[1].split())


def check(r, c, jobs):
    with open(f"{c.dir}/work/marks") as f:
        marks = sorted(f.read().split())
    want = sorted(f"{j}.{s}.{p}" for j, (n, _) in jobs.items() for s in range(STEPS) for p in range(n[s]))
    missing, twice = sorted(set(want) - set(marks)), sorted({m for m in marks if marks.count(m) > 1})
    r.ok(not missing, f"each of {len(want)} tasks has run {missing[:5]}")
    r.ok(not twice, f"and none twice {twice[:5]}")
    with open(f"{c.dir}/work/codes") as f:
        told = {line.split()[0]: line.split()[1:] for line in f}
    wrong = [f"{j}.{s}" for j, (n, codes) in jobs.items() for s in range(STEPS)
             if told.get(f"{j}.{s}") != [str(n[s]), str(codes[s]), str(codes[s])]]
    r.ok(not wrong, f"srun ended with the code of its tasks, {len(told)} times " +
         str([(w, told.get(w)) for w in wrong[:5]]))
    _, out, _ = c.run("squeue", "-h", "-t", "all", "-o", "%A %T")
    state = dict(line.split() for line in out.splitlines())
    odd = [j for j, (_, codes) in jobs.items() if state.get(str(j)) != ("FAILED" if codes[0] else "COMPLETED")]
    r.ok(not odd, f"{len(jobs)} jobs ended as their scripts did {[(j, state.get(str(j))) for j in odd[:5]]}")
    if missing or twice or wrong or odd:
        for j in sorted({int(w.split('.')[0]) for w in missing + twice + wrong} | set(odd))[:3]:
            print("#", j, jobs[j], open(f"{c.dir}/work/{j}.out").read())


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--kills", type=int, default=200)
    args.add_argument("--seed", type=int)
    args = args.parse_args()
    rng, _ = seed_from(args)
    r, jobs, killed = Report(), {}, 0
    c = Cluster(nodes=NODES, cpus=64, extra="TreeWidth=2\nSlurmdTimeout=300\n")
    with open(f"{c.dir}/work/load.sh", "w") as f:
        f.write(SCRIPT.replace("DIR", c.dir))
    try:
        c.up(60)
        for k in range(args.kills):
            while running(c) < 4:
                job, what = submit(c, rng)
                jobs[job] = what
            victim = rng.choice(c.nodes)
            p = c.procs[victim]
            killed += p.poll() is None
            # the daemon alone; its supervisors stay
            p.send_signal(rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
            p.wait()
            time.sleep(rng.choice([0, 0, 0.05, 0.3]))
            c.start_node(victim)
            time.sleep(rng.uniform(0, 0.15))
        r.ok(killed == args.kills, f"agents were killed {killed} times, {args.kills} were meant")
        end = time.time() + 120
        while running(c) and time.time() < end:
            time.sleep(0.2)
        if not r.ok(not running(c), "all jobs have ended"):
            print("#", c.run("squeue")[1], c.run("squeue", "-s")[1])
        check(r, c, jobs)
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
