#include "sim/aws/simulated_kubelet.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "sim/aws/account_types.h"
#include "sim/aws/user_data_reader.h"

#define MEBIBYTE         (INT64_C(1) << 20)
#define GIBIBYTE         (INT64_C(1) << 30)
#define RESERVED_BASE    255 // Mi of memory, and 11 a pod
#define RESERVED_PER_POD 11
#define PODS_DEFAULT     110

// As EKS's table of pods by type has it: the default network card alone counts.
static int64_t pods_by_interfaces(const struct account_type *type)
{
    int64_t interfaces = account_type_number(type, "networkCards", "maximumNetworkInterfaces");
    int64_t addresses = account_type_number(type, "networkInfo", "ipv4AddressesPerInterface");
    if (interfaces == 0)
        interfaces = account_type_number(type, "networkInfo", "maximumNetworkInterfaces");
    return interfaces < 1 || addresses < 2 ? PODS_DEFAULT : interfaces * (addresses - 1) + 2;
}

int64_t simulated_kubelet_pods(const struct account_type *type, const struct user_data *data)
{
    int64_t cores = account_type_number(type, "vCpuInfo", "defaultVCpus");
    int64_t pods = data->max_pods;
    if (pods <= 0) // images of users' own, and Windows, take the kubelet's default
        pods = data->family == USER_DATA_OTHER || data->family == USER_DATA_WINDOWS
                   ? PODS_DEFAULT
                   : pods_by_interfaces(type);
    // Bottlerocket has no such setting.
    if (data->family == USER_DATA_BOTTLEROCKET || data->pods_per_core <= 0)
        return pods;
    int64_t limit = quantity_multiply(data->pods_per_core, cores);
    return limit < pods ? limit : pods;
}

// 6 % of the first core, 1 % of the second, half a percent of two more, a quarter of the others.
static int64_t cpu_of_image(int64_t cores)
{
    int64_t reserved = cores > 0 ? 60 : 0;
    reserved += cores > 1 ? 10 : 0;
    reserved += cores > 3 ? 10 : cores > 2 ? 5 : 0;
    return reserved + (cores > 4 ? (cores - 4) * 10 / 4 : 0);
}

// What the image reserves by itself for the kubelet: EKS's Linux images, and Bottlerocket by the
// pods that it may have. Windows and users' own images reserve nothing.
static int64_t kube_reserved_of_image(const struct account_type *type, const struct user_data *data,
                                      const char *resource)
{
    if (data->family == USER_DATA_OTHER || data->family == USER_DATA_WINDOWS)
        return 0;
    int64_t pods = data->family == USER_DATA_BOTTLEROCKET ? simulated_kubelet_pods(type, data)
                                                          : pods_by_interfaces(type);
    if (strcmp(resource, "cpu") == 0)
        return cpu_of_image(account_type_number(type, "vCpuInfo", "defaultVCpus"));
    if (strcmp(resource, "memory") == 0)
        return (RESERVED_BASE + RESERVED_PER_POD * pods) * MEBIBYTE;
    return strcmp(resource, "ephemeral-storage") == 0 ? GIBIBYTE : 0;
}

static int64_t reserved(const struct string_map *map, const char *resource, int64_t otherwise)
{
    const char *text = string_map_get(map, resource);
    int64_t value;
    return text != NULL && quantity_parse(resource, text, &value, NULL) && value >= 0 ? value
                                                                                      : otherwise;
}

// nodeadm and Bottlerocket set single entries; a flag of the kubelet replaces the whole map.
static int64_t kube_reserved(const struct account_type *type, const struct user_data *data,
                             const char *resource)
{
    const struct string_map *given = &data->maps[USER_DATA_KUBE_RESERVED];
    bool whole = data->family != USER_DATA_AL2023 && data->family != USER_DATA_BOTTLEROCKET;
    int64_t of_image = whole && given->count > 0 ? 0 : kube_reserved_of_image(type, data, resource);
    return reserved(given, resource, of_image);
}

static int64_t threshold(const char *text, const char *resource, int64_t capacity)
{
    char *end;
    if (!text_ends_with(text, "%"))
        return reserved(&(struct string_map){&(struct string_pair){resource, text}, 1}, resource,
                        0);
    double percent = strtod(text, &end);
    return strcmp(end, "%") == 0 && percent > 0 && percent < 100
               ? (int64_t)((double)capacity * percent / 100)
               : 0;
}

// The thresholds of hard evictions: a map that is given stands for all of them, but for nodeadm,
// which sets single entries.
static int64_t eviction(const struct user_data *data, const char *resource, int64_t capacity)
{
    const struct string_map *given = &data->maps[USER_DATA_EVICTION_HARD];
    bool memory = strcmp(resource, "memory") == 0;
    if (!memory && strcmp(resource, "ephemeral-storage") != 0)
        return 0;
    const char *text = string_map_get(given, memory ? "memory.available" : "nodefs.available");
    if (text == NULL && (given->count == 0 || data->family == USER_DATA_AL2023))
        text = !memory ? "10%" : data->family == USER_DATA_WINDOWS ? "500Mi" : "100Mi";
    return text != NULL ? threshold(text, resource, capacity) : 0;
}

struct resource_map simulated_kubelet_allocatable(const struct account_type *type,
                                                  const struct user_data *data,
                                                  const struct resource_map *capacity,
                                                  struct arena *arena)
{
    struct resource_map allocatable = {
        .items = arena_allocate_array(arena, capacity->count + 1, sizeof *allocatable.items)};
    assert(data->family <= USER_DATA_WINDOWS);
    list_for_each (entry, capacity) {
        int64_t value = entry->value - kube_reserved(type, data, entry->name) -
                        reserved(&data->maps[USER_DATA_SYSTEM_RESERVED], entry->name, 0) -
                        eviction(data, entry->name, entry->value);
        allocatable.items[allocatable.count++] =
            (struct resource_quantity){entry->name, value > 0 ? value : 0};
    }
    return allocatable;
}
