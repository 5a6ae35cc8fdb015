#include "sim/aws/account_instances.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "sim/aws/account_filters.h"
#include "sim/aws/account_types.h"
#include "sim/aws/aws_instance.h"
#include "sim/aws/sqs_api.h"

#define WARNING_SPAN     (2 * MINUTE) // between an interruption's warning and its end
#define STOP_SECONDS_MIN 5
#define STOP_SECONDS_MAX 20
#define REMEMBERED_SPAN  HOUR // a terminated instance can be described for so long
#define INTERFACES_MAX   64
#define PARTITION        2 // of a partition placement group without number

static void stopped(void *context);
static void reclaimed(void *context);
static void interruption_draw(struct aws_instance *instance);
static void event_send(struct aws_account *account, const char *detail_type, const char *id,
                       json_t *detail);

static const char *instance_state(const struct aws_instance *instance)
{
    return instance->ended != 0 ? "terminated" : instance->ending ? "shutting-down" : "running";
}

static void state_show(struct aws_instance *instance)
{
    int code = instance->ended != 0 ? 48 : instance->ending ? 32 : 16;
    json_object_set_new(instance->shown, "instanceState",
                        json_pack("{s:i,s:s}", "code", code, "name", instance_state(instance)));
}

bool account_instance_is_hidden(const struct aws_instance *instance)
{
    int64_t now = loop_now_ns(instance->account->loop);
    return now < instance->visible_from ||
           (instance->ended != 0 && ns_subtract(now, instance->ended) > REMEMBERED_SPAN);
}

// --- launch --------------------------------------------------------------------------------------

static json_t *groups_show(const struct aws_account *account, const json_t *ids)
{
    json_t *list = json_array(), *id;
    size_t i;
    json_array_foreach (ids, i, id) {
        const char *text = text_or_empty(json_string_value(id));
        const json_t *group = account_resource(account, "securityGroups", text);
        json_array_append_new(
            list, json_pack("{s:s,s:s}", "groupId", text, "groupName", json_text(group, "name")));
    }
    return list;
}

static int64_t wire_number(const json_t *object, const char *key)
{
    int64_t value = 0;
    return text_parse_int64(json_text(object, key), &value) ? value : 0;
}

static json_t *interface_show(struct aws_account *account, const struct account_launch *launch,
                              const json_t *given)
{
    const char *kind = json_text(given, "InterfaceType");
    CLEANUP_FREE char *id = account_id(account, "eni-");
    const json_t *ids = json_object_get(given, "SecurityGroupId");
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:o,s:{s:I,s:I,s:s}}", "networkInterfaceId", id,
                     "subnetId", launch->subnet, "vpcId", json_text(account->environment, "vpc"),
                     "status", "in-use", "interfaceType", kind[0] ? kind : "interface", "groupSet",
                     groups_show(account, ids), "attachment", "deviceIndex",
                     (json_int_t)wire_number(given, "DeviceIndex"), "networkCardIndex",
                     (json_int_t)wire_number(given, "NetworkCardIndex"), "status", "attached");
}

static void network_show(struct aws_account *account, const struct account_launch *launch,
                         const json_t *data, json_t *shown)
{
    json_t *interfaces = json_array(), *given;
    const json_t *list = json_object_get(data, "NetworkInterface");
    size_t i;
    json_array_foreach (list, i, given)
        if (i < INTERFACES_MAX)
            json_array_append_new(interfaces, interface_show(account, launch, given));
    const json_t *groups = json_object_get(json_array_get(list, 0), "SecurityGroupId");
    if (groups == NULL)
        groups = json_object_get(data, "SecurityGroupId");
    if (json_array_size(interfaces) == 0) {
        json_t *plain = json_pack("{s:s}", "DeviceIndex", "0");
        if (groups != NULL)
            json_object_set(plain, "SecurityGroupId", (json_t *)groups);
        json_array_append_new(interfaces, interface_show(account, launch, plain));
        json_decref(plain);
    }
    json_object_set_new(shown, "subnetId", json_string(launch->subnet));
    json_object_set(shown, "vpcId", json_object_get(account->environment, "vpc"));
    json_object_set_new(shown, "groupSet", groups_show(account, groups));
    json_object_set_new(shown, "networkInterfaceSet", interfaces);
}

