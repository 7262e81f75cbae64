#!/usr/bin/env python3
"""ledger_nth - a voter whose n-th write or sync fails, for every n; then a start without failures.

    ledger_nth.py VOTER NTH.so

The promises: a write that fails is never acknowledged; a later start finds a ledger that it can open, with every
acknowledged key once, in the order of the requests, and takes new keys.  No entry is in the log twice: libraft alone
would go on after the sync of a segment that it closes has failed, and read the segment again behind newer ones, or
find a gap (store/sync_guard.h)."""
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

VOTER, NTH = sys.argv[1], os.path.abspath(sys.argv[2])
KEYS = 24
ENOSPC, EIO = 28, 5
CASES = [("write", EIO), ("write", ENOSPC), ("sync", EIO)]
top = tempfile.mkdtemp(prefix="spur-nth-")


class Voter:
    """One process; its lines become facts."""

    def __init__(self, directory, env):
        env = dict(os.environ, SNAPSHOT_ENTRIES="8", UV_USE_IO_URING="0", **env)
        # after a failed sync libraft may dereference NULL: the voter dies and starts again, which is what is tested
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0:handle_segv=0"
        self.proc = subprocess.Popen([VOTER, "1", directory, "19199"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, env=env)
        self.role, self.answers, self.dumped, self.refused, self.rest = "none", {}, False, "", b""
        self.repeated = []

    def lines(self, seconds):
        """Read what is there; false when the voter has ended."""
        if not select.select([self.proc.stdout], [], [], seconds)[0]:
            return True
        data = os.read(self.proc.stdout.fileno(), 65536)
        *whole, self.rest = (self.rest + data).split(b"\n")
        for line in whole:
            w = line.decode().split()
            if w[:1] == ["role"]:
                self.role = w[1]
            elif w[:1] == ["refused"]:
                self.refused = line.decode()
            elif w[:1] == ["repeated"]:
                self.repeated.append(int(w[1]))
            elif w[:1] == ["dumped"]:
                self.dumped = w[2] == "0"
            elif w[:1] and w[0] in ("yes", "no", "unknown"):
                self.answers[int(w[1])] = w[0]
        return bool(data)

    def until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or not self.lines(0.05):
                return condition()
        return True

    def send(self, line):
        try:
            self.proc.stdin.write(line.encode() + b"\n")
            self.proc.stdin.flush()
            return True
        except BrokenPipeError:
            return False

    def add(self, key):
        """True once it is answered; a voter that has ended answers nothing."""
        return self.until(lambda: self.role == "leader", 10) and self.send(f"add {key}") and \
            self.until(lambda: key in self.answers, 10)

    def keys(self):
        path = f"{top}/dump"
        self.dumped = False
        if not (self.send("dump " + path) and self.until(lambda: self.dumped, 30)):
            return None
        with open(path) as f:
            return [int(x) for x in f]

    def end(self):
        self.proc.kill()
        self.proc.wait()
        self.proc.stdin.close()
        self.proc.stdout.close()


def judge(directory, asked, acked):
    """What is wrong with the ledger that a failure left behind, or nothing."""
    v = Voter(directory, {})
    try:
        if not v.until(lambda: v.role == "leader", 60):
            return f"it does not come back: {v.refused}"
        keys = v.keys()
        if keys is None:
            return "it does not tell its keys"
        if v.repeated:
            return f"entries are in the log twice: {v.repeated}"
        if set(acked) - set(keys):
            return f"acknowledged and lost: {sorted(set(acked) - set(keys))}"
        if keys != sorted(set(keys)) or not set(keys) <= set(asked):
            return f"not what was asked for, in its order: {keys}"
        if not v.add(1000) or v.answers[1000] != "yes":
            return "it takes no new key"
        return ""
    finally:
        v.end()


def one(op, error, n):
    """(whether a call failed, what is wrong)"""
    directory, mark = f"{top}/{op}-{error}-{n}", f"{top}/mark"
    if os.path.exists(mark):
        os.unlink(mark)
    v = Voter(directory, dict(LD_PRELOAD=NTH, NTH_OP=op, NTH=str(n), NTH_ERRNO=str(error), NTH_MARK=mark))
    asked = []
    for key in range(1, KEYS + 1):
        asked.append(key)
        if not v.add(key):
            break
    v.end()
    acked = [key for key, answer in v.answers.items() if answer == "yes"]
    wrong = judge(directory, asked, acked)
    shutil.rmtree(directory, ignore_errors=True)
    return os.path.exists(mark), wrong


def main():
    failed = 0
    print(f"1..{2 * len(CASES)}")
    for i, (op, error) in enumerate(CASES):
        began = time.monotonic()
        n, wrongs, reached = 0, [], True
        while reached and n < 400:
            n += 1
            reached, wrong = one(op, error, n)
            if wrong:
                wrongs.append(f"{op} {n}: {wrong}")
        for k, (good, what) in enumerate(((not wrongs,
                                           f"after any of {n - 1} calls of {op} has failed with {error}, nothing is "
                                           "lost"),
                                          (3 <= n < 400,
                                           f"there are calls of {op} to fail, and an end of them ({n - 1})"))):
            failed += not good
            print(f"{'' if good else 'not '}ok {2 * i + k + 1} - {what}", flush=True)
        print(f"# {time.monotonic() - began:.1f} s")
        for wrong in wrongs[:10]:
            print("#   " + wrong)
    shutil.rmtree(top, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
