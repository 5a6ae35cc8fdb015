#include "cloud/aws/instances/fleet_request.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/nodeclass/node_class_tags.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"

// --- overrides (AWI-292) -------------------------------------------------------------------------

static const char *value_of(const struct offering *offering, const char *key)
{
    return text_or_empty(requirement_single_value(&offering->requirements, key));
}

// Of several subnets of the zone the types take one in turn, so that a full one fails a part of
// them only (AWI-935): EC2 refuses a fleet that names a type twice in a zone.
static const struct ec2_subnet *subnet_in(const struct fleet_inputs *inputs, const char *zone,
                                          uint32_t turn)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inputs->subnets_count; i++)
        count += text_equal(inputs->subnets[i].subnet->zone, zone);
    uint32_t wanted = count == 0 || inputs->upstream ? 0 : turn % count;
    for (uint32_t i = 0; i < inputs->subnets_count; i++)
        if (text_equal(inputs->subnets[i].subnet->zone, zone) && wanted-- == 0)
            return inputs->subnets[i].subnet;
    return NULL;
}

static bool is_wanted(const struct fleet_inputs *inputs, const struct launch_template *template,
                      const struct offering *offering)
{
    if (!offering_compatible(offering, &inputs->claim->spec.requirements) ||
        !text_equal(offering_capacity_type(offering), inputs->capacity_type))
        return false;
    return template->reservation_id == NULL ||
           text_equal(value_of(offering, LABEL_RESERVATION_ID), template->reservation_id);
}

static bool has_zone(const json_t *overrides, size_t from, const char *zone)
{
    for (size_t i = from; i < json_array_size(overrides); i++) {
        const json_t *other = json_object_get(json_array_get(overrides, i), "AvailabilityZone");
        if (text_equal(json_string_value(other), zone))
            return true;
    }
    return false;
}

static void add_type(const struct fleet_inputs *inputs, const struct launch_template *template,
                     const struct instance_type *type, uint32_t turn, json_t *overrides)
{
    size_t from = json_array_size(overrides);
    list_for_each (offering, &type->offerings) {
        const char *zone = value_of(offering, LABEL_ZONE);
        const struct ec2_subnet *subnet = subnet_in(inputs, zone, turn);
        if (subnet == NULL || !is_wanted(inputs, template, offering) ||
            has_zone(overrides, from, zone))
            continue;
        json_t *override = json_object();
        json_object_set_new(override, "InstanceType", json_string(type->name));
        json_object_set_new(override, "SubnetId", json_string(subnet->id));
        json_object_set_new(override, "ImageId", json_string(template->image_id));
        json_object_set_new(override, "AvailabilityZone", json_string(zone));
        // AWI-934: without overlays EC2 ignores it, and equal requests would differ.
        if (inputs->upstream || launch_is_prioritized(inputs->claim))
            json_object_set_new(override, "Priority",
                                json_real(launch_price(launch_candidate_of(type), offering)));
        json_array_append_new(overrides, override);
    }
}

static const char *text_in(const json_t *object, const char *key)
{
    return text_or_empty(json_string_value(json_object_get(object, key)));
}

static int compare_overrides(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    int by_type = strcmp(text_in(a, "InstanceType"), text_in(b, "InstanceType"));
    return by_type != 0 ? by_type
                        : strcmp(text_in(a, "AvailabilityZone"), text_in(b, "AvailabilityZone"));
}

static const char *template_name(const json_t *config)
{
    return text_in(json_object_get(config, "LaunchTemplateSpecification"), "LaunchTemplateName");
}

static int compare_configs(const void *left, const void *right)
{
    const json_t *a = *(json_t *const *)left, *b = *(json_t *const *)right;
    int by_name = strcmp(template_name(a), template_name(b));
    return by_name != 0
               ? by_name
               : compare_overrides(&(json_t *){json_array_get(json_object_get(a, "Overrides"), 0)},
                                   &(json_t *){json_array_get(json_object_get(b, "Overrides"), 0)});
}

// Equal requests must be equal texts, whatever the order in which templates and types came.
static json_t *sorted(json_t *list, int (*compare)(const void *, const void *))
{
    VECTOR(json_t *) items = {0};
    for (size_t i = 0; i < json_array_size(list); i++)
        vector_push(&items, json_incref(json_array_get(list, i)));
    if (items.count > 1)
        qsort(items.items, items.count, sizeof *items.items, compare);
    json_array_clear(list);
    vector_for_each (item, &items)
        json_array_append_new(list, *item);
    vector_free(&items);
    return list;
}

static json_t *configs_of(const struct fleet_inputs *inputs)
{
    json_t *configs = json_array();
    uint32_t turn = 0;
    for (uint32_t i = 0; i < inputs->templates_count; i++) {
        const struct launch_template *template = &inputs->templates[i];
        json_t *overrides = json_array();
        for (uint32_t t = 0; t < template->types_count; t++)
            add_type(inputs, template, template->types[t], turn++, overrides);
        if (json_array_size(overrides) == 0) {
            json_decref(overrides);
            continue;
        }
        json_t *specification = json_object();
        json_object_set_new(specification, "LaunchTemplateName", json_string(template->name));
        json_object_set_new(specification, "Version", json_string("$Latest"));
        json_t *config = json_object();
        json_object_set_new(config, "LaunchTemplateSpecification", specification);
        json_object_set_new(config, "Overrides", sorted(overrides, compare_overrides));
        json_array_append_new(configs, config);
    }
    return sorted(configs, compare_configs);
}

// --- capacity and strategies (AWI-301 to 306) ----------------------------------------------------

