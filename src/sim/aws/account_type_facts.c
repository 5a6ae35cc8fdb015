#include "sim/aws/account_type_facts.h"

#include <string.h>

#include "sim/aws/account_internal.h"

#define MANUFACTURER_COUNT 3

static const char *manufacturer(const char *name)
{
    static const char *const names[MANUFACTURER_COUNT][2] = {
        {"aws", "AWS"}, {"intel", "Intel"}, {"amd", "AMD"}};
    for (int i = 0; i < MANUFACTURER_COUNT; i++)
        if (strcmp(names[i][0], name) == 0)
            return names[i][1];
    return name;
}

static json_t *number_of(const json_t *facts, const char *name)
{
    const json_t *value = json_object_get(facts, name);
    return json_integer(json_integer_value(value));
}

static void processor_describe(json_t *item, const json_t *facts)
{
    bool arm = strcmp(json_text(facts, "arch"), "arm64") == 0;
    json_t *processor = json_object(), *features = json_object_get(facts, "processorFeatures");
    json_object_set_new(processor, "supportedArchitectures",
                        json_pack("[s]", arm ? "arm64" : "x86_64"));
    int64_t clock = json_integer_value(json_object_get(facts, "sustainedClockMhz"));
    if (clock > 0)
        json_object_set_new(processor, "sustainedClockSpeedInGhz", json_real((double)clock / 1000));
    if (json_array_size(features) > 0)
        json_object_set(processor, "supportedFeatures", features);
    json_object_set_new(processor, "manufacturer",
                        json_string(manufacturer(json_text(facts, "cpuManufacturer"))));
    json_object_set_new(item, "processorInfo", processor);
    int64_t cpus = json_integer_value(json_object_get(facts, "vcpu"));
    int64_t threads = json_integer_value(json_object_get(facts, "threadsPerCore"));
    json_object_set_new(item, "vCpuInfo",
                        json_pack("{s:I,s:I,s:I}", "defaultVCpus", (json_int_t)cpus, "defaultCores",
                                  (json_int_t)(threads > 0 ? cpus / threads : cpus),
                                  "defaultThreadsPerCore", (json_int_t)threads));
    json_object_set_new(item, "memoryInfo",
                        json_pack("{s:o}", "sizeInMiB", number_of(facts, "memoryMiB")));
}

static void storage_describe(json_t *item, const json_t *facts)
{
    const json_t *disks = json_object_get(facts, "localDisks");
    json_t *list = json_array(), *disk;
    size_t i;
    json_array_foreach (disks, i, disk)
        json_array_append_new(
            list, json_pack("{s:o,s:o,s:s}", "sizeInGB", number_of(disk, "sizeGB"), "count",
                            number_of(disk, "count"), "type", json_text(disk, "type")));
    int64_t total = json_integer_value(json_object_get(facts, "localStorageGB"));
    json_object_set_new(item, "instanceStorageSupported", json_boolean(total > 0));
    if (total > 0) {
        const char *nvme = json_text(facts, "localStorageNvme");
        json_object_set_new(item, "instanceStorageInfo",
                            json_pack("{s:I,s:O,s:s}", "totalSizeInGB", (json_int_t)total, "disks",
                                      list, "nvmeSupport", nvme[0] ? nvme : "unsupported"));
    }
    json_decref(list);
    json_t *ebs = json_object();
    const char *optimized = json_text(facts, "ebsOptimized");
    json_object_set_new(ebs, "ebsOptimizedSupport",
                        json_string(optimized[0] ? optimized : "unsupported"));
    json_object_set_new(ebs, "encryptionSupport", json_string("supported"));
    if (json_integer_value(json_object_get(facts, "ebsMaxMbps")) > 0)
        json_object_set_new(ebs, "ebsOptimizedInfo",
                            json_pack("{s:o,s:o}", "baselineBandwidthInMbps",
                                      number_of(facts, "ebsBaselineMbps"), "maximumBandwidthInMbps",
                                      number_of(facts, "ebsMaxMbps")));
    json_object_set_new(ebs, "maximumEbsAttachments", number_of(facts, "ebsMaxAttachments"));
    json_object_set_new(item, "ebsInfo", ebs);
}

