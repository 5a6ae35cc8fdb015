#include "cloud/aws/types/built_in_types.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/types/ec2_facts.h"
#include "cloud/aws/types/ec2_offerings.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"

#define PREFIX           "karpenter.k8s.aws/"
#define MEBIBYTE         (INT64_C(1) << 20)
#define GIBIBYTE         (INT64_C(1) << 30)
#define REQUIREMENTS_MAX 40 // of a type

const char *const ec2_well_known_labels[] = {
    PREFIX "instance-category",
    PREFIX "instance-generation",
    PREFIX "instance-family",
    PREFIX "instance-size",
    PREFIX "instance-capability-flex",
    PREFIX "instance-cpu",
    PREFIX "instance-cpu-manufacturer",
    PREFIX "instance-cpu-sustained-clock-speed-mhz",
    PREFIX "instance-memory",
    PREFIX "instance-ebs-bandwidth",
    PREFIX "instance-network-bandwidth",
    PREFIX "instance-local-nvme",
    PREFIX "instance-hypervisor",
    PREFIX "instance-encryption-in-transit-supported",
    PREFIX "nitro-sandbox",
    PREFIX "instance-gpu-name",
    PREFIX "instance-gpu-manufacturer",
    PREFIX "instance-gpu-count",
    PREFIX "instance-gpu-memory",
    PREFIX "instance-accelerator-name",
    PREFIX "instance-accelerator-manufacturer",
    PREFIX "instance-accelerator-count",
    PREFIX "instance-tenancy",
    PREFIX "capacity-reservation-id",
    PREFIX "capacity-reservation-type",
    PREFIX "capacity-reservation-interruptible",
    PREFIX "placement-group-id",
    PREFIX "placement-group-partition",
    "topology.k8s.aws/zone-id",
    NULL,
};

struct builder {
    struct arena *arena;
    struct ec2_catalog_options options;
    const char *zones[EC2_ZONES_MAX];
    uint32_t zones_count;
    struct ec2_offerings offerings;
};

static bool builder_options(struct builder *builder, const struct ec2_catalog_options *options,
                            struct error *error);
static json_t *facts_load(const char *begin, const char *end, const char *name,
                          struct error *error);
static void type_fill(struct builder *builder, const json_t *facts, struct instance_type *type);

const struct instance_type_catalog *ec2_catalog_create(const struct ec2_catalog_options *options,
                                                       struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 20);
    struct builder builder = {.arena = arena};
    const struct object *made = NULL;
    json_t *types = facts_load(ec2_facts_types, ec2_facts_types_end, "instance types", error);
    json_t *prices = facts_load(ec2_facts_prices, ec2_facts_prices_end, "prices", error);
    if (types == NULL || prices == NULL || !builder_options(&builder, options, error))
        goto done;
    builder.offerings.prices =
        json_object_get(json_object_get(prices, "regions"), builder.options.region);
    if (builder.offerings.prices == NULL) {
        error_set(error, ERROR_INVALID, "no prices are known for region %s",
                  builder.options.region);
        goto done;
    }
    const json_t *list = json_object_get(types, "types");
    assert(json_is_array(list));
    struct instance_type_catalog catalog = {.kind = kind_get(KIND_INSTANCE_TYPE_CATALOG)};
    catalog.meta.name = "ec2";
    catalog.spec.instance_types.items =
        arena_allocate_array(arena, json_array_size(list), sizeof(struct instance_type));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *facts = json_array_get(list, i);
        const char *arch = json_string_value(json_object_get(facts, "arch"));
        if (!text_equal(arch, "amd64") && !text_equal(arch, "arm64"))
            continue; // AWI-1: Mac types never appear
        type_fill(&builder, facts,
                  &catalog.spec.instance_types.items[catalog.spec.instance_types.count++]);
    }
    assert(catalog.spec.instance_types.count <= json_array_size(list));
    made = object_copy((const struct object *)&catalog);
done:
    json_decref(types);
    json_decref(prices);
    return (const struct instance_type_catalog *)made;
}

