#include "cloud/aws/interruption/spot_poll.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "cloud/aws/controllers/aws_operations.h"
#include "cloud/aws/controllers/periodic.h"

#define CONTROLLER  "interruption.spotrequests"
#define INTERVAL_NS (10 * SECOND)
#define RETEST_NS   (10 * MINUTE) // of a missing permission
#define HANDLED_MAX 10            // at a time

struct warning {
    int64_t time;
    bool handled;
};
struct spot_poll {
    const struct interruption_handler *handler;
    struct periodic *periodic;
    struct map *warnings; // instance id -> struct warning, of all polls while it is reported
    struct map *seen;     // ids of this poll
    bool unauthorized;
};

static bool begin(void *context, struct operation_about *about);
static bool go_on(void *context, struct operation_about *about);

struct spot_poll *spot_poll_create(const struct interruption_handler *handler)
{
    struct spot_poll *poll = memory_allocate(sizeof *poll);
    poll->handler = handler;
    poll->warnings = map_create();
    poll->seen = map_create();
    poll->periodic =
        periodic_create(handler->manager, &(struct periodic_options){.name = CONTROLLER,
                                                                     .interval_ns = INTERVAL_NS,
                                                                     .begin = begin,
                                                                     .go_on = go_on,
                                                                     .context = poll});
    return poll;
}

void spot_poll_destroy(struct spot_poll *poll)
{
    if (poll == NULL)
        return;
    periodic_destroy(poll->periodic);
    map_destroy(poll->warnings, free);
    map_destroy(poll->seen, NULL);
    free(poll);
}

static bool any_spot_instance(const struct spot_poll *poll)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *claim;
         (claim = mirror_next(poll->handler->manager->mirror, KIND_NODE_CLAIM, &iterator)) != NULL;)
        if (text_equal(object_label(claim, LABEL_CAPACITY_TYPE), "spot") &&
            node_claim_is_launched((const struct node_claim *)claim))
            return true;
    return false;
}

static int64_t time_of(const json_t *request)
{
    int64_t instant;
    const json_t *value = json_object_get(json_object_get(request, "Status"), "UpdateTime");
    const char *text = json_string_value(value);
    if (json_is_number(value))
        return ns_from_seconds(json_number_value(value));
    return text != NULL && instant_parse(text, &instant, NULL) ? instant : 0;
}

static void note_requests(struct spot_poll *poll, const json_t *reply)
{
    const json_t *request;
    size_t index;
    json_array_foreach (json_object_get(reply, "SpotInstanceRequests"), index, request) {
        const char *id = json_string_value(json_object_get(request, "InstanceId"));
        const struct node_claim *claim;
        if (text_is_empty(id) || instance_index_claims(poll->handler->index, id, &claim, 1) == 0)
            continue; // of no NodeClaim
        map_set(poll->seen, id, poll);
        struct warning *warning = map_ensure(poll->warnings, id, sizeof *warning);
        warning->time = time_of(request);
    }
    for (struct map_entry *at = map_first(poll->warnings), *next; at != NULL; at = next) {
        next = map_next(at);
        if (map_get(poll->seen, map_key(at)) == NULL)
            free(map_remove(poll->warnings, map_key(at)));
    }
}

static enum operation_outcome note_answer(void *context, const struct aws_result *result)
{
    struct spot_poll *poll = context;
    if (result->fault == AWS_FAULT_UNAUTHORIZED) {
        if (!poll->unauthorized)
            log_error("spot interruptions stay unknown: there is no interruption queue, and the "
                      "permission ec2:DescribeSpotInstanceRequests is missing",
                      "s:controller", CONTROLLER);
        poll->unauthorized = true;
        periodic_set_interval(poll->periodic, RETEST_NS);
        return OPERATION_NOTED;
    }
    if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    poll->unauthorized = false;
    periodic_set_interval(poll->periodic, INTERVAL_NS);
    note_requests(poll, result->reply);
    return OPERATION_NOTED;
}

static bool begin(void *context, struct operation_about *about)
{
    struct spot_poll *poll = context;
    if (!any_spot_instance(poll))
        return false;
    map_destroy(poll->seen, NULL);
    poll->seen = map_create();
    about->doing = "getting spot requests";
    struct aws_request request = {
        .action = EC2_DESCRIBE_SPOT_INSTANCE_REQUESTS,
        .parameters = json_pack("{s:[{s:s, s:[s,s,s,s]}]}", "Filters", "Name", "status-code",
                                "Values", "marked-for-termination", "marked-for-stop",
                                "instance-terminated-by-price", "instance-terminated-no-capacity"),
        .all_pages = true};
    start_aws_call(about, poll->handler->environment->client, &request, note_answer, poll);
    return true;
}

static bool go_on(void *context, struct operation_about *about)
{
    struct spot_poll *poll = context;
    uint32_t started = 0;
    for (struct map_entry *at = map_first(poll->warnings); at != NULL && started < HANDLED_MAX;
         at = map_next(at)) {
        struct warning *warning = map_value(at);
        struct interruption_notice notice = {.kind = INTERRUPTION_SPOT_INTERRUPTED,
                                             .instance_id = map_key(at),
                                             .time = warning->time,
                                             .first = !warning->handled};
        started += interruption_handle(poll->handler, about, &notice);
        warning->handled = true;
    }
    return started > 0;
}
