#!/usr/bin/env python3
"""Runs the judge of recorded decisions on plans of generated worlds.

usage: judge_worlds.py PROPERTIES PLAN_TOOL FROM-TO [small|middle|large]

PROPERTIES prints the world of a seed (`properties --print --json`), PLAN_TOOL plans it (`-f FILE`). Prints every violation with
its seed. Exit status 1 if there was any.
"""
import json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
import judge


def plan(tool, world):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": world}, f)
        f.flush()
        p = subprocess.run([tool, "-f", f.name], capture_output=True, text=True)
    if p.returncode not in (0, 3): return None
    return json.loads(p.stdout)


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    properties, tool, seeds = sys.argv[1:4]
    size = sys.argv[4] if len(sys.argv) > 4 else "middle"
    first, last = (int(x) for x in seeds.split("-"))
    bad = 0
    for seed in range(first, last + 1):
        p = subprocess.run([properties, "--print", "--json", "--seeds", str(seed), "--size", size], capture_output=True, text=True, check=True)
        world = json.loads(p.stdout)
        answer = plan(tool, world)
        violations = ["no plan"] if answer is None else ["%s %s: %s" % tuple(v) for v in judge.judge(world, answer)]
        for v in violations: print("seed %d: %s" % (seed, v))
        bad += bool(violations)
    print("%d worlds judged, %d with violations" % (last - first + 1, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
