// What launches and instances work with: the other rooms' parts, and callbacks to the door.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/nodeclass/launch_templates.h"
#include "cloud/aws/nodeclass/subnet_addresses.h"
#include "cloud/aws/types/ec2_types.h"
#include "cloud/port/cloud.h"
#include "kube/mirror.h"

struct aws_machines_environment { // borrowed
    struct loop *loop;
    struct aws_client *client;
    struct mirror *mirror; // Nodes, NodeClaims, NodePools, EC2NodeClasses
    const struct settings *settings;
    const struct cluster_facts *cluster;
    struct ec2_types *types;
    struct unavailable_offerings *unavailable;
    struct reservation_counts *reservations;
    const struct placement_groups *groups;
    struct subnet_addresses *addresses;
    struct launch_templates *templates;
    bool (*zone_is_shifted)(void *context, const char *zone_id); // NULL: none is
    // A NodeClaim's or NodePool's NodeClass is missing or being deleted (AWI-16, AWI-250.1); NULL:
    // not told.
    void (*failed_node_class)(void *context, const struct object *about);
    // Spot's service-linked role is missing (AWI-334); NULL: not told.
    void (*spot_role_missing)(void *context, const struct node_claim *claim);
    // A launch of spot has so few pools to choose from that interruptions are likely (AWI-932);
    // NULL: not told.
    void (*few_spot_pools)(void *context, const struct node_claim *claim, uint32_t pools);
    // The drift of a NodeClaim, by its name, may have changed: its instance has been described,
    // which was not known. NULL: not told.
    void (*drift_changed)(void *context, const char *node_claim);
    // The catalogue with the NodeOverlays of a pool applied (AWI-250.5): a new reference, or NULL
    // if nothing changes. NULL: no overlays.
    const struct instance_type_catalog *(*overlaid)(void *context, const struct node_pool *pool,
                                                    const struct instance_type_catalog *catalog);
    void *context;
    struct metrics *metrics; // NULL: none
};
