"""Deployments to be applied: the two loads of upstream's performance suite, and generated ones by seed."""
import random

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
      - {key: kubernetes.io/os, operator: In, values: [linux]}
      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
      - {key: karpenter.kwok.sh/instance-size, operator: Lt, values: ["32"]}
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 30s
    budgets: [{nodes: 100%}]
"""
TWO = [("small", 500, "900m", "3100Mi"), ("large", 500, "3500m", "28Gi")]
THIRTY_CPU = "240 450 650 900 1400 1900 2400 2800 3300 3700 2300 900 1300 2800 1800 1850 3300 3800 225 450 700 900 1300 1800 2400 2800 3400 3800 3300 2800"
THIRTY_MEMORY = "300 400 700 1024 2048 4096 8192 4096 16384 10240 65536 30720 32768 32768 30720 20480 30720 300 500 750 1024 2048 4096 8192 16384 32768 28672 65536 13312 24576"


def deployment(name, replicas, cpu, memory, zonal=False, spread=False, anti=False):
    """As a dictionary for the API. `zonal`: spread over zones; `spread`: over nodes; `anti`: one pod a node."""
    selector = {"matchLabels": {"app": name}}
    constraints = [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
                   for key, wanted in (("topology.kubernetes.io/zone", zonal), ("kubernetes.io/hostname", spread)) if wanted]
    spec = {"containers": [{"name": "main", "image": "pause", "resources": {"requests": {"cpu": cpu, "memory": memory}}}],
            "terminationGracePeriodSeconds": 0, "topologySpreadConstraints": constraints}
    if anti:
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "kubernetes.io/hostname", "labelSelector": selector}]}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": replicas, "selector": selector,
                     "template": {"metadata": {"labels": {"app": name}}, "spec": spec}}}


def two_shapes():
    return [deployment(*shape) for shape in TWO], {"small": 350, "large": 350}


def thirty_shapes():
    made, small = [], {}
    for i, (cpu, memory) in enumerate(zip(THIRTY_CPU.split(), THIRTY_MEMORY.split())):
        name = f"wide-{i + 1}"
        made.append(deployment(name, 35 if i < 20 else 30, cpu + "m", memory + "Mi", zonal=True, spread=3 <= i < 6, anti=i < 3))
        small[name] = 25 if i < 20 else 20
    return made, small


def generated(seed):
    """20 to 40 Deployments of 300 to 1,500 pods, spreads and affinities on some; and the sizes after the drop."""
    draw = random.Random(seed)
    count, pods = draw.randint(20, 40), draw.randint(300, 1500)
    weights = [draw.random() + 0.1 for _ in range(count)]
    share = draw.uniform(1 / 3, 2 / 3)
    made, small = [], {}
    for i, weight in enumerate(weights):
        replicas = max(1, round(pods * weight / sum(weights)))
        cpu = draw.choice([100, 250, 500, 750, 900, 1000, 1500, 2000, 2500, 3500, 4000])
        memory = int(cpu * draw.choice([0.5, 1, 2, 4, 8]) * draw.uniform(0.8, 1.2)) + 64
        kind = draw.random()
        name = f"app-{i + 1}"
        made.append(deployment(name, replicas, f"{cpu}m", f"{memory}Mi", zonal=kind < 0.4, spread=0.4 <= kind < 0.5,
                               anti=0.5 <= kind < 0.55 and replicas <= 40))
        small[name] = max(1, round(replicas * share * draw.uniform(0.7, 1.3)))
    return made, {name: min(size, next(d["spec"]["replicas"] for d in made if d["metadata"]["name"] == name))
                  for name, size in small.items()}
