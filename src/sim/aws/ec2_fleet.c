// CreateFleet and RunInstances: which pool is launched.
//
// The cheapest override that no fault hits and whose reservation has room; the lowest Priority for
// the strategies `prioritized` and `capacity-optimized-prioritized`; ties by type, zone. Overrides
// before the chosen one that could not be launched come back as errors.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/aws/account_actions.h"
#include "sim/aws/account_faults.h"
#include "sim/aws/account_filters.h"
#include "sim/aws/account_instances.h"
#include "sim/aws/account_types.h"
#include "sim/aws/ec2_templates.h"

#define FLEET_CAPACITY_MAX 10000
#define STOCK_OUT_CODE     "InsufficientInstanceCapacity"
#define STOCK_OUT_MESSAGE \
    "We currently do not have sufficient capacity in the Availability Zone you requested."

struct candidate { // an override
    const struct account_template *template;
    const json_t *override;
    const char *type, *zone, *subnet;
    const char *reservation; // of the template; NULL: none
    double rank;             // price, or priority
    json_t *ids;             // of the instances launched here
};
struct fleet {
    struct account_call *call;
    VECTOR(struct candidate) candidates;
    const char *capacity; // DefaultTargetCapacityType
    bool by_priority;
    json_t *tags;
    json_t *errors, *shown_errors; // the wire's; the observer's
    uint32_t tried;                // candidates that have failed so far: the first ones
};

static bool pools_differ(struct fleet *fleet);
static bool fleet_read(struct fleet *fleet);
static void fleet_launch(struct fleet *fleet, int64_t count);
static void fleet_reply(struct fleet *fleet);

static int candidate_compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    int order = strcmp(x->type, y->type);
    return order != 0 ? order : strcmp(x->zone, y->zone);
}

void ec2_create_fleet(struct account_call *call)
{
    const json_t *target = json_object_get(call->params, "TargetCapacitySpecification");
    struct fleet fleet = {.call = call, .errors = json_array(), .shown_errors = json_array()};
    int64_t count = 0;
    const char *total = json_text(target, "TotalTargetCapacity");
    fleet.capacity = json_text(target, "DefaultTargetCapacityType");
    fleet.tags = account_tags_of(call->params, "instance");
    if (!text_parse_int64(total, &count) || count < 1 || count > FLEET_CAPACITY_MAX)
        account_refuse(call, 400, "InvalidParameterValue", "TotalTargetCapacity '%s' is invalid",
                       total);
    else if (fleet_read(&fleet)) {
        if (call->dry_run)
            account_refuse_dry_run(call);
        else if (pools_differ(&fleet)) {
            fleet_launch(&fleet, count);
            fleet_reply(&fleet);
            account_faults_fleet_ends(call->account);
        }
    }
    vector_for_each (candidate, &fleet.candidates)
        json_decref(candidate->ids);
    vector_free(&fleet.candidates);
    json_decref(fleet.tags);
    json_decref(fleet.errors);
    json_decref(fleet.shown_errors);
}

// --- reading -------------------------------------------------------------------------------------

static bool strategy_is_by_priority(const json_t *params)
{
    const char *spot = json_text(json_object_get(params, "SpotOptions"), "AllocationStrategy");
    const char *on_demand =
        json_text(json_object_get(params, "OnDemandOptions"), "AllocationStrategy");
    return strcmp(spot, "capacity-optimized-prioritized") == 0 ||
           strcmp(on_demand, "prioritized") == 0;
}

static double candidate_rank(const struct fleet *fleet, const struct candidate *candidate)
{
    bool spot = strcmp(fleet->capacity, "spot") == 0;
    const char *priority = json_text(candidate->override, "Priority");
    if (fleet->by_priority)
        return priority[0] != '\0' ? strtod(priority, NULL) : INFINITY;
    double price = account_price(fleet->call->account, candidate->type, candidate->zone, spot);
    return price >= 0 ? price : INFINITY;
}

