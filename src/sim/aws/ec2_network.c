// EC2's resources that nodes are made of: zones, subnets, security groups, images, reservations,
// placement groups.
#include <string.h>

#include "sim/aws/account_actions.h"
#include "sim/aws/account_filters.h"

static json_t *kind_list(const struct account_call *call, const char *kind)
{
    return json_object_get(call->account->environment, kind);
}

static void tags_show(json_t *shown, const json_t *resource)
{
    json_object_set_new(shown, "tagSet", account_tag_set(json_object_get(resource, "tags")));
}

void ec2_describe_availability_zones(struct account_call *call)
{
    static const struct account_filter filters[] = {{"zone-name", "zoneName"},
                                                    {"zone-id", "zoneId"},
                                                    {"state", "zoneState"},
                                                    {"region-name", "regionName"},
                                                    {NULL, NULL}};
    json_t *list = json_array(), *id;
    const char *zone, *region = account_region(call->account);
    json_object_foreach (json_object_get(call->account->environment, "zones"), zone, id)
        if (account_asked(call->params, "ZoneName", zone))
            json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:O,s:s,s:s}", "zoneName", zone,
                                                  "zoneState", "available", "regionName", region,
                                                  "zoneId", id, "zoneType", "availability-zone",
                                                  "optInStatus", "opt-in-not-required"));
    account_filters_reply(call, "availabilityZoneInfo", list, filters);
}

// Asked by id, all must exist.
static bool ids_exist(struct account_call *call, const char *parameter, const char *kind,
                      const char *code, const char *noun)
{
    size_t i;
    json_t *id;
    json_array_foreach (json_object_get(call->params, parameter), i, id)
        if (account_resource(call->account, kind, text_or_empty(json_string_value(id))) == NULL)
            return account_refuse(call, 400, code, "The %s ID '%s' does not exist", noun,
                                  text_or_empty(json_string_value(id)));
    return true;
}

void ec2_describe_subnets(struct account_call *call)
{
    static const struct account_filter filters[] = {{"subnet-id", "subnetId"},
                                                    {"availability-zone", "availabilityZone"},
                                                    {"availability-zone-id", "availabilityZoneId"},
                                                    {"vpc-id", "vpcId"},
                                                    {"state", "state"},
                                                    {NULL, NULL}};
    json_t *list = json_array(), *subnet;
    size_t i;
    if (!ids_exist(call, "SubnetId", "subnets", "InvalidSubnetID.NotFound", "subnet")) {
        json_decref(list);
        return;
    }
    json_array_foreach (kind_list(call, "subnets"), i, subnet) {
        const char *zone = json_text(subnet, "zone");
        if (!account_asked(call->params, "SubnetId", json_text(subnet, "id")))
            continue;
        bool public = json_is_true(json_object_get(subnet, "public"));
        json_t *shown = json_pack("{s:s,s:s,s:s,s:s,s:s,s:O,s:b,s:b}", "subnetId",
                                  json_text(subnet, "id"), "state", "available", "vpcId",
                                  json_text(call->account->environment, "vpc"), "availabilityZone",
                                  zone, "availabilityZoneId", account_zone_id(call->account, zone),
                                  "availableIpAddressCount", json_object_get(subnet, "free"),
                                  "defaultForAz", 0, "mapPublicIpOnLaunch", public);
        tags_show(shown, subnet);
        json_array_append_new(list, shown);
    }
    account_filters_reply(call, "subnetSet", list, filters);
}

void ec2_describe_security_groups(struct account_call *call)
{
    static const struct account_filter filters[] = {{"group-id", "groupId"},
                                                    {"group-name", "groupName"},
                                                    {"vpc-id", "vpcId"},
                                                    {"owner-id", "ownerId"},
                                                    {NULL, NULL}};
    json_t *list = json_array(), *group;
    size_t i;
    if (!ids_exist(call, "GroupId", "securityGroups", "InvalidGroup.NotFound", "security group")) {
        json_decref(list);
        return;
    }
    json_array_foreach (kind_list(call, "securityGroups"), i, group) {
        if (!account_asked(call->params, "GroupId", json_text(group, "id")))
            continue;
        json_t *shown = json_pack(
            "{s:s,s:s,s:s,s:s,s:s}", "ownerId", account_number(call->account), "groupId",
            json_text(group, "id"), "groupName", json_text(group, "name"), "groupDescription",
            json_text(group, "name"), "vpcId", json_text(call->account->environment, "vpc"));
        tags_show(shown, group);
        json_array_append_new(list, shown);
    }
    account_filters_reply(call, "securityGroupInfo", list, filters);
}

