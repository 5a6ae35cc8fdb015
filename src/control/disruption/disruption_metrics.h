// Metrics of an evaluation: eligible nodes, allowed disruptions of the NodePools' budgets, and the
// age of each method's last evaluation of each NodePool (DIS-400, DIS-405, DIS-709).
#pragma once

#include "control/disruption/disruption_evaluation.h"
#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct disruption_metrics;
struct disruption_metrics *disruption_metrics_create(struct control *control);
void disruption_metrics_destroy(struct disruption_metrics *metrics); // NULL is fine

// The plan of an evaluation of that kind: what its methods examined.
void disruption_metrics_record(struct disruption_metrics *metrics, const struct plan *plan,
                               enum evaluation_kind kind);
// The other methods had nothing to evaluate.
void disruption_metrics_record_none(struct disruption_metrics *metrics);
// A deleted NodePool has no series.
void disruption_metrics_forget(struct disruption_metrics *metrics, const char *node_pool);
