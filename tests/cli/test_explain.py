#!/usr/bin/env python3
"""adze explain pod and node as a user runs them (SCH-520, DIS-770), and plan's text about the same."""
import json
import os
import unittest

from program import EXAMPLES, ProgramTest, kubeconfig

INFLATE = os.path.join(EXAMPLES, "inflate.yaml")

POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %s}
spec:
  limits: {cpu: %s}
  template:
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      taints: [%s]
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
---
"""
POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: %s}
spec: {%s containers: [{name: c, image: i, resources: {requests: {cpu: '%s'}}}]}
%s
---
"""


def flat(text):
    """Without line breaks."""
    return " ".join(text.split())


def pod(name, cpu, namespace="default", spec="", status=""):
    return POD % (name, namespace, spec, cpu, status)


class Explain(ProgramTest):
    def explain(self, name, *documents, arguments=()):
        return self.adze("explain", "pod", name, "-f", "-", *arguments, stdin="---\n".join(documents))

    def explain_json(self, name, *documents):
        status, out, err = self.explain(name, *documents, arguments=("-o", "json"))
        self.assertEqual(err, "")
        return status, json.loads(out)

    def test_a_pod_without_a_place(self):
        status, out, err = self.explain("web-0", POOL % ("default", 1000, ""), pod("web-0", 1000))
        self.assertEqual((status, err), (3, ""))
        lines = out.splitlines()
        self.assertEqual(lines[0], "default/web-0 has no place")
        self.assertIn("  InsufficientResources, NodePool default: no instance type has enough resources", lines)
        self.assertRegex(out, r"(?m)^  resources +0  1k cpu: \d+ \u2192 0$")
        self.assertRegex(out, r"nearest miss: \S+ lacks [\d.]+ cpu")
        self.assertLessEqual(len(lines), 40)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_json_is_complete(self):
        status, answer = self.explain_json("default/web-0", POOL % ("default", 1000, ""), POOL % ("b", 10, "{key: k, effect: NoSchedule}"),
                                           pod("web-0", 1000), pod("web-1", 1))
        self.assertEqual(status, 3)
        self.assertEqual((answer["kind"], answer["pod"], answer["state"]),
                         ("PodExplanation", "default/web-0", "unschedulable"))
        self.assertEqual({(reason["nodePool"], reason["code"]) for reason in answer["reasons"]},
                         {("default", "InsufficientResources"), ("b", "TaintNotTolerated")})
        self.assertEqual(answer["nodes"], {"count": 0, "summary": "0/0 nodes", "refused": []})
        self.assertEqual([pool["nodePool"] for pool in answer["funnel"]], ["default", "b"])
        stages = answer["funnel"][0]["stages"]
        self.assertEqual([stage["stage"] for stage in stages],
                         ["requirements", "offerings", "limits", "hostPorts", "daemonSets", "resources"])
        self.assertEqual(stages[-1]["left"], 0)
        self.assertEqual(stages[-1]["cuts"][0]["value"], "1k cpu")
        self.assertEqual(answer["funnel"][0]["nearestMiss"]["stage"], "resources")
        self.assertEqual(answer["funnel"][1]["state"], "taintsNotTolerated")

    def test_a_typo_helps(self):
        _, answer = self.explain_json("a", POOL % ("default", 1000, ""),
                                      pod("a", 1, spec="nodeSelector: {kubernetes.io/arch: amd46},"))
        helps = [help["detail"] for help in answer["help"] if help["change"] == "label"]
        self.assertEqual(len(helps), 1)
        self.assertIn("the value amd46 looks like a typo of amd64", helps[0])

    def test_changes_of_the_nodepool_that_help_SCH_520(self):
        """A label, a requirement, the taints, a limit: each alone would give the pod a place."""
        ec2 = (POOL % ("default", "%s", "%s")).replace("karpenter.kwok.sh, kind: KWOK", "karpenter.k8s.aws, kind: EC2").replace(
            "requirements: [", "requirements: [{key: karpenter.k8s.aws/instance-family, operator: In, values: [m5]}, ")
        gpu = pod("a", 1).replace("requests:", "limits: {nvidia.com/gpu: 1}, requests:")
        for limits, taints, document, change, detail in (
                (1000, "", pod("a", 1, spec="nodeSelector: {intent: apps},"), "nodePoolLabel",
                 "add the label intent: apps (spec.template.metadata.labels of NodePool default); NodePool default would launch m5.large"),
                (1000, "", pod("a", 1, spec="nodeSelector: {kubernetes.io/arch: arm64},"), None, ""),
                (1000, "", gpu, "nodePoolRequirement",
                 "without the requirement of NodePool default: instance-family In [m5] (that would be "),
                (1000, "", pod("a", 1, spec="nodeSelector: {karpenter.sh/capacity-type: spot},"), "nodePoolRequirement",
                 "without the requirement of NodePool default: capacity-type In [on-demand] (that would be spot); NodePool default "),
                (1000, "{key: k, value: v, effect: NoSchedule}, {key: l, effect: NoExecute}", pod("a", 1), "nodePoolTaint",
                 "take the taint k=v:NoSchedule and l:NoExecute off NodePool default; NodePool default would launch m5.large for $"),
                (1, "", pod("a", 1), "limit", "raise the limit of 1 cpu to 2 cpu; NodePool default would launch m5.large for $")):
            _, answer = self.explain_json("a", ec2 % (limits, taints), document)
            found = [help["detail"] for help in answer["help"] if help["change"] == change]
            self.assertEqual(len(found), 0 if change is None else 1, answer["help"])
            self.assertTrue(change is None or found[0].startswith(detail), found)

    def test_a_nodepool_without_types_gets_help_SCH_520(self):
        """Its own requirements leave none: each that is to blame."""
        pool = (POOL % ("default", 1000, "")).replace("requirements: [", "requirements: [{key: kubernetes.io/arch, operator: In, "
                                                      "values: [arm64]}, {key: karpenter.k8s.aws/instance-family, operator: In, values: [m5]}, ")
        _, answer = self.explain_json("a", pool, pod("a", 1))
        self.assertEqual([help["detail"].split(" (")[0] for help in answer["help"]], [
            "without the requirement of NodePool default: instance-family In [m5]",
            "without the requirement of NodePool default: arch In [arm64]"])

    def test_a_pod_with_a_place(self):
        status, out, err = self.adze("explain", "pod", "inflate-0", "-f", INFLATE)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out.splitlines()[0], r"^default/inflate-0 goes to a new node of NodePool default: \S+, \$\d")
        self.assertIn("there are no existing nodes", out)
        self.assertIn("elsewhere it would add", out)
        status, out, _ = self.adze("explain", "pod", "default/inflate-0", "-o", "json", "-f", INFLATE)
        answer = json.loads(out)
        self.assertEqual((status, answer["state"]), (0, "planned"))
        self.assertIn("default/inflate-0", answer["newNodeClaim"]["pods"])
        prices = [alternative["extraPricePerHour"] for alternative in answer["alternatives"]]
        self.assertEqual(prices, sorted(prices))
        self.assertGreater(len(prices), 0)

    def test_launches_that_wait_are_told_LIF_440(self):
        told = POOL.replace("---\n", "") % ("default", 1000, "") + (
            "status:\n  conditions:\n  - {type: LaunchBackOff, status: 'True', reason: InsufficientCapacity,\n"
            "     message: there was no capacity in 4 of 96 offerings}\n---\n")
        line = "launches of NodePool default wait: there was no capacity in 4 of 96 offerings"
        status, out, err = self.explain("web-0", told, pod("web-0", 1))
        self.assertEqual((status, err), (0, ""))
        self.assertIn(line, flat(out))
        self.assertIn(line, flat(self.explain("web-0", told, pod("web-0", 1000))[1]))
        for cpu in (1, 1000):
            answer = self.explain_json("web-0", told, pod("web-0", cpu))[1]
            self.assertEqual(answer["launchesWait"], {"default": "there was no capacity in 4 of 96 offerings"})
        self.assertNotIn("wait", self.explain("web-0", POOL % ("default", 1000, ""), pod("web-0", 1))[1])

    def test_taints_without_a_key(self):
        """Input that an API server would refuse is explained all the same; plan wants to be forced."""
        node = ("apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {taints: [{effect: NoSchedule}]}\n"
                "status: {allocatable: {cpu: '2', memory: 8Gi, pods: '10'}}\n---\n")
        for taint in ("{effect: NoSchedule}", "{value: x}", "{}"):
            documents = POOL % ("default", 1000, taint), node, pod("web-0", 1000)
            status, answer = self.explain_json("web-0", *documents)
            self.assertEqual((status, answer["state"]), (3, "unschedulable"))
            run = self.adze("plan", "--explain", "-f", "-", stdin="---\n".join(documents))
            self.assert_refused(run, 2, "taints[0]", "NodePool default is refused")
            status, _, err = self.adze("plan", "--force", "--explain", "-f", "-", stdin="---\n".join(documents))
            self.assertEqual((status, err), (3, ""))

    def test_pods_that_are_no_part_of_the_plan(self):
        cases = ((pod("a", 1, spec="nodeName: n1,"), "it is on node n1"),
                 (pod("a", 1, spec="schedulingGates: [{name: g}],"), "scheduling gates"),
                 (pod("a", 1, status="status: {phase: Succeeded}"), "it has ended"))
        for document, expected in cases:
            status, out, _ = self.explain("a", POOL % ("default", 1000, ""), document)
            self.assertEqual(status, 0)
            self.assertIn(expected, out)
            self.assertEqual(self.explain_json("a", POOL % ("default", 1000, ""), document)[1]["state"], "notPlanned")

    def test_names(self):
        documents = POOL % ("default", 1000, ""), pod("web-1", 1), pod("web-1", 1, namespace="b"), pod("api", 1)
        self.assert_refused(self.explain("web-1", *documents), 2, "default/web-1", "b/web-1")
        self.assertEqual(self.explain("b/web-1", *documents)[0], 0)
        self.assert_refused(self.explain("apu", *documents), 2, "there is no pod apu", "did you mean api?")
        self.assert_refused(self.explain("b/web-2", *documents), 2, "did you mean b/web-1")
        self.assert_refused(self.explain("zzzzzzzz", *documents), 2, "there is no pod zzzzzzzz")
        self.assert_refused(self.adze("explain", "pod", "inflate", "-f", INFLATE), 2,
                            "did you mean inflate-0 or inflate-1 or inflate-2?")

    def test_bad_usage(self):
        self.assert_refused(self.adze("explain"), 2, "what is to be explained", "pod NAMESPACE/NAME|NAME")
        self.assert_refused(self.adze("explain", "cloud", "x"), 2, "cloud cannot be explained")
        self.assert_refused(self.adze("explain", "pod"), 2, "takes one name")
        self.assert_refused(self.adze("explain", "pod", "a", "b"), 2, "takes one name")
        self.assert_refused(self.adze("explain", "pod", "a", "-o", "xml"), 2, "-o takes table, wide, name, json, yaml or jsonpath=TEMPLATE, not xml")
        self.assert_refused(self.adze("explain", "pod", "a", "--why"), 2, "--why")
        self.assert_refused(self.adze("explain", "pod", "a", "-f", "missing.yaml"), 2, "missing.yaml")

    def test_a_live_cluster_that_is_not_there(self):
        path = self.write("config", kubeconfig())
        self.assert_refused(self.adze("explain", "pod", "a", "--kubeconfig", path), 1, "is the cluster up?")

    def test_the_same_bytes_FMT_12(self):
        documents = [POOL % ("default", 1000, ""), POOL % ("b", 10, "{key: k, effect: NoSchedule}"),
                     pod("web-0", 1000), pod("web-1", 1)]
        first = self.explain_json("web-0", *documents)
        self.assertEqual(first, self.explain_json("web-0", *reversed(documents)))

    def test_plan_is_short_and_explains_if_asked(self):
        path = self.write("plan.yaml", POOL % ("default", 1000, "") + pod("web-0", 1000) + pod("web-1", 1000))
        status, out, _ = self.adze("plan", "-f", path)
        self.assertEqual(status, 3)
        self.assertIn("default/web-0 default/web-1\n    InsufficientResources, NodePool default: no instance type has enough\n"
                      "    resources\n\n", out)
        self.assertIn("nearest miss: ", self.adze("plan", "-f", path, "--explain")[1])
        first, second = json.loads(self.adze("plan", "-f", path, "--explain", "-o", "json")[1])["unschedulable"]
        self.assertIn("funnel", first)
        self.assertEqual(second["explainedBy"], "default/web-0")
        first, _ = json.loads(self.adze("plan", "-f", path, "-o", "json")[1])["unschedulable"]
        self.assertEqual(sorted(first), ["message", "pod", "reasons"])

    def test_notes_beside_claims_SCH_531(self):
        path = self.write("plan.yaml", POOL % ("default", 8, "") + pod("web-0", 1))
        self.assertRegex(self.adze("plan", "-f", path, "--explain")[1], r"PRICE/H\n1 .*\n  \[limits: -\d+ types\]\n")
        self.assertNotIn("limits", self.adze("plan", "-f", path)[1])


