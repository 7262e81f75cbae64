#!/usr/bin/env python3
"""Valid but hostile: an ordinary user with a good identity attacks, one row after the other, while another user's
squeue and sbatch are timed and the controller's memory is watched.  Words: only these attacks.

The numbers are those of the report that found them: README.md says what each was."""
import argparse
import os
import sys
import time

import attacks_fields  # noqa: F401
import attacks_held  # noqa: F401
import attacks_job  # noqa: F401
import attacks_node  # noqa: F401
import attacks_size  # noqa: F401
from attack import ROWS
from lab import ALICE, Bystander, Lab, Report, enter_users, open_memory, sanitized, status_kb

SLOW_S = 0.1        # the slowest answer to the bystander, on a machine that does nothing else
MORE_MB = 160       # the controller's peak over its memory before the attack


# ---- the table ----
def measure(lab, r, rows):
    """Runs each attack beside a bystander; prints the table at the end."""
    factor = 4 if sanitized() else 1
    pid = lab.procs[1].pid
    with Bystander(lab, ALICE) as calm:
        time.sleep(3)
    every = sorted(t for times in calm.took.values() for t in times)
    usual = every[min(len(every) - 1, len(every) * 99 // 100)]
    table = []
    for point, f in rows:
        lab.cancel_all()
        open_memory(pid)
        before = status_kb(pid, "VmRSS") >> 10
        begun = time.time()
        with Bystander(lab, ALICE) as b:
            outcome = f(lab)
            lasted = time.time() - begun
        name = f.__name__.replace("_", " ")
        for good, what in outcome:
            r.ok(good, f"{point}: {what}")
        peak = status_kb(pid, "VmHWM") >> 10 if lab.procs[1].poll() is None else 0
        limit = max(SLOW_S, 5 * usual) + b.pause
        r.ok(lab.procs[1].poll() is None and not b.failed, f"{point}: {name}: others are served {b.failed[:2]}")
        r.ok(b.slowest() <= limit, f"{point}: {name}: within {b.slowest() * 1000:.0f} ms (limit {limit * 1000:.0f})")
        r.ok(peak - before <= MORE_MB * factor, f"{point}: {name}: memory grew by {peak - before} MB")
        table.append((point, name, b, before, peak, lasted))
        if lab.procs[1].poll() is not None:
            lab.fail("the controller has ended")
    print(f"# others without an attack: p99 {usual * 1000:.0f} ms; pause: of the machine itself")
    print("# point  squeue ms  sbatch ms  pause ms  peak MB  grew MB  lasted s  attack")
    for point, name, b, before, peak, lasted in table:
        print("# %5s %10.0f %10.0f %9.0f %8d %8d %9.1f  %s" % (point, max(b.took["squeue"]) * 1000,
                                                        max(b.took["sbatch"]) * 1000, b.pause * 1000, peak,
                                                        peak - before, lasted, name))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("only", nargs="*")
    only = args.parse_args().only
    r = Report()
    if os.geteuid():
        return r.skip("several users need root")
    enter_users()
    lab = Lab(nodes=2, prefix={1: ["prlimit", "--nofile=400:400"]})  # few descriptors: an attack uses them up
    try:
        lab.up()
        measure(lab, r, [row for row in ROWS if not only or row[1].__name__ in only])
        if r.failed:
            lab.fail("see above")
    finally:
        lab.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
