#!/usr/bin/env python3
"""What adze plan leaves out of its input is told, a line for each kind and cause (FMT-1, FMT-2)."""
import json
import unittest

from program import ProgramTest

TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}
EC2 = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}


def thing(kind, name="x", api="apps/v1", namespace=None, **fields):
    meta = dict({"name": name}, **({"namespace": namespace} if namespace else {}))
    return dict({"apiVersion": api, "kind": kind, "metadata": meta}, **fields)


def workload(kind, name="x", api="apps/v1", **spec):
    return thing(kind, name, api, spec=dict({"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE}, **spec))


POOL = thing("NodePool", "default", "karpenter.sh/v1", spec={"template": {"spec": {"nodeClassRef": EC2, "requirements": []}}})
STATIC = thing("NodePool", "fixed", "karpenter.sh/v1", spec={"replicas": 2, "template": {"spec": {"nodeClassRef": EC2, "requirements": []}}})
OVERLAY = thing("NodeOverlay", "o", "karpenter.sh/v1alpha1", spec={"requirements": [], "priceAdjustment": "-10%"})
BUFFER = thing("CapacityBuffer", "b", "autoscaling.x-k8s.io/v1beta1", spec={"podTemplateRef": {"name": "t"}, "replicas": 1})
RAY = thing("RayCluster", "r", "ray.io/v1", spec={"groups": [{"template": TEMPLATE}]})
GATES = "FEATURE_GATES=NodeOverlay=true,CapacityBuffer=true,StaticCapacity=true"


class LeftOut(ProgramTest):
    def plan(self, *objects, options=()):
        path = self.write("world.yaml", "---\n".join(json.dumps(item) + "\n" for item in objects))
        return self.adze("plan", "-f", path, *options)

    def left_out(self, *objects, options=()):
        code, out, err = self.plan(POOL, *objects, options=("-o", "json", *options))
        self.assertEqual((code, err), (0, ""))
        plan = json.loads(out)
        self.pods = plan["totals"]["pods"]
        return plan.get("leftOut", [])

    def test_kinds_that_are_not_read(self):
        for objects, lines in (
                ((thing("CronJob", "n", "batch/v1", "shop", spec={"schedule": "0 3 * * *"}),),
                 ["CronJob shop/n (0 3 * * *): the pods of its Jobs are not planned"]),
                ((workload("Rollout", "r", "argoproj.io/v1alpha1", replicas=4),), ["Rollout r (replicas: 4): its pods are not planned (those of a Deployment are)"]),
                ((thing("HorizontalPodAutoscaler", "h", "autoscaling/v2", spec={"maxReplicas": 9}),),
                 ["HorizontalPodAutoscaler h (1 to 9): as many pods are planned as the workload's replicas say"]),
                ((RAY,), ["RayCluster r: it has containers, and its pods are not planned"]),
                ((thing("ReplicationController", "rc", "v1", spec={"template": TEMPLATE}),), ["ReplicationController rc: its pods are not planned (those of a Deployment are)"]),
                ((thing("RuntimeClass", "kata", "node.k8s.io/v1", handler="k", overhead={"podFixed": {"cpu": "1"}}),),
                 ["RuntimeClass kata: its overhead and node selector are not added to pods"]),
                ((thing("RuntimeClass", "runc", "node.k8s.io/v1", handler="k"), thing("ConfigMap", "a", "v1", data={}), thing("ConfigMap", "b", "v1"),
                  thing("Rollout", "other", "example.com/v1")), ["without effect on a plan: ConfigMap (2), Rollout (1), RuntimeClass (1)"]),
                ([thing("CronJob", name, "batch/v1beta1") for name in "dbacef"], ["CronJob a, b, c, d and 2 more: the pods of its Jobs are not planned"])):
            self.assertEqual(self.left_out(*objects), lines)
            table = " ".join(self.plan(POOL, *objects)[1].split())
            self.assertIn(lines[0] if lines[0].startswith("without") else "left out: " + lines[0], table)

    def assumptions(self, *objects, command=("plan",)):
        path = self.write("world.yaml", "---\n".join(json.dumps(item) + "\n" for item in (POOL, *objects)))
        code, out, err = self.adze(*command, "-f", path, "-o", "json")
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)["assumptions"]

    def test_objects_that_pods_name_and_the_input_lacks_SCH_341(self):
        claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "gp3"}}
        template = dict(TEMPLATE, spec=dict(TEMPLATE["spec"], priorityClassName="high"))
        objects = thing("StatefulSet", "db", namespace="shop", spec={
            "replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template, "volumeClaimTemplates": [claim]}),
        lines = ["Namespace shop, of 1 object, is not in the input (taken: without labels and LimitRanges)",
                 "PriorityClass high, of 1 object, is not in the input (taken: priority 0; an API server refuses such pods)",
                 "StorageClass gp3, of 2 claims, is not in the input (taken: volumes of EBS that are made where the pod goes)"]
        for command in (("plan",), ("plan", "--rebalance"), ("cost",)):
            self.assertEqual([line for line in lines if line not in self.assumptions(*objects, command=command)], [])
        there = (thing("Namespace", "shop", "v1"), thing("PriorityClass", "high", "scheduling.k8s.io/v1", value=7), thing(
            "StorageClass", "gp3", "storage.k8s.io/v1", provisioner="ebs.csi.aws.com", volumeBindingMode="WaitForFirstConsumer"))
        self.assertEqual([line for line in self.assumptions(*objects, *there) if "input (taken: v" in line or "of 1 object" in line], [])

    def test_node_classes_that_are_not_ready_or_not_there(self):
        node_class = thing("EC2NodeClass", "default", "karpenter.k8s.aws/v1", spec={
            "role": "r", "amiSelectorTerms": [{"alias": "al2023@latest"}], "subnetSelectorTerms": [{"id": "subnet-1"}],
            "securityGroupSelectorTerms": [{"id": "sg-1"}]}, status={"conditions": [
                {"type": "Ready", "status": "False", "reason": "SubnetsReady=False", "message": "no subnet"}]})
        self.assertIn("EC2NodeClass default is not Ready (no subnet): a controller launches no node with it until it is",
                      self.assumptions(node_class))
        pool = thing("NodePool", "win", "karpenter.sh/v1", spec={"template": {"spec": {
            "nodeClassRef": dict(EC2, name="gone"), "requirements": [{"key": "kubernetes.io/os", "operator": "In", "values": ["windows"]}]}}})
        pod = thing("Pod", "p", "v1", spec=dict(TEMPLATE["spec"], nodeSelector={"kubernetes.io/os": "windows"}))
        self.assertIn("EC2NodeClass gone of NodePool win is not in the input (taken: one for Windows Server 2022)",
                      self.assumptions(node_class, pool, pod))

    def test_other_commands_refuse_what_plan_refuses(self):
        auto = thing("NodePool", "auto", "karpenter.sh/v1", spec={"template": {"spec": {
            "nodeClassRef": {"group": "eks.amazonaws.com", "kind": "NodeClass", "name": "default"}, "requirements": []}}})
        wrong = thing("NodePool", "wrong", "karpenter.sh/v1", spec={"template": {"spec": {"nodeClassRef": EC2}}})
        cluster = self.write("cluster.yaml", json.dumps(POOL) + "\n")
        for found, complaint in ((auto, "EKS Auto Mode"), (wrong, "NodePool wrong is refused")):
            path = self.write("edit.yaml", json.dumps(found) + "\n")
            explain = (("explain", "nodes", "-f"),) if found is auto else () # which tells mistakes, and goes on
            for command in (("cost", "-f"), ("plan", "--diff", "--snapshot", cluster, "-f"), *explain):
                self.assert_refused(self.adze(*command, path), 2, complaint)
                self.assertIn(self.adze(*command, path, "--force")[0], (0, 3))

    def test_workloads_without_pods(self):
        self.assertEqual(self.left_out(workload("Deployment", "d", replicas=0), workload("StatefulSet", "s", replicas=0),
                                       workload("Job", "j", "batch/v1", suspend=True)),
                         ["Deployment d: replicas: 0", "Job j: it is suspended", "StatefulSet s: replicas: 0"])
        self.assertEqual(self.pods, 0)
        old = workload("ReplicaSet", "old", replicas=0)
        old["metadata"]["uid"] = "u"
        self.assertEqual(self.left_out(old), [])  # of a cluster

    def test_jobs_have_as_many_pods_as_completions_are_left_FMT_2(self):
        for spec, status, pods in (({"parallelism": 5}, {}, 5), ({"parallelism": 5, "completions": 3}, {}, 3), ({}, {}, 1),
                                   ({"parallelism": 5, "completions": 7}, {"succeeded": 6}, 1), ({"parallelism": -1}, {}, 0),
                                   ({}, {"conditions": [{"type": "Complete", "status": "True"}]}, 0),
                                   ({}, {"conditions": [{"type": "Failed", "status": "True"}]}, 0),
                                   ({}, {"conditions": [{"type": "Failed", "status": "False"}]}, 1), ({"suspend": True}, {}, 0)):
            self.left_out(dict(workload("Job", "j", "batch/v1", **spec), status=status))
            self.assertEqual(self.pods, pods, (spec, status))

    def test_objects_whose_gate_is_off(self):
        off = self.left_out(OVERLAY, STATIC, BUFFER)
        self.assertEqual([line.split(" (--set")[0] for line in off],
                         ["CapacityBuffer b: the feature gate CapacityBuffer is off", "NodeOverlay o: the feature gate NodeOverlay is off",
                          "NodePool fixed: the feature gate StaticCapacity is off"])
        self.assertEqual(self.left_out(OVERLAY, STATIC, BUFFER, options=("--set", GATES)), [])

    def test_only_relevant_gaps_are_errors_of_strict(self):
        code, out, err = self.plan(POOL, workload("Deployment", "d", replicas=0), thing("ConfigMap", "a", "v1"), thing("Service", "s", "v1"),
                                   thing("HorizontalPodAutoscaler", "h", "autoscaling/v2", spec={"maxReplicas": 9}), options=("--strict",))
        self.assertEqual((code, err), (0, ""), out)
        for item, part in ((thing("CronJob", "n", "batch/v1"), ":3:"), (RAY, "kind: RayCluster r: it has containers"),
                           (OVERLAY, "NodeOverlay o: the feature gate NodeOverlay is off"), (STATIC, "NodePool fixed: the feature gate"),
                           (thing("ReplicationController", "rc", "v1", spec={"template": TEMPLATE}), "ReplicationController rc: its pods")):
            self.assert_refused(self.plan(POOL, item, options=("--strict",)), 2, part, "; --strict refuses that")
        self.assert_refused(self.plan(dict(POOL, kind="NodePol"), options=("--strict",)), 2, "did you mean NodePool?")

    def test_assumptions_are_told_in_JSON_and_do_not_depend_on_the_order_FMT_12(self):
        classes = [thing("EC2NodeClass", name, "karpenter.k8s.aws/v1", spec={
            "role": "r", "amiSelectorTerms": [{"alias": "al2023@latest"}], "subnetSelectorTerms": [{"id": "subnet-1"}],
            "securityGroupSelectorTerms": [{"id": "sg-1"}]}) for name in ("a", "b")]
        pools = [thing("NodePool", "p-" + name, "karpenter.sh/v1", spec={"template": {"spec": {"nodeClassRef": dict(EC2, name=name[0]), "requirements": []}}})
                 for name in ("a1", "a2", "b", "c")]
        objects = [*classes, *pools, RAY, OVERLAY]
        _, out, _ = self.plan(*objects, options=("-o", "json"))
        self.assertEqual(self.plan(*objects[::-1], options=("-o", "json"))[1], out)
        told = json.loads(out)["assumptions"]
        self.assertIn("EC2NodeClass c of NodePool p-c is not in the input (taken: one for AL2023)", told)
        self.assertTrue(any(line.startswith("EC2NodeClass a, for NodePools p-a1, p-a2; not known here: zones") for line in told), told)

    def test_nothing_to_plan_says_what_was_there(self):
        self.assert_refused(self.plan(RAY, thing("ConfigMap", "a", "v1")), 2, "nothing to plan", "RayCluster r: it has containers", "ConfigMap (1)")


if __name__ == "__main__":
    unittest.main()
