"""Worlds for truth.py: a catalog, NodePools, Nodes with their pods, and pending pods under every kind of constraint.

world(seed, tag) -> list of objects (FMT-1, FMT-6), a pure function of the seed and the tag; the tag is part of names
that are unique in a cluster, so that worlds can follow each other on one control plane. Three seeds 3n, 3n+1, 3n+2
share a deal of all KINDS of constraints. `truth_workloads.py SEED` prints the world of a seed.
"""
import json
import random
import sys

HOSTNAME, ZONE, REGION = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
CAPACITY_TYPE, TYPE, ARCH = "karpenter.sh/capacity-type", "node.kubernetes.io/instance-type", "kubernetes.io/arch"
CPU, FAMILY = "karpenter.kwok.sh/instance-cpu", "karpenter.kwok.sh/instance-family"
ZONES = ["zone-a", "zone-b", "zone-c"]
DRIVER = "disk.example.com"
GPU = "example.com/gpu"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
GROUPS = 13  # of pending pods in a world
NO_SCHEDULE = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}


def expression(key, operator, *values):
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def selecting(**labels):
    return {"matchLabels": labels}


class Group:
    """Pods of one workload, before they become objects."""

    def __init__(self, world, name, namespace, replicas):
        self.world, self.name, self.namespace, self.replicas = world, name, namespace, replicas
        self.labels = {"app": name}
        self.requests = {"cpu": world.pick("100m", "250m", "500m", "750m", "1", "1500m", "2"),
                         "memory": world.pick("128Mi", "300Mi", "512Mi", "1Gi", "2500Mi", "4Gi")}
        self.spec, self.ports, self.before = {}, [], []  # before: init containers
        self.volumes = lambda index: []
        self.revisions = 1
        self.as_deployment = world.random.random() < 0.3

    def affinity(self, kind, strength, entry):
        self.spec.setdefault("affinity", {}).setdefault(kind, {}).setdefault(strength, []).append(entry)

    def node_terms(self, *terms):
        required = self.spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
        required[REQUIRED] = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}

    def select(self, **labels):
        self.spec.setdefault("nodeSelector", {}).update(labels)

    def spread(self, key, skew=None, **more):
        constraint = {"topologyKey": key, "maxSkew": skew or self.world.pick(1, 1, 2, 3),
                      "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selecting(app=self.name), **more}
        self.spec.setdefault("topologySpreadConstraints", []).append(constraint)

    def tolerate(self, **toleration):
        self.spec.setdefault("tolerations", []).append(toleration)

    def pod_spec(self, index):
        container = {"name": "main", "image": "none", "resources": {"requests": dict(self.requests)}}
        for name in self.requests:
            if "/" in name:  # extended resources: requests equal limits
                container["resources"].setdefault("limits", {})[name] = self.requests[name]
        if self.ports:
            container["ports"] = self.ports
        spec = {**json.loads(json.dumps(self.spec)), "containers": [container]}
        if self.before:
            spec["initContainers"] = self.before
        volumes = self.volumes(index)
        if volumes:
            spec["volumes"] = [{"name": f"v{at}", "persistentVolumeClaim": {"claimName": name}}
                               for at, name in enumerate(volumes)]
        return spec

    def objects(self):
        plain = self.revisions == 1 and not self.volumes(0)
        if plain and self.as_deployment:
            template = {"metadata": {"labels": self.labels}, "spec": self.pod_spec(0)}
            return [{"apiVersion": "apps/v1", "kind": "Deployment",
                     "metadata": {"name": self.name, "namespace": self.namespace},
                     "spec": {"replicas": self.replicas, "selector": selecting(**self.labels), "template": template}}]
        pods = []
        for index in range(self.replicas):
            labels = dict(self.labels)
            if self.revisions > 1:
                labels["pod-template-hash"] = f"r{index % self.revisions}"
            owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": self.name, "uid": f"rs-{self.name}"}
            pods.append({"apiVersion": "v1", "kind": "Pod",
                         "metadata": {"name": f"{self.name}-{index}", "namespace": self.namespace, "labels": labels,
                                      "ownerReferences": [owner]},
                         "spec": self.pod_spec(index)})
        return pods


class World:
    def __init__(self, seed, tag):
        self.seed, self.tag, self.random, self.objects = seed, tag, random.Random(seed), []
        self.namespaces = [f"{tag}-{name}" for name in ("shop", "data", "batch")]
        self.types, self.groups, self.nodes, self.volumes_made = [], [], [], 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, probability):
        return self.random.random() < probability

    def some(self, choices, least=1):
        return sorted(self.random.sample(choices, self.random.randint(least, len(choices))))

    def add(self, kind, name, version="v1", namespace=None, **fields):
        metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
        self.objects.append({"apiVersion": version, "kind": kind, "metadata": metadata, **fields})
        return self.objects[-1]

    # -- the cluster

    def build(self):
        context = {"time": "2026-01-01T00:00:00Z", "settings": {}}
        self.add("SnapshotContext", "context", "adze/v1", spec=context)
        for name in self.namespaces:
            self.add("Namespace", name, metadata={"labels": {"stage": self.pick("production", "test"),
                                                             "kubernetes.io/metadata.name": name}})
        self.priorities = {name: f"{self.tag}-{name}" for name in ("high", "low")}
        self.add("PriorityClass", self.priorities["high"], "scheduling.k8s.io/v1", value=1000, globalDefault=False)
        self.add("PriorityClass", self.priorities["low"], "scheduling.k8s.io/v1", value=-10, globalDefault=False,
                 preemptionPolicy="Never")
        self.catalog()
        self.pools()
        self.storage()
        self.daemons()
        for index in range(self.random.randint(3, 5)):
            self.node(index)
        kinds = list(KINDS)
        random.Random(self.seed // 3).shuffle(kinds)  # three worlds in a row share one deal of all kinds
        share = -(-len(kinds) // 3)
        dealt = kinds[share * (self.seed % 3):share * (self.seed % 3 + 1)]
        while len(dealt) < GROUPS:
            dealt.append(self.pick(*kinds))
        for index, kind in enumerate(dealt):
            self.group(index, kind)
        for group in self.groups:
            self.objects.extend(group.objects())
        return self.objects

    def catalog(self):
        shapes = [(family, factor, cpu) for family, factor in (("c", 2), ("m", 4), ("r", 8))
                  for cpu in (1, 2, 4, 8, 16, 32)]
        self.random.shuffle(shapes)
        for arch in ("amd64", "arm64"):
            for family, factor, cpu in shapes[:self.random.randint(5, 17)]:
                self.type(family + ("g" if arch == "arm64" else "i"), cpu, factor, arch, 0)
        for cpu, count in ((4, 1), (16, 4)):
            self.type("p", cpu, 8, "amd64", count)
        self.type("m", 8, 4, "amd64", 0)  # in any deal, every zone keeps an ordinary type
        self.types[-1]["offerings"] = [self.offering(zone, "on-demand", 0.5) for zone in ZONES]
        self.add("InstanceTypeCatalog", "default", "adze/v1", spec={"instanceTypes": self.types})

    def offering(self, zone, capacity_type, price, available=True):
        return {"requirements": [expression(ZONE, "In", zone), expression(CAPACITY_TYPE, "In", capacity_type)],
                "price": round(price, 5), "available": available}

    def type(self, family, cpu, factor, arch, gpus):
        memory = cpu * factor
        price = (0.034 * cpu + 0.0045 * memory) * (0.85 if arch == "arm64" else 1) + 1.1 * gpus
        zones = self.some(ZONES, 2)
        offerings = [self.offering(zone, capacity_type, price * factor, not self.chance(0.08)) for zone in zones
                     for capacity_type, factor in (("on-demand", 1), ("spot", 0.3 + 0.3 * self.random.random()))]
        capacity = {"cpu": str(cpu), "memory": f"{memory}Gi", "pods": str(min(8 + 8 * cpu, 110)),
                    "ephemeral-storage": "40Gi", **({GPU: str(gpus)} if gpus else {})}
        self.types.append({
            "name": f"{family}.{cpu}x", "capacity": capacity, "offerings": offerings,
            "overhead": {"kubeReserved": {"cpu": f"{60 + 5 * cpu}m", "memory": f"{200 + 16 * memory}Mi"},
                         "evictionThreshold": {"memory": "100Mi"}},
            "requirements": [expression(ARCH, "In", arch), expression("kubernetes.io/os", "In", "linux"),
                             expression(ZONE, "In", *zones), expression(REGION, "In", "region-1"),
                             expression(CAPACITY_TYPE, "In", "on-demand", "spot"),
                             expression(CPU, "In", str(cpu)), expression(FAMILY, "In", family)]})

    def pools(self):
        self.add("KWOKNodeClass", "default", "karpenter.kwok.sh/v1alpha1")
        both = [expression("kubernetes.io/os", "In", "linux"), expression(ARCH, "In", "amd64", "arm64")]
        capacity = self.pick(["on-demand", "spot"], ["on-demand", "spot"], ["on-demand"])
        general = both + [expression(CAPACITY_TYPE, "In", *capacity)]
        if self.chance(0.5):
            general.append(expression("example.com/team", "In", "red", "blue"))
        self.pool("general", general, labels={"tier": "general"}, startup=self.chance(0.5), weight=self.pick(None, 10))
        if self.seed % 4 != 3:
            self.pool("batch", both + [expression("example.com/generation", "In", "5")], taints=[NO_SCHEDULE],
                      labels={"tier": "batch"}, limits=self.pick(None, {"cpu": "64"}))
        if self.seed % 4 in (0, 1):
            zones = self.some(ZONES, 2)
            soft = [{"key": "fragile", "value": "yes", "effect": "PreferNoSchedule"}] if self.chance(0.5) else []
            self.pool("edge", [expression(ARCH, "In", "amd64"), expression(ZONE, "In", *zones),
                               expression(CPU, "Lt", "17")], taints=soft, labels={"tier": "edge", "edge": "yes"},
                      weight=self.pick(None, 20))

    def pool(self, name, requirements, labels, taints=(), startup=False, weight=None, limits=None):
        template = {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                    "expireAfter": "Never", "requirements": requirements}
        if taints:
            template["taints"] = list(taints)
        if startup:
            template["startupTaints"] = [{"key": "example.com/agent", "effect": "NoSchedule"}]
        self.add("NodePool", name, "karpenter.sh/v1", spec={
            "template": {"metadata": {"labels": labels}, "spec": template}, "disruption": {"consolidateAfter": "Never"},
            **({"weight": weight} if weight else {}), **({"limits": limits} if limits else {})})

    def storage(self):
        self.classes = {}
        for name, zones in (("anywhere", None), ("somewhere", self.some(ZONES, 1)[:2])):
            topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": zones}]}] if zones else None
            self.classes[name] = f"{self.tag}-{name}"
            self.add("StorageClass", self.classes[name], "storage.k8s.io/v1", provisioner=DRIVER,
                     volumeBindingMode="WaitForFirstConsumer",
                     **({"allowedTopologies": topologies} if topologies else {}))

    def claim(self, namespace, zone=None, storage_class=None, mode="ReadWriteOnce"):
        """A PersistentVolumeClaim; with a zone it has its volume already."""
        self.volumes_made += 1
        name = f"{self.tag}-disk-{self.volumes_made}"
        spec = {"accessModes": [mode], "resources": {"requests": {"storage": "1Gi"}},
                "storageClassName": storage_class or self.classes["anywhere"]}
        if not zone:
            self.add("PersistentVolumeClaim", name, namespace=namespace, spec=spec, status={"phase": "Pending"})
            return name
        self.add("PersistentVolume", name, spec={
            "capacity": {"storage": "1Gi"}, "accessModes": [mode],
            "persistentVolumeReclaimPolicy": "Retain", "storageClassName": spec["storageClassName"],
            "csi": {"driver": DRIVER, "volumeHandle": name},
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace, "name": name},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [
                {"matchExpressions": [expression(ZONE, "In", zone)]}]}}})
        self.add("PersistentVolumeClaim", name, namespace=namespace, spec={**spec, "volumeName": name},
                 status={"phase": "Bound"}, metadata={"annotations": {"pv.kubernetes.io/bind-completed": "yes"}})
        return name

    def daemons(self):
        self.daemon("agent", {"cpu": "50m", "memory": "64Mi"}, {"tolerations": [{"operator": "Exists"}]})
        if self.chance(0.6):
            self.daemon("amd-only", {"cpu": "120m", "memory": "200Mi"}, {"nodeSelector": {ARCH: "amd64"}})
        if self.chance(0.5):
            term = {"matchExpressions": [expression("tier", "NotIn", "batch"), expression(CPU, "Gt", "3")]}
            self.daemon("large-only", {"cpu": "200m", "memory": "256Mi"},
                        {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}}, port=9100)

    def daemon(self, name, requests, spec, port=None):
        container = {"name": "main", "image": "none", "resources": {"requests": requests},
                     **({"ports": [{"containerPort": port, "hostPort": port}]} if port else {})}
        labels = {"app": name}
        self.add("DaemonSet", name, "apps/v1", self.namespaces[0], spec={
            "selector": selecting(**labels),
            "template": {"metadata": {"labels": labels}, "spec": {**spec, "containers": [container]}}})

    # -- existing nodes and their pods

    def node(self, index):
        kind = self.pick(*[t for t in self.types if 2 <= int(t["capacity"]["cpu"]) <= 16])
        offering = self.pick(*kind["offerings"])
        zone, capacity_type = (r["values"][0] for r in offering["requirements"])
        name = f"{self.tag}-old-{index}"
        labels = {HOSTNAME: name, TYPE: kind["name"], ZONE: zone, CAPACITY_TYPE: capacity_type}
        labels.update({r["key"]: r["values"][0] for r in kind["requirements"] if len(r["values"]) == 1})
        spec, pool = {"providerID": f"kwok://{name}"}, self.pick("general", "general", "batch", None)
        if pool == "batch":
            spec["taints"] = [NO_SCHEDULE]
        if pool:
            labels.update({"karpenter.sh/nodepool": pool, "tier": pool, "karpenter.sh/registered": "true",
                           "karpenter.sh/initialized": "true", "karpenter.kwok.sh/kwoknodeclass": "default"})
        else:
            self.foreign(labels, spec)
        allocatable = allocatable_of(kind)
        conditions = [{"type": "Ready", "status": "True", "reason": "KubeletReady",
                       "lastTransitionTime": "2025-12-31T00:00:00Z"}]
        self.add("Node", name, metadata={"labels": labels}, spec=spec, status={
            "capacity": kind["capacity"], "allocatable": allocatable, "conditions": conditions})
        if pool:
            self.node_claim(name, pool, labels, kind, allocatable)
        limit = self.pick(None, 2, 3)
        if limit:
            driver = {"name": DRIVER, "nodeID": name, "topologyKeys": [ZONE], "allocatable": {"count": limit}}
            self.add("CSINode", name, "storage.k8s.io/v1", spec={"drivers": [driver]})
        self.nodes.append((name, zone, limit))
        self.running(index, name, zone, allocatable)

    def foreign(self, labels, spec):
        """Properties that an unmanaged node may have, and lack."""
        if self.chance(0.4):
            del labels[self.pick(CAPACITY_TYPE, ZONE)]
        if self.chance(0.3):
            spec["unschedulable"] = True
            spec["taints"] = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
        elif self.chance(0.3):
            spec["taints"] = [{"key": "fragile", "value": "yes", "effect": "PreferNoSchedule"}]

    def node_claim(self, name, pool, labels, kind, allocatable):
        reference = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
        true = [{"type": what, "status": "True", "reason": what, "lastTransitionTime": "2025-12-31T00:00:00Z"}
                for what in ("Launched", "Registered", "Initialized", "Ready")]
        self.add("NodeClaim", name, "karpenter.sh/v1",
                 metadata={"labels": {k: v for k, v in labels.items() if k != HOSTNAME}},
                 spec={"nodeClassRef": reference, "requirements": [expression("karpenter.sh/nodepool", "In", pool)]},
                 status={"providerID": f"kwok://{name}", "nodeName": name, "capacity": kind["capacity"],
                         "allocatable": allocatable, "conditions": true})

    def running(self, index, node, zone, allocatable):
        """Pods that run on a node: the agents on most, and a few of other workloads."""
        for o in [o for o in self.objects if o["kind"] == "DaemonSet" and o["metadata"]["name"] == "agent"]:
            if self.chance(0.7):
                self.bound(f"agent-{node}", self.namespaces[0], node, {"app": "agent"}, o["spec"]["template"]["spec"],
                           {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "ds-agent"})
        cpu = int(allocatable["cpu"].rstrip("m"))
        for slot in range(self.random.randint(0, 3)):
            app = self.pick("database", "cache", "loner")
            requests = {"cpu": f"{cpu * self.pick(5, 10, 20) // 100}m", "memory": self.pick("64Mi", "256Mi")}
            spec = {"containers": [{"name": "main", "image": "none", "resources": {"requests": requests}}]}
            namespace = self.pick(*self.namespaces)
            if app == "loner":  # refuses pods with this label in its zone, or on its node
                term = {"topologyKey": self.pick(ZONE, HOSTNAME, HOSTNAME), "labelSelector": selecting(noisy="yes"),
                        "namespaceSelector": {}}
                spec["affinity"] = {"podAntiAffinity": {REQUIRED: [term]}}
            if app == "database":
                disk = self.claim(namespace, zone)
                spec["volumes"] = [{"name": "v0", "persistentVolumeClaim": {"claimName": disk}}]
            if app == "cache":
                spec["containers"][0]["ports"] = [{"containerPort": 6379, "hostPort": 7000 + slot}]
            self.bound(f"{app}-{self.seed}-{index}-{slot}", namespace, node, {"app": app}, spec,
                       {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "uid": f"rs-{app}"})

    def bound(self, name, namespace, node, labels, spec, owner):
        self.add("Pod", name, namespace=namespace, metadata={"labels": labels, "ownerReferences": [owner]},
                 spec={**spec, "nodeName": node}, status={"phase": "Running"})

    # -- pending pods

    def group(self, index, kind):
        name = f"{kind.__name__.replace('_', '-')}-{index}"
        group = Group(self, name, self.pick(*self.namespaces), self.random.randint(3, 8))
        kind(self, group)
        if self.chance(0.15):
            group.spec["priorityClassName"] = self.priorities[self.pick("high", "low")]
        if self.chance(0.12):
            group.labels["noisy"] = "yes"
        if self.chance(0.2):
            group.tolerate(key="dedicated", operator="Exists")
        self.groups.append(group)

    def another(self, group):
        """A label of some other group's pods, or of running pods, and their namespace's name."""
        if self.groups and self.chance(0.8):
            other = self.pick(*self.groups)
            return other.name, other.namespace
        return self.pick("database", "cache"), self.pick(*self.namespaces)


