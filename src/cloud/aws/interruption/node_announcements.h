// Announcements that the watchers of nodes make by annotations (AWI-959), handled like messages of
// the queue. An annotation counts for the NodeClaim that is registered with its Node, and only
// while its instant is plausible. Not with COMPATIBILITY=upstream.
#pragma once

#include "cloud/aws/interruption/interruption_handling.h"

struct node_announcements;
struct node_announcements *node_announcements_create(const struct interruption_handler *handler);
void node_announcements_destroy(struct node_announcements *announcements); // NULL is fine
