// A handful of seeded random worlds (soak.h); `make soak` runs as many as there is time for.
#include <stdlib.h>

#include "simulation/soak.h"
#include "support/cmocka_all.h"

#define SEEDS 40

static void random_worlds_keep_the_invariants_and_settle_DIS_790_791_793_794(void **state)
{
    (void)state;
    double hours = 0;
    struct invariants_counts checked = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct soak_options options = {.seed = seed, .size = 1};
        struct soak_result result;
        soak_run(&options, &result);
        hours += result.simulated_hours;
        invariants_counts_add(&checked, &result.checked);
        if (result.failed)
            fail_msg("seed %llu: %s\nreplay: tests/simulation/soak --seed %llu --size 1",
                     (unsigned long long)seed, result.why, (unsigned long long)seed);
    }
    print_message("%d seeds, %.1f simulated hours\n", SEEDS, hours);
    // The worlds have put every invariant to the test.
    assert_true(checked.launches > 100 && checked.evictions > 50 && checked.empty_nodes > 20);
    assert_true(checked.finalizers > 100 && checked.deletions > 0 && checked.orphans > 0);
}

static void the_same_seed_is_the_same_run(void **state)
{
    (void)state;
    struct soak_result results[2];
    struct soak_options options = {.seed = 7, .size = 1};
    for (int i = 0; i < 2; i++)
        soak_run(&options, &results[i]);
    assert_true(results[0].simulated_hours == results[1].simulated_hours);
    assert_memory_equal(&results[0].checked, &results[1].checked, sizeof results[0].checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_is_the_same_run),
        cmocka_unit_test(random_worlds_keep_the_invariants_and_settle_DIS_790_791_793_794),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
