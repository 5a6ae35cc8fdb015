#include "cloud/aws/types/type_capacity.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/schema/karpenter.h"

#define MEBIBYTE         (INT64_C(1) << 20)
#define GIBIBYTE         (INT64_C(1) << 30)
#define GIGABYTE         INT64_C(1000000000)
#define CAPACITY_ENTRIES 12
#define PODS_DEFAULT     110

int64_t type_memory_bytes(int64_t stated_mib, bool arm64, double overhead_fraction)
{
    int64_t mib = stated_mib - (arm64 ? 64 : 0);
    double overhead = ceil((double)mib * (double)MEBIBYTE * overhead_fraction / 1024.0 / 1024.0);
    return (mib - (int64_t)overhead) * MEBIBYTE;
}

int64_t type_kube_reserved_cpu(int64_t cpu_millicores)
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
static int64_t eni_limited_pods(const struct instance_info *info, const struct type_terms *terms,
                                int64_t reserved_enis, int64_t addresses_per_slot)
{
    int64_t usable =
        info->default_card < info->cards_count ? info->card_interfaces[info->default_card] : 0;
    usable -= reserved_enis + terms->efa_only_card_0;
    return usable <= 0 ? 0 : usable * (info->ipv4_per_interface - 1) * addresses_per_slot + 2;
}

// The family's default number of pods (AWI-94), by prefixes where they are assigned (AWI-907).
static int64_t default_pods(const struct instance_info *info, const struct type_terms *terms)
{
    if (!terms->eni_limited_pods)
        return PODS_DEFAULT;
    if (!terms->better || !terms->prefixes)
        return eni_limited_pods(info, terms, terms->reserved_enis, 1);
    int64_t pods = eni_limited_pods(info, terms, terms->reserved_enis, 16);
    int64_t most = info->vcpus < 30 ? 110 : 250;
    return pods < most ? pods : most;
}

static int64_t pods_of(const struct instance_info *info, const struct type_terms *terms,
                       const struct kubelet_values *values)
{
    int64_t pods = values->max_pods.present ? values->max_pods.value : default_pods(info, terms);
    if (terms->kubelet == NULL || !terms->honours_pods_per_core)
        return pods;
    int64_t per_core =
        terms->kubelet->pods_per_core.present ? terms->kubelet->pods_per_core.value : 0;
    int64_t limit = quantity_multiply(per_core, info->vcpus);
    return per_core > 0 && limit < pods ? limit : pods;
}

static int64_t gpus_of(const struct instance_info *info, const char *manufacturer, bool better)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < info->gpus_count; i++) {
        const struct info_accelerator *gpu = &info->gpus[i];
        if (text_equal(gpu->manufacturer, manufacturer)) // AWI-908: a fraction is one GPU
            count += better && gpu->count == 0 ? gpu->logical_count : gpu->count;
    }
    return count;
}

