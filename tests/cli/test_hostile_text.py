"""Terminal output and input files: control characters in manifests, pipes and devices in place of files, secrets in
addresses; and the same exit code for the same mistake."""
import os
import pty
import select
import signal
import stat
import subprocess
import time
import unittest

from program import ADZE, EXAMPLES, ProgramTest, kubeconfig

ESCAPES = ("\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\u202e", "\x7f", "\r")
NAME = "a" + "".join(ESCAPES) + "b"


def quoted(text):
    return '"' + "".join("\\u%04x" % ord(c) for c in text) + '"'


MANIFEST = """\
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %(name)s, labels: {%(name)s: %(name)s}}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: %(name)s}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64, %(name)s]}]
  limits: {%(name)s: 1}
---
apiVersion: v1
kind: Pod
metadata: {name: %(name)s, namespace: default}
spec: {nodeSelector: {%(name)s: %(name)s}, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}
---
apiVersion: v1
kind: Node
metadata: {name: %(name)s, labels: {karpenter.sh/nodepool: %(name)s}}
""" % {"name": quoted(NAME)}


def on_terminal(*arguments, folder):
    """The terminal's text of both outputs, and the exit code."""
    parent, child = pty.openpty()
    process = subprocess.Popen([ADZE, *arguments], stdin=subprocess.DEVNULL, stdout=child, stderr=child,
                               cwd=folder, env={"PATH": os.environ["PATH"], "HOME": folder, "NO_COLOR": "1"})
    os.close(child)
    output = b""
    while True:
        if not select.select([parent], [], [], 60)[0]:
            process.kill()
            raise AssertionError("no end")
        try:
            piece = os.read(parent, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        output += piece
    os.close(parent)
    return output, process.wait()


class HostileText(ProgramTest):
    def assert_tame(self, output):
        """Nothing but printable characters, line ends (which a terminal's driver writes as CR LF) and tabs."""
        text = output.replace(b"\r\n", b"\n").decode()
        for c in text:
            self.assertTrue(c in "\n\t" or (ord(c) >= 0x20 and not 0x7f <= ord(c) <= 0x9f and
                                            not 0x202a <= ord(c) <= 0x202e), repr(text))

    def test_no_command_lets_control_characters_through_to_a_terminal(self):
        path = self.write("hostile.yaml", MANIFEST)
        self.write("broken.yaml", "a: \x1b[2J [")
        bad = self.write("bad.json", '{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": '
                                     '"x\\u001b[2J"}, "spec": {"\\u001b[2J\\nfake:1:1: fine": 1}}')
        for arguments in (["plan", "-f", path], ["plan", "--disrupt", "--explain", "-f", path],
                          ["plan", "-f", path, "-o", "json"], ["plan", "-f", path, "-o", "yaml"],
                          ["explain", "pod", NAME, "-f", path], ["explain", "nodes", "-f", path],
                          ["explain", "pod", "nosuch\x1b[2J", "-f", path], ["budgets", "-f", path], ["cost", "-f", path],
                          ["validate", path], ["validate", bad], ["validate", "-o", "json", path],
                          ["plan", "-f", "broken.yaml"], ["plan", "-f", "no\x1b[2Jsuch"], ["\x1b[2J"],
                          ["plan", "--\x1b[2J"], ["validate", "broken.yaml"]):
            output, code = on_terminal(*arguments, folder=self.folder.name)
            self.assertIn(code, (0, 1, 2, 3), arguments)
            self.assertTrue(output, arguments)
            self.assert_tame(output)

    def test_a_line_feed_in_a_name_makes_no_line(self):
        _, output, _ = self.adze("validate", stdin='{"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": '
                                                   '{"name": "x"}, "spec": {"a\\nfake.yaml:1:1: refused: b": 1}}')
        self.assertFalse([line for line in output.splitlines() if line.startswith("fake")], output)
        self.assertIn("\\nfake.yaml", output)

    def test_structured_output_into_a_file_keeps_its_bytes(self):
        path = self.write("names.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\n" % quoted("\u202eé\u0090") +
                          "spec: {containers: []}\n")
        _, output, _ = self.adze("plan", "-f", path, "-o", "json")
        self.assertIn("\u202eé\u0090", output)


class OddFiles(ProgramTest):
    def test_pipes_in_folders_are_passed_over_with_a_note(self):
        folder = os.path.join(self.folder.name, "manifests")
        with open(os.path.join(EXAMPLES, "inflate.yaml"), encoding="utf-8") as example:
            self.write("manifests/inflate.yaml", example.read())
        os.mkfifo(os.path.join(folder, "a.yaml"))
        os.symlink("/dev/zero", os.path.join(folder, "b.yaml"))
        for command in (["plan", "-f"], ["validate"], ["budgets", "-f"], ["cost", "-f"], ["explain", "nodes", "-f"]):
            code, _, notes = self.adze(*command, folder)
            self.assertEqual(code, 0, notes)
            self.assertIn("a.yaml: this is a named pipe and is passed over", notes)
            self.assertIn("b.yaml: this is a device and is passed over", notes)

    def test_a_pipe_or_device_by_name_is_refused_at_once(self):
        path = os.path.join(self.folder.name, "pipe.yaml")
        os.mkfifo(path)
        for command in (["plan", "-f"], ["validate"], ["budgets", "-f"], ["explain", "nodes", "-f"],
                        ["demo", "--serve", "-f"], ["plan", "--kubeconfig"], ["demo", "--catalog"],
                        ["controller", "--kubeconfig"]):
            for name, what in ((path, "a named pipe"), ("/dev/zero", "a device")):
                code, output, complaint = self.adze(*command, name)
                self.assertEqual(code, 2, complaint + output)
                self.assertIn("this is %s" % what, complaint + output)

    def test_standard_input_works_by_every_name(self):
        with open(os.path.join(EXAMPLES, "inflate.yaml"), encoding="utf-8") as example:
            manifest = example.read()
        for name in ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
            code, output, complaint = self.adze("plan", "-f", name, stdin=manifest)
            self.assertEqual(code, 0, complaint)
            self.assertIn("5 pods placed", output)


class SecretAddresses(ProgramTest):
    def test_user_password_and_path_are_never_shown(self):
        secrets = ("hunter2", "topsecretpath")
        for server in ("https://user:hunter2@127.0.0.1:1/topsecretpath", "ftp://user:hunter2@127.0.0.1:1",
                       "https://user:hunter2/@127.0.0.1:1/topsecretpath", "http://user:hunter2@bad host/",
                       "user:hunter2@127.0.0.1"):
            path = self.write("config", kubeconfig(server))
            for command in (["plan"], ["snapshot"], ["budgets"], ["explain", "nodes"]):
                code, output, complaint = self.adze(*command, "--kubeconfig", path)
                self.assertIn(code, (1, 2))
                for secret in secrets:
                    self.assertNotIn(secret, output + complaint)
        path = self.write("config", kubeconfig("http://user:hunter2@127.0.0.1:1/topsecretpath"))
        process = subprocess.Popen([ADZE, "controller", "--kubeconfig", path, "--metrics-port=0",
                                    "--health-probe-port=0", "--log-level=debug"], stderr=subprocess.STDOUT,
                                   stdout=subprocess.PIPE, text=True, cwd=self.folder.name,
                                   env={"PATH": os.environ["PATH"], "HOME": self.folder.name,
                                        "DISABLE_LEADER_ELECTION": "true"})
        time.sleep(3)
        process.terminate()
        log = process.communicate(timeout=60)[0]
        self.assertIn("127.0.0.1:1", log)
        for secret in secrets:
            self.assertNotIn(secret, log)


class DemoFiles(ProgramTest):
    def serve(self, *more):
        process = subprocess.Popen([ADZE, "demo", "--serve", *more], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.STDOUT, cwd=self.folder.name,
                                   env={"PATH": os.environ["PATH"], "HOME": self.folder.name,
                                        "TMPDIR": self.folder.name})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = []
        for line in process.stdout:
            said.append(line)
            if "KUBECONFIG=" in line:
                return process, "".join(said), line.split("=", 1)[1].strip()
        self.fail("".join(said))

    def test_its_kubeconfig_is_the_owners_alone_and_goes_with_it(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process, said, path = self.serve()
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            with open(path, encoding="utf-8") as file:
                secret = [line for line in file if "server:" in line][0].strip().rstrip('"').rsplit("/", 1)[1]
            self.assertGreater(len(secret), 30)
            self.assertNotIn(secret, said)
            process.send_signal(number)
            rest = process.stdout.read()
            self.assertNotIn(secret, rest)
            self.assertEqual(process.wait(60), 0)
            self.assertFalse(os.path.exists(path))

    def test_what_a_killed_one_left_is_replaced_and_nothing_else(self):
        process, _, path = self.serve()
        process.kill()
        process.wait()
        self.assertTrue(os.path.exists(path))
        process, _, path = self.serve()
        process.terminate()
        process.wait(60)
        self.assertFalse(os.path.exists(path))
        mine = self.write("mine", "apiVersion: v1\n")
        victim = self.write("victim", "precious")
        os.symlink(victim, os.path.join(self.folder.name, "link"))
        for taken in (mine, os.path.join(self.folder.name, "link")):
            code, _, complaint = self.adze("demo", "--serve", "--kubeconfig", taken)
            self.assertEqual(code, 2)
            self.assertIn("is there already", complaint)
        with open(victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")

    def test_it_says_what_it_applied(self):
        path = self.write("own.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec: {replicas: 3, "
                                      "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
                                      "{containers: [{name: c, image: i}]}}}\n---\napiVersion: v1\nkind: ConfigMap\n"
                                      "metadata: {name: settings}\n")
        process, said, _ = self.serve("-f", path)
        self.assertIn("Deployment shop (3 replicas), ConfigMap settings", said)
        self.assertNotIn("\x1b", said)
        self.assertNotIn("inflate", said)
        process.terminate()
        process.wait(60)


class ExitCodes(ProgramTest):
    """2 for the same mistake with every command."""
    def test_the_same_mistake_has_the_same_code(self):
        broken = self.write("broken.yaml", "a: [")
        self.write("empty/readme", "")
        empty = os.path.join(self.folder.name, "empty")
        readers = (["plan", "-f"], ["explain", "pod", "x", "-f"], ["explain", "nodes", "-f"], ["budgets", "-f"],
                   ["validate"], ["validate", "--catalog"], ["validate", "--old"], ["demo", "--serve", "-f"],
                   ["plan", "--kubeconfig"], ["explain", "nodes", "--kubeconfig"], ["budgets", "--kubeconfig"],
                   ["snapshot", "--kubeconfig"], ["controller", "--kubeconfig"], ["demo", "--catalog"])
        for reader in readers:
            for name in ("nosuch", broken):
                code, output, complaint = self.adze(*reader, name)
                self.assertEqual(code, 2, (reader, name, output, complaint))
        for reader in readers[:5] + readers[7:8]:
            code, output, complaint = self.adze(*reader, empty)
            self.assertEqual(code, 2, (reader, output, complaint))
        for command in ("plan", "budgets", "snapshot", "controller"):
            self.assertEqual(self.adze(command, KUBECONFIG="nosuch")[0], 2)
        for command in ("plan", "explain", "budgets", "snapshot", "validate", "demo", "controller", "crds", "bench"):
            self.assertEqual(self.adze(command, "--nosuch")[0], 2)


if __name__ == "__main__":
    unittest.main()
