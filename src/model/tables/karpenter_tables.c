// Long: the tables of the kinds of karpenter.sh and autoscaling.x-k8s.io, which share fields and
// columns.
#include "model/tables/karpenter_tables.h"

#include <stddef.h>

#include "model/schema/karpenter.h"
#include "model/schema/schema.h"
#include "model/schema/tables.h"
#include "model/tables/rules.h"

#define COUNTED(array) .columns = array, .columns_count = sizeof(array) / sizeof((array)[0])
#define READY_COLUMN                                                   \
    {                                                                  \
        .name = "Ready", .column_type = "string",                      \
        .json_path = ".status.conditions[?(@.type==\"Ready\")].status" \
    }
#define AGE_COLUMN                                                                       \
    {                                                                                    \
        .name = "Age", .column_type = "date", .json_path = ".metadata.creationTimestamp" \
    }

const char *const requirement_operators[] = {"In",  "NotIn", "Exists", "DoesNotExist", "Gt", "Lt",
                                             "Gte", "Lte",   NULL};
const char *const taint_effects[] = {"NoSchedule", "PreferNoSchedule", "NoExecute", NULL};

// --- conditions (API-21) -------------------------------------------------------------------------
static const char *const condition_statuses[] = {"True", "False", "Unknown", NULL};
#define PATTERN_CONDITION_TYPE                                              \
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?" \
    "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"

#define CONDITION_FIELDS(text_flags, reason_min, reason_pattern)                                   \
    FIELD(struct condition, last_transition_time, "lastTransitionTime", TIME,                      \
          .flags = FIELD_REQUIRED, .documentation = "When the status last changed."),              \
        FIELD(struct condition, message, "message", STRING, .flags = text_flags,                   \
              .max_length = 32768, .documentation = "For people."),                                \
        FIELD(struct condition, observed_generation, "observedGeneration", INT,                    \
              .flags = FIELD_HAS_MINIMUM, .minimum = 0,                                            \
              .documentation = "The generation of the object that was looked at."),                \
        FIELD(struct condition, reason, "reason", STRING, .flags = (text_flags) | FIELD_SHARED,    \
              .min_length = reason_min, .max_length = 1024, .pattern = reason_pattern,             \
              .documentation = "For programs, in CamelCase."),                                     \
        FIELD(struct condition, status, "status", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED,  \
              .enum_values = condition_statuses, .documentation = "Whether the condition holds."), \
        FIELD(struct condition, type, "type", STRING, .flags = FIELD_REQUIRED | FIELD_SHARED,      \
              .max_length = KEY_LENGTH_MAX, .pattern = PATTERN_CONDITION_TYPE,                     \
              .documentation = "Name of the condition.")

static const struct field condition_fields[] = {
    CONDITION_FIELDS(FIELD_REQUIRED, 1, "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"),
};
const struct type type_status_condition =
    TYPE("Condition", struct condition, condition_fields,
         .documentation = "Something found out about an object.");

static const struct field claim_condition_fields[] = {
    CONDITION_FIELDS(0, 0, "^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$"),
};
const struct type type_claim_condition =
    TYPE("Condition", struct condition, claim_condition_fields,
         .documentation = "Something found out about an object.");

#define CONDITION_MAP .flags = FIELD_LIST_MAP, .list_key = "type"

// --- requirements, taints, the reference to a NodeClass ------------------------------------------
#define REQUIREMENT_FIELDS(key_rules)                                                             \
    FIELD(struct selector_requirement, key, "key", STRING, .flags = FIELD_REQUIRED,               \
          .max_length = KEY_LENGTH_MAX, .pattern = PATTERN_KEY, RULES(key_rules),                 \
          .documentation = "The label that the requirement is about."),                           \
        FIELD(struct selector_requirement, operator, "operator", STRING, .flags = FIELD_REQUIRED, \
              .enum_values = requirement_operators,                                               \
              .documentation = "How the label's value relates to the values."),                   \
        FIELD(struct selector_requirement, values, "values", STRING_LIST,                         \
              .flags = FIELD_LIST_ATOMIC,                                                         \
              .documentation = "For In and NotIn any number, for Gt, Lt, Gte and Lte one whole "  \
                               "number, for Exists and DoesNotExist none.")
