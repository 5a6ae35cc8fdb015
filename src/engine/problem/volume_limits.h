// How many volumes of a CSI driver nodes and machines take (SCH-350 to SCH-353).
#pragma once

#include "engine/problem/problem.h"

// SCH-353: the limits of a node, into `node`; and what its pods use.
void volumes_compile_node(struct problem *problem, struct schedulable_node *node);
// SCH-353: what machines of the template take, where their catalog or the CSINode of a Node of
// the same type tells.
void volumes_limit_rows(struct problem *problem, struct node_template *template);
// Clears rows that do not take what `asked` adds to `used`; false if none is left. `why` (or NULL)
// gets the text of the last limit that cut anything.
bool volumes_fit_rows(struct problem *problem, const struct node_template *template,
                      const struct volume_use *used, uint32_t used_count,
                      const struct pod_volumes *asked, struct bitset rows, struct text *why);
// SCH-350. On failure the text of the error, appended.
bool volumes_fit(struct problem *problem, const struct schedulable_node *node,
                 const struct volume_use *used, uint32_t used_count,
                 const struct pod_volumes *asked, struct text *why);
