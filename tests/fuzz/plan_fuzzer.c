// Manifests as `adze plan` reads them, up to the plan: no input may crash the engine, and every
// plan can be written.
#include "engine/engine.h"
#include "model/snapshot/plan_encode.h"
#include "model/snapshot/snapshot_complete.h"
#include "model/snapshot/snapshot_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct plan_options options = {.explain = EXPLAIN_FULL};
    struct error error = {0};
    struct snapshot *snapshot = snapshot_create();
    snapshot->time = INT64_C(1767225600) * SECOND;
    if (snapshot_read_text(snapshot, (const char *)data, size, "fuzz", false, &error) &&
        snapshot_complete(snapshot, &error)) {
        struct plan *plan = engine_plan(snapshot, &options, &error);
        if (plan != NULL) {
            json_decref(plan_encode(plan));
            plan_destroy(plan);
        }
    }
    snapshot_destroy(snapshot);
    return 0;
}
