// The result of a forecast: nodes and pods then and now, and what both cost.
#pragma once

#include "base/map.h"
#include "engine/forecast/forecast_types.h"

// Fills nodes, moves, before and after from the snapshot and forecast->end. `born`, `gone`: struct
// forecast_node by name, of those that came and went.
bool forecast_result_find(struct forecast *forecast, const struct snapshot *snapshot,
                          const struct map *born, const struct map *gone,
                          struct error *error) MUST_USE;