static void network_describe(json_t *item, const json_t *facts)
{
    json_t *network = json_object(), *cards = json_array(), *card;
    int64_t efa = json_integer_value(json_object_get(facts, "efaInterfaces"));
    size_t i;
    json_array_foreach (json_object_get(facts, "networkCards"), i, card) {
        json_t *types = json_pack("[s]", "interface");
        if (efa > 0) {
            json_array_append_new(types, json_string("efa"));
            json_array_append_new(types, json_string("efa-only"));
        }
        json_array_append_new(cards, json_pack("{s:o,s:o,s:o}", "networkCardIndex",
                                               number_of(card, "index"), "maximumNetworkInterfaces",
                                               number_of(card, "maxInterfaces"), "interfaceTypeSet",
                                               types));
    }
    json_object_set_new(network, "maximumNetworkInterfaces", number_of(facts, "enis"));
    json_object_set_new(network, "maximumNetworkCards",
                        json_integer((json_int_t)json_array_size(cards)));
    json_object_set_new(network, "defaultNetworkCardIndex", number_of(facts, "defaultNetworkCard"));
    json_object_set_new(network, "networkCards", cards);
    json_object_set_new(network, "ipv4AddressesPerInterface", number_of(facts, "ipv4PerEni"));
    json_object_set_new(network, "ipv6AddressesPerInterface", number_of(facts, "ipv4PerEni"));
    json_object_set_new(network, "ipv6Supported", json_true());
    const char *ena = json_text(facts, "enaSupport");
    json_object_set_new(network, "enaSupport", json_string(ena[0] ? ena : "unsupported"));
    json_object_set_new(network, "efaSupported", json_boolean(efa > 0));
    if (efa > 0)
        json_object_set_new(network, "efaInfo",
                            json_pack("{s:I}", "maximumEfaInterfaces", (json_int_t)efa));
    json_object_set_new(network, "encryptionInTransitSupported",
                        json_boolean(json_is_true(json_object_get(facts, "encryptionInTransit"))));
    json_object_set_new(item, "networkInfo", network);
}

static json_t *gpu_describe(const json_t *device)
{
    json_t *gpu =
        json_pack("{s:s,s:s,s:o,s:{s:o}}", "name", json_text(device, "name"), "manufacturer",
                  json_text(device, "manufacturer"), "count", number_of(device, "count"),
                  "memoryInfo", "sizeInMiB", number_of(device, "memoryMiB"));
    if (json_object_get(device, "logicalCount") != NULL) // a part of a GPU
        json_object_set_new(gpu, "logicalGpuCount", number_of(device, "logicalCount"));
    return gpu;
}

static void accelerators_describe(json_t *item, const json_t *facts)
{
    json_t *gpus = json_array(), *neurons = json_array(), *inference = json_array(), *device;
    size_t i;
    json_array_foreach (json_object_get(facts, "gpus"), i, device)
        json_array_append_new(gpus, gpu_describe(device));
    json_array_foreach (json_object_get(facts, "neuronDevices"), i, device)
        json_array_append_new(neurons, json_pack("{s:o,s:s,s:{s:o},s:{s:o}}", "count",
                                                 number_of(device, "count"), "name",
                                                 json_text(device, "name"), "coreInfo", "count",
                                                 number_of(device, "coresPerDevice"), "memoryInfo",
                                                 "sizeInMiB", number_of(device, "memoryMiB")));
    json_array_foreach (json_object_get(facts, "inferenceAccelerators"), i, device)
        json_array_append_new(inference,
                              json_pack("{s:o,s:s,s:s}", "count", number_of(device, "count"),
                                        "name", json_text(device, "name"), "manufacturer",
                                        json_text(device, "manufacturer")));
    if (json_array_size(gpus) > 0)
        json_object_set_new(item, "gpuInfo", json_pack("{s:O}", "gpus", gpus));
    if (json_array_size(neurons) > 0)
        json_object_set_new(item, "neuronInfo", json_pack("{s:O}", "neuronDevices", neurons));
    if (json_array_size(inference) > 0)
        json_object_set_new(
            item, "inferenceAcceleratorInfo",
            json_pack("{s:{s:O}}", "accelerators", "member", json_array_get(inference, 0)));
    json_decref(gpus);
    json_decref(neurons);
    json_decref(inference);
}

static json_t *flag_of(const json_t *facts, const char *name)
{
    return json_boolean(json_is_true(json_object_get(facts, name)));
}

json_t *account_type_describe(const json_t *facts)
{
    json_t *item = json_object();
    json_object_set(item, "instanceType", json_object_get(facts, "name"));
    json_object_set_new(item, "currentGeneration", flag_of(facts, "currentGeneration"));
    json_object_set(item, "supportedUsageClasses", json_object_get(facts, "usageClasses"));
    json_object_set(item, "supportedVirtualizationTypes",
                    json_object_get(facts, "virtualizationTypes"));
    json_object_set_new(item, "bareMetal", flag_of(facts, "bareMetal"));
    if (json_text(facts, "hypervisor")[0] != '\0')
        json_object_set(item, "hypervisor", json_object_get(facts, "hypervisor"));
    processor_describe(item, facts);
    storage_describe(item, facts);
    network_describe(item, facts);
    accelerators_describe(item, facts);
    json_object_set_new(item, "placementGroupInfo",
                        json_pack("{s:O}", "supportedStrategies",
                                  json_object_get(facts, "placementGroupStrategies")));
    json_object_set_new(item, "burstablePerformanceSupported", flag_of(facts, "burstable"));
    bool enclaves = json_is_true(json_object_get(facts, "nitroEnclaves"));
    json_object_set_new(item, "nitroEnclavesSupport",
                        json_string(enclaves ? "supported" : "unsupported"));
    return item;
}
