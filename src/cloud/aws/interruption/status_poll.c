#include "cloud/aws/interruption/status_poll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "cloud/aws/controllers/aws_operations.h"
#include "cloud/aws/controllers/periodic.h"
#include "cloud/aws/interruption/instance_status.h"
#include "reconcile/events.h"

#define CONTROLLER        "interruption.instancestatus"
#define INTERVAL_NS       MINUTE
#define RETEST_NS         (10 * MINUTE) // of a missing permission (AWI-956)
#define IDS_OF_CALL       100
#define CALLS_BY_ID_MAX   3 // beyond them the whole account takes fewer calls
#define PAGE_MAX          1000
#define HANDLED_MAX       10 // at a time
#define UNHEALTHY_PERCENT 20 // LIF-197
#define ANNOUNCED_NS      (15 * MINUTE)
#define NEVER_NS          (1000 * 24 * HOUR)

struct status_poll {
    const struct interruption_handler *handler;
    struct periodic *periodic;
    struct map *findings; // instance id -> struct instance_findings, of this pass
    struct map *handled;  // "<id>/<category>": first handled in this pass
    struct map *reported; // "<id>/<category>" seen at the last poll (AWI-584)
    bool unauthorized, by_account;
};

static bool begin(void *context, struct operation_about *about);
static bool go_on(void *context, struct operation_about *about);

struct status_poll *status_poll_create(const struct interruption_handler *handler)
{
    struct status_poll *poll = memory_allocate(sizeof *poll);
    poll->handler = handler;
    poll->findings = map_create();
    poll->handled = map_create();
    poll->reported = map_create();
    poll->periodic =
        periodic_create(handler->manager, &(struct periodic_options){.name = CONTROLLER,
                                                                     .interval_ns = INTERVAL_NS,
                                                                     .begin = begin,
                                                                     .go_on = go_on,
                                                                     .context = poll});
    return poll;
}

void status_poll_destroy(struct status_poll *poll)
{
    if (poll == NULL)
        return;
    periodic_destroy(poll->periodic);
    map_destroy(poll->findings, free);
    map_destroy(poll->handled, NULL);
    map_destroy(poll->reported, NULL);
    free(poll);
}

// --- asking --------------------------------------------------------------------------------------
static void note_unauthorized(struct status_poll *poll)
{
    bool upstream = poll->handler->manager->settings->compatibility_upstream;
    if (!poll->unauthorized)
        log_error("ec2:DescribeInstanceStatus permission is not allowed, update the IAM policy and "
                  "restart the Karpenter deployment to enable instance status health checks",
                  "s:controller", CONTROLLER);
    poll->unauthorized = true;
    periodic_set_interval(poll->periodic, upstream ? NEVER_NS : RETEST_NS);
}

static enum operation_outcome note_status(void *context, const struct aws_result *result)
{
    struct status_poll *poll = context;
    struct manager *manager = poll->handler->manager;
    if (result->fault == AWS_FAULT_UNAUTHORIZED) {
        note_unauthorized(poll);
        return OPERATION_NOTED;
    }
    if (result->fault == AWS_FAULT_NOT_FOUND && !poll->by_account) {
        poll->by_account = true; // an id is not known to EC2 any more: ask without ids
        return OPERATION_RETRY;
    }
    if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    poll->unauthorized = false;
    periodic_set_interval(poll->periodic, INTERVAL_NS);
    instance_status_read(poll->findings, result->reply, manager_now(manager),
                         manager->settings->compatibility_upstream);
    return OPERATION_NOTED;
}

static void ask(struct status_poll *poll, const struct operation_about *about, json_t *parameters)
{
    struct aws_request request = {
        .action = EC2_DESCRIBE_INSTANCE_STATUS, .parameters = parameters, .all_pages = true};
    start_aws_call(about, poll->handler->environment->client, &request, note_status, poll);
}

