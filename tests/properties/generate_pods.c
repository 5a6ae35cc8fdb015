// Pending pods: workloads of equal pods, each with some of the world's rules.
#include "properties/generate.h"

#include <stdlib.h>
#include <string.h>

#define SELECTOR(app) "labelSelector: {matchLabels: {app: w%u}}", app

// Returns the key; a constraint over `other_than` is not made (the API refuses two of one key).
static const char *generate_spread(struct generator *generator, struct text *spec, uint32_t app,
                                   const char *other_than)
{
    const char *key = PICK(generator, "topology.kubernetes.io/zone", "topology.kubernetes.io/zone",
                           "kubernetes.io/hostname", "karpenter.sh/capacity-type",
                           generator->racks ? "example.com/rack" : "topology.kubernetes.io/zone");
    if (strcmp(key, other_than) == 0)
        return key;
    bool hard = !generator->preferences || chance(generator, 0.7);
    text_format(spec, "{maxSkew: %u, topologyKey: %s, whenUnsatisfiable: %s, ",
                1 + below(generator, 2), key, hard ? "DoNotSchedule" : "ScheduleAnyway");
    if (hard && chance(generator, 0.15))
        text_format(spec, "minDomains: %u, ", 1 + below(generator, 3));
    if (chance(generator, 0.15))
        text_add(spec, "matchLabelKeys: [rev], ");
    if (chance(generator, 0.2))
        text_format(spec, "nodeAffinityPolicy: %s, ", PICK(generator, "Honor", "Ignore"));
    if (chance(generator, 0.2))
        text_format(spec, "nodeTaintsPolicy: %s, ", PICK(generator, "Honor", "Ignore"));
    text_format(spec, SELECTOR(chance(generator, 0.85) ? app : below(generator, 4)));
    text_add(spec, "}, ");
    return key;
}

static void generate_pod_term(struct generator *generator, struct text *spec, uint32_t app)
{
    text_format(spec, "{topologyKey: %s, ",
                PICK(generator, "topology.kubernetes.io/zone", "kubernetes.io/hostname",
                     "kubernetes.io/hostname",
                     generator->racks ? "example.com/rack" : "karpenter.sh/capacity-type"));
    if (generator->namespaces && chance(generator, 0.4))
        text_add(spec, PICK(generator, "namespaceSelector: {}, ",
                            "namespaceSelector: {matchLabels: {team: blue}}, ",
                            "namespaces: [default, other], "));
    text_format(spec, SELECTOR(app));
    text_add(spec, "}");
}

static void generate_pod_terms(struct generator *generator, struct text *affinity, uint32_t app,
                               const char *field)
{
    bool soft = generator->preferences && chance(generator, 0.35);
    text_format(affinity, "%s: {%sDuringSchedulingIgnoredDuringExecution: [", field,
                soft ? "preferred" : "required");
    if (soft)
        text_format(affinity, "{weight: %u, podAffinityTerm: ", 1 + below(generator, 100));
    generate_pod_term(generator, affinity, chance(generator, 0.6) ? app : below(generator, 4));
    text_add(affinity, soft ? "}]}, " : "]}, ");
}

static void generate_expression(struct generator *generator, struct text *text)
{
    const char *operator;
    switch (below(generator, generator->racks ? 6 : 5)) {
    case 0:
        operator= PICK(generator, "In", "In", "NotIn");
        text_format(text, "{key: topology.kubernetes.io/zone, operator: %s, values: [zone-%c]}",
                          operator, (int)('a' + below(generator, generator->zones)));
        break;
    case 1:
        text_format(text, "{key: karpenter.sh/capacity-type, operator: %s, values: [spot]}",
                    PICK(generator, "In", "NotIn"));
        break;
    case 2:
        operator= PICK(generator, "Gt", "Lt");
        text_format(text,
                    "{key: karpenter.k8s.aws/instance-cpu, operator: %s, values: ['%s']}", operator,
                    PICK(generator, "1", "4", "9"));
        break;
    case 3:
        operator= PICK(generator, "In", "NotIn");
        text_format(text, "{key: team, operator: %s, values: [t%u]}", operator,
                    below(generator, 2));
        break;
    case 4:
        text_format(text, "{key: example.com/absent, operator: %s}",
                    PICK(generator, "DoesNotExist", "DoesNotExist", "Exists"));
        break;
    default:
        text_format(text, "{key: example.com/rack, operator: In, values: [%s]}",
                    PICK(generator, "r1", "r2", "'r1', 'r2'"));
        break;
    }
}

static void generate_node_affinity(struct generator *generator, struct text *affinity)
{
    text_add(affinity, "nodeAffinity: {");
    if (generator->node_affinity && chance(generator, 0.5)) {
        text_add(affinity, "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [");
        for (uint32_t i = 0, count = 1 + below(generator, 3); i < count; i++) {
            text_add(affinity, "{matchExpressions: [");
            generate_expression(generator, affinity);
            if (chance(generator, 0.3)) {
                text_add(affinity, ", ");
                generate_expression(generator, affinity);
            }
            text_add(affinity, "]}, ");
        }
        text_add(affinity, "]}, ");
    }
    if (generator->preferences && chance(generator, 0.4)) {
        text_add(affinity, "preferredDuringSchedulingIgnoredDuringExecution: [");
        for (uint32_t i = 0, count = 1 + below(generator, 2); i < count; i++) {
            text_format(affinity, "{weight: %u, preference: {matchExpressions: [",
                        1 + below(generator, 100));
            generate_expression(generator, affinity);
            text_add(affinity, "]}}, ");
        }
        text_add(affinity, "]");
    }
    text_add(affinity, "}, ");
}

