// Cluster Autoscaler, Auto Scaling groups and node groups to NodePools and EC2NodeClasses (MIG
// section 6).
#pragma once

#include "cli/convert/conversion.h"

struct autoscaler;

struct autoscaler *autoscaler_create(struct conversion *conversion);
// Takes the document in; false: it is nothing of this kind.
bool autoscaler_take(struct autoscaler *autoscaler, struct source *source);
// A text of flags (--flags).
void autoscaler_take_flags(struct autoscaler *autoscaler, const char *file, const char *text);
// Makes the products of all that was taken in.
void autoscaler_finish(struct autoscaler *autoscaler);
// The NodePool of a node group; NULL: it is not in the input (MIG-90).
const char *autoscaler_pool_of(const struct autoscaler *autoscaler, const char *node_group);
void autoscaler_destroy(struct autoscaler *autoscaler);
