#!/usr/bin/env python3
"""rules-coverage on a small project with its own book (series ZZZ and YYY, which the real book lacks)."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "rules-coverage"
README = "| series | chapter | subject | state |\n| ZZZ | z.md | z | complete |\n| YYY | y.md | y | open |\n"
CHAPTER = "# Z\n\n- ZZZ-1 One,\n  in two lines.\n- ZZZ-2 Two, not ZZZ-1.\n\nZZZ-3 Three.\n\n| ZZZ-4 | four |\n\n## 2.\n\n## ZZZ-5 Five\n"


class RulesCoverage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("docs/rules/README.md", README)
        self.write("docs/rules/z.md", CHAPTER)
        self.write("docs/rules/y.md", "YYY-1 An open one.\n")
        self.write("src/a.c", "// ZZZ-1\n")
        self.write("tests/test_a.c", "// ZZZ-1, 2 and 3\nstatic void test_ZZZ_4_5(void) {}\n")

    def write(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_it(self, *arguments):
        result = subprocess.run([sys.executable, SCRIPT, "--root", self.folder.name, *arguments],
                                capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def assert_fails(self, expected):
        code, output = self.run_it()
        self.assertEqual(code, 1, output)
        self.assertIn(expected, output)

    def test_all_is_well(self):
        code, output = self.run_it()
        self.assertEqual(code, 0, output)
        self.assertIn("ZZZ (complete): 5 rules, 5 cited by tests", output)

    def test_a_cited_rule_must_exist(self):
        self.write("src/b.h", "\n// See ZZZ-9.\n")
        self.assert_fails("src/b.h:2: ZZZ-9 is cited, but not in docs/rules")

    def test_a_rule_cited_by_the_book_must_exist(self):
        self.write("docs/rules/y.md", "YYY-1 As ZZZ-8.\n")
        self.assert_fails("docs/rules/y.md:1: ZZZ-8 is cited")

    def test_the_ends_of_a_range_must_exist_and_cite_nothing(self):
        self.write("src/b.h", "// ZZZ-1 to 7\n")
        self.assert_fails("src/b.h:1: ZZZ-7 is the end of a range")
        self.write("src/b.h", "")
        self.write("tests/test_a.c", "// ZZZ-1 to ZZZ-5\n")
        self.assert_fails("ZZZ-1 (z.md:3): no test cites it")

    def test_a_complete_series_is_tested_or_excused(self):
        self.write("tests/test_a.c", "// ZZZ-1, 2, 3, 4\n")
        self.assert_fails("ZZZ-5 (z.md:13): no test cites it")
        self.write("tests/rules-excused.txt", "# reasons\nZZZ-5 a definition\n")
        code, output = self.run_it()
        self.assertEqual(code, 0, output)
        self.write("tests/rules-excused.txt", "ZZZ-5\n")
        self.assertEqual(self.run_it()[0], 2)
        self.write("tests/rules-excused.txt", "ZZZ-5 a definition\nZZZ-6 is not there\n")
        self.assert_fails("ZZZ-6 is not in docs/rules")

    def test_a_needless_excuse_is_noted(self):
        self.write("tests/rules-excused.txt", "ZZZ-1 a definition\n")
        code, output = self.run_it()
        self.assertEqual(code, 0, output)
        self.assertIn("the excuse may go", output)

    def test_a_rule_is_defined_once(self):
        self.write("docs/rules/y.md", "- ZZZ-1 Again.\n")
        self.assert_fails("ZZZ-1 is defined twice")

    def test_code_blocks_define_nothing(self):
        self.write("docs/rules/y.md", "```\nYYY-2 in code\n```\n\nYYY-1 A rule.\n")
        self.write("src/b.h", "// YYY-2\n")
        self.assert_fails("src/b.h:1: YYY-2 is cited")

    def test_a_rule_is_shown_with_its_citations(self):
        code, output = self.run_it("ZZZ-1")
        self.assertEqual(code, 0, output)
        self.assertEqual(output, "docs/rules/z.md:3\n- ZZZ-1 One,\n  in two lines.\n"
                                 "  cited: src/a.c:1\n  cited: tests/test_a.c:1\n")
        self.assertEqual(self.run_it("ZZZ-9")[0], 1)
        self.assertEqual(self.run_it("--nonsense")[0], 2)


if __name__ == "__main__":
    unittest.main()
