#include "bench/bench_synthetic.h"

#include <stdio.h>

#include "bench/bench_builder.h"

#define MEBIBYTE         (INT64_C(1) << 20)
#define GIBIBYTE         (INT64_C(1) << 30)
#define ZONES            3
#define SPOT_ZONES       2
#define PRICE_PER_VCPU   0.1
#define PRICE_PER_10E9   0.1 // for 10^9 bytes of memory
#define PREFERRED_ZONE   "test-zone-1"
#define LABEL_OF_PODS    "my-label"
#define LABEL_OF_FRIENDS "my-affinity"

// --- catalog -----------------------------------------------------------------------------------

static json_t *requirement(const char *key, json_t *values /* stolen */)
{
    return json_pack("{s:s, s:s, s:o}", "key", key, "operator", "In", "values", values);
}

static json_t *offering(int zone, const char *capacity_type, double price)
{
    char name[32];
    snprintf(name, sizeof name, "test-zone-%d", zone);
    return json_pack("{s:[o, o], s:f, s:b}", "requirements",
                     requirement(LABEL_CAPACITY_TYPE, json_pack("[s]", capacity_type)),
                     requirement(LABEL_ZONE, json_pack("[s]", name)), "price", price, "available",
                     1);
}

static json_t *type_offerings(double price)
{
    json_t *offerings = json_array();
    for (int zone = 1; zone <= ZONES; zone++)
        json_array_append_new(offerings, offering(zone, CAPACITY_TYPE_ON_DEMAND, price));
    for (int zone = 1; zone <= SPOT_ZONES; zone++)
        json_array_append_new(offerings, offering(zone, CAPACITY_TYPE_SPOT, price));
    return offerings;
}

static json_t *synthetic_type(uint32_t index)
{
    char name[32], cpu[16], memory[16], pods[16];
    uint32_t vcpus = index + 1;
    double memory_bytes = 2.0 * vcpus * (double)GIBIBYTE;
    snprintf(name, sizeof name, "synthetic-%u", index);
    snprintf(cpu, sizeof cpu, "%u", vcpus);
    snprintf(memory, sizeof memory, "%uGi", 2 * vcpus);
    snprintf(pods, sizeof pods, "%u", 10 * vcpus);
    json_t *requirements =
        json_pack("[o, o, o, o, o]", requirement(LABEL_INSTANCE_TYPE, json_pack("[s]", name)),
                  requirement(LABEL_ARCH, json_pack("[s]", "amd64")),
                  requirement(LABEL_OS, json_pack("[s]", "linux")),
                  requirement(LABEL_ZONE,
                              json_pack("[s, s, s]", "test-zone-1", "test-zone-2", "test-zone-3")),
                  requirement(LABEL_CAPACITY_TYPE,
                              json_pack("[s, s]", CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT)));
    return json_pack("{s:s, s:o, s:{s:s, s:s, s:s}, s:{s:{s:s, s:s}}, s:o}", "name", name,
                     "requirements", requirements, "capacity", "cpu", cpu, "memory", memory, "pods",
                     pods, "overhead", "kubeReserved", "cpu", "100m", "memory", "10Mi", "offerings",
                     type_offerings(PRICE_PER_VCPU * vcpus + PRICE_PER_10E9 * memory_bytes / 1e9));
}

bool bench_add_synthetic_catalog(struct bench_builder *builder, struct error *error)
{
    json_t *types = json_array();
    for (uint32_t i = 0; i < builder->workload->types; i++)
        json_array_append_new(types, synthetic_type(i));
    return bench_add_document(builder,
                              json_pack("{s:s, s:s, s:{s:s}, s:{s:o}}", "apiVersion", "adze/v1",
                                        "kind", "InstanceTypeCatalog", "metadata", "name",
                                        "synthetic", "spec", "instanceTypes", types),
                              error);
}

static bool add_node_pool(struct bench_builder *builder, struct error *error)
{
    return bench_add_document(
        builder,
        json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:{s:{s:{s:s, s:s, s:s}, s:[]}}}}", "apiVersion",
                  "karpenter.sh/v1", "kind", "NodePool", "metadata", "name", "default", "uid",
                  "node-pool-default", "spec", "template", "spec", "nodeClassRef", "group",
                  "karpenter.kwok.sh", "kind", "KWOKNodeClass", "name", "default", "requirements"),
        error);
}

// --- pods ----------------------------------------------------------------------------------------

// One of a..g.
static const char *random_letter(struct bench_builder *builder)
{
    static const char *const letters[] = {"a", "b", "c", "d", "e", "f", "g"};
    return letters[random_below(&builder->random, ARRAY_LENGTH(letters))];
}

