// Label selectors (metav1.LabelSelector) over sorted label maps, and the pods of a
// PodDisruptionBudget.
#pragma once

#include "model/schema/core.h"

// metav1 semantics: nil selects nothing, empty selects everything; an invalid selector selects
// nothing.
bool label_selector_matches(const struct label_selector *selector, const struct string_map *labels);
// Whether the budget covers the pod (DIS-43). A budget with an invalid selector covers every pod of
// its namespace and allows no disruption (DIS-708).
bool budget_covers(const struct pod_disruption_budget *budget, const struct object_meta *pod);
bool budget_is_unreadable(const struct pod_disruption_budget *budget);
bool budget_is_exhausted(const struct pod_disruption_budget *budget);
