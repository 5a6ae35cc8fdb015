// The Node of a kwok machine.
#include "cloud/kwok/kwok_node.h"

#include <string.h>

#include "cloud/kwok/kwok_catalog.h"
#include "model/schema/decode.h"
#include "model/tables/kinds.h"
#include "support/cmocka_all.h"

static struct node_claim *sample_claim(void)
{
    struct error error = {0};
    json_t *document = json_loads(
        "{\"apiVersion\":\"karpenter.sh/"
        "v1\",\"kind\":\"NodeClaim\",\"metadata\":{\"name\":\"default-x2b4z\","
        "\"uid\":\"8c7f\",\"labels\":{\"karpenter.sh/nodepool\":\"default\",\"team\":\"a\"},"
        "\"annotations\":{\"note\":\"n\"}},\"spec\":{\"nodeClassRef\":{\"group\":\"karpenter.kwok."
        "sh\","
        "\"kind\":\"KWOKNodeClass\",\"name\":\"default\"},\"requirements\":["
        "{\"key\":\"tier\",\"operator\":\"In\",\"values\":[\"gold\"]},"
        "{\"key\":\"node.kubernetes.io/"
        "instance-type\",\"operator\":\"In\",\"values\":[\"c-4x-amd64-linux\"]}],"
        "\"resources\":{\"requests\":{\"cpu\":\"2\",\"example.com/gpu\":\"1\"}}}}",
        0, NULL);
    struct object *object = document_decode(document, DECODE_LENIENT, &error);
    json_decref(document);
    assert_non_null(object);
    return (struct node_claim *)object;
}

static struct offering_choice choice_in(const struct instance_type_catalog *catalog)
{
    struct offering_choice choice = {0};
    list_for_each (type, &catalog->spec.instance_types) {
        if (strcmp(type->name, "c-4x-amd64-linux") == 0)
            choice = (struct offering_choice){type, &type->offerings.items[1]};
    }
    return choice;
}

static void node_carries_labels_taint_and_resources_KWK_13(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct instance_type_catalog *catalog = kwok_catalog_generic();
    struct offering_choice choice = choice_in(catalog);
    struct node_claim *claim = sample_claim();
    struct machine *machine = kwok_machine(arena, claim, &choice, 5, 5);
    json_t *node = kwok_node_body(claim, machine);
    struct error error = {0};
    struct node *typed = (struct node *)document_decode(node, DECODE_LENIENT, &error);
    assert_non_null(typed);
    assert_true(strncmp(typed->meta.name, "kwok-default-x2b4z-", 19) == 0);
    assert_string_equal(typed->spec.provider_id + strlen("kwok://"), typed->meta.name);
    const struct {
        const char *key, *value;
    } labels[] = {{"karpenter.sh/nodepool", "default"},
                  {"team", "a"},
                  {"tier", "gold"},
                  {LABEL_INSTANCE_TYPE, "c-4x-amd64-linux"},
                  {LABEL_ZONE, "test-zone-a"},
                  {LABEL_CAPACITY_TYPE, "on-demand"},
                  {LABEL_HOSTNAME, "default-x2b4z"},
                  {"eks-node-viewer/instance-price", "0.108590"},
                  {"kwok-partition", "a"},
                  {"kwok.x-k8s.io/node", "fake"}};
    for (size_t i = 0; i < ARRAY_LENGTH(labels); i++)
        assert_string_equal(object_label((struct object *)typed, labels[i].key), labels[i].value);
    assert_string_equal(object_annotation((struct object *)typed, "kwok.x-k8s.io/node"), "fake");
    assert_string_equal(typed->spec.taints.items[0].key, TAINT_UNREGISTERED);
    assert_int_equal(resource_map_get(&typed->status.capacity, "cpu"), 4000);
    assert_int_equal(resource_map_get(&typed->status.capacity, "example.com/gpu"), 1);
    assert_int_equal(resource_map_get(&typed->status.allocatable, "cpu"), 3900);
    object_release((struct object *)typed);
    json_decref(node);
    object_release((struct object *)claim);
    object_release((const struct object *)catalog);
}

static void same_claim_same_machine_LIF_445(void **state)
{
    (void)state;
    char first[300], second[300];
    struct node_claim *claim = sample_claim();
    kwok_node_name(claim, first);
    kwok_node_name(claim, second);
    assert_string_equal(first, second);
    object_release((struct object *)claim);
}

static void owed_node_is_rebuilt_from_the_record_KWK_17(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct node_claim *claim = sample_claim();
    assert_null(kwok_machine_on_record(arena, claim)); // not launched
    assert_int_equal(kwok_node_due(claim), 0);
    claim->status.provider_id = "kwok://kwok-default-x2b4z-abcde";
    struct machine *machine = kwok_machine_on_record(arena, claim);
    assert_string_equal(machine->node_name, "kwok-default-x2b4z-abcde");
    assert_string_equal(string_map_get(&machine->labels, "team"), "a");
    object_release((struct object *)claim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(node_carries_labels_taint_and_resources_KWK_13),
        cmocka_unit_test(same_claim_same_machine_LIF_445),
        cmocka_unit_test(owed_node_is_rebuilt_from_the_record_KWK_17),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
