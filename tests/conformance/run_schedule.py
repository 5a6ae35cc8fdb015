#!/usr/bin/env python3
"""Runs the recorded scheduling decisions and judges every plan.

usage: run_schedule.py BIN CASES_DIR [--jobs N]

BIN is called as `BIN plan -f FILE -o json`. A case passes as check.py says, or, if exceptions.json names it with the rule
that explains the difference, when the plan is valid and, for a tie (several domains were equally good and the recording
took another one than the rule does), opens as many nodes for the same price. Exit status 1 when anything else happened.
"""
import argparse, collections, concurrent.futures, glob, json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check, judge


def run(binary, path):
    case, docs = check.load(path)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as t:
        json.dump({"apiVersion": "v1", "kind": "List", "items": docs}, t)
        t.flush()
        p = subprocess.run([binary, "plan", "-f", t.name, "-o", "json"], capture_output=True, text=True, timeout=120)
    if p.returncode not in (0, 3):
        return case, None, "fail", "exit %d: %s" % (p.returncode, p.stderr.strip()[-300:])
    plan = json.loads(p.stdout)
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
    ap = argparse.ArgumentParser()
    ap.add_argument("binary")
    ap.add_argument("cases")
    ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    exceptions = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.json")))
    files = sorted(glob.glob(os.path.join(a.cases, "schedule-*.json")))
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as ex:
        for case, plan, verdict, why, *rest in ex.map(lambda f: run(a.binary, f), files):
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
