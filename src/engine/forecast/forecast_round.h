// One round of a forecast: a decision, carried out on a copy of the snapshot.
#pragma once

#include "base/map.h"
#include "engine/forecast/forecast_types.h"

struct forecast_state {
    struct arena *arena;      // of the forecast
    struct snapshot *current; // owned
    struct map *born;         // name -> struct forecast_node, of nodes that came
    struct map *gone;         // the same, of nodes that went (name and why)
    uint32_t rounds, named;
};
// Carries out the decision; false: it holds nothing to do. `round` gets what happened.
bool forecast_round_apply(struct forecast_state *state, const struct plan *plan,
                          struct forecast_round *round);
// Lets Nodes go (`why`; lives as long as the forecast) whose pods a plan has placed elsewhere.
void forecast_round_remove(struct forecast_state *state, const struct plan *plan,
                           const struct string_list *nodes, const char *why,
                           struct forecast_round *round);
