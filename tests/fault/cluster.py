"""A private cluster for fault tests: every daemon is a child of the test, to be killed and started again."""

import glob
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("SPUR_BUILD") or sys.exit("SPUR_BUILD: the build folder to test")
SPUR = os.path.join(BUILD, "src/cli/spur")
SPURCTLD = os.path.join(BUILD, "src/ctl/spurctld")
SPURD = os.path.join(BUILD, "src/node/spurd")
STEPD = os.path.join(BUILD, "src/step/spurstepd")


def free_ports(n):
    """Ports without a listener: all are bound at once, then released.

    They lie below the range that the kernel gives to connections: a client that connects to a port of that range whose
    daemon was killed may get that very port for its own end, be connected to itself, and keep the daemon from
    starting."""
    held = []
    while len(held) < n:
        s = socket.socket()
        try:
            s.bind(("127.0.0.1", random.SystemRandom().randrange(14600, 19000)))
            s.listen(1)
            held.append(s)
        except OSError:
            s.close()
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def told_to_stop(*_):
    """A test that takes too long gets SIGTERM: the daemons that it started must not outlive it."""
    print("not ok - told to stop", flush=True)
    sys.exit(1)


signal.signal(signal.SIGTERM, told_to_stop)


class Cluster:
    def __init__(self, controllers=1, nodes=1, cpus=64, extra="", state=None, hosts=None, prefix=None,
                 transport="tls"):
        """hosts: the address of each controller (default loopback); prefix: command words before each daemon
        (ip netns exec ...)."""
        self.dir = tempfile.mkdtemp(prefix="spur-fault.")
        os.chmod(self.dir, 0o755)
        self.state = state or os.path.join(self.dir, "state")
        self.ids = list(range(1, controllers + 1))
        self.nodes = [f"n{i}" for i in range(1, nodes + 1)]
        self.hosts = hosts or ["127.0.0.1"] * controllers
        self.prefix = prefix or {}
        self.procs = {}
        self.cmd_prefix = []      # words before each command (ip netns exec ...)
        for d in ("etc", "run", "log", "spool", "bin", "work"):
            os.mkdir(os.path.join(self.dir, d))
        for name in ("sbatch", "squeue", "scancel", "scontrol", "sinfo", "srun"):
            os.symlink(SPUR, os.path.join(self.dir, "bin", name))
        ports = free_ports(controllers + nodes)
        self.ports = ports[:controllers]
        host = socket.gethostname().split(".")[0]
        lines = [
            "ClusterName=fault", f"SlurmctldHost={host}({self.hosts[0]})", f"SlurmctldPort={ports[0]}",
            "SpurControllers=" + ",".join(f"{i}@{h}:{p}" for i, h, p in zip(self.ids, self.hosts, ports)),
            f"SpurSocketDir={self.dir}/run", f"SpurKeyFile={self.dir}/etc/spur.key", f"StateSaveLocation={self.state}",
            f"SlurmdSpoolDir={self.dir}/spool/%n", f"SlurmdLogFile={self.dir}/log/%n.log",
            f"SlurmdPidFile={self.dir}/run/%n.pid",
            "SlurmctldPidFile=/dev/null", "SlurmUser=" + os.environ.get("USER", "root"),
            "SlurmdParameters=config_overrides", f"SpurTransport={transport}",
            "ReturnToService=2", "MinJobAge=100000", "MaxJobCount=200000", "MessageTimeout=60",
        ]
        for name, port in zip(self.nodes, ports[controllers:]):
            lines.append(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} "
                         "RealMemory=100000")
        lines.append("PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP")
        self.conf = os.path.join(self.dir, "etc/slurm.conf")
        with open(self.conf, "w") as f:
            f.write("\n".join(lines) + "\n" + extra)
        with open(os.path.join(self.dir, "etc/spur.key"), "wb") as f:
            os.fchmod(f.fileno(), 0o600)
            f.write(os.urandom(32))
        self.env = dict(os.environ, SLURM_CONF=self.conf, PATH=f"{self.dir}/bin:" + os.environ["PATH"],
                        SPUR_STEPD=STEPD)
        for name in list(self.env):
            if name.startswith(("SLURM_JOB", "SBATCH_", "SLURM_STEP")):
                del self.env[name]

    # ---- daemons ----
    def start_ctl(self, i):
        log = open(f"{self.dir}/log/ctl{i}.log", "ab")
        self.procs[i] = subprocess.Popen(self.prefix.get(i, []) + [SPURCTLD, "-D", "-f", self.conf, "--id", str(i)],
                                         stdout=log, stderr=log, env=self.env, start_new_session=True)

    def start_node(self, name):
        log = open(f"{self.dir}/log/{name}.err", "ab")
        self.procs[name] = subprocess.Popen(self.prefix.get(name, []) + [SPURD, "-D", "-f", self.conf, "-N", name],
                                            stdout=log, stderr=log, env=self.env, start_new_session=True)

    def kill(self, which, sig=signal.SIGKILL):
        p = self.procs[which]
        try:
            os.killpg(p.pid, sig)
        except ProcessLookupError:
            pass
        return p.wait()

    def up(self, wait=90):
        for i in self.ids:
            self.start_ctl(i)
        for n in self.nodes:
            self.start_node(n)
        end = time.time() + wait
        while time.time() < end:
            rc, out, _ = self.run("sinfo", "-h", "-N", "-o", "%t", timeout=wait)
            if rc == 0 and out.split() and set(out.split()) == {"idle"}:
                return self
            time.sleep(0.1)
        self.fail("the cluster did not come up")

    def down(self):
        for which in list(self.procs):
            if self.procs[which].poll() is None:
                self.kill(which)
        subprocess.run(["pkill", "-9", "-f", f"{self.dir}/spool"], check=False)
        self.forget_cgroups()
        if not os.environ.get("SPUR_KEEP"):
            shutil.rmtree(self.dir, ignore_errors=True)

    def cgroup_name(self, node):
        """The agent's folder in cgroups: its node and a hash of its spool."""
        h = 2166136261
        for b in f"{self.dir}/spool/{node}".encode():
            h = (h ^ b) * 16777619 & 0xFFFFFFFF
        return "%s.%08x" % (node, h)

    def forget_cgroups(self):
        """Agents that were killed leave theirs behind, empty."""
        for node in self.nodes:
            name = self.cgroup_name(node)
            for path in glob.glob(f"/sys/fs/cgroup/*/spur/{name}") + glob.glob(f"/sys/fs/cgroup/spur/{name}"):
                try:
                    os.rmdir(path)
                except OSError:
                    pass

    def leader(self):
        """Id of the controller that leads, or None."""
        for i in self.ids:
            if self.procs[i].poll() is None:
                try:
                    with open(f"{self.dir}/log/ctl{i}.log", "rb") as f:
                        roles = [l for l in f.read().splitlines() if b"role=" in l or b"started id=" in l]
                except OSError:
                    continue
                if roles and b"role=leader" in roles[-1]:
                    return i
        return None

    def wait_leader(self, seconds=60):
        """Id of the controller that leads: asked once, because the next answer may be another."""
        end = time.time() + seconds
        while (leads := self.leader()) is None:
            if time.time() > end:
                self.fail(f"no leader for {seconds} s")
            time.sleep(0.02)
        return leads

    # ---- commands ----
    def run(self, *argv, timeout=90, text=None, env=None, cwd=None):
        try:
            p = subprocess.run(self.cmd_prefix + [f"{self.dir}/bin/{argv[0]}", *argv[1:]], input=text,
                               capture_output=True, text=True, timeout=timeout,
                               env=env or self.env, cwd=cwd or f"{self.dir}/work")
        except subprocess.TimeoutExpired:
            return 124, "", "timed out"
        return p.returncode, p.stdout, p.stderr

    def wait_empty(self, seconds=120):
        end = time.time() + max(seconds, 60)
        while time.time() < end:
            rc, out, _ = self.run("squeue", "-h", "-o", "%A %T")
            if rc == 0 and not out.strip():
                return True
            time.sleep(0.2)
        return False

    def fail(self, why):
        print(f"not ok - {why}")
        for name in sorted(os.listdir(f"{self.dir}/log")):
            with open(f"{self.dir}/log/{name}", errors="replace") as f:
                tail = f.read().splitlines()[-25:]
            print(f"# --- {name}")
            for line in tail:
                print("#", line)
        sys.stdout.flush()
        raise SystemExit(1)


class Report:
    """ok lines and the closing count."""

    def __init__(self):
        self.passed = self.failed = 0

    def ok(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        print(("ok - " if good else "not ok - ") + what, flush=True)
        return good

    def skip(self, why):
        print(f"1..0 # SKIP {why}\n0 passed, 0 failed", flush=True)
        return 0

    def done(self):
        print(f"1..{self.passed + self.failed}")
        print(f"{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed else 0


def seed_from(args):
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 30)
    print(f"# seed {seed}", flush=True)
    return random.Random(seed), seed
