// The parameters of ec2:CreateFleet for one NodeClaim (AWI-290 to 306).
#pragma once

#include <jansson.h>

#include "cloud/aws/instances/launch_candidate.h"
#include "cloud/aws/nodeclass/launch_templates.h"
#include "cloud/aws/nodeclass/subnet_addresses.h"

struct fleet_inputs { // borrowed
    const struct ec2_node_class *node_class;
    const struct node_claim *claim;
    const char *capacity_type;
    const struct launch_template *templates; // of candidates (launch_filters.h)
    uint32_t templates_count;
    const struct subnet_choice *subnets;
    uint32_t subnets_count;
    const json_t *tags; // AWN-460
    bool upstream;      // Priority everywhere (AWI-934), one subnet for each zone (AWI-935)
};
// For one instance, in a fixed order, without ClientToken. NULL: no override is left (AWI-293).
json_t *fleet_request_build(const struct fleet_inputs *inputs);
// The pools that EC2 may choose from: overrides of all configs (AWI-932).
uint32_t fleet_request_pools(const json_t *request);
// The bucket of equal requests (AWI-361): a hash of the whole.
void fleet_request_key(const json_t *request, char out[65]);
// AWI-927: a token for the claims (UIDs in any order) and the number of the attempt.
void fleet_client_token(const char *const *uids, uint32_t count, uint32_t attempt, char out[37]);

// An override of the request, as EC2's answers name them.
struct fleet_override {
    const char *instance_type, *zone, *subnet_id, *image_id; // "" if absent
};
struct fleet_override fleet_override_of(const json_t *override);
// The override of a request with that type and that subnet; false: there is none.
bool fleet_request_find(const json_t *request, const char *instance_type, const char *subnet_id,
                        struct fleet_override *found);
