#include "cloud/aws/interruption/message_deletion.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/duration.h"
#include "cloud/aws/controllers/aws_operations.h"

#define BATCH_MAX      10   // of DeleteMessageBatch
#define RECEIPTS_MAX   5000 // beyond it the oldest are forgotten: their messages come again
#define GATHER_NS      (50 * MILLISECOND)
#define BACKOFF_MAX_NS (5 * SECOND)

struct deletions { // of one queue
    struct message_deletion *deletion;
    const struct queue_address *address;
    char *url;
    VECTOR(char *) receipts;
    uint32_t sent; // the first of them are in a call
};
struct message_deletion {
    const struct interruption_handler *handler;
    struct reconcile_queue *queue;
    struct queue_address addresses[QUEUES_MAX];
    struct deletions queues[QUEUES_MAX];
    unsigned count;
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct message_deletion *message_deletion_create(const struct interruption_handler *handler,
                                                 const struct queue_address *queues, unsigned count)
{
    assert(count <= QUEUES_MAX);
    struct message_deletion *deletion = memory_allocate(sizeof *deletion);
    deletion->handler = handler;
    deletion->count = count;
    for (unsigned i = 0; i < count; i++) {
        deletion->addresses[i] = queues[i];
        deletion->queues[i] =
            (struct deletions){.deletion = deletion, .address = &deletion->addresses[i]};
    }
    deletion->queue = manager_queue(
        handler->manager, &(struct reconcile_queue_options){.name = "interruption.deletion",
                                                            .concurrency = QUEUES_MAX,
                                                            .backoff_base_ns = 100 * MILLISECOND,
                                                            .backoff_max_ns = BACKOFF_MAX_NS,
                                                            .reconcile = reconcile,
                                                            .context = deletion});
    return deletion;
}

static void forget_receipts(struct deletions *queue, uint32_t count)
{
    assert(count <= queue->receipts.count);
    for (uint32_t i = 0; i < count; i++)
        free(queue->receipts.items[i]);
    queue->receipts.count -= count;
    for (uint32_t i = 0; i < queue->receipts.count; i++)
        queue->receipts.items[i] = queue->receipts.items[i + count];
}

void message_deletion_destroy(struct message_deletion *deletion)
{
    if (deletion == NULL)
        return;
    for (unsigned i = 0; i < deletion->count; i++) {
        forget_receipts(&deletion->queues[i], deletion->queues[i].receipts.count);
        vector_free(&deletion->queues[i].receipts);
        free(deletion->queues[i].url);
    }
    free(deletion);
}

void message_deletion_add(struct message_deletion *deletion, unsigned queue, const char *url,
                          const char *receipt)
{
    char key[16];
    assert(queue < deletion->count);
    assert(url != NULL);
    struct deletions *deletions = &deletion->queues[queue];
    if (!text_equal(deletions->url, url)) {
        free(deletions->url);
        deletions->url = memory_copy_string(url);
    }
    if (deletions->receipts.count >= RECEIPTS_MAX && deletions->sent == 0)
        forget_receipts(deletions, 1);
    vector_push(&deletions->receipts, memory_copy_string(receipt));
    snprintf(key, sizeof key, "%u", queue);
    reconcile_queue_add_after(deletion->queue, key, GATHER_NS);
}

// A receipt that SQS refuses has expired: its message comes again.
static enum operation_outcome note_deleted(void *context, const struct aws_result *result)
{
    struct deletions *queue = context;
    uint32_t sent = queue->sent;
    queue->sent = 0;
    if (result->error.kind != ERROR_NONE && result->error.kind != ERROR_INVALID &&
        result->error.kind != ERROR_NOT_FOUND)
        return OPERATION_PASS;
    forget_receipts(queue, sent);
    if (result->error.kind != ERROR_NONE)
        return OPERATION_PASS;
    size_t refused = json_array_size(json_object_get(result->reply, "Failed"));
    if (refused < sent)
        metric_add(queue->deletion->handler->metrics->deleted, sent - refused);
    return OPERATION_PASS;
}

static json_t *entries_of(const struct deletions *queue)
{
    json_t *entries = json_array();
    for (uint32_t i = 0; i < queue->sent; i++) {
        char id[16];
        snprintf(id, sizeof id, "%u", i);
        json_array_append_new(
            entries, json_pack("{s:s, s:s}", "Id", id, "ReceiptHandle", queue->receipts.items[i]));
    }
    return entries;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct message_deletion *deletion = context;
    struct manager *manager = deletion->handler->manager;
    struct deletions *queue = &deletion->queues[strtoul(work_item_key(item), NULL, 10)];
    struct operation_about about = {
        .manager = manager, .item = item, .doing = "deleting interruption messages"};
    (void)error;
    if (queue->receipts.count == 0)
        return reconcile_done();
    bool upstream = manager->settings->compatibility_upstream;
    queue->sent = upstream                            ? 1
                  : queue->receipts.count < BATCH_MAX ? queue->receipts.count
                                                      : BATCH_MAX;
    struct aws_request request = {
        .action = upstream ? SQS_DELETE_MESSAGE : SQS_DELETE_MESSAGE_BATCH,
        .region = queue->address->region[0] != '\0' ? queue->address->region : NULL};
    if (upstream)
        request.parameters = json_pack("{s:s, s:s}", "QueueUrl", queue->url, "ReceiptHandle",
                                       queue->receipts.items[0]);
    else
        request.parameters =
            json_pack("{s:s, s:o}", "QueueUrl", queue->url, "Entries", entries_of(queue));
    return start_aws_call(&about, deletion->handler->environment->client, &request, note_deleted,
                          queue);
}
