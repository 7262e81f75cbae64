#!/usr/bin/env python3
"""Requests for files, usage and streams to a node: permits that are forged, expired, another user's or for another
node; blocks that lie; users that ask about steps of another user; nodes that a user makes up."""
import os
import re
import socket
import sys
import threading
import time

from lab import Cluster, Report
from wire import CLIENT, Peer, cred, encode, fields, frame, refused, request, signature

PERMIT_USE = 6  # enum cred_use
NOBODY = 65534


def permit(key, uid=NOBODY, nodes="n[1-2]", age_s=0, use=PERMIT_USE):
    now = int(time.time() * 1000) - age_s * 1000
    body = encode("Permit", job_id=1, attempt=1, uid=uid, gid=uid, nodes=nodes, issued_ms=now, expires_ms=now + 300000)
    return encode("Signed", body=body, mac=signature(key, use, body))


def open_file(signed, path, below=(), size=5, fanout=0):
    return request("BCAST_OPEN", permit=signed, path=path, mode=0o644, size=size, fanout=fanout,
                   below=[{"name": name, "addr": "127.0.0.1", "port": port} for name, port in below])


def good(p, ask):
    p.say(ask)
    kind, body = p.read()
    return kind == "BCAST_REPLY" and not body


def said(p, ask):
    """The words of every failure in the answer."""
    p.say(ask)
    kind, body = p.read()
    if kind == "FAILURE":
        return fields(body).get(2, b"").decode()
    return fields(fields(body).get(1, b"")).get(3, b"").decode() if body else ""


def empties(folder):
    """Nothing is left in it, sooner or later."""
    end = time.time() + 60
    while os.listdir(folder) and time.time() < end:
        time.sleep(0.1)
    return not os.listdir(folder)


def listener():
    """A door of a stranger's: did anybody greet it?"""
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(4)
    came = []

    def wait():
        try:
            came.append(s.accept()[0])
        except OSError:
            pass
    threading.Thread(target=wait, daemon=True).start()
    return s, came


