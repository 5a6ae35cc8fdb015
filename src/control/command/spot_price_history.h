// How low and how high spot prices were lately (DIS-750), as far as this process has seen them: by
// instance type and zone, in parts of the SPOT_PRICE_WINDOW. Catalogs are read at most once a
// minute, and whenever prices change.
#pragma once

#include "engine/problem/disruption_inputs.h"
#include "model/snapshot/snapshot.h"

struct spot_price_history;
struct spot_price_history *spot_price_history_create(void);
void spot_price_history_destroy(struct spot_price_history *prices); // NULL is fine

// Remembers what the snapshot's catalogs say at its time; its settings have the window.
void spot_price_history_observe(struct spot_price_history *prices, const struct snapshot *snapshot);
// Prices have just changed: the next look at a catalog is not put off.
void spot_price_history_note_change(struct spot_price_history *prices);
// What is known at the snapshot's time; nothing if the window is 0. Lives in `arena`.
struct spot_price_list spot_price_history_list(const struct spot_price_history *prices,
                                               const struct snapshot *snapshot,
                                               struct arena *arena);
