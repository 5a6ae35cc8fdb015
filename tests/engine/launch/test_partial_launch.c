// Launches of a pass while more pods of its wave arrive (SCH-527).
#include "model/reading/settings_read.h"
#include "support/cmocka_all.h"

#include "cloud/kwok/kwok_catalog.h"
#include "engine/launch/partial_launch.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

static const char pool[] =
    "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n"
    "spec:\n  template:\n    spec:\n"
    "      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}\n"
    "      requirements:\n"
    "      - {key: kubernetes.io/arch, operator: In, values: [amd64]}\n"
    "      - {key: kubernetes.io/os, operator: In, values: [linux]}\n"
    "      - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}\n";

static struct snapshot *world(uint32_t pods, const char *requirement)
{
    struct text text = {0};
    struct error error = {0};
    text_add(&text, pool);
    text_add(&text, requirement);
    for (uint32_t i = 0; i < pods; i++)
        text_format(&text,
                    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%04u, namespace: d, "
                    "uid: u%u}\nspec: {containers: [{name: c, image: i, resources: {requests: "
                    "{cpu: \"1\"}}}]}\n",
                    i, i);
    struct snapshot *snapshot = snapshot_create();
    assert_true(settings_set(&snapshot->settings, "NODE_COST", "0", &error));
    if (!snapshot_read_text(snapshot, text.data, text.length, "test", true, &error) ||
        !snapshot_complete(snapshot, &error))
        fail_msg("%s", error.message);
    const struct instance_type_catalog *catalog = kwok_catalog_generic();
    snapshot_add(snapshot, (const struct object *)catalog);
    object_release((const struct object *)catalog);
    text_free(&text);
    return snapshot;
}

struct outcome {
    uint32_t claims, pods;
    bool rest;
    double price_per_pod; // USD an hour
};

static struct outcome choose(uint32_t pods, const char *requirement)
{
    struct snapshot *snapshot = world(pods, requirement);
    struct arena *arena = arena_create(4096);
    const struct plan_options options = {0};
    struct error error = {0};
    struct plan *plan = engine_plan(snapshot, &options, &error);
    assert_non_null(plan);
    struct outcome outcome = {0};
    plan = partial_launch_choose(arena, snapshot, plan, &outcome.rest);
    int64_t price = 0;
    outcome.claims = plan->claims.count;
    list_for_each (claim, &plan->claims) {
        outcome.pods += claim->pods.count;
        price += claim->price;
    }
    outcome.price_per_pod = outcome.pods > 0 ? (double)price / outcome.pods / 1e9 : 0;
    assert_int_equal(plan->unschedulable.count, 0);
    plan_destroy(plan);
    arena_destroy(arena);
    snapshot_destroy(snapshot);
    return outcome;
}

static const char at_most_8_cpu[] = "      - {key: karpenter.kwok.sh/instance-cpu, operator: Lt, "
                                    "values: [\"9\"]}\n";

static void full_claims_go_ahead_SCH_527(void **state)
{
    (void)state;
    struct outcome outcome = choose(24, at_most_8_cpu); // seven pods a node
    assert_int_equal(outcome.claims, 3);
    assert_int_equal(outcome.pods, 21);
    assert_true(outcome.rest);
}

static void a_plan_without_remainder_is_whole_SCH_527(void **state)
{
    (void)state;
    struct outcome outcome = choose(21, at_most_8_cpu);
    assert_int_equal(outcome.claims, 3);
    assert_false(outcome.rest);
}

static void few_pods_wait_for_the_others_SCH_527(void **state)
{
    (void)state;
    struct outcome outcome = choose(10, "");
    assert_int_equal(outcome.claims, 0);
    assert_true(outcome.rest);
}

// 120 pods fit no machine well; 95 of them fill one of 96 cpu.
static void a_claim_leaves_what_it_has_outgrown_SCH_527(void **state)
{
    (void)state;
    struct outcome outcome = choose(120, "");
    assert_int_equal(outcome.claims, 1);
    assert_int_equal(outcome.pods, 95);
    assert_true(outcome.rest);
}

// However the wave arrives, its nodes cost at most 3 % more than 255 pods on 256 cpu.
static void early_nodes_are_hardly_dearer_SCH_527(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {40, 70, 150, 300, 700};
    for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
        struct outcome outcome = choose(sizes[i], "");
        assert_true(outcome.pods * 10 >= sizes[i] * 5);
        assert_true(outcome.price_per_pod <= 1.031 * (0.025 * 256 + 0.549756) / 255);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_claims_go_ahead_SCH_527),
        cmocka_unit_test(a_plan_without_remainder_is_whole_SCH_527),
        cmocka_unit_test(few_pods_wait_for_the_others_SCH_527),
        cmocka_unit_test(a_claim_leaves_what_it_has_outgrown_SCH_527),
        cmocka_unit_test(early_nodes_are_hardly_dearer_SCH_527),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
