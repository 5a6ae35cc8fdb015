// A snapshot: everything that a decision depends on, immutable (design.md idea 1; FMT-1, FMT-9).
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
    // A live cluster's (FMT-3), and the controller's under COMPATIBILITY=upstream (SCH-21): of pods
    // without a node those are planned that kube-scheduler has rejected, or (not under
    // COMPATIBILITY=upstream) not examined yet. snapshot_complete() then leaves workloads that an
    // API server has seen alone, lets pods that none has seen pass for rejected, and forgets
    // nominations for nodes that are not there.
    bool require_unschedulable_condition;
    // By kind_id: references to objects of that kind (struct object * of the right kind).
    struct {
        const struct object **items;
        uint32_t count, capacity;
    } objects[KIND_COUNT];
    // Catalogs (KIND_INSTANCE_TYPE_CATALOG objects) say by spec.nodePools whom they serve.
    struct string_list marked_for_deletion; // node names; arena
    struct string_list buffer_nodes;   // names of nodes that placeholder pods were put on; arena
    LIST(struct nomination) nominated; // arena
    struct {
        const struct object **items;
        uint32_t count, capacity;
    } kept;  // objects that derived ones point into
    struct { // what was passed over while reading (struct documents); arena
        const char **items;
        uint32_t count, capacity;
    } skipped;
    struct arena *arena; // lists and derived objects; freed with the snapshot
};

struct snapshot *snapshot_create(void);
void snapshot_destroy(struct snapshot *snapshot);
// Takes a reference of its own.
void snapshot_add(struct snapshot *snapshot, const struct object *object);

// Keeps an object alive that is not part of the snapshot: a derived one, in the arena, points into
// it.
void snapshot_keep(struct snapshot *snapshot, const struct object *object);
