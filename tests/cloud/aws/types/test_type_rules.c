// What becomes of EC2's answers: labels, capacity and offerings of odd types, and what decides
// about them (AWI-12 to 31, 42 to 114, 150 to 177, 902 to 909).
#include "support/cmocka_all.h"

#include <string.h>

#include "base/loop_virtual.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/types/kept_prices.h"
#include "cloud/aws/types/type_stores.h"
#include "model/reading/catalog.h"
#include "model/reading/settings_read.h"
#include "model/tables/kinds.h"

#define LABEL(key) "karpenter.k8s.aws/" key

struct fixture {
    struct loop *loop;
    struct settings settings;
    struct type_stores stores;
    const char *shifted; // a zone id
    uint32_t changes;
};

static bool is_shifted(void *context, const char *zone_id)
{
    return text_equal(((struct fixture *)context)->shifted, zone_id);
}

static void count_change(void *context)
{
    ((struct fixture *)context)->changes++;
}

static void open_stores(struct fixture *fixture, bool upstream)
{
    fixture->settings.compatibility_upstream = upstream;
    type_stores_open(&fixture->stores, fixture->loop, &fixture->settings, false,
                     &(struct ec2_types_options){.zone_is_shifted = is_shifted,
                                                 .changed = count_change,
                                                 .context = fixture});
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->loop = loop_create_virtual(INT64_C(1767225600) * SECOND);
    settings_defaults(&fixture->settings);
    fixture->settings.gate_reserved_capacity = true;
    open_stores(fixture, false);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    type_stores_close(&fixture->stores);
    settings_free(&fixture->settings);
    loop_destroy(fixture->loop);
    free(fixture);
    return 0;
}

// --- EC2's answers -------------------------------------------------------------------------------

#define NETWORK(interfaces, addresses)                                                        \
    "\"NetworkInfo\":{\"DefaultNetworkCardIndex\":0,\"Ipv4AddressesPerInterface\":" addresses \
    ",\"NetworkCards\":[{\"NetworkCardIndex\":0,\"MaximumNetworkInterfaces\":" interfaces "}]}"
#define PROCESSOR(architectures)                                         \
    "\"ProcessorInfo\":{\"SupportedArchitectures\":[" architectures "]," \
    "\"Manufacturer\":\"Intel\"}"
#define TYPE_WITH(name, memory, more)                                                    \
    "{\"InstanceType\":\"" name "\",\"SupportedUsageClasses\":[\"on-demand\",\"spot\"]," \
    "\"VCpuInfo\":{\"DefaultVCpus\":2},\"MemoryInfo\":{\"SizeInMiB\":" memory "}," more "}"
#define TYPE(name, more) \
    TYPE_WITH(name, "8192", PROCESSOR("\"x86_64\"") "," NETWORK("3", "10") more)

// The types are offered in the zones a and b.
static void answer(struct fixture *fixture, const char *infos)
{
    json_t *types = json_array(), *offerings = json_array(), *info;
    json_t *list = json_loads(infos, 0, NULL);
    size_t index;
    assert_non_null(list);
    json_array_foreach (list, index, info) {
        json_array_append(types, info);
        for (const char *zone = "ab"; *zone != '\0'; zone++) {
            char name[20];
            snprintf(name, sizeof name, "us-west-2%c", *zone);
            json_array_append_new(offerings,
                                  json_pack("{s:O, s:s, s:s}", "InstanceType",
                                            json_object_get(info, "InstanceType"), "LocationType",
                                            "availability-zone", "Location", name));
        }
    }
    json_decref(list);
    types = json_pack("{s:o}", "InstanceTypes", types);
    offerings = json_pack("{s:o}", "InstanceTypeOfferings", offerings);
    ec2_types_use_replies(fixture->stores.types, types, offerings);
    json_decref(types);
    json_decref(offerings);
}

// --- NodeClasses ---------------------------------------------------------------------------------

struct class_text {
    const char *name, *alias, *spec, *status; // the last two: further members, or ""
};
static const struct class_text plain = {"default", "al2023@latest", "", ""};

