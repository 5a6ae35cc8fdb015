"""Possible nodes of a plan's NodeClaims, and new nodes that fit a pod; for truth.py.

Everything here is derived from the world's objects and the plan with judge.py's reading of them, independently of adze.
"""
import collections
import itertools

import judge
from cluster import Failure
from judge import CAPACITY_TYPE, HOSTNAME, ITYPE

NewNode = collections.namedtuple("NewNode", "name labels taints capacity allocatable pods")


class Launches:
    """One node for each NodeClaim of a plan, launched into any type, zone and capacity type that the claim allows."""

    def __init__(self, world, plan, random, prefix):
        self.world, self.random, self.nodes = world, random, []
        for index, claim in enumerate(plan["newNodeClaims"]):
            self.nodes.append(self.launch(claim, f"{prefix}-{index}"))

    def launch(self, claim, name):
        pool = self.world.pools[claim["nodePool"]]
        allowed = judge.requirements(claim["requirements"], pool.reqs)
        types = [pool.types[n] for n in claim["instanceTypes"]]
        if self.random.random() < 0.6:  # like a provider; else any allowed choice
            types = types[:1]
        choices = [(t, o) for t in types for o in offerings(t, allowed)]
        if not choices:
            raise Failure(f"NodeClaim {name} allows no offering of {claim['instanceTypes'][:3]}")
        kind, offering = self.random.choice(choices)
        open_keys = sorted(set(allowed) - set(kind.reqs) - set(offering.reqs))
        labels = {key: self.value(key, allowed[key]) for key in open_keys}
        labels = {key: value for key, value in labels.items() if value is not None}
        labels.update(pool.labels, **{"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"})
        labels.update(single_values(kind.reqs), **single_values(offering.reqs), **{HOSTNAME: name})
        return NewNode(name, labels, pool.taints, amounts_text(kind.capacity), amounts_text(offering.allocatable),
                       claim["pods"])

    def value(self, key, requirement):
        """A value of a label that neither the type nor the offering fixes (SCH-376, SCH-379)."""
        if requirement.absent() or key in (HOSTNAME, ITYPE):
            return None
        if not requirement.co:
            return self.random.choice(sorted(requirement.values))
        if requirement.lo > -judge.INF or requirement.hi < judge.INF:
            return str(requirement.lo if requirement.lo > -judge.INF else requirement.hi)
        return None if requirement.values and self.random.random() < 0.5 else "whatever"

    def daemon_pods(self):
        """[(pod, node name)]: future DaemonSet pods on old and new nodes."""
        nodes = [(n.name, n.labels, n.taints, n.pods) for n in self.world.nodes]
        nodes += [(n.name, n.labels, n.taints, ()) for n in self.nodes]
        there = {b.name for n in self.world.nodes for b in n.pods if b.daemon}
        made = [made for node, labels, taints, _ in nodes for made in daemon_pods(self.world, node, labels, taints)]
        return [(pod, node) for pod, node in made if judge.key_of(pod) not in there]


def daemon_pods(world, node, labels, taints):
    """[(pod, node name)]: DaemonSet pods on a node."""
    made = []
    for daemon in world.by["DaemonSet"]:
        name, template = daemon["metadata"]["name"], daemon["spec"]["template"]
        if daemon_runs(template["spec"], labels, taints, node):
            metadata = {"name": f"{name}-{node}", "namespace": daemon["metadata"]["namespace"],
                        "labels": template["metadata"]["labels"]}
            made.append(({"metadata": metadata, "spec": template["spec"]}, node))
    return made


def offerings(kind, allowed):
    """Available offerings of a type that requirements allow."""
    if any(key in allowed and not judge.overlap(allowed[key], r) for key, r in kind.reqs.items()):
        return []
    return [o for o in kind.offerings if o.available
            and all(key not in allowed or judge.overlap(allowed[key], r) for key, r in o.reqs.items())]


def single_values(requirements):
    return {key: next(iter(r.values)) for key, r in requirements.items() if not r.co and len(r.values) == 1}


