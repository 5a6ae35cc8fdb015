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
    ("name: default", "name: {CLUSTER_NAME}-pool", "; \\{CLUSTER_NAME\\} in line 4 looks like a variable"),
    ("        operator: Gt\n", "        operator: Gt\n        ${extra}\n", "; \\$\\{extra\\} in line 18 stands for lines that are not there: put them in its place"),
    ("spec:\n", "spec:\n%{ if spot }\n  x: 1\n%{ endif }\n", "; this looks like a Terraform template: render it first, as templatefile\\(\\) does"),
    ("apiVersion: karpenter.sh/v1\n", "cat <<EOF | kubectl apply -f -\napiVersion: karpenter.sh/v1\n", "; this is a shell script: `adze convert` takes the manifests out of it"),
    ("apiVersion: karpenter.sh/v1\n", "resource \"kubectl_manifest\" \"pool\" {\n  yaml_body = <<-YAML\napiVersion: karpenter.sh/v1\n", "; this is Terraform: `adze convert`"),
    ("apiVersion: karpenter.sh/v1\n", "# Pools\n\n1. *One*: x\n```yaml\napiVersion: karpenter.sh/v1\n", "; this is Markdown: `adze convert`"),
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
                found = [line for line in lines if f"{number:03}.yaml:" in line]
                self.assertEqual(len(found), len(wanted), found)
                for line, pattern in zip(found, wanted):
                    self.assertRegex(line, pattern)

    def test_what_is_no_yaml(self):
        self.check(YAML)


if __name__ == "__main__":
    unittest.main()