// AWI-581.
static void ask_by_account(struct status_poll *poll, const struct operation_about *about)
{
    bool upstream = poll->handler->manager->settings->compatibility_upstream;
    json_t *filters[] = {
        json_pack("[{s:s, s:[s]}]", "Name", "instance-status.status", "Values", "impaired"),
        json_pack("[{s:s, s:[s]}]", "Name", "system-status.status", "Values", "impaired"),
        json_pack("[{s:s, s:[s,s,s,s,s]}]", "Name", "event.code", "Values", "instance-reboot",
                  "system-reboot", "system-maintenance", "instance-retirement", "instance-stop"),
        upstream ? NULL
                 : json_pack("[{s:s, s:[s]}]", "Name", "attached-ebs-status.status", "Values",
                             "impaired")};
    for (size_t i = 0; i < ARRAY_LENGTH(filters) && filters[i] != NULL; i++) {
        json_t *parameters = json_pack("{s:o}", "Filters", filters[i]);
        if (!upstream) // AWI-956
            json_object_set_new(parameters, "MaxResults", json_integer(PAGE_MAX));
        ask(poll, about, parameters);
    }
}

static void ask_by_ids(struct status_poll *poll, const struct operation_about *about,
                       const struct string_list *ids)
{
    for (uint32_t i = 0; i < ids->count; i += IDS_OF_CALL) {
        json_t *part = json_array();
        for (uint32_t j = i; j < ids->count && j < i + IDS_OF_CALL; j++)
            json_array_append_new(part, json_string(ids->items[j]));
        ask(poll, about, json_pack("{s:o}", "InstanceIds", part));
    }
}

static bool begin(void *context, struct operation_about *about)
{
    struct status_poll *poll = context;
    struct arena *arena CLEANUP_ARENA = arena_create(4096);
    bool upstream = poll->handler->manager->settings->compatibility_upstream;
    struct string_list ids = instance_index_ids(poll->handler->index, arena);
    map_destroy(poll->findings, free);
    poll->findings = map_create();
    map_destroy(poll->handled, NULL);
    poll->handled = map_create();
    about->doing = "getting instance statuses";
    if (upstream || poll->by_account || ids.count > CALLS_BY_ID_MAX * IDS_OF_CALL)
        ask_by_account(poll, about);
    else
        ask_by_ids(poll, about, &ids);
    poll->by_account = false;
    return upstream || ids.count > 0;
}

// --- the breaker (AWI-956, LIF-197) --------------------------------------------------------------
static bool is_impaired(const struct status_poll *poll, const char *id)
{
    const struct instance_findings *findings = map_get(poll->findings, id);
    return findings != NULL && (findings->found[STATUS_INSTANCE] ||
                                findings->found[STATUS_SYSTEM] || findings->found[STATUS_EBS]);
}

// Of the NodePool's NodeClaims more than a fifth are impaired: this is no fault of machines.
static bool breaker_is_open(const struct status_poll *poll, const char *pool)
{
    struct arena *arena CLEANUP_ARENA = arena_create(4096);
    struct string_list ids = instance_index_ids(poll->handler->index, arena);
    uint32_t all = 0, impaired = 0;
    list_for_each (id, &ids) {
        const struct node_claim *claim;
        if (instance_index_claims(poll->handler->index, *id, &claim, 1) == 0 ||
            !text_equal(object_label((const struct object *)claim, LABEL_NODE_POOL), pool))
            continue;
        all++;
        impaired += is_impaired(poll, *id);
    }
    return impaired > (all * UNHEALTHY_PERCENT + 99) / 100;
}

static bool is_blocked(const struct status_poll *poll, const struct node_claim *claim)
{
    struct manager *manager = poll->handler->manager;
    const char *pool = object_label((const struct object *)claim, LABEL_NODE_POOL);
    if (manager->settings->compatibility_upstream || pool == NULL || !breaker_is_open(poll, pool))
        return false;
    publish_keyed(manager, (const struct object *)claim, EVENT_NODE_REPAIR_BLOCKED, claim->meta.uid,
                  "more than %d%% of the nodepool's instances fail their status checks",
                  UNHEALTHY_PERCENT);
    return true;
}