// Owner: account numbers, "self", or an alias such as "amazon".
static bool owner_asked(const struct account_call *call, const json_t *image)
{
    const json_t *owners = json_object_get(call->params, "Owner");
    size_t i;
    json_t *owner;
    json_array_foreach (owners, i, owner) {
        const char *name = text_or_empty(json_string_value(owner));
        if (strcmp(name, "self") == 0)
            name = account_number(call->account);
        if (strcmp(name, json_text(image, "owner")) == 0 ||
            (name[0] != '\0' && strcmp(name, json_text(image, "alias")) == 0))
            return true;
    }
    return json_array_size(owners) == 0;
}

static bool image_is_hidden(const struct account_call *call, const json_t *image)
{
    int64_t deprecated = 0;
    bool own = strcmp(json_text(image, "owner"), account_number(call->account)) == 0;
    bool past = instant_parse(json_text(image, "deprecation"), &deprecated, NULL) &&
                deprecated <= loop_now_ns(call->account->loop);
    return past && !own && strcmp(json_text(call->params, "IncludeDeprecated"), "true") != 0;
}

static json_t *image_show(const struct account_call *call, const json_t *image)
{
    const char *state = json_text(image, "state"), *alias = json_text(image, "alias");
    json_t *shown = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "imageId", json_text(image, "id"), "name",
        json_text(image, "name"), "imageState", state[0] ? state : "available", "imageOwnerId",
        json_text(image, "owner"), "architecture", json_text(image, "architecture"), "creationDate",
        json_text(image, "created"), "imageType", "machine", "rootDeviceType", "ebs",
        "rootDeviceName", "/dev/xvda", "virtualizationType", "hvm");
    bool public = strcmp(json_text(image, "owner"), account_number(call->account)) != 0;
    json_object_set_new(shown, "isPublic", json_boolean(public));
    if (alias[0] != '\0')
        json_object_set_new(shown, "imageOwnerAlias", json_string(alias));
    if (json_text(image, "deprecation")[0] != '\0')
        json_object_set(shown, "deprecationTime", json_object_get(image, "deprecation"));
    tags_show(shown, image);
    return shown;
}

void ec2_describe_images(struct account_call *call)
{
    static const struct account_filter filters[] = {{"image-id", "imageId"},
                                                    {"name", "name"},
                                                    {"state", "imageState"},
                                                    {"architecture", "architecture"},
                                                    {"owner-id", "imageOwnerId"},
                                                    {"owner-alias", "imageOwnerAlias"},
                                                    {"virtualization-type", "virtualizationType"},
                                                    {"root-device-type", "rootDeviceType"},
                                                    {"is-public", "isPublic"},
                                                    {NULL, NULL}};
    json_t *list = json_array(), *image;
    size_t i;
    if (!ids_exist(call, "ImageId", "images", "InvalidAMIID.NotFound", "image")) {
        json_decref(list);
        return;
    }
    json_array_foreach (kind_list(call, "images"), i, image)
        if (account_asked(call->params, "ImageId", json_text(image, "id")) &&
            owner_asked(call, image) && !image_is_hidden(call, image))
            json_array_append_new(list, image_show(call, image));
    account_filters_reply(call, "imagesSet", list, filters);
}

// --- capacity reservations -----------------------------------------------------------------------

// The end of a reservation, of its absolute or relative time; INT64_MAX: none.
static int64_t reservation_end(const struct aws_account *account, const json_t *reservation)
{
    int64_t end;
    const json_t *minutes = json_object_get(reservation, "endInMinutes");
    if (json_is_integer(minutes))
        return ns_add(account->start, ns_multiply(json_integer_value(minutes), MINUTE));
    if (instant_parse(json_text(reservation, "end"), &end, NULL))
        return end;
    return NS_NEVER;
}