static const char *template_reservation(const struct account_template *template)
{
    const json_t *specification =
        json_object_get(template->data, "CapacityReservationSpecification");
    const json_t *target = json_object_get(specification, "CapacityReservationTarget");
    return json_string_value(json_object_get(target, "CapacityReservationId"));
}

static bool candidate_add(struct fleet *fleet, const struct account_template *template,
                          const json_t *override)
{
    struct account_call *call = fleet->call;
    struct candidate candidate = {
        .template = template,
        .override = override,
        .type = json_text(override, "InstanceType"),
        .zone = json_text(override, "AvailabilityZone"),
        .subnet = json_text(override, "SubnetId"),
        .reservation = template_reservation(template),
    };
    const json_t *subnet = account_resource(call->account, "subnets", candidate.subnet);
    if (subnet == NULL)
        return account_refuse(call, 400, "InvalidSubnetID.NotFound",
                              "The subnet ID '%s' does not exist", candidate.subnet);
    if (candidate.zone[0] == '\0')
        candidate.zone = json_text(subnet, "zone");
    if (strcmp(candidate.zone, json_text(subnet, "zone")) != 0)
        return account_refuse(call, 400, "InvalidParameterValue",
                              "The subnet '%s' is not in zone %s", candidate.subnet,
                              candidate.zone);
    if (account_type_find(call->account, candidate.type) == NULL)
        return account_refuse(call, 400, "InvalidInstanceType",
                              "The following supplied instance types do not exist: [%s]",
                              candidate.type);
    candidate.rank = candidate_rank(fleet, &candidate);
    vector_push(&fleet->candidates, candidate);
    return true;
}

// EC2 refuses a type that is named twice in a zone, whatever the subnets; a dry run does not look.
static bool pools_differ(struct fleet *fleet)
{
    struct map *pools = map_create();
    bool differ = true;
    vector_for_each (candidate, &fleet->candidates) {
        char key[300];
        snprintf(key, sizeof key, "%s %s %s", candidate->type, candidate->zone,
                 text_or_empty(candidate->reservation));
        differ = map_set(pools, key, fleet) == NULL && differ;
    }
    map_destroy(pools, NULL);
    return differ || account_refuse(fleet->call, 400, "InvalidFleetConfig",
                                    "The fleet configuration contains duplicate instance pools.");
}

static bool fleet_read(struct fleet *fleet)
{
    struct account_call *call = fleet->call;
    size_t i, j;
    json_t *config, *override;
    fleet->by_priority = strategy_is_by_priority(call->params);
    json_array_foreach (json_object_get(call->params, "LaunchTemplateConfigs"), i, config) {
        const struct account_template *template =
            account_template_find(call, json_object_get(config, "LaunchTemplateSpecification"));
        if (template == NULL)
            return false;
        json_array_foreach (json_object_get(config, "Overrides"), j, override)
            if (!candidate_add(fleet, template, override))
                return false;
    }
    if (fleet->candidates.count == 0)
        return account_refuse(call, 400, "MissingParameter", "The request has no overrides");
    qsort(fleet->candidates.items, fleet->candidates.count, sizeof *fleet->candidates.items,
          candidate_compare);
    return true;
}

// --- the choice ----------------------------------------------------------------------------------

static bool candidate_is_spot(const struct fleet *fleet)
{
    return strcmp(fleet->capacity, "spot") == 0;
}

// The wire's LaunchTemplateAndOverrides.
static json_t *pool_show(const struct candidate *candidate)
{
    json_t *overrides = json_pack("{s:s,s:s,s:s}", "instanceType", candidate->type, "subnetId",
                                  candidate->subnet, "availabilityZone", candidate->zone);
    const char *image = json_text(candidate->override, "ImageId");
    const char *priority = json_text(candidate->override, "Priority");
    if (image[0] != '\0')
        json_object_set_new(overrides, "imageId", json_string(image));
    if (priority[0] != '\0')
        json_object_set_new(overrides, "priority", json_string(priority));
    return json_pack("{s:{s:s,s:s,s:s},s:o}", "launchTemplateSpecification", "launchTemplateId",
                     candidate->template->id, "launchTemplateName", candidate->template->name,
                     "version", "1", "overrides", overrides);
}

