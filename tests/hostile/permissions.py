#!/usr/bin/env python3
"""Walks the controller's own permission table (`spurctld --permissions`) with real peers: each right is used by each
relation, and is granted exactly where the table says so.  A right or a relation without a row here fails."""
import os
import re
import subprocess
import sys

from attack import submission
from lab import ALICE, MALLORY, SPURCTLD, Lab, Report, enter_users, until
from wire import AGENT, SILENCE, Peer, cred, frame, request

DENIED = {2002, 2010}  # ESLURM_ACCESS_DENIED, ESLURM_USER_ID_MISSING


def pairs(*words):
    return [dict(zip(("key", "value", "op"), (*w.split("=", 1), "="))) for w in words]


def codes(reply):
    return {reply.get("code", 0)} | {r.get("code", 0) for r in reply.get("results", [])}


class Several:
    """A right that takes several messages: does(relation) says whether it was granted."""

    def __init__(self, does):
        self.does = does


class Walk:
    def __init__(self, lab):
        self.lab = lab
        self.running = lab.submit(ALICE)
        lab.runs(self.running)
        with open(f"{lab.dir}/etc/spur.key", "rb") as f:
            self.key = f.read()
        self.peers = {"other": lambda: lab.user(MALLORY), "owner": lambda: lab.user(ALICE),
                      "administrator": lambda: lab.user(0), "agent": self.agent}

    def agent(self):
        p = Peer(self.lab.ports[0])
        p.hello(cred(self.key, p.nonce, AGENT, node="n2"))
        return p

    def job(self):
        """A new job of alice's that is held."""
        return self.lab.user_submit_quickly(ALICE)

    def later(self):
        """One that is not held, and does not start."""
        job = self.job()
        self.ask("administrator", request("UPDATE", kind=0, pairs=pairs(f"JobId={job}", "StartTime=now+1hour")))
        self.ask("administrator", request("JOB_OP", op=2, jobs=[{"job": job}]))
        return job

    def ask(self, relation, one):
        """(type, reply) of one message."""
        p = self.peers[relation]()
        p.s.settimeout(20)
        p.say(one)
        got = p.reply()
        p.close()
        return got

    def granted(self, relation, one):
        kind, reply = self.ask(relation, one)
        return kind not in (None, SILENCE) and not codes(reply) & DENIED

    # ---- rights that need more than one message ----
    def submit_raised(self, relation):
        """A nice below 0 is refused, or does not reach the record."""
        kind, reply = self.ask(relation, submission({"nice": -50, "hold": True}))
        if not reply.get("job_id"):
            return False
        return "Nice=-50" in self.lab.run("scontrol", "-o", "show", "job", str(reply["job_id"]))[1]

    def hold_admin(self, relation):
        job = self.later()
        self.ask(relation, request("JOB_OP", op=0, jobs=[{"job": job}]))
        kind, reply = self.ask("owner", request("JOB_OP", op=2, jobs=[{"job": job}]))
        return bool(codes(reply) & DENIED)

    def wait(self, relation):
        job = self.job()
        self.ask("owner", request("CANCEL", jobs=[{"job": job}]))
        return self.granted(relation, request("WAIT", job_id=[job]))

    def delete_resv(self, relation):
        made = self.lab.run("scontrol", "create", "reservation", "ReservationName=r", "StartTime=now+1hour",
                            "Duration=10", "Nodes=n2", "Users=alice,mallory,root", "Flags=USER_DELETE")
        if made[0]:
            self.lab.fail(f"no reservation: {made}")
        good = self.granted(relation, request("UPDATE", kind=4, remove=True, pairs=pairs("ReservationName=r")))
        self.lab.run("scontrol", "delete", "reservation", "r")
        return good

    def permit(self, relation):
        return "permit" in self.ask(relation, request("PERMIT", job_id=self.running))[1]

    def top(self, relation, param):
        """Two waiting jobs of alice's; the second goes before the first."""
        self.lab.set_conf("SchedulerParameters", param)
        jobs = [self.later() for _ in range(2)]
        return self.granted(relation, request("JOB_OP", op=7, jobs=[{"job": jobs[1]}]))

    def shutdown(self, relation):
        good = self.granted(relation, frame("SHUTDOWN"))
        if good:
            self.lab.procs[1].wait(60)
            self.lab.start_ctl(1)
            until(lambda: self.lab.run("sinfo", "-h")[0] == 0)
        return good

    def messages(self):
        """Right -> function that gives the message, or Several."""
        new = self.job
        return {
            "SUBMIT": lambda: submission({"hold": True}),
            "SUBMIT_AS": lambda: submission({"hold": True}, as_other=True, uid=ALICE, gid=ALICE),
            "SUBMIT_RAISED": Several(self.submit_raised),
            "STEP": lambda: request("STEP", job_id=new(), spec={"argv": ["true"], "ntasks": 1}),
            "JOB_DONE": lambda: request("JOB_DONE", job_id=new()),
            "CANCEL": lambda: request("CANCEL", jobs=[{"job": new()}]),
            "HOLD": lambda: request("JOB_OP", op=1, jobs=[{"job": new()}]),
            "HOLD_ADMIN": Several(self.hold_admin),
            "SUSPEND": lambda: request("JOB_OP", op=5, jobs=[{"job": new()}]),
            "TOP": Several(lambda relation: self.top(relation, "enable_user_top")),
            "TOP_ANY": Several(lambda relation: self.top(relation, "default_queue_depth=200")),
            "UPDATE_JOB": lambda: request("UPDATE", kind=0, pairs=pairs(f"JobId={new()}", "Comment=x")),
            "UPDATE_JOB_RAISED": lambda: request("UPDATE", kind=0, pairs=pairs(f"JobId={new()}", "AdminComment=x")),
            "UPDATE_STEP": lambda: request("UPDATE", kind=3, pairs=pairs(f"StepId={new()}.0", "TimeLimit=5")),
            "UPDATE_CLUSTER": lambda: request("UPDATE", kind=1, pairs=pairs("NodeName=n2", "Comment=x")),
            "DRAIN_NODE": lambda: request("UPDATE", kind=1, pairs=pairs("NodeName=n2", "State=DRAIN", "Reason=x")),
            "DELETE_RESV": Several(self.delete_resv),
            "WAIT": Several(self.wait),
            "SCRIPT": lambda: request("SCRIPT", job_id=new()),
            "WHY": lambda: request("WHY", job_id=new()),
            "DIAG_RESET": lambda: request("DIAG", reset=True),
            "CRED": lambda: request("CRED", nonce=os.urandom(16), use=1),
            "PERMIT": Several(self.permit),
            "PERMIT_ANY": lambda: request("PERMIT", no_job=True, node=["n1"]),
            "ASSOC_LOAD": lambda: request("ASSOC_LOAD", text="Cluster - 'fault'\n", only_check=True),
            "SHUTDOWN": Several(self.shutdown),
            "REGISTER": lambda: request("REGISTER", node="n2", boot_id="x"),
            "REPORT": lambda: request("REPORT", job_id=4000000, node_clean=True),
            "REPORTS": lambda: request("REPORTS", to="n2"),
        } | {name: (lambda name=name: frame(name)) for name in (
            "JOBS", "NODES", "CLUSTER", "PARTS", "RESVS", "LICENSES", "TOPOLOGY", "CONFIG", "STATUS", "PRIO", "DIAG",
            "ASSOC", "HISTORY", "RECONFIGURE", "TAKEOVER", "HEARTBEAT", "LAUNCH_REPLY", "FANOUT_REPLY")}


