"""Mutations of documents: fields dropped, nulled, doubled, made huge, of a wrong type, negative, swapped, borrowed from others."""
import copy, json

TEXTS = ["", " ", "0", "-1", "1", "NaN", "1e300", "-5%", "100%", "150%", "0s", "-1h", "2500000h", "Never", "9223372036854775807", "1Ei",
         "16Ei", "-1Gi", "1n", "0.0001", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Equal", "NoSchedule", "NoExecute",
         "PreferNoSchedule", "DoNotSchedule", "ScheduleAnyway", "Honor", "Ignore", "Always", "OnFailure", "True", "False", "Unknown",
         "default", "a/b/c", "/", "*", "* * * * *", "@daily", "0 0 31 2 *", "é\u0000", "\u202e", "%s%n", "0001-01-01T00:00:00Z",
         "9999-12-31T23:59:59Z", "2262-04-12T00:00:00Z", "kubernetes.io/hostname", "topology.kubernetes.io/zone", "kubernetes.io/arch",
         "node.kubernetes.io/instance-type", "karpenter.sh/nodepool", "karpenter.sh/capacity-type", "karpenter.sh/do-not-disrupt", "true",
         "reserved", "spot", "on-demand", "WhenEmpty", "Balanced", "Pending", "Running", "Failed", "x" * 300, "x" * 70000]
