#include "cloud/aws/instances/instance_calls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "cloud/aws/instances/batcher.h"
#include "cloud/aws/instances/instance_pages.h"
#include "cloud/aws/nodeclass/node_class_tags.h"

#define BATCH_IDLE  (100 * MILLISECOND)
#define BATCH_MAX   SECOND
#define BATCH_ITEMS 500
#define LIST_PAGE   1000

struct ask { // a request about one instance
    char *id;
    instance_described described; // or
    instance_changed changed;
    void *context;
};
struct exchange { // a call under way and the requests that it answers
    struct instance_calls *calls;
    struct exchange *next, *previous;
    struct aws_call *handle;
    VECTOR(struct ask *) asks;
    struct batch *batch;     // NULL: of one id, or a list
    instances_listed listed; // lists
    void *context;
};
struct instance_calls {
    struct instance_calls_options options;
    struct batcher *describe, *terminate;
    struct exchange *exchanges;
};

// --- exchanges -----------------------------------------------------------------------------------

static void ask_free(struct ask *ask)
{
    free(ask->id);
    free(ask);
}

static struct exchange *exchange_create(struct instance_calls *calls)
{
    struct exchange *exchange = memory_allocate(sizeof *exchange);
    exchange->calls = calls;
    exchange->next = calls->exchanges;
    if (calls->exchanges != NULL)
        calls->exchanges->previous = exchange;
    calls->exchanges = exchange;
    return exchange;
}

static void exchange_free(struct exchange *exchange)
{
    if (exchange->previous != NULL)
        exchange->previous->next = exchange->next;
    else
        exchange->calls->exchanges = exchange->next;
    if (exchange->next != NULL)
        exchange->next->previous = exchange->previous;
    vector_free(&exchange->asks);
    free(exchange);
}

static void exchange_start(struct exchange *exchange, enum aws_action action, json_t *parameters,
                           bool all_pages, aws_done done)
{
    exchange->handle = aws_client_start(exchange->calls->options.client,
                                        &(struct aws_request){.action = action,
                                                              .parameters = parameters,
                                                              .all_pages = all_pages,
                                                              .done = done,
                                                              .context = exchange});
}

static void answer(struct ask *ask, const struct error *error,
                   const struct aws_instance_facts *facts)
{
    if (ask->described != NULL)
        ask->described(ask->context, error, facts);
    else
        ask->changed(ask->context, error);
    ask_free(ask);
}

static void answer_all(struct exchange *exchange, const struct error *error,
                       const struct aws_instance_facts *facts)
{
    vector_for_each (ask, &exchange->asks)
        answer(*ask, error, facts);
    exchange->asks.count = 0;
}

// A refusal of one id refuses a whole batch; other failures say nothing about the ids, so asking
// again for each would only add load.
static bool may_be_of_one_id(const struct aws_result *result)
{
    return result->fault == AWS_FAULT_NOT_FOUND || result->fault == AWS_FAULT_OTHER;
}

static struct error error_of(const struct aws_result *result, const char *prefix)
{
    struct error error = result->error;
    if (result->fault == AWS_FAULT_NOT_FOUND)
        error.kind = ERROR_NOT_FOUND;
    else if (error.kind == ERROR_NOT_FOUND)
        error.kind = ERROR_INTERNAL;
    error_prefix(&error, "%s", prefix);
    return error;
}

static json_t *ids_of(const struct exchange *exchange)
{
    json_t *ids = json_array(), *seen = json_object();
    for (uint32_t i = 0; i < exchange->asks.count; i++) {
        const char *id = exchange->asks.items[i]->id;
        if (json_object_get(seen, id) != NULL)
            continue;
        json_object_set_new(seen, id, json_true());
        json_array_append_new(ids, json_string(id));
    }
    json_decref(seen);
    return ids;
}

// Moves the requests that have no answer in `answered` to an exchange for each id.
static void ask_alone(struct exchange *exchange, void (*start)(struct exchange *alone))
{
    struct map *alone = map_create();
    vector_for_each (ask, &exchange->asks) {
        struct exchange *own = map_get(alone, (*ask)->id);
        if (own == NULL) {
            own = exchange_create(exchange->calls);
            map_set(alone, (*ask)->id, own);
        }
        vector_push(&own->asks, *ask);
    }
    exchange->asks.count = 0;
    for (struct map_entry *entry = map_first(alone); entry != NULL; entry = map_next(entry))
        start(map_value(entry));
    map_destroy(alone, NULL);
}

// --- describe (AWI-367, 406) ---------------------------------------------------------------------

