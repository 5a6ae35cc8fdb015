"""Follows pods, nodes and NodeClaims of a live cluster by watches, and counts what happens to them."""
import http.client
import json
import os
import ssl
import threading
import time
import urllib.parse

API = urllib.parse.urlparse(os.environ["RIG_API"])
TLS = ssl.create_default_context(cafile=os.environ["RIG_CA"])
HEADERS = {"Authorization": "Bearer " + os.environ["RIG_TOKEN"], "Accept": "application/json"}
PATHS = {"pod": "/api/v1/pods", "node": "/api/v1/nodes", "claim": "/apis/karpenter.sh/v1/nodeclaims"}
UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "k": 1e3, "M": 1e6, "G": 1e9, "m": 1e-3}


def number(quantity):
    for unit, factor in UNITS.items():
        if quantity.endswith(unit):
            return float(quantity[:-len(unit)]) * factor
    return float(quantity)


class Pod:
    """What counts of a pod, not the whole object: a thousand of them are cheap to follow."""

    def __init__(self, item):
        spec, status, meta = item["spec"], item.get("status", {}), item["metadata"]
        self.name = meta["name"]
        self.node = spec.get("nodeName")
        self.nominated = status.get("nominatedNodeName")
        self.running = status.get("phase") == "Running" and "deletionTimestamp" not in meta
        self.ending = "deletionTimestamp" in meta
        self.refusal = next((condition.get("message", "") for condition in status.get("conditions", [])
                             if condition["type"] == "PodScheduled" and condition["status"] == "False"), None)
        self.owner = next((owner["uid"] for owner in meta.get("ownerReferences", [])), None)
        requests = [container.get("resources", {}).get("requests", {}) for container in spec["containers"]]
        self.cpu = sum(number(request.get("cpu", "0")) for request in requests)
        self.memory = sum(number(request.get("memory", "0")) for request in requests)


class Node:
    def __init__(self, item):
        labels, meta = item["metadata"].get("labels", {}), item["metadata"]
        room = item.get("status", {}).get("allocatable", {})
        self.cpu, self.memory = number(room.get("cpu", "0")), number(room.get("memory", "0"))
        self.type, self.zone = labels.get("node.kubernetes.io/instance-type"), labels.get("topology.kubernetes.io/zone")
        self.managed = "karpenter.sh/nodepool" in labels
        taints = [taint["key"] for taint in item["spec"].get("taints") or []]
        self.going = "deletionTimestamp" in meta or "karpenter.sh/disrupted" in taints
        self.closed = bool({"karpenter.sh/unregistered", "adze.dev/awaiting-pods"} & set(taints))
        self.price = price(labels)


def price(labels):
    """kwok's own formula: so much for a cpu and a GB, spot at 70 %."""
    cpu = number(labels.get("karpenter.kwok.sh/instance-cpu", "0"))
    memory = number(labels.get("karpenter.kwok.sh/instance-memory", "0")) / 1e9
    whole = 0.025 * cpu + 0.001 * memory
    return whole * (0.7 if labels.get("karpenter.sh/capacity-type") == "spot" else 1)


def trace(*words):
    """A line for the file that LIVE_TRACE names: the instant, and what was seen."""
    if os.environ.get("LIVE_TRACE"):
        with open(os.environ["LIVE_TRACE"], "a") as file:
            print(f"{time.time():.3f}", *words, file=file)


class Lost(Exception):
    """The watch has ended and begins anew."""


class Stream(threading.Thread):
    def __init__(self, kind, take):
        super().__init__(daemon=True)
        self.kind, self.take = kind, take

    def run(self):
        while True:
            try:
                self.follow()
            except (OSError, http.client.HTTPException, Lost):
                time.sleep(0.2)

    def get(self, query):
        connection = http.client.HTTPSConnection(API.hostname, API.port, context=TLS, timeout=330)
        connection.request("GET", PATHS[self.kind] + query, headers=HEADERS)
        reply = connection.getresponse()
        if reply.status != 200:
            raise Lost(f"{self.kind}: {reply.status}")
        return reply

    def follow(self):
        body = json.loads(self.get("").read())
        self.take(self.kind, "LISTED", body["items"])
        revision = body["metadata"]["resourceVersion"]
        while True:
            for line in self.get(f"?watch=1&timeoutSeconds=300&resourceVersion={revision}"):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise Lost("watch error")
                revision = event["object"]["metadata"]["resourceVersion"]
                self.take(self.kind, event["type"], event["object"])


