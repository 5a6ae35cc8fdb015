#!/usr/bin/env python3
"""adze preflight as a user runs it: a cluster behind HTTP, and files of kubectl get -o yaml."""
import http.server
import json
import threading
import unittest

from program import ProgramTest, kubeconfig

SPEC = {"template": {"spec": {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}, "expireAfter": "720h",
                              "requirements": [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"]}]}}}
CLASS = {"role": "R", "amiSelectorTerms": [{"alias": "al2023@v20250101"}], "subnetSelectorTerms": [{"tags": {"a": "b"}}], "securityGroupSelectorTerms": [{"tags": {"a": "b"}}]}
ENVIRONMENT = [{"name": "CLUSTER_NAME", "value": "shop"}, {"name": "BATCH_IDLE_DURATION", "value": "2s"}, {"name": "FEATURE_GATES", "value": "SpotToSpotConsolidation=true"},
               {"name": "ASSUME_ROLE_ARN", "value": "arn:x"}, {"name": "AWS_REGION", "value": "eu-west-1"}, {"name": "MADE_UP", "value": "1"},
               {"name": "CLUSTER_ENDPOINT", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]


def deployment(name, image, environment=(), args=(), replicas=2):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "kube-system"}, "spec": {"replicas": replicas, "template": {"spec": {
        "containers": [{"name": "controller", "image": image, "env": list(environment), "args": list(args)}]}}}}


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.writes.append((self.command, self.path))
        if self.command == "POST":
            self.server.reviews.append(json.loads(body)["spec"])
            denied = self.server.denied(self.server.reviews[-1])
            status, answer = 201, {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": {"allowed": not denied}}
        elif self.path == "/version":
            status, answer = 200, {"minor": "33", "gitVersion": "v1.33.1"}
        else:
            items = self.server.lists.get(self.path.split("?")[0].rsplit("/", 1)[1])
            status, answer = (200, {"items": items}) if items is not None else (404, {"kind": "Status", "message": "no such resource"})
        data = json.dumps(answer).encode()
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_): pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256  # a connection that finds the queue full tries again after a second


class Preflight(ProgramTest):
    def objects(self):
        """A cluster that adze can take over: what validate calls stored, with its hashes."""
        pool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default", "uid": "1"}, "spec": SPEC}
        node_class = {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "default", "uid": "2"}, "spec": CLASS}
        _, out, _ = self.adze("validate", "-o", "json", "-", stdin=json.dumps(pool) + json.dumps(node_class))
        stored = json.loads(out)["objects"]
        for object_, found in zip((pool, node_class), stored):
            object_["spec"] = found["stored"]["spec"]
        pool["metadata"]["annotations"] = {"karpenter.sh/nodepool-hash": stored[0]["driftHash"], "karpenter.sh/nodepool-hash-version": stored[0]["driftHashVersion"]}
        node_class["metadata"]["annotations"] = {"karpenter.k8s.aws/ec2nodeclass-hash": stored[1]["driftHash"], "karpenter.k8s.aws/ec2nodeclass-hash-version": stored[1]["driftHashVersion"]}
        claim = {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "default-1", "uid": "3", "creationTimestamp": "2999-01-01T00:00:00Z",
                 "labels": {"karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": "spot"},
                 "annotations": {**pool["metadata"]["annotations"], **node_class["metadata"]["annotations"]}},
                 "spec": {"expireAfter": "720h", "nodeClassRef": SPEC["template"]["spec"]["nodeClassRef"], "requirements": []}}
        return pool, node_class, claim

    def crds(self):
        code, out, err = self.adze("crds", "-o", "json")
        self.assertEqual(code, 0, err)
        found = json.loads(out)
        items = found["items"] if isinstance(found, dict) else found
        for item in items:
            item["status"] = {"storedVersions": ["v1"] if item["metadata"]["name"].split(".")[0] in ("nodepools", "nodeclaims", "ec2nodeclasses") else ["v1alpha1"]}
        return items

    def files(self, *objects, status=0, arguments=()):
        code, out, err = self.adze("preflight", "-o", "json", *arguments, "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        self.assertEqual(code, status, out + err)
        self.report = json.loads(out)
        return {c["check"]: c for c in self.report["checks"]}

    def test_a_cluster_that_can_be_taken_over_MIG_130(self):
        checks = self.files(*self.crds(), *self.objects(), deployment("karpenter", "public.ecr.aws/karpenter/controller:1.14.0", ENVIRONMENT, ["--log-level=debug"]))
        self.assertEqual({n for n, c in checks.items() if c["result"] == "FAILED"}, set())
        self.assertEqual((checks["drift"]["result"], checks["drift"]["text"]), ("ok", "0 of 1 node would be replaced"))
        for name in ("crds-present", "crds-stored-v1", "crds-conversion", "old-kinds", "hash", "ca-bundle", "undisruptable", "other-autoscaler"):
            self.assertEqual(checks[name]["result"], "ok", checks[name])
        self.assertEqual(self.report["settings"], ["CLUSTER_NAME=shop", "BATCH_IDLE_DURATION=2s", "FEATURE_GATES=SpotToSpotConsolidation=true",
                                                   "CLUSTER_ENDPOINT (from a Secret, ConfigMap or field)", "LOG_LEVEL=debug"])
        self.assertEqual([line.split("=")[0] for line in self.report["settingsWithoutEqual"]], ["ASSUME_ROLE_ARN", "MADE_UP"])
        self.assertIn("settings.clusterName=shop", self.report["wayIn"][0])
        self.assertEqual(self.report["wayBack"], ["kubectl -n kube-system scale deployment/adze --replicas=0", "kubectl -n kube-system scale deployment/karpenter --replicas=2"])

    def test_what_stands_in_the_way_MIG_55_58_111_121_130(self):
        pool, node_class, claim = self.objects()
        def edited(object_, **changes): return {**object_, **changes}
        other = edited(claim, metadata={**claim["metadata"], "annotations": {**claim["metadata"]["annotations"], "karpenter.sh/nodepool-hash": "1"}})
        old = edited(claim, metadata={**claim["metadata"], "name": "old", "creationTimestamp": "2020-01-01T00:00:00Z"})
        unfit = edited(claim, metadata={**claim["metadata"], "name": "unfit", "labels": {"karpenter.sh/nodepool": "default", "karpenter.sh/capacity-type": "on-demand"}})
        checks = self.files(pool, node_class, other, old, unfit, status=1)
        self.assertIn("2 of 3 nodes would be replaced: default-1 (NodePool edited), unfit (requirements)", checks["drift"]["text"])
        self.assertIn("1 node past expiry, 0 being deleted", checks["undisruptable"]["text"])
        wrong = edited(pool, metadata={**pool["metadata"], "annotations": {**pool["metadata"]["annotations"], "karpenter.sh/nodepool-hash": "1"}})
        self.assertEqual(self.files(wrong, status=1)["hash"]["result"], "FAILED")
        wrong["metadata"]["annotations"]["karpenter.sh/nodepool-hash-version"] = "v2"
        self.assertEqual(self.files(wrong)["hash"]["result"], "ok")
        wrong = edited(node_class, metadata={**node_class["metadata"], "annotations": {**node_class["metadata"]["annotations"], "karpenter.k8s.aws/ec2nodeclass-hash": "1"}})
        self.assertEqual(self.files(pool, wrong)["ca-bundle"]["result"], "warning")
        self.assertEqual(self.files(pool, wrong, status=1, arguments=["--ca-bundle", "Q0E="])["ca-bundle"]["result"], "FAILED")
        crds = self.crds()
        crds[0]["status"]["storedVersions"] = ["v1beta1", "v1"]
        for crd in crds:
            if crd["metadata"]["name"].startswith("nodeclaims."): crd["status"]["storedVersions"] = ["v1beta1", "v1"]
            if crd["metadata"]["name"].startswith("nodepools."): crd["spec"]["conversion"] = {"strategy": "Webhook"}
        webhook = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "validation.webhook.karpenter.sh"}}
        provisioner = {"apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner", "metadata": {"name": "x"}}
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "karpenter-leader-election", "namespace": "other"}, "spec": {"holderIdentity": "pod-1"}}
        checks = self.files(*crds, webhook, provisioner, lease, deployment("a", "x/karpenter/controller:1"), deployment("b", "x/karpenter/controller:1"), status=1)
        for name, text in (("crds-stored-v1", "nodeclaims.karpenter.sh"), ("crds-conversion", "nodepools.karpenter.sh"), ("webhooks-gone", "validation.webhook.karpenter.sh"),
                           ("old-kinds", "1 provisioners"), ("other-autoscaler", "2 Deployments"), ("lease", "namespace other")):
            self.assertEqual(checks[name]["result"], "FAILED", checks[name])
            self.assertIn(text, checks[name]["text"])
        self.assertEqual(self.files(*self.crds()[1:], status=1)["crds-present"]["result"], "FAILED")
        checks = self.files(deployment("ca", "registry.k8s.io/autoscaling/cluster-autoscaler:v1"))
        self.assertEqual((checks["other-autoscaler"]["result"], checks["hash"]["result"], checks["crds-present"]["result"]), ("warning", "skipped", "skipped"))

    def test_a_lease_counts_at_the_time_of_the_input_and_keeps_a_scaled_down_karpenter_MIG_121(self):
        def checks(renewed, time=None, replicas=0, holder="karpenter-5d8c7-x1_uuid", status=0):
            lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "karpenter-leader-election", "namespace": "kube-system"},
                     "spec": {"holderIdentity": holder, "renewTime": renewed}}
            context = [{"apiVersion": "adze/v1", "kind": "SnapshotContext", "spec": {"time": time}}] if time else []
            return self.files(*context, lease, deployment("karpenter", "x/karpenter/controller:1.14.0", ENVIRONMENT, replicas=replicas), status=status)
        # Its process runs on: its settings are read, and adze has to wait for it.
        held = checks("2026-01-05T11:59:50Z", "2026-01-05T12:00:00Z")
        self.assertIn("0 replicas, and its process karpenter-5d8c7-x1_uuid still holds", held["lease"]["text"])
        self.assertIn("Karpenter runs as kube-system/karpenter", held["settings"]["text"])
        # Long given up by the time of the input, whatever the clock says; without one it counts as held.
        gone = checks("2026-01-05T11:50:00Z", "2026-01-05T12:00:00Z")
        self.assertEqual((gone["lease"]["result"], gone["settings"]["text"]), ("ok", "no Karpenter runs: nothing to take over"))
        self.assertIn("still holds", checks("2026-01-05T11:50:00Z")["lease"]["text"])
        # Somebody else's lease is no sign of it.
        self.assertIn("nothing to take over", checks("2026-01-05T11:59:50Z", "2026-01-05T12:00:00Z", holder="other-1")["settings"]["text"])

    def live(self, *arguments, denied=lambda spec: False, **lists):
        server = Server(("127.0.0.1", 0), Api)
        server.lists, server.writes, server.reviews, server.denied = lists, [], [], denied
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.server = server
        self.write("kubeconfig", kubeconfig("http://127.0.0.1:%d" % server.server_address[1]))
        command = arguments or ("preflight",)
        command = ("preflight", *command) if command[0].startswith("--service") else command
        return self.adze(*command, "--kubeconfig", "kubeconfig")

    def test_a_live_cluster_is_only_read(self):
        pool, node_class, claim = self.objects()
        lists = {"customresourcedefinitions": self.crds(), "nodepools": [pool], "nodeclaims": [claim], "ec2nodeclasses": [node_class], "leases": [],
                 "mutatingwebhookconfigurations": [], "validatingwebhookconfigurations": [], "deployments": [deployment("karpenter", "x/karpenter/controller:1.14.0", ENVIRONMENT)]}
        code, out, err = self.live(**lists)
        self.assertEqual(code, 0, out + err)
        self.assertIn("ok       drift: 0 of 1 node would be replaced\n", out)
        self.assertIn("ok       versions: Kubernetes v1.33.1\n", out)
        self.assertIn(" rights are there: your own", out)
        self.assertIn("\nThe way back:\n  kubectl -n kube-system scale deployment/adze --replicas=0\n", out)
        self.assertEqual({path for method, path in self.server.writes if method != "GET"}, {"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"})
        asked = {(s["resourceAttributes"]["verb"], s["resourceAttributes"]["resource"], s["resourceAttributes"].get("subresource")) for s in self.server.reviews}
        self.assertLessEqual({("create", "nodeclaims", None), ("create", "pods", "eviction"), ("list", "nodepools", None)}, asked)

        def denied(spec): return spec["resourceAttributes"]["resource"] == "nodeclaims" and spec["resourceAttributes"]["verb"] == "delete"
        code, out, err = self.live("--service-account", "kube-system:adze", denied=denied, **lists)
        self.assertEqual(code, 1, out + err)
        self.assertIn("FAILED   rbac: 1 of ", out)
        self.assertIn("(kube-system:adze): delete nodeclaims.karpenter.sh", out)
        self.assertEqual(self.server.reviews[0]["user"], "system:serviceaccount:kube-system:adze")

        code, out, err = self.live("controller", "--preflight", "--cluster-name", "shop", denied=denied, **lists)
        self.assertEqual((code, err), (1, ""), out)  # MIG-130: its own rights and settings
        self.assertIn("FAILED   rbac: 1 of ", out)
        self.assertNotIn("user", self.server.reviews[0])
        self.assertIn("default", {s["resourceAttributes"].get("namespace") for s in self.server.reviews})
        self.assertEqual({method for method, _ in self.server.writes}, {"GET", "POST"})

    def test_no_cluster_and_bad_input(self):
        self.write("nowhere", kubeconfig("http://127.0.0.1:9"))
        self.assert_refused(self.adze("preflight", "--kubeconfig", "nowhere"), 1, "the cluster does not answer")
        self.assert_refused(self.adze("controller", "--preflight", "--cluster-name", "a", "--kubeconfig", "nowhere"), 2, "the cluster does not answer")
        self.assert_refused(self.adze("preflight", "missing.yaml"), 2, "missing.yaml")
        self.assert_refused(self.adze("preflight", "-o", "wide"), 2, "-o")
        checks = self.files({"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "spec": SPEC}, {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "x"}, "spec": 1}, status=1)
        self.assertIn("2 objects cannot be read as v1", checks["objects"]["text"])


if __name__ == "__main__":
    unittest.main()
