#!/usr/bin/env python3
"""Another provider is a folder and a row: the commands know it by the table alone."""
import json
import pathlib
import subprocess
import sys
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples/inflate.yaml"


def adze(*arguments):
    result = subprocess.run([adze.program, *arguments], capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


class Toy(unittest.TestCase):
    def test_a_plan_with_its_instance_types(self):
        code, output = adze("plan", "-f", str(EXAMPLE), "--provider", "toy")
        self.assertEqual(code, 0, output)
        self.assertIn("2 of wood", output)
        plan = json.loads(adze("plan", "-f", str(EXAMPLE), "--provider", "toy", "-o", "json")[1])
        self.assertIn('"toy-', json.dumps(plan))

    def test_help_and_complaints_name_it(self):
        for command in ("plan", "explain", "budgets", "snapshot"):
            self.assertIn("  toy                  building blocks\n", adze(command, "--help")[1])
        code, output = adze("plan", "-f", str(EXAMPLE), "--provider", "bricks")
        self.assertEqual(code, 2)
        self.assertIn("--provider takes kwok, sim or toy, not bricks", output)

    def test_the_default_stays(self):
        self.assertIn("of EC2", adze("plan", "-f", str(EXAMPLE))[1])

    def test_it_does_not_run_against_a_cluster(self):
        code, output = adze("controller", "--provider", "toy")
        self.assertEqual(code, 2)
        self.assertIn("--provider toy: only kwok or aws runs against a cluster", output)


if __name__ == "__main__":
    adze.program = sys.argv.pop(1)
    unittest.main()
