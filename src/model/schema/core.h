// Kubernetes' own kinds, with the fields that adze reads. Field names and meanings are the API's.
#pragma once

#include "model/schema/object.h"

// --- selectors -----------------------------------------------------------------------------------
struct selector_requirement { // LabelSelectorRequirement and NodeSelectorRequirement
    const char *key;
    const char *operator;
    struct string_list values;
    struct optional_int min_values; // Karpenter's requirements only
};
typedef LIST(struct selector_requirement) requirement_list;

struct label_selector { // a NULL pointer to it is the nil selector
    struct string_map match_labels;
    requirement_list match_expressions;
};

struct node_selector_term {
    requirement_list match_expressions;
    requirement_list match_fields;
};
typedef LIST(struct node_selector_term) node_selector_term_list;

// --- Pod -----------------------------------------------------------------------------------------
struct container_port {
    int64_t container_port, host_port;
    const char *host_ip, *protocol, *name;
};
struct container_resource_claim { // one of the pod's resourceClaims
    const char *name, *request;
};
struct resource_requirements {
    struct resource_map requests, limits;
    LIST(struct container_resource_claim) claims;
};
struct container {
    const char *name, *image;
    const char *restart_policy; // init containers: "Always" makes a sidecar
    struct resource_requirements resources;
    LIST(struct container_port) ports;
};
struct toleration {
    const char *key, *operator, * value, *effect;
    struct optional_int toleration_seconds;
};
struct taint {
    const char *key, *value, *effect;
    int64_t time_added;
};
typedef LIST(struct taint) taint_list;
typedef LIST(struct toleration) toleration_list;

struct preferred_scheduling_term {
    int64_t weight;
    struct node_selector_term preference;
};
struct pod_affinity_term {
    struct label_selector *label_selector;
    struct label_selector *namespace_selector;
    struct string_list namespaces;
    const char *topology_key;
    struct string_list match_label_keys, mismatch_label_keys;
};
struct weighted_pod_affinity_term {
    int64_t weight;
    struct pod_affinity_term pod_affinity_term;
};
struct node_affinity {
    struct {
        node_selector_term_list node_selector_terms;
    } * required; // requiredDuringSchedulingIgnoredDuringExecution
    LIST(struct preferred_scheduling_term) preferred;
};
struct pod_affinity { // also anti-affinity
    LIST(struct pod_affinity_term) required;
    LIST(struct weighted_pod_affinity_term) preferred;
};
struct affinity {
    struct node_affinity *node_affinity;
    struct pod_affinity *pod_affinity;
    struct pod_affinity *pod_anti_affinity;
};
struct topology_spread_constraint {
    int64_t max_skew;
    const char *topology_key, *when_unsatisfiable;
    struct label_selector *label_selector;
    struct optional_int min_domains;
    const char *node_affinity_policy, *node_taints_policy; // NULL: Honor / Ignore
    struct string_list match_label_keys;
};
struct volume_claim_template { // PersistentVolumeClaimSpec of an ephemeral volume
    const char *storage_class_name, *volume_name, *volume_mode;
    struct label_selector *selector; // of PersistentVolumes
    struct string_list access_modes;
    struct resource_requirements resources;
};
struct volume {
    const char *name;
    struct {
        const char *claim_name;
    } * persistent_volume_claim;
    struct {
        struct {
            struct object_meta metadata;
            struct volume_claim_template spec;
        } volume_claim_template;
    } * ephemeral;
};
struct pod_resource_claim {
    const char *name, *resource_claim_name, *resource_claim_template_name;
};
struct pod_extended_claim_status { // PodExtendedResourceClaimStatus
    const char *resource_claim_name;
};
struct pod_resource_claim_status {
    const char *name, *resource_claim_name; // NULL: nothing to allocate
};
struct scheduling_gate {
    const char *name;
};
struct pod_spec {
    const char *node_name, *scheduler_name, *priority_class_name, *preemption_policy;
    const char *restart_policy, *service_account_name, *hostname, *runtime_class_name;
    struct optional_int priority, termination_grace_period_seconds, active_deadline_seconds;
    bool host_network;
    struct string_map node_selector;
    struct affinity *affinity;
    toleration_list tolerations;
    LIST(struct topology_spread_constraint) topology_spread_constraints;
    LIST(struct container) containers, init_containers;
    struct resource_requirements *resources; // pod level
    struct resource_map overhead;
    LIST(struct volume) volumes;
    LIST(struct pod_resource_claim) resource_claims;
    LIST(struct scheduling_gate) scheduling_gates;
};
struct container_status {
    const char *name;
    struct resource_requirements *resources;
    struct resource_map allocated_resources;
    int64_t restart_count;
    bool ready;
};
struct pod_status {
    const char *phase, *nominated_node_name, *reason;
    int64_t start_time;
    condition_list conditions;
    LIST(struct container_status) container_statuses, init_container_statuses;
    LIST(struct pod_resource_claim_status) resource_claim_statuses;
    struct pod_extended_claim_status *extended_resource_claim_status;
};
struct pod {
    OBJECT_HEADER;
    struct pod_spec spec;
    struct pod_status status;
};
struct pod_template { // PodTemplateSpec
    struct object_meta metadata;
    struct pod_spec spec;
};

