// The loop that receives messages of the interruption queues by long polling (AWI-500 to 502, 961).
// It polls while this replica leads, and only a running poll is cut off at the end.
#pragma once

#include "cloud/aws/interruption/queue_messages.h"

struct queue_receiver;
struct queue_receiver *queue_receiver_create(const struct interruption_handler *handler,
                                             struct queue_messages *messages,
                                             const struct queue_address *queues, unsigned count);
void queue_receiver_destroy(struct queue_receiver *receiver); // NULL is fine
