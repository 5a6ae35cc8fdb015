#!/usr/bin/env python3
"""adze against a real control plane. usage: scenarios.py --adze BIN [-k TEXT]; see README.md.

Prints a line per scenario and last 'N passed, N failed'. Exit status 1 if any failed.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "docs")]
import charts
import cluster
import devices
import disruption
import documents
import monitoring
import rules
import what_if
from cluster import (Controller, Failure, apply, check_claims, empty, items, kubeconfig_of, kubectl, names, play, record, request,
                     until)

ADZE = None
RBAC = None  # a kubeconfig of the limited service account

POOL = """
apiVersion: karpenter.kwok.sh/v1alpha1
kind: KWOKNodeClass
metadata: {name: default}
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      expireAfter: Never
      requirements:
      - {key: kubernetes.io/arch, operator: In, values: [amd64]}
      - {key: kubernetes.io/os, operator: In, values: [linux]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      %s
  disruption:
    consolidationPolicy: WhenEmpty
    consolidateAfter: 0s
    budgets: [{nodes: "100%%"}]
"""
SMALL_NODES = '- {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ["9"]}'
INFLATE = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: inflate, namespace: default}
spec:
  replicas: 0
  selector: {matchLabels: {app: inflate}}
  template:
    metadata: {labels: {app: inflate}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: inflate, image: none, resources: {requests: {cpu: "1"}}}
"""


def set_up(extra=""):
    apply(POOL % extra)
    apply(INFLATE)


def scale(replicas):
    kubectl("scale", "deployment", "inflate", f"--replicas={replicas}")


def pods():
    return [p for p in items("pod") if p["metadata"]["namespace"] == "default"]


def deployment():
    return request("GET", "/apis/apps/v1/namespaces/default/deployments/inflate")[1] or {}


def running(wanted):
    """By the Deployment's own count, so that a look costs almost nothing."""
    status = deployment().get("status", {})
    return status.get("replicas", 0) == wanted and status.get("readyReplicas", 0) == wanted


def bound(wanted):
    if deployment().get("status", {}).get("replicas", 0) != wanted:
        return False
    unbound = request("GET", "/api/v1/namespaces/default/pods?fieldSelector=spec.nodeName%3D&limit=1")[1]
    return not unbound["items"]


def clean_up():
    """Nothing may be left: no claim, no node (leftovers are removed and reported)."""
    kubectl("scale", "deployment", "inflate", "--replicas=0", check=False)
    try:
        until(240, "no pod, claim or node to be left", empty)
    finally:
        kubectl("delete", "deployment", "inflate", "--ignore-not-found")
        kubectl("delete", "nodepool", "--all", "--wait=false")
        for kind, path in (("claim", "/apis/karpenter.sh/v1/nodeclaims/"), ("node", "/api/v1/nodes/")):
            for left in items(kind):
                request("PATCH", path + left["metadata"]["name"], {"metadata": {"finalizers": None}},
                        "application/merge-patch+json")
                request("DELETE", path + left["metadata"]["name"])


def crds_are_accepted():
    """API-4: every CRD is established; the API server keeps the printer columns."""
    apply(subprocess.run([ADZE, "crds"], capture_output=True, text=True, check=True).stdout)
    kubectl("wait", "--for=condition=Established", "--timeout=30s", "crd", "--all")
    names = kubectl("get", "crd", "-o", "name").split()
    if len(names) < 5:
        raise Failure(f"only {names}")
    kubectl("get", "nodepools")


def inflate(extra, label, sizes=(5, 500, 2000)):
    with Controller(ADZE, RBAC).await_ready() as adze:
        set_up(extra)
        until(20, "the NodePool to be ready", lambda: any(
            c["type"] == "Ready" and c["status"] == "True"
            for p in items("pool") for c in p.get("status", {}).get("conditions", [])))
        before = {"cpu_s": 0}
        for size in sizes:
            first = []
            begun = time.monotonic()
            known = names("claim")

            def all_bound():
                if not first and names("claim") - known:
                    first.append(time.monotonic() - begun)
                return bound(size)
            scale(size)
            bound_s = until(180, f"{size} pods to be bound", all_bound)
            until(120, f"{size} pods to run", lambda: running(size))
            running_s = time.monotonic() - begun
            check_claims()
            cost = adze.cost()
            nodes = items("node")
            record(label=label, to=size, first_claim_s=round(first[0], 2) if first else None, bound_s=round(bound_s, 2),
                   running_s=round(running_s, 2), nodes=len(nodes),
                   price_per_h=round(sum(float(n["metadata"]["labels"].get("eks-node-viewer/instance-price", 0))
                                         for n in nodes), 3),
                   cpu_s=round(cost["cpu_s"] - before["cpu_s"], 2), rss_mib=cost["rss_mib"], peak_mib=cost["peak_mib"])
            before = cost
        begun = time.monotonic()
        scale(0)
        until(240, "no pod to be left", lambda: not names("pod"))
        no_pod_s = time.monotonic() - begun
        outlived_s = until(240, "no claim or node to be left", empty)
        cost = adze.cost()
        record(label=label, to=0, no_pod_s=round(no_pod_s, 2), no_node_s=round(no_pod_s + outlived_s, 2),
               cpu_s=round(cost["cpu_s"] - before["cpu_s"], 2), rss_mib=cost["rss_mib"], peak_mib=cost["peak_mib"])
        if outlived_s > 60:  # speed is a matter for benchmarks; this is a failure
            raise Failure(f"nodes outlive the last pod by {outlived_s:.0f} s")
        clean_up()
        if adze.stop() != 0:
            raise Failure("SIGTERM does not end the controller with status 0")
        check_log(adze)


def check_log(adze):
    """GUI-41: the lines that guides grep for, as JSON."""
    seen = {}
    for line in adze.lines():
        entry = json.loads(line)
        seen.setdefault(entry["message"], entry)
    for message, keys in (("computed new nodeclaim(s) to fit pod(s)", ("nodeclaims", "pods")),
                          ("launched nodeclaim", ("instance-type", "capacity-type", "zone", "provider-id"))):
        if message not in seen:
            raise Failure(f"the log lacks {message!r}")
        for key in keys:
            if key not in seen[message]:
                raise Failure(f"{message!r} lacks {key}: {seen[message]}")


def inflate_any_size():
    """5, 500, 2,000 pods and back to none, on machines of any size."""
    inflate("", "any size")


def inflate_small_nodes():
    """The same on machines of at most 8 cpu: 287 nodes."""
    inflate(SMALL_NODES, "at most 8 cpu")


def leader_is_killed():
    """LIF-330: two replicas; the leader dies in the middle of a burst, the other one finishes."""
    with Controller(ADZE, RBAC, election=True).await_ready() as one, \
            Controller(ADZE, RBAC, election=True).await_ready() as two:
        until(30, "one of them to lead", lambda: one.leads() or two.leads())
        if one.leads() and two.leads():
            raise Failure("both lead")
        leader, other = (one, two) if one.leads() else (two, one)
        set_up(SMALL_NODES)
        scale(400)
        until(30, "the first claims", lambda: len(names("claim")) > 5)
        leader.kill()
        took = until(60, "the other one to lead", other.leads)
        bound_s = until(120, "all pods to be bound", lambda: bound(400))
        until(60, "all pods to run", lambda: running(400))
        check_claims()
        record(label="leader killed", takeover_s=round(took, 1), bound_after_s=round(bound_s, 1), nodes=len(items("node")))
        clean_up()
        begun = time.monotonic()
        with Controller(ADZE, RBAC, election=True).await_ready() as third:
            other.stop()  # LIF-474: releases the lease
            until(14, "the third one to lead without waiting for the lease to run out", third.leads)
            record(label="orderly hand-over", takeover_s=round(time.monotonic() - begun, 1))


def api_server_restarts():
    """The API server is down for a while in the middle of a burst."""
    with Controller(ADZE, RBAC).await_ready() as adze:
        set_up(SMALL_NODES)
        scale(200)
        until(30, "the first claims", lambda: len(names("claim")) > 3)
        cluster.restart_api_server(4)
        until(150, "all pods to be bound", lambda: bound(200))
        scale(300)
        until(150, "all pods to be bound", lambda: bound(300))
        check_claims()
        if adze.process.poll() is not None:
            raise Failure("the controller ended")
        clean_up()


def controller_is_killed_again_and_again():
    """STO-18: killed and restarted every two seconds while machines start and end; none lost, none doubled."""
    set_up(SMALL_NODES)
    scale(150)
    for round_number in range(6):
        with Controller(ADZE, RBAC) as adze:
            time.sleep(2)
            adze.kill()
        if round_number == 3:
            scale(40)
    with Controller(ADZE, RBAC).await_ready():
        until(120, "all pods to be bound", lambda: bound(40))
        until(60, "what is not needed to be gone", lambda: all(
            c.get("status", {}).get("nodeName") for c in items("claim")))
        check_claims()
        clean_up()


def pdb_blocks_a_drain():
    """LIF-123: a deleted node waits for the PDB of its pods, and is removed when the PDB allows."""
    with Controller(ADZE, RBAC).await_ready():
        set_up()
        apply("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: inflate, namespace: default}\n"
              "spec: {maxUnavailable: 0, selector: {matchLabels: {app: inflate}}}")
        scale(3)
        until(60, "all pods to run", lambda: running(3))
        node = pods()[0]["spec"]["nodeName"]
        kubectl("delete", "node", node, "--wait=false")
        time.sleep(8)
        if not running(3) or not any(n["metadata"]["name"] == node for n in items("node")):
            raise Failure("the PDB was not respected")
        until(20, "an event that names the reason", lambda: any(
            e["reason"] == "FailedDraining" for e in items("event")))
        kubectl("delete", "pdb", "inflate")
        until(60, "the node to go", lambda: not any(n["metadata"]["name"] == node for n in items("node")))
        until(60, "all pods to run again", lambda: running(3))
        clean_up()


def bad_credentials():
    """An expired token, a forbidden verb, an unreachable server: one clear line each."""
    for what, kubeconfig, word in (("expired token", cluster.write_kubeconfig("expired"), "nauthorized"),
                                   ("no permission", kubeconfig_of("nobody"), "orbidden")):
        with Controller(ADZE, kubeconfig) as adze:
            until(20, f"{what}: a line that says {word}", lambda: any(word in line for line in adze.lines()) or
                  adze.process.poll() is not None)
            if not any(word in line for line in adze.lines()):
                raise Failure(f"{what}: ended without a word: {adze.lines()[-3:]}")
            if adze.process.poll() is None and adze.ready():
                raise Failure(f"{what}: claims to be ready")
            if len(adze.lines()) > 200:
                raise Failure(f"{what}: {len(adze.lines())} lines in the log")
    run = subprocess.run([ADZE, "plan", "--kubeconfig", cluster.write_kubeconfig("expired")], capture_output=True,
                         text=True, timeout=60)
    if run.returncode not in (1, 2) or len(run.stderr.strip().splitlines()) != 1:
        raise Failure(f"plan with an expired token: {run.returncode} {run.stderr!r}")


def plan_and_snapshot_of_the_live_cluster():
    """`adze snapshot` and `adze plan` against the cluster agree, and change nothing."""
    with Controller(ADZE, RBAC).await_ready() as adze:
        set_up()
        scale(5)
        until(60, "all pods to run", lambda: running(5))
        adze.stop()
    scale(40)
    until(30, "pods to be unschedulable", lambda: sum(any(
        c.get("reason") == "Unschedulable" for c in p["status"].get("conditions", [])) for p in pods()) >= 30)
    environment = {**os.environ, "KUBECONFIG": kubeconfig_of("reader")}
    snapshot = os.path.join(cluster.STATE, "snapshot.json")
    subprocess.run([ADZE, "snapshot", "-f", snapshot], env=environment, check=True, timeout=60)
    live = subprocess.run([ADZE, "plan", "-o", "json"], env=environment, capture_output=True, text=True, timeout=60)
    saved = subprocess.run([ADZE, "plan", "-f", snapshot, "-o", "json"], capture_output=True, text=True, timeout=60)
    if live.returncode or saved.returncode:
        raise Failure(f"plan: {live.stderr} {saved.stderr}")
    plan = json.loads(live.stdout)
    if plan["totals"]["unschedulable"] or not plan["newNodeClaims"]:
        raise Failure(f"an odd plan: {plan['totals']}")
    if plan["newNodeClaims"] != json.loads(saved.stdout)["newNodeClaims"]:
        raise Failure("the saved snapshot gives another plan")
    record = json.loads(kubectl("get", "configmap", "adze-provider", "-n", "adze-system", "-o", "json"))
    if record["data"]["nodeClasses"] != "KWOKNodeClass.karpenter.kwok.sh":
        raise Failure(f"the record of the provider: {record['data']}")
    with Controller(ADZE, RBAC).await_ready():
        until(60, "all pods to run", lambda: running(40))
        clean_up()


def documented(how):
    return [command for document in documents.documents() for command in documents.commands(document)
            if rules.rule(command) == how]


def follow(box, command, patience=documents.PATIENCE_SECONDS, dry=False):
    text = command.text.replace("NAME", (sorted(names("node")) or [""])[0])
    status, out = box.run(text.replace("kubectl apply", "kubectl apply --dry-run=server") if dry else text, patience)
    if status not in rules.statuses(command):
        raise Failure(f"{command} ended with {status}: {out}")
    return out


def an_edit_does_what_was_foretold():
    """Three edits of NodePools: a label of the template, a requirement, expireAfter."""
    with Controller(ADZE, RBAC).await_ready():
        set_up(SMALL_NODES)
        what_if.play(ADZE)
        clean_up()


def devices_from_zero_nodes():
    """Pods with claims of devices: the plan's nodes come, and kube-scheduler allocates all on them."""
    account = cluster.permissions("kwok", "adze-devices", ignore_dra_requests=False)

    def controller():
        return Controller(ADZE, account, IGNORE_DRA_REQUESTS="false").await_ready()
    set_up()
    devices.play(ADZE, controller)
    refused = cluster.refusals(account)
    if refused:
        raise Failure(f"refused: {refused[:3]}")
    clean_up()


def documents_and_a_live_cluster():
    """README.md and docs: commands that need a real control plane work as written, as do the tour's readings of a
    cluster."""
    readings = [c for c in documented(rules.RUN) if c.where.startswith("README.md") and re.match(
        r"build/adze (explain|budgets|snapshot|plan --disrupt|plan -f cluster.json)", c.text)]
    if len(readings) < 5:
        raise Failure(f"the tour reads the cluster by {readings} only")
    with tempfile.TemporaryDirectory() as folder:
        box = documents.Sandbox(folder, ADZE, cluster.KUBECTL)
        box.environment["KUBECONFIG"] = os.environ["KUBECONFIG"]
        os.mkdir(box.path("home/.kube"))
        shutil.copy(os.environ["KUBECONFIG"], box.path("home/.kube/config"))
        for command in documented(rules.CONTROL_PLANE):
            if "adze controller" not in command.text:
                # The roles of this run have the names of the page's: the server only judges them.
                follow(box, command, dry=command.text.startswith("adze manifests"))
                continue
            box.run("kubectl apply -f examples/inflate.yaml")
            controller = box.start(command.text)
            try:
                until(60, "all pods to run", lambda: running(5))
                for reading in readings:
                    follow(box, reading)
                clean_up()
            finally:
                controller.end()
            if controller.process.returncode != 0:
                raise Failure(f"{command} ended with {controller.process.returncode}: {controller.output()[-2000:]}")


def await_output(box, command, seconds=30):
    """Repeats a command of a page until it prints what the page shows."""
    ends = time.monotonic() + seconds
    while True:
        out = follow(box, command)
        wrong = documents.differs(command.output, out.split("\n"))
        if not wrong:
            return
        if time.monotonic() > ends:
            raise Failure(f"{command} prints otherwise than shown for {seconds} s: {wrong}\n{out[-4000:]}")
        time.sleep(0.5)


def documents_on_kwok():
    """The pages that lead through a control plane with kwok, from their first command to their last, as written."""
    # What scenarios before have left: the pages begin with a cluster that adze has not seen.
    kubectl("delete", "nodepools,kwoknodeclasses", "--all", "--ignore-not-found", check=False)
    kubectl("delete", "configmap", "-A", "--field-selector", "metadata.name=adze-provider", check=False)
    with tempfile.TemporaryDirectory() as folder:
        box = documents.Sandbox(folder, ADZE, cluster.KUBECTL)
        box.environment["KUBECONFIG"] = os.environ["KUBECONFIG"]
        controller = None
        try:
            for command in documented(rules.KWOK):
                if "adze controller" in command.text:
                    controller = box.start(command.text)
                elif re.match(r"kubectl get|build/adze (plan|explain)", command.text):
                    await_output(box, command)
                else:
                    out = follow(box, command)
                    wrong = command.output and documents.differs(command.output, out.split("\n"))
                    if wrong:
                        raise Failure(f"{command} prints otherwise than shown: {wrong}")
        finally:
            if controller:
                controller.end()
    clean_up()


def documents_and_long_measurements():
    """The commands of docs that take minutes."""
    with tempfile.TemporaryDirectory() as folder:
        box = documents.Sandbox(folder, ADZE, cluster.KUBECTL)
        for command in documented(rules.LONG):
            follow(box, command, 3600)
        for command in documented(rules.IN_BACKGROUND):
            out = follow(box, command, 300)
            if documents.differs(command.output, out.split("\n")) or rules.missing_acts(out):
                raise Failure(f"{command} prints {out}")


def truth_by_kube_scheduler():
    """kube-scheduler binds every pod of generated plans to its planned node (SCH-515, SCH-544)."""
    run = subprocess.run([sys.executable, os.path.join(HERE, "truth.py"), "--adze", ADZE], timeout=1800)
    if run.returncode:
        raise Failure(f"kube-scheduler and the plans disagree, see {os.path.join(cluster.STATE, 'truth')}")


def disruption_at_scale():
    """200 nodes drift, expire, are lost and are consolidated: no workload falls below its minimum."""
    try:
        disruption.run(lambda: Controller(ADZE, RBAC).await_ready())
    finally:
        disruption.clean_up()
    clean_up()


def some_nodes(replicas=12):
    set_up(SMALL_NODES)
    scale(replicas)
    until(90, "all pods to run", lambda: running(replicas))


def charts_come_and_go():
    """helm install, upgrade from the commit before, uninstall: nodes stay (API-255, MIG-116, MIG-117)."""
    try:
        charts.install_upgrade_uninstall(ADZE, some_nodes)
    finally:
        with Controller(ADZE, RBAC).await_ready():
            clean_up()


def image_runs_without_root():
    """The image, unpacked: non-root, read-only root, credentials of the ServiceAccount, the chart's roles (API-244)."""
    def load():
        some_nodes()
        clean_up()
    charts.image_runs(load)


def karpenter_and_back():
    """Upstream's nodes are taken over and given back: none is replaced (MIG-110, MIG-120 to MIG-123)."""
    try:
        charts.swap_in_and_back(ADZE, RBAC, some_nodes, lambda: some_nodes(30))
    finally:
        with Controller(ADZE, RBAC).await_ready():
            clean_up()


def prometheus_reads_rules_and_dashboards():
    """Skipped where there is no Prometheus."""
    if shutil.which("prometheus") is None:
        print("    skipped: there is no prometheus (tools/install-dependencies --monitoring)", flush=True)
        return
    with Controller(ADZE, RBAC, election=True).await_ready() as adze:
        def load():
            some_nodes(30)
            scale(4)
            until(120, "pods to go", lambda: running(4))
        monitoring.rules_and_dashboards(adze.metrics_port, load)
        clean_up()


SCENARIOS = [crds_are_accepted, truth_by_kube_scheduler, inflate_any_size, inflate_small_nodes, leader_is_killed,
             api_server_restarts, controller_is_killed_again_and_again, pdb_blocks_a_drain, disruption_at_scale,
             bad_credentials, plan_and_snapshot_of_the_live_cluster, an_edit_does_what_was_foretold, devices_from_zero_nodes,
             documents_and_a_live_cluster, documents_on_kwok, documents_and_long_measurements, charts_come_and_go, image_runs_without_root,
             karpenter_and_back, prometheus_reads_rules_and_dashboards]


def main():
    global ADZE, RBAC
    parser = argparse.ArgumentParser()
    parser.add_argument("--adze", required=True)
    parser.add_argument("-k", default="")
    arguments = parser.parse_args()
    ADZE = arguments.adze
    RBAC = cluster.permissions("kwok")
    chosen = [one for one in SCENARIOS if any(part in one.__name__ for part in arguments.k.split(",")) or one is crds_are_accepted]
    passed, failed = play(chosen, clean_up)
    refused = cluster.refusals(RBAC)
    passed, failed = passed + (not refused), failed + bool(refused)
    print(f"{'FAILED' if refused else 'ok '} permissions_suffice {' '.join(refused[:5])}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
