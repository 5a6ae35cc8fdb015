#include "bench/bench_priced.h"

#include <stdio.h>

#include "bench/bench_builder.h"
#include "cloud/aws/types/built_in_types.h"

#define MEBIBYTE INT64_C(1048576)
// Replicas of a deployment with anti-affinity or a spread over nodes: each costs a node.
#define APART_REPLICAS_MAX 8
#define BATCH_TAINT        "dedicated"
#define LABEL_FAMILY       "karpenter.k8s.aws/instance-family"
#define LABEL_GENERATION   "karpenter.k8s.aws/instance-generation"

bool bench_add_ec2_catalog(struct bench_builder *builder, struct error *error)
{
    // The same share for all types, so that measurements compare from one list of prices to the
    // next.
    const struct ec2_catalog_options options = {.memory_overhead_fraction = -1,
                                                .spot_share = EC2_SPOT_SHARE};
    const struct instance_type_catalog *catalog = ec2_catalog_create(&options, error);
    if (catalog == NULL)
        return false;
    snapshot_add(builder->snapshot, (const struct object *)catalog);
    object_release((const struct object *)catalog);
    return true;
}

// --- deployments ---------------------------------------------------------------------------------

struct shape { // the requests of a kind of application's pods
    const char *name;
    uint32_t replicas_min, replicas_max;
    int64_t cpus_millicores[6];     // one of these, 0-terminated
    int64_t memory_mib_per_vcpu[4]; // times one of these, 0-terminated
    int64_t memory_min_mib;
};
static const struct shape shape_web = {
    .name = "web",
    .replicas_min = 2,
    .replicas_max = 40,
    .cpus_millicores = {100, 200, 250, 500, 1000},
    .memory_mib_per_vcpu = {1024, 2048, 4096},
    .memory_min_mib = 128,
};
static const struct shape shape_batch = {
    .name = "batch",
    .replicas_min = 20,
    .replicas_max = 200,
    .cpus_millicores = {500, 1000, 2000, 4000, 7500},
    .memory_mib_per_vcpu = {1024, 2048, 3072},
    .memory_min_mib = 512,
};
static const struct shape shape_memory_heavy = {
    .name = "memory",
    .replicas_min = 2,
    .replicas_max = 30,
    .cpus_millicores = {250, 500, 1000, 2000},
    .memory_mib_per_vcpu = {7168, 10240, 16384},
    .memory_min_mib = 2048,
};

struct application {
    char name[48];
    uint32_t replicas;
    int64_t cpu_millicores, memory_bytes;
};

static int64_t one_of(struct random *random, const int64_t *values, uint32_t limit)
{
    uint32_t count = 0;
    while (count < limit && values[count] != 0)
        count++;
    return values[random_below(random, count)];
}

static struct application draw_application(struct bench_builder *builder, const struct shape *shape,
                                           uint32_t index)
{
    struct random *random = &builder->random;
    struct application result = {0};
    snprintf(result.name, sizeof result.name, "%s-%u", shape->name, index);
    result.replicas = shape->replicas_min +
                      (uint32_t)random_below(random, shape->replicas_max - shape->replicas_min + 1);
    result.cpu_millicores =
        one_of(random, shape->cpus_millicores, ARRAY_LENGTH(shape->cpus_millicores));
    int64_t memory_mib =
        result.cpu_millicores *
        one_of(random, shape->memory_mib_per_vcpu, ARRAY_LENGTH(shape->memory_mib_per_vcpu)) / 1000;
    if (memory_mib < shape->memory_min_mib)
        memory_mib = shape->memory_min_mib;
    // Half of the applications have measured requests, which are not round numbers.
    if (random_chance(random, 0.5)) {
        result.cpu_millicores += (int64_t)random_below(random, 10) * result.cpu_millicores / 50;
        memory_mib += (int64_t)random_below(random, 8) * memory_mib / 32;
    }
    result.memory_bytes = memory_mib * MEBIBYTE;
    return result;
}

static struct pod *replica(struct bench_builder *builder, const struct application *application,
                           uint32_t index)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%u", application->name, index);
    struct pod *pod = bench_pod(builder, name, application->name, application->cpu_millicores,
                                application->memory_bytes);
    bench_pod_label(builder, pod, "app", application->name);
    return pod;
}

