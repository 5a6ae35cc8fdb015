"""Claims of devices, from no nodes to running pods: adze plans by templates of devices, this module plays the drivers, which publish what
the templates promise, and kube-scheduler allocates. The plan must have foretold each node and its pods (SCH-422 to SCH-429, LIF-64)."""
import json
import os
import subprocess
import threading

from cluster import Failure, apply, items, kubectl, record, request, until

SLICES = "/apis/resource.k8s.io/v1/resourceslices"
TYPES = "adze.dev/instance-types"
# Pods by workload. Each kind of machine has pods that fit on it in any order, so that kube-scheduler's choices need no other nodes.
DEVICES = {"small": 2, "large": 3, "pair": 1, "either": 1, "parts": 4}  # with a claim of their own
SHARED, RESOURCE = 2, 2  # that name one claim, and that ask for a resource instead
PODS = sum(DEVICES.values()) + SHARED + RESOURCE  # that find devices


def device(name, model, memory):
    return {"name": name, "attributes": {"model": {"string": model}}, "capacity": {"memory": {"value": memory}}}


def part(index):
    return {"name": f"part-{index}", "attributes": {"model": {"string": "part"}},
            "consumesCounters": [{"counterSet": "board", "counters": {"slices": {"value": "2"}}}]}


def template(name, types, driver, specs):
    """The slices of one pool, as a driver would publish them on machines of the types."""
    return [{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
             "metadata": {"name": f"{name}-{i}", "annotations": {TYPES: types}},
             "spec": {"driver": driver, "nodeName": "none",
                      "pool": {"name": name, "generation": 1, "resourceSliceCount": len(specs)}, **spec}}
            for i, spec in enumerate(specs)]


TEMPLATES = [
    *template("small", "m-4x-amd64-linux", "gpu.example.com", [{"devices": [device(f"gpu-{i}", "a", "24Gi") for i in range(2)]}]),
    *template("large", "m-8x-amd64-linux", "gpu.example.com", [{"devices": [device(f"gpu-{i}", "h", "80Gi") for i in range(4)]}]),
    *template("pairs", "m-16x-amd64-linux", "gpu.example.com",
              [{"devices": [device(f"gpu-{i}", "k", "160Gi") for i in range(4)]}]),
    # Seven slices make room for three of the parts.
    *template("board", "c-8x-amd64-linux", "board.example.com",
              [{"sharedCounters": [{"name": "board", "counters": {"slices": {"value": "7"}}}]},
               {"devices": [part(i) for i in range(7)]}]),
]
CLASSES = {"gpu": "device.driver == 'gpu.example.com'", "board": "device.driver == 'board.example.com'",
           "small": "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'a'"}
LARGE = "device.attributes['gpu.example.com'].?model.orValue('') == 'h'"
MEMORY = "device.capacity['gpu.example.com'].memory.compareTo(quantity('100Gi')) > 0"


def exactly(name, device_class="gpu", **more):
    return {"name": name, "exactly": {"deviceClassName": device_class, **more}}


def selected(expression):
    return {"selectors": [{"cel": {"expression": expression}}]}


CLAIMS = {
    "small": {"requests": [exactly("gpu", "small")]},
    "large": {"requests": [exactly("gpu", **selected(LARGE))]},
    "pair": {"requests": [exactly("left", **selected(MEMORY)), exactly("right")], "constraints": [{"matchAttribute": "gpu.example.com/model"}]},
    "either": {"requests": [{"name": "gpu", "firstAvailable": [
        {"name": "many", "deviceClassName": "gpu", "count": 9}, {"name": "few", "deviceClassName": "gpu", "count": 2, **selected(MEMORY)}]}]},
    "parts": {"requests": [exactly("part", "board")]},
    "never": {"requests": [exactly("gpu", **selected("device.attributes['gpu.example.com'].model == 'z'"))]},
}


def objects():
    yield from TEMPLATES
    for name, expression in CLASSES.items():
        yield {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": name},
               "spec": {**selected(expression), "extendedResourceName": f"example.com/{name}"}}
    for name, devices in CLAIMS.items():
        yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": name, "namespace": "default"},
               "spec": {"spec": {"devices": devices}}}
    yield {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "shared", "namespace": "default"},
           "spec": {"devices": CLAIMS["large"]}}


def workload(name, replicas, claim, resources=()):
    """With a claim, or with resources that a DeviceClass names."""
    labels = {"devices": name}
    claims = {"resourceClaims": [{"name": "x", **claim}]} if claim else {}
    amounts = {"requests": {"cpu": "500m", **dict(resources)}, "limits": dict(resources), "claims": [{"name": "x"}] if claim else []}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": f"devices-{name}", "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {
                "terminationGracePeriodSeconds": 0, **claims, "containers": [{"name": "c", "image": "none", "resources": amounts}]}}}}


def workloads():
    for name, replicas in {**DEVICES, "never": 1}.items():
        yield workload(name, replicas, {"resourceClaimTemplateName": name})
    yield workload("shared", SHARED, {"resourceClaimName": "shared"})
    yield workload("resource", RESOURCE, None, {"example.com/small": "1"}.items())


def as_list(things):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(things)})


