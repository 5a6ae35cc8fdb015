#!/usr/bin/env python3
"""Input designed to take memory or time (API-303): every command that reads files exits with a status of 0 to 3 within
bounds of both, and names the exceeded limit. Address space is bounded where no sanitizer needs it, resident memory
where one does."""
import os
import resource
import subprocess
import sys
import tempfile
import unittest

from program import ADZE

MEMORY_BYTES = 2 << 30
SECONDS_MAX = 20           # of processor time, without sanitizers
SANITIZED = b"__asan_init" in open(ADZE, "rb").read()
MIB = 1 << 20
POOL = b"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec:\n"
POD = b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"


def nested(keys, length, items):
    """Nested keys, each long, over many short values: few bytes, but a full path for each value takes gigabytes."""
    return b"".join(b"{%s%03d: " % (b"k" * (length - 3), i) for i in range(keys)) + b"[" + b"1," * items + b"]" + b"}" * keys


def alias_bomb(item, levels, fan_out):
    lines = [b"a0: &a0 " + item]
    for level in range(1, levels):
        lines.append(b"a%d: &a%d [%s]" % (level, level, b",".join([b"*a%d" % (level - 1)] * fan_out)))
    return b"\n".join(lines)


def list_of(item, count, before=b"", after=b""):
    return before + b"apiVersion: v1\nkind: List\nitems: [" + b",".join([item] * count) + b"]" + after


