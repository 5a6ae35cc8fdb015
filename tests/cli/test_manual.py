#!/usr/bin/env python3
"""`adze completion` and `adze man`: both are read from the commands' help. usage: test_manual.py ADZE"""
import http.server
import json
import re
import shutil
import subprocess
import threading
import time
import unittest

from program import ADZE, JsonHandler, ProgramTest


class Api(JsonHandler):
    """An API server with two NodePools and two Pods, or one that never answers."""
    answers = True

    def do_GET(self):
        if not self.answers:
            time.sleep(4)
            return
        names = [("default", None), ("gpu", None)] if "nodepools" in self.path else [("web-0", "default"), ("dns-0", "kube-system")]
        items = [{"metadata": {"name": name, **({"namespace": space} if space else {})}} for name, space in names]
        self.reply({"kind": "List", "metadata": {"resourceVersion": "1"}, "items": items})


class Silent(Api):
    answers = False


class Completion(ProgramTest):
    def candidates(self, *words, **environment):
        code, output, complaint = self.adze("completion", "--candidates", "--", *words, **environment)
        self.assertEqual((code, complaint), (0, ""))
        return [line.split("\t")[0] for line in output.splitlines()]

    def commands(self):
        return re.findall(r"^  ([a-z-]+) +\S", self.adze("help")[1], re.M)

    def serve(self, handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "a",
            "clusters": [{"name": "a", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
            "users": [{"name": "a", "user": {}}], "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}]}))

    def test_commands(self):
        self.assertEqual(self.candidates(""), self.commands() + ["help"])
        self.assertEqual(self.candidates("pl"), ["plan"])
        self.assertEqual(self.candidates("help", "bud"), ["budgets"])
        self.assertEqual(self.candidates("man", "ver"), ["version"])
        self.assertEqual(self.candidates("nonsense", ""), [])
        self.assertEqual(self.adze("completion", "--candidates")[0], 0)

    def test_every_option_of_every_command(self):
        for command in self.commands():
            text = self.adze(command, "--help")[1]
            told = {re.findall(r"--[a-z][a-z0-9-]*", line)[-1] for line in
                    re.findall(r"^ {2,6}(?:-\w, )?(--[a-z][^\n]*?)(?:  |\n| [A-Z(])", text, re.M)}
            offered = {word for word in self.candidates(command, "-") if word.startswith("--")}
            self.assertEqual(offered, told | {"--help"}, command)

    def test_values(self):
        self.assertEqual(self.candidates("plan", "-o", ""), ["table", "wide", "name", "json", "yaml", "jsonpath="])
        self.assertEqual(self.candidates("plan", "--output=y"), ["--output=yaml"])
        self.assertEqual(self.candidates("iam", "--partition", "aws-"), ["aws-cn", "aws-us-gov"])
        self.assertEqual(self.candidates("controller", "--preference-policy", ""), ["Respect", "Ignore"])
        self.assertEqual(self.candidates("controller", "--enable-profiling", "t"), ["true"])
        self.assertEqual(self.candidates("controller", "--provider", ""), ["kwok", "aws"])
        self.assertEqual(self.candidates("plan", "-f", "x"), [":files"])
        self.assertEqual(self.candidates("validate", ""), [":files"])
        self.assertEqual(self.candidates("controller", "--node-cost", ""), [])
        self.assertIn("nodepools", self.candidates("crds", ""))
        self.assertEqual(self.candidates("explain", ""), ["pod", "node", "nodes", "budget"])

    def test_names_of_objects(self):
        kubeconfig = self.serve(Api)
        self.assertEqual(self.candidates("budgets", "", KUBECONFIG=kubeconfig), ["default", "gpu"])
        self.assertEqual(self.candidates("explain", "budget", "g", "--kubeconfig", kubeconfig, ""), ["default", "gpu"])
        self.assertEqual(self.candidates("explain", "pod", "", KUBECONFIG=kubeconfig), ["web-0", "kube-system/dns-0"])
        self.assertEqual(self.candidates("explain", "pod", "default/", KUBECONFIG=kubeconfig), ["default/web-0"])

    def test_a_cluster_that_does_not_answer(self):
        begun = time.monotonic()
        self.assertEqual(self.candidates("budgets", "", KUBECONFIG=self.serve(Silent)), [])
        self.assertLess(time.monotonic() - begun, 10)
        self.assertEqual(self.candidates("budgets", "", KUBECONFIG="/nonexistent"), [])

    def test_bash(self):
        script = self.write("adze.bash", self.adze("completion", "bash")[1])
        self.write("notes.yaml", "")

        def complete(*words):
            line = " ".join(words)
            run = subprocess.run(["bash", "-c", """
                source "$1"; shift
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _adze; printf '%s\\n' "${COMPREPLY[@]}" """, "bash", script, ADZE, *words],
                                 capture_output=True, text=True, cwd=self.folder.name, timeout=60)
            self.assertEqual((run.returncode, run.stderr), (0, ""), line)
            return run.stdout.split()
        self.assertEqual(complete("budg"), ["budgets"])
        self.assertEqual(complete("plan", "-o", "js"), ["json", "jsonpath="])
        self.assertEqual(complete("plan", "--output", "=", "y"), ["yaml"])
        self.assertEqual(complete("plan", "--output", "="), ["table", "wide", "name", "json", "yaml", "jsonpath="])
        self.assertEqual(complete("plan", "-f", "no"), ["notes.yaml"])

    def test_syntax_of_other_shells(self):
        for shell in "zsh", "fish":
            script = self.write("script." + shell, self.adze("completion", shell)[1])
            if shutil.which(shell):
                subprocess.run([shell, "-n", script], check=True, timeout=60)
        self.assert_refused(self.adze("completion", "tcsh"), 2, "it takes bash, fish or zsh, not tcsh")
        self.assert_refused(self.adze("completion"), 2, "for which shell")

    def test_man_pages(self):
        code, _, _ = self.adze("man", "--directory", self.folder.name)
        self.assertEqual(code, 0)
        for command in self.commands():
            with open(f"{self.folder.name}/adze-{command}.1", encoding="utf-8") as file:
                page = file.read()
            self.assertEqual(page, self.adze("man", command)[1])
            for option in self.candidates(command, "-"):
                if option != "--help":
                    self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", page)
            if shutil.which("groff"):
                run = subprocess.run(["groff", "-man", "-ww", "-z"], input=page, capture_output=True, text=True, timeout=60)
                self.assertEqual(run.stderr, "", command)
        overview = self.adze("man")[1]
        for command in self.commands():
            self.assertIn("adze\\-" + command.replace("-", "\\-"), overview)
        self.assert_refused(self.adze("man", "nonsense"), 2, "there is no command")
        self.assert_refused(self.adze("man", "--directory", "/nonexistent"), 1, "/nonexistent/adze.1")


if __name__ == "__main__":
    unittest.main()