static int compare_resources(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

static bool is_windows_node(const struct type_terms *terms, const struct instance_type *type)
{
    if (!terms->windows)
        return false;
    list_for_each (requirement, &type->requirements)
        if (strcmp(requirement->key, LABEL_OS) == 0)
            return requirement->values.count > 0;
    return false;
}

static void neuron_counts(const struct instance_info *info, bool better, int64_t *devices,
                          int64_t *cores)
{
    int64_t sum = 0; // AWI-909
    for (uint32_t i = 0; i < info->neurons_count; i++) {
        *devices += info->neurons[i].count;
        sum += info->neurons[i].count * info->neurons[i].cores;
    }
    *cores = better ? sum : info->neurons_count > 0 ? *devices * info->neurons[0].cores : 0;
}

static void capacity_fill(const struct instance_info *info, const struct type_terms *terms,
                          struct arena *arena, struct instance_type *type, int64_t pods)
{
    bool arm64 =
        info->architectures.count > 0 && strcmp(info->architectures.items[0], "arm64") == 0;
    int64_t devices = 0, cores = 0;
    neuron_counts(info, terms->better, &devices, &cores);
    int64_t storage = terms->instance_store_raid && info->storage_gb > 0
                          ? quantity_multiply(info->storage_gb, GIGABYTE)
                          : terms->ephemeral_bytes;
    int64_t memory = type_memory_bytes(info->memory_mib, arm64, terms->memory_overhead_fraction);
    const struct resource_quantity all[CAPACITY_ENTRIES] = {
        {"cpu", info->vcpus * 1000},
        {"memory", memory},
        {"ephemeral-storage", storage},
        {"pods", pods},
        {"vpc.amazonaws.com/pod-eni", info->branch_interfaces},
        {"nvidia.com/gpu", gpus_of(info, "NVIDIA", terms->better)},
        {"amd.com/gpu", gpus_of(info, "AMD", terms->better)},
        {"habana.ai/gaudi", gpus_of(info, "Habana", terms->better)},
        {"aws.amazon.com/neuron", devices},
        {"aws.amazon.com/neuroncore", cores},
        {"vpc.amazonaws.com/efa",
         terms->interfaces_given ? terms->efa_only : info->efa_interfaces}, // AWI-104
        {"vpc.amazonaws.com/PrivateIPv4Address",
         info->windows_addresses > 0 ? info->windows_addresses - 1 : 0}, // AWI-103
    };
    type->capacity.count = is_windows_node(terms, type) ? CAPACITY_ENTRIES : CAPACITY_ENTRIES - 1;
    type->capacity.items = arena_allocate_array(arena, CAPACITY_ENTRIES, sizeof all[0]);
    memcpy(type->capacity.items, all, sizeof all);
    qsort(type->capacity.items, type->capacity.count, sizeof all[0], compare_resources);
}

// --- overhead (AWI-110 to 114) -------------------------------------------------------------------

static struct resource_map resources_of(struct arena *arena, const struct resource_quantity *items,
                                        uint32_t count)
{
    struct resource_map map = {arena_allocate_array(arena, count + 1, sizeof *items), count};
    memcpy(map.items, items, count * sizeof *items);
    qsort(map.items, map.count, sizeof map.items[0], compare_resources);
    return map;
}

// The resources that kubelet can reserve (AWN-232); their names outlive every catalogue.
static const char *reservable(const char *name)
{
    static const char *const names[] = {"cpu", "ephemeral-storage", "memory", "pid"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcmp(names[i], name) == 0)
            return names[i];
    return NULL;
}

// Lays the given entries over `list`. One that is no quantity is left out, as at launch (AWN-236).
static uint32_t reserve_given(struct resource_quantity *list, uint32_t count,
                              const struct string_map *given)
{
    for (uint32_t i = 0; given->items != NULL && i < given->count; i++) {
        const char *name = reservable(given->items[i].key);
        int64_t value;
        if (name == NULL || !quantity_parse(name, given->items[i].value, &value, NULL))
            continue;
        uint32_t at = 0;
        while (at < count && strcmp(list[at].name, name) != 0)
            at++;
        list[at] = (struct resource_quantity){name, value};
        count = at == count ? count + 1 : count;
    }
    return count;
}

// AWI-113: a percentage of the capacity, or a quantity.
static int64_t eviction_value(const struct kubelet_config *kubelet, const char *signal,
                              const char *resource, int64_t capacity, int64_t otherwise)
{
    const char *text = kubelet != NULL ? string_map_get(&kubelet->eviction_hard, signal) : NULL;
    if (text == NULL)
        return otherwise;
    if (text_ends_with(text, "%")) {
        char *end;
        double percentage = strtod(text, &end);
        if (end == text || strcmp(end, "%") != 0 || !(percentage >= 0 && percentage <= 100))
            return otherwise;
        percentage = percentage == 100 ? 0 : percentage;
        return (int64_t)ceil((double)capacity / 100 * percentage);
    }
    int64_t value;
    return quantity_parse(resource, text, &value, NULL) ? value : otherwise;
}

// AWI-113: 100 Mi. Kubelets on Windows keep 500 Mi; but their image reserves nothing of what
// kubeReserved's default counts, so that it matters only where its memory is given.
static int64_t eviction_memory_default(const struct type_terms *terms,
                                       const struct kubelet_values *values)
{
    const struct string_map *given = &values->kube_reserved;
    bool more = terms->better && terms->windows && given->items != NULL &&
                string_map_get(given, "memory") != NULL;
    return (more ? 500 : 100) * MEBIBYTE;
}

static void overhead_fill(const struct instance_info *info, const struct type_terms *terms,
                          struct arena *arena, struct instance_type *type,
                          const struct kubelet_values *values)
{
    int64_t memory = resource_map_get(&type->capacity, "memory");
    int64_t storage = resource_map_get(&type->capacity, "ephemeral-storage");
    int64_t pods = terms->eni_limited_memory ? eni_limited_pods(info, terms, 0, 1)
                                             : resource_map_get(&type->capacity, "pods");
    struct resource_quantity kube[8] = {
        {"cpu", type_kube_reserved_cpu(info->vcpus * 1000)},
        {"memory", quantity_multiply(quantity_add(quantity_multiply(11, pods), 255), MEBIBYTE)},
        {"ephemeral-storage", GIBIBYTE},
    };
    uint32_t kube_count = reserve_given(kube, 3, &values->kube_reserved);
    struct resource_quantity system[8];
    uint32_t system_count = reserve_given(system, 0, &values->system_reserved);
    const struct resource_quantity eviction[] = {
        {"memory", eviction_value(terms->kubelet, "memory.available", "memory", memory,
                                  eviction_memory_default(terms, values))},
        {"ephemeral-storage",
         eviction_value(terms->kubelet, "nodefs.available", "ephemeral-storage", storage,
                        (int64_t)ceil((double)storage / 100.0 * 10.0))},
    };
    type->overhead.kube_reserved = resources_of(arena, kube, kube_count);
    if (system_count > 0)
        type->overhead.system_reserved = resources_of(arena, system, system_count);
    type->overhead.eviction_threshold = resources_of(arena, eviction, ARRAY_LENGTH(eviction));
}

static bool values_resolve(const struct instance_info *info, const struct type_terms *terms,
                           struct arena *arena, struct kubelet_values *values, struct error *error)
{
    *values = (struct kubelet_values){0};
    if (terms->kubelet == NULL)
        return true;
    if (terms->resolve_kubelet == NULL) {
        values->max_pods = terms->kubelet->max_pods;
        values->kube_reserved = terms->kubelet->kube_reserved;
        values->system_reserved = terms->kubelet->system_reserved;
        return true;
    }
    struct kubelet_variables variables = {
        .vcpus = info->vcpus,
        .memory_mib = info->memory_mib,
        .default_enis =
            info->default_card < info->cards_count ? info->card_interfaces[info->default_card] : 0,
        .ips_per_eni = info->ipv4_per_interface,
        .max_pods = default_pods(info, terms),
        .instance_type = info->name,
    };
    return terms->resolve_kubelet(terms->kubelet, &variables, terms->expressions, arena, values,
                                  error);
}

bool type_capacity_fill(const struct instance_info *info, const struct type_terms *terms,
                        struct arena *arena, struct instance_type *type, struct error *error)
{
    assert(terms->memory_overhead_fraction >= 0);
    struct kubelet_values values;
    if (!values_resolve(info, terms, arena, &values, error))
        return false;
    capacity_fill(info, terms, arena, type, pods_of(info, terms, &values));
    overhead_fill(info, terms, arena, type, &values);
    return true;
}
