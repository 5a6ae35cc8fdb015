#!/usr/bin/env python3
"""The charts, rendered by Helm: lint, values files of public repositories, agreement with `adze manifests`.

    check.py ADZE HELM

values/*.yaml are shortened from the repositories that their first line names, all facts about names and shapes kept.
Comments below it say what is expected:

    # env NAME=VALUE      a variable of the container
    # unused PATH         a value that the notes and the annotation name as without effect
    # fails TEXT          rendering fails with this text; several: all of them
    # name NAME           of the Deployment (default: adze)
"""
import json
import os
import re
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
CHART = os.path.join(HERE, "../../charts/adze")
CRDS = os.path.join(HERE, "../../charts/adze-crd")
problems = []


def expect(condition, what):
    if not condition:
        problems.append(what)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def render(*arguments, chart=CHART):
    """The objects, and the complaint if there are none."""
    code, out, complaint = run(HELM, "template", "adze", chart, "-n", "kube-system", *arguments)
    return [] if code else [document for document in yaml.safe_load_all(out) if document], complaint


def one(objects, kind, name=None):
    found = [o for o in objects if o["kind"] == kind and name in (None, o["metadata"]["name"])]
    return found[0] if len(found) == 1 else None


def container(deployment):
    return deployment["spec"]["template"]["spec"]["containers"][0]


def variables(deployment):
    """A later one wins."""
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in container(deployment)["env"]}


def unused(deployment):
    text = deployment["metadata"].get("annotations", {}).get("adze.dev/values-without-effect", "")
    return set(text.split(", ")) - {""}


def lint():
    for chart, arguments in ((CHART, ("--set", "settings.clusterName=x")), (CRDS, ())):
        code, out, complaint = run(HELM, "lint", "--strict", chart, *arguments)
        expect(code == 0, f"helm lint {chart}: {out}{complaint}")


def public_values():
    folder = os.path.join(HERE, "values")
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path) as file:
            text = file.read()
        wanted = {}
        for word, rest in re.findall(r"^# (env|unused|fails|name) (.+)$", text, re.M):
            wanted.setdefault(word, []).append(rest)
        objects, complaint = render("-f", path)
        if "fails" in wanted:
            expect(not objects, f"{name} renders")
            for part in wanted["fails"]:
                expect(part in complaint, f"{name} fails with {complaint!r}, without {part!r}")
            continue
        deployment = one(objects, "Deployment")
        if deployment is None:
            problems.append(f"{name}: {complaint or 'no Deployment'}")
            continue
        expect(deployment["metadata"]["name"] == wanted.get("name", ["adze"])[0],
               f"{name}: the Deployment is {deployment['metadata']['name']}")
        monitored = {"serviceMonitor.enabled"} if "serviceMonitor: {enabled: true" in text else set()
        expect(unused(deployment) - monitored == set(wanted.get("unused", [])) |
               ({"controller.image.tag", "controller.image.digest"} if "controller.image.repository" in
                wanted.get("unused", []) else set()), f"{name}: without effect are {sorted(unused(deployment))}")
        for entry in wanted.get("env", []):
            variable, value = entry.split("=", 1)
            expect(variables(deployment).get(variable) == value,
                   f"{name}: {variable} is {variables(deployment).get(variable)}, not {value}")
        expect("karpenter" not in container(deployment)["image"], f"{name}: the image is Karpenter's")
        replicas = deployment["spec"]["replicas"]
        expect((one(objects, "PodDisruptionBudget") is not None) == (replicas > 1), f"{name}: PodDisruptionBudget")


