#!/usr/bin/env python3
"""adze plan as a user runs it: the table, FMT-10, FMT-12, FMT-14."""
import json
import os
import re
import random
import unittest

from program import EXAMPLES, ProgramTest

INFLATE = os.path.join(EXAMPLES, "inflate.yaml")
SETTINGS = """apiVersion: adze/v1
kind: SnapshotContext
metadata: {name: context}
spec: {settings: {%s}}
"""

EC2_CLASS = """---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: %s}
spec:
  role: r
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
  %s
"""
EC2_POOL = """---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %s}
spec:
  template:
    metadata: {labels: {team: %s}}
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: %s}
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.xlarge, m5d.xlarge]}]
"""
TEAM = """---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s}
spec:
  replicas: %d
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec:
      nodeSelector: {team: %s}
      containers: [{name: c, image: x, resources: {requests: {%s}}}]
"""
ALIAS = "amiSelectorTerms: [{alias: al2023@latest}]"


def team(name, replicas, requests):
    return TEAM % (name, replicas, name, name, name, requests)


class Plan(ProgramTest):
    def nodes_of(self, text, *options):
        """The number of new nodes by NodePool, and the table."""
        path = self.write("classes.yaml", text)
        status, out, err = self.adze("plan", "-f", path, *options)
        self.assertEqual(err, "")
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        plan = json.loads(self.adze("plan", "-f", path, "-o", "json", *options)[1])
        nodes = {}
        for claim in plan["newNodeClaims"]:
            nodes[claim["nodePool"]] = nodes.get(claim["nodePool"], 0) + 1
        self.assertEqual(status, 3 if plan["unschedulable"] else 0)
        return nodes, out

    def test_node_classes_decide_on_types_AWN_210_212(self):
        """Each NodePool has the types of its own EC2NodeClass: pods a node, disks, what the kubelet keeps."""
        for spec, requests, few, many in (
                ("kubelet: {maxPods: 10}", "cpu: 50m", 1, 4),
                ("kubelet: {podsPerCore: 2}", "cpu: 50m", 1, 5),
                ("kubelet: {maxPods: vcpus * 2}", "cpu: 50m", 1, 5),
                ("kubelet: {systemReserved: {memory: 8Gi}}", "memory: 340Mi", 1, 3),
                ("kubelet: {evictionHard: {memory.available: 60%}}", "memory: 340Mi", 1, 3),
                ("blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 500Gi}}]", "ephemeral-storage: 2Gi", 5, 1),
                ("instanceStorePolicy: RAID0", "ephemeral-storage: 2Gi", 5, 1)):
            text = (EC2_CLASS % ("plain", ALIAS) + EC2_CLASS % ("own", ALIAS + "\n  " + spec) + EC2_POOL % ("a", "a", "plain") +
                    EC2_POOL % ("b", "b", "own") + team("a", 40, requests) + team("b", 40, requests))
            nodes, out = self.nodes_of(text)
            self.assertEqual(nodes, {"a": few, "b": many}, spec + "\n" + out)
            self.assertIn("EC2NodeClass own, for NodePool b; not known here: zones of the subnets (taken: us-east-1a,", " ".join(out.split()))

    def test_a_plain_node_class_changes_nothing(self):
        pool = EC2_POOL % ("a", "a", "plain") + team("a", 40, "cpu: 500m")
        alone = self.adze("plan", "-f", self.write("alone.yaml", pool), "-o", "json")
        beside = self.adze("plan", "-f", self.write("beside.yaml", EC2_CLASS % ("plain", ALIAS) + pool), "-o", "json")
        plans = [json.loads(run[1]) for run in (alone, beside)]
        for plan in plans:
            self.assertIn("us-east-1 is taken", " ".join(plan.pop("assumptions")))  # what is told of the class differs
        self.assertEqual(*plans)
        kwok = self.adze("plan", "-f", os.path.join(self.folder.name, "beside.yaml"), "--provider", "kwok")[1]
        self.assertNotIn("EC2NodeClass", kwok.split("NEW NODES")[0])

    def test_unknown_facts_of_node_classes_are_told(self):
        text = (EC2_CLASS % ("far", "amiFamily: AL2\n  amiSelectorTerms: [{id: ami-1}]\n  placementGroupSelector: {name: x}\n"
                             "  capacityReservationSelectorTerms: [{id: cr-1}]") +
                (EC2_POOL % ("a", "a", "far")).replace("requirements: [", "requirements: [{key: topology.kubernetes.io/zone, "
                                                       "operator: In, values: [eu-west-1b]}, ") +
                EC2_POOL % ("b", "b", "gone") + team("a", 2, "cpu: 1"))
        nodes, out = self.nodes_of(text)
        self.assertEqual(nodes, {"a": 1})
        head = " ".join(out.split("NEW NODES")[0].split())
        for part in ("zones of the subnets (taken: eu-west-1a, eu-west-1b, eu-west-1c)", "architectures of the images (taken: all)",
                     "the placement group (it leaves out no type)",
                     "free instances of capacity reservations (none is taken)",
                     "EC2NodeClass gone of NodePool b is not in the input (taken: one for AL2023)"):
            self.assertIn(part, head)

    def test_a_node_class_that_cannot_be_read_has_no_types(self):
        text = EC2_CLASS % ("bad", ALIAS + "\n  kubelet: {maxPods: [1]}") + EC2_POOL % ("a", "a", "bad") + team("a", 2, "cpu: 1")
        self.assert_refused(self.adze("plan", "-f", self.write("bad.yaml", text)), 2, "spec.kubelet.maxPods",
                            "EC2NodeClass bad is refused")
        nodes, out = self.nodes_of(text, "--force")
        self.assertEqual(nodes, {})
        self.assertIn("EC2NodeClass bad, for NodePool a: no instance types: parsing spec.kubelet", out)

    def test_the_status_of_a_node_class_has_its_zones_AWI_11(self):
        status = "\nstatus: {subnets: [{id: subnet-1, zone: us-west-2b, zoneID: usw2-az2}]}\n"
        text = EC2_CLASS % ("own", ALIAS) + status.lstrip() + EC2_POOL % ("a", "a", "own") + team("a", 2, "cpu: 1")
        for zone, nodes in (("us-west-2b", {"a": 1}), ("us-west-2a", {})):
            found, out = self.nodes_of(text.replace("nodeSelector: {", "nodeSelector: {topology.kubernetes.io/zone: %s, " % zone))
            self.assertEqual(found, nodes, out)
            self.assertNotIn("zones of the subnets", out)

    def inflate(self, **changes):
        with open(INFLATE) as file:
            text = file.read()
        for old, new in (("replicas: 5", changes.get("replicas")), ('cpu: "1"', changes.get("cpu"))):
            text = text.replace(old, "%s: %s" % (old.split(":")[0], new)) if new is not None else text
        return self.write("inflate.yaml", text)

    def test_table(self):
        status, out, err = self.adze("plan", "-f", INFLATE)
        self.assertEqual((status, err), (0, ""))
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^instance types: \d+ of EC2, built in \(list prices of us-east-1; spot")
        self.assertEqual(lines[2], "region us-east-1 is taken: nothing names one (--region does)")
        self.assertEqual(lines[4], "NEW NODES")
        self.assertRegex(lines[5], r"^COUNT +NODEPOOL +TYPE \+OTHERS +ZONE +CAPACITY +PODS +CPU +MEMORY +PRICE/H$")
        rows = [line for line in lines[6:lines.index("", 6)] if "in all" not in line]
        for row in rows:
            self.assertRegex(row, r"^\d+ +default +\S+ \+\d+ +any +on-demand +\d+ +\d+ +\d+Gi +\$0\.\d{4}$")
        nodes = [int(row.split()[0]) for row in rows]
        pods = [int(row.split()[6]) for row in rows]
        self.assertEqual(sum(pods), 5)
        totals = re.search(r"^5 pods placed; %d new nodes?, \$(0\.\d{4}) an hour, \$(\d+\.\d\d) a month$" % sum(nodes), out, re.M)
        self.assertAlmostEqual(float(totals[2]), 730 * float(totals[1]), delta=0.04)
        self.assertRegex(" ".join(out.split()), r" effective price \$0\.\d{4} an hour, \$\d+\.\d\d a month: list \$0\.\d{4}, "
                         r"volumes \$0\.\d{4}, NODE_COST \$0\.\d{4} ")
        self.assertLessEqual(max(map(len, lines)), 80)

    def teams(self, count, name, instance_type="m5.large"):
        pool = ("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: %s}\nspec: {template: {spec: {nodeClassRef: {group: "
                "karpenter.k8s.aws, kind: EC2NodeClass, name: default}, requirements: [{key: example.com/team, operator: Exists}, "
                "{key: node.kubernetes.io/instance-type, operator: In, values: [%s]}]}}}\n---\n" % (name, instance_type))
        pods = "".join("apiVersion: v1\nkind: Pod\nmetadata: {name: p%02d}\nspec: {nodeSelector: {example.com/team: t%d}, containers: "
                       "[{name: c, image: i, resources: {requests: {cpu: %dm}}}]}\n---\n" % (i, i, 100 + i) for i in range(count))
        return self.adze("plan", "-f", "-", stdin=pool + pods)[1]

    def test_a_long_table_is_summed_up_by_type(self):
        single = self.teams(20, "default").split("NEW NODES\n")[1].split("\n\n")[0].split("\n")
        self.assertEqual(len(single), 22)
        self.assertRegex(single[-1], r"^20 +in all +20 +2190m +- +\$\d+\.\d{4}$")
        out = self.teams(21, "default")
        self.assertRegex(out, r"\nNEW NODES, by NodePool and cheapest type\nCOUNT .*\n21 +default +m5.large +any +any +21 +2310m "
                              r"+- +\$\d+\.\d{4}\n\n")

    def test_nothing_of_a_wide_table_is_cut_off(self):
        name = "general-purpose-of-a-team-with-a-long-name"
        lines = self.teams(1, name, "m7i-flex.12xlarge").split("NEW NODES\n")[1].split("\n\n")[0].split("\n")
        self.assertLessEqual(max(map(len, lines)), 80)
        place, end = lines[0].index("NODEPOOL"), lines[0].index("TYPE")
        self.assertEqual("".join(line[place:end].strip() for line in lines[1:]), name)

    def test_static_pools_LIF_232_LIF_233(self):
        """NodePools with replicas say what would be created or deleted, and which goes first."""
        pool = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: fixed}
