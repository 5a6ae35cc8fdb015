"""The scenario disruption_at_scale: 200 nodes drift, shrink, expire and are lost, while observer.py watches from outside."""
import json
import os
import subprocess
import sys

import cluster
from cluster import Failure, apply, check_claims, items, kubectl, names, record, request, until

NODE_CPU = 4          # three pods of one cpu fit beside kwok's reserved resources
PODS_PER_NODE = 3
PATIENCE = 400        # seconds for work that takes half a minute on two free cores
POOL = """
apiVersion: karpenter.kwok.sh/v1alpha1
kind: KWOKNodeClass
metadata: {{name: default}}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {{name: {name}}}
spec:
  template:
    metadata: {{labels: {{e2e/tier: {name}, e2e/generation: "1"}}}}
    spec:
      nodeClassRef: {{group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}}
      expireAfter: {expire_after}
      taints: {taints}
      requirements:
      - {{key: kubernetes.io/arch, operator: In, values: [amd64]}}
      - {{key: kubernetes.io/os, operator: In, values: [linux]}}
      - {{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}}
      - {{key: karpenter.kwok.sh/instance-cpu, operator: In, values: ["{cpu}"]}}
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 5s
    budgets: [{{nodes: "20%"}}]
"""
# name: kind, size, its PodDisruptionBudget's rule, minimum of healthy pods at any time whatever its PodDisruptionBudget
# says
WORKLOADS = {
    "web": ("Deployment", 240, {"minAvailable": "90%"}, None),
    "batch": ("Deployment", 236, None, None),
    "api": ("Deployment", 90, {"maxUnavailable": 15}, None),
    "queue": ("StatefulSet", 30, {"maxUnavailable": "10%"}, None),
    "pair": ("Deployment", 2, {"minAvailable": 1}, 1),
    "single": ("Deployment", 2, {"maxUnavailable": 1}, 1),
}
BRIEF = {"brief": ("Deployment", 30, {"maxUnavailable": "20%"}, None)}
TIER = {"brief": "brief"}  # the NodePool of a workload unless it is main


def run(controller):
    """controller: a function that starts the program, as a context."""
    with controller() as adze, Observer() as observer:
        apply(POOL.format(name="main", cpu=NODE_CPU, expire_after="Never", taints="[]"))
        deploy(WORKLOADS)
        filled = until(PATIENCE, "all pods to run", lambda: settled(WORKLOADS))
        if len(items("node")) < 200:
            raise Failure(f"only {len(items('node'))} nodes: nothing at scale")
        note("filled", filled, adze)
        drift(adze)
        expire(adze)
        interrupt(adze)
        consolidate(adze)
        every_node_is_accounted_for()
        observer.judge()
        remove({**WORKLOADS, **BRIEF})
        note("removed", until(PATIENCE, "no pod, claim or node to be left", cluster.empty), adze)


def drift(adze):
    """A label of the template changes: every node is replaced."""
    old = names("claim")
    patch_pool("main", {"spec": {"template": {"metadata": {"labels": {"e2e/generation": "2"}}}}})
    took = until(2 * PATIENCE, "every drifted node to be replaced", lambda: not old & names("claim"))
    until(PATIENCE, "all pods to run", lambda: settled(WORKLOADS))
    note("drifted", took, adze, replaced=len(old))


def expire(adze):
    """Nodes of their own NodePool that live a minute: all expire, and so do their replacements."""
    apply(POOL.format(name="brief", cpu=NODE_CPU, expire_after="60s",
                      taints="[{key: e2e/tier, value: brief, effect: NoSchedule}]"))
    deploy(BRIEF)
    until(PATIENCE, "the short-lived pods to run", lambda: settled(BRIEF))
    old = {c["metadata"]["name"] for c in items("claim") if c["metadata"]["labels"]["karpenter.sh/nodepool"] == "brief"}
    took = until(PATIENCE, "every short-lived node to be replaced", lambda: not old & names("claim"))
    remove(BRIEF)  # their nodes are deleted automatically
    note("expired", took, adze, replaced=len(old))


def interrupt(adze):
    """One node in twelve is lost with its machine: for kwok the Node is the machine."""
    lost = [n["metadata"]["name"] for n in items("node") if n["metadata"]["labels"].get("e2e/tier") == "main"][::12]
    for name in lost:
        patch(f"/api/v1/nodes/{name}", {"metadata": {"labels": {"e2e/interrupted": "true"}}})
    claims = {c["metadata"]["name"] for c in items("claim") if c["status"].get("nodeName") in lost}
    for name in lost:
        patch(f"/api/v1/nodes/{name}", {"metadata": {"finalizers": None}})
        request("DELETE", f"/api/v1/nodes/{name}")
    took = until(PATIENCE, "the lost machines' claims to go", lambda: not claims & names("claim"))
    # The pods stay until Kubernetes collects the orphans, after about a minute.
    healed = until(PATIENCE, "all pods to run again", lambda: settled(WORKLOADS) and pods_have_nodes())
    note("interrupted", took, adze, lost=len(lost), healed_s=round(healed, 1))


