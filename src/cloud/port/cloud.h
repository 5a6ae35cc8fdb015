// The port to machines: a provider's operations in a running controller. Its row in the table of
// providers is in provider.h.
//
// Calls that change or read the world are asynchronous and end with exactly one callback on the
// loop's thread, never before the call has returned. Creation is idempotent by the NodeClaim's UID:
// a second create for the same UID answers with the machine of the first.
#pragma once

#include "base/loop.h"
#include "model/schema/karpenter.h"

struct cloud;
struct cloud_provider;

struct machine { // an instance, as its provider reports it
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
    struct error error; // LIF-33: INSUFFICIENT_CAPACITY, NODE_CLASS_NOT_READY, others
    // Classified create error: condition reason; INSUFFICIENT_CAPACITY: a sentence about the cause
    // that users can remove, such as a quota. Else NULL.
    const char *reason;
    const struct machine *machine; // create, get; borrowed
};
typedef void (*machine_callback)(void *context, const struct machine_result *result);

struct machine_list_result {
    struct error error;
    const struct machine *items; // borrowed; without machines being terminated
    uint32_t count;
};
typedef void (*machine_list_callback)(void *context, const struct machine_list_result *result);

struct repair_policy { // LIF-195
    const char *condition_type, *bad_status;
    int64_t toleration_ns;
};

struct cloud_operations {
    // Learns what the other operations need; `ready` is called once, later. Nothing else is called
    // before. NULL: the cloud is ready from the start.
    void (*prepare)(struct cloud *cloud, void (*ready)(void *context), void *context);
    // Launches a machine for the claim, of the cheapest type that its requirements allow.
    void (*create)(struct cloud *cloud, const struct node_claim *claim, machine_callback callback,
                   void *context);
    // ERROR_NOT_FOUND: the machine does not exist (any more). ERROR_NONE: termination is under way.
    void (*delete)(struct cloud *cloud, const char *provider_id, machine_callback callback,
                   void *context);
    void (*get)(struct cloud *cloud, const char *provider_id, machine_callback callback,
                void *context);
    void (*list)(struct cloud *cloud, machine_list_callback callback, void *context);
    // The catalog for a NodePool: a reference that the caller releases; NULL with an error if it
    // cannot be resolved. Cheap: cached by the provider, never blocks.
    const struct instance_type_catalog *(*instance_types)(struct cloud *cloud,
                                                          const struct node_pool *pool,
                                                          struct error *error);
    // The Node of an initialized claim shows the real capacity of its instance type (STO-15):
    // instance_types may change. May be NULL.
    void (*learn)(struct cloud *cloud, const struct node_claim *claim, const struct node *node);
    // Drift reason of a claim, or NULL. Cheap, from cached facts.
    const char *(*drift_reason)(struct cloud *cloud, const struct node_claim *claim);
    const struct repair_policy *(*repair_policies)(struct cloud *cloud, uint32_t *count);
    // Additional well-known labels (SCH-31), NULL-terminated: the provider's and its catalog's.
    // NULL: none.
    const char *const *(*well_known_labels)(struct cloud *cloud);
    // The catalog to publish (provider_record.h), borrowed; NULL, or a NULL function: the instance
    // types are built in.
    const struct instance_type_catalog *(*own_catalog)(struct cloud *cloud);
    void (*destroy)(struct cloud *cloud);
};
struct cloud {
    const struct cloud_operations *operations;
    const struct cloud_provider *provider; // its row
    void (*types_changed)(void *context);  // cloud_watch_types(); NULL: no watcher
    void *watch_context;
    // cloud_watch_drift(); NULL: no watcher
    void (*drift_changed)(void *context, const char *node_claim);
    void *drift_context;
};
// Calls back, on the loop's thread, when the answers of instance_types change by themselves:
// prices, types (DIS-704, DIS-750). One watcher at a time; NULL removes it.
void cloud_watch_types(struct cloud *cloud, void (*changed)(void *context), void *context);
// The same for the answer of drift_reason for one NodeClaim, by its name: what was not known of its
// machine is known now (DIS-77).
void cloud_watch_drift(struct cloud *cloud, void (*changed)(void *context, const char *node_claim),
                       void *context);
// Calls `ready` when the cloud can be used: at once if it needs no preparation.
void cloud_prepare(struct cloud *cloud, void (*ready)(void *context), void *context);
// For implementations: reports a change of the catalog.
void cloud_change_types(struct cloud *cloud);
void cloud_change_drift(struct cloud *cloud, const char *node_claim);
// The node class (group, kind) label that marks managed nodes (LIF-2): "<group>/<lower-case kind>".
void cloud_node_class_label(const char *group, const char *kind, char *out, size_t size);
