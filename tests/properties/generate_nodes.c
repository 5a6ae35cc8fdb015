// Existing Nodes, bound pods, NodeClaims in flight, volumes.
#include "properties/generate.h"

#include <stdio.h>
#include <string.h>

// --- volumes -------------------------------------------------------------------------------------

static void generate_bound_volume(struct generator *generator, uint32_t index)
{
    uint32_t zone = below(generator, generator->zones);
    text_format(&generator->text,
                "---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: volume-%u}, spec: "
                "{csi: {driver: csi.test, volumeHandle: v%u}, accessModes: [ReadWriteMany], "
                "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
                "topology.kubernetes.io/zone, operator: In, values: [zone-%c]}]}",
                index, index, (int)('a' + zone));
    if (chance(generator, 0.3))
        text_format(&generator->text,
                    ", {matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, "
                    "values: [zone-%c]}]}",
                    (int)('a' + below(generator, generator->zones)));
    text_format(&generator->text,
                "]}}}}\n---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: "
                "bound-%u, namespace: default, annotations: {pv.kubernetes.io/bind-completed: "
                "'yes'}}, spec: {volumeName: volume-%u, storageClassName: ''}, status: {phase: "
                "Bound}}\n",
                index, index);
}

void generate_volumes(struct generator *generator)
{
    if (!generator->volumes)
        return;
    for (uint32_t i = 0; i < 3; i++)
        generate_bound_volume(generator, i);
    text_format(&generator->text,
                "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: "
                "anywhere}, provisioner: csi.test, volumeBindingMode: WaitForFirstConsumer}\n"
                "---\n{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: "
                "somewhere}, provisioner: csi.test, volumeBindingMode: WaitForFirstConsumer, "
                "allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, "
                "values: [zone-%c]}]}]}\n",
                (int)('a' + below(generator, generator->zones)));
    for (uint32_t i = 0; i < 2; i++)
        text_format(
            &generator->text,
            "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: late-%u, "
            "namespace: default}, spec: {storageClassName: %s}, status: {phase: Pending}}\n",
            i, i == 0 ? "anywhere" : "somewhere");
}

// --- nodes ---------------------------------------------------------------------------------------

struct machine {
    uint32_t index, type, pool;
    char zone;
    const char *capacity_type;
    bool managed, registered, initialized;
    char capacity[160], allocatable[160], labels[600];
};

static struct machine roll_machine(struct generator *generator, uint32_t index)
{
    struct machine machine = {.index = index};
    machine.type = below(generator, generator->types);
    machine.pool = below(generator, generator->pools);
    machine.zone = (char)('a' + below(generator, generator->zones + (index == 0)));
    machine.capacity_type = PICK(generator, "on-demand", "spot");
    machine.managed = chance(generator, 0.7);
    machine.registered = !machine.managed || chance(generator, 0.8);
    machine.initialized = !machine.managed || (machine.registered && chance(generator, 0.85));
    __typeof__(&generator->type[0]) type = &generator->type[machine.type];
    const char *gpu = type->gpu ? ", example.com/gpu: '2'" : "";
    snprintf(machine.capacity, sizeof machine.capacity,
             "cpu: '%u', memory: %uGi, ephemeral-storage: 20Gi, pods: '%u'%s", type->cpu,
             type->memory_gi, type->pods, gpu);
    snprintf(machine.allocatable, sizeof machine.allocatable,
             "cpu: %um, memory: %uMi, ephemeral-storage: 20Gi, pods: '%u'%s",
             1000 * type->cpu - 100, 1024 * type->memory_gi - 100, type->pods, gpu);
    snprintf(machine.labels, sizeof machine.labels,
             "topology.kubernetes.io/zone: zone-%c, kubernetes.io/arch: %s, kubernetes.io/os: "
             "linux",
             machine.zone, type->arm ? "arm64" : "amd64");
    return machine;
}

static void add_pool_labels(struct generator *generator, struct machine *machine)
{
    size_t length = strlen(machine->labels);
    snprintf(machine->labels + length, sizeof machine->labels - length,
             ", karpenter.sh/nodepool: pool-%u, karpenter.sh/capacity-type: %s, "
             "node.kubernetes.io/instance-type: t%u, karpenter.k8s.aws/instance-cpu: '%u', team: "
             "t%u%s",
             machine->pool, machine->capacity_type, machine->type,
             generator->type[machine->type].cpu, machine->pool % 2,
             generator->racks && chance(generator, 0.6) ? ", example.com/rack: r1" : "");
}

