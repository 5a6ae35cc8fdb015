// Tables of pods and pod templates.
#include "model/schema/core.h"
#include "model/schema/tables.h"

// --- containers ----------------------------------------------------------------------------------
static const struct field container_port_fields[] = {
    FIELD(struct container_port, container_port, "containerPort", INT32, .flags = FIELD_REQUIRED),
    FIELD(struct container_port, host_port, "hostPort", INT32),
    FIELD(struct container_port, host_ip, "hostIP", STRING),
    FIELD(struct container_port, protocol, "protocol", STRING, .flags = FIELD_SHARED,
          .default_json = "\"TCP\""),
    FIELD(struct container_port, name, "name", STRING, .flags = FIELD_SHARED),
};
static const struct type type_container_port =
    TYPE("ContainerPort", struct container_port, container_port_fields);

static const struct field container_fields[] = {
    FIELD(struct container, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct container, restart_policy, "restartPolicy", STRING, .flags = FIELD_SHARED),
    FIELD(struct container, resources, "resources", OBJECT, .type = &type_resource_requirements),
    FIELD(struct container, ports, "ports", LIST, .type = &type_container_port),
};
static const struct type type_container = TYPE("Container", struct container, container_fields);

// --- affinity ------------------------------------------------------------------------------------
static const struct field preferred_scheduling_term_fields[] = {
    FIELD(struct preferred_scheduling_term, weight, "weight", INT32, .flags = FIELD_REQUIRED),
    FIELD(struct preferred_scheduling_term, preference, "preference", OBJECT,
          .flags = FIELD_REQUIRED, .type = &type_node_selector_term),
};
static const struct type type_preferred_scheduling_term = TYPE(
    "PreferredSchedulingTerm", struct preferred_scheduling_term, preferred_scheduling_term_fields);

static const struct field required_node_affinity_fields[] = {
    FIELD(TARGET(struct node_affinity, required), node_selector_terms, "nodeSelectorTerms", LIST,
          .flags = FIELD_REQUIRED, .type = &type_node_selector_term),
};
static const struct type type_required_node_affinity =
    TYPE("NodeSelector", TARGET(struct node_affinity, required), required_node_affinity_fields);

static const struct field node_affinity_fields[] = {
    FIELD(struct node_affinity, required, "requiredDuringSchedulingIgnoredDuringExecution", POINTER,
          .type = &type_required_node_affinity),
    FIELD(struct node_affinity, preferred, "preferredDuringSchedulingIgnoredDuringExecution", LIST,
          .type = &type_preferred_scheduling_term),
};
static const struct type type_node_affinity =
    TYPE("NodeAffinity", struct node_affinity, node_affinity_fields);

static const struct field pod_affinity_term_fields[] = {
    FIELD(struct pod_affinity_term, label_selector, "labelSelector", POINTER,
          .type = &type_label_selector),
    FIELD(struct pod_affinity_term, namespace_selector, "namespaceSelector", POINTER,
          .type = &type_label_selector),
    FIELD(struct pod_affinity_term, namespaces, "namespaces", STRING_LIST, .flags = FIELD_SHARED),
    FIELD(struct pod_affinity_term, topology_key, "topologyKey", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct pod_affinity_term, match_label_keys, "matchLabelKeys", STRING_LIST,
          .flags = FIELD_SHARED),
    FIELD(struct pod_affinity_term, mismatch_label_keys, "mismatchLabelKeys", STRING_LIST,
          .flags = FIELD_SHARED),
};
static const struct type type_pod_affinity_term =
    TYPE("PodAffinityTerm", struct pod_affinity_term, pod_affinity_term_fields);

static const struct field weighted_pod_affinity_term_fields[] = {
    FIELD(struct weighted_pod_affinity_term, weight, "weight", INT32, .flags = FIELD_REQUIRED),
    FIELD(struct weighted_pod_affinity_term, pod_affinity_term, "podAffinityTerm", OBJECT,
          .flags = FIELD_REQUIRED, .type = &type_pod_affinity_term),
};
static const struct type type_weighted_pod_affinity_term =
    TYPE("WeightedPodAffinityTerm", struct weighted_pod_affinity_term,
         weighted_pod_affinity_term_fields);

