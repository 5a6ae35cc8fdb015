#!/usr/bin/env python3
"""Forms of output, colors, tables, and complaints about options. usage: test_output.py ADZE"""
import fcntl
import http.server
import os
import pty
import select
import struct
import subprocess
import termios
import threading
import time
import unittest

from program import ADZE, EXAMPLES, ProgramTest

INFLATE = os.path.join(EXAMPLES, "inflate.yaml")
OFFICE = os.path.join(EXAMPLES, "cluster.yaml")


# Few types: reading the built-in ones takes most of a run.
TYPES = "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: c}\nspec:\n  instanceTypes:\n" + "".join("""
  - name: %s
    capacity: {cpu: "%d", memory: %dGi, pods: "110", ephemeral-storage: 100Gi}
    requirements:
    - {key: kubernetes.io/arch, operator: In, values: [amd64]}
    - {key: kubernetes.io/os, operator: In, values: [linux]}
    offerings:
    - price: %.2f
      requirements:
      - {key: topology.kubernetes.io/zone, operator: In, values: [zone-a]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}""" % (name, cpu, 4 * cpu, cpu / 20)
    for name, cpu in (("small-with-a-name-that-takes-room", 4), ("large-with-a-name-that-takes-room", 16)))


class Terminal(ProgramTest):
    def plan(self, *more):
        """Arguments of a plan with few types."""
        return "plan", "-f", INFLATE, "--catalog", self.write("types.yaml", TYPES), *more

    def on_terminal(self, *arguments, columns=80, typed=None, **environment):
        """What the program writes to a terminal: standard output and standard error."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        variables = {key: value for key, value in os.environ.items() if key.endswith("SAN_OPTIONS") or key == "PATH"}
        variables.update({"HOME": self.folder.name, "TERM": "xterm", **environment})
        process = subprocess.Popen([ADZE, *arguments], stdin=follower if typed is not None else subprocess.DEVNULL,
                                   stdout=follower, stderr=follower, env=variables, cwd=self.folder.name)
        self.addCleanup(process.kill)
        os.close(follower)
        if typed is not None:
            os.write(leader, typed + b"\n\x04")
        written = b""
        while True:
            try:
                self.assertTrue(select.select([leader], [], [], 30)[0], "nothing comes")
                block = os.read(leader, 65536)
            except OSError:
                break
            if not block:
                break
            written += block
        os.close(leader)
        process.wait(timeout=60)
        return written.decode().replace("\r\n", "\n")

    def test_colors(self):
        plain = self.adze(*self.plan())[1]
        self.assertNotIn("\033", plain)
        shown = self.on_terminal(*self.plan())
        self.assertIn("\033[1mNEW NODES\033[0m\n\033[1mCOUNT  NODEPOOL", shown)
        self.assertEqual(shown.replace("\033[1m", "").replace("\033[0m", ""), plain)
        for environment in {"NO_COLOR": "1"}, {"TERM": "dumb"}:
            self.assertEqual(self.on_terminal(*self.plan(), **environment), plain)
        self.assertEqual(self.on_terminal(*self.plan("--color", "never")), plain)
        self.assertEqual(self.adze(*self.plan("--color=always"), NO_COLOR="1")[1], shown)
        self.assertIn("\033[31mrefused\033[0m: NodePool/",
                      self.adze("validate", "--color", "always", "-", stdin="apiVersion: karpenter.sh/v1\nkind: NodePool\n"
                                "metadata: {name: a}\nspec: {}\n")[1])

    def test_escapes_of_others_stay_visible(self):
        hostile = self.write("hostile.yaml", 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: "a\\e[2Jb"}\nspec: {}\n')
        self.assertNotIn("\033[2J", self.on_terminal("validate", hostile))

    def test_width_of_the_terminal(self):
        def widest(text):
            return max(map(len, text.splitlines()))
        wide = self.on_terminal(*self.plan(), columns=200, NO_COLOR="1")
        self.assertIn("PODS  CPU  MEMORY  PRICE/H\n", wide)
        self.assertLessEqual(widest(self.on_terminal(*self.plan(), columns=40, NO_COLOR="1")), 80)
        self.assertIn("PRICE/H  EFFECTIVE/H\n1      default   small-with-a-name-that-takes-room +1  any", self.adze(*self.plan("-o", "wide"))[1])
        without = self.adze(*self.plan("--no-headers"))[1]
        self.assertIn("NEW NODES\n1 ", without)

    def test_standard_input_is_awaited(self):
        shown = self.on_terminal("validate", "-", typed=b"kind: Pod\napiVersion: v1")
        self.assertIn("adze: reading standard input (Ctrl-D ends it)\n", shown)
        self.assertEqual(self.adze("validate", "-", stdin="kind: Pod\napiVersion: v1\n")[2], "")

    def test_progress_on_long_work(self):
        class Slow(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                time.sleep(1.1)
                self.send_response(403)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        arguments = ("budgets", "--server", f"http://127.0.0.1:{server.server_port}")
        shown = self.on_terminal(*arguments)
        self.assertIn("\r\033[Kadze: reading the cluster, 1 s", shown)
        self.assertIn("\r\033[Kadze budgets: ", shown)  # gone when the answer comes

    def test_names_and_paths(self):
        for arguments, expected in (
                (self.plan("-o", "jsonpath={.newNodeClaims[*].nodePool}"), "default default"),
                (("plan", "-f", OFFICE, "--disrupt", "-o", "name"), "node/ip-10-0-1-25\n"),
                (("explain", "node", "ip-10-0-1-23", "-f", OFFICE, "-o", "name"), "node/ip-10-0-1-23\n"),
                (("budgets", "-f", OFFICE, "-o", "name"), "nodepool.karpenter.sh/office\n"),
                (("cost", "-f", OFFICE, "-o", "name"), "nodepool.karpenter.sh/office\n"),
                (("validate", "-o", "name", INFLATE), "KWOKNodeClass/default\nNodePool/default\nDeployment/inflate\n"),
                (("crds", "nodepools", "-o", "name"), "CustomResourceDefinition/nodepools.karpenter.sh\n"),
                (("crds", "nodepools", "-o", "jsonpath=.items[0].spec.group"), "karpenter.sh"),
                (("version", "-o", "jsonpath={.version}"), "0.1.0")):
            self.assertEqual(self.adze(*arguments)[:2], (0, expected), arguments)
        self.assert_refused(self.adze(*self.plan("-o", "jsonpath={.newNodeClaims[5]}")), 1, "index 5 of a list of 2")
        self.assert_refused(self.adze("plan", "-o", "jsonpath={.a"), 2, "a closing brace was expected")
        self.assert_refused(self.adze(*self.plan("-o", "name")), 2, "nothing here that has a name")

    def test_what_was_meant(self):
        for arguments, complaint in (
                (("pln",), 'there is no command "pln"; did you mean plan?'),
                (("plan", "--stict"), "unknown option --stict; did you mean --strict?"),
                (("plan", "--set"), "--set needs a value"),
                (("plan", "--se", "a"), "--se is short for several options: --server or --set or --settings"),
                (("plan", "--strict=1"), "--strict takes no value"),
                (("plan", "-q"), "unknown option -q"),
                (("plan", "-o"), "-o needs a value"),
                (("plan", "-o", "jsno"), "not jsno; did you mean json?"),
                (("plan", "--lines", "x"), "--lines takes a number up to 1000000, not x"),
                (("explain", "pd"), "did you mean pod?"),
                (("man", "pln"), "did you mean plan?"),
                (("crds", "nodepols"), "did you mean nodepools?"),
                (("manifests", "-o", "yml", "--provider", "kwok"), "did you mean yaml?"),
                (("controller", "--log-levle", "debug"), "did you mean --log-level?")):
            self.assert_refused(self.adze(*arguments), 2, complaint)


if __name__ == "__main__":
    unittest.main()
