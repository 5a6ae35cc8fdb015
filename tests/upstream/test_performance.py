#!/usr/bin/env python3
"""performance.py on a sample of the suite's files: two workloads, one of them failed after its first step, and one
without measurements."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "sample")


def run(*arguments):
    done = subprocess.run([sys.executable, os.path.join(HERE, "performance.py"), *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.report = os.path.join(folder.name, "report.jsonl")

    def run_sample(self):
        return run(os.path.join(SAMPLE, "suite.json"), SAMPLE, self.report)

    def rows(self):
        with open(self.report) as file:
            return [json.loads(line) for line in file]

    def test_steps_go_to_the_test_during_which_they_ended(self):
        self.run_sample()
        self.assertEqual([(row["test"], row.get("step"), row["seconds"]) for row in self.rows()],
                         [("Basic Deployment", "Scale Out Test", 145.2),
                          ("Wide Deployments", "Wide Deployments Performance Test", 59.0),
                          ("Wide Deployments", "Wide Deployments Consolidation Test", 638.4),
                          ("Drift Performance", None, 60.0)])

    def test_a_row_has_what_the_suite_measured(self):
        self.run_sample()
        self.assertEqual(self.rows()[2], {
            "test": "Wide Deployments", "state": "passed", "step": "Wide Deployments Consolidation Test", "seconds": 638.4,
            "pods": 700, "nodes": 115, "cpu": 88.7, "memory": 86.5, "rounds": 7})

    def test_the_table_has_a_line_a_step_and_tells_failures(self):
        status, output = self.run_sample()
        self.assertEqual(status, 1)
        self.assertEqual(output.splitlines(), [
            "| workload | passed | seconds | nodes | cpu | memory | rounds |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
            "| Basic Deployment: Scale Out Test, 1000 pods | failed | 145 | 551 | 84 % | 73 % | 1 |",
            "| Wide Deployments: Wide Deployments Performance Test, 1000 pods | yes | 59 | 183 | 75 % | 74 % | 1 |",
            "| Wide Deployments: Wide Deployments Consolidation Test, 700 pods | yes | 638 | 115 | 89 % | 86 % | 7 |",
            "| Drift Performance | failed | 60 | - | - | - | - |",
            "FAILED Basic Deployment: Total scale-out time should be less than 2 minutes",
            "FAILED Drift Performance: Timed out after 60 s",
        ])

    def test_runs_stand_beside_each_other(self):
        self.run_sample()
        other = self.report + ".other"
        with open(other, "w") as file:
            file.write(json.dumps(self.rows()[1]) + "\n")
        status, output = run("--table", f"adze={self.report}", f"upstream={other}")
        self.assertEqual(status, 0)
        self.assertEqual(output.splitlines()[2:4], [
            "| Basic Deployment: Scale Out Test, 1000 pods | 145 s, 551 nodes, 84 / 73 %, **failed** | not run |",
            "| Wide Deployments: Wide Deployments Performance Test, 1000 pods | 59 s, 183 nodes, 75 / 74 % | "
            "59 s, 183 nodes, 75 / 74 % |",
        ])

    def test_nothing_ran(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = os.path.join(folder, "suite.json")
            with open(empty, "w") as file:
                file.write('[{"SpecReports": null}]')
            self.assertEqual(run(empty, folder, self.report)[0], 1)


if __name__ == "__main__":
    unittest.main()
