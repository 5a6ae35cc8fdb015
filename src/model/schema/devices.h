// The kinds of resource.k8s.io/v1 (dynamic resource allocation), with the fields that adze reads.
#pragma once

#include "model/schema/core.h"

// --- requests ------------------------------------------------------------------------------------
struct device_selector {
    struct {
        const char *expression;
    } * cel; // NULL: a selector of a kind that adze does not know
};
typedef LIST(struct device_selector) device_selector_list;

struct device_request {                              // ExactDeviceRequest and DeviceSubRequest
    const char *name;                                // of a DeviceSubRequest
    const char *device_class_name, *allocation_mode; // "ExactCount" if absent, or "All"
    device_selector_list selectors;
    struct optional_int count; // 1 if absent
    bool admin_access;
    toleration_list tolerations;
    struct {
        const char *requests; // JSON: quantities by capacity
    } capacity;
};
struct claim_request { // DeviceRequest: one of the two
    const char *name;
    struct device_request *exactly;
    LIST(struct device_request) first_available;
};
struct device_constraint {
    struct string_list requests; // empty: all
    const char *match_attribute, *distinct_attribute;
};
struct resource_claim_spec {
    struct {
        LIST(struct claim_request) requests;
        LIST(struct device_constraint) constraints;
    } devices;
};

// --- ResourceClaim, ResourceClaimTemplate, DeviceClass -------------------------------------------
struct allocated_device { // DeviceRequestAllocationResult
    const char *request, *driver, *pool, *device;
    const char *consumed_capacity; // JSON: quantities by capacity; NULL: none
    bool admin_access;
};
struct node_selector {
    node_selector_term_list node_selector_terms;
};
struct claim_allocation {
    struct {
        LIST(struct allocated_device) results;
    } devices;
    struct node_selector *node_selector;
};
struct claim_consumer { // ResourceClaimConsumerReference
    const char *api_group, *resource, *name, *uid;
};
struct resource_claim {
    OBJECT_HEADER;
    struct resource_claim_spec spec;
    struct {
        struct claim_allocation *allocation;
        LIST(struct claim_consumer) reserved_for;
    } status;
};
struct resource_claim_template {
    OBJECT_HEADER;
    struct {
        struct resource_claim_spec spec;
    } spec;
};
struct device_class {
    OBJECT_HEADER;
    struct {
        device_selector_list selectors;
        const char *extended_resource_name; // by which pods may ask for devices of the class
    } spec;
};

// --- ResourceSlice -------------------------------------------------------------------------------
struct counter_consumption {
    const char *counter_set;
    const char *counters; // JSON: {name: {value: quantity}}
};
struct device {
    const char *name;
    const char *attributes; // JSON: {name: {string|int|bool|version: value}}; NULL: none
    const char *capacity;   // JSON: {name: {value: quantity, ...}}; NULL: none
    LIST(struct counter_consumption) consumes_counters;
    bool allow_multiple_allocations;
    const char *node_name; // with perDeviceNodeSelection, as are the next two
    struct node_selector *node_selector;
    bool all_nodes;
    taint_list taints;
};
struct counter_set {
    const char *name;
    const char *counters; // JSON: {name: {value: quantity}}
};
// Names the machine types whose devices the slice describes, by commas. Such a slice is a template:
// its devices are nobody's (docs/devices.md).
#define ANNOTATION_INSTANCE_TYPES "adze.dev/instance-types"
struct resource_slice {
    OBJECT_HEADER;
    struct {
        const char *driver;
        struct {
            const char *name;
            int64_t generation, resource_slice_count;
        } pool;
        const char *node_name;
        struct node_selector *node_selector;
        bool all_nodes, per_device_node_selection;
        LIST(struct device) devices;
        LIST(struct counter_set) shared_counters;
    } spec;
};