NUMBERS = [0, 1, -1, 2, 3, 100, 1000, 65536, 2**31 - 1, 2**31, -2**31, 2**53, 2**63 - 1, -2**63, 2**64, 10**30, 0.5, -0.5, 1e-9, 1e300]
SHAPES = [None, True, False, [], {}, [None], [{}], [""], {"": ""}, {"": None}, {"a": {}}, [[]], [[[[]]]]]
# Values that are rare in the recordings, and their places.
GRAFTS = {
    "taints": [[{"effect": "NoSchedule"}], [{"key": "", "effect": "NoExecute", "value": "x"}], [{"key": "k"}], [{}]],
    "startupTaints": [[{"effect": "NoSchedule"}], [{}]],
    "tolerations": [[{}], [{"operator": "Exists"}], [{"key": "k", "operator": "Exists", "value": "v"}], [{"effect": "NoExecute", "tolerationSeconds": -1}]],
    "nodeSelector": [{"": ""}, {"topology.kubernetes.io/zone": ""}, {"kubernetes.io/hostname": "none"}],
    "affinity": [{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{}]}}},
                 {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                     {"matchExpressions": [{}]}, {"matchFields": [{"operator": "In"}]}]}}},
                 {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{}, {"weight": -5}]}},
                 {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}, {"labelSelector": {}}]}},
                 {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                     {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchExpressions": [{}]}}]}},
                 {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{}]}}],
    "topologySpreadConstraints": [[{}], [{"maxSkew": 0, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"}],
                                  [{"maxSkew": 1, "topologyKey": "", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}],
                                  [{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule", "minDomains": -3,
                                    "labelSelector": {"matchLabels": {"": ""}}, "matchLabelKeys": ["", "a"]}]],
    "volumes": [[{}], [{"name": "v", "persistentVolumeClaim": {}}], [{"name": "v", "persistentVolumeClaim": {"claimName": "none"}}],
                [{"ephemeral": {}}], [{"name": "e", "ephemeral": {"volumeClaimTemplate": {"spec": {"storageClassName": ""}}}}]],
    "resourceClaims": [[{}], [{"name": "r"}]],
    "schedulingGates": [[{}]],
    "ownerReferences": [[{}], [{"kind": "DaemonSet"}], [{"kind": "Node", "controller": True}], [{"kind": "ReplicaSet", "uid": "u", "controller": True}]],
    "initContainers": [[{}], [{"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}]],
    "containers": [[], [{}], [{"ports": [{}]}], [{"ports": [{"hostPort": -1}, {"hostPort": 80, "hostIP": ""}]}],
                   [{"resources": {"requests": {"cpu": "100000"}}}], [{"resources": {"requests": {"": "1", "a/b": "1"}, "claims": [{}]}}]],
    "conditions": [[{}], [{"type": "PodScheduled", "status": "False"}], [{"type": "Ready"}], [{"status": "True"}]],
    "requirements": [[{}], [{"operator": "In"}], [{"key": "k", "operator": "In"}], [{"key": "", "operator": "Exists"}],
                     [{"key": "karpenter.k8s.aws/instance-cpu", "operator": "Gt", "values": ["x"]}],
                     [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"], "minValues": 60}]],
    "budgets": [[{}], [{"nodes": ""}], [{"nodes": "-1"}], [{"nodes": "100%", "schedule": "* * *", "duration": "1h"}],
                [{"nodes": "0", "schedule": "@daily"}], [{"reasons": ["", "Empty"]}]],
    "offerings": [[], [{}], [{"price": -1}], [{"requirements": [{}], "available": True}]],
    "selector": [{}, {"matchLabels": {"": ""}}, {"matchExpressions": [{}]}],
    "nodeClassRef": [{}, {"name": "x"}],
    "limits": [{"cpu": "-1"}, {"": "1"}, {"nodes": "0"}],
    "status": [{}, {"capacity": {"cpu": "-1"}, "allocatable": {"": "0"}}],
    "metadata": [{}, {"name": ""}, {"name": "x", "labels": {"": ""}, "annotations": {"": ""}}, {"name": "x", "deletionTimestamp": "0001-01-01T00:00:00Z"}],
}
OBJECTS = [
    {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "p"}, "spec": {"selector": {}, "minAvailable": "150%"}},
    {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "q", "namespace": "default"}},
    {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [{}, {"type": "Container", "default": {"cpu": "2"}}]}},
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "bare"}},
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "tainted"}, "spec": {"taints": [{"effect": "NoSchedule"}]},
     "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"}, "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "huge"}, "spec": {"containers": [{"resources": {"requests": {"cpu": "100000"}}}]}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lost"}, "spec": {"nodeName": "none", "containers": [{}]}},
    {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "bare"}},
    {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "bare"}},
    {"apiVersion": "karpenter.sh/v1alpha1", "kind": "NodeOverlay", "metadata": {"name": "o"}, "spec": {"requirements": [{}], "priceAdjustment": "-200%"}},
    {"apiVersion": "autoscaling.x-k8s.io/v1alpha1", "kind": "CapacityBuffer", "metadata": {"name": "b"}, "spec": {"replicas": 3}},
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"replicas": 20}},
    {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "s"}, "spec": {"template": {"spec": {"containers": [{}]}}}},
    {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"parallelism": -1, "completions": 10}},
    {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "none"}, "spec": {"volumeName": ""}},
    {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"},
     "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{}]}]}}}},
    {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "x"}, "allowedTopologies": [{"matchLabelExpressions": [{}]}]},
    {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "bare"}, "spec": {"drivers": [{}]}},
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {}},
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"}, "value": 5, "globalDefault": True},
]


def places(value, into=None):
    """(container, key) of every value below, in order."""
    into = [] if into is None else into
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in entries:
        into.append((value, key))
        places(member, into)
    return into


HEADERS = ("apiVersion", "kind", "metadata", "name", "spec")


def pick(random, documents):
    """A place in any document: rarely one of a catalog, or one that everything else depends on."""
    interesting = [d for d in documents if isinstance(d, dict) and d.get("kind") != "InstanceTypeCatalog"]
    found = places(random.choice(interesting if interesting and random.random() < 0.93 else documents))
    if random.random() < 0.95: found = [p for p in found if p[1] not in HEADERS]
    return random.choice(found) if found else None


def like(random, old):
    """Another value of the same type."""
    if isinstance(old, bool): return not old
    if isinstance(old, (int, float)):
        return random.choice(NUMBERS + [-old, old + 1, old - 1] + ([old * 1000000] if abs(old) < 1e9 else []))
    if isinstance(old, str): return random.choice(TEXTS + [old + "x", old[:-1], old.upper(), "-" + old] * 3)
    if isinstance(old, list): return random.choice([[], old[:1], old[::-1], old * 2])
    if isinstance(old, dict): return random.choice([{}, {key: old[key] for key in list(old)[::2]}, {"": value for value in list(old.values())[:1]}])
    return None


