#include "sim/aws/sqs_api.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "sim/aws/account_actions.h"

#define BATCH_MAX          10
#define WAIT_SECONDS_MAX   20
#define VISIBILITY_DEFAULT 30
#define MESSAGES_MAX       100000

struct message {
    char *id, *body;
    int64_t sent, visible_from; // instants
    uint32_t receipts;
};
struct waiter { // a receive call without messages so far
    struct account_call *call;
    int64_t deadline;
};
struct account_queue {
    struct aws_account *account;
    struct timer *timer; // for waiters: a deadline, or a message that becomes visible again
    VECTOR(struct message) messages;
    VECTOR(struct waiter) waiters;
};

static void waiters_serve(void *context);

struct account_queue *account_queue_create(struct aws_account *account)
{
    struct account_queue *queue = memory_allocate(sizeof *queue);
    queue->account = account;
    queue->timer = timer_create_on(account->loop, waiters_serve, queue);
    return queue;
}

static void message_free(struct message *message)
{
    free(message->id);
    free(message->body);
}

void account_queue_destroy(struct account_queue *queue)
{
    if (queue == NULL)
        return;
    assert(queue->waiters.count == 0);
    vector_for_each (message, &queue->messages)
        message_free(message);
    vector_free(&queue->messages);
    vector_free(&queue->waiters);
    timer_destroy(queue->timer);
    free(queue);
}

static const char *message_put(struct account_queue *queue, const char *body)
{
    char id[37];
    struct message message = {.body = memory_copy_string(body)};
    random_uuid(&queue->account->ids, id);
    message.id = memory_copy_string(id);
    message.sent = message.visible_from = loop_now_ns(queue->account->loop);
    vector_push(&queue->messages, message);
    timer_start(queue->timer, 0);
    return message.id;
}

void account_queue_send(struct aws_account *account, const char *body)
{
    assert(body != NULL);
    message_put(account->queue, body);
}

static char *queue_url(const struct aws_account *account)
{
    const char *name = account->options.queue != NULL ? account->options.queue : "interruptions";
    struct text url = {0};
    text_format(&url, "https://sqs.%s.amazonaws.com/%s/%s", account_region(account),
                account_number(account), name);
    return text_take(&url);
}

static bool queue_check(struct account_call *call)
{
    CLEANUP_FREE char *url = queue_url(call->account);
    // Another host is fine: the endpoint may be overridden.
    const char *asked = strrchr(json_text(call->params, "QueueUrl"), '/');
    if (asked != NULL && strcmp(asked, strrchr(url, '/')) == 0)
        return true;
    return account_refuse(call, 400, "QueueDoesNotExist", "The specified queue does not exist.");
}

void sqs_get_queue_url(struct account_call *call)
{
    CLEANUP_FREE char *url = queue_url(call->account);
    if (strcmp(strrchr(url, '/') + 1, json_text(call->params, "QueueName")) == 0)
        call->reply = json_pack("{s:s}", "QueueUrl", url);
    else
        account_refuse(call, 400, "QueueDoesNotExist", "The specified queue does not exist.");
}

void sqs_get_queue_attributes(struct account_call *call)
{
    const struct account_queue *queue = call->account->queue;
    int64_t now = loop_now_ns(call->account->loop);
    char visible[20], hidden[20];
    uint32_t count = 0;
    if (!queue_check(call))
        return;
    vector_for_each (message, &queue->messages)
        count += message->visible_from <= now;
    snprintf(visible, sizeof visible, "%u", count);
    snprintf(hidden, sizeof hidden, "%u", queue->messages.count - count);
    CLEANUP_FREE char *url = queue_url(call->account);
    call->reply =
        json_pack("{s:{s:s,s:s,s:s,s:s,s:o}}", "Attributes", "ApproximateNumberOfMessages", visible,
                  "ApproximateNumberOfMessagesNotVisible", hidden, "MessageRetentionPeriod", "300",
                  "VisibilityTimeout", "30", "QueueArn",
                  json_sprintf("arn:aws:sqs:%s:%s%s", account_region(call->account),
                               account_number(call->account), strrchr(url, '/')));
}

void sqs_send_message(struct account_call *call)
{
    const char *body = json_text(call->params, "MessageBody");
    if (!queue_check(call))
        return;
    if (body[0] == '\0' || call->account->queue->messages.count >= MESSAGES_MAX)
        account_refuse(call, 400, "InvalidParameterValue", "The message body is empty");
    else
        call->reply = json_pack("{s:s}", "MessageId", message_put(call->account->queue, body));
}

// --- receiving -----------------------------------------------------------------------------------

static int64_t params_number(const json_t *params, const char *name, int64_t missing, int64_t most)
{
    const json_t *value = json_object_get(params, name);
    int64_t number = json_is_integer(value) ? json_integer_value(value) : missing;
    return number < 0 ? 0 : number > most ? most : number;
}

static json_t *message_show(const struct message *message)
{
    char sent[30], count[20];
    snprintf(sent, sizeof sent, "%lld", (long long)(message->sent / MILLISECOND));
    snprintf(count, sizeof count, "%u", message->receipts);
    return json_pack("{s:s,s:o,s:s,s:{s:s,s:s}}", "MessageId", message->id, "ReceiptHandle",
                     json_sprintf("%s#%u", message->id, message->receipts), "Body", message->body,
                     "Attributes", "SentTimestamp", sent, "ApproximateReceiveCount", count);
}

