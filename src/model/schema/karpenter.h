// Karpenter's kinds (docs/rules/api.md sections 2 to 7) and their names.
#pragma once

#include "model/schema/core.h"

// --- names (API-170 to 189) ----------------------------------------------------------------------
#define LABEL_NODE_POOL          "karpenter.sh/nodepool"
#define LABEL_CAPACITY_TYPE      "karpenter.sh/capacity-type"
#define LABEL_REGISTERED         "karpenter.sh/registered"
#define LABEL_INITIALIZED        "karpenter.sh/initialized"
#define LABEL_DO_NOT_SYNC_TAINTS "karpenter.sh/do-not-sync-taints"
#define LABEL_ZONE               "topology.kubernetes.io/zone"
#define LABEL_REGION             "topology.kubernetes.io/region"
#define LABEL_INSTANCE_TYPE      "node.kubernetes.io/instance-type"
#define LABEL_ARCH               "kubernetes.io/arch"
#define LABEL_OS                 "kubernetes.io/os"
#define LABEL_HOSTNAME           "kubernetes.io/hostname"
#define LABEL_WINDOWS_BUILD      "node.kubernetes.io/windows-build"
#define LABEL_EXCLUDE_BALANCERS  "node.kubernetes.io/exclude-from-external-load-balancers"
#define TAINT_UNREGISTERED       "karpenter.sh/unregistered"
#define TAINT_DISRUPTED          "karpenter.sh/disrupted"
// adze's: a replacement's node waits for the evicted pods (control/nomination/kept_replacements.h).
#define TAINT_AWAITING_PODS               "adze.dev/awaiting-pods"
#define TAINT_FILLED_LATER                "adze.dev/filled-later"
#define FINALIZER_TERMINATION             "karpenter.sh/termination"
#define ANNOTATION_DO_NOT_DISRUPT         "karpenter.sh/do-not-disrupt"
#define ANNOTATION_NODE_POOL_HASH         "karpenter.sh/nodepool-hash"
#define ANNOTATION_NODE_POOL_HASH_VERSION "karpenter.sh/nodepool-hash-version"
#define ANNOTATION_TERMINATION_TIMESTAMP  "karpenter.sh/nodeclaim-termination-timestamp"
#define ANNOTATION_MIN_VALUES_RELAXED     "karpenter.sh/nodeclaim-min-values-relaxed"
#define ANNOTATION_DRA_DRIVERS            "karpenter.sh/requested-dra-drivers"
#define NODE_POOL_HASH_VERSION            "v3"
#define CAPACITY_TYPE_ON_DEMAND           "on-demand"
#define CAPACITY_TYPE_SPOT                "spot"
#define CAPACITY_TYPE_RESERVED            "reserved"

struct node_class_reference {
    const char *group, *kind, *name;
};

// spec.template.spec of a NodePool, and the spec of a NodeClaim.
struct node_claim_spec {
    struct node_class_reference *node_class_ref;
    requirement_list requirements;
    taint_list taints, startup_taints;
    struct duration termination_grace_period, expire_after;
    struct resource_requirements resources; // NodeClaim only: requests
};
struct node_pool_budget {
    const char *nodes, *schedule;
    struct duration duration;
    struct string_list reasons; // items NULL: all
};
struct node_pool {
    OBJECT_HEADER;
    struct {
        struct {
            struct {
                struct string_map labels, annotations;
            } metadata;
            struct node_claim_spec spec;
        } template;
        struct {
            struct duration consolidate_after;
            const char *consolidation_policy;
            LIST(struct node_pool_budget) budgets;
        } disruption;
        struct resource_map limits; // items NULL: none
        struct optional_int weight, replicas;
    } spec;
    struct {
        struct resource_map resources;
        int64_t nodes;
        int64_t node_class_observed_generation;
        condition_list conditions;
    } status;
};
struct node_claim {
    OBJECT_HEADER;
    struct node_claim_spec spec;
    struct {
        const char *node_name, *provider_id, *image_id;
        struct resource_map capacity, allocatable;
        int64_t last_pod_event_time;
        condition_list conditions;
    } status;
};
// The claim has a machine; false for NULL.
static inline bool node_claim_is_launched(const struct node_claim *claim)
{
    return claim != NULL && claim->status.provider_id != NULL &&
           claim->status.provider_id[0] != '\0';
}
struct node_overlay {
    OBJECT_HEADER;
    struct {
        requirement_list requirements;
        const char *price, *price_adjustment;
        struct resource_map capacity;
        struct optional_int weight;
    } spec;
    struct {
        condition_list conditions;
    } status;
};
struct capacity_buffer {
    OBJECT_HEADER;
    struct {
        const char *provisioning_strategy;
        struct {
            const char *name;
        } * pod_template_ref;
        struct {
            const char *api_group, *kind, *name;
        } * scalable_ref;
        struct optional_int replicas, percentage;
        struct resource_map limits;
    } spec;
    struct {
        struct {
            const char *name;
        } * pod_template_ref;
        struct optional_int pod_template_generation, replicas;
        const char *provisioning_strategy;
        condition_list conditions;
    } status;
};
struct kwok_node_class {
    OBJECT_HEADER;
    struct {
        struct duration node_registration_delay;
    } spec;
    struct {
        condition_list conditions;
    } status;
};
// EC2NodeClass: its struct is in model/ec2_node_class.h.

// --- InstanceTypeCatalog (FMT-6) -----------------------------------------------------------------
struct offering {
    requirement_list requirements; // zone, capacity type, ...
    int64_t price;                 // of the list, nano-USD an hour
    int64_t interruptions;         // expected ones of a machine in a month, in 10^-9
    bool available;
    struct optional_int reservation_capacity;
    struct resource_map capacity_override; // items NULL: none (SCH-118); replaces entries
    struct resource_map overhead_override;
};
struct instance_type_overhead {
    struct resource_map kube_reserved, system_reserved, eviction_threshold;
};
// A machine that earns credits for a part of its cpu only, and pays for what it uses beyond.
struct instance_burst {
    int64_t baseline;      // vCPUs, in 10^-9
    int64_t surplus_price; // of a vCPU in use beyond the baseline, nano-USD an hour
};
struct instance_type {
    const char *name;
    int64_t volume_price;          // of a node's volumes, nano-USD an hour
    bool public_address;           // its nodes get a public IPv4 address
    struct instance_burst burst;   // surplus_price 0: not burstable
    requirement_list requirements; // incl. node.kubernetes.io/instance-type (added if absent)
    struct resource_map capacity;
    struct instance_type_overhead overhead;
    LIST(struct offering) offerings;
};
struct instance_type_catalog {
    OBJECT_HEADER;
    struct {
        struct string_list node_pools; // items NULL: every pool without a catalog of its own
        LIST(struct instance_type) instance_types;
    } spec;
};

// --- SnapshotContext (FMT-9) ---------------------------------------------------------------------
struct snapshot_context {
    OBJECT_HEADER;
    struct {
        int64_t time;
        struct string_map settings;
        struct string_list learned; // names of settings that the controller has learned
        struct string_list marked_for_deletion, buffer_nodes;
        struct string_map nominated; // node name -> RFC 3339 text
        bool require_unschedulable;  // of a live cluster: struct snapshot
    } spec;
};

// --- drift hash ----------------------------------------------------------------------------------
