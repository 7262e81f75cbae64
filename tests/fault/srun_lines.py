"""srun and its supervisors over connections that break: every byte comes once, in order, in both directions.

The Unix socket is removed before the step begins, so that the supervisor connects by TCP; then srun's end of that
connection is cut again and again while data flows.  At last srun does not connect again at all: the tasks go on, and
both sides say so.
"""

import ctypes
import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from cluster import Cluster, Report

PIDFD_OPEN, PIDFD_GETFD = 434, 438
libc = ctypes.CDLL(None, use_errno=True)
report = Report()


def ok(good, name, why=""):
    if not report.ok(good, name) and why:
        print("#   " + str(why).replace("\n", "\n#   "), flush=True)


def sockets_of(pid):
    """Copies of the sockets of another process."""
    pidfd = libc.syscall(PIDFD_OPEN, pid, 0)
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            if not os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:"):
                continue
        except OSError:
            continue
        copy = libc.syscall(PIDFD_GETFD, pidfd, int(fd), 0)
        if copy >= 0:
            found.append(socket.socket(fileno=copy))
    os.close(pidfd)
    return found


def take_unix_away(pid):
    """A supervisor that looks for srun's Unix socket finds none."""
    for s in sockets_of(pid):
        if s.family == socket.AF_UNIX and s.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            os.unlink(s.getsockname())
            return True
    return False


def cut(pid):
    """Every connection that srun accepted by TCP."""
    mine = sockets_of(pid)
    ports = {s.getsockname()[1] for s in mine if s.family == socket.AF_INET
             and s.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)}
    n = 0
    for s in mine:
        listens = s.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        if s.family != socket.AF_INET or listens or s.getsockname()[1] not in ports:
            continue
        try:
            s.shutdown(socket.SHUT_RDWR)
            n += 1
        except OSError:
            pass
    return n


def held(cluster, *words, **how):
    """srun with a held job, whose Unix socket is taken away before it is let go."""
    srun = subprocess.Popen(["srun", "--hold", "-J", "cut", *words], env=cluster.env, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **how)
    job = ""
    for _ in range(1200):
        job = subprocess.run(["squeue", "-h", "-n", "cut", "-t", "PD", "-o", "%i"], env=cluster.env,
                             capture_output=True, text=True).stdout.strip()
        if job:
            break
        time.sleep(0.05)
    taken = take_unix_away(srun.pid)
    subprocess.run(["scontrol", "release", job], env=cluster.env, check=True)
    return srun, taken


def cut_often(srun, times, pause):
    cuts = 0
    for _ in range(2000):
        if cuts >= times or srun.poll() is not None:
            break
        time.sleep(pause)
        cuts += cut(srun.pid)
    return cuts


def out(cluster, folder):
    program = "seq 1 700000; sleep 0.3; seq 700001 1400000; sleep 0.3; seq 1400001 2000000"
    srun, taken = held(cluster, "sh", "-c", f"({program}) | tee {folder}/want", stdin=subprocess.DEVNULL)
    ok(taken, "srun listens on a Unix socket of its own")
    got = []
    reader = threading.Thread(target=lambda: got.append(srun.stdout.read()))
    reader.start()
    cuts = cut_often(srun, 8, 0.05)
    reader.join(120)
    code, err = srun.wait(120), srun.stderr.read().decode()
    with open(f"{folder}/want", "rb") as f:
        want = f.read()
    ok(cuts >= 3, f"the connection was cut ({cuts} times)", err)
    ok(code == 0 and got and got[0] == want, "all output came, once and in order",
       f"code {code}, {len(got[0]) if got else 0} of {len(want)} bytes\n{err}")
    ok("waiting for it to come back" in err, "srun says that it waits", err)


def into(cluster, folder):
    data = os.urandom(24 << 20)
    with open(f"{folder}/data", "wb") as f:
        f.write(data)
    srun, _ = held(cluster, "sh", "-c", "cat | md5sum", stdin=open(f"{folder}/data", "rb"))
    cuts = cut_often(srun, 6, 0.02)
    text = srun.stdout.read().decode()
    code, err = srun.wait(120), srun.stderr.read().decode()
    ok(code == 0 and text.split()[:1] == [hashlib.md5(data).hexdigest()],
       f"all input came, once and in order ({cuts} cuts)", f"{code} {text} {err}")


def for_good(cluster, folder):
    srun, _ = held(cluster, "sh", "-c", f"echo begun; sleep 2; echo on >{folder}/on; exit 0", stdin=subprocess.DEVNULL)
    srun.stdout.readline()
    srun.send_signal(signal.SIGKILL)
    srun.wait()
    for _ in range(600):
        if os.path.exists(f"{folder}/on"):
            break
        time.sleep(0.1)
    ok(os.path.exists(f"{folder}/on"), "without srun the tasks go on")


def main():
    cluster = Cluster(nodes=1)
    try:
        cluster.up()
        folder = os.path.join(cluster.dir, "work")
        out(cluster, folder)
        into(cluster, folder)
        for_good(cluster, folder)
    finally:
        cluster.down()
    report.done()
    sys.exit(report.failed != 0)


main()
