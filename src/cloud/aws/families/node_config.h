// User data of AL2023: the user's parts and nodeadm's NodeConfig (AWN-285 to 288).
#pragma once

#include "cloud/aws/families/node_registration.h"

const char *node_config_render(const struct user_data_options *options,
                               const struct node_registration *registration, struct arena *arena,
                               struct error *error) MUST_USE;
// AWN-286: whether user data that is no MIME message is a NodeConfig, not a script.
bool node_config_is_given(const char *text);