def allocatable_of(kind):
    """The rest of a type of World.type() after overhead."""
    reserved = kind["overhead"]["kubeReserved"]
    memory = int(kind["capacity"]["memory"][:-2]) * 1024 - int(reserved["memory"][:-2]) - 100
    return {**kind["capacity"], "cpu": f"{int(kind['capacity']['cpu']) * 1000 - int(reserved['cpu'][:-1])}m",
            "memory": f"{memory}Mi"}


# ---- the kinds of constraints

def plain(world, group):
    group.replicas = 8


def node_selector(world, group):
    group.select(**world.pick({ZONE: "zone-b"}, {ARCH: "arm64"}, {CAPACITY_TYPE: "on-demand"}, {"tier": "general"},
                              {ZONE: "zone-c", ARCH: "amd64"}))


def either_or(world, group):
    group.node_terms(
        [expression(ZONE, "In", "zone-a"), expression(ARCH, "In", "arm64")],
        [expression(ZONE, "In", "zone-b", "zone-c"), expression(CAPACITY_TYPE, "In", world.pick("spot", "on-demand"))])


def either_or_spread(world, group):
    group.node_terms([expression(ZONE, "In", "zone-a"), expression(CPU, "Gt", "3")],
                     [expression(ZONE, "NotIn", "zone-a"), expression(CPU, "Lt", "9")])
    group.spread(ZONE)


