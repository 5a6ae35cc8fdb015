// The provider's parts that launch templates work with.
#pragma once

#include "base/loop.h"
#include "cloud/aws/client/aws_client.h"
#include "cloud/aws/families/cluster_facts.h"
#include "cloud/aws/types/ec2_types.h"
#include "model/reading/settings.h"

struct launch_templates_options { // borrowed
    struct loop *loop;
    struct aws_client *client;
    const struct settings *settings;
    const struct cluster_facts *cluster;
    struct metrics *metrics; // NULL: none
    // For kubelet expressions; NULL: they are resolved without facts about network interfaces.
    const struct ec2_types *types;
};
