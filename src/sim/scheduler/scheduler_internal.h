// State shared by the sources of the filter library.
#pragma once

#include "base/map.h"
#include "base/symbols.h"
#include "base/text.h"
#include "base/vector.h"
#include "model/schema/core.h"
#include "sim/scheduler/scheduler_reasons.h"

#define SCORE_MAX 100 // of one rule

enum { RESOURCE_CPU, RESOURCE_MEMORY, SCORED_RESOURCES }; // symbols of every cluster

struct filter_request {
    uint32_t resource; // symbol
    int64_t value;
};

struct filter_pod {                     // a pod with facts derived from its spec
    const struct pod *pod;              // reference
    struct filter_node *node;           // where it takes room; NULL: none
    struct filter_pod *previous, *next; // on the node
    struct filter_request *requests;    // without `pods`; none is zero
    uint32_t requests_count;
    int64_t scored[SCORED_RESOURCES];    // requests for scores, with defaults: never 0
    const struct container_port **ports; // those with a host port
    uint32_t ports_count;
    struct carried_term **carried; // its terms that affect others, while on a node
    uint32_t carried_count;
    struct nominees *nominees; // of its nominated node; NULL: none
    bool has_claims;
};

struct filter_node {
    uint32_t index;
    char *name;
    const struct node *node;          // reference; NULL: only pods name it
    int64_t *allocatable, *requested; // by resource symbol
    int64_t scored[SCORED_RESOURCES];
    uint32_t width;
    int64_t pods_allowed;
    uint32_t pods_count, ports_count, claims_count; // pods on it; of these with ports, with claims
    struct filter_pod *first;
};

// The values of one label over the nodes.
struct topology {
    char *key;
    struct symbols *values;
    uint32_t *domains; // by node index: symbol of the value; SYMBOL_NONE: no such label
};

// A pod affinity term (or a spread constraint's selector) with its owner's namespace and labels
// filled in.
struct pod_term {
    struct string_list namespaces;
    const struct label_selector *namespace_selector; // NULL: none
    const struct label_selector *selector;
    struct label_pin { // from matchLabelKeys, mismatchLabelKeys
        const char *key, *value;
        bool must_differ;
    } * pins;
    uint32_t pins_count;
};

// Pods that match every one of some terms, counted per node.
struct pod_group {
    struct arena *arena;
    const struct object *holder; // keeps the selectors alive
    struct pod_term *terms;
    uint32_t terms_count;
    bool skip_deleting;
    uint32_t *counts; // by node index
};

// A term of pods on nodes that affects other pods, with the number of its carriers on each node.
// Required anti-affinity excludes pods; every other term adds or subtracts its weight when nodes
// are scored.
struct carried_term {
    struct map *home;
    int64_t weight;
    struct arena *arena;
    const struct object *holder;
    struct pod_term term;
    struct topology *topology;
    char *text;
    uint32_t *counts, total;
};

struct filter_cluster {
    struct symbols *resources;
    struct map *pods;                   // by namespace/name: struct filter_pod *
    struct map *nodes;                  // by name: struct filter_node *
    VECTOR(struct filter_node *) slots; // by index; NULL: free
    VECTOR(uint32_t) free_slots;
    uint32_t slots_capacity; // length of the arrays by node index
    uint32_t nodes_count;    // existing ones
    struct map *topologies, *groups;
    struct map *carried; // required anti-affinity, by text
    struct map *drawing; // all other terms between pods
    struct map *namespaces, *claims, *volumes, *storage_classes, *csi_nodes; // references
    struct map *resource_claims, *resource_slices, *device_classes;          // references
    struct map *claim_uses;  // "namespace/claim" in use -> uses, as uintptr_t
    struct map *nominations; // by node name: struct nominees *
};

// --- scheduler_cluster.c -------------------------------------------------------------------------
struct filter_pod *filter_pod_create(struct filter_cluster *cluster, const struct pod *pod);
void filter_pod_destroy(struct filter_pod *pod);
struct filter_pod *filter_pod_find(const struct filter_cluster *cluster, const struct pod *pod);
void pod_place(struct filter_cluster *cluster, struct filter_pod *pod, const char *node_name);
void pod_displace(struct filter_cluster *cluster, struct filter_pod *pod);
const void *filter_object(const struct map *objects, const char *namespace, const char *name);

// --- the state of one pod ------------------------------------------------------------------------
struct spread_state {
    const struct topology_spread_constraint *constraint;
    struct topology *topology;
    const struct pod_group *group;
    int64_t *counts; // by domain
    bool *eligible;  // by domain
    uint32_t domains_count;
    int64_t minimum;
    bool matches_itself;
};
struct affinity_state {
    struct topology *topology;
    int64_t *counts; // by domain
    int64_t weight;  // preferred terms; negative for anti-affinity
};
struct affinity_states {
    struct affinity_state *items;
    uint32_t count;
};
struct claim_state {
    const struct persistent_volume_claim *claim;
    const struct persistent_volume *volume; // NULL: missing, or not bound yet
    const struct storage_class *storage_class;
    bool delayed;
};
struct filter_state {
    struct filter_cluster *cluster;
    struct arena *arena;
    const struct pod *pod;
    struct filter_pod *self;
    bool self_is_own; // made for this state
    const char *refusal;
    struct spread_state *spreads;
    uint32_t spreads_count;
    struct affinity_states affinity, anti_affinity, blocked;
    bool affinity_bootstrap; // no pod matches anywhere, and the pod matches its own terms
    struct claim_state *claims;
    uint32_t claims_count;
    const struct persistent_volume_claim **delayed;
    uint32_t delayed_count;
    struct { // scheduler_devices.h
        struct device_claim *claims;
        uint32_t count;
        bool open;         // one is not allocated
        struct map *taken; // devices that claims have; NULL: none is open
    } devices;
};
// As filter_prepare(), also while there is another state.
struct filter_state *state_create(struct filter_cluster *cluster, const struct pod *pod);
// Each returns false after counting the reason in *tally (may be NULL).
bool tally_add(struct filter_tally *tally, enum filter_reason reason);