// The messages that the call gets now; an empty list: none is visible.
static json_t *messages_take(struct account_call *call)
{
    struct account_queue *queue = call->account->queue;
    int64_t now = loop_now_ns(call->account->loop);
    int64_t most = params_number(call->params, "MaxNumberOfMessages", 1, BATCH_MAX);
    int64_t hidden = params_number(call->params, "VisibilityTimeout", VISIBILITY_DEFAULT, 43200);
    json_t *list = json_array();
    vector_for_each (message, &queue->messages) {
        if (message->visible_from > now || (int64_t)json_array_size(list) == most)
            continue;
        message->receipts++;
        message->visible_from = ns_add(now, ns_multiply(hidden, SECOND));
        json_array_append_new(list, message_show(message));
    }
    return list;
}

static void reply_with(struct account_call *call, json_t *messages)
{
    call->reply =
        json_array_size(messages) > 0 ? json_pack("{s:O}", "Messages", messages) : json_object();
    call->status = 200;
    json_decref(messages);
}

static void timer_set(struct account_queue *queue)
{
    int64_t now = loop_now_ns(queue->account->loop), next = NS_NEVER;
    vector_for_each (waiter, &queue->waiters)
        next = ns_minimum(next, waiter->deadline);
    vector_for_each (message, &queue->messages)
        next = ns_minimum(next, message->visible_from);
    if (queue->waiters.count > 0)
        timer_start(queue->timer, ns_subtract(next, now));
    else
        timer_stop(queue->timer);
}

void sqs_receive_message(struct account_call *call)
{
    if (!queue_check(call))
        return;
    struct account_queue *queue = call->account->queue;
    int64_t seconds = params_number(call->params, "WaitTimeSeconds", 0, WAIT_SECONDS_MAX);
    json_t *messages = messages_take(call);
    if (json_array_size(messages) > 0 || seconds == 0) {
        reply_with(call, messages);
        return;
    }
    json_decref(messages);
    struct waiter waiter = {call,
                            ns_add(loop_now_ns(call->account->loop), ns_multiply(seconds, SECOND))};
    vector_push(&queue->waiters, waiter);
    call->waits = true;
    timer_set(queue);
}

void account_queue_forget(struct aws_account *account, const struct account_call *call)
{
    struct account_queue *queue = account->queue;
    uint32_t kept = 0;
    vector_for_each (waiter, &queue->waiters)
        if (waiter->call != call)
            queue->waiters.items[kept++] = *waiter;
    queue->waiters.count = kept;
}

static void waiters_serve(void *context)
{
    struct account_queue *queue = context;
    int64_t now = loop_now_ns(queue->account->loop);
    uint32_t kept = 0;
    vector_for_each (waiter, &queue->waiters) {
        json_t *messages = messages_take(waiter->call);
        if (json_array_size(messages) == 0 && waiter->deadline > now) {
            json_decref(messages);
            queue->waiters.items[kept++] = *waiter;
            continue;
        }
        reply_with(waiter->call, messages);
        waiter->call->answer(waiter->call);
    }
    queue->waiters.count = kept;
    timer_set(queue);
}

// --- deleting ------------------------------------------------------------------------------------

static bool message_delete(struct account_queue *queue, const char *handle)
{
    size_t length = strcspn(handle, "#");
    for (uint32_t i = 0; i < queue->messages.count; i++) {
        struct message *message = &queue->messages.items[i];
        if (strlen(message->id) != length || strncmp(message->id, handle, length) != 0)
            continue;
        message_free(message);
        memmove(message, message + 1, (queue->messages.count - i - 1) * sizeof *message);
        queue->messages.count--;
        return true;
    }
    return handle[length] == '#'; // deleted before: fine as well
}

void sqs_delete_message(struct account_call *call)
{
    if (!queue_check(call))
        return;
    if (message_delete(call->account->queue, json_text(call->params, "ReceiptHandle")))
        call->reply = json_object();
    else
        account_refuse(call, 400, "ReceiptHandleIsInvalid", "The receipt handle is invalid");
}

void sqs_delete_message_batch(struct account_call *call)
{
    const json_t *entries = json_object_get(call->params, "Entries");
    size_t i;
    json_t *entry;
    if (!queue_check(call))
        return;
    if (json_array_size(entries) == 0 || json_array_size(entries) > BATCH_MAX) {
        account_refuse(call, 400,
                       json_array_size(entries) == 0 ? "EmptyBatchRequest"
                                                     : "TooManyEntriesInBatchRequest",
                       "A batch has 1 to 10 entries");
        return;
    }
    json_t *good = json_array(), *bad = json_array();
    json_array_foreach (entries, i, entry) {
        const char *id = json_text(entry, "Id");
        if (message_delete(call->account->queue, json_text(entry, "ReceiptHandle")))
            json_array_append_new(good, json_pack("{s:s}", "Id", id));
        else
            json_array_append_new(bad, json_pack("{s:s,s:s,s:b}", "Id", id, "Code",
                                                 "ReceiptHandleIsInvalid", "SenderFault", 1));
    }
    call->reply = json_pack("{s:o,s:o}", "Successful", good, "Failed", bad);
}
