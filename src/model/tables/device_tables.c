// Tables of the kinds of resource.k8s.io.
#include "model/schema/devices.h"
#include "model/schema/tables.h"

// --- requests ------------------------------------------------------------------------------------
static const struct field cel_selector_fields[] = {
    FIELD(TARGET(struct device_selector, cel), expression, "expression", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
};
static const struct type type_cel_selector =
    TYPE("CELDeviceSelector", TARGET(struct device_selector, cel), cel_selector_fields);

static const struct field device_selector_fields[] = {
    FIELD(struct device_selector, cel, "cel", POINTER, .type = &type_cel_selector),
};
static const struct type type_device_selector =
    TYPE("DeviceSelector", struct device_selector, device_selector_fields);

static const struct field capacity_requirements_fields[] = {
    FIELD(MEMBER(struct device_request, capacity), requests, "requests", JSON),
};
static const struct type type_capacity_requirements = TYPE(
    "CapacityRequirements", MEMBER(struct device_request, capacity), capacity_requirements_fields);

#define REQUEST_FIELDS                                                                             \
    FIELD(struct device_request, device_class_name, "deviceClassName", STRING,                     \
          .flags = FIELD_SHARED),                                                                  \
        FIELD(struct device_request, selectors, "selectors", LIST, .type = &type_device_selector), \
        FIELD(struct device_request, allocation_mode, "allocationMode", STRING,                    \
              .flags = FIELD_SHARED),                                                              \
        FIELD(struct device_request, count, "count", OPTIONAL_INT),                                \
        FIELD(struct device_request, tolerations, "tolerations", LIST, .type = &type_toleration),  \
        FIELD(struct device_request, capacity, "capacity", OBJECT,                                 \
              .type = &type_capacity_requirements)

static const struct field exact_request_fields[] = {
    REQUEST_FIELDS,
    FIELD(struct device_request, admin_access, "adminAccess", BOOL),
};
static const struct type type_exact_request =
    TYPE("ExactDeviceRequest", struct device_request, exact_request_fields);

static const struct field sub_request_fields[] = {
    FIELD(struct device_request, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    REQUEST_FIELDS,
};
static const struct type type_sub_request =
    TYPE("DeviceSubRequest", struct device_request, sub_request_fields);

static const struct field claim_request_fields[] = {
    FIELD(struct claim_request, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct claim_request, exactly, "exactly", POINTER, .type = &type_exact_request),
    FIELD(struct claim_request, first_available, "firstAvailable", LIST, .type = &type_sub_request),
};
static const struct type type_claim_request =
    TYPE("DeviceRequest", struct claim_request, claim_request_fields);

static const struct field device_constraint_fields[] = {
    FIELD(struct device_constraint, requests, "requests", STRING_LIST, .flags = FIELD_SHARED),
    FIELD(struct device_constraint, match_attribute, "matchAttribute", STRING,
          .flags = FIELD_SHARED),
    FIELD(struct device_constraint, distinct_attribute, "distinctAttribute", STRING,
          .flags = FIELD_SHARED),
};
static const struct type type_device_constraint =
    TYPE("DeviceConstraint", struct device_constraint, device_constraint_fields);

static const struct field device_claim_fields[] = {
    FIELD(MEMBER(struct resource_claim_spec, devices), requests, "requests", LIST,
          .type = &type_claim_request),
    FIELD(MEMBER(struct resource_claim_spec, devices), constraints, "constraints", LIST,
          .type = &type_device_constraint),
};
static const struct type type_device_claim =
    TYPE("DeviceClaim", MEMBER(struct resource_claim_spec, devices), device_claim_fields);

static const struct field resource_claim_spec_fields[] = {
    FIELD(struct resource_claim_spec, devices, "devices", OBJECT, .type = &type_device_claim),
};
static const struct type type_resource_claim_spec =
    TYPE("ResourceClaimSpec", struct resource_claim_spec, resource_claim_spec_fields);

// --- ResourceClaim -------------------------------------------------------------------------------
static const struct field node_selector_fields[] = {
    FIELD(struct node_selector, node_selector_terms, "nodeSelectorTerms", LIST,
          .flags = FIELD_REQUIRED, .type = &type_node_selector_term),
};
static const struct type type_device_node_selector =
    TYPE("NodeSelector", struct node_selector, node_selector_fields);

static const struct field allocated_device_fields[] = {
    FIELD(struct allocated_device, request, "request", STRING, .flags = FIELD_SHARED),
    FIELD(struct allocated_device, driver, "driver", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct allocated_device, pool, "pool", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct allocated_device, device, "device", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct allocated_device, consumed_capacity, "consumedCapacity", JSON),
    FIELD(struct allocated_device, admin_access, "adminAccess", BOOL),
};
static const struct type type_allocated_device =
    TYPE("DeviceRequestAllocationResult", struct allocated_device, allocated_device_fields);

static const struct field allocated_devices_fields[] = {
    FIELD(MEMBER(struct claim_allocation, devices), results, "results", LIST,
          .type = &type_allocated_device),
};
static const struct type type_allocated_devices = TYPE(
    "DeviceAllocationResult", MEMBER(struct claim_allocation, devices), allocated_devices_fields);

static const struct field claim_allocation_fields[] = {
    FIELD(struct claim_allocation, devices, "devices", OBJECT, .type = &type_allocated_devices),
    FIELD(struct claim_allocation, node_selector, "nodeSelector", POINTER,
          .type = &type_device_node_selector),
};
static const struct type type_claim_allocation =
    TYPE("AllocationResult", struct claim_allocation, claim_allocation_fields);

static const struct field claim_consumer_fields[] = {
    FIELD(struct claim_consumer, api_group, "apiGroup", STRING, .flags = FIELD_SHARED),
    FIELD(struct claim_consumer, resource, "resource", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct claim_consumer, name, "name", STRING, .flags = FIELD_REQUIRED),
    FIELD(struct claim_consumer, uid, "uid", STRING, .flags = FIELD_REQUIRED),
};
static const struct type type_claim_consumer =
    TYPE("ResourceClaimConsumerReference", struct claim_consumer, claim_consumer_fields);

static const struct field resource_claim_status_fields[] = {
    FIELD(MEMBER(struct resource_claim, status), allocation, "allocation", POINTER,
          .type = &type_claim_allocation),
    FIELD(MEMBER(struct resource_claim, status), reserved_for, "reservedFor", LIST,
          .type = &type_claim_consumer),
};
static const struct type type_resource_claim_status = TYPE(
    "ResourceClaimStatus", MEMBER(struct resource_claim, status), resource_claim_status_fields);

static const struct field resource_claim_fields[] = {
    FIELD_METADATA(struct resource_claim),
    FIELD(struct resource_claim, spec, "spec", OBJECT, .type = &type_resource_claim_spec),
    FIELD(struct resource_claim, status, "status", OBJECT, .type = &type_resource_claim_status),
};
const struct type type_resource_claim =
    TYPE("ResourceClaim", struct resource_claim, resource_claim_fields);

// --- ResourceClaimTemplate, DeviceClass ----------------------------------------------------------
static const struct field claim_template_spec_fields[] = {
    FIELD(MEMBER(struct resource_claim_template, spec), spec, "spec", OBJECT,
          .type = &type_resource_claim_spec),
};
static const struct type type_claim_template_spec =
    TYPE("ResourceClaimTemplateSpec", MEMBER(struct resource_claim_template, spec),
         claim_template_spec_fields);

static const struct field resource_claim_template_fields[] = {
    FIELD_METADATA(struct resource_claim_template),
    FIELD(struct resource_claim_template, spec, "spec", OBJECT, .type = &type_claim_template_spec),
};
const struct type type_resource_claim_template =
    TYPE("ResourceClaimTemplate", struct resource_claim_template, resource_claim_template_fields);

static const struct field device_class_spec_fields[] = {
    FIELD(MEMBER(struct device_class, spec), selectors, "selectors", LIST,
          .type = &type_device_selector),
    FIELD(MEMBER(struct device_class, spec), extended_resource_name, "extendedResourceName",
          STRING),
};
static const struct type type_device_class_spec =
    TYPE("DeviceClassSpec", MEMBER(struct device_class, spec), device_class_spec_fields);

static const struct field device_class_fields[] = {
    FIELD_METADATA(struct device_class),
    FIELD(struct device_class, spec, "spec", OBJECT, .type = &type_device_class_spec),
};
const struct type type_device_class = TYPE("DeviceClass", struct device_class, device_class_fields);

// --- ResourceSlice -------------------------------------------------------------------------------
static const struct field counter_consumption_fields[] = {
    FIELD(struct counter_consumption, counter_set, "counterSet", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct counter_consumption, counters, "counters", JSON),
};
static const struct type type_counter_consumption =
    TYPE("DeviceCounterConsumption", struct counter_consumption, counter_consumption_fields);

static const struct field device_fields[] = {
    FIELD(struct device, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct device, attributes, "attributes", JSON),
    FIELD(struct device, capacity, "capacity", JSON),
    FIELD(struct device, consumes_counters, "consumesCounters", LIST,
          .type = &type_counter_consumption),
    FIELD(struct device, allow_multiple_allocations, "allowMultipleAllocations", BOOL),
    FIELD(struct device, node_name, "nodeName", STRING),
    FIELD(struct device, node_selector, "nodeSelector", POINTER,
          .type = &type_device_node_selector),
    FIELD(struct device, all_nodes, "allNodes", BOOL),
    FIELD(struct device, taints, "taints", LIST, .type = &type_taint),
};
static const struct type type_device = TYPE("Device", struct device, device_fields);

static const struct field counter_set_fields[] = {
    FIELD(struct counter_set, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(struct counter_set, counters, "counters", JSON),
};
static const struct type type_counter_set =
    TYPE("CounterSet", struct counter_set, counter_set_fields);

static const struct field resource_pool_fields[] = {
    FIELD(MEMBER(struct resource_slice, spec.pool), name, "name", STRING, .flags = FIELD_REQUIRED),
    FIELD(MEMBER(struct resource_slice, spec.pool), generation, "generation", INT),
    FIELD(MEMBER(struct resource_slice, spec.pool), resource_slice_count, "resourceSliceCount",
          INT),
};
static const struct type type_resource_pool =
    TYPE("ResourcePool", MEMBER(struct resource_slice, spec.pool), resource_pool_fields);

static const struct field resource_slice_spec_fields[] = {
    FIELD(MEMBER(struct resource_slice, spec), driver, "driver", STRING,
          .flags = FIELD_REQUIRED | FIELD_SHARED),
    FIELD(MEMBER(struct resource_slice, spec), pool, "pool", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_resource_pool),
    FIELD(MEMBER(struct resource_slice, spec), node_name, "nodeName", STRING),
    FIELD(MEMBER(struct resource_slice, spec), node_selector, "nodeSelector", POINTER,
          .type = &type_device_node_selector),
    FIELD(MEMBER(struct resource_slice, spec), all_nodes, "allNodes", BOOL),
    FIELD(MEMBER(struct resource_slice, spec), per_device_node_selection, "perDeviceNodeSelection",
          BOOL),
    FIELD(MEMBER(struct resource_slice, spec), devices, "devices", LIST, .type = &type_device),
    FIELD(MEMBER(struct resource_slice, spec), shared_counters, "sharedCounters", LIST,
          .type = &type_counter_set),
};
static const struct type type_resource_slice_spec =
    TYPE("ResourceSliceSpec", MEMBER(struct resource_slice, spec), resource_slice_spec_fields);

static const struct field resource_slice_fields[] = {
    FIELD_METADATA(struct resource_slice),
    FIELD(struct resource_slice, spec, "spec", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_resource_slice_spec),
};
const struct type type_resource_slice =
    TYPE("ResourceSlice", struct resource_slice, resource_slice_fields);
