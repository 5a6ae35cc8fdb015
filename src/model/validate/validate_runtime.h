// The controller's run-time checks beyond the CRDs (API-149 to 157): of NodePools and NodeOverlays.
//
// One walk over structs serves two callers. `adze validate` reads the structs from JSON of any form
// (validate_parts.h) and needs a finding at each place; the controller has a decoded object and
// needs all errors in one line.
#pragma once

#include "model/tables/well_known.h"
#include "model/validate/validation.h"

struct node_pool;

// Run-time checks of a decoded NodePool (API-149 to 157, LIF-203): false with all errors joined by
// "; " in `message` (truncated at `size`). `well_known_extra` (NULL-terminated, or NULL): the cloud
// provider's additional well-known labels; `labels`: its other facts about labels
// (model/tables/well_known.h), or NULL.
bool node_pool_check(const struct node_pool *pool, const char *const *well_known_extra,
                     const struct provider_labels *labels, char *message, size_t size);
void check_node_pool_at_run_time(struct validation *validation, const json_t *object);
void check_node_overlay_at_run_time(struct validation *validation, const json_t *object);
