// Pieces of generated workloads: objects built by hand in an arena, then copied into a snapshot.
//
// Between two calls of bench_add() everything lives in builder->arena, which bench_add() empties:
// build an object, add it, build the next.
#pragma once

#include "base/random.h"
#include "bench/bench_mix.h"

// The workload's clock, in nanoseconds since the epoch: a fixed instant, so that dumps are
// reproducible.
#define BENCH_TIME      INT64_C(1767225600000000000) // 2026-01-01T00:00:00Z
#define BENCH_NAMESPACE "default"

struct bench_builder {
    struct snapshot *snapshot;
    const struct bench_workload *workload;
    struct arena *arena; // of the object in the making
    struct random random;
};

// --- objects in the making -----------------------------------------------------------------------

// A pending pod with one container. `owner` is the name of its ReplicaSet, or NULL.
struct pod *bench_pod(struct bench_builder *builder, const char *name, const char *owner,
                      int64_t cpu_millicores, int64_t memory_bytes);
void bench_pod_bind(struct pod *pod, const char *node_name); // the name must outlive bench_add()
void bench_pod_label(struct bench_builder *builder, struct pod *pod, const char *key,
                     const char *value);
void bench_pod_node_selector(struct bench_builder *builder, struct pod *pod, const char *key,
                             const char *value);
// A selector of pods by one label.
struct label_selector *bench_selector(struct bench_builder *builder, const char *key,
                                      const char *value);
void bench_pod_spread(struct bench_builder *builder, struct pod *pod, const char *topology_key,
                      int64_t max_skew, struct label_selector *selector);
void bench_pod_affinity(struct bench_builder *builder, struct pod *pod, const char *topology_key,
                        struct label_selector *selector);
void bench_pod_anti_affinity(struct bench_builder *builder, struct pod *pod,
                             const char *topology_key, struct label_selector *selector);
void bench_pod_prefer_apart(struct bench_builder *builder, struct pod *pod, int64_t weight,
                            const char *topology_key, struct label_selector *selector);
// `values`: NULL-terminated.
void bench_pod_require_node(struct bench_builder *builder, struct pod *pod, const char *key,
                            const char *operation, const char *const *values);
void bench_pod_prefer_node(struct bench_builder *builder, struct pod *pod, int64_t weight,
                           const char *key, const char *value);
void bench_pod_tolerate(struct bench_builder *builder, struct pod *pod, const char *key,
                        const char *value);
void bench_label(struct bench_builder *builder, struct string_map *map, const char *key,
                 const char *value); // keeps the map sorted; an existing key gets the new value
// A random UID.
const char *bench_uid(struct bench_builder *builder);

// --- adding to the snapshot ----------------------------------------------------------------------

// Copies `object`, adds the copy to the snapshot and empties the arena.
void bench_add(struct bench_builder *builder, const struct object *object);
// The same for an object given as a JSON document, which is consumed (NULL is an error).
bool bench_add_document(struct bench_builder *builder, json_t *document,
                        struct error *error) MUST_USE;

// --- the parts of a workload (one source file each) ----------------------------------------------
struct bench_machine {
    const struct node_pool *pool;
    const struct instance_type *type;
    const struct offering *offering;
    const char *name, *provider_id; // of the Node
    bool consolidatable, drifted;   // conditions of the NodeClaim
};

extern const struct bench_mix bench_mix_diverse, bench_mix_preferences; // bench_synthetic.c
extern const struct bench_mix bench_mix_web, bench_mix_batch, bench_mix_memory_heavy,
    bench_mix_mixed, bench_mix_constrained; // bench_priced.c
extern const struct bench_mix bench_mix_settled, bench_mix_loose,
    bench_mix_drifting; // bench_cluster.c
