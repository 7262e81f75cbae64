#!/usr/bin/env python3
"""Three controllers, each in a network namespace of its own.  One follower's link is cut while jobs are submitted, then
restored: nothing is lost, the cluster goes on, and the follower catches up.  Then the leader's link: the followers go
on without it.  Needs root and iproute2."""
import os
import subprocess
import sys
import time

from cluster import Cluster, Report

NET = "10.213.77"


def sh(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


class Net:
    """A bridge in a namespace of its own, and a namespace per controller."""

    def __init__(self, n):
        self.tag = f"spur{os.getpid()}"
        self.names = [f"{self.tag}-{i}" for i in range(n + 1)]
        for name in self.names:
            sh("ip", "netns", "add", name)
            sh("ip", "-n", name, "link", "set", "lo", "up")
        hub = self.names[0]
        sh("ip", "-n", hub, "link", "add", "br0", "type", "bridge")
        sh("ip", "-n", hub, "link", "set", "br0", "up")
        sh("ip", "-n", hub, "addr", "add", f"{NET}.100/24", "dev", "br0")
        for i in range(1, n + 1):
            sh("ip", "-n", self.names[i], "link", "add", "eth0", "type", "veth", "peer", "name", f"v{i}", "netns", hub)
            sh("ip", "-n", hub, "link", "set", f"v{i}", "master", "br0", "up")
            sh("ip", "-n", self.names[i], "addr", "add", f"{NET}.{i}/24", "dev", "eth0")
            sh("ip", "-n", self.names[i], "link", "set", "eth0", "up")

    def cable(self, i, up):
        sh("ip", "-n", self.names[0], "link", "set", f"v{i}", "up" if up else "down")

    def down(self):
        for name in self.names:
            sh("ip", "netns", "del", name, check=False)


def submit(c, n):
    ids = []
    for _ in range(n):
        rc, out, err = c.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "true")
        if rc == 0:
            ids.append(out.strip())
        else:
            print("#", err.strip())
    return ids


def main():
    r = Report()
    if os.getuid():
        return r.skip("needs root for network namespaces")
    net = Net(3)
    c = None
    try:
        hub = ["ip", "netns", "exec", net.names[0]]
        prefix = {i: ["ip", "netns", "exec", net.names[i]] for i in (1, 2, 3)}
        prefix["n1"] = hub
        c = Cluster(controllers=3, hosts=[f"{NET}.{i}" for i in (1, 2, 3)], prefix=prefix)
        c.cmd_prefix = hub       # nothing of this test leaves its own namespaces
        c.up()
        leader = c.wait_leader()
        follower = next(i for i in c.ids if i != leader)
        net.cable(follower, False)
        ids = submit(c, 20)
        r.ok(len(ids) == 20, "a follower is cut off: all submissions are still acknowledged")
        time.sleep(2)
        ids += submit(c, 10)
        net.cable(follower, True)
        time.sleep(2)
        ids += submit(c, 5)
        r.ok(len(ids) == 35, "it comes back: submissions go on")
        leader = c.wait_leader()
        net.cable(leader, False)
        more = submit(c, 10)
        r.ok(len(more) == 10, "the leader is cut off: another takes over and acknowledges")
        ids += more
        net.cable(leader, True)
        time.sleep(2)
        rc, out, _ = c.run("squeue", "-h", "-o", "%A")
        r.ok(sorted(out.split()) == sorted(ids), "every acknowledged job is there exactly once")
        c.run("scontrol", "release", ",".join(ids))
        r.ok(c.wait_empty(60), "and they all run")
        if r.failed:
            c.fail("see above")
    finally:
        if c:
            c.down()
        net.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
