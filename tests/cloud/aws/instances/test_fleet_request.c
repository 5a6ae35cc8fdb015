// Requests for fleets against those that upstream was recorded to send (AWI-292 to 306).
#include "cloud/aws/instances/fleet_request.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/loop_virtual.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/instances/fleet_answer.h"
#include "cloud/aws/instances/launch_candidate.h"
#include "cloud/aws/instances/launch_filters.h"
#include "cloud/aws/instances/launch_support.h"
#include "support/cmocka_all.h"

// --- a launch as a recorded request tells it -----------------------------------------------------

struct recorded {
    struct arena *arena;
    const json_t *parameters;
    const char *capacity_type;
    const struct ec2_node_class *node_class;
    const struct node_claim *claim;
    struct launch_template *templates;
    uint32_t templates_count;
    struct subnet_choice *subnets;
    uint32_t subnets_count;
    json_t *tags;
};

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static struct selector_requirement *requirement(struct arena *arena, requirement_list *list,
                                                const char *key, const char *value)
{
    struct selector_requirement *own = &list->items[list->count++];
    own->key = key;
    own->operator= "In";
    own->values.items = arena_allocate_array(arena, 1, sizeof(char *));
    own->values.items[0] = value;
    own->values.count = 1;
    return own;
}

static const char *kind_of_capacity(const json_t *parameters, const char **reservation_type,
                                    bool *interruptible)
{
    const char *target = text_at(json_object_get(parameters, "TargetCapacitySpecification"),
                                 "DefaultTargetCapacityType");
    *interruptible = text_equal(target, "reserved-capacity");
    *reservation_type = text_equal(target, "capacity-block") ? "capacity-block" : "default";
    if (*interruptible || text_equal(target, "capacity-block"))
        return "reserved";
    return text_equal(target, "spot") ? "spot" : "on-demand";
}

static void add_subnet(struct recorded *recorded, const char *zone, const char *id)
{
    for (uint32_t i = 0; i < recorded->subnets_count; i++)
        if (text_equal(recorded->subnets[i].subnet->zone, zone))
            return;
    struct ec2_subnet *subnet = arena_allocate(recorded->arena, sizeof *subnet);
    *subnet = (struct ec2_subnet){.id = id, .zone = zone};
    recorded->subnets[recorded->subnets_count++].subnet = subnet;
}

static int64_t nano(const char *price)
{
    return (int64_t)(strtod(price, NULL) * 1e9 + 0.5);
}

static void add_offering(struct recorded *recorded, struct launch_candidate *candidate,
                         const json_t *row)
{
    struct arena *arena = recorded->arena;
    const char *type, *zone = json_string_value(json_array_get(row, 1));
    const char *price = json_string_value(json_array_get(row, 4));
    bool interruptible;
    recorded->capacity_type = kind_of_capacity(recorded->parameters, &type, &interruptible);
    struct offering *offering = &candidate->type.offerings.items[candidate->type.offerings.count++];
    offering->available = true;
    offering->price = nano(price);
    offering->requirements.items =
        arena_allocate_array(arena, 8, sizeof(struct selector_requirement));
    if (nano(price) < 50000) { // of a reservation, a 10,000,000th of on-demand
        recorded->capacity_type = "reserved";
        candidate->on_demand_price = (int64_t)(strtod(price, NULL) * 1e16 + 0.5);
    }
    requirement(arena, &offering->requirements, LABEL_CAPACITY_TYPE, recorded->capacity_type);
    requirement(arena, &offering->requirements, LABEL_ZONE, zone);
    if (text_equal(recorded->capacity_type, "reserved")) {
        requirement(arena, &offering->requirements, "karpenter.k8s.aws/capacity-reservation-type",
                    type);
        requirement(arena, &offering->requirements,
                    "karpenter.k8s.aws/capacity-reservation-interruptible",
                    interruptible ? "true" : "false");
    }
    add_subnet(recorded, zone, json_string_value(json_array_get(row, 2)));
}

