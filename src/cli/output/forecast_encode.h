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
