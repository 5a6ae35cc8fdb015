// Metric names of older versions (GUI-42), for dashboards that still use them.
#pragma once

#include "base/metrics.h"

// Serves today's families under their older names as well, with today's labels.
void legacy_metrics_serve(struct metrics *metrics);
