// The NodeClaim of a static NodePool's template (LIF-232, SCH-376).
#include <string.h>

#include "engine/templates/static_claim.h"
#include "model/schema/drift_hash.h"
#include "model/snapshot/snapshot.h"
#include "model/snapshot/snapshot_read.h"
#include "support/cmocka_all.h"

static const char pool_text[] =
    "apiVersion: karpenter.sh/v1\n"
    "kind: NodePool\n"
    "metadata: {name: fixed}\n"
    "spec:\n"
    "  replicas: 3\n"
    "  template:\n"
    "    metadata:\n"
    "      labels: {team: blue}\n"
    "      annotations: {note: kept}\n"
    "    spec:\n"
    "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
    "      requirements:\n"
    "      - {key: node.kubernetes.io/instance-type, operator: In, values: [b, a]}\n"
    "      - {key: topology.kubernetes.io/zone, operator: In, values: [z1]}\n"
    "      - {key: example.com/rack, operator: In, values: [r1]}\n"
    "      - {key: example.com/shelf, operator: NotIn, values: [s1]}\n";

static const struct selector_requirement *find(const struct plan_claim *claim, const char *key)
{
    list_for_each (entry, &claim->requirements)
        if (strcmp(entry->key, key) == 0)
            return entry;
    return NULL;
}

static void made_of_the_template_alone_LIF_232(void **state)
{
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    (void)state;
    if (!snapshot_read_text(snapshot, pool_text, strlen(pool_text), "pool", true, &error))
        fail_msg("%s", error.message);
    const struct node_pool *pool =
        (const struct node_pool *)snapshot->objects[KIND_NODE_POOL].items[0];
    struct arena *arena = arena_create(4096);
    struct plan_claim claim;
    static_claim_make(arena, &snapshot->settings, NULL, pool, &claim);
    assert_ptr_equal(claim.node_pool, pool);
    assert_int_equal(claim.types.count, 0);
    assert_int_equal(claim.requests.count, 0);
    const struct selector_requirement *types = find(&claim, LABEL_INSTANCE_TYPE);
    assert_non_null(types); // the template's own stays; none is generated
    assert_int_equal(types->values.count, 2);
    assert_string_equal(types->values.items[0], "a");
    assert_non_null(find(&claim, LABEL_NODE_POOL));
    assert_non_null(find(&claim, "team"));
    assert_null(find(&claim, LABEL_REGISTERED));
    assert_string_equal(string_map_get(&claim.labels, "team"), "blue");
    assert_string_equal(string_map_get(&claim.labels, LABEL_NODE_POOL), "fixed");
    assert_string_equal(string_map_get(&claim.labels, "karpenter.kwok.sh/kwoknodeclass"),
                        "default");
    assert_string_equal(string_map_get(&claim.labels, "example.com/rack"), "r1");
    assert_null(string_map_get(&claim.labels, LABEL_ZONE));          // set by the provider
    assert_null(string_map_get(&claim.labels, "example.com/shelf")); // SCH-514
    char hash[24];
    node_pool_hash(pool, hash);
    assert_string_equal(string_map_get(&claim.annotations, ANNOTATION_NODE_POOL_HASH), hash);
    assert_string_equal(string_map_get(&claim.annotations, ANNOTATION_NODE_POOL_HASH_VERSION),
                        NODE_POOL_HASH_VERSION);
    assert_string_equal(string_map_get(&claim.annotations, "note"), "kept");
    arena_destroy(arena);
    snapshot_destroy(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_of_the_template_alone_LIF_232),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