// --- unconstrained mixes -------------------------------------------------------------------------

// Deployments of the shapes chosen by `choose`, until there are `pods` pods.
static void add_applications(struct bench_builder *builder, uint32_t pods,
                             const struct shape *(*choose)(struct random *random))
{
    for (uint32_t made = 0, index = 0; made < pods; index++) {
        struct application application = draw_application(builder, choose(&builder->random), index);
        if (application.replicas > pods - made)
            application.replicas = pods - made;
        for (uint32_t i = 0; i < application.replicas; i++)
            bench_add(builder, (const struct object *)replica(builder, &application, i));
        made += application.replicas;
    }
}

static const struct shape *choose_web(struct random *random)
{
    (void)random;
    return &shape_web;
}

static const struct shape *choose_batch(struct random *random)
{
    (void)random;
    return &shape_batch;
}

static const struct shape *choose_memory_heavy(struct random *random)
{
    (void)random;
    return &shape_memory_heavy;
}

static const struct shape *choose_mixed(struct random *random)
{
    uint64_t dice = random_below(random, 100);
    return dice < 65 ? &shape_web : dice < 80 ? &shape_batch : &shape_memory_heavy;
}

static void add_web(struct bench_builder *builder, uint32_t pods)
{
    add_applications(builder, pods, choose_web);
}

static void add_batch(struct bench_builder *builder, uint32_t pods)
{
    add_applications(builder, pods, choose_batch);
}

static void add_memory_heavy(struct bench_builder *builder, uint32_t pods)
{
    add_applications(builder, pods, choose_memory_heavy);
}

static void add_mixed(struct bench_builder *builder, uint32_t pods)
{
    add_applications(builder, pods, choose_mixed);
}

// --- constrained ---------------------------------------------------------------------------------

// The node selection of a deployment's pods.
enum placement {
    ANYWHERE,
    ARM64,
    AMD64,
    FAMILIES,
    NEW_GENERATION,
    SPOT,
    ONE_ZONE,
    PLACEMENT_COUNT
};
// The arrangement of a deployment's pods relative to each other.
enum arrangement { FREELY, OVER_ZONES, OVER_ZONES_AND_NODES, APART, TOGETHER, ARRANGEMENT_COUNT };

struct constraints {
    enum placement placement;
    enum arrangement arrangement;
    bool tolerates_batch;
};

// An index by weights that add up to 100.
static uint32_t draw(struct random *random, const uint8_t *weights, uint32_t count)
{
    uint64_t dice = random_below(random, 100);
    for (uint32_t i = 0; i < count; i++) {
        if (dice < weights[i])
            return i;
        dice -= weights[i];
    }
    return 0;
}

static struct constraints draw_constraints(struct random *random)
{
    static const uint8_t placements[PLACEMENT_COUNT] = {
        [ANYWHERE] = 45,      [ARM64] = 15, [AMD64] = 10,   [FAMILIES] = 10,
        [NEW_GENERATION] = 5, [SPOT] = 8,   [ONE_ZONE] = 7,
    };
    static const uint8_t arrangements[ARRANGEMENT_COUNT] = {
        [FREELY] = 45, [OVER_ZONES] = 25, [OVER_ZONES_AND_NODES] = 8, [APART] = 14, [TOGETHER] = 8,
    };
    struct constraints result;
    result.placement = (enum placement)draw(random, placements, PLACEMENT_COUNT);
    result.arrangement = (enum arrangement)draw(random, arrangements, ARRANGEMENT_COUNT);
    result.tolerates_batch = random_chance(random, 0.15);
    return result;
}

static void constrain_placement(struct bench_builder *builder, struct pod *pod,
                                enum placement placement)
{
    static const char *const families[] = {"m5", "m6i", "m7i", "c6i", "r6i", NULL};
    static const char *const generation[] = {"5", NULL};
    switch (placement) {
    case ARM64:
        bench_pod_node_selector(builder, pod, LABEL_ARCH, "arm64");
        break;
    case AMD64:
        bench_pod_node_selector(builder, pod, LABEL_ARCH, "amd64");
        break;
    case FAMILIES:
        bench_pod_require_node(builder, pod, LABEL_FAMILY, "In", families);
        break;
    case NEW_GENERATION:
        bench_pod_require_node(builder, pod, LABEL_GENERATION, "Gt", generation);
        break;
    case SPOT:
        bench_pod_node_selector(builder, pod, LABEL_CAPACITY_TYPE, CAPACITY_TYPE_SPOT);
        break;
    case ONE_ZONE:
        bench_pod_node_selector(builder, pod, LABEL_ZONE, "us-east-1b");
        break;
    case ANYWHERE:
    case PLACEMENT_COUNT:
        break;
    }
}

