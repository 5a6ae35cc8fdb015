// Metrics of an evaluation: how many nodes are eligible, what the budgets of the NodePools allow,
// and how long ago each method has looked at all nodes of each NodePool (DIS-400, DIS-405,
// DIS-709).
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"

struct disruption_metrics;
struct disruption_metrics *disruption_metrics_create(struct control *control);
void disruption_metrics_destroy(struct disruption_metrics *metrics); // NULL is fine

// `of_emptiness`: the plan is of emptiness alone; else of all other methods.
void disruption_metrics_record(struct disruption_metrics *metrics, const struct plan *plan,
                               bool of_emptiness);
// There was nothing to evaluate by the other methods.
void disruption_metrics_record_none(struct disruption_metrics *metrics);
// A NodePool that is gone has no series.
void disruption_metrics_forget(struct disruption_metrics *metrics, const char *node_pool);
