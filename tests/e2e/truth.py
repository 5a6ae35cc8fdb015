#!/usr/bin/env python3
"""Check by kube-scheduler (SCH-515, SCH-544): does it bind every pod to its node of `adze plan`?

usage: truth.py --adze BIN [--seeds 6] [--first 0] [--policies LowestPrice,Greedy]; see README.md. Needs a running rig.

For each world of truth_workloads.py: plan it, create its nodes, the plan's nodes and the bound pods on the real control
plane, then the pending pods; kube-scheduler must bind each to its planned node. No single new node may fit a pod that
the plan calls unschedulable. Last comes `truth: N workloads, P pods placed, M mismatches`; exit status 1 with
mismatches, whose worlds, plans and reasons are left in $RIG_STATE/truth.
"""
import argparse
import concurrent.futures
import copy
import json
import os
import random
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "conformance")]
import cluster
import judge
import truth_workloads
from cluster import Failure, request, until
from truth_nodes import Launches, daemon_pods, depends_on_others, new_nodes_for
from truth_scheduler import NAME, Scheduler

OUT = os.path.join(cluster.STATE, "truth")
WORKERS = concurrent.futures.ThreadPoolExecutor(4)
PATHS = {"Pod": "/api/v1/namespaces/{}/pods", "Node": "/api/v1/nodes", "Namespace": "/api/v1/namespaces",
         "PersistentVolume": "/api/v1/persistentvolumes", "CSINode": "/apis/storage.k8s.io/v1/csinodes",
         "PersistentVolumeClaim": "/api/v1/namespaces/{}/persistentvolumeclaims",
         "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
         "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses"}
FACTS = (judge.ITYPE, judge.ZONE, judge.CAPACITY_TYPE, "karpenter.sh/nodepool")
SILENCE = "no word of kube-scheduler"
TRIES = 4  # new nodes for a pod that the plan rejects
QUIET = 3.0  # seconds without a binding before the rest is retried


# ---- objects as the API server takes them

def path_of(o):
    return PATHS[o["kind"]].format(o["metadata"].get("namespace"))


def create(o):
    status, body = request("POST", path_of(o), o)
    if status not in (200, 201):
        raise Failure(f"{o['kind']} {o['metadata']['name']}: {status} {(body or {}).get('message')}")


def create_all(objects):
    list(WORKERS.map(create, objects))


def delete(kind, name):
    request("DELETE", f"{PATHS[kind]}/{name}", {"gracePeriodSeconds": 0})


def delete_pods(namespaces):
    for namespace in namespaces:
        request("DELETE", PATHS["Pod"].format(namespace), {"gracePeriodSeconds": 0})


def sweep():
    """Removes the leftovers of an interrupted run."""
    delete_pods(n for n in {p["metadata"]["namespace"] for p in cluster.items("pod")} if n.startswith("truth-"))
    list(WORKERS.map(lambda name: delete("Node", name), [n for n in cluster.names("node") if n.startswith("truth-")]))


def pod_object(pod, node=None):
    """A pod as its workload would create it (for this scheduler), or as bound to a node."""
    metadata = pod["metadata"]
    spec = {**copy.deepcopy(pod["spec"]), "terminationGracePeriodSeconds": 0, "automountServiceAccountToken": False,
            "schedulerName": NAME}
    if node:
        spec["nodeName"] = node
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec,
            "metadata": {k: metadata[k] for k in ("name", "namespace", "labels") if k in metadata}}


