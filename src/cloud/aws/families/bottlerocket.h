// User data of Bottlerocket: TOML settings (AWN-295 to 300).
#pragma once

#include "cloud/aws/families/node_registration.h"

const char *bottlerocket_render(const struct user_data_options *options,
                                const struct node_registration *registration, struct arena *arena,
                                struct error *error) MUST_USE;
struct string_list bottlerocket_warnings(const struct ec2_node_class *node_class,
                                         struct arena *arena); // user_data_warnings()
