#!/usr/bin/env python3
"""The usage of a job is known in the end, also when its node's daemon died and was started again; meanwhile sstat and
sattach still get usage and streams."""
import os
import subprocess
import sys
import time

from cluster import SPUR, Cluster, Report
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../hostile"))
from wire import CLIENT, Peer, cred, fields, request  # noqa: E402

USAGE = 63
BURN = """while read -r s </proc/$$/stat; set -- ${s#*) }; [ $((${12} + ${13})) -lt 60 ]; do \
for i in 1 2 3 4 5 6 7 8 9; do :; done; done
dd if=/dev/zero of=/dev/null bs=1M count=50 2>/dev/null
"""


def job_usage(c, job):
    """{field: number} of the job's record: 1 user_us, 2 sys_us, 3 max_rss_kb, 5 read, 6 written."""
    with open(c.dir + "/etc/spur.key", "rb") as f:
        key = f.read()
    p = Peer(c.ports[0])
    p.hello(cred(key, p.nonce, CLIENT))
    p.say(request("JOBS", job=[job], with_done=True))
    kind, body = p.read()
    assert kind == "JOBS_REPLY"
    return fields(fields(fields(body).get(1, b"")).get(USAGE, b""))


def until(what, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        got = what()
        if got:
            return got
        time.sleep(0.1)
    return what()


def main():
    r = Report()
    c = Cluster(nodes=2, transport="plain")  # job_usage() reads raw frames
    for name in ("sstat", "sattach", "salloc"):
        os.symlink(SPUR, f"{c.dir}/bin/{name}")
    go = c.dir + "/work/go"

    def text(name):
        try:
            with open(f"{c.dir}/work/{name}") as f:
                return f.read()
        except OSError:
            return ""
    try:
        c.up()
        with open(c.dir + "/work/burn.sh", "w") as f:
            f.write("#!/bin/bash\n" + BURN + f"echo burnt\nuntil [ -e {go} ]; do echo beat; sleep 0.1; done\n"
                    "echo over\n")
        os.chmod(c.dir + "/work/burn.sh", 0o755)
        rc, out, err = c.run("sbatch", "--parsable", "-N2", "-o", "job.out", "--wrap",
                             "srun -n2 --ntasks-per-node=1 ./burn.sh")
        job = int(out)

        def row(fieldset):
            return c.run("sstat", "-n", "-P", "-j", f"{job}.0", "-o", fieldset)[1].strip()
        until(lambda: text("job.out").count("burnt") == 2)
        before = row("jobid,ntasks")
        for n in ("n1", "n2"):
            c.kill(n)
        r.ok(row("jobid") == "", "no daemon, no answer")
        for n in ("n1", "n2"):
            c.start_node(n)
        r.ok(until(lambda: row("jobid,ntasks") == before), "the daemons are back, and usage is told again")
        with open(f"{c.dir}/work/attached", "w") as f:
            att = subprocess.Popen([f"{c.dir}/bin/sattach", "-l", f"{job}.0"], stdin=subprocess.DEVNULL, stdout=f,
                                   stderr=subprocess.STDOUT, env=c.env)
        until(lambda: "0: beat" in text("attached") and "1: beat" in text("attached"))
        open(go, "w").close()
        code = att.wait(90)
        out = text("attached")
        r.ok(code == 0 and sorted(l for l in out.splitlines() if "over" in l) == ["0: over", "1: over"],
             "an sattach that is started then sees the rest")
        until(lambda: not c.run("squeue", "-h")[1].strip())
        used = job_usage(c, job)
        r.ok(used.get(1, 0) + used.get(2, 0) > 1100000,
             f"two tasks' CPU time is in the record ({used.get(1, 0) + used.get(2, 0)} us)")
        r.ok(used.get(3, 0) > 500, "and the most memory that one had")
        r.ok(used.get(5, 0) > 100 << 20, "and what they read, all of it")

        # A job that is cancelled has used something, too.
        rc, out, _ = c.run("sbatch", "--parsable", "-o", "job2.out", "--wrap", BURN + "echo burnt; sleep 100")
        job = int(out)
        until(lambda: "burnt" in text("job2.out"))
        c.run("scancel", str(job))
        until(lambda: not c.run("squeue", "-h")[1].strip())
        used = job_usage(c, job)
        r.ok(used.get(1, 0) + used.get(2, 0) > 550000,
             f"so has one that was cancelled ({used.get(1, 0) + used.get(2, 0)} us)")

        # After a restart of the controller it is still known.
        c.kill(1)
        c.start_ctl(1)
        until(lambda: c.run("sinfo", "-h", "-o", "%t")[1].strip() == "idle")
        again = job_usage(c, job)
        r.ok(again == used and again, "and it is the same after a restart of the controller")
    finally:
        c.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
