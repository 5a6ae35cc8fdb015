// The port's operations on EC2 instances (cloud/port/cloud.h): create (AWI-250 to 345), get, list,
// delete (AWI-400 to 421), drift (AWN-480 to 483, AWI-455).
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/nodeclass/launch_templates.h"
#include "cloud/aws/nodeclass/subnet_addresses.h"
#include "cloud/aws/types/ec2_types.h"
#include "cloud/port/cloud.h"
#include "kube/mirror.h"

struct aws_machines;
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
    void *context;
    struct metrics *metrics; // NULL: none
};
struct aws_machines *aws_machines_create(const struct aws_machines_environment *environment);
void aws_machines_destroy(struct aws_machines *machines); // no callback comes after this

void aws_machines_launch(struct aws_machines *machines, const struct node_claim *claim,
                         machine_callback callback, void *context);
void aws_machines_delete(struct aws_machines *machines, const char *provider_id,
                         machine_callback callback, void *context);
void aws_machines_get(struct aws_machines *machines, const char *provider_id,
                      machine_callback callback, void *context);
void aws_machines_list(struct aws_machines *machines, machine_list_callback callback,
                       void *context);
const char *aws_machines_drift_reason(struct aws_machines *machines,
                                      const struct node_claim *claim);
// AWI-16.
const struct instance_type_catalog *aws_machines_instance_types(struct aws_machines *machines,
                                                                const struct node_pool *pool,
                                                                struct error *error);
// The id of a provider ID "aws:///zone/i-1" (AWI-418); NULL: another form.
const char *instance_id_of(const char *provider_id);
