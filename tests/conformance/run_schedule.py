#!/usr/bin/env python3
"""Runs the recorded scheduling decisions and judges every plan.

usage: run_schedule.py BIN CASES_DIR [--jobs N]

BIN is called as `BIN plan -f FILE -o json`. A case passes as check.py says, or, if exceptions.json names it with the rule
that explains the difference, when the plan is valid and, for a tie (several domains were equally good and the recording
took another one than the rule does), opens as many nodes for the same price. Exit status 1 when anything else happened.
"""
import collections, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check, judge, recordings


def run(binary, path):
    case, docs = check.load(path)
    plan, why = recordings.ask([binary, "plan", "-o", "json"], docs, (0, 3))
    if why:
        return case, None, "fail", why
    return (case, plan) + check.schedule(case, docs, plan) + (docs,)


def excused(exception, case, plan, docs):
    """None, or why the exception does not cover the plan."""
    e = case["expect"]
    if exception["tie"]:
        bad = [v for v in judge.judge(docs, plan) if v.rule != "order"]  # prices closer than a nano-dollar are equal
        if bad: return "%s %s: %s" % tuple(bad[0])
        if len(plan["newNodeClaims"]) != len(e["newNodeClaims"]): return "other number of nodes"
        if abs(check.total(plan["newNodeClaims"]) - check.total(e["newNodeClaims"])) > 1e-6: return "other price"
    return None


def main():
    a = recordings.arguments()
    exceptions = recordings.exceptions()
    files = recordings.files(a, "schedule")
    counts = collections.Counter()
    for case, plan, verdict, why, *rest in recordings.run_all(run, a, files):
        if verdict == "fail" and plan is not None and case["id"] in exceptions:
            left = excused(exceptions[case["id"]], case, plan, rest[0])
            verdict, why = ("excused", "") if left is None else ("fail", left)
        counts[verdict] += 1
        if verdict == "fail": print("fail", case["id"], case["area"], why)
    print("%d cases: %d exact, %d better, %d excused, %d failed" % (
        len(files), counts["exact"], counts["better"], counts["excused"], counts["fail"]))
    return 1 if counts["fail"] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
