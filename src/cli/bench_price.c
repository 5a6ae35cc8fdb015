// adze bench price: the costs of both packing policies' plans for the same workload.
#include <time.h>

#include "base/nanoseconds.h"
#include "bench/bench_bound.h"
#include "bench/bench_measure.h"
#include "cli/bench_options.h"

struct comparison {
    struct bench_result greedy, lowest;
    double ratio; // LowestPrice to Greedy
    bool bounded; // there is a bound of this workload
    struct bench_bound bound;
    int64_t bound_ns; // time spent on it
};

// Of the rows of one number of pods.
struct mean {
    double sum, highest;
    uint32_t count;
};
struct summary {
    uint32_t pods, workloads;
    struct mean ratio, greedy_above, lowest_above, stated_gap; // percent, except the ratio
};

static bool compare(const struct bench_workload *workload, uint32_t runs,
                    struct comparison *comparison, struct error *error);
static json_t *row_of(const struct bench_workload *workload, const struct comparison *comparison);
static void summary_add(struct summary *summary, const struct comparison *comparison);
static void summary_print(const struct summary *summary, bool list_prices);

// A plan that places every pod costs at least the bound.
static bool check_bound(const struct bench_workload *workload, const char *what,
                        int64_t bound_nanousd, const struct bench_result *result,
                        struct error *error)
{
    if (result->unschedulable > 0 || result->cost_nanousd >= bound_nanousd)
        return true;
    return error_set(error, ERROR_INTERNAL,
                     "%s, %u pods, seed %llu: the %s bound %.6f is above a plan's cost %.6f",
                     workload->mix->name, workload->pods, (unsigned long long)workload->seed, what,
                     (double)bound_nanousd / 1e9, (double)result->cost_nanousd / 1e9);
}

// On the same snapshot, LowestPrice never costs more than Greedy (SCH-542) by its objective
// (SCH-507), and leaves no more pods unschedulable.
static bool check(const struct bench_workload *workload, const struct comparison *comparison,
                  struct error *error)
{
    if (comparison->lowest.unschedulable > comparison->greedy.unschedulable)
        return error_set(
            error, ERROR_INTERNAL,
            "%s, %u pods, seed %llu: LowestPrice leaves %u pods without a place, Greedy %u",
            workload->mix->name, workload->pods, (unsigned long long)workload->seed,
            comparison->lowest.unschedulable, comparison->greedy.unschedulable);
    if (!check_bound(workload, "stated", comparison->lowest.lower_bound_nanousd,
                     &comparison->lowest, error))
        return false;
    if (comparison->bounded && (!check_bound(workload, "computed", comparison->bound.price_nanousd,
                                             &comparison->lowest, error) ||
                                !check_bound(workload, "computed", comparison->bound.price_nanousd,
                                             &comparison->greedy, error)))
        return false;
    // A policy that places more pods may cost more.
    if (comparison->lowest.unschedulable == comparison->greedy.unschedulable &&
        comparison->lowest.counted_nanousd > comparison->greedy.counted_nanousd)
        return error_set(error, ERROR_INTERNAL,
                         "%s, %u pods, seed %llu: LowestPrice counts %.6f USD an hour, Greedy %.6f",
                         workload->mix->name, workload->pods, (unsigned long long)workload->seed,
                         (double)comparison->lowest.counted_nanousd / 1e9,
                         (double)comparison->greedy.counted_nanousd / 1e9);
    return true;
}

// All seeds of one mix and number of pods. A violated check is recorded and the set continues, so
// that the report is complete.
static bool add_rows(json_t *rows, const struct bench_options *options,
                     const struct bench_workload *of, struct summary *summary, bool *sound,
                     struct error *error)
{
    struct bench_workload workload = *of;
    for (uint32_t i = 0; i < options->seeds; i++) {
        struct comparison comparison;
        struct error violation = {0};
        workload.seed = of->seed + i;
        if (!compare(&workload, options->runs, &comparison, error))
            return error_prefix(error, "%s, %u pods", workload.mix->name, workload.pods);
        json_array_append_new(rows, row_of(&workload, &comparison));
        summary_add(summary, &comparison);
        if (!check(&workload, &comparison, &violation)) {
            fprintf(stderr, "adze bench: %s\n", violation.message);
            *sound = false;
        }
    }
    return true;
}

