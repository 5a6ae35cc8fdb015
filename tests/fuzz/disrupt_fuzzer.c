// Manifests through `adze plan --disrupt --explain`, with every method.
#include "engine/engine.h"
#include "model/snapshot/plan_encode.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void plan(const struct snapshot *snapshot, enum disruption_method method)
{
    const struct plan_options options = {.explain = EXPLAIN_FULL,
                                         .verdicts = true,
                                         .disrupt = true,
                                         .methods = disruption_methods_of(method)};
    struct error error = {0};
    struct plan *plan = engine_plan(snapshot, &options, &error);
    if (plan == NULL)
        return;
    json_decref(plan_encode(plan));
    plan_destroy(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    snapshot->time = INT64_C(1767225600) * SECOND;
    if (snapshot_read_text(snapshot, (const char *)data, size, "fuzz", false, &error) &&
        snapshot_complete(snapshot, &error))
        for (enum disruption_method m = METHOD_ANY; m < METHODS_COUNT; m++)
            plan(snapshot, m);
    snapshot_destroy(snapshot);
    return 0;
}