static void placement_show(const struct aws_account *account, const struct account_launch *launch,
                           const json_t *data, json_t *shown)
{
    const json_t *given = json_object_get(data, "Placement");
    const char *tenancy = json_text(given, "Tenancy");
    json_t *placement = json_pack("{s:s,s:s,s:s}", "availabilityZone", launch->zone,
                                  "availabilityZoneId", account_zone_id(account, launch->zone),
                                  "tenancy", tenancy[0] ? tenancy : "default");
    size_t i;
    json_t *group;
    json_array_foreach (json_object_get(account->environment, "placementGroups"), i, group) {
        if (strcmp(json_text(group, "id"), json_text(given, "GroupId")) != 0 &&
            strcmp(json_text(group, "name"), json_text(given, "GroupName")) != 0)
            continue;
        int64_t number = wire_number(given, "PartitionNumber");
        json_object_set(placement, "groupName", json_object_get(group, "name"));
        json_object_set(placement, "groupId", json_object_get(group, "id"));
        if (strcmp(json_text(group, "strategy"), "partition") == 0)
            json_object_set_new(placement, "partitionNumber",
                                json_integer(number > 0 ? number : PARTITION));
    }
    json_object_set_new(shown, "placement", placement);
}

static void profile_show(const struct aws_account *account, const json_t *data, json_t *shown)
{
    const json_t *profile = json_object_get(data, "IamInstanceProfile");
    const char *name = json_text(profile, "Name"), *arn = json_text(profile, "Arn");
    if (name[0] != '\0' || arn[0] != '\0')
        json_object_set_new(shown, "iamInstanceProfile",
                            json_pack("{s:o,s:s}", "arn",
                                      arn[0] ? json_string(arn)
                                             : json_sprintf("arn:aws:iam::%s:instance-profile/%s",
                                                            account_number(account), name),
                                      "id", "AIPASIMULATED"));
}

static void reservation_show(const struct account_launch *launch, json_t *shown)
{
    if (launch->reservation == NULL)
        return;
    json_object_set_new(shown, "capacityReservationId", json_string(launch->reservation));
    json_object_set_new(shown, "capacityReservationSpecification",
                        json_pack("{s:s,s:{s:s}}", "capacityReservationPreference",
                                  "capacity-reservations-only", "capacityReservationTarget",
                                  "capacityReservationId", launch->reservation));
}

static void facts_show(struct aws_instance *instance, const struct account_launch *launch,
                       json_t *shown)
{
    char now[INSTANT_TEXT_MAX];
    struct aws_account *account = instance->account;
    instant_format_milli(loop_now_ns(account->loop), now);
    json_object_set_new(shown, "imageId", json_string(launch->image));
    json_object_set_new(shown, "instanceType", json_string(instance->type));
    json_object_set_new(shown, "launchTime", json_string(now));
    json_object_set_new(
        shown, "architecture",
        json_string(account_type_has(instance->facts, "supportedArchitectures", "arm64")
                        ? "arm64"
                        : "x86_64"));
    if (launch->lifecycle != NULL)
        json_object_set_new(shown, "instanceLifecycle", json_string(launch->lifecycle));
    if (launch->lifecycle != NULL && strcmp(launch->lifecycle, "spot") == 0) {
        CLEANUP_FREE char *request = account_id(account, "sir-");
        json_object_set_new(shown, "spotInstanceRequestId", json_string(request));
    }
    json_object_set_new(shown, "tagSet", account_tag_set(launch->tags));
}

static void address_give(struct aws_instance *instance)
{
    struct aws_account *account = instance->account;
    uint32_t number = (uint32_t)map_count(account->instances) + 266;
    char address[20], dashed[20];
    snprintf(address, sizeof address, "10.%u.%u.%u", number >> 16 & 255, number >> 8 & 255,
             number & 255);
    snprintf(dashed, sizeof dashed, "10-%u-%u-%u", number >> 16 & 255, number >> 8 & 255,
             number & 255);
    instance->private_dns =
        arena_format(instance->arena, "ip-%s.%s.compute.internal", dashed, account_region(account));
    json_object_set_new(instance->shown, "privateIpAddress", json_string(address));
    json_object_set_new(instance->shown, "privateDnsName", json_string(instance->private_dns));
}

