#!/usr/bin/env python3
"""ledger_crash - kill voters, pause them, damage their files; then look whether a promise was broken.

    ledger_crash.py VOTER [SEED]

The promises: a key that was answered "yes" is in every later state; all voters apply the
same keys in the same order; a damaged ledger is refused or complete, never shorter.
"""
import os, random, re, shutil, signal, socket, subprocess, sys, tempfile, threading, time

VOTER = sys.argv[1]
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else int.from_bytes(os.urandom(4), "big")
rnd = random.Random(SEED)
top = tempfile.mkdtemp(prefix="spur-crash-")
tests = failures = 0


def ok(cond, what):
    global tests, failures
    tests += 1
    failures += not cond
    print("%sok %d - %s" % ("" if cond else "not ", tests, what), flush=True)


def free_ports(n):
    """Ports below the range that the kernel gives to connections: a connection could hold a dead voter's port when the
    voter starts again."""
    socks = []
    while len(socks) < n:
        s = socket.socket()
        try:
            s.bind(("127.0.0.1", random.SystemRandom().randrange(14600, 19000)))
            s.listen(1)
            socks.append(s)
        except OSError:
            s.close()
    ports = [str(s.getsockname()[1]) for s in socks]
    for s in socks:
        s.close()
    return ports


class Voter:
    """One process, started and killed at will; a thread turns its lines into facts."""

    def __init__(self, i, directory, ports):
        self.i, self.dir, self.ports = i, directory, ports
        self.proc, self.acked = None, set()
        self.reset()

    def reset(self):
        self.role, self.leader, self.opened, self.refused = "none", 0, False, ""
        self.answers, self.dumped, self.handed = {}, None, None

    def start(self, env=None):
        self.reset()
        self.proc = subprocess.Popen([VOTER, str(self.i), self.dir] + self.ports, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, bufsize=1, env=dict(os.environ, **(env or {})))
        threading.Thread(target=self.read, args=(self.proc,), daemon=True).start()

    def read(self, proc):
        for line in proc.stdout:
            w = line.split()
            if not w:
                continue
            if w[0] == "yes":
                self.acked.add(int(w[1]))
            if proc is not self.proc:
                continue
            if w[0] == "role":
                self.leader, self.role = int(w[2]), w[1]
            elif w[0] == "open":
                self.opened = True
            elif w[0] == "refused":
                self.refused = line.strip()
            elif w[0] == "dumped":
                self.dumped = int(w[1]) if w[2] == "0" else -1
            elif w[0] in ("yes", "no", "unknown"):
                self.answers[int(w[1])] = w[0]

    def send(self, line):
        try:
            self.proc.stdin.write(line + "\n")
            self.proc.stdin.flush()
        except (BrokenPipeError, ValueError, AttributeError):
            pass

    def kill(self):
        if self.proc:
            self.proc.send_signal(signal.SIGKILL)
            self.proc.wait()
            self.proc = None
            self.role = "dead"

    def alive(self):
        return self.proc is not None and self.proc.poll() is None

    def keys(self):
        path = "%s/dump%d" % (top, self.i)
        self.dumped = None
        self.send("dump " + path)
        wait(lambda: self.dumped is not None, 30)
        with open(path) as f:
            return [int(x) for x in f]


