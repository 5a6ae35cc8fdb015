// The user data of a launch template, by AMI family (AWN-236 to 239, 270 to 316). Text, before
// base64.
#pragma once

#include "cloud/aws/families/user_data_options.h"

// In arena memory. Errors: malformed MIME or TOML (AWN-276, 295), no cluster CIDR (AWN-288,
// ERROR_NODE_CLASS_NOT_READY).
const char *user_data_render(const struct user_data_options *options, struct arena *arena,
                             struct error *error) MUST_USE;

// Parts of spec.userData that will not reach the machine (AWN-711), or that it cannot use, a
// sentence each, sorted as they stand there. Empty: none, or it cannot be read.
struct string_list user_data_warnings(const struct ec2_node_class *node_class, struct arena *arena);
