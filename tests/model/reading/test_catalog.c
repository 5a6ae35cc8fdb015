#include "model/helpers.h"

#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/schema/decode.h"
#include "model/schema/karpenter.h"
#include "model/tables/kinds.h"

static struct object *catalog_of(const char *instance_types)
{
    struct text text = {0};
    text_format(&text,
                "{apiVersion: adze/v1, kind: InstanceTypeCatalog, metadata: {name: c}, spec: "
                "{instanceTypes: [%s]}}",
                instance_types);
    struct object *object = object_of(text.data);
    text_free(&text);
    return object;
}

static void assert_check(const char *instance_types, const char *message)
{
    struct error error = {0};
    CLEANUP_OBJECT struct object *object = catalog_of(instance_types);
    bool fine = instance_type_catalog_check((const struct instance_type_catalog *)object, &error);
    assert_string_equal(fine ? "" : error.message, message);
}

static void bad_catalogs_are_refused_whole_FMT_8(void **state)
{
    (void)state;
    assert_check("{name: a, capacity: {cpu: 1}, offerings: [{price: 0.1}]}", "");
    assert_check("{name: a, offerings: [{price: 1}, {price: -0.1}]}",
                 "spec.instanceTypes[0].offerings[1].price: negative");
    assert_check("{name: a}, {name: b}, {name: a}",
                 "spec.instanceTypes[2].name: \"a\" is the name of spec.instanceTypes[0], too");
    assert_check("{capacity: {}}", "spec.instanceTypes[0].name: missing");
    assert_check("{name: a, requirements: [{key: k, operator: Out}]}",
                 "spec.instanceTypes[0].requirements[0].operator: \"Out\" is none of In, NotIn, "
                 "Exists, DoesNotExist, Gt, Lt, Gte, Lte");
    assert_check("{name: a, requirements: [{key: k, operator: in, values: [x]}]}",
                 "spec.instanceTypes[0].requirements[0].operator: \"in\" is none of In, NotIn, "
                 "Exists, DoesNotExist, Gt, Lt, Gte, Lte; did you mean \"In\"?");
    assert_check("{name: a, offerings: [{price: 1, requirements: [{key: k, operator: Gt, values: "
                 "[x]}]}]}",
                 "spec.instanceTypes[0].offerings[0].requirements[0].values: Gt takes one whole "
                 "number");
    assert_check("{name: a, requirements: [{operator: In}]}",
                 "spec.instanceTypes[0].requirements[0].key: missing");
    assert_check("{name: a, capacity: {cpu: -1}}",
                 "spec.instanceTypes[0].capacity[\"cpu\"]: negative");
    assert_check("{name: a, offerings: [{price: 1, reservationCapacity: -1}]}",
                 "spec.instanceTypes[0].offerings[0].reservationCapacity: negative");
}

static void a_capacity_that_does_not_parse_is_refused_FMT_8(void **state)
{
    (void)state;
    static const char start[] = "spec.instanceTypes[0].capacity.memory: ";
    json_t *document = json_loads("{\"apiVersion\":\"adze/v1\",\"kind\":\"InstanceTypeCatalog\","
                                  "\"spec\":{\"instanceTypes\":[{\"name\":\"a\",\"capacity\":{"
                                  "\"memory\":\"8 GB\"}}]}}",
                                  0, NULL);
    struct error error = {0};
    assert_null(document_decode(document, DECODE_LENIENT, &error));
    assert_int_equal(strncmp(error.message, start, sizeof start - 1), 0);
    json_decref(document);
}

static void prices_are_numbers_or_texts_FMT_6(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *object =
        catalog_of("{name: a, offerings: [{price: 0.096}, {price: '0.000000001'}, {price: 2}]}");
    const struct instance_type *type =
        ((const struct instance_type_catalog *)object)->spec.instance_types.items;
    assert_int_equal(type->offerings.items[0].price, 96000000);
    assert_int_equal(type->offerings.items[1].price, 1);
    assert_int_equal(type->offerings.items[2].price, 2000000000);
    assert_true(type->offerings.items[0].available);
}

static const char large[] =
    "{name: a, capacity: {cpu: 4, memory: 8Gi, hugepages-2Mi: 2Gi, pods: 10}, overhead: "
    "{kubeReserved: {cpu: 100m, memory: 1Gi, gpu: 1}, systemReserved: {cpu: 50m}, "
    "evictionThreshold: {memory: 512Mi}}, offerings: [{price: 1}, {price: 1, capacityOverride: "
    "{pods: 20, slots: 3}, overheadOverride: {cpu: 1}}]}";

