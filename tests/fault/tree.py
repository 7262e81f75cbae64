#!/usr/bin/env python3
"""Orders that agents forward to agents, with TreeWidth=2 over twelve real agents: an inner node is dead or frozen while
an order passes through it, a parent dies before it has forwarded the reports of the nodes below it; every node runs its
task once, every exit code arrives, and the controller sends few messages."""
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from cluster import Cluster, Report

NODES = 12
report = Report()
c = Cluster(nodes=NODES, cpus=8, extra="TreeWidth=2\nSlurmdTimeout=300\nKillWait=2\n")


def counters():
    _, out, _ = c.run("scontrol", "-d", "ping")
    return {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", out)}


def until(what, seconds=20):
    end = time.time() + max(seconds, 60)
    while time.time() < end:
        got = what()
        if got:
            return got
        time.sleep(0.05)
    return None


def all_idle():
    _, out, _ = c.run("sinfo", "-h", "-N", "-o", "%T")
    return out.split() == ["idle"] * NODES


def marks():
    """Which nodes ran their task, one line each time."""
    try:
        with open(f"{c.dir}/work/marks") as f:
            return sorted(f.read().split())
    except FileNotFoundError:
        return []


def forget_marks():
    if os.path.exists(f"{c.dir}/work/marks"):
        os.unlink(f"{c.dir}/work/marks")


def mark(then):
    return ["sh", "-c", f'echo $SLURMD_NODENAME >>"{c.dir}/work/marks"; {then}']


def srun(*argv):
    return subprocess.Popen([f"{c.dir}/bin/srun", *argv], env=c.env, cwd=f"{c.dir}/work", stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def freeze(name):
    os.kill(c.procs[name].pid, signal.SIGSTOP)


def thaw(name):
    os.kill(c.procs[name].pid, signal.SIGCONT)





def plain():
    before = counters()
    rc, out, err = c.run("srun", "-N", str(NODES), "sh", "-c", "echo $SLURM_PROCID $SLURMD_NODENAME")
    want = sorted(f"{i} n{i + 1}" for i in range(NODES))
    report.ok(rc == 0 and sorted(out.splitlines()) == want, "a step on all nodes, each with its own rank")
    after = counters()
    report.ok(after["NodesOrdered"] - before["NodesOrdered"] >= NODES
              and after["OrdersSent"] - before["OrdersSent"] <= 4,
              "two orders for the start, at most two for the end")
    report.ok(after["ReportsHeard"] - before["ReportsHeard"] <= 8, "and few reports")
    rc, _, _ = c.run("srun", "-N", str(NODES), "sh", "-c", "exit $SLURM_PROCID")
    report.ok(rc == NODES - 1, "the highest exit code comes through")
    report.ok(until(all_idle), "all nodes are free again")


def ended():
    forget_marks()
    p = srun("-N", str(NODES), *mark("sleep 100"))
    report.ok(until(lambda: len(marks()) == NODES), "a long step runs everywhere")
    _, out, _ = c.run("squeue", "-h", "-o", "%A")
    before = counters()
    c.run("scancel", out.strip())
    p.wait(90)
    report.ok(until(all_idle), "a cancel reaches all nodes")
    report.ok(counters()["OrdersSent"] - before["OrdersSent"] <= 6, "by few orders")
    nobody = until(lambda: not subprocess.run(["pgrep", "-f", f"{c.dir}/work/marks"], capture_output=True,
                                              text=True).stdout.strip())
    report.ok(nobody, "and nothing of it is left")


def dead_inner(how):
    """An inner node of the tree (n2 is the first below n1) is gone, and the controller does not know yet."""
    forget_marks()
    if how == "frozen":
        freeze("n2")
    else:
        c.kill("n2")  # no task of its own runs here
        time.sleep(0.05)
    p = srun("-N", str(NODES), *mark("exit 0"))
    others = sorted(n for n in c.nodes if n != "n2")
    report.ok(until(lambda: [m for m in marks() if m != "n2"] == others, 40),
              f"inner node {how}: those below it are told by its parent")
    if how == "frozen":
        thaw("n2")
    else:
        c.start_node("n2")
    try:
        rc = p.wait(90)
    except subprocess.TimeoutExpired:
        rc = "none"
        p.kill()
    report.ok(rc == 0 and marks() == sorted(c.nodes),
              f"inner node {how}: it runs its task when it is back, and no node twice")
    if not report.ok(until(all_idle, 40), f"inner node {how}: all nodes are free again"):
        print("#", rc, marks(), c.run("squeue")[1], c.run("sinfo", "-N")[1])


def dead_parent():
    """n1 tells n2 and n5 ...; it dies while the step runs, the others end without it."""
    forget_marks()
    done = f"{c.dir}/work/go"
    if os.path.exists(done):
        os.unlink(done)
    script = (f'#!/bin/sh\nsrun -N {NODES} sh -c \'echo $SLURMD_NODENAME >>{c.dir}/work/marks; '
              f'while ! test -e {done}; do sleep 0.1; done; exit 5\'\necho "rc $?"\n')
    rc, out, _ = c.run("sbatch", "--parsable", "-N", str(NODES), "-w", "n12", "-o", f"{c.dir}/work/parent.out",
                       text=script)
    job = out.strip()
    report.ok(until(lambda: len(marks()) == NODES), "a step runs everywhere")
    victims = ["n2", "n7"]
    for v in victims:
        c.procs[v].kill()
        c.procs[v].wait()
    open(done, "w").close()
    time.sleep(0.5)
    for v in victims:
        c.start_node(v)
    good = until(lambda: c.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T")[1].strip() == "COMPLETED", 40)
    report.ok(good, "parents killed before the reports: the job ends all the same")
    text = open(f"{c.dir}/work/parent.out").read()
    report.ok("rc 5" in text,
              "and srun has every exit code" if "rc 5" in text else f"and srun has every exit code: {text!r}")
    report.ok(marks() == sorted(c.nodes), "every node ran its task once")
    report.ok(until(all_idle, 40), "all nodes are free again")


def no_door():
    """Another process has the port of n3: other nodes cannot reach it, the controller can."""
    with open(c.conf) as f:
        port = int(re.search(r"NodeName=n3 .*Port=(\d+)", f.read()).group(1))
    c.kill("n3")
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.bind(("127.0.0.1", port))
    taken.listen(8)
    threading.Thread(target=lambda: [taken.accept()[0].close() for _ in range(100)], daemon=True).start()
    before = open(f"{c.dir}/log/ctl1.log").read().count("registered node=n3 ")
    c.start_node("n3")
    until(lambda: open(f"{c.dir}/log/ctl1.log").read().count("registered node=n3 ") > before)
    forget_marks()
    rc, _, err = c.run("srun", "-N", str(NODES), *mark("exit 0"))
    report.ok(rc == 0 and marks() == sorted(c.nodes),
              f"a node that others cannot reach is told by the controller {err}")
    report.ok(until(all_idle, 40), "all nodes are free again")
    taken.close()
    c.kill("n3")
    c.start_node("n3")


def controller_away():
    """The controller dies while a step runs and is back after it has ended."""
    forget_marks()
    p = srun("-N", str(NODES), *mark("sleep 1; exit 4"))
    report.ok(until(lambda: len(marks()) == NODES), "a step runs everywhere")
    c.kill(1)
    time.sleep(1.5)
    c.start_ctl(1)
    try:
        rc = p.wait(90)
    except subprocess.TimeoutExpired:
        rc = "none"
        p.kill()
    report.ok(rc == 4, f"reports wait for a controller: srun ends with {rc}")
    report.ok(until(all_idle, 60), "all nodes are free again")
    report.ok(marks() == sorted(c.nodes), "every node ran its task once")


try:
    c.up(60)
    plain()
    ended()
    dead_inner("dead")
    dead_inner("frozen")
    dead_parent()
    no_door()
    controller_away()
finally:
    c.down()
sys.exit(report.done())
