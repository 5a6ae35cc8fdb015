#include "cloud/aws/types/type_labels.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "model/schema/karpenter.h"

#define PREFIX           TYPE_LABEL_PREFIX
#define REQUIREMENTS_MAX 44

struct labels {
    struct arena *arena;
    requirement_list list;
};

// Values are sorted by the caller where order matters; none: DoesNotExist.
static void require_list(struct labels *labels, const char *key, struct string_list values)
{
    assert(labels->list.count < REQUIREMENTS_MAX);
    struct selector_requirement *requirement = &labels->list.items[labels->list.count++];
    requirement->key = key;
    requirement->operator= values.count> 0 ? "In" : "DoesNotExist";
    if (values.count > 0)
        requirement->values = values;
}

static void require(struct labels *labels, const char *key, const char *value)
{
    struct string_list values = {0};
    if (value != NULL) {
        values.items = arena_allocate(labels->arena, sizeof(char *));
        values.items[values.count++] = value;
    }
    require_list(labels, key, values);
}

static void require_number(struct labels *labels, const char *key, int64_t value)
{
    require(labels, key, arena_format(labels->arena, "%lld", (long long)value));
}

static void number_if(struct labels *labels, const char *key, int64_t value, bool wanted)
{
    if (wanted)
        require_number(labels, key, value);
    else
        require(labels, key, NULL);
}

static const char *kebab(struct arena *arena, const char *text)
{
    char *copy = arena_copy_string(arena, text_or_empty(text));
    for (char *c = copy; *c != '\0'; c++)
        *c = *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
    return copy;
}

static const char *yes_or_no(bool value)
{
    return value ? "true" : "false";
}

static struct string_list values_of(struct labels *labels, uint32_t capacity)
{
    return (struct string_list){arena_allocate_array(labels->arena, capacity, sizeof(char *)), 0};
}

static void add_distinct(struct string_list *list, const char *value)
{
    if (value != NULL && !string_list_has(list, value))
        list->items[list->count++] = value;
}

// --- where (AWI-42 to 48) ------------------------------------------------------------------------

static const char *architecture(struct labels *labels, const struct instance_info *info)
{
    for (uint32_t i = 0; i < info->architectures.count; i++) {
        if (strcmp(info->architectures.items[i], "x86_64") == 0)
            return "amd64";
        if (strcmp(info->architectures.items[i], "arm64") == 0)
            return "arm64";
    }
    struct text text = {0};
    for (uint32_t i = 0; i < info->architectures.count; i++)
        text_join(&text, " ", info->architectures.items[i]);
    const char *none = arena_format(labels->arena, "[%s]", text.data != NULL ? text.data : "");
    text_free(&text);
    return none;
}

static void zone_labels(struct labels *labels, uint64_t zones, const struct type_terms *terms)
{
    struct string_list names = values_of(labels, terms->zones_count + 1);
    struct string_list ids = values_of(labels, terms->zones_count + 1);
    for (uint32_t i = 0; i < terms->zones_count; i++)
        if ((zones >> i & 1) != 0) {
            names.items[names.count++] = terms->zones[i].name;
            if (!text_is_empty(terms->zones[i].id))
                add_distinct(&ids, terms->zones[i].id);
        }
    require_list(labels, LABEL_ZONE, names);
    require(labels, LABEL_REGION, terms->region);
    if (ids.count > 0)
        require_list(labels, "topology.k8s.aws/zone-id", ids);
}

static uint32_t reservations_of(const struct instance_info *info, const struct type_terms *terms)
{
    uint32_t count = 0;
    if (terms->node_class != NULL)
        list_for_each (reservation, &terms->node_class->status.capacity_reservations)
            count += reservation_is_of(reservation, info);
    return count;
}

static void capacity_types(struct labels *labels, const struct instance_info *info, bool reserved)
{
    struct string_list values = values_of(labels, 3);
    if (info->on_demand)
        values.items[values.count++] = CAPACITY_TYPE_ON_DEMAND;
    if (info->spot)
        values.items[values.count++] = CAPACITY_TYPE_SPOT;
    if (reserved)
        values.items[values.count++] = CAPACITY_TYPE_RESERVED;
    require_list(labels, LABEL_CAPACITY_TYPE, values);
}

