#include "model/devices/built_in_devices.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/reading/catalog.h"

#define AWS(name)       "karpenter.k8s.aws/instance-" name
#define GPU_DRIVER      "gpu.nvidia.com"
#define NEURON_DRIVER   "neuron.aws.com"
#define DEVICES_MAX     64 // of one machine
#define ATTRIBUTES_MAX  8
#define MEBIBYTE_MILLIS (INT64_C(1048576) * 1000)

// As NVML names them. Memory is what the driver reports, in MiB; 0: what the type's label says.
// Several entries of a name differ in memory: the first whose label is at most `labelled_mib`.
struct gpu_model {
    const char *name;
    int64_t labelled_mib; // 0: any
    const char *product, *architecture, *compute_capability;
    int64_t memory_mib;
};
static const struct gpu_model gpu_models[] = {
    {"m60", 0, "Tesla M60", "Maxwell", "5.2.0", 8192},
    {"v100", 16384, "Tesla V100-SXM2-16GB", "Volta", "7.0.0", 16384},
    {"v100", 0, "Tesla V100-SXM2-32GB", "Volta", "7.0.0", 32768},
    {"t4", 0, "Tesla T4", "Turing", "7.5.0", 15360},
    {"t4g", 0, "NVIDIA T4G", "Turing", "7.5.0", 15360},
    {"a10g", 0, "NVIDIA A10G", "Ampere", "8.6.0", 23028},
    {"a100", 40960, "NVIDIA A100-SXM4-40GB", "Ampere", "8.0.0", 40960},
    {"a100", 0, "NVIDIA A100-SXM4-80GB", "Ampere", "8.0.0", 81920},
    {"l4", 22888, "NVIDIA L4", "Ada Lovelace", "8.9.0", 0},
    {"l40s", 0, "NVIDIA L40S", "Ada Lovelace", "8.9.0", 46068},
    {"h100", 0, "NVIDIA H100 80GB HBM3", "Hopper", "9.0.0", 81559},
    {"h200", 0, "NVIDIA H200", "Hopper", "9.0.0", 143771},
    {"b200", 0, "NVIDIA B200", "Blackwell", "10.0.0", 183359},
    {"b300", 0, "NVIDIA B300 SXM6 AC", "Blackwell", "10.3.0", 275040},
    {"rtx-pro-server-6000", 0, "NVIDIA RTX PRO 6000 Blackwell Server Edition", "Blackwell",
     "12.0.0", 97887},
};

static void add_text(struct device_facts *facts, const char *domain, const char *name,
                     enum attribute_kind kind, const char *text, bool at_runtime)
{
    assert(facts->attributes.count < ATTRIBUTES_MAX);
    facts->attributes.items[facts->attributes.count++] = (struct device_attribute){
        .domain = domain, .name = name, .kind = kind, .text = text, .at_runtime = at_runtime};
}

static struct device_facts *add_device(struct arena *arena, device_facts_list *list,
                                       const char *driver, const char *name)
{
    assert(list->count < DEVICES_MAX);
    struct device_facts *facts = &list->items[list->count++];
    facts->driver = driver;
    facts->name = name;
    facts->attributes.items =
        arena_allocate_array(arena, ATTRIBUTES_MAX, sizeof *facts->attributes.items);
    return facts;
}

static int64_t labelled(const struct instance_type *type, const char *key)
{
    int64_t value = 0;
    const char *text = requirement_single_value(&type->requirements, key);
    return text != NULL && text_parse_int64(text, &value) && value > 0 ? value : 0;
}

static int64_t capacity_of(const struct instance_type *type, const char *name)
{
    list_for_each (entry, &type->capacity)
        if (strcmp(entry->name, name) == 0)
            return entry->value;
    return 0;
}

// A label's value as the table spells it.
static const char *spelt(struct arena *arena, const char *name)
{
    char *copy = arena_copy_string(arena, name);
    for (char *c = copy; *c != '\0'; c++)
        *c = (char)(*c == ' ' ? '-' : tolower((unsigned char)*c));
    return copy;
}

