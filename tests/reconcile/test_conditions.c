#include "control/cmocka_all.h"

#include "base/duration.h"
#include "model/schema/karpenter.h"
#include "model/tables/kinds.h"
#include "reconcile/conditions.h"

static struct node_claim claim;
static struct arena *arena;
static struct conditions conditions;

static void read_at(int64_t now)
{
    conditions_free(&conditions);
    conditions_read(&conditions, arena, (const struct object *)&claim, &claim.status.conditions,
                    now);
}

static int setup(void **state)
{
    (void)state;
    memset(&claim, 0, sizeof claim);
    claim.kind = kind_get(KIND_NODE_CLAIM);
    claim.meta.generation = 1;
    claim.meta.creation_timestamp = 100 * SECOND;
    arena = arena_create(1024);
    read_at(200 * SECOND);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    conditions_free(&conditions);
    arena_destroy(arena);
    return 0;
}

static const struct condition *get(const char *type)
{
    return conditions_get(&conditions, type);
}

static void missing_conditions_are_unknown_since_creation_LIF_10_11(void **state)
{
    (void)state;
    const char *const types[] = {"Launched", "Registered", "Initialized", "Ready"};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        assert_string_equal(get(types[i])->status, "Unknown");
        assert_string_equal(get(types[i])->reason, "AwaitingReconciliation");
        assert_string_equal(get(types[i])->message, "object is awaiting reconciliation");
        assert_true(get(types[i])->last_transition_time == 100 * SECOND);
    }
    assert_int_equal(conditions.items.count, 4);
    assert_string_equal(conditions.items.items[3].type, "Ready"); // LIF-14: the root is last
}

static void transition_time_moves_with_status_only_LIF_12(void **state)
{
    (void)state;
    assert_true(conditions_set(&conditions, "Registered", "Unknown", "NodeNotFound", "not there"));
    assert_true(get("Registered")->last_transition_time == 100 * SECOND);
    assert_string_equal(get("Registered")->reason, "NodeNotFound");
    assert_false(conditions_set(&conditions, "Registered", "Unknown", "NodeNotFound", "not there"));
    assert_true(conditions_set_true(&conditions, "Registered"));
    assert_true(get("Registered")->last_transition_time == 200 * SECOND);
    assert_string_equal(get("Registered")->reason, "Registered");
    assert_string_equal(get("Registered")->message, "");
    assert_int_equal(get("Registered")->observed_generation, 1);
}

static void root_follows_dependents_LIF_13(void **state)
{
    (void)state;
    conditions_set_true(&conditions, "Launched");
    assert_string_equal(get("Ready")->status, "Unknown");
    assert_string_equal(get("Ready")->reason, "ReconcilingDependents");
    conditions_set(&conditions, "Registered", "False", "MultipleNodesFound", "two");
    assert_string_equal(get("Ready")->status, "False");
    assert_string_equal(get("Ready")->reason, "UnhealthyDependents");
    // the latest transition first
    assert_string_equal(get("Ready")->message, "Registered=False, Initialized=Unknown");
    conditions_set_true(&conditions, "Registered");
    conditions_set_true(&conditions, "Initialized");
    assert_string_equal(get("Ready")->status, "True");
    assert_string_equal(get("Ready")->reason, "Ready");
    assert_string_equal(get("Ready")->message, "");
}

static void old_generation_is_not_healthy_LIF_13(void **state)
{
    (void)state;
    conditions_set_true(&conditions, "Launched");
    conditions_set_true(&conditions, "Registered");
    conditions_set_true(&conditions, "Initialized");
    conditions.generation = 2;
    conditions_set_true(&conditions, "Launched"); // LIF-16: set again, observed anew
    assert_string_equal(get("Ready")->status, "Unknown");
    conditions_set_true(&conditions, "Registered");
    conditions_set_true(&conditions, "Initialized");
    assert_string_equal(get("Ready")->status, "True");
    assert_true(get("Launched")->last_transition_time == 200 * SECOND);
}

static void independent_conditions_leave_the_root_alone_LIF_10(void **state)
{
    (void)state;
    const char *message = get("Ready")->message;
    conditions_set(&conditions, "ConsistentStateFound", "False", "ConsistencyCheckFailed", "no");
    assert_string_equal(get("Ready")->status, "Unknown");
    assert_string_equal(get("Ready")->message, message);
    assert_true(get("ConsistentStateFound")->last_transition_time == 200 * SECOND);
}

static void list_is_sorted_by_transition_LIF_14(void **state)
{
    (void)state;
    conditions_set_true(&conditions, "Launched"); // at 200 s: after those of 100 s
    assert_string_equal(conditions.items.items[0].type, "Registered");
    assert_string_equal(conditions.items.items[1].type, "Initialized");
    assert_string_equal(conditions.items.items[2].type, "Launched");
    assert_string_equal(conditions.items.items[3].type, "Ready");
}

static void dependents_stay_independent_ones_go_LIF_14(void **state)
{
    (void)state;
    conditions_set_true(&conditions, "Drifted");
    assert_false(conditions_clear(&conditions, "Launched"));
    assert_true(conditions_clear(&conditions, "Drifted"));
    assert_null(get("Drifted"));
    assert_false(conditions_clear(&conditions, "Drifted"));
    for (uint32_t i = 1; i < conditions.items.count; i++) // by type then
        assert_true(strcmp(conditions.items.items[i - 1].type, conditions.items.items[i].type) < 0);
}

static void deletion_does_not_unsettle_ready_LIF_15(void **state)
{
    (void)state;
    conditions_set_true(&conditions, "Launched");
    conditions_set_true(&conditions, "Registered");
    conditions_set_true(&conditions, "Initialized");
    conditions.deleting = true;
    conditions.generation = 2; // deletion raises it
    conditions_set_true(&conditions, "InstanceTerminating");
    assert_string_equal(get("Ready")->status, "True");
    assert_int_equal(get("Launched")->observed_generation, 2);
}

static void nothing_changed_means_no_write_LIF_5(void **state)
{
    (void)state;
    conditions_set_true(&conditions, "Launched");
    claim.status.conditions.items = memory_copy(
        conditions.items.items, conditions.items.count * sizeof *conditions.items.items);
    claim.status.conditions.count = conditions.items.count;
    read_at(300 * SECOND);
    assert_false(conditions.changed);
    conditions_set_true(&conditions, "Launched");
    assert_false(conditions.changed);
    conditions_set_true(&conditions, "Registered");
    assert_true(conditions.changed);
    free(claim.status.conditions.items);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(missing_conditions_are_unknown_since_creation_LIF_10_11),
        TEST(transition_time_moves_with_status_only_LIF_12),
        TEST(root_follows_dependents_LIF_13),
        TEST(old_generation_is_not_healthy_LIF_13),
        TEST(independent_conditions_leave_the_root_alone_LIF_10),
        TEST(list_is_sorted_by_transition_LIF_14),
        TEST(dependents_stay_independent_ones_go_LIF_14),
        TEST(deletion_does_not_unsettle_ready_LIF_15),
        TEST(nothing_changed_means_no_write_LIF_5),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
