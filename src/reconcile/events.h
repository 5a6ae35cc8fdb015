// Events of reconcilers. What an event is about and how often it is told stands in the table of
// reasons (model/schema/event_reasons.h). Nothing is published while another replica leads.
#pragma once

#include "base/error.h"
#include "model/schema/core.h"
#include "model/schema/event_reasons.h"
#include "model/schema/karpenter.h"

struct manager;

// The same message about the same object is told once in the reason's window.
void publish(struct manager *manager, const struct object *about, enum event_reason reason,
             const char *format, ...) PRINTF_LIKE(4, 5);
// The same: what has the same key, whatever the message says. `key` NULL: the message.
void publish_keyed(struct manager *manager, const struct object *about, enum event_reason reason,
                   const char *key, const char *format, ...) PRINTF_LIKE(5, 6);
// On the Node and on its NodeClaim, as far as they are there (NULL: it is not). False: on none, as
// it was said within its window.
bool publish_of_node(struct manager *manager, const struct node *node,
                     const struct node_claim *claim, enum event_reason reason, const char *format,
                     ...) PRINTF_LIKE(5, 6);
// EVENT_CONDITION_TRANSITIONED: `type` of the condition is its reason in the API.
void publish_transition(struct manager *manager, const struct object *about, const char *type,
                        const char *key, const char *message);
