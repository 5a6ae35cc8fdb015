// The standard retry mode (AWN-524): attempts, back-off with jitter, and a quota for retries that
// all calls of a client share, so that an outage is not answered with a storm.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"
#include "cloud/aws/client/aws_endpoints.h"

struct aws_retry {
    uint32_t attempts_max;
    uint32_t quota; // what is left
};
// Reads AWS_MAX_ATTEMPTS and AWS_RETRY_MODE ("standard", "adaptive", "legacy").
bool aws_retry_init(struct aws_retry *retry, const struct aws_environment *environment,
                    struct error *error) MUST_USE;
// Before attempt `attempt` + 1: takes from the quota; false if there is no further attempt.
// `taken` is given back after a success.
bool aws_retry_take(struct aws_retry *retry, uint32_t attempt, bool timed_out, uint32_t *taken);
void aws_retry_give_back(struct aws_retry *retry, uint32_t taken);
// Up to 2^attempt seconds, at most 20 s; attempts count from 1.
int64_t aws_retry_delay(uint32_t attempt, struct random *random);