#define MIN_VALUES_FIELD                                                               \
    FIELD(struct selector_requirement, min_values, "minValues", OPTIONAL_INT,          \
          .flags = FIELD_HAS_MINIMUM | FIELD_HAS_MAXIMUM, .minimum = 1, .maximum = 50, \
          .documentation = "How many different values the instance types of a launch must offer.")

static const struct field node_pool_requirement_fields[] = {
    REQUIREMENT_FIELDS(rules_node_pool_key),
    MIN_VALUES_FIELD,
};
static const struct type type_node_pool_requirement =
    TYPE("NodeSelectorRequirementWithMinValues", struct selector_requirement,
         node_pool_requirement_fields, .documentation = "A condition on a label of the nodes.");

static const struct field node_claim_requirement_fields[] = {
    REQUIREMENT_FIELDS(rules_node_claim_key),
    MIN_VALUES_FIELD,
};
static const struct type type_node_claim_requirement =
    TYPE("NodeSelectorRequirementWithMinValues", struct selector_requirement,
         node_claim_requirement_fields, .documentation = "A condition on a label of the node.");

static const struct field overlay_requirement_fields[] = {
    REQUIREMENT_FIELDS(rules_node_overlay_key),
};
static const struct type type_overlay_requirement =
    TYPE("NodeSelectorRequirement", struct selector_requirement, overlay_requirement_fields,
         .documentation = "A condition on a label of the instance types.");

static const struct field karpenter_taint_fields[] = {
    FIELD(struct taint, effect, "effect", STRING, .flags = FIELD_REQUIRED | FIELD_HASHED,
          .enum_values = taint_effects,
          .documentation = "What happens to pods that do not tolerate the taint."),
    FIELD(struct taint, key, "key", STRING, .flags = FIELD_REQUIRED | FIELD_HASHED, .min_length = 1,
          .pattern = PATTERN_KEY, .documentation = "Key of the taint."),
    FIELD(struct taint, time_added, "timeAdded", TIME, .flags = FIELD_HASHED,
          .documentation = "When the taint was added."),
    FIELD(struct taint, value, "value", STRING, .flags = FIELD_HASHED, .pattern = PATTERN_KEY,
          .documentation = "Value of the taint; leave it out for none."),
};
static const struct type type_karpenter_taint =
    TYPE("Taint", struct taint, karpenter_taint_fields,
         .documentation = "Keeps pods away that do not tolerate it.");

static const struct field node_class_reference_fields[] = {
    FIELD(struct node_class_reference, group, "group", STRING,
          .flags = FIELD_REQUIRED | FIELD_HASHED, .pattern = "^[^/]*$",
          RULES(rules_group_not_empty), .documentation = "API group, without the version."),
    FIELD(struct node_class_reference, kind, "kind", STRING, .flags = FIELD_REQUIRED | FIELD_HASHED,
          RULES(rules_kind_not_empty), .documentation = "Kind of the NodeClass."),
    FIELD(struct node_class_reference, name, "name", STRING, .flags = FIELD_REQUIRED | FIELD_HASHED,
          RULES(rules_name_not_empty), .documentation = "Name of the NodeClass."),
};
static const struct type type_pool_node_class_reference = TYPE(
    "NodeClassReference", struct node_class_reference, node_class_reference_fields,
    RULES(rules_node_class_ref), .documentation = "The object that says how machines are made.");
static const struct type type_claim_node_class_reference =
    TYPE("NodeClassReference", struct node_class_reference, node_class_reference_fields,
         .documentation = "The object that says how the machine is made.");