def not_in(world, group):
    group.node_terms([world.pick(expression(ZONE, "NotIn", "zone-a"), expression(FAMILY, "NotIn", "mg", "mi"),
                                 expression("tier", "NotIn", "edge"), expression("example.com/absent", "NotIn", "x"),
                                 expression("edge", "DoesNotExist"), expression("tier", "Exists"))])


def greater_less(world, group):
    group.node_terms([expression(CPU, "Gt", world.pick("1", "3")), expression(CPU, "Lt", world.pick("9", "17", "33"))])


def preferred_node(world, group):
    for weight, what in ((50, expression(ZONE, "In", world.pick(*ZONES))), (1, expression(ARCH, "In", "arm64")),
                         (100, expression(FAMILY, "In", world.pick("ci", "none")))):
        group.affinity("nodeAffinity", PREFERRED, {"weight": weight, "preference": {"matchExpressions": [what]}})


def team(world, group):
    group.select(**{"example.com/team": world.pick("red", "blue")})


def dedicated(world, group):
    group.tolerate(key="dedicated", operator="Equal", value="batch", effect="NoSchedule")
    group.select(tier="batch")


def spread_zone(world, group):
    group.replicas += 3
    group.spread(ZONE, **({"minDomains": world.pick(2, 3)} if world.chance(0.5) else {}))