static int64_t largest_volume(const json_t *data)
{
    int64_t largest = 0;
    size_t i;
    json_t *device;
    json_array_foreach (json_object_get(data, "BlockDeviceMapping"), i, device) {
        int64_t size = wire_number(json_object_get(device, "Ebs"), "VolumeSize");
        largest = size > largest ? size : largest;
    }
    return largest < 65536 ? largest : 65536;
}

// Takes an instance from the reservation, an address from the subnet (built-in account).
static void resources_take(struct aws_account *account, const struct account_launch *launch,
                           int64_t count)
{
    json_t *reservation =
        launch->reservation == NULL
            ? NULL
            : account_resource(account, "capacityReservations", launch->reservation);
    json_t *subnet =
        account->folder != NULL ? NULL : account_resource(account, "subnets", launch->subnet);
    json_t *free_of[] = {reservation, subnet};
    for (int i = 0; i < 2; i++)
        if (free_of[i] != NULL)
            json_object_set_new(
                free_of[i], "free",
                json_integer(json_integer_value(json_object_get(free_of[i], "free")) - count));
}

int64_t account_reservation_free(const struct aws_account *account, const char *id)
{
    const json_t *reservation = account_resource(account, "capacityReservations", id);
    const char *state = json_text(reservation, "state");
    if (reservation == NULL || (state[0] != '\0' && strcmp(state, "active") != 0))
        return -1;
    return json_integer_value(json_object_get(reservation, "free"));
}

struct aws_instance *account_instance_launch(struct aws_account *account,
                                             const struct account_launch *launch)
{
    CLEANUP_FREE char *id = account_id(account, "i-");
    struct aws_instance *instance = map_ensure(account->instances, id, sizeof *instance);
    const json_t *data = launch->template != NULL ? launch->template->data : NULL;
    assert(instance->account == NULL);
    struct arena *arena = instance->arena = arena_create(1024);
    instance->account = account;
    instance->id = arena_copy_string(arena, id);
    instance->type = arena_copy_string(arena, launch->type);
    instance->zone = arena_copy_string(arena, launch->zone);
    instance->subnet = arena_copy_string(arena, launch->subnet);
    instance->reservation = arena_copy_string(arena, launch->reservation);
    instance->provider_id = arena_format(arena, "aws:///%s/%s", launch->zone, id);
    instance->user_data = arena_copy_string(arena, json_text(data, "UserData"));
    instance->volume_gibibytes = largest_volume(data);
    instance->facts = account_type_find(account, launch->type);
    instance->visible_from = ns_add(
        loop_now_ns(account->loop),
        random_between(&account->latency, account->options.lag_min, account->options.lag_max));
    instance->shown = json_pack("{s:s}", "instanceId", id);
    state_show(instance);
    facts_show(instance, launch, instance->shown);
    if (instance->facts != NULL)
        json_object_set_new(
            instance->shown, "cpuOptions",
            json_pack("{s:I,s:i}", "coreCount",
                      (json_int_t)account_type_number(instance->facts, "vCpuInfo", "defaultVCpus"),
                      "threadsPerCore", 1));
    address_give(instance);
    network_show(account, launch, data, instance->shown);
    placement_show(account, launch, data, instance->shown);
    profile_show(account, data, instance->shown);
    reservation_show(launch, instance->shown);
    resources_take(account, launch, 1);
    instance->timer = timer_create_on(account->loop, stopped, instance);
    instance->reclaim = timer_create_on(account->loop, reclaimed, instance);
    interruption_draw(instance);
    if (account->options.launched != NULL)
        account->options.launched(account->options.machines_context, instance);
    return instance;
}

// --- the end -------------------------------------------------------------------------------------

static void state_event(struct aws_instance *instance)
{
    if (instance->account->options.state_messages)
        event_send(
            instance->account, "EC2 Instance State-change Notification", instance->id,
            json_pack("{s:s,s:s}", "instance-id", instance->id, "state", instance_state(instance)));
}