static bool pool_fails(struct fleet *fleet, const struct candidate *candidate, const char *code,
                       const char *message)
{
    json_array_append_new(fleet->errors,
                          json_pack("{s:s,s:s,s:o,s:s}", "errorCode", code, "errorMessage", message,
                                    "launchTemplateAndOverrides", pool_show(candidate), "lifecycle",
                                    candidate_is_spot(fleet) ? "spot" : "on-demand"));
    json_array_append_new(fleet->shown_errors,
                          json_pack("[s,s,s,s]", code, message, candidate->type, candidate->zone));
    return false;
}

// False: the pool cannot be launched, and the fleet has another error.
static bool candidate_is_open(struct fleet *fleet, const struct candidate *candidate)
{
    struct aws_account *account = fleet->call->account;
    const char *capacity_types[3] = {candidate_is_spot(fleet) ? "spot" : "on-demand"};
    if (candidate->reservation != NULL)
        capacity_types[1] = "reserved";
    const struct aws_account_fault *fault =
        account_faults_of_pool(account, candidate->type, candidate->zone, capacity_types);
    if (fault != NULL)
        return pool_fails(fleet, candidate, fault->code, fault->message);
    if (candidate->reservation == NULL &&
        account_faults_stock_out(account, candidate->type, candidate->zone, capacity_types[0]))
        return pool_fails(fleet, candidate, STOCK_OUT_CODE, STOCK_OUT_MESSAGE);
    if (candidate->reservation != NULL &&
        account_reservation_free(account, candidate->reservation) <= 0)
        return pool_fails(fleet, candidate, "ReservationCapacityExceeded",
                          "The requested reservation does not have sufficient compatible and "
                          "available capacity for this request.");
    const json_t *subnet = account_resource(account, "subnets", candidate->subnet);
    if (account->folder == NULL && json_integer_value(json_object_get(subnet, "free")) <= 0)
        return pool_fails(fleet, candidate, "InsufficientFreeAddressesInSubnet",
                          "There are not enough free addresses in the subnet.");
    return true;
}

static const char *candidate_lifecycle(const struct fleet *fleet)
{
    static const char *const names[][2] = {
        {"spot", "spot"},
        {"capacity-block", "capacity-block"},
        {"reserved-capacity", "interruptible-capacity-reservation"}};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strcmp(names[i][0], fleet->capacity) == 0)
            return names[i][1];
    return NULL;
}

static void candidate_launch(struct fleet *fleet, struct candidate *candidate)
{
    const char *image = json_text(candidate->override, "ImageId");
    const struct account_launch launch = {
        .template = candidate->template,
        .type = candidate->type,
        .zone = candidate->zone,
        .subnet = candidate->subnet,
        .image = image[0] != '\0' ? image : json_text(candidate->template->data, "ImageId"),
        .lifecycle = candidate_lifecycle(fleet),
        .reservation = candidate->reservation,
        .tags = fleet->tags,
    };
    const struct aws_instance *instance = account_instance_launch(fleet->call->account, &launch);
    if (candidate->ids == NULL)
        candidate->ids = json_array();
    json_array_append_new(candidate->ids, json_string(instance->id));
}

static void fleet_launch(struct fleet *fleet, int64_t count)
{
    for (; count > 0; count--) {
        while (fleet->tried < fleet->candidates.count &&
               !candidate_is_open(fleet, &fleet->candidates.items[fleet->tried]))
            fleet->tried++;
        if (fleet->tried == fleet->candidates.count)
            return; // a partial fleet, or none
        candidate_launch(fleet, &fleet->candidates.items[fleet->tried]);
        if (account_faults_pool_runs_dry(fleet->call->account)) {
            pool_fails(fleet, &fleet->candidates.items[fleet->tried], STOCK_OUT_CODE,
                       STOCK_OUT_MESSAGE);
            fleet->tried++;
        }
    }
}

