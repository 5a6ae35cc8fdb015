#!/usr/bin/env python3
"""Runs the recorded disruption decisions.

usage: run_disrupt.py BIN CASES_DIR [--jobs N]

BIN is called as `BIN plan -f FILE -o json --disrupt --method NAME`. A case passes when the same nodes go and the same come in
their place, or when check.py finds the decision better, or if exceptions.json names it with the rule that explains the
difference; for a tie (types of equal price, of which a rule takes some) the same nodes must go, for as many types at the same
prices. Exit status 1 when anything else happened.
"""
import argparse, collections, concurrent.futures, glob, json, os, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check


def run(binary, path):
    case, docs = check.load(path)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as t:
        json.dump({"apiVersion": "v1", "kind": "List", "items": docs}, t)
        t.flush()
        p = subprocess.run([binary, "plan", "-f", t.name, "-o", "json", "--disrupt", "--method",
                            check.METHOD[case["expect"]["method"]]], capture_output=True, text=True, timeout=120)
    if p.returncode not in (0, 3):
        return case, docs, None, "fail", "exit %d: %s" % (p.returncode, p.stderr.strip()[-300:])
    plan = json.loads(p.stdout)
    return (case, docs, plan) + check.disrupt(case, docs, plan)


def shape(commands, docs):
    """What a tie leaves: the nodes, and of each replacement the prices of its types."""
    types = {t["name"]: t for d in docs if d["kind"] == "InstanceTypeCatalog" for t in d["spec"]["instanceTypes"] or []}
    prices = lambda r: sorted(round(min(o["price"] for o in types[n]["offerings"]), 8) for n in r["instanceTypes"])
    return sorted((sorted(c["candidates"]), [(r["nodePool"], check.wk(r["requirements"]), prices(r)) for r in c["replacements"]])
                  for c in commands)


def excused(exception, case, docs, plan):
    return not exception["tie"] or shape(case["expect"]["commands"], docs) == shape(plan["disruptions"], docs)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("binary")
    ap.add_argument("cases")
    ap.add_argument("--jobs", type=int, default=2)
    a = ap.parse_args()
    exceptions = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.json")))
    files = sorted(glob.glob(os.path.join(a.cases, "disrupt-*.json")))
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as ex:
        for case, docs, plan, verdict, why in ex.map(lambda f: run(a.binary, f), files):
            if verdict == "fail" and plan is not None and case["id"] in exceptions and excused(exceptions[case["id"]], case, docs, plan):
                verdict = "excused"
            counts[verdict] += 1
            if verdict == "fail": print("fail", case["id"], case["area"], why)
    print("%d cases: %d exact, %d better, %d excused, %d failed" % (
        len(files), counts["exact"], counts["better"], counts["excused"], counts["fail"]))
    return 1 if counts["fail"] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