def node_object(name, labels, taints, capacity, allocatable):
    taints = [t for t in taints if t["key"] != "node.kubernetes.io/unschedulable"]
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": labels, "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "spec": {"providerID": f"truth://{name}", "taints": taints},
            "status": {"capacity": capacity, "allocatable": allocatable,
                       "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}}


# ---- stand-ins for other controllers

class Provisioner(threading.Thread):
    """The CSI provisioner: a volume in the zone of kube-scheduler's selected node; a shared one is everywhere."""

    def __init__(self):
        super().__init__(daemon=True)
        self.zones, self.done, self.ending = {}, set(), False

    def run(self):
        while not self.ending:
            try:
                status, body = request("GET", "/api/v1/persistentvolumeclaims")
                for claim in body["items"] if status == 200 else []:
                    self.provision(claim)
            except (OSError, Failure, KeyError) as error:
                print("provisioner:", error, file=sys.stderr)
            time.sleep(0.2)

    def provision(self, claim):
        metadata, spec = claim["metadata"], claim["spec"]
        node = (metadata.get("annotations") or {}).get("volume.kubernetes.io/selected-node")
        if not node or node not in self.zones or spec.get("volumeName") or metadata["uid"] in self.done:
            return
        in_zone = {"matchExpressions": [{"key": judge.ZONE, "operator": "In", "values": [self.zones[node]]}]}
        shared = spec["accessModes"] == ["ReadWriteMany"]
        name = f"pv-{metadata['uid']}"
        create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": spec["accessModes"],
            "persistentVolumeReclaimPolicy": "Retain", "storageClassName": spec["storageClassName"],
            "csi": {"driver": truth_workloads.DRIVER, "volumeHandle": name},
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": metadata["namespace"],
                         "name": metadata["name"], "uid": metadata["uid"]},
            **({} if shared else {"nodeAffinity": {"required": {"nodeSelectorTerms": [in_zone]}}})}})
        self.done.add(metadata["uid"])


# ---- one world