spec:
  replicas: %d
  limits: {nodes: '%d'}
  template:
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
"""
        claim = """---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: fixed-%d, labels: {karpenter.sh/nodepool: fixed}, creationTimestamp: '2026-01-0%dT00:00:00Z'}
spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}
"""
        gate = self.write("gate.yaml", SETTINGS % "FEATURE_GATES: StaticCapacity=true")
        claims = "".join(claim % (i, i) for i in (1, 2, 3))
        cost = "at $0.0011 an hour each (t3.nano) new static nodes $0.00%s an hour, $%s a month; effective price $0.0%s an hour, $%s a month"
        for replicas, limit, line in (
                (5, 9, "fixed: 3 of 5 NodeClaims; 2 would be created, " + cost % ("22", "1.59", "422", "30.81")),
                (5, 4, "fixed: 3 of 5 NodeClaims; 1 would be created, as limits.nodes has no room for more, " + cost % ("11", "0.80", "211", "15.40")),
                (1, 9, "fixed: 3 of 1 NodeClaims; would be deleted: fixed-3, fixed-2")):
            path = self.write("static.yaml", pool % (replicas, limit) + claims)
            status, out, err = self.adze("plan", "-f", path, "-f", gate)
            self.assertEqual((status, err), (0, ""))
            self.assertIn("STATIC NODEPOOLS %s 0 pods placed" % line, " ".join(out.split()))
            self.assertNotIn("STATIC", self.adze("plan", "-f", path)[1])  # the gate is off
        path = self.write("static.yaml", pool % (3, 9) + claims)
        self.assertNotIn("STATIC", self.adze("plan", "-f", path, "-f", gate)[1])

    def test_least_price_SCH_550(self):
        """The table and totals.lowerBound state the lower bound of any packing."""
        out = self.adze("plan", "-f", INFLATE)[1]
        self.assertRegex(" ".join(out.split()), r" no other packing of these pods costs less( than \$0\.\d{4} an hour in all: "
                                               r"\d+\.\d % less at most)?$")
        totals = json.loads(self.adze("plan", "-f", INFLATE, "-o", "json")[1])["totals"]
        self.assertLess(0, totals["lowerBound"])
        self.assertAlmostEqual(totals["nodeCostPerHour"], 0.02 * totals["newNodes"])
        self.assertLessEqual(totals["lowerBound"], totals["pricePerHour"] + totals["nodeCostPerHour"])
        free = self.write("free.yaml", SETTINGS % "NODE_COST: '0'")
        alone = json.loads(self.adze("plan", "-f", INFLATE, "-f", free, "-o", "json")[1])["totals"]
        self.assertNotIn("nodeCostPerHour", alone)
        self.assertLessEqual(alone["pricePerHour"], totals["pricePerHour"])
        greedy = self.write("greedy.yaml", SETTINGS % "PACKING_POLICY: Greedy")
        plan = self.adze("plan", "-f", INFLATE, "-f", greedy, "-o", "json")[1]
        self.assertNotIn("lowerBound", json.loads(plan)["totals"])
        self.assertNotIn("packing", self.adze("plan", "-f", INFLATE, "-f", greedy)[1])
        self.assertLessEqual(totals["pricePerHour"], json.loads(plan)["totals"]["pricePerHour"])

    def test_warnings_SCH_521(self):
        greedy = self.write("greedy.yaml", SETTINGS % "PACKING_POLICY: Greedy")
        status, out, err = self.adze("plan", "-f", INFLATE, "-f", greedy)
        self.assertEqual((status, err), (0, ""))
        self.assertIn("\nwarning: one new node of NodePool default would carry 5 of the 5 replicas of\n", out)
        self.assertIn("adze.dev/max-share-per-workload", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        plan = json.loads(self.adze("plan", "-f", INFLATE, "-f", greedy, "-o", "json")[1])
        warning, = plan["warnings"]
        self.assertIn("5 of the 5 replicas", warning)

    def test_catalog_by_provider(self):
        self.assertIn("144 generic ones of the kwok provider", self.adze("plan", "-f", INFLATE, "--provider", "kwok")[1])
        self.assertIn("of EC2", self.adze("plan", "-f", INFLATE, "--provider", "sim")[1])

    def test_json_FMT_10(self):
        status, out, _ = self.adze("plan", "-f", INFLATE, "-o", "json")
        plan = json.loads(out)
        self.assertEqual(status, 0)
        self.assertEqual((plan["apiVersion"], plan["kind"]), ("adze/v1", "Plan"))
        self.assertEqual((plan["existingNodes"], plan["unschedulable"]), ([], []))
        claims = plan["newNodeClaims"]
        pods = [pod for claim in claims for pod in claim["pods"]]
        self.assertEqual(sorted(pods), ["default/inflate-%d" % i for i in range(5)])
        for claim in claims:
            self.assertEqual(claim["nodePool"], "default")
            size = str(len(claim["pods"]))
            self.assertEqual(claim["requests"], {"cpu": size, "memory": "%dGi" % (4 * len(claim["pods"])), "pods": size})
            self.assertGreater(len(claim["instanceTypes"]), 5)
            keys = [requirement["key"] for requirement in claim["requirements"]]
            self.assertEqual(keys, sorted(keys))
            self.assertIn({"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                          claim["requirements"])
        totals = plan["totals"]
        self.assertAlmostEqual(totals["pricePerHour"], sum(claim["price"] for claim in claims))
        self.assertEqual((totals["newNodes"], totals["pods"], totals["unschedulable"]), (len(claims), 5, 0))

    def test_yaml_says_the_same(self):
        out = self.adze("plan", "-f", INFLATE, "-o", "yaml")[1]
        self.assertTrue(out.startswith("apiVersion: adze/v1\nkind: Plan\nnewNodeClaims:\n- nodePool: default\n"))

    def test_pods_without_a_place_FMT_14(self):
        path = self.inflate(replicas=7, cpu=1000)
        status, out, _ = self.adze("plan", "-f", path)
        self.assertEqual(status, 3)
        self.assertIn("PODS WITHOUT A PLACE\ndefault/inflate-0 default/inflate-1 default/inflate-2 and 4 more\n"
                      "    InsufficientResources, NodePool default: ", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 80)
        plan = json.loads(self.adze("plan", "-f", path, "-o", "json")[1])
        self.assertEqual(plan["totals"]["unschedulable"], 7)
        for entry in plan["unschedulable"]:
            reason, = entry["reasons"]
            self.assertEqual((reason["code"], reason["nodePool"]), ("InsufficientResources", "default"))
            self.assertEqual(reason["detail"], entry["message"])

    def test_bad_input_FMT_14(self):
        self.assert_refused(self.adze("plan", "-f", self.inflate(replicas="many")), 2, "spec.replicas")

    def test_offerings_of_one_price_in_any_order_FMT_12(self):
        """Spot and on demand at the same price: a large type with few substitutes."""
        def requirement(key, value):
            return {"key": key, "operator": "In", "values": [value]}

        def world(order):
            types = [("s%d" % i, 2, 0.1 + 0.0001 * i) for i in range(6)] + [("x", 8, 0.396)]
            catalog = [{"name": name, "capacity": {"cpu": str(cpu), "memory": "%dGi" % (4 * cpu), "pods": "110"},
                          "overhead": {"kubeReserved": {"cpu": "100m"}},
                          "requirements": [requirement("kubernetes.io/arch", "amd64"), requirement("kubernetes.io/os", "linux")],
                          "offerings": [{"price": price, "available": True, "requirements": [
                              requirement("topology.kubernetes.io/zone", "a"), requirement("karpenter.sh/capacity-type", kind)]}
                              for kind in order]} for name, cpu, price in types]
            pool = {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}, "requirements": []}
            container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1900m", "memory": "100Mi"}}}
            return [{"apiVersion": "adze/v1", "kind": "InstanceTypeCatalog", "metadata": {"name": "c"},
                     "spec": {"instanceTypes": catalog}},
                    {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"},
                     "spec": {"template": {"spec": pool}}}] + [
                    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p%02d" % i}, "spec": {"containers": [container]}}
                    for i in range(31)]
        plans = set()
        for order in (("on-demand", "spot"), ("spot", "on-demand")):
            self.write("world.json", "\n".join(map(json.dumps, world(order))))
            plans.add(self.adze("plan", "-f", "world.json", "-o", "json")[:2])
        self.assertEqual(len(plans), 1)
        self.assertEqual(plans.pop()[0], 0)

    def test_the_same_bytes_whatever_the_order_FMT_12(self):
        with open(self.inflate(replicas=40)) as file:
            documents = file.read().split("---\n")
        documents.append(documents[-1].replace("inflate", "second").replace("replicas: 40", "replicas: 9"))
        shuffle, seen = random.Random(1), set()
        for _ in range(4):
            text = "---\n".join(document.rstrip("\n") + "\n" for document in documents)
            seen.add(self.adze("plan", "-f", "-", "-o", "json", stdin=text))
            seen.add(self.adze("plan", "-f", "-", "-o", "json", stdin=text))
            shuffle.shuffle(documents)
        (status, out, err), = seen
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(json.loads(out)["totals"]["pods"], 49)

    def test_catalog_of_the_input_and_of_a_file(self):
        types = ("apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: c}\nspec:\n  instanceTypes:\n"
                 "  - name: %s\n    requirements:\n    - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
                 "    - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                 "    capacity: {cpu: 64, memory: 64Gi, pods: 110}\n    offerings:\n    - price: 1.5\n"
                 "      available: true\n      requirements:\n"
                 "      - {key: topology.kubernetes.io/zone, operator: In, values: [z]}\n"
                 "      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n")
        self.write("in.yaml", types % "inside")
        self.write("other.yaml", types % "outside")
        out = self.adze("plan", "-f", INFLATE, "-f", "in.yaml")[1]
        self.assertIn("instance types: 1 of the input\n", out)
        self.assertIn("inside", out)
        out = self.adze("plan", "-f", INFLATE, "-f", "in.yaml", "--catalog", "other.yaml")[1]
        self.assertIn("instance types: 1 of other.yaml\n", out)
        self.assertIn("outside", out)

    def test_the_examples_are_fine(self):
        status, out, err = self.adze("plan", "-f", os.path.join(EXAMPLES, "web.yaml"))
        self.assertEqual((status, err), (0, ""))
        self.assertIn("32 pods placed; ", out)
        status, out, _ = self.adze("validate", EXAMPLES)
        self.assertEqual(status, 0)
        self.assertIn(" 0 errors, 2 warnings", out) # gpu-slices.yaml says that it needs the gate
        self.assertEqual(out.count("W-feature-gate"), 2)

    def test_help_and_version(self):
        for arguments in (("help",), ("--help",), ("help", "plan"), ("plan", "--help"), ("version", "-o", "json")):
            status, out, err = self.adze(*arguments)
            self.assertEqual((status, err), (0, ""))
            self.assertTrue(out)

    def test_disruptions_FMT_13(self):
        label = {"karpenter.sh/nodepool": "default", "node.kubernetes.io/instance-type": "m5.large",
                 "topology.kubernetes.io/zone": "us-east-1a", "karpenter.sh/capacity-type": "on-demand"}
        since = "2025-12-01T00:00:00Z"
        true = lambda *names: [{"type": n, "status": "True", "reason": n, "message": "", "lastTransitionTime": since} for n in names]
        amounts = {"cpu": "1900m", "memory": "6Gi", "pods": "29"}
        claim = {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "idle", "uid": "c", "labels": label},
                 "spec": {"nodeClassRef": {"group": "g", "kind": "Class", "name": "c"}},
                 "status": {"providerID": "p", "allocatable": amounts, "capacity": amounts,
                            "conditions": true("Launched", "Registered", "Initialized", "Consolidatable")}}
        node = {"apiVersion": "v1", "kind": "Node", "spec": {"providerID": "p"},
                "metadata": {"name": "idle", "uid": "n",
                             "labels": {**label, "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}},
                "status": {"allocatable": amounts, "capacity": amounts, "conditions": true("Ready")}}
        pool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default", "uid": "u"},
                "spec": {"disruption": {"consolidateAfter": "0s"},
                         "template": {"spec": {"nodeClassRef": {"group": "g", "kind": "Class", "name": "c"}}}}}
        path = self.write("idle.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [pool, claim, node]}))
        status, out, err = self.adze("plan", "-f", path, "--disrupt")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"DISRUPTIONS\nEmpty \(empty\): 1 node idle; no replacement; saves \$0\.\d{4} an hour\n")
        command, = json.loads(self.adze("plan", "-f", path, "--disrupt", "-o", "json")[1])["disruptions"]
        self.assertEqual((command["method"], command["consolidation"], command["candidates"], command["replacements"]),
                         ("Empty", "empty", ["idle"], []))
        self.assertIn("DISRUPTIONS\nnone\n", self.adze("plan", "-f", path, "--method", "drift")[1])
        self.assertNotIn("disruptions", json.loads(self.adze("plan", "-f", path, "-o", "json")[1]))


class ManyPools(ProgramTest):
    def test_the_pool_that_the_pod_is_for_comes_first(self):
        pools = [f"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: team-{i}}}\nspec: {{weight: {i + 1}, template: {{metadata: {{labels: {{team: t{i}}}}}, spec: "
                 "{nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}}}\n" for i in range(8)]
        pod = ("apiVersion: v1\nkind: Pod\nmetadata: {name: huge, namespace: default}\nspec: {nodeSelector: {team: t2}, containers: [{name: a, image: x, "
               "resources: {requests: {cpu: '3000'}}}]}\n")
        status, out, _ = self.adze("plan", "-f", self.write("many.yaml", "---\n".join([*pools, pod])))
        lines = out.split("PODS WITHOUT A PLACE\n")[1].split("\n")
        self.assertEqual(status, 3)
        self.assertIn("InsufficientResources, NodePool team-2", lines[1])
        self.assertIn("    and 7 NodePools for other pods (taints, requirements)", lines)


if __name__ == "__main__":
    unittest.main(verbosity=1)
