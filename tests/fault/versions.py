#!/usr/bin/env python3
"""Two releases in one cluster: this build, and one whose feature level is one higher (it writes events that this one
does not know).  Three controllers are upgraded one by one under load, downgraded before the last one is upgraded, and
upgraded again; then the level is raised, and the older release stops with a message instead of diverging.  Nothing is
lost.

  versions.py       SPUR_BUILD_NEXT: a build with -Dfeature_level=2; made beside SPUR_BUILD if it is not there
"""
import os
import re
import shutil
import subprocess
import sys
import time

import cluster
from cluster import Cluster, Report
from never_lost import Load, verify

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
STOPPED = 78  # what a controller says that cannot follow the log


def next_release():
    """The controller of the next release."""
    # beside the build under test: ccache knows the paths
    build = os.environ.get("SPUR_BUILD_NEXT") or os.path.abspath(cluster.BUILD) + "-next"
    options = ["--buildtype=debug", "-Doptimization=1", "-Dfeature_level=2"]
    env = dict(os.environ, CC=os.environ.get("CC") or ("ccache gcc" if shutil.which("ccache") else "gcc"))
    if not os.path.exists(os.path.join(build, "build.ninja")):
        subprocess.run(["meson", "setup", build, SOURCE, *options], check=True, stdout=subprocess.DEVNULL, env=env)
    subprocess.run(["ninja", "-C", build, "src/ctl/spurctld"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(build, "src/ctl/spurctld")


def log_text(c, i):
    with open(f"{c.dir}/log/ctl{i}.log", errors="replace") as f:
        return f.read()


def wait_for(what, seconds=90):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


def replace(c, r, i, program, name):
    """Stop a controller and start it as another release; the cluster answers again, and it follows or leads."""
    c.kill(i, 15)
    cluster.SPURCTLD = program
    before = len(log_text(c, i))
    c.start_ctl(i)
    r.ok(wait_for(lambda: "role=" in log_text(c, i)[before:] and c.procs[i].poll() is None),
         f"controller {i} is {name}")
    time.sleep(1)


def main():
    r = Report()
    old = cluster.SPURCTLD
    new = next_release()
    c = Cluster(controllers=3, nodes=2)
    raised = lambda: any("feature level raised" in log_text(c, i) for i in c.ids)
    alive = lambda: all(c.procs[i].poll() is None for i in c.ids)
    try:
        c.up()
        load = Load(c, 2)
        replace(c, r, 1, new, "upgraded")
        replace(c, r, 2, new, "upgraded")
        rc, _, err = c.run("scontrol", "takeover")
        time.sleep(3)
        r.ok(alive() and not raised(), "with one controller of the old release left the level is not raised, and it "
                                       "follows")
        replace(c, r, 2, old, "taken back")
        replace(c, r, 1, old, "taken back")
        r.ok(alive(), "the old release reads what the new one wrote meanwhile")
        for i in c.ids:
            replace(c, r, i, new, "upgraded")
        r.ok(wait_for(raised), "when all are upgraded the level is raised")
        time.sleep(2)
        load.finish()
        verify(c, load, r, "upgraded, taken back, upgraded")
        rc, out, err = c.run("sbatch", "--parsable", "--wrap", "true")
        r.ok(rc == 0, f"jobs are taken, with events of the new level: {out.strip()} {err.strip()}")
        c.wait_empty()
        c.kill(3, 15)
        cluster.SPURCTLD = old
        c.start_ctl(3)
        try:
            code = c.procs[3].wait(60)
        except subprocess.TimeoutExpired:
            code = None
        r.ok(code == STOPPED, f"the old release does not follow any more: it ends with {code}")
        said = log_text(c, 3).splitlines()[-6:]
        r.ok(any(re.search(r"entry=\d+|snapshot", l) for l in said) and any("release" in l for l in said),
             "with words: " + " | ".join(l[-160:] for l in said[-2:]))
        r.ok(c.procs[1].poll() is None and c.procs[2].poll() is None and c.run("squeue", "-h")[0] == 0,
             "the others serve on")
        cluster.SPURCTLD = new
        c.start_ctl(3)
        r.ok(wait_for(lambda: re.findall(r"started id=3|role=\w+", log_text(c, 3))[-1].startswith("role=")),
             "the new release takes its place again")
        if r.failed:
            c.fail("see above")
    finally:
        cluster.SPURCTLD = old
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
