#!/usr/bin/env python3
"""Older manifests of public repositories (older_manifests.py): each converts, what comes out validates, means what was meant, and plans."""
import json
import re
import unittest

from older_manifests import CASES
from program import ProgramTest

VARIABLES = ["--cluster-name", "shop", "--set", "ROLE=NodeRole", "--set", "SG=sg-1", "--set", "CLUSTER-NAME=dash"]
# Placeholders, as the user would replace them.
SUPPLIED = {"ADZE-TODO-ROLE": "NodeRole", '"ADZE-TODO-SUBNETS": "*"': '"a": "b"', '"ADZE-TODO-SECURITY-GROUPS": "*"': '"a": "b"', "$KARPENTER_NODE_ROLE": "NodeRole"}
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default", "uid": "p"}, "spec": {
    "tolerations": [{"operator": "Exists"}], "containers": [{"name": "a", "image": "a", "resources": {"requests": {"cpu": "500m", "memory": "256Mi"}}}]}}


def at(value, path):
    for name in re.split(r"(?<!\\)\.", path):
        name = name.replace("\\.", ".")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


class Manifests(ProgramTest):
    def convert(self, text):
        code, out, err = self.adze("convert", "-o", "json", *VARIABLES, "-", stdin=text)
        self.assertIn(code, (0, 3), err)
        for placeholder, value in SUPPLIED.items():
            out = out.replace(placeholder, value)
        return out, {n["code"] for n in json.loads(err[err.index("["):])}

    def check_facts(self, objects, codes, facts):
        for fact in facts:
            if fact.startswith("codes="):
                self.assertLessEqual(set(fact[len("codes="):].split(",")), codes)
                continue
            name, _, rest = fact.partition(" ")
            path, _, value = rest.partition("=")
            self.assertIn(name, objects)
            found = objects[name]
            if path.split(".")[0] not in ("metadata", "data"): found = found["spec"]
            self.assertEqual(at(found, path), json.loads(value), fact)

    def plan(self, source, items):
        """A pod that tolerates everything finds a node in each pool whose class is there."""
        classes = {i["metadata"]["name"] for i in items if i["kind"] == "EC2NodeClass"}
        pools = [i for i in items if i["kind"] == "NodePool"]
        if not pools or not all(p["spec"]["template"]["spec"]["nodeClassRef"]["name"] in classes for p in pools): return False
        objects = [i for i in items if i["kind"] in ("NodePool", "EC2NodeClass")]
        code, out, err = self.adze("plan", "-o", "json", "-f", "-", stdin="\n".join(map(json.dumps, [*objects, POD])))
        self.assertEqual(code, 0, source + out[:500] + err)
        return True

    def test_each_converts_validates_plans_and_means_the_same(self):
        self.assertGreaterEqual(len(CASES), 60)
        everything, planned = [], 0
        for source, text, facts in CASES:
            with self.subTest(source):
                out, codes = self.convert(text)
                items = json.loads(out)["items"]
                self.check_facts({f"{i['kind']}/{i['metadata']['name']}": i for i in items}, codes, facts)
                everything.append((source, items))
        for number, (source, items) in enumerate(everything):
            self.write(f"all/{number:03}.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
            planned += number % 4 == 0 and self.plan(source, items)
        self.assertGreaterEqual(planned, 6)
        _, out, err = self.adze("validate", "-o", "json", "all")
        report = json.loads(out)
        self.assertNotIn("files", report)
        self.assertEqual([(everything[int(o["file"][-8:-5])][0], e["message"]) for o in report["objects"] for e in o["errors"]], [], err)


if __name__ == "__main__":
    unittest.main()
