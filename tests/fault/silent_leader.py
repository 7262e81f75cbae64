#!/usr/bin/env python3
"""The leader of three controllers falls silent and keeps its connections (SIGSTOP; a cut cable and a power cut look the
same): another controller leads, agents and waiting commands leave the silent one, no node goes down, no job runs twice.

  silent_leader.py [--rounds 1]
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

from cluster import Cluster, Report

TIMEOUT_S = 20  # SlurmdTimeout; agents leave after a quarter of it
MOVED_S = 15    # far less than it takes for a node to go down


def background(c, name, *argv):
    """A command that waits, with its output in a file."""
    out = open(f"{c.dir}/work/{name}.out", "wb")
    return subprocess.Popen([f"{c.dir}/bin/{argv[0]}", *argv[1:]], stdout=out, stderr=subprocess.STDOUT, env=c.env,
                            cwd=f"{c.dir}/work")


def text(c, name):
    with open(f"{c.dir}/work/{name}.out", errors="replace") as f:
        return f.read().strip()


def log_text(c, i):
    with open(f"{c.dir}/log/ctl{i}.log", errors="replace") as f:
        return f.read()


def wait_for(what, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


def new_leader(c, silent):
    """The controller that leads although the silent one has not said that it does not."""
    for i in c.ids:
        roles = re.findall(r"role=(\w+)", log_text(c, i))
        if i != silent and roles and roles[-1] == "leader":
            return i
    return None


def running(c, jobs):
    rc, out, _ = c.run("squeue", "-h", "-o", "%T", "-j", jobs)
    return rc == 0 and out.split() and set(out.split()) == {"RUNNING"}


def one_round(c, r, n):
    stop = f"{c.dir}/work/go{n}"
    until = f"echo $SLURM_JOB_ID >>{c.dir}/work/ran{n}; until [ -e {stop} ]; do sleep 0.1; done"
    ids = []
    for _ in range(4):
        rc, out, err = c.run("sbatch", "--parsable", "--requeue", "--wrap", until)
        ids.append(out.strip())
    srun = background(c, f"srun{n}", "srun", "-n", "2", "sh", "-c",
                      f"until [ -e {stop} ]; do sleep 0.1; done; echo through")
    wait = background(c, f"wait{n}", "sbatch", "--wait", "--wrap", f"until [ -e {stop} ]; do sleep 0.1; done; exit 3")
    queued = background(c, f"queued{n}", "srun", "-n", str(len(c.nodes)), "--exclusive", "-N", str(len(c.nodes)),
                        "echo", "started")
    r.ok(wait_for(lambda: running(c, ",".join(ids))),
         "four jobs run, an srun and an sbatch --wait besides, another srun is pending")
    r.ok(wait_for(lambda: "queued" in text(c, f"queued{n}")), "which says so")
    silent = c.wait_leader()
    os.kill(c.procs[silent].pid, signal.SIGSTOP)
    begun = time.time()
    r.ok(wait_for(lambda: new_leader(c, silent)), "another controller leads")
    lead = new_leader(c, silent)
    registered = lambda: len(set(re.findall(r"node registered node=(\S+)",
                                            log_text(c, lead).rsplit("role=leader", 1)[-1]))) == len(c.nodes)
    r.ok(wait_for(registered, 60), "all agents have moved to it")
    moved = time.time() - begun
    r.ok(moved <= MOVED_S, f"within {moved:.1f} s (SlurmdTimeout={TIMEOUT_S})")
    time.sleep(max(0, begun + TIMEOUT_S + 5 - time.time()))
    rc, out, err = c.run("sinfo", "-h", "-N", "-o", "%T")
    r.ok(rc == 0 and "down" not in out and "*" not in out, f"SlurmdTimeout later no node is down: {out.split()} {err}")
    r.ok(running(c, ",".join(ids)), "the jobs run on")
    open(stop, "w").close()
    r.ok(srun.wait(120) == 0 and text(c, f"srun{n}").split() == ["through"] * 2,
         f"the running srun ends well: {text(c, f'srun{n}')!r}")
    r.ok(wait.wait(120) == 3, f"sbatch --wait hears of the end: {text(c, f'wait{n}')!r}")
    r.ok(queued.wait(120) == 0 and text(c, f"queued{n}").count("started") == len(c.nodes),
         f"the pending srun gets its allocation: {text(c, f'queued{n}')!r}")
    before = len(log_text(c, silent))
    os.kill(c.procs[silent].pid, signal.SIGCONT)
    r.ok(wait_for(lambda: "role=follower" in log_text(c, silent)[before:]
                  or "started id=" in log_text(c, silent)[before:]),
         "the silent one wakes up and follows")
    r.ok(c.wait_empty(), "the queue drains")
    with open(f"{c.dir}/work/ran{n}") as f:
        ran = f.read().split()
    r.ok(sorted(ran) == sorted(ids), f"every job ran once: {ran}")
    said = "".join(log_text(c, i) for i in c.ids)
    r.ok("node is down" not in said, "no controller thought that a node was down")
    rc, out, _ = c.run("squeue", "-h", "-t", "all", "-o", "%T %A", "-j", ",".join(ids))
    r.ok(set(l.split()[0] for l in out.splitlines()) <= {"COMPLETED"}, f"all of them completed: {out.split()}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=1)
    args = p.parse_args()
    r = Report()
    c = Cluster(controllers=3, nodes=3, extra=f"SlurmdTimeout={TIMEOUT_S}\n")
    try:
        c.up()
        for n in range(args.rounds):
            one_round(c, r, n)
        if r.failed:
            c.fail("see above")
    finally:
        for proc in c.procs.values():
            try:
                os.kill(proc.pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
