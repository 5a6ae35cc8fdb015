// Drivers of devices that a node waits for (LIF-64).
#pragma once

#include "kube/mirror.h"
#include "model/reading/settings.h"
#include "model/schema/karpenter.h"

// A driver that the NodeClaim's annotation names and that has no complete pool of devices on the
// Node; NULL: none, or claims of devices are ignored. In `arena`.
const char *device_driver_awaited(const struct mirror *mirror, const struct settings *settings,
                                  struct arena *arena, const struct node_claim *claim,
                                  const struct node *node);
// True: none is awaited. Of most NodeClaims at the cost of one look at their annotations.
bool device_drivers_are_there(const struct mirror *mirror, const struct settings *settings,
                              const struct node_claim *claim, const struct node *node);
// The Node that the slice is local to; NULL: none.
const char *resource_slice_node(const struct object *slice);
