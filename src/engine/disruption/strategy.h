// Strategies of disruption: upstream's and adze's own. COMPATIBILITY (FMT-18) selects one at start;
// each member is one difference, with its rule. docs/compatibility.md lists all.
#pragma once

#include <stdbool.h>

struct settings;

struct disruption_strategy {
    // candidates
    bool takes_pools_without_types; // DIS-718: some methods need no instance types
    bool spares_planned_nodes;      // DIS-765: the plan of pending pods counts as a nomination
    bool prices_reservations;       // DIS-744: a node's own reservation has its own price
    bool counts_moving_pods_only; // DIS-754: nodes that are no candidates count reschedulable pods
                                  // only
    bool minds_placeholders;      // DIS-753: a node with placeholders is not empty
    bool reports_disabled_pools;  // DIS-772: events for nodes that go by drift alone
    // pods
    bool counts_evictions;           // DIS-760, DIS-761: limits on all commands at one time
    bool plans_moves;                // DIS-755: the planned places of removed nodes' pods
    bool minds_unschedulable_anyway; // DIS-710, DIS-711: a removal is responsible for its own pods
                                     // only
    bool follows_scheduler; // DIS-749: pods go where kube-scheduler has been seen to put them
    bool guides_drains;     // DIS-749: many pods at once are led to the places of the plan
    // prices of replacements
    bool narrows_to_cheap_zones; // DIS-740, DIS-741: instead of dropping types that are expensive
                                 // in one zone
    bool needs_known_prices;     // DIS-743: no replacement with an unknown price
    bool asks_offering_prices;   // DIS-742: instead of prices of a claim's first type
    // methods
    bool moves_many_at_once;   // DIS-717, DIS-745, DIS-746: drift and consolidation as a whole,
                               // engine/disruption_methods.c
    bool replaces_expiring;    // DIS-762: replaces nodes before their deadline
    bool deletes_static_first; // DIS-728: if limits leave no room for a replacement
    bool confirms_together;    // DIS-763: commands decided together are validated together
};
const struct disruption_strategy *disruption_strategy_of(const struct settings *settings);