// --- the name (AWI-54 to 58, 80) -----------------------------------------------------------------

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

// AWI-80: letters, perhaps "-<n>tb", digits; a dot must follow somewhere.
static void category_labels(struct labels *labels, const char *name)
{
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyz");
    const char *generation = name + letters;
    if (*generation == '-') {
        size_t terabytes = digits(generation + 1);
        bool is_size = terabytes > 0 && strncmp(generation + 1 + terabytes, "tb", 2) == 0;
        generation += is_size ? terabytes + 3 : 0;
    }
    size_t length = digits(generation);
    bool matches = letters > 0 && length > 0 && strchr(generation + length, '.') != NULL;
    require(labels, PREFIX "instance-category",
            matches ? arena_copy_bytes(labels->arena, name, letters) : NULL);
    require(labels, PREFIX "instance-generation",
            matches ? arena_copy_bytes(labels->arena, generation, length) : NULL);
}

static void name_labels(struct labels *labels, const char *name)
{
    const char *dot = strchr(name, '.');
    size_t before = dot != NULL ? (size_t)(dot - name) : strlen(name);
    const char *family = arena_copy_bytes(labels->arena, name, before);
    bool one_dot = dot != NULL && strchr(dot + 1, '.') == NULL;
    category_labels(labels, name);
    require(labels, PREFIX "instance-family", one_dot ? family : NULL);
    require(labels, PREFIX "instance-size", one_dot ? dot + 1 : NULL);
    require(labels, PREFIX "instance-capability-flex", yes_or_no(strstr(family, "-flex") != NULL));
}

// --- hardware (AWI-50 to 53, 59 to 69) -----------------------------------------------------------

static void hardware_labels(struct labels *labels, const struct instance_info *info)
{
    require_number(labels, PREFIX "instance-cpu", info->vcpus);
    require_number(labels, PREFIX "instance-memory", info->memory_mib);
    require(labels, PREFIX "instance-cpu-manufacturer",
            info->has_processor ? kebab(labels->arena, info->manufacturer) : NULL);
    require_number(labels, PREFIX "instance-cpu-sustained-clock-speed-mhz",
                   llround(info->clock_ghz * 1000));
    require(labels, PREFIX "instance-hypervisor", info->hypervisor);
    require(labels, PREFIX "instance-encryption-in-transit-supported",
            yes_or_no(info->encryption_in_transit));
    require(labels, PREFIX "nitro-sandbox", yes_or_no(info->nitro_enclaves));
    number_if(labels, PREFIX "instance-local-nvme", info->storage_gb,
              info->storage_gb > 0 && !text_equal(info->storage_nvme, "unsupported"));
    number_if(labels, PREFIX "instance-ebs-bandwidth", info->ebs_bandwidth_mbps,
              info->ebs_bandwidth_mbps > 0 && text_equal(info->ebs_optimized, "default"));
    number_if(labels, PREFIX "instance-network-bandwidth", info->network_mbps,
              info->network_mbps > 0);
}

static void tenancy_label(struct labels *labels)
{
    static const char *values[] = {"dedicated", "default"};
    require_list(labels, PREFIX "instance-tenancy", (struct string_list){values, 2});
}

static void gpu_labels(struct labels *labels, const struct instance_info *info, bool better)
{
    // AWI-909: of several kinds the sets of values, and the sum.
    bool told = better ? info->gpus_count > 0 : info->gpus_count == 1;
    struct string_list names = values_of(labels, ACCELERATORS_MAX);
    struct string_list manufacturers = values_of(labels, ACCELERATORS_MAX);
    struct string_list memories = values_of(labels, ACCELERATORS_MAX);
    int64_t count = 0;
    for (uint32_t i = 0; told && i < info->gpus_count; i++) {
        const struct info_accelerator *gpu = &info->gpus[i];
        add_distinct(&names, kebab(labels->arena, gpu->name));
        add_distinct(&manufacturers, kebab(labels->arena, gpu->manufacturer));
        add_distinct(&memories, arena_format(labels->arena, "%lld", (long long)gpu->memory_mib));
        count += better && gpu->count == 0 ? gpu->logical_count : gpu->count; // AWI-908
    }
    require_list(labels, PREFIX "instance-gpu-name", names);
    require_list(labels, PREFIX "instance-gpu-manufacturer", manufacturers);
    number_if(labels, PREFIX "instance-gpu-count", count, told);
    require_list(labels, PREFIX "instance-gpu-memory", memories);
}

