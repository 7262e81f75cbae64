"""The list of attacks, and words to write one with."""
import os

from lab import MALLORY
from wire import SCHEMA, data, encode, request

CANARY = "CANARY-4f1c"
ROWS = []  # (point of the report, function that returns [(good, what)])


def attack(point):
    def keep(f):
        ROWS.append((point, f))
        return f
    return keep


def reply_of(p):
    """(type, decoded reply), after what was said."""
    kind, body = p.read()
    return kind, SCHEMA.decode(SCHEMA.types[kind][1], body) if kind in SCHEMA.types else {}


def is_refusal(kind, reply):
    return (kind in (None, "FAILURE") or (kind == "DONE" and reply.get("code", 0) != 0) or
            (kind == "SUBMIT_REPLY" and reply.get("code", 0) != 0 and not reply.get("job_id")) or
            (kind in ("CANCEL_REPLY", "JOB_OP_REPLY") and all(r.get("code") for r in reply.get("results", []))))


def refuses(lab, what, *frames, uid=MALLORY):
    """The controller refuses each of these frames."""
    for one in frames:
        p = lab.user(uid)
        p.say(one)
        kind, reply = reply_of(p)
        p.close()
        if not is_refusal(kind, reply):
            return [(False, f"{what}: answered by {kind} {str(reply)[:300]}")]
    return [(True, f"{what}: refused")]


def submission(spec=b"", **more):
    spec = spec if isinstance(spec, bytes) else encode("JobSpec", **spec)
    return request("SUBMIT", key=os.urandom(16), spec=encode("JobSpec", name="x", workdir="/") + spec,
                   script="#!/bin/sh\nsleep 60\n", **more)


def nested(field, levels):
    inner = b""
    for _ in range(levels):
        inner = data(field, inner)
    return inner
