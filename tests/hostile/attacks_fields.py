"""Fields of a submission that are not a user's to set, products that wrap, identities in bodies."""
import os

from attack import attack, is_refusal, refuses, reply_of, submission
from lab import ALICE, MALLORY
from wire import SCHEMA, request


@attack("12")
def administrators_fields(lab):
    return [one for field, value in (("site_factor", 2000000), ("site_factor", -5), ("admin_comment", "x"),
                                     ("system_comment", "x"))
            for one in refuses(lab, f"a submission with {field}={value}", submission({field: value}))]


@attack("12")
def own_priority(lab):
    out = []
    job = lab.submit(MALLORY, "-H")
    pairs = [{"key": "JobId", "value": str(job), "op": "="}]
    for key, value in (("Priority", "4294967290"), ("SiteFactor", "1000"), ("AdminComment", "x"),
                       ("SystemComment", "x"), ("Nice", "-100")):
        out += refuses(lab, f"scontrol update {key}={value} of one's own job",
                       request("UPDATE", kind=0, pairs=pairs + [{"key": key, "value": value, "op": "="}]))
    p = lab.user()
    p.say(submission({"nice": -1000, "hold": True}), submission({"has_priority": True, "priority": 4000000000,
                                                                 "hold": True}))
    for what in ("a nice below 0", "a priority"):
        kind, reply = reply_of(p)
        if not is_refusal(kind, reply):
            said = lab.run("scontrol", "-o", "show", "job", str(reply["job_id"]))[1]
            out.append(("Nice=-" not in said and "Priority=4000000000" not in said, f"{what} in a submission counts "
                                                                                    "for nothing"))
        else:
            out.append((True, f"{what} in a submission: refused"))
    p.close()
    return out


@attack("13")
def products_that_wrap(lab):
    """Memory that is 0, and so without a limit, modulo 2^64."""
    return refuses(lab, "memory times GPUs, CPUs, tasks over 2^64",
                   submission({"mem_per_gpu_mb": 1 << 62, "gpus": "4"}),
                   submission({"mem_per_cpu_mb": 1 << 62, "ntasks": 4}),
                   submission({"mem_per_cpu_mb": 1 << 63, "cpus_per_task": 2}),
                   submission({"mem_per_node_mb": (1 << 64) - 1}))


@attack("12")
def owners_limits(lab):
    """What an owner may not do to a job of one's own: more time while it runs, suspend, resume."""
    job = lab.submit(MALLORY, "-t", "10")
    lab.runs(job)
    pairs = [{"key": "JobId", "value": str(job), "op": "="}]
    out = refuses(lab, "more time for one's own running job",
                  request("UPDATE", kind=0, pairs=pairs + [{"key": "TimeLimit", "value": "600", "op": "="}]),
                  request("UPDATE", kind=0, pairs=pairs + [{"key": "TimeLimit", "value": "5", "op": "+="}]))
    out += refuses(lab, "suspend and resume", *[request("JOB_OP", op=SCHEMA.enums["JobOp"][op], jobs=[{"job": job}])
                                                for op in ("OP_SUSPEND", "OP_RESUME")])
    limit = lab.run("squeue", "-h", "-j", str(job), "-o", "%l %T")[1].strip()
    out.append((limit == "10:00 RUNNING", f"the job runs with its limit: {limit}"))
    return out


@attack("13")
def chosen_step_ids(lab):
    """Numbers of steps come from the controller, those of the node's own scripts above all."""
    job = lab.submit(MALLORY, "-N1")
    lab.runs(job)
    out = []
    p = lab.user(timeout=10)
    for number in (SCHEMA.enums["StepNumber"]["STEP_PROLOG"], SCHEMA.enums["StepNumber"]["STEP_BATCH"], 77):
        kind, reply = p.ask("STEP", job_id=job, spec={"argv": ["true"], "ntasks": 1, "overlap": True,
                                                      "het": {"job_id": job, "step_id": number, "parts": 2}})
        got = reply.get("step", {}).get("id", 0)
        out.append((is_refusal(kind, reply) or got != number,
                    f"a step does not get the number {number} ({kind} {got})"))
    p.close()
    return out


@attack("13")
def node_reports_of_a_user(lab):
    """Reports, orders and false names at a node's port."""
    job = lab.submit(ALICE)
    lab.runs(job)
    out = []
    for kind, values in (("REPORT", {"job_id": job, "node_clean": True}), ("REPORTS", {"to": "n1"}),
                         ("KILL", {"job_id": job, "attempt": 1, "terminate": True}), ("FANOUT", {"to": "n1"}),
                         ("LAUNCH", {}), ("STAT", {"job_id": job, "pids": True}), ("BCAST_AS", {"uid": 0}),
                         ("ATTACH", {"job_id": job, "step_id": 0x7FFFFFFB, "io": {"unix_path": "/tmp/x"}}),
                         ("CRED", {"nonce": os.urandom(16), "use": 2}), ("CRED", {"nonce": os.urandom(16), "use": 3})):
        p = lab.node_user()
        p.say(request(kind, **values))
        got = reply_of(p)
        p.close()
        out.append((is_refusal(*got), f"{kind} of a user at a node: refused"))
    out.append((lab.job_state(job) == "RUNNING", "and the job runs on"))
    return out
