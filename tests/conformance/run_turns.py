#!/usr/bin/env python3
"""Runs the recorded disruption turns: whom a method considered, and what it left of the budgets (DIS-446).

usage: run_turns.py BIN CASES_DIR [--jobs N]

BIN is called as `BIN --method NAME -f FILE` (tests/engine/turn_tool.c). Exit status 1 when a turn differs from
its recording.
"""
import argparse, concurrent.futures, glob, json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check


def run(binary, path):
    case, docs = check.load(path)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as t:
        json.dump({"apiVersion": "v1", "kind": "List", "items": docs}, t)
        t.flush()
        p = subprocess.run([binary, "--method", check.METHOD[case["expect"]["method"]], "-f", t.name],
                           capture_output=True, text=True, timeout=120)
    if p.returncode != 0:
        return case, ["exit %d: %s" % (p.returncode, p.stderr.strip()[-300:])]
    return case, list(differences(case["expect"], json.loads(p.stdout)))


def differences(expect, turn):
    if sorted(expect["candidates"]) != sorted(turn["candidates"]):
        yield "candidates %s instead of %s" % (sorted(turn["candidates"]), sorted(expect["candidates"]))
    if expect["budgets"] != turn["budgets"]:
        yield "budgets %s instead of %s" % (turn["budgets"], expect["budgets"])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("binary")
    ap.add_argument("cases")
    ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    files = sorted(glob.glob(os.path.join(a.cases, "disrupt-*.json")))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as ex:
        for case, why in ex.map(lambda f: run(a.binary, f), files):
            failed += bool(why)
            for line in why:
                print(case["id"], case["expect"]["method"], line)
    print("%d turns, %d differ" % (len(files), failed))
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
