#include "cloud/aws/types/instance_infos.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/types/type_facts.h"

#define NAME_MAX_BYTES 63
#define NUMBER_MAX     (INT64_C(1) << 40)
#define INFOS_MAX      20000
#define TEXTS_MAX      16
#define NAMES_LOGGED   20

struct instance_infos *instance_infos_create(void)
{
    struct arena *arena = arena_create(1 << 16);
    struct instance_infos *infos = arena_allocate(arena, sizeof *infos);
    infos->arena = arena;
    return infos;
}

void instance_infos_destroy(struct instance_infos *infos)
{
    if (infos == NULL)
        return;
    free(infos->items);
    arena_destroy(infos->arena);
}

static void push(struct instance_infos *infos, const struct instance_info *info)
{
    // A power of two is full.
    if ((infos->count & (infos->count - 1)) == 0)
        infos->items = memory_resize(infos->items, (infos->count == 0 ? 1 : 2 * infos->count) *
                                                       sizeof(struct instance_info *));
    infos->items[infos->count++] = info;
}

// --- reading a reply -----------------------------------------------------------------------------

struct reader {
    struct arena *arena;
    const json_t *item; // of the list
};

static int64_t number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_real(value) && json_real_value(value) < (double)NUMBER_MAX)
        return json_real_value(value) > 0 ? (int64_t)json_real_value(value) : 0;
    int64_t number = json_integer_value(value);
    return number < 0 ? 0 : number < NUMBER_MAX ? number : NUMBER_MAX;
}

static const char *text_of(const struct reader *reader, const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (text == NULL || strlen(text) > NAME_MAX_BYTES)
        return NULL;
    return arena_copy_string(reader->arena, text);
}

static bool flag_of(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

static bool text_is(const json_t *object, const char *name, const char *text)
{
    return text_equal(json_string_value(json_object_get(object, name)), text);
}

static struct string_list texts_of(const struct reader *reader, const json_t *object,
                                   const char *name)
{
    const json_t *list = json_object_get(object, name);
    struct string_list texts = {arena_allocate_array(reader->arena, TEXTS_MAX, sizeof(char *)), 0};
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item)
        if (json_is_string(item) && texts.count < TEXTS_MAX)
            texts.items[texts.count++] = arena_copy_string(reader->arena, json_string_value(item));
    return texts;
}

static uint32_t accelerators_of(const struct reader *reader, const char *group, const char *list,
                                struct info_accelerator *out)
{
    uint32_t count = 0;
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(json_object_get(reader->item, group), list), index, item)
        if (count < ACCELERATORS_MAX)
            out[count++] = (struct info_accelerator){
                .name = text_of(reader, item, "Name"),
                .manufacturer = text_of(reader, item, "Manufacturer"),
                .count = number_of(item, "Count"),
                .memory_mib = number_of(json_object_get(item, "MemoryInfo"), "SizeInMiB"),
                .cores = number_of(json_object_get(item, "CoreInfo"), "Count"),
                .logical_count = number_of(item, "LogicalGpuCount"),
            };
    return count;
}

static void network_read(const struct reader *reader, struct instance_info *info)
{
    const json_t *network = json_object_get(reader->item, "NetworkInfo");
    size_t index;
    json_t *card;
    json_array_foreach (json_object_get(network, "NetworkCards"), index, card)
        if (info->cards_count < NETWORK_CARDS_MAX)
            info->card_interfaces[info->cards_count++] =
                number_of(card, "MaximumNetworkInterfaces");
    int64_t position = number_of(network, "DefaultNetworkCardIndex");
    info->default_card = position < NETWORK_CARDS_MAX ? (uint32_t)position : NETWORK_CARDS_MAX;
    info->ipv4_per_interface = number_of(network, "Ipv4AddressesPerInterface");
    info->efa_interfaces = number_of(json_object_get(network, "EfaInfo"), "MaximumEfaInterfaces");
    info->efa_only_supported = flag_of(network, "EfaSupported");
    info->ena = !text_is(network, "EnaSupport", "unsupported");
    info->encryption_in_transit = flag_of(network, "EncryptionInTransitSupported");
}

static void storage_read(const struct reader *reader, struct instance_info *info)
{
    const json_t *storage = json_object_get(reader->item, "InstanceStorageInfo");
    info->storage_gb = number_of(storage, "TotalSizeInGB");
    info->storage_nvme = text_of(reader, storage, "NvmeSupport");
    const json_t *ebs = json_object_get(reader->item, "EbsInfo");
    info->ebs_optimized = text_of(reader, ebs, "EbsOptimizedSupport");
    info->ebs_bandwidth_mbps =
        number_of(json_object_get(ebs, "EbsOptimizedInfo"), "MaximumBandwidthInMbps");
}

