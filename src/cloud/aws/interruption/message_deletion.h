// Deletion of handled messages from their queues, in batches of ten (AWI-504, 961).
#pragma once

#include "cloud/aws/interruption/interruption_handling.h"
#include "cloud/aws/interruption/queue_address.h"

struct message_deletion;
struct message_deletion *message_deletion_create(const struct interruption_handler *handler,
                                                 const struct queue_address *queues,
                                                 unsigned count);
void message_deletion_destroy(struct message_deletion *deletion); // NULL is fine
void message_deletion_add(struct message_deletion *deletion, unsigned queue, const char *url,
                          const char *receipt); // copied
