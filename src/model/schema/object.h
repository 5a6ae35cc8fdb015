// API objects in memory: the common header, list and map shapes, and reference counting.
//
// An object is one block of memory, immutable once made and reference counted (atomically, so that
// a snapshot may be read on another thread). Strings are NUL-terminated and live in the block.
// Absent and empty differ where the API distinguishes them: an absent string, list or map has a
// NULL pointer; an empty list or map has a non-NULL `items` and count 0.
#pragma once

#include <assert.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/memory.h"

#define LIST(type)      \
    struct {            \
        type *items;    \
        uint32_t count; \
    }
#define list_for_each(item, list)                            \
    for (__typeof__((list)->items + 0) item = (list)->items; \
         (list)->count != 0 && item < (list)->items + (list)->count; item++)

struct string_list {
    const char **items;
    uint32_t count;
};

struct string_pair {
    const char *key;
    const char *value;
};
struct string_map { // sorted by key
    struct string_pair *items;
    uint32_t count;
};
int string_pair_compare(const void *a, const void *b);                     // for qsort(), by key
const char *string_map_get(const struct string_map *map, const char *key); // NULL if absent
bool string_list_has(const struct string_list *list, const char *text);

struct resource_quantity {
    const char *name; // "cpu", "memory", ...
    int64_t value;    // base/quantity.h: cpu in millicores, others in base units
};
struct resource_map { // sorted by name
    struct resource_quantity *items;
    uint32_t count;
};
int64_t resource_map_get(const struct resource_map *map, const char *name); // 0 if absent
bool resource_map_has(const struct resource_map *map, const char *name);

// A duration that keeps its text (API-20). Absent: text == NULL.
#define DURATION_NEVER INT64_MAX
struct duration {
    const char *text;
    int64_t nanoseconds; // DURATION_NEVER for "Never"
};

struct optional_int {
    bool present;
    int64_t value;
};
struct optional_bool {
    bool present;
    bool value;
};
struct int_or_string { // absent: !present; a string has text != NULL
    bool present;
    int64_t number;
    const char *text;
};

// Instants are int64 nanoseconds since the epoch; 0 is absent.

struct owner_reference {
    const char *api_version;
    const char *kind;
    const char *name;
    const char *uid;
    bool controller;
    bool block_owner_deletion;
};

struct object_meta {
    const char *name;
    const char *generate_name;
    const char *namespace;
    const char *uid;
    const char *resource_version;
    int64_t generation;
    int64_t creation_timestamp;
    int64_t deletion_timestamp;
    struct optional_int deletion_grace_period_seconds;
    struct string_map labels;
    struct string_map annotations;
    struct string_list finalizers;
    LIST(struct owner_reference) owner_references;
    const char *unreadable; // why this is but what object_salvage() could read; NULL: it is whole
};

struct kind;
#define OBJECT_HEADER                             \
    const struct kind *kind;                      \
    uint32_t references;                          \
    uint32_t bytes; /* size of the whole block */ \
    struct object_meta meta

struct object {
    OBJECT_HEADER;
};

// Identifiers of the known kinds; their table is model/tables/kinds.h.
enum kind_id {
    KIND_POD,
    KIND_NODE,
    KIND_NAMESPACE,
    KIND_LIMIT_RANGE,
    KIND_DAEMON_SET,
    KIND_REPLICA_SET,
    KIND_DEPLOYMENT,
    KIND_STATEFUL_SET,
    KIND_JOB,
    KIND_POD_DISRUPTION_BUDGET,
    KIND_PRIORITY_CLASS,
    KIND_PERSISTENT_VOLUME_CLAIM,
    KIND_PERSISTENT_VOLUME,
    KIND_STORAGE_CLASS,
    KIND_CSI_NODE,
    KIND_VOLUME_ATTACHMENT,
    KIND_LEASE,
    KIND_EVENT,
    KIND_SERVICE,
    KIND_REPLICATION_CONTROLLER,
    KIND_POD_TEMPLATE,
    KIND_RESOURCE_CLAIM,
    KIND_RESOURCE_CLAIM_TEMPLATE,
    KIND_DEVICE_CLASS,
    KIND_RESOURCE_SLICE,
    KIND_NODE_POOL,
    KIND_NODE_CLAIM,
    KIND_NODE_OVERLAY,
    KIND_CAPACITY_BUFFER,
    KIND_EC2_NODE_CLASS,
    KIND_KWOK_NODE_CLASS,
    KIND_INSTANCE_TYPE_CATALOG,
    KIND_SNAPSHOT_CONTEXT,
    KIND_COUNT,
};
// For sets of kinds.
#define KIND_BIT(kind) (UINT64_C(1) << (kind))
static_assert(KIND_COUNT < 64, "a bit for each kind");

struct kind {
    enum kind_id id;
    const char *group;       // "" for core
    const char *version;     // "v1"
    const char *api_version; // "v1", "apps/v1", "karpenter.sh/v1"
    const char *name;        // "Pod"
    const char *plural;      // "pods"
    const char *singular;
    bool namespaced;
    bool custom;             // a CRD shipped with adze
    uint32_t conditions;     // offset of the list of conditions (object_conditions()); 0: none
    const struct type *type; // the table (model/schema/type.h)
    // Short names, columns, subresources of the CRD (model/schema/type.h); NULL for built-in kinds.
    const struct custom_kind *custom_facts;
};

// Strictness of decoding. LENIENT is for objects from an API server: unknown fields are skipped, a
// field of the wrong form is an error that names its path. STRICT refuses unknown fields.
enum decode_mode { DECODE_LENIENT, DECODE_STRICT };

struct object *object_acquire(const struct object *object); // NULL is fine
void object_release(const struct object *object);           // NULL is fine
static inline void cleanup_object(struct object **object)
{
    object_release(*object);
}
#define CLEANUP_OBJECT __attribute__((cleanup(cleanup_object)))

int object_compare_names(const void *a, const void *b); // for qsort() of objects' pointers
// Writes "namespace/name", or "/name" if cluster-scoped, to `out`.
void object_namespaced_name(const struct object *object, char out[600]);
// Writes "Kind/name" or "Kind/namespace/name", for messages, to `out`.
void object_describe(const struct object *object, char out[600]);

const char *object_label(const struct object *object, const char *key);      // NULL if absent
const char *object_annotation(const struct object *object, const char *key); // NULL if absent
bool object_is_deleting(const struct object *object);
bool object_has_finalizer(const struct object *object, const char *finalizer);
// An owner reference of that apiVersion and kind, or NULL.
const struct owner_reference *object_owner(const struct object *object, const char *api_version,
                                           const char *kind);
const struct owner_reference *object_controller_owner(const struct object *object);

// metav1.Condition and its relatives.
struct condition {
    const char *type;
    const char *status; // "True", "False", "Unknown"
    const char *reason;
    const char *message;
    int64_t last_transition_time;
    int64_t last_heartbeat_time; // Node conditions only
    int64_t last_probe_time;     // Pod conditions only
    int64_t observed_generation;
};
typedef LIST(struct condition) condition_list; // the one typedef: C has no structural type equality
