// What a node's watcher has read of its instance (AWI-959), as annotations of the Node: the instant
// of each announcement, RFC 3339. Pure.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct object;

enum node_announcement {        // the most urgent first
    NODE_SPOT_INTERRUPTION,     // EC2 takes the instance back then
    NODE_MAINTENANCE,           // maintenance or retirement begins then
    NODE_REBALANCE_RECOMMENDED, // the recommendation was made then
    NODE_ANNOUNCEMENTS_COUNT
};
const char *node_announcement_key(enum node_announcement what); // of the annotation
// The instant, or 0: the Node has no such annotation, or one that is no instant.
int64_t node_announcement_read(const struct object *node, enum node_announcement what);
