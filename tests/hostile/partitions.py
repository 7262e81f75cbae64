#!/usr/bin/env python3
"""Partitions that are not for everybody: AllowGroups, AllowAccounts, DenyAccounts, RootOnly, DisableRootJobs, and
MaxJobCount; at a submission and at an update, by the partition's name and by a list of names."""
import os
import re
import sys

from lab import ALICE, MALLORY, Lab, Report, enter_users

PARTS = """PartitionName=groups Nodes=ALL AllowGroups=secret
PartitionName=accounts Nodes=ALL AllowAccounts=physics
PartitionName=denied Nodes=ALL DenyAccounts=physics,chemistry
PartitionName=root Nodes=ALL RootOnly=YES
PartitionName=noroot Nodes=ALL DisableRootJobs=YES
"""
# user, partition, account, admitted
CASES = [
    (ALICE, "groups", "", True), (MALLORY, "groups", "", False), (0, "groups", "", True),
    (ALICE, "main,groups", "", True), (MALLORY, "main,groups", "", False), (MALLORY, "groups,main", "", False),
    (ALICE, "accounts", "physics", True), (ALICE, "accounts", "chemistry", False), (ALICE, "accounts", "", False),
    (ALICE, "denied", "biology", True), (ALICE, "denied", "chemistry", False), (ALICE, "denied", "physics", False),
    (ALICE, "root", "", False), (0, "root", "", True), (ALICE, "noroot", "", True), (0, "noroot", "", False),
]


def command(lab, uid, *argv):
    return lab.as_user(uid, *argv) if uid else lab.run(*argv)


def main():
    r = Report()
    if os.geteuid():
        return r.skip("several users need root")
    enter_users()
    lab = Lab(nodes=1, extra=PARTS)
    try:
        lab.up()
        for uid, part, account, admitted in CASES:
            asks = f"user {uid} in {part}{' as ' + account if account else ''}"
            options = ["-H", "-p", part, "--wrap", "true"] + (["-A", account] if account else [])
            rc, _, err = command(lab, uid, "sbatch", *options)
            r.ok((rc == 0) == admitted, f"{asks}: {'admitted' if admitted else 'refused'} {err.strip()}")
            rc, out, err = command(lab, uid, "sbatch", "--parsable", "-H", "--wrap", "true")
            pairs = [f"Partition={part}"] + ([f"Account={account}"] if account else [])
            rc, _, err = command(lab, uid, "scontrol", "update", f"JobId={out.strip()}", *pairs)
            r.ok((rc == 0) == admitted, f"{asks} by an update: {'admitted' if admitted else 'refused'} {err.strip()}")
        jobs = len(lab.run("squeue", "-h", "-o", "%A")[1].split())
        with open(lab.conf) as f:
            text = f.read()
        with open(lab.conf, "w") as f:
            f.write(re.sub(r"MaxJobCount=\d+", f"MaxJobCount={jobs + 2}", text))
        rc, _, err = lab.run("scontrol", "reconfigure")
        taken = [lab.as_user(ALICE, "sbatch", "-H", "--wrap", "true")[0] == 0 for _ in range(4)]
        r.ok(rc == 0 and taken == [True, True, False, False], f"MaxJobCount holds: {taken} {err}")
        if r.failed:
            lab.fail("see above")
    finally:
        lab.down()
    return r.done()


if __name__ == "__main__":
    sys.exit(main())
