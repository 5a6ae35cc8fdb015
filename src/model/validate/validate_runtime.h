// Checks that the controller makes beyond the CRDs (API-149 to 157): of NodePools and NodeOverlays.
//
// One walk over structs serves two callers: `adze validate`, which wants a finding at each place
// and reads the structs from JSON of any form (validate_parts.h), and the controller, which has a
// decoded object and wants all errors in one line.
#pragma once

#include "model/tables/well_known.h"
#include "model/validate/validation.h"

struct node_pool;

// Run-time checks of a decoded NodePool (API-149 to 157, LIF-203): false with all errors joined by
// "; " in `message` (cut at `size`). `well_known_extra` (NULL-terminated, or NULL): the labels that
// the cloud provider adds to the core's well-known ones; `labels`: its other facts about labels
// (model/tables/well_known.h), or NULL.
bool node_pool_check(const struct node_pool *pool, const char *const *well_known_extra,
                     const struct provider_labels *labels, char *message, size_t size);
void check_node_pool_at_run_time(struct validation *validation, const json_t *object);
void check_node_overlay_at_run_time(struct validation *validation, const json_t *object);