static void described_alone(void *context, const struct aws_result *result)
{
    struct exchange *exchange = context;
    struct error error = {0};
    if (result->error.kind != ERROR_NONE) {
        error = error_of(result, "failed to describe ec2 instances");
        answer_all(exchange, &error, NULL);
    } else {
        struct instances found = {0};
        instances_read(&found, result->reply, exchange->calls->options.reserved_capacity);
        if (found.items.count == 0)
            error_set(&error, ERROR_NOT_FOUND, "instance not found");
        else if (found.items.count > 1 ||
                 !text_equal(found.items.items[0].id, exchange->asks.items[0]->id))
            error_set(&error, ERROR_INTERNAL, "expected a single instance");
        answer_all(exchange, &error, error.kind == ERROR_NONE ? &found.items.items[0] : NULL);
        instances_free(&found);
    }
    exchange_free(exchange);
}

static void start_describe(struct exchange *exchange, aws_done done)
{
    json_t *parameters = json_object(), *filters = json_array();
    ec2_filter_states(filters);
    json_object_set_new(parameters, "InstanceIds", ids_of(exchange));
    json_object_set_new(parameters, "Filters", filters);
    exchange_start(exchange, EC2_DESCRIBE_INSTANCES, parameters, true, done);
}

static void describe_alone(struct exchange *exchange)
{
    start_describe(exchange, described_alone);
}

static void answer_found(struct exchange *exchange, const struct instances *found)
{
    struct map *by_id = map_create();
    struct error none = {0};
    uint32_t kept = 0;
    vector_for_each (facts, &found->items)
        map_set(by_id, facts->id, facts);
    for (uint32_t i = 0; i < exchange->asks.count; i++) {
        struct ask *ask = exchange->asks.items[i];
        const struct aws_instance_facts *facts = map_get(by_id, ask->id);
        if (facts != NULL)
            answer(ask, &none, facts);
        else
            exchange->asks.items[kept++] = ask;
    }
    exchange->asks.count = kept;
    map_destroy(by_id, NULL);
}

static void described(void *context, const struct aws_result *result)
{
    struct exchange *exchange = context;
    struct batch *batch = exchange->batch;
    if (result->error.kind != ERROR_NONE && !may_be_of_one_id(result)) {
        struct error error = error_of(result, "failed to describe ec2 instances");
        answer_all(exchange, &error, NULL);
    } else if (result->error.kind == ERROR_NONE) {
        struct instances found = {0};
        instances_read(&found, result->reply, exchange->calls->options.reserved_capacity);
        answer_found(exchange, &found);
        instances_free(&found);
    }
    ask_alone(exchange, describe_alone);
    exchange_free(exchange);
    batch_finish(batch);
}

static struct exchange *exchange_of_batch(struct instance_calls *calls, struct batch *batch)
{
    struct exchange *exchange = exchange_create(calls);
    exchange->batch = batch;
    for (uint32_t i = 0; i < batch->count; i++)
        vector_push(&exchange->asks, batch->items[i]);
    return exchange;
}

static bool is_of_one_id(const struct exchange *exchange)
{
    for (uint32_t i = 1; i < exchange->asks.count; i++)
        if (strcmp(exchange->asks.items[i]->id, exchange->asks.items[0]->id) != 0)
            return false;
    return true;
}

static void run_describe(void *context, struct batch *batch)
{
    struct exchange *exchange = exchange_of_batch(context, batch);
    if (is_of_one_id(exchange)) {
        exchange->batch = NULL;
        describe_alone(exchange);
        batch_finish(batch);
    } else {
        start_describe(exchange, described);
    }
}

// --- terminate (AWI-368) -------------------------------------------------------------------------

static void terminated_alone(void *context, const struct aws_result *result)
{
    struct exchange *exchange = context;
    struct error error = {0};
    if (result->error.kind != ERROR_NONE)
        error = error_of(result, "terminating instance");
    answer_all(exchange, &error, NULL);
    exchange_free(exchange);
}

static void start_terminate(struct exchange *exchange, aws_done done)
{
    json_t *parameters = json_object();
    json_object_set_new(parameters, "InstanceIds", ids_of(exchange));
    exchange_start(exchange, EC2_TERMINATE_INSTANCES, parameters, false, done);
}

static void terminate_alone(struct exchange *exchange)
{
    start_terminate(exchange, terminated_alone);
}

static bool is_terminating(const json_t *reply, const char *id)
{
    const json_t *change;
    size_t i;
    json_array_foreach (json_object_get(reply, "TerminatingInstances"), i, change) {
        const char *state =
            json_string_value(json_object_get(json_object_get(change, "CurrentState"), "Name"));
        if (text_equal(json_string_value(json_object_get(change, "InstanceId")), id))
            return text_equal(state, "shutting-down") || text_equal(state, "terminated");
    }
    return false;
}

static void answer_terminating(struct exchange *exchange, const json_t *reply)
{
    struct error none = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < exchange->asks.count; i++) {
        struct ask *ask = exchange->asks.items[i];
        if (is_terminating(reply, ask->id))
            answer(ask, &none, NULL);
        else
            exchange->asks.items[kept++] = ask;
    }
    exchange->asks.count = kept;
}

