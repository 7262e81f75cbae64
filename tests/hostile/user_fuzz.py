#!/usr/bin/env python3
"""A fuzzer that is an authenticated user: well-formed messages of every type in random order, with other users' ids,
to a controller and to a node.  A model knows what another user has: nothing of it may be read (canaries) or changed.

  user_fuzz.py [--seconds 45] [--seed N]
"""
import argparse
import os
import random
import sys
import time
from collections import Counter

from lab import ALICE, MALLORY, Lab, Report, enter_users, seed_from, until
from wire import SCHEMA, frame, varint

CANARY = "CANARY-9e27"
ROUND = 400          # messages between two looks at the model
NUMBERS = [0, 1, 2, 3, 7, 9, 15, 16, 64, 255, 1000, 65535, 65536, 1 << 31, (1 << 32) - 2, (1 << 32) - 1, 1 << 33,
           1 << 62, (1 << 63) - 1, (1 << 64) - 1]
TEXTS = ["", "x", "n1", "n2", "n[1-2]", "n[1-9999]", "main", "ALL", "root", "alice", "mallory", "batch", "gpu:2", "1",
         "0", "-1", "1-3", "0-4000", "afterok:1", "singleton", "/", "/tmp", "/dev/null", "%j", "normal", "UNLIMITED",
         "now+1hour", "INFINITE", "a" * 5000, "\x01\x02", "é", "a,b,c", "[", "]", "n1,n1", "1:00:00", "cpu=1,mem=5G"]
KEYS = ["JobId", "NodeName", "PartitionName", "ReservationName", "StepId", "State", "Reason", "TimeLimit", "Priority",
        "Nice", "Comment", "AdminComment", "SystemComment", "SiteFactor", "UserID", "Account", "QOS", "NumNodes",
        "ReqNodeList", "Requeue", "StartTime", "EndTime", "Duration", "Users", "Nodes", "Flags", "Licenses", "Weight",
        "Gres", "Features", "AllowGroups", "MaxTime", "JobName", "WorkDir", "StdOut", "ArrayTaskThrottle", "Dependency"]
SCRIPTS = [b"#!/bin/sh\ntrue\n", b"#!/bin/sh\nsleep 1\n", b"#!/bin/sh\nenv\n", b"", b"no script", b"#!/bin/false\n"]


class Fuzzer:
    def __init__(self, rng, jobs):
        self.rng, self.jobs = rng, jobs

    def number(self, name):
        r = self.rng
        if name in ("job_id", "job", "array_job"):
            return r.choice(self.jobs + [0, 1, (1 << 32) - 1, r.randrange(1, 200)])
        if name in ("uid", "gid"):
            return r.choice([0, ALICE, MALLORY, 1, (1 << 32) - 1])
        if name in ("step_id", "step"):
            return r.choice([0, 1, 2, *SCHEMA.enums["StepNumber"].values()])
        if name in ("ntasks", "min_nodes", "nodes", "cpus_per_task", "kind", "op", "attempt"):
            return r.choice([0, 1, 1, 2, 3, 4, *NUMBERS])
        return r.choice(NUMBERS) if r.random() < 0.5 else r.randrange(0, 100)

    def text(self, name):
        r = self.rng
        if name == "key" and r.random() < 0.8:
            return r.choice(KEYS)
        if name == "value" and r.random() < 0.4:
            return str(r.choice(self.jobs)) + r.choice(["", ".0", ".batch", "_1"])
        if name == "op":
            return r.choice(["=", "+=", "-="])
        if name in ("std_out", "std_err", "std_in", "workdir") and r.random() < 0.8:
            return r.choice(["/dev/null", "/", "/tmp", ""])
        return r.choice(TEXTS)

    def field(self, f, depth):
        r = self.rng
        if f.kind in SCHEMA.messages:
            return SCHEMA.encode_field(f, self.message(f.kind, depth + 1))
        if f.kind == "string":
            return SCHEMA.encode_field(f, self.text(f.name))
        if f.kind == "bytes":
            if f.name == "script":
                return SCHEMA.encode_field(f, r.choice(SCRIPTS))
            return SCHEMA.encode_field(f, os.urandom(r.choice([0, 1, 8, 16, 16, 32, 300])))
        if f.kind == "double":
            return SCHEMA.encode_field(f, r.choice([0.0, 1.0, -1.0, 1e300, float("nan"), float("inf")]))
        if f.kind == "bool":
            return SCHEMA.encode_field(f, r.random() < 0.5)
        if f.kind in SCHEMA.enums:
            return SCHEMA.encode_field(f, r.choice([*SCHEMA.enums[f.kind].values(), 99]))
        value = self.number(f.name)
        if f.kind in ("sint32", "sint64"):
            value = r.choice([-1, 1]) * (value & 0x7FFFFFFF)
        return SCHEMA.encode_field(f, value)

    def message(self, name, depth=0):
        """Few fields mostly, now and then many."""
        r = self.rng
        fields = SCHEMA.messages[name]
        share = r.choice([0.05, 0.15, 0.3, 0.9]) if len(fields) > 8 else r.choice([0.3, 0.7, 1.0])
        out = []
        for f in fields:
            if depth > 3 and f.kind in SCHEMA.messages:
                continue
            if r.random() < share or (depth == 0 and f.name in ("job_id", "spec", "jobs", "pairs", "script", "key")):
                out += [self.field(f, depth) for _ in range(r.choice([1, 1, 2, 4]) if f.many else 1)]
        return b"".join(out)

    def frame(self):
        """(type name, frame).  One in twenty has a flipped byte."""
        r = self.rng
        name = r.choice(list(SCHEMA.types))
        body = bytearray(self.message(SCHEMA.types[name][1]))
        if body and r.random() < 0.05:
            body[r.randrange(len(body))] ^= 1 << r.randrange(8)
        if r.random() < 0.02:
            body += varint(r.randrange(1 << 20) << 3) + varint(r.randrange(1 << 60))
        return name, frame(name, bytes(body), r.randrange(1 << 63))


