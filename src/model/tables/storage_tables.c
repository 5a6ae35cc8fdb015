// Tables of the storage kinds.
#include "model/schema/core.h"
#include "model/schema/tables.h"

// --- claims --------------------------------------------------------------------------------------
static const struct field claim_status_fields[] = {
    FIELD(MEMBER(struct persistent_volume_claim, status), phase, "phase", STRING,
          .flags = FIELD_SHARED),
};
static const struct type type_claim_status =
    TYPE("PersistentVolumeClaimStatus", MEMBER(struct persistent_volume_claim, status),
         claim_status_fields);

static const struct field persistent_volume_claim_fields[] = {
    FIELD_METADATA(struct persistent_volume_claim),
    FIELD(struct persistent_volume_claim, spec, "spec", OBJECT, .type = &type_volume_claim_spec),
    FIELD(struct persistent_volume_claim, status, "status", OBJECT, .type = &type_claim_status),
};
const struct type type_persistent_volume_claim =
    TYPE("PersistentVolumeClaim", struct persistent_volume_claim, persistent_volume_claim_fields);

// --- volumes -------------------------------------------------------------------------------------
static const struct field csi_source_fields[] = {
    FIELD(TARGET(struct persistent_volume, spec.csi), driver, "driver", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(TARGET(struct persistent_volume, spec.csi), volume_handle, "volumeHandle", STRING,
          .flags = FIELD_REQUIRED),
};
static const struct type type_csi_source = TYPE(
    "CSIPersistentVolumeSource", TARGET(struct persistent_volume, spec.csi), csi_source_fields);

static const struct field ebs_source_fields[] = {
    FIELD(TARGET(struct persistent_volume, spec.aws_elastic_block_store), volume_id, "volumeID",
          STRING, .flags = FIELD_REQUIRED),
};
static const struct type type_ebs_source =
    TYPE("AWSElasticBlockStoreVolumeSource",
         TARGET(struct persistent_volume, spec.aws_elastic_block_store), ebs_source_fields);

static const struct field path_source_fields[] = {
    FIELD(TARGET(struct persistent_volume, spec.local), path, "path", STRING,
          .flags = FIELD_REQUIRED),
};
static const struct type type_path_source =
    TYPE("LocalVolumeSource", TARGET(struct persistent_volume, spec.local), path_source_fields);

static const struct field volume_node_selector_fields[] = {
    FIELD(TARGET(TARGET(struct persistent_volume, spec.node_affinity), required),
          node_selector_terms, "nodeSelectorTerms", LIST, .flags = FIELD_REQUIRED,
          .type = &type_node_selector_term),
};
static const struct type type_volume_node_selector =
    TYPE("NodeSelector", TARGET(TARGET(struct persistent_volume, spec.node_affinity), required),
         volume_node_selector_fields);

static const struct field volume_node_affinity_fields[] = {
    FIELD(TARGET(struct persistent_volume, spec.node_affinity), required, "required", POINTER,
          .type = &type_volume_node_selector),
};
static const struct type type_volume_node_affinity =
    TYPE("VolumeNodeAffinity", TARGET(struct persistent_volume, spec.node_affinity),
         volume_node_affinity_fields);

static const struct field claim_reference_fields[] = {
    FIELD(TARGET(struct persistent_volume, spec.claim_ref), namespace, "namespace", STRING,
          .flags = FIELD_SHARED),
    FIELD(TARGET(struct persistent_volume, spec.claim_ref), name, "name", STRING),
    FIELD(TARGET(struct persistent_volume, spec.claim_ref), uid, "uid", STRING),
};
static const struct type type_claim_reference = TYPE(
    "ObjectReference", TARGET(struct persistent_volume, spec.claim_ref), claim_reference_fields);

static const struct field persistent_volume_spec_fields[] = {
    FIELD(MEMBER(struct persistent_volume, spec), access_modes, "accessModes", STRING_LIST,
          .flags = FIELD_SHARED),
    FIELD(MEMBER(struct persistent_volume, spec), storage_class_name, "storageClassName", STRING,
          .flags = FIELD_SHARED),
    FIELD(MEMBER(struct persistent_volume, spec), capacity, "capacity", RESOURCE_MAP),
    FIELD(MEMBER(struct persistent_volume, spec), claim_ref, "claimRef", POINTER,
          .type = &type_claim_reference),
    FIELD(MEMBER(struct persistent_volume, spec), node_affinity, "nodeAffinity", POINTER,
          .type = &type_volume_node_affinity),
    FIELD(MEMBER(struct persistent_volume, spec), csi, "csi", POINTER, .type = &type_csi_source),
    FIELD(MEMBER(struct persistent_volume, spec), aws_elastic_block_store, "awsElasticBlockStore",
          POINTER, .type = &type_ebs_source),
    FIELD(MEMBER(struct persistent_volume, spec), local, "local", POINTER,
          .type = &type_path_source),
    FIELD(MEMBER(struct persistent_volume, spec), host_path, "hostPath", POINTER,
          .type = &type_path_source),
};
static const struct type type_persistent_volume_spec = TYPE(
    "PersistentVolumeSpec", MEMBER(struct persistent_volume, spec), persistent_volume_spec_fields);

static const struct field persistent_volume_fields[] = {
    FIELD_METADATA(struct persistent_volume),
    FIELD(struct persistent_volume, spec, "spec", OBJECT, .type = &type_persistent_volume_spec),
};
const struct type type_persistent_volume =
    TYPE("PersistentVolume", struct persistent_volume, persistent_volume_fields);

// --- classes, drivers, attachments ---------------------------------------------------------------
static const struct field topology_selector_label_fields[] = {
    FIELD(struct topology_selector_label, key, "key", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct topology_selector_label, values, "values", STRING_LIST, .flags = FIELD_REQUIRED),
};
static const struct type type_topology_selector_label =
    TYPE("TopologySelectorLabelRequirement", struct topology_selector_label,
         topology_selector_label_fields);

static const struct field topology_selector_term_fields[] = {
    FIELD(struct topology_selector_term, match_label_expressions, "matchLabelExpressions", LIST,
          .type = &type_topology_selector_label),
};
static const struct type type_topology_selector_term =
    TYPE("TopologySelectorTerm", struct topology_selector_term, topology_selector_term_fields);

static const struct field storage_class_fields[] = {
    FIELD_METADATA(struct storage_class),
    FIELD(struct storage_class, provisioner, "provisioner", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct storage_class, volume_binding_mode, "volumeBindingMode", STRING,
          .flags = FIELD_SHARED),
    FIELD(struct storage_class, allowed_topologies, "allowedTopologies", LIST,
          .type = &type_topology_selector_term),
};
const struct type type_storage_class =
    TYPE("StorageClass", struct storage_class, storage_class_fields);

static const struct field node_volume_limit_fields[] = {
    FIELD(TARGET(struct csi_node_driver, allocatable), count, "count", OPTIONAL_INT32),
};
static const struct type type_node_volume_limit = TYPE(
    "VolumeNodeResources", TARGET(struct csi_node_driver, allocatable), node_volume_limit_fields);

static const struct field csi_node_driver_fields[] = {
    FIELD(struct csi_node_driver, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct csi_node_driver, node_id, "nodeID", STRING, .flags = FIELD_REQUIRED),
    FIELD(struct csi_node_driver, topology_keys, "topologyKeys", STRING_LIST,
          .flags = FIELD_SHARED),
    FIELD(struct csi_node_driver, allocatable, "allocatable", POINTER,
          .type = &type_node_volume_limit),
};
static const struct type type_csi_node_driver =
    TYPE("CSINodeDriver", struct csi_node_driver, csi_node_driver_fields);

static const struct field csi_node_spec_fields[] = {
    FIELD(MEMBER(struct csi_node, spec), drivers, "drivers", LIST, .flags = FIELD_REQUIRED,
          .type = &type_csi_node_driver),
};
static const struct type type_csi_node_spec =
    TYPE("CSINodeSpec", MEMBER(struct csi_node, spec), csi_node_spec_fields);

static const struct field csi_node_fields[] = {
    FIELD_METADATA(struct csi_node),
    FIELD(struct csi_node, spec, "spec", OBJECT, .type = &type_csi_node_spec),
};
const struct type type_csi_node = TYPE("CSINode", struct csi_node, csi_node_fields);

static const struct field attachment_source_fields[] = {
    FIELD(MEMBER(struct volume_attachment, spec.source), persistent_volume_name,
          "persistentVolumeName", STRING),
};
static const struct type type_attachment_source =
    TYPE("VolumeAttachmentSource", MEMBER(struct volume_attachment, spec.source),
         attachment_source_fields);

static const struct field volume_attachment_spec_fields[] = {
    FIELD(MEMBER(struct volume_attachment, spec), attacher, "attacher", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(MEMBER(struct volume_attachment, spec), node_name, "nodeName", STRING,
          .flags = FIELD_REQUIRED),
    FIELD(MEMBER(struct volume_attachment, spec), source, "source", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_attachment_source),
};
static const struct type type_volume_attachment_spec = TYPE(
    "VolumeAttachmentSpec", MEMBER(struct volume_attachment, spec), volume_attachment_spec_fields);

static const struct field volume_attachment_fields[] = {
    FIELD_METADATA(struct volume_attachment),
    FIELD(struct volume_attachment, spec, "spec", OBJECT, .type = &type_volume_attachment_spec),
};
const struct type type_volume_attachment =
    TYPE("VolumeAttachment", struct volume_attachment, volume_attachment_fields);
