// The provider's reconcilers beside those of EC2NodeClasses and of the queue: tagging of instances
// (AWN-465), partition labels (AWN-153), demotion and expiry of reservations (AWI-600 to 611),
// zonal shifts (AWI-650 to 654), learned capacity (AWI-20 to 25), refreshes of types and prices
// (AWI-3, 208), metrics of types and offerings (AWI-700 to 702, 720).
#pragma once

#include "cloud/aws/controllers/zonal_shift.h"
#include "cloud/aws/instances/aws_machines.h"
#include "reconcile/manager.h"

struct aws_controllers;
struct aws_controllers_environment { // borrowed
    struct aws_client *client;
    const struct cluster_facts *cluster;
    struct ec2_types *types;
    struct ec2_prices *prices;
    struct reservation_counts *reservations;
    struct aws_machines *machines;
    struct zonal_shift *zonal_shift; // NULL: no zone is ever shifted
    struct cloud *cloud;             // for its instance types by NodePool
};
struct aws_controllers *aws_controllers_create(
    struct manager *manager, const struct aws_controllers_environment *environment);
void aws_controllers_destroy(struct aws_controllers *controllers); // NULL is fine
