// Counts of successive evictions (DIS-794).
#include "control/command/pod_lines.h"

#include <stdio.h>

#include "base/nanoseconds.h"
#include "support/cmocka_all.h"

static int setup(void **state)
{
    *state = pod_lines_create();
    return 0;
}

static int teardown(void **state)
{
    pod_lines_destroy(*state);
    return 0;
}

static void third_pod_of_a_line_was_evicted_twice_DIS_794(void **state)
{
    struct pod_lines *lines = *state;
    assert_false(pod_lines_arrive(lines, "web", "1", 0));
    pod_lines_evict(lines, "web", "1", 10 * SECOND, true);
    assert_true(pod_lines_arrive(lines, "web", "2", 11 * SECOND));
    pod_lines_forget(lines, "1");
    assert_true(pod_lines_any(lines));
    assert_false(pod_lines_evicted_twice(lines, "2", 0));
    pod_lines_evict(lines, "web", "2", 20 * SECOND, true);
    assert_true(pod_lines_arrive(lines, "web", "3", 21 * SECOND));
    assert_true(pod_lines_evicted_twice(lines, "3", 10 * SECOND));
    assert_false(pod_lines_evicted_twice(lines, "3", 11 * SECOND));
    pod_lines_forget(lines, "2");
    pod_lines_forget(lines, "3");
    assert_false(pod_lines_any(lines));
}

static void each_eviction_has_one_successor_DIS_794(void **state)
{
    struct pod_lines *lines = *state;
    pod_lines_evict(lines, "web", "1", 0, true);
    pod_lines_evict(lines, "web", "2", SECOND, true);
    assert_false(pod_lines_arrive(lines, "db", "3", SECOND));
    assert_true(pod_lines_arrive(lines, "web", "4", SECOND));
    assert_true(pod_lines_arrive(lines, "web", "5", 2 * SECOND));
    assert_false(pod_lines_arrive(lines, "web", "6", 2 * SECOND));
}

// The workload was scaled down during the eviction; later pods are new load.
static void late_pods_are_no_successors_DIS_794(void **state)
{
    struct pod_lines *lines = *state;
    pod_lines_evict(lines, "web", "1", 0, true);
    pod_lines_evict(lines, "web", "2", 0, true);
    assert_true(pod_lines_arrive(lines, "web", "3", 2 * MINUTE));
    assert_false(pod_lines_arrive(lines, "web", "4", 2 * MINUTE + 1));
    assert_false(pod_lines_arrive(lines, "web", "5", 2 * MINUTE));
}

static void other_evictions_go_on_with_a_line_and_do_not_count_DIS_794(void **state)
{
    struct pod_lines *lines = *state;
    char pod[2] = "1", next[2] = "2";
    for (; next[0] < '6'; pod[0]++, next[0]++) {
        bool counts = pod[0] == '1' || pod[0] == '4';
        pod_lines_evict(lines, "web", pod, 0, counts);
        assert_true(pod_lines_arrive(lines, "web", next, 0));
        pod_lines_forget(lines, pod);
        assert_int_equal(pod_lines_evicted_twice(lines, next, 0), pod[0] == '4');
    }
}

static void counts_begin_anew_with_the_load_DIS_794(void **state)
{
    struct pod_lines *lines = *state;
    pod_lines_evict(lines, "web", "1", 0, true);
    pod_lines_reset(lines);
    assert_true(pod_lines_arrive(lines, "web", "2", 0));
    pod_lines_evict(lines, "web", "2", 0, true);
    assert_true(pod_lines_arrive(lines, "web", "3", 0));
    assert_false(pod_lines_evicted_twice(lines, "3", 0));
    pod_lines_evict(lines, "web", "3", 0, true);
    assert_true(pod_lines_arrive(lines, "web", "4", 0));
    assert_true(pod_lines_evicted_twice(lines, "4", 0));
    pod_lines_reset(lines);
    assert_false(pod_lines_evicted_twice(lines, "4", 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(third_pod_of_a_line_was_evicted_twice_DIS_794),
        TEST(each_eviction_has_one_successor_DIS_794),
        TEST(late_pods_are_no_successors_DIS_794),
        TEST(other_evictions_go_on_with_a_line_and_do_not_count_DIS_794),
        TEST(counts_begin_anew_with_the_load_DIS_794),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