static const struct field pod_affinity_fields[] = {
    FIELD(struct pod_affinity, required, "requiredDuringSchedulingIgnoredDuringExecution", LIST,
          .type = &type_pod_affinity_term),
    FIELD(struct pod_affinity, preferred, "preferredDuringSchedulingIgnoredDuringExecution", LIST,
          .type = &type_weighted_pod_affinity_term),
};
static const struct type type_pod_affinity =
    TYPE("PodAffinity", struct pod_affinity, pod_affinity_fields);

static const struct field affinity_fields[] = {
    FIELD(struct affinity, node_affinity, "nodeAffinity", POINTER, .type = &type_node_affinity),
    FIELD(struct affinity, pod_affinity, "podAffinity", POINTER, .type = &type_pod_affinity),
    FIELD(struct affinity, pod_anti_affinity, "podAntiAffinity", POINTER,
          .type = &type_pod_affinity),
};
static const struct type type_affinity = TYPE("Affinity", struct affinity, affinity_fields);

static const struct field topology_spread_constraint_fields[] = {
    FIELD(struct topology_spread_constraint, max_skew, "maxSkew", INT32, .flags = FIELD_REQUIRED),
    FIELD(struct topology_spread_constraint, topology_key, "topologyKey", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct topology_spread_constraint, when_unsatisfiable, "whenUnsatisfiable", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct topology_spread_constraint, label_selector, "labelSelector", POINTER,
          .type = &type_label_selector),
    FIELD(struct topology_spread_constraint, min_domains, "minDomains", OPTIONAL_INT32),
    FIELD(struct topology_spread_constraint, node_affinity_policy, "nodeAffinityPolicy", STRING,
          .flags = FIELD_SHARED),
    FIELD(struct topology_spread_constraint, node_taints_policy, "nodeTaintsPolicy", STRING,
          .flags = FIELD_SHARED),
    FIELD(struct topology_spread_constraint, match_label_keys, "matchLabelKeys", STRING_LIST,
          .flags = FIELD_SHARED),
};
static const struct type type_topology_spread_constraint =
    TYPE("TopologySpreadConstraint", struct topology_spread_constraint,
         topology_spread_constraint_fields);

// --- volumes -------------------------------------------------------------------------------------
static const struct field volume_claim_spec_fields[] = {
    FIELD(struct volume_claim_template, access_modes, "accessModes", STRING_LIST,
          .flags = FIELD_SHARED),
    FIELD(struct volume_claim_template, resources, "resources", OBJECT,
          .type = &type_resource_requirements),
    FIELD(struct volume_claim_template, selector, "selector", POINTER,
          .type = &type_label_selector),
    FIELD(struct volume_claim_template, storage_class_name, "storageClassName", STRING,
          .flags = FIELD_SHARED),
    FIELD(struct volume_claim_template, volume_mode, "volumeMode", STRING, .flags = FIELD_SHARED),
    FIELD(struct volume_claim_template, volume_name, "volumeName", STRING),
};
const struct type type_volume_claim_spec =
    TYPE("PersistentVolumeClaimSpec", struct volume_claim_template, volume_claim_spec_fields);

static const struct field volume_claim_source_fields[] = {
    FIELD(TARGET(struct volume, persistent_volume_claim), claim_name, "claimName", STRING,
          .flags = FIELD_REQUIRED),
};
static const struct type type_volume_claim_source =
    TYPE("PersistentVolumeClaimVolumeSource", TARGET(struct volume, persistent_volume_claim),
         volume_claim_source_fields);