class Model:
    """What another user and the cluster have, and must still have."""

    def __init__(self, lab):
        self.lab = lab
        env = {"SECRET": CANARY}
        script = f"#!/bin/sh\n# {CANARY}\nsrun sleep 100000\n"
        self.running = lab.submit(ALICE, "-J", "victim", "--comment", "as it was", script=script, env=env)
        self.held = lab.submit(ALICE, "-H", "-J", "held", script=script, env=env)
        lab.runs(self.running)
        until(lambda: lab.run("squeue", "-h", "-s", "-j", str(self.running), "-o", "%i")[1].count(".0"))
        self.was = self.look()

    def look(self):
        run = self.lab.run
        nodes = run("sinfo", "-h", "-N", "-o", "%N %E %w %f %G")[1]
        return {"jobs": [self.lab.describe(job) for job in (self.running, self.held)],
                "steps": sorted(run("squeue", "-h", "-s", "-j", str(self.running), "-o", "%i %u %l")[1].splitlines()),
                "queue": sorted(run("squeue", "-h", "-u", "alice,root", "-o", "%A %T %u %j %k")[1].splitlines()),
                "nodes": nodes, "down": [w for w in run("sinfo", "-h", "-N", "-o", "%t")[1].split()
                                         if w not in ("idle", "mix", "alloc", "comp")],
                "partitions": run("scontrol", "-o", "show", "partition")[1],
                "reservations": run("scontrol", "-o", "show", "reservation")[1]}

    def changed(self):
        now = self.look()
        return [f"{key}: {self.was[key]} -> {now[key]}" for key in now if now[key] != self.was[key]]


def one_message(fuzzer, peers, connect, counts):
    """Send a message on one of the connections; the bytes that came back."""
    rng = fuzzer.rng
    i = rng.randrange(len(peers))
    name, one = fuzzer.frame()
    counts[name] += 1
    peers[i].say(one)
    kind, body = peers[i].read()
    seen = body
    while kind in SCHEMA.types and peers[i].more:
        kind, body = peers[i].read()
        seen += body
    if kind not in SCHEMA.types or rng.random() < 0.01:
        peers[i].close()
        peers[i] = connect[i]()
    return name, seen


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=45)
    p.add_argument("--seed", type=int)
    args = p.parse_args()
    r = Report()
    if os.geteuid():
        return r.skip("several users need root")
    enter_users()
    lab = Lab(nodes=2, extra="MaxArraySize=2000\nKillWait=1\n")
    try:
        lab.up()
        model = Model(lab)
        rng, _ = seed_from(args)
        fuzzer = Fuzzer(rng, [model.running, model.held])
        connect = [lambda: lab.user(timeout=0.05)] * 3 + [lambda: lab.node_user(timeout=0.05)]
        peers = [c() for c in connect]
        counts, sent, end, leaks, bad = Counter(), 0, time.time() + args.seconds, [], []
        while time.time() < end and not bad and not leaks:
            for _ in range(ROUND):
                name, seen = one_message(fuzzer, peers, connect, counts)
                sent += 1
                if CANARY.encode() in seen:
                    leaks.append(name)
                if time.time() > end:
                    break
            lab.run("scancel", "--full", "--user=mallory")
            bad = model.changed()
            if any(proc.poll() is not None for proc in lab.procs.values()):
                bad.append("a daemon has ended")
        for peer in peers:
            peer.close()
        missing = sorted(set(SCHEMA.types) - set(counts)) if sent > 2000 else []
        print(f"# {sent} messages of {len(counts)} types in {args.seconds:.0f} s")
        r.ok(sent > 100 and not missing, f"messages of every type were sent {missing}")
        r.ok(all(proc.poll() is None for proc in lab.procs.values()), "every daemon stands")
        r.ok(not leaks, f"nothing of another user was read {leaks}")
        r.ok(not bad, f"nothing of another user was changed {bad}")
        lab.run("scancel", "--full", "--user=mallory")
        r.ok(until(lambda: not lab.run("squeue", "-h", "-u", "mallory", "-o", "%A")[1].strip()),
             "every job of the fuzzer ends when an administrator cancels it")
        r.ok(lab.as_user(ALICE, "scancel", str(model.running), str(model.held))[0] == 0 and lab.wait_empty(),
             "and the other user ends the jobs that are left")
        if r.failed:
            lab.fail("see above")
    finally:
        lab.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