static void fleet_reply(struct fleet *fleet)
{
    struct account_call *call = fleet->call;
    json_t *instances = json_array(), *shown = json_array();
    const char *lifecycle = candidate_is_spot(fleet) ? "spot" : "on-demand";
    vector_for_each (candidate, &fleet->candidates) {
        if (candidate->ids == NULL)
            continue;
        json_array_append_new(instances, json_pack("{s:O,s:s,s:o,s:s}", "instanceIds",
                                                   candidate->ids, "instanceType", candidate->type,
                                                   "launchTemplateAndOverrides",
                                                   pool_show(candidate), "lifecycle", lifecycle));
        json_array_append_new(shown,
                              json_pack("{s:O,s:s,s:s,s:s,s:s}", "ids", candidate->ids, "lifecycle",
                                        lifecycle, "template", candidate->template->name, "type",
                                        candidate->type, "zone", candidate->zone));
    }
    CLEANUP_FREE char *id = account_id(call->account, "fleet-");
    call->reply = json_pack("{s:s,s:O,s:o}", "fleetId", id, "errorSet", fleet->errors,
                            "fleetInstanceSet", instances);
    call->fleet_reply = json_pack("{s:o,s:O}", "instances", shown, "errors", fleet->shown_errors);
}

// --- RunInstances --------------------------------------------------------------------------------

static bool profile_exists(struct account_call *call, const json_t *data)
{
    const char *name = json_text(json_object_get(data, "IamInstanceProfile"), "Name");
    size_t i;
    json_t *missing;
    json_array_foreach (json_object_get(call->account->environment, "missingInstanceProfiles"), i,
                        missing)
        if (strcmp(text_or_empty(json_string_value(missing)), name) == 0)
            return account_refuse(call, 400, "InvalidParameterValue",
                                  "Value (%s) for parameter iamInstanceProfile.name is invalid. "
                                  "Invalid IAM Instance Profile name",
                                  name);
    return true;
}

void ec2_run_instances(struct account_call *call)
{
    const json_t *params = call->params;
    const json_t *specification = json_object_get(params, "LaunchTemplate");
    const struct account_template *template =
        specification != NULL ? account_template_find(call, specification) : NULL;
    if (call->code != NULL || (template != NULL && !profile_exists(call, template->data)))
        return;
    const json_t *interface = json_array_get(json_object_get(params, "NetworkInterface"), 0);
    const char *subnet_id = json_text(interface, "SubnetId"), *image = json_text(params, "ImageId");
    if (subnet_id[0] == '\0')
        subnet_id = json_text(params, "SubnetId");
    const json_t *subnet = account_resource(call->account, "subnets", subnet_id);
    const char *type = json_text(params, "InstanceType");
    if (subnet == NULL)
        account_refuse(call, 400, "InvalidSubnetID.NotFound", "The subnet ID '%s' does not exist",
                       subnet_id);
    else if (account_type_find(call->account, type) == NULL)
        account_refuse(call, 400, "InvalidParameterValue", "Invalid value '%s' for InstanceType.",
                       type);
    else if (call->dry_run)
        account_refuse_dry_run(call);
    if (call->code != NULL)
        return;
    json_t *tags = account_tags_of(params, "instance");
    const struct account_launch launch = {
        .template = template,
        .type = type,
        .zone = json_text(subnet, "zone"),
        .subnet = subnet_id,
        .image =
            image[0] != '\0' || template == NULL ? image : json_text(template->data, "ImageId"),
        .tags = tags,
    };
    const struct aws_instance *instance = account_instance_launch(call->account, &launch);
    call->reply = json_pack("{s:s,s:s,s:[O]}", "reservationId", "r-0simulated", "ownerId",
                            account_number(call->account), "instancesSet", instance->shown);
    json_decref(tags);
}
