// adze bench disrupt: the duration of a whole pass over a running cluster, from the snapshot in
// memory to the next disruption (FMT-15, DIS-703).
#include "bench/bench_measure.h"
#include "cli/bench_options.h"
#include "engine/disruption/candidates.h"

#define MEBIBYTE 1048576.0

static double milliseconds(int64_t nanoseconds)
{
    return (double)nanoseconds / 1e6;
}

struct cluster_facts {
    uint32_t pods, candidates; // running; nodes that may be disrupted
    int64_t price_nanousd;     // of the candidates, an hour
};

static struct cluster_facts facts_of(const struct snapshot *snapshot)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 16);
    struct cluster_facts facts = {0};
    const struct candidate_options options = {.reason = DISRUPTION_UNDERUTILIZED};
    struct candidate_table table = candidates_build(arena, snapshot, &options);
    facts.candidates = table.candidates.count;
    list_for_each (candidate, &table.candidates)
        facts.price_nanousd += candidate->price;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++)
        facts.pods +=
            ((const struct pod *)snapshot->objects[KIND_POD].items[i])->spec.node_name != NULL;
    return facts;
}

static json_t *row_of(const struct bench_workload *workload, const struct cluster_facts *facts,
                      const struct bench_result *result)
{
    double seconds = (double)result->wall_ns / 1e9;
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:I, s:I}",
        "mix", workload->mix->name, "policy", bench_policy_name(workload->policy), "pods",
        (json_int_t)facts->pods, "nodes", (json_int_t)workload->nodes, "pending",
        (json_int_t)workload->pods, "unschedulable", (json_int_t)result->unschedulable,
        "candidates", (json_int_t)facts->candidates, "commands", (json_int_t)result->commands,
        "disrupted", (json_int_t)result->disrupted, "pricePerHour",
        bench_real((double)facts->price_nanousd / 1e9), "savingsPerHour",
        bench_real((double)result->savings_nanousd / 1e9), "wallMs",
        bench_real(milliseconds(result->wall_ns)), "cpuMs",
        bench_real(milliseconds(result->cpu_ns)), "wallMsMin",
        bench_real(milliseconds(result->wall_min_ns)), "podsPerSecond",
        bench_real(seconds > 0 ? (double)facts->pods / seconds : 0), "peakMiB",
        bench_real((double)result->peak_bytes / MEBIBYTE), "planMiB",
        bench_real((double)result->plan_bytes / MEBIBYTE), "seed", (json_int_t)workload->seed,
        "runs", (json_int_t)result->runs);
}

static bool add_row(json_t *rows, const struct bench_workload *workload, uint32_t runs,
                    struct error *error)
{
    struct bench_result result;
    struct snapshot *snapshot = bench_workload_create(workload, error);
    if (snapshot == NULL)
        return false;
    struct cluster_facts facts = facts_of(snapshot);
    bool measured = bench_measure_disruption(snapshot, workload->pods, runs, &result, error);
    snapshot_destroy(snapshot);
    if (measured)
        json_array_append_new(rows, row_of(workload, &facts, &result));
    return measured || error_prefix(error, "%s, %u nodes", workload->mix->name, workload->nodes);
}

static bool add_growth(json_t *rows, const struct bench_options *options, struct error *error)
{
    static const uint32_t nodes[] = {100, 300, 1000, 3000, 10000};
    struct bench_workload workload = options->workload;
    for (size_t i = 0; i < ARRAY_LENGTH(nodes); i++) {
        workload.nodes = nodes[i];
        if (!add_row(rows, &workload, options->runs, error))
            return false;
    }
    return true;
}

bool bench_disrupt(const struct bench_options *options, struct error *error)
{
    return bench_rows_print(options, add_row, add_growth, error);
}