class Cluster:
    """The cluster as it is now, and counts of what came and went."""

    def __init__(self):
        self.lock = threading.Lock()
        self.known = {"pod": {}, "node": {}, "claim": {}}
        self.made = {"pod": 0, "node": 0, "claim": 0}
        self.gone = {"pod": 0, "node": 0, "claim": 0}
        self.evicted = 0        # pods that ended on a node that was going
        self.landed = self.kept = 0  # bound pods that had a nomination; where it said
        self.changed = {"node": time.monotonic(), "bound": time.monotonic()}
        for kind in PATHS:
            Stream(kind, self.take).start()

    def take(self, kind, change, item):
        with self.lock:
            if change == "LISTED":
                present = {entry["metadata"]["uid"] for entry in item}
                for uid in [uid for uid in self.known[kind] if uid not in present]:
                    self.remove(kind, uid)
                for entry in item:
                    self.put(kind, entry)
            elif change == "DELETED":
                self.remove(kind, item["metadata"]["uid"])
            else:
                self.put(kind, item)

    def put(self, kind, item):
        table, uid = self.known[kind], item["metadata"]["uid"]
        before = table.get(uid)
        self.made[kind] += before is None
        if kind == "node":
            table[uid] = Node(item)
            table[uid].name = item["metadata"]["name"]
            if before is None or before.closed != table[uid].closed:
                trace("closed" if table[uid].closed else "open", table[uid].name, table[uid].zone, table[uid].cpu, table[uid].memory)
            if before is None or before.going != table[uid].going:
                self.changed["node"] = time.monotonic()
        elif kind == "claim":
            table[uid] = item["metadata"]["name"]
        else:
            table[uid] = Pod(item)
            self.follow_pod(before, table[uid])

    def follow_pod(self, before, pod):
        if not pod.node and before is not None and before.nominated != pod.nominated:
            trace("nominated" if pod.nominated else "cleared", pod.name, pod.nominated or before.nominated)
        if pod.node and (before is None or not before.node):
            self.changed["bound"] = time.monotonic()
            nominated = pod.nominated or (before and before.nominated)
            self.landed += bool(nominated)
            self.kept += nominated == pod.node
            trace("bound", pod.name, nominated, pod.node, pod.cpu, pod.memory)
        if not pod.node and pod.refusal and (before is None or before.refusal != pod.refusal):
            trace("refused", pod.name, pod.refusal)
        if pod.node and pod.ending and (before is None or not before.ending):
            trace("leaves", pod.name, pod.node)
        if before is not None and pod.ending and not before.ending and pod.node:
            node = next((node for node in self.known["node"].values() if node.name == pod.node), None)
            self.evicted += node is None or node.going

    def remove(self, kind, uid):
        if self.known[kind].pop(uid, None) is not None:
            self.gone[kind] += 1
            if kind == "node":
                self.changed["node"] = time.monotonic()

    def nodes(self):
        with self.lock:
            return [node for node in self.known["node"].values() if node.managed]

    def state(self):
        with self.lock:
            pods = [pod for pod in self.known["pod"].values() if not pod.ending]
            nodes = [node for node in self.known["node"].values() if node.managed]
            bound = [pod for pod in pods if pod.node]
            names = {node.name for node in nodes}
            cpu, memory = sum(node.cpu for node in nodes), sum(node.memory for node in nodes)
            return {"pods": len(pods), "bound": len(bound), "homeless": sum(pod.node not in names for pod in bound),
                    "running": sum(pod.running for pod in pods),
                    "nodes": len(nodes), "going": sum(node.going for node in nodes), "claims": len(self.known["claim"]),
                    "usd": round(sum(node.price for node in nodes), 2),
                    "cpu": round(100 * sum(pod.cpu for pod in bound) / cpu, 1) if cpu else 0,
                    "memory": round(100 * sum(pod.memory for pod in bound) / memory, 1) if memory else 0,
                    "made": self.made["claim"], "gone": self.gone["claim"], "evicted": self.evicted,
                    "landed": self.landed, "kept": self.kept}
