#!/usr/bin/env python3
"""Watches a cluster from outside and reports each workload that fell below its minimum of healthy pods.

usage: observer.py REPORT      runs until its standard input ends; needs the rig's env; then writes REPORT (JSON)

A separate process that knows the API server only: pods, PodDisruptionBudgets, Deployments, StatefulSets and Nodes are
watched, and their changes put into the order of the server's revisions before they are judged. Two promises are checked
at each pod that turns from healthy (running, ready, not being deleted) into anything else:

- a PodDisruptionBudget that selects it still has its required healthy pods, counted anew from its own spec;
- its workload still has at least as many healthy pods as its annotation e2e/minimum.

A workload that is scaled down drops pods by itself; its smaller size is seen first, being the earlier revision. A Node
with the label e2e/interrupted is removed by the experiment: its pods do not count as faults. Evictions elsewhere during
their absence do, once the disruption controller has had a few seconds to notice.
"""
import heapq
import http.client
import json
import math
import os
import ssl
import sys
import threading
import time
import urllib.parse

API = urllib.parse.urlparse(os.environ["RIG_API"])
TLS = ssl.create_default_context(cafile=os.environ["RIG_CA"])
HEADERS = {"Authorization": "Bearer " + os.environ["RIG_TOKEN"], "Accept": "application/json"}
WATCHED = {"Pod": "/api/v1/namespaces/default/pods", "Node": "/api/v1/nodes",
           "PodDisruptionBudget": "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
           "Deployment": "/apis/apps/v1/namespaces/default/deployments",
           "StatefulSet": "/apis/apps/v1/namespaces/default/statefulsets"}
SETTLE_S = 4   # events wait this long for earlier revisions of other streams
NOTICE_S = 5   # after this delay the API server's own count includes an involuntary loss


class Stream(threading.Thread):
    """Lists and watches one kind forever; passes (revision, arrival, kind, type, object) on."""

    def __init__(self, kind, hand_on):
        super().__init__(daemon=True)
        self.kind, self.hand_on = kind, hand_on
        self.known = {}

    def run(self):
        while True:
            try:
                self.watch(self.list())
            except (OSError, http.client.HTTPException, ValueError):
                time.sleep(0.2)

    def get(self, query):
        connection = http.client.HTTPSConnection(API.hostname, API.port, context=TLS, timeout=330)
        connection.request("GET", WATCHED[self.kind] + query, headers=HEADERS)
        reply = connection.getresponse()
        if reply.status != 200:
            raise ValueError(f"{self.kind}: {reply.status}")
        return reply

    def list(self):
        body = json.loads(self.get("").read())
        revision = int(body["metadata"]["resourceVersion"])
        present = {item["metadata"]["name"] for item in body["items"]}
        for name in [name for name in self.known if name not in present]:
            self.emit("DELETED", self.known[name], revision)
        for item in body["items"]:
            self.emit("MODIFIED", item, int(item["metadata"]["resourceVersion"]))
        return revision

    def watch(self, revision):
        while True:
            for line in self.get(f"?watch=1&timeoutSeconds=300&resourceVersion={revision}"):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise ValueError(event["object"].get("message", "watch error"))
                revision = int(event["object"]["metadata"]["resourceVersion"])
                self.emit(event["type"], event["object"], revision)

    def emit(self, change, item, revision):
        name = item["metadata"]["name"]
        if change == "DELETED":
            self.known.pop(name, None)
        else:
            self.known[name] = item
        self.hand_on((revision, time.monotonic(), self.kind, change, item))


