// What a simulated instance's kubelet leaves for pods: its reservations by AMI family, and those of
// the user data. Written from what the images do, not from what the provider expects of them.
#pragma once

#include "base/memory.h"
#include "model/schema/core.h"

struct account_type;
struct user_data;

int64_t simulated_kubelet_pods(const struct account_type *type, const struct user_data *data);
// One entry for each of the capacity, in the arena; never negative.
struct resource_map simulated_kubelet_allocatable(const struct account_type *type,
                                                  const struct user_data *data,
                                                  const struct resource_map *capacity,
                                                  struct arena *arena);
