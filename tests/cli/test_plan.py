#!/usr/bin/env python3
"""adze plan as a user runs it: the table, FMT-10, FMT-12, FMT-14."""
import json
import os
import random
import unittest

from program import EXAMPLES, ProgramTest

INFLATE = os.path.join(EXAMPLES, "inflate.yaml")


class Plan(ProgramTest):
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
        self.assertEqual(lines[2:4], ["NEW NODES", "COUNT  NODEPOOL  TYPE +OTHERS      ZONE  CAPACITY   "
                                                   "PODS  CPU  MEMORY  PRICE/H"])
        self.assertRegex(lines[4], r"^1      default   \S+ \+\d+ +any +on-demand +5    5       -  \$0\.\d{4}$")
        self.assertRegex(lines[-1], r"^5 pods placed; 1 new node, \$0\.\d{4} an hour$")
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_catalogue_by_provider(self):
        self.assertIn("144 generic ones of the kwok provider", self.adze("plan", "-f", INFLATE, "--provider", "kwok")[1])
        self.assertIn("of EC2", self.adze("plan", "-f", INFLATE, "--provider", "sim")[1])

    def test_json_FMT_10(self):
        status, out, _ = self.adze("plan", "-f", INFLATE, "-o", "json")
        plan = json.loads(out)
        self.assertEqual(status, 0)
        self.assertEqual((plan["apiVersion"], plan["kind"]), ("adze/v1", "Plan"))
        self.assertEqual((plan["existingNodes"], plan["unschedulable"]), ([], []))
        claim, = plan["newNodeClaims"]
        self.assertEqual(claim["nodePool"], "default")
        self.assertEqual(claim["pods"], ["default/inflate-%d" % i for i in range(5)])
        self.assertEqual(claim["requests"], {"cpu": "5", "pods": "5"})
        self.assertGreater(len(claim["instanceTypes"]), 100)
        keys = [requirement["key"] for requirement in claim["requirements"]]
        self.assertEqual(keys, sorted(keys))
        self.assertIn({"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                      claim["requirements"])
        self.assertEqual(plan["totals"], {"newNodes": 1, "pricePerHour": claim["price"], "pods": 5, "unschedulable": 0})

    def test_yaml_says_the_same(self):
        out = self.adze("plan", "-f", INFLATE, "-o", "yaml")[1]
        self.assertTrue(out.startswith("apiVersion: adze/v1\nkind: Plan\nnewNodeClaims:\n- nodePool: default\n"))

    def test_pods_without_a_place_FMT_14(self):
        path = self.inflate(replicas=7, cpu=1000)
        status, out, _ = self.adze("plan", "-f", path)
        self.assertEqual(status, 3)
        self.assertIn("PODS WITHOUT A PLACE\ndefault/inflate-0 default/inflate-1 default/inflate-2 and 4 more\n"
                      "    InsufficientResources, NodePool default: ", out)
        self.assertLessEqual(max(map(len, out.splitlines())), 100)
        plan = json.loads(self.adze("plan", "-f", path, "-o", "json")[1])
        self.assertEqual(plan["totals"]["unschedulable"], 7)
        for entry in plan["unschedulable"]:
            reason, = entry["reasons"]
            self.assertEqual((reason["code"], reason["nodePool"]), ("InsufficientResources", "default"))
            self.assertEqual(reason["detail"], entry["message"])

    def test_bad_input_FMT_14(self):
        self.assert_refused(self.adze("plan", "-f", self.inflate(replicas="many")), 2, "spec.replicas")

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

    def test_catalogue_of_the_input_and_of_a_file(self):
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
        self.assertIn(" 0 errors, 0 warnings", out)

    def test_help_and_version(self):
        for arguments in (("help",), ("--help",), ("help", "plan"), ("plan", "--help"), ("version", "-o", "json")):
            status, out, err = self.adze(*arguments)
            self.assertEqual((status, err), (0, ""))
            self.assertTrue(out)


if __name__ == "__main__":
    unittest.main(verbosity=1)
