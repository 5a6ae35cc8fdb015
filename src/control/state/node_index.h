// Nodes by provider ID, and lists of objects by name.
#pragma once

#include "base/map.h"
#include "control/state/state_node.h"

// The layout that node_list and the lists of a state node share: pointers to objects, acquired.
struct object_list {
    const struct object **items;
    uint32_t count, capacity;
};
// Replaces `old_object` by `new_object`; either may be NULL.
void object_list_replace(struct object_list *list, const struct object *old_object,
                         const struct object *new_object);

struct node_index {
    struct map *by_provider_id; // node_list
};
void node_index_init(struct node_index *index);
void node_index_free(struct node_index *index);
// Either may be NULL, and without a provider ID.
void node_index_change(struct node_index *index, const struct node *old_node,
                       const struct node *new_node);
// Borrowed until the next change.
const struct node_list *node_index_with(const struct node_index *index, const char *provider_id);
