"""Time of the controller that a user takes: texts that are long to read, requests without end."""
import os
import time

from attack import attack, is_refusal, refuses, reply_of, submission
from wire import frame


@attack("10")
def long_array_text(lab):
    """The text of an array that takes long to read."""
    text = ",".join(["0-4000000"] * 200)
    return refuses(lab, "--array=0-4000000 two hundred times", submission({"array": text}),
                   submission({"array": "0-4294967294"}),
                   submission({"array": ",".join(str(n) for n in range(300000))}))


@attack("10")
def requests_without_end(lab):
    """Twelve connections that ask as fast as they can."""
    peers = [lab.user(timeout=2) for _ in range(12)]
    end = time.time() + 3
    kinds = ("JOBS", "NODES", "CLUSTER", "PRIO", "DIAG", "CONFIG")
    answers = 0
    while time.time() < end:
        for i, p in enumerate(peers):
            p.say(frame(kinds[i % len(kinds)]))
        for p in peers:
            answers += p.reply()[0] is not None
    for p in peers:
        p.close()
    return [(answers > 0, f"{answers} answers in 3 s")]


@attack("10")
def submissions_without_end(lab):
    """A user submits, holds, cancels as fast as one connection takes it."""
    p = lab.user(timeout=10)
    end, taken, slowed = time.time() + 3, 0, 0
    while time.time() < end:
        p.say(*[submission({"hold": True, "comment": os.urandom(8).hex() * 100}) for _ in range(20)])
        for _ in range(20):
            kind, reply = reply_of(p)
            taken += kind == "SUBMIT_REPLY" and bool(reply.get("job_id"))
            slowed += is_refusal(kind, reply)
    p.close()
    return [(taken > 0, f"{taken} jobs taken, {slowed} refused")]
