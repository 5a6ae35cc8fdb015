#include "simulation/soak_world.h"

#include <stdio.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"

static const char zones[] = "abcd";

// --- drawing
// -----------------------------------------------------------------------------------------

static uint32_t below(struct random *random, uint32_t bound)
{
    return (uint32_t)random_below(random, bound);
}

static void draw_workload(struct workload *workload, struct random *random, uint32_t size)
{
    static const int64_t cpus[] = {100, 250, 500, 1000, 1500, 2000, 3500};
    static const int64_t memories[] = {64, 256, 512, 1024, 2048, 6144};
    *workload = (struct workload){
        .cpu_millicores = cpus[below(random, ARRAY_LENGTH(cpus))],
        .memory_mib = memories[below(random, ARRAY_LENGTH(memories))],
        .replicas_max = 1 + below(random, 12 * size),
        .start_seconds = random_chance(random, 0.2) ? below(random, 30) : 2,
        .stop_seconds = random_chance(random, 0.3) ? below(random, 40) : 1,
        .zone = below(random, 4),
    };
    static const double chances[] = {0.2, 0.15, 0.15, 0.3, 0.1, 0.15};
    for (size_t i = 0; i < ARRAY_LENGTH(chances); i++)
        if (random_chance(random, chances[i]))
            workload->traits |= 1U << i;
    if (workload->traits & WORKLOAD_APART && workload->replicas_max > 8)
        workload->replicas_max = 8;
}

static void draw_pool(struct pool *pool, struct random *random, uint32_t index)
{
    static const char *const lives[] = {"Never", "7m", "20m", "1h", "3h"};
    *pool = (struct pool){
        .weight = below(random, 3) * 10,
        .cpu_max = random_chance(random, 0.5) ? 9 : 17,
        .expire_after = lives[random_chance(random, 0.5) ? 0 : below(random, ARRAY_LENGTH(lives))],
        .grace_period = random_chance(random, 0.3) ? "90s" : NULL,
    };
    pool->tainted = index > 0 && random_chance(random, 0.4);
    pool->on_demand = index > 0 && random_chance(random, 0.3);
}

static double maybe(struct random *random, double rate)
{
    return random_chance(random, 0.6) ? rate * random_unit(random) : 0;
}

static void draw_faults(struct soak_world *world, struct random *random)
{
    struct sim_faults faults = {
        .internal_error = maybe(random, 0.05),
        .too_many_requests = maybe(random, 0.05),
        .conflict = maybe(random, 0.1),
        .lost_request = maybe(random, 0.02),
        .lost_answer = maybe(random, 0.02),
        .reset = maybe(random, 0.04),
        .watch_refused = maybe(random, 0.2),
        .watch_dropped = maybe(random, 0.02),
        .watch_gap = maybe(random, 0.01),
        .watch_stalled = maybe(random, 0.005),
    };
    double cloud = maybe(random, 0.25), boot = maybe(random, 0.15);
    bool faithful = random_chance(random, 0.5);
    uint32_t without = world->options.without;
    if (faithful || without & SOAK_WITHOUT_WATCH)
        faults.watch_refused = faults.watch_dropped = faults.watch_gap = faults.watch_stalled = 0;
    if (without & SOAK_WITHOUT_API)
        faults = (struct sim_faults){.watch_refused = faults.watch_refused,
                                     .watch_dropped = faults.watch_dropped,
                                     .watch_gap = faults.watch_gap,
                                     .watch_stalled = faults.watch_stalled};
    if (random_chance(random, 0.15)) // a world without any trouble but people
        faults = (struct sim_faults){0}, cloud = boot = 0;
    world->api_faults = faults;
    world->cloud_fault_rate = without & SOAK_WITHOUT_CLOUD ? 0 : cloud;
    world->boot_fault_rate = without & SOAK_WITHOUT_MACHINE ? 0 : boot;
}

void soak_world_draw(struct soak_world *world, struct random *random)
{
    uint32_t size = world->options.size;
    world->pools_count = 1 + below(random, SOAK_POOLS_MAX);
    world->workloads_count = 2 + below(random, size < 4 ? 3 + 3 * size : SOAK_WORKLOADS_MAX - 2);
    world->daemon_sets_count = below(random, SOAK_DAEMON_SETS_MAX + 1);
    for (uint32_t i = 0; i < world->pools_count; i++)
        draw_pool(&world->pools[i], random, i);
    for (uint32_t i = 0; i < world->workloads_count; i++)
        draw_workload(&world->workloads[i], random, size);
    draw_faults(world, random);
}

// --- manifests
// ---------------------------------------------------------------------------------------

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
    text_add(&text, "{apiVersion: karpenter.kwok.sh/v1alpha1, kind: KWOKNodeClass, "
                    "metadata: {name: default}}");
    apply(world, &text);
}

