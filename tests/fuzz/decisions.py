#!/usr/bin/env python3
"""Changes recorded clusters and the examples in ways that stay valid, plans them, and compares the plans:

  judged      the judge of tests/conformance finds no violation in the plans of either packing policy
  greedy      LowestPrice places as many pods as Greedy; the same ones not dearer
  upstream    nor dearer than COMPATIBILITY=upstream, where that plan is valid and places the same pods; over hostnames by a
              new, empty node: kube-scheduler lets all pods onto the first one, and the first only
  relaxed     nor dearer than the same pods without their rules about other pods, where that plan keeps the rules all the same:
              spreads over every domain that the NodePools offer, as if an empty node were in each (SCH-288)
  shuffled    the order of documents changes no byte of a plan

A plan that holds in some orders of binding only may be HEED_PERCENT cheaper: that is the maximum price of placements
that keep the spreads of others in any order of binding (SCH-516).

usage: decisions.py ADZE [--from N] [--cases N] [--seconds S] [--keep DIR] [--checks LIST]

Case N is the same in every run. Exit status 1 if there was any finding.
"""
import argparse, copy, itertools, json, os, random, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
import judge, seeds

SECONDS_MAX = 120
HEED_PERCENT = 10
ORDERS = 20  # of binding, to detect that a plan depends on it
CHECKS = ("judged", "greedy", "upstream", "relaxed", "shuffled")
ZONE, HOSTNAME = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
ANTI = [{"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"fuzz": "a"}}}]
RULES = [{"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule",
                                         "labelSelector": {"matchLabels": {"fuzz": "a"}}}]} for key in (ZONE, HOSTNAME)] + [
         {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": ANTI}}},
         {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
             {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"fuzz": "a"}}}]}}},
         {"nodeSelector": {"kubernetes.io/arch": "amd64"}}, {"nodeSelector": {"kubernetes.io/arch": "arm64"}},
         {"nodeSelector": {"karpenter.sh/capacity-type": "on-demand"}},
         {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
             {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["test-zone-1", "us-east-1a"]}]},
             {"matchExpressions": [{"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]}]}]}}}}]


# --- changes -------------------------------------------------------------------------------------

def pending(documents):
    return [d for d in documents if d["kind"] == "Pod" and not d["spec"].get("nodeName") and not (d["metadata"].get("ownerReferences"))]


def more_pods(random, documents, pod):
    for i in range(random.choice([1, 2, 5, 12])):
        twin = copy.deepcopy(pod)
        twin["metadata"]["name"] = "%s-x%d" % (pod["metadata"]["name"], len(documents))
        twin["metadata"]["uid"] = "uid-x%d" % len(documents)
        documents.append(twin)


def other_requests(random, documents, pod):
    for container in pod["spec"].get("containers", []):
        container["resources"] = {"requests": {"cpu": "%dm" % random.choice([50, 100, 300, 500, 900, 1000, 1500, 3500]),
                                               "memory": "%dMi" % random.choice([64, 128, 500, 1024, 3000])}}


def new_rule(random, documents, pod):
    rule = copy.deepcopy(random.choice(RULES))
    same = [p for p in pending(documents) if p["metadata"].get("namespace") == pod["metadata"].get("namespace")]
    for other in random.sample(same, random.randrange(1, len(same) + 1)):
        other["metadata"].setdefault("labels", {})["fuzz"] = "a"
    for other in [pod] if random.random() < 0.5 else same:
        other["spec"].update(copy.deepcopy(rule))
        other["metadata"].setdefault("labels", {})["fuzz"] = "a"


def without_a_rule(random, documents, pod):
    present = [k for k in ("affinity", "nodeSelector", "topologySpreadConstraints", "tolerations") if k in pod["spec"]]
    if present: del pod["spec"][random.choice(present)]


def without_a_node(random, documents, pod):
    nodes = [d for d in documents if d["kind"] == "Node"]
    if nodes:
        gone = random.choice(nodes)["metadata"]["name"]
        documents[:] = [d for d in documents if not (d["kind"] == "Node" and d["metadata"]["name"] == gone)
                        and not (d["kind"] == "Pod" and d["spec"].get("nodeName") == gone)
                        and not (d["kind"] == "NodeClaim" and (d.get("status") or {}).get("nodeName") == gone)]


CHANGES = [(more_pods, 5), (other_requests, 3), (new_rule, 4), (without_a_rule, 2), (without_a_node, 1)]


def make(number, bases):
    rng = random.Random("decision %d" % number)
    name, read = rng.choice(bases)
    documents = copy.deepcopy(read())
    for _ in range(rng.randrange(5)):
        pods = pending(documents)
        if pods: rng.choices(*zip(*CHANGES))[0](rng, documents, rng.choice(pods))
    return name, documents, rng


# --- plans ---------------------------------------------------------------------------------------

def with_settings(documents, **settings):
    documents = copy.deepcopy(documents)
    contexts = [d for d in documents if d["kind"] == "SnapshotContext"]
    if not contexts:
        contexts = [{"apiVersion": "adze/v1", "kind": "SnapshotContext", "spec": {"time": "2026-06-01T00:00:00Z"}}]
        documents += contexts
    for context in contexts:
        own = context["spec"].setdefault("settings", {})
        for key in ("PACKING_POLICY", "COMPATIBILITY"): own.pop(key, None)
        own.update(FLEXIBILITY_MARGIN="0", NODE_COST="0")
        own.update(settings)
    return documents


def without_rules_about_pods(documents):
    documents = copy.deepcopy(documents)
    for d in documents:
        spec = d["spec"] if d["kind"] == "Pod" else ((d.get("spec") or {}).get("template") or {}).get("spec") if d["kind"] == "Deployment" else None
        if spec is None: continue
        # Over hostnames a possible new node counts as empty: such a rule never holds by chance.
        spec["topologySpreadConstraints"] = [c for c in spec.get("topologySpreadConstraints") or []
                                             if c.get("whenUnsatisfiable") != "DoNotSchedule" or c.get("topologyKey") == HOSTNAME]
        for kind in ("podAffinity", "podAntiAffinity"):
            ((spec.get("affinity") or {}).get(kind) or {}).pop("requiredDuringSchedulingIgnoredDuringExecution", None)
    return documents


class Failed(Exception):
    pass


def ask(adze, documents):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump({"apiVersion": "v1", "kind": "List", "items": documents}, f)
        f.flush()
        try:
            p = subprocess.run([adze, "plan", "-o", "json", "-f", f.name], capture_output=True, text=True, timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            raise Failed("no answer in %d s" % SECONDS_MAX)
    if p.returncode == 2: return None, ""
    if p.returncode not in (0, 3): raise Failed("exit status %d: %s" % (p.returncode, p.stderr[:3000]))
    return json.loads(p.stdout), p.stdout


def price(plan):
    return sum(claim.get("price") or 0 for claim in plan["newNodeClaims"])


def left_out(plan):
    return len(plan["unschedulable"])


def valid(documents, plan):
    """Violations that do not depend on order among equal prices; None if the judge cannot decide: it knows no built-in
    types."""
    if not any(d["kind"] == "InstanceTypeCatalog" for d in documents): return None
    try:
        return [v for v in judge.judge(documents, plan) if v.rule != "order"]
    except (KeyError, ValueError, TypeError, AttributeError):
        return None


def empty_nodes(documents, hostnames_only=False):
    """A node without room in every domain that the NodePools offer. kube-scheduler spreads over the existing nodes, so
    it binds all pods to a single node; a plan counts all domains that may get nodes. With hostnames_only they only have
    a hostname of their own, and count only for pods that spread over nothing else."""
    world = judge.World(documents)
    kinds = [world.kind(pod) for pod in world.pending.values()]
    over = {spread.key for kind in kinds for spread in kind.spreads}
    keys = sorted((set().union(*(kind.keys for kind in kinds)) | over) - {HOSTNAME} - (over if hostnames_only else set()))
    found = {}
    for pool, kind, offering in ((p, t, o) for p in world.pools.values() for t in p.types.values() for o in t.offerings if o.available):
        label = dict(pool.reqs)
        for key, r in itertools.chain(kind.reqs.items(), offering.reqs.items()): label[key] = label[key].meet(r) if key in label else r
        values = [sorted(label[key].values) if key in label and not label[key].co else [None] for key in keys]
        for chosen in itertools.product(*values):
            labels = {key: value for key, value in zip(keys, chosen) if value is not None}
            found[json.dumps([labels, pool.taints], sort_keys=True)] = labels, pool.taints
    return [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "empty-%d" % i, "labels": dict(labels, **{HOSTNAME: "empty-%d" % i})},
             "spec": {"taints": taints}, "status": {"allocatable": {}, "capacity": {}}} for i, (labels, taints) in enumerate(found[key] for key in sorted(found))]


def dearer(plan, other):
    names = [sorted(pod["pod"] for pod in each["unschedulable"]) for each in (plan, other)]
    return names[0] == names[1] and price(plan) > price(other) + 1e-7


def keeps(documents, plan, hostnames_only=False):
    """Whether the plan is valid as it is and with empty nodes."""
    return valid(documents, plan) == [] and valid(documents + empty_nodes(documents, hostnames_only), plan) == []


class AnyOrder(judge.Replay):
    """Finds pods that stay unbound after an unlucky order of binding."""
    def best(self, scenario):
        rng = random.Random(0)
        for _ in range(ORDERS):
            self.setup(scenario[1])
            todo = {key: len(names) for key, names in self.names.items() if not self.inert(key[0])}
            while any(todo.values()):
                free = [key for key in todo if todo[key] and self.room(*key) is None]
                if not free: return {self.names[key][0]: self.room(*key) for key in todo if todo[key]}
                chosen = rng.choice(free)
                self.bind(*chosen)
                todo[chosen] -= 1
        return {}


def depends_on_order(documents, plan):
    j = judge.Judge(documents, plan)
    if j.run(): return True
    AnyOrder(j).run()
    return bool(j.bad)


def beaten(documents, plan, other, hostnames_only=False):
    """Whether the other plan proves this one too expensive."""
    if not dearer(plan, other) or not keeps(documents, other, hostnames_only): return False
    worth_it = price(plan) - price(other) <= price(plan) * HEED_PERCENT / 100
    return not (worth_it and depends_on_order(documents + empty_nodes(documents), other))


def told(plan, other):
    return "%.6f on %d nodes, %.6f on %d is possible" % (price(plan), len(plan["newNodeClaims"]), price(other), len(other["newNodeClaims"]))


def check(adze, documents, rng, checks):
    """(check, fault) of one case."""
    own = with_settings(documents)
    plan, text = ask(adze, own)
    if plan is None: return
    greedy_documents = with_settings(documents, PACKING_POLICY="Greedy")
    greedy, _ = ask(adze, greedy_documents)
    if "judged" in checks:
        for policy, docs, each in (("LowestPrice", own, plan), ("Greedy", greedy_documents, greedy)):
            for v in (valid(docs, each) or [])[:1]:
                yield "judged", "%s: %s %s: %s" % ((policy,) + tuple(v))
    if "greedy" in checks:
        if left_out(plan) > left_out(greedy): yield "greedy", "%d pods without a place, not %d" % (left_out(plan), left_out(greedy))
        if dearer(plan, greedy): yield "greedy", told(plan, greedy)
    if "upstream" in checks:
        upstream, _ = ask(adze, with_settings(documents, COMPATIBILITY="upstream"))
        if upstream is not None and beaten(own, plan, upstream, hostnames_only=True): yield "upstream", told(plan, upstream)
    if "relaxed" in checks:
        free, _ = ask(adze, without_rules_about_pods(own))
        if free is not None and beaten(own, plan, free): yield "relaxed", told(plan, free)
    if "shuffled" in checks:
        shuffled = copy.deepcopy(own)
        rng.shuffle(shuffled)
        if ask(adze, shuffled)[1] != text: yield "shuffled", "the plan differs"


def main():
    ap = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    ap.add_argument("adze", type=os.path.abspath)
    ap.add_argument("--from", dest="first", type=int, default=1)
    ap.add_argument("--cases", type=int, default=60)
    ap.add_argument("--seconds", type=float, default=0, help="go on for so long, whatever --cases says")
    ap.add_argument("--keep", default="")
    ap.add_argument("--checks", default=",".join(CHECKS))
    a = ap.parse_args()
    bases, end, bad, number = seeds.names("schedule-"), time.monotonic() + a.seconds, 0, a.first
    while (time.monotonic() < end) if a.seconds else (number < a.first + a.cases):
        name, documents, rng = make(number, bases)
        try:
            findings = list(check(a.adze, documents, rng, a.checks.split(",")))
        except Failed as why:
            findings = [("answer", str(why))]
        for which, wrong in findings:
            bad += 1
            print("case %d (of %s): %s: %s" % (number, name, which, wrong), flush=True)
        if findings and a.keep:
            os.makedirs(a.keep, exist_ok=True)
            with open(os.path.join(a.keep, "%d.json" % number), "w") as f:
                json.dump({"apiVersion": "v1", "kind": "List", "items": with_settings(documents)}, f, indent=1)
        number += 1
    print("%d cases, %d findings" % (number - a.first, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
