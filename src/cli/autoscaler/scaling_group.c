#include "cli/autoscaler/scaling_group.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cli/autoscaler/group_tags.h"
#include "cli/autoscaler/instance_requirements.h"
#include "cli/autoscaler/launch_template.h"
#include "cli/convert/class_parts.h"
#include "cli/convert/tree.h"

#define CAPACITY_TYPE "karpenter.sh/capacity-type"
#define ZONE          "topology.kubernetes.io/zone"
#define SUBNETS_MAX   30

// --- network -------------------------------------------------------------------------------------
static void convert_network(struct group *group, const json_t *description)
{
    const char *text = text_or_empty(tree_text_at(description, "VPCZoneIdentifier"));
    json_t *ids = json_array(), *terms = json_array(), *id, *spec = group_class_spec(group);
    size_t index;
    while (*text != '\0') {
        size_t skipped = strspn(text, ", "), length = strcspn(text + skipped, ", ");
        if (length > 0)
            json_array_append_new(ids, json_stringn(text + skipped, length));
        text += skipped + length;
    }
    ids = texts_sorted(ids);
    json_array_foreach (ids, index, id)
        json_array_append_new(terms, json_pack("{s:O}", "id", id));
    if (json_array_size(ids) > SUBNETS_MAX)
        source_fail(group->source,
                    "%s has more than %d subnets: a class takes %d terms; select "
                    "them by tags",
                    group->origin, SUBNETS_MAX, SUBNETS_MAX);
    if (json_array_size(terms) > 0)
        json_object_set(spec, "subnetSelectorTerms", terms);
    json_decref(terms);
    json_decref(ids);
    const json_t *zones = json_object_get(description, "AvailabilityZones");
    if (json_array_size(zones) > 0)
        group_require(group, ZONE, "In", json_copy((json_t *)zones));
}

// --- purchase options (MIG-85) -------------------------------------------------------------------
static void convert_purchase(struct group *group, const json_t *mixed, const json_t *data)
{
    const json_t *distribution = json_object_get(mixed, "InstancesDistribution");
    if (mixed == NULL) {
        bool spot = text_equal(tree_text_at(data, "InstanceMarketOptions.MarketType"), "spot") ||
                    json_is_string(json_object_get(data, "SpotPrice"));
        group_require_one(group, CAPACITY_TYPE, spot ? "spot" : "on-demand");
        return;
    }
    const json_t *base = json_object_get(distribution, "OnDemandBaseCapacity");
    const json_t *above = json_object_get(distribution, "OnDemandPercentageAboveBaseCapacity");
    int64_t count = json_is_integer(base) ? json_integer_value(base) : 0;
    int64_t percent = json_is_integer(above) ? json_integer_value(above) : 100;
    if (percent == 100) {
        group_require_one(group, CAPACITY_TYPE, "on-demand");
    } else if (percent == 0 && count == 0) {
        group_require_one(group, CAPACITY_TYPE, "spot");
    } else {
        group_require(group, CAPACITY_TYPE, "In", json_pack("[s, s]", "on-demand", "spot"));
        note_add(group->pool, NOTE_LOST, "M-ratio", "spec.template.spec.requirements",
                 "on-demand base %" PRId64 " and %" PRId64 " %% above it have no equal: two pools "
                 "with a label of their own, and a spread constraint over it, come close",
                 count, percent);
    }
    if (!text_is_empty(tree_text_at(distribution, "SpotMaxPrice")))
        note_add(group->pool, NOTE_LOST, "M-spot-price", "spec", "SpotMaxPrice has no equal");
}

// --- instance types (MIG-81, MIG-82) -------------------------------------------------------------
static void convert_types(struct group *group, const json_t *mixed, const json_t *data,
                          const json_t *description)
{
    json_t *types = json_array(), *override;
    const json_t *attributes = NULL;
    size_t index;
    json_array_foreach (tree_at(mixed, "LaunchTemplate.Overrides"), index, override) {
        json_t *type = json_object_get(override, "InstanceType");
        if (json_is_string(type))
            json_array_append(types, type);
        const json_t *own = json_object_get(override, "InstanceRequirements");
        if (own != NULL && attributes != NULL && !json_equal(own, attributes))
            note_add(group->pool, NOTE_LOST, "M-overrides", "spec.template.spec.requirements",
                     "overrides with other instance requirements: write a NodePool for each");
        attributes = attributes == NULL ? own : attributes;
        if (json_object_get(override, "WeightedCapacity") != NULL)
            note_add(group->pool, NOTE_LOST, "M-weighted", "spec",
                     "WeightedCapacity has no equal: pods and prices decide");
    }
    if (json_array_size(types) == 0 && attributes == NULL) {
        json_t *type = json_object_get(data, "InstanceType");
        attributes = json_object_get(data, "InstanceRequirements");
        if (type == NULL)
            type = tree_at(json_array_get(json_object_get(description, "Instances"), 0),
                           "InstanceType");
        if (json_is_string(type))
            json_array_append(types, type);
    }
    if (attributes != NULL)
        instance_requirements_convert(group, attributes);
    if (json_array_size(types) > 0)
        group_require(group, "node.kubernetes.io/instance-type", "In", json_incref(types));
    json_decref(types);
}

