#!/usr/bin/env python3
"""Mistakes that people make in manifests: the message names file, line and field, and what is meant (GUI-7, GUI-9, GUI-11)."""
import re
import unittest

from program import ProgramTest

POOL = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
      requirements:
      - key: karpenter.sh/capacity-type
        operator: In
        values: ["spot", "on-demand"]
      - key: karpenter.k8s.aws/instance-generation
        operator: Gt
        values: ["4"]
  limits:
    cpu: 100
  disruption:
    consolidateAfter: 1m
    budgets:
    - nodes: "10%"
  weight: 10
"""
CLASS = """apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  role: KarpenterNodeRole-shop
  amiSelectorTerms:
  - alias: al2023@v20260715
  subnetSelectorTerms:
  - tags: {karpenter.sh/discovery: shop}
  securityGroupSelectorTerms:
  - tags: {karpenter.sh/discovery: shop}
"""
TOGETHER = "W-defined-twice|W-weight-tie|W-unused-nodeclass"  # as all files are of one run
BOTH = POOL + "---\n" + CLASS
# What is replaced, by what, and what the lines about the file have in them, each in a line of its own.
YAML = [
    ("  template:\n", "\ttemplate:\n", "6:1: .*; line 6 is indented with a tab: YAML takes blanks only"),
    ("        operator: In\n", "\t\toperator: In\n", "14:1: .*; line 14 is indented with a tab"),
    ("  template:\n", "\u00a0 template:\n", "; line 6 is indented with a no-break space"),
    ("    consolidateAfter", "      consolidateAfter", "; line 23 is indented by 4, line 22 by 6: one of them is wrong"),
    ("    budgets", "   budgets", "23:4: .*; line 23 is indented by 3, line 22 by 4: one of them is wrong"),
    ("        values: [\"spot\"", "       values: [\"spot\"", "15:8: .*; line 15 is indented by 7, line 14 by 8: one of them is wrong"),
    ("weight: 10", "weight:10", "; line 25, weight:10: a blank is missing behind the colon"),
    ("disruption:\n", "disruption\n", "; line 21, disruption: a colon is missing"),
    ("\"on-demand\"]", "\"on-demand\"", "16:7: .* a flow sequence that begins in line 15"),
    ("\n---\n", "\n  ---\n", "; line 26: documents are divided by --- at the beginning of a line"),
    ("\n---\n", "\n-----\n", "; line 26: documents are divided by ---"),
    ("\"spot\", ", "${capacity}, ", "15:19: .*; \\$\\{capacity\\} in line 15 looks like a variable that was not filled in"),
    ("  - key: karpenter.k8s", "  - key: \"karpenter.k8s.aws/instance-size“\n      - key: karpenter.k8s", "; line 16 has typographic quotes: write plain ones"),
    ("name: default", "name: {CLUSTER_NAME}-pool", "; \\{CLUSTER_NAME\\} in line 4 looks like a variable"),
    ("        operator: Gt\n", "        operator: Gt\n        ${extra}\n", "; \\$\\{extra\\} in line 18 stands for lines that are not there: put them in its place"),
    ("spec:\n", "spec:\n%{ if spot }\n  x: 1\n%{ endif }\n", "; this looks like a Terraform template: render it first, as templatefile\\(\\) does"),
    ("apiVersion: karpenter.sh/v1\n", "cat <<EOF | kubectl apply -f -\napiVersion: karpenter.sh/v1\n", "; this is a shell script: `adze convert` takes the manifests out of it"),
    ("apiVersion: karpenter.sh/v1\n", "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = <<-YAML\napiVersion: karpenter.sh/v1\n", "; this is Terraform: `adze convert`"),
    ("apiVersion: karpenter.sh/v1\n", "# Pools\n\n1. *One*: x\n```yaml\napiVersion: karpenter.sh/v1\n", "; this is Markdown: `adze convert`"),
]

FIELDS = [
    ("\nkind: NodePool", "\nKind: NodePool", "1:1: refused: kind is missing: .* HINT write kind, not Kind"),
    ("apiVersion:", "apiversion:", "apiVersion is missing: .* HINT write apiVersion, not apiversion"),
    ("karpenter.sh/v1", "karpenter.sh.v1", "1:13: .*apiVersion: karpenter.sh.v1 NodePool .* HINT write apiVersion: karpenter.sh/v1"),
    ("karpenter.sh/v1", "v1", "1:13: .*apiVersion: v1 NodePool .* HINT write apiVersion: karpenter.sh/v1"),
    ("  limits:\n", "---\n  limits:\n", "20:3: refused: apiVersion and kind are missing: .* HINT the line --- before it may stand in the middle of an object"),
    ("disruption:", "disuption:", "22:5: .*unknown field \"disuption\" HINT did you mean disruption\\?"),
    ("name: default", "name: Default_Pool", "4:9: .* HINT write default-pool"),
    ("        values: [\"spot\", \"on-demand\"]\n", "", "requirements\\[0\\]: .* must have a value defined HINT add values"),
    ("[\"spot\", \"on-demand\"]", "spot, on-demand", "values: must be a list, not a string HINT write \\[\"spot\", \"on-demand\"\\]"),
    ("[\"4\"]", "[4]", "values\\[0\\]: must be a string, not a number HINT put it into quotes: \"4\""),
    ("operator: Gt", "operator: GreaterThan", "HINT did you mean Gt\\?"),
    ("\"spot\"", "“spot”", "“spot”: typographic quotes are a part of the value HINT write plain quotes"),
    ("\"spot\"", "\"${CAPACITY}\"", "\"\\$\\{CAPACITY\\}\" looks like a variable"),
    ("  limits:\n    cpu: 100", "  limits:\n  - cpu: 100", "limits: must be an object, not a list HINT leave out the dashes"),
    ("cpu: 100", "cpu: 999999999999999999999", "limits.cpu: must be a quantity, not a number HINT it is no whole number, or too large: write it in quotes"),
    ("    budgets:\n    - nodes", "    budgets:\n      nodes", "budgets: must be a list, not an object HINT put a dash"),
    ("1m\n", "60\n", "consolidateAfter: must be a string, not a number HINT add a unit: 60s, 60m or 60h"),
    ("  - tags: {karpenter.sh/discovery: shop}\n  sec", "  - tags: [karpenter.sh/discovery=shop]\n  sec", "tags: must be an object, not a list HINT write \\{karpenter.sh/discovery: shop\\}"),
    ("  subnetSelectorTerms:\n  - tags", "  subnetSelectorTerms:\n    tags", "subnetSelectorTerms: must be a list, not an object"),
    ("  role: KarpenterNodeRole-shop\n", "  role: KarpenterNodeRole-shop\n  kubelet: {maxPods: \"60\"}\n", "maxPods: .* HINT write it without quotes"),
    ("  role: KarpenterNodeRole-shop\n", "  role: KarpenterNodeRole-shop\n  blockDeviceMappings: [{deviceName: /dev/xvda, ebs: {volumeSize: 50}}]\n", "volumeSize: must be a string, not a number HINT a whole number with the unit Gi"),
    ("key: karpenter.sh/capacity-type\n        operator: In\n        values: [\"spot\", \"on-demand\"]", "key: karpenter.k8s.aws/instance-family\n        operator: In\n        values: [p4, c6i]", "instance family p4 does not exist HINT did you mean p4d or p4de\\?"),
    ("key: karpenter.sh/capacity-type\n        operator: In\n        values: [\"spot\", \"on-demand\"]", "key: karpenter.k8s.aws/instance-size\n        operator: In\n        values: [g5.xlarge]", "g5.xlarge is an instance type, no size HINT the key of types is node.kubernetes.io/instance-type"),
]


class Mistakes(ProgramTest):
    def check(self, cases):
        """All files in one run; of each, the lines that are expected."""
        for number, (old, new, _) in enumerate(cases):
            self.assertIn(old, BOTH, old)
            self.write(f"all/{number:03}.yaml", BOTH.replace(old, new, 1))
        _, out, _ = self.adze("validate", "all")
        for number, (old, new, *wanted) in enumerate(cases):
            with self.subTest(new):
                lines = re.sub("\n  hint: ", " HINT ", out).split("\n")
                found = [line for line in lines if f"{number:03}.yaml:" in line and not re.search(TOGETHER, line)]
                self.assertEqual(len(found), len(wanted), found)
                for line, pattern in zip(found, wanted):
                    self.assertRegex(line, pattern)

    def test_what_is_no_yaml(self):
        self.check(YAML)

    def test_what_is_of_the_wrong_form(self):
        """One line for each mistake: what follows from it is left out."""
        self.check(FIELDS)

    def test_plans_name_what_they_ignore(self):
        """A field that does not exist, a value that no type has: the plan goes on and says so (SCH-520)."""
        pod = "---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: a}]}}\n"
        text = BOTH.replace("disruption:", "disuption:").replace('"spot"', '"Spot"').replace("    cpu: 100", "    cpus: 100")
        code, out, _ = self.adze("plan", "-f", "-", "-o", "json", stdin=text + pod)
        self.assertEqual(code, 0, out)
        for line in ('NodePool default: spec.disuption: unknown field \\"disuption\\" is ignored (did you mean disruption?)',
                     "karpenter.sh/capacity-type has no value Spot (did you mean spot?)", "no node has a resource cpus"):
            self.assertIn(line, out)
        self.assert_refused(self.adze("plan", "-f", "-", stdin=POOL.replace("karpenter.sh/v1", "v1") + pod), 2, "NodePool is read as karpenter.sh/v1, not as v1")

    def test_folders_hold_other_files(self):
        """Values of a chart in a folder are passed over, and named; as a file of its own they are refused."""
        self.write("tree/values.yaml", "settings: {clusterName: a}\n")
        self.write("tree/pool.yaml", POOL)
        code, _, err = self.adze("plan", "-f", "tree")
        self.assertEqual((code, err), (0, "adze: tree/values.yaml:1: neither apiVersion nor kind: passed over\n"))
        self.assert_refused(self.adze("plan", "-f", "tree/values.yaml"), 2, "tree/values.yaml:1:1", "no Kubernetes object")

    def test_auto_mode_is_planned_by_conversion(self):
        """The refusal tells the command, which works as it stands."""
        pool = POOL.replace("karpenter.k8s.aws/instance-generation", "eks.amazonaws.com/instance-generation").replace("group: karpenter.k8s.aws", "group: eks.amazonaws.com").replace("kind: EC2NodeClass", "kind: NodeClass")
        self.write("auto mode.yaml", pool + "---\n{apiVersion: eks.amazonaws.com/v1, kind: NodeClass, metadata: {name: default}, spec: {role: \"${node_role}\", subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{tags: {\"aws:eks:cluster-name\": \"${cluster_name}\"}}]}}\n")
        self.write("pod.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: a, image: a}]}}\n")
        run = self.adze("plan", "-f", "auto mode.yaml", "-f", "pod.yaml")
        command = "adze convert --role ROLE --cluster-name CLUSTER 'auto mode.yaml' pod.yaml | adze plan -f -"
        self.assert_refused(run, 2, f"`{command}`")
        _, text, _ = self.adze("convert", "--role", "ROLE", "--cluster-name", "CLUSTER", "auto mode.yaml", "pod.yaml")
        code, out, err = self.adze("plan", "-f", "-", stdin=text)
        self.assertEqual((code, "1 pod placed" in out), (0, True), out + err)

    def test_days_become_hours(self):
        _, out, err = self.adze("convert", "-", stdin=POOL.replace("name: default\n      requirements", "name: default\n      expireAfter: 30d\n      requirements"))
        self.assertIn("expireAfter: '720h'", out)
        self.assertIn("(M-days)", err)


if __name__ == "__main__":
    unittest.main()
