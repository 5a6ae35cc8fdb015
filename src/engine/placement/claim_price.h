// The expected price of a new node (DIS-742). All decisions use this price: whether a move pays,
// whether it meets the pool's policy, which of several moves is best. Prices are effective ones
// with the surplus credits for the claim's pods, but without NODE_COST (effective_price.h).
#pragma once

#include "engine/pass/pass_state.h"

// Nano-USD an hour. Reserved and on-demand capacity: the cheapest possible launch. Spot: the mean
// of the launch request, because free capacity decides the machine. INT64_MAX: unknown.
int64_t claim_expected_price(struct problem *problem, const struct claim *claim);
// The claim's cheapest possible offering, nano-USD an hour. INT64_MAX: none.
int64_t claim_cheapest_price(struct problem *problem, const struct claim *claim);
// The row of that offering; NONE: the claim has no rows.
uint32_t claim_cheapest_row(struct problem *problem, const struct claim *claim);
// The price of one of its rows, by the prices of any set.
int64_t claim_row_price(const struct claim *claim, const struct row_filter *prices, uint32_t row);
// The cheapest price; 0: none.
int64_t claim_price_or_zero(struct problem *problem, const struct claim *claim);
// The price of an attempt's cheapest machine, nano-USD an hour; INT64_MAX: none.
int64_t claim_attempt_price(struct pass *pass, const struct claim *claim,
                            const struct claim_attempt *attempt);