// --- other fields (MIG-86) -----------------------------------------------------------------------
static void convert_others(struct group *group, const json_t *description)
{
    static const char *const balancers[] = {"LoadBalancerNames", "TargetGroupARNs",
                                            "TrafficSources"};
    const json_t *life = json_object_get(description, "MaxInstanceLifetime");
    if (json_is_integer(life) && json_integer_value(life) > 0)
        json_object_set_new(
            tree_make(group->pool->object, "spec.template.spec"), "expireAfter",
            json_string(seconds_format(json_integer_value(life), group->pool->conversion->arena)));
    for (size_t i = 0; i < ARRAY_LENGTH(balancers); i++)
        if (json_array_size(json_object_get(description, balancers[i])) > 0)
            note_add(group->pool, NOTE_LOST, "M-lb", "spec",
                     "load balancers of the group: register pods by a controller instead");
    const char *placement = tree_text_at(description, "PlacementGroup");
    if (!text_is_empty(placement))
        json_object_set_new(group_class_spec(group), "placementGroupSelector",
                            json_pack("{s:s}", "name", placement));
    if (json_is_true(json_object_get(description, "NewInstancesProtectedFromScaleIn")))
        note_add(group->pool, NOTE_LOST, "M-protection", "spec",
                 "protection from scale-in: annotate pods with karpenter.sh/do-not-disrupt");
    if (json_object_get(description, "LifecycleHookSpecificationList") != NULL)
        note_add(group->pool, NOTE_LOST, "M-hooks", "spec", "lifecycle hooks have no equal");
    if (json_object_get(description, "WarmPoolConfiguration") != NULL)
        note_add(group->pool, NOTE_LOST, "M-warm-pool", "spec",
                 "a CapacityBuffer keeps room ready instead");
    if (json_is_true(json_object_get(description, "CapacityRebalance")))
        note_add(group->pool, NOTE_INFO, "M-rebalance", "spec",
                 "the interruption queue tells of rebalance recommendations");
}

static const json_t *find_configuration(const json_t *configurations, const char *name)
{
    size_t index;
    json_t *item;
    json_array_foreach ((json_t *)configurations, index, item)
        if (text_equal(tree_text_at(item, "LaunchConfigurationName"), name))
            return item;
    return NULL;
}

void scaling_group_convert(struct group *group, const json_t *description,
                           const struct launch_facts *facts, const struct flags *flags)
{
    const json_t *mixed = tree_at(description, "MixedInstancesPolicy");
    const json_t *template = mixed != NULL
                                 ? tree_at(mixed, "LaunchTemplate.LaunchTemplateSpecification")
                                 : tree_at(description, "LaunchTemplate");
    const char *configuration = tree_text_at(description, "LaunchConfigurationName");
    const json_t *data = configuration != NULL
                             ? find_configuration(facts->configurations, configuration)
                             : launch_template_find(facts->templates, template);
    if (data != NULL)
        launch_template_convert(group, data, flags);
    else
        launch_template_missing(group, template);
    group_sizes(group, json_object_get(description, "MinSize"),
                json_object_get(description, "MaxSize"));
    convert_types(group, mixed, data, description);
    convert_purchase(group, mixed, data);
    convert_network(group, description);
    group_tags_convert(group, json_object_get(description, "Tags"), flags);
    convert_others(group, description);
    class_require_network(group->class, group_class_spec(group));
    class_require_role(group->class, group_class_spec(group),
                       "the nodes' role: aws iam get-instance-profile --instance-profile-name NAME "
                       "tells it");
}

// --- which groups --------------------------------------------------------------------------------
static bool has_tag(const json_t *tags, const char *wanted, size_t length)
{
    const char *equals = memchr(wanted, '=', length);
    size_t key_length = equals != NULL ? (size_t)(equals - wanted) : length, index;
    json_t *tag;
    json_array_foreach ((json_t *)tags, index, tag) {
        const char *key = text_or_empty(tree_text_at(tag, "Key"));
        const char *value = text_or_empty(tree_text_at(tag, "Value"));
        if (strlen(key) == key_length && memcmp(key, wanted, key_length) == 0 &&
            (equals == NULL || (strlen(value) == length - key_length - 1 &&
                                memcmp(value, equals + 1, length - key_length - 1) == 0)))
            return true;
    }
    return false;
}

