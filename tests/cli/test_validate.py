#!/usr/bin/env python3
"""adze validate and adze crds as a user runs them: files, output, exit codes (API-300 to 316)."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ADZE = os.path.abspath(sys.argv.pop(1))

POOL = """apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: main}
      requirements:
      - key: kubernetes.io/arch
        operator: %s
        values: [amd64]
"""
CLASS = {
    "apiVersion": "karpenter.k8s.aws/v1", "kind": "EC2NodeClass", "metadata": {"name": "main"},
    "spec": {"role": "r", "amiSelectorTerms": [{"alias": "al2023@v20240807"}],
             "subnetSelectorTerms": [{"id": "subnet-1"}],
             "securityGroupSelectorTerms": [{"id": "sg-1"}]}}


class Validate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def adze(self, *arguments, stdin=""):
        run = subprocess.run([ADZE, *arguments], input=stdin, capture_output=True, text=True,
                             cwd=self.folder.name, timeout=60)
        return run.returncode, run.stdout, run.stderr

    def test_text_names_file_line_and_path_API_315(self):
        self.write("pools.yaml", POOL % "in")
        status, out, _ = self.adze("validate", "pools.yaml")
        self.assertEqual(status, 2)
        self.assertEqual(out.splitlines(), [
            'pools.yaml:10:19: refused: NodePool/default spec.template.spec.requirements[0].operator: '
            '"in" is not one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte',
            "  hint: did you mean In?",
            "1 object, 1 error, 0 warnings"])

    def test_user_data_GUI_14_AWN_276_711(self):
        """Each family's user data is tried; the finding names the field's line."""
        for alias, text, level, code, message in (
                ("bottlerocket@v1.50.0", "[settings\na = 1\n", "errors", None, "no valid TOML"),
                ("bottlerocket@v1.50.0", "[settings.kubernetes]\nmade-up = 1\n", "warnings", "W-userdata", "settings.kubernetes.made-up"),
                ("bottlerocket@v1.50.0", "[other]\na = 1\n", "warnings", "W-userdata", "other is left out"),
                ("al2@v20260715", "MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--//\nx", "errors", None, "no boundary"),
                ("al2@v20260715", "echo hi", "warnings", "W-userdata", "does not begin with #!"),
                ("al2023@v20260715", "echo hi", "warnings", "W-userdata", "no NodeConfig"),
                ("al2023@v20260715", "<powershell>\nx\n</powershell>", "warnings", "W-userdata", "PowerShell"),
                ("windows2022@latest", "#!/bin/bash\necho", "warnings", "W-userdata", "PowerShell"),
                ("al2023@v20260715", "#!/bin/bash\n" + "echo 12345\n" * 1330, "warnings", "W-userdata-size", "16384"),
                ("al2023@v20260715", "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n", None, None, None),
                ("al2023@v20260715", "#!/bin/bash\necho", None, None, None),
                ("windows2022@latest", "Write-Host hi", None, None, None)):
            spec = {**CLASS["spec"], "amiSelectorTerms": [{"alias": alias}], "userData": text}
            self.write("class.json", json.dumps({**CLASS, "spec": spec}, indent=1))
            status, out, _ = self.adze("validate", "class.json", "-o", "json")
            found = json.loads(out)["objects"][0]
            findings = [f for kind in ("errors", "warnings") for f in found[kind]]
            self.assertEqual(status, 2 if level == "errors" else 0, text)
            if level is None:
                self.assertEqual(findings, [], text)
                continue
            finding, = findings
            self.assertEqual(found[level], [finding])
            self.assertEqual((finding["path"], finding.get("code"), finding["line"]), ("spec.userData", code, 24), text)
            self.assertIn(message, finding["message"])
            status, out, _ = self.adze("validate", "class.json", "--core", "-o", "json")
            self.assertNotIn("W-userdata\"", out)

    def test_kubelet_expressions_AWN_233_718(self):
        """Sizes as expressions are compiled, and evaluated for every instance type."""
        for kubelet, level, path, message in (
                ({"maxPods": "vcpus * "}, "rejected", "spec.kubelet.maxPods", "Syntax error"),
                ({"kubeReserved": {"cpu": "nonsense + 1"}}, "rejected", "spec.kubelet.kubeReserved.cpu", "nonsense"),
                ({"maxPods": "1 / 0"}, "rejected", "spec.kubelet", "division by zero"),
                ({"maxPods": "10 / (vcpus - 2)"}, "warning", "spec.kubelet", "division by zero"),
                ({"maxPods": "vcpus * 2"}, None, None, None)):
            self.write("class.json", json.dumps({**CLASS, "spec": {**CLASS["spec"], "kubelet": kubelet}}))
            status, out, _ = self.adze("validate", "class.json", "-o", "json")
            found = json.loads(out)["objects"][0]
            findings = [f for kind in ("errors", "warnings") for f in found[kind] if f.get("code") != "W-feature-gate"]
            self.assertEqual(status, 2 if level == "rejected" else 0, kubelet)
            self.assertEqual([(f["level"], f["path"]) for f in findings], [(level, path)] if level else [], kubelet)
            self.assertTrue(not level or message in findings[0]["message"], findings)

    def test_every_kubelet_field_has_its_type_AWN_231_800(self):
        rules = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/rules/aws-nodeclass.md")
        with open(rules) as file:
            table = file.read().split("\nAWN-800 ")[1]
        good = {"bool": True, "int32": 60, "int64": 7, "float": 0.5, "string": "x", "duration": "1m30s",
                "list of string": ["x"], "list of int32": [7], "map string→string": {"cpu": "1"},
                "map string→bool": {"x": True}, "map string→list of string": {"x": ["y"]}}
        bad = {"bool": "true", "int32": "7", "int64": True, "float": "x", "string": 7, "duration": "1 fortnight",
               "list of string": "x", "list of int32": ["x"], "map string→string": {"cpu": 1},
               "map string→bool": {"x": "true"}, "map string→list of string": {"x": "y"}}
        documents, expected = [], []
        for row in table.splitlines():
            cells = [cell.strip() for cell in row.split("|")]
            if len(cells) < 4 or cells[1] not in good:
                continue
            for field in cells[2].split(", "):
                values = [(field, bad[cells[1]], True), (field.upper() + "x", good[cells[1]], True)]
                if not field.startswith("eviction") or cells[1] == "int32":  # keys are signals (AWN-232)
                    values.append((field, good[cells[1]], False))
                for name, value, is_refused in values:
                    if name == "maxPods" and value == "7":
                        continue  # an expression
                    shown = {**CLASS, "metadata": {"name": "c%d" % len(documents)}}
                    shown["spec"] = {**CLASS["spec"], "kubelet": {name: value}}
                    documents.append(json.dumps(shown))
                    expected.append((name, value, is_refused))
        self.assertGreater(len(documents), 300)
        _, out, _ = self.adze("validate", "-", stdin="\n---\n".join(documents))
        refused = {int(found) for found in re.findall(r"(?:refused|rejected): EC2NodeClass/c(\d+) spec\.kubelet", out)}
        self.assertEqual([one for number, one in enumerate(expected) if (number in refused) != one[2]], [])

    def test_folders_lists_and_other_kinds_API_300_301(self):
        self.write("a/pool.yaml", "---\n" + POOL % "In" + "---\n---\napiVersion: v1\nkind: ConfigMap\n")
        self.write("a/b/class.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [CLASS]}))
        self.write("a/notes.txt", "not YAML: [")
        status, out, err = self.adze("validate", "a")
        self.assertEqual((status, out, err),
                         (0, "2 objects, 0 errors, 0 warnings (2 others skipped)\n", ""))

    def test_one_bad_file_hides_no_other_API_303(self):
        self.write("d/a.yaml", "spec:\n  weight: 1\n  weight: 2\n")
        self.write("d/b.yaml", POOL % "in")
        status, out, _ = self.adze("validate", "d")
        self.assertEqual(status, 2)
        self.assertIn('"weight"', out)
        self.assertIn("d/b.yaml:10:19: refused", out)
        status, out, _ = self.adze("validate", "-o", "json", "d")
        self.assertEqual(len(json.loads(out)["files"]), 1)

    def test_exit_codes_API_311(self):
        warned = POOL % "In" + "      startupTaints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]\n"
        self.assertEqual(self.adze("validate", "nothing.yaml")[0], 2)
        self.assertEqual(self.adze("validate", "--nonsense")[0], 2)
        self.assertEqual(self.adze("validate", "-o", "xml", stdin="")[0], 2)
        self.assertEqual(self.adze("validate", stdin=warned)[0], 0)
        self.assertEqual(self.adze("validate", "--warnings-as-errors", stdin=warned)[0], 2)
        rejected = POOL % "In" + "      expireAfter: 9999999h\n"
        self.assertEqual(self.adze("validate", "-", stdin=rejected)[0], 2)

    def test_unknown_and_old_kinds_API_301(self):
        text = "apiVersion: karpenter.sh/v1beta1\nkind: NodePool\n---\napiVersion: karpenter.sh/v1\nkind: NodePol\n"
        status, out, _ = self.adze("validate", stdin=text)
        self.assertEqual(status, 2)
        self.assertIn("`adze convert`", out)
        self.assertIn("did you mean NodePool?", out)

    def test_what_people_paste(self):
        """No false word, and each mistake by its name (GUI-10, GUI-11, API-301, API-313)."""
        pool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"}, "spec": {"limits": {"gpu": 1, "mem": "1Gi", "nvidia.com/gpus": 1, "cpu": 1, "nvidia.com/gpu": 1,
                "example.com/dongle": 1, "hugepages-2Mi": 1, "nodes": 3}, "disruption": {"consolidateAfter": "Never", "budgets": [{"nodes": "0"}]}, "template": {"spec": {"expireAfter": "720h",
                "nodeClassRef": {"group": "eks.amazonaws.com", "kind": "NodeClass", "name": "$CLUSTER_NAME-x"}, "requirements": [], "taints": [{"key": "a", "operator": "Equal", "effect": "NoSchedule"}]}}}}
        other = json.loads(json.dumps(pool))
        del other["spec"]["template"]["spec"]["expireAfter"], other["spec"]["template"]["spec"]["taints"]
        other["spec"]["template"]["spec"]["expireAfter"] = "Never"
        self.write("pools.json", json.dumps(pool) + json.dumps(other))
        self.write("values.yaml", "settings: {clusterName: shop}\nreplicas: 2\n")
        self.write("template.yaml", "metadata:\n  name: {{ .Values.name }}\n{{- if .x }}\nspec: {}\n{{- end }}\n")
        _, out, _ = self.adze("validate", "pools.json", "values.yaml", "template.yaml")
        for text in ('spec.limits.gpu: no node has a resource gpu: the limit never holds anything back (W-unknown-resource)\n  hint: did you mean nvidia.com/gpu?',
                     'spec.limits.mem: no node has a resource mem: the limit never holds anything back (W-unknown-resource)\n  hint: did you mean memory?',
                     'spec.limits["nvidia.com/gpus"]: no node has a resource nvidia.com/gpus',
                     'taints[0].operator: unknown field "operator"\n  hint: leave it out: tolerations have an operator, taints have none',
                     "an expired node waits for its pods without end, and nothing else replaces it (W-never-drains)",
                     "nodes are never replaced, and one that must go waits for its pods without end (W-never-drains)",
                     "metadata.name: NodePool p is there twice: the later replaces the earlier (W-defined-twice)",
                     '"$CLUSTER_NAME-x" looks like a variable that was not filled in',
                     "eks.amazonaws.com NodeClass is not a kind of NodeClass (W-nodeclass-missing)\n  hint: that is EKS Auto Mode's: `adze convert`",
                     "values.yaml:1:1: refused: these look like the values of a Helm chart, not a Kubernetes object\n  hint: render the chart",
                     "this looks like a Helm template: render it first, with `helm template`"):
            self.assertIn(text, out)
        self.assertEqual(out.count("W-unknown-resource"), 6, out)
        self.assertEqual(out.count("nodes are never replaced"), 1, out)

    def test_json_has_hash_and_stored_form_API_314_FMT_17(self):
        text = POOL % "In" + "---\n" + json.dumps(CLASS) + "\n"
        status, out, _ = self.adze("validate", "-o", "json", "--ca-bundle", "Y2E=", stdin=text)
        pool, node_class = json.loads(out)["objects"]
        self.assertEqual(status, 0)
        self.assertEqual((pool["kind"], pool["name"], pool["document"]), ("NodePool", "default", 0))
        self.assertEqual(pool["driftHashVersion"], "v3")
        self.assertEqual(node_class["driftHashVersion"], "v6")
        self.assertEqual(pool["stored"]["spec"]["disruption"]["consolidateAfter"], "0s")
        other = json.loads(self.adze("validate", "-o", "json", stdin=text)[1])["objects"][1]
        self.assertNotEqual(node_class["driftHash"], other["driftHash"])

    def test_the_same_input_gives_the_same_bytes_API_314(self):
        text = POOL % "in" + "---\n" + json.dumps(CLASS) + "\n"
        self.assertEqual(self.adze("validate", "-o", "json", stdin=text),
                         self.adze("validate", "-o", "json", stdin=text))

    def test_old_objects_API_302(self):
        self.write("old.yaml", POOL % "In")
        changed = (POOL % "In").replace("kind: EC2NodeClass", "kind: Other")
        status, out, _ = self.adze("validate", "--old", "old.yaml", stdin=changed)
        self.assertEqual(status, 2)
        self.assertIn("nodeClassRef.kind is immutable", out)
        self.assertEqual(self.adze("validate", "--old", "none.yaml", stdin=changed)[0], 2)

    def test_catalog_GUI_13(self):
        self.write("types.yaml", """apiVersion: adze/v1
