// The properties of section 31.6 of the scheduling rules (SCH-540 to SCH-545), each a predicate on
// worlds.
#pragma once

#include "base/text.h"
#include "properties/world.h"

// True: the property holds or does not apply to this world (bad input, search given up). False:
// *why is the reason. The seed is for the property's own random numbers: the same seed gives the
// same answer.
typedef bool (*property_check)(const json_t *world, uint64_t seed, struct text *why);

struct property {
    const char *name, *rule;
    enum world_size size; // the usual size of its worlds
    property_check check;
    const char *help;
};
// Ends with an entry without name.
extern const struct property properties[];

bool order_does_not_matter(const json_t *world, uint64_t seed, struct text *why);
bool the_useless_does_not_matter(const json_t *world, uint64_t seed, struct text *why);
bool lowest_price_is_not_above_greedy(const json_t *world, uint64_t seed, struct text *why);
bool half_prices_halve_the_total(const json_t *world, uint64_t seed, struct text *why);
bool fewer_pods_cost_no_more(const json_t *world, uint64_t seed, struct text *why);
bool what_can_be_placed_is_placed(const json_t *world, uint64_t seed, struct text *why);
bool the_scheduler_accepts_all(const json_t *world, uint64_t seed, struct text *why);
bool nothing_is_left_when_all_are_bound(const json_t *world, uint64_t seed, struct text *why);
bool joined_nodes_suffice(const json_t *world, uint64_t seed, struct text *why);
