// The reconcilers of EC2NodeClasses: status (AWN-30 to 38, 100 to 178, 390 to 398, 420 to 437),
// hash (AWN-70 to 77), termination (AWN-90 to 93), garbage collection of instance profiles
// (AWN-398) and the check of `latest` images (AWN-178).
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/nodeclass/launch_templates.h"
#include "cloud/aws/nodeclass/subnet_addresses.h"
#include "cloud/aws/types/ec2_types.h"
#include "reconcile/manager.h"

struct node_class_controllers;
struct node_class_environment { // borrowed
    struct aws_client *client;
    struct cluster_facts *cluster;
    // AWN-501: looks up the cluster's CIDR if it is not known; `done` once.
    void (*need_cidr)(void *context, void (*done)(void *done_context, const struct aws_result *),
                      void *done_context);
    void *need_cidr_context;
    struct ec2_types *types;
    struct subnet_addresses *addresses;
    struct reservation_counts *reservations;
    struct placement_groups *groups;
    struct launch_templates *templates;
};
struct node_class_controllers *node_class_controllers_create(
    struct manager *manager, const struct node_class_environment *environment);
void node_class_controllers_destroy(struct node_class_controllers *controllers); // NULL is fine
