// A snapshot: everything a decision depends on, immutable (design.md idea 1; FMT-1, FMT-9).
//
// Made from files by `adze plan` or from the mirror by the controller. Holds a reference to every
// object in it. The engine sorts for itself: the order of the arrays never matters, except that
// pods of equal rank keep no particular order (SCH-540).
#pragma once

#include "model/reading/settings.h"
#include "model/schema/core.h"
#include "model/schema/karpenter.h"

struct nomination {
    const char *node; // node name
    int64_t until;
};

struct snapshot {
    int64_t time; // nanoseconds since the epoch
    struct settings settings;
    bool has_context; // a SnapshotContext was read: its settings are all
    // Set for a live cluster (FMT-3), and for the controller under COMPATIBILITY=upstream (SCH-21).
    // The planner then plans pods without a node only if kube-scheduler has rejected them or (not
    // under COMPATIBILITY=upstream) not examined them yet. snapshot_complete() then skips workloads
    // that an API server has seen, marks pods that none has seen as rejected, and drops nominations
    // to nodes that do not exist.
    bool require_unschedulable_condition;
    // By kind_id: references to objects of that kind (struct object * of the right kind).
    struct {
        const struct object **items;
        uint32_t count, capacity;
    } objects[KIND_COUNT];
    // Catalogs (KIND_INSTANCE_TYPE_CATALOG objects) list their NodePools in spec.nodePools.
    struct string_list marked_for_deletion; // node names; arena
    struct string_list buffer_nodes;        // names of nodes with placeholder pods; arena
    LIST(struct nomination) nominated;      // arena
    struct {
        const struct object **items;
        uint32_t count, capacity;
    } kept;  // objects referenced by derived ones
    struct { // what reading skipped (struct documents); arena
        const char **items;
        uint32_t count, capacity;
    } skipped;
    struct arena *arena; // lists and derived objects; freed with the snapshot
};

struct snapshot *snapshot_create(void);
void snapshot_destroy(struct snapshot *snapshot);
// Takes its own reference.
void snapshot_add(struct snapshot *snapshot, const struct object *object);

// Keeps an object alive that is not part of the snapshot but referenced by a derived one in the
// arena.
void snapshot_keep(struct snapshot *snapshot, const struct object *object);
