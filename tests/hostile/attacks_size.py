"""Messages that are small on the wire and cost much memory or time: nested, repeated, multiplied."""
from attack import attack, is_refusal, nested, refuses, reply_of, submission
from lab import MALLORY
from wire import data, frame, request, varint


# ---- 2, 5, 9, 10: small on the wire, large inside ----
@attack("2")
def nested_messages(lab):
    return refuses(lab, "10,000 levels of components", frame("SUBMIT", nested(11, 10000)),
                   frame("STEP", nested(4, 10000)))


@attack("5")
def four_billion_tasks(lab):
    wide = {"min_nodes": 2, "max_nodes": 2, "overcommit": True}
    out = refuses(lab, "-N2 -O -n 4294967294", submission({"ntasks": 4294967294, **wide}),
                  submission({"ntasks": 65537, "cpus_per_task": 65536}))
    job = lab.submit(MALLORY, "-N1")
    lab.runs(job)
    p = lab.user()
    p.say(request("STEP", job_id=job, spec={"argv": ["true"], "ntasks": 4294967294, "overcommit": True, "nodes": 1}))
    out.append((is_refusal(*reply_of(p)), "a step of so many tasks: refused"))
    p.close()
    return out


@attack("9")
def many_references(lab):
    return refuses(lab, "4 million empty references in a cancellation", frame("CANCEL", data(1, b"") * 4000000),
                   frame("JOB_OP", data(2, b"") * 4000000))


@attack("10")
def many_users_in_a_query(lab):
    return refuses(lab, "3 million users in a query", frame("JOBS", data(2, b"\x01" * 3000000)),
                   frame("JOBS", (varint(2 << 3) + b"\x01") * 3000000), frame("PRIO", data(2, b"\x01" * 3000000)))