static void processor_read(const struct reader *reader, struct instance_info *info)
{
    const json_t *processor = json_object_get(reader->item, "ProcessorInfo");
    info->has_processor = json_is_object(processor);
    info->architectures = texts_of(reader, processor, "SupportedArchitectures");
    info->processor_features = texts_of(reader, processor, "SupportedFeatures");
    info->manufacturer = text_of(reader, processor, "Manufacturer");
    double clock = json_number_value(json_object_get(processor, "SustainedClockSpeedInGhz"));
    info->clock_ghz = clock > 0 && clock < 1e6 ? clock : 0;
    const json_t *cpus = json_object_get(reader->item, "VCpuInfo");
    info->vcpus = number_of(cpus, "DefaultVCpus");
    info->threads_per_core = number_of(cpus, "DefaultThreadsPerCore");
}

static bool info_read(const struct reader *reader, struct instance_info *info)
{
    const json_t *item = reader->item;
    info->name = text_of(reader, item, "InstanceType");
    processor_read(reader, info);
    if (text_is_empty(info->name) || !text_is_label_value(info->name, NULL) || info->vcpus <= 0)
        return false;
    info->memory_mib = number_of(json_object_get(item, "MemoryInfo"), "SizeInMiB");
    size_t index;
    json_t *usage;
    json_array_foreach (json_object_get(item, "SupportedUsageClasses"), index, usage) {
        const char *name = json_string_value(usage);
        info->on_demand = info->on_demand || text_equal(name, "on-demand");
        info->spot = info->spot || text_equal(name, "spot");
        info->capacity_block = info->capacity_block || text_equal(name, "capacity-block");
    }
    const char *hypervisor = text_of(reader, item, "Hypervisor");
    info->hypervisor = hypervisor != NULL ? hypervisor : "";
    info->bare_metal = flag_of(item, "BareMetal");
    info->nitro_enclaves = text_is(item, "NitroEnclavesSupport", "supported");
    info->placement_strategies =
        texts_of(reader, json_object_get(item, "PlacementGroupInfo"), "SupportedStrategies");
    storage_read(reader, info);
    network_read(reader, info);
    info->gpus_count = accelerators_of(reader, "GpuInfo", "Gpus", info->gpus);
    info->neurons_count = accelerators_of(reader, "NeuronInfo", "NeuronDevices", info->neurons);
    info->inferences_count =
        accelerators_of(reader, "InferenceAcceleratorInfo", "Accelerators", info->inferences);
    return true;
}

uint32_t instance_infos_add_page(struct instance_infos *infos, const json_t *reply)
{
    assert(infos != NULL);
    uint32_t skipped = 0;
    size_t index;
    json_t *item;
    json_array_foreach (json_object_get(reply, "InstanceTypes"), index, item) {
        struct reader reader = {infos->arena, item};
        struct instance_info *info = arena_allocate(infos->arena, sizeof *info);
        if (infos->count < INFOS_MAX && info_read(&reader, info))
            push(infos, info);
        else
            skipped++;
    }
    return skipped;
}

// --- the finished list ---------------------------------------------------------------------------

struct numbered {
    const struct instance_info *info;
    uint32_t number;
};

static int compare_numbered(const void *a, const void *b)
{
    const struct numbered *left = a, *right = b;
    int order = strcmp(left->info->name, right->info->name);
    return order != 0 ? order : left->number < right->number ? -1 : 1;
}

static void sort(struct instance_infos *infos)
{
    struct numbered *all = memory_allocate_array(infos->count + 1, sizeof *all);
    for (uint32_t i = 0; i < infos->count; i++)
        all[i] = (struct numbered){infos->items[i], i};
    qsort(all, infos->count, sizeof *all, compare_numbered);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < infos->count; i++)
        if (i + 1 == infos->count || strcmp(all[i].info->name, all[i + 1].info->name) != 0)
            infos->items[kept++] = all[i].info;
    infos->count = kept;
    free(all);
}

void instance_infos_finish(struct instance_infos *infos, struct type_figures *figures)
{
    struct text unknown = {0};
    uint32_t count = 0;
    sort(infos);
    for (uint32_t i = 0; i < infos->count; i++) {
        const char *name = infos->items[i]->name;
        if (type_figures_fill(figures, (struct instance_info *)infos->items[i]) ||
            !type_figures_tell(figures, name))
            continue;
        if (count++ < NAMES_LOGGED)
            text_join(&unknown, ",", name);
    }
    if (count > 0) // AWI-911
        log_info("instance types that this release does not know have no network bandwidth and no "
                 "branch interfaces; INSTANCE_TYPE_FIGURES adds them",
                 "i:count", (int64_t)count, "s:instance-types", unknown.data);
    text_free(&unknown);
}

struct instance_infos *instance_infos_built_in(struct error *error)
{
    json_t *facts = type_facts_load(error);
    if (facts == NULL)
        return NULL;
    struct instance_infos *infos = instance_infos_create();
    size_t index;
    json_t *row;
    json_array_foreach (json_object_get(facts, "types"), index, row) {
        struct instance_info *info = arena_allocate(infos->arena, sizeof *info);
        if (type_facts_read(info, row, infos->arena))
            push(infos, info);
    }
    json_decref(facts);
    sort(infos);
    return infos;
}

const struct instance_info *instance_infos_find(const struct instance_infos *infos,
                                                const char *name)
{
    uint32_t low = 0, high = infos->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(infos->items[middle]->name, name);
        if (order == 0)
            return infos->items[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