static const struct instance_type_catalog *catalogue(struct fixture *fixture,
                                                     const struct class_text *class)
{
    struct error error = {0};
    struct text text = {0};
    text_format(&text,
                "{\"apiVersion\":\"karpenter.k8s.aws/v1\",\"kind\":\"EC2NodeClass\",\"metadata\":{"
                "\"name\":\"%s\"},\"spec\":{\"amiSelectorTerms\":[{\"alias\":\"%s\"}]%s},"
                "\"status\":{\"amis\":[{\"id\":\"ami-1\",\"requirements\":[]}],\"subnets\":["
                "{\"id\":\"s1\",\"zone\":\"us-west-2a\",\"zoneID\":\"usw2-az1\"}]%s}}",
                class->name, class->alias, class->spec, class->status);
    json_t *document = json_loads(text.data, 0, NULL);
    assert_non_null(document);
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    assert_non_null(object);
    const struct instance_type_catalog *found =
        ec2_types_for(fixture->stores.types, (const struct ec2_node_class *)object, &error);
    if (found == NULL)
        fail_msg("%s", error.message);
    object_release(object);
    json_decref(document);
    text_free(&text);
    return found;
}

static void release(const struct instance_type_catalog *all)
{
    object_release((const struct object *)all);
}

static const struct instance_type *type_in(const struct instance_type_catalog *all,
                                           const char *name)
{
    const struct instance_type *type = instance_type_catalog_find(all, name);
    assert_non_null(type);
    return type;
}

// "a,b" for In [a, b]; "-" for DoesNotExist; NULL: the key is not there. Sorted.
static const char *values(const struct instance_type *type, const char *key)
{
    static char text[200];
    list_for_each (requirement, &type->requirements) {
        if (strcmp(requirement->key, key) != 0)
            continue;
        if (!text_equal(requirement->operator, "In"))
            return "-";
        text[0] = '\0';
        list_for_each (value, &requirement->values)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                     text[0] != '\0' ? "," : "", *value);
        return text;
    }
    return NULL;
}

// "reserved:cr-1 on-demand:2" for the offerings that are available, or all of them.
static const char *offerings(const struct instance_type *type, bool all)
{
    static char text[600];
    text[0] = '\0';
    list_for_each (offering, &type->offerings) {
        const requirement_list *list = &offering->requirements;
        const char *id = requirement_single_value(list, LABEL("capacity-reservation-id"));
        const char *partition = requirement_single_value(list, LABEL("placement-group-partition"));
        const char *zone = requirement_single_value(list, LABEL_ZONE);
        if (all || offering->available)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%c:%s%s%s%s%s",
                     text[0] != '\0' ? " " : "", zone[strlen(zone) - 1],
                     requirement_single_value(list, LABEL_CAPACITY_TYPE), id != NULL ? ":" : "",
                     id != NULL ? id : "", partition != NULL ? ":" : "",
                     partition != NULL ? partition : "");
    }
    return text;
}

static const char *available(struct fixture *fixture, const struct class_text *class,
                             const char *name)
{
    const struct instance_type_catalog *all = catalogue(fixture, class);
    const char *text = offerings(type_in(all, name), false);
    release(all);
    return text;
}

// --- tests: labels and capacity ------------------------------------------------------------------

static void types_missing_in_the_tables_AWI_30(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text windows = {"w", "windows2022@latest", "", ""};
    answer(fixture, "[" TYPE("zz1.large", "") "," TYPE("m5.large", "") "]");
    const struct instance_type_catalog *all = catalogue(fixture, &plain);
    const struct instance_type *type = type_in(all, "zz1.large");
    assert_string_equal(values(type, LABEL("instance-network-bandwidth")), "-");
    assert_int_equal(resource_map_get(&type->capacity, "vpc.amazonaws.com/pod-eni"), 0);
    assert_int_equal(resource_map_get(&type->capacity, "pods"), 29); // all else works
    assert_string_equal(values(type, LABEL("instance-category")), "zz");
    assert_int_equal(
        resource_map_get(&type_in(all, "m5.large")->capacity, "vpc.amazonaws.com/pod-eni"), 9);
    release(all);
    all = catalogue(fixture, &windows);
    const char *address = "vpc.amazonaws.com/PrivateIPv4Address";
    assert_true(resource_map_has(&type_in(all, "zz1.large")->capacity, address));
    assert_int_equal(resource_map_get(&type_in(all, "zz1.large")->capacity, address), 0);
    assert_int_equal(resource_map_get(&type_in(all, "m5.large")->capacity, address), 9);
    release(all);
}

