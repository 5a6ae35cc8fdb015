"""`adze plan --diff` against the live cluster, held against what the controller then does: the nodes that drift, and the nodes of its first commands."""
import json
import os
import subprocess
import time

from cluster import Failure, apply, items, kubectl, record, request, until

COMMAND = "adze.dev/disruption-command"
POOL = """
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: %(name)s}
spec:
  template:
    metadata: {labels: {part: %(name)s%(label)s}}
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      expireAfter: %(expire)s
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: kubernetes.io/os, operator: In, values: [linux]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ["%(cpu)s"]}
  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 0s, budgets: [{nodes: "100%%"}]}
"""
LOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: load-%(name)s, namespace: default}
spec:
  replicas: 6
  selector: {matchLabels: {app: load-%(name)s}}
  template:
    metadata: {labels: {app: load-%(name)s}}
    spec:
      nodeSelector: {part: %(name)s}
      terminationGracePeriodSeconds: 0
      containers: [{name: load, image: none, resources: {requests: {cpu: "1"}}}]
"""
EDITS = {"label": {"label": ", team: shop"}, "requirement": {"cpu": 5}, "expiry": {"expire": "240h"}}


def pool(name, edit=()):
    return POOL % {"name": name, "label": "", "expire": "Never", "cpu": 9, **dict(edit)}


def all_run():
    wanted = [request("GET", f"/apis/apps/v1/namespaces/default/deployments/load-{name}")[1]["status"] for name in EDITS]
    return all(status.get("readyReplicas", 0) == 6 == status.get("replicas", 0) for status in wanted)


def play(adze):
    """A NodePool for each edit, so that none is held back by what the one before has moved."""
    apply("---".join(part for name in EDITS for part in (pool(name), LOAD % {"name": name})))
    try:
        until(60, "all pods to run", all_run)
        time.sleep(10)  # nodes that have just got pods are left alone
        for name, edit in EDITS.items():
            foretells(adze, name, pool(name, edit.items()))
    finally:
        kubectl("delete", "deployment", *(f"load-{name}" for name in EDITS), "--ignore-not-found")


def foretold(adze, manifest):
    run = subprocess.run([adze, "plan", "--diff", "-f", "-", "-o", "json"], input=manifest, capture_output=True, text=True, timeout=60,
                         env={**os.environ, "KUBECONFIG": os.environ["KUBECONFIG"]})
    if run.returncode:
        raise Failure(f"plan --diff: {run.stderr.strip()}")
    diff = json.loads(run.stdout)
    commands = next((r["commands"] for r in diff["rounds"] if r["commands"]), [])
    return ({d["nodeClaim"] for d in diff["drifted"] if not d["before"]},
            {frozenset(c["nodes"]) for c in commands}, diff["totals"]["after"])


def drifted():
    return {c["metadata"]["name"] for c in items("claim")
            if any(x["type"] == "Drifted" and x["status"] == "True" for x in c.get("status", {}).get("conditions", []))}


def observed(seconds, wanted):
    """What drifts, and the commands that begin within a second of the first."""
    marked, commands, begun, first = set(), {}, time.monotonic(), None
    while time.monotonic() - begun < seconds:
        now = time.monotonic()
        marked |= drifted()
        for node in items("node"):
            mark = node["metadata"].get("annotations", {}).get(COMMAND)
            taints = {taint["key"] for taint in node["spec"].get("taints", [])}  # replacements have the mark alone
            if mark and "karpenter.sh/disrupted" in taints and (first is None or now - first < 1):
                first = first or now
                commands.setdefault(mark.split(",")[0], set()).add(node["metadata"]["name"])
        if marked >= wanted and first and now - first > 1.5:
            break
        time.sleep(0.1)
    return marked, {frozenset(nodes) for nodes in commands.values()}


def foretells(adze, name, manifest):
    claims, commands, after = foretold(adze, manifest)
    if not claims:
        raise Failure(f"{name}: nothing is foretold to drift")
    apply(manifest)
    marked, begun = observed(30, claims)
    if marked != claims:
        raise Failure(f"{name}: {sorted(claims)} were to drift, {sorted(marked)} did")
    if begun != commands:
        raise Failure(f"{name}: the commands {[sorted(c) for c in commands]} were foretold, {[sorted(c) for c in begun]} came")
    until(60, f"{name}: the nodes to be replaced", lambda: not claims & {c["metadata"]["name"] for c in items("claim")} and all_run())
    record(what_if=name, drifted=len(claims), commands=len(commands), nodes_foretold=after["nodes"], nodes=len(items("node")))
