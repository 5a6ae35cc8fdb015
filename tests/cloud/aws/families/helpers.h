// Shared by the tests of src/cloud/aws/families/.
#pragma once

#include "cloud/aws/families/user_data.h"
#include "model/helpers.h"

// The EC2NodeClass of a JSON text or of YAML below "spec:".
static inline struct ec2_node_class *node_class_of_spec(const char *spec)
{
    char text[4000];
    snprintf(text, sizeof text,
             "apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: web}\n"
             "spec: %s\n",
             spec);
    return (struct ec2_node_class *)object_of(text);
}