static struct pod *sized_pod(struct bench_builder *builder, const char *part, uint32_t index)
{
    static const int64_t cpus[] = {100, 250, 500, 1000, 1500};
    static const int64_t mebibytes[] = {100, 256, 512, 1024, 2048, 4096};
    char name[48];
    snprintf(name, sizeof name, "%s-%u", part, index);
    int64_t cpu_millicores = cpus[random_below(&builder->random, ARRAY_LENGTH(cpus))];
    int64_t memory_mib = mebibytes[random_below(&builder->random, ARRAY_LENGTH(mebibytes))];
    return bench_pod(builder, name, NULL, cpu_millicores, memory_mib * MEBIBYTE);
}

static void add_generic(struct bench_builder *builder, uint32_t index)
{
    struct pod *pod = sized_pod(builder, "generic", index);
    bench_pod_label(builder, pod, LABEL_OF_PODS, random_letter(builder));
    bench_add(builder, (const struct object *)pod);
}

static void add_spread(struct bench_builder *builder, const char *part, uint32_t index,
                       const char *topology_key)
{
    struct pod *pod = sized_pod(builder, part, index);
    bench_pod_label(builder, pod, LABEL_OF_PODS, random_letter(builder));
    bench_pod_spread(builder, pod, topology_key, 1,
                     bench_selector(builder, LABEL_OF_PODS, random_letter(builder)));
    bench_add(builder, (const struct object *)pod);
}

static void add_zonal_spread(struct bench_builder *builder, uint32_t index)
{
    add_spread(builder, "zonal-spread", index, LABEL_ZONE);
}

static void add_hostname_spread(struct bench_builder *builder, uint32_t index)
{
    add_spread(builder, "hostname-spread", index, LABEL_HOSTNAME);
}

static void add_zonal_affinity(struct bench_builder *builder, uint32_t index)
{
    struct pod *pod = sized_pod(builder, "zonal-affinity", index);
    const char *letter = random_letter(builder);
    bench_pod_label(builder, pod, LABEL_OF_FRIENDS, letter);
    bench_pod_affinity(builder, pod, LABEL_ZONE, bench_selector(builder, LABEL_OF_FRIENDS, letter));
    bench_add(builder, (const struct object *)pod);
}

static void add_hostname_anti_affinity(struct bench_builder *builder, uint32_t index)
{
    struct pod *pod = sized_pod(builder, "hostname-anti-affinity", index);
    bench_pod_label(builder, pod, "app", "nginx");
    bench_pod_anti_affinity(builder, pod, LABEL_HOSTNAME, bench_selector(builder, "app", "nginx"));
    bench_add(builder, (const struct object *)pod);
}

static void add_diverse(struct bench_builder *builder, uint32_t pods)
{
    static void (*const parts[])(struct bench_builder *, uint32_t) = {
        add_zonal_spread, add_hostname_spread, add_zonal_affinity, add_hostname_anti_affinity};
    uint32_t fifth = pods / 5;
    for (uint32_t i = 0; i < pods - 4 * fifth; i++) // generic pods make up for the remainder
        add_generic(builder, i);
    for (size_t part = 0; part < ARRAY_LENGTH(parts); part++)
        for (uint32_t i = 0; i < fifth; i++)
            parts[part](builder, i);
}

const struct bench_mix bench_mix_diverse = {
    .name = "diverse",
    .summary = "fifths: generic, zonal and hostname spread, zonal affinity, hostname anti-affinity",
    .add_environment = add_node_pool,
    .add_pods = add_diverse,
};

static void add_preferences(struct bench_builder *builder, uint32_t pods)
{
    for (uint32_t i = 0; i < pods; i++) {
        struct pod *pod = sized_pod(builder, "preference", i);
        bench_pod_label(builder, pod, "app", "nginx");
        bench_pod_prefer_node(builder, pod, 1, LABEL_ZONE, PREFERRED_ZONE);
        bench_pod_prefer_apart(builder, pod, 10, LABEL_ZONE,
                               bench_selector(builder, "app", "nginx"));
        bench_pod_prefer_apart(builder, pod, 1, LABEL_HOSTNAME,
                               bench_selector(builder, "app", "nginx"));
        bench_add(builder, (const struct object *)pod);
    }
}

const struct bench_mix bench_mix_preferences = {
    .name = "preferences",
    .summary = "every pod prefers a zone and to be away from all others: more than can be had",
    .add_environment = add_node_pool,
    .add_pods = add_preferences,
};