def amounts_text(amounts):
    """judge.py's 10^-9 units as quantities; whole milli-cpu and whole units of the rest."""
    return {k: f"{v // 10**6}m" if k == "cpu" else str(v // 10**9) for k, v in amounts.items()}


def daemon_runs(spec, labels, taints, node):
    own = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"}  # the controller adds it
    tolerant = {**spec, "tolerations": (spec.get("tolerations") or []) + [own]}
    return not judge.untolerated(tolerant, taints) and judge.node_fits(spec, labels, node)


# ---- would a new node fit a pod without a place in the plan?

def new_nodes_for(world, plan, name, prefix):
    """Yields new nodes that could take the pod as far as they alone decide, one for each pool, zone and capacity type."""
    pod = world.pending[name]
    kind = world.kind(pod)
    seen = set()
    for pool in world.pools.values():
        if judge.untolerated(kind.spec, pool.taints):
            continue
        room = limit_left(world, plan, pool)
        types = [t for t in pool.types.values() if all(t.capacity.get(r, 0) <= v for r, v in room.items())]
        for t, offering in ((t, o) for t in types for o in offerings(t, pool.reqs)):
            for labels in every_labels(pool, t, offering):
                place = (pool.name, labels.get(judge.ZONE), labels.get(CAPACITY_TYPE))
                if place not in seen and takes(world, pod, kind, pool, labels, offering):
                    seen.add(place)
                    node = f"{prefix}-{len(seen)}"
                    labels = {**labels, "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true",
                              HOSTNAME: node}
                    yield NewNode(node, labels, pool.taints, amounts_text(t.capacity),
                                  amounts_text(offering.allocatable), [name])


def depends_on_others(world, kind):
    """Does the pod's place depend on other pods, even on a node of its own?"""
    if kind.affinity or any(t.key != HOSTNAME for t in kind.anti + kind.spreads):
        return True
    others = {id(k): k for k in world.kinds.values()}.values()
    return any(t.key != HOSTNAME and t.matches(kind) for k in others for t in k.anti)


def limit_left(world, plan, pool):
    """The rest of a pool's limits in the least favorable case."""
    left = {r: v for r, v in pool.limits.items()}
    for node in world.nodes:
        if node.pool == pool.name:
            left = {r: v - node.capacity.get(r, 0) for r, v in left.items()}
    for claim in plan["newNodeClaims"]:
        if claim["nodePool"] == pool.name:
            left = {r: v - max(pool.types[n].capacity.get(r, 0) for n in claim["instanceTypes"])
                    for r, v in left.items()}
    return left


def every_labels(pool, kind, offering):
    fixed = {**single_values(kind.reqs), **single_values(offering.reqs), **pool.labels}
    open_keys = sorted(k for k, r in pool.reqs.items() if k not in fixed and not r.co and r.values)
    for values in itertools.product(*(sorted(pool.reqs[k].values) for k in open_keys)):
        yield {**dict(zip(open_keys, values)), **fixed}


def takes(world, pod, kind, pool, labels, offering):
    if not judge.node_fits(kind.spec, labels, None):
        return False
    need = dict(kind.requests)
    for daemon in world.by["DaemonSet"]:
        template = daemon["spec"]["template"]
        if daemon_runs(template["spec"], labels, pool.taints, None):
            other = world.kind({"metadata": {**template["metadata"], "namespace": "none"}, "spec": template["spec"]}, True)
            judge.add(need, other.requests)
            if any(judge.port_clash(a, b) for a in kind.ports for b in other.ports):
                return False
    if any(v > offering.allocatable.get(r, 0) for r, v in need.items() if v > 0):
        return False
    return all(disk_reaches(world, pod, v, labels) for v in pod["spec"].get("volumes") or [])


def disk_reaches(world, pod, volume, labels):
    claim = world.pvcs[f"{pod['metadata']['namespace']}/{volume['persistentVolumeClaim']['claimName']}"]["spec"]
    if claim.get("volumeName"):
        terms = world.pvs[claim["volumeName"]]["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        return any(judge.term_holds(t, labels, None) for t in terms)
    topologies = world.classes[claim["storageClassName"]].get("allowedTopologies") or []
    return not topologies or any(all(labels.get(e["key"]) in e["values"] for e in t["matchLabelExpressions"])
                                 for t in topologies)
