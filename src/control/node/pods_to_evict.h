// Pods that disruption commands have yet to evict. Their successors will take places that are kept
// for their workload (planned_pods.h), whichever command these belong to.
#pragma once

#include "control/runtime/control.h"

struct command_node;
struct commands;
struct eviction_queue;

// Pods of the command's node that are yet to be evicted, without those whose eviction waits for
// other pods, which may wait for a replacement.
uint32_t pods_to_evict_on(const struct control *control, const struct eviction_queue *evictions,
                          const struct command_node *entry);
// Counts those of all commands that delete their nodes, by workload, and drops the places of ended
// commands that nobody comes for (cluster_set_leaving()).
void pods_to_evict_count(struct control *control, const struct commands *commands,
                         const struct eviction_queue *evictions);
