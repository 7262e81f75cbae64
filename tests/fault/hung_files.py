#!/usr/bin/env python3
"""What a user made does not answer: a FIFO that is full or has no other end, a socket that accepts nothing, a file
system that hangs (a FUSE server that replies to nothing).  Every step can be ended all the same, at once, by its
supervisor, and the node is of use to other users meanwhile."""
import ctypes
import fcntl
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time

from cluster import Cluster, Report

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../hostile"))
from wire import Local, request  # noqa: E402

NOBODY, DAEMON = 65534, 1
FUSE_INIT = 26


class HungFs:
    """A mounted file system whose server says hello and then nothing."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="spur-hung.")
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.fd},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"hung", self.dir.encode(), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "mount")
        head = os.read(self.fd, 65536)
        _, opcode, unique = struct.unpack_from("<IIQ", head)
        assert opcode == FUSE_INIT
        body = struct.pack("<IIII HH II HHI", 7, 31, 0, 0, 16, 12, 4096, 1, 32, 0, 0).ljust(64, b"\0")
        os.write(self.fd, struct.pack("<IiQ", 16 + len(body), 0, unique) + body)

    def end(self):
        os.close(self.fd)  # every request that waits fails now
        subprocess.run(["umount", "-l", self.dir], check=False)
        os.rmdir(self.dir)


def until(what, seconds=90):
    end = time.time() + seconds
    while not (got := what()) and time.time() < end:
        time.sleep(0.05)
    return got


class Lab:
    def __init__(self):
        self.c = Cluster(cpus=8, extra="KillWait=2\nUnkillableStepTimeout=120\n")
        self.home = f"{self.c.dir}/theirs"
        os.mkdir(self.home)
        os.chown(self.home, NOBODY, NOBODY)

    def as_user(self, *argv, text=None, timeout=120, uid=NOBODY, env=None):
        return subprocess.run([f"{self.c.dir}/bin/{argv[0]}", *argv[1:]], input=text, capture_output=True, text=True,
                              env=env or self.c.env, cwd="/tmp", user=uid, group=uid, extra_groups=[], timeout=timeout)

    def submit(self, script, *options, env=None):
        p = self.as_user("sbatch", "--parsable", *options, text="#!/bin/bash\n" + script, env=env)
        if p.returncode:
            self.c.fail(f"sbatch: {p.stderr}")
        return p.stdout.strip()

    def state(self, job):
        out = self.c.run("scontrol", "show", "job", job)[1]
        return dict(w.split("=", 1) for w in out.split() if "=" in w).get("JobState")

    def running(self, job):
        return until(lambda: self.state(job) == "RUNNING")

    def idle(self):
        return self.c.run("sinfo", "-h", "-N", "-o", "%T")[1].split() == ["idle"]

    def fifo(self, name):
        path = f"{self.home}/{name}"
        os.mkfifo(path, 0o666)
        os.chown(path, NOBODY, NOBODY)
        return path

    def others(self):
        """Another user's job on the same node."""
        p = self.as_user("srun", "-n1", "echo", "served", uid=DAEMON)
        return p.stdout.strip() == "served"

    def ends(self, r, job, what):
        """Cancelled it ends before any time-out of the agent (20 s) could have helped."""
        served = self.others()
        begun = time.time()
        self.as_user("scancel", job)
        gone = until(self.idle)
        took = time.time() - begun
        r.ok(served and gone and took < 18 and self.state(job) == "CANCELLED",
             f"{what}: others are served, and it ends when it is told to ({self.state(job)}, {took:.1f} s)")


def fifos(lab, r):
    path = lab.fifo("full")
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # an end that never reads
    job = lab.submit("cat /dev/zero\n", "-o", path)
    lab.running(job)
    until(lambda: fill_level(reader) >= 65536)
    lab.ends(r, job, "stdout is a FIFO that is full")
    os.close(reader)

    for option, name in (("-o", "no-reader"), ("-i", "no-writer")):
        job = lab.submit("sleep 300\n", option, lab.fifo(name), *([] if option == "-o" else ["-o", "/dev/null"]))
        lab.running(job)
        lab.ends(r, job, f"{option} is a FIFO without another end")

    path = lab.fifo("late")
    job = lab.submit("echo the reader was late\n", "-o", path)
    lab.running(job)
    with open(path) as f:
        r.ok(f.read() == "the reader was late\n", "a FIFO whose reader comes later works")

    path = lab.fifo("program")
    os.chmod(path, 0o777)
    p = lab.as_user("srun", "-n1", path)
    r.ok(p.returncode and "Permission denied" in p.stderr, f"a FIFO is no program ({p.stderr.strip()!r})")
    r.ok(until(lab.idle), "and the node is free again")