def defaults():
    """API-242 to 246."""
    objects, _ = render("--set", "settings.clusterName=prod")
    deployment = one(objects, "Deployment")
    expect(unused(deployment) == set(), f"defaults are without effect: {unused(deployment)}")
    expect(deployment["spec"]["replicas"] == 2, "two replicas")
    expect(one(objects, "PodDisruptionBudget")["spec"]["maxUnavailable"] == 1, "PodDisruptionBudget")
    expect(one(objects, "ServiceAccount")["automountServiceAccountToken"] is False, "automountServiceAccountToken")
    expect(one(objects, "NetworkPolicy") is None and one(objects, "ServiceMonitor") is None, "off by default")
    env = variables(deployment)
    for name, value in {"CLUSTER_NAME": "prod", "ISOLATED_VPC": "false", "IGNORE_DRA_REQUESTS": "true",  # LIF-470
                        "RESERVED_ENIS": "0", "METRICS_PORT": "8080", "AWS_FEATURE_GATES": "NodeClassCEL=false",
                        "MEMORY_LIMIT": {"resourceFieldRef": {"containerName": "controller", "divisor": "0",
                                                              "resource": "limits.memory"}}}.items():
        expect(env.get(name) == value, f"{name} is {env.get(name)}")
    for name in ("CLUSTER_ENDPOINT", "COMPATIBILITY", "NODE_COST", "WORKLOAD_GUARD"):
        expect(name not in env, f"{name} is set although nobody has set it")
    for o in objects:
        expect(o["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "Helm", f"labels of {o['kind']}")


def options():
    objects, complaint = render(
        "--api-versions", "monitoring.coreos.com/v1", "--set-json",
        '''settings={"clusterName": "{{ .Release.Name }}-x", "ignoreDRARequests": false, "vmMemoryOverheadPercent": 0}''',
        "--set", "serviceMonitor.enabled=true,serviceMonitor.sampleLimit=0,serviceMonitor.endpointConfig.interval=5s",
        "--set", "networkPolicy.enabled=true,controller.image.repository=registry.example/adze,controller.image.tag=9",
        "--set", "additionalLabels.a=b,additionalAnnotations.c=d,service.annotations.e=f,nameOverride=karpenter",
        "--set", "controller.sidecarContainer[0].name=s,controller.extraVolumeMounts[0].name=v,hostNetwork=true",
        "--set", "serviceAccount.create=false,serviceAccount.name=karpenter,podDisruptionBudget.name=p",
        "--set", "additionalClusterRoleRules[0].verbs[0]=get,controller.securityContext.runAsUser=0",
        "--set", "controller.securityContext.appArmorProfile.type=RuntimeDefault")
    deployment = one(objects, "Deployment")
    if deployment is None:
        problems.append(complaint)
        return
    env, pod = variables(deployment), deployment["spec"]["template"]["spec"]
    expect((env["CLUSTER_NAME"], env["IGNORE_DRA_REQUESTS"], env["VM_MEMORY_OVERHEAD_PERCENT"]) == ("adze-x", "false", "0"),
           "templates and falsy values (API-243, LIF-470)")
    expect(one(objects, "ServiceMonitor")["spec"]["sampleLimit"] == 0, "sampleLimit 0 is rendered")
    expect(one(objects, "ServiceMonitor")["spec"]["endpoints"][0] == {"port": "http-metrics", "path": "/metrics",
                                                                      "interval": "5s"}, "endpointConfig")
    policy = one(objects, "NetworkPolicy")["spec"]
    expect(policy["policyTypes"] == ["Ingress", "Egress"] and len(policy["egress"]) == 3, "NetworkPolicy")
    expect(container(deployment)["image"] == "registry.example/adze:9", "image")
    expect(one(objects, "Service")["metadata"]["annotations"] == {"c": "d", "e": "f"}, "annotations of the Service")
    expect(all(o["metadata"]["labels"].get("a") == "b" for o in objects), "additionalLabels")
    expect(deployment["metadata"]["name"] == "adze-karpenter", "name (API-240)")
    expect(deployment["spec"]["selector"]["matchLabels"]["app.kubernetes.io/name"] == "karpenter", "nameOverride (GUI-33)")
    expect(pod["containers"][1]["volumeMounts"] == [{"name": "v"}] and pod["hostNetwork"], "sidecar")
    expect(pod["serviceAccountName"] == "karpenter" and one(objects, "ServiceAccount") is None, "foreign account")
    expect(one(objects, "PodDisruptionBudget")["metadata"]["name"] == "p", "podDisruptionBudget.name")
    expect({"verbs": ["get"]} in one(objects, "ClusterRole", "adze-karpenter-core")["rules"], "additionalClusterRoleRules")
    context = container(deployment)["securityContext"]
    expect(context["runAsUser"] == 65532 and context["appArmorProfile"] == {"type": "RuntimeDefault"},
           "securityContext (API-244)")


def monitoring():
    """The rule file and the dashboards as they are, off by default."""
    on = ("--set", "settings.clusterName=c,prometheusRule.enabled=true,prometheusRule.additionalLabels.release=prometheus",
          "--set", "dashboards.enabled=true,dashboards.annotations.grafana_folder=Nodes")
    objects, complaint = render("--api-versions", "monitoring.coreos.com/v1", *on)
    rule = one(objects, "PrometheusRule")
    if rule is None:
        problems.append(f"no PrometheusRule: {complaint}")
        return
    with open(os.path.join(CHART, "files/alerts.yaml")) as file:
        expect(rule["spec"] == yaml.safe_load(file), "the PrometheusRule differs from files/alerts.yaml")
    expect(rule["metadata"]["labels"]["release"] == "prometheus", "prometheusRule.additionalLabels")
    shown = {}
    for o in objects:
        if o["kind"] == "ConfigMap":
            expect(o["metadata"]["labels"]["grafana_dashboard"] == "1" and
                   o["metadata"]["annotations"] == {"grafana_folder": "Nodes"}, "marks of a dashboard")
            shown.update(o["data"])
    folder = os.path.join(CHART, "files/dashboards")
    expect(set(shown) == {"adze-" + name for name in os.listdir(folder)}, f"dashboards: {sorted(shown)}")
    for name, text in shown.items():
        with open(os.path.join(folder, name.removeprefix("adze-"))) as file:
            expect(json.loads(text) == json.load(file), f"{name} differs from its file")
    objects, _ = render(*on)
    expect(one(objects, "PrometheusRule") is None and "prometheusRule.enabled" in unused(one(objects, "Deployment")),
           "a cluster without the operator")
    objects, _ = render("--set", "settings.clusterName=c", "--api-versions", "monitoring.coreos.com/v1")
    expect(not {"PrometheusRule", "ConfigMap"} & {o["kind"] for o in objects}, "off by default")


def comparable(objects):
    """Without what only Helm adds, and what only a chart sets."""
    found = {}
    for o in objects:
        metadata = {key: value for key, value in o["metadata"].items() if key != "labels"}
        labels = {key: value for key, value in o["metadata"]["labels"].items()
                  if key not in ("helm.sh/chart", "app.kubernetes.io/version", "app.kubernetes.io/managed-by")}
        found[o["kind"], o["metadata"]["name"]] = {**o, "metadata": {**metadata, "labels": labels}}
    return found


def agreement():
    """`adze manifests` and the chart give the same objects; variables of the chart's own defaults aside."""
    for provider in ("aws", "kwok"):
        for settings, values in [
                ((), ()),
                (("--compatibility", "upstream", "--leader-election-name", "other"),
                 ("settings.compatibility=upstream", "settings.leaderElectionName=other")),
                (("--feature-gates", "NodeOverlay=true,CapacityBuffer=true", "--ignore-dra-requests=false", "--metrics-port",
                  "9000", "--leader-election-namespace", "leases"),
                 ("settings.featureGates.nodeOverlay=true", "settings.featureGates.capacityBuffer=true",
                  "settings.ignoreDRARequests=false", "controller.metrics.port=9000",
                  "settings.leaderElectionNamespace=leases")),
                (("--pod-nomination", "Off", "--disable-leader-election", "--expected-cpu-use", "0.4"),
                 ("settings.podNomination=Off", "settings.disableLeaderElection=true", "settings.expectedCpuUse=0.4"))]:
            what = f"{provider} {' '.join(settings)}"
            code, out, complaint = run(ADZE, "manifests", "--provider", provider, "--cluster-name", "c", *settings)
            expect(code == 0, f"adze manifests {what}: {complaint}")
            plain = comparable(yaml.safe_load_all(out))
            chart = comparable(render("--set", f"provider={provider},settings.clusterName=c",
                                      *[part for value in values for part in ("--set", value)])[0])
            ours, theirs = plain.pop(("Deployment", "adze")), chart.pop(("Deployment", "adze"))
            for key in plain.keys() | chart.keys():
                expect(plain.get(key) == chart.get(key), f"{what}: {key} differs: {plain.get(key)} and {chart.get(key)}")
            own, other = variables(ours), variables(theirs)
            for name in own:
                if name != "FEATURE_GATES":
                    expect(own[name] == other.get(name), f"{what}: {name} differs")
            container(ours).pop("envFrom")
            for deployment in (ours, theirs):
                container(deployment).pop("env")
            expect(ours == theirs, f"{what}: the Deployments differ: {ours} and {theirs}")
    # Variables of the container decide like values.
    by_value, by_variable = (one(render("--set", "settings.clusterName=c", "--set-json", text)[0], "ClusterRole", "adze-core")
                             for text in ('settings.featureGates.nodeOverlay=true',
                                          'controller.env=[{"name": "FEATURE_GATES", "value": "NodeOverlay=true"}]'))
    expect(by_value["rules"] == by_variable["rules"], "FEATURE_GATES by controller.env")


def definitions():
    """API-255: kept when the release goes; annotations are added; KWOKNodeClass on demand."""
    objects, _ = render("--set", "additionalAnnotations.a=b,kwok.enabled=true", chart=CRDS)
    code, out, _ = run(ADZE, "crds")
    expect(code == 0 and len(objects) == 6, f"{len(objects)} definitions")
    for o in objects:
        expect(o["metadata"].pop("annotations") == {"helm.sh/resource-policy": "keep", "a": "b"}, "annotations of a CRD")
    expect(sorted(objects, key=str) == sorted(yaml.safe_load_all(out), key=str), "the chart's CRDs are not the program's")
    expect(len(render(chart=CRDS)[0]) == 5, "five CRDs by default")
    expect(render("--set", "webhook.enabled=true", chart=CRDS)[0] != [], "values of older CRD charts render")
    expect("additionalAnotations" in render("--set", "additionalAnotations.a=b", chart=CRDS)[1], "a misspelt value passes")


def main():
    global ADZE, HELM
    ADZE, HELM = sys.argv[1:3]
    for check in (lint, public_values, defaults, options, monitoring, agreement, definitions):
        check()
    print("\n".join(problems) or "charts: fine")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
