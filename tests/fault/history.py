#!/usr/bin/env python3
"""Accounting under faults: while jobs run the controller is killed at random, its database is locked, and deleted.
At the end the history has every job once, and equals, row by row, what another process makes of the whole log.

  history.py [--kills N] [--seed S]
"""
import argparse
import glob
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from cluster import SPURCTLD, Cluster, Report, free_ports, seed_from

TABLES = {"job": "id, submit, run", "step": "job, submit, run, id", "spec": "id", "gap": "first",
          "job_node": "node, end, id, submit, run"}


def connect(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)


def rows(path):
    with connect(path) as db:
        return {t: db.execute(f"SELECT * FROM {t} ORDER BY {key}").fetchall() for t, key in TABLES.items()}


def index_of(path):
    try:
        with connect(path) as db:
            return db.execute("SELECT value FROM meta WHERE key = 'index'").fetchone()[0]
    except (sqlite3.Error, TypeError):
        return 0


def wait_index(path, least, seconds=120):
    end = time.time() + seconds
    while index_of(path) < least:
        if time.time() > end:
            return False
        time.sleep(0.1)
    return True


def fold_again(c, index):
    """Another controller on a copy of the log, without the database: what it has written up to `index`."""
    other = tempfile.mkdtemp(prefix="spur-refold.")
    try:
        os.mkdir(f"{other}/run")
        shutil.copytree(c.state, f"{other}/state", ignore=shutil.ignore_patterns("history.db*"))
        conf = open(c.conf).read().replace(f"StateSaveLocation={c.state}", f"StateSaveLocation={other}/state")
        conf = conf.replace(f"SpurSocketDir={c.dir}/run", f"SpurSocketDir={other}/run")
        conf = re.sub(rf"\b{c.ports[0]}\b", str(free_ports(1)[0]), conf)
        with open(f"{other}/slurm.conf", "w") as f:
            f.write(conf)
        with open(f"{c.dir}/log/refold.log", "ab") as log:
            p = subprocess.Popen([SPURCTLD, "-D", "-f", f"{other}/slurm.conf", "--id", "1"], stdout=log, stderr=log,
                                 env=c.env, start_new_session=True)
        came = wait_index(f"{other}/state/ctl1/history.db", index)
        p.terminate()
        p.wait()
        return rows(f"{other}/state/ctl1/history.db") if came else None
    finally:
        shutil.rmtree(other, ignore_errors=True)


class Story:
    def __init__(self):
        self.args = self.parse()
        self.rng, self.seed = seed_from(self.args)
        self.r = Report()
        self.c = Cluster()
        self.db = f"{self.c.state}/ctl1/history.db"
        self.tasks = 0

    @staticmethod
    def parse():
        p = argparse.ArgumentParser()
        p.add_argument("--kills", type=int, default=12)
        p.add_argument("--seed", type=int)
        return p.parse_args()

    def submit(self, n):
        rc, _, err = self.c.run("sbatch", f"--array=1-{n}", "-o", "/dev/null", "--wrap", "srun true")
        if rc:
            self.c.fail(f"no job: {err}")
        self.tasks += n

    def restart(self, sig):
        self.c.kill(1, sig)
        self.c.start_ctl(1)

    def kills(self):
        for _ in range(self.args.kills):
            self.submit(self.rng.randrange(2, 9))
            time.sleep(self.rng.random() * 0.6)
            self.restart(signal.SIGKILL)
        self.r.ok(self.c.wait_empty(300), f"{self.args.kills} kills, seed {self.seed}: {self.tasks} tasks end")

    def locked(self):
        """A database that cannot be written delays accounting and nothing else."""
        with sqlite3.connect(self.db, timeout=60, isolation_level=None) as db:
            db.execute("BEGIN IMMEDIATE")
            before = db.execute("SELECT value FROM meta WHERE key = 'index'").fetchone()[0]
            self.submit(20)
            self.r.ok(self.c.wait_empty(120), "jobs run and end while the database is locked")
            after = db.execute("SELECT value FROM meta WHERE key = 'index'").fetchone()[0]
            self.r.ok(before == after, "of which it has nothing yet")
            db.execute("ROLLBACK")
        db.close()

    def stop(self):
        self.r.ok(self.c.kill(1, signal.SIGTERM) == 0, "the controller stops")
        return rows(self.db)

    def check_rows(self, have):
        ended = [row for row in have["job"] if row[3] == 3]
        starts = [row for row in have["step"] if row[3] == 0]
        self.r.ok(len(ended) == len(have["job"]) == self.tasks, f"a row for each of {self.tasks} tasks: "
                  f"{len(have['job'])} rows, {len(ended)} of them of completed tasks")
        self.r.ok(len(starts) == self.tasks and all(row[6] < 1 << 60 for row in have["step"]),
                  f"and for each srun in them, ended: {len(starts)}")

    def check_fold(self, have, index):
        again = fold_again(self.c, index)
        same = again == have
        self.r.ok(same, "another process makes the same rows of the log")
        for table in TABLES:
            if again and again[table] != have[table]:
                gone, new = set(have[table]) - set(again[table]), set(again[table]) - set(have[table])
                print(f"# {table}: {len(gone)} missing {sorted(gone)[:2]}, {len(new)} more {sorted(new)[:2]}")

    def deleted(self, have):
        index = index_of(self.db)
        for path in glob.glob(self.db + "*"):
            os.unlink(path)
        self.c.start_ctl(1)
        self.r.ok(wait_index(self.db, index), "deleted, it is made again from the log")
        self.r.ok(self.stop() == have, "with the same rows")

    def run(self):
        try:
            self.c.up()
            self.kills()
            self.locked()
            have = self.stop()
            self.r.ok(os.stat(self.db).st_mode & 0o777 == 0o600, "the database is the controller's alone")
            self.check_rows(have)
            self.check_fold(have, index_of(self.db))
            self.deleted(have)
            if self.r.failed:
                self.c.fail("see above")
        finally:
            self.c.down()
        return self.r.done()


if __name__ == "__main__":
    sys.exit(Story().run())
