// Context, instance types, NodePools, DaemonSets.
#include "properties/generate.h"

#include <stdlib.h>

static void choose_features(struct generator *generator)
{
    bool *const features[] = {
        &generator->taints,      &generator->limits,        &generator->min_values,
        &generator->startup,     &generator->arm,           &generator->daemon_sets,
        &generator->ports,       &generator->volumes,       &generator->racks,
        &generator->spreads,     &generator->affinity,      &generator->anti_affinity,
        &generator->preferences, &generator->node_affinity, &generator->namespaces,
        &generator->priorities,  &generator->unavailable,   &generator->gpu,
    };
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++)
        *features[i] = chance(generator, 0.4);
    generator->reserved = generator->size != WORLD_SMALL && chance(generator, 0.15);
}

static void generate_context(struct generator *generator)
{
    // One roll per statement: C leaves the order of arguments open.
    const char *packing = PICK(generator, "Greedy", "LowestPrice");
    const char *preferences = PICK(generator, "Respect", "Respect", "Ignore");
    const char *min_values = PICK(generator, "Strict", "Strict", "BestEffort");
    text_format(&generator->text,
                "{apiVersion: adze/v1, kind: SnapshotContext, metadata: {name: context}, spec: "
                "{time: '2026-01-01T00:00:00Z', settings: {PACKING_POLICY: %s, PREFERENCE_POLICY: "
                "%s, MIN_VALUES_POLICY: %s}}}\n",
                packing, preferences, min_values);
    if (generator->namespaces)
        text_add(&generator->text,
                 "---\n{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {team: "
                 "red}}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: "
                 "{team: blue}}}\n");
}

json_t *world_generate(uint64_t seed, enum world_size size)
{
    struct generator generator = {.size = size};
    random_seed(&generator.random, seed);
    choose_features(&generator);
    generator.zones = 1 + below(&generator, size == WORLD_SMALL ? 3 : ZONES_MAX);
    generator.types = 1 + below(&generator, size == WORLD_SMALL ? 4 : TYPES_MAX);
    generator.pools = 1 + below(&generator, size == WORLD_SMALL ? 2 : POOLS_MAX);
    generator.nodes = below(&generator, size == WORLD_SMALL ? 3 : size == WORLD_LARGE ? 9 : 5);
    generate_context(&generator);
    generate_catalog(&generator);
    generate_pools(&generator);
    generate_daemon_sets(&generator);
    generate_volumes(&generator);
    generate_nodes(&generator);
    generate_workloads(&generator);
    json_t *world = json_array();
    world_add_yaml(world, generator.text.data);
    text_free(&generator.text);
    return world;
}

// --- catalog -----------------------------------------------------------------------------------

static void generate_offering(struct generator *generator, struct text *text, uint32_t type,
                              uint32_t zone, const char *capacity_type, double factor)
{
    double price = generator->type[type].cpu * factor * (8 + below(generator, 5)) / 10;
    bool available = !generator->unavailable || chance(generator, 0.75);
    text_format(text,
                "    - {price: %.3f, available: %s, requirements: [{key: "
                "topology.kubernetes.io/zone, operator: In, values: [zone-%c]}, {key: "
                "karpenter.sh/capacity-type, operator: In, values: [%s]}",
                price, available ? "true" : "false", (int)('a' + zone), capacity_type);
    if (*capacity_type == 'r')
        text_format(text,
                    ", {key: karpenter.k8s.aws/capacity-reservation-id, operator: In, values: "
                    "[cr-%u-%u]}], reservationCapacity: %u}\n",
                    type, zone, 1 + below(generator, 2));
    else
        text_add(text, "]}\n");
}

