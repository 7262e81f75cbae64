#!/usr/bin/env python3
"""A client that connects to a node gets nothing that it has no right to: orders that are forged, old, for another node
or sent twice; users that claim to be a node; lists that lie about their size."""
import os
import re
import sys
import time

from lab import Cluster, Report
from wire import AGENT, CLIENT, SCHEMA, Peer, cred, encode, frame, num, refused, request, signature

BATCH, EXTERN = (SCHEMA.enums["StepNumber"][name] for name in ("STEP_BATCH", "STEP_EXTERN"))
LAUNCH_USE, KILL_USE = 4, 7  # enum cred_use


def order(key, job, nodes, mark, age_s=0):
    """A signed order to write a line into `mark`."""
    script = f"#!/bin/sh\necho $SLURMD_NODENAME >>{mark}\n"
    body = encode("LaunchOrder", job_id=job, attempt=1, step_id=BATCH, uid=0, gid=0, user_name="root",
                  spec={"workdir": "/", "std_out": "/dev/null"}, script=script, alloc=[{"cpus": 1, "count": 9}],
                  nodes=nodes, issued_ms=int(time.time() * 1000) - age_s * 1000)
    return encode("Signed", body=body, mac=signature(key, LAUNCH_USE, body))


def signal_order(key, job, attempt, number):
    body = encode("KillOrder", job_id=job, attempt=attempt, signal=number, batch_only=True, nodes="n1",
                  issued_ms=int(time.time() * 1000))
    return request("FANOUT", to="n1", **{"from": "n2"}, width=16, job_id=job, step_id=EXTERN, attempt=attempt,
                   kill=encode("Signed", body=body, mac=signature(key, KILL_USE, body)))


def spread(to, signed, job=77, below="", width=16):
    return request("FANOUT", to=to, **{"from": "n2"}, below=below, width=width, launch=signed, job_id=job,
                   step_id=BATCH, attempt=1)


def main():
    r = Report()
    c = Cluster(nodes=2)
    try:
        c.up()
        with open(c.conf) as f:
            port = int(re.search(r"NodeName=n1 .*Port=(\d+)", f.read()).group(1))
        with open(c.dir + "/etc/spur.key", "rb") as f:
            key = f.read()
        other = os.urandom(32)
        mark = c.dir + "/work/mark"

        def lines(seconds=0.6):
            time.sleep(seconds)
            return open(mark).read().split() if os.path.exists(mark) else []

        def agent():
            p = Peer(port)
            p.hello(cred(key, p.nonce, AGENT, node="n2"))
            return p

        p = agent()
        p.say(spread("n1", order(key, 77, "n1", mark)))
        good, end = p.read()[0] == "FANOUT_REPLY", time.time() + 60
        while not lines(0.1) and time.time() < end:
            pass
        r.ok(good and lines() == ["n1"], "a good order from a node is followed (so the refusals below mean something)")
        p.say(spread("n1", order(key, 77, "n1", mark)))
        r.ok(p.read()[0] == "FANOUT_REPLY" and lines() == ["n1"], "and once only, however often it comes")

        r.ok(refused(Peer(port), spread("n1", order(key, 78, "n1", mark), 78)), "no credential: refused")
        p = Peer(port)
        p.hello(cred(other, p.nonce, AGENT, node="n2"))
        r.ok(refused(p, spread("n1", order(key, 78, "n1", mark), 78)), "a node of another cluster: refused")
        for uid in (0, 65534):
            for kind, what in (("FANOUT", "an order for many"), ("LAUNCH", "an order"), ("KILL", "a signal"),
                               ("REPORTS", "reports"), ("REPORT", "a report")):
                p = Peer(port)
                p.hello(cred(key, p.nonce, CLIENT, uid=uid))
                r.ok(refused(p, frame(kind, spread("n1", order(key, 78, "n1", mark), 78)[16:])),
                     f"user {uid} does not bring {what}")

        # a signal counts once, however often a node that has seen the order sends it
        counted = c.dir + "/work/counted"
        rc, out, _ = c.run("sbatch", "--parsable", "-w", "n1", "-o", "/dev/null", "--wrap",
                           f"trap 'echo one >>{counted}' USR1; touch {counted}; while :; do sleep 0.1; done")
        job, end = int(out), time.time() + 60
        while not os.path.exists(counted) and time.time() < end:
            time.sleep(0.1)
        (folder,) = [d for d in os.listdir(c.dir + "/spool/n1") if d.startswith(f"job{job}.")]
        seen = signal_order(key, job, int(folder.split(".")[1]), 10)
        for again in range(3):
            p = agent()
            p.say(seen)
            r.ok(p.read()[0] == "FANOUT_REPLY", "an order to signal a job is answered")
            end = time.time() + 60
            while not open(counted).read() and time.time() < end:
                time.sleep(0.1)
            time.sleep(0.5)
        r.ok(open(counted).read().split() == ["one"], "and followed once, however often it comes")
        c.run("scancel", str(job))

        bad = {
            "signed with another key": order(other, 79, "n1", mark),
            "made for another node": order(key, 79, "n2", mark),
            "made for the second of several nodes": order(key, 79, "n[2,1]", mark),
            "an hour old": order(key, 79, "n1", mark, 3600),
            "from an hour ahead": order(key, 79, "n1", mark, -3600),
            "changed to be another user's": order(key, 79, "n1", mark).replace(num(5, 0) + num(6, 0),
                                                                               num(5, 99) + num(6, 0), 1),
            "without a signature": b"",
        }
        r.ok(num(5, 99) + num(6, 0) in bad["changed to be another user's"], "an order is changed on its way")
        for what, signed in bad.items():
            p = agent()
            p.say(spread("n1", signed, 79))
            p.read()
            r.ok(lines(0.2) == ["n1"], f"an order {what}: nothing runs")
        r.ok(refused(agent(), spread("n2", order(key, 80, "n1", mark), 80)),
             "an order for a node that is not here: refused")
        r.ok(refused(agent(), spread("n1", order(key, 80, "n1", mark), 80, below="n[1-99999999]")),
             "for a hundred million nodes: refused")
        r.ok(refused(agent(), spread("n1", order(key, 80, "n1", mark), 80, width=0)), "in no branches: refused")
        r.ok(refused(agent(), frame("FANOUT", b"\xff" * 40)), "an order that does not parse: refused")
        r.ok(refused(agent(), frame("REPORTS", b"\xff" * 40)), "nor do these reports")
        r.ok(refused(agent(), request("REPORTS", to="n1")), "reports of nothing: refused")
        r.ok(c.procs["n1"].poll() is None and lines() == ["n1"], "the node's daemon stands, and nothing has run")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
