// Tags on AWS's resources (AWN-460 to 466).
#pragma once

#include <jansson.h>

#include "cloud/aws/families/cluster_facts.h"
#include "model/schema/ec2_node_class.h"

#define TAG_CLUSTER_NAME "eks:eks-cluster-name"
#define TAG_NODE_CLASS   "karpenter.k8s.aws/ec2nodeclass"
#define TAG_NODE_POOL    "karpenter.sh/nodepool"
#define TAG_NODE_CLAIM   "karpenter.sh/nodeclaim"

// AWN-463: the error quotes the offending keys.
bool node_class_tags_check(const struct ec2_node_class *node_class, struct error *error) MUST_USE;
// AWN-460, 461: {"key": "value"}; `node_pool` may be "".
json_t *node_class_launch_tags(const struct ec2_node_class *node_class,
                               const struct cluster_facts *cluster, const char *node_pool);
json_t *node_class_profile_tags(const struct ec2_node_class *node_class,
                                const struct cluster_facts *cluster);
// Whether the tags, [{"Key": ..., "Value": ...}], say that the profile was made for the NodeClass
// of this cluster (AWN-717).
bool node_class_tags_are_of(const json_t *list, const char *node_class,
                            const struct cluster_facts *cluster);
// [{"Key": ..., "Value": ...}] in the order of keys; `tags` is borrowed.
json_t *tag_list_json(const json_t *tags);
