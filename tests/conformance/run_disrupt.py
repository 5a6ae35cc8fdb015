#!/usr/bin/env python3
"""Runs the recorded disruption decisions.

usage: run_disrupt.py BIN CASES_DIR [--jobs N] [--share K/N]

BIN is called as `BIN plan -f FILE -o json --disrupt --method NAME`. A case passes when the same nodes are removed and
the same replacements launched, or when check.py finds the decision better, or if exceptions.json names it with the rule
that explains the difference: for a tie (types of equal price, of which a rule takes some) the same nodes must be
removed, for as many types at the same prices; where the cluster changed while the recording waited for its confirmation
there must be a command before the change, and exactly the recorded decision after it. Exit status 1 in any other case.
"""
import collections, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check, recordings

EXCEPTIONS = recordings.exceptions()


def ask(binary, case, docs):
    return recordings.ask([binary, "plan", "-o", "json", "--disrupt", "--method",
                           check.METHOD[case["expect"]["method"]]], docs, (0, 3))


def run(binary, path):
    case, docs = check.load(path)
    plan, why = ask(binary, case, docs)
    if why:
        return case, "fail", why
    verdict, why = check.disrupt(case, docs, plan)
    exception = EXCEPTIONS.get(case["id"])
    if exception is None or verdict != "fail":
        return case, verdict, why
    if exception["tie"]:
        return (case, "excused", "") if excused_tie(case, docs, plan) else (case, verdict, why)
    left = excused_change(binary, exception, case, docs, plan)
    return (case, "excused", "") if left is None else (case, "fail", left)


def shape(commands, docs):
    """The result up to a tie: the nodes, and the prices of each replacement's types."""
    types = {t["name"]: t for d in docs if d["kind"] == "InstanceTypeCatalog" for t in d["spec"]["instanceTypes"] or []}
    prices = lambda r: sorted(round(min(o["price"] for o in types[n]["offerings"]), 8) for n in r["instanceTypes"])
    return sorted((sorted(c["candidates"]), [(r["nodePool"], check.wk(r["requirements"]), prices(r)) for r in c["replacements"]])
                  for c in commands)


def excused_tie(case, docs, plan):
    return shape(case["expect"]["commands"], docs) == shape(plan["disruptions"], docs)


def excused_change(binary, exception, case, docs, plan):
    """None, or the reason why the change does not explain the difference."""
    if not plan.get("disruptions"): return "no command before the change"
    after = recordings.restored(docs, exception)
    plan, why = ask(binary, case, after)
    if why: return why
    verdict, why = check.disrupt(case, after, plan)
    return None if verdict == "exact" else "after the change: %s %s" % (verdict, why)


def main():
    a = recordings.arguments()
    files = recordings.files(a, "disrupt")
    counts = collections.Counter()
    for case, verdict, why in recordings.run_all(run, a, files):
        counts[verdict] += 1
        if verdict == "fail": print("fail", case["id"], case["area"], why)
    print("%d cases: %d exact, %d better, %d excused, %d failed" % (
        len(files), counts["exact"], counts["better"], counts["excused"], counts["fail"]))
    return 1 if counts["fail"] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
