"""big - a task that speaks PMI-1: puts more than one message holds, and reads what all the others put."""
import os
import socket

COUNT, LENGTH = 100, 1000
sock = socket.socket(fileno=int(os.environ["PMI_FD"]))
lines = sock.makefile("r")
rank, size = int(os.environ["PMI_RANK"]), int(os.environ["PMI_SIZE"])


def ask(line):
    sock.sendall(line.encode() + b"\n")
    return dict(word.split("=", 1) for word in lines.readline().split())


def value(r, i):
    return f"{r}-{i}-".ljust(LENGTH, "x")


ask("cmd=init pmi_version=1 pmi_subversion=1")
space = ask("cmd=get_my_kvsname")["kvsname"]
for i in range(COUNT):
    assert ask(f"cmd=put kvsname={space} key={rank}-{i} value={value(rank, i)}")["rc"] == "0"
assert ask("cmd=barrier_in") == {"cmd": "barrier_out", "rc": "0"}
wrong = sum(ask(f"cmd=get kvsname={space} key={r}-{i}").get("value") != value(r, i) for r in range(size)
            for i in range(COUNT))
assert ask("cmd=barrier_in")["rc"] == "0"
ask("cmd=finalize")
print(f"{wrong} wrong of {size * COUNT}")
