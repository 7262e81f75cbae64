#!/usr/bin/env python3
"""An agent without root in a cgroup v2 subtree that was delegated to its user: memory and processes are limited all the
same."""
import os
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fault"))
from cluster import Cluster, Report  # noqa: E402

USER = 65534
TOP = "/sys/fs/cgroup/delegated"
HOG = "b = bytearray(200 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\nprint('got it', flush=True)\n"


def give():
    """What `Delegate=yes` does: a subtree of the user's, with controllers to hand on."""
    def write(path, text):
        with open(path, "w") as f:
            f.write(text)
    for word in ("+memory", "+pids"):
        write("/sys/fs/cgroup/cgroup.subtree_control", word)
    os.mkdir(TOP)
    for word in ("+memory", "+pids"):
        write(f"{TOP}/cgroup.subtree_control", word)
    os.mkdir(f"{TOP}/main")
    for folder in (TOP, f"{TOP}/main"):
        for name in ("", "cgroup.procs", "cgroup.subtree_control", "cgroup.threads"):
            os.chown(os.path.join(folder, name), USER, USER)
    write(f"{TOP}/main/cgroup.procs", "0")
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)


def state(c, job):
    for _ in range(200):
        _, out, _ = c.run("scontrol", "show", "job", job)
        found = re.search(r"JobState=(\S+)", out).group(1)
        if found not in ("PENDING", "RUNNING", "COMPLETING"):
            return found
        time.sleep(0.1)
    return found


def jobs_left():
    return [name for _, names, _ in os.walk(TOP) for name in names if name.startswith("job_")]


def main():
    r = Report()
    give()
    os.environ["USER"] = "nobody"
    tempfile.tempdir = "/var/tmp"
    enter = ["sh", "-c", f'mkdir -p {TOP}/agent && echo $$ >{TOP}/agent/cgroup.procs && exec "$@"', "sh"]
    c = Cluster(cpus=4, extra="TaskPlugin=task/cgroup\n", prefix={"n1": enter})
    try:
        with open(f"{c.dir}/etc/cgroup.conf", "w") as f:
            f.write("ConstrainRAMSpace=yes\nSpurMaxProcesses=30\nConstrainDevices=yes\n")
        with open(f"{c.dir}/work/hog.py", "w") as f:
            f.write(HOG)
        c.up()
        with open(f"{c.dir}/log/n1.log") as f:
            said = [line for line in f if "not enforced" in line]
        r.ok(not said, f"the delegated subtree is used ({said})")
        _, job, err = c.run("sbatch", "--parsable", "--mem=60", "-o", f"{c.dir}/work/out", "--wrap",
                            f"python3 {c.dir}/work/hog.py; sleep 100 & exit 0")
        found = state(c, job.strip())
        r.ok(found == "OUT_OF_MEMORY", f"a job over its memory is killed ({found} {err})")
        rc, out, err = c.run("srun", "--mem=60", "cat", "/proc/self/cgroup")
        r.ok(rc == 0 and "/delegated/agent/spur/" in out and "/step_0" in out,
             f"steps live below it ({out.strip()} {err.strip()})")
        end = time.time() + 5
        while time.time() < end and jobs_left():
            time.sleep(0.1)
        left = jobs_left()
        r.ok(not left, f"and leave nothing there ({left})")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
