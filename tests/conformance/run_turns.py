#!/usr/bin/env python3
"""Runs the recorded disruption turns: the candidates of a method, and the budgets left by it (DIS-446).

usage: run_turns.py BIN CASES_DIR [--jobs N] [--share K/N]

BIN is called as `BIN --method NAME -f FILE` (tests/engine/turn_tool.c). Exit status 1 when a turn differs from
its recording.
"""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check, recordings


def run(binary, path):
    case, docs = check.load(path)
    turn, why = recordings.ask([binary, "--method", check.METHOD[case["expect"]["method"]]], docs)
    return case, [why] if why else list(differences(case["expect"], turn))


def differences(expect, turn):
    if sorted(expect["candidates"]) != sorted(turn["candidates"]):
        yield "candidates %s instead of %s" % (sorted(turn["candidates"]), sorted(expect["candidates"]))
    if expect["budgets"] != turn["budgets"]:
        yield "budgets %s instead of %s" % (turn["budgets"], expect["budgets"])


def main():
    a = recordings.arguments()
    files = recordings.files(a, "disrupt")
    failed = 0
    for case, why in recordings.run_all(run, a, files):
        failed += bool(why)
        for line in why:
            print(case["id"], case["expect"]["method"], line)
    print("%d turns, %d differ" % (len(files), failed))
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
