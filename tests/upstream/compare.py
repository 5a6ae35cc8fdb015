#!/usr/bin/env python3
"""The suite's results for the program, compared with those for upstream's own build.

usage: compare.py SUITE_JSON REFERENCE REPORT [--part]
       compare.py --table REFERENCE LABEL=REPORT...

The first form writes REPORT (a JSON line per test: test, state, seconds, and message where it failed), prints where the two differ, and
ends with status 1 if a test failed, or (without --part) did not run, that the reference passes. The second form prints a Markdown table.
"""
import argparse
import json
import re
import sys


def read(path):
    with open(path) as file:
        return {row["test"]: row for row in map(json.loads, file)}


def results(path):
    """Ginkgo's report as rows, by name; only the tests that ran."""
    rows = {}
    with open(path) as file:
        suites = json.load(file)
    for test in (test for suite in suites for test in suite["SpecReports"] or []):
        if test["LeafNodeType"] != "It" or test["State"] in ("skipped", "pending"):
            continue
        name = " / ".join([*(test["ContainerHierarchyTexts"] or []), test["LeafNodeText"]])
        row = {"test": name, "state": test["State"], "seconds": round(test["RunTime"] / 1e9, 1)}
        if test["State"] != "passed":
            row["message"] = (test.get("Failure") or {}).get("Message", "")[:500]
        rows[name] = row
    return rows


def compare(found, reference, part):
    """Prints the differences; returns how many tests are worse than in the reference."""
    expected = {name for name, row in reference.items() if row["state"] == "passed"}
    passed = {name for name, row in found.items() if row["state"] == "passed"}
    worse = sorted(expected & set(found) - passed)
    missing = [] if part else sorted(expected - set(found))
    for name in worse:
        print(f"FAILED {name} (upstream passes)\n       {first_line(found[name].get('message', ''))}")
    for name in missing:
        print(f"NOT RUN {name} (upstream passes)")
    for name in sorted(passed - expected):
        print(f"better {name} (upstream fails)")
    for name in sorted(set(found) - expected - passed):
        print(f"failed {name} (so does upstream)")
    print(f"{len(passed)} passed, {len(found) - len(passed)} failed; {len(worse) + len(missing)} worse than upstream")
    return len(worse) + len(missing)


def first_line(message):
    return next((line.strip() for line in message.splitlines() if line.strip()), "")[:160]


def table(reference, columns):
    """One row per test: the result of upstream's build and of each report, with the seconds."""
    runs = [(label, read(path)) for label, path in (column.split("=", 1) for column in columns)]
    print("| test | upstream | " + " | ".join(label for label, _ in runs) + " |")
    print("| --- |" + " --- |" * (len(runs) + 1))
    for name in sorted(set(reference).union(*(run for _, run in runs))):
        cells = [cell(rows.get(name)) for rows in (reference, *(run for _, run in runs))]
        escaped = re.sub(r"([|*])", r"\\\1", name)
        print(f"| {escaped} | " + " | ".join(cells) + " |")


def cell(row):
    if row is None:
        return "not run"
    return f"{row['seconds']:.0f} s" if row["state"] == "passed" else f"**{row['state']}**"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--part", action="store_true")
    parser.add_argument("paths", nargs="+")
    arguments = parser.parse_args()
    if arguments.table:
        table(read(arguments.paths[0]), arguments.paths[1:])
        return 0
    suite, reference, report = arguments.paths
    found = results(suite)
    with open(report, "w") as file:
        for name in sorted(found):
            file.write(json.dumps(found[name]) + "\n")
    worse = compare(found, read(reference), arguments.part)
    return 1 if worse or not found else 0


if __name__ == "__main__":
    sys.exit(main())
