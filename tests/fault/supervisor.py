#!/usr/bin/env python3
"""Supervisors are killed, the controller is down while steps end, a node is restarted: processes that are left are
ended, the end of every step is reported once, and the node can be used again."""
import os
import shutil
import signal
import subprocess
import time

from cluster import Cluster, Report


def until(what, seconds=20):
    end = time.time() + max(seconds, 60)
    while time.time() < end:
        got = what()
        if got:
            return got
        time.sleep(0.05)
    return None


def processes(*words):
    """Pids whose command line begins with these words."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                line = f.read().decode(errors="replace").split("\0")
        except OSError:
            continue
        if tuple(line[:len(words)]) == words:
            found.append(int(pid))
    return found


class Lab:
    def __init__(self):
        # a short KillWait; this test finds its tasks by a duration of sleep that no other test uses
        self.c = Cluster(nodes=2, cpus=32, extra="KillWait=2\nSlurmdTimeout=60\nJobRequeue=1\n")
        self.mark = 300000 + os.getpid() % 100000

    def submit(self, script, *options):
        rc, out, err = self.c.run("sbatch", "--parsable", "-o", "%j.out", *options, text=script)
        if rc:
            self.c.fail(f"sbatch: {err}")
        return out.strip()

    def show(self, job):
        out = self.c.run("scontrol", "show", "job", job)[1]
        return dict(w.split("=", 1) for w in out.split() if "=" in w)

    def state(self, job):
        return self.show(job).get("JobState")

    def supervisors(self, step):
        """Supervisors of this cluster: they have its spool."""
        return [p for p in processes(f"spurstepd: [{step}]") if self.ours(p)]

    def ours(self, pid):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                return self.c.dir.encode() in f.read()
        except OSError:
            return False

    def sleeps(self, k):
        return processes("sleep", str(self.mark + k)) + processes(shutil.which("sleep"), str(self.mark + k))

    def idle(self):
        return until(lambda: set(self.c.run("sinfo", "-h", "-N", "-o", "%T")[1].split()) == {"idle"})


def kill_one(lab, step):
    found = until(lambda: lab.supervisors(step))
    for pid in found or []:
        os.kill(pid, signal.SIGKILL)
    return len(found or [])


def batch(lab, r):
    job = lab.submit(f"#!/bin/bash\nsetsid sleep {lab.mark} &\nsleep {lab.mark}\n", "--no-requeue")
    r.ok(until(lambda: len(lab.sleeps(0)) == 2) and kill_one(lab, f"{job}.batch") == 1,
         "a script's supervisor is killed")
    r.ok(until(lambda: lab.state(job) == "NODE_FAIL"), f"its job has failed as by its node ({lab.state(job)})")
    r.ok(until(lambda: not lab.sleeps(0)), "nothing of it runs any more, not even what left its session")
    r.ok(lab.idle(), "the node is of use again")


def requeued(lab, r):
    script = (f"#!/bin/bash\necho run >>{lab.c.dir}/work/runs.$SLURM_JOB_ID\n"
              f"[ $SLURM_RESTART_COUNT ] || exec sleep {lab.mark + 1}\n")
    job = lab.submit(script, "--requeue")
    r.ok(until(lambda: lab.sleeps(1)) and kill_one(lab, f"{job}.batch") == 1, "once more, of a job that may run again")
    waits = until(lambda: lab.state(job) == "PENDING" or lab.show(job).get("Restarts") == "1")
    lab.c.run("scontrol", "update", f"JobId={job}", "StartTime=now")
    r.ok(waits and until(lambda: lab.state(job) == "COMPLETED", 30),
         f"it is started again, and ends well ({lab.state(job)})")
    with open(f"{lab.c.dir}/work/runs.{job}") as f:
        r.ok(f.read().split() == ["run"] * 2, "each attempt once")


def step(lab, r):
    p = subprocess.Popen([f"{lab.c.dir}/bin/srun", "-N2", "sleep", str(lab.mark + 2)], env=lab.c.env,
                         cwd=f"{lab.c.dir}/work",
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(lambda: len(lab.sleeps(2)) == 2)
    job = lab.c.run("squeue", "-h", "-o", "%A")[1].strip()
    both = lab.supervisors(f"{job}.0")
    for pid in both[:1]:
        os.kill(pid, signal.SIGKILL)
    r.ok(len(both) == 2 and until(lambda: len(lab.sleeps(2)) == 1),
         "one of a step's two supervisors is killed, and its task ends")
    r.ok(p.poll() is None, "srun waits for the other")
    for pid in lab.sleeps(2):
        os.kill(pid, signal.SIGTERM)
    try:
        _, err = p.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        p.kill()
        err = p.communicate()[1]
    r.ok(p.returncode and p.returncode > 0 and err.count("task ") == 2,
         f"srun fails, and names both tasks ({p.returncode} {err!r})")
    r.ok(lab.idle(), f"the nodes are of use again ({lab.state(job)})")


def controller_away(lab, r):
    work = f"{lab.c.dir}/work"
    job = lab.submit("#!/bin/bash\nfor i in $(seq 20); do\n"
                     "srun --overlap -N1 -n1 bash -c 'while [ ! -e go ]; do sleep 0.1; done; echo run "
                     ">>away.$SLURM_STEP_ID; exit '$i &\npids+=($!)\ndone\n"
                     "for p in ${pids[@]}; do wait $p; echo $? >>codes.away; done\nexit 5\n", "-n20")
    steps = until(lambda: len(lab.c.run("squeue", "-h", "-s", "-o", "%i")[1].split()) >= 21, 30)
    os.killpg(lab.c.procs[1].pid, signal.SIGSTOP)
    open(f"{work}/go", "w").close()
    ended = until(lambda: len([n for n in os.listdir(work) if n.startswith("away.")]) == 20)
    time.sleep(2)
    os.killpg(lab.c.procs[1].pid, signal.SIGCONT)
    r.ok(steps and ended, "twenty steps end while no agent runs")
    r.ok(until(lambda: lab.state(job) == "FAILED", 30) and lab.show(job).get("ExitCode") == "5:0",
         f"their job ends when it does ({lab.state(job)})")
    with open(f"{work}/codes.away") as f:
        r.ok(sorted(map(int, f.read().split())) == list(range(1, 21)), "with the code of each")
    r.ok(all(len(open(f"{work}/away.{i}").readlines()) == 1 for i in range(20)) and lab.idle(), "and each once")
    job = lab.submit("#!/bin/bash\nexit 0\n")
    r.ok(until(lambda: lab.state(job) == "COMPLETED"), "the next job runs")


def reboot(lab, r):
    """Everything of the node dies, and it comes back with another boot id: another file lies over the kernel's."""
    script = f"#!/bin/bash\n[ $SLURM_RESTART_COUNT ] || exec sleep {lab.mark + 3}\n"
    again, never = lab.submit(script, "--requeue", "-wn1"), lab.submit(script, "--no-requeue", "-wn1")
    until(lambda: len(lab.sleeps(3)) == 2)
    lab.c.kill("n1")
    for pid in [p for j in (again, never) for p in lab.supervisors(f"{j}.batch")] + lab.sleeps(3):
        os.kill(pid, signal.SIGKILL)
    other, at = f"{lab.c.dir}/work/boot_id", "/proc/sys/kernel/random/boot_id"
    with open(other, "w") as f:
        f.write("12345678-1234-1234-1234-123456789abc\n")
    lab.c.prefix["n1"] = ["unshare", "-m", "sh", "-c", f'mount --bind {other} {at} && exec "$@"', "sh"]
    lab.c.start_node("n1")
    r.ok(until(lambda: lab.state(never) == "NODE_FAIL"), f"a node was booted: its job is lost ({lab.state(never)})")
    until(lambda: lab.state(again) == "PENDING" or lab.show(again).get("Restarts") == "1")
    lab.c.run("scontrol", "update", f"JobId={again}", "StartTime=now")
    r.ok(until(lambda: lab.state(again) == "COMPLETED", 30) and lab.show(again)["Restarts"] == "1",
         f"one that may runs again ({lab.state(again)})")
    r.ok(lab.idle(), "the node is of use again")


def main():
    r, lab = Report(), Lab()
    try:
        lab.c.up()
        for test in (batch, requeued, step, controller_away) + ((reboot,) if os.geteuid() == 0 else ()):
            test(lab, r)
    finally:
        lab.c.down()
    return r.done()


if __name__ == "__main__":
    raise SystemExit(main())
