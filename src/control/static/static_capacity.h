// Static capacity (LIF-230, LIF-231): the number of NodeClaims of a NodePool with `replicas`, and
// the reservations under `limits.nodes` that its creators share.
//
// Everything but the reservations is read from the mirror and the cluster state at each call. A
// reservation has the name of the NodeClaim and is made before the create call; it ends when the
// mirror has a NodeClaim of that name.
#pragma once

#include "control/runtime/control.h"

struct static_capacity;
struct commands;
struct static_capacity *static_capacity_create(struct control *control,
                                               const struct commands *commands);
void static_capacity_destroy(struct static_capacity *capacity); // NULL is fine

// The counts can be relied on: the cluster is known, and so are the commands of a predecessor,
// whose nodes are pending. Until then a replacement looks like one NodeClaim too many.
bool static_capacity_is_known(const struct static_capacity *capacity);

enum static_standing {
    STATIC_ACTIVE,
    STATIC_DELETING,
    STATIC_PENDING, // candidate of a disruption command that has not deleted it yet (DIS-303)
};
enum static_standing static_standing_of(const struct static_capacity *capacity,
                                        const struct node_claim *claim);

struct static_counts {
    int64_t active, deleting, pending, reserved;
};
struct static_counts static_counts_of(struct static_capacity *capacity, const char *pool);
// The room that `limits.nodes` leaves for further NodeClaims, at least 0; INT64_MAX without a
// limit.
int64_t static_room(const struct static_counts *counts, const struct node_pool *pool);

void static_reserve(struct static_capacity *capacity, const char *pool, const char *claim);
void static_release(struct static_capacity *capacity, const char *pool, const char *claim);

// A pool of the controllers of LIF-232 and LIF-233, or NULL: managed, static, not being deleted.
const struct node_pool *static_pool(const struct control *control, const char *name);
