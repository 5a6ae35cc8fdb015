#include "cloud/aws/interruption/queue_messages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "cloud/aws/interruption/foreign_instances.h"
#include "cloud/aws/interruption/interruption_message.h"
#include "cloud/aws/interruption/message_deletion.h"
#include "reconcile/operations.h"

#define PARALLEL           10
#define BACKOFF_MAX_NS     (5 * SECOND)
#define VISIBLE_NS         (2 * MINUTE) // AWI-951: a NodeClaim becomes visible within that time
#define HANDLING_NS        (5 * MINUTE) // a message that fails for so long is left to SQS
#define FAR_NS             (24 * HOUR)  // AWI-955
#define BODY_SAMPLE_LENGTH 300

struct pending {
    struct arena *arena;
    struct interruption_message message;
    unsigned queue;
    char *receipt;
    int64_t taken_ns; // monotonic
    bool begun, asked;
};
struct queue_messages {
    const struct interruption_handler *handler;
    struct reconcile_queue *queue;
    struct map *pending; // key -> struct pending
    struct foreign_instances *foreign;
    struct message_deletion *deletion;
    unsigned queues_count;
    char *urls[QUEUES_MAX];
    bool failed;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct queue_messages *queue_messages_create(const struct interruption_handler *handler,
                                             const struct queue_address *queues, unsigned count)
{
    assert(count > 0 && count <= QUEUES_MAX);
    struct queue_messages *messages = memory_allocate(sizeof *messages);
    messages->handler = handler;
    messages->pending = map_create();
    messages->queues_count = count;
    for (unsigned i = 0; i < count; i++)
        if (queues[i].url[0] != '\0')
            messages->urls[i] = memory_copy_string(queues[i].url);
    messages->foreign = foreign_instances_create(handler->manager, handler->environment->client);
    messages->deletion = message_deletion_create(handler, queues, count);
    messages->queue = manager_queue(
        handler->manager, &(struct reconcile_queue_options){.name = "interruption.message",
                                                            .concurrency = PARALLEL,
                                                            .backoff_base_ns = 100 * MILLISECOND,
                                                            .backoff_max_ns = BACKOFF_MAX_NS,
                                                            .reconcile = reconcile,
                                                            .context = messages});
    return messages;
}

static void pending_destroy(void *value)
{
    struct pending *pending = value;
    arena_destroy(pending->arena);
    free(pending->receipt);
    free(pending);
}

void queue_messages_destroy(struct queue_messages *messages)
{
    if (messages == NULL)
        return;
    foreign_instances_destroy(messages->foreign);
    message_deletion_destroy(messages->deletion);
    map_destroy(messages->pending, pending_destroy);
    for (unsigned i = 0; i < messages->queues_count; i++)
        free(messages->urls[i]);
    free(messages);
}

void queue_messages_know_url(struct queue_messages *messages, unsigned queue, const char *url)
{
    assert(queue < messages->queues_count);
    free(messages->urls[queue]);
    messages->urls[queue] = memory_copy_string(url);
}

const char *queue_messages_url(const struct queue_messages *messages, unsigned queue)
{
    assert(queue < messages->queues_count);
    return messages->urls[queue];
}

uint32_t queue_messages_count(const struct queue_messages *messages)
{
    return (uint32_t)map_count(messages->pending);
}

bool queue_messages_failed(struct queue_messages *messages)
{
    bool failed = messages->failed;
    messages->failed = false;
    return failed;
}

// --- receipt -------------------------------------------------------------------------------------
static void delete_message(struct queue_messages *messages, unsigned queue, const char *receipt)
{
    message_deletion_add(messages->deletion, queue, messages->urls[queue], receipt);
}

static void report_unparsable(const struct queue_messages *messages, const char *body,
                              enum interruption_fault fault, const struct error *error)
{
    char sample[BODY_SAMPLE_LENGTH + 1] = "";
    if (body != NULL)
        memcpy(sample, body, strnlen(body, BODY_SAMPLE_LENGTH));
    text_repair(sample);
    log_error("failed parsing interruption message", "s:controller", "interruption", "s:error",
              error->message);
    log_debug("an interruption message cannot be read", "s:controller", "interruption", "s:body",
              sample);
    metric_add(messages->handler->metrics->unparsable, 1, interruption_fault_name(fault));
}

// A message that is under way comes again after its visibility time-out, with a new receipt.
static bool renew(struct queue_messages *messages, const char *key, const char *receipt)
{
    struct pending *pending = map_get(messages->pending, key);
    if (pending == NULL)
        return false;
    free(pending->receipt);
    pending->receipt = memory_copy_string(receipt);
    return true;
}

static void take(struct queue_messages *messages, unsigned queue, const json_t *message)
{
    const char *receipt = json_string_value(json_object_get(message, "ReceiptHandle"));
    const char *id = json_string_value(json_object_get(message, "MessageId"));
    const json_t *body = json_object_get(message, "Body");
    struct manager *manager = messages->handler->manager;
    struct error error = {0};
    struct text key = {0};
    if (receipt == NULL)
        return;
    text_format(&key, "%u/%.200s", queue, id != NULL ? id : receipt);
    if (!renew(messages, key.data, receipt)) {
        struct pending *pending = memory_allocate(sizeof *pending);
        pending->arena = arena_create(1024);
        enum interruption_fault fault = interruption_message_parse(
            pending->arena, json_string_value(body), json_string_length(body),
            manager->settings->compatibility_upstream, &pending->message, &error);
        if (fault != INTERRUPTION_PARSED) {
            report_unparsable(messages, json_string_value(body), fault, &error);
            delete_message(messages, queue, receipt);
            pending_destroy(pending);
        } else {
            pending->queue = queue;
            pending->receipt = memory_copy_string(receipt);
            pending->taken_ns = loop_monotonic_ns(manager->loop);
            metric_add(messages->handler->metrics->received, 1,
                       interruption_row(pending->message.kind)->name);
            map_set(messages->pending, key.data, pending);
            reconcile_queue_add(messages->queue, key.data);
        }
    }
    text_free(&key);
}

void queue_messages_take(struct queue_messages *messages, unsigned queue, const json_t *reply)
{
    const json_t *message;
    size_t index;
    assert(queue < messages->queues_count);
    json_array_foreach (json_object_get(reply, "Messages"), index, message)
        take(messages, queue, message);
}

// --- handling ------------------------------------------------------------------------------------
static struct reconcile_result drop(struct queue_messages *messages, const char *key)
{
    pending_destroy(map_remove(messages->pending, key));
    return reconcile_done();
}

static struct reconcile_result finish(struct queue_messages *messages, const char *key)
{
    struct pending *pending = map_get(messages->pending, key);
    int64_t now = manager_now(messages->handler->manager);
    if (pending->message.time != 0)
        metric_observe(messages->handler->metrics->duration,
                       seconds_between(pending->message.time, now));
    delete_message(messages, pending->queue, pending->receipt);
    return drop(messages, key);
}

// AWI-955: the poll of status checks sees the event, too, and handles it when it is near.
static bool is_far(const struct queue_messages *messages, const struct pending *pending)
{
    const struct manager *manager = messages->handler->manager;
    return !manager->settings->compatibility_upstream &&
           pending->message.kind == INTERRUPTION_SCHEDULED_CHANGE && pending->message.starts != 0 &&
           pending->message.starts > ns_add(manager_now(manager), FAR_NS);
}

// AWI-951: no NodeClaim has the instance (yet), and it may still be the cluster's.
static bool is_unknown(const struct queue_messages *messages, const char *id)
{
    const struct node_claim *claim;
    return instance_index_claims(messages->handler->index, id, &claim, 1) == 0 &&
           !instance_index_is_gone(messages->handler->index, id) &&
           !foreign_instances_has(messages->foreign, id);
}

static bool may_wait(const struct queue_messages *messages, const struct pending *pending)
{
    const struct manager *manager = messages->handler->manager;
    return !manager->settings->compatibility_upstream && pending->message.time != 0 &&
           manager_now(manager) < ns_add(pending->message.time, VISIBLE_NS);
}

static uint32_t unknown_instances(const struct queue_messages *messages,
                                  const struct pending *pending)
{
    uint32_t count = 0;
    if (pending->message.kind != INTERRUPTION_NO_OP && may_wait(messages, pending))
        list_for_each (id, &pending->message.instances)
            count += is_unknown(messages, *id);
    return count;
}

static void foreign_known(void *operation)
{
    operation_end(operation, OPERATION_NOTED, NULL);
}

static struct reconcile_result ask_for_foreign(struct queue_messages *messages,
                                               struct work_item *item, struct pending *pending)
{
    struct operation_about about = {.manager = messages->handler->manager,
                                    .item = item,
                                    .doing = "looking up the instances of a message"};
    pending->asked = true;
    foreign_instances_ask(messages->foreign, pending->message.instances.items,
                          pending->message.instances.count, foreign_known,
                          operation_begin(&about, sizeof(struct operation)));
    return reconcile_running();
}

static uint32_t handle(struct queue_messages *messages, struct work_item *item,
                       struct pending *pending)
{
    struct operation_about about = {.manager = messages->handler->manager, .item = item};
    uint32_t started = 0;
    if (is_far(messages, pending)) {
        list_for_each (id, &pending->message.instances)
            planned_ends_note(messages->handler->ends, *id, PLANNED_END_EVENT,
                              pending->message.starts);
        return 0;
    }
    list_for_each (id, &pending->message.instances) {
        struct interruption_notice notice = {.kind = pending->message.kind,
                                             .instance_id = *id,
                                             .time = pending->message.time,
                                             .first = !pending->begun};
        started += interruption_handle(messages->handler, &about, &notice);
    }
    pending->begun = true;
    return started;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct queue_messages *messages = context;
    const char *key = work_item_key(item);
    const struct manager *manager = messages->handler->manager;
    struct pending *pending = map_get(messages->pending, key);
    (void)error;
    if (pending == NULL)
        return reconcile_done();
    int64_t age = ns_subtract(loop_monotonic_ns(manager->loop), pending->taken_ns);
    bool fails = reconcile_queue_failures(messages->queue, key) > 0;
    if (fails && (manager->settings->compatibility_upstream || age > HANDLING_NS)) {
        messages->failed = true;
        return drop(messages, key); // it comes again
    }
    if (handle(messages, item, pending) > 0)
        return reconcile_running();
    if (unknown_instances(messages, pending) > 0)
        return pending->asked ? drop(messages, key) : ask_for_foreign(messages, item, pending);
    return finish(messages, key);
}