kind: InstanceTypeCatalog
metadata: {name: c}
spec:
  instanceTypes:
  - name: m5.large
    requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
    offerings:
    - {price: 1, requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}
  - name: m6g.large
    requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]
    offerings:
    - {price: 1, requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [b]}]}
""")
        pool = POOL % "In" + """      - key: node.kubernetes.io/instance-type
        operator: NotIn
        values: [m9.huge]
      - key: topology.kubernetes.io/zone
        operator: In
        values: [%s]
"""
        status, out, _ = self.adze("validate", "--catalog", "types.yaml", stdin=pool % "a")
        self.assertEqual((status, out), (0, "1 object, 0 errors, 0 warnings\n"))
        status, out, _ = self.adze("validate", "--catalog", "types.yaml", stdin=pool % "b")
        self.assertIn("the requirements on kubernetes.io/arch and topology.kubernetes.io/zone leave no "
                      "instance type of the catalog (W-no-instance-type)", out)
        status, out, _ = self.adze("validate", "--catalog", "types.yaml", stdin=pool % "a, c")
        self.assertIn("no instance type of the catalog has topology.kubernetes.io/zone c", out)
        self.assertEqual(self.adze("validate", "--catalog", "none.yaml", stdin=pool)[0], 2)

    def test_spot_without_an_interruption_queue_GUI_16(self):
        pool = ("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: %s}\nspec: {template: {spec: {nodeClassRef: "
                "{group: karpenter.k8s.aws, kind: EC2NodeClass, name: a}, requirements: [%s]}}}\n---\n")
        requirement = "{key: karpenter.sh/capacity-type, operator: %s, values: [%s]}"
        pools = "".join(pool % (name, requirement % rest if rest else "") for name, rest in (
            ("any", None), ("both", ("In", "spot, on-demand")), ("without", ("In", "on-demand")), ("not", ("NotIn", "spot"))))
        for settings, warned in (("CLUSTER_NAME=shop\n", ["any", "both"]), ("INTERRUPTION_QUEUE=shop\n", [])):
            with open(os.path.join(self.folder.name, "settings"), "w", encoding="utf-8") as file:
                file.write(settings)
            status, out, _ = self.adze("validate", "--settings", "settings", stdin=pools)
            self.assertEqual(status, 0, out)
            self.assertEqual([line.split("NodePool/")[1].split()[0] for line in out.splitlines() if "W-spot-without-queue" in line], warned)
        self.assertNotIn("W-spot", self.adze("validate", stdin=pools)[1])
        self.assertEqual(self.adze("validate", "--settings", "nowhere", stdin=pools)[0], 2)

    def test_own_formats_FMT_8_9(self):
        bad = ("apiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: {name: c}\nspec:\n  instanceTypes:\n"
               "  - {name: a, capacity: {cpu: 1}, offerings: [{price: -1, requirements: []}]}\n")
        status, out, _ = self.adze("validate", stdin=bad)
        self.assertEqual(status, 2)
        self.assertIn("offerings[0].price", out)

    def test_crds(self):
        status, out, _ = self.adze("crds", "-o", "json")
        kinds = [item["spec"]["names"]["kind"] for item in json.loads(out)["items"]]
        self.assertEqual((status, kinds), (0, ["NodePool", "NodeClaim", "NodeOverlay", "CapacityBuffer",
                                               "EC2NodeClass", "KWOKNodeClass"]))
        status, out, _ = self.adze("crds", "--core")
        self.assertNotIn("karpenter.k8s.aws", out)
        self.assertEqual(out.count("kind: CustomResourceDefinition"), 5)
        status, out, _ = self.adze("crds", "-o", "json", "cb")
        self.assertEqual(json.loads(out)["metadata"]["name"], "capacitybuffers.autoscaling.x-k8s.io")
        self.assertEqual(self.adze("crds", "nothing")[0], 2)


if __name__ == "__main__":
    unittest.main(verbosity=1)
