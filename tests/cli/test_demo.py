#!/usr/bin/env python3
"""adze demo from beginning to end, and served to a real kubectl if there is one (KUBECTL, or on the PATH)."""
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from program import ADZE, EXAMPLES, ProgramTest

KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl")
PATIENCE_SECONDS = 60


class Demo(ProgramTest):
    def test_to_the_end(self):
        run = subprocess.run([ADZE, "demo", "--quiet"], capture_output=True, text=True, timeout=170)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for act in ("5 replicas: 5 pods running on ", "200 replicas: 200 pods running on ",
                    "no replicas: 0 pods running on 0 nodes\n  total $0.0000 an hour"):
            self.assertIn(act, run.stdout)
        self.assertTrue(run.stdout.rstrip().endswith("done: no node and no machine is left"), run.stdout)

    def begin(self):
        path = os.path.join(self.folder.name, "kubeconfig")
        demo = subprocess.Popen([ADZE, "demo", "--serve", "--kubeconfig", path], text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(self.end, demo)
        self.until(lambda: os.path.exists(path), "a kubeconfig")
        return path

    def end(self, demo):
        demo.send_signal(signal.SIGINT)
        complaint = demo.communicate(timeout=PATIENCE_SECONDS)[1]
        self.assertEqual((demo.returncode, complaint), (0, ""))

    def until(self, condition, what):
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            self.assertLess(time.monotonic(), deadline, "waited in vain for " + what)
            time.sleep(0.2)

    def test_served_to_the_program_itself(self):
        path = self.begin()
        snapshot = os.path.join(self.folder.name, "cluster.json")
        status, _, err = self.adze("snapshot", "--kubeconfig", path, "-f", snapshot)
        self.assertEqual(status, 0, err)
        live = self.adze("plan", "--kubeconfig", path)
        self.assertIn(live[0], (0, 3), live)
        self.assertIn("of the kwok provider", live[1])  # the example's node class is a KWOKNodeClass
        self.assertIn(self.adze("plan", "-f", snapshot)[0], (0, 3))

    @unittest.skipIf(KUBECTL is None, "there is no kubectl")
    def test_served_to_kubectl(self):
        path = self.begin()

        def kubectl(*arguments, stdin=None):
            run = subprocess.run([KUBECTL, "--kubeconfig", path, *arguments], input=stdin, text=True,
                                 capture_output=True, timeout=PATIENCE_SECONDS,
                                 env={**os.environ, "HOME": self.folder.name})
            self.assertEqual(run.returncode, 0, run.stderr)
            return run.stdout

        def running(app):
            pods = json.loads(kubectl("get", "pods", "-l", "app=" + app, "-o", "json"))["items"]
            return sum(pod["status"].get("phase") == "Running" for pod in pods)

        self.assertIn("default", kubectl("get", "nodepools,nodeclaims,nodes,pods"))
        self.assertIn("scaled", kubectl("scale", "deployment", "inflate", "--replicas", "8"))
        with open(os.path.join(EXAMPLES, "inflate.yaml")) as file:
            second = file.read().split("---\n")[-1].replace("inflate", "second").replace("replicas: 5", "replicas: 2")
        self.assertIn("created", kubectl("apply", "-f", "-", stdin=second))
        self.until(lambda: running("inflate") == 8 and running("second") == 2, "running pods")
        self.assertIn("on-demand", kubectl("get", "nodeclaims"))
        self.assertIn("Instance-Type", kubectl("describe", "nodeclaims").replace("instance-type", "Instance-Type"))
        self.assertIn("labeled", kubectl("label", "node", "--all", "team=blue"))
        self.assertIn("Scheduled", kubectl("events"))
        kubectl("delete", "deployment", "inflate", "second")
        self.until(lambda: kubectl("get", "nodes,nodeclaims") == "", "the nodes' end")


if __name__ == "__main__":
    unittest.main(verbosity=1)