static void allocatable_is_capacity_less_overhead_SCH_117(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    CLEANUP_OBJECT struct object *object = catalog_of(large);
    const struct instance_type *type =
        ((const struct instance_type_catalog *)object)->spec.instance_types.items;
    struct resource_map map = instance_type_allocatable(arena, type, NULL);
    assert_int_equal(map.count, 4);
    assert_int_equal(resource_map_get(&map, "cpu"), 3850);
    assert_int_equal(resource_map_get(&map, "memory"), (8LL << 30) - (3LL << 29) - (2LL << 30));
    assert_false(resource_map_has(&map, "gpu"));
    CLEANUP_OBJECT struct object *small =
        catalog_of("{name: a, capacity: {cpu: 1, memory: 1Gi, hugepages-1Gi: 2Gi}, overhead: "
                   "{systemReserved: {cpu: 2}}}");
    type = ((const struct instance_type_catalog *)small)->spec.instance_types.items;
    map = instance_type_allocatable(arena, type, NULL);
    assert_int_equal(resource_map_get(&map, "cpu"), -1000);
    assert_int_equal(resource_map_get(&map, "memory"), 0);
}

static void overrides_replace_entries_SCH_118(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    CLEANUP_OBJECT struct object *object = catalog_of(large);
    const struct instance_type *type =
        ((const struct instance_type_catalog *)object)->spec.instance_types.items;
    struct resource_map map = instance_type_allocatable(arena, type, &type->offerings.items[1]);
    assert_int_equal(resource_map_get(&map, "cpu"), 3000);
    assert_int_equal(resource_map_get(&map, "pods"), 20);
    assert_int_equal(resource_map_get(&map, "slots"), 3);
    assert_int_equal(resource_map_get(&map, "memory"), (8LL << 30) - (3LL << 29) - (2LL << 30));
}

static void the_single_value_of_a_requirement(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *object =
        catalog_of("{name: a, requirements: [{key: one, operator: In, values: [x]}, {key: two, "
                   "operator: In, values: [x, z]}, {key: not, operator: NotIn, values: [x]}]}");
    const requirement_list *list =
        &((const struct instance_type_catalog *)object)->spec.instance_types.items->requirements;
    assert_string_equal(requirement_single_value(list, "one"), "x");
    assert_null(requirement_single_value(list, "two"));
    assert_null(requirement_single_value(list, "not"));
    assert_null(requirement_single_value(list, "none"));
}

#define OFFERING(zone, reservation, price)                                   \
    "{price: \"" price "\", available: false, requirements: ["               \
    "{key: topology.kubernetes.io/zone, operator: In, values: [" zone "]}, " \
    "{key: karpenter.sh/capacity-type, operator: In, values: [reserved]}, "  \
    "{key: karpenter.k8s.aws/capacity-reservation-id, operator: In, values: [" reservation "]}]}"

static int64_t price_with(const struct instance_type *type, const char *zone,
                          const char *reservation, bool own_reservation)
{
    struct string_pair pairs[] = {{"karpenter.k8s.aws/capacity-reservation-id", reservation},
                                  {LABEL_CAPACITY_TYPE, "reserved"},
                                  {LABEL_ZONE, zone}};
    const struct string_map labels = {.items = pairs, .count = ARRAY_LENGTH(pairs)};
    const struct offering *offering = instance_type_offering(type, &labels, own_reservation);
    return offering != NULL ? offering->price : -1;
}

static void the_offering_of_a_machine_DIS_59_744(void **state)
{
    (void)state;
    CLEANUP_OBJECT struct object *object = catalog_of("{name: a}, {name: b, offerings: [" OFFERING(
        "z1", "r1", "0.1") ", " OFFERING("z1", "r2", "0.2") ", " OFFERING("z2", "r3", "0.3") "]}");
    const struct instance_type_catalog *catalog = (const struct instance_type_catalog *)object;
    const struct instance_type *type = instance_type_catalog_find(catalog, "b");
    assert_null(instance_type_catalog_find(catalog, "c"));
    assert_null(instance_type_catalog_find(catalog, NULL));
    assert_int_equal(price_with(type, "z1", "r2", false), 100000000);
    assert_int_equal(price_with(type, "z1", "r2", true), 200000000);
    assert_int_equal(price_with(type, "z2", "r3", true), 300000000);
    assert_int_equal(price_with(type, "z2", "r1", true), -1);
    assert_int_equal(price_with(type, "z3", "r1", false), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_catalogs_are_refused_whole_FMT_8),
        cmocka_unit_test(a_capacity_that_does_not_parse_is_refused_FMT_8),
        cmocka_unit_test(prices_are_numbers_or_texts_FMT_6),
        cmocka_unit_test(allocatable_is_capacity_less_overhead_SCH_117),
        cmocka_unit_test(overrides_replace_entries_SCH_118),
        cmocka_unit_test(the_single_value_of_a_requirement),
        cmocka_unit_test(the_offering_of_a_machine_DIS_59_744),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
