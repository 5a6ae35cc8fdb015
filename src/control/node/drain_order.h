// The order in which pods leave disrupted nodes: in queues, one for all pods that go to existing
// nodes, and one for each command's pods that go to its replacements, replacement by replacement
// (kept_replacements.h), which come after the command's other pods. In a queue the hardest to place
// go first (engine/problem/eviction_order.h, as in decisions), one by one if they are not many; the
// next follows when a successor is bound, or refused, or waits for its node. So small pods do not
// take the room that large ones need, and kube-scheduler's choices match the decision's.
#pragma once

#include "control/runtime/control.h"

struct commands;
struct drain_order;
// `admitted` is called with the UID of each pod that may be evicted.
struct drain_order *drain_order_create(struct control *control, const struct commands *commands,
                                       void (*admitted)(void *context, const char *pod_uid),
                                       void *context);
void drain_order_destroy(struct drain_order *order); // NULL is fine
// Whether the pod may be evicted now; otherwise it waits for its turn, and `admitted` is called
// then.
bool drain_order_admits(struct drain_order *order, const struct pod *pod);
// The pod's eviction was accepted: the order waits for its successor, for a limited time.
void drain_order_evicted(struct drain_order *order, const struct pod *pod);
// The pod's eviction was rejected: it is tried again, and others go on.
void drain_order_rejected(struct drain_order *order, const char *pod_uid);
// The pod no longer waits: it is gone, or its eviction is no longer needed.
void drain_order_forget(struct drain_order *order, const char *pod_uid);
// Pods of the command wait for their turn or are being evicted, or successors are awaited. A
// rejected pod does not count.
bool drain_order_awaits(const struct drain_order *order, uint64_t command);
