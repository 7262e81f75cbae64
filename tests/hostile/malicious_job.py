#!/usr/bin/env python3
"""A malicious job: it connects to the agent's and the supervisor's sockets, and makes links where the daemons, as root,
create files."""
import os
import subprocess
import time

from lab import Cluster, Report, until

NOBODY = 65534

# Connects to each socket, writes a frame (an order to kill, as the agent would send it) and prints what happened.
KNOCK = """
import glob, os, socket, struct, sys
for path in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX)
    try:
        s.connect(path)
        s.settimeout(1)
        s.sendall(struct.pack("<IHHQ", 4, 99, 0, 1) + b"\\x08\\x01\\x10\\x01")
        print(os.path.basename(path), "answered" if s.recv(1) else "hung up")
    except OSError as e:
        print(os.path.basename(path), type(e).__name__)
"""


def as_nobody(c, *argv, text=None, cwd="/"):
    p = subprocess.run([f"{c.dir}/bin/{argv[0]}", *argv[1:]] if argv[0] in ("sbatch", "srun") else argv, input=text,
                       capture_output=True, text=True,
                       env=c.env, cwd=cwd, user=NOBODY, group=NOBODY, extra_groups=[], timeout=120)
    return p.returncode, p.stdout, p.stderr


def sockets(c, r, home):
    rc, job, err = as_nobody(c, "sbatch", "--parsable", "-o", "/dev/null",
                             text=f"#!/bin/bash\ntouch {home}/runs\nuntil [ -e {home}/go ]; do sleep 0.1; done\ntouch "
                                  f"{home}/well\n")
    job = job.strip()
    r.ok(rc == 0 and until(lambda: os.path.exists(f"{home}/runs")), f"a user's job runs ({err})")
    c.kill("n1")
    sock = until(lambda: next((f"{c.dir}/spool/n1/{d}/batch.sock" for d in os.listdir(f"{c.dir}/spool/n1")
                               if d.startswith("job") and os.path.exists(f"{c.dir}/spool/n1/{d}/batch.sock")), None))
    _, out, err = as_nobody(c, "python3", "-c", KNOCK, sock or "/nowhere")
    r.ok(sock and out.split() == ["batch.sock", "PermissionError"],
         f"its supervisor, waiting for an agent, does not hear it ({out!r} {err[-200:]!r})")
    c.start_node("n1")
    open(f"{home}/go", "w").close()
    r.ok(until(lambda: os.path.exists(f"{home}/well")), "and the job goes on to its end")
    rc, out, _ = as_nobody(c, "sh", "-c", f"cat {c.dir}/spool/n1/job*/*.step {c.dir}/spool/n1/launched "
                                          f"{c.dir}/etc/spur.key; "
                                          f"echo x >{c.dir}/spool/n1/new; mkdir {c.dir}/spool/n1/job99.0; ls "
                                          f"{c.dir}/spool/n1")
    r.ok("new" not in out.split() and "job99.0" not in out.split() and len(out) < 400,
         f"nothing in the spool is its to read or to make ({out!r})")


def links(c, r, home):
    victim = f"{c.dir}/etc/victim"
    with open(victim, "w") as f:
        f.write("good\n")
    os.chmod(victim, 0o600)
    os.symlink(victim, f"{home}/out")
    as_nobody(c, "sbatch", "-o", f"{home}/out", "-e", f"{home}/out", text="#!/bin/bash\necho bad\n")
    r.ok(c.wait_empty(20) and open(victim).read() == "good\n",
         "a link for an output file does not write what its user may not")
    stop = time.time() + 3
    flip = subprocess.Popen(["sh", "-c", f"while :; do ln -sfn {victim} {home}/race; rm -f {home}/race; : "
                                         f">{home}/race; rm -f {home}/race; done"],
                            user=NOBODY, group=NOBODY, extra_groups=[], stderr=subprocess.DEVNULL)
    n = 0
    while time.time() < stop:
        n += as_nobody(c, "sbatch", "-o", f"{home}/race", text="#!/bin/bash\necho bad\n")[0] == 0
    empty = c.wait_empty(30)
    flip.kill()
    flip.wait()
    r.ok(n and empty and open(victim).read() == "good\n", f"nor one that comes and goes ({n} jobs)")
    os.symlink(f"{c.dir}/etc", f"{home}/etc")
    as_nobody(c, "sbatch", "-o", f"{home}/etc/made", text="#!/bin/bash\necho bad\n")
    as_nobody(c, "srun", "-o", f"{home}/etc/made", "echo", "bad", cwd=home)
    r.ok(c.wait_empty(20) and not os.path.exists(f"{c.dir}/etc/made"), "nor a folder that is a link")


def main():
    r = Report()
    if os.geteuid() != 0:
        return r.skip("only root's daemons have something to lose")
    c = Cluster(nodes=1, cpus=64)
    home = f"{c.dir}/home"
    os.mkdir(home)
    os.chown(home, NOBODY, NOBODY)
    try:
        c.up()
        sockets(c, r, home)
        links(c, r, home)
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    raise SystemExit(main())
