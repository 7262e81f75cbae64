"""Steps that are made to hurt a node: sockets of other users, environments and layouts that a supervisor must survive.
Most are what advisories of other schedulers describe; docs/security.md says which."""
import os
import socket

from attack import attack, is_refusal
from lab import MALLORY, until

KB = 1 << 10


def agents_stand(lab):
    return all(lab.procs[node].poll() is None for node in lab.nodes), "the agents stand"


def own_job(lab, *options):
    job = lab.submit(MALLORY, *options)
    lab.runs(job)
    return job


@attack("CVE")
def sockets_of_others(lab):
    """A step whose streams go to a Unix socket that its user may not open: root's processes do not open it either."""
    path = f"{lab.dir}/etc/private.sock"
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    os.chmod(path, 0o600)
    s.listen(8)
    s.settimeout(2)
    job = own_job(lab)
    p = lab.user()
    p.ask("STEP", job_id=job, spec={"argv": ["true"], "ntasks": 1, "overlap": True,
                                    "io": {"unix_path": path, "token": os.urandom(16)}})
    p.close()
    p = lab.node_user()
    p.ask("ATTACH", job_id=job, step_id=0x7FFFFFFB, io={"unix_path": path, "token": os.urandom(16)})
    p.close()
    came = []
    try:
        came.append(s.accept())
    except socket.timeout:
        pass
    s.close()
    os.unlink(path)
    return [(not came, "no process of a node opened another user's socket"), agents_stand(lab)]


@attack("CVE")
def oversized_environment(lab):
    """Names and values that are longer than any buffer, options of plugins that are not there."""
    long = {f"_SLURM_SPANK_OPTION_x_{i}": "A" * (100 * KB) for i in range(8)}
    out = []
    for env in (long, {"SLURM_" + "N" * (60 * KB): "x"}, {"SPANK_x": "%s%n" * 1000, "LD_PRELOAD": "/nowhere.so"}):
        job = lab.submit(MALLORY, "--export=ALL", script="#!/bin/sh\ntrue\n", env=env)
        done = until(lambda: lab.job_state(job) in ("COMPLETED", "FAILED"))
        out.append((done, f"a job with {sum(map(len, env.values())) >> 10} kB in {len(env)} variables ends"))
    return out + [agents_stand(lab)]


@attack("CVE")
def arbitrary_steps(lab):
    """Layouts that contradict themselves: nodes and tasks that are not there, counts that differ."""
    job = own_job(lab, "-N2", "-n4")
    out = []
    for spec in ({"hosts": "n1,n2,n1", "ntasks": 1, "nodes": 1}, {"hosts": "n1", "ntasks": 4, "nodes": 2},
                 {"hosts": "n[1-4000000]", "ntasks": 2}, {"hosts": "n3,n4", "ntasks": 2},
                 {"hosts": "block{x}", "ntasks": 2}, {"hosts": "n1," * 20000, "ntasks": 20000, "overcommit": True},
                 {"nodelist": "n2", "exclude": "n2", "ntasks": 1}, {"nodes": 3, "max_nodes": 1, "ntasks": 9},
                 {"relative": 4294967295, "ntasks": 1, "nodes": 1}):
        p = lab.user(timeout=5)
        got = p.ask("STEP", job_id=job, spec={"argv": ["true"], "distribution": "arbitrary", "overlap": True, **spec})
        p.close()
        out.append((is_refusal(*got) or (got[0] == "STEP_REPLY" and set(got[1]["step"].get("nodes", "").split(","))
                                         <= {"n1", "n2", "n[1-2]"}), f"a step with {str(spec)[:60]}: {got[0]}"))
    return out + [agents_stand(lab)]
