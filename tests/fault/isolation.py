#!/usr/bin/env python3
"""What a job was not given, it does not get: memory, processes, devices, other jobs' files, a life after its end.

Runs on whatever cgroups the machine has (v1, or v2 as in tests/vm).  --freezer: as on a machine of v1 alone, without
the v2 tree beside it.  Words: only these parts."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cluster import SPUR, SPURD, Cluster, Report

USER = 65534  # nobody: jobs are not root's here
MB = 1 << 20
SWAP_V1 = "/sys/fs/cgroup/memory/memory.memsw.limit_in_bytes"

CONF = """ProctrackType=proctrack/cgroup
TaskPlugin=task/cgroup
GresTypes=gpu
NamespaceType=namespace/tmpfs
KillWait=1
"""
HOG = ("import sys\nb = bytearray(int(sys.argv[1]) << 20)\n"
       "for i in range(0, len(b), 4096): b[i] = 1\nprint('got it', flush=True)\n")


class Lab:
    """A cluster of one node with everything switched on, and jobs of an ordinary user on it."""

    def __init__(self, freezer):
        # Not below /tmp: that is another folder inside a job here.
        tempfile.tempdir = os.environ.get("SPUR_ISOLATION_DIR", "/var/tmp")
        hide = ["unshare", "-m", "--propagation", "slave", "sh", "-c", 'umount /sys/fs/cgroup/unified && exec "$@"',
                "sh"]
        self.c = c = Cluster(cpus=8, extra=CONF, prefix={"n1": hide} if freezer else None)
        # The commands neither.
        for name in ("spur", "srun", "salloc", "sbcast"):
            path = os.path.join(c.dir, "bin", name)
            if os.path.lexists(path):
                os.unlink(path)
            if name == "spur":
                shutil.copy(SPUR, path)
            else:
                os.symlink("spur", path)
        self.dev = os.path.join(c.dir, "dev")
        os.mkdir(self.dev)
        # Two copies of /dev/null and of /dev/zero are the node's "GPUs": no program needs them when they are denied.
        for name, minor in (("gpu0", 7), ("gpu1", 8)):
            path = os.path.join(self.dev, name)
            os.mknod(path, 0o020666, os.makedev(1, minor))
            os.chmod(path, 0o666)
        with open(c.conf) as f:
            text = f.read()
        with open(c.conf, "w") as f:
            f.write(re.sub(r"(NodeName=n1 .*)", r"\1 Gres=gpu:2", text))
        self.write("etc/gres.conf", f"NodeName=n1 Name=gpu File={self.dev}/gpu[0-1]\n")
        self.write("etc/cgroup.conf", "ConstrainRAMSpace=yes\nConstrainDevices=yes\nConstrainCores=yes\n"
                                      "SpurMaxProcesses=60\nSpurCpuQuota=yes\nAllowedRAMSpace=110\n" +
                   ("ConstrainSwapSpace=yes\nAllowedSwapSpace=50\n" if os.path.exists(SWAP_V1) else ""))
        self.write("etc/job_container.conf", f"AutoBasePath=true\nBasePath={c.dir}/private Dirs=/tmp,/dev/shm\n")
        self.write("work/hog.py", HOG)
        self.hog = f"python3 {c.dir}/work/hog.py"
        os.chmod(os.path.join(c.dir, "work"), 0o1777)

    def write(self, path, text):
        with open(os.path.join(self.c.dir, path), "w") as f:
            f.write(text)

    def submit(self, script, *options):
        rc, out, err = self.c.run("sbatch", "--parsable", f"--uid={USER}", f"--gid={USER}", "-o",
                                  f"{self.c.dir}/work/%j.out", *options,
                                  text="#!/bin/bash\n" + script)
        if rc:
            self.c.fail(f"sbatch: {err}")
        return int(out)

    def state(self, job):
        _, out, _ = self.c.run("scontrol", "show", "job", str(job))
        found = re.search(r"JobState=(\S+)", out), re.search(r"ExitCode=(\S+)", out)
        return tuple(m.group(1) if m else "?" for m in found)

    def wait(self, job, seconds=90):
        end = time.time() + max(seconds, 90)
        while time.time() < end:
            state = self.state(job)
            if state[0] not in ("PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING"):
                return state
            time.sleep(0.1)
        return self.state(job)

    def output(self, job):
        try:
            with open(f"{self.c.dir}/work/{job}.out", errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    def wait_output(self, job, word, seconds=90):
        end = time.time() + seconds
        while time.time() < end and word not in self.output(job):
            time.sleep(0.05)
        return word in self.output(job)


def alive(mark):
    """Processes with this word in their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words:
            found.append(int(pid))
    return found