def consolidate(adze):
    """Two workloads drop most of their pods across the cluster: the rest fits on far fewer nodes."""
    smaller = {"web": 120, "batch": 88}
    for name, size in smaller.items():
        scale(name, size)
    pods = sum(smaller.get(name, size) for name, (_, size, _, _) in WORKLOADS.items())
    fewest = -(-pods // PODS_PER_NODE)
    took = until(2 * PATIENCE, f"at most {fewest * 5 // 4} nodes for {pods} pods", lambda: len(names("node")) <= fewest * 5 // 4)
    until(PATIENCE, "all pods to run", lambda: settled(WORKLOADS, smaller))
    note("consolidated", took, adze, fewest=fewest)


def every_node_is_accounted_for():
    """In the end NodeClaims and Nodes match one to one, and none has marks left."""
    def problem():
        check_claims()
        claims, nodes = items("claim"), items("node")
        having = sorted(c.get("status", {}).get("nodeName", "") for c in claims)
        if having != sorted(n["metadata"]["name"] for n in nodes):
            return "NodeClaims and Nodes differ"
        for item in claims + nodes:
            marks = [t["key"] for t in item["spec"].get("taints", []) if t["key"].startswith("karpenter.sh/")]
            if item["metadata"].get("deletionTimestamp") or (item in nodes and marks):
                return f"{item['metadata']['name']}: {marks or 'on its way out'}"
        for claim in claims:
            kinds = {c["type"]: c["status"] for c in claim["status"]["conditions"]}
            if kinds.get("Initialized") != "True" or kinds.get("DisruptionReason") == "True":
                return f"{claim['metadata']['name']}: {kinds}"
        return None
    found = [None]

    def fine():
        found[0] = problem()
        return found[0] is None
    try:
        until(PATIENCE, "every node to be accounted for", fine)
    except Failure as error:
        raise Failure(f"{error}: {found[0]}") from None


class Observer:
    """observer.py as a process of its own."""

    def __enter__(self):
        self.report = os.path.join(cluster.STATE, "observer.json")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "observer.py")
        self.process = subprocess.Popen([sys.executable, script, self.report], stdin=subprocess.PIPE)
        return self

    def judge(self):
        self.process.communicate(timeout=60)
        with open(self.report) as file:
            report = json.load(file)
        violations = report.pop("violations")
        record(label="observer", violations=len(violations), **report)
        if violations:
            raise Failure("; ".join(violations[:5]))
        if report["evicted"] < 500 or report["lost"] < 10:
            raise Failure(f"the observer saw next to nothing: {report}")

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)


def deploy(workloads):
    kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
        manifest for name in workloads for manifest in manifests(name, *workloads[name])]}))


def manifests(name, kind, size, budget, minimum):
    labels = {"app": name}
    tier = TIER.get(name, "main")
    # A StatefulSet's next pod has the name of the one that went. The budget's controller has to see the old one terminate
    # (a grace period above 0), or it counts the new one as disrupted for two minutes.
    pod = {"terminationGracePeriodSeconds": int(kind == "StatefulSet"), "nodeSelector": {"e2e/tier": tier},
           "tolerations": [{"key": "e2e/tier", "value": tier, "effect": "NoSchedule"}],
           "containers": [{"name": name, "image": "none", "resources": {"requests": {"cpu": "1"}}}]}
    if size == 2:
        pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": labels}}]}}
    spec = {"replicas": size, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels, "annotations": {"rig/start-after": "1s"}}, "spec": pod}}
    if kind == "StatefulSet":
        spec |= {"serviceName": name, "podManagementPolicy": "Parallel"}
    if budget is not None:
        yield {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "default"},
               "spec": {"selector": {"matchLabels": labels}, **budget}}
    annotations = {} if minimum is None else {"e2e/minimum": str(minimum)}
    yield {"apiVersion": "apps/v1", "kind": kind, "spec": spec,
           "metadata": {"name": name, "namespace": "default", "annotations": annotations}}


def remove(workloads):
    for name, (kind, *_) in workloads.items():
        kubectl("delete", kind.lower(), name, "--ignore-not-found")
        kubectl("delete", "pdb", name, "--ignore-not-found")


def settled(workloads, sizes=()):
    """All pods are there and ready, by the workloads' own count."""
    for name, (kind, size, *_) in workloads.items():
        path = f"/apis/apps/v1/namespaces/default/{kind.lower()}s/{name}"
        status = (request("GET", path)[1] or {}).get("status", {})
        size = dict(sizes).get(name, size)
        if status.get("replicas", 0) != size or status.get("readyReplicas", 0) != size:
            return False
    return True


def pods_have_nodes():
    present = names("node")
    return all(p["spec"].get("nodeName") in present for p in items("pod"))


def scale(name, size):
    patch(f"/apis/apps/v1/namespaces/default/deployments/{name}", {"spec": {"replicas": size}})


def patch_pool(name, body):
    patch(f"/apis/karpenter.sh/v1/nodepools/{name}", body)


def patch(path, body):
    status, reply = request("PATCH", path, body, "application/merge-patch+json")
    if status != 200:
        raise Failure(f"PATCH {path}: {status} {reply}")


def note(label, seconds, adze, **facts):
    record(label=f"at scale: {label}", seconds=round(seconds, 1), nodes=len(names("node")), **facts, **adze.cost())


def clean_up():
    """Blockers and creators of pods are removed in any case."""
    remove({**WORKLOADS, **BRIEF})
