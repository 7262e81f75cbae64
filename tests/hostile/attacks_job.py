"""Attacks on another user's jobs, and messages that are not a user's."""
import os
import time

from attack import CANARY, attack, refuses, submission
from lab import ALICE, until
from wire import SCHEMA, frame, request


# ---- 1: another user's job ----
@attack("1")
def wait_for_a_pending_srun(lab):
    srun = lab.background(ALICE, "srun", "--begin=now+1hour", "-J", "waits", "env", env={"SECRET": CANARY})
    job = until(lambda: lab.run("squeue", "-h", "-n", "waits", "-o", "%A")[1].strip())
    out = refuses(lab, "waiting for another user's pending srun", request("WAIT", job_id=[int(job)], start=True),
                  request("WAIT", job_id=[int(job)]),
                  request("WAIT", job_id=[int(job)], start=True, key=os.urandom(16)),
                  request("WAIT", job_id=[int(job)], start=True, key=b""))
    time.sleep(0.3)
    out.append((lab.job_state(job) == "PENDING" and srun.poll() is None, "the srun still waits when the attacker has "
                                                                         "hung up"))
    refused = refuses(lab, "a false key", request("WAIT", job_id=[int(job)], start=True, key=os.urandom(16)))
    p = lab.user(ALICE)
    p.say(request("WAIT", job_id=[int(job)], start=True, key=os.urandom(16)))
    time.sleep(0.2)
    p.close()
    time.sleep(0.3)
    out.append((refused[0][0] and lab.job_state(job) == "PENDING", "a wrong key of the job's own user gives up "
                                                                   "nothing either"))
    lab.run("scancel", job)
    srun.wait(60)
    return out


@attack("1")
def read_a_running_job(lab):
    """Nothing of its environment, script or terminal token, by any question."""
    job = lab.submit(ALICE, "-J", "reads", script=f"#!/bin/sh\n# {CANARY}\nsrun sleep 1000\n", env={"SECRET": CANARY})
    lab.runs(job)
    step = until(lambda: lab.run("squeue", "-h", "-s", "-j", str(job), "-o", "%i")[1].count(f"{job}.0"))
    seen, steps = b"", []
    for one in (request("WAIT", job_id=[job], start=True), request("SCRIPT", job_id=job),
                request("SCRIPT", job_id=job, env=True), request("JOBS", job=[job], steps=True, detail=True),
                request("PERMIT", job_id=job), request("STEP", job_id=job, spec={"argv": ["env"], "ntasks": 1}),
                request("WHY", job_id=job)):
        p = lab.user(timeout=5)
        p.say(one)
        kind, body = p.read()
        seen += body
        if kind == "JOBS_REPLY":
            steps += [s for j in SCHEMA.decode("JobList", body).get("jobs", []) for s in j.get("steps", [])]
        p.close()
    return [(step and CANARY.encode() not in seen, "no question gets its environment or script"),
            (steps and not any(s.get("spec", {}).get("io", {}).get("token") for s in steps),
             f"nor the token of its streams ({len(steps)} steps seen)"),
            (lab.job_state(job) == "RUNNING", "the job runs on")]


@attack("1")
def change_another_users_job(lab):
    """Every message that changes a job, on a job of another user."""
    job = lab.submit(ALICE, "--comment", "mine", "-J", "mine", script="#!/bin/sh\nsrun sleep 1000\n")
    held, later = lab.submit(ALICE, "-H"), lab.submit(ALICE, "--begin=now+1hour")
    lab.runs(job)
    until(lambda: lab.run("squeue", "-h", "-s", "-j", str(job), "-o", "%i")[1].count(f"{job}.0"))
    before = [lab.describe(j) for j in (job, held, later)]
    ref = {"job": job}
    frames = [request("CANCEL", jobs=[ref]), request("CANCEL", jobs=[ref], signal=9, full=True),
              request("CANCEL", jobs=[{**ref, "has_step": True, "step": 0x7FFFFFFB}]),
              request("STEP", job_id=job, spec={"argv": ["id"], "ntasks": 1}),
              request("JOB_DONE", job_id=job, exit_code=0),
              request("UPDATE", kind=3, pairs=[{"key": "StepId", "value": f"{job}.0", "op": "="},
                                               {"key": "TimeLimit", "value": "1", "op": "="}])]
    frames += [request("JOB_OP", op=op, jobs=[{"job": j}]) for op in SCHEMA.enums["JobOp"].values()
               for j in (job, held, later)]
    frames += [request("UPDATE", kind=0, pairs=[{"key": "JobId", "value": str(job), "op": "="},
                                                {"key": key, "value": value, "op": "="}])
               for key, value in (("Comment", "yours"), ("TimeLimit", "1"), ("JobName", "yours"), ("Priority", "0"),
                                  ("Nice", "100"), ("Requeue", "0"), ("ReqNodeList", "n2"), ("UserID", "mallory"))]
    out = refuses(lab, f"{len(frames)} changes to another user's job", *frames)
    p = lab.user()
    kind, reply = p.ask("CANCEL", filter={"uid": [ALICE]}, by_filter=True)
    out.append((not any(r.get("code", 0) == 0 for r in reply.get("results", [])), "nor by a filter"))
    kind, reply = p.ask("PERMIT", job_id=job)
    out.append(("permit" not in reply, "nor is a permit for files signed"))
    p.close()
    out.append(([lab.describe(j) for j in (job, held, later)] == before, "nothing of them has changed"))
    return out


@attack("1")
def administer(lab):
    """Messages for administrators, agents and controllers from a user."""
    node = [{"key": "NodeName", "value": "n1", "op": "="}, {"key": "State", "value": "DRAIN", "op": "="},
            {"key": "Reason", "value": "x", "op": "="}]
    part = [{"key": "PartitionName", "value": "main", "op": "="}, {"key": "State", "value": "DOWN", "op": "="}]
    resv = [{"key": k, "value": v, "op": "="} for k, v in (("StartTime", "now"), ("Duration", "60"), ("Nodes", "n1"),
                                                           ("Users", "mallory"))]
    frames = [frame("RECONFIGURE"), frame("SHUTDOWN"), frame("TAKEOVER"), request("UPDATE", kind=1, pairs=node),
              request("UPDATE", kind=2, pairs=part), request("UPDATE", kind=4, pairs=resv, create=True),
              request("DIAG", reset=True),
              request("ASSOC_LOAD", text="Cluster - 'fault'\nUser - 'mallory':AdminLevel='Administrator'\n"),
              request("PERMIT", no_job=True, node=["n1"]), request("REGISTER", node="n1", boot_id="x"),
              frame("HEARTBEAT"), request("LAUNCH_REPLY", job_id=1), request("REPORT", job_id=1, node_clean=True),
              request("REPORTS", to="n1"), frame("FANOUT_REPLY"), request("KILL", job_id=1, signal=9),
              request("LAUNCH"), request("FANOUT", to="n1"),
              submission(as_other=True, uid=0, gid=0), submission(as_other=True, uid=ALICE, gid=ALICE)]
    out = refuses(lab, f"{len(frames)} messages that are not a user's", *frames)
    rc, text, _ = lab.run("sinfo", "-h", "-N", "-o", "%t")
    out.append((rc == 0 and set(text.split()) <= {"idle", "mix", "alloc"},
                f"the nodes are as they were: {text.split()}"))
    return out
