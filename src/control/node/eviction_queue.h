// The eviction queue (LIF-120 to LIF-126): pods to evict, or to delete when their node's deadline
// requires it. Entries are a cache that the drain refills.
#pragma once

#include "control/runtime/control.h"

struct commands;
struct eviction_queue;
struct protection_events;
struct eviction_queue *eviction_queue_create(struct control *control,
                                             const struct commands *commands,
                                             struct protection_events *protection_events);
void eviction_queue_destroy(struct eviction_queue *evictions);

// `deadline` 0: none. A second call keeps the earlier deadline.
void eviction_queue_add(struct eviction_queue *evictions, const struct pod *pod, int64_t deadline);
// Whether a budget rejected the pod's last eviction (LIF-449).
bool eviction_queue_refused(const struct eviction_queue *evictions, const struct pod *pod);
// Whether the pod waits for other pods of its workload: a budget rejected it, or it is the last
// ready one.
bool eviction_queue_is_put_off(const struct eviction_queue *evictions, const struct pod *pod);
// Pods of the command with that number are on their way (drain_order_awaits()).
bool eviction_queue_awaits(const struct eviction_queue *evictions, uint64_t command);
// The counts of ready pods, owned by the queue.
struct ready_replicas *eviction_queue_replicas(const struct eviction_queue *evictions);
