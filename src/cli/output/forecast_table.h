// Forecasts as text.
#pragma once

#include "cli/output/forecast_encode.h"

// `lines`: of nodes, and of pods that move.
void diff_report_print(const struct diff_report *report, int64_t lines);
