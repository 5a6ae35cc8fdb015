"""What a node really costs (SCH-507), worked out for judge.py from the input alone: the list price and, beside it, volumes,
a public IPv4 address, expected interruptions, surplus credits of burstable types and NODE_COST. USD an hour."""

HOURS_A_MONTH = 730
CAPACITY_TYPE = "karpenter.sh/capacity-type"
# A usual on-demand price: by the vCPU and by the GiB of memory.
USUAL_CPU, USUAL_GIB = 0.034, 0.0035


class Costs:
    """What all nodes of a plan have in common: the settings, and the scale of the catalogs' prices."""

    def __init__(self, settings, instance_types, quantity):
        upstream = settings.get("COMPATIBILITY") == "upstream"
        self.quantity = quantity
        given = lambda name, usual: float(settings[name]) if name in settings else 0.0 if upstream else usual
        per_launch, per_pod = float(settings.get("LAUNCH_COST", 0.05)), float(settings.get("DISRUPTION_COST_PER_POD", 0.02))
        self.volumes, self.address, self.cpu_use = given("VOLUME_COST", 1.0), given("ADDRESS_COST", 0.005), given("EXPECTED_CPU_USE", 0.5)
        self.interruption = given("INTERRUPTION_COST", per_launch + 10 * per_pod)
        self.node_cost, self.covers = given("NODE_COST", 0.02), "NODE_COST" not in settings
        if self.covers: self.node_cost *= self.scale(instance_types)

    def scale(self, instance_types):
        """The power of ten that is nearest to the median of the catalogs' prices to usual ones."""
        ratios = []
        for t in instance_types:
            offers = [((r.get("values") or [None])[0], o.get("price") or 0) for o in t.get("offerings") or []
                      for r in o.get("requirements") or [{}] if r.get("key") == CAPACITY_TYPE and len(r.get("values") or []) == 1]
            prices = [p for kind, p in offers if kind == "on-demand"] or [o.get("price") or 0 for o in t.get("offerings") or []]
            size = t.get("capacity") or {}
            usual = USUAL_CPU * self.quantity(size.get("cpu", 0)) / 1e9 + USUAL_GIB * self.quantity(size.get("memory", 0)) / 1e9 / 2**30
            if prices and min(prices) > 0 and usual > 0: ratios.append(min(prices) / usual)
        if not ratios: return 1.0
        median, scale = sorted(ratios)[len(ratios) // 2], 1.0
        while median > scale * 10**0.5 and scale < 1e9: scale *= 10
        while median * 10**0.5 < scale and scale > 1e-9: scale /= 10
        return scale

    def parts(self, instance_type, offering, list_price, cpu):
        """By the names of a plan's `costs`; cpu: cores that all pods of the node request."""
        burst = instance_type.get("burst") or {}
        volumes = self.volumes * (instance_type.get("volumePrice") or 0)
        address = self.address if instance_type.get("publicAddress") else 0.0
        beyond = self.cpu_use * cpu - (burst.get("baselineCPU") or 0)
        return {"list": list_price, "volumes": volumes, "publicAddresses": address,
                "allowance": self.node_cost - (min(self.node_cost, volumes + address) if self.covers else 0),
                "burstCredits": max(0.0, beyond) * (burst.get("surplusPrice") or 0) if self.cpu_use > 0 else 0.0,
                "interruptions": self.interruption * (offering.get("interruptionsPerMonth") or 0) / HOURS_A_MONTH}