def fill_level(fd):
    return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0]


def step_with_endpoint(lab, path, *argv):
    """A step whose streams go to this socket, as no srun of ours would ask for it."""
    p = lab.as_user("salloc", "--no-shell", "-n1")
    job = re.search(r"job allocation (\d+)", p.stderr)[1]
    lab.running(job)
    said, says = os.pipe()
    asks = os.fork()
    if not asks:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        try:
            ask(f"{lab.c.dir}/run/ctl1.sock", job, path, argv or ("sleep", "300"), says)
        finally:
            os._exit(1)
    os.close(says)
    with os.fdopen(said) as f:
        return job, asks, f.readline().strip()


def ask(sock, job, path, argv, says):
    p = Local(sock)
    p.say(request("STEP", job_id=int(job), spec={"argv": list(argv), "ntasks": 1, "workdir": "/tmp",
                                                 "io": {"unix_path": path, "host": "127.0.0.1", "port": 9,
                                                        "token": b"0" * 16}}))
    os.write(says, p.read()[0].encode() + b"\n")
    time.sleep(600)


def end_process(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def sockets(lab, r):
    os.symlink(os.path.join(os.environ["SPUR_BUILD"], "src/cli/spur"), f"{lab.c.dir}/bin/salloc")
    path = f"{lab.home}/deaf"
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    os.chmod(path, 0o777)
    s.listen(0)
    held = []
    while True:  # until its queue is full
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        held.append(one)
        try:
            one.connect(path)
        except BlockingIOError:
            break
    job, asks, asked = step_with_endpoint(lab, path)
    r.ok(asked == "STEP_REPLY", f"a step whose socket accepts no connection is started ({asked})")
    until(lambda: lab.c.run("squeue", "-h", "-s", "-j", job)[1].strip())
    lab.ends(r, job, "a socket that accepts nothing")
    end_process(asks)


def hung(lab, r):
    fs = HungFs()
    try:
        for what, options in ((f"-o {fs.dir}/out", ["-o", f"{fs.dir}/out"]),
                              (f"-D {fs.dir}", ["-D", fs.dir, "-o", "/dev/null"]),
                              (f"-i {fs.dir}/in", ["-i", f"{fs.dir}/in", "-o", "/dev/null"])):
            job = lab.submit("sleep 300\n", *options)
            lab.running(job)
            lab.ends(r, job, f"a file system that hangs: sbatch {what}")
        job = lab.submit("sleep 300\n", "-o", "/dev/null", env=dict(lab.c.env, TMPDIR=f"{fs.dir}/tmp"))
        lab.running(job)
        lab.ends(r, job, "a file system that hangs: TMPDIR")
        p = subprocess.Popen([f"{lab.c.dir}/bin/srun", "-n1", "-o", f"{fs.dir}/out", "true"], env=lab.c.env, cwd="/tmp",
                             user=NOBODY, group=NOBODY, extra_groups=[], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
        job = until(lambda: lab.c.run("squeue", "-h", "-t", "R", "-o", "%A")[1].strip())
        time.sleep(1)  # the step is under way
        lab.ends(r, job, "a file system that hangs: srun -o")
        p.kill()  # srun itself waits for the file
        p.wait(90)
        job, asks, asked = step_with_endpoint(lab, "/nowhere", f"{fs.dir}/program")
        time.sleep(1)
        lab.ends(r, job, "a file system that hangs: a step's program")
        end_process(asks)
        job, asks, asked = step_with_endpoint(lab, f"{fs.dir}/socket")
        time.sleep(1)
        lab.ends(r, job, "a file system that hangs: the socket for a step's streams")
        end_process(asks)
    finally:
        fs.end()


def main():
    r = Report()
    if os.geteuid() or not os.path.exists("/dev/fuse"):
        return r.skip("needs root, to be other users, and /dev/fuse")
    lab = Lab()
    try:
        lab.c.up()
        fifos(lab, r)
        sockets(lab, r)
        hung(lab, r)
        r.ok(lab.c.procs["n1"].poll() is None and lab.others(), "the agent ran all the time")
    finally:
        lab.c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
