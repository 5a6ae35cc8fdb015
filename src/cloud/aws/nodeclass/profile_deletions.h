// Deletion of several instance profiles, one after the other (AWN-91, 398).
#pragma once

#include "cloud/aws/nodeclass/instance_profiles.h"

struct class_pass;
// Lists the profiles under `path`, leaves out those that `keep` (NULL: none) returns true for, adds
// `extra` (NULL: none), if by its tags it is of the NodeClass `owner` (NULL: in any case; AWN-717),
// and deletes. The answer `key` becomes ready, or fails with the first
// failure.
typedef bool (*profile_keeper)(struct node_class_controllers *controllers, const char *name);
struct profile_deletions_options {
    const char *key, *path, *extra, *owner;
    profile_keeper keep;
    int64_t lifetime_ns; // of the answer
};
void profile_deletions_begin(struct node_class_controllers *controllers,
                             const struct profile_deletions_options *options);
// Work under way ends with the controllers.
void profile_deletions_cancel(struct node_class_controllers *controllers);
