#!/usr/bin/env python3
"""node_nth - the n-th write, fork or connect of an agent fails, for every n; then the agent starts again.

  node_nth.py [--most N]

The promises: a job ends (also one whose srun waits for a step), and it has run once if it is COMPLETED and not twice in
any case; the node is free again.

A supervisor begins with an empty environment, so a library that lets its calls fail is never loaded into it:
supervisor.py and steps_live.py kill it instead."""
import argparse
import glob
import os
import sys
import time

from cluster import BUILD, Cluster, Report

NTH = os.path.join(BUILD, "tests/fault/nth.so")
EIO, EAGAIN, ECONNREFUSED = 5, 11, 111
# program, kind of call, error, with a step inside the job
CASES = [("spurd", "write", EIO, False), ("spurd", "write", EIO, True), ("spurd", "fork", EAGAIN, False),
         ("spurd", "connect", ECONNREFUSED, False)]
ENDED = ("COMPLETED", "FAILED", "NODE_FAIL", "CANCELLED")


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Lab:
    def __init__(self):
        self.c = Cluster(nodes=1, cpus=4, extra="SlurmdTimeout=300\nKillWait=2\n")
        self.plain, self.mark, self.ran = self.c.env, f"{self.c.dir}/mark", f"{self.c.dir}/work/ran"
        self.failing = dict(self.plain, LD_PRELOAD=NTH, NTH_MARK=self.mark)
        self.failing["ASAN_OPTIONS"] = self.plain.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"

    def agent(self, env):
        self.c.env = env
        self.c.start_node("n1")
        self.c.env = self.plain

    def stop_agent(self):
        if self.c.procs["n1"].poll() is None:
            self.c.kill("n1")

    def state(self, job):
        return self.c.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T")[1].strip()

    def idle(self):
        return self.c.run("sinfo", "-h", "-o", "%T")[1].strip() == "idle"

    def one(self, prog, op, error, step, n):
        """(whether a call failed, what is wrong)"""
        for path in glob.glob(self.ran + "*") + glob.glob(self.mark):
            os.unlink(path)
        self.stop_agent()
        self.agent(dict(self.failing, NTH_PROG=prog, NTH_OP=op, NTH=str(n), NTH_ERRNO=str(error)))
        _, out, err = self.c.run("sbatch", "--parsable", "--no-requeue", "-o", "/dev/null", "--wrap",
                                 f"srun -Q sh -c 'echo x >>{self.ran}'" if step else f"echo x >>{self.ran}")
        job = out.strip()
        if not job:
            return True, f"no job: {err}"
        wait_for(lambda: self.state(job) in ENDED or self.c.procs["n1"].poll() is not None, 6)
        failed = os.path.exists(self.mark)
        self.stop_agent()
        self.agent(self.plain)
        return failed, self.judge(job)

    def judge(self, job):
        if not wait_for(lambda: self.state(job) in ENDED, 60):
            self.c.run("scancel", job)
            wait_for(lambda: self.state(job) in ENDED, 30)
            return f"job {job} did not end by itself"
        ran = len(open(self.ran).read()) // 2 if os.path.exists(self.ran) else 0
        if ran > 1 or (self.state(job) == "COMPLETED" and ran != 1):
            return f"job {job} is {self.state(job)} and ran {ran} times"
        if not wait_for(self.idle, 60):
            self.c.run("scontrol", "update", "nodename=n1", "state=resume")
            return f"the node is not idle: {self.c.run('sinfo', '-h', '-o', '%T %E')[1].strip()}"
        return ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--most", type=int, default=60, help="calls of a kind to try at the most")
    p.add_argument("--only", help="PROGRAM or KIND")
    a = p.parse_args()
    r, lab = Report(), Lab()
    try:
        lab.c.up()
        for prog, op, error, step in CASES:
            if a.only and a.only not in (prog, op):
                continue
            n, wrongs, failed = 0, [], True
            while failed and n < a.most:
                n += 1
                failed, wrong = lab.one(prog, op, error, step, n)
                if wrong:
                    wrongs.append(f"{op} {n}: {wrong}")
            calls = n - (not failed)
            r.ok(calls, f"{prog} makes calls of {op}")
            r.ok(not wrongs, f"{prog}: after any of {calls} calls of {op} has failed, the job{' and its srun' * step} "
                             "has ended and the node is free")
            for wrong in wrongs[:10]:
                print("#   " + wrong, flush=True)
    finally:
        lab.c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