def spread_zone_narrow(world, group):
    group.spread(ZONE, 1, nodeAffinityPolicy=world.pick("Honor", "Honor", "Ignore"))
    group.node_terms([expression(ZONE, "In", *world.some(ZONES, 2))])


def spread_host(world, group):
    group.spread(HOSTNAME, **({"minDomains": world.pick(2, 4)} if world.chance(0.4) else {}))


def spread_capacity_type(world, group):
    group.spread(CAPACITY_TYPE)


def spread_zone_and_host(world, group):
    group.spread(ZONE, world.pick(1, 2))
    group.spread(HOSTNAME, world.pick(1, 2, 3))


def spread_zone_and_capacity_type(world, group):
    group.spread(ZONE, world.pick(1, 2))
    group.spread(CAPACITY_TYPE, world.pick(1, 2))


def spread_soft(world, group):
    for key in (ZONE, HOSTNAME):
        group.spread(key, 1)
        group.spec["topologySpreadConstraints"][-1]["whenUnsatisfiable"] = "ScheduleAnyway"


def spread_revisions(world, group):
    group.revisions = 2
    group.spread(world.pick(ZONE, HOSTNAME), 1, matchLabelKeys=["pod-template-hash"])


def spread_policies(world, group):
    group.spread(world.pick(ZONE, ZONE, HOSTNAME), world.pick(1, 2), nodeTaintsPolicy="Honor",
                 nodeAffinityPolicy=world.pick("Honor", "Ignore"))


