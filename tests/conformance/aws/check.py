#!/usr/bin/env python3
"""Replays recorded AWS scenarios (README.md) and compares what adze says and writes with the recordings.

Mode upstream: they must be equal. Mode better: each difference must be explained by a rule (exceptions-better.json).

Prints a line for each case: ok, or its differences. Exit status 1 if a case differs.
"""
import argparse, collections, concurrent.futures, glob, gzip, json, os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import compare, normalise

SECONDS_MAX = 300  # for one case
LINES_MAX = 12  # differences shown of one case
# The engine's packing has recordings of its own (../cases); with another one nearly every launch would differ.
OPTIONS = {"upstream": [], "better": ["COMPATIBILITY=adze", "PACKING_POLICY=Greedy"]}
EXCEPTIONS = {"upstream": "exceptions.json", "better": "exceptions-better.json"}


def arguments():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--replay", required=True, help="the program replay")
    ap.add_argument("--cases", default=os.path.join(HERE, "cases"))
    ap.add_argument("--environment", default=os.path.join(HERE, "environment"))
    ap.add_argument("--mode", choices=sorted(OPTIONS), default="upstream", help="upstream: as recorded; better: adze's own defaults")
    ap.add_argument("--exceptions", help="a file instead of the mode's")
    ap.add_argument("--only", default="", help="regular expression for case names")
    ap.add_argument("--group", default="1/1", help="K/N: every Nth case, from the Kth")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--events", action="store_true", help="compares events as well")
    ap.add_argument("--all-lines", action="store_true", help="shows every difference")
    ap.add_argument("--summary", action="store_true", help="counts the differences by kind")
    ap.add_argument("--write-observed", metavar="DIR")
    ap.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a setting of the controller")
    a = ap.parse_args()
    a.option = OPTIONS[a.mode] + a.option
    a.exceptions = a.exceptions or os.path.join(HERE, EXCEPTIONS[a.mode])
    return a


# --- exceptions -----------------------------------------------------------------------------------

def value_at(value, path):
    """The part of an observation at a path like nodeClass/status/conditions/type=Ready/message, or None."""
    steps, held = path.split("/"), ""
    for step in steps:
        step, held = held + step, ""
        if isinstance(value, dict) and step not in value and "." in step:  # a name such as nvidia.com/gpu
            held = step + "/"
            continue
        key, equals, wanted = step.partition("=")
        if isinstance(value, list) and equals:
            value = next((v for v in value if isinstance(v, dict) and str(v.get(key)) == wanted), None)
        elif isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return None if held else value


def holds(check, observed):
    value = value_at(observed, check["at"])
    if "matches" in check: return isinstance(value, str) and re.search(check["matches"], value) is not None
    if "count" in check: return isinstance(value, list) and len(value) == check["count"]
    return value == check["is"]


def excused(differences, exceptions, observed):
    """The differences that no exception explains, and complaints about the exceptions themselves."""
    left, complaints = list(differences), []
    for exception in exceptions:
        for rule in ("rule", "reason", "differs", "instead"):
            if not exception.get(rule): complaints.append(("exceptions", "an exception without \"%s\"" % rule))
        explained = [d for d in left if re.search(exception["differs"], d[0] + ": " + d[1])]
        if not explained and not exception.get("race"): complaints.append(("exceptions", "%s: nothing differs at %s" % (exception["rule"], exception["differs"])))
        left = [d for d in left if d not in explained]
        for check in exception["instead"]:
            if not holds(check, observed):
                complaints.append(("exceptions", "%s: %s is %s" % (exception["rule"], check["at"],
                                                                   compare.short(value_at(observed, check["at"])))))
    return left, complaints


# --- rules ----------------------------------------------------------------------------------------

def read_rules(folder=HERE):
    """The tables rules_*.json: rule -> names of the cases that prove it."""
    rules = {}
    for path in sorted(glob.glob(os.path.join(folder, "rules_*.json"))):
        with open(path) as f: table = json.load(f)
        for rule in table: rules.setdefault(rule, []).extend(table[rule])
    return rules


def all_cases(folder=HERE):
    """Names of the scenarios, and those of recorded instance types with the name of their folder: types/baseline."""
    return {name.split(".")[0] for name in os.listdir(os.path.join(folder, "cases"))} | {
        "types/" + name.split(".")[0] for name in os.listdir(os.path.join(folder, "types"))}


def without_proof(rules, cases):
    """Rules that a table proves by nothing, or by a case that is not there."""
    for rule, names in sorted(rules.items()):
        if not names: yield "%s: no case proves it" % rule
        for name in names:
            if name not in cases: yield "%s: there is no case %s" % (rule, name)


# --- a case ---------------------------------------------------------------------------------------

