// The manifests of a soak world (soak_world.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "simulation/soak_world.h"

static const char zones[] = "abcd";

static uint32_t below(struct random *random, uint32_t bound)
{
    return (uint32_t)random_below(random, bound);
}

static void apply(struct soak_world *world, struct text *manifest)
{
    struct error error = {0};
    if (!simulation_apply(world->simulation, manifest->data, &error)) {
        fprintf(stderr, "a soak world's manifest is refused: %s\n%s\n", error.message,
                manifest->data);
        abort();
    }
    text_free(manifest);
}

bool soak_exists(struct soak_world *world, const char *api_version, const char *kind,
                 const char *namespace, const char *name)
{
    struct store *store = simulation_store(world->simulation);
    return store_get(store, store_resource_of_kind(store, api_version, kind), namespace, name) !=
           NULL;
}

void soak_delete(struct soak_world *world, const char *api_version, const char *kind,
                 const char *namespace, const char *name)
{
    struct error error = {0};
    if (soak_exists(world, api_version, kind, namespace, name) &&
        !simulation_delete(world->simulation, api_version, kind, namespace, name, &error))
        soak_say(world, "cannot delete %s %s: %s", kind, name, error.message);
}

void soak_apply_class(struct soak_world *world)
{
    struct text text = {0};
    text_format(&text,
                "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, metadata: {name: "
                "default, annotations: {changed: '%lld'}}}",
                (long long)world->class_changed);
    apply(world, &text);
}

void soak_apply_storage(struct soak_world *world)
{
    struct text text = {0};
    text_add(&text, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, "
                    "provisioner: example.com/disk, volumeBindingMode: WaitForFirstConsumer}");
    apply(world, &text);
}

// --- NodePools -----------------------------------------------------------------------------------

static void add_budgets(struct text *text, struct random *random)
{
    static const char *const nodes[] = {"100%", "50%", "10%", "1", "3", "0"};
    static const char *const reasons[] = {"",
                                          "",
                                          "",
                                          ", reasons: [Empty]",
                                          ", reasons: [Drifted]",
                                          ", reasons: [Underutilized]",
                                          ", reasons: [Underutilized, Drifted]"};
    static const char *const windows[] = {"",
                                          "",
                                          "",
                                          "",
                                          ", schedule: '*/10 * * * *', duration: 4m",
                                          ", schedule: '@hourly', duration: 20m",
                                          ", schedule: '30 0 * * *', duration: 8h",
                                          ", schedule: '5 */2 * * *', duration: 1h30m"};
    uint32_t count = below(random, 4);
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "%s{nodes: '%s'%s%s}", i > 0 ? ", " : "",
                    nodes[below(random, ARRAY_LENGTH(nodes))],
                    reasons[below(random, ARRAY_LENGTH(reasons))],
                    windows[below(random, ARRAY_LENGTH(windows))]);
}

// In the end every pool allows disruption, but not of all nodes at once: many become empty in the
// same moment then.
static void add_disruption(struct text *text, const struct pool *pool, uint32_t index,
                           struct random *random, bool large)
{
    const char *const last_nodes[] = {large ? "10%" : "2", "100%", "25%"};
    static const char *const after[] = {"0s", "0s", "30s", "2m", "5m"};
    if (random == NULL) {
        text_format(text,
                    " disruption: {consolidationPolicy: %s, consolidateAfter: 30s, budgets: "
                    "[{nodes: '%s'}]}",
                    pool->policy, last_nodes[index % ARRAY_LENGTH(last_nodes)]);
        return;
    }
    text_format(text, " disruption: {consolidationPolicy: %s, consolidateAfter: %s, budgets: [",
                pool->policy,
                random_chance(random, 0.1) ? "Never" : after[below(random, ARRAY_LENGTH(after))]);
    add_budgets(text, random);
    text_add(text, "]}");
}

// Without a drawn limit an existing one is removed from the pool.
static void add_limits(struct text *text, const struct pool *pool, struct random *random,
                       bool exists, uint32_t size)
{
    text_add(text, " limits: {");
    if (pool->is_static) {
        if (random != NULL && random_chance(random, 0.4))
            text_format(text, "nodes: '%u'", pool->replicas + below(random, 3));
        else if (exists)
            text_add(text, "nodes: null");
        text_add(text, "},");
        return;
    }
    if (random != NULL && random_chance(random, 0.4))
        text_format(text, "cpu: '%u', ", 4 + below(random, soak_scaled(80, size)));
    else if (exists)
        text_add(text, "cpu: null, ");
    if (random != NULL && random_chance(random, 0.2))
        text_format(text, "memory: %uGi", 16 + below(random, soak_scaled(400, size)));
    else if (exists)
        text_add(text, "memory: null");
    text_add(text, "},");
}