static void add_template(struct recorded *recorded, const json_t *config)
{
    struct arena *arena = recorded->arena;
    const json_t *rows = json_object_get(json_object_get(config, "Overrides"), "rows"), *row;
    struct launch_template *template = &recorded->templates[recorded->templates_count++];
    const struct instance_type **types =
        arena_allocate_array(arena, json_array_size(rows), sizeof *types);
    size_t i;
    template->name =
        text_at(json_object_get(config, "LaunchTemplateSpecification"), "LaunchTemplateName");
    json_array_foreach (rows, i, row) {
        const char *name = json_string_value(json_array_get(row, 0));
        uint32_t last = template->types_count;
        template->image_id = json_string_value(json_array_get(row, 3));
        if (last == 0 || strcmp(types[last - 1]->name, name) != 0) {
            struct launch_candidate *candidate = arena_allocate(arena, sizeof *candidate);
            candidate->type.name = name;
            candidate->type.offerings.items =
                arena_allocate_array(arena, 16, sizeof(struct offering));
            types[template->types_count++] = &candidate->type;
        }
        add_offering(recorded, (struct launch_candidate *)types[template->types_count - 1], row);
    }
    // Any order gives the same request.
    for (uint32_t t = 0; t < template->types_count / 2; t++) {
        const struct instance_type *other = types[t];
        types[t] = types[template->types_count - 1 - t];
        types[template->types_count - 1 - t] = other;
    }
    template->types = types;
}

static bool is_prioritized(const json_t *parameters)
{
    const char *spot = text_at(json_object_get(parameters, "SpotOptions"), "AllocationStrategy");
    const char *other =
        text_at(json_object_get(parameters, "OnDemandOptions"), "AllocationStrategy");
    return text_equal(other, "prioritized") || text_equal(spot, "capacity-optimized-prioritized");
}

static void read_recorded(struct recorded *recorded, const json_t *parameters)
{
    const json_t *configs = json_object_get(parameters, "LaunchTemplateConfigs"), *config;
    size_t i;
    *recorded = (struct recorded){.arena = arena_create(65536), .parameters = parameters};
    recorded->templates = arena_allocate_array(recorded->arena, json_array_size(configs),
                                               sizeof *recorded->templates);
    recorded->subnets = arena_allocate_array(recorded->arena, 64, sizeof *recorded->subnets);
    json_array_foreach (configs, i, config)
        add_template(recorded, config);
    struct text spec = {0};
    const char *context = text_at(parameters, "Context");
    text_format(&spec, "{%s%s%s}", context != NULL ? "\"context\":\"" : "",
                context != NULL ? context : "", context != NULL ? "\"" : "");
    recorded->node_class = (const struct ec2_node_class *)make_object(
        "karpenter.k8s.aws/v1", "EC2NodeClass", spec.data, NULL);
    text_free(&spec);
    recorded->claim = make_claim("", NULL);
    if (is_prioritized(parameters)) {
        struct string_pair *pair = arena_allocate(recorded->arena, sizeof *pair);
        *pair = (struct string_pair){"karpenter.sh/price-overlay-applied", "true"};
        ((struct node_claim *)recorded->claim)->meta.annotations = (struct string_map){pair, 1};
    }
    recorded->tags = json_object_get(json_object_get(parameters, "TagSpecification"), "instance");
}

static void clear_recorded(struct recorded *recorded)
{
    object_release((const struct object *)recorded->node_class);
    object_release((const struct object *)recorded->claim);
    arena_destroy(recorded->arena);
}

// --- the form of the recordings ------------------------------------------------------------------

// Upstream multiplies prices in binary, adze counts in billionths: 0.6719999999999999 is 0.672.
static json_t *rounded(double price)
{
    char text[40];
    snprintf(text, sizeof text, "%.12g", price);
    return json_string(text);
}

static json_t *rows_of(const json_t *overrides)
{
    json_t *rows = json_array();
    const json_t *override;
    size_t i;
    json_array_foreach (overrides, i, override)
        json_array_append_new(
            rows, json_pack("[s,s,s,s,o]", text_at(override, "InstanceType"),
                            text_at(override, "AvailabilityZone"), text_at(override, "SubnetId"),
                            text_at(override, "ImageId"),
                            rounded(json_real_value(json_object_get(override, "Priority")))));
    return rows;
}

static json_t *rows_recorded(const json_t *rows)
{
    json_t *list = json_deep_copy(rows), *row;
    size_t i;
    json_array_foreach (list, i, row)
        json_array_set_new(row, 4,
                           rounded(strtod(json_string_value(json_array_get(row, 4)), NULL)));
    return list;
}