// In the end every pool lets its nodes go, but not all of them at once: many become empty in the
// same moment then.
static void add_disruption(struct text *text, uint32_t index, struct random *random)
{
    static const char *const last_nodes[] = {"2", "100%", "25%"};
    static const char *const nodes[] = {"100%", "50%", "10%", "1", "3", "0"};
    static const char *const reasons[] = {"", ", reasons: [Empty]", ", reasons: [Drifted]"};
    static const char *const after[] = {"0s", "15s", "30s", "2m", "5m"};
    if (random == NULL) {
        text_format(text,
                    " disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s, budgets: "
                    "[{nodes: '%s'}]}",
                    last_nodes[index % ARRAY_LENGTH(last_nodes)]);
        return;
    }
    text_format(text, " disruption: {consolidationPolicy: %s, consolidateAfter: %s, budgets: [",
                random_chance(random, 0.5) ? "WhenEmpty" : "WhenEmptyOrUnderutilized",
                random_chance(random, 0.1) ? "Never" : after[below(random, ARRAY_LENGTH(after))]);
    uint32_t count = 1 + below(random, 2);
    for (uint32_t i = 0; i < count; i++)
        text_format(text, "%s{nodes: '%s'%s}", i > 0 ? ", " : "",
                    nodes[below(random, ARRAY_LENGTH(nodes))],
                    reasons[below(random, ARRAY_LENGTH(reasons))]);
    text_add(text, "]}");
}

// A limit that is not drawn is taken away from a pool that has it.
static void add_limits(struct text *text, struct random *random, bool exists)
{
    text_add(text, " limits: {");
    if (random != NULL && random_chance(random, 0.4))
        text_format(text, "cpu: '%u', ", 4 + below(random, 80));
    else if (exists)
        text_add(text, "cpu: null, ");
    if (random != NULL && random_chance(random, 0.2))
        text_format(text, "memory: %uGi", 16 + below(random, 400));
    else if (exists)
        text_add(text, "memory: null");
    text_add(text, "},");
}

void soak_apply_pool(struct soak_world *world, uint32_t index, struct random *random)
{
    const struct pool *pool = &world->pools[index];
    struct text text = {0};
    char name[16];
    snprintf(name, sizeof name, "p%u", index);
    text_format(
        &text, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %s}, spec: {", name);
    if (pool->weight > 0)
        text_format(&text, " weight: %u,", pool->weight);
    add_limits(&text, random, soak_exists(world, "karpenter.sh/v1", "NodePool", NULL, name));
    text_format(&text,
                " template: {spec: {nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, "
                "name: default}, expireAfter: %s,",
                random == NULL ? "Never" : pool->expire_after);
    if (pool->grace_period != NULL)
        text_format(&text, " terminationGracePeriod: %s,", pool->grace_period);
    if (pool->tainted)
        text_add(&text, " taints: [{key: team, value: blue, effect: NoSchedule}],");
    text_add(&text, " requirements: [{key: kubernetes.io/os, operator: In, values: [linux]}, "
                    "{key: kubernetes.io/arch, operator: In, values: [amd64]},");
    if (pool->on_demand)
        text_add(&text, " {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]},");
    text_format(&text, " {key: karpenter.kwok.sh/instance-cpu, operator: Lt, values: ['%u']}]}},",
                pool->cpu_max);
    add_disruption(&text, index, random);
    text_add(&text, "}}");
    apply(world, &text);
}

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

void soak_apply_workload(struct soak_world *world, uint32_t index, uint32_t replicas)
{
    const struct workload *workload = &world->workloads[index];
    struct text text = {0};
    text_format(
        &text,
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d%u, namespace: default}, "
        "spec: {replicas: %u, selector: {matchLabels: {app: d%u}}, template: {metadata: "
        "{labels: {app: d%u}, annotations: {adze.dev/sim-start-seconds: '%lld', "
        "adze.dev/sim-stop-seconds: '%lld'",
        index, replicas, index, index, (long long)workload->start_seconds,
        (long long)workload->stop_seconds);
    if (workload->traits & WORKLOAD_PROTECTED)
        text_add(&text, ", karpenter.sh/do-not-disrupt: 'true'");
    text_add(&text, "}}, spec: { terminationGracePeriodSeconds: 30,");
    add_traits(&text, workload, index);
    add_container(&text, workload->cpu_millicores, workload->memory_mib);
    text_add(&text, "}}}}");
    apply(world, &text);
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
    uint32_t pods = 1 + below(random, 6 * world->options.size);
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

void soak_apply_budget(struct soak_world *world, uint32_t workload, struct random *random)
{
    static const char *const kept[] = {
        "minAvailable: 1",   "minAvailable: 3",     "minAvailable: 60%",    "maxUnavailable: 1",
        "maxUnavailable: 0", "maxUnavailable: 30%", "maxUnavailable: 100%",
    };
    struct text text = {0};
    char name[16];
    snprintf(name, sizeof name, "b%u", workload);
    soak_delete(world, "policy/v1", "PodDisruptionBudget", "default", name); // of either form
    size_t which = random != NULL ? below(random, ARRAY_LENGTH(kept)) : ARRAY_LENGTH(kept) - 1;
    text_format(
        &text,
        "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b%u, namespace: "
        "default}, spec: {selector: {matchLabels: {app: d%u}}, %s}}",
        workload, workload, kept[which]);
    apply(world, &text);
}
