// The eviction queue (LIF-120 to LIF-126): pods to be evicted, or deleted when their node's
// deadline leaves no other way. Entries are a cache that the drain fills again.
#pragma once

#include "control/runtime/control.h"

struct commands;
struct eviction_queue;
struct protection_events;
struct eviction_queue *eviction_queue_create(struct control *control,
                                             const struct commands *commands,
                                             struct protection_events *protection_events);
void eviction_queue_destroy(struct eviction_queue *evictions);

// `deadline` 0: none. Adding again keeps the earlier one.
void eviction_queue_add(struct eviction_queue *evictions, const struct pod *pod, int64_t deadline);
// Whether the last request to evict this pod was refused by a budget (LIF-449).
bool eviction_queue_refused(const struct eviction_queue *evictions, const struct pod *pod);
// Whether it waits for other pods of its workload: a budget refused it, or it is the last ready
// one.
bool eviction_queue_is_put_off(const struct eviction_queue *evictions, const struct pod *pod);
// The counts of ready pods that the queue keeps; it owns them.
struct ready_replicas *eviction_queue_replicas(const struct eviction_queue *evictions);