def spread_over_others(world, group):
    """The counted pods are another workload's, and its own."""
    group.labels["crowd"] = "yes"
    if world.groups:
        world.pick(*world.groups).labels["crowd"] = "yes"
    group.spread(ZONE, world.pick(1, 2), labelSelector=selecting(crowd="yes"))


def apart_on_hosts(world, group):
    group.affinity("podAntiAffinity", REQUIRED, {"topologyKey": HOSTNAME, "labelSelector": selecting(app=group.name)})


def apart_in_zones(world, group):
    group.replicas = world.random.randint(2, 3)
    group.affinity("podAntiAffinity", REQUIRED, {"topologyKey": ZONE, "labelSelector": selecting(app=group.name)})


def apart_revisions(world, group):
    group.revisions = 2
    group.affinity("podAntiAffinity", REQUIRED, {"topologyKey": HOSTNAME, "labelSelector": selecting(app=group.name),
                                                 "matchLabelKeys": ["pod-template-hash"]})


def apart_from_other_revisions(world, group):
    """Each host takes one revision only."""
    group.revisions = 2
    term = {"topologyKey": HOSTNAME, "labelSelector": selecting(app=group.name),
            "mismatchLabelKeys": ["pod-template-hash"]}
    group.affinity("podAntiAffinity", REQUIRED, term)