static json_t *facts_load(const char *begin, const char *end, const char *name, struct error *error)
{
    assert(end > begin);
    json_error_t problem;
    json_t *value = json_loadb(begin, (size_t)(end - begin), 0, &problem);
    if (value == NULL)
        error_set(error, ERROR_INTERNAL, "built-in facts (%s), line %d: %s", name, problem.line,
                  problem.text);
    return value;
}

static requirement_list requirements_of(struct arena *arena, uint32_t capacity)
{
    return (requirement_list){
        .items = arena_allocate_array(arena, capacity, sizeof(struct selector_requirement))};
}

static void require(struct arena *arena, requirement_list *list, const char *key, const char *value)
{
    assert(key != NULL);
    struct selector_requirement *requirement = &list->items[list->count++];
    requirement->key = key;
    if (value == NULL) {
        requirement->operator= "DoesNotExist";
        return;
    }
    requirement->operator= "In";
    requirement->values.items = arena_allocate(arena, sizeof(char *));
    requirement->values.items[0] = value;
    requirement->values.count = 1;
}

static void require_number(struct arena *arena, requirement_list *list, const char *key,
                           int64_t value)
{
    require(arena, list, key, arena_format(arena, "%lld", (long long)value));
}

static bool builder_options(struct builder *builder, const struct ec2_catalog_options *options,
                            struct error *error)
{
    static const struct ec2_catalog_options none = {.memory_overhead_fraction = -1};
    builder->options = options != NULL ? *options : none;
    struct ec2_catalog_options *chosen = &builder->options;
    if (chosen->region == NULL)
        chosen->region = "us-east-1";
    if (chosen->memory_overhead_fraction < 0)
        chosen->memory_overhead_fraction = 0.075;
    if (chosen->spot_share <= 0)
        chosen->spot_share = EC2_SPOT_SHARE;
    for (uint32_t i = 0; chosen->zones != NULL && chosen->zones[i] != NULL; i++) {
        if (i == EC2_ZONES_MAX)
            return error_set(error, ERROR_INVALID, "more than %d zones", EC2_ZONES_MAX);
        builder->zones[builder->zones_count++] = chosen->zones[i];
    }
    for (int i = 0; chosen->zones == NULL && i < 3; i++)
        builder->zones[builder->zones_count++] =
            arena_format(builder->arena, "%s%c", chosen->region, 'a' + i);
    assert(builder->zones_count <= EC2_ZONES_MAX);
    for (uint32_t zone = 0; zone < builder->zones_count; zone++)
        for (int spot = 0; spot < 2; spot++) {
            requirement_list list = requirements_of(builder->arena, 2);
            require(builder->arena, &list, LABEL_CAPACITY_TYPE,
                    spot ? CAPACITY_TYPE_SPOT : CAPACITY_TYPE_ON_DEMAND);
            require(builder->arena, &list, LABEL_ZONE, builder->zones[zone]);
            builder->offerings.requirements[zone][spot] = list;
        }
    builder->offerings.arena = builder->arena;
    builder->offerings.zones = builder->zones_count;
    builder->offerings.spot_share = chosen->spot_share;
    return true;
}

// --- labels (AWI-40 to 69) -----------------------------------------------------------------------

static const char *fact_text(const json_t *facts, const char *name)
{
    return json_string_value(json_object_get(facts, name));
}

static int64_t fact_number(const json_t *facts, const char *name)
{
    return json_integer_value(json_object_get(facts, name));
}

static const char *fact_copy(struct arena *arena, const json_t *facts, const char *name)
{
    return arena_copy_string(arena, fact_text(facts, name));
}

static const char *kebab(struct arena *arena, const char *text)
{
    char *copy = arena_copy_string(arena, text != NULL ? text : "");
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
    return copy;
}

static const char *yes_or_no(bool value)
{
    return value ? "true" : "false";
}

static void name_labels(struct arena *arena, const json_t *facts, requirement_list *list)
{
    const json_t *generation = json_object_get(facts, "generation");
    require(arena, list, PREFIX "instance-category", fact_copy(arena, facts, "category"));
    if (json_is_integer(generation))
        require_number(arena, list, PREFIX "instance-generation", json_integer_value(generation));
    else
        require(arena, list, PREFIX "instance-generation", NULL);
    require(arena, list, PREFIX "instance-family", fact_copy(arena, facts, "family"));
    require(arena, list, PREFIX "instance-size", fact_copy(arena, facts, "size"));
    require(arena, list, PREFIX "instance-capability-flex",
            yes_or_no(json_is_true(json_object_get(facts, "flex"))));
}

