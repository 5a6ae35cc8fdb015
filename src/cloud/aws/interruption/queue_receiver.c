#include "cloud/aws/interruption/queue_receiver.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "cloud/aws/controllers/queue_advice.h"

#define POLLERS_OF_QUEUE    2
#define PENDING_MAX         500 // messages under way; more are left in their queue for a while
#define MESSAGES_OF_CALL    10
#define VISIBILITY_SECONDS  20
#define WAIT_SECONDS        20
#define BACKOFF_MAX_NS      (5 * SECOND)
#define UPSTREAM_BACKOFF_NS (1000 * SECOND)
#define WATCHING_LOG_NS     (24 * HOUR) // AWI-501

struct poller {
    struct queue_receiver *receiver;
    unsigned queue;
    struct aws_call *call; // or NULL
    struct work_item *item;
    bool helps;    // polls only while messages come (AWI-961)
    bool answered; // the last call ended well
    bool empty;    // and had no message
};
struct queue_receiver {
    const struct interruption_handler *handler;
    struct queue_messages *messages;
    struct reconcile_queue *queue;
    struct queue_address addresses[QUEUES_MAX];
    int64_t logged_ns[QUEUES_MAX]; // monotonic, 0: never
    struct poller pollers[QUEUES_MAX * POLLERS_OF_QUEUE];
    unsigned pollers_count;
    bool upstream;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void wake(struct queue_receiver *receiver, unsigned poller)
{
    char key[16];
    snprintf(key, sizeof key, "%u", poller);
    reconcile_queue_add(receiver->queue, key);
}

struct queue_receiver *queue_receiver_create(const struct interruption_handler *handler,
                                             struct queue_messages *messages,
                                             const struct queue_address *queues, unsigned count)
{
    assert(count > 0 && count <= QUEUES_MAX);
    struct queue_receiver *receiver = memory_allocate(sizeof *receiver);
    receiver->handler = handler;
    receiver->messages = messages;
    receiver->upstream = handler->manager->settings->compatibility_upstream;
    unsigned each = receiver->upstream ? 1 : POLLERS_OF_QUEUE;
    for (unsigned i = 0; i < count; i++)
        receiver->addresses[i] = queues[i];
    receiver->pollers_count = count * each;
    receiver->queue = manager_queue(
        handler->manager,
        &(struct reconcile_queue_options){
            .name = "interruption",
            .concurrency = receiver->pollers_count,
            .backoff_base_ns = receiver->upstream ? 5 * MILLISECOND : 100 * MILLISECOND,
            .backoff_max_ns = receiver->upstream ? UPSTREAM_BACKOFF_NS : BACKOFF_MAX_NS,
            .reconcile = reconcile,
            .context = receiver});
    for (unsigned i = 0; i < receiver->pollers_count; i++) {
        receiver->pollers[i] =
            (struct poller){.receiver = receiver, .queue = i / each, .helps = i % each != 0};
        if (!receiver->pollers[i].helps)
            wake(receiver, i);
    }
    return receiver;
}

void queue_receiver_destroy(struct queue_receiver *receiver)
{
    if (receiver == NULL)
        return;
    for (unsigned i = 0; i < receiver->pollers_count; i++)
        if (receiver->pollers[i].call != NULL)
            aws_call_cancel(receiver->pollers[i].call);
    free(receiver);
}

// The end of a call. It is no operation of the manager, for whose end a controller that stops would
// wait: a poll takes up to 20 s.
static void end_call(struct poller *poller, const struct error *error)
{
    struct work_item *item = poller->item;
    poller->call = NULL;
    poller->item = NULL;
    poller->answered = error->kind == ERROR_NONE;
    if (poller->answered)
        reconcile_queue_finish(item, reconcile_done(), NULL);
    else
        reconcile_queue_finish(item, reconcile_error(), error);
}

// AWI-959: a queue that is set and does not exist is as good as none.
static void tell_if_missing(const struct poller *poller, const struct aws_result *result)
{
    const struct queue_receiver *receiver = poller->receiver;
    const struct queue_address *address = &receiver->addresses[poller->queue];
    struct text text = {0};
    if (result->fault != AWS_FAULT_NOT_FOUND || result->error.kind == ERROR_NONE ||
        receiver->upstream)
        return;
    text_format(&text,
                "the queue %s of INTERRUPTION_QUEUE does not exist: spot machines end without "
                "notice; create it with its EventBridge rules, or correct the setting",
                address->name);
    queue_advice_publish(receiver->handler->manager, text.data);
    text_free(&text);
}

static void got_url(void *context, const struct aws_result *result)
{
    struct poller *poller = context;
    struct error error = result->error;
    const char *url = json_string_value(json_object_get(result->reply, "QueueUrl"));
    if (error.kind == ERROR_NONE && text_is_empty(url))
        error_set(&error, ERROR_INTERNAL, "sqs:GetQueueUrl: the answer has no URL");
    if (error.kind == ERROR_NONE)
        queue_messages_know_url(poller->receiver->messages, poller->queue, url);
    else
        error_prefix(&error, "creating sqs provider");
    tell_if_missing(poller, result);
    end_call(poller, &error);
}

static void wake_helpers(const struct poller *poller)
{
    struct queue_receiver *receiver = poller->receiver;
    for (unsigned i = 0; i < receiver->pollers_count; i++)
        if (receiver->pollers[i].helps && receiver->pollers[i].queue == poller->queue)
            wake(receiver, i);
}

static void got_messages(void *context, const struct aws_result *result)
{
    struct poller *poller = context;
    struct queue_receiver *receiver = poller->receiver;
    struct error error = result->error;
    poller->empty = json_array_size(json_object_get(result->reply, "Messages")) == 0;
    if (error.kind == ERROR_NONE && !poller->empty && !poller->helps)
        wake_helpers(poller);
    // A replica that stops leaves the messages to its successor.
    if (error.kind == ERROR_NONE && !receiver->handler->manager->stopping)
        queue_messages_take(receiver->messages, poller->queue, result->reply);
    if (error.kind != ERROR_NONE)
        error_prefix(&error, "getting messages from queue");
    tell_if_missing(poller, result);
    end_call(poller, &error);
}

static struct reconcile_result start(struct poller *poller, struct work_item *item,
                                     enum aws_action action, json_t *parameters, aws_done done)
{
    const struct queue_address *address = &poller->receiver->addresses[poller->queue];
    struct aws_request request = {.action = action,
                                  .parameters = parameters,
                                  .region = address->region[0] != '\0' ? address->region : NULL,
                                  .done = done,
                                  .context = poller};
    assert(poller->call == NULL);
    poller->item = item;
    poller->call = aws_client_start(poller->receiver->handler->environment->client, &request);
    return reconcile_running();
}

static struct reconcile_result ask_for_url(struct poller *poller, struct work_item *item)
{
    const struct queue_address *address = &poller->receiver->addresses[poller->queue];
    json_t *parameters = json_pack("{s:s}", "QueueName", address->name);
    if (address->account[0] != '\0')
        json_object_set_new(parameters, "QueueOwnerAWSAccountId", json_string(address->account));
    return start(poller, item, SQS_GET_QUEUE_URL, parameters, got_url);
}

static void log_watching(struct poller *poller, const char *url) // AWI-501
{
    int64_t *logged = &poller->receiver->logged_ns[poller->queue];
    int64_t now = loop_monotonic_ns(poller->receiver->handler->manager->loop);
    const char *name = strrchr(url, '/');
    if (*logged != 0 && now < ns_add(*logged, WATCHING_LOG_NS))
        return;
    *logged = ns_add(now, NANOSECOND);
    log_debug("watching interruption queue", "s:controller", "interruption", "s:queue",
              name != NULL ? name + 1 : url);
}

static struct reconcile_result receive(struct poller *poller, struct work_item *item,
                                       const char *url)
{
    json_t *parameters =
        json_pack("{s:s, s:i, s:i, s:i, s:[s], s:[s]}", "QueueUrl", url, "MaxNumberOfMessages",
                  MESSAGES_OF_CALL, "VisibilityTimeout", VISIBILITY_SECONDS, "WaitTimeSeconds",
                  WAIT_SECONDS, "AttributeNames", "SentTimestamp", "MessageAttributeNames", "All");
    return start(poller, item, SQS_RECEIVE_MESSAGE, parameters, got_messages);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct queue_receiver *receiver = context;
    struct poller *poller = &receiver->pollers[strtoul(work_item_key(item), NULL, 10)];
    const char *url = queue_messages_url(receiver->messages, poller->queue);
    if (poller->answered) { // so that the count of failures starts anew
        poller->answered = false;
        return poller->helps && poller->empty ? reconcile_done() : reconcile_after(0);
    }
    // AWI-503: upstream handles all messages of a call before the next one.
    if (receiver->upstream && queue_messages_failed(receiver->messages)) {
        error_set(error, ERROR_UNAVAILABLE, "handling interruption messages failed");
        return reconcile_error();
    }
    uint32_t most = receiver->upstream ? 1 : PENDING_MAX;
    if (queue_messages_count(receiver->messages) >= most)
        return reconcile_after(100 * MILLISECOND);
    if (url == NULL)
        return ask_for_url(poller, item);
    log_watching(poller, url);
    return receive(poller, item, url);
}
