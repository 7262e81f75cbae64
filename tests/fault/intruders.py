#!/usr/bin/env python3
"""A client with a false identity gets nothing: forged, stale, replayed and misused credentials, frames that lie about
their size, users that claim to be another user or a node."""
import hashlib
import os
import socket
import struct
import sys
import time

from cluster import Cluster, Report

CHALLENGE, HELLO, FAILURE, SUBMIT, SUBMIT_REPLY, JOBS, JOBS_REPLY = 1, 2, 5, 10, 11, 20, 21
STATUS, REGISTER, REGISTER_REPLY, LAUNCH = 32, 60, 61, 63
CLIENT, AGENT, PEER = 1, 2, 3


# ---- just enough of protobuf ----
def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def num(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    if isinstance(value, str):
        value = value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def fields(message):
    """{number: last value}"""
    out, at = {}, 0

    def read():
        nonlocal at
        shift = value = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(message):
        tag = read()
        if tag & 7 == 0:
            out[tag >> 3] = read()
        else:
            n = read()
            out[tag >> 3] = message[at:at + n]
            at += n
    return out


def frame(kind, body, number=1):
    return struct.pack("<IHHQ", len(body), kind, 0, number) + body


def cred(key, nonce, use, uid=0, issued=0, life=60000, node="", signed_as=None):
    now = int(time.time() * 1000) + issued
    body = num(1, uid) + num(2, uid) + num(3, now) + num(4, now + life) + data(5, nonce) + num(7, use)
    body += data(8, node) if node else b""
    mac = hashlib.blake2b(b"spur\x01" + bytes([signed_as or use, 0, 0]) + body, key=key, digest_size=32).digest()
    return data(1, body) + data(2, mac)


class Peer:
    def __init__(self, port):
        self.s = socket.create_connection(("127.0.0.1", port), timeout=30)
        kind, body = self.read()
        assert kind == CHALLENGE
        self.nonce = fields(body)[1]

    def read(self):
        """(type, body), or (None, b"") when it was closed."""
        try:
            head = self.exactly(16)
            size, kind, _, _ = struct.unpack("<IHHQ", head)
            return kind, self.exactly(size)
        except (ConnectionError, EOFError, socket.timeout):
            return None, b""

    def exactly(self, n):
        out = b""
        while len(out) < n:
            more = self.s.recv(n - len(out))
            if not more:
                raise EOFError
            out += more
        return out

    def say(self, *frames):
        try:
            self.s.sendall(b"".join(frames))
        except ConnectionError:
            pass

    def hello(self, signed):
        self.say(frame(HELLO, data(1, signed)))


def refused(p, ask=frame(JOBS, b"")):
    """After what was said: does a question get anything but a failure?"""
    p.say(ask)
    kind, body = p.read()
    return kind in (None, FAILURE)


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
        p.say(frame(JOBS, b""))
        r.ok(p.read()[0] == JOBS_REPLY, "a good credential is let in (so the refusals below mean something)")

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

        register = frame(REGISTER, data(1, "n1") + data(2, "boot"))
        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT, uid=0))
        r.ok(refused(p, register), "a client, even root, does not register a node")
        p = Peer(port)
        p.hello(cred(key, p.nonce, AGENT, node="n2"))
        r.ok(refused(p, register), "n2's daemon does not register as n1")

        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT, uid=65534))
        p.say(frame(SUBMIT, data(1, os.urandom(16)) + data(2, data(1, "x")) + data(3, "#!/bin/sh\n") + num(6, 1) +
                    num(7, 0)))
        kind, body = p.read()
        r.ok(kind == SUBMIT_REPLY and fields(body).get(7, 0) and not fields(body).get(1),
             "a user cannot submit as root by saying so in the body")

        for size in (0xFFFFFFFF, 65 << 20):
            p = Peer(port)
            p.hello(cred(key, p.nonce, CLIENT))
            p.say(struct.pack("<IHHQ", size, JOBS, 0, 1) + b"x" * 1000)
            r.ok(p.read()[0] in (None, FAILURE), f"a frame that says it has {size} bytes: hung up on")
        p = Peer(port)
        p.say(struct.pack("<IHHQ", 1 << 20, HELLO, 0, 1))
        r.ok(p.read()[0] in (None, FAILURE), "a big frame before the credential: hung up on")
        p = Peer(port)
        p.hello(cred(key, p.nonce, CLIENT))
        p.say(frame(JOBS, b"\xff" * 40))
        r.ok(p.read()[0] == FAILURE, "a body that does not parse is a failure, not the end")
        p.say(frame(9999, b""))
        r.ok(p.read()[0] == FAILURE, "an unknown type is a failure")
        r.ok(c.procs[1].poll() is None and c.run("squeue", "-h")[0] == 0, "and the controller answers as before")

        # a node's daemon takes orders from its controller alone
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(10)
        s.connect(c.dir + "/run/spurd-n1.sock")
        s.sendall(frame(LAUNCH, cred(other, b"0" * 16, 4)))
        try:
            answer = s.recv(4096)
        except (ConnectionError, socket.timeout):
            answer = b""
        r.ok(not answer or struct.unpack("<IHHQ", answer[:16])[1] == FAILURE,
             "a launch order on a node's own socket: refused")
        rc, out, _ = c.run("sinfo", "-h", "-o", "%t %D")
        r.ok(out.split() == ["idle", "2"], "nothing has changed")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
