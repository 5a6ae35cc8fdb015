// What every family's user data says of the node: labels, taints, DNS, reserved resources (AWN-236,
// 238, 239).
#pragma once

#include "cloud/aws/families/user_data_options.h"

struct node_registration { // in arena memory
    struct string_map labels;
    taint_list taints;
    struct string_list cluster_dns;
    struct string_map kube_reserved, system_reserved; // items NULL: none
    bool raid0;
};
void node_registration_of(struct node_registration *registration,
                          const struct user_data_options *options, struct arena *arena);
// "1m30s" for "90s", as Go prints it; a text that is no duration stays.
const char *node_duration(const char *text, struct arena *arena);
