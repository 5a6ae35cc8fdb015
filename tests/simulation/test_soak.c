// Seeded random worlds (soak.h); `make soak` runs as many as time allows.
//
//   test_soak FROM TO SIZE [rest]    rest: a day passes in the first of them
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/soak.h"
#include "support/cmocka_all.h"

static struct {
    uint64_t from, to;
    uint32_t size;
    bool rests;
} range = {1, 20, 0, false};

static void random_worlds_keep_the_invariants_and_settle_DIS_790_to_795(void **state)
{
    (void)state;
    double hours = 0;
    struct invariants_counts checked = {0};
    for (uint64_t seed = range.from; seed <= range.to; seed++) {
        struct soak_options options = {
            .seed = seed, .size = range.size, .rests = range.rests && seed == range.from};
        struct soak_result result;
        soak_run(&options, &result);
        hours += result.simulated_hours;
        invariants_counts_add(&checked, &result.checked);
        if (result.failed)
            fail_msg("seed %llu: %s\nreplay: tests/simulation/soak --seed %llu --size %u%s",
                     (unsigned long long)seed, result.why, (unsigned long long)seed, range.size,
                     options.rests ? " --rest" : "");
    }
    print_message("seeds %llu to %llu of size %u, %.1f simulated hours\n",
                  (unsigned long long)range.from, (unsigned long long)range.to, range.size, hours);
    // The worlds have exercised the invariants.
    assert_true(checked.launches > 30 && checked.evictions > 20 && checked.finalizers > 30);
    assert_true(checked.empty_nodes > 10 && checked.drifted_nodes > 10);
    assert_true(checked.underutilized_nodes > 0 && checked.replacements > 10);
}

static void the_same_seed_is_the_same_run(void **state)
{
    (void)state;
    struct soak_result results[2];
    struct soak_options options = {.seed = range.from + 6, .size = range.size};
    for (int i = 0; i < 2; i++)
        soak_run(&options, &results[i]);
    assert_true(results[0].simulated_hours == results[1].simulated_hours);
    assert_memory_equal(&results[0].checked, &results[1].checked, sizeof results[0].checked);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_is_the_same_run),
        cmocka_unit_test(random_worlds_keep_the_invariants_and_settle_DIS_790_to_795),
    };
    if (count > 3) {
        range.from = strtoull(arguments[1], NULL, 10);
        range.to = strtoull(arguments[2], NULL, 10);
        range.size = (uint32_t)strtoul(arguments[3], NULL, 10);
        range.rests = count > 4 && strcmp(arguments[4], "rest") == 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
