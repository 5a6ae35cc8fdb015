#!/usr/bin/env python3
"""Every command of README.md and docs/ works as written, and its output has the documented shape.

usage: test_docs.py ADZE [TEST]... Commands with kubectl (KUBECTL, or on the PATH) or jq are skipped, and named, where
there is none.
"""
import json
import os
import re
import shutil
import sys
import tempfile
import unittest

import documents
import rules

ADZE = os.path.abspath(sys.argv.pop(1))
KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl")
MISSING = {name for name, path in (("kubectl", KUBECTL), ("jq", shutil.which("jq"))) if path is None}

SANITIZED = b"__asan_init" in open(ADZE, "rb").read()


class Shapes(unittest.TestCase):
    def test_what_differs_from_run_to_run_is_no_difference(self):
        shown = ["COUNT  TYPE   PRICE/H", "2  m5.large  $0.1", "1  t3a.2xlarge  $0.30", "", "3 new nodes, 5.4 % less"]
        self.assertIsNone(documents.differs(shown, ["COUNT TYPE PRICE/H", "12 u7i-12tb.224xlarge $1", "1 new node, 7 % less"]))
        self.assertIn("warning", documents.differs(shown, [*shown, "warning: x"]))
        self.assertIn("nothing more", documents.differs(shown, shown[:2]))
        self.assertIsNone(documents.differs(["a", "...", "c"], ["a", "b", "b2", "c"]))
        self.assertIn("c", documents.differs(["a", "...", "c"], ["a", "b"]))

    def test_the_documents_have_commands(self):
        found = [command for document in documents.documents() for command in documents.commands(document)]
        self.assertGreater(len(found), 30)
        self.assertTrue(all(rules.rule(command) for command in found))

    def test_make_targets_that_the_text_names_exist(self):
        with open(os.path.join(documents.ROOT, "Makefile")) as file:
            targets = set(re.findall(r"^([a-z][a-z0-9-]*):", file.read(), re.M))
        for document, target in documents.inline_make_targets():
            self.assertIn(target, targets, document)


class Documents(unittest.TestCase):
    """In the order of the document: a command may use the results of an earlier one. All share one cluster."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.box = documents.Sandbox(folder.name, ADZE, KUBECTL)
        cls.in_background, cls.answers, cls.ran = {}, {}, set()
        for command in (c for document in documents.documents() for c in documents.commands(document)):
            if rules.rule(command) == rules.IN_BACKGROUND and not SANITIZED:
                cls.in_background[command.where] = cls.box.start(command.text)
                cls.addClassCleanup(cls.in_background[command.where].end)
        begin, = {c.text for c in documents.commands("README.md") if rules.rule(c) == rules.BEGIN}
        cls.demo = cls.box.start(begin)
        cls.addClassCleanup(cls.demo.end)
        cls.demo.until(lambda: "export KUBECONFIG=" in cls.demo.output() and "kubectl get" in cls.demo.output(), "a kubeconfig")
        cls.box.environment["KUBECONFIG"] = re.search(r"export KUBECONFIG=(\S+)", cls.demo.output()).group(1)
        cls.demo.until(cls.nodes, "a node that is ready")

    @classmethod
    def nodes(cls):
        status, out = cls.box.run("adze explain nodes -o json")
        assert status == 0, out
        return [node["name"] for node in json.loads(out).get("nodes", [])]

    def test_readme(self):
        self.follow("README.md")

    def test_docs(self):
        for document in documents.documents():
            if document != "README.md":
                self.follow(document)

    def test_the_demo_to_its_end(self):
        """Its figures that are the same in every run, which the comparison of shapes passes over."""
        for running in self.in_background.values():
            status, out = running.wait(300)
            self.assertEqual(status, 0, out)
            self.assertEqual(rules.missing_acts(out), [], out)

    def follow(self, document):
        skipped, environment = 0, dict(self.box.environment)
        for command in documents.commands(document):
            how = rules.rule(command)
            missing = MISSING & set(re.findall(r"[a-z]+", command.text))
            if missing and how in (rules.RUN, rules.ENDLESS):
                skipped += 1
                print(f"{command}: skipped, there is no {missing.pop()}", file=sys.stderr)
                continue
            with self.subTest(str(command)):
                self.take(command, how)
        self.box.environment = environment
        if skipped:
            print(f"{document}: {skipped} commands skipped", file=sys.stderr)

    def take(self, command, how):
        if how == rules.NAMED:
            program, *arguments = command.text.split(" ", 1)
            status, out = self.box.run("make -n " + arguments[0] if program == "make" else f"{program} --help")
            self.assertEqual(status, 0, out)
        elif how in (rules.ELSEWHERE, rules.KWOK):
            print(f"{command}: not run, {command.needs}", file=sys.stderr)
            self.has_its_options(command)
        elif how == rules.SETS:
            for name, value in re.findall(r"([A-Z_]+)=(\S+)", command.text):
                self.box.environment[name] = value
        elif how == rules.ENDLESS:
            running = self.box.start(command.text)
            try:
                running.until(lambda: running.output().count("\n") >= 2, "something to be printed")
            finally:
                running.end()
        elif how == rules.IN_BACKGROUND and not SANITIZED:
            status, out = self.in_background[command.where].wait(300)
            self.judge(command, status, out)
            self.assertIsNone(documents.differs_exactly(*(rules.on_virtual_time(lines) for lines in (command.output, out.split("\n")))), out)
        elif how == rules.RUN and not self.has_run(command):
            name = self.nodes()[0] if "NAME" in command.text else ""
            self.judge(command, *self.answer(re.sub(r"\bNAME\b", name, command.text)))

    def has_run(self, command):
        """Whether an earlier page had the same command, where no output is shown."""
        text = re.sub(r"^build/|\s+#.*", "", command.text)
        if command.output or not text.startswith("adze ") or ">" in text:
            return False
        known = text in self.ran
        self.ran.add(text)
        return known

    def answer(self, text):
        """Of a command that reads given files alone the answer stays: pages show the same ones again and again."""
        text = self.plain(text)
        if text.startswith("adze manifests"):
            text = "METRICS_PORT=8080 " + text  # the sandbox has none
        if not self.reads_files_alone(text):
            return self.box.run(text)
        key = text, self.box.environment.get("AWS_REGION")
        if key not in self.answers:
            self.answers[key] = self.box.run(text)
        return self.answers[key]

    @staticmethod
    def plain(text):
        return re.sub(r"^build/|\s+#.*", "", text)

    @staticmethod
    def reads_files_alone(text):
        return re.match(r"adze (plan|explain|budgets|cost|validate|preflight|iam)( [\w=/.-]+)+$", text) and re.search(
            r" (docs|examples)/", text)

    def has_its_options(self, command):
        for name, arguments in re.findall(r"(?:^|\| )(?:build/)?adze ([a-z-]+)((?: [^|>]+)?)", command.text):
            status, out = self.answers.get(name) or self.box.run(f"adze {name} --help")
            self.answers[name] = status, out
            self.assertEqual(status, 0, out)
            for option in re.findall(r" (--[a-z-]+)", arguments):
                self.assertRegex(out, rf"{option}\b")

    def judge(self, command, status, out):
        self.assertIn(status, rules.statuses(command), out)
        if command.output:
            exactly = self.reads_files_alone(self.plain(command.text))
            differs = documents.differs_exactly if exactly else documents.differs
            self.assertIsNone(differs(command.output, out.split("\n")), f"{command}\n{out}")


if __name__ == "__main__":
    unittest.main(verbosity=1)
