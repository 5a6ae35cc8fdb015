#!/usr/bin/env python3
"""The walls of the house: what each room may use (docs/design.md).

    check.py BUILD_FOLDER

Rooms stand in rooms.txt from the ground up. A source may include and call what is in its own room or in one
before it. Includes come from the sources and from the compiler's dependency files, calls from the symbols of
the objects in the build folder. Prints each violation; exit 1 when there is one, 2 for a build that cannot be read.
"""
import collections
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SRC = ROOT / "src"
# Floors that stand beside each other: neither uses the other.
APART = [("kube", "engine"), ("web", "engine"), ("web", "kube"), ("web", "control"), ("web", "sim")]


def read_rooms():
    lines = (HERE / "rooms.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def room_of(path):
    return str(pathlib.PurePosixPath(path).parent)


def floor_of(room):
    return room.split("/")[0]


def sources():
    return sorted(str(p.relative_to(SRC)) for p in SRC.rglob("*.[ch]"))


def includes():
    """(source, header) pairs as written."""
    for name in sources():
        for header in re.findall(r'^#include "([^"]+)"', (SRC / name).read_text(), re.MULTILINE):
            yield name, header


def objects(build):
    """Object file -> its source, by the compiler's dependency files."""
    deps = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found = {}
    for block in deps.split("\n\n"):
        target, _, rest = block.partition(":")
        target = target.strip().splitlines()[-1] if target.strip() else ""
        for line in rest.splitlines()[1:]:
            path = (build / line.strip()).resolve()
            if path.suffix == ".c" and path.is_relative_to(SRC):
                if re.match(r"(src/|adze\.p/)", target):
                    found[build / target] = str(path.relative_to(SRC))
                break
    return found


def calls(build):
    """(source, source that defines it, symbol)."""
    defined, used = {}, collections.defaultdict(set)
    by_object = objects(build)
    if not by_object:
        sys.exit(f"no objects of src/ in {build}: build it first")
    for path, source in by_object.items():
        for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
            fields = line.split()
            if len(fields) == 3 and fields[1] in "TDRBC":
                defined[fields[2]] = source
            elif len(fields) == 2 and fields[0] == "U":
                used[source].add(fields[1])
    for source in sorted(used):
        for symbol in sorted(used[source]):
            if symbol in defined and defined[symbol] != source:
                yield source, defined[symbol], symbol


def violations(build):
    rooms = read_rooms()
    rank = {room: number for number, room in enumerate(rooms)}
    for name in sources():
        if room_of(name) not in rank:
            yield f"src/{name} stands in no room of rooms.txt"

    def wrong(user, used):
        a, b = room_of(user), room_of(used)
        if a not in rank or b not in rank:
            return False
        floors = floor_of(a), floor_of(b)
        return rank[b] > rank[a] or floors in APART or floors[::-1] in APART

    for user, header in includes():
        if wrong(user, header):
            yield f"src/{user} includes {header}"
    for user, definer, symbol in calls(build):
        if wrong(user, definer):
            yield f"src/{user} uses {symbol} of src/{definer}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = sorted(violations(pathlib.Path(sys.argv[1]).resolve()))
    for text in found:
        print(text)
    print(f"{len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
