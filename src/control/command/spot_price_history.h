// Lowest and highest spot prices that this process has observed (DIS-750): by instance type and
// zone, for intervals of the SPOT_PRICE_WINDOW. Catalogs are read at most once a minute, and
// whenever prices change.
#pragma once

#include "engine/problem/disruption_inputs.h"
#include "model/snapshot/snapshot.h"

struct spot_price_history;
struct spot_price_history *spot_price_history_create(void);
void spot_price_history_destroy(struct spot_price_history *prices); // NULL is fine

// Records the prices of the snapshot's catalogs at its time; its settings have the window.
void spot_price_history_observe(struct spot_price_history *prices, const struct snapshot *snapshot);
// Prices have just changed: the next observation is not delayed.
void spot_price_history_note_change(struct spot_price_history *prices);
// The prices within the window at the snapshot's time; none if the window is 0. Lives in `arena`.
struct spot_price_list spot_price_history_list(const struct spot_price_history *prices,
                                               const struct snapshot *snapshot,
                                               struct arena *arena);
