#include "engine/disruption/strategy.h"

#include <assert.h>

#include "model/reading/settings.h"

static const struct disruption_strategy upstream = {
    .reports_disabled_pools = true,
};
static const struct disruption_strategy adze = {
    .takes_pools_without_types = true,
    .spares_planned_nodes = true,
    .prices_reservations = true,
    .counts_moving_pods_only = true,
    .minds_placeholders = true,
    .counts_evictions = true,
    .plans_moves = true,
    .minds_unschedulable_anyway = true,
    .follows_scheduler = true,
    .guides_drains = true,
    .narrows_to_cheap_zones = true,
    .needs_known_prices = true,
    .asks_offering_prices = true,
    .moves_many_at_once = true,
    .replaces_expiring = true,
    .deletes_static_first = true,
    .confirms_together = true,
};

const struct disruption_strategy *disruption_strategy_of(const struct settings *settings)
{
    return settings->compatibility_upstream ? &upstream : &adze;
}