static void compare(const char *name, const struct recorded *recorded, const json_t *request)
{
    const json_t *theirs = recorded->parameters, *config;
    size_t i, k, found = 0;
    json_array_foreach (json_object_get(request, "LaunchTemplateConfigs"), i, config) {
        const json_t *specification = json_object_get(config, "LaunchTemplateSpecification");
        json_t *own = rows_of(json_object_get(config, "Overrides"));
        const json_t *other;
        json_array_foreach (json_object_get(theirs, "LaunchTemplateConfigs"), k, other) {
            if (!json_equal(specification, json_object_get(other, "LaunchTemplateSpecification")))
                continue;
            json_t *rows =
                rows_recorded(json_object_get(json_object_get(other, "Overrides"), "rows"));
            found += json_equal(own, rows);
            json_decref(rows);
        }
        json_decref(own);
    }
    if (found != json_array_size(json_object_get(theirs, "LaunchTemplateConfigs")))
        fail_msg("%s: overrides differ", name);
    static const char *const same[] = {"OnDemandOptions", "SpotOptions", "Context", "Type"};
    for (size_t s = 0; s < ARRAY_LENGTH(same); s++)
        if (!json_equal(json_object_get(request, same[s]), json_object_get(theirs, same[s])) &&
            (json_object_get(request, same[s]) != NULL || json_object_get(theirs, same[s]) != NULL))
            fail_msg("%s: %s differs", name, same[s]);
    assert_string_equal(text_at(json_object_get(request, "TargetCapacitySpecification"),
                                "DefaultTargetCapacityType"),
                        text_at(json_object_get(theirs, "TargetCapacitySpecification"),
                                "DefaultTargetCapacityType"));
    assert_int_equal(json_array_size(json_object_get(request, "TagSpecifications")),
                     json_object_size(json_object_get(theirs, "TagSpecification")));
}

static bool check_call(const char *name, const json_t *call)
{
    const json_t *parameters = json_object_get(call, "params");
    if (!text_equal(text_at(call, "action"), "CreateFleet") ||
        json_object_get(parameters, "DryRun") != NULL)
        return false;
    struct recorded recorded;
    read_recorded(&recorded, parameters);
    json_t *request =
        fleet_request_build(&(struct fleet_inputs){.node_class = recorded.node_class,
                                                   .claim = recorded.claim,
                                                   .capacity_type = recorded.capacity_type,
                                                   .templates = recorded.templates,
                                                   .templates_count = recorded.templates_count,
                                                   .subnets = recorded.subnets,
                                                   .subnets_count = recorded.subnets_count,
                                                   .tags = recorded.tags,
                                                   .upstream = true});
    assert_non_null(request);
    compare(name, &recorded, request);
    json_decref(request);
    clear_recorded(&recorded);
    return true;
}

static void recorded_requests_are_built_alike_AWI_300(void **state)
{
    (void)state;
    DIR *folder = opendir(RECORDED_CASES);
    struct dirent *entry;
    uint32_t checked = 0;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (!text_ends_with(entry->d_name, ".json"))
            continue;
        struct text path = {0};
        text_format(&path, "%s/%s", RECORDED_CASES, entry->d_name);
        json_t *scenario = json_load_file(path.data, 0, NULL);
        text_free(&path);
        assert_non_null(scenario);
        const json_t *phases = json_object_get(json_object_get(scenario, "expect"), "calls");
        const json_t *call;
        size_t i;
        json_array_foreach (json_object_get(phases, "launch"), i, call)
            checked += check_call(entry->d_name, call);
        json_decref(scenario);
    }
    closedir(folder);
    assert_true(checked > 150);
}

static json_t *overrides_of(const struct made_type *made, uint32_t count,
                            const struct subnet_choice *subnets, bool upstream)
{
    static const struct settings settings;
    struct arena *arena = arena_create(4096);
    const struct instance_type_catalog *catalog = make_catalog(made, count);
    const struct node_claim *claim = make_claim("", NULL);
    const struct object *node_class =
        make_object("karpenter.k8s.aws/v1", "EC2NodeClass", "{}", NULL);
    struct launch_candidates candidates;
    struct error error = {0};
    json_t *tags = json_object();
    assert_true(launch_filters_apply(arena, catalog, claim, &settings, &candidates, &error));
    const struct launch_template template = {"lt", "ami-1", NULL, candidates.items,
                                             candidates.count};
    json_t *request = fleet_request_build(
        &(struct fleet_inputs){(const struct ec2_node_class *)node_class, claim, "on-demand",
                               &template, 1, subnets, 2, tags, upstream});
    json_t *overrides = json_incref(json_object_get(
        json_array_get(json_object_get(request, "LaunchTemplateConfigs"), 0), "Overrides"));
    json_decref(request);
    json_decref(tags);
    object_release(node_class);
    object_release((const struct object *)claim);
    object_release((const struct object *)catalog);
    arena_destroy(arena);
    return overrides;
}

