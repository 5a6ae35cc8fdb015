#!/usr/bin/env python3
"""adze plan --diff as a user runs it: which nodes drift by which field, what comes and goes, what it costs."""
import json
import unittest

from program import EXAMPLES, ProgramTest

CLUSTER = EXAMPLES + "/cluster.yaml"
POOL = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %(name)s}
spec:
  weight: 5
  template:
    metadata: {labels: {%(labels)s}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: shop}
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: kubernetes.io/os, operator: In, values: [linux]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [%(capacity)s]}
      expireAfter: Never
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 5m
    budgets: [{nodes: "2"}]
"""
WEB = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: %s
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: x, resources: {requests: {cpu: %s}}}]}
"""


def pool(name="office", labels="", capacity="on-demand"):
    return POOL % {"name": name, "labels": labels, "capacity": capacity}


def documents_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class WhatIf(ProgramTest):
    def diff(self, edit, *arguments, snapshot=CLUSTER):
        files = ("-f", self.write("edit.yaml", edit)) if edit else ()
        return self.adze("plan", "--diff", *files, "--snapshot", snapshot, *arguments)

    def diff_json(self, edit, *arguments, statuses=(0,), snapshot=CLUSTER):
        status, out, err = self.diff(edit, *arguments, "-o", "json", snapshot=snapshot)
        self.assertIn(status, statuses, err)
        return json.loads(out)

    def test_a_requirement_that_nodes_do_not_meet_DIS_75(self):
        diff = self.diff_json(pool(capacity="spot"))
        self.assertEqual({(d["node"], d["reason"], d["fields"][0]["from"], d["fields"][0]["to"]) for d in diff["drifted"]},
                         {(f"ip-10-0-1-{i}", "RequirementsDrifted", "on-demand", "In [spot]") for i in (23, 24, 25)})
        self.assertTrue(all(d["fields"][0]["path"].endswith("requirements[karpenter.sh/capacity-type]") for d in diff["drifted"]))
        status, out, _ = self.diff(pool(capacity="spot"))
        self.assertEqual(status, 0)
        self.assertIn("3 nodes of NodePool office drift: RequirementsDrifted", out)
        self.assertTrue(all(len(line) <= 100 for line in out.split("\n")), out)

    def test_a_removed_node_pool_takes_its_nodes(self):
        diff = self.diff_json("", "--delete", "nodepool/office", statuses=(3,))
        self.assertEqual({n["why"] for n in diff["nodes"] if n["fate"] == "goes"}, {"NodePoolDeleted"})
        self.assertEqual(diff["totals"]["after"]["nodes"], 0)
        self.assertEqual(diff["unplaced"], 4)

    def test_another_node_pool_takes_over(self):
        diff = self.diff_json(pool("other"), "--delete", "nodepool/office")
        self.assertEqual([(c["change"], c["name"]) for c in diff["changes"]], [("removed", "office"), ("added", "other")])
        by_pool = {p["nodePool"]: (p["now"]["nodes"], p["after"]["nodes"]) for p in diff["nodePools"]}
        self.assertEqual(by_pool["office"], (3, 0))
        self.assertGreater(by_pool["other"][1], 0)
        self.assertEqual(len(diff["moves"]), 4)
        new = {n["name"] for n in diff["nodes"] if n["fate"] == "comes"}
        self.assertTrue(all(move["to"] in new for move in diff["moves"]))

    def test_the_edit_that_changes_nothing(self):
        diff = self.diff_json(documents_of(CLUSTER).split("---\n")[1])
        self.assertEqual([c["change"] for c in diff["changes"]], ["none"])
        self.assertEqual((diff["drifted"], diff["totals"]["after"]), ([], diff["totals"]["withoutEdit"]))

    def test_workloads_grow_and_shrink(self):
        one = self.diff_json(WEB % (1, "1"), snapshot=self.write("c.yaml", documents_of(CLUSTER) + "---\n" + WEB % (3, "1")))
        self.assertEqual([f["path"] for f in one["changes"][0]["fields"]], ["spec.replicas"])
        more = self.diff_json(WEB % (9, "1"))
        self.assertGreater(more["totals"]["after"]["pricePerHour"], one["totals"]["after"]["pricePerHour"])
        self.assertEqual(len([m for m in more["moves"] if "from" not in m]), 9)

    def crowd(self, policy="WhenEmptyOrUnderutilized"):
        """Four m5.2xlarge with a pod of one cpu each, which one m5.2xlarge could carry."""
        parts = [pool().replace("WhenEmptyOrUnderutilized", policy)]
        for i in range(4):
            labels = ("karpenter.sh/nodepool: office, node.kubernetes.io/instance-type: m5.2xlarge, kubernetes.io/arch: amd64, "
                      "kubernetes.io/os: linux, topology.kubernetes.io/zone: us-east-1a, karpenter.sh/capacity-type: on-demand")
            size = "{cpu: '8', memory: 31Gi, pods: '58'}"
            parts.append(f"apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {{name: claim-{i}, uid: c{i}, labels: {{{labels}}}}}\n"
                         f"spec: {{nodeClassRef: {{group: karpenter.k8s.aws, kind: EC2NodeClass, name: shop}}, requirements: []}}\n"
                         f"status: {{nodeName: node-{i}, providerID: 'p:{i}', capacity: {size}, allocatable: {size}, conditions: [" +
                         ", ".join(f"{{type: {kind}, status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z'}}"
                                   for kind in ("Launched", "Registered", "Initialized")) + "]}\n")
            parts.append(f"apiVersion: v1\nkind: Node\nmetadata: {{name: node-{i}, uid: n{i}, labels: {{{labels}, kubernetes.io/hostname: node-{i}, "
                         f"karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}}}\nspec: {{providerID: 'p:{i}'}}\n"
                         f"status: {{capacity: {size}, allocatable: {size}, conditions: [{{type: Ready, status: 'True'}}]}}\n")
            parts.append(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web-{i}, namespace: default, uid: w{i}, ownerReferences: "
                         f"[{{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: web, controller: true}}]}}\n"
                         f"spec: {{nodeName: node-{i}, containers: [{{name: a, image: x, resources: {{requests: {{cpu: '1', memory: 1Gi}}}}}}]}}\n"
                         f"status: {{phase: Running, conditions: [{{type: Ready, status: 'True'}}]}}\n")
        return self.write("crowd.yaml", "---\n".join(parts))

    def test_rebalancing_keeps_what_it_can_use_and_packs_the_rest(self):
        # By list prices and NODE_COST alone, so that totals and bound compare.
        status, out, err = self.adze("plan", "--rebalance", "--snapshot", self.crowd("WhenEmpty"), "-o", "json", "--set", "EXPECTED_CPU_USE=0")
        self.assertEqual((status, err), (0, ""))
        balance = json.loads(out)
        self.assertEqual((balance["kind"], balance["nodesFree"], balance["nodesHeld"]), ("ClusterRebalance", 4, 0))
        self.assertLess(balance["totals"]["after"]["pricePerHour"], balance["totals"]["now"]["pricePerHour"] / 2)
        self.assertGreaterEqual(balance["totals"]["after"]["pricePerHour"] + 0.02 * balance["totals"]["after"]["nodes"], balance["lowerBound"])
        # WhenEmpty: by itself nothing would go.
        self.assertEqual(balance["byDisruption"]["pricePerHour"], balance["totals"]["now"]["pricePerHour"])
        self.assertEqual(sum(n["pods"] for n in balance["nodes"] if n["fate"] != "goes"), 4)
        self.assertEqual(balance["unplaced"], 0)

    def test_rebalancing_is_not_dearer_than_disruption(self):
        # A node that is being deleted is gone in the goal, too, and an equal node is no reason to move.
        status, out, err = self.adze("plan", "--rebalance", "--snapshot", EXAMPLES + "/../docs/troubleshooting/cluster.yaml", "-o", "json")
        self.assertEqual((status, err), (0, ""))
        balance = json.loads(out)
        self.assertLessEqual(balance["totals"]["after"]["pricePerHour"], balance["byDisruption"]["pricePerHour"])
        self.assertEqual({n["name"]: n["why"] for n in balance["nodes"] if n["fate"] == "goes"}["ip-10-0-2-33"], "deleted")
        self.assertEqual([n for n in balance["nodes"] if n["fate"] == "comes"], [])

    def roll(self, pools, nodes, request="group=next", budgets=""):
        """Nodes (name, labels, pods); a pod is (name, cpu, more of its metadata)."""
        parts = [pool(name).replace("[{nodes: \"2\"}]", f"[{{nodes: '{pace}'}}]") for name, pace in pools]
        for name, labels, pods in nodes:
            parts.append(f"apiVersion: v1\nkind: Node\nmetadata: {{name: {name}, uid: u-{name}, labels: {{{labels}, kubernetes.io/hostname: {name}, "
                         "node.kubernetes.io/instance-type: m5.large, kubernetes.io/arch: amd64, kubernetes.io/os: linux, "
                         "topology.kubernetes.io/zone: us-east-1a, karpenter.sh/capacity-type: on-demand}}\n"
                         f"spec: {{providerID: 'p:{name}'}}\nstatus: {{allocatable: {{cpu: '2', memory: 7Gi, pods: '29'}}, "
                         "capacity: {cpu: '2', memory: 7Gi, pods: '29'}, conditions: [{type: Ready, status: 'True'}]}\n")
            for pod, cpu, more in pods:
                parts.append(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {pod}, namespace: default, uid: u-{pod}, labels: {{app: {pod.split('-')[0]}}}{more}}}\n"
                             f"spec: {{nodeName: {name}, containers: [{{name: a, image: x, resources: {{requests: {{cpu: '{cpu}'}}}}}}]}}\n"
                             "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}\n")
        if budgets:
            parts.append(budgets)
        path = self.write("roll.yaml", "---\n".join(parts))
        status, out, err = self.adze("plan", "--roll", request, "--snapshot", path, "-o", "json")
        self.assertIn(status, (0, 3), err)
        return status, json.loads(out)

    OWNED = ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web, controller: true}]"

    def test_a_node_group_rolls_in_steps_that_budgets_allow_MIG_206(self):
        group = "eks.amazonaws.com/nodegroup: group"
        nodes = [(f"n{i:02}", group, [(f"web-{i}", "1", self.OWNED)]) for i in range(12)] + [("n12", group, [])]
        pdb = ("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web, namespace: default}\n"
               "spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}\nstatus: {disruptionsAllowed: 1}\n")
        # Without a budget of pods a tenth at a time, at least one: two of thirteen.
        status, free = self.roll([("next", "1")], nodes)
        self.assertEqual((status, [len(step["nodes"]) for step in free["steps"]]), (0, [2] * 6 + [1]))
        status, paced = self.roll([("next", "1")], nodes, budgets=pdb)
        self.assertEqual((status, paced["held"], paced["from"]), (0, [], {"label": "eks.amazonaws.com/nodegroup", "value": "group"}))
        self.assertEqual(paced["steps"][0]["nodes"], ["n00", "n12"])  # the empty one beside
        self.assertEqual([len(step["nodes"]) for step in paced["steps"][1:]], [1] * 11)
        # All pods move once, to new nodes of the other NodePool; none goes to a node that is still to be drained.
        launched = {name for step in paced["steps"] for name in step["launched"]}
        self.assertEqual((len(paced["moves"]), paced["unplaced"]), (12, 0))
        self.assertTrue(all(move["to"] in launched for move in paced["moves"]))
        self.assertTrue(all(n["nodePool"] == "next" for n in paced["nodes"] if n["fate"] == "comes"))

    def test_a_node_pool_rolls_by_its_budgets_and_names_what_stays_MIG_206(self):
        old = "karpenter.sh/nodepool: office"
        nodes = [(f"n{i}", old, [(f"web-{i}", "500m", self.OWNED)]) for i in range(6)]
        nodes += [("held", old, [("db-0", "1", ", annotations: {karpenter.sh/do-not-disrupt: 'true'}")]),
                  ("large", old, [("big-0", "1", ""), ("huge-0", "4000", self.OWNED)])]
        status, roll = self.roll([("office", "2"), ("next", "1")], nodes, "office=next")
        self.assertEqual((status, [len(step["nodes"]) for step in roll["steps"]]), (3, [2, 2, 2]))
        held = {node["node"]: node["why"] for node in roll["held"]}
        self.assertIn("default/db-0 has karpenter.sh/do-not-disrupt", held["held"])
        self.assertIn("default/huge-0 would have no place", held["large"])
        self.assertEqual(roll["podsWithoutController"], 2)
        by_pool = {p["nodePool"]: (p["now"]["nodes"], p["after"]["nodes"]) for p in roll["nodePools"]}
        self.assertEqual(by_pool["office"], (8, 2))
        status, roll = self.roll([("office", "0"), ("next", "1")], nodes, "karpenter.sh/nodepool:office=next")
        self.assertEqual((status, roll["steps"], len(roll["held"])), (3, [], 8))
        self.assertIn("budgets", {node["node"]: node["why"] for node in roll["held"]}["n0"])

    def test_a_roll_that_is_none_MIG_206(self):
        for request, part in (("office", "FROM=TO"), ("office=", "FROM=TO"), ("nobody=office", "no node is of"), ("office=nobody", "no NodePool nobody"),
                              ("office=office", "--diff")):
            self.assert_refused(self.adze("plan", "--snapshot", CLUSTER, "--roll", request), 2, part)

    def test_a_disruption_says_what_the_cluster_costs_then(self):
        status, out, err = self.adze("plan", "--disrupt", "--snapshot", self.crowd(), "-o", "json")
        self.assertEqual((status, err), (0, ""))
        cost = json.loads(out)["cost"]
        self.assertEqual(cost["totals"]["now"]["nodes"], 4)
        self.assertEqual([p["nodePool"] for p in cost["nodePools"]], ["office"])

    def test_bad_usage(self):
        for arguments, part in ((("--diff",), "--delete"), (("--delete", "nodepool/x"), "--diff"),
                                (("--diff", "--delete", "nodepool/nobody"), "no such object"),
                                (("--diff", "--delete", "nonsense/x"), "KIND/NAME"),
                                (("--diff", "--disrupt", "--delete", "nodepool/office"), "--disrupt"),
                                (("--roll", "a=b", "--rebalance"), "--roll"),
                                (("--diff", "-f", "nowhere.yaml"), "nowhere.yaml")):
            self.assert_refused(self.adze("plan", "--snapshot", CLUSTER, *arguments), 2, part)

    def test_an_edit_that_an_api_server_refuses(self):
        self.assert_refused(self.diff(pool().replace("operator: In", "operator: in", 1)), 2, "NodePool office is refused", "edit.yaml")


if __name__ == "__main__":
    unittest.main()
