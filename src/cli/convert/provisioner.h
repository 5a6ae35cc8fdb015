// Provisioner (karpenter.sh/v1alpha5) to NodePool, with an EC2NodeClass for its inline provider
// (MIG section 2).
#pragma once

#include "cli/convert/conversion.h"

void provisioner_convert(struct source *source);
// MIG-34: "720h"; NULL, with the source failed, for a negative number or another type.
const char *seconds_text(struct source *source, const char *path, const json_t *seconds);
// MIG-35: the kubelet's settings as a class has them; takes the reference.
json_t *kubelet_today(struct product *product, json_t *kubelet);