def together_in_zone(world, group):
    group.affinity("podAffinity", REQUIRED, {"topologyKey": ZONE, "labelSelector": selecting(app=group.name)})


def together_on_host(world, group):
    group.replicas = world.random.randint(2, 4)
    group.affinity("podAffinity", REQUIRED, {"topologyKey": HOSTNAME, "labelSelector": selecting(app=group.name)})


def near_another(world, group):
    name, namespace = world.another(group)
    group.affinity("podAffinity", REQUIRED, {"topologyKey": world.pick(ZONE, ZONE, HOSTNAME), "namespaces": [namespace],
                                             "labelSelector": selecting(app=name)})
    if world.chance(0.4):
        group.requests = {"cpu": "50m", "memory": "32Mi"}


def far_from_another(world, group):
    name, namespace = world.another(group)
    group.affinity("podAntiAffinity", REQUIRED, {"topologyKey": world.pick(HOSTNAME, HOSTNAME, ZONE),
                                                 "namespaces": [namespace], "labelSelector": selecting(app=name)})


def far_from_a_stage(world, group):
    labels = {"matchExpressions": [expression("app", "In", "database", world.another(group)[0])]}
    stage = selecting(stage=world.pick("production", "test"))
    group.affinity("podAntiAffinity", REQUIRED, {"topologyKey": HOSTNAME, "labelSelector": labels,
                                                 "namespaceSelector": stage})