// --- Node ----------------------------------------------------------------------------------------
struct node {
    OBJECT_HEADER;
    struct {
        const char *provider_id;
        bool unschedulable;
        taint_list taints;
    } spec;
    struct {
        struct resource_map capacity, allocatable;
        condition_list conditions;
        const char *phase;
    } status;
};

// --- small kinds ---------------------------------------------------------------------------------
struct namespace
{ // only the header's labels matter
    OBJECT_HEADER;
};
struct limit_range_item {
    const char *type;
    struct resource_map default_limit, default_request, min, max; // default, defaultRequest
};
struct limit_range {
    OBJECT_HEADER;
    struct {
        LIST(struct limit_range_item) limits;
    } spec;
};
struct priority_class {
    OBJECT_HEADER;
    int64_t value;
    bool global_default;
    const char *preemption_policy;
};
struct service {
    OBJECT_HEADER;
    struct {
        struct string_map selector; // items NULL: nil selector
    } spec;
};
struct pod_template_object { // kind PodTemplate
    OBJECT_HEADER;
    struct pod_template template;
};

// --- workloads -----------------------------------------------------------------------------------
struct daemon_set {
    OBJECT_HEADER;
    struct {
        struct label_selector *selector;
        struct pod_template template;
    } spec;
};
struct scaled_spec {              // ReplicaSet, Deployment, StatefulSet
    struct optional_int replicas; // absent: 1
    struct label_selector *selector;
    struct pod_template template;
    LIST(struct volume_claim_template_object) volume_claim_templates; // StatefulSet only
};
struct volume_claim_template_object {
    struct object_meta metadata;
    struct volume_claim_template spec;
};
struct scaled_status {
    int64_t replicas, ready_replicas;
};
struct replica_set {
    OBJECT_HEADER;
    struct scaled_spec spec;
    struct scaled_status status;
};
struct deployment {
    OBJECT_HEADER;
    struct scaled_spec spec;
    struct scaled_status status;
};
struct stateful_set {
    OBJECT_HEADER;
    struct scaled_spec spec;
    struct scaled_status status;
};
struct replication_controller {
    OBJECT_HEADER;
    struct {
        struct optional_int replicas;
        struct string_map selector;
        struct pod_template template;
    } spec;
};
struct job {
    OBJECT_HEADER;
    struct {
        struct optional_int parallelism, completions;
        bool suspend;
        struct pod_template template;
    } spec;
    struct {
        struct optional_int succeeded;
        condition_list conditions;
    } status;
};

// --- policy, storage, coordination, events -------------------------------------------------------
struct pod_disruption_budget {
    OBJECT_HEADER;
    struct {
        struct int_or_string min_available, max_unavailable;
        struct label_selector *selector;
        const char *unhealthy_pod_eviction_policy;
    } spec;
    struct {
        int64_t disruptions_allowed, current_healthy, desired_healthy, expected_pods;
        int64_t observed_generation;
    } status;
};
struct persistent_volume_claim {
    OBJECT_HEADER;
    struct volume_claim_template spec;
    struct {
        const char *phase;
    } status;
};
struct persistent_volume {
    OBJECT_HEADER;
    struct {
        struct {
            const char *driver, *volume_handle;
        } * csi;
        struct {
            const char *volume_id;
        } * aws_elastic_block_store;
        struct {
            const char *path;
        } * local, *host_path;
        struct {
            struct {
                node_selector_term_list node_selector_terms;
            } * required;
        } * node_affinity;
        const char *storage_class_name;
        struct string_list access_modes;
        struct resource_map capacity;
        struct {
            const char *namespace, *name, *uid;
        } * claim_ref;
    } spec;
};
struct topology_selector_term {
    LIST(struct topology_selector_label {
        const char *key;
        struct string_list values;
    })
    match_label_expressions;
};
struct storage_class {
    OBJECT_HEADER;
    const char *provisioner, *volume_binding_mode;
    LIST(struct topology_selector_term) allowed_topologies;
};
struct csi_node_driver {
    const char *name, *node_id;
    struct {
        struct optional_int count;
    } * allocatable;
    struct string_list topology_keys;
};
struct csi_node {
    OBJECT_HEADER;
    struct {
        LIST(struct csi_node_driver) drivers;
    } spec;
};
struct volume_attachment {
    OBJECT_HEADER;
    struct {
        const char *attacher, *node_name;
        struct {
            const char *persistent_volume_name;
        } source;
    } spec;
};
struct lease {
    OBJECT_HEADER;
    struct {
        const char *holder_identity;
        struct optional_int lease_duration_seconds, lease_transitions;
        int64_t acquire_time, renew_time; // MicroTime
    } spec;
};
struct object_reference {
    const char *api_version, *kind, *namespace, *name, *uid, *resource_version, *field_path;
};
struct event {
    OBJECT_HEADER;
    struct object_reference involved_object;
    const char *reason, *message, *type;
    struct {
        const char *component, *host;
    } source;
    int64_t first_timestamp, last_timestamp, count;
    const char *reporting_component, *reporting_instance;
};

// --- readings of pods ----------------------------------------------------------------------------
// LIF-125. `until`, if not NULL, receives the end of a timed protection (0: none or endless).
enum do_not_disrupt {
    DISRUPTABLE,
    PROTECTED,
    PROTECTED_UNTIL,
    PROTECTION_ELAPSED,
    PROTECTION_INVALID
};
