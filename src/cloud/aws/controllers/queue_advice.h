// NodePools that use spot while there is no interruption queue: an event on each says what is lost
// by it (AWI-959). Not with COMPATIBILITY=upstream.
#pragma once

#include "cloud/aws/controllers/aws_controllers_environment.h"

struct queue_advice;
struct queue_advice *queue_advice_create(struct manager *manager);
// The same event for another problem of the queue: "INTERRUPTION_QUEUE ...", and the remedy.
void queue_advice_publish(struct manager *manager, const char *problem);
void queue_advice_destroy(struct queue_advice *advice); // NULL is fine