// A kubelet on Windows keeps 500 Mi for evictions, and its image reserves nothing by itself.
static void windows_keeps_more_for_evictions_AWI_113(void **state)
{
    struct fixture *fixture = *state;
    static const struct {
        const char *alias, *kubelet;
        int64_t upstream, better; // Mi
    } cases[] = {
        {"windows2022@latest", "{}", 100, 100}, // kubeReserved's default has the room
        {"windows2022@latest", "{\"kubeReserved\":{\"cpu\":\"300m\"}}", 100, 100},
        {"windows2022@latest", "{\"kubeReserved\":{\"memory\":\"700Mi\"}}", 100, 500},
        {"windows2022@latest",
         "{\"kubeReserved\":{\"memory\":\"700Mi\"},\"evictionHard\":{\"memory.available\":"
         "\"200Mi\"}}",
         200, 200},
        {"al2023@latest", "{\"kubeReserved\":{\"memory\":\"700Mi\"}}", 100, 100},
    };
    for (size_t i = 0; i < 2 * ARRAY_LENGTH(cases); i++) {
        bool upstream = i % 2 == 0;
        char name[20], spec[200];
        type_stores_close(&fixture->stores);
        open_stores(fixture, upstream);
        answer(fixture, "[" TYPE("m5.large", "") "]");
        snprintf(name, sizeof name, "class-%zu", i);
        snprintf(spec, sizeof spec, ",\"kubelet\":%s", cases[i / 2].kubelet);
        const struct class_text class = {name, cases[i / 2].alias, spec, ""};
        const struct instance_type_catalog *all = catalogue(fixture, &class);
        const struct resource_map *threshold =
            &type_in(all, "m5.large")->overhead.eviction_threshold;
        assert_int_equal(resource_map_get(threshold, "memory") >> 20,
                         upstream ? cases[i / 2].upstream : cases[i / 2].better);
        release(all);
    }
}

static void live_infos_have_the_interfaces_AWI_95_96(void **state)
{
    struct fixture *fixture = *state;
    answer(fixture, "[" TYPE_WITH("m5.large", "8192",
                                  PROCESSOR("\"x86_64\"") "," NETWORK(
                                      "4", "20")) "," TYPE_WITH("m5.xlarge", "8192",
                                                                PROCESSOR("\"x86_64\"") "," NETWORK(
                                                                    "0", "20")) "]");
    const struct instance_type_catalog *all = catalogue(fixture, &plain);
    assert_int_equal(resource_map_get(&type_in(all, "m5.large")->capacity, "pods"), 4 * 19 + 2);
    assert_int_equal(resource_map_get(&type_in(all, "m5.xlarge")->capacity, "pods"), 0); // not 2
    release(all);
}