#define CLAIM_SPEC_FIELDS(reference_type, requirement_type)                                        \
    FIELD(struct node_claim_spec, expire_after, "expireAfter", DURATION, .flags = FIELD_HASHED,    \
          .default_json = "\"720h\"", .pattern = PATTERN_DURATION_OR_NEVER,                        \
          .documentation = "Age at which a node is replaced, or Never."),                          \
        FIELD(struct node_claim_spec, node_class_ref, "nodeClassRef", POINTER,                     \
              .flags = FIELD_REQUIRED | FIELD_HASHED, .type = &reference_type,                     \
              .documentation = "The NodeClass to launch from."),                                   \
        FIELD(struct node_claim_spec, requirements, "requirements", LIST,                          \
              .flags = FIELD_REQUIRED | FIELD_LIST_ATOMIC, .type = &requirement_type,              \
              .max_items = 100, RULES(rules_requirements),                                         \
              .documentation = "Which machines may be used; all must hold."),                      \
        FIELD(struct node_claim_spec, startup_taints, "startupTaints", LIST,                       \
              .flags = FIELD_LIST_ATOMIC | FIELD_HASHED, .type = &type_karpenter_taint,            \
              .documentation = "Taints that something else removes once the node is set up; pods " \
                               "need not tolerate them to be planned here."),                      \
        FIELD(struct node_claim_spec, taints, "taints", LIST,                                      \
              .flags = FIELD_LIST_ATOMIC | FIELD_HASHED, .type = &type_karpenter_taint,            \
              .documentation = "Taints of the nodes; pods must tolerate them."),                   \
        FIELD(struct node_claim_spec, termination_grace_period, "terminationGracePeriod",          \
              DURATION, .flags = FIELD_HASHED, .pattern = PATTERN_DURATION,                        \
              .documentation = "How long a node may take to drain before the rest is forced.")

// --- NodePool (API-30 to 49) ---------------------------------------------------------------------
#define POOL_SPEC       MEMBER(struct node_pool, spec)
#define POOL_TEMPLATE   MEMBER(struct node_pool, spec.template)
#define POOL_METADATA   MEMBER(struct node_pool, spec.template.metadata)
#define POOL_DISRUPTION MEMBER(struct node_pool, spec.disruption)
#define POOL_STATUS     MEMBER(struct node_pool, status)

static const struct field template_metadata_fields[] = {
    FIELD(POOL_METADATA, annotations, "annotations", STRING_MAP,
          .flags = FIELD_MAP_GRANULAR | FIELD_HASHED, .documentation = "Annotations of the nodes."),
    FIELD(POOL_METADATA, labels, "labels", STRING_MAP, .flags = FIELD_MAP_ATOMIC | FIELD_HASHED,
          .max_items = 100, .max_length = LABEL_VALUE_LENGTH_MAX, .pattern = PATTERN_LABEL_VALUE,
          RULES(rules_template_labels), .documentation = "Labels of the nodes."),
};
static const struct type type_template_metadata =
    TYPE("ObjectMeta", POOL_METADATA, template_metadata_fields);

static const struct field template_spec_fields[] = {
    CLAIM_SPEC_FIELDS(type_pool_node_class_reference, type_node_pool_requirement),
};
static const struct type type_template_spec =
    TYPE("NodeClaimTemplateSpec", struct node_claim_spec, template_spec_fields);

static const struct field node_claim_template_fields[] = {
    FIELD(POOL_TEMPLATE, metadata, "metadata", OBJECT, .flags = FIELD_HASHED,
          .type = &type_template_metadata, .documentation = "What the nodes are marked with."),
    FIELD(POOL_TEMPLATE, spec, "spec", OBJECT, .flags = FIELD_REQUIRED | FIELD_HASHED,
          .type = &type_template_spec, .documentation = "What the nodes are."),
};
static const struct type type_node_claim_template =
    TYPE("NodeClaimTemplate", POOL_TEMPLATE, node_claim_template_fields);

static const char *const consolidation_policies[] = {"WhenEmpty", "WhenEmptyOrUnderutilized",
                                                     "Balanced", NULL};
static const char *const disruption_reasons[] = {"Underutilized", "Empty", "Drifted", NULL};

static const struct field budget_fields[] = {
    FIELD(struct node_pool_budget, duration, "duration", DURATION,
          .pattern = "^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$",
          .documentation = "How long the budget holds from each hit of the schedule."),
    FIELD(struct node_pool_budget, nodes, "nodes", STRING, .flags = FIELD_REQUIRED,
          .default_json = "\"10%\"", .pattern = "^((100|[0-9]{1,2})%|[0-9]+)$",
          .documentation = "How many nodes may be disrupted at a time: a number in quotes, or a "
                           "percentage, rounded up."),
    FIELD(struct node_pool_budget, reasons, "reasons", STRING_LIST, .flags = FIELD_LIST_SET,
          .max_items = 50, .enum_values = disruption_reasons,
          .documentation = "What the budget is for; absent: every reason."),
    FIELD(struct node_pool_budget, schedule, "schedule", STRING,
          .pattern = "^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|"
                     "((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$",
          .documentation = "When the budget begins to hold: five cron fields or a macro, in UTC."),
};
static const struct type type_budget =
    TYPE("Budget", struct node_pool_budget, budget_fields,
         .documentation = "A bound on how many nodes are disrupted at a time.");

