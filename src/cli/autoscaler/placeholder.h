// Deployments of pods that keep room ready until others displace them (MIG-92).
#pragma once

#include "cli/convert/conversion.h"

// Notes what takes their place; with --buffers a PodTemplate and a CapacityBuffer do.
void placeholder_convert(struct source *source, struct product *product, const json_t *template);