static void odd_infos_AWI_42_to_67(void **state)
{
    struct fixture *fixture = *state;
    answer(
        fixture,
        "[" TYPE_WITH("m5.old", "1024", PROCESSOR("\"i386\"") "," NETWORK("3", "10")) "," TYPE_WITH(
            "m5.both", "1024",
            PROCESSOR("\"i386\",\"x86_64\"") "," NETWORK(
                "3",
                "10")) "," TYPE_WITH("m5.none", "1024",
                                     NETWORK(
                                         "3",
                                         "10")) "," TYPE("strange",
                                                         "") "," TYPE("c7i-flex.large",
                                                                      "") "," TYPE("m5.disk",
                                                                                   ",\"InstanceStor"
                                                                                   "ageInfo\":{"
                                                                                   "\"TotalSizeInGB"
                                                                                   "\":75,"
                                                                                   "\"NvmeSupport\""
                                                                                   ":"
                                                                                   "\"unsupported\""
                                                                                   "},\"EbsInfo\":{"
                                                                                   "\"EbsOptimizedS"
                                                                                   "upport\":"
                                                                                   "\"supported\","
                                                                                   "\"EbsOptimizedI"
                                                                                   "nfo\":{"
                                                                                   "\"MaximumBandwi"
                                                                                   "dthInMbps\":"
                                                                                   "4750}}") "]");
    const struct instance_type_catalog *all = catalogue(fixture, &plain);
    assert_string_equal(values(type_in(all, "m5.old"), "kubernetes.io/arch"), "[i386]"); // AWI-42
    assert_string_equal(values(type_in(all, "m5.both"), "kubernetes.io/arch"), "amd64");
    const struct instance_type *none = type_in(all, "m5.none");
    assert_string_equal(values(none, LABEL("instance-cpu-manufacturer")), "-"); // AWI-52
    assert_string_equal(values(none, LABEL("instance-cpu-sustained-clock-speed-mhz")), "0");
    const struct instance_type *strange = type_in(all, "strange");
    assert_string_equal(values(strange, LABEL("instance-category")), "-"); // AWI-54 to 57
    assert_string_equal(values(strange, LABEL("instance-generation")), "-");
    assert_string_equal(values(strange, LABEL("instance-family")), "-");
    assert_string_equal(values(strange, LABEL("instance-size")), "-");
    const struct instance_type *flex = type_in(all, "c7i-flex.large");
    assert_string_equal(values(flex, LABEL("instance-capability-flex")), "true"); // AWI-58
    assert_string_equal(values(flex, LABEL("instance-category")), "c");           // AWI-80
    assert_string_equal(values(flex, LABEL("instance-generation")), "7");
    const struct instance_type *disk = type_in(all, "m5.disk");
    assert_string_equal(values(disk, LABEL("instance-local-nvme")), "-");    // AWI-63
    assert_string_equal(values(disk, LABEL("instance-ebs-bandwidth")), "-"); // AWI-64
    release(all);
}

#define GPU(name, count, memory)                                                              \
    "{\"Name\":\"" name "\",\"Manufacturer\":\"NVIDIA\",\"Count\":" count ",\"MemoryInfo\":{" \
    "\"SizeInMiB\":" memory "}}"
#define NEURON(name, count, cores) \
    "{\"Name\":\"" name "\",\"Count\":" count ",\"CoreInfo\":{\"Count\":" cores ",\"Version\":1}}"

static void two_kinds_of_devices_AWI_65_102_909(void **state)
{
    struct fixture *fixture = *state;
    for (int upstream = 0; upstream < 2; upstream++) {
        type_stores_close(&fixture->stores);
        open_stores(fixture, upstream != 0);
        answer(fixture,
               "[" TYPE("g9.large",
                        ",\"GpuInfo\":{\"Gpus\":[" GPU("A10G", "1", "24576") "," GPU(
                            "Tesla T4", "2",
                            "16384") "]}") "," TYPE("trn9.large",
                                                    ",\"NeuronInfo\":{\"NeuronDevices\":"
                                                    "[" NEURON("Trainium", "2", "4") "," NEURON(
                                                        "Inferentia", "1",
                                                        "8") "]}") "," TYPE("trn8.large",
                                                                            ",\"NeuronInfo\":{"
                                                                            "\"NeuronDevices\":"
                                                                            "[]}") "]");
        const struct instance_type_catalog *all = catalogue(fixture, &plain);
        const struct instance_type *gpus = type_in(all, "g9.large");
        assert_string_equal(values(gpus, LABEL("instance-gpu-name")),
                            upstream ? "-" : "a10g,tesla-t4");
        assert_string_equal(values(gpus, LABEL("instance-gpu-manufacturer")),
                            upstream ? "-" : "nvidia");
        assert_string_equal(values(gpus, LABEL("instance-gpu-count")), upstream ? "-" : "3");
        assert_string_equal(values(gpus, LABEL("instance-gpu-memory")),
                            upstream ? "-" : "24576,16384");
        assert_int_equal(resource_map_get(&gpus->capacity, "nvidia.com/gpu"), 3);
        const struct instance_type *neurons = type_in(all, "trn9.large");
        assert_int_equal(resource_map_get(&neurons->capacity, "aws.amazon.com/neuron"), 3);
        assert_int_equal(resource_map_get(&neurons->capacity, "aws.amazon.com/neuroncore"),
                         upstream ? 3 * 4 : 2 * 4 + 8);
        assert_int_equal(
            resource_map_get(&type_in(all, "trn8.large")->capacity, "aws.amazon.com/neuroncore"),
            0);
        release(all);
    }
}

