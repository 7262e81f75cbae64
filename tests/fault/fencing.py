#!/usr/bin/env python3
"""SpurFencing=confirm: the agent of a node falls silent and its job runs on.  The node is down after SlurmdTimeout, the
job is not started elsewhere; the agent comes back, ends it, and it runs again.  Then an administrator fences the
node.

SpurFencing=lease: the supervisor ends the job of the silent agent, and only then it runs elsewhere.  The controller is
away for longer than the lease: the job ends, and runs again when it is back."""
import os
import signal
import sys
import time

from cluster import Cluster, Report


def wait_for(what, seconds=90):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


def job_state(c, job):
    return c.run("squeue", "-h", "-t", "all", "-o", "%T %N", "-j", job)[1].strip()


def ran_on(c, job):
    try:
        with open(f"{c.dir}/work/ran.{job}") as f:
            return f.read().split()
    except FileNotFoundError:
        return []


def lose(c, r, avoid):
    """A job on a node whose agent is stopped until the node is down: the job and the node."""
    script = f"echo $SLURMD_NODENAME >>{c.dir}/work/ran.$SLURM_JOB_ID; sleep 600"
    job = c.run("sbatch", "--parsable", "--requeue", "-x", avoid, "-o", "/dev/null", "--wrap", script)[1].strip()
    r.ok(wait_for(lambda: ran_on(c, job)), f"job {job} runs")
    node = ran_on(c, job)[0]
    os.kill(c.procs[node].pid, signal.SIGSTOP)
    r.ok(wait_for(lambda: "down" in c.run("sinfo", "-h", "-n", node, "-o", "%T")[1]), "its node is lost and down")
    c.run("scontrol", "update", f"jobid={job}", "ExcNodeList=")
    time.sleep(3)
    r.ok(job_state(c, job).startswith("COMPLETING") and len(ran_on(c, job)) == 1,
         f"the job waits: {job_state(c, job)}, and ran on {ran_on(c, job)}")
    return job, node


def wake(c):
    for p in c.procs.values():
        try:
            os.kill(p.pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


def confirm(r):
    c = Cluster(nodes=3, extra="SlurmdTimeout=6\nKillWait=2\nSpurFencing=confirm\n")
    try:
        c.up()
        job, node = lose(c, r, "n3")
        os.kill(c.procs[node].pid, signal.SIGCONT)
        r.ok(wait_for(lambda: len(ran_on(c, job)) == 2), "the agent is back and ended it: it runs again")
        c.run("scancel", job)
        r.ok(c.wait_empty(), "and is cancelled")
        job, node = lose(c, r, "n3")
        rc, _, err = c.run("scontrol", "update", f"nodename={node}", "state=fenced")
        r.ok(rc == 0, f"an administrator fences the node {err}")
        r.ok(wait_for(lambda: len(ran_on(c, job)) == 2) and ran_on(c, job)[1] != node, "the job runs elsewhere")
        rc, _, err = c.run("scontrol", "update", "nodename=n3", "state=fenced")
        r.ok(rc != 0, "a node that is connected cannot be fenced")
        os.kill(c.procs[node].pid, signal.SIGCONT)
        c.run("scancel", job)
        r.ok(c.wait_empty(), "the queue drains")
        if r.failed:
            c.fail("see above")
    finally:
        wake(c)
        c.down()


def alive(c, job):
    """When each attempt of the job began and was last seen to run."""
    try:
        with open(f"{c.dir}/work/alive.{job}") as f:
            seen = [l.split() for l in f.read().splitlines() if len(l.split()) == 2]
    except FileNotFoundError:
        return []
    attempts = {}
    for attempt, at in seen:
        attempts.setdefault(attempt, []).append(float(at))
    return sorted((min(t), max(t)) for t in attempts.values())


def submit_lively(c):
    script = (f"while :; do echo $$.$SLURM_RESTART_COUNT $(date +%s.%N) >>{c.dir}/work/alive.$SLURM_JOB_ID; "
              "sleep 0.2; done")
    return c.run("sbatch", "--parsable", "--requeue", "-o", "/dev/null", "--wrap", script)[1].strip()


def lease(r):
    c = Cluster(nodes=3, extra="SlurmdTimeout=6\nKillWait=2\nSpurFencing=lease\nSpurLeaseTime=8\n")
    try:
        c.up()
        job = submit_lively(c)
        r.ok(wait_for(lambda: alive(c, job)), f"SpurFencing=lease: job {job} runs")
        time.sleep(12)
        r.ok(len(alive(c, job)) == 1 and time.time() - alive(c, job)[0][1] < 3, "and runs on beyond its first lease")
        node = job_state(c, job).split()[1]
        os.kill(c.procs[node].pid, signal.SIGSTOP)
        r.ok(wait_for(lambda: len(alive(c, job)) == 2, 120), "its agent is stopped: it runs elsewhere")
        first, second = alive(c, job)[:2]
        r.ok(first[1] < second[0], f"{second[0] - first[1]:.1f} s after its supervisor has ended it")
        wake(c)
        c.kill(1)
        r.ok(wait_for(lambda: time.time() - alive(c, job)[-1][1] > 3, 60), "without a controller it ends")
        c.start_ctl(1)
        r.ok(wait_for(lambda: len(alive(c, job)) == 3, 120), "and runs again when there is one")
        times = alive(c, job)
        r.ok(all(a[1] < b[0] for a, b in zip(times, times[1:])), "never twice at the same time")
        c.run("scancel", job)
        r.ok(c.wait_empty(), "the queue drains")
        if r.failed:
            c.fail("see above")
    finally:
        wake(c)
        c.down()


def main():
    r = Report()
    confirm(r)
    lease(r)
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
