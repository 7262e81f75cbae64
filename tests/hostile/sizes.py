#!/usr/bin/env python3
"""An ordinary user with a good credential sends messages that are small on the wire and cost much memory or time:
nested, repeated, multiplied.  Each is refused, and other users are served meanwhile.  And a user cannot wait for
another user's job."""
import os
import sys
import time

from lab import Cluster, Report
from wire import CLIENT, Peer, cred, data, fields, frame, num, varint

NOBODY = 65534
QUICK_S = 2.0


def signed_number(message, field):
    n = fields(message).get(field, 0)
    return n - (1 << 64) if n >> 63 else n


def nested(field, levels):
    """A message within a message, so many times."""
    inner = b""
    for _ in range(levels):
        inner = data(field, inner)
    return inner


def memory_mb(pid):
    with open(f"/proc/{pid}/status") as f:
        return max(int(l.split()[1]) // 1024 for l in f if l.startswith("VmHWM"))


def submission(spec):
    return data(1, os.urandom(16)) + data(2, data(1, "x") + spec) + data(3, "#!/bin/sh\n")


def main():
    r = Report()
    c = Cluster(nodes=2)
    try:
        c.up()
        with open(c.dir + "/etc/spur.key", "rb") as f:
            key = f.read()
        pid = c.procs[1].pid

        def user(uid=NOBODY):
            p = Peer(c.ports[0])
            p.hello(cred(key, p.nonce, CLIENT, uid=uid))
            return p

        attacks = [
            ("10,000 levels of `het` in a submission", frame("SUBMIT", nested(11, 10000))),
            ("10,000 levels of `het` in a step", frame("STEP", nested(4, 10000))),
            ("4 million empty references in a cancellation", frame("CANCEL", data(1, b"") * 4000000)),
            ("3 million users in a query", frame("JOBS", data(2, b"\x01" * 3000000))),
            ("3 million users, one field each", frame("JOBS", (varint(2 << 3) + b"\x01") * 3000000)),
            ("-N2 -O -n 4294967294",
             frame("SUBMIT", submission(num(20, 2) + num(21, 2) + num(22, 4294967294) + num(49, 1)))),
            ("tasks times CPUs over 2^32", frame("SUBMIT", submission(num(22, 65537) + num(23, 65536)))),
        ]
        for name, message in attacks:
            p = user()
            begun = time.time()
            p.say(message)
            kind, body = p.read()
            took = time.time() - begun
            refused = kind == "FAILURE" or (kind == "SUBMIT_REPLY" and signed_number(body, 7)
                                            and not fields(body).get(1))
            r.ok(refused and c.procs[1].poll() is None, f"{name} ({len(message)} bytes): refused")
            r.ok(took < QUICK_S, f"within {took:.2f} s")
            rc, _, err = c.run("squeue", "-h")
            r.ok(rc == 0 and c.procs[1].pid == pid, f"others are served {err}")
        r.ok(memory_mb(pid) < 512, f"the controller's memory stayed below 512 MB: {memory_mb(pid)} MB")

        # another user's srun
        rc, out, err = c.run("sbatch", "--parsable", "-H", "--wrap", "true")
        job = int(out.strip())
        p = user()
        p.say(frame("WAIT", num(1, job) + num(2, 1)))
        r.ok(p.read()[0] == "FAILURE", "another user's job is not waited for")
        p.say(frame("WAIT", num(1, job)))
        r.ok(p.read()[0] == "FAILURE", "nor its end")
        p.s.close()
        rc, out, _ = c.run("squeue", "-h", "-j", str(job), "-o", "%T")
        r.ok(out.strip() == "PENDING", "and the job is as it was")
        r.ok(c.run("scancel", str(job))[0] == 0 and c.wait_empty(), "its owner cancels it")
        if r.failed:
            c.fail("see above")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