def supervisors(c, job):
    """Of this cluster: others on this machine have jobs of that number, too."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f, open(f"/proc/{pid}/environ", "rb") as e:
                ours = f"SPUR_STEP_SPOOL={c.dir}/spool".encode() in e.read()
                if ours and f.read().startswith(f"spurstepd: [{job}.batch]".encode()):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def gone(mark, seconds=10):
    end = time.time() + seconds
    while time.time() < end and alive(mark):
        time.sleep(0.05)
    return not alive(mark)


def cgroups_left(c):
    """Folders of jobs in any tree of this cluster's node."""
    left = []
    for root, dirs, _ in os.walk("/sys/fs/cgroup"):
        depth = root.count("/")
        if depth > 6:
            dirs[:] = []
        left += [os.path.join(root, d) for d in dirs if d.startswith("job_") and "/" + c.cgroup_name("n1") in root]
    return left


# ---- the parts ----

def memory(lab, r):
    job = lab.submit(f"{lab.hog} 200\necho after $?\n", "--mem=60")
    state = lab.wait(job)
    r.ok(state == ("OUT_OF_MEMORY", "0:125"), f"a job over its memory ends as OUT_OF_MEMORY, 0:125 ({state})")
    text = lab.output(job)
    r.ok("got it" not in text and "after 137" in text,
         f"its process was killed before it had what it was not given ({text[-300:]!r})")
    r.ok(f"oom_kill event in StepId={job}.batch. Some of the step tasks have been OOM Killed." in text,
         "its output says why")
    job = lab.submit(f"{lab.hog} 30\n", "--mem=200")
    r.ok(lab.wait(job) == ("COMPLETED", "0:0") and "got it" in lab.output(job), "what was given can be used")
    rc, out, err = lab.c.run("srun", "--mem=60", *lab.hog.split(), "200")
    r.ok(rc != 0 and "got it" not in out, "a step over its memory fails")
    r.ok("error: n1: task 0: Out Of Memory" in err, f"srun says which task ({err.strip()[-200:]})")


def folder(text, controller):
    """The folder of a process whose /proc/PID/cgroup is `text`."""
    if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        return "/sys/fs/cgroup" + re.search(r"^0::(.*)$", text, re.M).group(1)
    found = re.search(rf"^\d+:(?:[^:]*,)?{controller}(?:,[^:]*)?:(.*)$", text, re.M)
    return f"/sys/fs/cgroup/{controller}" + found.group(1)


def has(controller):
    """Is it there to be used?"""
    path = "/sys/fs/cgroup/cgroup.controllers"
    if not os.path.exists(path):
        return os.path.isdir(f"/sys/fs/cgroup/{controller}")
    with open(path) as f:
        return controller in f.read().split()


def read(*path):
    with open(os.path.join(*path)) as f:
        return f.read().strip()


