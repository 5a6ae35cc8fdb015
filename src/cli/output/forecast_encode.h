// Forecasts as JSON: the documents ClusterDiff and ClusterRebalance (docs/what-if.md).
#pragma once

#include <jansson.h>

#include "engine/forecast/edit_forecast.h"
#include "engine/forecast/forecast.h"

#define HOURS_A_MONTH INT64_C(730)

struct diff_report { // of `adze plan --diff`
    const struct object_change_list *changes;
    const struct edit_forecast *edit;
    const struct forecast *forecast; // with the edit
    const struct forecast *without;  // of the cluster as it is
    const struct string_list *remarks;
};
json_t *diff_report_encode(const struct diff_report *report);
// `rounds`, `nodes`, `moves` and the costs of a forecast.
void forecast_encode_into(json_t *json, const struct forecast *forecast);
// `totals` and `nodePools` of two states of a cluster.
void costs_encode_into(json_t *json, const struct cluster_cost *now,
                       const struct cluster_cost *after);
