// Worlds: sets of input objects (FMT-1) as JSON, generated from a seed, planned, changed, shrunk.
//
// A world is a JSON array of documents, including catalog and SnapshotContext. It prints as YAML
// for `adze plan -f`.
#pragma once

#include "base/random.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

enum world_size {
    WORLD_SMALL,  // at most 6 pending pods, 4 types, 3 zones: for exhaustive search (SCH-543)
    WORLD_MIDDLE, // up to about 25 pods
    WORLD_LARGE,  // up to about 120 pods
};

// The same seed and size give the same world everywhere. The caller owns the result.
json_t *world_generate(uint64_t seed, enum world_size size);

// A plan and its input.
struct outcome {
    struct snapshot *snapshot;
    struct plan *plan; // NULL: the world is bad input or has no plan
    struct error error;
};
struct outcome world_plan(const json_t *world);
void outcome_free(struct outcome *outcome);
static inline void cleanup_outcome(struct outcome *outcome)
{
    outcome_free(outcome);
}
#define OUTCOME __attribute__((cleanup(cleanup_outcome))) struct outcome

// The plan as JSON text; the caller frees.
char *plan_text(const struct plan *plan);
// The world as YAML documents.
void world_write_yaml(const json_t *world, struct text *text);
// A deep copy with one setting of the SnapshotContext replaced.
json_t *world_with_setting(const json_t *world, const char *name, const char *value);
// Appends the YAML documents of a text to the world. The text is built in: bad YAML aborts.
void world_add_yaml(json_t *world, const char *yaml);
const char *document_kind(const json_t *document); // "" if it has none
const char *document_name(const json_t *document); // "" if it has none

static inline void cleanup_json(json_t **json)
{
    json_decref(*json);
}
#define CLEANUP_JSON __attribute__((cleanup(cleanup_json)))
