// The running clusters of `adze bench disrupt` match their description (FMT-15).
#include "bench/bench_workload.h"

#include <string.h>

#include "engine/disruption/candidates.h"
#include "engine/engine.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/snapshot_encode.h"
#include "support/cmocka_all.h"

#define NODES 60

static struct snapshot *make(const char *mix, uint64_t seed)
{
    struct error error = {0};
    struct bench_workload workload = {.mix = bench_mix_find(mix),
                                      .types = 1, // of the synthetic catalog, which is not used
                                      .nodes = NODES,
                                      .pods_per_node = 10,
                                      .seed = seed,
                                      .policy = PACKING_LOWEST_PRICE};
    assert_non_null(workload.mix);
    struct snapshot *snapshot = bench_workload_create(&workload, &error);
    if (snapshot == NULL)
        fail_msg("%s", error.message);
    return snapshot;
}

static struct plan *plan_of(const struct snapshot *snapshot)
{
    static const struct plan_options options = {.disrupt = true};
    struct error error = {0};
    struct plan *plan = engine_plan(snapshot, &options, &error);
    if (plan == NULL)
        fail_msg("%s", error.message);
    return plan;
}

static const struct pod *pod_at(const struct snapshot *snapshot, uint32_t index)
{
    return (const struct pod *)snapshot->objects[KIND_POD].items[index];
}

static void nothing_can_be_gained_in_a_settled_cluster_FMT_15(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct snapshot *snapshot = make("settled", seed);
        struct plan *plan = plan_of(snapshot);
        assert_int_equal(plan->disruptions.count, 0);
        plan_destroy(plan);
        snapshot_destroy(snapshot);
    }
}

static void a_loose_cluster_is_consolidated_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("loose", 1);
    struct plan *plan = plan_of(snapshot);
    assert_true(plan->disruptions.count > 0);
    assert_int_equal(plan->disruptions.items[0].reason, DISRUPTION_UNDERUTILIZED);
    assert_true(plan->disruptions.items[0].savings > 0);
    plan_destroy(plan);
    snapshot_destroy(snapshot);
}

static void drifted_nodes_are_replaced_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("drifting", 1);
    struct plan *plan = plan_of(snapshot);
    assert_true(plan->disruptions.count > 0);
    assert_int_equal(plan->disruptions.items[0].reason, DISRUPTION_DRIFTED);
    plan_destroy(plan);
    snapshot_destroy(snapshot);
}

static void all_nodes_are_managed_and_consolidatable_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("settled", 1);
    assert_int_equal(snapshot->objects[KIND_NODE].count, NODES);
    assert_int_equal(snapshot->objects[KIND_NODE_CLAIM].count, NODES);
    for (uint32_t i = 0; i < NODES; i++)
        assert_true(condition_is_true(
            &((const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i])
                 ->status.conditions,
            CONDITION_CONSOLIDATABLE));
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    const struct candidate_options options = {.reason = DISRUPTION_UNDERUTILIZED};
    struct candidate_table table = candidates_build(arena, snapshot, &options);
    assert_int_equal(table.candidates.count + table.blocks.count, NODES);
    assert_true(table.pools.count > 1);
    list_for_each (candidate, &table.candidates)
        assert_false(candidate->empty || candidate->price == 0 || candidate->type == NULL);
    snapshot_destroy(snapshot);
}

static void pods_fit_their_nodes_FMT_15(void **state)
{
    (void)state;
    struct snapshot *snapshot = make("settled", 1);
    for (uint32_t n = 0; n < NODES; n++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[n];
        int64_t cpu = 0, memory = 0;
        for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
            const struct pod *pod = pod_at(snapshot, i);
            const struct resource_map *requests = &pod->spec.containers.items[0].resources.requests;
            if (strcmp(pod->spec.node_name, node->meta.name) != 0)
                continue;
            cpu += resource_map_get(requests, "cpu");
            memory += resource_map_get(requests, "memory");
        }
        assert_true(cpu <= resource_map_get(&node->status.allocatable, "cpu"));
        assert_true(memory <= resource_map_get(&node->status.allocatable, "memory"));
    }
    snapshot_destroy(snapshot);
}

static void a_seed_is_a_cluster_FMT_15(void **state)
{
    (void)state;
    struct snapshot *one = make("loose", 7), *same = make("loose", 7), *other = make("loose", 8);
    json_t *left = snapshot_encode(one), *right = snapshot_encode(same);
    json_t *third = snapshot_encode(other);
    assert_true(json_equal(left, right));
    assert_false(json_equal(left, third));
    json_decref(left);
    json_decref(right);
    json_decref(third);
    snapshot_destroy(one);
    snapshot_destroy(same);
    snapshot_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_can_be_gained_in_a_settled_cluster_FMT_15),
        cmocka_unit_test(a_loose_cluster_is_consolidated_FMT_15),
        cmocka_unit_test(drifted_nodes_are_replaced_FMT_15),
        cmocka_unit_test(all_nodes_are_managed_and_consolidatable_FMT_15),
        cmocka_unit_test(pods_fit_their_nodes_FMT_15),
        cmocka_unit_test(a_seed_is_a_cluster_FMT_15),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
