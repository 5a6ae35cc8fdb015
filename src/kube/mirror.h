// A typed, compact copy of the cluster, kept by paged list and watch (never JSON): one reflector a
// kind, with bookmarks, resume from the last version, 410 handling and back-off.
//
// Objects that do not decode are reported (log, and mirror_on_invalid's handlers); they never stop
// the watch of the others (API-603, API-318). A Pod occupies its node and a PodDisruptionBudget
// protects pods even if they do not decode, so their readable part is mirrored like any object,
// with meta.unreadable set. Other kinds are left out; mirror_next_salvaged() iterates over those.
#pragma once

#include "kube/client.h"

struct mirror;

enum mirror_change { MIRROR_ADDED, MIRROR_MODIFIED, MIRROR_DELETED };

// old_object / new_object: NULL where there is none; borrowed.
typedef void (*mirror_handler)(void *context, enum mirror_change change,
                               const struct object *old_object, const struct object *new_object);

struct mirror *mirror_create(struct loop *loop, struct kube_client *client);
void mirror_destroy(struct mirror *mirror);

// Begins to mirror a kind; namespace and selectors may be NULL. Once a kind. `optional`: a 404 (the
// CRD is not installed) or 403 leaves the kind empty and synced, and is retried at long intervals.
void mirror_watch(struct mirror *mirror, enum kind_id kind, const char *namespace,
                  const char *field_selector, bool optional);
// Begins to mirror a kind through `view`, a table with the few fields to keep, alive as long as the
// mirror. Optional: mirror_synced() does not wait for it.
void mirror_watch_view(struct mirror *mirror, const struct kind *view);
// The kind was requested and the server does not serve it, or forbids it. False before the first
// answer.
bool mirror_is_absent(const struct mirror *mirror, enum kind_id kind);
// Handlers are called in the order of registration, for every change, on the loop's thread. They
// must not destroy the mirror. An object replaced by another of the same name (a new uid) is
// DELETED, then ADDED.
void mirror_on_change(struct mirror *mirror, enum kind_id kind, mirror_handler handler,
                      void *context);
// Handlers for an object that does not decode: called once for each of its versions. If an earlier
// version was valid, that object is deleted first. Code that concludes anything from an object's
// absence must also call mirror_is_invalid(). `salvaged` is the readable part; NULL: not even a
// name.
typedef void (*mirror_invalid_handler)(void *context, enum kind_id kind,
                                       const struct object *salvaged, const struct error *error);
void mirror_on_invalid(struct mirror *mirror, enum kind_id kind, mirror_invalid_handler handler,
                       void *context);
bool mirror_is_invalid(const struct mirror *mirror, enum kind_id kind, const char *namespace,
                       const char *name);
uint32_t mirror_invalid_count(const struct mirror *mirror, enum kind_id kind);
bool mirror_synced(const struct mirror *mirror); // every kind listed once
bool mirror_kind_synced(const struct mirror *mirror, enum kind_id kind);

const struct object *mirror_get(const struct mirror *mirror, enum kind_id kind,
                                const char *namespace, const char *name); // borrowed, or NULL
uint32_t mirror_count(const struct mirror *mirror, enum kind_id kind);
// The order is unspecified; handlers and reconcilers sort where it matters.
struct mirror_iterator {
    const void *position;
};
const struct object *mirror_next(const struct mirror *mirror, enum kind_id kind,
                                 struct mirror_iterator *iterator); // zero-init; NULL at the end
// The same, for the objects left out because they do not decode.
const struct object *mirror_next_salvaged(const struct mirror *mirror, enum kind_id kind,
                                          struct mirror_iterator *iterator);

// Puts the object of a write's answer in at once if its resourceVersion is newer than the mirror's,
// so that a reconcile never acts on a state older than its own write. Handlers are called. An
// answer that the watch has already passed, such as one of an object deleted since, is ignored.
void mirror_observe(struct mirror *mirror, const struct object *object);
