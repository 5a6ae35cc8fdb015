// In which order pods leave nodes that disruption takes: in queues, one for all pods that go to
// nodes that are there, and one for each command of those that go to its replacements, replacement
// by replacement (kept_replacements.h); in a queue the hardest to place first
// (engine/problem/eviction_order.h, as decisions have them), a few at a time, the next when the
// successor of one is bound, or waits for its node. So small pods do not take the room that large
// ones need, and what kube-scheduler does is what the decision reckoned with.
#pragma once

#include "control/runtime/control.h"

struct commands;
struct drain_order;
// `admitted` is called for pods that may be evicted now, by UID.
struct drain_order *drain_order_create(struct control *control, const struct commands *commands,
                                       void (*admitted)(void *context, const char *pod_uid),
                                       void *context);
void drain_order_destroy(struct drain_order *order); // NULL is fine
// Whether the pod may be evicted now; else it waits for its turn, and `admitted` tells when that
// is.
bool drain_order_admits(struct drain_order *order, const struct pod *pod);
// The pod's eviction was accepted: its successor is waited for, but not for ever.
void drain_order_evicted(struct drain_order *order, const struct pod *pod);
// The pod waits no more: it is gone, or nobody wants to evict it now.
void drain_order_forget(struct drain_order *order, const char *pod_uid);
