// User data of AL2: the user's parts and the call of its bootstrap script (AWN-275 to 278).
#pragma once

#include "cloud/aws/families/node_registration.h"

const char *bootstrap_script_render(const struct user_data_options *options,
                                    const struct node_registration *registration,
                                    struct arena *arena, struct error *error) MUST_USE;
