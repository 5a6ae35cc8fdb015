// The contents of a soak world on AWS, and the actions on them (aws_soak.h).
#pragma once

#include "base/map.h"
#include "base/random.h"
#include "model/reading/settings.h"
#include "sim/aws/aws_account.h"
#include "sim/simulation.h"
#include "simulation/aws_soak.h"

#define AWS_SOAK_WORKLOADS 4
#define AWS_SOAK_POOLS     2

struct aws_soak_world {
    struct aws_soak_options options;
    struct aws_soak_result *result;
    struct loop *loop;
    struct simulation *simulation;
    struct settings settings;
    struct sim_faults api_faults;
    struct aws_account_options account;
    struct map *orphans, *widows, *seen; // instances, NodeClaims: struct age; UIDs of NodeClaims
    uint32_t workloads_count, pools_count, replicas_max;
    int64_t begun;
    uint32_t version; // of the class's tags and user data
};

void aws_soak_say(const struct aws_soak_world *world, const char *format, ...) PRINTF_LIKE(2, 3);
// Runs virtual time and checks the invariants; false: a violation.
bool aws_soak_pass(struct aws_soak_world *world, int64_t nanoseconds);
void aws_soak_apply(struct aws_soak_world *world, const char *format, ...) PRINTF_LIKE(2, 3);
void aws_soak_delete(struct aws_soak_world *world, const char *api_version, const char *kind,
                     const char *namespace, const char *name);
// Each creates the object, or changes it. `random` draws its variable parts; NULL: plain ones.
void aws_soak_apply_class(struct aws_soak_world *world, struct random *random);
void aws_soak_apply_pool(struct aws_soak_world *world, uint32_t index, struct random *random);
void aws_soak_apply_workload(struct aws_soak_world *world, uint32_t index, uint32_t replicas);

uint32_t aws_soak_actions_count(const struct aws_soak_world *world);
// Waits a while and performs an action; false: a violation.
bool aws_soak_act(struct aws_soak_world *world, uint32_t index);
// Ends all faults.
void aws_soak_calm(struct aws_soak_world *world);