static void constrain_arrangement(struct bench_builder *builder, struct pod *pod, const char *app,
                                  const struct constraints *constraints)
{
    struct label_selector *self = bench_selector(builder, "app", app);
    // Pods of one zone cannot spread over zones; the rule would be void, not hard.
    bool many_zones = constraints->placement != ONE_ZONE;
    switch (constraints->arrangement) {
    case OVER_ZONES_AND_NODES:
        bench_pod_spread(builder, pod, LABEL_HOSTNAME, 2, self);
        if (many_zones)
            bench_pod_spread(builder, pod, LABEL_ZONE, 1, self);
        break;
    case OVER_ZONES:
        if (many_zones)
            bench_pod_spread(builder, pod, LABEL_ZONE, 1, self);
        break;
    case APART:
        bench_pod_anti_affinity(builder, pod, LABEL_HOSTNAME, self);
        break;
    case TOGETHER:
        bench_pod_affinity(builder, pod, LABEL_ZONE, self);
        break;
    case FREELY:
    case ARRANGEMENT_COUNT:
        break;
    }
}

static void add_constrained_application(struct bench_builder *builder,
                                        const struct application *application,
                                        const struct constraints *constraints)
{
    for (uint32_t i = 0; i < application->replicas; i++) {
        struct pod *pod = replica(builder, application, i);
        constrain_placement(builder, pod, constraints->placement);
        constrain_arrangement(builder, pod, application->name, constraints);
        if (constraints->tolerates_batch)
            bench_pod_tolerate(builder, pod, BATCH_TAINT, "batch");
        bench_add(builder, (const struct object *)pod);
    }
}

static void add_constrained(struct bench_builder *builder, uint32_t pods)
{
    for (uint32_t made = 0, index = 0; made < pods; index++) {
        struct application application =
            draw_application(builder, choose_mixed(&builder->random), index);
        struct constraints constraints = draw_constraints(&builder->random);
        bool apart =
            constraints.arrangement == APART || constraints.arrangement == OVER_ZONES_AND_NODES;
        if (apart && application.replicas > APART_REPLICAS_MAX)
            application.replicas = APART_REPLICAS_MAX;
        if (application.replicas > pods - made)
            application.replicas = pods - made;
        add_constrained_application(builder, &application, &constraints);
        made += application.replicas;
    }
}

// --- environments --------------------------------------------------------------------------------

struct pool {
    const char *name;
    int weight;                        // 0: none
    const char *requirements, *taints; // JSON
};

static bool add_pool(struct bench_builder *builder, const struct pool *pool, struct error *error)
{
    json_t *document = json_pack(
        "{s:s, s:s, s:{s:s, s:s}, s:{s:{s:{s:{s:s, s:s, s:s}, s:o}}}}", "apiVersion",
        "karpenter.sh/v1", "kind", "NodePool", "metadata", "name", pool->name, "uid", pool->name,
        "spec", "template", "spec", "nodeClassRef", "group", "karpenter.k8s.aws", "kind",
        "EC2NodeClass", "name", "default", "requirements", json_loads(pool->requirements, 0, NULL));
    json_t *spec = json_object_get(document, "spec");
    if (pool->weight != 0)
        json_object_set_new(spec, "weight", json_integer(pool->weight));
    if (pool->taints != NULL)
        json_object_set_new(json_object_get(json_object_get(spec, "template"), "spec"), "taints",
                            json_loads(pool->taints, 0, NULL));
    return bench_add_document(builder, document, error);
}

// The contents of the catalog, as NodePool requirements.
#define LINUX "{\"key\": \"kubernetes.io/os\", \"operator\": \"In\", \"values\": [\"linux\"]}"
#define ON_DEMAND \
    "{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"on-demand\"]}"
#define SPOT_ONLY \
    "{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\", \"values\": [\"spot\"]}"
