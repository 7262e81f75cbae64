#!/usr/bin/env python3
"""Machines that lie, against a cluster with TLS: a false controller on the port of the true one, a node's stolen key,
a credential that is used twice, a certificate that is revoked while jobs run."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import lab
from lab import ALICE, MALLORY, SPUR, SPURCTLD, Lab, Report, until
from wire import SCHEMA, encode

CLIENT, AGENT, LAUNCH, KILL, RELAY = 1, 2, 4, 7, 8  # enum cred_use
EXTERN, BATCH = (SCHEMA.enums["StepNumber"][name] for name in ("STEP_EXTERN", "STEP_BATCH"))


class Machines(Lab):
    """n1 is the controller's machine; n2 is a machine of its own, with a certificate for agent/n2 alone."""

    def __init__(self):
        super().__init__(nodes=2, transport="tls")
        with open(self.conf) as f:
            text = f.read()
        self.node_ports = {name: int(port) for name, port in re.findall(r"NodeName=(\w+) .*Port=(\d+)", text)}
        self.keys = f"{self.dir}/etc/keys-n2"
        self.conf_n2 = f"{self.dir}/etc/n2.conf"
        with open(self.conf_n2, "w") as f:
            f.write(text + f"SpurKeyDir={self.keys}\n")

    def start_node(self, name):
        if name != "n2":
            super().start_node(name)
            return
        if not os.path.exists(self.keys):
            until(lambda: os.path.exists(f"{self.dir}/etc/keys/machine.crt"))
            self.key("issue", "agent", "n2", "-o", self.keys)
        true, self.conf = self.conf, self.conf_n2
        super().start_node(name)
        self.conf = true

    def key(self, *words, conf=None):
        return subprocess.run([SPUR, "key", *words], env={**self.env, "SLURM_CONF": conf or self.conf}, check=True,
                              capture_output=True, text=True).stdout

    def log(self, name):
        with open(f"{self.dir}/log/{name}.log", errors="replace") as f:
            return f.read()


