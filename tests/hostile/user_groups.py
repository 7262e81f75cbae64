#!/usr/bin/env python3
"""A process that acts for a user has the user's groups, all of them and no other: tasks, output files, received files.
And a script with a second link is not written through it."""
import os
import re
import sys

from lab import ALICE, GROUPS, MALLORY, Lab, Report, enter_users, until

HERS = sorted([ALICE, GROUPS["brew"], GROUPS["secret"]])


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def groups_in(text):
    return sorted({int(word) for word in text.split() if word.isdigit()})


def submit_wait(lab, uid, script, *options):
    """The job's end: its state."""
    rc, out, err = lab.as_user(uid, "sbatch", "--parsable", *options, text="#!/bin/bash\n" + script)
    if rc:
        lab.fail(f"sbatch: {err}")
    job = out.strip()
    until(lambda: lab.job_state(job) not in ("PENDING", "RUNNING", "CONFIGURING", "COMPLETING"))
    return lab.job_state(job)


def main():
    r = Report()
    if os.geteuid():
        return r.skip("several users need root")
    enter_users()
    lab = Lab(nodes=1)
    os.setgroups([0])  # the daemons have a group that a job must not have
    folders = {}
    for name, gid in (("hers", GROUPS["secret"]), ("roots", 0)):
        folders[name] = f"{lab.dir}/{name}"
        os.mkdir(folders[name])
        os.chown(folders[name], 0, gid)
        os.chmod(folders[name], 0o770)
    hers, roots = folders["hers"], folders["roots"]
    try:
        lab.up()
        with open("/proc/%d/status" % lab.procs["n1"].pid) as f:
            daemon = next(line.split()[1:] for line in f if line.startswith("Groups:"))
        r.ok(daemon == ["0"], f"the daemon has another group: {daemon}")
        out = f"{lab.dir}/work/groups"
        submit_wait(lab, ALICE, "id -G; srun -n1 id -G; srun --overlap -n2 id -G", "-n2", "-o", out)
        text = read(out)
        r.ok(len(text.splitlines()) == 4, f"a batch script and three tasks say their groups: {text!r}")
        r.ok(all(groups_in(line) == HERS for line in text.splitlines()), f"each has the user's {HERS}")
        rc, text, err = lab.as_user(ALICE, "script", "-qec", f"{lab.dir}/bin/srun --pty id -G", "/dev/null")
        text = re.sub(r"\^[@D]\x08*", "", text)  # the end of input, as `script` hands it on and a terminal echoes it
        r.ok(groups_in(text) == HERS, f"so has a task with a terminal: {text!r} {err}")

        submit_wait(lab, ALICE, "echo here", "-o", f"{hers}/batch", "-e", f"{hers}/batch.err")
        r.ok(read(f"{hers}/batch") == "here\n", "an output file in a folder of the user's group is opened")
        submit_wait(lab, ALICE, f"srun -o {hers}/step echo there; srun -o {roots}/step echo there", "-o", "/dev/null")
        r.ok(read(f"{hers}/step") == "there\n", "so is that of a step")
        submit_wait(lab, ALICE, "echo here", "-o", f"{roots}/batch")
        submit_wait(lab, MALLORY, "echo here", "-o", f"{hers}/mallory")
        r.ok(not os.listdir(roots), f"none in a folder of the daemon's group: {os.listdir(roots)}")
        r.ok("mallory" not in os.listdir(hers), "nor does a user without the group get in")

        submit_wait(lab, ALICE, f"for d in {hers} {roots}; do sbcast /etc/hostname $d/sent; done", "-o", "/dev/null")
        r.ok(read(f"{hers}/sent") == read("/etc/hostname") != "", "a file is sent to a folder of the user's group")
        r.ok(not os.listdir(roots), "and not to one of the daemon's group")

        # the script of a job, kept by a second link
        link = f"{lab.dir}/work/link"
        submit_wait(lab, ALICE, f"# first\nln -L /proc/$$/fd/255 {link}", "-o", "/dev/null")
        first = read(link)
        for n in range(3):
            submit_wait(lab, ALICE, f"# later {n}\ntrue", "-o", "/dev/null")
        r.ok("# first" in first and read(link) == first, f"a later job does not write through a link: {read(link)!r}")
        if r.failed:
            lab.fail("see above")
    finally:
        lab.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
