// adze bench schedule: the engine's running time.
#include <assert.h>

#include "bench/bench_measure.h"
#include "cli/bench_options.h"

#define MEBIBYTE 1048576.0

static double milliseconds(int64_t nanoseconds)
{
    return (double)nanoseconds / 1e6;
}

// The members of FMT-15 with their parameters.
static json_t *row_of(const struct bench_workload *workload, uint32_t types,
                      const struct bench_result *result)
{
    double seconds = (double)result->wall_ns / 1e9;
    return json_pack(
        "{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "mix",
        workload->mix->name, "policy", bench_policy_name(workload->policy), "pods",
        (json_int_t)workload->pods, "types", (json_int_t)types, "existingNodes",
        (json_int_t)workload->nodes, "nodes", (json_int_t)result->nodes, "unschedulable",
        (json_int_t)result->unschedulable, "pricePerHour",
        bench_real((double)result->price_nanousd / 1e9), "wallMs",
        bench_real(milliseconds(result->wall_ns)), "cpuMs",
        bench_real(milliseconds(result->cpu_ns)), "wallMsMin",
        bench_real(milliseconds(result->wall_min_ns)), "podsPerSecond",
        bench_real(seconds > 0 ? (double)workload->pods / seconds : 0), "peakMiB",
        bench_real((double)result->peak_bytes / MEBIBYTE), "planMiB",
        bench_real((double)result->plan_bytes / MEBIBYTE), "seed", (json_int_t)workload->seed,
        "runs", (json_int_t)result->runs);
}

static uint32_t types_of(const struct snapshot *snapshot)
{
    assert(snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count == 1);
    return ((const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[0])
        ->spec.instance_types.count;
}

static bool add_row(json_t *rows, const struct bench_workload *workload, uint32_t runs,
                    struct error *error)
{
    struct bench_result result;
    struct snapshot *snapshot = bench_workload_create(workload, error);
    if (snapshot == NULL)
        return false;
    bool measured = bench_measure(snapshot, workload->pods, runs, &result, error);
    uint32_t types = types_of(snapshot);
    snapshot_destroy(snapshot);
    if (measured)
        json_array_append_new(rows, row_of(workload, types, &result));
    return measured || error_prefix(error, "%s, %u pods, %u nodes", workload->mix->name,
                                    workload->pods, workload->nodes);
}

// From 100 to 100,000 pods, then from no existing node to 10,000.
static bool add_growth(json_t *rows, const struct bench_options *options, struct error *error)
{
    static const uint32_t pods[] = {100, 300, 1000, 3000, 10000, 30000, 100000};
    static const uint32_t nodes[] = {0, 100, 300, 1000, 3000, 10000};
    struct bench_workload workload = options->workload;
    for (size_t i = 0; i < ARRAY_LENGTH(pods); i++) {
        workload.pods = pods[i];
        if (!add_row(rows, &workload, options->runs, error))
            return false;
    }
    workload.pods = options->workload.pods;
    for (size_t i = 0; i < ARRAY_LENGTH(nodes); i++) {
        workload.nodes = nodes[i];
        if (!add_row(rows, &workload, options->runs, error))
            return false;
    }
    return true;
}

bool bench_schedule(const struct bench_options *options, struct error *error)
{
    return bench_rows_print(options, add_row, add_growth, error);
}
