#!/usr/bin/env python3
"""A client with a false identity gets nothing: forged, stale, replayed and misused credentials, frames that lie about
their size, users that claim to be another user or a node."""
import os
import struct
import sys

from lab import Cluster, Report
from wire import AGENT, CLIENT, SCHEMA, Local, Peer, cred, frame, refused, request



def main():
    r = Report()
    c = Cluster(nodes=2)
    try:
        c.up()
        port = c.ports[0]
        with open(c.dir + "/etc/spur.key", "rb") as f:
            key = f.read()
        other = os.urandom(32)

        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT, uid=65534))
        p.say(frame("JOBS"))
        r.ok(p.read()[0] == "JOBS_REPLY", "a good credential is let in (so the refusals below mean something)")

        r.ok(refused(Peer(port)), "no credential: refused")
        p = Peer(port)
        p.hello(os.urandom(80))
        r.ok(refused(p), "noise instead of a credential: refused")
        p = Peer(port)
        p.hello(cred(other, p.nonce, CLIENT))
        r.ok(refused(p), "signed with another key: refused")
        p = Peer(port)
        stolen = cred(key, p.nonce, CLIENT)
        p.hello(stolen)
        p = Peer(port)
        p.hello(stolen)
        r.ok(refused(p), "a good credential replayed on another connection: refused")
        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT, issued=-3600000))
        r.ok(refused(p), "an hour old: refused")
        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT, issued=3600000))
        r.ok(refused(p), "from an hour ahead: refused")
        p = Peer(port)
        p.hello(cred(key, p.nonce, AGENT, signed_as=CLIENT, node="n1"))
        r.ok(refused(p), "a client's signature under an agent's words: refused")

        register = request("REGISTER", node="n1", boot_id="boot")
        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT, uid=0))
        r.ok(refused(p, register), "a client, even root, does not register a node")
        p = Peer(port)
        p.hello(cred(key, p.nonce, AGENT, node="n2"))
        r.ok(refused(p, register), "n2's daemon does not register as n1")

        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT, uid=65534))
        p.say(request("SUBMIT", key=os.urandom(16), spec={"name": "x"}, script="#!/bin/sh\n", as_other=True, uid=0))
        kind, body = p.read()
        reply = SCHEMA.decode("SubmitReply", body)
        r.ok(kind == "SUBMIT_REPLY" and reply.get("code") and not reply.get("job_id"),
             "a user cannot submit as root by saying so in the body")

        for size in (0xFFFFFFFF, 65 << 20):
            p = Peer(port)
            p.hello(cred(key, p.nonce, CLIENT))
            p.say(struct.pack("<IHHQ", size, SCHEMA.types["JOBS"][0], 0, 1) + b"x" * 1000)
            r.ok(p.read()[0] in (None, "FAILURE"), f"a frame that says it has {size} bytes: hung up on")
        p = Peer(port)
        p.say(struct.pack("<IHHQ", 1 << 20, SCHEMA.types["HELLO"][0], 0, 1))
        r.ok(p.read()[0] in (None, "FAILURE"), "a big frame before the credential: hung up on")
        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT))
        p.say(frame("JOBS", b"\xff" * 40))
        r.ok(p.read()[0] == "FAILURE", "a body that does not parse is a failure, not the end")
        p.say(frame(9999))
        r.ok(p.read()[0] == "FAILURE", "an unknown type is a failure")
        r.ok(c.procs[1].poll() is None and c.run("squeue", "-h")[0] == 0, "and the controller answers as before")

        # a node's daemon takes orders from its controller alone
        p = Local(c.dir + "/run/spurd-n1.sock")
        r.ok(refused(p, frame("LAUNCH", cred(other, b"0" * 16, 4))), "a launch order on a node's own socket: refused")

        # a node's daemon carries requests and names the user itself
        p = Local(c.dir + "/run/spurd-n1.sock", uid=65534)
        r.ok(p.ask("JOBS")[0] == "JOBS_REPLY", "a user's request through a node's daemon is answered")
        r.ok(p.ask("RELAY", uid=0, gid=0)[0] == "FAILURE", "a user of the daemon names no other user")
        r.ok(p.ask("RECONFIGURE")[0] == "FAILURE", "and stays that user")
        p = Local(c.dir + "/run/ctl1.sock", uid=65534)
        r.ok(p.ask("RELAY", uid=0, gid=0)[0] == "FAILURE" and p.ask("RECONFIGURE")[0] == "FAILURE",
             "nor does a user at the controller's own socket")
        p = Peer(port)
        p.hello(cred(key, p.nonce, AGENT, node="n1"))
        r.ok(refused(p, request("RELAY", uid=0, gid=0)), "nor a node on the connection of its own")
        rc, out, _ = c.run("sinfo", "-h", "-o", "%t %D")
        r.ok(out.split() == ["idle", "2"], "nothing has changed")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