static json_t *reservation_show(const struct account_call *call, const json_t *reservation)
{
    const struct aws_account *account = call->account;
    const char *state = json_text(reservation, "state"), *kind = json_text(reservation, "kind");
    const char *zone = json_text(reservation, "zone"), *id = json_text(reservation, "id");
    char text[INSTANT_TEXT_MAX];
    int64_t end = reservation_end(account, reservation);
    json_t *shown = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:O,s:O,s:s,s:s}", "capacityReservationId", id, "ownerId",
        json_text(reservation, "owner"), "instanceType", json_text(reservation, "type"),
        "availabilityZone", zone, "availabilityZoneId", account_zone_id(account, zone),
        "instancePlatform", "Linux/UNIX", "tenancy", "default", "totalInstanceCount",
        json_object_get(reservation, "total"), "availableInstanceCount",
        json_object_get(reservation, "free"), "instanceMatchCriteria",
        json_text(reservation, "match"), "state", state[0] ? state : "active");
    json_object_set_new(shown, "capacityReservationArn",
                        json_sprintf("arn:aws:ec2:%s:%s:capacity-reservation/%s",
                                     account_region(account), json_text(reservation, "owner"), id));
    json_object_set_new(shown, "reservationType", json_string(kind[0] ? kind : "default"));
    json_object_set_new(shown, "endDateType",
                        json_string(end == NS_NEVER ? "unlimited" : "limited"));
    if (end != NS_NEVER) {
        instant_format_milli(end, text);
        json_object_set_new(shown, "endDate", json_string(text));
    }
    if (json_is_true(json_object_get(reservation, "interruptible")))
        json_object_set_new(shown, "interruptible", json_true());
    instant_format_milli(ns_subtract(account->start, HOUR), text);
    json_object_set_new(shown, "startDate", json_string(text));
    tags_show(shown, reservation);
    return shown;
}

void ec2_describe_capacity_reservations(struct account_call *call)
{
    static const struct account_filter filters[] = {
        {"state", "state"},
        {"instance-match-criteria", "instanceMatchCriteria"},
        {"owner-id", "ownerId"},
        {"instance-type", "instanceType"},
        {"availability-zone", "availabilityZone"},
        {"availability-zone-id", "availabilityZoneId"},
        {"tenancy", "tenancy"},
        {"reservation-type", "reservationType"},
        {NULL, NULL}};
    json_t *list = json_array(), *reservation, *id;
    size_t i;
    json_array_foreach (json_object_get(call->params, "CapacityReservationId"), i, id)
        if (account_resource(call->account, "capacityReservations",
                             text_or_empty(json_string_value(id))) == NULL) {
            json_decref(list);
            account_refuse(call, 400, "InvalidCapacityReservationId.NotFound",
                           "The capacity reservation ID '%s' does not exist",
                           text_or_empty(json_string_value(id)));
            return;
        }
    json_array_foreach (kind_list(call, "capacityReservations"), i, reservation)
        if (account_asked(call->params, "CapacityReservationId", json_text(reservation, "id")))
            json_array_append_new(list, reservation_show(call, reservation));
    account_filters_reply(call, "capacityReservationSet", list, filters);
}

// --- placement groups ----------------------------------------------------------------------------

static bool placement_groups_exist(struct account_call *call, const char *parameter,
                                   const char *member)
{
    size_t i, j;
    json_t *asked, *group;
    json_array_foreach (json_object_get(call->params, parameter), i, asked) {
        bool found = false;
        const char *text = text_or_empty(json_string_value(asked));
        json_array_foreach (kind_list(call, "placementGroups"), j, group)
            found = found || strcmp(json_text(group, member), text) == 0;
        if (!found)
            return account_refuse(call, 400, "InvalidPlacementGroup.Unknown",
                                  "The Placement Group '%s' is unknown.", text);
    }
    return true;
}

void ec2_describe_placement_groups(struct account_call *call)
{
    static const struct account_filter filters[] = {{"state", "state"},
                                                    {"group-name", "groupName"},
                                                    {"strategy", "strategy"},
                                                    {"spread-level", "spreadLevel"},
                                                    {NULL, NULL}};
    json_t *list = json_array(), *group;
    size_t i;
    if (!placement_groups_exist(call, "GroupId", "id") ||
        !placement_groups_exist(call, "GroupName", "name")) {
        json_decref(list);
        return;
    }
    json_array_foreach (kind_list(call, "placementGroups"), i, group) {
        const char *state = json_text(group, "state");
        if (!account_asked(call->params, "GroupId", json_text(group, "id")) ||
            !account_asked(call->params, "GroupName", json_text(group, "name")))
            continue;
        json_t *shown =
            json_pack("{s:s,s:s,s:s,s:s}", "groupId", json_text(group, "id"), "groupName",
                      json_text(group, "name"), "strategy", json_text(group, "strategy"), "state",
                      state[0] ? state : "available");
        if (json_text(group, "spreadLevel")[0] != '\0')
            json_object_set(shown, "spreadLevel", json_object_get(group, "spreadLevel"));
        if (json_is_integer(json_object_get(group, "partitions")))
            json_object_set(shown, "partitionCount", json_object_get(group, "partitions"));
        tags_show(shown, group);
        json_array_append_new(list, shown);
    }
    account_filters_reply(call, "placementGroupSet", list, filters);
}
