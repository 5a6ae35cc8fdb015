// Devices of dynamic resource allocation in a problem, as data (SCH-420 to SCH-429).
//
// A device set is what an allocation chooses from: the devices of one node, those of one machine
// type to launch, or those that no single node owns ("shared devices"). A usage is what has been
// taken of a set. A problem without pods that claim devices has none of this.
#pragma once

#include "engine/problem/problem.h"
#include "model/devices/device_selector.h"

#define CLAIM_DEVICES_MAX 32 // of one ResourceClaim (SCH-475)

struct counter_use {
    uint32_t counter; // of the set
    int64_t amount;
};
struct known_device {
    struct device_facts facts;
    const char *pool;
    const char *resource; // a unit that a device plugin provides of it; NULL: a device
    bool usable;          // false: its pool is incomplete or invalid (SCH-426)
    LIST(struct counter_use) counters;
    LIST(uint32_t) terms; // requirement sets, one of which a node must meet; empty: any node
    taint_list taints;
    uint32_t owner;          // state node whose driver publishes it, or NONE
    uint32_t capacity_first; // if allocated several times: its first amount in usage->capacity
};
struct device_counter {
    const char *pool, *set, *name; // the pool with its driver
    int64_t total;
};
struct device_set {
    uint32_t id;
    struct known_device *items; // by driver, pool and order of publication
    uint32_t count;
    LIST(struct device_counter) counters;
    uint32_t amounts;              // as many has usage->capacity
    bool in_template;              // of machines that are to be launched or are not initialized yet
    bool assumed;                  // built in (model/devices/built_in_devices.h)
    const char *flaw;              // why mode All fails; NULL: it does not
    VECTOR(struct bitset) matches; // by choice id; no bits: not computed
};
struct device_usage {
    bool *taken;       // by device: allocated to somebody exclusively
    int64_t *capacity; // consumed
    int64_t *counters; // consumed
};

// --- requests ------------------------------------------------------------------------------------
struct device_choice { // an ExactDeviceRequest, or one alternative of firstAvailable
    uint32_t id;
    const char *name;     // of the alternative, or NULL
    const char *text;     // "gpu.nvidia.com where EXPRESSION", for people
    const char *resource; // by which the pod asks (extended_resources.h), or NULL
    const struct device_selector_program **selectors;
    uint32_t selectors_count;
    bool all, admin;
    uint32_t count;
    toleration_list tolerations;
    named_amount_list capacity;
};
struct device_need { // one request of a claim
    const char *name;
    struct device_choice **choices; // the first that works is taken
    uint32_t choices_count;
    uint32_t dimension; // of resource vectors: how often machines can meet it, at most
    int64_t amount;
};
struct device_match { // constraint matchAttribute
    const char *attribute;
    const struct string_list *requests;
};
struct claim_devices { // a claim's specification, compiled; equal ones are the same object
    uint32_t id;
    struct device_need *needs;
    uint32_t needs_count;
    struct device_match *matches;
    uint32_t matches_count;
    const char *error; // why it cannot be planned (SCH-427); NULL: it can
};
struct shared_claim { // a ResourceClaim that pods name, so that several may
    const struct resource_claim *claim;
    const struct claim_devices *devices;
    bool allocated;
    uint32_t set;             // of its allocation: the node selector
    LIST(uint32_t) consumers; // bound pods that it is reserved for
    bool releasable;          // reserved for those pods only
};
struct pod_devices {                        // the claims of a pod; equal ones are the same object
    LIST(const struct claim_devices *) own; // to be allocated for this pod alone
    uint32_t extended_first;                // of those by resources (extended_resources.h)
    LIST(uint32_t) shared;                  // of problem->devices->shared
    uint32_t set;      // requirements of claims that are allocated already (SCH-425)
    const char *error; // SCH-423, SCH-427; NULL: none
};
struct device_allocation { // of a shared device, by a ResourceClaim in the cluster (LIF-250)
    uint32_t device;       // of the shared set
    named_amount_list consumed;
    LIST(uint32_t) consumers;
    bool releasable;
};

struct problem_devices {
    struct map *classes, *claims, *templates; // objects by (namespace/)name
    struct map *extended;                     // classes by spec.extendedResourceName
    struct map *claim_ids, *pod_ids, *choice_ids, *shared_ids, *type_sets;
    VECTOR(struct device_choice *) choices;
    VECTOR(struct claim_devices *) specifications;
    VECTOR(struct pod_devices *) pods;
    VECTOR(struct shared_claim) shared;
    VECTOR(struct device_set *) sets;
    struct device_set *network;            // shared devices; NULL: none
    VECTOR(struct device_allocation) held; // of shared devices
    uint32_t *network_terms;               // their distinct node selectors
    uint32_t network_terms_count;
    struct device_set **nodes;    // by state node; NULL: none
    struct device_usage **in_use; // by state node, of nodes[]
};

// True if claims of devices are planned at all: the settings ask for it and some pod has a claim.
static inline bool devices_known(const struct problem *problem)
{
    return problem->devices != NULL;
}
