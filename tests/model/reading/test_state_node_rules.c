// A Node and its NodeClaim as one state node.
#include "model/reading/state_node_rules.h"

#include "model/helpers.h"

static struct node_claim *claim_of(const char *status)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: claim-1}, spec: {"
             "nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default},"
             "requirements: []}, status: {%s}}",
             status);
    return (struct node_claim *)object_of(text);
}

static struct node *node_of(const char *labels, const char *provider)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {%s}}, spec: {providerID: "
        "'%s'}, status: {capacity: {cpu: '4', memory: '0'}}}",
        labels, provider);
    return (struct node *)object_of(text);
}

static void tracked_by_provider_id_or_name_LIF_300(void **state)
{
    static const struct {
        const char *labels, *provider, *key;
    } rows[] = {
        {"", "", "node-1"},
        {"", "p", "p"},
        {"karpenter.sh/nodepool: x", "", NULL},
        {"karpenter.sh/nodepool: x", "p", NULL},
        {"karpenter.sh/nodepool: x, node.kubernetes.io/instance-type: t", "p", "p"},
        {"karpenter.sh/nodepool: x, karpenter.sh/initialized: 'true'", "p", "p"},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        struct node *node = node_of(rows[i].labels, rows[i].provider);
        const char *key = state_node_key(node);
        if (rows[i].key == NULL)
            assert_null(key);
        else
            assert_string_equal(key, rows[i].key);
        object_release((struct object *)node);
    }
}

static void the_claims_until_registered_LIF_303_LIF_304(void **state)
{
    (void)state;
    struct node_claim *claim = claim_of("");
    struct node *fresh = node_of("karpenter.sh/registered: 'True'", "p");
    struct node *ready = node_of("karpenter.sh/registered: 'true'", "p");
    assert_true(state_node_registered(fresh, NULL));
    assert_true(state_node_initialized(fresh, NULL));
    assert_false(state_node_registered(fresh, claim));
    assert_false(state_node_registered(NULL, claim));
    assert_true(state_node_registered(ready, claim));
    assert_false(state_node_initialized(ready, claim));
    assert_string_equal(state_node_meta(NULL, claim)->name, "claim-1");
    assert_string_equal(state_node_meta(fresh, claim)->name, "claim-1");
    assert_string_equal(state_node_meta(ready, claim)->name, "node-1");
    assert_string_equal(state_node_meta(fresh, NULL)->name, "node-1");
    object_release((struct object *)fresh);
    object_release((struct object *)ready);
    object_release((struct object *)claim);
}

static void the_claim_fills_what_the_node_lacks_LIF_306(void **state)
{
    (void)state;
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    struct node_claim *claim = claim_of("capacity: {cpu: '3', memory: 8Gi, pods: '110'}");
    struct node *node = node_of("", "p");
    struct node *ready = node_of("karpenter.sh/initialized: 'true'", "p");
    struct resource_map capacity = state_node_capacity(arena, node, claim);
    assert_int_equal(capacity.count, 3);
    assert_int_equal(resource_map_get(&capacity, "cpu"),
                     resource_map_get(&node->status.capacity, "cpu"));
    assert_int_equal(resource_map_get(&capacity, "memory"),
                     resource_map_get(&claim->status.capacity, "memory"));
    capacity = state_node_capacity(arena, NULL, claim);
    assert_int_equal(resource_map_get(&capacity, "cpu"),
                     resource_map_get(&claim->status.capacity, "cpu"));
    capacity = state_node_capacity(arena, ready, claim);
    assert_int_equal(resource_map_get(&capacity, "memory"), 0);
    object_release((struct object *)node);
    object_release((struct object *)ready);
    object_release((struct object *)claim);
}

static void the_claim_says_whether_it_ends_LIF_309(void **state)
{
    (void)state;
    struct node_claim *stays = claim_of("");
    struct node_claim *ends = claim_of("conditions: [{type: InstanceTerminating, status: 'True'}]");
    struct node *node = node_of("", "p");
    node->meta.deletion_timestamp = 1;
    assert_true(state_node_is_ending(node, NULL));
    assert_false(state_node_is_ending(node, stays));
    assert_true(state_node_is_ending(node, ends));
    assert_true(node_claim_is_ending(ends));
    object_release((struct object *)node);
    object_release((struct object *)stays);
    object_release((struct object *)ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracked_by_provider_id_or_name_LIF_300),
        cmocka_unit_test(the_claims_until_registered_LIF_303_LIF_304),
        cmocka_unit_test(the_claim_fills_what_the_node_lacks_LIF_306),
        cmocka_unit_test(the_claim_says_whether_it_ends_LIF_309),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
