// Seeded random worlds on a simulated AWS account with the real provider `aws`: users who scale,
// edit and delete, an account that throttles, loses answers, runs out of stock and takes instances
// back, a controller that dies at any step. Then all faults stop, the world must settle, empty when
// its workloads go, and leave nothing in the account when its EC2NodeClass is deleted.
//
// The options determine everything. Each action has its own random numbers, so that leaving one out
// does not change the others.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define AWS_SOAK_ACTIONS_MAX 64

struct aws_soak_options {
    uint64_t seed;
    const bool *left_out; // of AWS_SOAK_ACTIONS_MAX actions; NULL: none
    bool verbose;         // actions and requests to standard output, the log to standard error
};
struct aws_soak_result {
    bool failed;
    char why[600];
    uint32_t actions; // of the world's list
    double simulated_hours, settled_after_seconds;
    // Of the whole run: a run with all zero proves nothing.
    uint64_t calls, fleets, launches, claims, orphans, requests;
};
void aws_soak_run(const struct aws_soak_options *options, struct aws_soak_result *result);
