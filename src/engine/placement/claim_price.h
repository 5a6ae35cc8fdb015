// What a new node is likely to cost (DIS-742). One price for all questions: whether it is worth
// having, what a pool thinks of it, which of several moves is the best.
#pragma once

#include "engine/pass/pass_state.h"

// Nano-USD an hour. Reserved and on-demand capacity: the cheapest that can be launched; spot, whose
// machine is chosen by what is free: the mean of what a launch asks for. INT64_MAX: not known.
int64_t claim_expected_price(struct problem *problem, const struct claim *claim);
// The cheapest offering that the claim could be launched as, nano-USD an hour. INT64_MAX: there is
// none.
int64_t claim_cheapest_price(struct problem *problem, const struct claim *claim);
// The same; 0: there is none.
int64_t claim_price_or_zero(struct problem *problem, const struct claim *claim);
// The price of the cheapest machine of an attempt, nano-USD an hour; INT64_MAX: it has none.
int64_t claim_attempt_price(struct pass *pass, const struct claim *claim,
                            const struct claim_attempt *attempt);
