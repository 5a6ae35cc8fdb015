// The port to machines: what a provider does in a running controller. Its row in the table of
// providers is in provider.h.
//
// Calls that change or read the world are asynchronous and end with exactly one callback on the
// loop's thread, never before the call has returned. Creation is idempotent by the NodeClaim's UID:
// a second create for the same UID answers with the machine that the first one made.
#pragma once

#include "base/loop.h"
#include "model/schema/karpenter.h"

struct cloud;
struct cloud_provider;

struct machine { // what the provider knows of an instance
    const char *provider_id;
    const char *image_id;
    const char *node_name; // may be NULL
    struct string_map labels,
        annotations; // single-valued facts: instance type, zone, capacity type...
    struct resource_map capacity, allocatable;
    int64_t created;                              // instant
    const char *node_claim_name, *node_claim_uid; // its tags; NULL if unknown
    bool terminating;
};

struct machine_result {
    struct error error;            // LIF-33: INSUFFICIENT_CAPACITY, NODE_CLASS_NOT_READY, others
    const char *reason;            // classified create error: condition reason; else NULL
    const struct machine *machine; // create, get; borrowed
};
typedef void (*machine_callback)(void *context, const struct machine_result *result);

struct machine_list_result {
    struct error error;
    const struct machine *items; // borrowed; machines being terminated are left out
    uint32_t count;
};
typedef void (*machine_list_callback)(void *context, const struct machine_list_result *result);

struct repair_policy { // LIF-195
    const char *condition_type, *bad_status;
    int64_t toleration_ns;
};

struct cloud_operations {
    // Launches a machine for the claim among its requirements' types: cheapest first.
    void (*create)(struct cloud *cloud, const struct node_claim *claim, machine_callback callback,
                   void *context);
    // ERROR_NOT_FOUND: there is no such machine (any more). ERROR_NONE: termination is under way.
    void (*delete)(struct cloud *cloud, const char *provider_id, machine_callback callback,
                   void *context);
    void (*get)(struct cloud *cloud, const char *provider_id, machine_callback callback,
                void *context);
    void (*list)(struct cloud *cloud, machine_list_callback callback, void *context);
    // The catalog for a NodePool: a reference that the caller releases; NULL with error if it
    // cannot be resolved. Cheap: cached by the provider, never waits.
    const struct instance_type_catalog *(*instance_types)(struct cloud *cloud,
                                                          const struct node_pool *pool,
                                                          struct error *error);
    // The Node of an initialized claim tells what machines of its kind really have (STO-15):
    // instance_types may change. May be NULL.
    void (*learn)(struct cloud *cloud, const struct node_claim *claim, const struct node *node);
    // Drift reason of a claim, or NULL. Cheap, from cached facts.
    const char *(*drift_reason)(struct cloud *cloud, const struct node_claim *claim);
    const struct repair_policy *(*repair_policies)(struct cloud *cloud, uint32_t *count);
    // Further well-known labels (SCH-31), NULL-terminated: the provider's and those of its catalog.
    // NULL: none.
    const char *const *(*well_known_labels)(struct cloud *cloud);
    // The catalog to publish (provider_record.h), borrowed; NULL: every adze has the provider's
    // instance types. May be NULL: the same.
    const struct instance_type_catalog *(*own_catalog)(struct cloud *cloud);
    void (*destroy)(struct cloud *cloud);
};
struct cloud {
    const struct cloud_operations *operations;
    const struct cloud_provider *provider; // its row
    void (*types_changed)(void *context);  // cloud_watch_types(); NULL: nobody asks
    void *watch_context;
};
// Calls back, on the loop's thread, when what instance_types answers changes by itself: prices,
// types (DIS-704, DIS-750). There is one watcher at a time; NULL ends it.
void cloud_watch_types(struct cloud *cloud, void (*changed)(void *context), void *context);
// For implementations: the catalog has changed.
void cloud_change_types(struct cloud *cloud);
// The node class (group, kind) label that marks managed nodes (LIF-2): "<group>/<lower-case kind>".
void cloud_node_class_label(const char *group, const char *kind, char *out, size_t size);
