// A cluster with an edit: the snapshot in which manifests have been applied, as `kubectl apply`
// would, and objects have been deleted. Controllers have not acted on it yet
// (workload_overlay.h, engine/forecast/).
#pragma once

#include "model/snapshot/field_changes.h"
#include "model/snapshot/snapshot.h"

struct object_name {
    enum kind_id kind;
    const char *namespace, *name; // namespace NULL for cluster-scoped kinds
};
struct overlay { // borrowed
    const struct snapshot *edits;
    LIST(const struct object_name) deletions;
};

enum change_kind { CHANGE_ADDED, CHANGE_REMOVED, CHANGE_EDITED, CHANGE_NONE };
struct object_change {
    enum change_kind kind;
    const struct object *before, *after; // NULL: it does not exist
    field_change_list fields;            // of an edit
};
struct object_change_list { // by kind, namespace and name
    struct object_change *items;
    uint32_t count;
};

// The result holds references to the base's objects; the changes live in `arena` and point into
// both snapshots. What an edit leaves out stays where others write it: status, labels and
// annotations beside the manifest's, `replicas` of workloads. Objects are matched by kind,
// namespace and name. NULL with *error: a deleted object does not exist.
struct snapshot *snapshot_overlay(struct arena *arena, const struct snapshot *base,
                                  const struct overlay *overlay, struct object_change_list *changes,
                                  struct error *error) MUST_USE;

// Puts `object` in the place of the one with its kind, namespace and name, or adds it. Takes over
// the caller's reference.
void snapshot_replace(struct snapshot *snapshot, struct object *object);
// Without objects: time, settings and lists.
struct snapshot *snapshot_copy_context(const struct snapshot *snapshot);