def numbers(lab, r):
    """What the kernel was told: memory by AllowedRAMSpace, CPU time by CPUs, processes, cores."""
    v2 = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
    job = lab.submit("cat /proc/self/cgroup; grep Cpus_allowed_list /proc/self/status; echo ready; sleep 60\n",
                     "--mem=100", "-c2")
    lab.wait_output(job, "ready")
    text = lab.output(job)
    up = os.path.dirname if v2 else str       # with v2 the script is below the job; its limits are the job's
    memory, cpu, pids = (up(folder(text, c)) for c in ("memory", "cpu", "pids"))
    r.ok(int(read(memory, "memory.max" if v2 else "memory.limit_in_bytes")) == 110 * MB,
         "AllowedRAMSpace=110 of --mem=100 is 110 MB")
    r.ok(int(read(memory, "memory.high" if v2 else "memory.soft_limit_in_bytes")) == 100 * MB, "softly 100 MB")
    if os.path.exists(SWAP_V1):
        r.ok(int(read(memory, "memory.memsw.limit_in_bytes")) == 160 * MB,
             "AllowedSwapSpace=50: half as much again in swap")
    r.ok(read(cpu, "cpu.max" if v2 else "cpu.cfs_quota_us").split()[0] == "200000", "two CPUs are two CPUs' time")
    r.ok(read(pids, "pids.max") == "60", "so many processes")
    lab.c.run("scancel", str(job))
    lab.wait(job)
    job = lab.submit("grep Cpus_allowed_list /proc/self/status\n", "-c1")
    lab.wait(job)
    found = re.search(r"Cpus_allowed_list:\t(\S+)", lab.output(job))
    if has("cpuset") and os.cpu_count() > 1:
        r.ok(found and re.fullmatch(r"\d+", found.group(1)),
             f"a job of one CPU is kept to one ({found and found.group(1)})")


def stale(lab, r):
    """Agent and supervisor killed together: the next agent finds what is left, in no place but its cgroup."""
    mark = f"stale-{os.getpid()}"
    job = lab.submit(f"( setsid env -i /bin/bash -c 'trap \"\" TERM; exec -a {mark} sleep 300' & ) &\nsleep 300\n",
                     "--no-requeue")
    end = time.time() + 60
    while time.time() < end and not alive(mark):
        time.sleep(0.05)
    there = alive(mark)
    lab.c.kill("n1")
    for pid in supervisors(lab.c, job):
        os.kill(pid, signal.SIGKILL)
    time.sleep(0.3)
    hidden = alive(mark)
    lab.c.start_node("n1")
    r.ok(there and hidden and gone(mark), f"what two deaths left running ends when the agent is back ({there} "
                                          f"{hidden})")
    lab.c.run("scancel", str(job))
    lab.wait(job)


def together(lab, r):
    """Steps of one job that begin and end at once make and remove the job's box under each other's feet."""
    steps = ("for k in 1 2 3; do for i in 1 2 3 4 5 6; do "
             "srun -n1 --overlap --mem=20 sh -c 'cat /proc/self/cgroup >/dev/null && echo good' & done; wait; done")
    rc, out, err = lab.c.run("salloc", "-n6", "--mem=200", "bash", "-c", steps)
    r.ok(out.count("good") == 18, f"many steps of one job at once ({out.count('good')} of 18: {err.strip()[-300:]})")


def step_memory(lab, r):
    """A step has less than its job: the step dies, the script lives."""
    job = lab.submit(f"srun --mem=50 {lab.hog} 150\necho step $?\n{lab.hog} 100\n", "--mem=300")
    lab.wait(job)
    text = lab.output(job)
    r.ok("task 0: Out Of Memory" in text and not re.search(r"^step 0$", text, re.M),
         f"a step over its own memory is killed ({text[-300:]!r})")
    r.ok("got it" in text.split("step ", 1)[-1], "its job has more than the step had")


def oom_kill_step(lab, r):
    mark = f"sibling-{os.getpid()}"
    script = f"(exec -a {mark} sleep 300) &\nsleep 0.5\n{lab.hog} 200\nwait\n"
    job = lab.submit(script, "--mem=60", "--oom-kill-step=1")
    state = lab.wait(job, 20)
    r.ok(state[0] == "OUT_OF_MEMORY" and gone(mark), f"--oom-kill-step ends the whole step ({state})")


