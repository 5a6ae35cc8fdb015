// Claims of devices while pods are placed (SCH-424, SCH-425, SCH-428, SCH-429).
//
// A claim that is not launched yet stands for several machine types: devices are chosen for each of
// them, and those that they have in common with other machines count as the most over the types.
#pragma once

#include "engine/pass/pass_state.h"

struct shape;

void devices_start(struct pass *pass);
// What claims that were placed earlier in the pass, or are allocated in the cluster, ask of the
// pod's node.
uint32_t devices_required_set(const struct pass *pass, const struct shape *shape);
// The ways to narrow a new node down so that it reaches shared devices; way 0 narrows nothing.
uint32_t devices_ways(const struct pass *pass, const struct shape *shape);
uint32_t devices_way_set(const struct pass *pass, uint32_t way);

// Drops rows of the attempt whose machines lack devices for the pod; false if none are left. Sets
// *for_good: nothing that happens later in the pass changes that.
bool devices_fit_claim(struct pass *pass, const struct claim *claim, const struct shape *shape,
                       bool fresh, struct claim_attempt *attempt, bool *for_good);
void devices_take_claim(struct pass *pass, struct claim *claim, const struct shape *shape);
bool devices_fit_node(struct pass *pass, uint32_t node, const struct shape *shape, bool *for_good);
void devices_take_node(struct pass *pass, uint32_t node, const struct shape *shape);

// SCH-371: the drivers of devices that the claim's machines would give away, sorted by name.
struct string_list devices_drivers(const struct pass *pass, struct arena *arena,
                                   const struct claim *claim);
