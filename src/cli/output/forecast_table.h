// Forecasts as text.
#pragma once

#include "cli/output/forecast_encode.h"

// `lines`: of nodes, and of pods that move.
void diff_report_print(const struct diff_report *report, int64_t lines);
// Nodes that come and go (`edit`: those that drift are marked; may be NULL), pods that move.
void forecast_print_nodes(const struct forecast *forecast, const struct edit_forecast *edit,
                          int64_t lines);
void forecast_print_moves(const struct forecast *forecast, int64_t lines);
// What the NodePools cost now and after.
void costs_print(const struct cluster_cost *now, const struct cluster_cost *after);