CASES = {
    # name: (its construction, a part of the complaint or None if it is accepted)
    "long paths": (lambda: b"apiVersion: karpenter.sh/v1\nkind: NodePool\nx: " + nested(55, 1000, 100000), None),
    "long paths in JSON": (lambda: b'{"apiVersion": "v1", "kind": "Pod", "x": ' + b"".join(
        b'{"%s%03d": ' % (b"k" * 997, i) for i in range(55)) + b"[" + b"1," * 100000 + b"1]" + b"}" * 56, None),
    "documents": (lambda: b"{}\n---\n" * 3000000, "more than"),
    "JSON values": (lambda: b"{}\n" * 3000000, "more than"),
    "empty documents": (lambda: b"---\n" * 3000000, "more than"),
    "items of lists": (lambda: list_of(b"{}", 6000000), "more than"),
    "items of a list in JSON": (lambda: b'{"apiVersion": "v1", "kind": "List", "items": [' + b"{}," * 6000000 + b"{}]}", "more than"),
    "lists of one item": (lambda: b"kind: List\nitems: [{}]\n---\n" * 1000000, "more than"),
    "empty mappings": (lambda: POD + b"  x: [" + b"{}," * 20000000 + b"{}]", "MiB of memory"),
    "empty mappings in JSON": (lambda: b'{"apiVersion": "v1", "kind": "Pod", "x": [' + b"{}," * 20000000 + b"{}]}", "MiB of memory"),
    "numbers": (lambda: POD + b"  x: [" + b"1," * 30000000 + b"1]", "MiB of memory"),
    "numbers in JSON": (lambda: b"[" + b"1," * 30000000 + b"1]", "MiB of memory"),
    "an alias bomb": (lambda: alias_bomb(b"[x,x,x,x,x,x,x,x,x,x]", 9, 10), "after aliases"),
    "a bomb of long texts": (lambda: alias_bomb(b"x" * MIB, 4, 10), "after aliases"),
    "a bomb of merges": (lambda: b"a0: &a0 {%s}\n" % b",".join(b"k%d: 1" % i for i in range(10000)) +
                         b"b: [" + b",".join([b"{<<: *a0}"] * 10000) + b"]", "after aliases"),
    "a bomb of containers": (lambda: POD + b"  containers: &c [" + b",".join([b"{name: c}"] * 1000) + b"]\n  x: 1\n---\n" +
                             b"x: &x {name: c, ports: [" + b",".join([b"{containerPort: 1}"] * 100) + b"]}\n"
                             b"apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {containers: [" + b",".join([b"*x"] * 90000) + b"]}", None),
    "a bomb of pods": (lambda: b"p: &p\n  apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec: {containers: [" +
                       b",".join([b"{name: c}"] * 300) + b"]}\nkind: List\napiVersion: v1\nitems: [" + b",".join([b"*p"] * 30000) + b"]", None),
    "deep lists": (lambda: b"[" * 100000, "deeper than 64"),
    "deep lists of lines": (lambda: b"- " * 10 * MIB, "deeper than 64"),
    "deep mappings in JSON": (lambda: b'{"a":' * 100000, "deeper than 64"),
    "a deep block": (lambda: b"".join(b" " * i + b"a:\n" for i in range(5000)), "deeper than 64"),
    "a huge text": (lambda: POOL + b"  weight: " + b"x" * 60 * MIB, None),
    "a huge key": (lambda: POOL + b"  ? " + b"x" * 60 * MIB + b"\n  : 1\n", None),
    "a huge key in JSON": (lambda: b'{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "' + b"x" * 60 * MIB + b'": 1}', None),
    "a huge label": (lambda: b"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: p\n  labels:\n    ? " + b"x" * 20 * MIB +
                     b"\n    : " + b"y" * 20 * MIB, None),
    "a huge name": (lambda: b"apiVersion: v1\nkind: Pod\nmetadata: {name: " + b"x" * 30 * MIB + b"}\nspec: {containers: []}", None),
    "a huge kind": (lambda: b"apiVersion: karpenter.sh/v1\nkind: " + b"x" * 30 * MIB, None),
    "a huge cron schedule": (lambda: POOL + b"  disruption: {budgets: [{nodes: '1', duration: 1h, schedule: '" + b"1," * 10 * MIB + b"1 * * * *'}]}", None),
    "a huge comment": (lambda: b"# " + b"x" * 60 * MIB, None),
    "a long line of blanks": (lambda: b"a:" + b" " * 60 * MIB + b"1", None),
    "lines": (lambda: b"\n" * 60 * MIB, None),
    "huge numbers": (lambda: POD + b"  priority: " + b"9" * 20 * MIB, None),
    "huge numbers in JSON": (lambda: b'{"a": ' + b"9" * 20 * MIB + b"}", None),
    "a huge exponent": (lambda: POD + b"  containers: [{name: c, resources: {requests: {cpu: 1e999999999, memory: '1e-999999999', a/b: '" +
                        b"9" * MIB + b"'}}}]", None),
    "a huge fraction": (lambda: POD + b"  containers: [{name: c, resources: {requests: {cpu: '0." + b"0" * 10 * MIB + b"1'}}}]", None),
    "a huge duration": (lambda: POOL + b"  template: {spec: {expireAfter: '" + b"1h" * 10 * MIB + b"'}}", None),
    "keys": (lambda: POD + b"".join(b"  k%d: 1\n" % i for i in range(4000000)), "MiB of memory"),
    "the same key": (lambda: POD + b"  k: 1\n" * 4000000, "stands twice"),
    "the same key in JSON": (lambda: b'{"a": 0' + b', "k": 1' * 4000000 + b"}", "document 1"),
    "anchors": (lambda: b"a: [" + b"".join(b"&a%d x," % i for i in range(4000000)) + b"x]", "MiB of memory"),
    "one anchor again": (lambda: b"a: [" + b"&a x," * 8000000 + b"x]", None),
    "tag directives": (lambda: b"".join(b"%%TAG !a%d! tag:a,2000:\n" % i for i in range(400000)) + b"---\na: 1\n", "%TAG"),
    "NUL bytes": (lambda: b"\0" * 10 * MIB, "document 1"),
    "a NUL byte": (lambda: b'kind: "a\\0b"\n', "NUL"),
    "a NUL byte in JSON": (lambda: b'{"kind": "a\\u0000b"}', "document 1"),
    "no UTF-8": (lambda: b"kind: \xff\xfe\xc0\x80\n", "document 1"),
    "UTF-16": (lambda: "kind: Pod\n".encode("utf-16"), None),
    "half a character": (lambda: b"kind: \xc3", "document 1"),
    "many errors": (lambda: POOL + b"  template: {spec: {requirements: [" + b"{key: '!', operator: X, values: ['?']}," * 500000 + b"]}}", None),
    "many objects with errors": (lambda: (POOL + b"  weight: 1000\n  x: 1\n---\n") * 400000, None),
    "many unknown fields": (lambda: POOL + b"".join(b"  weigth%d: 1\n" % i for i in range(500000)), None),
    "many long errors": (lambda: POOL + b"  template: {metadata: {labels: {" + b"".join(b"'%d%s!': 'x'," % (i, b"k" * 5000) for i in range(10000)) + b"}}}", None),
    "a tree of lists": (lambda: b"kind: List\nitems: [" * 40 + b"]" * 40, None),
    "many budgets": (lambda: POOL + b"  disruption: {budgets: [" + b"{nodes: '1', schedule: '0 0 29 2 *', duration: 1h}," * 300000 + b"]}", None),
    "many pools": (lambda: b"".join(b"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p%d}\nspec: {template: {spec: {}}}\n---\n" % i
                                    for i in range(3000)), None),
}
# Up to their limits these take seconds, with sanitizers a minute: left to `make fuzz`, which runs all on the release build.
SLOW = {"a bomb of merges", "a huge cron schedule", "a huge key", "a huge key in JSON", "anchors", "empty mappings", "huge numbers in JSON",
        "items of lists", "keys", "lists of one item", "many budgets", "many errors", "many objects with errors", "numbers",
        "numbers in JSON", "one anchor again", "tag directives", "the same key", "the same key in JSON"}