static const struct gpu_model *model_of(const char *name, int64_t memory_mib)
{
    for (size_t i = 0; i < ARRAY_LENGTH(gpu_models); i++)
        if (strcmp(gpu_models[i].name, name) == 0 &&
            (gpu_models[i].labelled_mib == 0 || memory_mib <= gpu_models[i].labelled_mib))
            return &gpu_models[i];
    return NULL;
}

static void add_memory(struct arena *arena, struct device_facts *facts, int64_t memory_mib)
{
    if (memory_mib == 0)
        return;
    facts->capacity.items = arena_allocate(arena, sizeof *facts->capacity.items);
    facts->capacity.items[facts->capacity.count++] =
        (struct device_capacity){.domain = GPU_DRIVER,
                                 .name = "memory",
                                 .amount = quantity_multiply(memory_mib, MEBIBYTE_MILLIS)};
}

static void add_gpus(struct arena *arena, const struct instance_type *type, device_facts_list *list)
{
    const char *name = requirement_single_value(&type->requirements, AWS("gpu-name"));
    const char *maker = requirement_single_value(&type->requirements, AWS("gpu-manufacturer"));
    int64_t count = capacity_of(type, "nvidia.com/gpu");
    int64_t memory_mib = labelled(type, AWS("gpu-memory"));
    if (name == NULL || count == 0 || (maker != NULL && strcmp(maker, "nvidia") != 0))
        return;
    const struct gpu_model *model = model_of(spelt(arena, name), memory_mib);
    if (model != NULL && model->memory_mib != 0)
        memory_mib = model->memory_mib;
    for (int64_t i = 0; i < count && list->count < DEVICES_MAX; i++) {
        struct device_facts *gpu =
            add_device(arena, list, GPU_DRIVER, arena_format(arena, "gpu-%lld", (long long)i));
        add_text(gpu, GPU_DRIVER, "type", ATTRIBUTE_STRING, "gpu", false);
        add_text(gpu, GPU_DRIVER, "brand", ATTRIBUTE_STRING, "Nvidia", false);
        if (model != NULL) {
            add_text(gpu, GPU_DRIVER, "productName", ATTRIBUTE_STRING, model->product, false);
            add_text(gpu, GPU_DRIVER, "architecture", ATTRIBUTE_STRING, model->architecture, false);
            add_text(gpu, GPU_DRIVER, "cudaComputeCapability", ATTRIBUTE_VERSION,
                     model->compute_capability, false);
        }
        add_memory(arena, gpu, memory_mib);
    }
}

// Connected devices share the identifier of their group, which is chosen on the machine.
static void add_neuron_devices(struct arena *arena, const struct instance_type *type,
                               device_facts_list *list)
{
    static const int64_t sizes[] = {1, 4, 8, 16};
    static const char *const groups[] = {"devicegroup1_id", "devicegroup4_id", "devicegroup8_id",
                                         "devicegroup16_id"};
    const char *name = requirement_single_value(&type->requirements, AWS("accelerator-name"));
    int64_t count = capacity_of(type, "aws.amazon.com/neuron");
    if (name == NULL || count == 0 || strncmp(spelt(arena, name), "trainium", 8) != 0)
        return;
    for (int64_t i = 0; i < count && list->count < DEVICES_MAX; i++) {
        struct device_facts *device = add_device(
            arena, list, NEURON_DRIVER, arena_format(arena, "neurondevice%lld", (long long)i));
        add_text(device, NEURON_DRIVER, "instanceType", ATTRIBUTE_STRING, type->name, false);
        for (size_t g = 0; g < ARRAY_LENGTH(sizes); g++)
            if (sizes[g] <= count)
                add_text(device, "resource.aws.com", groups[g], ATTRIBUTE_STRING,
                         arena_format(arena, "%lld", (long long)(i / sizes[g])), true);
    }
}

device_facts_list built_in_devices(struct arena *arena, const struct instance_type *type)
{
    device_facts_list list = {0};
    list.items = arena_allocate_array(arena, DEVICES_MAX, sizeof *list.items);
    add_gpus(arena, type, &list);
    add_neuron_devices(arena, type, &list);
    return list;
}