def main():
    r = Report()
    if os.geteuid():
        return r.skip("permits of other users need root")
    c = Cluster(nodes=2)
    try:
        c.up()
        with open(c.conf) as f:
            ports = [int(n) for n in re.findall(r"NodeName=n\d .*Port=(\d+)", f.read())]
        with open(c.dir + "/etc/spur.key", "rb") as f:
            key = f.read()
        folder = c.dir + "/theirs"
        os.mkdir(folder)
        os.chown(folder, NOBODY, NOBODY)

        def user(uid=NOBODY, use=CLIENT, node=""):
            p = Peer(ports[0])
            p.hello(cred(key, p.nonce, use, uid=uid, node=node))
            return p

        p = user()
        r.ok(good(p, open_file(permit(key), folder + "/good")) and good(p, request("BCAST_DATA", data="hello")),
             "a good permit is let in (so the refusals mean something)")
        p.say(request("BCAST_CLOSE", hash=12345, keep=True))
        kind, body = p.read()
        r.ok(kind == "BCAST_REPLY" and body and empties(folder), "a wrong checksum: no file, and nothing beside it")

        bad = {
            "signed with another key": permit(os.urandom(32)),
            "another's": permit(key, uid=1),
            "root's": permit(key, uid=0),
            "for another node": permit(key, nodes="n2"),
            "for no node": permit(key, nodes=""),
            "for a hundred million nodes": permit(key, nodes="n[1-99999999]"),
            "an hour old": permit(key, age_s=3600),
            "of an hour ahead": permit(key, age_s=-3600),
            "signed for something else": permit(key, use=4),
            "noise": os.urandom(60),
        }
        for what, signed in bad.items():
            r.ok(refused(user(), open_file(signed, folder + "/bad")), f"a permit that is {what}: refused")
        r.ok(refused(user(), request("BCAST_OPEN", path=folder + "/bad")), "no permit: refused")
        r.ok(refused(user(), request("BCAST_OPEN", path=folder + "/bad.so", folder=True)), "nor for a folder: refused")
        r.ok(refused(user(), frame("BCAST_OPEN", b"\xff" * 40)), "what does not parse: refused")
        r.ok(refused(Peer(ports[0]), open_file(permit(key), folder + "/bad")), "no credential: refused")
        r.ok(refused(user(), request("BCAST_DATA", data="x")), "a block of no file: refused")
        r.ok(refused(user(), request("BCAST_AS", uid=0, gid=0)), "users do not say whom a file is written for")
        r.ok(not os.listdir(folder), "nothing was written")

        p = user()
        r.ok("Permission" in said(p, open_file(permit(key), "/root/by-nobody")),
             "the user's rights are the kernel's word")
        p = user()
        r.ok("full path" in said(p, open_file(permit(key), "relative")), "a path that is not a full one")
        p = user()
        p.say(open_file(permit(key), folder + "/x"))
        p.read()
        r.ok(said(p, request("BCAST_DATA", offset=99, data="x")), "a block from nowhere ends it")
        p = user()
        p.say(open_file(permit(key), folder + "/x"))
        p.read()
        r.ok(said(p, request("BCAST_DATA", data="\x10x", size=1 << 50)), "a block that would unpack to a petabyte")
        time.sleep(0.2)
        p = user()
        p.say(open_file(permit(key), folder + "/flood"), *[request("BCAST_DATA", data="x" * 100) for _ in range(500)])
        time.sleep(0.5)
        del p
        time.sleep(0.5)
        r.ok(empties(folder), "nothing is left of any of them")

        # Two things on one connection: neither may forget the other.
        p = user()
        p.say(open_file(permit(key), folder + "/two"), request("STAT", pids=True), request("BCAST_DATA", data="x"),
              request("STAT", pids=True))
        kinds = [p.read()[0] for _ in range(4)]
        p.s.close()
        r.ok(kinds.count("FAILURE") == 2 and kinds.count("BCAST_REPLY") == 2 and empties(folder),
             "one thing at a time on one connection")

        # The addresses of the nodes below come from the configuration: the node does not connect to one that a user
        # names.
        s, came = listener()
        p = user()
        words = said(p, open_file(permit(key), folder + "/x", below=[("n2", s.getsockname()[1])]))
        p2 = user()
        words2 = said(p2, open_file(permit(key), folder + "/y", below=[("stranger", s.getsockname()[1])]))
        time.sleep(0.3)
        r.ok(not came and words == "" and "ode" in words2, "a made-up address is not greeted, a made-up node has none")
        s.close()
        r.ok(refused(user(), open_file(permit(key), folder + "/x", below=[("n2", 1)] * 1000)),
             "more nodes than there are: refused")

        # The usage of a step is for the user that runs it.
        rc, out, _ = c.run("sbatch", "--parsable", "-o", "/dev/null", "--wrap", "srun sleep 100")
        job = int(out)
        end = time.time() + 60
        while time.time() < end and not c.run("squeue", "-h", "-s", "-o", "%i")[1].count(f"{job}.0"):
            time.sleep(0.1)
        ask = request("STAT", job_id=job, pids=True)
        p = user(uid=0)
        p.say(ask)
        kind, body = p.read()
        r.ok(kind == "STAT_REPLY" and body, "its owner hears what a step uses")
        p = user()
        p.say(ask)
        r.ok(p.read()[0] == "FAILURE", "another user does not")
        p = user()
        p.say(request("STAT", pids=True))
        kind, body = p.read()
        r.ok(kind == "STAT_REPLY" and not body, "nor by asking for all")
        io = {"unix_path": "/tmp/nowhere", "token": "token"}
        p = user()
        p.say(request("ATTACH", job_id=job, step_id=0, io=io))
        r.ok(p.read()[0] == "FAILURE", "nor gets at its streams")
        r.ok(refused(user(), request("ATTACH", job_id=job)), "an address that is none: refused")
        r.ok(c.procs["n1"].poll() is None and c.procs["n2"].poll() is None, "the daemons stand")
        c.run("scancel", str(job))
        rc, out, _ = c.run("sinfo", "-h", "-N", "-o", "%n")
        r.ok(rc == 0 and len(out.split()) == 2, "and answer")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
