// Tables shared by all kinds, and tables of the small Kubernetes kinds.
#include "model/schema/core.h"
#include "model/schema/tables.h"

// --- metadata ------------------------------------------------------------------------------------
static const struct field owner_reference_fields[] = {
    FIELD(struct owner_reference, api_version, "apiVersion", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct owner_reference, kind, "kind", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct owner_reference, name, "name", STRING, .flags = FIELD_REQUIRED),
    FIELD(struct owner_reference, uid, "uid", STRING, .flags = FIELD_REQUIRED),
    FIELD(struct owner_reference, controller, "controller", BOOL),
    FIELD(struct owner_reference, block_owner_deletion, "blockOwnerDeletion", BOOL),
};
const struct type type_owner_reference =
    TYPE("OwnerReference", struct owner_reference, owner_reference_fields);

static const struct field object_meta_fields[] = {
    FIELD(struct object_meta, name, "name", STRING),
    FIELD(struct object_meta, generate_name, "generateName", STRING),
    FIELD(struct object_meta, namespace, "namespace", STRING, .flags = FIELD_SHARED),
    FIELD(struct object_meta, uid, "uid", STRING),
    FIELD(struct object_meta, resource_version, "resourceVersion", STRING),
    FIELD(struct object_meta, generation, "generation", INT),
    FIELD(struct object_meta, creation_timestamp, "creationTimestamp", TIME),
    FIELD(struct object_meta, deletion_timestamp, "deletionTimestamp", TIME),
    FIELD(struct object_meta, deletion_grace_period_seconds, "deletionGracePeriodSeconds",
          OPTIONAL_INT),
    FIELD(struct object_meta, labels, "labels", STRING_MAP),
    FIELD(struct object_meta, annotations, "annotations", STRING_MAP),
    FIELD(struct object_meta, finalizers, "finalizers", STRING_LIST, .flags = FIELD_SHARED),
    FIELD(struct object_meta, owner_references, "ownerReferences", LIST,
          .type = &type_owner_reference),
    FIELD_SCHEMA("managedFields", JSON, 0),
    FIELD_SCHEMA("selfLink", STRING, 0),
    FIELD(struct object_meta, unreadable, "adze.dev/unreadable", STRING), // in snapshots only
};
const struct type type_object_meta = TYPE("ObjectMeta", struct object_meta, object_meta_fields);

static const struct field condition_fields[] = {
    FIELD(struct condition, type, "type", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct condition, status, "status", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct condition, reason, "reason", STRING, .flags = FIELD_SHARED),
    FIELD(struct condition, message, "message", STRING),
    FIELD(struct condition, last_transition_time, "lastTransitionTime", TIME),
    FIELD(struct condition, last_heartbeat_time, "lastHeartbeatTime", TIME),
    FIELD(struct condition, last_probe_time, "lastProbeTime", TIME),
    FIELD(struct condition, observed_generation, "observedGeneration", INT),
};
const struct type type_condition = TYPE("Condition", struct condition, condition_fields);

// --- selectors, taints, tolerations, resources ---------------------------------------------------
static const struct field selector_requirement_fields[] = {
    FIELD(struct selector_requirement, key, "key", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct selector_requirement, operator, "operator", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct selector_requirement, values, "values", STRING_LIST),
};
const struct type type_selector_requirement =
    TYPE("SelectorRequirement", struct selector_requirement, selector_requirement_fields);

static const struct field node_selector_term_fields[] = {
    FIELD(struct node_selector_term, match_expressions, "matchExpressions", LIST,
          .type = &type_selector_requirement),
    FIELD(struct node_selector_term, match_fields, "matchFields", LIST,
          .type = &type_selector_requirement),
};
const struct type type_node_selector_term =
    TYPE("NodeSelectorTerm", struct node_selector_term, node_selector_term_fields);

static const struct field label_selector_fields[] = {
    FIELD(struct label_selector, match_labels, "matchLabels", STRING_MAP),
    FIELD(struct label_selector, match_expressions, "matchExpressions", LIST,
          .type = &type_selector_requirement),
};
const struct type type_label_selector =
    TYPE("LabelSelector", struct label_selector, label_selector_fields);

static const struct field taint_fields[] = {
    FIELD(struct taint, key, "key", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct taint, value, "value", STRING),
    FIELD(struct taint, effect, "effect", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct taint, time_added, "timeAdded", TIME),
};
const struct type type_taint = TYPE("Taint", struct taint, taint_fields);

static const struct field toleration_fields[] = {
    FIELD(struct toleration, key, "key", STRING, .flags = FIELD_SHARED),
    FIELD(struct toleration, operator, "operator", STRING, .flags = FIELD_SHARED),
    FIELD(struct toleration, value, "value", STRING),
    FIELD(struct toleration, effect, "effect", STRING, .flags = FIELD_SHARED),
    FIELD(struct toleration, toleration_seconds, "tolerationSeconds", OPTIONAL_INT),
};
const struct type type_toleration = TYPE("Toleration", struct toleration, toleration_fields);