COMMANDS = {"validate": ["validate"], "plan": ["plan", "-f"], "budgets": ["budgets", "-f"], "validate in JSON": ["validate", "-o", "json"]}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX * (10 if SANITIZED else 1),) * 2)
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def run(arguments, path):
    environment = {"PATH": os.environ.get("PATH", ""), "HOME": os.path.dirname(path),
                   "ASAN_OPTIONS": "malloc_context_size=2:exitcode=99:hard_rss_limit_mb=%d" % (3 * MEMORY_BYTES // MIB),
                   "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaint:
        status = subprocess.run([ADZE, *arguments, path], stdout=out, stderr=complaint, env=environment, preexec_fn=limit).returncode
        size = out.tell()
        out.seek(0)
        complaint.seek(0)
        told = (complaint.read(4000) + out.read(4000)).decode("utf-8", "replace")
    return status, told, size, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


class HostileInput(unittest.TestCase):
    def check(self, name, commands, verbose=False):
        make, expected = CASES[name]
        with tempfile.TemporaryDirectory() as folder:
            data = make()
            path = os.path.join(folder, "input.json" if data[:1] in b"{[" else "input.yaml")
            with open(path, "wb") as file:
                file.write(data)
            del data
            for command in commands:
                with self.subTest(input=name, command=command):
                    status, told, size, seconds = run(COMMANDS[command], path)
                    if verbose:
                        print("%-26s %-16s %3d %6.1f s %9d bytes  %s" % (name, command, status, seconds, size, told[:150].replace(folder, "").replace("\n", " | ")), flush=True)
                    self.assertIn(status, (0, 1, 2, 3), told[:600])
                    self.assertLess(size, 64 * MIB)
                    if expected:
                        self.assertIn(expected, told)

    def test_all(self):
        for i, name in enumerate(sorted(CASES)):
            if not SANITIZED:
                self.check(name, ("validate", "plan"))
            elif name not in SLOW:  # both in a release build, and in `make fuzz`
                self.check(name, (("validate", "plan")[i % 2],))


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--all":  # every input, or the named ones, with every command
        case = HostileInput()
        bad = 0
        for chosen in sys.argv[2:] or sorted(CASES):
            for each in COMMANDS:
                try:
                    case.check(chosen, [each], verbose=True)
                except AssertionError as why:
                    bad += 1
                    print("  WRONG:", str(why)[:150].replace("\n", " | "), flush=True)
        sys.exit(1 if bad else 0)
    unittest.main(verbosity=1)
