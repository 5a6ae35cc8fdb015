// Events of reconcilers. The table of reasons (model/schema/event_reasons.h) says which object an
// event is about and how often it may repeat. A replica that does not lead publishes nothing.
#pragma once

#include "base/error.h"
#include "model/schema/core.h"
#include "model/schema/event_reasons.h"
#include "model/schema/karpenter.h"

struct manager;

// Publishes the same message about the same object once in the reason's window.
void publish(struct manager *manager, const struct object *about, enum event_reason reason,
             const char *format, ...) PRINTF_LIKE(4, 5);
// As publish(), but deduplicates by `key` instead of the message. `key` NULL: the message.
void publish_keyed(struct manager *manager, const struct object *about, enum event_reason reason,
                   const char *key, const char *format, ...) PRINTF_LIKE(5, 6);
// Publishes on the Node and on its NodeClaim; either may be NULL. Returns false if it published
// neither, within the window of an earlier event.
bool publish_of_node(struct manager *manager, const struct node *node,
                     const struct node_claim *claim, enum event_reason reason, const char *format,
                     ...) PRINTF_LIKE(5, 6);
// EVENT_CONDITION_TRANSITIONED: the condition's `type` is the event's reason in the API.
void publish_transition(struct manager *manager, const struct object *about, const char *type,
                        const char *key, const char *message);
