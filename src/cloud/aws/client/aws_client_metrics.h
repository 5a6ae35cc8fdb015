// Metrics of the calls to AWS (AWI-722).
#pragma once

#include <stdint.h>

#include "base/metrics.h"
#include "cloud/aws/client/aws_action_info.h"

struct aws_client_metrics { // all NULL: none
    struct metric *requests, *retries, *seconds, *attempts, *attempt_seconds;
};
void aws_client_metrics_register(struct aws_client_metrics *own, struct metrics *metrics);
// `status` 0: no answer.
void aws_client_metrics_attempt(const struct aws_client_metrics *own,
                                const struct aws_action_info *action, int status,
                                int64_t duration_ns);
void aws_client_metrics_call(const struct aws_client_metrics *own,
                             const struct aws_action_info *action, int status, uint32_t retries,
                             int64_t duration_ns);
