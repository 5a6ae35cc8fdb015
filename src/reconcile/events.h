// Events of reconcilers: each has a static row with its reason and how often it may be said.
#pragma once

#include "base/error.h"
#include "model/schema/core.h"
#include "model/schema/karpenter.h"

struct manager;

struct event_text {
    const char *reason, *dedupe;
    int64_t window_ns;
    double rate, burst;
    bool warning;
};
// Nothing is published while another replica leads.
void publish(struct manager *manager, const struct object *about, const struct event_text *event,
             const char *format, ...) PRINTF_LIKE(4, 5);
// On the Node and on its NodeClaim, as far as they are there (NULL: it is not). False: on none, as
// it was said within its window.
bool publish_of_node(struct manager *manager, const struct node *node,
                     const struct node_claim *claim, const struct event_text *event,
                     const char *format, ...) PRINTF_LIKE(5, 6);
