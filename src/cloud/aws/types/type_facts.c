#include "cloud/aws/types/type_facts.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/types/ec2_facts.h"

static json_t *load(const char *begin, const char *end, const char *name, struct error *error)
{
    assert(end > begin);
    json_error_t problem;
    json_t *value = json_loadb(begin, (size_t)(end - begin), 0, &problem);
    if (value == NULL)
        error_set(error, ERROR_INTERNAL, "built-in facts (%s), line %d: %s", name, problem.line,
                  problem.text);
    return value;
}

json_t *type_facts_load(struct error *error)
{
    return load(ec2_facts_types, ec2_facts_types_end, "instance types", error);
}

json_t *type_prices_load(struct error *error)
{
    return load(ec2_facts_prices, ec2_facts_prices_end, "prices", error);
}

static const char *text_of(const json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

static int64_t number_of(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(row, name));
}

static bool flag_of(const json_t *row, const char *name)
{
    return json_is_true(json_object_get(row, name));
}

static bool list_has(const json_t *row, const char *name, const char *text)
{
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(row, name), index, item)
        if (text_equal(json_string_value(item), text))
            return true;
    return false;
}

struct type_figure type_facts_figure(const json_t *row)
{
    return (struct type_figure){
        .network_mbps = number_of(row, "networkMbps"),
        .branch_interfaces = flag_of(row, "trunking") ? number_of(row, "branchInterfaces") : 0,
        // Only rows of the table of address limits count for Windows.
        .windows_addresses = list_has(row, "sources", "limits") ? number_of(row, "ipv4PerEni") : 0,
    };
}

static struct string_list texts_of(const json_t *row, const char *name, struct arena *arena)
{
    const json_t *list = json_object_get(row, name);
    struct string_list texts = {
        arena_allocate_array(arena, json_array_size(list) + 1, sizeof(char *)), 0};
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item)
        texts.items[texts.count++] = arena_copy_string(arena, json_string_value(item));
    return texts;
}

// As EC2 spells it: the manuals' pages differ in case.
static const char *manufacturer_of(const json_t *item, struct arena *arena)
{
    static const char *const names[] = {"NVIDIA", "AMD", "Habana"};
    const char *text = text_of(item, "manufacturer");
    for (size_t i = 0; text != NULL && i < ARRAY_LENGTH(names); i++)
        if (strcasecmp(text, names[i]) == 0)
            return names[i];
    return arena_copy_string(arena, text);
}

static uint32_t accelerators_read(struct info_accelerator *list, const json_t *row,
                                  const char *name, struct arena *arena)
{
    uint32_t count = 0;
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(row, name), index, item)
        if (count < ACCELERATORS_MAX)
            list[count++] = (struct info_accelerator){
                .name = arena_copy_string(arena, text_of(item, "name")),
                .manufacturer = manufacturer_of(item, arena),
                .count = number_of(item, "count"),
                .memory_mib = number_of(item, "memoryMiB"),
                .cores = number_of(item, "coresPerDevice"),
                .logical_count = number_of(item, "logicalCount"),
            };
    return count;
}

static void network_read(struct instance_info *info, const json_t *row)
{
    size_t index;
    json_t *card;
    json_array_foreach (json_object_get(row, "networkCards"), index, card)
        if (info->cards_count < NETWORK_CARDS_MAX)
            info->card_interfaces[info->cards_count++] = number_of(card, "maxInterfaces");
    info->default_card = (uint32_t)number_of(row, "defaultNetworkCard");
    info->ipv4_per_interface = number_of(row, "ipv4PerEni");
    info->efa_interfaces = number_of(row, "efaInterfaces");
    info->efa_only_supported = info->efa_interfaces > 0;
    info->ena = !text_equal(text_of(row, "enaSupport"), "unsupported");
    info->encryption_in_transit = flag_of(row, "encryptionInTransit");
}

bool type_facts_read(struct instance_info *info, const json_t *row, struct arena *arena)
{
    static const char *amd64[] = {"x86_64"}, *arm64[] = {"arm64"};
    const char *arch = text_of(row, "arch");
    *info = (struct instance_info){.name = arena_copy_string(arena, text_of(row, "name"))};
    assert(info->name != NULL);
    if (!text_equal(arch, "amd64") && !text_equal(arch, "arm64"))
        return false;
    info->architectures = (struct string_list){text_equal(arch, "amd64") ? amd64 : arm64, 1};
    info->processor_features = texts_of(row, "processorFeatures", arena);
    info->placement_strategies = texts_of(row, "placementGroupStrategies", arena);
    // Not stated: both, as for nearly every type.
    bool stated = json_is_array(json_object_get(row, "usageClasses"));
    info->on_demand = !stated || list_has(row, "usageClasses", "on-demand");
    info->spot = !stated || list_has(row, "usageClasses", "spot");
    info->capacity_block = list_has(row, "usageClasses", "capacity-block");
    const char *hypervisor = text_of(row, "hypervisor");
    info->hypervisor = arena_copy_string(arena, text_or_empty(hypervisor));
    info->bare_metal = flag_of(row, "bareMetal");
    info->vcpus = number_of(row, "vcpu");
    info->memory_mib = number_of(row, "memoryMiB");
    info->has_processor = true;
    info->manufacturer = arena_copy_string(arena, text_of(row, "cpuManufacturer"));
    info->clock_ghz = (double)number_of(row, "sustainedClockMhz") / 1000;
    info->threads_per_core = number_of(row, "threadsPerCore");
    info->nitro_enclaves = flag_of(row, "nitroEnclaves");
    info->storage_gb = number_of(row, "localStorageGB");
    info->storage_nvme = arena_copy_string(arena, text_of(row, "localStorageNvme"));
    // A figure is listed for types of unknown support only if they are optimized by default.
    const char *ebs = text_of(row, "ebsOptimized");
    info->ebs_optimized = ebs != NULL ? arena_copy_string(arena, ebs) : "default";
    info->ebs_bandwidth_mbps = number_of(row, "ebsMaxMbps");
    info->gpus_count = accelerators_read(info->gpus, row, "gpus", arena);
    info->neurons_count = accelerators_read(info->neurons, row, "neuronDevices", arena);
    info->inferences_count =
        accelerators_read(info->inferences, row, "inferenceAccelerators", arena);
    network_read(info, row);
    struct type_figure figure = type_facts_figure(row);
    info->network_mbps = figure.network_mbps;
    info->branch_interfaces = figure.branch_interfaces;
    info->windows_addresses = figure.windows_addresses;
    return true;
}
