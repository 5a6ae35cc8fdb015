// The tables of all types, for code that walks them (decoder, encoder, validator, CRDs, reference).
#pragma once

#include "model/schema/type.h"

// --- shared by several kinds (core_tables.c) -----------------------------------------------------
extern const struct type type_object_meta;
extern const struct type type_owner_reference;
extern const struct type type_condition;            // lenient: as Kubernetes' own kinds have it
extern const struct type type_selector_requirement; // key, operator, values: without minValues
extern const struct type type_node_selector_term;
extern const struct type type_label_selector;
extern const struct type type_taint;
extern const struct type type_toleration;
extern const struct type type_resource_requirements; // requests and limits
extern const struct type type_volume_claim_spec;

// --- Kubernetes' kinds (core_tables.c, pod_tables.c, workload_tables.c, storage_tables.c) --------
extern const struct type type_pod_spec;
extern const struct type type_pod_template_spec;
extern const struct type type_pod;
extern const struct type type_node;
extern const struct type type_namespace;
extern const struct type type_limit_range;
extern const struct type type_priority_class;
extern const struct type type_service;
extern const struct type type_pod_template;
extern const struct type type_daemon_set;
extern const struct type type_replica_set;
extern const struct type type_deployment;
extern const struct type type_stateful_set;
extern const struct type type_replication_controller;
extern const struct type type_job;
extern const struct type type_pod_disruption_budget;
extern const struct type type_persistent_volume_claim;
extern const struct type type_persistent_volume;
extern const struct type type_storage_class;
extern const struct type type_csi_node;
extern const struct type type_volume_attachment;
extern const struct type type_lease;
extern const struct type type_event;

// --- kinds of resource.k8s.io (device_tables.c) --------------------------------------------------
extern const struct type type_resource_claim;
extern const struct type type_resource_claim_template;
extern const struct type type_device_class;
extern const struct type type_resource_slice;

// --- adze's own kinds (adze_tables.c) ------------------------------------------------------------
extern const struct type type_instance_type;
extern const struct type type_instance_type_catalog;
extern const struct type type_snapshot_context;

// --- Karpenter's kinds (karpenter_tables.c, ec2_node_class_tables.c) -----------------------------
extern const struct type type_node_pool;
extern const struct type type_node_claim;
extern const struct type type_node_overlay;
extern const struct type type_capacity_buffer;
extern const struct type type_ec2_node_class;
extern const struct type type_kwok_node_class;
extern const struct custom_kind custom_node_pool;
extern const struct custom_kind custom_node_claim;
extern const struct custom_kind custom_node_overlay;
extern const struct custom_kind custom_capacity_buffer;
extern const struct custom_kind custom_ec2_node_class;
extern const struct custom_kind custom_kwok_node_class;

// The row of every kind's metadata: the first of its table.
#define FIELD_METADATA(owner) FIELD(owner, meta, "metadata", OBJECT, .type = &type_object_meta)
