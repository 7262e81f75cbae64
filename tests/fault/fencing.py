#!/usr/bin/env python3
"""SpurFencing=confirm: the agent of a node falls silent and its job runs on.  The node is down after SlurmdTimeout, the
job is not started elsewhere; the agent comes back, ends it, and it runs again.  Then an administrator fences the
node."""
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


def main():
    r = Report()
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
        for p in c.procs.values():
            try:
                os.kill(p.pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