// --- handling ------------------------------------------------------------------------------------
// AWI-584.
static void report(struct status_poll *poll, const char *key, const char *id,
                   enum status_category category)
{
    if (map_get(poll->reported, key) != NULL)
        return;
    map_set(poll->reported, key, poll);
    log_info("detected unhealthy instance owned by cluster", "s:controller", CONTROLLER,
             "s:instanceID", id, "s:category", status_category_name(category));
    metric_add(poll->handler->metrics->unhealthy, 1, status_category_name(category));
}

// AWI-958: EC2 does not tell which volume is impaired, so those of pods excuse the root volume.
static bool root_volume_may_be_well(const struct status_poll *poll, const char *id)
{
    const struct node *node = instance_index_node(poll->handler->index, id);
    struct mirror_iterator iterator = {0};
    if (node == NULL || poll->handler->manager->settings->compatibility_upstream)
        return true; // not known
    for (const struct object *attachment;
         (attachment = mirror_next(poll->handler->manager->mirror, KIND_VOLUME_ATTACHMENT,
                                   &iterator)) != NULL;)
        if (text_equal(((const struct volume_attachment *)attachment)->spec.node_name,
                       node->meta.name))
            return true;
    return false;
}

static uint32_t handle(struct status_poll *poll, const struct operation_about *about,
                       const char *id, enum status_category category, int64_t since)
{
    const struct node_claim *claim;
    char key[256];
    if (instance_index_claims(poll->handler->index, id, &claim, 1) == 0)
        return 0;
    snprintf(key, sizeof key, "%s/%s", id, status_category_name(category));
    report(poll, key, id, category);
    if (category != STATUS_EVENT && is_blocked(poll, claim))
        return 0;
    struct interruption_notice notice = {.kind = status_category_kind(category),
                                         .instance_id = id,
                                         .time = since,
                                         .first = map_set(poll->handled, key, poll) == NULL};
    return interruption_handle(poll->handler, about, &notice);
}

// AWI-584: pairs that this poll has not seen are forgotten.
static void forget_recovered(struct status_poll *poll)
{
    for (struct map_entry *at = map_first(poll->reported), *next; at != NULL; at = next) {
        next = map_next(at);
        const char *key = map_key(at);
        size_t length = strcspn(key, "/");
        const struct instance_findings *findings = map_get_bytes(poll->findings, key, length);
        bool found = false;
        for (int i = 0; findings != NULL && i < STATUS_CATEGORY_COUNT; i++)
            found = found ||
                    (findings->found[i] &&
                     text_equal(key + length + 1, status_category_name((enum status_category)i)));
        if (!found)
            map_remove(poll->reported, key);
    }
}

static bool go_on(void *context, struct operation_about *about)
{
    struct status_poll *poll = context;
    uint32_t started = 0;
    for (struct map_entry *at = map_first(poll->findings); at != NULL && started < HANDLED_MAX;
         at = map_next(at)) {
        const struct instance_findings *findings = map_value(at);
        if (findings->event_ahead) // AWI-955: as long as EC2 announces it
            planned_ends_note(poll->handler->ends, map_key(at), PLANNED_END_EVENT,
                              ns_add(manager_now(poll->handler->manager), ANNOUNCED_NS));
        // One category after the other, so that one of them deletes.
        uint32_t of_instance = 0;
        for (int i = 0; i < STATUS_CATEGORY_COUNT && of_instance == 0; i++)
            if (findings->found[i] &&
                (i != STATUS_EBS || !root_volume_may_be_well(poll, map_key(at))))
                of_instance +=
                    handle(poll, about, map_key(at), (enum status_category)i, findings->since);
        started += of_instance;
    }
    if (started == 0 && !poll->unauthorized)
        forget_recovered(poll);
    return started > 0;
}
