#!/usr/bin/env python3
"""Settings of a plan: --set, --settings, the environment, a SnapshotContext (FMT-9, FMT-18)."""
import json
import unittest

from program import ProgramTest

WORLD = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}, requirements: []}}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
"""
CONTEXT = """
---
apiVersion: adze/v1
kind: SnapshotContext
metadata: {name: c}
spec: {settings: {%s}}
"""


class Settings(ProgramTest):
    def node_cost(self, world, *options, **environment):
        """NODE_COST of the only node, and the JSON."""
        path = self.write("world.yaml", world)
        code, out, err = self.adze("plan", "-f", path, "-o", "json", *options, **environment)
        self.assertEqual((code, err), (0, ""))
        plan = json.loads(out)
        self.assertEqual(plan["totals"]["newNodes"], 1)
        return plan["totals"]["nodeCostPerHour"]

    def file(self, content):
        self.files = getattr(self, "files", 0) + 1
        return self.write("settings-%d" % self.files, content)

    def test_sources_and_their_order(self):
        context = WORLD + CONTEXT % 'NODE_COST: "0.04"'
        self.assertEqual(self.node_cost(WORLD), 0.02)
        self.assertEqual(self.node_cost(WORLD, NODE_COST="0.03"), 0.03)
        self.assertEqual(self.node_cost(context, NODE_COST="0.03"), 0.04)
        # A snapshot without settings was made where there were none.
        self.assertEqual(self.node_cost(WORLD + CONTEXT % "", NODE_COST="0.03"), 0.02)
        self.assertEqual(self.node_cost(context, "--set", "NODE_COST=0.05"), 0.05)
        self.assertEqual(self.node_cost(context, "--set", "NODE_COST=0.05", "--set=NODE_COST=0.06"), 0.06)
        self.assertEqual(self.node_cost(context, "--set", "NODE_COST=0.05", "--settings", self.file("NODE_COST=0.07\n")), 0.07)

    def test_forms_of_a_file(self):
        for content in ("# our own\n\n  export NODE_COST='0.07'\nLOG_LEVEL=debug\n", 'NODE_COST="0.07"',
                        'apiVersion: v1\nkind: ConfigMap\ndata: {NODE_COST: "0.07", LOG_LEVEL: debug}',
                        '{"kind": "SnapshotContext", "spec": {"settings": {"NODE_COST": "0.07"}}}',
                        "kind: ServiceAccount\n---\nkind: Deployment\nspec: {template: {spec: {containers: [{name: c, env: [{name: NODE_COST, "
                        'value: "0.07"}, {name: SYSTEM_NAMESPACE, valueFrom: {}}, {name: UNKNOWN, value: "1"}, {name: MEMORY_LIMIT, value: ""}]}]}}}'):
            self.assertEqual(self.node_cost(WORLD, "--settings", self.file(content)), 0.07, content)
        run = self.adze("plan", "-f", self.write("world.yaml", WORLD), "--settings", "-", "-o", "json", stdin="NODE_COST=0.07\n")
        self.assertEqual(json.loads(run[1])["totals"]["nodeCostPerHour"], 0.07)

    def test_what_counts_is_told(self):
        path = self.write("world.yaml", WORLD)
        _, out, _ = self.adze("plan", "-f", path, "--set", "NODE_COST=0.05", "--settings",
                              self.file("PACKING_POLICY=Greedy\nMETRICS_PORT=0\n"), PREFERENCE_POLICY="Ignore", CLUSTER_NAME="x")
        self.assertNotIn("settings of the environment: CLUSTER_NAME", out)
        self.assertIn("\nsettings of the environment: PREFERENCE_POLICY=Ignore\n", out)
        self.assertIn("/settings-1: PACKING_POLICY=Greedy\n", out)
        self.assertIn("\nset: NODE_COST=0.05\n", out)
        # The last settings that count are finished, with COMPATIBILITY's defaults.
        _, out, _ = self.adze("plan", "-f", path, "-o", "json", "--set", "COMPATIBILITY=upstream")
        self.assertNotIn("lowerBound", json.loads(out)["totals"])

    def test_mistakes_are_refused(self):
        path = self.write("world.yaml", WORLD)
        for options, parts in (
                (["--set", "NODE_COSTS=1"], ["--set no setting is called NODE_COSTS; did you mean NODE_COST?"]),
                (["--set", "METRICS_PORT=0"], ["--set METRICS_PORT is about the running controller: no plan depends on it"]),
                (["--set", "INSTANCE_TYPE_FIGURES=a"], ["INSTANCE_TYPE_FIGURES has no meaning in a plan"]),
                (["--set", "NODE_COST"], ["--set NODE_COST: it is not of the form NAME=VALUE"]),
                (["--set", "NODE_COST=much"], ['--set NODE_COST: "much" is not a number']),
                (["--settings", self.file("NODE_COST=1\nOR SO\n")], ["settings-1:2: ", "not of the form NAME=VALUE"]),
                (["--settings", self.file("kind: Pod\n")], ["no settings: lines NAME=VALUE, a ConfigMap"]),
                (["--settings", self.file("kind: ConfigMap\ndata: {A: b}\n")], ["settings-3:1: no setting is called A"]),
                (["--settings", self.file("kind: ConfigMap\ndata: {NODE_COST: 1}\n")], ["NODE_COST: expected a string"]),
                (["--settings", self.file("a: [")], ["settings-5"]),
                (["--settings", "nowhere"], ["--settings nowhere: No such file"])):
            self.assert_refused(self.adze("plan", "-f", path, *options), 2, *parts)
        self.assert_refused(self.adze("plan", "-f", path, NODE_COST="x"), 2, "environment, NODE_COST")
        self.assertEqual(self.adze("plan", "-f", path, LOG_LEVEL="x")[0], 0)

    def test_prices_of_ones_own_AWI_917(self):
        """PRICES: on-demand prices of a file over those of the built-in types, with and without a node class."""
        node_class = WORLD + """---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: a}
