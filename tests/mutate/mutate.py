#!/usr/bin/env python3
"""Mutation tests: each block of `mutations` changes one line of the source; the test that it names must then fail.

    mutate.py [--sample N [--seed S]] [--kind unit,...] [NAME...]   all, or so many at random, or these
    mutate.py --check                                               every block finds its line exactly once

A copy of the tree is built once (with ccache where it is installed), then changed, built and tested one mutation at a
time.  A mutation whose text is not found exactly once, that does not build, or that its test does not notice is a
failure.  Each named test must pass in the unchanged copy.  BUILD_DIR: keep the copy there for the next run.

A block of `mutations`, which end at an empty line:

    NAME: what is no longer true
    FILE
    - the text to be replaced, within one line
    + the text that replaces it
    KIND ARGUMENT...

Kinds: `unit NAME` (a test of meson), `cmd NAME` (tests/cmd), `hostile NAME ARGUMENT...` (tests/hostile/NAME.py),
`fault NAME` (tests/fault/NAME.py)."""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
DAEMONS = ["src/cli/spur", "src/ctl/spurctld", "src/node/spurd", "src/step/spurstepd"]


class Mutation:
    def __init__(self, block):
        lines = block.split("\n")
        if len(lines) != 5 or not lines[2].startswith("- ") or not lines[3].startswith("+ ") or ": " not in lines[0]:
            sys.exit(f"not a mutation:\n{block}")
        self.name, self.what = lines[0].split(": ", 1)
        self.file, self.before, self.after, self.test = lines[1], lines[2][2:], lines[3][2:], lines[4].split()

    def wrong(self, top):
        """Why it cannot be applied, or None."""
        try:
            with open(os.path.join(top, self.file)) as f:
                n = f.read().count(self.before)
        except OSError as e:
            return str(e)
        return None if n == 1 else f"{self.file} has its text {n} times"


def read_mutations():
    with open(f"{HERE}/mutations") as f:
        text = "\n".join(line for line in f.read().split("\n") if not line.startswith("#"))
    all_ = [Mutation(block.strip("\n")) for block in text.split("\n\n") if block.strip()]
    names = [m.name for m in all_]
    if len(set(names)) != len(names):
        sys.exit(f"twice: {sorted({n for n in names if names.count(n) > 1})}")
    return all_


class Copy:
    """The tree, to be changed and built."""

    def __init__(self):
        keep = os.environ.get("BUILD_DIR")
        self.top = keep or tempfile.mkdtemp(prefix="spur-mutate.")
        self.temporary = not keep
        subprocess.run(["rsync", "-a", "--delete", "--exclude=/build*", "--exclude=/.git", TOP + "/", self.top + "/"]
                       if shutil.which("rsync") else
                       ["sh", "-c", f"cd '{TOP}' && tar cf - --exclude='./build*' --exclude=./.git . | "
                                    f"tar xf - -C '{self.top}'"], check=True)
        self.env = dict(os.environ, CCACHE_BASEDIR=self.top, CCACHE_NOHASHDIR="1")
        if not os.path.exists(f"{self.top}/build/build.ninja"):
            self.env["CC"] = "ccache gcc" if shutil.which("ccache") else "gcc"
            subprocess.run(["meson", "setup", "build", "-Doptimization=1"], cwd=self.top, env=self.env, check=True,
                           stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", "build", "build.ninja"], cwd=self.top, env=self.env, check=True,
                       stdout=subprocess.DEVNULL)
        tests = json.loads(subprocess.run(["meson", "introspect", "--tests", "build"], cwd=self.top, check=True,
                                          capture_output=True).stdout)
        self.unit = {t["name"]: t for t in tests}
        targets = json.loads(subprocess.run(["meson", "introspect", "--targets", "build"], cwd=self.top, check=True,
                                            capture_output=True).stdout)
        self.files = {t["id"]: t["filename"] for t in targets}

    def targets(self, test):
        if test[0] != "unit":
            return DAEMONS
        if test[1] not in self.unit:
            sys.exit(f"there is no unit test {test[1]}")
        files = [file for id_ in self.unit[test[1]]["depends"] for file in self.files[id_]]
        return [os.path.relpath(file, f"{self.top}/build") for file in files]

    def build(self, test):
        p = subprocess.run(["ninja", "-C", "build", *self.targets(test)], cwd=self.top, env=self.env, text=True,
                           capture_output=True)
        return None if p.returncode == 0 else p.stdout[-2000:]

    def run(self, test):
        """Does the test pass?"""
        env = dict(self.env, SPUR=f"{self.top}/build/src/cli/spur", SPUR_BUILD=f"{self.top}/build",
                   BUILD=f"{self.top}/build")
        if test[0] == "unit":
            t = self.unit[test[1]]
            return run_quietly(t["cmd"], dict(env, **t["env"]), t.get("workdir") or f"{self.top}/build", tap=True)
        if test[0] == "cmd":
            return run_quietly([f"{self.top}/tests/cmd/run", *test[1:]], env, self.top)
        return run_quietly(["python3", f"{test[1]}.py", *test[2:]], env, f"{self.top}/tests/{test[0]}")

    def remove(self):
        if self.temporary:
            shutil.rmtree(self.top, ignore_errors=True)


