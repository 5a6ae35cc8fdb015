"""Helpers for tests of the program: running it, a temporary folder, a kubeconfig."""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import unittest

ADZE = os.path.abspath(sys.argv.pop(1))
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, content):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def adze(self, *arguments, stdin="", **environment):
        """Exit code, standard output and standard error; isolated from the caller's cluster."""
        variables = {key: value for key, value in os.environ.items()
                     if key.endswith("SAN_OPTIONS") or key in ("PATH", "TMPDIR")}
        variables.update(HOME=self.folder.name, **environment)
        run = subprocess.run([ADZE, *arguments], input=stdin, capture_output=True, text=True,
                             errors="replace", cwd=self.folder.name, env=variables, timeout=60)
        return run.returncode, run.stdout, run.stderr

    def assert_refused(self, run, status, *parts):
        """One clear line on standard error that contains all `parts`, and the exit code."""
        code, _, complaint = run
        self.assertEqual(code, status, complaint)
        self.assertEqual(complaint.count("\n"), 1, complaint)
        self.assertTrue(complaint.startswith("adze"), complaint)
        for part in parts:
            self.assertIn(part, complaint)


class JsonHandler(http.server.BaseHTTPRequestHandler):
    """Of a server that answers in JSON and keeps quiet."""

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def kubeconfig(server="https://127.0.0.1:1", user="{token: abc}", cluster="", context="x"):
    return ("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '%s'%s}}]\n"
            "users: [{name: u, user: %s}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\n"
            "current-context: %s\n" % (server, cluster, user, context))