void generate_rules(struct generator *generator, struct text *spec, uint32_t app)
{
    if (generator->spreads && chance(generator, 0.6)) {
        text_add(spec, "topologySpreadConstraints: [");
        const char *key = generate_spread(generator, spec, app, "");
        if (chance(generator, 0.3))
            generate_spread(generator, spec, app, key);
        text_add(spec, "], ");
    }
    text_add(spec, "affinity: {");
    generate_node_affinity(generator, spec);
    if (generator->affinity && chance(generator, 0.4))
        generate_pod_terms(generator, spec, app, "podAffinity");
    if (generator->anti_affinity && chance(generator, 0.5))
        generate_pod_terms(generator, spec, app, "podAntiAffinity");
    text_add(spec, "}, ");
    if (chance(generator, 0.15))
        text_format(spec, "nodeSelector: {%s}, ",
                    PICK(generator, "topology.kubernetes.io/zone: zone-a", "team: t0",
                         "karpenter.sh/capacity-type: on-demand",
                         generator->arm ? "kubernetes.io/arch: arm64" : "kubernetes.io/os: linux"));
    if (generator->taints && chance(generator, 0.5))
        text_add(spec, PICK(generator, "tolerations: [{operator: Exists}], ",
                            "tolerations: [{key: dedicated, operator: Exists}], ",
                            "tolerations: [{key: dedicated, value: d0, effect: NoSchedule}], "));
    if (generator->priorities && chance(generator, 0.5))
        text_format(spec, "priority: %u, ", 100 * below(generator, 3));
}

struct workload {
    uint32_t index, app, replicas;
    const char *namespace, *cpu, *memory, *volume; // volume: NULL for none, "" for ephemeral
    bool port, gpu;
    char *rules;
};

static void generate_pod(struct generator *generator, const struct workload *workload, uint32_t at)
{
    struct text *text = &generator->text;
    text_format(text,
                "---\n{apiVersion: v1, kind: Pod, metadata: {name: pod-%u-%u, namespace: %s, uid: "
                "uid-%08x, labels: {app: w%u, rev: '%u'}}, spec: {%s",
                workload->index, at, workload->namespace, (uint32_t)random_next(&generator->random),
                workload->app, workload->index % 2, workload->rules);
    if (workload->volume != NULL && workload->volume[0] != '\0')
        text_format(text, "volumes: [{name: v, persistentVolumeClaim: {claimName: %s}}], ",
                    workload->volume);
    else if (workload->volume != NULL)
        text_add(text, "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: "
                       "{storageClassName: anywhere}}}}], ");
    text_format(text,
                "containers: [{name: c, image: i, %sresources: {requests: {cpu: %s, memory: %s%s}}}"
                "]}}\n",
                workload->port ? "ports: [{containerPort: 80, hostPort: 8080}], " : "",
                workload->cpu, workload->memory, workload->gpu ? ", example.com/gpu: '1'" : "");
    if (workload->volume != NULL && workload->volume[0] == '\0')
        text_format(text,
                    "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: "
                    "pod-%u-%u-v, namespace: %s}, spec: {storageClassName: anywhere}, status: "
                    "{phase: Pending}}\n",
                    workload->index, at, workload->namespace);
}

static struct workload roll_workload(struct generator *generator, uint32_t index)
{
    // One roll per statement: C leaves the order within an expression open.
    struct workload workload = {.index = index};
    workload.app = below(generator, 4);
    workload.replicas = 1 + below(generator, generator->size == WORLD_LARGE ? 24 : 6);
    workload.namespace = generator->namespaces && chance(generator, 0.3) ? "other" : "default";
    workload.cpu = PICK(generator, "100m", "400m", "900m", "1500m", "3");
    workload.memory = PICK(generator, "64Mi", "1Gi", "3Gi");
    workload.port = generator->ports && chance(generator, 0.3);
    workload.gpu = generator->gpu && chance(generator, 0.2);
    if (generator->volumes && workload.namespace[0] == 'd' && chance(generator, 0.5))
        workload.volume = PICK(generator, "bound-0", "bound-1", "bound-2", "late-0", "late-1", "");
    struct text rules = {0};
    generate_rules(generator, &rules, workload.app);
    workload.rules = text_take(&rules);
    return workload;
}

void generate_workloads(struct generator *generator)
{
    uint32_t left = generator->size == WORLD_SMALL ? 6 : UINT32_MAX;
    uint32_t count = 1 + below(generator, generator->size == WORLD_SMALL ? 4 : 6);
    for (uint32_t i = 0; i < count && left > 0; i++) {
        struct workload workload = roll_workload(generator, i);
        for (uint32_t at = 0; at < workload.replicas && left > 0; at++, left--)
            generate_pod(generator, &workload, at);
        free(workload.rules);
    }
}
