// Volume limits of CSI drivers on nodes and machines (SCH-350 to SCH-353).
#pragma once

#include "engine/problem/problem.h"

// SCH-353: fills the node's limits and the volumes of its pods.
void volumes_compile_node(struct problem *problem, struct schedulable_node *node);
// SCH-353: fills the limits of the template's machines, from the catalog or from the CSINode of a
// Node of the same type.
void volumes_limit_rows(struct problem *problem, struct node_template *template);
// Clears rows whose limits `used` plus `asked` exceed; false if none is left. `why` (or NULL) gets
// the text of the last limit that cleared a row.
bool volumes_fit_rows(struct problem *problem, const struct node_template *template,
                      const struct volume_use *used, uint32_t used_count,
                      const struct pod_volumes *asked, struct bitset rows, struct text *why);
// SCH-350. On failure appends the error to `why`.
bool volumes_fit(struct problem *problem, const struct schedulable_node *node,
                 const struct volume_use *used, uint32_t used_count,
                 const struct pod_volumes *asked, struct text *why);