static void accelerator_labels(struct arena *arena, const json_t *facts, requirement_list *list)
{
    const json_t *neuron = json_object_get(facts, "neuronDevices");
    const json_t *inference = json_object_get(facts, "inferenceAccelerators");
    const json_t *one = NULL;
    const char *manufacturer = NULL;
    if (json_array_size(neuron) == 1) { // AWI-67
        one = json_array_get(neuron, 0);
        manufacturer = "aws";
    } else if (json_array_size(neuron) == 0 && json_array_size(inference) == 1) {
        one = json_array_get(inference, 0);
        manufacturer = kebab(arena, fact_text(one, "manufacturer"));
    }
    require(arena, list, PREFIX "instance-accelerator-name",
            one != NULL ? kebab(arena, fact_text(one, "name")) : NULL);
    require(arena, list, PREFIX "instance-accelerator-manufacturer", manufacturer);
    if (one != NULL)
        require_number(arena, list, PREFIX "instance-accelerator-count", fact_number(one, "count"));
    else
        require(arena, list, PREFIX "instance-accelerator-count", NULL);
}

static void gpu_labels(struct arena *arena, const json_t *facts, requirement_list *list)
{
    const json_t *gpus = json_object_get(facts, "gpus");
    const json_t *gpu = json_array_size(gpus) == 1 ? json_array_get(gpus, 0) : NULL; // AWI-65
    require(arena, list, PREFIX "instance-gpu-name",
            gpu != NULL ? kebab(arena, fact_text(gpu, "name")) : NULL);
    require(arena, list, PREFIX "instance-gpu-manufacturer",
            gpu != NULL ? kebab(arena, fact_text(gpu, "manufacturer")) : NULL);
    if (gpu == NULL) {
        require(arena, list, PREFIX "instance-gpu-count", NULL);
        require(arena, list, PREFIX "instance-gpu-memory", NULL);
        return;
    }
    require_number(arena, list, PREFIX "instance-gpu-count", fact_number(gpu, "count"));
    require_number(arena, list, PREFIX "instance-gpu-memory", fact_number(gpu, "memoryMiB"));
}

static void number_or_none(struct arena *arena, requirement_list *list, const char *key,
                           const json_t *value, bool wanted)
{
    if (wanted && json_is_integer(value))
        require_number(arena, list, key, json_integer_value(value));
    else
        require(arena, list, key, NULL);
}

static void hardware_labels(struct arena *arena, const json_t *facts, requirement_list *list)
{
    const char *ebs = fact_text(facts, "ebsOptimized");
    const char *nvme = fact_text(facts, "localStorageNvme");
    require_number(arena, list, PREFIX "instance-cpu", fact_number(facts, "vcpu"));
    require_number(arena, list, PREFIX "instance-memory", fact_number(facts, "memoryMiB"));
    require(arena, list, PREFIX "instance-cpu-manufacturer",
            kebab(arena, fact_text(facts, "cpuManufacturer")));
    require_number(arena, list, PREFIX "instance-cpu-sustained-clock-speed-mhz",
                   fact_number(facts, "sustainedClockMhz"));
    require(arena, list, PREFIX "instance-hypervisor", fact_copy(arena, facts, "hypervisor"));
    require(arena, list, PREFIX "instance-encryption-in-transit-supported",
            yes_or_no(json_is_true(json_object_get(facts, "encryptionInTransit"))));
    require(arena, list, PREFIX "nitro-sandbox",
            yes_or_no(json_is_true(json_object_get(facts, "nitroEnclaves"))));
    number_or_none(arena, list, PREFIX "instance-local-nvme",
                   json_object_get(facts, "localStorageGB"),
                   fact_number(facts, "localStorageGB") > 0 && !text_equal(nvme, "unsupported"));
    // A figure is listed for types of unknown support only if they are optimized by default.
    number_or_none(arena, list, PREFIX "instance-ebs-bandwidth",
                   json_object_get(facts, "ebsMaxMbps"), ebs == NULL || text_equal(ebs, "default"));
    number_or_none(arena, list, PREFIX "instance-network-bandwidth",
                   json_object_get(facts, "networkMbps"), true);
}

