// adze bench price: what the plans of both packing policies cost on the same workload.
#include "cli/bench_measure.h"
#include "cli/bench_options.h"

// What the rows of one number of pods amount to.
struct summary {
    uint32_t pods, workloads, bounded;
    double ratio_sum, ratio_max, gap_sum, gap_max;
};

struct comparison {
    struct bench_result greedy, lowest;
    double ratio;       // LowestPrice to Greedy
    bool bounded;       // the engine states a lower bound
    double gap_percent; // of LowestPrice above it
};

static bool compare(const struct bench_workload *workload, uint32_t runs,
                    struct comparison *comparison, struct error *error);
static json_t *row_of(const struct bench_workload *workload, const struct comparison *comparison);
static void summary_add(struct summary *summary, const struct comparison *comparison);
static void summary_print(const struct summary *summary);

// LowestPrice is never dearer than Greedy on the same snapshot (SCH-542), nor does it leave more
// pods behind.
static bool check(const struct bench_workload *workload, const struct comparison *comparison,
                  struct error *error)
{
    if (comparison->lowest.unschedulable > comparison->greedy.unschedulable)
        return error_set(
            error, ERROR_INTERNAL,
            "%s, %u pods, seed %llu: LowestPrice leaves %u pods without a place, Greedy %u",
            workload->mix->name, workload->pods, (unsigned long long)workload->seed,
            comparison->lowest.unschedulable, comparison->greedy.unschedulable);
    if (comparison->bounded &&
        comparison->lowest.price_nanousd < comparison->lowest.lower_bound_nanousd)
        return error_set(error, ERROR_INTERNAL,
                         "%s, %u pods, seed %llu: the bound %.6f is above the plan's price %.6f",
                         workload->mix->name, workload->pods, (unsigned long long)workload->seed,
                         (double)comparison->lowest.lower_bound_nanousd / 1e9,
                         (double)comparison->lowest.price_nanousd / 1e9);
    // Whoever places more pods may pay for them.
    if (comparison->lowest.unschedulable == comparison->greedy.unschedulable &&
        comparison->lowest.price_nanousd > comparison->greedy.price_nanousd)
        return error_set(error, ERROR_INTERNAL,
                         "%s, %u pods, seed %llu: LowestPrice costs %.6f USD an hour, Greedy %.6f",
                         workload->mix->name, workload->pods, (unsigned long long)workload->seed,
                         (double)comparison->lowest.price_nanousd / 1e9,
                         (double)comparison->greedy.price_nanousd / 1e9);
    return true;
}

// All seeds of one mix and number of pods. A violated check is remembered, and the set goes on, so
// that the report is whole.
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
    return options->mix_given ? mix == options->workload.mix : mix->priced;
}

static bool add_size(json_t *rows, const struct bench_options *options, uint32_t pods,
                     struct summary *summary, bool *sound, struct error *error)
{
    struct bench_workload workload = options->workload;
    workload.pods = pods;
    summary->pods = pods;
    for (const struct bench_mix *const *mix = bench_mixes(); *mix != NULL; mix++) {
        workload.mix = *mix;
        if (is_wanted(options, *mix) && !add_rows(rows, options, &workload, summary, sound, error))
            return false;
    }
    return true;
}

bool bench_price(const struct bench_options *options, struct error *error)
{
    static const uint32_t standard[] = {200, 1000, 3000};
    const uint32_t *sizes = options->pods_given ? &options->workload.pods : standard;
    size_t count = options->pods_given ? 1 : ARRAY_LENGTH(standard);
    struct summary summaries[ARRAY_LENGTH(standard)] = {0};
    json_t *rows = json_array();
    bool done = true, sound = true;
    for (size_t i = 0; done && i < count; i++)
        done = add_size(rows, options, sizes[i], &summaries[i], &sound, error);
    if (done)
        bench_report_print(stdout, rows, options->format);
    for (size_t i = 0; done && options->format == BENCH_TABLE && i < count; i++)
        summary_print(&summaries[i]);
    json_decref(rows);
    if (done && !sound)
        return error_set(error, ERROR_INTERNAL, "a plan breaks its promise, see above");
    return done;
}

static double ratio_of(int64_t price, int64_t base)
{
    return base > 0 ? (double)price / (double)base : 1;
}

static bool compare(const struct bench_workload *workload, uint32_t runs,
                    struct comparison *comparison, struct error *error)
{
    struct snapshot *snapshot = bench_workload_create(workload, error);
    if (snapshot == NULL)
        return false;
    bench_workload_set_policy(snapshot, PACKING_GREEDY);
    bool done = bench_measure(snapshot, workload->pods, runs, &comparison->greedy, error);
    bench_workload_set_policy(snapshot, PACKING_LOWEST_PRICE);
    done = done && bench_measure(snapshot, workload->pods, runs, &comparison->lowest, error);
    snapshot_destroy(snapshot);
    if (!done)
        return false;
    int64_t bound = comparison->lowest.lower_bound_nanousd;
    comparison->ratio =
        ratio_of(comparison->lowest.price_nanousd, comparison->greedy.price_nanousd);
    comparison->bounded = bound > 0;
    comparison->gap_percent = (ratio_of(comparison->lowest.price_nanousd, bound) - 1) * 100;
    return true;
}

static json_t *row_of(const struct bench_workload *workload, const struct comparison *comparison)
{
    const struct bench_result *greedy = &comparison->greedy, *lowest = &comparison->lowest;
    bool bounded = comparison->bounded;
    return json_pack(
        "{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "mix",
        workload->mix->name, "pods", (json_int_t)workload->pods, "seed", (json_int_t)workload->seed,
        "greedyPerHour", bench_real((double)greedy->price_nanousd / 1e9), "lowestPerHour",
        bench_real((double)lowest->price_nanousd / 1e9), "ratio", bench_real(comparison->ratio),
        "boundPerHour",
        bounded ? bench_real((double)lowest->lower_bound_nanousd / 1e9) : json_null(), "gapPercent",
        bounded ? bench_real(comparison->gap_percent) : json_null(), "greedyNodes",
        (json_int_t)greedy->nodes, "lowestNodes", (json_int_t)lowest->nodes, "greedyUnschedulable",
        (json_int_t)greedy->unschedulable, "lowestUnschedulable", (json_int_t)lowest->unschedulable,
        "greedyMs", bench_real((double)greedy->wall_ns / 1e6), "lowestMs",
        bench_real((double)lowest->wall_ns / 1e6));
}

static void summary_add(struct summary *summary, const struct comparison *comparison)
{
    summary->workloads++;
    summary->ratio_sum += comparison->ratio;
    if (comparison->ratio > summary->ratio_max)
        summary->ratio_max = comparison->ratio;
    if (!comparison->bounded)
        return;
    summary->bounded++;
    summary->gap_sum += comparison->gap_percent;
    if (comparison->gap_percent > summary->gap_max)
        summary->gap_max = comparison->gap_percent;
}

static void summary_print(const struct summary *summary)
{
    printf("\n%u pods: LowestPrice / Greedy mean %.3f, highest %.3f over %u workloads",
           summary->pods, summary->ratio_sum / summary->workloads, summary->ratio_max,
           summary->workloads);
    if (summary->bounded > 0)
        printf("; above the bound mean %.2f %%, highest %.2f %% over %u",
               summary->gap_sum / summary->bounded, summary->gap_max, summary->bounded);
    printf("\n");
}