static const struct field disruption_fields[] = {
    FIELD(POOL_DISRUPTION, budgets, "budgets", LIST, .flags = FIELD_LIST_ATOMIC,
          .type = &type_budget, .default_json = "[{\"nodes\":\"10%\"}]", .max_items = 50,
          RULES(rules_budgets), .documentation = "The smallest that holds decides."),
    FIELD(POOL_DISRUPTION, consolidate_after, "consolidateAfter", DURATION,
          .flags = FIELD_REQUIRED_AS_OF_AWS, .default_json = "\"0s\"",
          .pattern = PATTERN_DURATION_OR_NEVER,
          .documentation = "How long no pod must have come or gone before a node is consolidated, "
                           "or Never."),
    FIELD(POOL_DISRUPTION, consolidation_policy, "consolidationPolicy", STRING,
          .default_json = "\"WhenEmptyOrUnderutilized\"", .enum_values = consolidation_policies,
          .documentation = "Which nodes may be consolidated."),
};
static const struct type type_disruption = TYPE("Disruption", POOL_DISRUPTION, disruption_fields);

static const struct field node_pool_spec_fields[] = {
    FIELD(POOL_SPEC, disruption, "disruption", OBJECT, .type = &type_disruption,
          .default_json = "{\"consolidateAfter\":\"0s\"}",
          .documentation = "When nodes may be removed or replaced."),
    FIELD(POOL_SPEC, limits, "limits", RESOURCE_MAP,
          .documentation = "How much the pool may hold in all; nodes counts nodes."),
    FIELD(POOL_SPEC, replicas, "replicas", OPTIONAL_INT, .flags = FIELD_HAS_MINIMUM, .minimum = 0,
          .documentation = "Number of nodes of a static pool, which keeps them whatever the pods "
                           "need. Alpha."),
    FIELD(POOL_SPEC, template, "template", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_node_claim_template, .documentation = "What every node of the pool is."),
    FIELD(POOL_SPEC, weight, "weight", OPTIONAL_INT32,
          .flags = FIELD_HAS_MINIMUM | FIELD_HAS_MAXIMUM, .minimum = 1, .maximum = 100,
          .documentation = "Pools of higher weight are tried first; absent counts as 0."),
};
static const struct type type_node_pool_spec =
    TYPE("NodePoolSpec", POOL_SPEC, node_pool_spec_fields, RULES(rules_node_pool_spec));

static const struct field node_pool_status_fields[] = {
    CONDITIONS_FIELD(POOL_STATUS, type_status_condition, CONDITION_MAP),
    FIELD(POOL_STATUS, node_class_observed_generation, "nodeClassObservedGeneration", INT,
          .documentation = "The generation of the NodeClass that was looked at."),
    FIELD(POOL_STATUS, nodes, "nodes", INT, .default_json = "0",
          .documentation = "How many nodes the pool has."),
    FIELD(POOL_STATUS, resources, "resources", RESOURCE_MAP,
          .documentation = "What the nodes hold in all."),
};
static const struct type type_node_pool_status =
    TYPE("NodePoolStatus", POOL_STATUS, node_pool_status_fields);

static const struct field node_pool_fields[] = {
    FIELD_METADATA(struct node_pool),
    FIELD(struct node_pool, spec, "spec", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_node_pool_spec, .documentation = "What is wanted."),
    STATUS_FIELD(struct node_pool, .type = &type_node_pool_status,
                 .documentation = "What has been observed."),
};
const struct type type_node_pool =
    TYPE("NodePool", struct node_pool, node_pool_fields,
         .documentation = "A NodePool says which nodes may be launched and when they may go.");

