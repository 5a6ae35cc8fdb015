// Shared by the parts of the world: a cache of all objects with its indices, and writes that update
// the cache at once. Not for others.
//
// The cache follows the store object by object: a watch event or an own write makes it read the
// object's present state, so that it is never behind a part's own writes. Parts get each change as
// leave (the old state, still in place) and enter (the new one); these handlers only keep indices
// and queue work, and never write to the store.
#pragma once

#include "base/map.h"
#include "base/random.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/schema/core.h"
#include "sim/store/store.h"
#include "sim/world/work_queue.h"
#include "sim/world/world_options.h"

#define WORLD_KEY_MAX            640
#define ANNOTATION_SELECTED_NODE "volume.kubernetes.io/selected-node"

struct world_owner;

struct world_kind { // one resource of the store
    struct world *world;
    const struct store_resource *resource;
    enum kind_id id;     // KIND_COUNT: a kind without a table in adze
    bool typed;          // objects are decoded
    struct map *objects; // by key: struct world_object *
    struct world_object *first, *last;
    struct store_watch *watch;
};

struct world_link { // from an owner to a dependent that references it
    struct world_object *dependent;
    struct world_owner *owner;
    struct world_link *previous, *next;
    bool controller, block_owner_deletion;
};

struct world_node_pods { // assigned to one node name
    struct world_object *first, *last;
    uint32_t count;
};

struct world_object {
    struct world_kind *kind;
    char *key; // "namespace/name" or "name"
    json_t *json;
    const char *namespace, *name, *uid; // within json
    union {
        const struct object *typed; // NULL: not of a typed kind, or does not decode
        const struct pod *pod;
        const struct node *node;
        const struct pod_disruption_budget *budget;
        const struct persistent_volume_claim *claim;
        const struct persistent_volume *volume;
        const struct storage_class *storage_class;
    };
    bool deleting, ended, ready;  // cached readings; the last two of pods
    int64_t created, ready_since; // of pods; 0: it is not ready
    uint64_t serial;              // order of appearance
    bool gone;                    // has left the store: set during the last leave
    struct world_link *links;     // to its owners
    uint32_t links_count;
    struct world_node_pods *on_node; // pods
    struct world_object *node_previous, *node_next;
    struct world_object *kind_previous, *kind_next;
};

struct world_owner {
    char *uid;
    struct world_link *first, *last;
};

struct world_event_record { // an Event object, to be removed in time
    int64_t until;
    char *namespace, *name;
};

// A part of the world that follows the cache. `leave` gets the old state of an object, still in
// place (`gone` is set if it is the last); `enter` gets the new one.
typedef void (*world_change)(void *part, struct world_object *object);
struct world_observer {
    world_change leave, enter;
    void *part;
};
#define WORLD_OBSERVERS_MAX 12

struct scheduler;
struct kubelets;
struct workloads;
struct budgets;
struct collector;
struct node_lifecycle;
struct volumes;
struct device_drivers;

struct world {
    struct loop *loop;
    struct store *store;
    struct world_options options;
    VECTOR(struct world_kind *) kinds;
    struct world_kind *by_id[KIND_COUNT];
    struct map *by_uid;    // struct world_object *
    struct map *owners;    // by the owner's uid: struct world_owner *
    struct map *node_pods; // by node name: struct world_node_pods *
    struct world_observer observers[WORLD_OBSERVERS_MAX]; // called in this order
    uint32_t observers_count;
    struct work_queue *resources_look;
    uint64_t next_serial;
    struct {
        VECTOR(struct world_event_record) records;
        uint32_t first;
    } events;
    struct scheduler *scheduler;
    struct kubelets *kubelets;
    struct workloads *workloads;
    struct budgets *budgets;
    struct collector *collector;
    struct node_lifecycle *node_lifecycle;
    struct volumes *volumes;
    struct device_drivers *drivers;
};

// --- reading -------------------------------------------------------------------------------------
struct world_object *world_find(const struct world *world, enum kind_id id, const char *namespace,
                                const char *name); // NULL if absent
struct world_object *world_find_key(const struct world *world, enum kind_id id, const char *key);
// Of a kind without a table; NULL if the store does not serve it.
struct world_kind *world_kind_other(const struct world *world, const char *group,
                                    const char *plural);
struct world_object *world_find_other(const struct world *world, const char *group,
                                      const char *plural, const char *key);
void world_key(const char *namespace, const char *name, char out[WORLD_KEY_MAX]);
static inline bool world_is(const struct world_object *object, enum kind_id id)
{
    return object->kind->id == id;
}
// Iterates the cached objects of a kind, in order of appearance. The object must not be removed
// meanwhile.
#define world_for_each(object, world, kind_id_value)                                      \
    for (struct world_object *object = world_first(world, kind_id_value); object != NULL; \
         object = object->kind_next)
struct world_object *world_first(const struct world *world, enum kind_id id);

typedef VECTOR(struct world_object *) world_objects;
// Dependents of that kind whose controller is the owner, in order of appearance. The caller frees
// the list.
world_objects world_controlled(const struct world *world, const char *owner_uid, enum kind_id id);
// The controller reference's uid, or NULL.
const char *world_controller_uid(const struct world_object *object);
struct world_object *world_controller(const struct world *world, const struct world_object *object,
                                      enum kind_id id); // NULL: no controller of that kind
const struct world_owner *world_dependents(const struct world *world, const char *uid);
// The list changes with every write of one of its pods: gather them before writing.
const struct world_node_pods *world_pods_on(const struct world *world, const char *node_name);
world_objects world_gather_pods(const struct world *world, const char *node_name); // caller frees

bool world_is_deleting(const struct world_object *object);
const char *world_annotation(const struct world_object *object, const char *key); // NULL if absent
const char *world_label(const struct world_object *object, const char *key);      // NULL if absent
const char *world_condition_status(const struct world_object *object, const char *type); // or NULL
const char *world_text(const json_t *object, const char *path); // at a dotted path; NULL if none
int64_t world_int(const json_t *object, const char *path, int64_t otherwise);
int64_t world_instant(const json_t *object, const char *path); // 0 if absent or malformed
// Seconds of an annotation as nanoseconds; `otherwise` if absent or malformed.
int64_t world_annotation_seconds(const struct world_object *object, const char *key,
                                 int64_t otherwise);
// metadata.generation at creation is 1 for kinds that have one.
int64_t world_generation(const struct world_object *object);

// Reads one object of the store again; every write of a part does so by itself (world_write.h).
void world_refresh(struct world *world, struct world_kind *kind, const char *namespace,
                   const char *name);

// --- readings of pods ----------------------------------------------------------------------------
bool world_pod_ended(const struct world_object *pod);  // Succeeded or Failed
bool world_pod_active(const struct world_object *pod); // neither ended nor being deleted
bool world_pod_ready(const struct world_object *pod);
int64_t world_pod_ready_since(const struct world_object *pod); // 0: is not ready
// Ready for at least that long; if not yet, *wait_ns is the time until then (untouched otherwise).
bool world_pod_available(const struct world *world, const struct world_object *pod,
                         int64_t min_ready_ns, int64_t *wait_ns);