def wait(cond, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if cond():
            return True
        time.sleep(0.002)
    return cond()


next_key = 0


def add(voter, n):
    """Ask for n keys, without waiting."""
    global next_key
    first = next_key
    for _ in range(n):
        next_key += 1
        voter.send("add %d" % next_key)
    return list(range(first + 1, next_key + 1))


def single():
    v = Voter(1, top + "/single", free_ports(1))
    lost = refused = 0
    for _ in range(15):
        v.start()
        if not wait(lambda: v.role == "leader", 60):
            refused += 1
            break
        lost += len(v.acked - set(v.keys()))
        end = time.monotonic() + rnd.uniform(0.005, 0.12)
        while time.monotonic() < end:
            add(v, rnd.randint(1, 20))
            time.sleep(rnd.uniform(0, 0.004))
        v.kill()
    ok(not refused, "a single voter comes back from every kill %s" % v.refused)
    ok(not lost and len(v.acked) > 100, "with all %d keys it said yes to" % len(v.acked))
    return v


def leader_of(voters):
    for v in voters:
        if v.alive() and v.role == "leader":
            return v
    return None


def work(voters, seconds):
    """Append through the leader."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        v = leader_of(voters)
        if v:
            add(v, rnd.randint(1, 20))
        time.sleep(rnd.uniform(0.001, 0.006))


def agree(voters):
    states = [v.keys() for v in voters]
    acked = set().union(*[v.acked for v in voters])
    same = all(s == states[0] for s in states)
    return same and acked <= set(states[0]), acked, states


def settle(voters, what):
    for v in voters:
        if not v.alive():
            v.start()
    wait(lambda: leader_of(voters), 60)
    good, acked, states = False, set(), []
    end = time.monotonic() + 60
    while not good and time.monotonic() < end:
        time.sleep(0.15)
        good, acked, states = agree(voters)
    ok(good, "%s: all three hold the same %d keys, all %d acknowledged among them" % (what, len(states[0]), len(acked)))
    if not good:
        for v, s in zip(voters, states):
            print("# voter %d: %s leader=%s keys=%d missing=%d %s" % (v.i, v.role, v.leader, len(s),
                                                                     len(acked - set(s)), v.refused))


def three():
    ports = free_ports(3)
    voters = [Voter(i, "%s/v%d" % (top, i), ports) for i in (1, 2, 3)]
    for v in voters:
        v.start()
    ok(wait(lambda: leader_of(voters), 60), "three voters find a leader")
    outages = []
    for _ in range(8):
        work(voters, rnd.uniform(0.1, 0.4))
        victim = leader_of(voters) if rnd.random() < 0.75 else rnd.choice(voters)
        if not victim:
            continue
        led = victim.role == "leader"
        victim.kill()
        t0 = time.monotonic()
        if led and wait(lambda: leader_of(voters), 60):
            outages.append(time.monotonic() - t0)
        work(voters, rnd.uniform(0.05, 0.3))
        victim.start()
        wait(lambda: victim.leader or victim.role == "leader", 10)
    outages.sort()
    median = outages[len(outages) // 2] if outages else 99.0    # one that is long says something of the machine
    ok(median < 3.0,
       "failover after kill -9 of the leader: median %.2f s of %s" % (median, ["%.2f" % o for o in outages]))
    settle(voters, "kills")
    wait(lambda: leader_of(voters), 60)
    paused = leader_of(voters)
    paused.proc.send_signal(signal.SIGSTOP)
    add(paused, 10)
    others = [v for v in voters if v is not paused]
    took = wait(lambda: leader_of(others), 60)
    work(others, 0.2)
    paused.proc.send_signal(signal.SIGCONT)
    ok(took, "a paused leader is replaced")
    settle(voters, "pause")
    for _ in range(2):
        work(voters, 0.2)
        for v in voters:
            v.kill()
        for v in voters:
            v.start()
        wait(lambda: leader_of(voters), 60)
    settle(voters, "all killed at once")
    wait(lambda: leader_of(voters), 60)
    lost = next(v for v in voters if v.role != "leader")
    lost.kill()
    shutil.rmtree(lost.dir)
    lost.start({"REJOIN": "1"})
    work(voters, 0.5)
    settle(voters, "one lost its disk")
    for v in voters:
        v.kill()


def used_bytes(path):
    """How much of a file holds anything: damage to the zeros behind it is no damage."""
    with open(path, "rb") as f:
        return len(f.read().rstrip(b"\0"))


def damage(source, acked):
    """Flip single bits in copies of a killed voter's ledger."""
    kinds = {"closed segment": r"\d+-\d+$", "open segment": r"open-\d+$", "snapshot": r"snapshot-[\d-]+$",
             "snapshot's meta": r"snapshot-.*\.meta$", "metadata": r"metadata\d$", "mark": r"mark$"}
    for kind, pattern in kinds.items():
        refusals = silent = tried = 0
        for _ in range(7):
            copy = top + "/hurt"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(source, copy)
            names = [os.path.join(d, n) for d, _, ns in os.walk(copy) for n in ns if re.match(pattern, n)]
            names = [n for n in names if used_bytes(n)]
            if not names:
                continue
            name = rnd.choice(sorted(names))
            if kind == "snapshot":  # an older one is not needed any more
                name = max(names, key=lambda n: int(n.split("-")[-2]))
            at = rnd.randrange(used_bytes(name))
            with open(name, "r+b") as f:
                f.seek(at)
                c = f.read(1)[0]
                f.seek(at)
                f.write(bytes([c ^ 1 << rnd.randrange(8)]))
            tried += 1
            v = Voter(1, copy, free_ports(1))
            v.start()
            wait(lambda: v.refused or v.role in ("leader", "broken") or not v.alive(), 60)
            time.sleep(0.05)
            if v.refused:
                refusals += 1
            elif v.role != "leader" or not acked <= set(v.keys()):
                silent += 1
                print("# %s byte %d: role %s, %d keys lost" % (name, at, v.role, len(acked - set(v.keys()))))
            v.kill()
        ok(tried and not silent, "a flipped bit in a %s: %d of %d refused, the others complete"
           % (kind, refusals, tried))
        if kind in ("closed segment", "snapshot"):
            ok(refusals == tried, "all of the damage is seen")


def grow_open_segment(v):
    """Leave a killed ledger with a closed segment, an open one, and snapshots."""
    v.start()
    wait(lambda: v.role == "leader", 60)
    for _ in range(60):
        add(v, 5)
        time.sleep(0.004)
    wait(lambda: next_key in v.acked, 30)
    v.kill()


print("# seed %d" % SEED)
t0 = time.monotonic()
try:
    v = single()
    grow_open_segment(v)
    damage(v.dir, v.acked)
    three()
finally:
    if failures:
        print("# seed %d, files in %s" % (SEED, top))
    else:
        shutil.rmtree(top)
print("# %.1f s" % (time.monotonic() - t0))
print("1..%d" % tests)
sys.exit(1 if failures else 0)
