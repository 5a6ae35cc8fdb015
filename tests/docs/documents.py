"""The commands in the fenced blocks of README.md and docs/: found, run as written, compared in shape.

A block whose commands stand after `$ ` also shows their output. One whose lines all begin with a known program is a
list of commands; a first line `# needs an AWS account` says to the reader, and to the test, what else it takes to run
them. A line that ends in a backslash goes on in the next one. Any other block is a picture.
"""
import os
import re
import shutil
import signal
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = r"(?:adze|build/adze|bench/\w+|tools/[\w-]+|make|kubectl|export|curl|sed|helm|aws|skopeo|mkdir|git|cd|tests/[\w/-]+)\b"
PATIENCE_SECONDS = 90


class Command:
    def __init__(self, text, document, line, needs=None):
        self.text, self.where = text, f"{document}:{line}"
        self.needs = needs  # what the block says that it takes
        self.output = []  # the lines that the document shows

    def __repr__(self):
        return f"{self.where}: {self.text}"


def documents():
    """Not docs/rules/: its commands are requirements, some of them not implemented yet."""
    names = [os.path.relpath(os.path.join(folder, name), ROOT) for folder, _, names in os.walk(os.path.join(ROOT, "docs"))
             for name in names if name.endswith(".md")]
    return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", *sorted(name for name in names if not name.startswith("docs/rules/"))]


def blocks(document):
    """Line number of the first line, and the lines without the fence's indentation."""
    with open(os.path.join(ROOT, document), encoding="utf-8") as file:
        lines = file.read().split("\n")
    begin = None
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("```"):
            continue
        if begin is None:
            begin, indent = number, len(line) - len(line.lstrip())
        else:
            yield begin + 1, [text[indent:] for text in lines[begin:number - 1]]
            begin = None
    assert begin is None, f"{document}:{begin}: the block does not end"


def commands(document):
    for first, lines in blocks(document):
        needs = re.match(r"# (needs .+)", lines[0] if lines else "")
        needs = needs and needs.group(1)
        if needs:
            first, lines = first + 1, lines[1:]
        if any(line.startswith("$ ") for line in lines):
            command = None
            for number, line in enumerate(lines, first):
                if line.startswith("$ "):
                    if command is not None:
                        yield command
                    command = Command(line[2:], document, number, needs)
                else:
                    assert command is not None, f"{document}:{number}: output before the first command"
                    command.output.append(line)
            yield command
            continue
        lines = joined(lines)
        are_commands = [bool(re.match(PROGRAMS, line)) for _, line in lines]
        assert all(are_commands) or not (needs or any(are_commands)), f"{document}:{first}: some lines are commands and some are not"
        for number, line in lines if all(are_commands) else ():
            yield Command(line, document, first + number, needs)


def joined(lines):
    """Numbered lines that are not empty, with those that they go on in."""
    result, whole = [], True
    for number, line in enumerate(lines):
        if not whole:
            result[-1] = (result[-1][0], result[-1][1].removesuffix("\\") + line.strip())
        elif line.strip():
            result.append((number, line))
        whole = not line.endswith("\\")
    return result


def inline_make_targets():
    """Targets that the text names: `make demo ARGS=--serve`."""
    for document in documents():
        with open(os.path.join(ROOT, document), encoding="utf-8") as file:
            for target in re.findall(r"`make ([a-z][a-z0-9-]*)", file.read()):
                yield document, target


# --- shape --------------------------------------------------------------------------------------------------------

