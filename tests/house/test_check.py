#!/usr/bin/env python3
"""check.py on a house of two floors, compiled here."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent / "check.py"
SOURCES = {
    "base/text.h": "int text_length(void);\n",
    "base/text.c": '#include "base/text.h"\nint text_length(void) { return 1; }\n',
    "control/runtime/control.h": "struct control {\n    int started;\n};\n",
    "control/node/drain.h": "#pragma once\nstruct drain {\n    int pods;\n};\nint drain_start(void);\n",
    "control/node/drain.c": '#include "control/node/drain.h"\n#include "base/text.h"\n'
                            "int drain_start(void) { return text_length(); }\n",
    "control/main.c": '#include "control/node/drain.h"\nint main(void) { return drain_start(); }\n',
}
ROOMS = "# from the ground up\nbase\ncontrol/runtime\ncontrol/node\ncontrol\n"
README = "# Room\n\nOne line.\n"


@unittest.skipUnless(shutil.which("cc"), "no compiler")
class House(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("tests/house/rooms.txt", ROOMS)
        for name, text in SOURCES.items():
            self.write("src/" + name, text)
        for room in ROOMS.splitlines()[1:]:
            self.write(f"src/{room}/README.md", README)
        self.write("src/control/README.md", README + "- `runtime/` the first\n- `node/` the second\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, *arguments, kinds=("wall", "cycle", "header", "control", "provider", "length", "unused", "reference", "readme")):
        commands = []
        for path in sorted((self.root / "src").rglob("*.c")):
            output = str(path.relative_to(self.root)).replace("/", "_") + ".o"
            subprocess.run(["cc", "-c", "-I", self.root / "src", path, "-o", self.root / output], check=True)
            commands.append({"directory": str(self.root), "file": str(path), "output": output})
        self.write("compile_commands.json", json.dumps(commands))
        result = subprocess.run([sys.executable, CHECK, self.root, *kinds, "--root", self.root, *arguments],
                                capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def assert_violation(self, expected):
        code, output = self.check()
        self.assertEqual(code, 1, output)
        self.assertIn(expected, output)

    def test_a_house_in_order(self):
        code, output = self.check()
        self.assertEqual((code, output), (0, "0 violations, 0 more are excused\n"))

    def test_an_include_that_goes_up(self):
        self.write("src/base/text.h", '#include "control/node/drain.h"\nint text_length(void);\n')
        self.assert_violation("wall: src/base/text.h includes control/node/drain.h")

    def test_a_call_that_goes_up(self):
        self.write("src/base/text.c", "int drain_start(void);\nint text_length(void);\nint text_length(void) { return drain_start(); }\n")
        self.assert_violation("wall: src/base/text.c uses drain_start of src/control/node/drain.c")

    def test_a_source_without_a_room(self):
        self.write("src/attic/a.h", "")
        self.assert_violation("src/attic/a.h stands in no room")

    def test_sources_in_a_circle(self):
        self.write("src/base/error.h", "void error_set(void);\n")
        self.write("src/base/error.c", '#include "base/error.h"\n#include "base/text.h"\nvoid error_set(void) { text_length(); }\n')
        self.write("src/base/text.c", '#include "base/text.h"\n#include "base/error.h"\nint text_length(void) { error_set(); return 0; }\n')
        self.assert_violation("cycle: src/base: 2 sources include each other in circles within their rooms:\n    base: error → text → error\n")
        self.write("tests/house/excused.txt", "cycle base 1\n")
        self.assertEqual(self.check()[0], 1)
        self.write("tests/house/excused.txt", "cycle base 2\n")
        self.assertEqual(self.check()[0], 0)

    def test_headers_in_a_circle(self):
        self.write("src/base/a.h", '#pragma once\n#include "base/b.h"\n')
        self.write("src/base/b.h", '#pragma once\n#include "base/a.h"\n')
        self.assert_violation("headers include each other in a circle: base/a.h → base/b.h → base/a.h")

    def test_a_source_without_a_header(self):
        self.write("src/base/stray.c", "int stray(void);\nint stray(void) { return 0; }\n")
        self.write("tests/test_stray.c", "int stray(void);\n")
        self.assert_violation("src/base/stray.c has no header of its name and exports stray")

    def test_an_entry_of_a_table_needs_none(self):
        self.write("tests/house/rooms.txt", "base\nmodel/schema\ncontrol/runtime\ncontrol/node\ncontrol\n")
        self.write("src/model/schema/README.md", README)
        self.write("src/model/schema/tables.h", "extern int type_pod;\n")
        self.write("src/model/schema/pod_tables.c", '#include "model/schema/tables.h"\nint type_pod = 1;\n')
        code, output = self.check()
        self.assertEqual(code, 0, output)

    def test_struct_control_names_a_controller(self):
        self.write("src/control/runtime/control.h", "struct control {\n    struct drain *drain;\n    struct loop *loop;\n};\n")
        self.assert_violation("struct control names drain of src/control/node/drain.h")

    def test_a_provider_is_named_in_its_own_folder_only(self):
        self.write("src/control/node/drain.h", '// As on AWS.\nint drain_start(void);\n#define DRIVER "ebs.csi.aws.com" // ec2\n')
        self.assertEqual(self.check()[0], 0)
        self.write("src/control/node/drain.h", "int drain_start(void);\n#define LINK \"http://karpenter.kwok.sh\"\n")
        self.assert_violation("provider: src/control/node/drain.h names a cloud provider: kwok")
        self.write("src/control/node/drain.h", "int drain_start(void);\nenum { KIND_EC2_NODE_CLASS, laws, well_known_aws };\n")
        self.assert_violation("names a cloud provider: KIND_EC2_NODE_CLASS, well_known_aws\n")

    def test_a_long_source_says_why(self):
        self.write("src/base/table.h", "\n" * 501)
        self.assert_violation("src/base/table.h has 501 lines")
        self.write("src/base/table.h", "// Long: one table.\n" + "\n" * 501)
        self.assertEqual(self.check()[0], 0)

    def test_a_function_that_nobody_calls(self):
        self.write("src/base/text.h", "int text_length(void);\nint text_width(void);\n")
        self.write("src/base/text.c", SOURCES["base/text.c"] + "int text_width(void) { return 1; }\n")
        self.assert_violation("no other source or test uses text_width(): remove it")
        self.write("tests/test_text.c", "text_width();\n")
        self.assertEqual(self.check()[0], 0)

    def test_a_source_that_does_not_exist(self):
        self.write("src/base/text.h", "// As text.c, base/text.c and *_texts.c.\nint text_length(void);\n")
        self.write("docs/a.md", "See `control/node/drain.h` and docs/b.md.\n")
        self.assertEqual(self.check()[0], 0)
        self.write("docs/a.md", "\nSee `control/drain.h`.\n")
        self.assert_violation("docs/a.md:2 names control/drain.h, which does not exist")
        self.write("docs/a.md", "")
        self.write("src/base/text.h", "int text_length(void); // as word.c\n")
        self.assert_violation("src/base/text.h:1 names word.c, which does not exist")

    def test_readmes(self):
        readme = self.root / "src/base/README.md"
        readme.write_text("# Room\n" + "line\n" * 7)
        self.assert_violation("src/base/README.md has 7 lines of text")
        for name in ("a", "b", "c"):
            self.write(f"src/base/{name}.h", "")
        readme.write_text("# Room\n\n`a`, `b.h` and `c` are here.\n")
        self.assert_violation("src/base/README.md lists files: a, b, c")
        readme.unlink()
        self.assert_violation("src/base/README.md is missing")

    def test_a_floor_names_its_rooms(self):
        self.write("src/control/README.md", "# control\n" + "line\n" * 6 + "- `runtime/` the first\n- `node/` the second\n")
        self.assertEqual(self.check()[0], 0)
        self.write("src/control/README.md", "# control\n- `node/` the first\n")
        self.assert_violation("src/control/README.md does not name its rooms in the order of rooms.txt")

    def test_assertions_are_counted(self):
        code, output = self.check(kinds=["assertions"])
        self.assertEqual(code, 1, output)
        self.assertIn("src/ has 0 assertions", output)

    def test_excuses(self):
        self.write("src/base/text.h", '#include "control/node/drain.h"\nint text_length(void);\n')
        self.write("tests/house/excused.txt", "# why\nwall base control/node\n\nlength old.c\n")
        code, output = self.check()
        self.assertEqual(code, 0, output)
        self.assertIn('note: excused.txt: "length old.c" no longer occurs: remove it', output)
        self.assertIn("0 violations, 1 more are excused", output)
        self.assertIn("excused wall: src/base/text.h includes", self.check("--all")[1])
        self.write("tests/house/excused.txt", "nonsense base\n")
        self.assertEqual(self.check()[0], 2)

    def test_a_build_that_is_not_there(self):
        result = subprocess.run([sys.executable, CHECK, self.root, "--root", self.root], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("compile_commands.json: missing", result.stderr)


if __name__ == "__main__":
    unittest.main()