// The type says nothing of placement groups.
static void unknown_strategies_are_unsupported_AWI_909(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text grouped = {
        "grouped", "al2023@latest", ",\"placementGroupSelector\":{\"name\":\"group\"}", ""};
    answer(fixture, "[" TYPE("m5.large", "") "]");
    placement_groups_resolved(fixture->stores.groups, "name/group",
                              &(struct placement_group){"pg-1", "group", "cluster", NULL, 0});
    assert_string_equal(available(fixture, &grouped, "m5.large"), "");
    assert_string_equal(available(fixture, &plain, "m5.large"), "a:on-demand a:spot");
}

static void tiny_types_have_nothing_left_AWI_110(void **state)
{
    struct fixture *fixture = *state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    answer(fixture,
           "[" TYPE_WITH("t1.tiny", "256", PROCESSOR("\"x86_64\"") "," NETWORK("2", "2")) "]");
    const struct instance_type_catalog *all = catalogue(fixture, &plain);
    const struct instance_type *type = type_in(all, "t1.tiny");
    struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
    // 256 - ceil(256 x 7.5 %) - (11 x 4 + 255) - 100.
    assert_int_equal(resource_map_get(&allocatable, "memory"),
                     (INT64_C(256) - 20 - (11 * 4 + 255) - 100) * 1024 * 1024);
    assert_int_equal(allocatable.count, type->capacity.count);
    release(all);
}

static void learned_memory_and_percentages_AWI_23_114(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text percent = {
        "percent", "al2023@latest",
        ",\"kubelet\":{\"evictionHard\":{\"memory.available\":\"10%\"}}", ""};
    answer(fixture, "[" TYPE("m5.large", "") "]");
    const int64_t learned = INT64_C(7000) << 20, computed = INT64_C(7577) << 20;
    release(catalogue(fixture, &percent)); // its images are known now
    assert_true(ec2_types_learn(fixture->stores.types, "m5.large", "ami-1", learned));
    const struct instance_type_catalog *all = catalogue(fixture, &percent);
    const struct instance_type *type = type_in(all, "m5.large");
    assert_int_equal(resource_map_get(&type->capacity, "memory"), learned);
    assert_int_equal(resource_map_get(&type->overhead.eviction_threshold, "memory"),
                     (computed + 9) / 10);
    release(all);
}

// --- tests: what is kept -------------------------------------------------------------------------

static void resolved_types_are_kept_AWI_12_14_15(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text disks = {
        "default", "al2023@latest",
        ",\"blockDeviceMappings\":[{\"deviceName\":\"/dev/xvda\",\"rootVolume\":true,\"ebs\":{"
        "\"volumeSize\":\"77Gi\"}}]",
        ""};
    static const struct class_text family = {"default", "bottlerocket@latest", "", ""};
    static const struct class_text kubelet = {"default", "al2023@latest",
                                              ",\"kubelet\":{\"maxPods\":7}", ""};
    answer(fixture, "[" TYPE("zz1.large", "") "," TYPE("m5.large", "") "]");
    const struct instance_type_catalog *first = catalogue(fixture, &plain);
    const struct instance_type_catalog *again = catalogue(fixture, &plain);
    assert_ptr_equal(first, again);
    assert_int_equal(first->spec.instance_types.count, 2); // AWI-14: also what nobody can have
    assert_string_equal(offerings(type_in(first, "zz1.large"), false), "");
    const struct class_text *const others[] = {&disks, &family, &kubelet};
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        const struct instance_type_catalog *other = catalogue(fixture, others[i]);
        assert_ptr_not_equal(other, first);
        release(other);
    }
    // A former list stays as it was, whatever becomes of offerings.
    unavailable_mark_capacity_type(fixture->stores.unavailable, "spot");
    assert_string_equal(available(fixture, &plain, "m5.large"), "a:on-demand");
    assert_string_equal(offerings(type_in(first, "m5.large"), false), "a:on-demand a:spot");
    // AWI-4, 5: another answer replaces all of it.
    answer(fixture, "[" TYPE("m5.large", "") "]");
    assert_int_equal(fixture->changes, 2);
    const struct instance_type_catalog *next = catalogue(fixture, &plain);
    assert_int_equal(next->spec.instance_types.count, 1);
    assert_int_equal(first->spec.instance_types.count, 2);
    release(next);
    release(again);
    release(first);
}

