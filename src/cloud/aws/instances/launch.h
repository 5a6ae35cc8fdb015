// One launch and what it is made of, for launches.h: everything that is known before EC2 is asked.
#pragma once

#include "cloud/aws/instances/fleet_answer.h"
#include "cloud/aws/instances/launch_filters.h"
#include "cloud/aws/instances/machines_environment.h"

struct launch_plan {
    struct arena *arena;
    const struct aws_machines_environment *environment;
    const struct node_claim *claim;              // a reference
    const struct ec2_node_class *node_class;     // a reference
    const struct instance_type_catalog *catalog; // a reference
    struct launch_candidates candidates;
    const char *capacity_type, *tenancy; // static texts
    json_t *tags;
    const struct placement_group *group; // a copy; NULL: none
    const char *partition;               // partition_choice(); the claim's or static
    struct subnet_choice *subnets;
    uint32_t subnets_count;
};
struct launch_error {
    struct error error; // NONE: success
    const char *reason; // of a create error; of a shortage: advice, or NULL
};

// AWI-250 steps 1 to 7. The plan holds a reference to the claim in any case.
bool launch_plan_make(struct launch_plan *plan, const struct aws_machines_environment *environment,
                      const struct node_claim *claim, struct launch_error *error) MUST_USE;
void launch_plan_free(struct launch_plan *plan);
// Chooses subnets and reserves addresses in them (AWI-290).
bool launch_plan_choose_subnets(struct launch_plan *plan, struct launch_error *error) MUST_USE;
// Gives back the addresses in all subnets but that of the instance (AWI-310); NULL: no instance.
void launch_plan_settle(struct launch_plan *plan, const char *used_subnet);
// AWI-930: from spot to on-demand, where the NodeClaim allows it, its NodePool asks for it, and the
// candidates have on-demand offerings. False: nothing has changed.
bool launch_plan_fall_back(struct launch_plan *plan);
struct fleet_launch launch_plan_for_fleet(const struct launch_plan *plan);
// The machine of an instance that the fleet gave (AWI-264).
void launch_plan_answer(const struct launch_plan *plan, struct arena *arena,
                        const struct fleet_instance *instance, struct machine *machine);
// A create error with its reason.
bool launch_refuse(struct launch_error *error, const char *reason, const char *format, ...)
    PRINTF_LIKE(3, 4);