class Judge:
    """The state of the cluster at one revision, and the violations up to it."""

    def __init__(self):
        self.pods, self.budgets, self.workloads = {}, {}, {}
        self.interrupted = set()
        self.short_since = {}    # key that lacks pods through no fault of the program -> time of the first sight
        self.violations = []
        self.lowest = {}         # per budget: the fewest healthy pods above its requirement
        self.seen = {"events": 0, "late": 0, "evicted": 0, "lost": 0}
        self.revision = 0

    def take(self, event):
        revision, arrival, kind, change, item = event
        self.seen["events"] += 1
        self.seen["late"] += revision < self.revision
        self.revision = max(self.revision, revision)
        gone = change == "DELETED"
        name = item["metadata"]["name"]
        if kind == "Pod":
            self.pod(name, None if gone else item, arrival)
        elif kind == "Node":
            if "e2e/interrupted" in item["metadata"].get("labels", {}):
                self.interrupted.add(name)
        else:
            table = self.budgets if kind == "PodDisruptionBudget" else self.workloads
            if gone:
                table.pop(name, None)
            else:
                table[name] = item

    def pod(self, name, pod, arrival):
        before = self.pods.pop(name, None)
        if pod is not None:
            self.pods[name] = pod
        if before is None or not healthy(before) or (pod is not None and healthy(pod)):
            return
        by_itself = before["spec"].get("nodeName") in self.interrupted
        self.seen["lost" if by_itself else "evicted"] += 1
        for what, spare in self.spare(before):
            self.lowest[what] = min(self.lowest.get(what, spare), spare)
            if spare >= 0:
                self.short_since.pop(what, None)
            elif by_itself:
                self.short_since.setdefault(what, arrival)
            elif arrival - self.short_since.get(what, 0) > NOTICE_S:
                self.violations.append(f"{what} lacks {-spare} healthy pod(s) after {name} left {before['spec'].get('nodeName')}")

    def spare(self, pod):
        """The guards of the pod, each with its number of healthy pods above the minimum."""
        labels = pod["metadata"].get("labels", {})
        for name, budget in self.budgets.items():
            selector = budget["spec"]["selector"]["matchLabels"]
            if selector.items() <= labels.items():
                size = sum(self.workloads[w]["spec"]["replicas"] for w in self.workloads
                           if selector.items() <= self.workloads[w]["spec"]["template"]["metadata"]["labels"].items())
                yield f"PodDisruptionBudget {name}", self.healthy(selector) - wanted(budget["spec"], size)
        for name, workload in self.workloads.items():
            selector = workload["spec"]["selector"]["matchLabels"]
            minimum = workload["metadata"].get("annotations", {}).get("e2e/minimum")
            if minimum is not None and selector.items() <= labels.items():
                yield f"workload {name}", self.healthy(selector) - min(int(minimum), workload["spec"]["replicas"])

    def healthy(self, selector):
        return sum(1 for pod in self.pods.values()
                   if selector.items() <= pod["metadata"].get("labels", {}).items() and healthy(pod))


def healthy(pod):
    return not pod["metadata"].get("deletionTimestamp") and any(
        c["type"] == "Ready" and c["status"] == "True" for c in pod.get("status", {}).get("conditions", []))


def wanted(spec, size):
    """The healthy pods that a PodDisruptionBudget requires for a workload of that size; percentages round up."""
    def of(value):
        return math.ceil(int(value[:-1]) * size / 100) if isinstance(value, str) else value
    if "minAvailable" in spec:
        return of(spec["minAvailable"])
    return max(0, size - of(spec["maxUnavailable"]))


def main():
    judge, heap, lock = Judge(), [], threading.Lock()
    serial = 0

    def hand_on(event):
        nonlocal serial
        with lock:
            serial += 1
            heapq.heappush(heap, (event[0], serial, event))

    def judge_until(arrived):
        while True:
            with lock:
                if not heap or heap[0][2][1] > arrived:
                    return
                event = heapq.heappop(heap)[2]
            judge.take(event)

    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    for kind in WATCHED:
        Stream(kind, hand_on).start()
    while not over.wait(0.2):
        judge_until(time.monotonic() - SETTLE_S)
    time.sleep(SETTLE_S)
    judge_until(time.monotonic())
    with open(sys.argv[1], "w") as file:
        json.dump({"violations": judge.violations, "least_spare": judge.lowest, **judge.seen}, file, indent=1)


if __name__ == "__main__":
    main()