#define EITHER_CAPACITY                                               \
    "{\"key\": \"karpenter.sh/capacity-type\", \"operator\": \"In\"," \
    " \"values\": [\"on-demand\", \"spot\"]}"
#define ARCH(values) \
    "{\"key\": \"kubernetes.io/arch\", \"operator\": \"In\", \"values\": [" values "]}"
#define CATEGORIES                                                             \
    "{\"key\": \"karpenter.k8s.aws/instance-category\", \"operator\": \"In\"," \
    " \"values\": [\"c\", \"m\", \"r\"]}"

static bool add_one_pool(struct bench_builder *builder, struct error *error)
{
    static const struct pool pool = {"default", 0, "[" LINUX ", " ON_DEMAND "]", NULL};
    return add_pool(builder, &pool, error);
}

static bool add_daemon_set(struct bench_builder *builder, const char *name, const char *cpu,
                           const char *memory, const char *pod_spec, struct error *error)
{
    json_t *spec = json_loads(pod_spec, 0, NULL);
    json_object_set_new(spec, "containers",
                        json_pack("[{s:s, s:s, s:{s:{s:s, s:s}}}]", "name", "main", "image",
                                  "pause", "resources", "requests", "cpu", cpu, "memory", memory));
    return bench_add_document(
        builder,
        json_pack("{s:s, s:s, s:{s:s, s:s, s:s}, s:{s:{s:{s:s}}, s:{s:{s:{s:s}}, s:o}}}",
                  "apiVersion", "apps/v1", "kind", "DaemonSet", "metadata", "name", name,
                  "namespace", "kube-system", "uid", name, "spec", "selector", "matchLabels", "app",
                  name, "template", "metadata", "labels", "app", name, "spec", spec),
        error);
}

static bool add_constrained_environment(struct bench_builder *builder, struct error *error)
{
    static const struct pool pools[] = {
        {"general", 0, "[" LINUX ", " EITHER_CAPACITY ", " ARCH("\"amd64\", \"arm64\"") "]", NULL},
        {"graviton", 10, "[" LINUX ", " EITHER_CAPACITY ", " CATEGORIES ", " ARCH("\"arm64\"") "]",
         "[{\"key\": \"arch\", \"value\": \"arm64\", \"effect\": \"PreferNoSchedule\"}]"},
        {"batch", 50, "[" LINUX ", " SPOT_ONLY ", " CATEGORIES "]",
         "[{\"key\": \"dedicated\", \"value\": \"batch\", \"effect\": \"NoSchedule\"}]"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(pools); i++)
        if (!add_pool(builder, &pools[i], error))
            return false;
    return add_daemon_set(builder, "node-agent", "100m", "200Mi",
                          "{\"tolerations\": [{\"operator\": \"Exists\"}]}", error) &&
           add_daemon_set(builder, "profiler", "50m", "150Mi",
                          "{\"nodeSelector\": {\"kubernetes.io/arch\": \"amd64\"}}", error);
}

const struct bench_mix bench_mix_web = {
    .name = "web",
    .summary = "small deployments, 1 to 4 GiB of memory per vCPU",
    .priced = true,
    .resources_only = true,
    .add_environment = add_one_pool,
    .add_pods = add_web,
};
const struct bench_mix bench_mix_batch = {
    .name = "batch",
    .summary = "few large jobs of 0.5 to 7.5 vCPU a pod",
    .priced = true,
    .resources_only = true,
    .add_environment = add_one_pool,
    .add_pods = add_batch,
};
const struct bench_mix bench_mix_memory_heavy = {
    .name = "memory-heavy",
    .summary = "deployments with 7 to 16 GiB of memory per vCPU",
    .priced = true,
    .resources_only = true,
    .add_environment = add_one_pool,
    .add_pods = add_memory_heavy,
};
const struct bench_mix bench_mix_mixed = {
    .name = "mixed",
    .summary = "deployments of the three kinds",
    .priced = true,
    .resources_only = true,
    .add_environment = add_one_pool,
    .add_pods = add_mixed,
};
const struct bench_mix bench_mix_constrained = {
    .name = "constrained",
    .summary = "mixed, with selectors, spread, affinity, taints, DaemonSets and three NodePools",
    .priced = true,
    .add_environment = add_constrained_environment,
    .add_pods = add_constrained,
};