static const struct printer_column node_pool_columns[] = {
    {.name = "NodeClass",
     .column_type = "string",
     .json_path = ".spec.template.spec.nodeClassRef.name"},
    {.name = "Nodes", .column_type = "string", .json_path = ".status.nodes"},
    READY_COLUMN,
    AGE_COLUMN,
    {.name = "Weight", .column_type = "integer", .json_path = ".spec.weight", .priority = 1},
    {.name = "CPU", .column_type = "string", .json_path = ".status.resources.cpu", .priority = 1},
    {.name = "Memory",
     .column_type = "string",
     .json_path = ".status.resources.memory",
     .priority = 1},
};
const struct custom_kind custom_node_pool = {
    .category = "karpenter",
    COUNTED(node_pool_columns),
    .status_subresource = true,
    .scale_spec_path = ".spec.replicas",
    .scale_status_path = ".status.nodes",
    .spec_required = true,
};

// --- NodeClaim (API-55 to 60) --------------------------------------------------------------------
#define CLAIM_STATUS MEMBER(struct node_claim, status)

static const struct field claim_resources_fields[] = {
    FIELD(struct resource_requirements, requests, "requests", RESOURCE_MAP,
          .documentation = "What the pods to be placed need together."),
};
static const struct type type_claim_resources =
    TYPE("ResourceRequirements", struct resource_requirements, claim_resources_fields);

static const struct field node_claim_spec_fields[] = {
    CLAIM_SPEC_FIELDS(type_claim_node_class_reference, type_node_claim_requirement),
    FIELD(struct node_claim_spec, resources, "resources", OBJECT, .type = &type_claim_resources,
          .documentation = "What the machine must hold."),
};
static const struct type type_node_claim_spec = TYPE(
    "NodeClaimSpec", struct node_claim_spec, node_claim_spec_fields, RULES(rules_node_claim_spec));

static const struct field node_claim_status_fields[] = {
    FIELD(CLAIM_STATUS, allocatable, "allocatable", RESOURCE_MAP,
          .documentation = "What pods may use of the capacity."),
    FIELD(CLAIM_STATUS, capacity, "capacity", RESOURCE_MAP,
          .documentation = "What the machine has."),
    CONDITIONS_FIELD(CLAIM_STATUS, type_claim_condition, CONDITION_MAP),
    FIELD(CLAIM_STATUS, image_id, "imageID", STRING, .documentation = "Image of the machine."),
    FIELD(CLAIM_STATUS, last_pod_event_time, "lastPodEventTime", TIME,
          .documentation = "When a pod last came to the node or left it."),
    FIELD(CLAIM_STATUS, node_name, "nodeName", STRING, .documentation = "Name of the Node."),
    FIELD(CLAIM_STATUS, provider_id, "providerID", STRING,
          .documentation = "The machine, as the cloud names it."),
};
static const struct type type_node_claim_status =
    TYPE("NodeClaimStatus", CLAIM_STATUS, node_claim_status_fields);

static const struct field node_claim_fields[] = {
    FIELD_METADATA(struct node_claim),
    FIELD(struct node_claim, spec, "spec", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_node_claim_spec, .documentation = "What is wanted; it never changes."),
    STATUS_FIELD(struct node_claim, .type = &type_node_claim_status,
                 .documentation = "What has been observed."),
};
const struct type type_node_claim =
    TYPE("NodeClaim", struct node_claim, node_claim_fields,
         .documentation = "A NodeClaim is one machine, from the wish for it to its end.");

static const struct printer_column node_claim_columns[] = {
    {.name = "Type",
     .column_type = "string",
     .json_path = ".metadata.labels.node\\.kubernetes\\.io/instance-type"},
    {.name = "Capacity",
     .column_type = "string",
     .json_path = ".metadata.labels.karpenter\\.sh/capacity-type"},
    {.name = "Zone",
     .column_type = "string",
     .json_path = ".metadata.labels.topology\\.kubernetes\\.io/zone"},
    {.name = "Node", .column_type = "string", .json_path = ".status.nodeName"},
    READY_COLUMN,
    AGE_COLUMN,
    {.name = "ImageID", .column_type = "string", .json_path = ".status.imageID", .priority = 1},
    {.name = "ID", .column_type = "string", .json_path = ".status.providerID", .priority = 1},
    {.name = "NodePool",
     .column_type = "string",
     .json_path = ".metadata.labels.karpenter\\.sh/nodepool",
     .priority = 1},
    {.name = "NodeClass",
     .column_type = "string",
     .json_path = ".spec.nodeClassRef.name",
     .priority = 1},
    {.name = "Drifted",
     .column_type = "string",
     .json_path = ".status.conditions[?(@.type==\"Drifted\")].status",
     .priority = 1},
};
const struct custom_kind custom_node_claim = {
    .category = "karpenter",
    COUNTED(node_claim_columns),
    .status_subresource = true,
    .spec_required = true,
};

