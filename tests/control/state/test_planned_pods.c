// Places for pods, planned and kept (LIF-320, SCH-516).
#include "control/state/planned_pods.h"

#include "base/map.h"
#include "support/cmocka_all.h"

static int setup(void **state)
{
    *state = planned_pods_create();
    return 0;
}

static int teardown(void **state)
{
    planned_pods_destroy(*state);
    return 0;
}

static void successors_take_kept_places_after_planned_ones_SCH_516(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_keep(planned, "web", "replacement");
    planned_pods_expect(planned, "web", "new");
    assert_true(planned_pods_arrive(planned, "web", "1", "default/web-1"));
    assert_true(planned_pods_arrive(planned, "web", "2", "default/web-2"));
    assert_false(planned_pods_arrive(planned, "web", "3", "default/web-3"));
    assert_string_equal(planned_pods_claim(planned, "1"), "new");
    assert_string_equal(planned_pods_claim(planned, "2"), "replacement");
    assert_int_equal(planned_pods_kept(planned, "replacement"), 0);
}

// The workload is complete between two evictions.
static void kept_places_outlive_a_complete_workload_SCH_516(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_keep(planned, "web", "replacement");
    planned_pods_expect(planned, "web", "new");
    planned_pods_expect_no_more(planned, "web");
    assert_int_equal(planned_pods_expected(planned, "web"), 0);
    assert_int_equal(planned_pods_kept(planned, "replacement"), 1);
    assert_int_equal(planned_pods_count(planned, "replacement"), 1);
    assert_int_equal(planned_pods_count(planned, "new"), 0);
}

// The commands evict so many more pods of the workload.
static void leave(struct planned_pods *planned, const char *workload, uint32_t count)
{
    struct map *counts = map_create();
    map_set(counts, workload, &count);
    planned_pods_set_leaving(planned, counts);
    map_destroy(counts, NULL);
}

static void kept_places_end_with_their_command_SCH_516(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_keep(planned, "web", "a");
    planned_pods_keep(planned, "web", "b");
    planned_pods_keep(planned, "db", "a");
    planned_pods_end_keeping(planned, "a");
    leave(planned, "web", 0);
    assert_int_equal(planned_pods_kept(planned, "a"), 0);
    assert_int_equal(planned_pods_count(planned, "a"), 0);
    assert_false(planned_pods_arrive(planned, "db", "1", "default/db-1"));
    assert_true(planned_pods_arrive(planned, "web", "2", "default/web-2"));
    assert_string_equal(planned_pods_claim(planned, "2"), "b");
}

// The command's nodes are gone, and a controller is slow: its next pods take the first places.
static void kept_places_stay_for_missing_pods_SCH_516(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_keep(planned, "web", "a");
    planned_pods_keep(planned, "web", "b");
    planned_pods_keep(planned, "web", "b");
    planned_pods_set_missing(planned, "web", 2);
    assert_int_equal(planned_pods_awaited(planned, "a"), 1);
    assert_int_equal(planned_pods_awaited(planned, "b"), 1);
    planned_pods_end_keeping(planned, "a");
    planned_pods_end_keeping(planned, "b");
    leave(planned, "web", 0);
    assert_int_equal(planned_pods_kept(planned, "a"), 1);
    assert_int_equal(planned_pods_kept(planned, "b"), 1);
    assert_string_equal(planned_pods_next_place(planned, "web", 0), "a");
    assert_string_equal(planned_pods_next_place(planned, "web", 1), "b");
    assert_null(planned_pods_next_place(planned, "web", 2));
    assert_true(planned_pods_arrive(planned, "web", "1", "default/web-1"));
    planned_pods_set_missing(planned, "web", 1);
    assert_string_equal(planned_pods_claim(planned, "1"), "a");
    assert_int_equal(planned_pods_awaited(planned, "a"), 0);
    assert_int_equal(planned_pods_awaited(planned, "b"), 1);
    planned_pods_set_missing(planned, "web", 0);
    assert_int_equal(planned_pods_count(planned, "b"), 0);
    assert_false(planned_pods_arrive(planned, "web", "2", "default/web-2"));
}

// Pods of the second command took places of the first, which still evicts: its pods take the rest.
static void kept_places_stay_for_pods_of_other_commands_SCH_516(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_keep(planned, "web", "first");
    planned_pods_keep(planned, "web", "second");
    planned_pods_keep(planned, "web", "second");
    assert_true(planned_pods_arrive(planned, "web", "1", "default/web-1"));
    assert_string_equal(planned_pods_claim(planned, "1"), "first");
    planned_pods_end_keeping(planned, "second");
    leave(planned, "web", 1);
    assert_int_equal(planned_pods_kept(planned, "second"), 1);
    assert_int_equal(planned_pods_awaited(planned, "second"), 1);
    planned_pods_set_missing(planned, "web", 1);
    assert_int_equal(planned_pods_kept(planned, "second"), 1);
    leave(planned, "web", 0);
    assert_true(planned_pods_arrive(planned, "web", "2", "default/web-2"));
    assert_string_equal(planned_pods_claim(planned, "2"), "second");
}

// The same when the first command ends without them.
static void kept_places_end_with_the_last_command_SCH_516(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_keep(planned, "web", "second");
    planned_pods_end_keeping(planned, "second");
    leave(planned, "web", 1);
    assert_int_equal(planned_pods_kept(planned, "second"), 1);
    leave(planned, "db", 1);
    assert_int_equal(planned_pods_kept(planned, "second"), 0);
    assert_int_equal(planned_pods_count(planned, "second"), 0);
}

// Missing pods are known before places are kept for them, and without any.
static void missing_pods_need_no_place_SCH_516(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_set_missing(planned, "web", 1);
    planned_pods_set_missing(planned, "db", 3);
    assert_false(planned_pods_arrive(planned, "web", "1", "default/web-1"));
    planned_pods_keep(planned, "web", "a");
    assert_int_equal(planned_pods_awaited(planned, "a"), 1);
    assert_null(planned_pods_next_place(planned, "db", 0));
    planned_pods_forget_claim(planned, "a");
    assert_int_equal(planned_pods_awaited(planned, "a"), 0);
}

static void no_place_stays_on_a_node_claim_that_is_gone_LIF_320(void **state)
{
    struct planned_pods *planned = *state;
    planned_pods_keep(planned, "web", "a");
    planned_pods_expect(planned, "web", "a");
    planned_pods_forget_claim(planned, "a");
    assert_int_equal(planned_pods_count(planned, "a"), 0);
    assert_false(planned_pods_arrive(planned, "web", "1", "default/web-1"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(successors_take_kept_places_after_planned_ones_SCH_516),
        TEST(kept_places_outlive_a_complete_workload_SCH_516),
        TEST(kept_places_end_with_their_command_SCH_516),
        TEST(kept_places_stay_for_missing_pods_SCH_516),
        TEST(kept_places_stay_for_pods_of_other_commands_SCH_516),
        TEST(kept_places_end_with_the_last_command_SCH_516),
        TEST(missing_pods_need_no_place_SCH_516),
        TEST(no_place_stays_on_a_node_claim_that_is_gone_LIF_320),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
