#!/usr/bin/env python3
"""One flipped byte in a closed segment, in the open segment or in a snapshot, or a log without its metadata: the
controller refuses to start, names the file and says what to do; with the byte put back it starts and has lost
nothing."""
import argparse
import glob
import os
import shutil
import subprocess
import sys
import time

from cluster import BUILD, Cluster, Report, seed_from


def start_fails(c):
    """True with its last words when the controller ends by itself."""
    before = os.path.getsize(f"{c.dir}/log/ctl1.log")
    c.start_ctl(1)
    end = time.time() + 90
    while time.time() < end:
        if c.procs[1].poll() is not None:
            with open(f"{c.dir}/log/ctl1.log") as f:
                f.seek(before)
                return c.procs[1].returncode != 0, f.read().strip()
        time.sleep(0.05)
    c.kill(1)
    return False, "it started"


def flip(path, at):
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 0x40]))


def used_bytes(path):
    """Where the written part of a preallocated segment ends."""
    with open(path, "rb") as f:
        return len(f.read().rstrip(b"\0"))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int)
    rng, seed = seed_from(p.parse_args())
    r = Report()
    c = Cluster()
    try:
        c.up()
        ids = []
        for _ in range(30):
            ids.append(c.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "true")[1].strip())
        # more entries than a snapshot waits for, each an entry of its own
        subprocess.run([f"{BUILD}/bench/bench_native", "4300", "1"], env=c.env, check=True, stdout=subprocess.DEVNULL)
        end = time.time() + 90
        while not glob.glob(f"{c.state}/ctl1/log/snapshot-*") and time.time() < end:
            time.sleep(0.1)
        c.kill(1)
        c.start_ctl(1)          # what was the open segment is closed now
        for _ in range(10):
            ids.append(c.run("sbatch", "--parsable", "-H", "-o", "/dev/null", "--wrap", "true")[1].strip())
        c.kill(1)
        good = c.dir + "/good"
        shutil.copytree(c.state, good)
        log = glob.glob(f"{c.state}/ctl1/**/open-*", recursive=True)
        folder = os.path.dirname(log[0])
        closed = [f for f in glob.glob(folder + "/0*-0*") if os.path.getsize(f) > 200]
        opened = [f for f in log if used_bytes(f) > 64]
        snapshots = [f for f in glob.glob(folder + "/snapshot-*") if not f.endswith(".meta")]
        kinds = [("a closed segment", closed), ("an open segment", opened), ("a snapshot", snapshots)]
        for what, files in kinds:
            if not r.ok(bool(files), f"there is {what} to damage"):
                continue
            path = rng.choice(sorted(files))
            flip(path, 40 + rng.randrange(max(used_bytes(path) - 48, 1)))
            refused, words = start_fails(c)
            r.ok(refused, f"{what}: the controller refuses to start (seed {seed})")
            r.ok(len(words) > 60 and "/" in words,
                 f"{what}: it names the file and says what to do: {words.splitlines()[-1][-160:] if words else ''}")
            shutil.rmtree(c.state)
            shutil.copytree(good, c.state)
        for meta in glob.glob(folder + "/metadata*"):
            os.unlink(meta)
        refused, words = start_fails(c)
        r.ok(refused, "a log without metadata is not taken for an empty one: "
                      f"{words.splitlines()[-1][-120:] if words else ''}")
        shutil.rmtree(c.state)
        shutil.copytree(good, c.state)
        c.start_ctl(1)
        rc, out, _ = c.run("squeue", "-h", "-o", "%A")
        r.ok(set(ids) <= set(out.split()) and len(out.split()) == len(ids) + 4300,
             "with the bytes put back it starts and all jobs are there")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