def fork_bomb(lab, r):
    mark = f"bomb-{os.getpid()}"
    bomb = f"f() {{ (exec -a {mark} sleep 60) & f & f & }}\nf 2>/dev/null\nsleep 2\necho still here\n"
    job = lab.submit(bomb)
    time.sleep(1.5)
    most = len(alive(mark))
    r.ok(most <= 60, f"a fork bomb stays within SpurMaxProcesses ({most})")
    started = time.time()
    rc, _, _ = lab.c.run("scancel", str(job))
    r.ok(rc == 0 and lab.wait(job, 20)[0] in ("CANCELLED", "COMPLETED", "FAILED") and gone(mark),
         f"and ends with its job ({time.time() - started:.1f} s)")


def daemon(lab, r):
    mark = f"daemon-{os.getpid()}"
    # Forks twice, in a session of its own, with an empty environment and its ears shut.
    go = f"{lab.c.dir}/work/{mark}.go"
    script = (f"( setsid env -i /bin/bash -c 'trap \"\" TERM HUP INT; exec -a {mark} sleep 300' & ) &\n"
              f"until [ -e {go} ]; do sleep 0.1; done\nexit 0\n")
    job = lab.submit(script)
    seen = False
    end = time.time() + 60
    while time.time() < end and not seen:
        seen = bool(alive(mark))
        time.sleep(0.02)
    open(go, "w").close()
    state = lab.wait(job)
    r.ok(seen and state == ("COMPLETED", "0:0") and gone(mark), "a daemon that forked twice ends with its job")


def deaf(lab, r):
    mark = f"deaf-{os.getpid()}"
    job = lab.submit(f"trap '' TERM INT HUP\necho deaf\n(trap '' TERM; exec -a {mark} sleep 300)\nsleep 300\n")
    lab.wait_output(job, "deaf")
    started = time.time()
    lab.c.run("scancel", str(job))
    state = lab.wait(job, 20)
    r.ok(state[0] == "CANCELLED" and gone(mark), "a process that ignores SIGTERM is gone after KillWait "
                                                 f"({time.time() - started:.1f} s)")


def orphan(lab, r):
    """The supervisor is killed, and what it supervised has hidden from everything but its cgroup."""
    mark = f"orphan-{os.getpid()}"
    job = lab.submit(f"( setsid env -i /bin/bash -c 'trap \"\" TERM; exec -a {mark} sleep 300' & ) &\nsleep 300\n",
                     "--no-requeue")
    end = time.time() + 60
    while time.time() < end and not alive(mark):
        time.sleep(0.05)
    found = supervisors(lab.c, job)
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    r.ok(len(found) == 1 and gone(mark), f"its supervisor killed: even then nothing of the step is left ({found} "
                                         f"{alive(mark)})")
    lab.c.run("scancel", str(job))
    lab.wait(job)


def devices(lab, r):
    look = f"for d in 0 1; do head -c 1 {lab.dev}/gpu$d >/dev/null 2>&1 && echo open $d || echo closed $d; done\n"
    tests = ((("--gres=gpu:1",), ["open 0", "closed 1"], "a job opens the device it was given and not the other"),
             ((), ["closed 0", "closed 1"], "one that was given none opens none"),
             (("--gres=gpu:2",), ["open 0", "open 1"], "one that was given both opens both"))
    # /dev/full (1:7) and /dev/random (1:8) can be read from.
    for options, want, what in tests:
        job = lab.submit(look, *options)
        lab.wait(job)
        r.ok(lab.output(job).split("\n")[:2] == want, f"{what} ({lab.output(job).strip()!r})")
    rc, out, err = lab.c.run("srun", "--gres=gpu:1", "bash", "-c", look)
    r.ok(out.split("\n")[:2] == ["open 0", "closed 1"], f"a step likewise ({out.strip()!r} {err.strip()!r})")


