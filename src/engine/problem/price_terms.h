// What the costs beside list prices are computed with (engine/templates/effective_price.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The surplus credits of a burstable machine (effective_price.h).
struct row_burst {
    int64_t free_cpu; // millicores that its pods may request without; below 0: not even DaemonSets
    int64_t rate;     // nano-USD an hour for each millicore beyond; 0: not burstable
};
// What costs beside list prices are computed with; of the settings.
struct price_terms {
    int64_t allowance;     // for each node (NODE_COST)
    bool allowance_covers; // it is the default: it covers volumes and addresses
    double volume_factor, cpu_use;
    int64_t address, interruption; // nano-USD: an hour; once
};