def replayed(a, path):
    """The program's document, or None and the reason."""
    command = [a.replay, "--environment", a.environment] + [x for o in a.option for x in ("--option", o)] + [path]
    try:
        p = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None, "no end in %d s" % SECONDS_MAX
    if p.returncode != 0: return None, "exit %d: %s" % (p.returncode, p.stderr.strip()[-600:])
    try:
        return json.loads(p.stdout), None
    except ValueError as e:
        return None, "its output is no JSON: %s" % e


def without_priorities(side):
    """Leaves Priority out of the overrides of fleets whose strategy ignores it."""
    for request in side["calls"].get("validation", []) + side["calls"].get("launch", []) + side["calls"].get("steps", []):
        params = request["params"]
        if request["action"] != "CreateFleet" or "prioritized" in json.dumps([params.get("OnDemandOptions"), params.get("SpotOptions")]): continue
        for config in params.get("LaunchTemplateConfigs", []):
            overrides = config.get("Overrides", {})
            if "Priority" not in overrides.get("columns", []): continue
            at = overrides["columns"].index("Priority")
            overrides["columns"] = overrides["columns"][:at] + overrides["columns"][at + 1:]
            overrides["rows"] = sorted((row[:at] + row[at + 1:] for row in overrides["rows"]), key=compare.text_of)


def unneeded_priorities(side):
    """AWI-934: such fleets of adze have none."""
    before = json.dumps(side["calls"], sort_keys=True)
    without_priorities(side)
    return [] if json.dumps(side["calls"], sort_keys=True) == before else [("calls", "a Priority where none counts (AWI-934)")]


def judge(case, raw, prices, exceptions=(), events=False, mode="upstream"):
    """The differences left over of one case, and the observation in canonical form."""
    observed = normalise.observed_to_expect(raw, case)
    theirs, ours = normalise.canonical(case["expect"], observed, case)
    found = [("replay", limit) for limit in raw.get("limits", [])]
    if mode == "better":
        found += unneeded_priorities(ours)
        without_priorities(theirs)
    found += compare.differences(theirs, ours, prices, events)
    left, complaints = excused(found, exceptions, ours)
    return left + complaints, ours


def run(a, path, prices, exceptions):
    with open(path) as f: case = json.load(f)
    name = os.path.basename(path)[:-5]
    case = {"name": name, "area": name.partition("-")[0], **case}
    raw, failure = replayed(a, path)
    if raw is None: return [("replay", failure)]
    differences, observed = judge(case, raw, prices, exceptions.get(case["name"], []), a.events, a.mode)
    if a.write_observed:
        for name, value in (("raw", raw), ("canonical", observed)):
            with open(os.path.join(a.write_observed, case["name"] + "." + name + ".json"), "w") as f:
                json.dump(value, f, indent=1, sort_keys=True)
    return differences


def chosen(a):
    k, n = (int(x) for x in a.group.split("/"))
    names = sorted(n for n in os.listdir(a.cases) if n.endswith(".json") and re.search(a.only, n[:-5]))
    return [os.path.join(a.cases, name) for name in names][k - 1::n]


def read_prices(folder):
    path = os.path.join(folder, "prices.json.gz")
    if not os.path.exists(path): return compare.Prices({})
    with gzip.open(path, "rt") as f: return compare.Prices(json.load(f))


def main():
    a = arguments()
    complaints = []
    if os.path.samefile(a.cases, os.path.join(HERE, "cases")):
        complaints = list(without_proof(read_rules(), all_cases()))
        for complaint in complaints: print(complaint)
    exceptions = {}
    if os.path.exists(a.exceptions):
        with open(a.exceptions) as f: exceptions = json.load(f)
    if a.write_observed: os.makedirs(a.write_observed, exist_ok=True)
    prices, paths, failed = read_prices(a.environment), chosen(a), 0
    kinds = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for path, found in zip(paths, pool.map(lambda p: run(a, p, prices, exceptions), paths)):
            name = os.path.basename(path)[:-5]
            print("%s: %s" % (name, "%d differences" % len(found) if found else "ok"), flush=True)
            failed += bool(found)
            for at, difference in found if a.all_lines else found[:LINES_MAX]: print("  %s: %s" % (at, difference))
            if not a.all_lines and len(found) > LINES_MAX: print("  and %d more" % (len(found) - LINES_MAX))
            kinds.update({re.sub(r"\[\d+\]", "[]", re.sub(r"TEMPLATE-\w+", "TEMPLATE", at)) for at, _ in found})
    print("%d of %d cases as recorded" % (len(paths) - failed, len(paths)))
    if a.summary:
        for kind, count in kinds.most_common(): print("%5d %s" % (count, kind))
    if not paths: print("there is no case to run")
    return 1 if failed or complaints or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
