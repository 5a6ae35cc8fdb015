#include "sim/aws/instance_boot.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sim/aws/account_types.h"
#include "sim/aws/simulated_kubelet.h"
#include "sim/aws/user_data_reader.h"

// Of the stated memory, a kernel shows somewhat more than Karpenter's default estimate of 92.5 %.
#define MEMORY_PERMILLE 929
#define MEBIBYTE        (INT64_C(1) << 20)
#define GIBIBYTE        (INT64_C(1) << 30)
#define GIGABYTE        INT64_C(1000000000)
#define ROOT_GIBIBYTES  20
#define RESOURCES_MAX   8

static int resource_compare(const void *a, const void *b)
{
    return strcmp(((const struct resource_quantity *)a)->name,
                  ((const struct resource_quantity *)b)->name);
}

static void resource_add(struct resource_map *map, const char *name, int64_t value)
{
    assert(map->count < RESOURCES_MAX);
    if (value > 0)
        map->items[map->count++] = (struct resource_quantity){name, value};
}

static int64_t storage_bytes(const struct aws_instance *instance, const struct user_data *data)
{
    int64_t local = account_type_number(instance->facts, "instanceStorageInfo", "totalSizeInGB");
    if (data->local_disks && local > 0)
        return local * GIGABYTE;
    return (instance->volume_gibibytes > 0 ? instance->volume_gibibytes : ROOT_GIBIBYTES) *
           GIBIBYTE;
}

static void capacity_fill(const struct aws_instance *instance, const struct user_data *data,
                          struct arena *arena, struct machine_boot *boot)
{
    const struct account_type *type = instance->facts;
    int64_t cpus = account_type_number(type, "vCpuInfo", "defaultVCpus");
    int64_t memory =
        account_type_number(type, "memoryInfo", "sizeInMiB") * MEMORY_PERMILLE / 1000 * MEBIBYTE;
    CLEANUP_FREE char *maker = account_type_element(type, "gpus");
    // A part of a GPU is one device to its plugin.
    int64_t gpus = account_type_number(type, "gpus", "count");
    if (gpus == 0)
        gpus = account_type_number(type, "gpus", "logicalGpuCount");
    bool nvidia = maker != NULL && strstr(maker, "NVIDIA") != NULL;
    struct resource_map capacity = {
        .items = arena_allocate_array(arena, RESOURCES_MAX, sizeof *capacity.items)};
    resource_add(&capacity, "cpu", cpus * 1000);
    resource_add(&capacity, "memory", memory);
    resource_add(&capacity, "pods", simulated_kubelet_pods(type, data));
    resource_add(&capacity, "ephemeral-storage", storage_bytes(instance, data));
    resource_add(&capacity, nvidia ? "nvidia.com/gpu" : "amd.com/gpu", gpus);
    resource_add(&capacity, "aws.amazon.com/neuron",
                 account_type_number(type, "neuronDevices", "count"));
    qsort(capacity.items, capacity.count, sizeof *capacity.items, resource_compare);
    boot->capacity = capacity;
    boot->allocatable = simulated_kubelet_allocatable(type, data, &capacity, arena);
}

static void label_set(struct arena *arena, struct string_map *labels, const char *key,
                      const char *value)
{
    for (uint32_t i = 0; i < labels->count; i++)
        if (strcmp(labels->items[i].key, key) == 0) {
            labels->items[i].value = arena_copy_string(arena, value);
            return;
        }
    labels->items[labels->count++] =
        (struct string_pair){arena_copy_string(arena, key), arena_copy_string(arena, value)};
}

// The kubelet's own labels and those of the cloud controller manager.
static void labels_fill(const struct aws_instance *instance, const struct user_data *data,
                        struct arena *arena, struct machine_boot *boot)
{
    struct string_map labels = {
        .items = arena_allocate_array(arena, data->labels.count + 12, sizeof *labels.items)};
    bool arm = account_type_has(instance->facts, "supportedArchitectures", "arm64");
    const char *system = data->family == USER_DATA_WINDOWS ? "windows" : "linux";
    for (uint32_t i = 0; i < data->labels.count; i++)
        label_set(arena, &labels, data->labels.items[i].key, data->labels.items[i].value);
    label_set(arena, &labels, "kubernetes.io/arch", arm ? "arm64" : "amd64");
    label_set(arena, &labels, "kubernetes.io/os", system);
    label_set(arena, &labels, "kubernetes.io/hostname", instance->private_dns);
    label_set(arena, &labels, "node.kubernetes.io/instance-type", instance->type);
    label_set(arena, &labels, "topology.kubernetes.io/zone", instance->zone);
    label_set(arena, &labels, "topology.kubernetes.io/region", account_region(instance->account));
    label_set(arena, &labels, "topology.k8s.aws/zone-id",
              account_zone_id(instance->account, instance->zone));
    qsort(labels.items, labels.count, sizeof *labels.items, string_pair_compare);
    boot->labels = labels;
}

bool aws_instance_boot(const struct aws_instance *instance, struct arena *arena,
                       struct machine_boot *boot)
{
    const json_t *cluster = json_object_get(instance->account->environment, "cluster");
    struct user_data data;
    assert(instance->facts != NULL);
    user_data_read(instance->user_data, arena, &data);
    *boot = (struct machine_boot){.boot_delay_ns = -1, .ready_delay_ns = -1};
    bool names = data.family != USER_DATA_OTHER;
    if (names &&
        (!text_equal(data.cluster_name, json_text(cluster, "name")) ||
         (data.endpoint != NULL && strcmp(data.endpoint, json_text(cluster, "endpoint")) != 0)))
        return false;
    boot->name = arena_copy_string(arena, instance->private_dns);
    boot->provider_id = arena_copy_string(arena, instance->provider_id);
    boot->taints = data.taints;
    labels_fill(instance, &data, arena, boot);
    capacity_fill(instance, &data, arena, boot);
    return true;
}
