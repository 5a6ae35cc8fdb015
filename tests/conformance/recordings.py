"""Shared by the runners of recorded decisions: arguments, and queries to a program about a recorded cluster."""
import argparse, copy, concurrent.futures, glob, json, os, subprocess, tempfile

SECONDS_MAX = 120  # for one case


def arguments():
    ap = argparse.ArgumentParser()
    ap.add_argument("binary")
    ap.add_argument("cases")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--share", default="1/1", metavar="K/N", help="the K-th of every N cases")
    return ap.parse_args()


def exceptions():
    """Case -> the reason for its difference, and whether it is a tie."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.json")) as f:
        return json.load(f)


def restored(docs, exception):
    """The objects plus the facts that the recording lost, or that arrived during its wait."""
    docs = copy.deepcopy(docs)
    for fact in exception["restored"]:
        if "add" in fact:
            docs.append(fact["add"])
            continue
        found = [d for d in docs if d["kind"] == fact["in"]["kind"] and d["metadata"]["name"] == fact["in"]["name"]]
        place = found[0]
        for key in fact["at"][:-1]: place = place[key]
        place[fact["at"][-1]] = fact["value"]
    return docs


def ask(command, docs, accepted=(0,)):
    """The program's JSON answer about the objects, passed as a file, and None; or None and the error."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as t:
        t.write(json.dumps({"apiVersion": "v1", "kind": "List", "items": docs}))  # dump() would take five times as long
        t.flush()
        p = subprocess.run(command + ["-f", t.name], capture_output=True, text=True, timeout=SECONDS_MAX)
    if p.returncode not in accepted:
        return None, "exit %d: %s" % (p.returncode, p.stderr.strip()[-300:])
    return json.loads(p.stdout), None


def files(a, prefix):
    first, every = map(int, a.share.split("/"))
    return sorted(glob.glob(os.path.join(a.cases, prefix + "-*.json")))[first - 1::every]


def run_all(run, a, paths):
    """run(binary, path) of all, in order, a few at a time."""
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as ex:
        yield from ex.map(lambda f: run(a.binary, f), paths)