def other(random):
    kind = random.random()
    return random.choice(TEXTS) if kind < 0.4 else random.choice(NUMBERS) if kind < 0.7 else copy.deepcopy(random.choice(SHAPES))


def some_value(random, old):
    return copy.deepcopy(like(random, old)) if random.random() < 0.85 else other(random)


def drop(random, documents, container, key):
    del container[key]


def replace(random, documents, container, key):
    container[key] = some_value(random, container[key])


def double(random, documents, container, key):
    if isinstance(container, list): container.insert(key, copy.deepcopy(container[key]))
    elif isinstance(container[key], list) and container[key]: container[key] *= random.choice([2, 3, 40])
    else: replace(random, documents, container, key)


def rename(random, documents, container, key):
    if not isinstance(container, dict): return
    beside = pick(random, documents)
    name = random.choice(["", key + "x", key.upper(), "a/b", beside[1] if beside and isinstance(beside[1], str) else "x"])
    container[name] = container.pop(key)


def borrow(random, documents, container, key):
    """The value of another place, of the same name if there is one."""
    others = [p for d in documents for p in places(d)] if random.random() < 0.5 else []
    same = [p for p in others if p[1] == key and p[0] is not container]
    lender = random.choice(same) if same else pick(random, documents) if random.random() < 0.2 else None
    if lender: container[key] = copy.deepcopy(lender[0][lender[1]])


def graft(random, documents, container, key):
    """A list or mapping of some field, inserted into an object that has, or could have, that field."""
    name = random.choice(sorted(GRAFTS))
    owners = [c[k] for d in documents for c, k in [(None, None)] + places(d) if c is not None and isinstance(c[k], dict) and name in c[k]]
    specs = [c[k] for d in documents for c, k in places(d) if k == "spec" and isinstance(c[k], dict)]
    owner = random.choice(owners) if owners and random.random() < 0.7 else random.choice(specs) if specs else None
    if owner is None: return
    value = copy.deepcopy(random.choice(GRAFTS[name]))
    if isinstance(value, list) and isinstance(owner.get(name), list) and random.random() < 0.5: owner[name] = owner[name] + value
    else: owner[name] = value


def add_object(random, documents, container, key):
    documents.insert(random.randrange(len(documents) + 1), copy.deepcopy(random.choice(OBJECTS)))


OPERATIONS = [(drop, 20), (replace, 30), (double, 8), (rename, 6), (borrow, 10), (graft, 16), (add_object, 10)]


def mutate(random, documents):
    """Changes the documents in place, once to six times."""
    operations, weights = zip(*OPERATIONS)
    for _ in range(random.choice([1, 1, 2, 3, 4, 6])):
        at = pick(random, documents)
        if at: random.choices(operations, weights)[0](random, documents, *at)


def text_of(random, documents):
    """The documents as a file's bytes: JSON values in one of the forms, sometimes damaged."""
    form = random.random()
    if form < 0.4: text = json.dumps({"apiVersion": "v1", "kind": "List", "items": documents})
    elif form < 0.7: text = "\n".join(json.dumps(d, indent=1) for d in documents)
    else: text = "\n---\n".join(json.dumps(d, ensure_ascii=False) for d in documents)
    data = bytearray(text.encode("utf-8", "surrogatepass"))
    if random.random() < 0.05 and data:
        for _ in range(random.choice([1, 3, 10])):
            at = random.randrange(len(data))
            damage = random.random()
            if damage < 0.4: data[at] = random.randrange(256)
            elif damage < 0.7: del data[at:at + random.choice([1, 2, 50, 1000])]
            else: data[at:at] = random.choice([b"\0", b"\xff\xfe", b"&a ", b"*a", b"!!int ", b"<<: ", b"\n---\n", b'"', b"{", b"]", b"- " * 70])
            if not data: break
    return bytes(data)
