// The volumes of pods: claims, ephemeral claims, and their persistent volumes.
#pragma once

#include "sim/world/world_internal.h"

#define DRIVER_EBS "ebs.csi.aws.com"

bool pod_uses_claims(const struct world_object *pod);
// The persistent volume of one of the pod's volumes; NULL: it has no claim, or the claim is not
// bound.
struct world_object *pod_volume_find(const struct world *world, const struct world_object *pod,
                                     const struct volume *volume);
// The CSI driver that attaches the persistent volume; NULL: it needs no attachment.
const char *volume_driver(const struct world_object *volume);
// Creates the missing claims of the pod's ephemeral volumes.
void pod_create_ephemeral_claims(struct world *world, struct world_object *pod);