// AWI-934: no Priority without overlays. AWI-935, AWN-715: the types take the zone's subnets in
// turn, and no type comes twice in a zone.
static void subnets_in_turn_and_no_priority_AWI_934_935(void **state)
{
    (void)state;
    static const struct made_type types[] = {
        {"m5.large", NULL, NULL, {"on-demand us-west-2a 0.096"}},
        {"m5.xlarge", NULL, NULL, {"on-demand us-west-2a 0.192"}},
        {"m5.2xlarge", NULL, NULL, {"on-demand us-west-2a 0.384"}},
    };
    const struct ec2_subnet first = {.id = "subnet-1", .zone = "us-west-2a"};
    const struct ec2_subnet second = {.id = "subnet-2", .zone = "us-west-2a"};
    const struct subnet_choice subnets[] = {{.subnet = &first}, {.subnet = &second}};
    json_t *overrides = overrides_of(types, 3, subnets, false);
    assert_int_equal(json_array_size(overrides), 3); // sorted by name
    assert_string_equal(text_at(json_array_get(overrides, 0), "SubnetId"), "subnet-1"); // 2xlarge
    assert_string_equal(text_at(json_array_get(overrides, 1), "SubnetId"), "subnet-1"); // large
    assert_string_equal(text_at(json_array_get(overrides, 2), "SubnetId"), "subnet-2"); // xlarge
    assert_null(json_object_get(json_array_get(overrides, 0), "Priority"));
    json_decref(overrides);
    overrides = overrides_of(types, 3, subnets, true);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(text_at(json_array_get(overrides, i), "SubnetId"), "subnet-1");
    assert_non_null(json_object_get(json_array_get(overrides, 0), "Priority"));
    json_decref(overrides);
}

static void tokens_do_not_depend_on_the_order_AWI_927(void **state)
{
    (void)state;
    static const char *const uids[] = {"b", "a"}, *const sorted[] = {"a", "b"};
    char one[37], other[37], next[37], fewer[37];
    fleet_client_token(uids, 2, 0, one);
    fleet_client_token(sorted, 2, 0, other);
    fleet_client_token(uids, 2, 1, next);
    fleet_client_token(uids, 1, 0, fewer);
    assert_string_equal(one, other);
    assert_string_not_equal(one, next);
    assert_string_not_equal(one, fewer);
}

// The limit of a spread group holds for all types of the request in that zone, within the group.
static void a_full_spread_group_AWN_154(void **state)
{
    (void)state;
    struct loop *loop = loop_create_virtual(0);
    struct unavailable_offerings *unavailable =
        unavailable_offerings_create(&(struct unavailable_options){.loop = loop});
    struct instance_type small = {.name = "m5.large"}, big = {.name = "c5.xlarge"};
    const struct instance_type *types[] = {&small, &big};
    struct launch_candidates candidates = {types, ARRAY_LENGTH(types)};
    struct placement_group group = {.id = "pg-1", .name = "spread", .strategy = "spread"};
    struct fleet_error error = {
        .code = "UnfulfillableCapacity",
        .message = "You have reached the limit of instances in this spread placement group",
        .override = {"m5.large", "us-west-2a", "subnet-a", ""}};
    struct fleet_answer answer = {.fleet_id = "fleet-1", .errors = &error, .errors_count = 1};
    (void)fleet_errors_learn(&(struct fleet_learning){.unavailable = unavailable},
                             &(struct fleet_launch){.capacity_type = "on-demand",
                                                    .group = &group,
                                                    .candidates = &candidates},
                             &answer);
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++) {
        struct unavailable_pool pool = {types[i]->name, "us-west-2a", "on-demand", "pg-1", NULL};
        assert_true(unavailable_has_pool(unavailable, &pool));
        pool.zone = "us-west-2b";
        assert_false(unavailable_has_pool(unavailable, &pool));
        pool.zone = "us-west-2a";
        pool.group_id = NULL;
        assert_false(unavailable_has_pool(unavailable, &pool));
    }
    unavailable_offerings_destroy(unavailable);
    loop_destroy(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_requests_are_built_alike_AWI_300),
        cmocka_unit_test(subnets_in_turn_and_no_priority_AWI_934_935),
        cmocka_unit_test(tokens_do_not_depend_on_the_order_AWI_927),
        cmocka_unit_test(a_full_spread_group_AWN_154),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
