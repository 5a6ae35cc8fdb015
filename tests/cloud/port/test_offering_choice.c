// The choice of the offering for a launch.
#include "cloud/port/offering_choice.h"

#include <string.h>

#include "cloud/kwok/kwok_catalog.h"
#include "model/reading/catalog.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

static struct node_claim *claim_of(const char *spec)
{
    struct error error = {0};
    json_error_t problem;
    json_t *parsed = json_loads(spec, 0, &problem);
    assert_non_null(parsed);
    json_t *document =
        json_pack("{s:s, s:s, s:{s:s, s:s}, s:o}", "apiVersion", "karpenter.sh/v1", "kind",
                  "NodeClaim", "metadata", "name", "c", "uid", "u1", "spec", parsed);
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    if (object == NULL)
        fail_msg("%s", error.message);
    return (struct node_claim *)object;
}

#define REFERENCE                                                                            \
    "\"nodeClassRef\":{\"group\":\"karpenter.kwok.sh\",\"kind\":\"KWOKNodeClass\",\"name\":" \
    "\"default\"}"

static void cheapest_compatible_offering_first_KWK_10(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct instance_type_catalog *catalog = kwok_catalog_generic();
    struct node_claim *claim = claim_of(
        "{" REFERENCE ",\"requirements\":["
        "{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"amd64\"]},"
        "{\"key\":\"kubernetes.io/os\",\"operator\":\"In\",\"values\":[\"linux\"]},"
        "{\"key\":\"karpenter.sh/capacity-type\",\"operator\":\"In\",\"values\":[\"on-demand\"]},"
        "{\"key\":\"topology.kubernetes.io/"
        "zone\",\"operator\":\"NotIn\",\"values\":[\"test-zone-a\"]}],"
        "\"resources\":{\"requests\":{\"cpu\":\"5\",\"memory\":\"1Gi\"}}}");
    struct offering_choices choices = offering_choices_for(arena, catalog, claim);
    assert_true(choices.count > 0);
    assert_string_equal(choices.items[0].type->name, "c-8x-amd64-linux");
    assert_string_equal(
        requirement_single_value(&choices.items[0].offering->requirements, LABEL_ZONE),
        "test-zone-b");
    for (uint32_t i = 1; i < choices.count; i++)
        assert_true(choices.items[i - 1].offering->price <= choices.items[i].offering->price);
    object_release((struct object *)claim);
    object_release((const struct object *)catalog);
}

static void impossible_requirements_give_nothing(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct instance_type_catalog *catalog = kwok_catalog_generic();
    struct node_claim *claim =
        claim_of("{" REFERENCE ",\"requirements\":["
                 "{\"key\":\"kubernetes.io/arch\",\"operator\":\"In\",\"values\":[\"riscv64\"]}]}");
    assert_int_equal(offering_choices_for(arena, catalog, claim).count, 0);
    object_release((struct object *)claim);
    claim = claim_of("{" REFERENCE
                     ",\"requirements\":[],\"resources\":{\"requests\":{\"cpu\":\"999\"}}}");
    assert_int_equal(offering_choices_for(arena, catalog, claim).count, 0);
    object_release((struct object *)claim);
    object_release((const struct object *)catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheapest_compatible_offering_first_KWK_10),
        cmocka_unit_test(impossible_requirements_give_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
