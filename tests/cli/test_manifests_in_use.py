#!/usr/bin/env python3
"""adze plan on manifests as they are in use: none is planned silently wrong (SCH-520, GUI-11, GUI-13).

manifests-in-use/ holds facts of use from public repositories (each file names its source), shortened to what planning
reads. index.txt says what is expected of each: the exit status, the pods placed by NodePool, what is told about the
input, and the reasons of pods without a place. Beside that, every planned instance type is held against the NodePool's
requirements, read here on their own.

    test_manifests_in_use.py ADZE           run all
    test_manifests_in_use.py ADZE --write   write index.txt anew; read the difference before you commit it
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "manifests-in-use")
INDEX = os.path.join(HERE, "index.txt")
WORKERS = os.cpu_count() or 1
# What an instance type's name alone says, by the ending of the label.
FACTS = {"node.kubernetes.io/instance-type": lambda name: name,
         "instance-family": lambda name: name.split(".")[0],
         "instance-size": lambda name: name.split(".")[1],
         "instance-category": lambda name: re.match(r"([a-z]+)(?:\d|-)", name.replace("u-", "u"))[1],
         "instance-generation": lambda name: re.match(r"[a-z]+(\d+)", name)[1]}
DOMAINS = ("karpenter.k8s.aws/", "eks.amazonaws.com/")
# Their names begin otherwise than those of other families.
UNREADABLE = re.compile(r"u-|u7|mac|hpc|im4|is4|trn|inf|x1e|x2|vt|dl|p5en|gr")


def run(adze, path, *options):
    environment = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS") or key == "PATH"}
    with tempfile.TemporaryDirectory() as home:
        return subprocess.run([adze, "plan", "-f", os.path.basename(path), *options], capture_output=True, text=True, cwd=HERE,
                              env=dict(environment, HOME=home), timeout=120)


# --- what a plan says ---------------------------------------------------------------------------------------------

def is_about_prices(text):
    return text.startswith(("instance types: ", "region us-east-1 is taken")) or "prices are estimates" in text


def pods_without_a_place(plan):
    """Pods with the same reasons together, those of existing nodes and texts of requests left out."""
    groups = {}
    for entry in plan["unschedulable"]:
        told = tuple("%s%s: %s" % (reason["code"], ", NodePool " + reason["nodePool"] if "nodePool" in reason else "",
                                   reason["detail"].split(", requirements=")[0]) for reason in entry["reasons"])
        groups.setdefault(told, []).append(entry["pod"])
    for told, pods in groups.items():
        yield "pods " + " ".join(pods[:3]) + (" and %d more" % (len(pods) - 3) if len(pods) > 3 else "")
        yield from ("reason " + text for text in told)


def outcome(adze, path):
    """The exit status, the lines of the index, and complaints of the independent check."""
    done = run(adze, path, "-o", "json")
    lines = ["complains " + text.split(": ", 1)[-1].replace(os.path.basename(path), "FILE") for text in done.stderr.split("\n") if text]
    if not done.stdout:
        return done.returncode, lines, []
    plan, pods = json.loads(done.stdout), {}
    lines += ["says " + text for text in plan.get("assumptions", []) if not is_about_prices(text)]
    lines += ["left out " + text for text in plan.get("leftOut", [])]
    for claim in plan["newNodeClaims"]:
        pods[claim["nodePool"]] = pods.get(claim["nodePool"], 0) + len(claim["pods"])
    lines += ["places %d pod%s on %s" % (count, "s"[:count != 1], pool) for pool, count in sorted(pods.items())]
    lines += pods_without_a_place(plan)
    return done.returncode, lines, sorted({text for claim in plan["newNodeClaims"] for text in misfits(path, claim)})


# --- the independent check ----------------------------------------------------------------------------------------

def requirements(path):
    """NodePool -> (key, operator, values); the files have one requirement a line."""
    found, kind, name = {}, None, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            if match := re.match(r"kind: (\w+)", line):
                kind, name = match[1], None
            elif match := re.match(r"metadata: \{name: \"?([^,}\"]+)", line):
                name = match[1]
            if kind == "NodePool":
                for key, operator, values in re.findall(r"\{key: \"?([\w./-]+)\"?, operator: (\w+)(?:, values: \[([^]]*)\])?", line):
                    found.setdefault(name, []).append((key, operator, [value.strip(' "') for value in values.split(",")]))
    return found


def holds(operator, values, fact):
    return {"In": lambda: fact in values, "NotIn": lambda: fact not in values, "Exists": lambda: True,
            "Gt": lambda: int(fact) > int(values[0]), "Lt": lambda: int(fact) < int(values[0]),
            "Gte": lambda: int(fact) >= int(values[0]), "Lte": lambda: int(fact) <= int(values[0])}[operator]()


def misfits(path, claim):
    for key, operator, values in requirements(path).get(claim["nodePool"], []):
        short = key
        for domain in DOMAINS:
            short = short.removeprefix(domain)
        for name in claim["instanceTypes"] if short in FACTS else ():
            name = name if isinstance(name, str) else name["name"]
            if not UNREADABLE.match(name) and not holds(operator, values, FACTS[short](name)):
                yield "%s has %s, against %s %s %s" % (claim["nodePool"], name, key, operator, values)
                break


# --- together -----------------------------------------------------------------------------------------------------

def read_index():
    expected, name = {}, None
    with open(INDEX, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            if line.startswith("  "):
                expected[name][1].append(line[2:])
            else:
                name, status = line.split(": exit ")
                expected[name] = (int(status), [])
    return expected


HEAD = """# What `adze plan` makes of each file: the exit status; `complains`: the line on standard error; `says`: what is assumed,
# without the lines about prices; `left out`; `places`: pods on new nodes by NodePool; `pods`, `reason`: those without a place.
"""


def main():
    adze = os.path.abspath(sys.argv[1])
    names = sorted(name for name in os.listdir(HERE) if name.endswith(".yaml"))
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        outcomes = dict(zip(names, pool.map(lambda name: outcome(adze, os.path.join(HERE, name)), names)))
    if sys.argv[2:] == ["--write"]:
        with open(INDEX, "w", encoding="utf-8") as file:
            file.write(HEAD)
            for name, (status, lines, _) in outcomes.items():
                file.write("\n%s: exit %d\n%s" % (name, status, "".join("  %s\n" % line for line in lines)))
    failed = 0
    expected = read_index()
    for name in sorted(set(outcomes) | set(expected)):
        status, lines, complaints = outcomes.get(name, (None, [], ["there is no such file"]))
        wanted = expected.get(name, (None, ["(not in index.txt)"]))
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            if not re.match(r"# [\w.-]+/[\w.-]+, \S", file.readline()):
                complaints.append("the first line does not name the source")
        if (status, lines) != wanted or complaints:
            failed += 1
            print("FAIL %s: exit %s, wanted %s" % (name, status, wanted[0]))
            for line in complaints:
                print("  ! " + line)
            for line in [line for line in wanted[1] if line not in lines]:
                print("  - " + line)
            for line in [line for line in lines if line not in wanted[1]]:
                print("  + " + line)
    print("%d manifests, %d not as expected" % (len(outcomes), failed))
    return 1 if failed or len(outcomes) < 150 else 0


if __name__ == "__main__":
    sys.exit(main())