CONTEXT = """
apiVersion: adze/v1
kind: SnapshotContext
metadata: {name: context}
spec: {time: "2026-01-05T12:00:00Z"}
---
"""
ON = "'True', lastTransitionTime: '2026-01-05T10:00:00Z'"
NODE = """
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: claim-%(name)s, uid: c-%(name)s, creationTimestamp: "2026-01-05T10:00:00Z", labels: &labels {karpenter.sh/nodepool: default,
  node.kubernetes.io/instance-type: m5.large, topology.kubernetes.io/zone: us-east-1a, karpenter.sh/capacity-type: on-demand}}
spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}
status: {providerID: 'p:%(name)s', %(status)s conditions: [{type: Launched, status: %(on)s}, {type: Initialized, status: %(on)s}, %(more)s]}
---
apiVersion: v1
kind: Node
metadata: {name: %(name)s, uid: n-%(name)s, labels: {karpenter.sh/nodepool: default, node.kubernetes.io/instance-type: m5.large,
  topology.kubernetes.io/zone: us-east-1a, karpenter.sh/capacity-type: on-demand, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}
spec: {providerID: 'p:%(name)s'}
status: {allocatable: {cpu: '2', memory: 8Gi, pods: '29'}, capacity: {cpu: '2', memory: 8Gi, pods: '29'}, conditions: [{type: Ready, status: 'True'}]}
---
"""


