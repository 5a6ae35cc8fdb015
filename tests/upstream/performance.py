#!/usr/bin/env python3
"""The results of upstream's performance suite, as a table.

usage: performance.py SUITE_JSON REPORTS_DIR REPORT     one run: writes REPORT, prints its table
       performance.py --table LABEL=REPORT...           several runs beside each other

A workload of the suite has two or three steps (scale-out, consolidation, drift), and the suite writes a file about each
completed one: REPORTS_DIR/*_performance_report.json. REPORT gets a JSON line a step: test, state, and step, seconds,
pods, nodes, cpu and memory (the mean use of the nodes, per cent) and rounds (of draining, as seen every half minute; a
consolidation's seconds include the three minutes of rest that end it). A failed test has its message, and a separate
line if none of its steps completed.

Exit status of the first form: 0 all that ran passed, 1 one did not, or none ran.
"""
import argparse
import datetime
import glob
import json
import os
import re
import sys

from compare import first_line

HEADS = ("workload", "passed", "seconds", "nodes", "cpu", "memory", "rounds")


def instant(text):
    """An instant as Go writes it; the digits below a microsecond are beyond Python."""
    return datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text).replace("Z", "+00:00"))


def tests(path):
    """The tests that ran, by their start."""
    with open(path) as file:
        suites = json.load(file)
    ran = [test for suite in suites for test in suite["SpecReports"] or []
           if test["LeafNodeType"] == "It" and test["State"] not in ("skipped", "pending")]
    return sorted(ran, key=lambda test: instant(test["StartTime"]))


def steps(folder):
    """The files that the suite has written, by the end of each step."""
    found = []
    for path in glob.glob(os.path.join(folder, "*_performance_report.json")):
        with open(path) as file:
            found.append(json.load(file))
    return sorted(found, key=lambda step: instant(step["timestamp"]))


def row_of_step(step):
    return {
        "step": step["test_name"],
        "seconds": round(step["total_time"] / 1e9, 1),
        "pods": step["total_pods"],
        "nodes": step["total_nodes"],
        "cpu": round(100 * step["total_reserved_cpu_utilization"], 1),
        "memory": round(100 * step["total_reserved_memory_utilization"], 1),
        "rounds": step["rounds"],
    }


def rows(suite, folder):
    """A row a step. A step belongs to the test during which it ended."""
    every_step = steps(folder)
    found = []
    for test in tests(suite):
        # Every workload's name starts with "Performance".
        head = {"test": " / ".join((test["ContainerHierarchyTexts"] or [])[1:] or [test["LeafNodeText"]]),
                "state": test["State"]}
        if test["State"] != "passed":
            head["message"] = (test.get("Failure") or {}).get("Message", "")[:500]
        begun, ended = instant(test["StartTime"]), instant(test["EndTime"])
        own = [step for step in every_step if begun <= instant(step["timestamp"]) <= ended]
        if own:
            found += [head | row_of_step(step) for step in own]
        else:
            found.append(head | {"seconds": round(test["RunTime"] / 1e9, 1)})
    return found


def name(row):
    pods = f", {row['pods']} pods" if "pods" in row else ""
    return f"{row['test']}{': ' + row['step'] if 'step' in row else ''}{pods}"


def print_table(heads, lines):
    print("| " + " | ".join(heads) + " |")
    print("| --- |" + " ---: |" * (len(heads) - 1))
    for cells in lines:
        print("| " + " | ".join(str(cell).replace("|", r"\|") for cell in cells) + " |")


def number(row, key, unit=""):
    return f"{row[key]:.0f}{unit}" if key in row else "-"


def print_run(found):
    print_table(HEADS, [(name(row), "yes" if row["state"] == "passed" else row["state"], number(row, "seconds"),
                         number(row, "nodes"), number(row, "cpu", " %"), number(row, "memory", " %"),
                         number(row, "rounds")) for row in found])
    for message in dict.fromkeys(f"{row['test']}: {first_line(row['message'])}" for row in found if "message" in row):
        print(f"FAILED {message}")


def print_runs(columns):
    """One row a step, one column a run."""
    runs = []
    for label, path in (column.split("=", 1) for column in columns):
        with open(path) as file:
            runs.append((label, {name(row): row for row in map(json.loads, file)}))
    names = dict.fromkeys(one for _, run in runs for one in run)
    print_table(["workload", *(label for label, _ in runs)],
                [(one, *(cell(run.get(one)) for _, run in runs)) for one in names])


def cell(row):
    if row is None:
        return "not run"
    failed = "" if row["state"] == "passed" else f", **{row['state']}**"
    return (f"{number(row, 'seconds')} s, {number(row, 'nodes')} nodes, "
            f"{number(row, 'cpu')} / {number(row, 'memory')} %{failed}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--table", action="store_true")
    parser.add_argument("paths", nargs="+")
    arguments = parser.parse_args()
    if arguments.table:
        print_runs(arguments.paths)
        return 0
    suite, folder, report = arguments.paths
    found = rows(suite, folder)
    with open(report, "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in found)
    print_run(found)
    return 0 if found and all(row["state"] == "passed" for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
