// Tables of adze's own kinds.
#include "model/schema/karpenter.h"
#include "model/schema/tables.h"

// --- InstanceTypeCatalog (FMT-6) -----------------------------------------------------------------
static const struct field catalog_requirement_fields[] = {
    FIELD(struct selector_requirement, key, "key", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct selector_requirement, operator, "operator", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct selector_requirement, values, "values", STRING_LIST),
    FIELD(struct selector_requirement, min_values, "minValues", OPTIONAL_INT),
};
static const struct type type_catalog_requirement =
    TYPE("Requirement", struct selector_requirement, catalog_requirement_fields);

static const struct field offering_fields[] = {
    FIELD(struct offering, requirements, "requirements", LIST, .type = &type_catalog_requirement),
    FIELD(struct offering, price, "price", PRICE, .flags = FIELD_REQUIRED),
    FIELD(struct offering, interruptions, "interruptionsPerMonth", PRICE),
    FIELD(struct offering, available, "available", BOOL, .default_json = "true"),
    FIELD(struct offering, reservation_capacity, "reservationCapacity", OPTIONAL_INT),
    FIELD(struct offering, capacity_override, "capacityOverride", RESOURCE_MAP),
    FIELD(struct offering, overhead_override, "overheadOverride", RESOURCE_MAP),
};
static const struct type type_offering = TYPE("Offering", struct offering, offering_fields);

static const struct field instance_overhead_fields[] = {
    FIELD(struct instance_type_overhead, kube_reserved, "kubeReserved", RESOURCE_MAP),
    FIELD(struct instance_type_overhead, system_reserved, "systemReserved", RESOURCE_MAP),
    FIELD(struct instance_type_overhead, eviction_threshold, "evictionThreshold", RESOURCE_MAP),
};
static const struct type type_instance_type_overhead =
    TYPE("InstanceTypeOverhead", struct instance_type_overhead, instance_overhead_fields);

static const struct field instance_burst_fields[] = {
    FIELD(struct instance_burst, baseline, "baselineCPU", PRICE),
    FIELD(struct instance_burst, surplus_price, "surplusPrice", PRICE),
};
static const struct type type_instance_burst =
    TYPE("InstanceBurst", struct instance_burst, instance_burst_fields);

static const struct field instance_type_fields[] = {
    FIELD(struct instance_type, name, "name", STRING, .flags = FIELD_REQUIRED),
    FIELD(struct instance_type, volume_price, "volumePrice", PRICE),
    FIELD(struct instance_type, public_address, "publicAddress", BOOL),
    FIELD(struct instance_type, burst, "burst", OBJECT, .type = &type_instance_burst),
    FIELD(struct instance_type, requirements, "requirements", LIST,
          .type = &type_catalog_requirement),
    FIELD(struct instance_type, capacity, "capacity", RESOURCE_MAP, .flags = FIELD_REQUIRED),
    FIELD(struct instance_type, overhead, "overhead", OBJECT, .type = &type_instance_type_overhead),
    FIELD(struct instance_type, offerings, "offerings", LIST, .type = &type_offering),
};
const struct type type_instance_type =
    TYPE("InstanceType", struct instance_type, instance_type_fields);

static const struct field catalog_spec_fields[] = {
    FIELD(MEMBER(struct instance_type_catalog, spec), node_pools, "nodePools", STRING_LIST),
    FIELD(MEMBER(struct instance_type_catalog, spec), instance_types, "instanceTypes", LIST,
          .flags = FIELD_REQUIRED, .type = &type_instance_type),
};
static const struct type type_catalog_spec = TYPE(
    "InstanceTypeCatalogSpec", MEMBER(struct instance_type_catalog, spec), catalog_spec_fields);

static const struct field instance_catalog_fields[] = {
    FIELD_METADATA(struct instance_type_catalog),
    FIELD(struct instance_type_catalog, spec, "spec", OBJECT, .type = &type_catalog_spec),
};
const struct type type_instance_type_catalog =
    TYPE("InstanceTypeCatalog", struct instance_type_catalog, instance_catalog_fields);

// --- SnapshotContext (FMT-9) ---------------------------------------------------------------------
static const struct field context_spec_fields[] = {
    FIELD(MEMBER(struct snapshot_context, spec), time, "time", TIME),
    FIELD(MEMBER(struct snapshot_context, spec), settings, "settings", STRING_MAP),
    FIELD(MEMBER(struct snapshot_context, spec), learned, "learned", STRING_LIST),
    FIELD(MEMBER(struct snapshot_context, spec), marked_for_deletion, "markedForDeletion",
          STRING_LIST),
    FIELD(MEMBER(struct snapshot_context, spec), buffer_nodes, "bufferNodes", STRING_LIST),
    FIELD(MEMBER(struct snapshot_context, spec), nominated, "nominated", STRING_MAP),
    FIELD(MEMBER(struct snapshot_context, spec), require_unschedulable, "requireUnschedulable",
          BOOL),
};
static const struct type type_context_spec =
    TYPE("SnapshotContextSpec", MEMBER(struct snapshot_context, spec), context_spec_fields);

static const struct field snapshot_context_fields[] = {
    FIELD_METADATA(struct snapshot_context),
    FIELD(struct snapshot_context, spec, "spec", OBJECT, .type = &type_context_spec),
};
const struct type type_snapshot_context =
    TYPE("SnapshotContext", struct snapshot_context, snapshot_context_fields);
