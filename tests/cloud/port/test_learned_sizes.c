// Machine sizes learned from Nodes (STO-15, AWI-22).
#include "cloud/port/learned_sizes.h"

#include "base/text.h"
#include "cloud/kwok/kwok_catalog.h"
#include "model/reading/catalog.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

#define TYPE "s-4x-amd64-linux" // 4 cpu, 16 Gi; 100m and 10Mi of it for the system

struct fixture {
    const struct instance_type_catalog *catalog;
    const struct instance_type *estimated;
    struct learned_sizes *sizes;
    struct arena *arena;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_allocate(sizeof *fixture);
    fixture->catalog = kwok_catalog_generic();
    list_for_each (type, &fixture->catalog->spec.instance_types)
        if (text_equal(type->name, TYPE))
            fixture->estimated = type;
    assert_non_null(fixture->estimated);
    fixture->sizes = learned_sizes_create();
    fixture->arena = arena_create(4096);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    learned_sizes_destroy(fixture->sizes);
    arena_destroy(fixture->arena);
    object_release((const struct object *)fixture->catalog);
    free(fixture);
    return 0;
}

static struct object *decode(json_t *document)
{
    struct error error = {0};
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    if (object == NULL)
        fail_msg("%s", error.message);
    return object;
}

// A Node with that much memory, of a machine with the image, launched at that minute.
static bool see(struct fixture *fixture, const char *image, int minute, const char *memory)
{
    char created[40];
    snprintf(created, sizeof created, "2026-01-01T00:%02d:00Z", minute);
    struct object *claim =
        decode(json_pack("{s:s, s:s, s:{s:s, s:s}, s:{}, s:{s:s}}", "apiVersion", "karpenter.sh/v1",
                         "kind", "NodeClaim", "metadata", "name", "c", "creationTimestamp", created,
                         "spec", "status", "imageID", image));
    struct object *node = decode(
        json_pack("{s:s, s:s, s:{s:s}, s:{s:{s:s, s:s, s:s}, s:{s:s, s:s, s:s}}}", "apiVersion",
                  "v1", "kind", "Node", "metadata", "name", "n", "status", "capacity", "cpu", "4",
                  "memory", memory, "ephemeral-storage", "20Gi", "allocatable", "cpu", "3900m",
                  "memory", memory, "ephemeral-storage", "20Gi"));
    bool news = learned_sizes_note(fixture->sizes, (const struct node_claim *)claim,
                                   (const struct node *)node, fixture->estimated);
    object_release(claim);
    object_release(node);
    return news;
}

static int64_t allocatable_mebibytes(struct fixture *fixture)
{
    struct instance_type type = *fixture->estimated;
    learned_sizes_correct(fixture->sizes, fixture->arena, &type);
    struct resource_map allocatable = instance_type_allocatable(fixture->arena, &type, NULL);
    assert_int_equal(resource_map_get(&allocatable, "cpu"), 3900);
    return resource_map_get(&allocatable, "memory") >> 20;
}

static void estimate_holds_until_a_node_differs_STO_15(void **state)
{
    struct fixture *fixture = *state;
    assert_false(learned_sizes_any(fixture->sizes));
    assert_int_equal(allocatable_mebibytes(fixture), 16 * 1024 - 10);
    assert_true(see(fixture, "a", 1, "17Gi"));
    assert_true(learned_sizes_any(fixture->sizes));
    assert_int_equal(allocatable_mebibytes(fixture), 17 * 1024);
    assert_false(see(fixture, "a", 2, "17Gi"));
}

static void least_of_an_image_counts_AWI_22(void **state)
{
    struct fixture *fixture = *state;
    see(fixture, "a", 1, "17Gi");
    assert_true(see(fixture, "a", 2, "15Gi"));
    assert_false(see(fixture, "a", 3, "18Gi"));
    assert_int_equal(allocatable_mebibytes(fixture), 15 * 1024);
}

static void newest_image_counts_AWI_22(void **state)
{
    struct fixture *fixture = *state;
    see(fixture, "a", 1, "15Gi");
    assert_true(see(fixture, "b", 2, "18Gi"));
    assert_false(see(fixture, "a", 1, "14Gi"));
    assert_int_equal(allocatable_mebibytes(fixture), 18 * 1024);
}

static void kubelet_that_has_not_looked_yet_tells_nothing(void **state)
{
    struct fixture *fixture = *state;
    assert_false(see(fixture, "a", 1, "0"));
    assert_int_equal(allocatable_mebibytes(fixture), 16 * 1024 - 10);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(estimate_holds_until_a_node_differs_STO_15),
        TEST(least_of_an_image_counts_AWI_22),
        TEST(newest_image_counts_AWI_22),
        TEST(kubelet_that_has_not_looked_yet_tells_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
