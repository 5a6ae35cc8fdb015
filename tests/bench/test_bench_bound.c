// The bound for plans: its knapsack against exhaustive search, and the bound against hand-made
// limits.
#include "bench/bench_bound.h"

#include "base/random.h"
#include "bench/bench_knapsack.h"
#include "bench/bench_workload.h"
#include "support/cmocka_all.h"

#define ITEMS_MAX 6

struct knapsack {
    struct knapsack_item items[ITEMS_MAX];
    uint32_t count;
    int64_t capacity[KNAPSACK_SIZES];
};

// Every other item is worth its size: ties everywhere.
static struct knapsack draw_knapsack(struct random *random, bool ties)
{
    struct knapsack knapsack = {.count = 1 + (uint32_t)random_below(random, ITEMS_MAX)};
    for (uint32_t i = 0; i < knapsack.count; i++) {
        struct knapsack_item *item = &knapsack.items[i];
        item->size[0] = 1 + (int64_t)random_below(random, 50);
        item->size[1] = (int64_t)random_below(random, 70);
        item->size[2] = 1;
        item->most = (uint32_t)random_below(random, 6);
        item->value = ties ? (double)(item->size[0] + item->size[1]) : random_unit(random);
    }
    knapsack.capacity[0] = 1 + (int64_t)random_below(random, 200);
    knapsack.capacity[1] = 1 + (int64_t)random_below(random, 200);
    knapsack.capacity[2] = 1 + (int64_t)random_below(random, 9);
    return knapsack;
}

static double best_by_trying(const struct knapsack *knapsack, const int64_t *capacity,
                             uint32_t item)
{
    if (item == knapsack->count)
        return 0;
    const struct knapsack_item *of = &knapsack->items[item];
    int64_t left[KNAPSACK_SIZES] = {capacity[0], capacity[1], capacity[2]};
    double best = 0;
    for (uint32_t taken = 0; taken <= of->most; taken++) {
        double value = taken * of->value + best_by_trying(knapsack, left, item + 1);
        best = value > best ? value : best;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            if ((left[k] -= of->size[k]) < 0)
                return best;
    }
    return best;
}

static double value_of(const struct knapsack *knapsack, const struct knapsack_filling *filling)
{
    double value = 0;
    int64_t used[KNAPSACK_SIZES] = {0};
    for (uint32_t i = 0; i < knapsack->count; i++) {
        assert_true(filling->counts[i] <= knapsack->items[i].most);
        value += filling->counts[i] * knapsack->items[i].value;
        for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
            used[k] += filling->counts[i] * knapsack->items[i].size[k];
    }
    for (uint32_t k = 0; k < KNAPSACK_SIZES; k++)
        assert_true(used[k] <= knapsack->capacity[k]);
    return value;
}

static void fillings_are_the_best_ones(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 1);
    for (uint32_t run = 0; run < 1000; run++) {
        CLEANUP_ARENA struct arena *arena = arena_create(1 << 12);
        struct knapsack knapsack = draw_knapsack(&random, run % 2 == 0);
        double best = best_by_trying(&knapsack, knapsack.capacity, 0);
        struct knapsack_filling filling =
            knapsack_fill(arena, knapsack.items, knapsack.count, knapsack.capacity, 0, 10000);
        double value = value_of(&knapsack, &filling);
        assert_true(value > best - 1e-9 && value < best + 1e-9);
        assert_true(filling.bound >= best && filling.bound <= best * (1 + 1e-8) + 1e-12);
    }
}

static void narrow_searches_still_bound_all_fillings(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 2);
    for (uint32_t run = 0; run < 1000; run++) {
        CLEANUP_ARENA struct arena *arena = arena_create(1 << 12);
        struct knapsack knapsack = draw_knapsack(&random, run % 2 == 0);
        double best = best_by_trying(&knapsack, knapsack.capacity, 0);
        struct knapsack_filling filling =
            knapsack_fill(arena, knapsack.items, knapsack.count, knapsack.capacity, 0, 2);
        assert_true(filling.bound >= best);
        assert_true(value_of(&knapsack, &filling) <= best + 1e-9);
    }
}

static void what_is_not_above_the_target_is_not_looked_for(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 3);
    for (uint32_t run = 0; run < 500; run++) {
        CLEANUP_ARENA struct arena *arena = arena_create(1 << 12);
        struct knapsack knapsack = draw_knapsack(&random, false);
        double best = best_by_trying(&knapsack, knapsack.capacity, 0);
        struct knapsack_filling filling = knapsack_fill(arena, knapsack.items, knapsack.count,
                                                        knapsack.capacity, best + 1, 10000);
        assert_true(filling.value == 0);
        assert_true(filling.bound >= best + 1 && filling.bound <= (best + 1) * (1 + 1e-8));
    }
}

// The program is a relaxation that its own columns only raise: the bound stays close below it.
static void bounds_lie_closely_below_the_program(void **state)
{
    (void)state;
    static const char *const mixes[] = {"web", "batch", "memory-heavy", "mixed"};
    for (size_t i = 0; i < ARRAY_LENGTH(mixes); i++) {
        struct error error = {0};
        struct bench_workload workload = {.mix = bench_mix_find(mixes[i]),
                                          .pods = 100,
                                          .types = 1,
                                          .seed = 7,
                                          .policy = PACKING_GREEDY};
        assert_true(workload.mix->resources_only);
        struct snapshot *snapshot = bench_workload_create(&workload, &error);
        struct bench_bound bound, again;
        assert_true(bench_bound_compute(snapshot, &bound));
        assert_true(bench_bound_compute(snapshot, &again));
        snapshot_destroy(snapshot);
        assert_true(bound.price_nanousd > 0);
        assert_true(bound.price_nanousd <= bound.program_nanousd);
        assert_true((double)bound.price_nanousd >= 0.99 * (double)bound.program_nanousd);
        assert_true(bound.price_nanousd == again.price_nanousd);
    }
}

static void there_is_no_bound_without_pods(void **state)
{
    (void)state;
    struct error error = {0};
    struct bench_workload workload = {
        .mix = bench_mix_find("web"), .pods = 0, .types = 1, .seed = 7, .policy = PACKING_GREEDY};
    struct snapshot *snapshot = bench_workload_create(&workload, &error);
    struct bench_bound bound;
    assert_false(bench_bound_compute(snapshot, &bound));
    snapshot_destroy(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fillings_are_the_best_ones),
        cmocka_unit_test(narrow_searches_still_bound_all_fillings),
        cmocka_unit_test(what_is_not_above_the_target_is_not_looked_for),
        cmocka_unit_test(bounds_lie_closely_below_the_program),
        cmocka_unit_test(there_is_no_bound_without_pods),
    };
    return cmocka_run_group_tests_name("bench_bound", tests, NULL, NULL);
}
