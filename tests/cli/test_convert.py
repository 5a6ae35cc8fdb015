#!/usr/bin/env python3
"""adze convert as a user runs it: the examples of the rules, what guides print, real manifests of older versions."""
import json
import re
import unittest

from program import ProgramTest

PROVISIONER = """apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: general, finalizers: [karpenter.sh/termination], resourceVersion: "7"}
spec:
  providerRef: {name: shared}
  annotations: {example.com/owner: web}
  labels: {team: web}
  taints: [{key: dedicated, value: web, effect: NoSchedule}]
  startupTaints: [{key: example.com/agent, effect: NoExecute}]
  requirements: [{key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: ["3"]}]
  kubeletConfiguration: {containerRuntime: containerd, maxPods: 30}
  limits: {resources: {cpu: 1000, memory: 1000Gi}}
  consolidation: {enabled: true}
  ttlSecondsUntilExpired: 2592000
  weight: 10
"""
NODE_TEMPLATE = """apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: shared}
spec:
  subnetSelector: {Name: "prod-a, prod-b", tier: private}
  securityGroupSelector: {"aws::ids": "sg-0a,sg-0b"}
  tags: {cost-center: "42"}
"""
BATCH = """apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: batch}
spec:
  requirements:
  - {key: node.kubernetes.io/instance-type, operator: In, values: [c5.4xlarge]}
  - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
  provider:
    amiFamily: Bottlerocket
    instanceProfile: batch-nodes
    subnetSelector: {aws-ids: "subnet-1,subnet-2"}
    securityGroupSelector: {karpenter.sh/discovery: c1}
    metadataOptions: {httpPutResponseHopLimit: 1}
"""
BETA_POOL = """apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: %s}
spec:
  disruption:
    expireAfter: 168h
    budgets: [{nodes: "0", schedule: "0 9 * * mon-fri", duration: 8h}]
  template:
    spec:
      nodeClassRef: {apiVersion: karpenter.k8s.aws/v1beta1, kind: EC2NodeClass, name: default}
      kubelet: {maxPods: %d}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}]
"""
BETA_CLASS = """apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: default, annotations: {compatibility.karpenter.k8s.aws/v1-alias-version: v20240807}}
spec:
  amiFamily: AL2023
  role: NodeRole
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: c1}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: c1}}]
"""
V1 = """# my pool
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default   # the only one
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data: {x: "1"}
"""
DEFAULTS = [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]
METADATA_OPTIONS = {"httpEndpoint": "enabled", "httpProtocolIPv6": "disabled", "httpPutResponseHopLimit": 2, "httpTokens": "required"}


def terms(*tags):
    return [{"tags": t} for t in tags]


class ConvertTest(ProgramTest):
    def convert(self, text, *arguments, status=0):
        """The objects by kind and name, and the codes of the notes."""
        code, out, err = self.adze("convert", "-o", "json", "-", *arguments, stdin=text)
        self.assertEqual(code, status, err)
        notes = json.loads(err[err.index("["):])
        items = json.loads(out)["items"]
        self.notes = notes
        return {f"{i['kind']}/{i['metadata']['name']}": i for i in items}, {n["code"] for n in notes}

    def mended(self, spec, *arguments, kind="NodePool", status=0):
        """The spec of one v1 object after mending, and the codes."""
        group = "karpenter.sh" if kind == "NodePool" else "karpenter.k8s.aws"
        text = json.dumps({"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": "x"}, "spec": spec})
        objects, codes = self.convert(text, *arguments, status=status)
        return objects[f"{kind}/x"]["spec"], codes

    def fails(self, text, *parts):
        code, out, err = self.adze("convert", "-", stdin=text)
        self.assertEqual((code, "karpenter" in out), (2, False), err)
        for part in parts:
            self.assertIn(part, err)


