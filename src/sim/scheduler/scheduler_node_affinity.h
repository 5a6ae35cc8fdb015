// Node selectors and node affinity (Kubernetes: Assigning Pods to Nodes).
#pragma once

#include "base/text.h"
#include "model/schema/core.h"

// node affinity.
bool filter_node_affinity_matches(const struct pod_spec *spec, const struct node *node);
bool filter_node_terms_match(const node_selector_term_list *terms, const struct node *node);