static bool is_wanted(const struct bench_options *options, const struct bench_mix *mix)
{
    return options->mix_given ? mix == options->workload.mix
                              : mix->priced && mix->add_cluster == NULL;
}

// By list prices, then by effective ones, unless only one kind is wanted.
static bool add_mix(json_t *rows, const struct bench_options *options,
                    struct bench_workload *workload, struct summary *summary, bool *sound,
                    struct error *error)
{
    if (options->prices_given)
        return add_rows(rows, options, workload, &summary[workload->list_prices], sound, error);
    for (int list = 1; list >= 0; list--) {
        workload->list_prices = list;
        if (!add_rows(rows, options, workload, &summary[list], sound, error))
            return false;
    }
    return true;
}

static bool add_size(json_t *rows, const struct bench_options *options, uint32_t pods,
                     struct summary *summary, bool *sound, struct error *error)
{
    struct bench_workload workload = options->workload;
    workload.pods = pods;
    summary[0].pods = summary[1].pods = pods;
    for (const struct bench_mix *const *mix = bench_mixes(); *mix != NULL; mix++) {
        workload.mix = *mix;
        if (is_wanted(options, *mix) && !add_mix(rows, options, &workload, summary, sound, error))
            return false;
    }
    return true;
}

bool bench_price(const struct bench_options *options, struct error *error)
{
    static const uint32_t standard[] = {200, 500, 1000, 3000};
    const uint32_t *sizes = options->pods_given ? &options->workload.pods : standard;
    size_t count = options->pods_given ? 1 : ARRAY_LENGTH(standard);
    struct summary summaries[ARRAY_LENGTH(standard)][2] = {0}; // by size; 1: by list prices
    json_t *rows = json_array();
    bool done = true, sound = true;
    for (size_t i = 0; done && i < count; i++)
        done = add_size(rows, options, sizes[i], summaries[i], &sound, error);
    if (done)
        bench_report_print(stdout, rows, options->format);
    for (size_t i = 0; done && options->format == BENCH_TABLE && i < count; i++)
        for (int list = 1; list >= 0; list--)
            summary_print(&summaries[i][list], list);
    json_decref(rows);
    if (done && !sound)
        return error_set(error, ERROR_INTERNAL, "a plan breaks its promise, see above");
    return done;
}

static double ratio_of(int64_t price, int64_t base)
{
    return base > 0 ? (double)price / (double)base : 1;
}

static double percent_above(const struct bench_result *result, int64_t bound_nanousd)
{
    return (ratio_of(result->cost_nanousd, bound_nanousd) - 1) * 100;
}

static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static bool compare(const struct bench_workload *workload, uint32_t runs,
                    struct comparison *comparison, struct error *error)
{
    *comparison = (struct comparison){0};
    struct snapshot *snapshot = bench_workload_create(workload, error);
    if (snapshot == NULL)
        return false;
    bench_workload_set_policy(snapshot, PACKING_GREEDY);
    bool done = bench_measure(snapshot, workload->pods, runs, &comparison->greedy, error);
    bench_workload_set_policy(snapshot, PACKING_LOWEST_PRICE);
    done = done && bench_measure(snapshot, workload->pods, runs, &comparison->lowest, error);
    if (done && workload->mix->resources_only && workload->nodes == 0) {
        int64_t start_ns = cpu_ns();
        comparison->bounded = bench_bound_compute(snapshot, &comparison->bound);
        comparison->bound_ns = ns_subtract(cpu_ns(), start_ns);
    }
    snapshot_destroy(snapshot);
    comparison->ratio = ratio_of(comparison->lowest.cost_nanousd, comparison->greedy.cost_nanousd);
    return done;
}