class Drivers(threading.Thread):
    """Publishes for each node what the templates say of its type, with the Node as owner."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ended, self.done, self.failure = threading.Event(), set(), None

    def publish(self, node):
        name, kind = node["metadata"]["name"], node["metadata"].get("labels", {}).get("node.kubernetes.io/instance-type")
        for slice in TEMPLATES:
            if kind in slice["metadata"]["annotations"][TYPES].split(","):
                own = {**slice, "metadata": {"name": f"{name}-{slice['metadata']['name']}", "ownerReferences": [
                    {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node["metadata"]["uid"], "controller": True}]},
                    "spec": {**slice["spec"], "nodeName": name, "pool": {**slice["spec"]["pool"], "name": name}}}
                status, answer = request("POST", SLICES, own)
                if status not in (201, 409):
                    raise Failure(f"a slice of {name}: {answer}")
        self.done.add(name)

    def run(self):
        while not self.ended.wait(0.3):
            try:
                for node in items("node"):
                    if node["metadata"]["name"] not in self.done:
                        self.publish(node)
            except (OSError, Failure) as failure:
                self.failure = failure

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join(10)


def our_pods():
    return [pod for pod in items("pod") if "devices" in pod["metadata"].get("labels", {})]


def workload_of(pod_name):
    return pod_name.split("/")[-1].split("-")[1]


def foretold(adze):
    run = subprocess.run([adze, "plan", "-o", "json"], capture_output=True, text=True, timeout=60)
    if run.returncode not in (0, 3):
        raise Failure(f"plan: {run.returncode} {run.stderr}")
    return json.loads(run.stdout)


def came():
    pods = our_pods()
    return sorted((node["metadata"]["labels"]["node.kubernetes.io/instance-type"],
                   sorted(workload_of(p["metadata"]["name"]) for p in pods if p["spec"].get("nodeName") == node["metadata"]["name"]))
                  for node in items("node"))


def as_foretold(expected, found):
    """How many pods share a node with those that they were planned with: each foretold node is held against the likest that came."""
    kept, left = 0, list(found)
    for kind, pods in sorted(expected, key=lambda node: -len(node[1])):
        shared, likest = max((sum(min(pods.count(name), others.count(name)) for name in set(pods)), i)
                             for i, (other, others) in enumerate(left) if other == kind)
        kept += shared
        del left[likest]
    return kept


def all_run():
    pods = [pod for pod in our_pods() if pod["metadata"]["labels"]["devices"] != "never"]
    return len(pods) == PODS and all(pod["status"].get("phase") == "Running" for pod in pods)


def holds_devices():
    """Each claim of a running pod is allocated on the pod's node."""
    for claim in request("GET", "/apis/resource.k8s.io/v1/resourceclaims")[1]["items"]:
        if not claim.get("status", {}).get("allocation") and "never" not in claim["metadata"]["name"]:
            raise Failure(f"claim {claim['metadata']['name']} is not allocated")


def told_of(reason):
    return any(event["reason"] == "FailedScheduling" and reason in event.get("message", "") and "devices-never" in
               event["involvedObject"]["name"] for event in items("event"))


def play(adze, controller):
    """`controller()` gives one with IGNORE_DRA_REQUESTS=false."""
    try:
        apply(as_list(objects()))
        with controller() as first:  # it tells what machines there are
            until(20, "the NodePool to be ready", lambda: any(c["type"] == "Ready" and c["status"] == "True" for pool in items("pool")
                                                              for c in pool.get("status", {}).get("conditions", [])))
            first.stop()
        apply(as_list(workloads()))
        until(30, "claims to be made", lambda: len(our_pods()) == PODS + 1)
        plan = foretold(adze)
        expected = sorted((claim["instanceTypes"][0], sorted(workload_of(pod) for pod in claim["pods"])) for claim in plan["newNodeClaims"])
        left = [workload_of(pod["pod"]) for pod in plan["unschedulable"]]
        if left != ["never"]:
            raise Failure(f"left out of the plan: {plan['unschedulable']}")
        with Drivers() as drivers, controller():
            took = until(60, "all pods to run", all_run)
            if drivers.failure:
                raise drivers.failure
            until(20, "the reason of the pod without devices", lambda: told_of("no instance type has a device that matches"))
            found = came()
            if [kind for kind, _ in found] != [kind for kind, _ in expected]:
                raise Failure(f"foretold: {expected}, came: {found}")
            kept = as_foretold(expected, found)
            if kept * 2 < PODS:  # kube-scheduler may exchange pods between nodes of a kind
                raise Failure(f"{kept} of {PODS} pods are with those that were foretold: {expected}, came: {found}")
            holds_devices()
            record(devices="from zero nodes", pods=PODS, as_foretold=kept, nodes=[kind for kind, _ in found], running_s=round(took, 1))
    finally:
        with controller():
            clean_up()


def clean_up():
    kubectl("delete", "deployment", *(f"devices-{name}" for name in [*DEVICES, "never", "shared", "resource"]), "--ignore-not-found")
    until(120, "no node to be left", lambda: not items("node") and not items("claim"))
    kubectl("delete", "resourceclaim", "--all", "-n", "default", "--ignore-not-found", "--wait=false")
    kubectl("delete", "resourceclaimtemplate", "--all", "-n", "default", "--ignore-not-found")
    kubectl("delete", "deviceclass,resourceslice", "--all", "--ignore-not-found")
