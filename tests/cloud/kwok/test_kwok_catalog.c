// The kwok provider's catalogs.
#include "cloud/kwok/kwok_catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "model/reading/catalog.h"
#include "support/cmocka_all.h"

static void generic_catalog_has_144_types_in_order_KWK_1(void **state)
{
    (void)state;
    const struct instance_type_catalog *catalog = kwok_catalog_generic();
    assert_int_equal(catalog->spec.instance_types.count, 144);
    assert_string_equal(catalog->spec.instance_types.items[0].name, "c-1x-amd64-linux");
    assert_string_equal(catalog->spec.instance_types.items[1].name, "c-1x-arm64-linux");
    assert_string_equal(catalog->spec.instance_types.items[2].name, "c-1x-amd64-windows");
    assert_string_equal(catalog->spec.instance_types.items[4].name, "s-1x-amd64-linux");
    assert_string_equal(catalog->spec.instance_types.items[143].name, "m-256x-arm64-windows");
    object_release((const struct object *)catalog);
}

static void generic_resources_prices_and_labels_KWK_2_3_6(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const struct instance_type_catalog *catalog = kwok_catalog_generic();
    const struct instance_type *type = &catalog->spec.instance_types.items[12 * 2]; // c-4x
    assert_string_equal(type->name, "c-4x-amd64-linux");
    struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
    assert_int_equal(resource_map_get(&allocatable, "cpu"), 3900);
    assert_int_equal(resource_map_get(&allocatable, "memory"), (INT64_C(8) << 30) - (10 << 20));
    assert_int_equal(resource_map_get(&type->capacity, "pods"), 64);
    assert_int_equal(type->offerings.count, 8);
    // 4 x 0.025 + 0.001 x 8.589934592
    assert_int_equal(type->offerings.items[1].price, 108589935);
    assert_int_equal(type->offerings.items[0].price, 76012954);
    assert_string_equal(requirement_single_value(&type->requirements, KWOK_LABEL_FAMILY), "c");
    assert_string_equal(requirement_single_value(&type->requirements, KWOK_LABEL_SIZE), "4");
    assert_string_equal(requirement_single_value(&type->requirements, KWOK_LABEL_CPU), "4");
    assert_string_equal(requirement_single_value(&type->requirements, KWOK_LABEL_MEMORY), "8Gi");
    object_release((const struct object *)catalog);
}

static const struct instance_type_catalog *read_text(const char *text, struct error *error)
{
    char path[] = "/tmp/adze-types-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    const struct instance_type_catalog *catalog = kwok_catalog_read(path, error);
    unlink(path);
    return catalog;
}

static void both_forms_of_offerings_are_read_KWK_4(void **state)
{
    (void)state;
    struct error error = {0};
    const struct instance_type_catalog *catalog = read_text(
        "[{\"name\":\"m5.2xlarge\",\"architecture\":\"amd64\",\"operatingSystems\":[\"linux\"],"
        "\"resources\":{\"cpu\":\"8\",\"memory\":\"32Gi\"},\"offerings\":["
        "{\"Price\":0.4,\"Available\":false,\"Requirements\":[{\"key\":\"karpenter.sh/"
        "capacity-type\","
        "\"operator\":\"In\",\"values\":[\"spot\"]},{\"key\":\"topology.kubernetes.io/"
        "zone\",\"operator\":\"In\","
        "\"values\":[\"z1\"]},{\"key\":\"example.com/"
        "rack\",\"operator\":\"In\",\"values\":[\"r1\"]}]},"
        "{\"capacityType\":\"on-demand\",\"zone\":\"z2\",\"price\":0.5}]}]",
        &error);
    if (catalog == NULL)
        fail_msg("%s", error.message);
    const struct instance_type *type = &catalog->spec.instance_types.items[0];
    assert_int_equal(type->offerings.count, 2);
    assert_true(type->offerings.items[0].available); // KWK-5
    assert_int_equal(resource_map_get(&type->capacity, "pods"), 110);
    assert_string_equal(
        requirement_single_value(&type->offerings.items[1].requirements, LABEL_ZONE), "z2");
    assert_string_equal(requirement_single_value(&type->requirements, KWOK_LABEL_SIZE), "2xlarge");
    assert_string_equal(requirement_single_value(&type->requirements, KWOK_LABEL_FAMILY), "m5");
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const char *const *known = kwok_catalog_well_known(arena, catalog); // KWK-7
    bool rack = false;
    for (; *known != NULL; known++)
        rack = rack || strcmp(*known, "example.com/rack") == 0;
    assert_true(rack);
    object_release((const struct object *)catalog);
}

static void an_unusable_entry_names_its_path_KWK_4(void **state)
{
    (void)state;
    static const struct {
        const char *text, *complaint;
    } cases[] = {
        {"[{\"architecture\":\"amd64\"}]", "[0].name"},
        {"[{\"name\":\"a\",\"architecture\":\"amd64\",\"resources\":{\"cpu\":\"x\"}}]",
         "[0].resources.cpu"},
        {"[{\"name\":\"a\",\"architecture\":\"amd64\",\"resources\":{\"cpu\":\"1\",\"memory\":"
         "\"1Gi\"}}]",
         "[0].offerings"},
        {"[{\"name\":\"a\",\"architecture\":\"amd64\",\"resources\":{\"cpu\":\"1\",\"memory\":"
         "\"1Gi\"},"
         "\"offerings\":[{\"Price\":-1}]}]",
         "[0].offerings[0].price"},
        {"[{\"name\":\"a\",\"architecture\":\"amd64\",\"resources\":{\"cpu\":\"1\",\"memory\":"
         "\"1Gi\"},"
         "\"offerings\":[{\"Price\":1}]}]",
         "[0].offerings[0]"},
        {"{\"kind\":\"Nonsense\"}", "InstanceTypeCatalog"},
        {"not json at all: [", "instance types"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct error error = {0};
        assert_null(read_text(cases[i].text, &error));
        if (strstr(error.message, cases[i].complaint) == NULL)
            fail_msg("case %zu: \"%s\" does not name %s", i, error.message, cases[i].complaint);
    }
    struct error error = {0};
    assert_null(kwok_catalog_read("/nonexistent/types.json", &error));
    assert_non_null(strstr(error.message, "/nonexistent/types.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generic_catalog_has_144_types_in_order_KWK_1),
        cmocka_unit_test(generic_resources_prices_and_labels_KWK_2_3_6),
        cmocka_unit_test(both_forms_of_offerings_are_read_KWK_4),
        cmocka_unit_test(an_unusable_entry_names_its_path_KWK_4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
