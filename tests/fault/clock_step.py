#!/usr/bin/env python3
"""The wall clocks of controllers and agents step by two hours while jobs run (wall.c, by LD_PRELOAD): launches go on at
once, a time limit ends its job on time, the controller that is off lets another one lead, the node that is off is named
and works.  Then random faults: clock steps, stopped and killed leaders, killed agents; every job runs once.

  clock_step.py [--faults 6] [--seed N]
"""
import argparse
import os
import random
import re
import signal
import sys
import time

from cluster import BUILD, Cluster, Report

WALL = os.path.join(BUILD, "tests/fault/wall.so")
TIMEOUT_S = 60
HOURS_2 = 7200000


def wait_for(what, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


class Clocks(Cluster):
    def __init__(self):
        super().__init__(controllers=3, nodes=3, extra=f"SlurmdTimeout={TIMEOUT_S}\n")
        # A list of the processes that have the library: a sanitizer's must not come second.
        for which in self.ids + self.nodes:
            self.prefix[which] = ["env", *self.environment(which)]

    def environment(self, which):
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return [f"WALL_FILE={self.dir}/work/wall.{which}", f"LD_PRELOAD={WALL}", f"ASAN_OPTIONS={asan}"]

    def step(self, which, ms):
        with open(f"{self.dir}/work/wall.{which}.new", "w") as f:
            f.write(str(ms))
        os.rename(f"{self.dir}/work/wall.{which}.new", f"{self.dir}/work/wall.{which}")

    def log_text(self, i):
        with open(f"{self.dir}/log/ctl{i}.log", errors="replace") as f:
            return f.read()

    def submit(self, *options, script="true"):
        rc, out, err = self.run("sbatch", "--parsable", "-o", "/dev/null", *options, "--wrap", script)
        if rc:
            print("#", err.strip())
        return out.strip()

    def job_state(self, job):
        return self.run("squeue", "-h", "-t", "all", "-o", "%T", "-j", job)[1].strip()

    def node(self, name):
        return self.run("scontrol", "show", "node", name)[1]


def steps(c, r):
    slow = c.submit("--time=1", script="sleep 600")
    r.ok(wait_for(lambda: c.job_state(slow) == "RUNNING"), "a job with a limit of a minute runs")
    begun = time.time()
    c.step("command", HOURS_2)
    env = dict(c.env, **dict(w.split("=", 1) for w in c.environment("command")))
    r.ok(re.fullmatch(r"0:\d\d", c.run("squeue", "-h", "-o", "%M", "-j", slow, env=env)[1].strip()),
         "squeue on a machine whose clock is off by +2 h shows how long it has run")
    leader = c.wait_leader()
    c.step(leader, HOURS_2)
    job = c.submit()
    r.ok(wait_for(lambda: c.job_state(job) == "COMPLETED", 30),
         "the leader's clock steps by +2 h: a new job runs at once")
    said = lambda: "another controller is to lead" in c.log_text(leader)
    r.ok(wait_for(said, 90), "its controller says that another one is to lead")
    r.ok(wait_for(lambda: c.leader() not in (None, leader), 60), "and another one leads")
    c.step("n1", -HOURS_2)
    job = c.submit("-w", "n1")
    r.ok(wait_for(lambda: c.job_state(job) == "COMPLETED", 30), "the clock of a node steps by -2 h: it runs a new job")
    r.ok(wait_for(lambda: "Clock skew -7" in c.node("n1"), 90), "the node has a reason")
    r.ok(re.search(r"ClockSkew=-7[12]\d\d", c.node("n1")), "and shows by how much it is off")
    c.kill("n1")
    c.start_node("n1")
    job = c.submit("-w", "n1")
    r.ok(wait_for(lambda: c.job_state(job) == "COMPLETED", 60),
         "its agent is restarted with the wrong clock: it is let in")
    r.ok(wait_for(lambda: c.job_state(slow) == "TIMEOUT", 120), "the limit ends its job")
    took = time.time() - begun
    r.ok(50 <= took <= 100, f"after a minute: {took:.0f} s")
    c.step("n1", 0)
    c.step(leader, 0)
    r.ok(wait_for(lambda: "Clock skew" not in c.node("n1"), 90), "the clock is right again: the reason goes")


def storm(c, r, faults, rng):
    jobs = []
    for _ in range(faults):
        what = rng.choice(["ctl clock", "node clock", "stop", "kill", "agent"])
        if what == "ctl clock":
            off = rng.choice(c.ids)
            for i in c.ids:
                c.step(i, rng.randint(-HOURS_2, HOURS_2) if i == off else 0)
        elif what == "node clock":
            c.step("n1", rng.randint(-HOURS_2, HOURS_2))
        elif what == "stop":
            silent = c.wait_leader()
            os.kill(c.procs[silent].pid, signal.SIGSTOP)
            time.sleep(rng.uniform(0.5, 4))
            os.kill(c.procs[silent].pid, signal.SIGCONT)
        elif what == "kill":
            leader = c.wait_leader()
            c.kill(leader)
            c.start_ctl(leader)
        else:
            node = rng.choice(c.nodes)
            c.kill(node)
            c.start_node(node)
        job = c.submit("--requeue", script=f"echo $SLURM_JOB_ID >>{c.dir}/work/ran; sleep 1")
        jobs.append(job)
        if not wait_for(lambda: c.job_state(job) == "COMPLETED", 120):
            r.ok(False, f"after '{what}' job {job} is {c.job_state(job)}")
            return
    with open(f"{c.dir}/work/ran") as f:
        ran = f.read().split()
    r.ok(sorted(ran) == sorted(jobs), f"{faults} random faults: every job ran once: {len(ran)} of {len(jobs)}")
    r.ok("node is down" not in "".join(c.log_text(i) for i in c.ids), "no node was ever thought to be down")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--faults", type=int, default=6)
    p.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    args = p.parse_args()
    r = Report()
    print(f"# seed {args.seed}")
    c = Clocks()
    try:
        c.up()
        steps(c, r)
        storm(c, r, args.faults, random.Random(args.seed))
        if r.failed:
            c.fail("see above")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
