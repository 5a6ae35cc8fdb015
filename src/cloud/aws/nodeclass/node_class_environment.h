// The provider's parts that the reconcilers of EC2NodeClasses work with.
#pragma once

#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/nodeclass/launch_templates.h"
#include "cloud/aws/nodeclass/subnet_addresses.h"
#include "cloud/aws/types/ec2_types.h"
#include "reconcile/manager.h"

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