struct reservation {
    bool block, interruptible;
};

// All reserved offerings that are left are of one kind (AWI-272).
static struct reservation reservation_of(const struct fleet_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->templates_count; i++)
        for (uint32_t t = 0; t < inputs->templates[i].types_count; t++)
            list_for_each (offering, &inputs->templates[i].types[t]->offerings)
                if (is_wanted(inputs, &inputs->templates[i], offering))
                    return (struct reservation){
                        text_equal(value_of(offering, LABEL_RESERVATION_TYPE), RESERVATION_BLOCK),
                        text_equal(value_of(offering, LABEL_RESERVATION_INTERRUPTIBLE), "true")};
    return (struct reservation){false, false};
}

static void set_strategy(json_t *request, const char *options, const char *strategy)
{
    json_t *object = json_object();
    json_object_set_new(object, "AllocationStrategy", json_string(strategy));
    json_object_set_new(request, options, object);
}

// Returns the default target capacity type.
static const char *add_options(const struct fleet_inputs *inputs, json_t *request)
{
    bool prioritized = launch_is_prioritized(inputs->claim);
    if (text_equal(inputs->capacity_type, CAPACITY_TYPE_SPOT)) {
        set_strategy(request, "SpotOptions",
                     prioritized ? "capacity-optimized-prioritized" : "price-capacity-optimized");
        return "spot";
    }
    if (text_equal(inputs->capacity_type, CAPACITY_TYPE_RESERVED)) {
        struct reservation reservation = reservation_of(inputs);
        if (reservation.block)
            return "capacity-block";
        if (reservation.interruptible) {
            json_t *types = json_array(), *object = json_object();
            json_array_append_new(types, json_string("interruptible-capacity-reservation"));
            json_object_set_new(object, "ReservationTypes", types);
            json_object_set_new(request, "ReservedCapacityOptions", object);
            return "reserved-capacity";
        }
    }
    set_strategy(request, "OnDemandOptions", prioritized ? "prioritized" : "lowest-price");
    return "on-demand";
}

static json_t *tag_specifications(const json_t *tags)
{
    static const char *const resources[] = {"instance", "volume", "fleet"};
    json_t *specifications = json_array();
    for (size_t i = 0; i < ARRAY_LENGTH(resources); i++) {
        json_t *specification = json_object();
        json_object_set_new(specification, "ResourceType", json_string(resources[i]));
        json_object_set_new(specification, "Tags", tag_list_json(tags));
        json_array_append_new(specifications, specification);
    }
    return specifications;
}

json_t *fleet_request_build(const struct fleet_inputs *inputs)
{
    json_t *configs = configs_of(inputs);
    if (json_array_size(configs) == 0) {
        json_decref(configs);
        return NULL;
    }
    json_t *request = json_object(), *target = json_object();
    json_object_set_new(request, "Type", json_string("instant"));
    json_object_set_new(request, "LaunchTemplateConfigs", configs);
    json_object_set_new(target, "TotalTargetCapacity", json_integer(1));
    json_object_set_new(target, "DefaultTargetCapacityType",
                        json_string(add_options(inputs, request)));
    json_object_set_new(request, "TargetCapacitySpecification", target);
    json_object_set_new(request, "TagSpecifications", tag_specifications(inputs->tags));
    bool relaxed = text_equal(
        string_map_get(&inputs->claim->meta.annotations, ANNOTATION_MIN_VALUES_RELAXED), "true");
    if (!text_is_empty(inputs->node_class->spec.context) && !relaxed)
        json_object_set_new(request, "Context", json_string(inputs->node_class->spec.context));
    return request;
}

uint32_t fleet_request_pools(const json_t *request)
{
    const json_t *config;
    size_t i, pools = 0;
    json_array_foreach (json_object_get(request, "LaunchTemplateConfigs"), i, config)
        pools += json_array_size(json_object_get(config, "Overrides"));
    return (uint32_t)pools;
}

// --- keys and tokens -----------------------------------------------------------------------------

void fleet_request_key(const json_t *request, char out[65])
{
    CLEANUP_FREE char *body = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS);
    assert(body != NULL);
    hash_sha256_hex(body, strlen(body), out);
}

void fleet_client_token(const char *const *uids, uint32_t count, uint32_t attempt, char out[37])
{
    assert(count > 0);
    const char **order = memory_copy(uids, count * sizeof *uids);
    qsort(order, count, sizeof *order, text_compare);
    struct text body = {0};
    for (uint32_t i = 0; i < count; i++)
        text_format(&body, "%s\n", order[i]);
    text_format(&body, "%u", attempt);
    hash_uuid(body.data, out);
    text_free(&body);
    free(order);
}

// --- reading -------------------------------------------------------------------------------------

struct fleet_override fleet_override_of(const json_t *override)
{
    return (struct fleet_override){text_in(override, "InstanceType"),
                                   text_in(override, "AvailabilityZone"),
                                   text_in(override, "SubnetId"), text_in(override, "ImageId")};
}

bool fleet_request_find(const json_t *request, const char *instance_type, const char *subnet_id,
                        struct fleet_override *found)
{
    const json_t *config, *override;
    size_t i, k;
    json_array_foreach (json_object_get(request, "LaunchTemplateConfigs"), i, config)
        json_array_foreach (json_object_get(config, "Overrides"), k, override)
            if (text_equal(text_in(override, "InstanceType"), instance_type) &&
                text_equal(text_in(override, "SubnetId"), subnet_id)) {
                *found = fleet_override_of(override);
                return true;
            }
    return false;
}