static void accelerator_labels(struct labels *labels, const struct instance_info *info)
{
    const struct info_accelerator *one = NULL;
    const char *manufacturer = NULL;
    if (info->neurons_count == 1) {
        one = &info->neurons[0];
        manufacturer = "aws";
    } else if (info->neurons_count == 0 && info->inferences_count == 1) {
        one = &info->inferences[0];
        manufacturer = kebab(labels->arena, one->manufacturer);
    }
    require(labels, PREFIX "instance-accelerator-name",
            one != NULL ? kebab(labels->arena, one->name) : NULL);
    require(labels, PREFIX "instance-accelerator-manufacturer", manufacturer);
    number_if(labels, PREFIX "instance-accelerator-count", one != NULL ? one->count : 0,
              one != NULL);
}

// --- reservations and groups (AWI-70 to 74) ------------------------------------------------------

static void reservation_labels(struct labels *labels, const struct instance_info *info,
                               const struct type_terms *terms, uint32_t count)
{
    struct string_list ids = values_of(labels, count + 1), types = values_of(labels, count + 1);
    struct string_list interruptible = values_of(labels, count + 1);
    if (terms->node_class != NULL)
        list_for_each (reservation, &terms->node_class->status.capacity_reservations) {
            if (!reservation_is_of(reservation, info))
                continue;
            add_distinct(&ids, reservation->id);
            add_distinct(&types, reservation->reservation_type);
            add_distinct(&interruptible, yes_or_no(reservation->interruptible));
        }
    require_list(labels, PREFIX "capacity-reservation-id", ids);
    require_list(labels, PREFIX "capacity-reservation-type", types);
    require_list(labels, PREFIX "capacity-reservation-interruptible", interruptible);
}

static void group_labels(struct labels *labels, const struct placement_group *group)
{
    if (group == NULL)
        return;
    require(labels, PREFIX "placement-group-id", group->id);
    if (!text_equal(group->strategy, "partition") || group->partitions <= 0)
        return;
    struct string_list numbers = values_of(labels, (uint32_t)group->partitions);
    for (int64_t i = 1; i <= group->partitions; i++)
        numbers.items[numbers.count++] = arena_format(labels->arena, "%lld", (long long)i);
    require_list(labels, PREFIX "placement-group-partition", numbers);
}

requirement_list type_labels(const struct instance_info *info, uint64_t zones,
                             const struct type_terms *terms, struct arena *arena)
{
    struct labels labels = {.arena = arena};
    labels.list.items =
        arena_allocate_array(arena, REQUIREMENTS_MAX, sizeof(struct selector_requirement));
    uint32_t reservations = reservations_of(info, terms);
    const char *arch = architecture(&labels, info);
    const char *os = !terms->windows ? "linux" : strcmp(arch, "amd64") == 0 ? "windows" : NULL;
    require(&labels, LABEL_INSTANCE_TYPE, info->name);
    require(&labels, LABEL_ARCH, arch);
    require(&labels, LABEL_OS, os);
    require(&labels, LABEL_WINDOWS_BUILD, terms->windows ? terms->windows_build : NULL);
    zone_labels(&labels, zones, terms);
    capacity_types(&labels, info, reservations > 0);
    name_labels(&labels, info->name);
    hardware_labels(&labels, info);
    tenancy_label(&labels);
    gpu_labels(&labels, info, terms->better);
    accelerator_labels(&labels, info);
    reservation_labels(&labels, info, terms, reservations);
    group_labels(&labels, terms->group);
    return labels.list;
}
