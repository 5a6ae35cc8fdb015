#include "bench/bench_workload.h"

#include <assert.h>
#include <string.h>

#include "bench/bench_builder.h"
#include "bench/bench_nodes.h"
#include "bench/bench_priced.h"
#include "bench/bench_synthetic.h"
#include "model/reading/settings_read.h"

// Separates the nodes' stream of random numbers from the pods'.
#define NODES_SEED UINT64_C(0x6e6f646573)

static const struct bench_mix *const mixes[] = {
    &bench_mix_diverse,
    &bench_mix_preferences,
    &bench_mix_web,
    &bench_mix_batch,
    &bench_mix_memory_heavy,
    &bench_mix_mixed,
    &bench_mix_constrained,
    &bench_mix_settled,
    &bench_mix_loose,
    &bench_mix_drifting,
    NULL,
};

const struct bench_mix *const *bench_mixes(void)
{
    return mixes;
}

const struct bench_mix *bench_mix_find(const char *name)
{
    for (size_t i = 0; mixes[i] != NULL; i++)
        if (strcmp(mixes[i]->name, name) == 0)
            return mixes[i];
    return NULL;
}

static void set(struct snapshot *snapshot, const char *name, const char *value)
{
    struct error error = {0};
    bool done = settings_set(&snapshot->settings, name, value, &error);
    assert(done); // names and values are from tables
    (void)done;
}

static void set_list_prices(struct snapshot *snapshot)
{
    static const char *const terms[] = {"VOLUME_COST", "ADDRESS_COST", "INTERRUPTION_COST",
                                        "EXPECTED_CPU_USE"};
    for (size_t i = 0; i < ARRAY_LENGTH(terms); i++)
        set(snapshot, terms[i], "0");
}

static bool add_everything(struct bench_builder *builder, struct error *error)
{
    const struct bench_workload *workload = builder->workload;
    if (!(workload->mix->priced ? bench_add_ec2_catalog(builder, error)
                                : bench_add_synthetic_catalog(builder, error)) ||
        !workload->mix->add_environment(builder, error))
        return false;
    random_seed(&builder->random, workload->seed);
    workload->mix->add_pods(builder, workload->pods);
    random_seed(&builder->random, workload->seed ^ NODES_SEED);
    if (workload->mix->add_cluster != NULL)
        return workload->mix->add_cluster(builder, error);
    bench_add_nodes(builder, workload->nodes);
    return true;
}

struct snapshot *bench_workload_create(const struct bench_workload *workload, struct error *error)
{
    assert(workload->pods <= BENCH_PODS_MAX && workload->nodes <= BENCH_NODES_MAX);
    assert(workload->types >= 1 && workload->types <= BENCH_TYPES_MAX);
    CLEANUP_ARENA struct arena *arena = arena_create(1 << 14);
    struct bench_builder builder = {
        .snapshot = snapshot_create(), .workload = workload, .arena = arena};
    random_seed(&builder.random, workload->seed);
    builder.snapshot->time = BENCH_TIME;
    bench_workload_set_policy(builder.snapshot, workload->policy);
    if (workload->list_prices)
        set_list_prices(builder.snapshot);
    if (!add_everything(&builder, error)) {
        snapshot_destroy(builder.snapshot);
        return NULL;
    }
    return builder.snapshot;
}

const char *bench_policy_name(enum packing_policy policy)
{
    return policy == PACKING_GREEDY ? "Greedy" : "LowestPrice";
}

void bench_workload_set_policy(struct snapshot *snapshot, enum packing_policy policy)
{
    set(snapshot, "PACKING_POLICY", bench_policy_name(policy));
}
