// The provider's parts that its reconcilers work with.
#pragma once

#include "cloud/aws/controllers/zonal_shift.h"
#include "cloud/aws/instances/aws_machines.h"
#include "reconcile/manager.h"

struct aws_controllers_environment { // borrowed
    struct aws_client *client;
    const struct cluster_facts *cluster;
    struct ec2_types *types;
    struct ec2_prices *prices;
    struct reservation_counts *reservations;
    struct aws_machines *machines;
    struct zonal_shift *zonal_shift; // NULL: no zone is ever shifted
    const char *namespace;           // of what is kept across restarts; NULL: kube-system
    struct cloud *cloud;             // for its instance types by NodePool
};
