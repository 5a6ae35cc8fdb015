// Faults on purpose: those that a scenario orders, and random ones by the seed.
#pragma once

#include "sim/aws/account_internal.h"

struct account_faults;
struct account_faults *account_faults_create(void);
void account_faults_destroy(struct account_faults *faults); // after account_faults_clear()
void account_faults_add(struct aws_account *account, const struct aws_account_fault *fault);
void account_faults_clear(struct aws_account *account);

// Refuses the call if a fault without pools hits it, or by chance.
void account_faults_of_call(struct account_call *call);
// The fault that hits a pool of a fleet; NULL: none. `capacity_types`: NULL-terminated, any of them
// matches.
const struct aws_account_fault *account_faults_of_pool(struct aws_account *account,
                                                       const char *type, const char *zone,
                                                       const char *const *capacity_types);
// A fleet is over: faults of pools that hit have been used once.
void account_faults_fleet_ends(struct aws_account *account);

// By the seed (stock_out_share): whether a pool has no capacity now.
bool account_faults_stock_out(const struct aws_account *account, const char *type, const char *zone,
                              const char *capacity_type);
// Whether a pool has none left after a launch: partial fleets.
bool account_faults_pool_runs_dry(struct aws_account *account);
