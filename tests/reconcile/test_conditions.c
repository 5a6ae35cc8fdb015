#include "support/cmocka_all.h"

#include "base/duration.h"
#include "model/schema/condition_types.h"
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

static const struct condition *get(enum condition_type type)
{
    return conditions_get(&conditions, type);
}

static void missing_conditions_are_unknown_since_creation_LIF_10_11(void **state)
{
    (void)state;
    const enum condition_type types[] = {CONDITION_LAUNCHED, CONDITION_REGISTERED,
                                         CONDITION_INITIALIZED, CONDITION_READY};
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
    assert_true(conditions_set(&conditions, CONDITION_REGISTERED, "Unknown",
                               CONDITION_REASON_NODE_NOT_FOUND, "not there"));
    assert_true(get(CONDITION_REGISTERED)->last_transition_time == 100 * SECOND);
    assert_string_equal(get(CONDITION_REGISTERED)->reason, "NodeNotFound");
    assert_false(conditions_set(&conditions, CONDITION_REGISTERED, "Unknown",
                                CONDITION_REASON_NODE_NOT_FOUND, "not there"));
    assert_true(conditions_set_true(&conditions, CONDITION_REGISTERED));
    assert_true(get(CONDITION_REGISTERED)->last_transition_time == 200 * SECOND);
    assert_string_equal(get(CONDITION_REGISTERED)->reason, "Registered");
    assert_string_equal(get(CONDITION_REGISTERED)->message, "");
    assert_int_equal(get(CONDITION_REGISTERED)->observed_generation, 1);
}

static void root_follows_dependents_LIF_13(void **state)
{
    (void)state;
    conditions_set_true(&conditions, CONDITION_LAUNCHED);
    assert_string_equal(get(CONDITION_READY)->status, "Unknown");
    assert_string_equal(get(CONDITION_READY)->reason, "ReconcilingDependents");
    conditions_set(&conditions, CONDITION_REGISTERED, "False",
                   CONDITION_REASON_MULTIPLE_NODES_FOUND, "two");
    assert_string_equal(get(CONDITION_READY)->status, "False");
    assert_string_equal(get(CONDITION_READY)->reason, "UnhealthyDependents");
    // the latest transition first
    assert_string_equal(get(CONDITION_READY)->message, "Registered=False, Initialized=Unknown");
    conditions_set_true(&conditions, CONDITION_REGISTERED);
    conditions_set_true(&conditions, CONDITION_INITIALIZED);
    assert_string_equal(get(CONDITION_READY)->status, "True");
    assert_string_equal(get(CONDITION_READY)->reason, "Ready");
    assert_string_equal(get(CONDITION_READY)->message, "");
}

static void old_generation_is_not_healthy_LIF_13(void **state)
{
    (void)state;
    conditions_set_true(&conditions, CONDITION_LAUNCHED);
    conditions_set_true(&conditions, CONDITION_REGISTERED);
    conditions_set_true(&conditions, CONDITION_INITIALIZED);
    conditions.generation = 2;
    conditions_set_true(&conditions, CONDITION_LAUNCHED); // LIF-16: set again, observed again
    assert_string_equal(get(CONDITION_READY)->status, "Unknown");
    conditions_set_true(&conditions, CONDITION_REGISTERED);
    conditions_set_true(&conditions, CONDITION_INITIALIZED);
    assert_string_equal(get(CONDITION_READY)->status, "True");
    assert_true(get(CONDITION_LAUNCHED)->last_transition_time == 200 * SECOND);
}

static void independent_conditions_leave_the_root_alone_LIF_10(void **state)
{
    (void)state;
    const char *message = get(CONDITION_READY)->message;
    conditions_set(&conditions, CONDITION_CONSISTENT_STATE_FOUND, "False",
                   CONDITION_REASON_CONSISTENCY_CHECK_FAILED, "no");
    assert_string_equal(get(CONDITION_READY)->status, "Unknown");
    assert_string_equal(get(CONDITION_READY)->message, message);
    assert_true(get(CONDITION_CONSISTENT_STATE_FOUND)->last_transition_time == 200 * SECOND);
}

static void list_is_sorted_by_transition_LIF_14(void **state)
{
    (void)state;
    conditions_set_true(&conditions, CONDITION_LAUNCHED); // at 200 s: after those of 100 s
    assert_string_equal(conditions.items.items[0].type, "Registered");
    assert_string_equal(conditions.items.items[1].type, "Initialized");
    assert_string_equal(conditions.items.items[2].type, "Launched");
    assert_string_equal(conditions.items.items[3].type, "Ready");
}

static void dependents_stay_independent_ones_go_LIF_14(void **state)
{
    (void)state;
    conditions_set_true(&conditions, CONDITION_DRIFTED);
    assert_false(conditions_clear(&conditions, CONDITION_LAUNCHED));
    assert_true(conditions_clear(&conditions, CONDITION_DRIFTED));
    assert_null(get(CONDITION_DRIFTED));
    assert_false(conditions_clear(&conditions, CONDITION_DRIFTED));
    for (uint32_t i = 1; i < conditions.items.count; i++) // by type then
        assert_true(strcmp(conditions.items.items[i - 1].type, conditions.items.items[i].type) < 0);
}

static void deletion_does_not_unsettle_ready_LIF_15(void **state)
{
    (void)state;
    conditions_set_true(&conditions, CONDITION_LAUNCHED);
    conditions_set_true(&conditions, CONDITION_REGISTERED);
    conditions_set_true(&conditions, CONDITION_INITIALIZED);
    conditions.deleting = true;
    conditions.generation = 2; // deletion raises it
    conditions_set_true(&conditions, CONDITION_INSTANCE_TERMINATING);
    assert_string_equal(get(CONDITION_READY)->status, "True");
    assert_int_equal(get(CONDITION_LAUNCHED)->observed_generation, 2);
}

static void nothing_changed_means_no_write_LIF_5(void **state)
{
    (void)state;
    conditions_set_true(&conditions, CONDITION_LAUNCHED);
    claim.status.conditions.items = memory_copy(
        conditions.items.items, conditions.items.count * sizeof *conditions.items.items);
    claim.status.conditions.count = conditions.items.count;
    read_at(300 * SECOND);
    assert_false(conditions.changed);
    conditions_set_true(&conditions, CONDITION_LAUNCHED);
    assert_false(conditions.changed);
    conditions_set_true(&conditions, CONDITION_REGISTERED);
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
