#!/usr/bin/env python3
"""The layering of the sources, and the upkeep of their rooms (docs/design.md).

    check.py BUILD_FOLDER [--all] [--root FOLDER] [KIND...]

Rooms are listed in rooms.txt from the bottom up. KIND limits the check to some of these:

    wall        a source includes and calls what is in its own room or in one before it
    cycle       headers do not include each other in a circle, nor do the sources of a room with their headers
    header      a source has a header of its name beside it, or all it exports is declared in a table's header
    control     struct control names no controller
    provider    outside their own folders and model/, no string or identifier names a cloud provider
    length      a source has at most 500 lines, or says why not at its top: "// Long: REASON"
    assertions  the sources assert at least ASSERTIONS_MIN times
    unused      each external function is called by another source or by a test
    reference   a source that a comment or a document names exists
    readme      each room has a README of at most six lines of text, without a list of its files

Calls come from the symbols of the objects in BUILD_FOLDER/compile_commands.json: build first. The violations in
excused.txt do not fail the check; --all prints them, too. That list may only shrink; a number in it is the count of a
floor's sources in cycles.
Exit: 0 without violations, 1 with some, 2 for bad input.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ASSERTIONS_MIN = 1840  # calls of assert() in src/
LINES_MAX = 500
LINES_BEFORE_REASON = 12  # the reason for a long source is among its first lines
README_LINES_MAX = 6
README_FILES_MAX = 2
# Independent floors: neither uses the other.
APART = [("kube", "engine"), ("web", "engine"), ("web", "kube"), ("web", "control"), ("web", "sim")]
# Headers of tables: their entries are sources without a header of their own.
TABLES = ["model/schema/tables.h", "model/tables/rules.h", "cli/input/command.h", "cli/explain/explain.h",
          "cli/bench_options.h", "bench/bench_builder.h", "sim/aws/account_actions.h"]
# A source by its name, with or without folders; not "_tables.c" nor "*_tables.c", which stand for several.
REFERENCE = re.compile(r"(?<![\w/.*-])((?:[a-z0-9][a-z_0-9]*/)*[a-z0-9][a-z_0-9]*\.[ch])(?![\w.])")
CONTROL = "control/runtime/control.h"
CONTROL_KEEPS = {"cluster"}  # of the rooms above it: the cluster state, which every controller reads
# Floors that reach providers by the table alone, the words that reveal a provider, and Kubernetes' own words among
# these.
PROVIDER_FLOORS = ["kube", "engine", "reconcile", "control"]
PROVIDER_ROOMS = ["cloud/port", "cloud"]
PROVIDER_WORD = re.compile(r"\w*(?<![a-z])(?:kwok|ec2|aws|amazon)\w*", re.IGNORECASE)
KUBERNETES_WORDS = ["kubernetes.io/aws-ebs", "attachable-volumes-aws-ebs", "ebs.csi.aws.com", "aws_elastic_block_store"]
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)

# `key` is the name in excused.txt: it outlives moved lines and renamed functions. An excuse of `count` or more holds.
Violation = collections.namedtuple("Violation", "kind key text count", defaults=[1])


class BadInput(Exception):
    pass


def room_of(name):
    return str(pathlib.PurePosixPath(name).parent)


def floor_of(room):
    return room.split("/")[0]


def unit_of(name):
    """A source with its header."""
    return name.rsplit(".", 1)[0]


class House:
    """The sources as text: names are relative to src/."""

    def __init__(self, root):
        self.root = root
        self.src = root / "src"
        self.texts = {str(path.relative_to(self.src)): path.read_text() for path in sorted(self.src.rglob("*.[ch]"))}
        lines = (root / "tests/house/rooms.txt").read_text().splitlines()
        self.rooms = [line for line in lines if line and not line.startswith("#")]
        self.rank = {room: number for number, room in enumerate(self.rooms)}

    def includes(self):
        """(source, header) pairs as written."""
        for name, text in self.texts.items():
            for header in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
                yield name, header

    def goes_up(self, user, used):
        a, b = room_of(user), room_of(used)
        if a not in self.rank or b not in self.rank:
            return False
        floors = floor_of(a), floor_of(b)
        return self.rank[b] > self.rank[a] or floors in APART or floors[::-1] in APART


class Symbols:
    """The external symbols of the objects of src/: the source of each, and its users."""

    def __init__(self, house, build):
        self.defined, self.users = {}, collections.defaultdict(set)
        self.functions = set()
        by_object = self.objects(house, build)
        missing = [path for path in by_object if not path.is_file()]
        if missing or not by_object:
            raise BadInput(f"{build}: {len(missing) or 'all'} objects of src/ are missing: build it first")
        others = {name for name in house.texts if name.endswith(".c")} ^ set(by_object.values())
        if others:
            raise BadInput(f"{build}: not the build of these sources ({min(others)}): build it first")
        # Without -A, nm prints each of several file names on its own line.
        listing = subprocess.run(["nm", "--extern-only", *map(str, by_object)], capture_output=True, text=True, check=True)
        source = by_object[next(iter(by_object))]
        paths = {str(path): name for path, name in by_object.items()}
        for line in listing.stdout.splitlines():
            if line.endswith(":") and line[:-1] in paths:
                source = paths[line[:-1]]
                continue
            fields = line.split()
            if len(fields) == 3 and fields[1] in "TDRBCV":
                self.defined[fields[2]] = source
                if fields[1] == "T":
                    self.functions.add(fields[2])
            elif len(fields) == 2 and fields[0] == "U":
                self.users[fields[1]].add(source)

    @staticmethod
    def objects(house, build):
        """Object -> source, for each source of src/."""
        commands = build / "compile_commands.json"
        if not commands.is_file():
            raise BadInput(f"{commands}: missing")
        found = {}
        for entry in json.loads(commands.read_text()):
            path = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
            # Tests may compile our sources again.
            if path.is_relative_to(house.src) and not entry["output"].startswith("tests/"):
                found[pathlib.Path(entry["directory"]) / entry["output"]] = str(path.relative_to(house.src))
        return found

    def own(self):
        """Symbols that our sources define, without those of a sanitizer."""
        return {symbol: source for symbol, source in self.defined.items() if not symbol.startswith("__")}


# --- the checks: each yields violations ----------------------------------------------------------


def check_walls(house, symbols):
    for name in house.texts:
        if room_of(name) not in house.rank:
            yield Violation("wall", (name,), f"src/{name} stands in no room of rooms.txt")
    for user, header in house.includes():
        if house.goes_up(user, header):
            yield Violation("wall", (room_of(user), room_of(header)), f"src/{user} includes {header}")
    for symbol, definer in sorted(symbols.own().items()):
        for user in sorted(symbols.users[symbol]):
            if house.goes_up(user, definer):
                key = room_of(user), room_of(definer)
                yield Violation("wall", key, f"src/{user} uses {symbol} of src/{definer}")


def check_cycles(house, _symbols):
    headers, sources = collections.defaultdict(set), collections.defaultdict(set)
    for user, header in house.includes():
        if user.endswith(".h"):
            headers[user].add(header)
        if room_of(user) == room_of(header) and unit_of(user) != unit_of(header):
            sources[unit_of(user)].add(unit_of(header))
    for start in sorted(headers):
        way = way_round(headers, start)
        if way:
            yield Violation("cycle", (start,), f"headers include each other in a circle: {' → '.join(way)}")
    for floor in dict.fromkeys(map(floor_of, house.rooms)):
        ways = [way_round(sources, unit) for unit in sorted(sources) if floor_of(unit) == floor]
        ways = [f"{room_of(way[0])}: " + " → ".join(pathlib.PurePosixPath(unit).name for unit in way) for way in ways if way]
        if ways:
            text = f"src/{floor}: {len(ways)} sources include each other in circles within their rooms:"
            yield Violation("cycle", (floor,), "\n    ".join([text, *ways]), len(ways))


def way_round(edges, start):
    came_from, queue = {}, collections.deque([start])
    while queue:
        unit = queue.popleft()
        for following in sorted(edges.get(unit, ())):
            if following == start:
                way = [start]
                while unit != start:
                    way.append(unit)
                    unit = came_from[unit]
                return [*way, start][::-1]
            if following not in came_from:
                came_from[following] = unit
                queue.append(following)
    return None


def check_headers(house, symbols):
    tables = [house.texts[name] for name in TABLES if name in house.texts]
    exports = collections.defaultdict(list)
    for symbol, source in symbols.own().items():
        exports[source].append(symbol)
    for name in house.texts:
        if not name.endswith(".c") or unit_of(name) + ".h" in house.texts:
            continue
        stray = [symbol for symbol in sorted(exports[name]) if symbol != "main" and
                 not any(re.search(rf"\b{symbol}\b", table) for table in tables)]
        if stray:
            text = f"src/{name} has no header of its name and exports {', '.join(stray[:3])}"
            yield Violation("header", (pathlib.PurePosixPath(name).name,), text + (", …" if len(stray) > 3 else ""))


def check_control(house, _symbols):
    """Members of struct control whose type belongs to a room of control/ above it."""
    body = re.search(r"^struct control \{$(.*?)^\};$", house.texts.get(CONTROL, ""), re.MULTILINE | re.DOTALL)
    if not body:
        raise BadInput(f"src/{CONTROL}: struct control is not there")
    above = {}
    for name, text in house.texts.items():
        if floor_of(room_of(name)) == "control" and house.goes_up(CONTROL, name):
            for struct in re.findall(r"^struct (\w+) \{", text, re.MULTILINE):
                above[struct] = name
    for struct in dict.fromkeys(re.findall(r"\bstruct (\w+)", body[1])):
        if struct in above and struct not in CONTROL_KEEPS:
            yield Violation("control", (struct,), f"src/{CONTROL}: struct control names {struct} of src/{above[struct]}")


def check_providers(house, _symbols):
    for name, text in house.texts.items():
        if room_of(name) not in PROVIDER_ROOMS and floor_of(name) not in PROVIDER_FLOORS:
            continue
        code = COMMENT_OR_STRING.sub(lambda part: "" if part[0].startswith("/") else part[0], text)
        for word in KUBERNETES_WORDS:
            code = code.replace(word, "")
        words = sorted(set(PROVIDER_WORD.findall(code)))
        if words:
            yield Violation("provider", (pathlib.PurePosixPath(name).name,), f"src/{name} names a cloud provider: {', '.join(words)}")


def check_lengths(house, _symbols):
    for name, text in house.texts.items():
        lines = text.splitlines()
        top = lines[:LINES_BEFORE_REASON]
        if len(lines) > LINES_MAX and not any(re.match(r"// Long: \S", line) for line in top):
            yield Violation("length", (pathlib.PurePosixPath(name).name,), f"src/{name} has {len(lines)} lines: split it, or say why at its top "
                            "(// Long: REASON)")


def check_assertions(house, _symbols):
    count = sum(len(re.findall(r"(?<![\w.])assert\(", text)) for text in house.texts.values())
    if count < ASSERTIONS_MIN:
        yield Violation("assertions", (), f"src/ has {count} assertions, fewer than {ASSERTIONS_MIN}: "
                        "those of removed code are to be replaced")
    elif count > ASSERTIONS_MIN:
        print(f"note: src/ has {count} assertions: ASSERTIONS_MIN ({ASSERTIONS_MIN}) may rise")


def check_unused(house, symbols):
    folders = house.root / "tests", house.root / "bench"
    words = set()
    for folder in folders:
        for path in folder.rglob("*.[ch]"):
            words.update(re.findall(r"\w+", path.read_text()))
    for symbol, source in sorted(symbols.own().items()):
        if symbol in symbols.functions and symbol != "main" and symbol not in words \
                and not symbols.users[symbol] - {source}:
            here = len(re.findall(rf"\b{symbol}\b", re.sub(r"//.*", "", house.texts[source])))
            remedy = "make it static" if here > 1 else "remove it"
            yield Violation("unused", (symbol,), f"src/{source}: no other source or test uses {symbol}(): {remedy}")


def check_references(house, _symbols):
    """Paths are relative to src/, to the project, to tests/ or to the file; a bare name stands for any source."""
    tests = {str(path.relative_to(house.root / "tests")) for path in (house.root / "tests").rglob("*.[ch]")}
    names = {pathlib.PurePosixPath(name).name for name in [*house.texts, *tests]}
    for path in documents_and_sources(house):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            comment = line if path.suffix == ".md" else re.sub(r'"(?:\\.|[^"\\])*"', "", line).partition("//")[2]
            for named in REFERENCE.findall(comment):
                if "/" not in named:
                    known = named in names
                else:
                    known = named in house.texts or named in tests or any(
                        (folder / named).is_file() for folder in (house.root, path.parent))
                if not known:
                    where = path.relative_to(house.root)
                    yield Violation("reference", (str(where), named), f"{where}:{number} names {named}, which does not exist")


def documents_and_sources(house):
    for pattern in ("src/**/*.[ch]", "src/**/*.md", "tests/**/*.[ch]", "tests/**/*.md", "docs/*.md", "bench/**/*.md", "*.md"):
        yield from sorted(house.root.glob(pattern))


def check_readmes(house, _symbols):
    for room in house.rooms:
        path = house.src / room / "README.md"
        if not path.is_file():
            yield Violation("readme", (room,), f"src/{room}/README.md is missing")
            continue
        text = path.read_text()
        # A floor's README also names its rooms, a line each.
        within = [other for other in house.rooms if str(pathlib.PurePosixPath(other).parent) == room]
        a_room = re.compile(r"^(?:-|\d+\.) `(?:" + "|".join(other.split("/")[-1] for other in within) + r")/?`")
        if within:
            listed = re.findall(r"^(?:-|\d+\.) `([\w]+)/?`", text, re.MULTILINE)
            if listed != [other.split("/")[-1] for other in within]:
                yield Violation("readme", (room,), f"src/{room}/README.md does not name its rooms in the order of rooms.txt")
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        lines = [line for line in lines if not (within and a_room.match(line))]
        if len(lines) > README_LINES_MAX:
            yield Violation("readme", (room,), f"src/{room}/README.md has {len(lines)} lines of text, more than {README_LINES_MAX}")
        files = {pathlib.PurePosixPath(name).stem for name in house.texts if room_of(name) == room}
        named = {word for word in re.findall(r"`([\w]+)(?:\.[ch])?`", text)} & files
        if len(named) > README_FILES_MAX:
            yield Violation("readme", (room,), f"src/{room}/README.md lists files: {', '.join(sorted(named))}")


CHECKS = {"wall": check_walls, "cycle": check_cycles, "header": check_headers, "control": check_control, "provider": check_providers,
          "length": check_lengths, "assertions": check_assertions, "unused": check_unused, "reference": check_references,
          "readme": check_readmes}


def read_excuses(path):
    """(kind, key) -> excused count."""
    excuses = {}
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
        if line and not line.startswith("#"):
            kind, *key = line.split()
            if kind not in CHECKS:
                raise BadInput(f"{path}:{number}: unknown kind \"{kind}\"")
            count = int(key.pop()) if key and key[-1].isdigit() else 1
            excuses[kind, tuple(key)] = count
    return excuses


def note_stale_excuses(excuses, found):
    counts = {(violation.kind, violation.key): violation.count for violation in found}
    for (kind, key), count in sorted(excuses.items()):
        if (kind, key) not in counts:
            print(f"note: excused.txt: \"{' '.join([kind, *key])}\" no longer occurs: remove it")
        elif counts[kind, key] < count:
            print(f"note: excused.txt: \"{' '.join([kind, *key])}\" is down to {counts[kind, key]}: lower it")


def run(root, build, kinds, show_all):
    house = House(root)
    symbols = Symbols(house, build)
    found = sorted(violation for kind in kinds for violation in CHECKS[kind](house, symbols))
    excuses = {excuse: count for excuse, count in read_excuses(root / "tests/house/excused.txt").items()
               if excuse[0] in kinds}
    new = [violation for violation in found if violation.count > excuses.get((violation.kind, violation.key), 0)]
    for violation in found if show_all else new:
        print(f"{'' if violation in new else 'excused '}{violation.kind}: {violation.text}")
    note_stale_excuses(excuses, found)
    print(f"{len(new)} violations, {len(found) - len(new)} more are excused")
    return 1 if new else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(CHECKS))
    parser.add_argument("--all", action="store_true", help="print excused violations, too")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent.parent)
    options = parser.parse_args()
    try:
        if set(options.kinds) - set(CHECKS):
            raise BadInput(f"unknown kind: {', '.join(sorted(set(options.kinds) - set(CHECKS)))}")
        return run(options.root.resolve(), options.build.resolve(), options.kinds or list(CHECKS), options.all)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
