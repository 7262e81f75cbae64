#!/usr/bin/env python3
"""The controller's disk is full: submissions are refused with a clear message, acknowledged jobs stay and run, and the
cluster goes on by itself once there is space again.  Needs root (a small tmpfs)."""
import os
import subprocess
import sys
import tempfile
import time

from cluster import Cluster, Report


def fill(path):
    """Everything that is left, down to the last block."""
    with open(path, "wb", buffering=0) as f:
        for size in (1 << 20, 4096, 512):
            try:
                while True:
                    f.write(b"x" * size)
            except OSError:
                pass


def main():
    r = Report()
    if os.getuid():
        return r.skip("needs root for a small tmpfs")
    mount = tempfile.mkdtemp(prefix="spur-small.")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", mount], check=True)
    c = Cluster(state=mount + "/state")
    try:
        c.up()
        ids = []
        for _ in range(20):
            rc, out, err = c.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "true")
            ids.append(out.strip())
        r.ok(all(ids), "20 jobs are acknowledged while there is room")
        fill(mount + "/filler")
        time.sleep(1.5)
        refused, words = 0, ""
        for _ in range(5):
            rc, out, err = c.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "true", timeout=80)
            if rc == 0:
                ids.append(out.strip())
            else:
                refused += 1
                words = err
        r.ok(refused > 0, f"a full disk refuses submissions ({refused} of 5)")
        r.ok("space" in words or "full" in words, f"and says so: {words.strip()!r}")
        rc, out, _ = c.run("squeue", "-h", "-o", "%A")
        r.ok(set(ids) <= set(out.split()), "every acknowledged job is still there")
        os.unlink(mount + "/filler")
        ok, end = False, time.time() + 90
        while not ok and time.time() < end:
            rc, out, err = c.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "true")
            ok = rc == 0
            time.sleep(0.2)
        ids.append(out.strip())
        r.ok(ok, "with room again submissions work, without a restart by hand")
        c.kill(1)
        c.start_ctl(1)
        rc, out, _ = c.run("squeue", "-h", "-o", "%A")
        r.ok(set(ids) == set(out.split()), "after a kill all acknowledged jobs are there, and no other")
        c.run("scontrol", "release", ",".join(ids))
        r.ok(c.wait_empty(), "and they all run")
    finally:
        c.down()
        subprocess.run(["umount", "-l", mount], check=False)
        os.rmdir(mount)
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