static const struct field container_resource_claim_fields[] = {
    FIELD(struct container_resource_claim, name, "name", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct container_resource_claim, request, "request", STRING, .flags = FIELD_SHARED),
};
static const struct type type_container_resource_claim =
    TYPE("ResourceClaim", struct container_resource_claim, container_resource_claim_fields);

static const struct field resource_requirements_fields[] = {
    FIELD(struct resource_requirements, requests, "requests", RESOURCE_MAP),
    FIELD(struct resource_requirements, limits, "limits", RESOURCE_MAP),
    FIELD(struct resource_requirements, claims, "claims", LIST,
          .type = &type_container_resource_claim),
};
const struct type type_resource_requirements =
    TYPE("ResourceRequirements", struct resource_requirements, resource_requirements_fields);

// --- Node ----------------------------------------------------------------------------------------
static const struct field node_spec_fields[] = {
    FIELD(MEMBER(struct node, spec), provider_id, "providerID", STRING),
    FIELD(MEMBER(struct node, spec), unschedulable, "unschedulable", BOOL),
    FIELD(MEMBER(struct node, spec), taints, "taints", LIST, .type = &type_taint),
};
static const struct type type_node_spec =
    TYPE("NodeSpec", MEMBER(struct node, spec), node_spec_fields);

static const struct field node_status_fields[] = {
    FIELD(MEMBER(struct node, status), capacity, "capacity", RESOURCE_MAP),
    FIELD(MEMBER(struct node, status), allocatable, "allocatable", RESOURCE_MAP),
    FIELD(MEMBER(struct node, status), conditions, "conditions", LIST, .type = &type_condition),
    FIELD(MEMBER(struct node, status), phase, "phase", STRING, .flags = FIELD_SHARED),
};
static const struct type type_node_status =
    TYPE("NodeStatus", MEMBER(struct node, status), node_status_fields);

static const struct field node_fields[] = {
    FIELD_METADATA(struct node),
    FIELD(struct node, spec, "spec", OBJECT, .type = &type_node_spec),
    FIELD(struct node, status, "status", OBJECT, .type = &type_node_status),
};
const struct type type_node = TYPE("Node", struct node, node_fields);

// --- small kinds ---------------------------------------------------------------------------------
static const struct field namespace_fields[] = {FIELD_METADATA(struct namespace)};
const struct type type_namespace = TYPE("Namespace", struct namespace, namespace_fields);

static const struct field limit_range_item_fields[] = {
    FIELD(struct limit_range_item, type, "type", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct limit_range_item, default_limit, "default", RESOURCE_MAP),
    FIELD(struct limit_range_item, default_request, "defaultRequest", RESOURCE_MAP),
    FIELD(struct limit_range_item, min, "min", RESOURCE_MAP),
    FIELD(struct limit_range_item, max, "max", RESOURCE_MAP),
};
static const struct type type_limit_range_item =
    TYPE("LimitRangeItem", struct limit_range_item, limit_range_item_fields);
static const struct field limit_range_spec_fields[] = {
    FIELD(MEMBER(struct limit_range, spec), limits, "limits", LIST, .flags = FIELD_REQUIRED,
          .type = &type_limit_range_item),
};
static const struct type type_limit_range_spec =
    TYPE("LimitRangeSpec", MEMBER(struct limit_range, spec), limit_range_spec_fields);
static const struct field limit_range_fields[] = {
    FIELD_METADATA(struct limit_range),
    FIELD(struct limit_range, spec, "spec", OBJECT, .type = &type_limit_range_spec),
};
const struct type type_limit_range = TYPE("LimitRange", struct limit_range, limit_range_fields);

static const struct field priority_class_fields[] = {
    FIELD_METADATA(struct priority_class),
    FIELD(struct priority_class, value, "value", INT32, .flags = FIELD_REQUIRED),
    FIELD(struct priority_class, global_default, "globalDefault", BOOL),
    FIELD(struct priority_class, preemption_policy, "preemptionPolicy", STRING,
          .flags = FIELD_SHARED),
};
const struct type type_priority_class =
    TYPE("PriorityClass", struct priority_class, priority_class_fields);

static const struct field service_spec_fields[] = {
    FIELD(MEMBER(struct service, spec), selector, "selector", STRING_MAP),
};
static const struct type type_service_spec =
    TYPE("ServiceSpec", MEMBER(struct service, spec), service_spec_fields);
static const struct field service_fields[] = {
    FIELD_METADATA(struct service),
    FIELD(struct service, spec, "spec", OBJECT, .type = &type_service_spec),
};
const struct type type_service = TYPE("Service", struct service, service_fields);