void account_instance_terminate(struct aws_instance *instance, const char *reason)
{
    struct aws_account *account = instance->account;
    if (instance->ending)
        return;
    instance->ending = true;
    state_show(instance);
    json_object_set_new(instance->shown, "reason", json_string(reason));
    timer_stop(instance->reclaim);
    timer_start(instance->timer,
                random_between(&account->latency, ns_multiply(STOP_SECONDS_MIN, SECOND),
                               ns_multiply(STOP_SECONDS_MAX, SECOND)));
    state_event(instance);
}

static void stopped(void *context)
{
    struct aws_instance *instance = context;
    struct aws_account *account = instance->account;
    assert(instance->ending && instance->ended == 0);
    instance->ended = loop_now_ns(account->loop);
    state_show(instance);
    const struct account_launch held = {.reservation = instance->reservation,
                                        .subnet = instance->subnet};
    resources_take(account, &held, -1);
    state_event(instance);
    if (account->options.gone != NULL)
        account->options.gone(account->options.machines_context, instance);
}

static void reclaimed(void *context)
{
    struct aws_instance *instance = context;
    struct aws_account *account = instance->account;
    if (instance->warned_at != 0) {
        account_instance_terminate(instance, "Server.SpotInstanceTermination");
        return;
    }
    if (random_chance(&account->random, 0.5))
        aws_account_recommend_rebalance(account, instance->id);
    aws_account_interrupt(account, instance->id);
}

// The time of the interruption of a spot instance, drawn at its launch.
static void interruption_draw(struct aws_instance *instance)
{
    struct aws_account *account = instance->account;
    double rate = account->options.interruptions_per_hour;
    if (rate <= 0 || strcmp(json_text(instance->shown, "instanceLifecycle"), "spot") != 0)
        return;
    double hours = -log(1 - random_unit(&account->random)) / rate;
    timer_start(instance->reclaim, ns_from_seconds(hours * 3600));
}

void account_instance_free(void *value)
{
    struct aws_instance *instance = value;
    timer_destroy(instance->timer);
    timer_destroy(instance->reclaim);
    json_decref(instance->shown);
    arena_destroy(instance->arena);
    free(instance);
}

// --- events --------------------------------------------------------------------------------------

// An event of EC2 for the instance to the queue, in EventBridge's form. Steals `detail`.
static void event_send(struct aws_account *account, const char *detail_type, const char *id,
                       json_t *detail)
{
    char now[INSTANT_TEXT_MAX], uuid[37];
    random_uuid(&account->ids, uuid);
    instant_format(ns_truncate(loop_now_ns(account->loop), SECOND), now);
    json_t *event = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:[o],s:o}", "version", "0", "id", uuid,
                              "detail-type", detail_type, "source", "aws.ec2", "account",
                              account_number(account), "time", now, "region",
                              account_region(account), "resources",
                              json_sprintf("arn:aws:ec2:%s:%s:instance/%s", account_region(account),
                                           account_number(account), id),
                              "detail", detail);
    CLEANUP_FREE char *body = json_dumps(event, JSON_COMPACT);
    account_queue_send(account, body);
    json_decref(event);
}

bool aws_account_interrupt(struct aws_account *account, const char *id)
{
    struct aws_instance *instance = map_get(account->instances, id);
    if (instance == NULL || instance->ending)
        return false;
    instance->warned_at = loop_now_ns(account->loop);
    event_send(account, "EC2 Spot Instance Interruption Warning", id,
               json_pack("{s:s,s:s}", "instance-id", id, "instance-action", "terminate"));
    timer_start(instance->reclaim, WARNING_SPAN);
    return true;
}

bool aws_account_recommend_rebalance(struct aws_account *account, const char *id)
{
    const struct aws_instance *instance = map_get(account->instances, id);
    if (instance == NULL || instance->ending)
        return false;
    event_send(account, "EC2 Instance Rebalance Recommendation", id,
               json_pack("{s:s}", "instance-id", id));
    return true;
}

bool aws_account_terminate(struct aws_account *account, const char *id)
{
    struct aws_instance *instance = map_get(account->instances, id);
    if (instance == NULL || instance->ending)
        return false;
    account_instance_terminate(instance, "Client.UserInitiatedShutdown");
    return true;
}
