// Selects the pods of one pass when the backlog is larger than a pass should take: the heaviest
// first, as in the engine's queue (SCH-150), with the pods of a workload together. The next passes
// follow at once with the rest; earlier decisions are part of their snapshots (snapshot_planned.h).
// Pure.
#pragma once

#include "model/snapshot/snapshot.h"

struct backlog_chunk_options {
    uint32_t pods_max; // 0: no bound
    // True if an earlier pass of the same round has tried the pod; it then comes last.
    bool (*was_tried)(void *context, const struct pod *pod);
    void *context;
};
// The largest number of pods for one pass under a memory limit of the controller (STO-6); limit 0
// or less: unknown. Passes of this size work off any backlog within the limit.
uint32_t backlog_chunk_pods_max(int64_t memory_limit_bytes);
// Removes pending pods from the snapshot until at most `pods_max` are left. Returns how many of the
// removed pods have not been tried yet.
uint32_t backlog_chunk_choose(struct snapshot *snapshot,
                              const struct backlog_chunk_options *options);
