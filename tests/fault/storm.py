#!/usr/bin/env python3
"""Random faults at any time, several at once, in a cluster of network namespaces: controllers and agents are stopped or
killed, cables are cut both ways or one way, wall clocks step by up to two hours.  Each task writes down when it lives.
With SpurFencing=confirm and lease no two attempts of a job live at the same time, and in the end every job that was
acknowledged has run to its end.  Needs root and iproute2.

  storm.py --mode confirm|lease [--faults 12] [--seed N]
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import time

from cluster import BUILD, Cluster, Report

NET = "10.213.78"
WALL = os.path.join(BUILD, "tests/fault/wall.so")
HOURS_2 = 7200000
JOBS = 5        # at a time
PACE_S = 1.2    # between two faults


def sh(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


class Net:
    """A bridge in a namespace of its own, and a namespace for each machine; cables can be cut in one direction."""

    def __init__(self, machines):
        self.hub = f"storm{os.getpid()}"
        self.index = {m: i + 1 for i, m in enumerate(machines)}
        for name in [self.hub] + [self.name(m) for m in machines]:
            sh("ip", "netns", "add", name)
            sh("ip", "-n", name, "link", "set", "lo", "up")
        sh("ip", "-n", self.hub, "link", "add", "br0", "type", "bridge")
        sh("ip", "-n", self.hub, "link", "set", "br0", "up")
        sh("ip", "-n", self.hub, "addr", "add", f"{NET}.100/24", "dev", "br0")
        for m, i in self.index.items():
            sh("ip", "-n", self.name(m), "link", "add", "eth0", "type", "veth", "peer", "name", f"v{i}", "netns",
               self.hub)
            sh("ip", "-n", self.hub, "link", "set", f"v{i}", "master", "br0", "up")
            sh("ip", "-n", self.name(m), "addr", "add", f"{self.address(m)}/24", "dev", "eth0")
            sh("ip", "-n", self.name(m), "link", "set", "eth0", "up")

    def name(self, machine):
        return f"{self.hub}-{machine}"

    def address(self, machine):
        return f"{NET}.{self.index[machine]}"

    def inwards(self, machine, cut):
        """A queue without room drops every packet."""
        sh("tc", "-n", self.hub, "qdisc", "replace" if cut else "del", "dev", f"v{self.index[machine]}", "root",
           *(["pfifo", "limit", "0"] if cut else []), check=cut)

    def outwards(self, machine, cut):
        sh("tc", "-n", self.name(machine), "qdisc", "replace" if cut else "del", "dev", "eth0", "root",
           *(["pfifo", "limit", "0"] if cut else []), check=cut)

    def down(self):
        for name in [self.name(m) for m in self.index] + [self.hub]:
            sh("ip", "netns", "del", name, check=False)


class Storm:
    def __init__(self, c, net, rng):
        self.c, self.net, self.rng = c, net, rng
        self.heals = {}      # machine -> (time, function)
        self.counts = {}
        self.jobs = []
        self.killed = set()

    def length(self):
        return self.rng.uniform(0.3, 4) if self.rng.random() < 0.6 else self.rng.uniform(4, 25)

    def watch(self):
        """A daemon that was not killed lives."""
        for machine, p in self.c.procs.items():
            if machine not in self.killed and p.poll() is not None:
                self.c.fail(f"the daemon {machine} ended by itself with status {p.returncode}, after {self.counts}")

    def signal(self, machine, sig):
        os.kill(self.c.procs[machine].pid, sig)

    def stop(self, machine):
        self.signal(machine, signal.SIGSTOP)
        return lambda: self.signal(machine, signal.SIGCONT)

    def kill(self, machine):
        self.c.kill(machine)
        self.killed.add(machine)
        return lambda: self.restart(machine)

    def restart(self, machine):
        if machine in self.c.ids:
            self.c.start_ctl(machine)
        else:
            self.c.start_node(machine)
        self.killed.remove(machine)

    def cut(self, machine, *ways):
        for way in ways:
            way(machine, True)
        return lambda: [way(machine, False) for way in ways]

    def step(self, machine):
        """One controller and one node at a time are off: where most are wrong, nothing is right."""
        for other in self.c.ids if machine in self.c.ids else self.c.nodes:
            self.wall(other, self.rng.randint(-HOURS_2, HOURS_2) if other == machine else 0)
        return lambda: None

    def wall(self, machine, ms):
        path = f"{self.c.dir}/work/wall.{machine}"
        with open(path + ".new", "w") as f:
            f.write(str(ms))
        os.rename(path + ".new", path)

    def fault(self):
        """One fault of a machine that has none; most controllers may be down for a while, too."""
        well = [m for m in self.c.ids + self.c.nodes if m not in self.heals]
        if not well:
            return
        leader = self.c.leader()
        machine = leader if leader in well and self.rng.random() < 0.3 else self.rng.choice(well)
        kinds = {"stop": lambda: self.stop(machine), "kill": lambda: self.kill(machine),
                 "cut": lambda: self.cut(machine, self.net.inwards, self.net.outwards),
                 "cut inwards": lambda: self.cut(machine, self.net.inwards),
                 "cut outwards": lambda: self.cut(machine, self.net.outwards), "clock": lambda: self.step(machine)}
        kind = self.rng.choice(sorted(kinds))
        self.heals[machine] = (time.time() + self.length(), kinds[kind]())
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def heal(self, everything=False):
        for machine, (at, heal) in list(self.heals.items()):
            if everything or time.time() >= at:
                heal()
                del self.heals[machine]

    def submit(self):
        """A job is acknowledged, or the command is given up and asks again later, by another job."""
        if len([j for j in self.jobs if not self.finished(j)]) >= JOBS:
            return
        turns = self.rng.randint(5, 30)
        script = (f"#!/bin/bash\nfor ((i = 0; i < {turns}; i++)); do\n"
                  f"echo $$.$SLURM_RESTART_COUNT $EPOCHREALTIME >>{self.c.dir}/work/alive.$SLURM_JOB_ID\n"
                  "sleep 0.3\ndone\n"
                  f"echo end >>{self.c.dir}/work/alive.$SLURM_JOB_ID\n")
        rc, out, _ = self.c.run("sbatch", "--parsable", "--requeue", "-o", "/dev/null", text=script, timeout=20)
        if rc == 0:
            self.jobs.append(out.strip())

    def lines(self, job):
        try:
            with open(f"{self.c.dir}/work/alive.{job}") as f:
                return [l.split() for l in f.read().splitlines()]
        except FileNotFoundError:
            return []

    def finished(self, job):
        return ["end"] in self.lines(job)

    def twice(self, job):
        """Pairs of attempts that lived at the same time."""
        seen = {}
        for words in self.lines(job):
            if len(words) == 2:
                seen.setdefault(words[0], []).append(float(words[1]))
        spans = sorted((min(t), max(t)) for t in seen.values())
        return [(a, b) for a, b in zip(spans, spans[1:]) if b[0] < a[1]], len(spans)


def check(s, r, mode):
    s.heal(everything=True)
    for machine in s.c.ids + s.c.nodes:
        s.wall(machine, 0)
    end = time.time() + 120
    while len(s.jobs) < 2 and time.time() < end:
        s.submit()
    drained = s.c.wait_empty(300)
    r.ok(drained, f"{sum(s.counts.values())} faults {s.counts}: the queue drains")
    overlaps = {j: s.twice(j)[0] for j in s.jobs if s.twice(j)[0]}
    attempts = sum(s.twice(j)[1] for j in s.jobs)
    r.ok(not overlaps, f"SpurFencing={mode}: no job lived twice at once: {len(s.jobs)} jobs, {attempts} attempts "
         f"{overlaps}")
    open_jobs = [j for j in s.jobs if not s.finished(j)]
    r.ok(len(s.jobs) >= 2 and not open_jobs, f"every acknowledged job has run to its end {open_jobs}")
    states = s.c.run("squeue", "-h", "-t", "all", "-o", "%T")[1].split()
    r.ok(set(states) == {"COMPLETED"}, f"and is COMPLETED: {sorted(set(states))}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--mode", choices=["confirm", "lease"], required=True)
    p.add_argument("--faults", type=int, default=12)
    p.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    args = p.parse_args()
    r = Report()
    if os.getuid():
        return r.skip("needs root for network namespaces")
    print(f"# seed {args.seed}", flush=True)
    ids, nodes = [1, 2, 3], ["n1", "n2", "n3"]
    net, c = Net(ids + nodes), None
    try:
        c = Cluster(controllers=3, nodes=3, hosts=[net.address(i) for i in ids],
                    extra=f"SlurmdTimeout=8\nKillWait=2\nSpurFencing={args.mode}\nSpurLeaseTime=8\n")
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        for m in ids + nodes:
            c.prefix[m] = ["ip", "netns", "exec", net.name(m), "env", f"WALL_FILE={c.dir}/work/wall.{m}",
                           f"LD_PRELOAD={WALL}", f"ASAN_OPTIONS={asan}"]
        c.cmd_prefix = ["ip", "netns", "exec", net.hub]
        c.up()
        s = Storm(c, net, random.Random(args.seed))
        end = time.time() + 20 * args.faults + 120
        while sum(s.counts.values()) < args.faults and time.time() < end:
            s.submit()
            s.watch()
            s.fault()
            time.sleep(PACE_S * s.rng.random() * 2)
            s.heal()
        check(s, r, args.mode)
        if r.failed:
            c.fail("see above")
    finally:
        if c:
            for m in ids + nodes:
                try:
                    os.kill(c.procs[m].pid, signal.SIGCONT)
                except (KeyError, ProcessLookupError):
                    pass
            c.down()
        net.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