def private_tmp(lab, r):
    name = f"secret-{os.getpid()}"
    first = lab.submit(f"echo mine >/tmp/{name}; echo shm >/dev/shm/{name}; ls /tmp; df /tmp >/dev/null && echo "
                       "written\nsleep 4\n")
    lab.wait_output(first, "written")
    other = lab.submit(f"ls /tmp /dev/shm; cat /tmp/{name} /dev/shm/{name}; cat "
                       f"{lab.c.dir}/private/{first}.*/_tmp/{name}; touch /tmp/other; echo done\n")
    lab.wait(other)
    r.ok("done" in lab.output(other) and "mine" not in lab.output(other)
         and "shm\n" not in lab.output(other).replace("/dev/shm", ""), "another job does not see a job's /tmp")
    r.ok(name not in os.listdir("/tmp") and name not in os.listdir("/dev/shm"), "neither does the machine")
    r.ok("written" in lab.output(first) and name in lab.output(first), "the job itself does")
    job = lab.submit(f"echo kept >/tmp/{name}; srun cat /tmp/{name}; srun bash -c 'echo step >>/tmp/{name}'; cat "
                     f"/tmp/{name}\n")
    lab.wait(job)
    r.ok(lab.output(job).split() == ["kept", "kept", "step"], f"the job's steps share it ({lab.output(job)!r})")
    rc, out, err = lab.c.run("salloc", "-n1", "bash", "-c",
                             f"sbcast {lab.c.dir}/work/hog.py /tmp/{name}.sent && srun ls /tmp")
    r.ok(f"{name}.sent" in out and not os.path.exists(f"/tmp/{name}.sent"),
         f"a file that is sent to a job's /tmp arrives there ({out!r} {err[-200:]!r})")
    lab.wait(first)
    end = time.time() + 60
    while time.time() < end and os.listdir(f"{lab.c.dir}/private"):
        time.sleep(0.1)
    r.ok(not os.listdir(f"{lab.c.dir}/private"), f"and it goes with the job ({os.listdir(lab.c.dir + '/private')})")


def ticks(mark):
    total = 0
    for pid in alive(mark):
        try:
            with open(f"/proc/{pid}/stat") as f:
                total += int(f.read().rsplit(")", 1)[1].split()[11])
        except OSError:
            pass
    return total


def suspend(lab, r):
    mark = f"spinner-{os.getpid()}"
    # It wakes itself up when stopped: only a freezer holds it.
    job = lab.submit(f"(exec -a {mark} python3 -c 'while True: pass') & P=$!\nwhile true; do kill -CONT $P; done\n")
    end = time.time() + 60
    while time.time() < end and not ticks(mark):
        time.sleep(0.1)
    rc, _, err = lab.c.run("scontrol", "suspend", str(job))
    before, end = 0, time.time() + 60
    while time.time() < end and ticks(mark) != before:      # the order has to get there first
        before = ticks(mark)
        time.sleep(1)
    r.ok(rc == 0 and before and ticks(mark) == before,
         f"a suspended job stands still ({err.strip()} {before} {ticks(mark)})")
    lab.c.run("scontrol", "resume", str(job))
    end = time.time() + 60
    while time.time() < end and ticks(mark) == before:
        time.sleep(0.1)
    r.ok(ticks(mark) > before, "and goes on when it is resumed")
    lab.c.run("scontrol", "suspend", str(job))
    time.sleep(0.3)
    lab.c.run("scancel", str(job))
    r.ok(lab.wait(job, 20)[0] == "CANCELLED" and gone(mark), "a suspended job can be cancelled")


