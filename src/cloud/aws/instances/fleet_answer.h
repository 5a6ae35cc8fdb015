// The answer of a fleet (AWI-310 to 345): instances, errors, what they say about offerings.
#pragma once

#include <jansson.h>

#include "cloud/aws/instances/fleet_request.h"
#include "cloud/aws/types/placement_group.h"
#include "cloud/aws/types/reservation_counts.h"
#include "cloud/aws/types/unavailable_offerings.h"

struct fleet_instance {
    const char *id;
    struct fleet_override override; // the request's
};
struct fleet_error {
    const char *code, *message;
    struct fleet_override override; // texts "" without one (AWI-925)
};
struct fleet_answer { // borrowed from the reply and the request
    const char *fleet_id;
    struct fleet_instance *items; // in the order of the answer
    uint32_t count;
    struct fleet_error *errors;
    uint32_t errors_count;
};
// Reads the reply to `request`. Texts are those of the two.
void fleet_answer_read(struct arena *arena, const json_t *request, const json_t *reply,
                       struct fleet_answer *answer);

struct fleet_learning { // what takes notice of the errors; borrowed
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    struct subnet_addresses *addresses;
    struct metric *failures; // AWI-703; NULL: none
};
struct fleet_launch { // the launch of which all requests of the fleet are copies
    const struct ec2_node_class *node_class;
    const struct node_claim *claim;
    const char *capacity_type;
    const struct placement_group *group; // NULL: none
    const char *partition;               // that EC2 is told (partition_choice.h); NULL: none
    const struct launch_candidates *candidates;
};
// AWI-330 to 336: once a fleet (AWI-926). Returns whether the role for spot is missing (AWI-334).
bool fleet_errors_learn(const struct fleet_learning *learning, const struct fleet_launch *launch,
                        const struct fleet_answer *answer);
// AWI-340: the result of a request without instance. `reason`: static text, NULL for a shortage.
void fleet_failure(const struct fleet_answer *answer, struct error *error, const char **reason);
// Appends the quotas of the account that the answer says are used up, with the remedy (AWI-928).
void fleet_quota_advice(const struct fleet_answer *answer, const char *capacity_type,
                        const char *region, struct text *out);
// The reserved offering of that type and zone (AWI-274: at most one), or NULL.
const struct offering *fleet_reserved_offering(const struct launch_candidates *candidates,
                                               const char *instance_type, const char *zone);
