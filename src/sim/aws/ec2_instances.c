// EC2's calls about instances that exist.
#include <assert.h>
#include <string.h>

#include "sim/aws/account_actions.h"
#include "sim/aws/account_filters.h"
#include "sim/aws/account_instances.h"
#include "sim/aws/account_wire.h"
#include "sim/aws/instance_boot.h"

static const struct account_filter instance_filters[] = {
    {"instance-id", "instanceId"},
    {"instance-state-name", "instanceState.name"},
    {"instance-type", "instanceType"},
    {"instance-lifecycle", "instanceLifecycle"},
    {"availability-zone", "placement.availabilityZone"},
    {"subnet-id", "subnetId"},
    {"vpc-id", "vpcId"},
    {"image-id", "imageId"},
    {"capacity-reservation-id", "capacityReservationId"},
    {"placement-group-name", "placement.groupName"},
    {"private-dns-name", "privateDnsName"},
    {NULL, NULL}};

// The ids that the call names and that do not exist (yet).
static bool instances_exist(struct account_call *call, const char *parameter)
{
    struct text missing = {0};
    uint32_t count = 0;
    size_t i;
    json_t *id;
    json_array_foreach (json_object_get(call->params, parameter), i, id) {
        const char *text = text_or_empty(json_string_value(id));
        if (!text_starts_with(text, "i-")) {
            text_free(&missing);
            return account_refuse(call, 400, "InvalidInstanceID.Malformed", "Invalid id: \"%s\"",
                                  text);
        }
        const struct aws_instance *instance = map_get(call->account->instances, text);
        if (instance == NULL || account_instance_is_hidden(instance)) {
            text_join(&missing, ", ", text);
            count++;
        }
    }
    if (count > 0)
        account_refuse(call, 400, "InvalidInstanceID.NotFound",
                       "The instance ID%s '%s' do%s not exist", text_plural(count), missing.data,
                       count == 1 ? "es" : "");
    text_free(&missing);
    return count == 0;
}

static json_t *reservation_of(struct account_call *call, json_t *instance)
{
    json_t *groups = json_array();
    json_t *reservation = json_pack(
        "{s:s,s:s,s:o,s:[O]}", "reservationId", json_text(instance, "instanceId"), "ownerId",
        account_number(call->account), "groupSet", groups, "instancesSet", instance);
    char id[40] = "r-";
    strncat(id, json_text(instance, "instanceId") + 2, 20);
    json_object_set_new(reservation, "reservationId", json_string(id));
    return reservation;
}

void ec2_describe_instances(struct account_call *call)
{
    if (json_array_size(json_object_get(call->params, "InstanceId")) > 0 &&
        json_object_get(call->params, "MaxResults") != NULL) {
        account_refuse(call, 400, "InvalidParameterCombination",
                       "The parameter instancesSet cannot be used with the parameter maxResults");
        return;
    }
    if (!instances_exist(call, "InstanceId"))
        return;
    json_t *list = json_array(), *reservations = json_array(), *shown;
    for (struct map_entry *e = map_first(call->account->instances); e != NULL; e = map_next(e)) {
        const struct aws_instance *instance = map_value(e);
        if (!account_instance_is_hidden(instance) &&
            account_asked(call->params, "InstanceId", instance->id))
            json_array_append(list, instance->shown);
    }
    if (account_filters_reply(call, "reservationSet", list, instance_filters)) {
        size_t i;
        json_array_foreach (json_object_get(call->reply, "reservationSet"), i, shown)
            json_array_append_new(reservations, reservation_of(call, shown));
        json_object_set(call->reply, "reservationSet", reservations);
    }
    json_decref(reservations);
}

static json_t *state_of(const struct aws_instance *instance)
{
    return json_deep_copy(json_object_get(instance->shown, "instanceState"));
}

void ec2_terminate_instances(struct account_call *call)
{
    const json_t *ids = json_object_get(call->params, "InstanceId");
    if (json_array_size(ids) == 0) {
        account_refuse(call, 400, "MissingParameter",
                       "The request must contain the parameter InstanceId");
        return;
    }
    // EC2 ends no instance if one of them is unknown.
    if (!instances_exist(call, "InstanceId"))
        return;
    json_t *list = json_array(), *id;
    size_t i;
    json_array_foreach (ids, i, id) {
        struct aws_instance *instance = map_get(call->account->instances, json_string_value(id));
        assert(instance != NULL);
        json_t *before = state_of(instance);
        account_instance_terminate(instance, "Client.UserInitiatedShutdown");
        json_array_append_new(list,
                              json_pack("{s:s,s:o,s:o}", "instanceId", instance->id, "currentState",
                                        state_of(instance), "previousState", before));
    }
    call->reply = json_pack("{s:o}", "instancesSet", list);
}

static void tag_put(json_t *tags, const char *key, const char *value)
{
    size_t i;
    json_t *tag;
    json_array_foreach (tags, i, tag)
        if (strcmp(json_text(tag, "key"), key) == 0) {
            json_object_set_new(tag, "value", json_string(value));
            return;
        }
    json_array_append_new(tags, json_pack("{s:s,s:s}", "key", key, "value", value));
}

