// The pods that one pass plans, when more of them wait than a pass should hold back: the heaviest
// first, as in the engine's own queue (SCH-150), those of one workload together. The rest follows
// in the next passes at once; what was decided before is part of their snapshots
// (snapshot_planned.h). Pure.
#pragma once

#include "model/snapshot/snapshot.h"

struct backlog_chunk_options {
    uint32_t pods_max; // 0: no bound
    // Whether an earlier pass of the same round has had the pod: it comes after all others.
    bool (*was_tried)(void *context, const struct pod *pod);
    void *context;
};
// How many pods one pass plans at most where the controller may use that many bytes (STO-6); 0 or
// less: it is not known. A backlog of any size is then worked off within the limit.
uint32_t backlog_chunk_pods_max(int64_t memory_limit_bytes);
// Takes pending pods out of the snapshot until no more than `pods_max` are left. Answers how many
// of those taken out have not been tried yet.
uint32_t backlog_chunk_choose(struct snapshot *snapshot,
                              const struct backlog_chunk_options *options);
