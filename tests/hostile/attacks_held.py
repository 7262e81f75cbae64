"""Memory and time of the controller that a user takes: frames that are never finished, long texts, requests without
end."""
import os
import struct
import time

from attack import attack, is_refusal, refuses, reply_of, submission
from lab import ALICE
from wire import SCHEMA, frame

MB = 1 << 20


def send_until_blocked(p, block, seconds):
    """Bytes that the other side took."""
    sent, end = 0, time.time() + seconds
    p.s.settimeout(0.3)
    try:
        while time.time() < end:
            sent += p.s.send(block)
    except OSError:
        pass
    return sent


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
        p.say(*[submission({"hold": True, "comment": os.urandom(8).hex() * 25}) for _ in range(20)])
        for _ in range(20):
            kind, reply = reply_of(p)
            taken += kind == "SUBMIT_REPLY" and bool(reply.get("job_id"))
            slowed += is_refusal(kind, reply)
    p.close()
    return [(taken > 0, f"{taken} jobs taken, {slowed} refused")]


@attack("9")
def frames_never_finished(lab):
    """Sixteen frames of 50 MB of which the last byte does not come."""
    held = []
    for _ in range(16):
        p = lab.user(timeout=5)
        p.say(struct.pack("<IHHQ", 50 * MB, SCHEMA.types["SUBMIT"][0], 0, 1))
        send_until_blocked(p, b"\0" * MB, 0.4)
        held.append(p)
    time.sleep(0.3)
    for p in held:
        p.close()
    return [(True, "sixteen unfinished frames of 50 MB")]


@attack("9")
def long_texts(lab):
    """A comment of 6 MB, and other texts of a specification."""
    text = "x" * (6 * MB)
    return [one for field in ("comment", "name", "submit_line", "workdir", "extra", "constraint")
            for one in refuses(lab, f"6 MB of {field}", submission({field: text}))]


@attack("9")
def long_argv(lab):
    return refuses(lab, "200,000 words of a command line", submission({"argv": ["x" * 20] * 200000}))


@attack("10")
def many_dependencies(lab):
    job = lab.submit(ALICE, "-H")
    return refuses(lab, "60,001 dependencies", submission({"dependency": "afterok:" + ":".join([str(job)] * 60001)}),
                   submission({"dependency": ",".join([f"after:{job}+{n}" for n in range(60001)])}))