static void shortages_show_to_all_classes_AWI_163_902(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text other = {"other", "al2023@latest", "", ""};
    struct unavailable_pool pool = {"m5.large", "us-west-2a", "spot", NULL, NULL};
    answer(fixture, "[" TYPE("m5.large", "") "]");
    assert_string_equal(available(fixture, &plain, "m5.large"), "a:on-demand a:spot");
    assert_string_equal(available(fixture, &other, "m5.large"), "a:on-demand a:spot");
    unavailable_mark_pool(fixture->stores.unavailable, &pool, "InsufficientInstanceCapacity", NULL);
    assert_string_equal(available(fixture, &plain, "m5.large"), "a:on-demand");
    assert_string_equal(available(fixture, &other, "m5.large"), "a:on-demand");
    // AWI-163: a changed price, after five minutes at the latest.
    json_t *prices = json_pack("{s:{s:f}}", "onDemand", "m5.large", 0.5);
    kept_prices_decode(fixture->stores.prices, prices);
    json_decref(prices);
    loop_run_for(fixture->loop, 5 * MINUTE);
    const struct instance_type_catalog *all = catalogue(fixture, &plain);
    int64_t price = 0;
    assert_true(ec2_price_on_demand(fixture->stores.prices, "m5.large", &price));
    assert_int_equal(type_in(all, "m5.large")->offerings.items[0].price, price); // AWI-162, 210
    release(all);
}

// a1 runs Bottlerocket, but no AL2023.
static void each_class_has_its_own_fitness_AWI_903(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text bottlerocket = {"br", "bottlerocket@latest", "", ""};
    answer(fixture,
           "[" TYPE_WITH("a1.large", "4096", PROCESSOR("\"arm64\"") "," NETWORK("3", "10")) "]");
    for (int round = 0; round < 2; round++) {
        assert_string_equal(available(fixture, &plain, "a1.large"), "");
        assert_string_equal(available(fixture, &bottlerocket, "a1.large"), "a:on-demand a:spot");
    }
}

// --- tests: offerings ----------------------------------------------------------------------------

#define RESERVATION(id, type, zone, state)                                                         \
    "{\"id\":\"" id "\",\"availabilityZone\":\"us-west-2" zone "\",\"instanceType\":\"" type "\"," \
    "\"reservationType\":\"capacity-block\",\"state\":\"" state "\",\"interruptible\":true}"

static void reservations_then_partitions_AWI_70_150_168(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text class = {
        "both", "al2023@latest", ",\"placementGroupSelector\":{\"name\":\"group\"}",
        ",\"capacityReservations\":[" RESERVATION("cr-1", "m5.large", "a", "active") "]"};
    answer(fixture, "[" TYPE("m5.large", ",\"PlacementGroupInfo\":{\"SupportedStrategies\":["
                                         "\"partition\"]}") "," TYPE("c5.large", "") "]");
    reservation_counts_fetched(fixture->stores.reservations, "cr-1", 2, loop_now_ns(fixture->loop));
    placement_groups_resolved(fixture->stores.groups, "name/group",
                              &(struct placement_group){"pg-1", "group", "partition", NULL, 2});
    const struct instance_type_catalog *all = catalogue(fixture, &class);
    const struct instance_type *type = type_in(all, "m5.large");
    assert_string_equal(offerings(type, false),
                        "a:on-demand:1 a:on-demand:2 a:spot:1 a:spot:2 a:reserved:cr-1:1 "
                        "a:reserved:cr-1:2");
    assert_string_equal(values(type, LABEL("placement-group-id")), "pg-1"); // AWI-73, 74
    assert_string_equal(values(type, LABEL("placement-group-partition")), "1,2");
    assert_string_equal(values(type, LABEL("capacity-reservation-id")), "cr-1"); // AWI-70 to 72
    assert_string_equal(values(type, LABEL("capacity-reservation-type")), "capacity-block");
    assert_string_equal(values(type, LABEL("capacity-reservation-interruptible")), "true");
    assert_string_equal(values(type_in(all, "c5.large"), LABEL("capacity-reservation-id")), "-");
    assert_string_equal(values(type, LABEL_CAPACITY_TYPE), "on-demand,spot,reserved"); // AWI-48
    assert_null(strstr(values(type_in(all, "c5.large"), LABEL_CAPACITY_TYPE), "reserved"));
    release(all);
}