void ec2_create_tags(struct account_call *call)
{
    size_t i, j;
    json_t *id, *tag;
    const json_t *ids = json_object_get(call->params, "ResourceId");
    if (!instances_exist(call, "ResourceId"))
        return;
    json_array_foreach (ids, i, id) {
        struct aws_instance *instance = map_get(call->account->instances, json_string_value(id));
        json_array_foreach (json_object_get(call->params, "Tag"), j, tag)
            tag_put(json_object_get(instance->shown, "tagSet"), json_text(tag, "Key"),
                    json_text(tag, "Value"));
    }
    call->reply = json_pack("{s:b}", "return", 1);
}

// --- status --------------------------------------------------------------------------------------

static json_t *status_of(const struct aws_instance *instance)
{
    json_t *shown =
        json_pack("{s:s,s:s,s:O,s:{s:s},s:{s:s},s:{s:s}}", "instanceId", instance->id,
                  "availabilityZone", instance->zone, "instanceState",
                  json_object_get(instance->shown, "instanceState"), "instanceStatus", "status",
                  "ok", "systemStatus", "status", "ok", "attachedEbsStatus", "status", "ok");
    json_t *status = map_get(instance->account->statuses, instance->id);
    if (status != NULL)
        json_object_update(shown, status);
    return shown;
}

void ec2_describe_instance_status(struct account_call *call)
{
    static const struct account_filter filters[] = {
        {"instance-status.status", "instanceStatus.status"},
        {"instance-status.reachability", "instanceStatus.details.status"},
        {"system-status.status", "systemStatus.status"},
        {"attached-ebs-status.status", "attachedEbsStatus.status"},
        {"event.code", "eventsSet.code"},
        {"availability-zone", "availabilityZone"},
        {"instance-state-name", "instanceState.name"},
        {NULL, NULL}};
    json_t *list = json_array();
    bool all = strcmp(json_text(call->params, "IncludeAllInstances"), "true") == 0;
    if (!instances_exist(call, "InstanceId")) {
        json_decref(list);
        return;
    }
    for (struct map_entry *e = map_first(call->account->instances); e != NULL; e = map_next(e)) {
        const struct aws_instance *instance = map_value(e);
        if (!account_instance_is_hidden(instance) && (all || !instance->ending) &&
            account_asked(call->params, "InstanceId", instance->id))
            json_array_append_new(list, status_of(instance));
    }
    account_filters_reply(call, "instanceStatusSet", list, filters);
}

void ec2_get_console_output(struct account_call *call)
{
    const char *id = json_text(call->params, "InstanceId");
    const struct aws_instance *instance = map_get(call->account->instances, id);
    if (instance == NULL || account_instance_is_hidden(instance)) {
        account_refuse(call, 400, "InvalidInstanceID.NotFound",
                       "The instance ID '%s' does not exist", id);
        return;
    }
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct machine_boot boot;
    char now[INSTANT_TEXT_MAX];
    bool joins = aws_instance_boot(instance, arena, &boot);
    const char *output = joins ? "[    1.0] kubelet started\n"
                               : "[    1.0] the kubelet cannot join the cluster: no or wrong "
                                 "cluster settings in the user data\n";
    CLEANUP_FREE char *encoded = account_base64_encode(output, strlen(output));
    instant_format_milli(loop_now_ns(call->account->loop), now);
    call->reply = json_pack("{s:s,s:s,s:s}", "instanceId", id, "timestamp", now, "output", encoded);
}

// The request's status as EC2 shows it: a warning marks it until the instance is gone.
static json_t *spot_status(const struct aws_instance *instance)
{
    char updated[INSTANT_TEXT_MAX];
    const char *code = instance->ending ? "instance-terminated-by-user" : "fulfilled";
    if (instance->warned_at == 0)
        return json_pack("{s:s}", "code", code);
    instant_format_milli(instance->warned_at, updated);
    code = instance->ending ? "instance-terminated-no-capacity" : "marked-for-termination";
    return json_pack("{s:s,s:s}", "code", code, "updateTime", updated);
}

void ec2_describe_spot_instance_requests(struct account_call *call)
{
    static const struct account_filter filters[] = {
        {"spot-instance-request-id", "spotInstanceRequestId"},
        {"instance-id", "instanceId"},
        {"state", "state"},
        {"status-code", "status.code"},
        {NULL, NULL}};
    json_t *list = json_array();
    for (struct map_entry *e = map_first(call->account->instances); e != NULL; e = map_next(e)) {
        const struct aws_instance *instance = map_value(e);
        const char *request = json_text(instance->shown, "spotInstanceRequestId");
        if (request[0] == '\0' || account_instance_is_hidden(instance) ||
            !account_asked(call->params, "SpotInstanceRequestId", request))
            continue;
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:o}", "spotInstanceRequestId", request,
                                              "instanceId", instance->id, "state",
                                              instance->ending ? "closed" : "active", "status",
                                              spot_status(instance)));
    }
    account_filters_reply(call, "spotInstanceRequestSet", list, filters);
}