def near_a_stage(world, group):
    name, _ = world.another(group)
    group.affinity("podAffinity", REQUIRED, {"topologyKey": ZONE, "labelSelector": selecting(app=name),
                                             "namespaceSelector": {}})


def near_and_spread(world, group):
    """Together in zones with another workload, spread over hosts."""
    name, namespace = world.another(group)
    group.affinity("podAffinity", REQUIRED, {"topologyKey": ZONE, "namespaces": [namespace],
                                             "labelSelector": selecting(app=name)})
    group.spread(HOSTNAME, world.pick(1, 2))


def preferred_pods(world, group):
    name, namespace = world.another(group)
    near = {"topologyKey": ZONE, "namespaces": [namespace], "labelSelector": selecting(app=name)}
    far = {"topologyKey": HOSTNAME, "labelSelector": selecting(app=group.name)}
    group.affinity("podAffinity", PREFERRED, {"weight": 10, "podAffinityTerm": near})
    group.affinity("podAntiAffinity", PREFERRED, {"weight": 90, "podAffinityTerm": far})


def host_port(world, group):
    port = world.pick(7000, 7001, 9100, 8080)
    group.ports = [{"containerPort": 80, "hostPort": port, "protocol": world.pick("TCP", "TCP", "UDP"),
                    **({"hostIP": "10.0.0.1"} if world.chance(0.3) else {})}]
    group.replicas = min(group.replicas, 5)


