// Messages of the interruption queues under way: each is an item of a queue of the manager, retried
// alone (AWI-961), and deleted from its queue in batches when it is handled, and only then.
//
// A message for an instance of the cluster whose NodeClaim is not visible yet is left for
// re-delivery (AWI-951).
#pragma once

#include "cloud/aws/interruption/interruption_handling.h"
#include "cloud/aws/interruption/queue_address.h"

struct queue_messages;
struct queue_messages *queue_messages_create(const struct interruption_handler *handler,
                                             const struct queue_address *queues, unsigned count);
void queue_messages_destroy(struct queue_messages *messages); // NULL is fine

// The URL is known (GetQueueUrl, or the setting).
void queue_messages_know_url(struct queue_messages *messages, unsigned queue, const char *url);
const char *queue_messages_url(const struct queue_messages *messages, unsigned queue); // or NULL
// A reply of ReceiveMessage.
void queue_messages_take(struct queue_messages *messages, unsigned queue, const json_t *reply);
// Under way, deletions not counted.
uint32_t queue_messages_count(const struct queue_messages *messages);
// COMPATIBILITY=upstream: a message has failed since the last call (AWI-503).
bool queue_messages_failed(struct queue_messages *messages);
