#!/usr/bin/env python3
"""Mutates recorded clusters and examples and runs the program's commands on them: for any input, a command ends in
time, in bounded memory, with a status of 0 to 3, and without a report of a sanitizer.

usage: command_line.py ADZE [--from N] [--cases N] [--seconds S] [--keep DIR] [--jobs N]

Case N is the same in every run. A finding prints its number, the command and the symptom; --keep writes its input. Exit
status 1 if there was any.
"""
import argparse, concurrent.futures, copy, json, os, random, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutations, seeds

SECONDS_MAX = 60      # for one command, sanitizers on
MEMORY_MIB_MAX = 1500  # resident
REPORTS = ("AddressSanitizer", "LeakSanitizer", "UndefinedBehaviorSanitizer", "runtime error:", "Assertion")


def environment(folder):
    """Isolated from the caller's cluster; findings of sanitizers have their own status."""
    variables = {key: value for key, value in os.environ.items() if key in ("PATH", "TMPDIR")}
    variables["HOME"] = folder
    variables["ASAN_OPTIONS"] = "exitcode=99:hard_rss_limit_mb=%d:detect_leaks=1:allocator_release_to_os_interval_ms=-1" % MEMORY_MIB_MAX
    variables["UBSAN_OPTIONS"] = "halt_on_error=1:exitcode=99:print_stacktrace=1"
    return variables


def named(documents, kind):
    """NAMESPACE/NAME or NAME of the objects of that kind."""
    found = []
    for d in documents:
        meta = d.get("metadata") if isinstance(d, dict) and d.get("kind") == kind else None
        if isinstance(meta, dict) and isinstance(meta.get("name"), str) and meta["name"] and "\0" not in meta["name"]:
            found.append(meta["name"].encode("utf-8", "replace").decode())
    return found


def commands(random, documents):
    """Two commands to run, of all that read files."""
    pods, nodes, pools = (named(documents, kind) for kind in ("Pod", "Node", "NodePool"))
    output = ["-o", random.choice(["table", "json", "yaml"])]
    choice = [["plan", "-f"], ["plan", "--explain", "-f"], ["plan", "--disrupt", "--explain", "-f"], ["explain", "nodes", "-f"],
              ["budgets", "-f"], ["budgets", "--next", "400d", "-f"], ["validate"], ["validate", "--lenient"],
              ["plan", "--disrupt", "--method", random.choice(["emptiness", "drift", "static-drift", "expiry", "multi", "single"]), "-f"],
              ["cost", "-f"]]
    weights = [2, 3, 5, 1, 2, 1, 2, 1, 2, 3]
    for names, noun, weight in ((pods, "pod", 4), (nodes, "node", 3), (pools, "budget", 1)):
        if names:
            choice.append(["explain", noun, random.choice(names), "-f"])
            weights.append(weight)
    picked = random.choices(choice, weights, k=2)
    return [line[:-1] + output + line[-1:] if line[-1] == "-f" else line + output for line in picked]


def make(number, bases):
    """The bytes of a case's file and its commands."""
    rng = random.Random("command line %d" % number)
    name, read = rng.choice(bases)
    documents = copy.deepcopy(read())
    mutations.mutate(rng, documents)
    return name, mutations.text_of(rng, documents), commands(rng, documents)


def run(adze, folder, path, line):
    """None, or the fault in the command's end."""
    try:
        p = subprocess.run([adze, *line, path], capture_output=True, timeout=SECONDS_MAX, env=environment(folder), cwd=folder)
    except subprocess.TimeoutExpired:
        return "no answer in %d s" % SECONDS_MAX
    complaint = p.stderr.decode("utf-8", "replace")
    if p.returncode not in (0, 1, 2, 3) or any(word in complaint for word in REPORTS):
        return "exit status %d\n%s" % (p.returncode, complaint[:6000])
    if p.returncode == 2 and not complaint and not line[0] == "validate":
        return "status 2 without a word"
    if "json" in line and p.returncode in (0, 3):
        try:
            json.loads(p.stdout)
        except ValueError as why:
            return "no JSON: %s" % why
    return None


def try_case(arguments, bases, number):
    name, data, lines = make(number, bases)
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input.json" if data[:1] == b"{" and b"\n---\n" not in data else "input.yaml")
        with open(path, "wb") as f:
            f.write(data)
        for line in lines:
            wrong = run(arguments.adze, folder, path, line)
            if wrong: findings.append((line, wrong))
    if findings and arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
        with open(os.path.join(arguments.keep, "%d.yaml" % number), "wb") as f:
            f.write(data)
    return number, name, findings


def main():
    ap = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    ap.add_argument("adze", type=os.path.abspath)
    ap.add_argument("--from", dest="first", type=int, default=1)
    ap.add_argument("--cases", type=int, default=100)
    ap.add_argument("--seconds", type=float, default=0, help="go on for so long, whatever --cases says")
    ap.add_argument("--keep", default="")
    ap.add_argument("--jobs", type=int, default=1)
    a = ap.parse_args()
    bases, end, done, bad, number = seeds.names(), time.monotonic() + a.seconds, 0, 0, a.first
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        while (time.monotonic() < end) if a.seconds else (number < a.first + a.cases):
            count = 20 if a.seconds else min(20, a.first + a.cases - number)
            for n, name, findings in pool.map(lambda n: try_case(a, bases, n), range(number, number + count)):
                done += 1
                for line, wrong in findings:
                    bad += 1
                    print("case %d (of %s): adze %s: %s" % (n, name, " ".join(line), wrong), flush=True)
            number += count
    print("%d cases, %d findings" % (done, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