SHAPES = [
    (r"\b[a-z][a-z0-9-]*\.(?:metal|nano|micro|small|medium|\d*x?large)\b(?:-\d+xl)?", "TYPE"),
    (r"\bnode-[0-9a-f]{8,}\b|\bkwok-\w+-[a-z0-9]{5}-[a-z0-9]{5}\b", "NODE"), (r"\bi-[0-9a-f]{17}\b", "INSTANCE"), (r"\b(default|office)-[a-z0-9]{5}\b", "CLAIM"),
    (r"\b([a-z]{2}-[a-z]+-\d)[a-f]\b", r"\1z"),
    (r"\b(on-demand|spot)\b", "on-demand"),
    (r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME"), (r"\d+(?:\.\d+)?", "0"), (r"(?:0[hms])+\b", "0s"),
    (r"\b(object|error|warning|other|pod|node|NodePool)s\b", r"\1"), (r"\s+", " "),
]


def shape(lines):
    """Without the parts that differ from run to run and with every better plan; rows of a table that look alike count
    once."""
    shapes = []
    for line in lines:
        for pattern, replacement in SHAPES:
            line = re.sub(pattern, replacement, line)
        line = line.strip()
        if line and (not shapes or shapes[-1] != line):
            shapes.append(line)
    return shapes


def differs(shown, printed):
    """differs_exactly(), of the lines' shapes."""
    return differs_exactly(shape(shown), shape(printed))


def differs_exactly(shown, printed):
    """Shown lines that are not printed, or the reverse; None: no difference. A line `...` stands for any lines."""
    shown, printed = ([line.rstrip() for line in lines if line.strip()] for lines in (shown, printed))
    at, skipping = 0, False
    for line in shown:
        if line == "...":
            skipping = True
            continue
        while skipping and at < len(printed) and printed[at] != line:
            at += 1
        skipping = False
        if at >= len(printed) or printed[at] != line:
            return f"shown:   {line}\nprinted: {printed[at] if at < len(printed) else '(nothing more)'}"
        at += 1
    return None if skipping or at == len(printed) else f"printed, but not shown: {printed[at]}"


# --- running ------------------------------------------------------------------------------------------------------

class Sandbox:
    """A folder that looks like this repository after `make`, with a make that does not compile."""

    def __init__(self, folder, adze, kubectl):
        self.folder, self.adze, self.kubectl = folder, os.path.abspath(adze), kubectl
        self.log = 0
        for name in ("examples", "tests", "tools", "bench", "docs"):
            shutil.copytree(os.path.join(ROOT, name), self.path(name), symlinks=True,
                            ignore=shutil.ignore_patterns("__pycache__", "results", "cases"))
        shutil.copy(os.path.join(ROOT, "Makefile"), self.path("Makefile"))
        for name in ("meson.build", "meson_options.txt"):
            self.write(name, "")
        for name in ("bin", "home", "build", "build-test"):
            os.mkdir(self.path(name))
        for name in ("bin/ninja", "bin/meson", "tools/install-dependencies"):
            self.write(name, "#!/bin/sh\n")
            os.chmod(self.path(name), 0o755)
        for name in ("build", "build-test"):
            self.write(name + "/build.ninja", "")
        for name in ("bin/adze", "build/adze"):
            os.symlink(self.adze, self.path(name))
        if kubectl:
            os.symlink(kubectl, self.path("bin/kubectl"))
        self.environment = {key: value for key, value in os.environ.items()
                            if key.endswith("SAN_OPTIONS") or key in ("LD_LIBRARY_PATH", "LANG")}
        self.environment.update(HOME=self.path("home"), TMPDIR=folder, TZ="UTC", METRICS_PORT="0", HEALTH_PROBE_PORT="0",
                                PATH=self.path("bin") + ":" + os.environ["PATH"])

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "w") as file:
            file.write(content)

    def run(self, command, patience=PATIENCE_SECONDS):
        """Exit status, and all output."""
        run = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True, errors="replace",
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=patience)
        return run.returncode, run.stdout

    def start(self, command):
        return Running(self, command)


class Running:
    """A command that is not waited for."""

    def __init__(self, sandbox, command):
        sandbox.log += 1
        self.path = sandbox.path(f"output-{sandbox.log}")
        with open(self.path, "w") as output:
            self.process = subprocess.Popen(["bash", "-c", command], cwd=sandbox.folder, env=sandbox.environment,
                                            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                            start_new_session=True)

    def output(self):
        with open(self.path, errors="replace") as file:
            return file.read()

    def until(self, condition, what, patience=PATIENCE_SECONDS):
        deadline = time.monotonic() + patience
        while not condition():
            assert self.process.poll() is None, f"ended with {self.process.returncode} before {what}:\n{self.output()}"
            assert time.monotonic() < deadline, f"waited in vain for {what}:\n{self.output()}"
            time.sleep(0.2)

    def wait(self, patience=PATIENCE_SECONDS):
        return self.process.wait(timeout=patience), self.output()

    def end(self):
        """Like Ctrl-C: every process of its group."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
