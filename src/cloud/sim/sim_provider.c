#include "cloud/sim/sim_provider.h"

#include "cloud/aws/types/built_in_types.h"
#include "cloud/aws/types/class_types.h"
#include "cloud/aws/types/priced_catalogue.h"
#include "cloud/aws/types/region_types.h"
#include "cloud/kwok/kwok_class_status.h"

static const struct instance_type_catalog *built_in(struct error *error)
{
    return ec2_catalog_create(NULL, error);
}

// EC2NodeClasses, too, so that real manifests work; they need no status here.
static const enum kind_id node_classes[] = {KIND_EC2_NODE_CLASS, KIND_KWOK_NODE_CLASS, KIND_COUNT};
static const char *const restricted_domains[] = {"karpenter.k8s.aws", "karpenter.kwok.sh", NULL};
static const struct provider_labels labels = {
    .restricted = restricted_domains,
    .known_values = known_values_aws,
};

const struct cloud_provider sim_provider = {
    .name = "sim",
    .node_class = KIND_KWOK_NODE_CLASS,
    .serves = node_classes,
    .labels = &labels,
    .catalog = built_in,
    .catalog_text = EC2_CATALOG_TEXT,
    .regions = &ec2_regions,
    .regions_of_files_only = true,
    .catalog_help = "EC2's, with list prices",
    .catalog_of_files = true,
    .class_catalog = ec2_class_catalog,
    .class_taken = ec2_class_taken,
    .reprice = ec2_catalogue_reprice,
    .reconcilers_create = kwok_class_status_create,
    .reconcilers_destroy = kwok_class_status_destroy,
};