// --- policy, coordination, events ----------------------------------------------------------------
static const struct field disruption_budget_spec_fields[] = {
    FIELD(MEMBER(struct pod_disruption_budget, spec), min_available, "minAvailable", INT_OR_STRING),
    FIELD(MEMBER(struct pod_disruption_budget, spec), max_unavailable, "maxUnavailable",
          INT_OR_STRING),
    FIELD(MEMBER(struct pod_disruption_budget, spec), selector, "selector", POINTER,
          .type = &type_label_selector),
    FIELD(MEMBER(struct pod_disruption_budget, spec), unhealthy_pod_eviction_policy,
          "unhealthyPodEvictionPolicy", STRING, .flags = FIELD_SHARED),
};
static const struct type type_disruption_budget_spec =
    TYPE("PodDisruptionBudgetSpec", MEMBER(struct pod_disruption_budget, spec),
         disruption_budget_spec_fields);
static const struct field disruption_budget_status_fields[] = {
    FIELD(MEMBER(struct pod_disruption_budget, status), disruptions_allowed, "disruptionsAllowed",
          INT32, .flags = FIELD_REQUIRED),
    FIELD(MEMBER(struct pod_disruption_budget, status), current_healthy, "currentHealthy", INT32,
          .flags = FIELD_REQUIRED),
    FIELD(MEMBER(struct pod_disruption_budget, status), desired_healthy, "desiredHealthy", INT32,
          .flags = FIELD_REQUIRED),
    FIELD(MEMBER(struct pod_disruption_budget, status), expected_pods, "expectedPods", INT32,
          .flags = FIELD_REQUIRED),
    FIELD(MEMBER(struct pod_disruption_budget, status), observed_generation, "observedGeneration",
          INT),
};
static const struct type type_disruption_budget_status =
    TYPE("PodDisruptionBudgetStatus", MEMBER(struct pod_disruption_budget, status),
         disruption_budget_status_fields);
static const struct field disruption_budget_fields[] = {
    FIELD_METADATA(struct pod_disruption_budget),
    FIELD(struct pod_disruption_budget, spec, "spec", OBJECT, .type = &type_disruption_budget_spec),
    FIELD(struct pod_disruption_budget, status, "status", OBJECT,
          .type = &type_disruption_budget_status),
};
const struct type type_pod_disruption_budget =
    TYPE("PodDisruptionBudget", struct pod_disruption_budget, disruption_budget_fields);

static const struct field lease_spec_fields[] = {
    FIELD(MEMBER(struct lease, spec), holder_identity, "holderIdentity", STRING),
    FIELD(MEMBER(struct lease, spec), lease_duration_seconds, "leaseDurationSeconds",
          OPTIONAL_INT32),
    FIELD(MEMBER(struct lease, spec), acquire_time, "acquireTime", MICRO_TIME),
    FIELD(MEMBER(struct lease, spec), renew_time, "renewTime", MICRO_TIME),
    FIELD(MEMBER(struct lease, spec), lease_transitions, "leaseTransitions", OPTIONAL_INT32),
};
static const struct type type_lease_spec =
    TYPE("LeaseSpec", MEMBER(struct lease, spec), lease_spec_fields);
static const struct field lease_fields[] = {
    FIELD_METADATA(struct lease),
    FIELD(struct lease, spec, "spec", OBJECT, .type = &type_lease_spec),
};
const struct type type_lease = TYPE("Lease", struct lease, lease_fields);

static const struct field object_reference_fields[] = {
    FIELD(struct object_reference, kind, "kind", STRING, .flags = FIELD_SHARED),
    FIELD(struct object_reference, namespace, "namespace", STRING, .flags = FIELD_SHARED),
    FIELD(struct object_reference, name, "name", STRING),
    FIELD(struct object_reference, uid, "uid", STRING),
    FIELD(struct object_reference, api_version, "apiVersion", STRING, .flags = FIELD_SHARED),
    FIELD(struct object_reference, resource_version, "resourceVersion", STRING),
    FIELD(struct object_reference, field_path, "fieldPath", STRING),
};
static const struct type type_object_reference =
    TYPE("ObjectReference", struct object_reference, object_reference_fields);
static const struct field event_source_fields[] = {
    FIELD(MEMBER(struct event, source), component, "component", STRING, .flags = FIELD_SHARED),
    FIELD(MEMBER(struct event, source), host, "host", STRING),
};
static const struct type type_event_source =
    TYPE("EventSource", MEMBER(struct event, source), event_source_fields);
static const struct field event_fields[] = {
    FIELD_METADATA(struct event),
    FIELD(struct event, involved_object, "involvedObject", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_object_reference),
    FIELD(struct event, reason, "reason", STRING, .flags = FIELD_SHARED),
    FIELD(struct event, message, "message", STRING),
    FIELD(struct event, source, "source", OBJECT, .type = &type_event_source),
    FIELD(struct event, first_timestamp, "firstTimestamp", TIME),
    FIELD(struct event, last_timestamp, "lastTimestamp", TIME),
    FIELD(struct event, count, "count", INT32),
    FIELD(struct event, type, "type", STRING, .flags = FIELD_SHARED),
    FIELD(struct event, reporting_component, "reportingComponent", STRING, .flags = FIELD_SHARED),
    FIELD(struct event, reporting_instance, "reportingInstance", STRING),
};
const struct type type_event = TYPE("Event", struct event, event_fields);
