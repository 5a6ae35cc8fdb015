// Tables of the workload kinds.
#include "model/schema/core.h"
#include "model/schema/tables.h"

static const struct field daemon_set_spec_fields[] = {
    FIELD(MEMBER(struct daemon_set, spec), selector, "selector", POINTER,
          .type = &type_label_selector),
    FIELD(MEMBER(struct daemon_set, spec), template, "template", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_pod_template_spec),
};
static const struct type type_daemon_set_spec =
    TYPE("DaemonSetSpec", MEMBER(struct daemon_set, spec), daemon_set_spec_fields);

static const struct field daemon_set_fields[] = {
    FIELD_METADATA(struct daemon_set),
    FIELD(struct daemon_set, spec, "spec", OBJECT, .type = &type_daemon_set_spec),
};
const struct type type_daemon_set = TYPE("DaemonSet", struct daemon_set, daemon_set_fields);

static const struct field volume_claim_template_fields[] = {
    FIELD(struct volume_claim_template_object, metadata, "metadata", OBJECT,
          .type = &type_object_meta),
    FIELD(struct volume_claim_template_object, spec, "spec", OBJECT,
          .type = &type_volume_claim_spec),
};
static const struct type type_volume_claim_template = TYPE(
    "PersistentVolumeClaim", struct volume_claim_template_object, volume_claim_template_fields);

// --- ReplicaSet, Deployment, StatefulSet ---------------------------------------------------------
static const struct field scaled_spec_fields[] = {
    FIELD(struct scaled_spec, replicas, "replicas", OPTIONAL_INT32),
    FIELD(struct scaled_spec, selector, "selector", POINTER, .type = &type_label_selector),
    FIELD(struct scaled_spec, template, "template", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_pod_template_spec),
    FIELD(struct scaled_spec, volume_claim_templates, "volumeClaimTemplates", LIST,
          .type = &type_volume_claim_template),
};
static const struct type type_scaled_spec =
    TYPE("ScaledSpec", struct scaled_spec, scaled_spec_fields);

static const struct field scaled_status_fields[] = {
    FIELD(struct scaled_status, replicas, "replicas", INT32),
    FIELD(struct scaled_status, ready_replicas, "readyReplicas", INT32),
};
static const struct type type_scaled_status =
    TYPE("ScaledStatus", struct scaled_status, scaled_status_fields);

static const struct field replica_set_fields[] = {
    FIELD_METADATA(struct replica_set),
    FIELD(struct replica_set, spec, "spec", OBJECT, .type = &type_scaled_spec),
    FIELD(struct replica_set, status, "status", OBJECT, .type = &type_scaled_status),
};
const struct type type_replica_set = TYPE("ReplicaSet", struct replica_set, replica_set_fields);

static const struct field deployment_fields[] = {
    FIELD_METADATA(struct deployment),
    FIELD(struct deployment, spec, "spec", OBJECT, .type = &type_scaled_spec),
    FIELD(struct deployment, status, "status", OBJECT, .type = &type_scaled_status),
};
const struct type type_deployment = TYPE("Deployment", struct deployment, deployment_fields);

static const struct field stateful_set_fields[] = {
    FIELD_METADATA(struct stateful_set),
    FIELD(struct stateful_set, spec, "spec", OBJECT, .type = &type_scaled_spec),
    FIELD(struct stateful_set, status, "status", OBJECT, .type = &type_scaled_status),
};
const struct type type_stateful_set = TYPE("StatefulSet", struct stateful_set, stateful_set_fields);

// --- the others ----------------------------------------------------------------------------------
static const struct field replication_controller_spec_fields[] = {
    FIELD(MEMBER(struct replication_controller, spec), replicas, "replicas", OPTIONAL_INT32),
    FIELD(MEMBER(struct replication_controller, spec), selector, "selector", STRING_MAP),
    FIELD(MEMBER(struct replication_controller, spec), template, "template", OBJECT,
          .type = &type_pod_template_spec),
};
static const struct type type_replication_controller_spec =
    TYPE("ReplicationControllerSpec", MEMBER(struct replication_controller, spec),
         replication_controller_spec_fields);

static const struct field replication_controller_fields[] = {
    FIELD_METADATA(struct replication_controller),
    FIELD(struct replication_controller, spec, "spec", OBJECT,
          .type = &type_replication_controller_spec),
};
const struct type type_replication_controller =
    TYPE("ReplicationController", struct replication_controller, replication_controller_fields);

static const struct field job_spec_fields[] = {
    FIELD(MEMBER(struct job, spec), parallelism, "parallelism", OPTIONAL_INT32),
    FIELD(MEMBER(struct job, spec), completions, "completions", OPTIONAL_INT32),
    FIELD(MEMBER(struct job, spec), suspend, "suspend", BOOL),
    FIELD(MEMBER(struct job, spec), template, "template", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_pod_template_spec),
};
static const struct type type_job_spec = TYPE("JobSpec", MEMBER(struct job, spec), job_spec_fields);

static const struct field job_status_fields[] = {
    FIELD(MEMBER(struct job, status), succeeded, "succeeded", OPTIONAL_INT32),
    FIELD(MEMBER(struct job, status), conditions, "conditions", LIST, .type = &type_condition),
};
static const struct type type_job_status =
    TYPE("JobStatus", MEMBER(struct job, status), job_status_fields);

static const struct field job_fields[] = {
    FIELD_METADATA(struct job),
    FIELD(struct job, spec, "spec", OBJECT, .type = &type_job_spec),
    FIELD(struct job, status, "status", OBJECT, .type = &type_job_status),
};
const struct type type_job = TYPE("Job", struct job, job_fields);