// --- NodeOverlay (API-65 to 70) ------------------------------------------------------------------
#define OVERLAY_SPEC   MEMBER(struct node_overlay, spec)
#define OVERLAY_STATUS MEMBER(struct node_overlay, status)

static const struct field node_overlay_spec_fields[] = {
    FIELD(OVERLAY_SPEC, capacity, "capacity", RESOURCE_MAP, RULES(rules_overlay_capacity),
          .documentation = "Resources that the instance types have beside those they report."),
    FIELD(OVERLAY_SPEC, price, "price", STRING, .pattern = "^\\d+(\\.\\d+)?$",
          .documentation = "Price in USD an hour, in place of the known one."),
    FIELD(OVERLAY_SPEC, price_adjustment, "priceAdjustment", STRING,
          .pattern = "^(([+-]{1}(\\d*\\.?\\d+))|(\\+{1}\\d*\\.?\\d+%)|(^(-\\d{1,2}(\\.\\d+)?%)$)|"
                     "(-100%))$",
          .documentation = "Change of the price: signed USD an hour, or a signed percentage."),
    FIELD(OVERLAY_SPEC, requirements, "requirements", LIST,
          .flags = FIELD_REQUIRED | FIELD_LIST_ATOMIC, .type = &type_overlay_requirement,
          .max_items = 100, RULES(rules_overlay_requirements),
          .documentation = "Which instance types are meant; none: all."),
    FIELD(OVERLAY_SPEC, weight, "weight", OPTIONAL_INT32,
          .flags = FIELD_HAS_MINIMUM | FIELD_HAS_MAXIMUM, .minimum = 1, .maximum = 10000,
          .documentation = "The overlay of highest weight wins; absent counts as 0."),
};
static const struct type type_node_overlay_spec =
    TYPE("NodeOverlaySpec", OVERLAY_SPEC, node_overlay_spec_fields, RULES(rules_overlay_spec));

static const struct field node_overlay_status_fields[] = {
    CONDITIONS_FIELD(OVERLAY_STATUS, type_status_condition, CONDITION_MAP),
};
static const struct type type_node_overlay_status =
    TYPE("NodeOverlayStatus", OVERLAY_STATUS, node_overlay_status_fields);

static const struct field node_overlay_fields[] = {
    FIELD_METADATA(struct node_overlay),
    FIELD(struct node_overlay, spec, "spec", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_node_overlay_spec, .documentation = "What is wanted."),
    STATUS_FIELD(struct node_overlay, .type = &type_node_overlay_status,
                 .documentation = "What has been observed."),
};
const struct type type_node_overlay =
    TYPE("NodeOverlay", struct node_overlay, node_overlay_fields,
         .documentation = "A NodeOverlay changes what is known of instance types: prices, and "
                          "resources that they do not report. Alpha.");

static const char *const node_overlay_short_names[] = {"overlays", NULL};
static const struct printer_column node_overlay_columns[] = {
    READY_COLUMN,
    AGE_COLUMN,
    {.name = "Weight", .column_type = "integer", .json_path = ".spec.weight", .priority = 1},
};
const struct custom_kind custom_node_overlay = {
    .short_names = node_overlay_short_names,
    .category = "karpenter",
    COUNTED(node_overlay_columns),
    .status_subresource = true,
    .spec_required = true,
};