class Thief:
    """A process with the keys of n2."""

    def __init__(self, c, use=CLIENT, uid=0, node="-", host="-", to="-", keep="-"):
        build = os.environ.get("SPUR_BUILD", os.path.join(os.path.dirname(__file__), "../../build"))
        port = c.node_ports[to] if to != "-" else c.ports[0]
        self.p = subprocess.Popen([os.path.join(build, "tests/hostile/hostile_machine"), c.keys, "fault", str(port),
                                   str(use), str(uid), node, host, to, keep], text=True, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.first = self.p.stdout.readline()

    def line(self, text):
        self.p.stdin.write(text + "\n")
        self.p.stdin.flush()
        return self.p.stdout.readline().strip()

    def say(self, kind, /, **values):
        """(type, decoded reply); (None, {}): hung up."""
        number, body = SCHEMA.types[kind]
        words = self.line(f"say {number} {encode(body, **values).hex()}").split()
        if words[0] == "closed":
            return None, {}
        name = SCHEMA.names[int(words[0])]
        return name, SCHEMA.decode(SCHEMA.types[name][1], bytes.fromhex(words[1] if len(words) > 1 else ""))

    def tell(self, kind, /, **values):
        number, body = SCHEMA.types[kind]
        self.p.stdin.write(f"tell {number} {encode(body, **values).hex()}\n")

    def sign(self, use, body):
        return bytes.fromhex(self.line(f"sign {use} {body.hex()}"))

    def close(self):
        self.p.stdin.close()
        self.p.wait()


def denied(answer):
    """Hung up, a failure, or done with an error."""
    kind, reply = answer
    return kind in (None, "FAILURE") or (kind == "DONE" and reply.get("code", 0) != 0) or (
        kind == "CANCEL_REPLY" and all(one.get("code", 0) for one in reply.get("results", [{}])))


def submission(name="stolen"):
    return {"key": os.urandom(16), "spec": {"name": name, "workdir": "/", "hold": True}, "script": "#!/bin/sh\n"}


def one(c, kind, /, *, thief, **values):
    t = Thief(c, **thief)
    answer = t.say(kind, **values)
    t.close()
    return answer


def steal(c, r):
    here = c.submit(ALICE, "-w", "n2")
    there = c.submit(ALICE, "-w", "n1")
    r.ok(c.runs(here) and c.runs(there), "alice has a job on each node")
    ask = {"jobs": [{"job": there}]}

    answer = one(c, "JOBS", thief={"uid": ALICE, "host": "n2"})
    r.ok(answer[0] == "JOBS_REPLY", "n2's key vouches for a user of its jobs (so the refusals below mean something)")
    for what, thief in (("root", {"uid": 0, "host": "n2"}), ("a user in n1's name", {"uid": ALICE, "host": "n1"}),
                        ("a user in no node's name", {"uid": ALICE})):
        r.ok(denied(one(c, "CANCEL", thief=thief, **ask)), f"it does not speak for {what}")
    for use in (CLIENT, RELAY):
        how = "relayed" if use == RELAY else "by a credential"
        thief = {"use": use, "host": "n2", "node": "n2"}

        def act(uid, kind, thief=thief, use=use, **values):
            if use == CLIENT:
                return one(c, kind, thief={**thief, "uid": uid}, **values)
            t = Thief(c, **thief)
            t.tell("RELAY", uid=uid, gid=uid)
            answer = t.say(kind, **values)
            t.close()
            return answer

        r.ok(denied(act(MALLORY, "SUBMIT", **submission())), f"{how}: no job of a user without a job there")
        r.ok(denied(act(0, "RECONFIGURE")), f"{how}: root of n2 is no administrator")
        r.ok(denied(act(0, "SUBMIT", **submission())), f"{how}: nor submits as root")
    r.ok(denied(one(c, "REGISTER", thief={"use": AGENT, "node": "n1"}, node="n1", boot_id="b")), "it is not node n1")
    r.ok(denied(one(c, "REGISTER", thief={"use": AGENT, "node": "n2"}, node="n1", boot_id="b")),
         "nor registers node n1 as n2")

    # orders of its own
    mark = c.dir + "/work/stolen"
    t = Thief(c, use=AGENT, node="n2", to="n1")
    r.ok(t.first == "connected\n", "n2 speaks to n1, as nodes do")
    order = encode("LaunchOrder", job_id=900, attempt=1, step_id=BATCH, uid=0, gid=0, user_name="root",
                   spec={"workdir": "/", "std_out": "/dev/null"}, script=f"#!/bin/sh\ntouch {mark}\n",
                   alloc=[{"cpus": 1, "count": 9}], nodes="n1", issued_ms=int(time.time() * 1000))
    r.ok(denied(t.say("FANOUT", to="n1", **{"from": "n2"}, width=16, launch=t.sign(LAUNCH, order), job_id=900,
                      step_id=BATCH, attempt=1)), "a launch order that n2 signed is refused")
    (folder,) = [d for d in os.listdir(c.dir + "/spool/n1") if d.startswith(f"job{there}.")]
    attempt = int(folder.split(".")[1])
    kill = encode("KillOrder", job_id=there, attempt=attempt, signal=9, terminate=True, nodes="n1",
                  issued_ms=int(time.time() * 1000))
    r.ok(denied(t.say("FANOUT", to="n1", **{"from": "n2"}, width=16, kill=t.sign(KILL, kill), job_id=there,
                      step_id=EXTERN, attempt=attempt)), "nor ends it a job of n1")
    t.close()
    time.sleep(1)
    r.ok(not os.path.exists(mark) and c.job_state(there) == "RUNNING" and c.job_state(here) == "RUNNING",
         "nothing has run, nothing has ended")

    keep = c.dir + "/work/credential"
    r.ok(one(c, "JOBS", thief={"uid": ALICE, "host": "n2", "keep": keep})[0] == "JOBS_REPLY" and os.path.exists(keep),
         "a good credential is kept")
    r.ok(denied(one(c, "JOBS", thief={"uid": ALICE, "host": "n2", "keep": keep})), "and is of no use again")
    one(c, "CANCEL", thief={"uid": ALICE, "host": "n2"}, jobs=[{"job": here}])
    r.ok(until(lambda: c.job_state(here) == "CANCELLED"), "what the key gives: the jobs of n2's users")
    return there


def false_controller(c, r, job):
    """The port is free for a moment: another user's controller, with a CA of its own, takes it."""
    c.kill(1)
    false = f"{c.dir}/false.conf"
    with open(c.conf) as f:
        text = re.sub(r"(?m)^(SpurSocketDir|StateSaveLocation)=.*$", rf"\1={c.dir}/false/\1", f.read())
    with open(false, "w") as f:
        f.write(text + f"SpurKeyDir={c.dir}/false/keys\n")
    os.makedirs(f"{c.dir}/false/StateSaveLocation")
    log = open(f"{c.dir}/log/false.log", "wb")
    p = subprocess.Popen([SPURCTLD, "-D", "-f", false, "--id", "1"], stdout=log, stderr=log, env=c.env)
    r.ok(until(lambda: "leader" in open(f"{c.dir}/log/false.log").read()), "a false controller leads on the port")
    r.ok(until(lambda: open(f"{c.dir}/log/false.log").read().count("connection refused") > 3),
         "the nodes connect to it, and hang up when they see its certificate")
    time.sleep(2)
    r.ok("node registered" not in open(f"{c.dir}/log/false.log").read(), "no node registers with it")
    p.kill()
    p.wait()
    c.start_ctl(1)
    r.ok(until(lambda: c.run("sinfo", "-h", "-o", "%T %D")[1].split()[-1:] == ["2"] or
               c.run("sinfo", "-h", "-N", "-n", "n1", "-o", "%T")[1].strip() in ("mixed", "allocated")),
         "the true controller is back")
    r.ok(c.job_state(job) == "RUNNING", "the job that ran before runs")


def revoke(c, r, job):
    """n2's key is known to be stolen: it is revoked while jobs are submitted."""
    serial = re.search(r"(?m)^serial +(\w+)$", c.key("show", conf=c.conf_n2)).group(1)
    r.ok(until(lambda: c.run("sinfo", "-hN", "-n", "n2", "-o", "%T")[1].strip() == "idle"), "n2 is idle")
    jobs = [c.submit(ALICE, "-w", "n1", script="#!/bin/sh\nsleep 1\n") for _ in range(5)]
    c.key("revoke", serial)
    for name in (1, "n1"):
        os.kill(c.procs[name].pid, signal.SIGHUP)
    jobs += [c.submit(ALICE, "-w", "n1", script="#!/bin/sh\nsleep 1\n") for _ in range(5)]
    r.ok(until(lambda: denied(one(c, "JOBS", thief={"use": AGENT, "node": "n2"}))), "the revoked key is refused")
    c.kill("n2")
    c.start_node("n2")
    r.ok(until(lambda: "revoked" in c.log("ctl1")), "n2 does not come back, and the log says why")
    r.ok(until(lambda: all(c.job_state(j) == "COMPLETED" for j in jobs)), "no job of n1 is lost meanwhile")
    r.ok(c.job_state(job) == "RUNNING", "and the job that ran before runs")
    c.key("issue", "agent", "n2", "-o", c.keys + ".new")
    shutil.rmtree(c.keys)
    os.rename(c.keys + ".new", c.keys)
    c.kill("n2")
    c.start_node("n2")
    r.ok(until(lambda: c.run("sinfo", "-hN", "-n", "n2", "-o", "%T")[1].strip() == "idle"), "with a new key n2 is back")


def main():
    lab.enter_users()
    r = Report()
    c = Machines()
    try:
        c.up()
        job = steal(c, r)
        false_controller(c, r, job)
        revoke(c, r, job)
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