class Examples(ConvertTest):
    """The examples of MIG section 7."""

    def test_provisioner_MIG_30_33_35_40_140(self):
        objects, codes = self.convert(PROVISIONER + "---\n" + NODE_TEMPLATE, status=3)
        self.assertEqual(list(objects), ["NodePool/general", "EC2NodeClass/shared"])
        pool, node_class = objects.values()
        self.assertEqual(pool["metadata"], {"name": "general"})
        self.assertEqual(pool["spec"], {
            "disruption": {"budgets": [{"nodes": "10%"}], "consolidateAfter": "0s", "consolidationPolicy": "WhenEmptyOrUnderutilized"},
            "limits": {"cpu": 1000, "memory": "1000Gi"},
            "template": {
                "metadata": {"annotations": {"example.com/owner": "web"}, "labels": {"team": "web"}},
                "spec": {
                    "expireAfter": "720h",
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "shared"},
                    "requirements": [{"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gt", "values": ["3"]}, *DEFAULTS,
                                     {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                                     {"key": "karpenter.k8s.aws/instance-category", "operator": "In", "values": ["c", "m", "r"]},
                                     {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["2"]}],
                    "startupTaints": [{"effect": "NoExecute", "key": "example.com/agent"}],
                    "taints": [{"effect": "NoSchedule", "key": "dedicated", "value": "web"}]}},
            "weight": 10})
        self.assertEqual(node_class["spec"], {
            "amiSelectorTerms": [{"alias": "al2@latest"}], "kubelet": {"maxPods": 30}, "metadataOptions": METADATA_OPTIONS,
            "role": "ADZE-TODO-ROLE", "securityGroupSelectorTerms": [{"id": "sg-0a"}, {"id": "sg-0b"}],
            "subnetSelectorTerms": terms({"Name": "prod-a", "tier": "private"}, {"Name": "prod-b", "tier": "private"}),
            "tags": {"cost-center": "42"}})
        self.assertLessEqual({"M-role", "M-default", "M-expire-forceful", "M-budget", "M-alias-latest", "M-hop-limit"}, codes)
        objects, _ = self.convert(PROVISIONER + "---\n" + NODE_TEMPLATE, "--role", "Node", "--ignore-defaults")
        self.assertEqual(objects["EC2NodeClass/shared"]["spec"]["role"], "Node")
        self.assertEqual(len(objects["NodePool/general"]["spec"]["template"]["spec"]["requirements"]), 1)

    def test_inline_provider_MIG_32_34_141(self):
        objects, codes = self.convert(BATCH)
        self.assertEqual(objects["NodePool/batch"]["spec"]["disruption"],
                         {"budgets": [{"nodes": "10%"}], "consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never"})
        inner = objects["NodePool/batch"]["spec"]["template"]["spec"]
        self.assertEqual((inner["expireAfter"], inner["nodeClassRef"]["name"]), ("Never", "batch"))
        self.assertEqual([r["key"] for r in inner["requirements"][2:]], [d["key"] for d in DEFAULTS])
        self.assertEqual(objects["EC2NodeClass/batch"]["spec"], {
            "amiSelectorTerms": [{"alias": "bottlerocket@latest"}], "instanceProfile": "batch-nodes",
            "metadataOptions": {**METADATA_OPTIONS, "httpPutResponseHopLimit": 1, "httpTokens": "optional"},
            "securityGroupSelectorTerms": terms({"karpenter.sh/discovery": "c1"}),
            "subnetSelectorTerms": [{"id": "subnet-1"}, {"id": "subnet-2"}]})
        self.assertLessEqual({"M-tokens", "M-no-consolidation"}, codes)
        for seconds, text in ((90, "1m30s"), (0, "0s"), (3661, "1h1m1s"), (86400, "24h")):
            objects, _ = self.convert(BATCH.replace("spec:\n", f"spec:\n  ttlSecondsAfterEmpty: {seconds}\n", 1))
            self.assertEqual(objects["NodePool/batch"]["spec"]["disruption"]["consolidateAfter"], text)

    def test_ubuntu_and_images_MIG_42_44_142(self):
        objects, codes = self.convert("""apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: gpu}
spec:
  amiFamily: Ubuntu
  amiSelector: {"aws::ids": "ami-123, ami-456", "aws::owners": "self"}
  subnetSelector: {Name: "*"}
  securityGroupSelector: {Name: nodes}
""", "--role", "NodeRole")
        spec = objects["EC2NodeClass/gpu"]["spec"]
        self.assertEqual((spec["amiFamily"], spec["amiSelectorTerms"]), ("AL2", [{"id": "ami-123"}, {"id": "ami-456"}]))
        self.assertEqual(spec["blockDeviceMappings"], [{"deviceName": "/dev/sda1", "rootVolume": True, "ebs":
                                                        {"encrypted": True, "volumeSize": "20Gi", "volumeType": "gp3"}}])
        self.assertLessEqual({"M-ubuntu", "M-ami-id", "M-hop-limit"}, codes)

    def test_selectors_MIG_41_42(self):
        def convert(**spec):
            text = json.dumps({"apiVersion": "karpenter.k8s.aws/v1alpha1", "kind": "AWSNodeTemplate", "metadata": {"name": "x"},
                               "spec": {"subnetSelector": {"a": "1"}, "securityGroupSelector": {"a": "1"}, **spec}})
            return self.convert(text, "--role", "R", status=3 if "amiSelector" in spec and "t" in spec["amiSelector"] else 0)[0]["EC2NodeClass/x"]["spec"]
        self.assertEqual(convert(subnetSelector={"b": "3,4", "a": "1, 2"})["subnetSelectorTerms"],
                         terms({"a": "1", "b": "3"}, {"a": "2", "b": "3"}, {"a": "1", "b": "4"}, {"a": "2", "b": "4"}))
        self.assertEqual(convert(subnetSelector={"a": ""})["subnetSelectorTerms"], terms({"a": "*"}))
        self.assertEqual(convert(amiSelector={"aws::owners": "self,1", "aws::name": "n"})["amiSelectorTerms"],
                         [{"name": "n", "owner": "self"}, {"name": "n", "owner": "1"}])
        self.assertEqual(convert(amiSelector={"aws::owners": "self"})["amiSelectorTerms"], [{"name": "*", "owner": "self"}])
        self.assertEqual(convert(amiSelector={"t": "1", "u": "2"})["amiSelectorTerms"], terms({"t": "1", "u": "2"}))

    def test_kubelets_MIG_46_50_52_143(self):
        text = "---\n".join([BETA_POOL % ("a", 58), BETA_POOL % ("b", 58), BETA_POOL % ("c", 110), BETA_CLASS])
        objects, codes = self.convert(text)
        self.assertEqual(list(objects), ["NodePool/a", "NodePool/b", "NodePool/c", "EC2NodeClass/default", "EC2NodeClass/default-c"])
        pool = objects["NodePool/a"]["spec"]
        self.assertEqual(pool["disruption"], {"budgets": [{"duration": "8h", "nodes": "0", "schedule": "0 9 * * mon-fri"}],
                                              "consolidateAfter": "0s", "consolidationPolicy": "WhenEmptyOrUnderutilized"})
        self.assertEqual(pool["template"]["spec"]["expireAfter"], "168h")
        self.assertEqual(pool["template"]["spec"]["nodeClassRef"], {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"})
        self.assertNotIn("kubelet", pool["template"]["spec"])
        self.assertEqual([o["spec"]["template"]["spec"]["nodeClassRef"]["name"] for o in objects.values() if o["kind"] == "NodePool"],
                         ["default", "default", "default-c"])
        self.assertEqual(objects["EC2NodeClass/default"]["spec"]["kubelet"], {"maxPods": 58})
        copy = {**objects["EC2NodeClass/default"]["spec"], "kubelet": {"maxPods": 110}}
        self.assertEqual(objects["EC2NodeClass/default-c"]["spec"], copy)
        self.assertEqual(copy["amiSelectorTerms"], [{"alias": "al2023@v20240807"}])
        self.assertEqual(copy["metadataOptions"], METADATA_OPTIONS)
        self.assertEqual(objects["EC2NodeClass/default"]["metadata"], {"name": "default"})
        self.assertIn("M-kubelet-split", codes)
        objects, codes = self.convert(BETA_POOL % ("a", 58), status=3)
        self.assertEqual(objects["EC2NodeClass/default"]["spec"], {"kubelet": {"maxPods": 58}})
        self.assertIn("M-kubelet-orphan", codes)

    def test_beta_class_keeps_its_terms_MIG_52_144(self):
        objects, codes = self.convert(BETA_CLASS.replace("AL2023", "Bottlerocket").replace("role: NodeRole", """instanceProfile: p
  metadataOptions: {httpPutResponseHopLimit: 3}
  amiSelectorTerms: [{name: my-br-*, owner: self}]"""))
        spec = objects["EC2NodeClass/default"]["spec"]
        self.assertEqual((spec["amiFamily"], spec["amiSelectorTerms"], spec["instanceProfile"]),
                         ("Bottlerocket", [{"name": "my-br-*", "owner": "self"}], "p"))
        self.assertEqual(spec["metadataOptions"], {**METADATA_OPTIONS, "httpPutResponseHopLimit": 3})
        self.assertEqual(codes, {"M-public-ip"})

    def test_bad_input_MIG_13_17_18(self):
        self.fails(PROVISIONER.replace("weight: 10", "ttlSecondsAfterEmpty: 30"), "exclude each other")
        self.fails(PROVISIONER.replace("effect: NoExecute", "x: y"), "effect is missing")
        self.fails(NODE_TEMPLATE + "  launchTemplate: mine\n", "M-launch-template", "describe-launch-template-versions")
        self.fails(NODE_TEMPLATE.replace('{Name: "prod-a, prod-b", tier: private}', "karpenter"), '{karpenter.sh/discovery: "karpenter"}')
        self.fails(NODE_TEMPLATE + "  amiFamily: Ubuntu\n", "Ubuntu")
        code, out, err = self.adze("convert", "-", stdin=PROVISIONER + "---\n" + PROVISIONER.replace("10", "11"))
        self.assertEqual((code, out.count("kind: NodePool")), (2, 1), err)
        objects, _ = self.convert(PROVISIONER + "---\n" + PROVISIONER, status=3)
        self.assertEqual(len([o for o in objects if o.startswith("NodePool")]), 1)
        text = PROVISIONER + "  nonsense: 1\n"
        self.assertIn("M-unknown-field", self.convert(text, status=3)[1])
        self.assertEqual(self.adze("convert", "--strict", "-", stdin=text)[0], 2)

    def test_output_is_stable_MIG_11_12_15(self):
        text = PROVISIONER + "---\n" + NODE_TEMPLATE + "---\n" + V1
        code, out, err = self.adze("convert", "-", stdin=text)
        self.assertEqual(code, 3)
        self.assertIn("# adze: todo spec.role: ", out)
        self.assertIn("-:17: EC2NodeClass/shared: todo spec.role: ", err)
        self.assertIn("# my pool\n", out)
        self.assertEqual(self.adze("convert", "-", stdin=out)[:2], (0, out))
        self.assertEqual(self.adze("convert", "--notes", "none", "-", stdin=text)[2], "")
        self.assertNotIn("# adze", self.adze("convert", "--notes", "stderr", "-", stdin=text)[1])
        self.write("folder/a.yaml", V1)
        self.write("folder/b.json", '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}')
        self.assertEqual(self.adze("convert", "folder")[:2], (0, V1 + '---\n{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}'))
        self.assertEqual(self.adze("convert", "-", stdin=V1)[:2], (0, V1))


class Guides(ConvertTest):
    """v1 objects as people paste them (GUI)."""
    REFERENCE = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}

    def pool(self, inner=None, status=0, **spec):
        return self.mended({"template": {"spec": {"nodeClassRef": self.REFERENCE, "requirements": [], **(inner or {})}}, **spec}, status=status)

    def test_references_GUI_1_2(self):
        spec, codes = self.pool({"nodeClassRef": {"apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "name": "default"}})
        self.assertEqual((spec["template"]["spec"]["nodeClassRef"], codes), (self.REFERENCE, {"M-reference"}))
        alone = V1.replace("{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}", "{name: default}")
        objects, codes = self.convert(alone + "---\n" + BETA_CLASS)
        self.assertEqual(objects["NodePool/default"]["spec"]["template"]["spec"]["nodeClassRef"], self.REFERENCE)
        self.assertIn("M-reference", codes)
        self.fails(alone, "nodeClassRef default: there is no class of that name", "none")
        self.assertIn("there is: EC2NodeClass other", self.adze("convert", "-", stdin=alone + "---\n" + BETA_CLASS.replace("default", "other"))[2])
        self.fails(V1.replace("group: karpenter.k8s.aws", "group: a, apiVersion: b/v1"), "differ")

    def test_disruption_GUI_3_4(self):
        spec, codes = self.pool(disruption={"consolidationPolicy": "WhenUnderutilized", "expireAfter": "24h"})
        self.assertEqual(spec["disruption"], {"consolidateAfter": "0s", "consolidationPolicy": "WhenEmptyOrUnderutilized"})
        self.assertEqual(spec["template"]["spec"]["expireAfter"], "24h")
        spec, codes = self.pool({"expireAfter": "1h"}, disruption={"consolidateAfter": "0s", "expireAfter": "24h"})
        self.assertEqual((spec["template"]["spec"]["expireAfter"], codes), ("1h", {"M-level"}))

    def test_levels_and_words_GUI_9_10_15(self):
        requirement = {"key": "karpenter.sh/capacityType", "operator": "in", "values": "OnDemand"}
        spec, _ = self.mended({"nodeClassRef": self.REFERENCE, "requirements": [requirement], "labels": {"a": True}, "limits": {"resources": {"cpu": 10}},
                               "disruption": {"consolidationPolicy": "whenEmpty", "consolidateAfter": "1m", "budgets": [{"nodes": 3, "reasons": "Drift"}]},
                               "maxPodGracePeriod": 30}, status=3)
        self.assertEqual(spec["template"]["spec"]["requirements"], [{"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]}])
        self.assertEqual((spec["limits"], spec["template"]["metadata"]["labels"]), ({"cpu": 10}, {"a": "true"}))
        self.assertEqual(spec["disruption"], {"budgets": [{"nodes": "3", "reasons": ["Drifted"]}], "consolidateAfter": "1m", "consolidationPolicy": "WhenEmpty"})
        self.assertNotIn("maxPodGracePeriod", spec)
        spec, codes = self.pool({"taints": [{"key": "a", "operator": "Equal", "value": "", "effect": "NoSchedule"}]})
        self.assertEqual((spec["template"]["spec"]["taints"], codes), ([{"effect": "NoSchedule", "key": "a"}], {"M-taint-operator"}))

    def test_classes_GUI_5_6_14(self):
        network = {"role": "R", "subnetSelectorTerms": terms({"a": "1"}), "securityGroupSelectorTerms": terms({"a": "1"})}
        spec, codes = self.mended({**network, "amiFamily": "AL2023"}, kind="EC2NodeClass")
        self.assertEqual(spec["amiSelectorTerms"], [{"alias": "al2023@latest"}])
        self.assertIn("M-alias-latest", codes)
        spec, _ = self.mended({**network, "subnetSelectorTerms": [{"ids": ["subnet-1", "subnet-2"]}], "securityGroupSelector": {"a": "1,2"},
                               "role": "arn:aws:iam::111122223333:role/x/NodeRole", "amiSelectorTerms": [{"id": "ami-1", "owner": "self"}],
                               "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "102400Mi"}}],
                               "userData": "IyEvYmluL2Jhc2gKZWNobyBoZWxsbyB3b3JsZAo="}, kind="EC2NodeClass")
        self.assertEqual(spec["subnetSelectorTerms"], [{"id": "subnet-1"}, {"id": "subnet-2"}])
        self.assertEqual((spec["role"], spec["amiSelectorTerms"], spec["userData"]), ("NodeRole", [{"id": "ami-1"}], "#!/bin/bash\necho hello world\n"))
        self.assertEqual(spec["blockDeviceMappings"][0]["ebs"]["volumeSize"], "100Gi")

    def test_texts_of_guides(self):
        """Typographic quotes, lost indentation, variables, here-documents, code fences."""
        plain = {"NodePool/default", "EC2NodeClass/default"}
        guide = BETA_POOL % ("default", 58) + "---\n" + BETA_CLASS.replace("NodeRole", "“NodeRole-${CLUSTER_NAME}”")
        for text in (guide, f"Apply this:\n\n```yaml\n{guide}```\n\nThen wait.\n", f"cat <<EOF | envsubst | kubectl apply -f -\n{guide}EOF\necho done: [\n"):
            objects, _ = self.convert(text, "--cluster-name", "shop")
            self.assertEqual(set(objects), plain)
            self.assertEqual(objects["EC2NodeClass/default"]["spec"]["role"], "NodeRole-shop")
        objects, codes = self.convert(guide, status=3)
        self.assertIn("M-variable", codes)
        objects, _ = self.convert(guide, "--set", "CLUSTER_NAME=x")
        self.assertEqual(objects["EC2NodeClass/default"]["spec"]["role"], "NodeRole-x")

    def test_parts_of_other_texts(self):
        """Fences in every language, here-documents in scripts, Terraform and workflows; each with its line."""
        guide = BETA_POOL % ("default", 58) + "---\n" + BETA_CLASS
        indented = guide.replace("\n", "\n    ")
        texts = {
            "fences": f"# Guide\n\n```bash\nkubectl get pods\n```\n- x: *y*\n```console\n$ a: b: c\n```\n\n~~~yaml hl_lines=2\n{guide}~~~\n\n```\nplain: *text\n```\n",
            "scripts": f"1. Run:\n   ```sh\n   aws eks list\n   ```\n```shell\ncat <<EoF >pool.yaml\n{guide}EoF\nkubectl apply -f pool.yaml\n```\n",
            "bare": f"```bash\n# pool.yaml\n{guide}```\n",
            "terraform": f'# yaml_body = <<-YAML\n#   a: b\n# YAML\nresource "a" "b" {{\n  yaml_body = <<-YAML\n    {indented}\n  YAML\n}}\n',
            "nested": f'resource "null_resource" "a" {{\n  command = <<-EOT\n    set -e: x\n    kubectl apply -f - <<EOF\n    {indented}\n    EOF\n    echo a: b: c\n  EOT\n}}\n',
            "workflow": f"on: push\njobs:\n  a:\n    steps:\n    - run: |\n        cat <<EOF | kubectl apply -f -\n    {indented}\n        EOF\n",
            "no end": f"cat <<EOF >pool.yaml\n{guide}",
        }
        for name, text in texts.items():
            with self.subTest(name):
                objects, _ = self.convert(text)
                self.assertEqual(set(objects), {"NodePool/default", "EC2NodeClass/default"})
        userdata = "cat <<EOF | kubectl apply -f -\n" + BETA_CLASS.rstrip() + "\n  userData: |\n    #!/bin/sh\n    cat <<END > /etc/x\n    y\n    END\nEOF\nnot: yaml: x\n"
        self.assertIn("END > /etc/x\ny\nEND", self.convert(userdata)[0]["EC2NodeClass/default"]["spec"]["userData"])
        self.assertIn("-:14:", self.adze("convert", "-", stdin=texts["fences"].replace("name: default", "name: [", 1))[2])
        code, _, err = self.adze("convert", "-", stdin="```yaml\nspec:\n  kind: x\n```\n- *a\n")
        self.assertIn("-:2: a part of an object, without kind: passed over", err)
        ellipses = guide.replace("  template:", "  ...\n  template:", 1).replace("  role:", "  …\n  role:", 1)
        objects, codes = self.convert(f"```yaml\n{ellipses}```\n\n```\nkind: sketch\n  of: nothing\n```\n\n```\nMIME-Version: 1.0\n--//\napiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n--//--\n```\n* x: y: z\n")
        self.assertEqual(set(objects), {"NodePool/default", "EC2NodeClass/default"})
        self.assertIn("M-text", codes)
        for text, language in (("resource \"a\" \"b\" {\n  a: b: c\n", "Terraform"), ("# A: b\n```\nls\n```\n* c: d: e\n", "Markdown")):
            self.fails(text, f"this is {language}, with no manifest in a here-document or fence")
        code, out, err = self.adze("convert", "-", stdin="---\ntitle: page\n---\n# A: b\n```\nls\n```\n* c: d: e\n---\n* f: g: h\n")
        self.assertEqual((code, out, err.count("\n")), (2, "", 1))

    def test_ends_of_lines_and_variables(self):
        """Windows' ends of lines become line feeds; variables in lists keep what stands beside them."""
        pool = "apiVersion: karpenter.sh/v1\r\nkind: NodePool\r\nmetadata: {name: a}\r\nspec:\r\n  template:\r\n    spec:\r\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}\r\n      requirements: []\r\n"
        self.assertEqual(self.adze("convert", "-", stdin=pool)[1], pool.replace("\r\n", "\n"))
        zones = pool.replace("\r\n", "\n").replace("[]", "[{key: topology.kubernetes.io/zone, operator: In, values: [${azs}a, ${azs}b]}]")
        code, out, err = self.adze("convert", "-", stdin=zones)
        self.assertEqual((code, out.count("- ${azs}a\n"), out.count("- ${azs}b\n")), (3, 1, 1), out + err)
        self.assertIn("us-east-1a", self.adze("convert", "--set", "azs=us-east-1", "-", stdin=zones)[1])
        code, out, err = self.adze("convert", "-", stdin=zones.replace("[${azs}a, ${azs}b]", "${jsonencode([\"${a}-b\"])}").replace("{key: topology.kubernetes.io/zone, operator: In, values:", "\n      - key: topology.kubernetes.io/zone\n        operator: In\n        values:").replace("[\n", "\n").replace("}]\n", "\n"))
        self.assertIn('${jsonencode(["${a}-b"])} was not filled in', err)

    def test_lost_indentation(self):
        whole = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    metadata:
      labels:
        team: web
    spec:
      requirements:
        - key: kubernetes.io/arch
          operator: In
          values: ["amd64"]
        - key: karpenter.sh/capacity-type
          operator: In
          values:
            - spot
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
      expireAfter: 720h
  limits:
    cpu: 1000
    nvidia.com/gpu: 2
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 1m
    budgets:
      - nodes: 10%
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  role: NodeRole
  amiSelectorTerms:
    - alias: al2023@latest
  subnetSelectorTerms:
    - tags:
        karpenter.sh/discovery: c1
  securityGroupSelectorTerms:
    - tags:
        karpenter.sh/discovery: c1
  blockDeviceMappings:
    - deviceName: /dev/xvda
      ebs:
        volumeSize: 100Gi
  userData: |
    #!/bin/bash
    echo role
  tags:
    team: web
"""
        expected, _ = self.convert(whole)
        objects, codes = self.convert(re.sub(r"(?m)^ +", "", whole))
        self.assertEqual(objects, expected)
        self.assertEqual(codes, {"M-text"})
        for old in (PROVISIONER, NODE_TEMPLATE):
            expected, _ = self.convert(old, "--role", "R", status=3 if "30}" in old else 0)

    def test_what_is_no_manifest(self):
        self.fails("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: {{ .Values.name }}\n{{- if .Values.x }}\nspec: {}\n{{- end }}\n", "Helm template")
        self.fails(V1.replace("  name: default   # the only one", "  name: a\n  name: b"), "stands twice", "lines 5 and 6")
        self.assert_refused(self.adze("convert", "missing.yaml"), 2, "missing.yaml")
        self.assert_refused(self.adze("convert", "--ami", "x", "-"), 2, "--ami")

    def test_auto_mode(self):
        objects, codes = self.convert("""apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general-purpose}
spec:
  template:
    spec:
      nodeClassRef: {group: eks.amazonaws.com, kind: NodeClass, name: default}
      requirements: [{key: eks.amazonaws.com/instance-category, operator: In, values: [c, m, r]}]
---
apiVersion: eks.amazonaws.com/v1
kind: NodeClass
metadata: {name: own}
spec:
  role: AutoRole
  subnetSelectorTerms: [{tags: {a: b}}]
  securityGroupSelectorTerms: [{tags: {a: b}}]
  ephemeralStorage: {size: 160Gi, iops: 3000}
  snatPolicy: Random
""", status=3)
        pool = objects["NodePool/general-purpose"]["spec"]["template"]["spec"]
        self.assertEqual(pool["nodeClassRef"], self.REFERENCE)
        self.assertEqual((pool["requirements"][0]["key"], pool["expireAfter"]), ("karpenter.k8s.aws/instance-category", "336h"))
        self.assertEqual(objects["EC2NodeClass/default"]["spec"]["role"], "ADZE-TODO-ROLE")
        own = objects["EC2NodeClass/own"]["spec"]
        self.assertEqual(own["blockDeviceMappings"][1], {"deviceName": "/dev/xvdb", "rootVolume": True, "ebs":
                                                         {"encrypted": True, "iops": 3000, "volumeSize": "160Gi", "volumeType": "gp3"}})
        self.assertLessEqual({"M-auto-mode", "M-role", "M-auto-expire"}, codes)


if __name__ == "__main__":
    unittest.main()