static void tenancy_label(struct arena *arena, requirement_list *list)
{
    static const char *values[] = {"dedicated", "default"};
    (void)arena;
    struct selector_requirement *requirement = &list->items[list->count++];
    requirement->key = PREFIX "instance-tenancy";
    requirement->operator= "In";
    requirement->values = (struct string_list){values, 2};
}

static void placement_labels(struct builder *builder, const json_t *facts, requirement_list *list)
{
    struct arena *arena = builder->arena;
    struct selector_requirement *zone = &list->items[list->count++];
    zone->key = LABEL_ZONE;
    zone->operator= "In";
    zone->values = (struct string_list){
        arena_allocate_array(arena, builder->zones_count, sizeof(char *)), builder->zones_count};
    memcpy(zone->values.items, builder->zones, builder->zones_count * sizeof(char *));
    require(arena, list, LABEL_REGION, arena_copy_string(arena, builder->options.region));
    struct selector_requirement *capacity = &list->items[list->count++];
    capacity->key = LABEL_CAPACITY_TYPE;
    capacity->operator= "In"; // AWI-48
    capacity->values.items = arena_allocate_array(arena, 2, sizeof(char *));
    if (ec2_has_usage_class(facts, "on-demand"))
        capacity->values.items[capacity->values.count++] = CAPACITY_TYPE_ON_DEMAND;
    if (ec2_has_usage_class(facts, "spot"))
        capacity->values.items[capacity->values.count++] = CAPACITY_TYPE_SPOT;
}

// --- capacity and overhead (AWI-90 to 115) -------------------------------------------------------

int64_t ec2_memory_bytes(int64_t stated_mib, bool arm64, double overhead_fraction)
{
    int64_t mib = stated_mib - (arm64 ? 64 : 0);
    double overhead = ceil((double)mib * (double)MEBIBYTE * overhead_fraction / 1024.0 / 1024.0);
    return (mib - (int64_t)overhead) * MEBIBYTE;
}

int64_t ec2_kube_reserved_cpu(int64_t cpu_millicores)
{
    static const struct {
        int64_t start, end;
        double rate;
    } ranges[] = {
        {0, 1000, 0.06}, {1000, 2000, 0.01}, {2000, 4000, 0.005}, {4000, INT64_C(1) << 31, 0.0025}};
    int64_t reserved = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(ranges); i++) {
        if (cpu_millicores < ranges[i].start)
            break;
        int64_t end = cpu_millicores < ranges[i].end ? cpu_millicores : ranges[i].end;
        reserved += (int64_t)((double)(end - ranges[i].start) * ranges[i].rate);
    }
    assert(reserved >= 0);
    return reserved;
}

// AWI-95: pods that the interfaces of the default card can address.
static int64_t eni_limited_pods(const json_t *facts, int64_t reserved_enis)
{
    const json_t *cards = json_object_get(facts, "networkCards");
    const json_t *card = json_array_get(cards, (size_t)fact_number(facts, "defaultNetworkCard"));
    int64_t usable = fact_number(card, "maxInterfaces") - reserved_enis;
    return usable <= 0 ? 0 : usable * (fact_number(facts, "ipv4PerEni") - 1) + 2;
}

static int64_t gpus_of(const json_t *facts, const char *manufacturer)
{
    int64_t count = 0;
    size_t index;
    json_t *gpu;
    json_array_foreach (json_object_get(facts, "gpus"), index, gpu)
        if (strcasecmp(fact_text(gpu, "manufacturer"), manufacturer) == 0)
            count += fact_number(gpu, "count");
    return count;
}