class Run:
    """A world under one packing policy: planned, created, judged by kube-scheduler, removed."""

    def __init__(self, adze, scheduler, provisioner, seed, policy):
        self.seed, self.policy, self.tag = seed, policy, f"truth-{seed}-{policy.lower()[0]}"
        self.scheduler, self.provisioner = scheduler, provisioner
        self.docs = truth_workloads.world(seed, self.tag)
        self.docs[0]["spec"]["settings"]["PACKING_POLICY"] = policy
        self.world = judge.World(self.docs)
        self.namespaces = [o["metadata"]["name"] for o in self.world.by["Namespace"]]
        self.plan = self.planned_by(adze)
        self.launches = Launches(self.world, self.plan, random.Random(f"{seed} {policy}"), f"{self.tag}-new")
        self.mismatches, self.missed = [], []  # (pod, text); missed: for information
        self.free = None
        self.place = {pod: node.name for node in self.launches.nodes for pod in node.pods}
        self.place.update((pod, e["name"]) for e in self.plan["existingNodes"] for pod in e["pods"])

    def planned_by(self, adze):
        os.makedirs(OUT, exist_ok=True)
        self.file = os.path.join(OUT, f"{self.tag}.json")
        with open(self.file, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": self.docs}, file, indent=1)
        run = subprocess.run([adze, "plan", "-f", self.file, "-o", "json"], capture_output=True, text=True, timeout=120)
        if run.returncode not in (0, 3):
            raise Failure(f"adze plan: exit {run.returncode}: {run.stderr[-2000:]}")
        with open(self.file.replace(".json", ".plan"), "w") as file:
            file.write(run.stdout)
        return json.loads(run.stdout)

    def run(self):
        self.accounted()
        try:
            self.create_cluster()
            self.placement()
            self.not_placed()
            self.free_run()
            for pod, text in self.missed:
                print(f"note   {pod} {text}", flush=True)
        finally:
            self.remove()
        if not self.mismatches:
            for ending in (".json", ".plan"):
                os.remove(self.file.replace(".json", ending))
        else:
            with open(self.file.replace(".json", ".txt"), "w") as file:
                file.writelines(f"{pod}: {text}\n" for pod, text in self.mismatches)

    def accounted(self):
        """Each pending pod has one place or is reported unschedulable."""
        seen = list(self.place) + [u["pod"] for u in self.plan["unschedulable"]]
        for pod in sorted(set(self.world.pending) ^ set(seen)):
            self.mismatches.append((pod, "is not in the plan" if pod in self.world.pending else "is not in the world"))

    # -- the cluster after the plan's nodes have joined

    def create_cluster(self):
        by = self.world.by
        create_all([o for kind in ("Namespace", "PriorityClass", "StorageClass") for o in by[kind]])
        nodes = [node_object(o["metadata"]["name"], o["metadata"]["labels"], o["spec"].get("taints") or [],
                             o["status"]["capacity"], o["status"]["allocatable"]) for o in by["Node"]]
        for made, o in zip(nodes, by["Node"]):
            made["spec"]["unschedulable"] = bool(o["spec"].get("unschedulable"))
        nodes += [node_object(n.name, n.labels, n.taints, n.capacity, n.allocatable) for n in self.launches.nodes]
        self.node_names = [n["metadata"]["name"] for n in nodes]
        self.provisioner.zones.update((n["metadata"]["name"], n["metadata"]["labels"].get(judge.ZONE)) for n in nodes)
        create_all(nodes)
        create_all(by["CSINode"])
        create_all(by["PersistentVolume"])
        until(30, "volumes that the controllers know", self.volumes_known)  # else a claim waits for their next round
        create_all([{**o, "metadata": {k: v for k, v in o["metadata"].items() if k != "annotations"}}
                    for o in by["PersistentVolumeClaim"]])
        until(30, "service accounts", lambda: all(
            request("GET", f"/api/v1/namespaces/{n}/serviceaccounts/default")[0] == 200 for n in self.namespaces))
        create_all([pod_object(o, o["spec"]["nodeName"]) for o in by["Pod"] if o["spec"].get("nodeName")])
        create_all([pod_object(pod, node) for pod, node in self.launches.daemon_pods()])
        until(30, "nodes without taints of their coming up, and bound volumes", self.settled)

    def volumes_known(self):
        known = {v["metadata"]["name"] for v in request("GET", "/api/v1/persistentvolumes")[1]["items"]
                 if v["status"].get("phase") == "Available"}
        return {o["metadata"]["name"] for o in self.world.by["PersistentVolume"]} <= known

    def settled(self):
        coming = [n["metadata"]["name"] for n in cluster.items("node") for t in n["spec"].get("taints") or []
                  if t["key"] == "node.kubernetes.io/not-ready" and n["metadata"]["name"] in self.node_names]
        claims = request("GET", "/api/v1/persistentvolumeclaims")[1]["items"]
        unbound = [c["metadata"]["name"] for c in claims if c["spec"].get("volumeName")
                   and c["metadata"]["namespace"] in self.namespaces and c["status"].get("phase") != "Bound"]
        return not coming and not unbound

    # -- every planned pod on its planned node

    def placement(self):
        """Each pod must be bound to its planned node in some order; the plan's own order is not printed, so one is
        searched."""
        order = [pod for n in self.launches.nodes for pod in n.pods]
        order += [pod for e in self.plan["existingNodes"] for pod in e["pods"]]
        self.scheduler.planned.update(self.place)
        left = self.bind([order])
        first = []  # too late in an earlier order: unconstrained pods had taken their room
        for _ in range(3):
            if not left or set(left) <= set(first):
                break
            self.forget(order)
            first += [pod for pod in order if pod in left and pod not in first]
            left = self.bind([first, [pod for pod in order if pod not in first]])
        self.forget(left)
        judged = {}
        for v in judge.judge(self.docs, self.plan) if left else []:
            judged.setdefault(v.subject, f"{v.rule}: {v.detail}")
        for pod, text in sorted(left.items()):
            self.mismatches.append((pod, f"kube-scheduler does not bind it to {self.place[pod]} "
                                         f"({self.describe(self.place[pod])}): {text}; "
                                         f"judge.py: {judged.get(pod, 'nothing to object')}"))

    def describe(self, node):
        labels = next((n.labels for n in self.launches.nodes if n.name == node), None) \
            or self.world.node_by_name[node].labels
        return " ".join(labels.get(k) or "-" for k in FACTS)

    def bind(self, stages):
        """Creates pods, stage by stage; returns the unbound ones, each with kube-scheduler's message."""
        left = {}
        for number, order in enumerate(stages):
            create_all([pod_object(self.world.pending[pod]) for pod in order])
            left = self.unbound(QUIET if number + 1 == len(stages) else QUIET / 3)
        if left:  # kube-scheduler may have missed an event: a new pod is tried at once
            self.forget(left)
            create_all([pod_object(self.world.pending[pod]) for pod in left])
            left = self.unbound(QUIET / 2)
        self.misplaced()
        return left

    def unbound(self, quiet):
        last, since = None, time.monotonic()
        while True:
            pods = self.pods("spec.nodeName=")
            if not pods:
                return {}
            if len(pods) != last:
                last, since = len(pods), time.monotonic()
            if time.monotonic() - since > quiet:
                return pods
            time.sleep(0.1)

    def pods(self, more):
        """Messages of this scheduler's pods that match a field selector."""
        _, body = request("GET", f"/api/v1/pods?fieldSelector=spec.schedulerName={NAME},{more}")
        return {judge.key_of(p): message_of(p) for p in body["items"] if p["metadata"]["namespace"] in self.namespaces}

    def places(self):
        _, body = request("GET", f"/api/v1/pods?fieldSelector=spec.schedulerName={NAME}")
        return {judge.key_of(p): p["spec"].get("nodeName") for p in body["items"]}

    def misplaced(self):
        for pod, node in self.places().items():
            if pod in self.place and node not in (None, self.place[pod]):
                raise Failure(f"{pod} went to {node} instead of {self.place[pod]}")

    def forget(self, pods):
        def remove(pod):
            namespace, name = pod.split("/")
            request("DELETE", f"{PATHS['Pod'].format(namespace)}/{name}", {"gracePeriodSeconds": 0})
        list(WORKERS.map(remove, pods))

    # -- pods without a place in the plan

    def not_placed(self):
        """A pod that the plan rejects, although a node of the plan or a new one has room."""
        left = [u["pod"] for u in self.plan["unschedulable"] if u["pod"] in self.world.pending]
        said = {u["pod"]: u.get("message") for u in self.plan["unschedulable"]}
        create_all([pod_object(self.world.pending[pod]) for pod in left])
        waiting = self.unbound(1.0)
        places = self.places()
        found = {pod: f"{places[pod]} ({self.describe(places[pod])})" for pod in left if pod not in waiting}
        tried = set()
        for pod in sorted(waiting):
            kind = self.world.kind(self.world.pending[pod])
            if id(kind) not in tried:
                tried.add(id(kind))
                where = self.new_node_for(pod)
                found.update({pod: where} if where else {})
        for pod, where in sorted(found.items()):
            text = f"is called unschedulable, but kube-scheduler binds it to {where} (adze: {said[pod]})"
            if depends_on_others(self.world, self.world.kind(self.world.pending[pod])):
                self.missed.append((pod, text))
            else:
                self.mismatches.append((pod, text))

    def new_node_for(self, pod):
        """Adds one new node at a time until kube-scheduler binds the pod to one; None if it binds it to none of a few."""
        nodes = list(new_nodes_for(self.world, self.plan, pod, f"{self.tag}-more-{len(self.node_names)}"))
        random.Random(pod).shuffle(nodes)
        for node in nodes[:TRIES]:
            self.forget([pod])
            self.node_names.append(node.name)
            self.provisioner.zones[node.name] = node.labels.get(judge.ZONE)
            create(node_object(node.name, node.labels, node.taints, node.capacity, node.allocatable))
            create_all([pod_object(p, n) for p, n in daemon_pods(self.world, node.name, node.labels, node.taints)])
            until(30, f"{node.name} to be ready", self.settled)
            self.scheduler.planned[pod] = node.name
            create(pod_object(self.world.pending[pod]))
            until(30, f"kube-scheduler's word on {pod}", lambda: self.pods("spec.nodeName=").get(pod) != SILENCE)
            bound = pod not in self.unbound(0.5)
            del self.scheduler.planned[pod]
            if bound:
                return "a new " + " ".join(node.labels.get(k) or "-" for k in FACTS)
            delete("Node", node.name)
        return None

    # -- kube-scheduler left to itself: for information (SCH-516)

    def free_run(self):
        pods = sorted(self.place)
        self.forget(pods + [u["pod"] for u in self.plan["unschedulable"]])
        for pod in pods:
            del self.scheduler.planned[pod]
        random.Random(self.seed).shuffle(pods)
        create_all([pod_object(self.world.pending[pod]) for pod in pods])
        self.free = len(pods) - len(self.unbound(QUIET))

    def remove(self):
        for pod in self.place:
            self.scheduler.planned.pop(pod, None)
        for pod in [u["pod"] for u in self.plan["unschedulable"]]:
            self.scheduler.planned.pop(pod, None)
        delete_pods(self.namespaces)
        gone = [(delete, "Node", n) for n in getattr(self, "node_names", ())]
        kinds = ("CSINode", "Namespace", "PersistentVolume", "StorageClass", "PriorityClass")
        gone += [(delete, kind, o["metadata"]["name"]) for kind in kinds for o in self.world.by[kind]]
        list(WORKERS.map(lambda call: call[0](*call[1:]), gone))
        until(30, "pods to go", lambda: not self.namespaces_of("pod") & set(self.namespaces))
        until(30, "nodes to go", lambda: not set(getattr(self, "node_names", ())) & cluster.names("node"))

    @staticmethod
    def namespaces_of(kind):
        return {o["metadata"]["namespace"] for o in cluster.items(kind)}

    def line(self):
        totals = (f"{len(self.place)} pods placed on {len(self.launches.nodes)} new and "
                  f"{len(self.plan['existingNodes'])} old nodes, {len(self.plan['unschedulable'])} unschedulable")
        return f"{totals}; by itself kube-scheduler binds {self.free}"


def message_of(pod):
    return next((c.get("message") or c.get("reason") for c in (pod.get("status") or {}).get("conditions") or []
                 if c["type"] == "PodScheduled" and c["status"] != "True"), SILENCE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--adze", required=True)
    parser.add_argument("--seeds", type=int, default=int(os.environ.get("ADZE_TRUTH_SEEDS", "6")))
    parser.add_argument("--first", type=int, default=int(os.environ.get("ADZE_TRUTH_FIRST", "0")))
    parser.add_argument("--policies", default="LowestPrice,Greedy")
    arguments = parser.parse_args()
    sweep()
    scheduler, provisioner = Scheduler(), Provisioner()
    scheduler.start()
    provisioner.start()
    workloads = placed = 0
    wrong = []
    try:
        for seed in range(arguments.first, arguments.first + arguments.seeds):
            for policy in arguments.policies.split(","):
                begun = time.monotonic()
                run = Run(arguments.adze, scheduler, provisioner, seed, policy)
                run.run()
                workloads, placed = workloads + 1, placed + len(run.place)
                wrong += run.mismatches
                print(f"{'FAILED' if run.mismatches else 'ok '} seed {seed} {policy}: {run.line()} "
                      f"({time.monotonic() - begun:.0f} s)", flush=True)
                for pod, text in run.mismatches:
                    print(f"       {pod} {text}", flush=True)
    finally:
        provisioner.ending = True
        scheduler.stop()
    print(f"truth: {workloads} workloads, {placed} pods placed, {len(wrong)} mismatches")
    return 1 if wrong or not placed else 0


if __name__ == "__main__":
    sys.exit(main())