spec: {role: r, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}
"""
        prices = self.write("prices.json", '{"onDemand": {"m5.8xlarge": 0.002}, "multipliers": {"*": 1.5}}')

        def first(world, *options, **environment):
            code, out, err = self.adze("plan", "-f", self.write("world.yaml", world), "-o", "json", *options, **environment)
            self.assertEqual((code, err), (0, ""))
            claim = json.loads(out)["newNodeClaims"][0]
            return claim["instanceTypes"][0], claim["price"]

        for world in WORLD, node_class:
            self.assertNotEqual(first(world)[0], "m5.8xlarge")
            self.assertEqual(first(world, "--set", "PRICES=" + prices), ("m5.8xlarge", 0.002))
        self.assertEqual(first(node_class, PRICES=prices), ("m5.8xlarge", 0.002))
        on_demand = WORLD.replace("requirements: []", "requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}, "
                                  "{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}]")
        self.assertEqual(first(on_demand), ("m5.large", 0.096))
        self.assertEqual(first(on_demand, "--set", "PRICES=" + prices), ("m5.large", 0.144))
        path = self.write("world.yaml", WORLD)
        for options, parts in (
                (["--set", "PRICES=nowhere"], ["PRICES, nowhere", "No such file"]),
                (["--provider", "kwok", "--set", "PRICES=" + prices], ["PRICES=", "has no meaning for provider kwok"]),
                (["-f", self.write("types.yaml", "apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: types}\nspec: {instanceTypes: []}\n"),
                  "--set", "PRICES=" + prices], ["has no meaning here: the instance types are not built in"])):
            self.assert_refused(self.adze("plan", "-f", path, *options), 2, *parts)

    def test_currency_and_estimates_of_a_region_are_told_AWI_200(self):
        path = self.write("world.yaml", WORLD)
        currency, volumes = "$ stands for CNY; ADDRESS_COST, INTERRUPTION_COST and burst credits are", "volumes: EBS prices are estimates"
        for region, told in ("cn-north-1", (currency, volumes)), ("il-central-1", (volumes,)), ("eu-west-1", ()):
            head = "\n".join(json.loads(self.adze("plan", "-f", path, "--region", region, "-o", "json")[1])["assumptions"])
            self.assertEqual([text for text in (currency, volumes) if text in head], list(told), head)

    def test_settings_of_machines_count_without_a_node_class_AWI_92_95(self):
        world = WORLD.replace("requirements: []", "requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge]}]")
        world = world.replace('cpu: "1"', "memory: 6500Mi")

        def first(*options):
            return json.loads(self.adze("plan", "-f", self.write("world.yaml", world), "-o", "json", *options)[1])["newNodeClaims"][0]["instanceTypes"][0]

        self.assertEqual(first(), "m5.large")
        self.assertEqual(first("--set", "VM_MEMORY_OVERHEAD_PERCENT=0.3"), "m5.xlarge")

    def test_a_snapshot_context_is_validated_FMT_9(self):
        bad = """apiVersion: adze/v1
kind: SnapshotContext
metadata: {name: x}
spec:
  time: "2026-01-01"
  settings: {NODE_COST: "x", FOO: "1", PACKING_POLICY: greedy, SPOT_MIN_TYPES: 3}
  nominated: {node-b: yesterday}
  markedForDeletion: a
  bufferNodes: [1]
  requireUnschedulable: "yes"
  nominatd: {}