// The type's zones and capacity types, and its offerings.
static void generate_offerings(struct generator *generator, uint32_t type, struct text *zones,
                               struct text *capacity_types, struct text *offerings)
{
    static const char *const kinds[] = {"on-demand", "spot", "reserved"};
    static const double factors[] = {0.05, 0.02, 0.001};
    double chances[] = {0.8, 0.6, generator->reserved ? 0.2 : 0};
    uint32_t always = below(generator, generator->zones);
    bool some[ARRAY_LENGTH(kinds)] = {false};
    for (uint32_t zone = 0; zone < generator->zones; zone++) {
        bool here = false;
        for (uint32_t kind = 0; kind < ARRAY_LENGTH(kinds); kind++) {
            bool offered = chance(generator, chances[kind]) || (kind == 0 && zone == always);
            if (offered)
                generate_offering(generator, offerings, type, zone, kinds[kind], factors[kind]);
            here = here || offered;
            some[kind] = some[kind] || offered;
        }
        if (here)
            text_format(zones, "zone-%c, ", (int)('a' + zone));
    }
    for (uint32_t kind = 0; kind < ARRAY_LENGTH(kinds); kind++)
        if (some[kind])
            text_format(capacity_types, "%s, ", kinds[kind]);
}

void generate_catalog(struct generator *generator)
{
    text_add(&generator->text, "---\napiVersion: adze/v1\nkind: InstanceTypeCatalog\nmetadata: "
                               "{name: types}\nspec:\n  instanceTypes:\n");
    for (uint32_t i = 0; i < generator->types; i++) {
        __typeof__(&generator->type[0]) type = &generator->type[i];
        type->cpu = 1u << below(generator, 5);
        type->memory_gi = type->cpu * (1u << (1 + below(generator, 3)));
        type->pods = 3 + below(generator, 5) * type->cpu;
        type->arm = generator->arm && chance(generator, 0.3);
        type->gpu = generator->gpu && chance(generator, 0.3);
        struct text zones = {0}, capacity_types = {0}, offerings = {0};
        generate_offerings(generator, i, &zones, &capacity_types, &offerings);
        text_format(&generator->text,
                    "  - name: t%u\n    requirements:\n"
                    "    - {key: kubernetes.io/arch, operator: In, values: [%s]}\n"
                    "    - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
                    "    - {key: topology.kubernetes.io/zone, operator: In, values: [%s]}\n"
                    "    - {key: karpenter.sh/capacity-type, operator: In, values: [%s]}\n"
                    "    - {key: karpenter.k8s.aws/instance-cpu, operator: In, values: ['%u']}\n"
                    "    - {key: karpenter.k8s.aws/instance-family, operator: In, values: [%s]}\n"
                    "    capacity: {cpu: '%u', memory: %uGi, ephemeral-storage: 20Gi, pods: "
                    "'%u'%s}\n"
                    "    overhead: {kubeReserved: {cpu: 100m, memory: 100Mi}}\n"
                    "    offerings:\n%s",
                    i, type->arm ? "arm64" : "amd64", zones.data, capacity_types.data, type->cpu,
                    PICK(generator, "c", "m", "r"), type->cpu, type->memory_gi, type->pods,
                    type->gpu ? ", example.com/gpu: '2'" : "", offerings.data);
        text_free(&zones);
        text_free(&capacity_types);
        text_free(&offerings);
    }
}

// --- NodePools -----------------------------------------------------------------------------------

