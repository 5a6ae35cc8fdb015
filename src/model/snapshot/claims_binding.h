// Which PersistentVolume of the input a claim that no API server has seen is bound to: by
// volumeName, by the volume's claimRef, else the smallest free one of its class, labels, modes and
// size.
#pragma once

#include "base/text.h"
#include "model/snapshot/snapshot.h"

struct claims_binding;
// Borrows both. Adds volumes and claims that name each other and do not fit to the remarks.
struct claims_binding *claims_binding_create(struct snapshot *snapshot, struct text *remarks);
void claims_binding_destroy(struct claims_binding *binding);

bool claims_binding_is_bound(const struct persistent_volume_claim *claim);
// Whether a volume names the claim, or the claim a volume.
bool claims_binding_is_kept(const struct claims_binding *binding,
                            const struct persistent_volume_claim *claim);
// NULL: none. `seeks`: it may also be one that nobody names.
const struct persistent_volume *claims_binding_find(struct claims_binding *binding,
                                                    const struct persistent_volume_claim *claim,
                                                    bool seeks);
// Changes the claim, the caller's struct; additions live in the snapshot's arena.
void claims_binding_bind(struct claims_binding *binding, struct persistent_volume_claim *claim,
                         const struct persistent_volume *volume);
