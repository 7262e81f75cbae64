"""What the attacks share: a cluster with ordinary users, a bystander whose commands are timed, the controller's memory.

The users exist in a mount namespace of the test alone, where /etc/passwd and /etc/group are others."""
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fault"))
import cluster  # noqa: E402
from cluster import SPUR, SPURCTLD, Report, seed_from  # noqa: E402,F401
from wire import Local  # noqa: E402

# name: (uid, further groups)
USERS = {"mallory": (64001, ["brew"]), "alice": (64002, ["secret", "brew"]), "carol": (64003, []), "oscar": (64004, []),
         "victor": (64005, ["secret"])}
GROUPS = {"brew": 64101, "secret": 64102}
MALLORY, ALICE, CAROL, OSCAR, VICTOR = (USERS[name][0] for name in USERS)


class Cluster(cluster.Cluster):
    """The attacks write their frames themselves and sign them with the cluster's key, unless they ask for TLS."""

    def __init__(self, *args, transport="plain", **more):
        super().__init__(*args, transport=transport, **more)


def until(what, seconds=60):
    """The first true value of what(), or the last false one."""
    end = time.time() + seconds
    while not (value := what()) and time.time() < end:
        time.sleep(0.05)
    return value


def enter_users():
    """Start this program again where the users exist."""
    if os.environ.get("SPUR_HOSTILE_USERS"):
        return
    folder = tempfile.mkdtemp(prefix="spur-users.")
    with open("/etc/passwd") as f, open(f"{folder}/passwd", "w") as out:
        out.write(f.read() + "".join(f"{name}:x:{uid}:{uid}::/:/bin/sh\n" for name, (uid, _) in USERS.items()))
    with open("/etc/group") as f, open(f"{folder}/group", "w") as out:
        out.write(f.read() + "".join(f"{name}:x:{uid}:\n" for name, (uid, _) in USERS.items()))
        for group, gid in GROUPS.items():
            out.write(f"{group}:x:{gid}:{','.join(name for name in USERS if group in USERS[name][1])}\n")
    for name in ("passwd", "group"):
        os.chmod(f"{folder}/{name}", 0o644)
    os.environ["SPUR_HOSTILE_USERS"] = folder
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private", "sh", "-c",
                          f"mount --bind {folder}/passwd /etc/passwd && mount --bind {folder}/group /etc/group && "
                          f"rm -rf {folder} && exec \"$@\"", "sh", sys.executable, *sys.argv])


def sanitized():
    with open(SPURCTLD, "rb") as f:
        return b"__asan_init" in f.read()


def status_kb(pid, key):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(key + ":"))


def open_memory(pid):
    """Begin a new peak (VmHWM)."""
    with open(f"/proc/{pid}/clear_refs", "w") as f:
        f.write("5")