static const struct field ephemeral_template_fields[] = {
    FIELD(MEMBER(TARGET(struct volume, ephemeral), volume_claim_template), metadata, "metadata",
          OBJECT, .type = &type_object_meta),
    FIELD(MEMBER(TARGET(struct volume, ephemeral), volume_claim_template), spec, "spec", OBJECT,
          .flags = FIELD_REQUIRED, .type = &type_volume_claim_spec),
};
static const struct type type_ephemeral_template = TYPE(
    "PersistentVolumeClaimTemplate",
    MEMBER(TARGET(struct volume, ephemeral), volume_claim_template), ephemeral_template_fields);

static const struct field ephemeral_fields[] = {
    FIELD(TARGET(struct volume, ephemeral), volume_claim_template, "volumeClaimTemplate", OBJECT,
          .flags = FIELD_REQUIRED, .type = &type_ephemeral_template),
};
static const struct type type_ephemeral =
    TYPE("EphemeralVolumeSource", TARGET(struct volume, ephemeral), ephemeral_fields);

static const struct field volume_fields[] = {
    FIELD(struct volume, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct volume, persistent_volume_claim, "persistentVolumeClaim", POINTER,
          .type = &type_volume_claim_source),
    FIELD(struct volume, ephemeral, "ephemeral", POINTER, .type = &type_ephemeral),
};
static const struct type type_volume = TYPE("Volume", struct volume, volume_fields);

static const struct field pod_resource_claim_fields[] = {
    FIELD(struct pod_resource_claim, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct pod_resource_claim, resource_claim_name, "resourceClaimName", STRING),
    FIELD(struct pod_resource_claim, resource_claim_template_name, "resourceClaimTemplateName",
          STRING),
};
static const struct type type_pod_resource_claim =
    TYPE("PodResourceClaim", struct pod_resource_claim, pod_resource_claim_fields);