static void terminated(void *context, const struct aws_result *result)
{
    struct exchange *exchange = context;
    struct batch *batch = exchange->batch;
    if (result->error.kind != ERROR_NONE) {
        log_error("failed terminating instances", "i:count", (int64_t)exchange->asks.count,
                  "s:error", result->error.message);
        if (!may_be_of_one_id(result)) {
            struct error error = error_of(result, "terminating instance");
            answer_all(exchange, &error, NULL);
        }
    } else {
        answer_terminating(exchange, result->reply);
    }
    ask_alone(exchange, terminate_alone);
    exchange_free(exchange);
    batch_finish(batch);
}

static void run_terminate(void *context, struct batch *batch)
{
    struct exchange *exchange = exchange_of_batch(context, batch);
    if (is_of_one_id(exchange)) {
        exchange->batch = NULL;
        terminate_alone(exchange);
        batch_finish(batch);
    } else {
        start_terminate(exchange, terminated);
    }
}

// --- lists ---------------------------------------------------------------------------------------

static struct ask *ask_create(const char *id, void *context)
{
    struct ask *ask = memory_allocate(sizeof *ask);
    ask->id = memory_copy_string(id);
    ask->context = context;
    return ask;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct aws_instance_facts *)a)->id,
                  ((const struct aws_instance_facts *)b)->id);
}

static void listed(void *context, const struct aws_result *result)
{
    struct exchange *exchange = context;
    struct instances found = {0};
    struct error error = {0};
    if (result->error.kind != ERROR_NONE)
        error = error_of(result, "describing ec2 instances");
    else
        instances_read(&found, result->reply, exchange->calls->options.reserved_capacity);
    if (found.items.count > 1)
        qsort(found.items.items, found.items.count, sizeof *found.items.items, compare_ids);
    exchange->listed(exchange->context, &error, found.items.items, found.items.count);
    instances_free(&found);
    exchange_free(exchange);
}

void instance_calls_list(struct instance_calls *calls, instances_listed done, void *context)
{
    static const char *const keys[] = {TAG_NODE_POOL, TAG_NODE_CLASS};
    struct exchange *exchange = exchange_create(calls);
    exchange->listed = done;
    exchange->context = context;
    json_t *parameters = json_object(), *filters = json_array();
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        ec2_filter_add(filters, "tag-key", &keys[i], 1);
    ec2_filter_add(filters, "tag:" TAG_CLUSTER_NAME, &calls->options.cluster->name, 1);
    ec2_filter_states(filters);
    json_object_set_new(parameters, "Filters", filters);
    json_object_set_new(parameters, "MaxResults", json_integer(LIST_PAGE));
    exchange_start(exchange, EC2_DESCRIBE_INSTANCES, parameters, true, listed);
}

// --- life ----------------------------------------------------------------------------------------

void instance_calls_describe(struct instance_calls *calls, const char *id, instance_described done,
                             void *context)
{
    struct ask *ask = ask_create(id, context);
    ask->described = done;
    batcher_add(calls->describe, "", ask);
}

void instance_calls_terminate(struct instance_calls *calls, const char *id, instance_changed done,
                              void *context)
{
    struct ask *ask = ask_create(id, context);
    ask->changed = done;
    batcher_add(calls->terminate, "", ask);
}

static void drop(void *context, void *item)
{
    (void)context;
    ask_free(item);
}

struct instance_calls *instance_calls_create(const struct instance_calls_options *options)
{
    assert(options->client != NULL);
    assert(options->cluster != NULL);
    struct instance_calls *calls = memory_allocate(sizeof *calls);
    calls->options = *options;
    struct batcher_options batcher = {.loop = options->loop,
                                      .name = "describe_instances",
                                      .idle_ns = BATCH_IDLE,
                                      .max_ns = BATCH_MAX,
                                      .items_max = BATCH_ITEMS,
                                      .metrics = options->metrics,
                                      .run = run_describe,
                                      .drop = drop,
                                      .context = calls};
    calls->describe = batcher_create(&batcher);
    batcher.name = "terminate_instances";
    batcher.run = run_terminate;
    calls->terminate = batcher_create(&batcher);
    return calls;
}

void instance_calls_destroy(struct instance_calls *calls)
{
    if (calls == NULL)
        return;
    while (calls->exchanges != NULL) {
        struct exchange *exchange = calls->exchanges;
        aws_call_cancel(exchange->handle);
        vector_for_each (ask, &exchange->asks)
            ask_free(*ask);
        if (exchange->batch != NULL)
            batch_abandon(exchange->batch);
        exchange_free(exchange);
    }
    batcher_destroy(calls->describe);
    batcher_destroy(calls->terminate);
    free(calls);
}