static bool is_discovered(const json_t *tags, const char *text)
{
    const char *at = strstr(text, "tag=");
    for (at = at != NULL ? at + 4 : ""; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (memchr(at, '$', length) == NULL && memchr(at, '<', length) == NULL &&
            !has_tag(tags, at, length))
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

bool scaling_group_is_chosen(const json_t *description, const struct flags *flags)
{
    const json_t *discovery = flag_list(flags, "node-group-auto-discovery");
    const json_t *named = flag_list(flags, "nodes");
    const char *name = text_or_empty(tree_text_at(description, "AutoScalingGroupName"));
    for (size_t i = 0; i < json_array_size(named); i++) { // min:max:name
        const char *colon = strrchr(json_string_value(json_array_get(named, i)), ':');
        if (colon != NULL && strcmp(colon + 1, name) == 0)
            return true;
    }
    for (size_t i = 0; i < json_array_size(discovery); i++)
        if (is_discovered(json_object_get(description, "Tags"),
                          json_string_value(json_array_get(discovery, i))))
            return true;
    return discovery == NULL && named == NULL;
}

// --- merging -------------------------------------------------------------------------------------
// The description without what groups of one kind may differ in.
static json_t *essence(const json_t *description)
{
    static const char *const differing[] = {"AutoScalingGroupName",
                                            "AutoScalingGroupARN",
                                            "AvailabilityZones",
                                            "AvailabilityZoneIds",
                                            "VPCZoneIdentifier",
                                            "MinSize",
                                            "MaxSize",
                                            "DesiredCapacity",
                                            "Instances",
                                            "CreatedTime",
                                            "PredictedCapacity",
                                            "SuspendedProcesses",
                                            "ServiceLinkedRoleARN",
                                            "EnabledMetrics"};
    json_t *copy = json_copy((json_t *)description), *tags = json_array(), *tag;
    size_t index;
    for (size_t i = 0; i < ARRAY_LENGTH(differing); i++)
        json_object_del(copy, differing[i]);
    json_array_foreach (json_object_get(description, "Tags"), index, tag) {
        const char *key = text_or_empty(tree_text_at(tag, "Key"));
        if (text_ends_with(key, "/label/topology.kubernetes.io/zone") ||
            text_ends_with(key, "/label/topology.ebs.csi.aws.com/zone") ||
            strcmp(key, "Name") == 0 || text_starts_with(key, "aws:"))
            continue;
        json_array_append_new(tags, json_pack("{s:s, s:s}", "k", key, "v",
                                              text_or_empty(tree_text_at(tag, "Value"))));
    }
    json_object_set_new(copy, "Tags", tags);
    return copy;
}

static void add_texts(json_t *group, const json_t *other, const char *field)
{
    json_t *list = json_copy(json_object_get(group, field));
    if (list == NULL)
        list = json_array();
    json_array_extend(list, json_object_get(other, field));
    json_object_set_new(group, field, texts_sorted(list));
}

static void add_number(json_t *group, const json_t *other, const char *field)
{
    json_int_t sum = json_integer_value(json_object_get(group, field)) +
                     json_integer_value(json_object_get(other, field));
    json_object_set_new(group, field, json_integer(sum));
}

// MIG-78: the common part of the names, without the zone's letter.
static void set_name(json_t *group, const char *other, struct arena *arena)
{
    const char *name = text_or_empty(tree_text_at(group, "AutoScalingGroupName"));
    size_t length = 0;
    while (name[length] != '\0' && name[length] == other[length])
        length++;
    while (length > 0 && (name[length - 1] == '-' || name[length - 1] == '_' ||
                          isdigit((unsigned char)name[length - 1])))
        length--;
    if (length >= 3)
        json_object_set_new(group, "AutoScalingGroupName",
                            json_string(arena_copy_bytes(arena, name, length)));
}

static void merge_into(json_t *group, const json_t *other, struct arena *arena)
{
    const char *subnets = text_or_empty(tree_text_at(group, "VPCZoneIdentifier"));
    const char *more = text_or_empty(tree_text_at(other, "VPCZoneIdentifier"));
    json_t *members = json_object_get(group, "adze-members");
    if (members == NULL) {
        members = json_pack("[O]", json_object_get(group, "AutoScalingGroupName"));
        json_object_set_new(group, "adze-members", members);
    }
    json_array_append(members, json_object_get(other, "AutoScalingGroupName"));
    json_object_set_new(group, "VPCZoneIdentifier",
                        json_string(arena_format(arena, "%s,%s", subnets, more)));
    add_texts(group, other, "AvailabilityZones");
    add_number(group, other, "MinSize");
    add_number(group, other, "MaxSize");
    set_name(group, text_or_empty(tree_text_at(other, "AutoScalingGroupName")), arena);
    json_t *tags = json_copy(json_object_get(group, "Tags"));
    if (tags != NULL) { // the zones' labels of both
        json_array_extend(tags, json_object_get(other, "Tags"));
        json_object_set_new(group, "Tags", tags);
    }
}

json_t *scaling_groups_merge(const json_t *groups, struct arena *arena)
{
    json_t *result = json_array(), *essences = json_array(), *group, *kept;
    size_t index, at;
    json_array_foreach ((json_t *)groups, index, group) {
        json_t *own = essence(group);
        bool merged = false;
        json_array_foreach (result, at, kept)
            if (json_equal(json_array_get(essences, at), own)) {
                merge_into(kept, group, arena);
                merged = true;
                break;
            }
        if (!merged) {
            json_array_append_new(result, json_copy(group));
            json_array_append(essences, own);
        }
        json_decref(own);
    }
    json_decref(essences);
    return result;
}