static const struct field scheduling_gate_fields[] = {
    FIELD(struct scheduling_gate, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
};
static const struct type type_scheduling_gate =
    TYPE("PodSchedulingGate", struct scheduling_gate, scheduling_gate_fields);

// --- the pod -------------------------------------------------------------------------------------
static const struct field pod_spec_fields[] = {
    FIELD(struct pod_spec, node_name, "nodeName", STRING),
    FIELD(struct pod_spec, scheduler_name, "schedulerName", STRING, .flags = FIELD_SHARED,
          .default_json = "\"default-scheduler\""),
    FIELD(struct pod_spec, priority_class_name, "priorityClassName", STRING, .flags = FIELD_SHARED),
    FIELD(struct pod_spec, priority, "priority", OPTIONAL_INT32),
    FIELD(struct pod_spec, preemption_policy, "preemptionPolicy", STRING, .flags = FIELD_SHARED),
    FIELD(struct pod_spec, restart_policy, "restartPolicy", STRING, .flags = FIELD_SHARED,
          .default_json = "\"Always\""),
    FIELD(struct pod_spec, termination_grace_period_seconds, "terminationGracePeriodSeconds",
          OPTIONAL_INT, .default_json = "30"),
    FIELD(struct pod_spec, active_deadline_seconds, "activeDeadlineSeconds", OPTIONAL_INT),
    FIELD(struct pod_spec, service_account_name, "serviceAccountName", STRING,
          .flags = FIELD_SHARED),
    FIELD(struct pod_spec, hostname, "hostname", STRING),
    FIELD(struct pod_spec, runtime_class_name, "runtimeClassName", STRING, .flags = FIELD_SHARED),
    FIELD(struct pod_spec, host_network, "hostNetwork", BOOL),
    FIELD(struct pod_spec, node_selector, "nodeSelector", STRING_MAP),
    FIELD(struct pod_spec, affinity, "affinity", POINTER, .type = &type_affinity),
    FIELD(struct pod_spec, tolerations, "tolerations", LIST, .type = &type_toleration),
    FIELD(struct pod_spec, topology_spread_constraints, "topologySpreadConstraints", LIST,
          .type = &type_topology_spread_constraint),
    FIELD(struct pod_spec, containers, "containers", LIST, .flags = FIELD_REQUIRED,
          .type = &type_container),
    FIELD(struct pod_spec, init_containers, "initContainers", LIST, .type = &type_container),
    FIELD(struct pod_spec, resources, "resources", POINTER, .type = &type_resource_requirements),
    FIELD(struct pod_spec, overhead, "overhead", RESOURCE_MAP),
    FIELD(struct pod_spec, volumes, "volumes", LIST, .type = &type_volume),
    FIELD(struct pod_spec, resource_claims, "resourceClaims", LIST,
          .type = &type_pod_resource_claim),
    FIELD(struct pod_spec, scheduling_gates, "schedulingGates", LIST,
          .type = &type_scheduling_gate),
};
const struct type type_pod_spec = TYPE("PodSpec", struct pod_spec, pod_spec_fields);

static const struct field container_status_fields[] = {
    FIELD(struct container_status, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct container_status, ready, "ready", BOOL),
    FIELD(struct container_status, restart_count, "restartCount", INT32),
    FIELD(struct container_status, resources, "resources", POINTER,
          .type = &type_resource_requirements),
    FIELD(struct container_status, allocated_resources, "allocatedResources", RESOURCE_MAP),
};
static const struct type type_container_status =
    TYPE("ContainerStatus", struct container_status, container_status_fields);

static const struct field pod_resource_claim_status_fields[] = {
    FIELD(struct pod_resource_claim_status, name, "name", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct pod_resource_claim_status, resource_claim_name, "resourceClaimName", STRING),
};
static const struct type type_pod_resource_claim_status = TYPE(
    "PodResourceClaimStatus", struct pod_resource_claim_status, pod_resource_claim_status_fields);

static const struct field pod_extended_claim_status_fields[] = {
    FIELD(struct pod_extended_claim_status, resource_claim_name, "resourceClaimName", STRING,
          .flags = FIELD_REQUIRED),
};
static const struct type type_pod_extended_claim_status =
    TYPE("PodExtendedResourceClaimStatus", struct pod_extended_claim_status,
         pod_extended_claim_status_fields);

static const struct field pod_status_fields[] = {
    FIELD(struct pod_status, phase, "phase", STRING, .flags = FIELD_SHARED),
    FIELD(struct pod_status, nominated_node_name, "nominatedNodeName", STRING),
    FIELD(struct pod_status, reason, "reason", STRING, .flags = FIELD_SHARED),
    FIELD(struct pod_status, start_time, "startTime", TIME),
    FIELD(struct pod_status, conditions, "conditions", LIST, .type = &type_condition),
    FIELD(struct pod_status, container_statuses, "containerStatuses", LIST,
          .type = &type_container_status),
    FIELD(struct pod_status, init_container_statuses, "initContainerStatuses", LIST,
          .type = &type_container_status),
    FIELD(struct pod_status, resource_claim_statuses, "resourceClaimStatuses", LIST,
          .type = &type_pod_resource_claim_status),
    FIELD(struct pod_status, extended_resource_claim_status, "extendedResourceClaimStatus", POINTER,
          .type = &type_pod_extended_claim_status),
};
static const struct type type_pod_status = TYPE("PodStatus", struct pod_status, pod_status_fields);

static const struct field pod_fields[] = {
    FIELD_METADATA(struct pod),
    FIELD(struct pod, spec, "spec", OBJECT, .type = &type_pod_spec),
    FIELD(struct pod, status, "status", OBJECT, .type = &type_pod_status),
};
const struct type type_pod = TYPE("Pod", struct pod, pod_fields);

static const struct field pod_template_spec_fields[] = {
    FIELD(struct pod_template, metadata, "metadata", OBJECT, .type = &type_object_meta),
    FIELD(struct pod_template, spec, "spec", OBJECT, .type = &type_pod_spec),
};
const struct type type_pod_template_spec =
    TYPE("PodTemplateSpec", struct pod_template, pod_template_spec_fields);

static const struct field pod_template_fields[] = {
    FIELD_METADATA(struct pod_template_object),
    FIELD(struct pod_template_object, template, "template", OBJECT,
          .type = &type_pod_template_spec),
};
const struct type type_pod_template =
    TYPE("PodTemplate", struct pod_template_object, pod_template_fields);