static int compare_resources(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

static struct resource_map capacity_of(struct builder *builder, const json_t *facts)
{
    const json_t *neuron = json_object_get(facts, "neuronDevices");
    const json_t *first = json_array_get(neuron, 0);
    int64_t devices = 0;
    size_t index;
    json_t *device;
    json_array_foreach (neuron, index, device)
        devices += fact_number(device, "count");
    bool arm64 = text_equal(fact_text(facts, "arch"), "arm64");
    bool trunking = json_is_true(json_object_get(facts, "trunking"));
    const struct resource_quantity all[] = {
        {"cpu", fact_number(facts, "vcpu") * 1000},
        {"memory", ec2_memory_bytes(fact_number(facts, "memoryMiB"), arm64,
                                    builder->options.memory_overhead_fraction)},
        {"ephemeral-storage", 20 * GIBIBYTE},
        {"pods", eni_limited_pods(facts, builder->options.reserved_enis)},
        {"vpc.amazonaws.com/pod-eni", trunking ? fact_number(facts, "branchInterfaces") : 0},
        {"nvidia.com/gpu", gpus_of(facts, "NVIDIA")},
        {"amd.com/gpu", gpus_of(facts, "AMD")},
        {"habana.ai/gaudi", gpus_of(facts, "Habana")},
        {"aws.amazon.com/neuron", devices},
        {"aws.amazon.com/neuroncore", devices * fact_number(first, "coresPerDevice")},
        {"vpc.amazonaws.com/efa", fact_number(facts, "efaInterfaces")},
    };
    struct resource_map map = {
        .items = arena_allocate_array(builder->arena, ARRAY_LENGTH(all), sizeof all[0]),
        .count = ARRAY_LENGTH(all)};
    memcpy(map.items, all, sizeof all);
    qsort(map.items, map.count, sizeof map.items[0], compare_resources);
    return map;
}

static struct resource_map resources_of(struct arena *arena, const struct resource_quantity *items,
                                        uint32_t count)
{
    struct resource_map map = {arena_allocate_array(arena, count, sizeof *items), count};
    memcpy(map.items, items, count * sizeof *items);
    qsort(map.items, map.count, sizeof map.items[0], compare_resources);
    return map;
}

static void overhead_fill(struct builder *builder, const json_t *facts, struct instance_type *type)
{
    int64_t cpu = resource_map_get(&type->capacity, "cpu");
    int64_t storage = resource_map_get(&type->capacity, "ephemeral-storage");
    const struct resource_quantity kube[] = {
        {"cpu", ec2_kube_reserved_cpu(cpu)},
        {"memory", (11 * eni_limited_pods(facts, 0) + 255) * MEBIBYTE},
        {"ephemeral-storage", GIBIBYTE},
    };
    const struct resource_quantity eviction[] = {
        {"memory", 100 * MEBIBYTE},
        {"ephemeral-storage", (int64_t)ceil((double)storage / 100.0 * 10.0)},
    };
    type->overhead.kube_reserved = resources_of(builder->arena, kube, ARRAY_LENGTH(kube));
    type->overhead.eviction_threshold =
        resources_of(builder->arena, eviction, ARRAY_LENGTH(eviction));
}

static void type_fill(struct builder *builder, const json_t *facts, struct instance_type *type)
{
    struct arena *arena = builder->arena;
    type->name = fact_copy(arena, facts, "name");
    assert(type->name != NULL);
    type->requirements = requirements_of(arena, REQUIREMENTS_MAX);
    require(arena, &type->requirements, LABEL_INSTANCE_TYPE, type->name);
    require(arena, &type->requirements, LABEL_ARCH, fact_copy(arena, facts, "arch"));
    require(arena, &type->requirements, LABEL_OS, "linux");
    require(arena, &type->requirements, LABEL_WINDOWS_BUILD, NULL);
    placement_labels(builder, facts, &type->requirements);
    name_labels(arena, facts, &type->requirements);
    hardware_labels(arena, facts, &type->requirements);
    tenancy_label(arena, &type->requirements);
    gpu_labels(arena, facts, &type->requirements);
    accelerator_labels(arena, facts, &type->requirements);
    require(arena, &type->requirements, PREFIX "capacity-reservation-id", NULL);
    require(arena, &type->requirements, PREFIX "capacity-reservation-type", NULL);
    require(arena, &type->requirements, PREFIX "capacity-reservation-interruptible", NULL);
    assert(type->requirements.count <= REQUIREMENTS_MAX);
    type->capacity = capacity_of(builder, facts);
    overhead_fill(builder, facts, type);
    ec2_offerings_fill(&builder->offerings, facts, type);
}