static void reservations_that_cannot_be_had_AWI_177_653(void **state)
{
    struct fixture *fixture = *state;
    static const struct class_text class = {
        "reserved", "al2023@latest", "",
        ",\"capacityReservations\":[" RESERVATION("cr-1", "m5.large", "a", "active") "," //
        RESERVATION("cr-2", "m5.large", "a", "expiring") "," RESERVATION(
            "cr-3", "m5.large", "b", "active") "," RESERVATION("cr-4", "m5.large", "a",
                                                               "active") "]"};
    answer(fixture, "[" TYPE("m5.large", "") "]");
    int64_t now = loop_now_ns(fixture->loop);
    for (int i = 1; i <= 3; i++) { // nothing is free in cr-4
        char id[8];
        snprintf(id, sizeof id, "cr-%d", i);
        reservation_counts_fetched(fixture->stores.reservations, id, 2, now);
    }
    // cr-2 expires, cr-3 is where the class has no subnet.
    assert_string_equal(available(fixture, &class, "m5.large"),
                        "a:on-demand a:spot a:reserved:cr-1");
    struct unavailable_pool pool = {"m5.large", "us-west-2a", "reserved", NULL, NULL};
    unavailable_mark_pool(fixture->stores.unavailable, &pool, "InsufficientInstanceCapacity", NULL);
    assert_string_equal(available(fixture, &class, "m5.large"),
                        "a:on-demand a:spot a:reserved:cr-1");
    fixture->shifted = "usw2-az1";
    assert_string_equal(available(fixture, &class, "m5.large"), "");
}

// All zones of the region have offerings; what is available depends (AWI-160, 161).
static void every_condition_counts_AWI_2_161(void **state)
{
    struct fixture *fixture = *state;
    answer(fixture, "[" TYPE("m5.large", "") "," TYPE("zz1.large", "") "]");
    const struct instance_type_catalog *all = catalogue(fixture, &plain);
    assert_string_equal(offerings(type_in(all, "m5.large"), true),
                        "a:on-demand b:on-demand a:spot b:spot");
    assert_string_equal(offerings(type_in(all, "zz1.large"), true),
                        "a:on-demand b:on-demand a:spot b:spot");
    assert_string_equal(values(type_in(all, "m5.large"), LABEL_ZONE), "us-west-2a"); // AWI-44
    assert_string_equal(values(type_in(all, "m5.large"), "topology.k8s.aws/zone-id"), "usw2-az1");
    // No subnet in b; no price for zz1; AWI-162: 0 then.
    assert_string_equal(offerings(type_in(all, "m5.large"), false), "a:on-demand a:spot");
    assert_string_equal(offerings(type_in(all, "zz1.large"), false), "");
    assert_int_equal(type_in(all, "zz1.large")->offerings.items[0].price, 0);
    release(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(types_missing_in_the_tables_AWI_30, set_up, tear_down),
        cmocka_unit_test_setup_teardown(windows_keeps_more_for_evictions_AWI_113, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(live_infos_have_the_interfaces_AWI_95_96, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(odd_infos_AWI_42_to_67, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_kinds_of_devices_AWI_65_102_909, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_strategies_are_unsupported_AWI_909, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tiny_types_have_nothing_left_AWI_110, set_up, tear_down),
        cmocka_unit_test_setup_teardown(learned_memory_and_percentages_AWI_23_114, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(resolved_types_are_kept_AWI_12_14_15, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shortages_show_to_all_classes_AWI_163_902, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(each_class_has_its_own_fitness_AWI_903, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reservations_then_partitions_AWI_70_150_168, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(reservations_that_cannot_be_had_AWI_177_653, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(every_condition_counts_AWI_2_161, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
