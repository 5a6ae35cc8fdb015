// This file reads clocks, unlike everything else below the ports, since it measures time. The
// engine still gets none; its clock is snapshot->time.
#include "bench/bench_measure.h"

#include <assert.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/nanoseconds.h"
#include "engine/engine.h"

struct run {
    int64_t wall_ns, cpu_ns, peak_bytes, plan_bytes;
};

static bool measure_run(const struct snapshot *snapshot, const struct plan_options *options,
                        uint32_t pods, struct run *run, struct bench_result *outcome,
                        struct error *error);
static void summarize(const struct run *runs, uint32_t count, struct bench_result *result);

static bool same_outcome(const struct bench_result *a, const struct bench_result *b)
{
    return a->nodes == b->nodes && a->unschedulable == b->unschedulable &&
           a->price_nanousd == b->price_nanousd && a->commands == b->commands &&
           a->disrupted == b->disrupted && a->savings_nanousd == b->savings_nanousd;
}

static bool measure(const struct snapshot *snapshot, const struct plan_options *options,
                    uint32_t pods, uint32_t runs, struct bench_result *result, struct error *error)
{
    assert(runs > 0);
    CLEANUP_FREE struct run *measured = memory_allocate_array(runs, sizeof *measured);
    for (uint32_t i = 0; i < runs; i++) {
        struct bench_result outcome = {0};
        if (!measure_run(snapshot, options, pods, &measured[i], &outcome, error))
            return false;
        if (i > 0 && !same_outcome(result, &outcome))
            return error_set(
                error, ERROR_INTERNAL,
                "two plans of the same snapshot differ: %u nodes for %.6f USD an hour, "
                "then %u for %.6f; %u disruptions, then %u",
                result->nodes, (double)result->price_nanousd / 1e9, outcome.nodes,
                (double)outcome.price_nanousd / 1e9, result->commands, outcome.commands);
        *result = outcome;
    }
    result->runs = runs;
    summarize(measured, runs, result);
    return true;
}

bool bench_measure(const struct snapshot *snapshot, uint32_t pods, uint32_t runs,
                   struct bench_result *result, struct error *error)
{
    static const struct plan_options options = {0};
    return measure(snapshot, &options, pods, runs, result, error);
}

bool bench_measure_disruption(const struct snapshot *snapshot, uint32_t pods, uint32_t runs,
                              struct bench_result *result, struct error *error)
{
    static const struct plan_options options = {.disrupt = true};
    return measure(snapshot, &options, pods, runs, result, error);
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    int status = clock_gettime(clock, &now);
    assert(status == 0);
    (void)status;
    return (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

// A field of /proc/self/status in bytes; 0 if there is none.
static int64_t process_status_bytes(const char *field)
{
    FILE *file = fopen("/proc/self/status", "re");
    if (file == NULL)
        return 0;
    char line[256];
    long long kibibytes = 0;
    size_t length = strlen(field);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, field, length) == 0 && line[length] == ':')
            kibibytes = strtoll(line + length + 1, NULL, 10);
    fclose(file);
    return kibibytes * 1024;
}

// Resets the kernel's peak, so that each run has its own. Where the kernel forbids that, the peak
// is the process's since its start: an upper bound.
static void reset_peak(void)
{
    malloc_trim(0); // memory left in the allocator by earlier runs would count as present before
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t written = write(file, "5", 1);
    (void)written;
    close(file);
}

static void count_disruptions(const struct plan *plan, struct bench_result *outcome)
{
    outcome->commands = plan->disruptions.count;
    list_for_each (command, &plan->disruptions) {
        outcome->disrupted += command->candidates.count;
        outcome->savings_nanousd += command->savings;
    }
}

static bool measure_run(const struct snapshot *snapshot, const struct plan_options *options,
                        uint32_t pods, struct run *run, struct bench_result *outcome,
                        struct error *error)
{
    reset_peak();
    int64_t resident_bytes = process_status_bytes("VmRSS");
    int64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    int64_t wall_ns = clock_ns(CLOCK_MONOTONIC);
    struct plan *plan = engine_plan(snapshot, options, error);
    run->wall_ns = ns_subtract(clock_ns(CLOCK_MONOTONIC), wall_ns);
    run->cpu_ns = ns_subtract(clock_ns(CLOCK_PROCESS_CPUTIME_ID), cpu_ns);
    run->peak_bytes = process_status_bytes("VmHWM");
    run->plan_bytes = run->peak_bytes > resident_bytes ? run->peak_bytes - resident_bytes : 0;
    if (plan == NULL)
        return false;
    uint32_t accounted = plan->pods_placed + plan->unschedulable.count;
    outcome->nodes = plan->claims.count;
    outcome->unschedulable = plan->unschedulable.count;
    outcome->price_nanousd = plan->price;
    outcome->cost_nanousd = plan_costs_sum(&plan->costs);
    outcome->counted_nanousd = plan->counted;
    outcome->lower_bound_nanousd = plan->lower_bound;
    count_disruptions(plan, outcome);
    plan_destroy(plan);
    return accounted == pods ||
           error_set(error, ERROR_INTERNAL, "the plan accounts for %u of %u pods", accounted, pods);
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// `field`: offset of an int64_t in struct run. Sorts into `sorted`.
static void sort_field(const struct run *runs, uint32_t count, size_t field, int64_t *sorted)
{
    for (uint32_t i = 0; i < count; i++)
        memcpy(&sorted[i], (const char *)&runs[i] + field, sizeof sorted[i]);
    qsort(sorted, count, sizeof *sorted, compare_numbers);
}

static void summarize(const struct run *runs, uint32_t count, struct bench_result *result)
{
    CLEANUP_FREE int64_t *sorted = memory_allocate_array(count, sizeof *sorted);
    sort_field(runs, count, offsetof(struct run, wall_ns), sorted);
    result->wall_ns = sorted[count / 2];
    result->wall_min_ns = sorted[0];
    sort_field(runs, count, offsetof(struct run, cpu_ns), sorted);
    result->cpu_ns = sorted[count / 2];
    sort_field(runs, count, offsetof(struct run, peak_bytes), sorted);
    result->peak_bytes = sorted[count - 1];
    sort_field(runs, count, offsetof(struct run, plan_bytes), sorted);
    result->plan_bytes = sorted[count - 1];
}