def run_quietly(cmd, env, cwd, tap=False):
    with tempfile.TemporaryFile("w+") as out:
        p = subprocess.Popen(cmd, env=env, cwd=cwd, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                             start_new_session=True)
        try:
            rc = p.wait(600)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, 9)
            p.wait()
            return False
        out.seek(0)
        return rc == 0 and not (tap and "\nnot ok" in "\n" + out.read())


def try_mutation(copy, m):
    """None when its test notices it, else why that is not so."""
    path = os.path.join(copy.top, m.file)
    with open(path) as f:
        text = f.read()
    try:
        with open(path, "w") as f:
            f.write(text.replace(m.before, m.after))
        said = copy.build(m.test)
        if said:
            return "it does not build:\n" + said
        return f"`{' '.join(m.test)}` does not notice it" if copy.run(m.test) else None
    finally:
        with open(path, "w") as f:
            f.write(text)


def choose(args):
    todo = read_mutations()
    if args.kind:
        todo = [m for m in todo if m.test[0] in args.kind.split(",")]
    if args.names:
        unknown = set(args.names) - {m.name for m in todo}
        if unknown:
            sys.exit(f"no such mutation: {sorted(unknown)}")
        todo = [m for m in todo if m.name in args.names]
    if args.sample:
        seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 30)
        print(f"# seed {seed}", flush=True)
        todo = random.Random(seed).sample(todo, min(args.sample, len(todo)))
    return todo


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sample", type=int)
    p.add_argument("--seed", type=int)
    p.add_argument("--kind")
    p.add_argument("--check", action="store_true")
    p.add_argument("names", nargs="*")
    args = p.parse_args()
    todo = choose(args)
    failed = 0
    wrong = {m.name: m.wrong(TOP) for m in todo}
    if args.check:
        bad = [f"{name}: {why}" for name, why in wrong.items() if why]
        print("\n".join(["# " + line for line in bad] + [f"{'not ' if bad else ''}ok 1 - {len(todo)} mutations find "
                                                        "their lines", "1..1"]))
        return bool(bad)
    copy = Copy()
    try:
        good = {}  # test -> does it pass in the unchanged tree?
        for m in todo:
            begun, key = time.time(), " ".join(m.test)
            why = wrong[m.name]
            if not why and key not in good:
                said = copy.build(m.test)
                good[key] = not said and copy.run(m.test)
            if not why and not good[key]:
                why = f"`{key}` fails without it"
            why = why or try_mutation(copy, m)
            failed += bool(why)
            print(f"{'not ' if why else ''}ok - {m.name}: {m.what}" + (f"\n#   {why}" if why else "") +
                  f"\n# {time.time() - begun:.0f} s", flush=True)
    finally:
        copy.remove()
    print(f"1..{len(todo)}\n{len(todo) - failed} passed, {failed} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
