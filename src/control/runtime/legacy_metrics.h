// Metric names of older versions (GUI-42), for dashboards that have not been changed yet.
#pragma once

#include "base/metrics.h"

// Serves today's families under their older names as well; labels are today's.
void legacy_metrics_serve(struct metrics *metrics);