// --- CapacityBuffer (API-75 to 79) ---------------------------------------------------------------
#define BUFFER_SPEC          MEMBER(struct capacity_buffer, spec)
#define BUFFER_TEMPLATE      TARGET(struct capacity_buffer, spec.pod_template_ref)
#define BUFFER_SCALABLE      TARGET(struct capacity_buffer, spec.scalable_ref)
#define BUFFER_STATUS        MEMBER(struct capacity_buffer, status)
#define BUFFER_USED_TEMPLATE TARGET(struct capacity_buffer, status.pod_template_ref)

static const struct field buffer_template_fields[] = {
    FIELD(BUFFER_TEMPLATE, name, "name", STRING, .flags = FIELD_REQUIRED, .min_length = 1,
          .documentation = "Name of a PodTemplate in the same namespace."),
};
static const struct type type_buffer_template =
    TYPE("LocalObjectRef", BUFFER_TEMPLATE, buffer_template_fields);

static const struct field buffer_scalable_fields[] = {
    FIELD(BUFFER_SCALABLE, api_group, "apiGroup", STRING, .documentation = "API group."),
    FIELD(BUFFER_SCALABLE, kind, "kind", STRING, .flags = FIELD_REQUIRED, .min_length = 1,
          .documentation = "Kind, such as Deployment."),
    FIELD(BUFFER_SCALABLE, name, "name", STRING, .flags = FIELD_REQUIRED, .min_length = 1,
          .documentation = "Name in the same namespace."),
};
static const struct type type_buffer_scalable =
    TYPE("ScalableRef", BUFFER_SCALABLE, buffer_scalable_fields);

static const struct field capacity_buffer_spec_fields[] = {
    FIELD(BUFFER_SPEC, limits, "limits", RESOURCE_MAP,
          .documentation = "How much the buffer may hold in all."),
    FIELD(BUFFER_SPEC, percentage, "percentage", OPTIONAL_INT32, .flags = FIELD_HAS_MINIMUM,
          .minimum = 0, .documentation = "Size in percent of the replicas of scalableRef."),
    FIELD(BUFFER_SPEC, pod_template_ref, "podTemplateRef", POINTER, .type = &type_buffer_template,
          .documentation = "The pods to keep room for."),
    FIELD(BUFFER_SPEC, provisioning_strategy, "provisioningStrategy", STRING,
          .default_json = "\"buffer.x-k8s.io/active-capacity\"",
          .documentation = "How the room is kept."),
    FIELD(BUFFER_SPEC, replicas, "replicas", OPTIONAL_INT32, .flags = FIELD_HAS_MINIMUM,
          .minimum = 0, .documentation = "For how many pods to keep room."),
    FIELD(BUFFER_SPEC, scalable_ref, "scalableRef", POINTER, .type = &type_buffer_scalable,
          .documentation = "The workload to keep room for."),
};
static const struct type type_capacity_buffer_spec =
    TYPE("CapacityBufferSpec", BUFFER_SPEC, capacity_buffer_spec_fields,
         RULES(rules_capacity_buffer_spec));

static const struct field buffer_used_template_fields[] = {
    FIELD(BUFFER_USED_TEMPLATE, name, "name", STRING, .flags = FIELD_REQUIRED, .min_length = 1,
          .documentation = "Name of the PodTemplate."),
};
static const struct type type_buffer_used_template =
    TYPE("LocalObjectRef", BUFFER_USED_TEMPLATE, buffer_used_template_fields);

static const struct field capacity_buffer_status_fields[] = {
    CONDITIONS_FIELD(BUFFER_STATUS, type_status_condition, CONDITION_MAP),
    FIELD(BUFFER_STATUS, pod_template_generation, "podTemplateGeneration", OPTIONAL_INT,
          .documentation = "Generation of the PodTemplate that was used."),
    FIELD(BUFFER_STATUS, pod_template_ref, "podTemplateRef", POINTER,
          .type = &type_buffer_used_template, .documentation = "The PodTemplate that is used."),
    FIELD(BUFFER_STATUS, provisioning_strategy, "provisioningStrategy", STRING,
          .documentation = "The strategy that is used."),
    FIELD(BUFFER_STATUS, replicas, "replicas", OPTIONAL_INT32,
          .documentation = "For how many pods room is kept."),
};
static const struct type type_capacity_buffer_status =
    TYPE("CapacityBufferStatus", BUFFER_STATUS, capacity_buffer_status_fields);

