#!/usr/bin/env python3
"""Runs the recorded scheduling decisions and judges every plan.

usage: run_schedule.py BIN CASES_DIR [--jobs N] [--share K/N]

BIN is called as `BIN plan -f FILE -o json`. A case passes as check.py says, or, if exceptions.json names it with the
rule that explains the difference: for a tie (several domains were equally good and the recording took another one than
the rule does) when the plan is valid and opens as many nodes for the same price; else when the plan is exact once the
lost facts are restored. Exit status 1 in any other case.
"""
import collections, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check, judge, recordings

EXCEPTIONS = recordings.exceptions()


def ask(binary, docs):
    return recordings.ask([binary, "plan", "-o", "json"], docs, (0, 3))


def run(binary, path):
    case, docs = check.load(path)
    plan, why = ask(binary, docs)
    if why:
        return case, "fail", why
    verdict, why = check.schedule(case, docs, plan)
    exception = EXCEPTIONS.get(case["id"])
    if exception is None or verdict != "fail":
        return case, verdict, why
    left = excused_tie(case, plan, docs) if exception["tie"] else excused_loss(binary, exception, case, docs)
    return (case, "excused", "") if left is None else (case, "fail", left)


def excused_tie(case, plan, docs):
    """None, or the reason why the plan is more than another choice between equals."""
    e = case["expect"]
    bad = [v for v in judge.judge(docs, plan) if v.rule != "order"]  # prices closer than a nano-dollar are equal
    if bad: return "%s %s: %s" % tuple(bad[0])
    if len(plan["newNodeClaims"]) != len(e["newNodeClaims"]): return "other number of nodes"
    if abs(check.total(plan["newNodeClaims"]) - check.total(e["newNodeClaims"])) > 1e-6: return "other price"
    return None


def excused_loss(binary, exception, case, docs):
    """None, or the reason why the lost facts do not explain the difference."""
    whole = recordings.restored(docs, exception)
    plan, why = ask(binary, whole)
    if why: return why
    verdict, why = check.schedule(case, whole, plan)
    return None if verdict == "exact" else "with the facts restored: %s %s" % (verdict, why)


def main():
    a = recordings.arguments()
    files = recordings.files(a, "schedule")
    counts = collections.Counter()
    for case, verdict, why in recordings.run_all(run, a, files):
        counts[verdict] += 1
        if verdict == "fail": print("fail", case["id"], case["area"], why)
    print("%d cases: %d exact, %d better, %d excused, %d failed" % (
        len(files), counts["exact"], counts["better"], counts["excused"], counts["fail"]))
    return 1 if counts["fail"] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
