// Metrics of an evaluation: eligible nodes, allowed disruptions of the NodePools' budgets, and the
// age of each method's last evaluation of each NodePool (DIS-400, DIS-405, DIS-709).
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct disruption_metrics;
struct disruption_metrics *disruption_metrics_create(struct control *control);
void disruption_metrics_destroy(struct disruption_metrics *metrics); // NULL is fine

enum recorded_methods { RECORD_EMPTINESS, RECORD_DUE_NODES, RECORD_OTHERS };
// The plan is of emptiness alone, of the methods that remove nodes which are due, or of all but
// emptiness.
void disruption_metrics_record(struct disruption_metrics *metrics, const struct plan *plan,
                               enum recorded_methods methods);
// The other methods had nothing to evaluate.
void disruption_metrics_record_none(struct disruption_metrics *metrics);
// A deleted NodePool has no series.
void disruption_metrics_forget(struct disruption_metrics *metrics, const char *node_pool);