static json_t *usd(int64_t nanousd)
{
    return bench_real((double)nanousd / 1e9);
}

static json_t *milliseconds(int64_t nanoseconds)
{
    return bench_real((double)nanoseconds / 1e6);
}

static json_t *row_of(const struct bench_workload *workload, const struct comparison *comparison)
{
    const struct bench_result *greedy = &comparison->greedy, *lowest = &comparison->lowest;
    bool bounded = comparison->bounded, stated = lowest->lower_bound_nanousd > 0;
    int64_t bound = comparison->bound.price_nanousd, stated_bound = lowest->lower_bound_nanousd;
    return json_pack(
        "{s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, "
        "s:I, "
        "s:o, s:o, s:o}",
        "mix", workload->mix->name, "pods", (json_int_t)workload->pods, "seed",
        (json_int_t)workload->seed, "prices", workload->list_prices ? "list" : "effective",
        "greedyPerHour", usd(greedy->price_nanousd), "lowestPerHour", usd(lowest->price_nanousd),
        "greedyCostPerHour", usd(greedy->cost_nanousd), "lowestCostPerHour",
        usd(lowest->cost_nanousd), "ratio", bench_real(comparison->ratio), "boundPerHour",
        bounded ? usd(bound) : json_null(), "greedyAbovePercent",
        bounded ? bench_real(percent_above(greedy, bound)) : json_null(), "lowestAbovePercent",
        bounded ? bench_real(percent_above(lowest, bound)) : json_null(), "statedBoundPerHour",
        stated ? usd(stated_bound) : json_null(), "statedGapPercent",
        stated ? bench_real(percent_above(lowest, stated_bound)) : json_null(), "greedyNodes",
        (json_int_t)greedy->nodes, "lowestNodes", (json_int_t)lowest->nodes, "greedyUnschedulable",
        (json_int_t)greedy->unschedulable, "lowestUnschedulable", (json_int_t)lowest->unschedulable,
        "greedyMs", milliseconds(greedy->wall_ns), "lowestMs", milliseconds(lowest->wall_ns),
        "boundMs", bounded ? milliseconds(comparison->bound_ns) : json_null());
}

static void mean_add(struct mean *mean, double value)
{
    if (mean->count == 0 || value > mean->highest)
        mean->highest = value;
    mean->sum += value;
    mean->count++;
}

static void summary_add(struct summary *summary, const struct comparison *comparison)
{
    const struct bench_result *lowest = &comparison->lowest;
    summary->workloads++;
    mean_add(&summary->ratio, comparison->ratio);
    if (comparison->bounded) {
        int64_t bound = comparison->bound.price_nanousd;
        mean_add(&summary->greedy_above, percent_above(&comparison->greedy, bound));
        mean_add(&summary->lowest_above, percent_above(lowest, bound));
    }
    if (lowest->lower_bound_nanousd > 0)
        mean_add(&summary->stated_gap, percent_above(lowest, lowest->lower_bound_nanousd));
}

static void mean_print(const char *what, const struct mean *mean)
{
    if (mean->count > 0)
        printf("; %s: mean %.2f %%, highest %.2f %%", what, mean->sum / mean->count, mean->highest);
}

static void summary_print(const struct summary *summary, bool list_prices)
{
    if (summary->workloads == 0)
        return;
    printf("\n%u pods, %u workloads, %s prices: LowestPrice / Greedy mean %.3f, highest %.3f",
           summary->pods, summary->workloads, list_prices ? "list" : "effective",
           summary->ratio.sum / summary->ratio.count, summary->ratio.highest);
    mean_print("above the bound Greedy", &summary->greedy_above);
    mean_print("LowestPrice", &summary->lowest_above);
    mean_print("gap that the plans state", &summary->stated_gap);
    printf("\n");
}
