// Notes what happens in a replayed scenario: the requests to AWS by phase, and each NodeClaim's
// last state with the conditions that it once had.
#pragma once

#include <jansson.h>

#include "sim/aws/aws_account.h"
#include "sim/simulation.h"

struct record {
    struct loop *loop;
    const char *phase;  // of requests from now on: validation, launch, steps, cleanup
    json_t *requests;   // in the order of the answers
    json_t *claims;     // by uid: {"object", "seen", "deleted"}
    bool claims_frozen; // later changes of NodeClaims belong to the clean-up
    struct store_watch *watch;
};

void record_begin(struct record *record, struct loop *loop);
// Watches the NodeClaims of the simulation from now on.
void record_watch(struct record *record, struct simulation *simulation);
// Before the simulation goes.
void record_unwatch(struct record *record);
void record_end(struct record *record);
// The account's observer of requests; `context` is the record.
void record_request(void *context, const struct aws_account_request *request);
// The NodeClaims in order of creation; a new reference.
json_t *record_claims(const struct record *record);
