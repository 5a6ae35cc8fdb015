#!/usr/bin/env python3
"""adze demo, served to a real kubectl if there is one (KUBECTL, or on the PATH)."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest
import urllib.request

from program import ADZE, EXAMPLES, ProgramTest

KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl")
PATIENCE_SECONDS = 60
TYPES = "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: c}\nspec:\n  instanceTypes:\n" + "".join("""
  - name: %s
    requirements:
    - {key: kubernetes.io/arch, operator: In, values: [amd64]}
    - {key: kubernetes.io/os, operator: In, values: [linux]}
    capacity: {cpu: %d, memory: 64Gi, pods: 110}
    offerings:
    - price: %.1f
      available: true
      requirements:
      - {key: topology.kubernetes.io/zone, operator: In, values: [z]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
""" % kind for kind in (("large", 16, 0.4), ("small", 4, 0.1)))


class Demo(ProgramTest):
    def begin(self, *arguments):
        path = os.path.join(self.folder.name, "kubeconfig")
        demo = subprocess.Popen([ADZE, "demo", "--serve", "--kubeconfig", path, *arguments], text=True,
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

    def live(self, path, *arguments, status=(0,)):
        """Standard output of a command that reads the live cluster, selected by the kubeconfig alone."""
        code, out, complaint = self.adze(*arguments, KUBECONFIG=path)
        self.assertIn(code, status, complaint)
        return out

    def server(self, path):
        with open(path) as file:
            return re.search(r"server: (\S+)", file.read()).group(1).strip("\"'")

    def bound_pods_are_ready(self, path):
        with urllib.request.urlopen(self.server(path) + "/api/v1/pods", timeout=PATIENCE_SECONDS) as reply:
            bound = [pod for pod in json.load(reply)["items"] if pod["spec"].get("nodeName")]
        return bound != [] and all(condition["status"] == "True" for pod in bound
                                   for condition in pod["status"].get("conditions", []) if condition["type"] == "Ready")

    def create(self, path, resource, document):
        request = urllib.request.Request(self.server(path) + resource, json.dumps(document).encode(),
                                         {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=PATIENCE_SECONDS).close()

    def patch(self, path, resource, document):
        request = urllib.request.Request(self.server(path) + resource, json.dumps(document).encode(),
                                         {"Content-Type": "application/merge-patch+json"}, method="PATCH")
        urllib.request.urlopen(request, timeout=PATIENCE_SECONDS).close()

    def test_the_cluster_says_which_provider_it_has_LIF_2(self):
        """EC2's types without any flag, although the example's node class is a KWOKNodeClass; and no NodePools of
        another provider."""
        path = self.begin()
        self.until(lambda: re.match(r"instance types: \d+ of EC2, built in ", self.live(path, "plan", status=(0, 3))),
                   "EC2's instance types")
        self.until(lambda: "1 node node-" in self.live(path, "explain", "nodes"), "a node")
        self.assertNotIn("not found", self.live(path, "explain", "nodes"))
        self.create(path, "/apis/karpenter.sh/v1/nodepools", {
            "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "elsewhere"},
            "spec": {"template": {"spec": {"nodeClassRef": {
                "group": "karpenter.azure.com", "kind": "AKSNodeClass", "name": "x"}, "requirements": []}}}})
        self.assertIn("\nNodePools of other providers, left out: elsewhere (AKSNodeClass)\n",
                      self.live(path, "plan", status=(0, 3)))
        self.assertNotIn("elsewhere", self.live(path, "budgets"))
        self.create(path, "/api/v1/namespaces/default/configmaps", {  # any client can: the older record counts
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "adze-provider", "labels": {"adze.dev/provider": "kwok"}},
            "data": {"nodeClasses": "KWOKNodeClass.karpenter.kwok.sh AKSNodeClass.karpenter.azure.com", "instanceTypes": "built-in"}})
        self.assertRegex(self.live(path, "plan", status=(0, 3)),
                         r"of EC2, [^\n]*\n?[^\n]*\nConfigMap adze-provider is in namespaces default, kube-system: that of\nkube-system counts\n")
        self.assertIn("of the kwok provider", self.live(path, "plan", "--provider", "kwok", status=(0, 3)))
        self.assertNotIn("elsewhere", self.live(path, "snapshot"))

    def test_instance_types_of_its_own_are_published(self):
        types = self.write("types.yaml", TYPES)
        path = self.begin("--catalog", types)
        self.until(lambda: "instance types: 2 of the cluster's controller\n" in self.live(path, "plan", status=(0, 3)),
                   "its own instance types")
        snapshot = json.loads(self.live(path, "snapshot"))
        catalog, = [item for item in snapshot["items"] if item["kind"] == "InstanceTypeCatalog"]
        self.assertEqual([kind["name"] for kind in catalog["spec"]["instanceTypes"]], ["large", "small"])

    def test_a_saved_snapshot_gives_the_plan_of_the_live_cluster(self):
        path = self.begin()
        # kube-scheduler skips the pod, so that it never becomes unschedulable: the controller ignores it.
        self.create(path, "/api/v1/namespaces/default/pods", {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "unseen"},
            "spec": {"schedulerName": "another", "containers": [{"name": "c", "image": "i"}]}})
        self.create(path, "/apis/apps/v1/namespaces/default/deployments", {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "huge"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "huge"}}, "template": {
                "metadata": {"labels": {"app": "huge"}}, "spec": {"containers": [
                    {"name": "c", "image": "i", "resources": {"requests": {"cpu": "5000"}}}]}}}})
        # What a controller of a real cluster would have learned (SCH-507).
        self.patch(path, "/api/v1/namespaces/kube-system/configmaps/adze-provider",
                   {"data": {"learned": json.dumps({"EXPECTED_CPU_USE": {"value": "0.85"}})}})
        snapshot, seen = os.path.join(self.folder.name, "cluster.json"), []

        def read(*arguments):
            plan = json.loads(self.adze("plan", "--disrupt", "--explain", "-o", "json", *arguments, KUBECONFIG=path)[1])
            plan.pop("assumptions")  # where the instance types are from
            return re.sub(r"\d+m?s left|\d{4}-\d\d-\d\dT[0-9:.]+Z", "TIME", json.dumps(plan, indent=1))

        def quiet():
            before = read()
            self.live(path, "snapshot", "-f", snapshot)
            seen[:] = [before, read("-f", snapshot)]
            return before == read() and "huge" in before and "node-" in before
        # With one of two pods ready, a node has another reason to stay than with none or both.
        self.until(lambda: self.bound_pods_are_ready(path), "pods that are ready")
        self.until(quiet, "a cluster where nothing happens")
        self.assertEqual(*seen)
        for arguments in (), ("-f", snapshot):
            for command in "plan", "cost":
                self.assertIn("\nEXPECTED_CPU_USE 0.85, learned from metrics\n", self.adze(command, *arguments, KUBECONFIG=path)[1])
        with open(snapshot) as file:
            context, = [item["spec"] for item in json.load(file)["items"] if item["kind"] == "SnapshotContext"]
        self.assertEqual((context["settings"]["EXPECTED_CPU_USE"], context["learned"]), ("0.85", ["EXPECTED_CPU_USE"]))

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