static void add_template(struct text *text, const struct pool *pool, const char *expire_after)
{
    text_format(text,
                " template: {metadata: {labels: {version: v%u}}, spec: {nodeClassRef: {group: "
                "karpenter.kwok.sh, kind: KWOKNodeClass, name: default}, expireAfter: %s,",
                pool->version, expire_after);
    if (pool->grace_period != NULL)
        text_format(text, " terminationGracePeriod: %s,", pool->grace_period);
    if (pool->tainted)
        text_add(text, " taints: [{key: team, value: blue, effect: NoSchedule}],");
    text_add(text, " requirements: [{key: kubernetes.io/os, operator: In, values: [linux]}, "
                   "{key: kubernetes.io/arch, operator: In, values: [amd64]},");
    if (pool->capacity_type != NULL)
        text_format(text, " {key: karpenter.sh/capacity-type, operator: In, values: [%s]},",
                    pool->capacity_type);
    text_format(text, " {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['%u']}]}},",
                pool->cpu_max);
}

void soak_apply_pool(struct soak_world *world, uint32_t index, struct random *random)
{
    const struct pool *pool = &world->pools[index];
    struct text text = {0};
    char name[16];
    snprintf(name, sizeof name, "p%u", index);
    text_format(
        &text, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %s}, spec: {", name);
    if (pool->is_static)
        text_format(&text, " replicas: %u,", pool->replicas);
    else if (pool->weight > 0)
        text_format(&text, " weight: %u,", pool->weight);
    add_limits(&text, pool, random, soak_exists(world, "karpenter.sh/v1", "NodePool", NULL, name),
               world->options.size);
    add_template(&text, pool, random == NULL ? "Never" : pool->expire_after);
    add_disruption(&text, pool, index, random, soak_is_large(world->options.size));
    text_add(&text, "}}");
    apply(world, &text);
}

// --- workloads -----------------------------------------------------------------------------------

static void add_traits(struct text *text, const struct workload *workload, uint32_t index)
{
    if (workload->traits & WORKLOAD_TOLERANT)
        text_add(text, " tolerations: [{key: team, operator: Exists}],");
    if (workload->traits & (WORKLOAD_ONE_ZONE | WORKLOAD_ON_DEMAND)) {
        text_add(text, " nodeSelector: {");
        if (workload->traits & WORKLOAD_ONE_ZONE)
            text_format(text, "topology.kubernetes.io/zone: test-zone-%c, ", zones[workload->zone]);
        if (workload->traits & WORKLOAD_ON_DEMAND)
            text_add(text, "karpenter.sh/capacity-type: on-demand");
        text_add(text, "},");
    }
    if (workload->traits & WORKLOAD_ZONE_SPREAD)
        text_format(text,
                    " topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
                    "topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, "
                    "labelSelector: {matchLabels: {app: d%u}}}],",
                    index);
    if (workload->traits & WORKLOAD_APART)
        text_format(text,
                    " affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: "
                    "d%u}}}]}},",
                    index);
}

static void add_container(struct text *text, int64_t cpu_millicores, int64_t memory_mib)
{
    text_format(
        text,
        " containers: [{name: main, image: pause, resources: {requests: {cpu: %lldm, memory: "
        "%lldMi}}}]",
        (long long)cpu_millicores, (long long)memory_mib);
}

const char *soak_workload_kind(const struct workload *workload)
{
    return workload->traits & WORKLOAD_STATEFUL ? "StatefulSet" : "Deployment";
}

void soak_apply_workload(struct soak_world *world, uint32_t index, uint32_t replicas)
{
    const struct workload *workload = &world->workloads[index];
    bool stateful = workload->traits & WORKLOAD_STATEFUL;
    struct text text = {0};
    text_format(&text,
                "{apiVersion: apps/v1, kind: %s, metadata: {name: d%u, namespace: default}, "
                "spec: {replicas: %u, selector: {matchLabels: {app: d%u}}, template: {metadata: "
                "{labels: {app: d%u}, annotations: {adze.dev/sim-start-seconds: '%lld', "
                "adze.dev/sim-stop-seconds: '%lld'",
                soak_workload_kind(workload), index, replicas, index, index,
                (long long)workload->start_seconds, (long long)workload->stop_seconds);
    if (workload->traits & WORKLOAD_PROTECTED)
        text_format(&text, ", karpenter.sh/do-not-disrupt: '%s'", workload->protection);
    text_add(&text, "}}, spec: { terminationGracePeriodSeconds: 30,");
    add_traits(&text, workload, index);
    add_container(&text, workload->cpu_millicores, workload->memory_mib);
    text_add(&text, "}}");
    if (stateful)
        text_format(
            &text,
            ", serviceName: d%u, podManagementPolicy: %s, volumeClaimTemplates: [{metadata: "
            "{name: data}, spec: {storageClassName: disk, accessModes: [ReadWriteOnce], "
            "resources: {requests: {storage: 1Gi}}}}]",
            index, index % 2 == 0 ? "Parallel" : "OrderedReady");
    text_add(&text, "}}");
    apply(world, &text);
}

void soak_delete_workload(struct soak_world *world, uint32_t index)
{
    char name[16];
    snprintf(name, sizeof name, "d%u", index);
    soak_delete(world, "apps/v1", soak_workload_kind(&world->workloads[index]), "default", name);
}

void soak_apply_daemon_set(struct soak_world *world, uint32_t index)
{
    struct text text = {0};
    text_format(
        &text,
        "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: ds%u, namespace: default}, "
        "spec: {selector: {matchLabels: {daemon: ds%u}}, template: {metadata: {labels: "
        "{daemon: ds%u}}, spec: {",
        index, index, index);
    add_container(&text, 50 + 50 * index, 64);
    text_add(&text, "}}}}");
    apply(world, &text);
}

void soak_apply_job(struct soak_world *world, struct random *random)
{
    struct text text = {0};
    uint32_t pods = 1 + below(random, soak_scaled(6, world->options.size));
    text_format(
        &text,
        "{apiVersion: batch/v1, kind: Job, metadata: {name: j%u, namespace: default}, spec: "
        "{parallelism: %u, completions: %u, backoffLimit: 100, template: {metadata: {labels: "
        "{job: j%u}, annotations: {adze.dev/sim-run-seconds: '%u'%s}}, spec: {restartPolicy: "
        "Never,",
        world->jobs_count, pods, pods, world->jobs_count, 5 + below(random, 400),
        random_chance(random, 0.2) ? ", karpenter.sh/do-not-disrupt: 'true'" : "");
    add_container(&text, 200 + 100 * below(random, 20), 128 + 64 * below(random, 20));
    text_add(&text, "}}}}");
    world->jobs_count++;
    apply(world, &text);
}

static void apply_budget(struct soak_world *world, char form, uint32_t workload, const char *what)
{
    struct text text = {0};
    text_format(
        &text,
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %c%u, namespace: "
        "default}, spec: {selector: {matchLabels: {app: d%u}}, %s}}",
        form, workload, workload, what);
    apply(world, &text);
}

void soak_apply_budget(struct soak_world *world, uint32_t workload, struct random *random)
{
    static const char *const kept[] = {
        "minAvailable: 1",   "minAvailable: 3",     "minAvailable: 60%",    "maxUnavailable: 1",
        "maxUnavailable: 0", "maxUnavailable: 30%", "maxUnavailable: 100%",
    };
    for (const char *form = "bc"; *form != '\0'; form++) { // a second apply could not change it
        char name[16];
        snprintf(name, sizeof name, "%c%u", *form, workload);
        soak_delete(world, "policy/v1", "PodDisruptionBudget", "default", name);
    }
    const char *what =
        kept[random != NULL ? below(random, ARRAY_LENGTH(kept)) : ARRAY_LENGTH(kept) - 1];
    char text[100];
    snprintf(text, sizeof text, "%s%s", what,
             random != NULL && random_chance(random, 0.3)
                 ? ", unhealthyPodEvictionPolicy: AlwaysAllow"
                 : "");
    apply_budget(world, 'b', workload, text);
    if (random != NULL && random_chance(random, 0.1))
        apply_budget(world, 'c', workload, "maxUnavailable: 50%");
}