def node(name, consolidatable=False, drifted=False, status=""):
    more = ["{type: Consolidatable, status: %s}" % ON] * consolidatable + ["{type: Drifted, status: %s}" % ON] * drifted
    return NODE.replace(" &labels", "") % {"name": name, "status": status, "on": ON, "more": ", ".join(more)}


class ExplainNode(ProgramTest):
    """a is empty and is deleted; b waits for consolidateAfter; c is unmanaged."""

    def setUp(self):
        super().setUp()
        pool = (POOL % ("default", 1000, "")).replace("spec:", "spec:\n  disruption: {consolidateAfter: 5m, budgets: [{nodes: '5'}]}", 1)
        unmanaged = "apiVersion: v1\nkind: Node\nmetadata: {name: c, uid: c}\nspec: {providerID: 'p:c'}\n---\n"
        self.documents = [CONTEXT, pool, node("a", consolidatable=True),
                          node("b", status="lastPodEventTime: '2026-01-05T11:58:00Z',"), unmanaged]

    def explain(self, *arguments, noun="node"):
        return self.adze("explain", noun, *arguments, "-f", "-", stdin="\n".join(self.documents))

    def test_a_node_that_stays_DIS_85(self):
        status, out, err = self.explain("b")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out.splitlines()[:2], ["b stays: DIS-85, consolidateAfter has not passed", "  NodePool default, m5.large, us-east-1a, on-demand; 0 pods"])
        self.assertIn("3m0s left, until", out)
        answer = json.loads(self.explain("claim-b", "-o", "json")[1])
        self.assertEqual((answer["kind"], answer["name"], answer["nodeClaim"], answer["nodePool"], answer["state"], answer["rule"]),
                         ("NodeExplanation", "b", "claim-b", "default", "stays", "DIS-85"))

    def test_what_is_left_is_in_whole_seconds_DIS_85(self):
        with open(EXAMPLES + "/cluster.yaml", encoding="utf-8") as file:
            path = self.write("fraction.yaml", file.read().replace("12:00:00Z\"", "12:00:00.123456Z\"", 1))
        status, out, err = self.adze("explain", "node", "ip-10-0-1-23", "-f", path)
        self.assertIn("3m0s left", " ".join(out.split()), err)

    def test_a_node_that_goes(self):
        self.assertRegex(self.explain("a")[1], r"\Aa goes\n.*\nEmpty \(empty\): 1 node a; no replacement; saves \$0\.\d{4} an hour\n")
        answer = json.loads(self.explain("a", "-o", "json")[1])
        self.assertEqual((answer["state"], answer["command"]["method"], answer["command"]["candidates"]), ("goes", "Empty", ["a"]))

    def test_a_drifted_node_says_so_and_by_which_field_DIS_74_DIS_75(self):
        self.assertNotIn("drift", self.explain("b")[1])
        self.assertNotIn("drift", json.loads(self.explain("b", "-o", "json")[1]))
        self.documents[1] = self.documents[1].replace("values: [on-demand]", "values: [spot]")
        for condition, words, marked in (("", "it differs from what is wanted, and would be found drifted: RequirementsDrifted", False),
                                         ("{type: Drifted, reason: RequirementsDrifted, status: %s}" % ON,
                                          "it has drifted: RequirementsDrifted", True)):
            self.documents[3] = node("b", status="lastPodEventTime: '2026-01-05T11:58:00Z',").replace(
                "}, ]}", "}, %s]}" % condition)
            self.assertIn(words + "; on the node, and wanted now: spec.template.spec.requirements[karpenter.sh/capacity-type]: "
                          "on-demand -> In [spot]", flat(self.explain("b")[1]))
            drift = json.loads(self.explain("b", "-o", "json")[1])["drift"]
            self.assertEqual(drift, {"reason": "RequirementsDrifted", "marked": marked, "fields": [
                {"path": "spec.template.spec.requirements[karpenter.sh/capacity-type]", "from": "on-demand", "to": "In [spot]"}]})

    def test_all_nodes_DIS_770(self):
        for noun in ("node", "nodes"):
            status, out, err = self.explain(noun=noun)
            self.assertEqual((status, err), (0, ""))
            self.assertIn("DISRUPTIONS\nEmpty (empty): 1 node a", out)
            self.assertIn("NODES THAT STAY\nDIS-32 #2, it is not managed: no NodeClaim belongs to it: 1 node c\n", out)
            self.assertIn("DIS-85, consolidateAfter has not passed: 1 node b\n", out)
        answer = json.loads(self.explain("-o", "json")[1])
        self.assertEqual(answer["kind"], "NodeExplanationList")
        self.assertEqual([(entry["name"], entry["state"]) for entry in answer["nodes"]], [("a", "goes"), ("b", "stays"), ("c", "stays")])
        self.assertEqual(answer["rules"], [{"rule": "DIS-32 #2", "nodes": 1}, {"rule": "DIS-85", "nodes": 1}])

    def test_the_price_beside_that_of_a_new_plan_DIS_745(self):
        self.assertNotIn("repack", json.loads(self.explain("-o", "json")[1]))  # one node needs no packing
        bound = pod("x-%s", "1500m").replace("containers:", "nodeName: %s, containers:")
        quiet = "lastPodEventTime: '2026-01-05T10:30:00Z',"
        self.documents[2:] = [node(name, consolidatable=True, status=quiet) + bound % (name, name) for name in "ab"]
        repack = json.loads(self.explain("-o", "json")[1])["repack"]
        self.assertEqual(repack["pricePerHour"], 0.192)
        self.assertLessEqual(repack["targetPerHour"], 0.192)
        self.assertIn(" nodes that may be consolidated cost $0.1920 an hour, in a new plan of their pods $%.4f NODES THAT STAY" %
                      repack["targetPerHour"], flat(self.explain()[1]))

    def test_several_nodes(self):
        self.assertEqual(self.explain("c", "b")[1].count(" stays: "), 2)
        answer = json.loads(self.explain("c", "b", "-o", "json")[1])
        self.assertEqual([entry["name"] for entry in answer["nodes"]], ["c", "b"])

    def test_names(self):
        self.assert_refused(self.explain("claim-x"), 2, "there is no node claim-x", "did you mean claim-a or claim-b?")

    def test_the_same_bytes_FMT_12(self):
        first = self.explain("-o", "json")
        self.documents.reverse()
        self.assertEqual(first, self.explain("-o", "json"))

    def test_plan_tells_the_same_if_asked_FMT_13(self):
        path = self.write("world.yaml", "\n".join(self.documents))
        plain = json.loads(self.adze("plan", "--disrupt", "-f", path, "-o", "json")[1])
        self.assertEqual((plain["disruptions"][0]["candidates"], "nodes" in plain), (["a"], False))
        answer = json.loads(self.adze("plan", "--disrupt", "--explain", "-f", path, "-o", "json")[1])
        self.assertEqual([(entry["name"], entry["rule"]) for entry in answer.pop("nodes")], [("b", "DIS-85"), ("c", "DIS-32 #2")])
        self.assertEqual(answer, plain)
        self.assertIn("NODES THAT STAY", self.adze("plan", "--disrupt", "--explain", "-f", path)[1])
        self.assertNotIn("NODES THAT STAY", self.adze("plan", "--disrupt", "-f", path)[1])

    def test_a_pool_of_one_node_DIS_764(self):
        self.documents = [CONTEXT, POOL % ("default", 1000, ""), node("b")]
        path = self.write("world.yaml", "\n".join(self.documents))
        answer = json.loads(self.adze("plan", "--disrupt", "--explain", "-f", path, "-o", "json")[1])
        self.assertIn("budgets[0] allows 10% of it, which is rounded up", answer["warnings"][0])


if __name__ == "__main__":
    unittest.main()
