#!/usr/bin/env python3
"""The leader of three is killed under load: how long until clients see the cluster again, and do running jobs notice?

  failover.py [--runs 20] [--seed S]      the median must be 2 s or less
"""
import argparse
import statistics
import sys
import time

from cluster import Cluster, Report, seed_from
from never_lost import Load


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--runs", type=int, default=20)
    p.add_argument("--seed", type=int)
    args = p.parse_args()
    rng, seed = seed_from(args)
    r = Report()
    c = Cluster(controllers=3, nodes=2)
    gaps = []
    try:
        c.up()
        rc, out, err = c.run("sbatch", "--parsable", "-o", c.dir + "/work/long.out", "--wrap",
                             "i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); sleep 0.1; done")
        long_job = out.strip()
        load = Load(c, 2)
        for _ in range(args.runs):
            time.sleep(0.3 + rng.random() * 0.5)
            victim = c.wait_leader()
            c.kill(victim)
            t0 = time.time()
            rc, out, err = c.run("squeue", "-h", "-j", long_job, "-o", "%T %N")
            gaps.append(time.time() - t0)
            if rc or "RUNNING" not in out:
                r.ok(False, f"the running job is seen running after a failover: rc={rc} {out!r} {err!r}")
            c.start_ctl(victim)
        load.finish()
        median = statistics.median(gaps)
        print(f"# gaps: median {median:.2f} s, longest {max(gaps):.2f} s, {len(gaps)} failovers, seed {seed}")
        r.ok(median <= 2.0, f"clients see the cluster again after {median:.2f} s in the median of {len(gaps)} "
                            "failovers")
        rc, out, _ = c.run("squeue", "-h", "-j", long_job, "-o", "%T %M")
        with open(c.dir + "/work/long.out") as f:
            seen = [int(x) for x in f.read().split()]
        r.ok(out.startswith("RUNNING") and seen == list(range(len(seen))),
             "the job that ran through all of it noticed nothing")
        c.run("scancel", long_job)
        r.ok(c.wait_empty(), "and the queue drains")
        if r.failed:
            c.fail("see above")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