def disk_in_zone(world, group):
    disks = [world.claim(group.namespace, world.pick(*ZONES)) for _ in range(group.replicas)]
    group.volumes = lambda index: [disks[index]]
    if world.chance(0.4):
        group.spread(HOSTNAME, world.pick(1, 2))


def disk_shared(world, group):
    """One disk for all pods: in a zone, or a new one that is accessible from everywhere."""
    disk = world.claim(group.namespace, world.pick(None, None, world.pick(*ZONES)), mode="ReadWriteMany")
    group.volumes = lambda index: [disk]
    world.pick(lambda: None, lambda: group.spread(HOSTNAME, 1), lambda: apart_on_hosts(world, group))()


def disk_to_be(world, group):
    kind = world.classes[world.pick("anywhere", "somewhere", "somewhere")]
    disks = [world.claim(group.namespace, storage_class=kind) for _ in range(group.replicas)]
    group.volumes = lambda index: [disks[index]]
    if world.chance(0.4):
        group.spread(ZONE, world.pick(2, 3))


def disks_many(world, group):
    """More disks than some nodes may attach."""
    group.requests = {"cpu": "50m", "memory": "64Mi"}
    disks = [[world.claim(group.namespace, storage_class=world.classes["anywhere"]) for _ in range(2)]
             for _ in range(group.replicas)]
    group.volumes = lambda index: disks[index]


def accelerated(world, group):
    group.replicas = min(group.replicas, 5)
    group.requests[GPU] = world.pick("1", "1", "2")


def init_and_sidecar(world, group):
    requests = {"cpu": world.pick("500m", "3"), "memory": "256Mi"}
    group.before = [{"name": "sidecar", "image": "none", "restartPolicy": "Always",
                     "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}}},
                    {"name": "prepare", "image": "none", "resources": {"requests": requests}}]
    if world.chance(0.5):
        group.before[0]["ports"] = [{"containerPort": 9100, "hostPort": 9200}]
        group.replicas = min(group.replicas, 4)


def named_node(world, group):
    group.replicas = 2
    group.requests = {"cpu": "50m", "memory": "32Mi"}
    group.tolerate(operator="Exists")
    term = {"matchFields": [expression("metadata.name", "In", world.pick(*world.nodes)[0])]}
    group.spec["affinity"] = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}


def contradiction(world, group):
    """The first term never holds, the second can."""
    key = world.pick(CAPACITY_TYPE, "example.com/absent")
    group.node_terms([expression(key, "In", "spot"), expression(key, "NotIn", "spot")],
                     [expression(ZONE, "In", *world.some(ZONES, 1))])


def impossible(world, group):
    group.replicas = 2
    world.pick(lambda: group.select(**{ZONE: "zone-x"}), lambda: group.select(**{ARCH: "riscv64"}),
               lambda: group.requests.update(cpu="200"), lambda: group.requests.update({"example.com/none": "1"}),
               lambda: group.node_terms([expression(CPU, "Gt", "2"), expression(CPU, "Lt", "3")]),
               lambda: group.select(tier="batch"))()


KINDS = [plain, node_selector, either_or, either_or_spread, not_in, greater_less, preferred_node, team, dedicated,
         spread_zone, spread_zone_narrow, spread_host, spread_capacity_type, spread_zone_and_host,
         spread_zone_and_capacity_type, spread_soft, spread_revisions, spread_policies, spread_over_others,
         apart_on_hosts, apart_in_zones, apart_revisions, apart_from_other_revisions, together_in_zone,
         together_on_host, near_another, far_from_another, far_from_a_stage, near_a_stage, near_and_spread,
         preferred_pods, host_port, disk_in_zone, disk_shared, disk_to_be, disks_many, accelerated, init_and_sidecar,
         named_node, contradiction, impossible]


def world(seed, tag="truth"):
    return World(seed, tag).build()


if __name__ == "__main__":
    json.dump({"apiVersion": "v1", "kind": "List", "items": world(int(sys.argv[1]))}, sys.stdout, indent=1)
