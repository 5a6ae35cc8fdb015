#!/usr/bin/env python3
"""adze cost as a user runs it: shares, idle parts, nodes without a price, what the pods would cost on new nodes."""
import json
import random
import unittest

from program import ProgramTest

POOL = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %s}
spec:
  template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, requirements: []}}
"""
NODE = """apiVersion: v1
kind: Node
metadata: {name: %(name)s, uid: n-%(name)s, labels: {%(pool)snode.kubernetes.io/instance-type: %(type)s,
  topology.kubernetes.io/zone: us-east-1a, karpenter.sh/capacity-type: on-demand, karpenter.sh/registered: 'true', karpenter.sh/initialized: 'true'}}
spec: {providerID: 'p:%(name)s'}
status: {allocatable: {cpu: '2', memory: 8Gi, pods: '20'}, capacity: {cpu: '2', memory: 8Gi, pods: '20'}, conditions: [{type: Ready, status: 'True'}]}
"""
POD = """apiVersion: v1
kind: Pod
metadata: {name: %(name)s, namespace: %(namespace)s, uid: p-%(name)s%(owner)s}
spec: {nodeName: %(node)s, containers: [{name: main, image: x, resources: {requests: {cpu: %(cpu)s, memory: %(memory)s}}}]}
status: {phase: Running}
"""
M5_LARGE = 0.096  # USD an hour in us-east-1


def node(name, pool="default", kind="m5.large"):
    return NODE % {"name": name, "pool": f"karpenter.sh/nodepool: {pool}, " if pool else "", "type": kind}


def pod(name, where, cpu="500m", memory="1Gi", namespace="shop", owner=None):
    owners = ", ownerReferences: [{apiVersion: apps/v1, kind: %s, name: %s, uid: o-%s, controller: true}]" % (*owner, owner[1]) if owner else ""
    return POD % {"name": name, "namespace": namespace, "owner": owners, "node": where, "cpu": cpu, "memory": memory}


class Cost(ProgramTest):
    def cost(self, *documents, arguments=()):
        return self.adze("cost", "-f", "-", *arguments, stdin="---\n".join(documents))

    def cost_json(self, *documents):
        status, out, err = self.cost(*documents, arguments=("-o", "json"))
        self.assertEqual((status, err), (0, ""))
        return json.loads(out)

    def workloads(self, bill):
        return {f"{line['namespace']} {line['workload']}": line["pricePerHour"] for line in bill["workloads"]}

    def test_shares_go_by_the_scarcer_resource(self):
        # Of memory 6 of 8 GiB are requested, of cpu 1 of 2: memory counts.
        bill = self.cost_json(POOL % "default", node("a"), pod("big", "a", "500m", "4Gi"), pod("small", "a", "500m", "2Gi", "ops"))
        self.assertEqual(self.workloads(bill), {"shop Pod/big": M5_LARGE / 2, "ops Pod/small": M5_LARGE / 4})
        self.assertEqual([(line["namespace"], line["pods"]) for line in bill["namespaces"]], [("shop", 1), ("ops", 1)])
        self.assertAlmostEqual(bill["totals"]["idlePerHour"], M5_LARGE / 4, 9)
        self.assertAlmostEqual(bill["totals"]["pricePerMonth"], M5_LARGE * 730, 6)

    def test_requests_whose_sum_is_no_quantity_any_more(self):
        most = "'9223372036854775807'"
        bill = self.cost_json(POOL % "default", node("a"), *(pod(name, "a", "0", most) for name in ("one", "two", "three")))
        self.assertEqual(len(set(self.workloads(bill).values())), 1)
        self.assertAlmostEqual(self.workloads(bill)["shop Pod/one"], M5_LARGE / 3, 6)

    def test_effective_prices_stand_beside_list_prices(self):
        # SCH-507: NODE_COST for each node; of a t3.large with 2 vCPUs requested, half of them used, 0.4 vCPU beyond its baseline of 0.6, at 0.05 USD.
        plain = self.cost_json(POOL % "default", node("a"), pod("x", "a", "2"))
        self.assertAlmostEqual(plain["totals"]["effectivePricePerHour"], M5_LARGE + 0.02, 6)
        bill = self.cost_json(POOL % "default", node("a", kind="t3.large"), pod("x", "a", "2"))
        self.assertAlmostEqual(bill["nodePools"][0]["effectivePricePerHour"], bill["totals"]["pricePerHour"] + 0.02 + 0.4 * 0.05, 6)
        status, out, _ = self.cost(POOL % "default", node("a"), pod("x", "a", "1"))
        self.assertEqual(status, 0)
        self.assertIn("effective price $0.1160 an hour", out)

    def test_the_bound_is_told(self):
        status, out, _ = self.cost(POOL % "default", node("a"), pod("x", "a", "1"))
        self.assertEqual(status, 0)
        self.assertIn("no packing of these pods on new nodes costs less than $", out)

    def test_parts_add_up_and_nobody_pays_more_than_the_node(self):
        # Both pods ask for more than the node has, as after a change of its allocatable.
        bill = self.cost_json(POOL % "default", node("a"), pod("x", "a", "1900m"), pod("w", "a", "1900m"))
        shares = self.workloads(bill)
        self.assertAlmostEqual(sum(shares.values()), M5_LARGE, 9)
        self.assertEqual(bill["totals"]["idlePerHour"], 0)
        self.assertEqual(shares["shop Pod/w"], shares["shop Pod/x"])

    def test_negative_requests_take_from_nobody(self):
        bill = self.cost_json(POOL % "default", node("a"), pod("x", "a", "-1"), pod("w", "a", "1"))
        self.assertEqual(self.workloads(bill), {"shop Pod/w": M5_LARGE / 2, "shop Pod/x": 0.0})

    def test_workloads_are_those_of_people(self):
        owned = [pod(f"web-{i}", "a", owner=("ReplicaSet", "web-5d4f8c7b9c")) for i in range(2)]
        bill = self.cost_json(POOL % "default", node("a"), *owned, pod("agent-x", "a", "100m", owner=("DaemonSet", "agent")))
        self.assertEqual(sorted(self.workloads(bill)), ["shop DaemonSet/agent", "shop ReplicaSet/web-5d4f8c7b9c"])
        labelled = [text.replace("uid: p-web", "labels: {pod-template-hash: 5d4f8c7b9c}, uid: p-web") for text in owned]
        bill = self.cost_json(POOL % "default", node("a"), *labelled)
        self.assertEqual(sorted(self.workloads(bill)), ["shop Deployment/web"])

    def test_nodes_without_a_pool_and_without_a_price(self):
        bill = self.cost_json(POOL % "default", node("a"), node("b", None), node("c", "default", "unheard.of"), pod("x", "c"))
        by_pool = {line["nodePool"]: line for line in bill["nodePools"]}
        self.assertEqual((by_pool["default"]["nodes"], by_pool["default"]["nodesWithoutPrice"]), (2, 1))
        self.assertEqual((by_pool[None]["nodes"], by_pool[None]["pricePerHour"]), (1, M5_LARGE))
        self.assertEqual(bill["workloads"], [{"namespace": "shop", "workload": "Pod/x", "pods": 1, "pricePerHour": 0.0, "podsWithoutPrice": 1}])
        status, out, _ = self.cost(POOL % "default", node("c", "default", "unheard.of"))
        self.assertEqual(status, 0)
        self.assertIn("1 of the nodes have no known price", out)

    def test_what_the_pods_would_cost_on_new_nodes(self):
        # Two nodes hardly used; one smaller one does. Pods that come with a node are not counted for it.
        documents = [POOL % "default", node("a"), node("b"), pod("x", "a"), pod("w", "b"),
                     pod("agent-a", "a", "1500m", owner=("DaemonSet", "agent"))]
        bill = self.cost_json(*documents)
        fresh = bill["totals"]["newNodes"]
        self.assertEqual(fresh["nodes"], 1)
        self.assertLess(fresh["pricePerHour"], M5_LARGE)
        self.assertLessEqual(fresh["lowerBound"], fresh["effectivePricePerHour"])
        self.assertAlmostEqual(fresh["effectivePricePerHour"], fresh["pricePerHour"] + 0.02, delta=0.001)
        waiting = pod("z", "''").replace("Running", "Pending")
        self.assertEqual(bill["totals"]["pendingPerHour"], 0)
        self.assertGreater(self.cost_json(*documents, waiting)["totals"]["newNodes"]["pricePerHour"], 0)

    def test_the_order_of_documents_does_not_matter(self):
        documents = [POOL % "default", POOL % "other", node("a"), node("b", "other")] + [
            pod(f"p{i}", "ab"[i % 2], f"{100 + i}m", namespace=f"team-{i % 3}") for i in range(12)]
        expected = self.cost(*documents)
        for seed in range(3):
            random.Random(seed).shuffle(documents)
            self.assertEqual(self.cost(*documents), expected)

    def test_long_tables_are_cut(self):
        pods = [pod(f"p{i}", "a", "10m", "10Mi") for i in range(15)]
        status, out, err = self.cost(POOL % "default", node("a"), *pods, arguments=("--lines", "3"))
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"and 12 more for \$0\.\d{4} an hour \(--lines\)")

    def test_wrong_usage(self):
        for arguments, part in ((("--lines", "-1"), "--lines takes a number"), (("--lines", "x"), "--lines takes a number"),
                                (("file.yaml",), "unexpected argument file.yaml"), (("--nope",), "unknown option --nope")):
            status, out, err = self.cost(POOL % "default", arguments=arguments)
            self.assertEqual((status, out), (2, ""))
            self.assertIn(part, err)


if __name__ == "__main__":
    unittest.main()
