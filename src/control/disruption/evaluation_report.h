// Metrics and events of an evaluation (disruption_evaluation.h).
#pragma once

#include "control/disruption/disruption_evaluation.h"
#include "control/disruption/disruption_metrics.h"

// Called after the evaluation has been carried out.
void evaluation_report(const struct disruption_evaluation *evaluation,
                       struct disruption_metrics *metrics);