def restart(lab, r):
    """The agent comes back: cgroups of live steps stay, those of lost ones go."""
    job = lab.submit(f"echo up; sleep 3; {lab.hog} 200\n", "--mem=60")
    lab.wait_output(job, "up")
    lab.c.kill("n1")
    lab.c.start_node("n1")
    state = lab.wait(job)
    r.ok(state == ("OUT_OF_MEMORY", "0:125"), f"limits outlive the agent ({state})")


def oom_all_nodes(_, r):
    """Want of memory on one node ends the step on the other, where that was asked for."""
    c = Cluster(nodes=2, cpus=4, extra="TaskPlugin=task/cgroup\n")
    try:
        with open(f"{c.dir}/etc/cgroup.conf", "w") as f:
            f.write("ConstrainRAMSpace=yes\n")
        with open(f"{c.dir}/work/hog.py", "w") as f:
            f.write(HOG)
        c.up()
        started = time.time()
        rc, _, err = c.run("srun", "-N2", "-n2", "--mem=60", "--oom-kill-step=1", "sh", "-c",
                           f'[ "$SLURM_PROCID" = 0 ] && exec python3 {c.dir}/work/hog.py 200; exec sleep 150')
        took = time.time() - started
        r.ok(rc != 0 and took < 120 and re.search(r"n\d: task 0: Out Of Memory", err),
             f"and ends the whole step on all nodes ({rc}, {took:.1f} s, {err[-300:]!r})")
    finally:
        c.down()


def mistakes(lab, r):
    """An agent does not start with a configuration that it cannot follow, and says why."""
    good = read(lab.c.dir, "etc/cgroup.conf") + "\n"
    other = "cgroup/v1" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "cgroup/v2"
    for line, says in (("ConstrainRam=yes", "cgroup.conf:1: unknown key ConstrainRam"),
                       (f"CgroupPlugin={other}", f"CgroupPlugin={other}, but /sys/fs/cgroup is ")):
        lab.write("etc/cgroup.conf", line + "\n")
        p = subprocess.run([SPURD, "-D", "-f", lab.c.conf, "-N", "n1", "-L", "/dev/stderr"], capture_output=True,
                           text=True, timeout=90, env=lab.c.env)
        r.ok(p.returncode == 1 and says in p.stderr, f"{line} is refused ({p.stderr.strip()[-160:]!r})")
    lab.write("etc/cgroup.conf", good)


def main():
    r = Report()
    if os.geteuid() != 0:
        return r.skip("limits and private folders need root")
    freezer = "--freezer" in sys.argv
    only = [word for word in sys.argv[1:] if word != "--freezer"]
    lab = Lab(freezer)
    try:
        if not freezer and (not only or "mistakes" in only):
            mistakes(lab, r)
        lab.c.up()
        with open(f"{lab.c.dir}/log/n1.log", errors="replace") as f:
            said = [line for line in f if "not enforced" in line]
        want = [] if has("cpuset") else ["which cores a job uses (ConstrainCores)"]
        r.ok(len(said) == len(want) and all(w in s for w, s in zip(want, said)),
             f"what this machine cannot enforce is said once: {want} ({said})")
        parts = (fork_bomb, daemon, deaf, orphan, suspend) if freezer else \
            (memory, numbers, together, step_memory, oom_kill_step, oom_all_nodes, fork_bomb, daemon, deaf, orphan,
             stale, devices, private_tmp, suspend, restart)
        for part in parts:
            if not only or part.__name__ in only:
                print(f"# {part.__name__}", flush=True)
                part(lab, r)
        lab.c.wait_empty(20)
        end = time.time() + 60
        while time.time() < end and cgroups_left(lab.c):
            time.sleep(0.1)
        r.ok(not cgroups_left(lab.c), f"no cgroup of a job is left behind ({cgroups_left(lab.c)})")
    finally:
        lab.c.down()
        subprocess.run(["umount", "-l", f"{lab.c.dir}/private"], check=False, stderr=subprocess.DEVNULL)
        subprocess.run(["rm", "-rf", lab.c.dir], check=False)
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
