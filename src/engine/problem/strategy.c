#include "engine/problem/strategy.h"

#include "model/reading/settings.h"

static const struct engine_strategy upstream = {0};
static const struct engine_strategy adze = {
    .filters_as_scheduler = true,
    .plans_claim_templates = true,
    .plans_extended_resources = true,
    .weighs_preferences = true,
    .counts_as_scheduler = true,
    .adds_asked_labels_only = true,
    .counts_planned_nodes = true,
    .counts_launchable_zones = true,
    .doubles_hostname_spreads = true,
    .decides_domains = true,
    .combines_keys = true,
    .heeds_other_spreads = true,
    .orders_by_rules = true,
    .reserves_least_limits = true,
    .assigns_one_reservation = true,
    .heeds_priorities = true,
    .places_without_pools = true,
    .retries_passes = true,
    .packs_alternatives = true,
};

const struct engine_strategy *engine_strategy_of(const struct settings *settings)
{
    return settings->compatibility_upstream ? &upstream : &adze;
}