class Lab(Cluster):
    def __init__(self, **more):
        tempfile.tempdir = "/var/tmp"  # a job may have a /tmp of its own
        super().__init__(**more)
        os.chmod(f"{self.dir}/work", 0o1777)
        for name in ("salloc", "sbcast", "sattach", "sdiag", "sacctmgr", "sprio", "sshare", "sstat"):
            os.symlink(SPUR, f"{self.dir}/bin/{name}")

    def as_user(self, uid, *argv, text=None, env=None, timeout=90, cwd=None):
        """(exit code, output, words of error) of a command, or of any program, as this user with its groups."""
        name, groups = next((n, [GROUPS[g] for g in gs]) for n, (u, gs) in USERS.items() if u == uid)
        path = f"{self.dir}/bin/{argv[0]}"
        try:
            p = subprocess.run([path if os.path.lexists(path) else argv[0], *argv[1:]], input=text, text=True,
                               capture_output=True, timeout=timeout, user=uid, group=uid, extra_groups=groups,
                               env={**self.env, "USER": name, "HOME": "/", **(env or {})},
                               cwd=cwd or f"{self.dir}/work")
        except subprocess.TimeoutExpired:
            return 124, "", "timed out"
        return p.returncode, p.stdout, p.stderr

    def user(self, uid=MALLORY, timeout=30):
        """A raw connection to the controller as this user."""
        return Local(f"{self.dir}/run/ctl1.sock", uid, timeout=timeout)

    def node_user(self, uid=MALLORY, node="n1", timeout=30):
        return Local(f"{self.dir}/run/spurd-{node}.sock", uid, timeout=timeout)

    def submit(self, uid, *options, script="#!/bin/sh\nsleep 1000\n", env=None):
        rc, out, err = self.as_user(uid, "sbatch", "--parsable", "-o", "/dev/null", *options, text=script, env=env)
        if rc:
            self.fail(f"sbatch: {err}")
        return int(out)

    def user_submit_quickly(self, uid):
        """A held job, by one message."""
        p = self.user(uid)
        kind, reply = p.ask("SUBMIT", key=os.urandom(16), spec={"name": "x", "workdir": "/", "hold": True},
                            script="#!/bin/sh\n")
        p.close()
        return reply.get("job_id")

    def set_conf(self, key, value):
        """A line of slurm.conf, and reconfigure."""
        with open(self.conf) as f:
            lines = [line for line in f.read().splitlines() if not line.startswith(key + "=")]
        with open(self.conf, "w") as f:
            f.write("\n".join(lines + [f"{key}={value}"]) + "\n")
        rc, _, err = self.run("scontrol", "reconfigure")
        if rc:
            self.fail(f"reconfigure: {err}")

    def background(self, uid, *argv, env=None):
        """A command of this user that waits."""
        return subprocess.Popen([f"{self.dir}/bin/{argv[0]}", *argv[1:]], user=uid, group=uid, extra_groups=[],
                                env={**self.env, **(env or {})}, cwd=f"{self.dir}/work", stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def describe(self, job):
        """All that scontrol says of a job, without what changes by itself."""
        text = self.run("scontrol", "-o", "show", "job", str(job))[1].split()
        return [word for word in text if not word.startswith(("RunTime", "LastSchedEval", "Priority", "StartTime"))]

    def job_state(self, job):
        return self.run("squeue", "-h", "-a", "-t", "all", "-j", str(job), "-o", "%T")[1].strip()

    def runs(self, job):
        return until(lambda: self.job_state(job) == "RUNNING")

    def cancel_all(self):
        self.run("scancel", "--full", *[f"--user={name}" for name in ("mallory",)])
        self.run("scancel", "--full", "--user=alice")
        return until(lambda: not self.run("squeue", "-h", "-o", "%A")[1].strip())


class Bystander:
    """Another user's squeue and sbatch, one after the other, in a process of its own; and how long the machine itself
    made a process wait that wanted to wake up."""

    def __init__(self, lab, uid):
        self.lab, self.uid = lab, uid

    def loop(self, pipe):
        took = {"squeue": [], "sbatch": []}
        failed = []
        while not pipe.poll():
            for argv in (("squeue", "-h", "--me"), ("sbatch", "-H", "-Q", "-o", "/dev/null", "--wrap", "true")):
                begun = time.monotonic()
                rc, _, err = self.lab.as_user(self.uid, *argv)
                took[argv[0]].append(time.monotonic() - begun)
                if rc:
                    failed.append(err.strip())
        pipe.send((took, failed))

    @staticmethod
    def watch(pipe):
        worst = 0
        while not pipe.poll():
            begun = time.monotonic()
            time.sleep(0.005)
            worst = max(worst, time.monotonic() - begun - 0.005)
        pipe.send(worst)

    def __enter__(self):
        self.ends, self.processes = [], []
        for what in (self.loop, self.watch):
            mine, its = multiprocessing.Pipe()
            p = multiprocessing.Process(target=what, args=(its,), daemon=True)
            p.start()
            self.ends.append(mine)
            self.processes.append(p)
        self.begun = time.monotonic()
        return self

    def __exit__(self, *_):
        time.sleep(max(0, self.begun + 1.5 - time.monotonic()))  # several rounds, however short the attack
        for end in self.ends:
            end.send(1)
        (self.took, self.failed), self.pause = [end.recv() for end in self.ends]
        for p in self.processes:
            p.join()

    def slowest(self):
        return max(max(times) for times in self.took.values())
