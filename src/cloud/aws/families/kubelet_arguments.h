// The kubelet's command line as AL2's and Windows' bootstrap scripts take it (AWN-237).
#pragma once

#include "base/text.h"
#include "cloud/aws/families/node_registration.h"

// Appends the arguments, separated by spaces.
void kubelet_arguments_add(struct text *text, const struct user_data_options *options,
                           const struct node_registration *registration, struct arena *arena);
// `--node-labels="key=value,…"`; nothing without labels.
void kubelet_labels_argument_add(struct text *text, const struct string_map *labels);
