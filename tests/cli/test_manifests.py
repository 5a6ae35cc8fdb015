#!/usr/bin/env python3
"""adze manifests as a user runs it: what the controller may do by the features in use (API-220 to 226, LIF-390), its
pod (API-244, API-245), bad input; and the charts as far as they can be checked without Helm (API-242, API-255, 257)."""
import importlib.util
import json
import os
import re
import subprocess
import sys
import unittest

import yaml

import program

ROOT = os.path.join(program.EXAMPLES, "..")
VALUES = os.path.join(ROOT, "tests", "charts", "values")
WORKLOADS = {"apps/replicasets", "apps/statefulsets", "batch/jobs"}


def granted(objects, verbs=("get", "list", "watch", "create", "delete", "patch", "update")):
    """{"group/resource": verbs} of the controller's bound roles; names of resources in brackets."""
    bound = {(o["roleRef"]["kind"], o["roleRef"]["name"]) for o in objects if o["kind"].endswith("Binding")}
    rights = {}
    for role in objects:
        if (role["kind"], role["metadata"]["name"]) not in bound:
            continue
        for rule in role["rules"]:
            for group in rule["apiGroups"]:
                for resource in rule["resources"]:
                    for name in rule.get("resourceNames", [""]):
                        key = "%s/%s%s" % (group, resource, name and "[%s]" % name)
                        rights.setdefault(key, set()).update(verb for verb in rule["verbs"] if verb in verbs)
    return {key: verbs for key, verbs in rights.items() if verbs}