static void write_claim(struct generator *generator, const struct machine *machine)
{
    text_format(&generator->text,
                "---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: claim-%u, "
                "labels: {%s}}, spec: {nodeClassRef: {group: karpenter.test, kind: TestNodeClass, "
                "name: default}, requirements: [], startupTaints: [{key: starting, effect: "
                "NoSchedule}]}, status: {providerID: 'test:%u', capacity: {%s}, allocatable: {%s}, "
                "conditions: [{type: Launched, status: 'True', reason: Launched, "
                "lastTransitionTime: '2025-12-31T00:00:00Z'}]}}\n",
                machine->index, machine->labels, machine->index, machine->capacity,
                machine->allocatable);
}

static void write_node(struct generator *generator, const struct machine *machine)
{
    struct text *text = &generator->text;
    text_format(text,
                "---\n{apiVersion: v1, kind: Node, metadata: {name: node-%u, labels: "
                "{kubernetes.io/hostname: node-%u, %s%s%s}}, spec: {providerID: 'test:%u', taints: "
                "[",
                machine->index, machine->index, machine->labels,
                machine->managed ? ", karpenter.sh/registered: 'true'" : "",
                machine->managed && machine->initialized ? ", karpenter.sh/initialized: 'true'"
                                                         : "",
                machine->index);
    if (!machine->initialized)
        text_add(text, "{key: starting, effect: NoSchedule}, "
                       "{key: node.kubernetes.io/not-ready, effect: NoSchedule}, ");
    if (generator->taints && chance(generator, 0.3))
        text_format(text, "{key: dedicated, value: d0, effect: %s}",
                    PICK(generator, "NoSchedule", "NoExecute", "PreferNoSchedule"));
    text_format(text, "]%s}, status: {capacity: {%s}, allocatable: {%s}}}\n",
                chance(generator, 0.07) ? ", unschedulable: true" : "", machine->capacity,
                machine->allocatable);
    if (generator->volumes && chance(generator, 0.5))
        text_format(
            text,
            "---\n{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: "
            "node-%u}, spec: {drivers: [{name: csi.test, nodeID: node, allocatable: {count: "
            "%u}}]}}\n",
            machine->index, 1 + below(generator, 2));
}

static void write_bound_pods(struct generator *generator, const struct machine *machine)
{
    uint32_t room = generator->type[machine->type].cpu > 1 ? 3 : 1;
    for (uint32_t i = 0, count = below(generator, room + 1); i < count; i++) {
        uint32_t app = below(generator, 4);
        struct text rules = {0};
        if (generator->anti_affinity && chance(generator, 0.3)) {
            const char *key =
                PICK(generator, "kubernetes.io/hostname", "topology.kubernetes.io/zone");
            text_format(&rules,
                        "affinity: {podAntiAffinity: "
                        "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: %s, "
                        "labelSelector: {matchLabels: {app: w%u}}}]}}, ",
                        key, below(generator, 4));
        }
        text_format(&generator->text,
                    "---\n{apiVersion: v1, kind: Pod, metadata: {name: bound-%u-%u, namespace: "
                    "default, uid: bound-%u-%u, labels: {app: w%u, rev: '1'}}, spec: {nodeName: "
                    "node-%u, %scontainers: [{name: c, image: i, resources: {requests: {cpu: %s}}}]"
                    "}, status: {phase: Running}}\n",
                    machine->index, i, machine->index, i, app, machine->index,
                    rules.data != NULL ? rules.data : "", PICK(generator, "100m", "250m"));
        text_free(&rules);
    }
}

void generate_nodes(struct generator *generator)
{
    for (uint32_t i = 0; i < generator->nodes; i++) {
        struct machine machine = roll_machine(generator, i);
        if (machine.managed) {
            add_pool_labels(generator, &machine);
            write_claim(generator, &machine);
        }
        if (!machine.registered)
            continue;
        write_node(generator, &machine);
        write_bound_pods(generator, &machine);
    }
}