static void generate_pool_requirements(struct generator *generator, struct text *text)
{
    const char *operator= PICK(generator, "In", "NotIn"), *bound = PICK(generator, "Gt", "Lt");
    if (chance(generator, 0.2))
        text_format(text, "{key: topology.kubernetes.io/zone, operator: %s, values: [zone-%c]}, ",
                          operator, (int)('a' + below(generator, generator->zones)));
    if (chance(generator, 0.3))
        text_format(text, "{key: karpenter.sh/capacity-type, operator: In, values: [%s]}, ",
                    PICK(generator, "spot", "on-demand", "'spot', 'on-demand'"));
    if (chance(generator, 0.2))
        text_format(text, "{key: karpenter.k8s.aws/instance-cpu, operator: %s, values: ['%s']}, ",
                    bound, PICK(generator, "1", "3", "9"));
    if (chance(generator, 0.15))
        text_format(
            text,
            "{key: karpenter.k8s.aws/instance-family, operator: %s, values: [c]}, ", operator);
    if (generator->racks && chance(generator, 0.7))
        text_format(text, "{key: example.com/rack, operator: In, values: [%s]}, ",
                    PICK(generator, "r1", "'r1', 'r2'", "'r1', 'r2', 'r3'"));
    if (generator->min_values && chance(generator, 0.6))
        text_format(text, "{key: %s, operator: Exists, minValues: 2}, ",
                    PICK(generator, "node.kubernetes.io/instance-type",
                         "karpenter.k8s.aws/instance-family", "topology.kubernetes.io/zone"));
    if (generator->arm && chance(generator, 0.4))
        text_format(text, "{key: kubernetes.io/arch, operator: In, values: [%s]}, ",
                    PICK(generator, "amd64", "arm64"));
}

static void generate_pool(struct generator *generator, uint32_t index)
{
    struct text *text = &generator->text;
    text_format(text,
                "---\n{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool-%u, uid: "
                "pool-%u}, spec: {",
                index, index);
    if (chance(generator, 0.6))
        text_format(text, "weight: %s, ", PICK(generator, "1", "10", "10", "50"));
    if (generator->limits && chance(generator, 0.7))
        text_format(text, "limits: {%s}, ",
                    PICK(generator, "cpu: '8'", "cpu: '20'", "memory: 24Gi", "nodes: '2'",
                         "cpu: '40', nodes: '3'"));
    text_format(text,
                "template: {metadata: {labels: {team: t%u}}, spec: {nodeClassRef: {group: "
                "karpenter.test, kind: TestNodeClass, name: default}, requirements: [",
                index % 2);
    generate_pool_requirements(generator, text);
    text_add(text, "]");
    if (generator->taints && chance(generator, 0.5))
        text_format(text, ", taints: [{key: dedicated, value: d%u, effect: %s}]", index % 2,
                    PICK(generator, "NoSchedule", "NoExecute", "PreferNoSchedule"));
    if (generator->startup && chance(generator, 0.5))
        text_add(text, ", startupTaints: [{key: starting, effect: NoSchedule}]");
    text_add(text, "}}}}\n");
}

void generate_pools(struct generator *generator)
{
    for (uint32_t i = 0; i < generator->pools; i++)
        generate_pool(generator, i);
}

// --- DaemonSets ----------------------------------------------------------------------------------

void generate_daemon_sets(struct generator *generator)
{
    uint32_t count = generator->daemon_sets ? 1 + below(generator, 2) : 0;
    for (uint32_t i = 0; i < count; i++) {
        text_format(&generator->text,
                    "---\n{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: daemon-%u}, "
                    "spec: {selector: {matchLabels: {daemon: d%u}}, template: {metadata: {labels: "
                    "{daemon: d%u}}, spec: {",
                    i, i, i);
        if (chance(generator, 0.3))
            text_format(&generator->text, "nodeSelector: {%s}, ",
                        PICK(generator, "kubernetes.io/arch: amd64",
                             "topology.kubernetes.io/zone: zone-a",
                             "karpenter.sh/capacity-type: spot"));
        if (chance(generator, 0.5))
            text_add(&generator->text, "tolerations: [{operator: Exists}], ");
        bool port = generator->ports && chance(generator, 0.4);
        text_format(&generator->text,
                    "containers: [{name: c, image: i, %sresources: {requests: {cpu: %s, memory: "
                    "64Mi}}}]}}}}\n",
                    port ? "ports: [{containerPort: 8080, hostPort: 8080}], " : "",
                    PICK(generator, "50m", "100m", "400m"));
    }
}
