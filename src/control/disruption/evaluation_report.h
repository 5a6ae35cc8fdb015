// What an evaluation says (disruption_evaluation.h): metrics and events of its plan.
#pragma once

#include "control/disruption/disruption_evaluation.h"
#include "control/disruption/disruption_metrics.h"

// When the evaluation has been carried out.
void evaluation_report(const struct disruption_evaluation *evaluation,
                       struct disruption_metrics *metrics);