static const struct field capacity_buffer_fields[] = {
    FIELD_METADATA(struct capacity_buffer),
    FIELD(struct capacity_buffer, spec, "spec", OBJECT, .flags = FIELD_REQUIRED,
          .type = &type_capacity_buffer_spec, .documentation = "What is wanted."),
    STATUS_FIELD(struct capacity_buffer, .type = &type_capacity_buffer_status,
                 .documentation = "What has been observed."),
};
const struct type type_capacity_buffer =
    TYPE("CapacityBuffer", struct capacity_buffer, capacity_buffer_fields,
         .documentation = "A CapacityBuffer keeps room for pods that are yet to come. Alpha.");

static const char *const capacity_buffer_short_names[] = {"cb", NULL};
static const struct printer_column capacity_buffer_columns[] = {
    {.name = "Strategy",
     .column_type = "string",
     .json_path = ".spec.provisioningStrategy",
     .description = "How the room is kept."},
    {.name = "PodTemplate",
     .column_type = "string",
     .json_path = ".status.podTemplateRef.name",
     .description = "The PodTemplate that is used."},
    {.name = "Replicas",
     .column_type = "integer",
     .json_path = ".status.replicas",
     .description = "For how many pods room is kept."},
    {.name = "ConditionsType",
     .column_type = "string",
     .json_path = ".status.conditions[*].type",
     .description = "Types of the conditions."},
    {.name = "ConditionsStatus",
     .column_type = "string",
     .json_path = ".status.conditions[*].status",
     .description = "Statuses of the conditions."},
    {.name = "ConditionsReason",
     .column_type = "string",
     .json_path = ".status.conditions[*].reason",
     .description = "Reasons of the conditions."},
    {.name = "Age",
     .column_type = "date",
     .json_path = ".metadata.creationTimestamp",
     .description = "Time since the buffer was made."},
};
const struct custom_kind custom_capacity_buffer = {
    .short_names = capacity_buffer_short_names,
    .category = "autoscaling",
    COUNTED(capacity_buffer_columns),
    .status_subresource = true,
    .spec_required = true,
    .older_version = "v1alpha1", // mentioned in the documentation (LIF-466)
};

// --- KWOKNodeClass (API-105 to 108) --------------------------------------------------------------
#define KWOK_SPEC   MEMBER(struct kwok_node_class, spec)
#define KWOK_STATUS MEMBER(struct kwok_node_class, status)

static const struct field kwok_spec_fields[] = {
    FIELD(KWOK_SPEC, node_registration_delay, "nodeRegistrationDelay", DURATION,
          .pattern = PATTERN_DURATION,
          .documentation = "Time from the launch until the Node appears; absent: none."),
};
static const struct type type_kwok_spec = TYPE("KWOKNodeClassSpec", KWOK_SPEC, kwok_spec_fields);

static const struct field kwok_status_fields[] = {
    CONDITIONS_FIELD(KWOK_STATUS, type_status_condition, .flags = 0),
};
static const struct type type_kwok_status =
    TYPE("KWOKNodeClassStatus", KWOK_STATUS, kwok_status_fields);

static const struct field kwok_node_class_fields[] = {
    FIELD_METADATA(struct kwok_node_class),
    FIELD(struct kwok_node_class, spec, "spec", OBJECT, .type = &type_kwok_spec,
          .documentation = "What is wanted."),
    STATUS_FIELD(struct kwok_node_class, .type = &type_kwok_status,
                 .default_json = "{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                                 "\"reason\":\"Ready\",\"lastTransitionTime\":"
                                 "\"2024-01-01T01:01:01Z\",\"message\":\"\"}]}",
                 .documentation = "Always ready: nothing has to be looked up."),
};
const struct type type_kwok_node_class = TYPE(
    "KWOKNodeClass", struct kwok_node_class, kwok_node_class_fields,
    .documentation = "A KWOKNodeClass makes nodes that exist in the API only, for trying out.");

static const char *const kwok_short_names[] = {"kwoknc", "kwokncs", NULL};
const struct custom_kind custom_kwok_node_class = {
    .short_names = kwok_short_names,
    .category = "karpenter",
    .status_subresource = true,
};