# Messages of a node that the controller need not answer: an agent has the right, that is all there is to see.
SILENT = {"HEARTBEAT", "LAUNCH_REPLY", "FANOUT_REPLY", "REPORT", "REPORTS"}


def table():
    rows = subprocess.run([SPURCTLD, "--permissions"], capture_output=True, text=True, check=True).stdout
    return [line.split(None, 4) for line in rows.splitlines()]


def walk_row(w, r, row, use):
    name, _, _, has, text = row
    for relation, peer in w.peers.items():
        want = relation in has.split(",")
        if isinstance(use, Several):
            got = use.does(relation)
        elif name in SILENT and relation == "agent":
            p = peer()
            p.s.settimeout(1)
            p.say(use())
            kind, reply = p.reply()
            got = kind != "FAILURE" or not codes(reply) & DENIED
            p.close()
        else:
            got = w.granted(relation, use())
        r.ok(got == want, f"{text} ({name}), {relation}: {'granted' if want else 'refused'}")


def main():
    r = Report()
    if os.geteuid():
        return r.skip("several users need root")
    enter_users()
    lab = Lab(nodes=2)
    try:
        lab.up()
        w = Walk(lab)
        uses, rows = w.messages(), table()
        r.ok(not {row[0] for row in rows} ^ set(uses), "every right of the table is walked, and no other: "
             f"{sorted({row[0] for row in rows} ^ set(uses))}")
        # A node that does not vouch for its user needs TLS: tests/unit/ctl/access.c walks this relation.
        relations = {one for row in rows for one in row[3].split(",")} - {"node"}
        r.ok(relations <= set(w.peers), f"by every relation of the table: {sorted(relations - set(w.peers))}")
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/ctl/request.c")) as f:
            taken = set(re.findall(r"\{ MSG_(\w+), CTL_", f.read()))
        r.ok(taken == {row[1] for row in rows}, f"every message of the controller has a right: "
             f"{sorted(taken ^ {row[1] for row in rows})}")
        for row in rows:
            if row[0] in uses:
                walk_row(w, r, row, uses[row[0]])
        r.ok(lab.job_state(w.running) == "RUNNING", "the job that all of them saw runs on")
        if r.failed:
            lab.fail("see above")
    finally:
        lab.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
