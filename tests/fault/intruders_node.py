#!/usr/bin/env python3
"""A client that connects to a node gets nothing that it has no right to: orders that are forged, old, for another node
or sent twice; users that claim to be a node; lists that lie about their size."""
import hashlib
import os
import re
import sys
import time

from cluster import Cluster, Report
from intruders import AGENT, CLIENT, FAILURE, LAUNCH, Peer, cred, data, frame, num, refused

KILL, REPORT, SPREAD, SPREAD_REPLY, REPORTS = 65, 66, 70, 71, 72
BATCH = 0x7FFFFFFB
WORKDIR, STD_OUT = 7, 9


def order(key, job, nodes, mark, age_s=0):
    """A signed order to write a line into `mark`."""
    script = f"#!/bin/sh\necho $SLURMD_NODENAME >>{mark}\n"
    spec = data(WORKDIR, "/") + data(STD_OUT, "/dev/null")
    body = (num(2, job) + num(3, 1) + num(4, BATCH) + num(5, 0) + num(6, 0) + data(7, "root") + data(8, spec) +
            data(10, script) +
            data(12, num(3, 1) + num(9, 9)) + data(25, nodes) + num(31, int(time.time() * 1000) - age_s * 1000))
    mac = hashlib.blake2b(b"spur\x01" + bytes([4, 0, 0]) + body, key=key, digest_size=32).digest()
    return data(1, body) + data(2, mac)


def spread(to, signed, job=77, below="", width=16):
    return frame(SPREAD, data(1, to) + data(2, "n2") + (data(3, below) if below else b"") + num(4, width) +
                 data(5, signed) +
                 num(7, job) + num(8, BATCH) + num(9, 1))


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
        good, end = p.read()[0] == SPREAD_REPLY, time.time() + 60
        while not lines(0.1) and time.time() < end:
            pass
        r.ok(good and lines() == ["n1"], "a good order from a node is followed (so the refusals below mean something)")
        p.say(spread("n1", order(key, 77, "n1", mark)))
        r.ok(p.read()[0] == SPREAD_REPLY and lines() == ["n1"], "and once only, however often it comes")

        r.ok(refused(Peer(port), spread("n1", order(key, 78, "n1", mark), 78)), "no credential: refused")
        p = Peer(port)
        p.hello(cred(other, p.nonce, AGENT, node="n2"))
        r.ok(refused(p, spread("n1", order(key, 78, "n1", mark), 78)), "a node of another cluster: refused")
        for uid in (0, 65534):
            for kind, what in ((SPREAD, "an order for many"), (LAUNCH, "an order"), (KILL, "a signal"),
                               (REPORTS, "reports"), (REPORT, "a report")):
                p = Peer(port)
                p.hello(cred(key, p.nonce, CLIENT, uid=uid))
                r.ok(refused(p, frame(kind, spread("n1", order(key, 78, "n1", mark), 78)[16:])),
                     f"user {uid} does not bring {what}")

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
        r.ok(refused(agent(), frame(SPREAD, b"\xff" * 40)), "an order that does not parse: refused")
        r.ok(refused(agent(), frame(REPORTS, b"\xff" * 40)), "nor do these reports")
        r.ok(refused(agent(), frame(REPORTS, data(1, "n1"))), "reports of nothing: refused")
        r.ok(c.procs["n1"].poll() is None and lines() == ["n1"], "the node's daemon stands, and nothing has run")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