class ManifestsTest(program.ProgramTest):
    def objects(self, *arguments, **environment):
        code, out, complaint = self.adze("manifests", "-o", "json", *arguments, **environment)
        self.assertEqual((code, complaint), (0, ""))
        return json.loads(out)["items"]

    def rights(self, *arguments, **environment):
        return granted(self.objects("--roles", *arguments, **environment))

    def test_objects(self):
        objects = self.objects("--cluster-name", "prod", "-n", "nodes")
        self.assertEqual(sorted({o["kind"] for o in objects}),
                         ["ClusterRole", "ClusterRoleBinding", "Deployment", "PodDisruptionBudget", "Role", "RoleBinding",
                          "Service", "ServiceAccount"])
        self.assertEqual({o["metadata"].get("namespace") for o in objects}, {None, "nodes", "kube-system"})
        self.assertNotIn("PodDisruptionBudget",  # API-613: it would keep a drained node for ever
                         [o["kind"] for o in self.objects("--provider", "kwok", "--replicas", "1")])

    def test_pod(self):
        deployment = next(o for o in self.objects("--cluster-name", "prod", "--reserved-enis=1", "--image", "x.example/a@sha256:0")
                          if o["kind"] == "Deployment")
        pod = deployment["spec"]["template"]["spec"]
        container, = pod["containers"]
        self.assertEqual(container["securityContext"], {  # API-244
            "privileged": False, "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "runAsNonRoot": True,
            "runAsUser": 65532, "runAsGroup": 65532, "capabilities": {"drop": ["ALL"]}})
        self.assertEqual(pod["securityContext"], {"fsGroup": 65532, "seccompProfile": {"type": "RuntimeDefault"}})
        self.assertEqual(container["livenessProbe"]["httpGet"], {"path": "/healthz", "port": "http"})  # API-245
        self.assertEqual(container["readinessProbe"]["httpGet"], {"path": "/readyz", "port": "http"})
        self.assertEqual(container["args"], ["controller", "--provider", "aws"])
        self.assertEqual(container["image"], "x.example/a@sha256:0")
        self.assertEqual({e["name"]: e["value"] for e in container["env"] if "value" in e},
                         {"KARPENTER_SERVICE": "adze", "CLUSTER_NAME": "prod", "RESERVED_ENIS": "1"})
        selector = deployment["spec"]["selector"]
        self.assertEqual(pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"],
                         [{"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}])
        self.assertEqual(pod["topologySpreadConstraints"][0]["labelSelector"], selector)

    def test_ports_that_are_not_served(self):
        objects = self.objects("--cluster-name", "prod", METRICS_PORT="0", HEALTH_PROBE_PORT="0")
        deployment = next(o for o in objects if o["kind"] == "Deployment")
        container, = deployment["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["ports"], [])
        self.assertFalse({"livenessProbe", "readinessProbe"} & set(container))
        self.assertNotIn("Service", [o["kind"] for o in objects])

    def test_monitoring(self):
        """The chart's alerts and dashboards, from its own files; the ServiceMonitor finds the Service."""
        by = {kind: {o["kind"] + "/" + o["metadata"]["name"]: o for o in self.objects("--provider", "kwok", "-n", "watch", "--monitoring", kind)}
              for kind in ("operator", "plain")}
        files = os.path.join(ROOT, "charts", "adze", "files")
        with open(os.path.join(files, "alerts.yaml")) as file:
            alerts = file.read()
        self.assertEqual(by["operator"]["PrometheusRule/adze"]["spec"], yaml.safe_load(alerts))
        self.assertEqual(by["plain"]["ConfigMap/adze-rules"]["data"], {"adze.rules.yaml": alerts})
        monitor, service = by["operator"]["ServiceMonitor/adze"]["spec"], by["operator"]["Service/adze"]
        self.assertEqual(monitor["namespaceSelector"]["matchNames"], [service["metadata"]["namespace"]])
        self.assertLessEqual(monitor["selector"]["matchLabels"].items(), service["metadata"]["labels"].items())
        self.assertEqual([e["port"] for e in monitor["endpoints"]], [p["name"] for p in service["spec"]["ports"]])
        for objects in by.values():
            dashboards = {}
            for name, config in objects.items():
                if "-dashboard-" in name:
                    self.assertEqual(config["metadata"]["labels"]["grafana_dashboard"], "1")
                    dashboards.update(config["data"])
            folder = os.path.join(files, "dashboards")
            self.assertEqual(set(dashboards), {"adze-" + name for name in os.listdir(folder)})
            for name, text in dashboards.items():
                with open(os.path.join(folder, name.removeprefix("adze-"))) as file:
                    self.assertEqual(text, file.read())
        self.assertFalse([o for o in self.objects("--roles", "--monitoring", "plain") if o["kind"] == "ConfigMap"])
        for arguments, environment in ((("--monitoring", "operatr"), {}), (("--monitoring", "plain"), {"METRICS_PORT": "0"})):
            self.assertEqual(self.adze("manifests", "--provider", "kwok", *arguments, **environment)[0], 2)

    def test_role_of_the_service_account(self):
        account = self.objects("--roles", "--role-arn", "arn:aws:iam::111122223333:role/x")[0]
        self.assertEqual(account["metadata"]["annotations"],
                         {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/x"})

    def test_least_permissions(self):
        """API-226, LIF-391, AWN-622: no secrets, no wildcard; what a feature needs comes with the feature."""
        plain = self.rights()
        for key, verbs in plain.items():
            self.assertNotIn("*", key)
            self.assertFalse(re.search("secrets|serviceaccounts|nodeoverlays|capacitybuffers|podtemplates|resource.k8s.io|"
                                       "kwok", key), key)
        self.assertEqual({key for key, verbs in plain.items() if "delete" in verbs},
                         {"karpenter.sh/nodeclaims", "/nodes", "/pods"})
        self.assertEqual(plain["coordination.k8s.io/leases[karpenter-leader-election]"], {"get", "update"})
        self.assertEqual(plain["/services[kube-dns]"], {"get"})
        self.assertLessEqual(WORKLOADS, set(plain))
        upstream = self.rights("--compatibility", "upstream")
        self.assertEqual(set(plain) - set(upstream), WORKLOADS | {
            "/pods/status", "metrics.k8s.io/pods", "/configmaps[adze-learned-capacity]", "/configmaps[adze-last-prices]",
            "apiextensions.k8s.io/customresourcedefinitions[nodepools.karpenter.sh]",
            "apiextensions.k8s.io/customresourcedefinitions[nodeclaims.karpenter.sh]",
            "apiextensions.k8s.io/customresourcedefinitions[ec2nodeclasses.karpenter.k8s.aws]"})

    def test_features(self):
        plain = set(self.rights())
        for arguments, more, less in [
                (("--feature-gates", "NodeOverlay=true"),
                 {"karpenter.sh/nodeoverlays", "karpenter.sh/nodeoverlays/status",
                  "apiextensions.k8s.io/customresourcedefinitions[nodeoverlays.karpenter.sh]"}, set()),
                (("--feature-gates", "CapacityBuffer=true"),
                 {"autoscaling.x-k8s.io/capacitybuffers", "autoscaling.x-k8s.io/capacitybuffers/status", "/podtemplates",
                  "apps/deployments",
                  "apiextensions.k8s.io/customresourcedefinitions[capacitybuffers.autoscaling.x-k8s.io]"}, set()),
                (("--ignore-dra-requests=false",),
                 {"resource.k8s.io/" + name for name in ("resourceclaims", "resourceclaimtemplates", "resourceslices",
                                                         "deviceclasses")}, set()),
                (("--pod-nomination", "Off"), set(), {"/pods/status"}),
                (("--expected-cpu-use", "0.5"), set(), {"metrics.k8s.io/pods"}),
                (("--disable-leader-election",), set(), {"coordination.k8s.io/leases",
                                                         "coordination.k8s.io/leases[karpenter-leader-election]"}),
                (("--leader-election-name", "other"), {"coordination.k8s.io/leases[other]"},
                 {"coordination.k8s.io/leases[karpenter-leader-election]"})]:
            with self.subTest(arguments):
                rights = set(self.rights(*arguments))
                self.assertEqual((rights - plain, plain - rights), (more, less))
        self.assertIn("karpenter.sh/nodeoverlays", self.rights(FEATURE_GATES="NodeOverlay=true"))
        kwok = self.rights("--provider", "kwok")
        self.assertIn("create", kwok["/nodes"])
        self.assertNotIn("/services[kube-dns]", kwok)
        lease = [o for o in self.objects("--roles", "--leader-election-namespace", "leases") if o["kind"] == "Role"]
        self.assertIn("leases", {role["metadata"]["namespace"] for role in lease})

    def test_roles_of_people(self):
        """API-222, API-612."""
        roles = {o["metadata"]["name"]: o for o in self.objects("--roles")}
        prefix = "rbac.authorization.k8s.io/aggregate-to-"
        self.assertLessEqual({prefix + "admin", prefix + "edit"}, set(roles["adze-admin"]["metadata"]["labels"]))
        self.assertIn(prefix + "view", roles["adze-view"]["metadata"]["labels"])
        for rule in roles["adze-view"]["rules"]:
            self.assertEqual(rule["verbs"], ["get", "list", "watch"])

    def test_bad_input(self):
        self.assert_refused(self.adze("manifests"), 2, "--cluster-name is missing")
        self.assert_refused(self.adze("manifests", "--provider", "sim"), 2, "only", "runs against a cluster")
        for flag, value in [("--replicas", "many"), ("--replicas", "-1"), ("--name", "A b"), ("--namespace", "x/y"),
                            ("--image", "a b"), ("-o", "toml")]:
            self.assert_refused(self.adze("manifests", "--cluster-name", "x", flag, value), 2, flag)
        self.assert_refused(self.adze("manifests", "--replica", "1"), 2, "did you mean --replicas?")


class ChartsTest(unittest.TestCase):
    def test_generated_files(self):
        """The CRD chart has the CRDs of the program and keeps them; the chart has each setting."""
        run = subprocess.run([os.path.join(ROOT, "tools", "charts"), program.ADZE, "--check"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    @unittest.skipUnless(importlib.util.find_spec("yaml") and importlib.util.find_spec("jsonschema"),
                         "python3-yaml and python3-jsonschema are not installed")
    def test_values_fit_the_schema(self):
        import jsonschema
        import yaml
        with open(os.path.join(ROOT, "charts/adze/values.schema.json")) as file:
            schema = json.load(file)
        jsonschema.Draft7Validator.check_schema(schema)
        check = jsonschema.Draft7Validator(schema).iter_errors
        files = [os.path.join(VALUES, name) for name in sorted(os.listdir(VALUES))]
        self.assertGreaterEqual(len(files), 15)
        for path in [os.path.join(ROOT, "charts/adze/values.yaml"), *files]:
            with open(path) as file:
                self.assertEqual([error.message for error in check(yaml.safe_load(file))], [], path)
        for bad in ({"replicas": "two"}, {"provider": "gce"}, {"logLevel": "warn"}, {"tolerations": {"key": "x"}},
                    {"settings": {"batchMaxDuration": "10"}}, {"settings": {"featureGates": {"nodeRepair": "on"}}},
                    {"settings": {"compatibility": "karpenter"}}, {"controller": {"metrics": {"port": 70000}}}):
            self.assertTrue(list(check(bad)), bad)


if __name__ == "__main__":
    unittest.main()