sepc: {}
"""
        code, out, _ = self.adze("validate", self.write("context.yaml", bad))
        self.assertEqual(code, 2)
        for place, part in (("5:9", 'spec.time: time "2026-01-01" is not RFC 3339'), ("6:25", '["NODE_COST"]: NODE_COST: "x" is not a number'),
                            ("6:35", 'spec.settings["FOO"]: no setting is called FOO'), ("6:56", '"greedy" is none of LowestPrice, Greedy'),
                            ("6:80", '["SPOT_MIN_TYPES"]: must be a string'), ("7:23", 'spec.nominated["node-b"]: time "yesterday"'),
                            ("8:22", "spec.markedForDeletion: must be a list of node names"), ("9:17", "spec.bufferNodes[0]: must be a string"),
                            ("10:25", "spec.requireUnschedulable: must be true or false"), ("11:13", "spec.nominatd: unknown field"),
                            ("12:7", "sepc: unknown field")):
            self.assertIn(part, "\n".join(line for line in out.splitlines() if ":%s: refused" % place in line), out)
        self.assertIn("hint: did you mean nominated?", out)
        good = 'apiVersion: adze/v1\nkind: SnapshotContext\nspec: {time: "2026-01-01T00:00:00Z", settings: {NODE_COST: "1"}, nominated: {}}\n'
        self.assertEqual(self.adze("validate", self.write("context.yaml", good))[0], 0)
        ports = 'apiVersion: adze/v1\nkind: SnapshotContext\nspec: {settings: {METRICS_PORT: "1", HEALTH_PROBE_PORT: "1"}}\n'
        self.assertIn("they must differ", self.adze("validate", self.write("context.yaml", ports))[1])

    def test_what_the_controller_has_learned_SCH_507(self):
        """A snapshot has the number, and says that nobody has set it; the plan tells."""
        types = """
---
apiVersion: adze/v1
kind: InstanceTypeCatalog
metadata: {name: types}
spec:
  instanceTypes:
"""
        for name, price, more in ("burstable", 0.08, "burst: {baselineCPU: 0.4, surplusPrice: 0.05}, "), ("steady", 0.1, ""):
            types += """  - {name: %s, %srequirements: [], capacity: {cpu: "2", memory: 8Gi, pods: "29"}, offerings: [{price: %s, available: true, requirements: [
      {key: topology.kubernetes.io/zone, operator: In, values: [a]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}]}
""" % (name, more, price)
        world = WORLD.replace('cpu: "1"', 'cpu: "2"') + types
        learned = world + CONTEXT.replace("{%s}}", '{EXPECTED_CPU_USE: "0.2"}, learned: [EXPECTED_CPU_USE]}')
        told = "\nEXPECTED_CPU_USE 0.2, learned from metrics\n"

        def plan(text, *options):
            path = self.write("world.yaml", text)
            _, out, _ = self.adze("plan", "-f", path, *options)
            _, as_json, _ = self.adze("plan", "-f", path, "-o", "json", *options)
            return json.loads(as_json)["newNodeClaims"][0]["instanceTypes"][0], out, json.loads(as_json)

        self.assertEqual(plan(world)[0], "steady")
        first, out, as_json = plan(learned)
        self.assertEqual(first, "burstable")
        self.assertIn(told, out)
        self.assertIn(told.strip(), as_json["assumptions"])
        # What is set wins, and upstream counts list prices.
        first, out, _ = plan(learned, "--set", "EXPECTED_CPU_USE=0.9")
        self.assertEqual(first, "steady")
        self.assertNotIn("learned", out)
        first, out, _ = plan(learned, "--set", "COMPATIBILITY=upstream")
        self.assertEqual(first, "burstable")
        self.assertNotIn("learned", out)
        # Without burstable types it is of no concern.
        self.assertNotIn("learned from", plan(learned.replace("burst: {baselineCPU: 0.4, surplusPrice: 0.05}, ", ""))[1])
        bad = 'apiVersion: adze/v1\nkind: SnapshotContext\nspec:\n  settings: {EXPECTED_CPU_USE: "2", NODE_COST: "1"}\n  learned: [EXPECTED_CPU_USE, NODE_COST, SOME, 7]\n'
        code, out, _ = self.adze("validate", self.write("context.yaml", bad))
        self.assertEqual(code, 2)
        for part in ("spec.learned[0]: EXPECTED_CPU_USE: 2 is not between 0 and 1", "spec.learned[1]: NODE_COST is never learned", "spec.learned[2]: has no value",
                     "spec.learned[3]: must be a string"):
            self.assertIn(part, out)
        bad = "apiVersion: adze/v1\nkind: SnapshotContext\nspec: {learned: EXPECTED_CPU_USE}\n"
        self.assertIn("spec.learned: must be a list of names of settings", self.adze("validate", self.write("context.yaml", bad))[1])
        self.assertEqual(self.adze("validate", self.write("context.yaml", (CONTEXT.replace("{%s}}", '{EXPECTED_CPU_USE: "0.2"}, learned: [EXPECTED_CPU_USE]}'))))[0], 0)


if __name__ == "__main__":
    unittest.main()
